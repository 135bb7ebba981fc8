"""How well a curator curates: what it keeps of labelled sessions and of conventions that change over time.

Two forms of data, found by their names in the folder: ``sessions_gold.jsonl`` (turns of a person
labelled durable or not) and ``dialogues/`` (a mentor's coding conventions over many sessions, some
replaced later). One growing library each, through the executor, as in real life. Two plain
baselines stand beside the clerk: a list of words, and tf-idf learned on the other half.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ultan.errors import UsageError
from ultan.events import ASSISTANT, USER, Piece, Transcript
from ultan.library.actions import Action, Create, Reinforce
from ultan.library.entry import Entry
from ultan.library.executor import execute
from ultan.library.snapshot import Library, read_library
from ultan.library.twin import MemoryStore
from ultan.recall.text import terms
from ultan.staff import baselines, clerk, weights
from ultan.staff.subjects import stems

RULES = ("convention", "preference", "warn")
DAY_S = 86400.0
START_S = 1_750_000_000.0  # an arbitrary first day; sessions follow day by day
FILLER_SHARE = 0.5  # of a filler instruction's words in an entry that cites its session: it cites the filler
PRECISION_BAR = 0.75
CURVE = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0)

Propose = Callable[[Transcript, Library], Sequence[Action]]


def bench_curate(folder: str, *, by: str = "clerk", curve: bool = False) -> dict[str, Any]:
    """The figures of curator *by* on the data in *folder*, as JSON values.

    Args:
        folder: holds ``sessions_gold.jsonl``, ``dialogues/`` or both.
        by: ``clerk``, or a baseline: ``cue-list`` or ``tf-idf``.
        curve: also precision and recall of the clerk over its threshold, and that threshold chosen on one
            half of the sessions and tried on the other (labelled sessions only).

    Raises:
        UsageError: the folder holds neither, or nobody is called *by*.
    """
    if by not in ("clerk", "cue-list", "tf-idf"):
        raise UsageError(f"no curator is called {by}", "choose clerk, cue-list or tf-idf")
    gold, dialogues = os.path.join(folder, "sessions_gold.jsonl"), os.path.join(folder, "dialogues")
    result: dict[str, Any] = {}
    if os.path.isfile(gold):
        excerpts = list(_excerpts(gold))
        result |= _on_excerpts(excerpts, _curator(by, excerpts)).figures()
        if curve:
            result["curve"] = _curve(excerpts)
            result["crossed"] = _crossed(excerpts)
    if os.path.isdir(dialogues):
        result |= _on_dialogues(dialogues, _curator(by, []))
    if not result:
        raise UsageError(f"{folder} holds neither sessions_gold.jsonl nor dialogues/")
    return result | {"by": by}


def _curator(by: str, excerpts: Sequence["Excerpt"]) -> Propose:
    if by == "cue-list":
        return baselines.by_cue_list
    if by == "tf-idf":
        labelled = [(excerpt.id, piece.text, bool(excerpt.items.get(piece.id))) for excerpt in excerpts
                    for piece in excerpt.pieces if piece.origin == USER]  # fmt: skip
        return baselines.TfIdf(labelled).propose
    return _by_clerk(weights.THRESHOLD)


def _by_clerk(threshold: float) -> Propose:
    def propose(transcript: Transcript, library: Library) -> Sequence[Action]:
        proposal = clerk.propose(transcript, library, threshold=threshold)
        return [suggestion.action for suggestion in proposal.suggestions]

    return propose


def _curve(excerpts: Sequence["Excerpt"]) -> list[list[float]]:
    """[threshold, precision, recall over rules], one a threshold."""
    figures = [
        (threshold, _on_excerpts(excerpts, _by_clerk(threshold)).figures()["durable"]) for threshold in CURVE
    ]
    return [[threshold, durable["precision"], durable["recall_rules"]] for threshold, durable in figures]


def _crossed(excerpts: Sequence["Excerpt"]) -> list[dict[str, Any]]:
    """The threshold chosen on one half of *excerpts*, tried on the other, both ways."""
    halves = {"odd": excerpts[::2], "even": excerpts[1::2]}
    found = []
    for tuned, tried in (("odd", "even"), ("even", "odd")):
        threshold = _best(_curve(halves[tuned]))
        figures = _on_excerpts(halves[tried], _by_clerk(threshold)).figures()
        found.append({
            "tuned_on": tuned, "tried_on": tried, "threshold": threshold, "precision": figures["durable"]["precision"],
            "recall_rules": figures["durable"]["recall_rules"], "kind_accuracy": figures["kind_accuracy"],
            "scope_global": figures["scope_accuracy"]["global"], "scope_project": figures["scope_accuracy"]["project"],
        })  # fmt: skip
    return found


def _best(curve: Sequence[Sequence[float]]) -> float:
    """The threshold with the most recall at a precision of the bar; without such a one, the most precise."""
    precise = [point for point in curve if point[1] >= PRECISION_BAR]
    best = (
        max(precise, key=lambda point: (point[2], point[1]))
        if precise
        else max(curve, key=lambda point: point[1])
    )
    return best[0]


# --- labelled sessions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """One durable thing a person said, as labelled."""

    kind: str
    scope: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A labelled stretch of a session."""

    id: str
    project: str
    pieces: tuple[Piece, ...]
    items: Mapping[str, tuple[Item, ...]]


