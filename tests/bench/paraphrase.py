"""Twenty dialogues with changing conventions, handed out to be said afresh, so that no template is learned.

    python tests/bench/paraphrase.py export DIALOGUES OUT [--seed N] [--without EARLIER]
    python tests/bench/paraphrase.py assemble DIALOGUES OUT
    python tests/bench/paraphrase.py compare DIALOGUES OUT

``export`` picks twenty dialogues, spread over the numbers of sessions, and writes what an author
needs: the turns, without a label. ``assemble`` puts what the authors wrote (``OUT/NN.json``) into
the dialogues' own form below ``OUT/ready`` and refuses what is no paraphrase: a turn left out, a
literal value lost, words kept. ``compare`` prints the clerk's figures on both, the same dialogues.
``--without`` leaves out the dialogues of an earlier folder, which somebody may have read.
"""

import argparse
import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True

from ultan.recall.text import terms  # noqa: E402 -- found by the line above
from ultan.verbs.bench_curate import bench_curate  # noqa: E402

# How many dialogues of how many sessions; longer ones are too much to write by hand.
STRATA = {1: 3, 2: 3, 3: 3, 4: 3, 5: 3, 10: 3, 15: 2}
LONGEST_RUN = 7  # words that may be kept in a row, literals aside
LEAST_WORDS = 8  # a turn shorter than this may stay as it is
_LITERAL = re.compile(r"['‘’\"“”](@?[A-Za-z0-9_]*_[A-Za-z0-9_]*|@[\w.]+|[a-z]{2,12})['‘’\"“”]|(@\w+)")  # noqa: RUF001
_WORD = re.compile(r"[\w'’]+")  # noqa: RUF001 -- apostrophes as typed

README = """# What an author does

`todo/NN.json` holds one dialogue: a mentor tells a newcomer about the work, over one or more sessions.
Write `NN.json` (here, beside this file, same number): the same dialogue with every turn that has
`"rewrite": true` said afresh, as another person would have said it.

    {"name": "<name, copied>", "sessions": [{"turns": [{"id": 0, "text": "..."}, ...]}, ...]}

Only the turns with `"rewrite": true` are wanted, each under its `id`; the others are there so that you can
follow the talk. Sessions in the same order, none left out.

1. **Say the same thing in other words.** New sentences, other order, other ways to put a demand or a change of
   mind. Do not go through a sentence replacing words. Vary: curt, chatty, polite, blunt. No two alike.
   Never keep more than six words in a row.
2. **Keep the literal values letter by letter**: what stands in quotes (`'e_'`, `'chx'`, `'secrets'`) and
   decorators (`@timer`). In quotes, too.
3. **Keep the names of the things a rule is about**: function, method, class, variable, attribute, function argument,
   decorator, annotation, docstring, import, comment, assert, try, camelCase, uppercase, digit ... (as nouns; inflect
   as you like). They are what the figures are matched by. "Function argument" stays "function argument" and does not
   become "parameter".
4. **Keep what is demanded and what is not**: a rule stays a rule, a change stays a change ("instead of the old one"
   may be put in any way, or only be implied where the original only implies it), small talk stays small talk. Add no
   rule, drop no rule, and put each rule into the turn where it was.
5. Write from the dialogue alone. Do not look at Ultan's code, word lists or figures, nor at the data the dialogue is from.

Check: `python tests/bench/paraphrase.py assemble <dialogues> <this folder>` names each turn that is no paraphrase.
"""


def picked(folder: Path, seed: int, used: set[str]) -> list[Path]:
    """The twenty dialogues, none of those *used*, in order of their length."""
    by_sessions: dict[int, list[Path]] = {}
    for path in sorted(folder.glob("*.json")):
        if path.name in used:
            continue
        by_sessions.setdefault(len(_read(path)["sessions"]), []).append(path)
    chance = random.Random(seed)
    return [
        path
        for sessions, wanted in STRATA.items()
        for path in sorted(chance.sample(by_sessions[sessions], wanted))
    ]


def turns_of(dialogue: dict[str, Any], session: dict[str, Any]) -> Iterator[tuple[int, str, str, bool]]:
    """(line, speaker, words, whether the mentor says them) of each turn of *session*."""
    for number, line in enumerate(session["text"].split("\n")):
        speaker, colon, said = line.partition(":")
        if colon and said.strip():
            yield number, speaker.strip(), said.strip(), speaker.strip() == dialogue["context"]["mentor"]


