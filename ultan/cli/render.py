"""Turns what verbs return into blocks that a ``Screen`` shows; one renderer for each kind of answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ultan.cli.blocks import cell, day, mark, one_line, sparkline
from ultan.cli.screen import Block, Line, Markdown, Table, Tree, jsonable

if TYPE_CHECKING:
    from ultan.verbs.abstract import Abstracted
    from ultan.verbs.ask import Answer
    from ultan.verbs.change import Changed
    from ultan.verbs.check import Checked
    from ultan.verbs.condense import Report as Condensed
    from ultan.verbs.config import Configuration
    from ultan.verbs.decay import Decayed
    from ultan.verbs.doctor import Report
    from ultan.verbs.import_ import Imported
    from ultan.verbs.install import Done
    from ultan.verbs.list_ import Listing, Row
    from ultan.verbs.pause import Pause
    from ultan.verbs.rebuild import Rebuilt
    from ultan.verbs.review import Decided, Waiting
    from ultan.verbs.save import Saved
    from ultan.verbs.search import Found
    from ultan.verbs.show import Related, Shown
    from ultan.verbs.tour import Tour
    from ultan.verbs.undo import Logged, Undone
    from ultan.verbs.why import Candidate, Why, WhyTool

WEAKEST = 100  # entries whose curves a dry run shows where nobody asked for all
CANDIDATES = 10  # that were left out, of those whose reason `why` tells


def saved(value: "Saved") -> list[Block]:
    """What became of a saved text."""
    if not value.entry:
        return [Line(f"held for review: {value.title}. {value.note}")]
    rows: list[Block] = [Line(f"{value.did} {value.entry}", "green"), Line(f"  {mark(value.kind)} {value.title}")]
    if value.speaker != "person":
        rows.append(Line(f"  kept as the {value.speaker}'s words (trust {value.trust}): nobody typed them in this session"))
    if value.note:
        rows.append(Line(f"  {value.note}"))
    rows.append(Line(f"  `ultan undo {value.number}` takes it back", "dim"))
    return rows


def found(value: "Found") -> list[Block]:
    """Hits, best first."""
    if not value.hits:
        return [Line("nothing found")]
    rows: list[Block] = []
    for hit in value.hits:
        state = "" if hit.status == "active" else f"  ({hit.status})"
        rows.append(Line(f"{mark(hit.kind)} {hit.title}{state}", "bold"))
        rows.append(Line(f"    {one_line(hit.rule)}"))
        rows.append(Line(f"    {hit.id}  {hit.trust}  {hit.updated}  {hit.score:g}", "dim"))
    return rows


def shown(value: "Shown") -> list[Block]:
    """An entry as it is written, then what stands around it."""
    rows: list[Block] = [Line(value.entry.id, "bold"), Markdown(value.text.rstrip("\n"))]
    for head, ids in (
        ("links to", value.links), ("linked from", value.linked_from), ("beside it", value.siblings),
        ("folders", value.subfolders),
    ):  # fmt: skip
        if ids:
            rows.append(Line(f"{head}: {', '.join(ids)}"))
    if value.standing:
        rows.append(Line(f"strength: {value.standing.strength}"))
        rows.append(Line(f"retention: {value.standing.retention}"))
        rows.extend(Line(f"unverified: {path} is gone", "yellow") for path in value.standing.unverified)
    if value.readme:
        rows += [Line("folder:", "bold"), Markdown(value.readme.rstrip("\n"))]
    if value.chain:
        cells = [(link.created, link.id, link.state, one_line(link.rule, 70)) for link in value.chain]
        rows += [Line("corrections, oldest first:", "bold"), Table(("created", "entry", "", "rule"), cells)]
    if value.history:
        rows.append(Table(("op", "at", "by", "why"), [(str(v.number), day(v.at), v.by, v.why) for v in value.history]))
    return rows


def _state(row: "Row") -> str:
    if row.waits:
        return "waits for `ultan adopt`"
    states = ["pinned" if row.pinned else row.status, *(["unverified"] if row.unverified else [])]
    return ", ".join(states)


def listing(value: "Listing") -> list[Block]:
    """Entries as a table, then what could not be read."""
    rows: list[Block] = []
    if value.rows:
        cells = [
            (row.id, mark(row.kind), one_line(row.title, 60), row.trust, row.updated, _state(row))
            for row in value.rows
        ]
        rows.append(Table(("entry", "", "title", "trust", "updated", ""), cells))
    else:
        rows.append(Line("no entries"))
    rows.extend(Line(f"unreadable: {path}: {reason}", "yellow") for path, reason in value.unreadable)
    return rows


def related(value: "Related") -> list[Block]:
    """What stands beside an entry."""
    return [Table(("entry", "title", "why"), value.rows)] if value.rows else [Line("nothing stands beside it")]


def changed(value: "Changed") -> list[Block]:
    """What happened to an entry."""
    return [Line(f"{value.did} {value.entry}", "green"), Line(f"  `ultan undo {value.number}` takes it back", "dim")]


def logged(value: "Sequence[Logged]") -> list[Block]:
    """Operations, newest first."""
    if not value:
        return [Line("nothing has happened yet")]
    rows: list[Block] = []
    for row in value:
        what = f"takes back {row.undoes}" if row.undoes else row.why
        rows.append(Line(f"{row.number}  {day(row.at)}  {row.by}  {what}".rstrip(), "bold"))
        held = [] if row.actions else [path for path in row.changes if path.startswith("@pending/")]
        rows.extend(Line(f"    {action}") for action in row.actions or [path for path in row.changes if path not in held])
        if held:
            rows.append(Line(f"    held for you: {len(held)}; `ultan review`", "dim"))
        rows.extend(Line(f"    refused: {refusal}", "yellow") for refusal in row.refusals)
    return rows


def undone(value: "Undone") -> list[Block]:
    """What was taken back."""
    rows: list[Block] = [Line(f"  {change}") for change in value.changes]
    return [Line("taken back:", "green"), *rows, Line(f"  `ultan undo {value.number}` does it again", "dim")]


def configuration(value: "Configuration") -> list[Block]:
    """Where the memory lives, and every setting."""
    cells = [(row.key, cell(jsonable(row.value)), row.source, row.range, row.meaning) for row in value.settings]
    return [
        Line(f"Ultan {value.version}, home {value.home}"),
        Table(("setting", "value", "from", "range", "meaning"), cells),
    ]


def waiting(value: "Waiting") -> list[Block]:
    """What waits for a person."""
    rows: list[Block] = []
    for item in value.held:
        rows.append(Line(f"{item.number}  {item.verb}: {item.title}", "bold"))
        rows.extend(
            Line(f"    {head}: {one_line(text)}")
            for head, text in (("rule", item.rule), ("from", item.source), ("words", item.quote), ("held", item.reason))
            if text
        )
    if value.held:
        rows.append(Line("`ultan review --approve N` or `--reject N`", "dim"))
    rows.extend(Line(f"not made by Ultan as it is: {path}: `ultan adopt {path}`") for path in value.foreign)
    rows.extend(Line(f"not confirmed: {name}: `ultan review --confirm {name}`") for name in value.unconfirmed)
    return rows or [Line("nothing waits for you")]


def decided(value: "Decided") -> list[Block]:
    """What a person decided."""
    rows: list[Block] = [Line(f"{value.did} {', '.join(value.what) or 'nothing'}", "green")]
    rows.extend(Line(f"refused: {reason}", "yellow") for reason in value.refused)
    if value.number:
        rows.append(Line(f"  `ultan undo {value.number}` takes it back", "dim"))
    return rows


def rebuilt(value: "Rebuilt") -> list[Block]:
    """What went into the index."""
    near = f", near terms by {value.encoder}" if value.encoder else ""
    rows: list[Block] = [Line(f"indexed {value.entries} entries{near}", "green")]
    if value.lacks:
        rows.append(Line(f"found by words alone: {value.lacks}", "dim"))
    rows.extend(Line(f"unreadable: {path}: {reason}", "yellow") for path, reason in value.unreadable)
    return rows


def checked(value: "Checked") -> list[Block]:
    """Broken promises, or that there are none."""
    rows: list[Block] = []
    for finding in value.findings:
        rows.append(Line(f"{finding.code}  {finding.path}: {finding.message}", "yellow"))
        rows.append(Line(f"    {finding.remedy}", "dim"))
    return rows or [Line("every promise holds", "green")]


def paused(value: "Pause") -> list[Block]:
    """Whether hooks are silent."""
    if value.is_paused:
        return [Line("paused: hooks neither listen nor speak; `ultan pause --resume` ends it")]
    return [Line("hooks listen and speak", "green")]


def done(value: "Done") -> list[Block]:
    """What was done to the settings, and what the person should know."""
    rows: list[Block] = [Line("would do:" if value.is_dry_run else "did:", "bold")]
    rows.extend(Line(f"  {line}") for line in value.did or ("nothing: all is as it should be",))
    rows.extend(Line(f"note: {line}", "yellow") for line in value.told)
    return rows


def report(value: "Report") -> list[Block]:
    """One line a check, with its remedy."""
    rows: list[Block] = []
    for check in value.checks:
        mark, style = {"ok": ("ok  ", "green"), "note": ("note", "yellow"), "wrong": ("BAD ", "bold red")}[check.state]
        rows.append(Line(f"{mark} {check.name}: {check.says}", style if check.state != "ok" else ""))
        if check.remedy:
            rows.append(Line(f"     {check.remedy}", "dim"))
    return rows


def answer(value: "Answer") -> list[Block]:
    """What the library says, then the advisor's own opinion, apart."""
    rows: list[Block] = [Line(value.text or "nothing is remembered about that")]
    if value.opinion:
        rows += [Line(f"the advisor's own opinion ({value.by}):", "bold"), Line(value.opinion)]
    elif value.text and value.by == "library":
        rows.append(Line("these are the entries themselves: no model was asked", "dim"))
    if value.note:
        rows.append(Line(f"note: {value.note}", "yellow"))
    return rows