@dataclass(slots=True)
class Tally:
    """Counts over all excerpts."""

    proposals: int = 0
    hits: int = 0
    kinds_right: int = 0
    non_durable: set[str] = field(default_factory=set)
    items: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    scopes: Counter[str] = field(default_factory=Counter)
    scopes_right: Counter[str] = field(default_factory=Counter)

    def figures(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "durable": {
                "precision": _share(self.hits, self.proposals),
                "recall": _share(self.found.total(), self.items.total()),
                "recall_rules": _share(sum(self.found[kind] for kind in RULES), sum(self.items[kind] for kind in RULES)),
                "recall_by_kind": {kind: _share(self.found[kind], self.items[kind]) for kind in sorted(self.items)},
                "proposals": self.proposals,
            },
            "kind_accuracy": _share(self.kinds_right, self.hits),
            "scope_accuracy": {
                "overall": _share(self.scopes_right.total(), self.scopes.total()),
                **{scope: _share(self.scopes_right[scope], self.scopes[scope]) for scope in ("global", "project")},
            },
            "non_durable_cited": len(self.non_durable),
        }  # fmt: skip


def _excerpts(path: str) -> Iterator[Excerpt]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.strip():
                continue
            row = json.loads(line)
            pieces, items = [], {}
            for turn in row["turns"]:
                name = f"{row['id']}.t{turn['t']}"
                origin = {"user": USER, "assistant": ASSISTANT}.get(turn["role"], "tool:Bash")
                pieces.append(Piece(name, origin, turn["text"], turn=turn["t"]))
                labelled = (turn.get("label") or {}).get("items", ())
                items[name] = tuple(Item(item["kind"], item["scope"]) for item in labelled)
            yield Excerpt(row["id"], row["project"], tuple(pieces), items)


def _on_excerpts(excerpts: Iterable[Excerpt], propose: Propose) -> Tally:
    store, tally = MemoryStore(), Tally()
    for day, excerpt in enumerate(excerpts):
        transcript = Transcript(excerpt.id, excerpt.project, list(excerpt.pieces))
        actions = propose(transcript, read_library(store))
        _applied(store, actions, transcript, day)
        _count(tally, actions, excerpt, read_library(store))
    return tally


def _count(tally: Tally, actions: Iterable[Action], excerpt: Excerpt, library: Library) -> None:
    tally.items.update(item.kind for items in excerpt.items.values() for item in items)
    cited: set[str] = set()
    for action in actions:
        if not isinstance(action, (Create, Reinforce)):
            continue
        tally.proposals += 1
        events = {cite.event for cite in action.evidence}
        items = [item for event in sorted(events) for item in excerpt.items.get(event, ())]
        cited |= events
        if not items:
            tally.non_durable |= events
            continue
        tally.hits += 1
        kind, is_global = _labels(action, library)
        tally.kinds_right += kind in {item.kind for item in items}
        scope = "global" if items[0].scope == "global" else "project"
        tally.scopes[scope] += 1
        tally.scopes_right[scope] += is_global == (scope == "global")
    tally.found.update(item.kind for event in cited for item in excerpt.items.get(event, ()))


def _labels(action: Create | Reinforce, library: Library) -> tuple[str, bool]:
    if isinstance(action, Create):
        return action.kind, action.folder.split("/")[0] == "global"
    entry = library.entries.get(action.entry)
    return (entry.kind, entry.scope == "global") if entry else ("", False)


# --- conventions over many sessions -----------------------------------------------------------------

Criterion = tuple[str, str]  # an object's words, and the value an entry must hold ("" for the object alone)


