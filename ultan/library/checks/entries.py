"""Entries: what each says of itself, checked field by field."""

import re
from collections.abc import Iterator

from ultan.library import grounds, retention
from ultan.library.bar import RULE_KINDS
from ultan.library.checks.finding import Finding, Home
from ultan.library.entry import COUNTERS, Entry
from ultan.library.grounds import CONFIRMED
from ultan.library.plainfront import Value
from ultan.library.yamlfront import front
from ultan.redaction import redact

DAYS = ("created", "updated", "last_reinforced", "last_surfaced", "last_helpful", "expires", "archived")
PAST_DAYS = tuple(name for name in DAYS if name != "expires")
_Told = Iterator[tuple[str, str, str]]
_Table = dict[str, Value]


def entries(seen: Home) -> Iterator[Finding]:
    """What is wrong with each entry, in the archive too."""
    for pool in (seen.library.entries, seen.library.archived):
        for entry in pool.values():
            table = front(entry.raw)
            for check in (_identity, _numbers, _days, _trust, _text, _triggers, _place, _references):
                for code, message, remedy in check(entry, table, seen):
                    yield Finding(code, f"knowledge/{entry.path}", message, remedy)


def _identity(entry: Entry, table: _Table, _seen: Home) -> _Told:
    said = table.get("id")
    if said and str(said).removesuffix(".md") != entry.id:
        yield "id", f"it says its id is {said}; its place says {entry.id}", f"write `id: {entry.id}`"
    if not table.get("title"):
        yield "no-title", "it has no title", "add one"
    for one, other in (("kind", "type"), ("applies_when", "applies-when"), ("triggers", "block_triggers"), ("fired-helpful", "fired_helpful")):
        if one in table and other in table:
            yield "alias", f"{one} and {other} say the same thing twice; {one} counts", f"remove {other}"


def _numbers(_entry: Entry, table: _Table, _seen: Home) -> _Told:
    for name in (*COUNTERS, "fired-helpful"):
        value = table.get(name)
        if value is not None and not re.fullmatch(r"\d{1,9}", str(value)):
            yield "counter", f"{name} is {str(value)[:40]!r}, no count; it is read as 0", f"write `{name}: 0`"
        elif value is not None and int(str(value)) > retention.MOST_COUNTED:
            yield "large-counter", f"{name} is {value}; {retention.MOST_COUNTED:,} is the most that counts", "correct it if nobody counted that"
    value = table.get("encoding_strength")
    if value is not None and not re.fullmatch(r"0(\.\d+)?|1(\.0+)?|\.\d+|\d(\.\d+)?e-\d+", str(value)):
        yield "strength", f"encoding_strength is {str(value)[:40]!r}; it lies between 0 and 1", "write a number such as 0.5"


def _days(entry: Entry, _table: _Table, seen: Home) -> _Told:
    for name in DAYS:
        value = getattr(entry, name)
        if value and not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", value):
            yield "date", f"{name} is {value[:40]!r}, no ISO day", "write it as 2026-05-01"
        elif value > seen.today and name in PAST_DAYS:
            yield "future", f"{name} is {value}, which lies in the future; until then nothing fades by it", "correct the date, or the clock"
    if not entry.created:
        yield "no-date", "it does not say when it was made; while no other date is known it does not fade", "add `created:` and a day"
    for name in ("updated", "last_reinforced", "last_helpful", "last_surfaced"):
        if retention.is_day(getattr(entry, name)) and retention.is_day(entry.created) and getattr(entry, name) < entry.created:
            yield "date-order", f"{name} is before created; the latest day counts", "put the dates in order"


def _trust(entry: Entry, table: _Table, _seen: Home) -> _Told:
    said = table.get("trust", "person")
    if entry.trust != said and said not in ("0", "1", "2", "3"):
        yield "trust", f"no trust is called {str(said)[:40]!r}; it counts as observed", "`ultan review` confirms it"
    if entry.trust_rank >= CONFIRMED or entry.shelved:
        return
    if entry.kind in RULE_KINDS:
        yield "unvouched-rule", f"a {entry.kind} that no person said or confirmed", "`ultan review`: confirm or archive it"
    if entry.scope == "global":
        yield "unvouched-global", "a global entry that no person said or confirmed", "`ultan review`: confirm or archive it"
    if entry.triggers or entry.pinned:
        yield "unvouched-power", "triggers or a pin on what no person confirmed", "`ultan review`: confirm or archive it"
    if not entry.expires:
        yield "no-expiry", "what no person confirmed must expire", "`ultan review`: confirm it, or add `expires`"


def _text(entry: Entry, _table: _Table, _seen: Home) -> _Told:
    found = redact(entry.raw)[1]
    if found:
        yield "credential", f"{found} credential{'s' if found > 1 else ''} in its text", "`ultan purge` removes it everywhere; then change the credential"
    if grounds.cleaned(entry.raw.removeprefix("\ufeff")) != entry.raw.removeprefix("\ufeff").replace("\r\n", "\n"):
        yield "invisible", "invisible or direction-changing characters in its text", "`ultan edit` and remove them"
    if not entry.rule:
        yield "empty", "it says nothing", "write the rule, or archive it"


def _triggers(entry: Entry, _table: _Table, _seen: Home) -> _Told:
    for trigger in entry.triggers:
        for pattern in (trigger.pattern, *trigger.unless):
            if grounds.compiled(pattern) is None:
                yield "bad-trigger", f"RE2 cannot compile {pattern[:60]!r}; the trigger is off", "write it without lookaround, or use `unless`"
        if trigger.severity == "block":
            if entry.trust_rank < CONFIRMED:
                yield "unvouched-block", "a block that no person confirmed only advises", "`ultan review` confirms the entry"
            if grounds.compiled(trigger.pattern) is not None and grounds.is_too_broad(trigger.pattern):
                yield "broad-block", f"{trigger.pattern[:60]!r} would block harmless calls; it only advises", "make the pattern narrower"


def _place(entry: Entry, _table: _Table, _seen: Home) -> _Told:
    if entry.archived and not entry.shelved:
        yield "half-archived", "it says archived but lies among the live entries", "`ultan archive` it, or remove the line"
    if entry.shelved and entry.status == "active":
        yield "half-revived", "it says active but lies in the archive", f"`ultan restore {entry.id}`"


def _references(entry: Entry, _table: _Table, seen: Home) -> _Told:
    library = seen.library
    for target in entry.links:
        if not library.resolve(target):
            yield "dangling-link", f"it links to {target!r}, which is no entry", "correct or remove the link"
    for target in (*entry.supersedes, *([entry.superseded_by] if entry.superseded_by else [])):
        if not library.resolve(target):
            yield "dangling-reference", f"it names {target!r} as its follower or forerunner, which is no entry", "correct or remove the line"
    if entry.superseded_by:
        follower = library.entries.get(library.resolve(entry.superseded_by))
        if follower is not None and entry.id not in follower.supersedes:
            yield "one-sided", f"{follower.id} does not name it in `supersedes`", f"add it to {follower.id}"
        if entry.status == "active" and not entry.shelved:
            yield "superseded-active", "it is superseded and says active", "write `status: deprecated`"
    chain = [entry.id]
    while (now := library.entries.get(chain[-1])) is not None and now.superseded_by:
        chain.append(library.resolve(now.superseded_by))
        if chain[-1] in chain[:-1]:
            yield "circle", f"superseded in a circle: {' → '.join(chain)}", "remove one `superseded_by`"
            break