def decayed(value: "Decayed", *, is_dry_run: bool, most: int = WEAKEST) -> list[Block]:
    """What faded; with a dry run, how strong the *most* weakest entries stand."""
    if value.skipped:
        return [Line(f"nothing was looked at: {value.skipped}")]
    rows: list[Block] = [Line(f"{'would archive' if is_dry_run else 'archived'} {len(value.archived)} entries", "bold")]
    for head, group in (("archived", value.archived), ("faded, once more another day", value.waiting), ("still true?", value.drift)):
        rows.extend(Line(f"  {head}: {one.entry.id} ({one.retention:.2f})") for one in group)
    if is_dry_run and value.standing:
        from ultan.verbs.plotting import ahead  # noqa: PLC0415 -- only here

        cells = [(one.entry.id, f"{one.retention:.2f}", one.verdict, sparkline(ahead(one, 120, every=5))) for one in value.standing[:most]]
        rows.append(Table(("entry", "retention", "", "the next 120 active days, unused"), cells))
        if len(value.standing) > most:
            rows.append(Line(f"  and {len(value.standing) - most} that stand stronger: --all shows them", "dim"))
    for head, names in (("asked about in `ultan review`", value.asked.held), ("said anew", value.asked.updated)):
        rows.extend(Line(f"  {head}: {name}") for name in names)
    if value.asked.told:
        rows.append(Line(f"note: no model was asked: {value.asked.told}", "yellow"))
    if value.operation:
        rows.append(Line(f"  `ultan undo {value.operation}` takes it back", "dim"))
    return rows