def _on_dialogues(folder: str, propose: Propose) -> dict[str, Any]:
    totals: dict[int, Counter[str]] = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            dialogue = json.load(file)
        counts = totals.setdefault(len(dialogue["sessions"]), Counter())
        counts.update(_on_dialogue(dialogue, propose))
    by_sessions = {str(sessions): _rates(counts) for sessions, counts in sorted(totals.items())}
    overall: Counter[str] = Counter()
    for counts in totals.values():
        overall.update(counts)
    return {**_rates(overall), "by_sessions": by_sessions}


def _rates(counts: Counter[str]) -> dict[str, Any]:
    return {
        "live_recall": _share(counts["kept"], counts["live"]),
        "superseded_live": _share(counts["stale"], counts["superseded"]),
        "size_ratio": _share(counts["entries"], counts["live"]),
        "dialogues": counts["dialogues"],
    }


def _on_dialogue(dialogue: Mapping[str, Any], propose: Propose) -> Counter[str]:
    context, store, fillers = dialogue["context"], MemoryStore(), set[str]()
    for day, session in enumerate(dialogue["sessions"]):
        transcript = Transcript(f"s{day}", "dialogue", list(spoken(session["text"], context, f"s{day}")))
        _applied(store, propose(transcript, read_library(store)), transcript, day)
        fillers |= _filler_entries(session, f"s{day}", read_library(store))
    live = read_library(store).live("dialogue")
    wanted = [_criterion(*pair) for pair in dialogue["sessions"][-1]["history_regex"]]
    ever = [_criterion(*pair) for session in dialogue["sessions"] for pair in session["session_regex"]]
    gone = [pair for pair in dict.fromkeys(ever) if pair not in wanted]
    return Counter(
        dialogues=1,
        live=len(wanted),
        kept=sum(any(_holds(entry, pair) for entry in live) for pair in wanted),
        superseded=len(gone),
        stale=sum(any(_holds(entry, pair) for entry in live) for pair in gone),
        entries=sum(entry.id not in fillers for entry in live),
    )


def spoken(text: str, context: Mapping[str, str], session: str) -> Iterator[Piece]:
    """What is said in *text*, line by line; a line without the name of a speaker goes on with the one before."""
    speaker = ""
    for number, line in enumerate(text.split("\n")):
        name, colon, rest = line.partition(":")
        if colon and name.strip() in (context["mentor"], context.get("mentee")):
            speaker, said = name.strip(), rest.strip()
        else:
            said = line.strip()
        if said and speaker:
            origin = USER if speaker == context["mentor"] else ASSISTANT
            yield Piece(f"{session}.p{number}", origin, said, turn=number)


def _filler_entries(session: Mapping[str, Any], name: str, library: Library) -> set[str]:
    """Entries that cite an instruction of *session* which the data does not count."""
    fillers = [
        set(stems(topic))
        for topic, sort in zip(session["topic"], session["type"], strict=False)
        if sort.startswith("filler-instruction")
    ]
    return {
        entry.id
        for entry in library.entries.values()
        if any(each.session == name for each in entry.evidence)
        and any(
            len(words & set(stems(_said(entry)))) >= FILLER_SHARE * len(words) for words in fillers if words
        )
    }


def _criterion(thing: str, value: object) -> Criterion:
    if value is True:
        return thing, ""
    if isinstance(value, list):
        return thing, str(value[0])
    pattern = str(value)
    affix = re.search(r"[A-Za-z_]{2,}", re.sub(r"\\.|\[[^\]]*\]", " ", pattern))
    if affix:
        return thing, affix.group()
    cases = {r"\b[A-Z][A-Z0-9_]*\b": "uppercase", "^[a-z0-9_]*$": "snakecase", r".*\d$": "digit"}
    return thing, cases.get(pattern, "camelcase")


def _holds(entry: Entry, criterion: Criterion) -> bool:
    thing, value = criterion
    said = _said(entry)
    if not set(terms(thing)) <= set(terms(said)):
        return False
    if value in ("uppercase", "snakecase", "camelcase"):
        return value in re.sub(r"[\s_-]", "", said.lower())
    edge = "" if value.isalpha() else r"(?![A-Za-z0-9_])"
    start = "" if value.isalpha() else r"(?<![A-Za-z0-9_])"
    return not value or re.search(start + re.escape(value) + edge, said) is not None


def _said(entry: Entry) -> str:
    return f"{entry.title} {entry.rule}"


def _applied(store: MemoryStore, actions: Sequence[Action], transcript: Transcript, day: int) -> None:
    execute(
        store, actions, now=START_S + day * DAY_S, by="clerk", session=transcript.session,
        sources={piece.id: piece for piece in transcript.pieces},
    )  # fmt: skip


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
