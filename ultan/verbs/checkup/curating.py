"""Curation and what comes of it: runs, the index, the server, costs, what waits for a person."""

import json
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping

from ultan import home, settings
from ultan.errors import IndexUnreadable, SettingsError
from ultan.library import upkeep
from ultan.recall.index import open_index
from ultan.verbs.checkup.check import Check, State, ago, changed, clock, lives, names, noted, span
from ultan.verbs.server import standing

STUCK_S = 1800.0
SAMPLED = 200  # entries whose language is looked at
FEW = 3  # entries in other languages that are not worth a word


def curation(root: str, environ: Mapping[str, str], now: float) -> Iterator[Check]:
    """Who curates, and whether they stopped."""
    try:
        chosen = settings.load(root, environ)
    except SettingsError as error:
        yield Check("settings", "wrong", str(error), error.hint)
        return
    by = chosen["curation.by"]
    off = by == "off" or chosen["curation.mode"] == "off"
    words = {"clerk": "the clerk, by rules, for free", "claude": f"claude, on {chosen['curation.billing']} billing"}
    if off:
        yield Check("curator", "note", "nobody: the queue is kept", "ultan config curation.by clerk")
    else:
        yield Check("curator", "ok", words.get(by, by) + (", held for review" if chosen["curation.mode"] == "ask" else ""))
    stopped = noted(root, "runs", "stopped.json")
    if stopped:
        until = stopped.get("until")
        when = f" until {clock(until)}" if isinstance(until, (int, float)) and until > now else ""
        says = f"stopped{when}: {stopped.get('told', stopped.get('why', ''))}"
        yield Check("curator", "wrong", says, "the queue is kept; ultan curate --now tries again")


def last_run(root: str, now: float) -> Check:
    """What the last curate did, or whether it is stuck."""
    note = noted(root, "runs", "curator.json")
    at = note.get("at")
    if not isinstance(at, (int, float)):
        return Check("last curate", "note", "never", "it runs by itself after a session, or: ultan curate --now")
    if note.get("state") == "running" and lives(note.get("pid")):
        says = f"running for {span(now - at)}, process {note.get('pid')}"
        state: State = "wrong" if now - at > STUCK_S else "ok"
        return Check("last curate", state, says, f"kill {note.get('pid')}: the queue is kept" if state == "wrong" else "")
    told = note.get("told") or note.get("last") or ""
    return Check("last curate", "ok", f"{ago(now, at)} by {note.get('by')}: {told}, {note.get('events', 0)} events")


def index(root: str, now: float) -> Check:
    """Whether the index is there and as new as the library."""
    written = changed(os.path.join(root, "knowledge", "log.md"))
    try:
        index = open_index(root)
    except IndexUnreadable as error:
        if not written:
            return Check("index", "note", "none yet: nothing is remembered", "ultan save 'Always use uv, never pip'")
        return Check("index", "wrong", str(error), "ultan rebuild")
    from ultan.recall.compile import ATTUNED_FROM  # noqa: PLC0415 -- numpy, only where there is an index

    few = f"from {ATTUNED_FROM} entries on" if index.size < ATTUNED_FROM else "not yet"
    near = "complete" if index.meta.get("attuned") else "of an earlier generation" if index.encoder else few
    says = f"{index.size} entries, made {ago(now, index.made_at)}, encoder {index.encoder or 'none'}, near terms {near}"
    if written > index.made_at + 60:
        return Check("index", "note", says + ", older than the library", "ultan rebuild")
    return Check("index", "ok", says)


def languages(root: str) -> Iterator[Check]:
    """That entries are found by their words alone where they are not in the encoder's language."""
    try:
        index = open_index(root)
    except IndexUnreadable:
        return
    if not index.encoder:
        return
    from ultan.staff import cues  # noqa: PLC0415 -- eighteen tables, only where there is something to tell

    looked = range(0, index.size, max(1, index.size // SAMPLED))
    found = Counter(cues.language_of(f"{card.title}. {card.rule}") for card in map(index.card, looked))
    foreign = {code: n for code, n in found.most_common() if code != cues.DEFAULT}
    if sum(foreign.values()) < max(FEW, found.total() / 20):
        return
    says = f"{sum(foreign.values())} of {found.total()} entries looked at are not in English ({', '.join(foreign)})"
    yield Check(
        "languages", "note", says + "; the encoder knows English only, so they are found by their words alone",
        "a cue in each language you ask in helps: ultan edit",
    )  # fmt: skip


def server(root: str, environ: Mapping[str, str]) -> Check:
    """Whether a warm server answers."""
    found = standing(root)
    if found.state == "absent":
        try:
            on_demand = settings.load(root, environ)["serve.on_demand"]
        except SettingsError:
            on_demand = False
        remedy = "" if on_demand else "optional: `ultan serve`, ultan install --serve, or ultan config serve.on_demand yes"
        return Check("server", "ok", "absent: hooks answer by themselves" + (", the next prompt starts it" * on_demand), remedy)
    if found.state == "starting":
        return Check("server", "ok", "starting: it loads its models")
    if found.state == "dead":
        return Check("server", "ok", "absent: one that ended left its socket, which the next takes over")
    if found.state == "silent":
        return Check("server", "wrong", "it runs and does not answer; hooks answer by themselves", "end `ultan serve` and start it anew")
    says = f"{found.state}, encoder {found.encoder}, {found.memory_mb} MB, {found.answered} answers in {span(found.up_s)}"
    says += f", {found.late} too late" if found.late else ""
    says += f", last asked {span(found.idle_s)} ago" if found.state == "idle" else ""
    if found.trouble:
        return Check("server", "note", f"{says}; {found.trouble}", "hooks get lexical answers; ultan rebuild")
    return Check("server", "ok", says)


def spend(root: str, now: float) -> Iterator[Check]:
    """What models have cost."""
    cost = noted(root, "", "cost.json")
    if not cost:
        return
    today = cost.get("days", {}).get(upkeep.day(now), {})
    total = cost.get("total", {})
    says = (
        f"today {today.get('calls', 0)} calls, {today.get('tokens', 0)} tokens, ${today.get('cost_usd', 0):.2f};"
        f" ever {total.get('calls', 0)} calls, ${total.get('cost_usd', 0):.2f}"
    )
    until = cost.get("closed_until", 0)
    if isinstance(until, (int, float)) and until > now:
        yield Check("spend", "wrong", f"{says}; closed until {clock(until)}: {cost.get('told') or cost.get('why')}", "wait")
    else:
        yield Check("spend", "ok", says)


def lag(root: str) -> Iterator[Check]:
    """How long words took to become primable, by who curated."""
    lags: dict[str, list[float]] = {}
    try:
        for _, who, said, primable in json.loads(home.read(os.path.join(root, "runs", "lag.json"))):
            lags.setdefault(str(who), []).append(primable - said)
    except (OSError, ValueError, TypeError):
        return
    for who, own in sorted(lags.items()):
        p95 = statistics.quantiles(own, n=20, method="inclusive")[-1] if len(own) > 1 else own[0]
        yield Check(
            "lag", "ok",
            f"{span(statistics.median(own))} from your words to an entry, in the middle of {len(own)}, with {who};"
            f" 95 % within {span(p95)}",
        )  # fmt: skip


def review(root: str) -> Iterator[Check]:
    """Suggestions that wait for a person."""
    count = len([name for name in names(root, "pending") if name.endswith(".json")])
    if count:
        yield Check("review", "note", f"{count} suggestions wait for you", "ultan review")