def abstracted(value: "Abstracted") -> list[Block]:
    """What a deep scan found."""
    if not value.groups:
        return [Line("no entries imply a rule that nobody wrote down yet")]
    rows: list[Block] = [Line(f"{'would judge' if value.is_dry_run else 'looked at'} {len(value.groups)} groups", "bold")]
    rows.extend(Line(f"  {', '.join(group.children)} ({', '.join(group.shared[:6])})") for group in value.groups)
    rows.extend(Line(f"wrote {name}", "green") for name in value.written)
    rows.extend(Line(f"turned down: {title}", "yellow") for title in value.vetoed)
    rows.extend(Line(f"refused: {reason}", "yellow") for reason in value.refused)
    if value.held:
        rows.append(Line(f"{value.held} wait in `ultan review`: say the rule with --approve N --title --rule, or --reject N"))
    if value.told:
        rows.append(Line(f"note: no model was asked: {value.told}", "yellow"))
    if value.operation:
        rows.append(Line(f"  `ultan undo {value.operation}` takes it back", "dim"))
    return rows


def condensed(value: "Condensed") -> list[Block]:
    """What is told in fewer words, what in full again, and which cited paths are gone."""
    would = "would be " if value.is_dry_run else ""
    rows: list[Block] = []
    for one in (*value.shortened, *value.restored):
        how = ("told in full again", "told in key sentences", "told in one line")[one.level]
        rows.append(Line(f"{one.id}: {would}{how}, {one.chars_before} \N{RIGHTWARDS ARROW} {one.chars} characters"))
        rows.append(Line(f"    {one_line(one.says)}", "dim"))
    rows.extend(Line(f"unverified: {name} cites {path}, which is gone", "yellow") for name, path in value.unverified)
    if value.operation:
        rows.append(Line(f"  `ultan undo {value.operation}` takes it back", "dim"))
    return rows or [Line("nothing is old, unused and long")]