def export(folder: Path, out: Path, seed: int, without: Path | None = None) -> None:
    """Write ``OUT/todo/NN.json`` and the README; none of the dialogues handed out in *without*."""
    used = {_read(path)["name"] for path in (without / "todo").glob("*.json")} if without else set()
    (out / "todo").mkdir(parents=True, exist_ok=True)
    (out / "README").write_text(README, encoding="utf-8")
    for number, path in enumerate(picked(folder, seed, used), start=1):
        dialogue = _read(path)
        sessions = [
            {"turns": [{"id": line, "speaker": speaker, "text": said, "rewrite": mentor}
                       for line, speaker, said, mentor in turns_of(dialogue, session)]}
            for session in dialogue["sessions"]
        ]  # fmt: skip
        task = {"name": path.name, "sessions": sessions}
        (out / "todo" / f"{number:02}.json").write_text(json.dumps(task, indent=1, ensure_ascii=False))


def faults(old: str, new: str) -> list[str]:
    """Why *new* is no paraphrase of *old*."""
    found = [f"lost {value}" for value in sorted(_literals(old)) if value not in new]
    mine, theirs = (_WORD.findall(_LITERAL.sub(" ", text).lower()) for text in (old, new))
    if len(mine) >= LEAST_WORDS:
        runs = {tuple(mine[at : at + LONGEST_RUN]) for at in range(len(mine) - LONGEST_RUN + 1)}
        kept = next((theirs[at : at + LONGEST_RUN] for at in range(len(theirs)) if tuple(theirs[at : at + LONGEST_RUN]) in runs), None)  # fmt: skip
        found += [f"kept {' '.join(kept)!r}"] if kept else []
    return found


def _literals(text: str) -> set[str]:
    return {next(group for group in match.groups() if group) for match in _LITERAL.finditer(text)}


def assemble(folder: Path, out: Path) -> int:
    """Write ``OUT/ready/dialogues`` of what the authors wrote; print what is amiss, and how much was kept."""
    ready = out / "ready" / "dialogues"
    shutil.rmtree(ready, ignore_errors=True)
    ready.mkdir(parents=True)
    amiss = shared = words = 0
    for task in sorted((out / "todo").glob("*.json")):
        answer = out / task.name
        if not answer.exists():
            print(f"{task.name}: not written yet")
            continue
        written = _read(answer)
        dialogue = _read(folder / _read(task)["name"])
        for number, session in enumerate(dialogue["sessions"]):
            given = written["sessions"][number]["turns"] if number < len(written["sessions"]) else []
            new = {turn["id"]: " ".join(str(turn["text"]).split()) for turn in given}
            lines = session["text"].split("\n")
            for line, speaker, said, mentor in turns_of(dialogue, session):
                if not mentor:
                    continue
                problems = faults(said, new[line]) if line in new else ["left out"]
                amiss += len(problems)
                for problem in problems:
                    print(f"{task.name} session {number} turn {line}: {problem}")
                if line in new:
                    lines[line] = f"{speaker}: {new[line]}"
                    words += len(set(terms(said)))
                    shared += len(set(terms(said)) & set(terms(new[line])))
            session["text"] = "\n".join(lines)
        (ready / _read(task)["name"]).write_text(json.dumps(dialogue, ensure_ascii=False), encoding="utf-8")
    print(
        f"{len(list(ready.iterdir()))} dialogues; {amiss} faults; content words kept {shared / (words or 1):.2f}"
    )
    return 1 if amiss else 0


def compare(folder: Path, out: Path) -> None:
    """Print the clerk's figures on the paraphrases and on the same dialogues as they were."""
    before = out / "before" / "dialogues"
    shutil.rmtree(before, ignore_errors=True)
    before.mkdir(parents=True)
    for path in sorted((out / "ready" / "dialogues").glob("*.json")):
        shutil.copy(folder / path.name, before / path.name)
    figures = {name: bench_curate(str(out / name)) for name in ("before", "ready")}
    print(json.dumps(figures, indent=1))


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> int:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("export", "assemble", "compare"))
    parser.add_argument("dialogues", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--without", type=Path)
    given = parser.parse_args()
    if given.what == "assemble":
        return assemble(given.dialogues, given.out)
    if given.what == "compare":
        compare(given.dialogues, given.out)
    else:
        export(given.dialogues, given.out, given.seed, given.without)
    return 0


if __name__ == "__main__":
    sys.exit(main())