def imported(value: "Imported") -> list[Block]:
    """What an import brought."""
    head = f"{'would import' if value.is_dry_run else 'imported'} {len(value.entries)}, {value.known} known already"
    rows: list[Block] = [Line(head, "green"), *(Line(f"  {name}") for name in value.entries)]
    if value.redacted:
        rows.append(Line(f"  {value.redacted} secrets were masked", "yellow"))
    rows.extend(Line(f"  left out: {where}: {reason}", "yellow") for where, reason in value.skipped)
    if value.number:
        rows.append(Line(f"  `ultan undo {value.number}` takes all of it back", "dim"))
    return rows


def why(value: "Why") -> list[Block]:
    """Every stage of priming."""
    verdict = "shown" if value.shown else "silence"
    rows: list[Block] = [
        Line(f"{verdict}: relevance {value.probability:.2f}, threshold {value.floor:.2f}", "bold"),
        Line(f"project {value.project or 'none'}; signals {', '.join(value.rankings) or 'none'}"),
    ]
    if value.situations:
        rows.append(Line(f"taken for: {', '.join(value.situations)}"))
    rows.extend(_weighed(item) for item in value.candidates)
    seen = {item.id for item in value.candidates}
    rows.extend(
        Line(f"left out: {name} {reason}".replace("  ", " ")) for name, reason in value.left_out[:CANDIDATES] if name not in seen
    )
    rows.extend(Line(f"out of scope: {name} (project {project})") for name, project in value.out_of_scope)
    if value.block:
        rows += [Line("what the model would read:", "bold"), Line(value.block)]
    return rows


def _weighed(item: "Candidate") -> Tree:
    """One candidate of priming with what each signal and the scorer said."""
    signals = [
        Tree(f"{name}: {part.score:g}, {part.deviations:+.2f} deviations, place {part.place}") for name, part in item.parts.items()
    ]
    branches = [Tree("signals", signals), Tree(f"prior {item.prior:+.2f}")]
    if item.features:
        told = ", ".join(f"{name} {value:g}" for name, value in item.features.items() if value)
        branches.append(Tree(f"relevance {item.probability:.2f}: {told}"))
    if item.habit:
        branches.append(Tree(f"ignored before: {item.habit:+.2f} log-odds"))
    if item.unverified:
        branches.append(Tree(f"unverified: {item.unverified} is gone"))
    return Tree(f"{item.score:.2f}  {item.id}: {item.title}: {item.verdict}", branches)


def why_tool(value: "WhyTool") -> list[Block]:
    """What a tool call would meet."""
    rows: list[Block] = [Line(f"{severity}: {name}: {title}") for name, title, severity in value.fired]
    rows.extend(Line(f"about the file: {name}: {title}") for name, title in value.about_the_file)
    if value.answers:
        rows.append(Line(f"answers it: {': '.join(value.answers)}"))
    if not rows:  # a trigger or a file speaks first
        rows.extend(Line(f"about what it does ({', '.join(value.situations)}): {name}: {title}") for name, title in value.about_the_situation)
    return rows or [Line("nothing: the call runs as it is")]


def played(value: "Tour") -> list[Block]:
    """Each step of the tour with what went in and what came out."""
    rows: list[Block] = []
    for number, step in enumerate(value.steps, 1):
        rows.append(Line(f"{number}. {step.name}", "bold cyan"))
        rows.append(Line(f"   {step.says}", "dim"))
        rows.extend(Line(f"   > {line}") for line in step.given.split("\n"))
        rows.extend(Line(f"   < {line}", "green") for line in (step.came or "(silence)").split("\n"))
        rows.append(Line(""))
    rows.append(Line(value.ends))
    return rows
