"""What a rule demands of what: enough to see that two rules are one, or that the later corrects the earlier.

A rule about a part of code gets *slots*: (what is said, of which object, which value). A prefix,
a suffix or a letter case can hold only one value an object, so a new value replaces the old; a
decorator or an import stands beside others. Rules without slots are compared by their words.
"""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ultan.recall.text import terms
from ultan.staff.commands import commands_in
from ultan.staff.cues import DEFAULT, Cues, table

# Objects whose names and bodies rules are about, and what a rule may want on them.
OBJECTS = frozenset(
    ("function", "method", "argument", "variable", "attribute", "class", "constant", "interface", "file", "branch",
     "commit", "test", "module", "command", "api", "ui", "log", "config", "data", "doc", "repository")
)  # fmt: skip
EXCLUSIVE = ("prefix", "suffix", "case")  # one value an object
FEATURES = ("decorator", "import", "docstring", "annotation", "exception", "assertion", "comment")
_SELF_BORNE = frozenset(("comment", "import"))  # features that need no object named
_BEARERS = frozenset(("function", "method", "class", "test", "argument", "attribute", "variable"))
_TOKEN = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]{1,60})\"|“([^”\n]{1,60})”|«([^»\n]{1,60})»|「([^」\n]{1,60})」"
    r"|(?<!\w)['‘]([^'’\n]{1,60})['’](?![A-Za-z0-9_])|(@[A-Za-z_][\w.]*)|(?<![\w'])((?:[A-Za-z]\w*)?_\w*|[a-z]+(?:[A-Z]\w*)+)"  # noqa: RUF001 -- quotes as typed
    r"|(?<![A-Za-z0-9_.])(\d+(?:\.\d+)*)(?![A-Za-z0-9_]|\.\w)|(#[0-9A-Fa-f]{3,8})\b|([\w-]{1,100}\.[A-Za-z]{2,5})\b"
)
_IMPORTED = re.compile(
    r"\bimport\s+(?:the\s+)?([a-z][a-z0-9_.]+)\b(?!\s+(?:of|the|module|statement))", re.IGNORECASE
)
_OF = re.compile(
    r"\s+(?:of|for|in|von|der|de|des|van|di|do|da)\s+(?:your|all|the|every|each|alle|toutes?|todas?)?\s*",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<=[a-z,;)] )[A-Z][A-Za-z]*[a-z][A-Za-z]*")
_CLAUSE = re.compile(r"[,;:、，،;]\s*|(?<=[\uac00-\ud7a3]고)\s+")  # noqa: RUF001 -- commas of other scripts
_STOP = re.compile(
    r"[,;:、，،](?:\s|(?=[^\x00-\x7f]))|[.!?](?:\s|$)|[。！]|\b(?:but|use|instead|because|sondern|mais|sino|mas|ma|maar|ale|lecz|а|але|ama)\b",  # noqa: RUF001 -- their own marks
    re.IGNORECASE,
)
_NOT_THAT = re.compile(
    r"[,;\u2013\u2014-]\s*(?:and\s+|but\s+)?(?:not|nicht|pas|non|não|niet|не|ні|değil)\s+(\w[^,;.!?]*)",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"[^\w.!?]*\w*")  # "never use": the verb may be one that ends a clause elsewhere
PAUSES = (",", ";", "-", "–", "—", "、", "，", "،")  # noqa: RUF001 -- dashes and commas as typed
_NEAR = 12  # characters between "naming" and what is named
_SHORTEST_WISH = 2  # letters before an alternative that can name what is wanted
_LONGEST_CHOICE = 4  # words that name one thing to use
# Groups of phrases that only dictate.
_DICTATION = ("standing", "onward", "ask", "reminder", "protest", "entrust", "noted", "mind", "choose", "aim")
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_RULE = 15  # characters before a reason can begin
# Words of dictation itself: every rule has them, none is about them.
FRAME = frozenset(
    terms(
        "instead want like make sure always never ensure remember going forward new keep mind start include add good great "
        "important please now later also first second everything anything directly straight simply really actually properly"
    )
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing demanded of one object."""

    aspect: str
    target: frozenset[str]
    values: frozenset[str]

    @property
    def exclusive(self) -> bool:
        """Whether a second value would contradict the first."""
        return self.aspect in EXCLUSIVE


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule is about, in a form that two rules can be compared by."""

    slots: tuple[Slot, ...]
    values: frozenset[str]  # literal: quoted words, identifiers, numbers, known commands
    wants: frozenset[str]  # content words outside what is forbidden
    bans: frozenset[str]  # content words of what is forbidden
    concepts: frozenset[str]
    negative: bool  # the whole is forbidden, not only an alternative
    language: str = field(compare=False, default="en")
    chosen: frozenset[str] = frozenset()  # content words of what is to be used …
    aims: frozenset[str] = frozenset()  # … and of what for

    @property
    def words(self) -> frozenset[str]:
        """All content words."""
        return self.wants | self.bans

    @property
    def is_absurd(self) -> bool:
        """Whether it wants exactly what it forbids."""
        return bool(self.bans) and self.wants == self.bans

    @property
    def is_whole(self) -> bool:
        """Whether it says of which object something is demanded, and what."""
        return any(
            slot.aspect in _SELF_BORNE or (slot.target and (slot.values or slot.aspect in FEATURES))
            for slot in self.slots
        )

    @property
    def named(self) -> str:
        """The subject in a few words, for the entry."""
        if not self.slots:
            return ""
        first = self.slots[0]
        return " ".join([*sorted(first.target), first.aspect])[:200]


def subject_of(text: str, cues: Cues | None = None) -> Subject:
    """What the rule *text* is about."""
    return _subject_of(text, (cues or table("en")).language)


@functools.lru_cache(maxsize=8192)
def _subject_of(text: str, language: str) -> Subject:
    cues = table(language)
    core = before_reason(text, cues)
    literal = values_in(core)
    plain = _TOKEN.sub(" ", core)
    spans, negative = _banned_spans(core, cues)
    said = _undictated(core, cues)
    wanted = core
    for start, end in spans:
        wanted = wanted[:start] + " " * (end - start) + wanted[end:]
    chosen, aims = _choice(wanted, said, cues)
    return Subject(
        slots=_slots(core, cues, literal),
        values=frozenset((*literal, *commands_in(core), *_proper_names(plain, language))),
        wants=frozenset(_content("".join(map(_kept, wanted, said)))),
        bans=frozenset(word for start, end in spans for word in _content(said[start:end])),
        concepts=cues.things(_without(plain, cues, "here")),  # where a rule holds is not what it is about
        negative=negative,
        language=cues.language,
        chosen=chosen,
        aims=aims,
    )


def _kept(wanted: str, said: str) -> str:
    return wanted if wanted == said else " "


def _undictated(core: str, cues: Cues) -> str:
    """*core* with the words of dictation blanked out, which no rule is about; positions stay."""
    said = _without(core, cues, *_DICTATION)
    if cues.language == DEFAULT or not cues.spaced:
        return said
    return _WORD.sub(lambda word: " " * len(word[0]) if word[0].lower() in cues.common else word[0], said)


def _choice(wanted: str, said: str, cues: Cues) -> tuple[frozenset[str], frozenset[str]]:
    """What *wanted* says is to be used, and what for: what a later rule may put something else in place of.

    *said* has the words that count, at the same places. Where the verb comes last, what it is for and
    what to use stand before it, in this order.
    """
    aims = cues.named(wanted, "aim")
    for hit in cues.named(wanted, "choose"):
        if cues.verb_last:
            begin = max((match.end() for match in _CLAUSE.finditer(wanted, 0, hit.start)), default=0)
            aim = max((each.end for each in aims if each.end <= hit.start), default=begin)
            thing, purpose = said[max(aim, begin) : hit.start], said[begin:aim]
        else:
            stop = _STOP.search(wanted, hit.end)
            after = stop.start() if stop else len(wanted)
            aim, purpose_at = next(
                ((each.start, each.end) for each in aims if hit.end < each.start < after), (after, after)
            )
            thing, purpose = said[hit.end : aim], said[purpose_at:after]
        words = frozenset(_content(thing))
        if 0 < len(words) <= _LONGEST_CHOICE:
            return words, frozenset(_content(purpose))
    return frozenset(), frozenset()


def _without(text: str, cues: Cues, *names: str) -> str:
    """*text* with the phrases of the groups *names* blanked out."""
    for hit in cues.named(text, *names):
        text = text[: hit.start] + " " * (hit.end - hit.start) + text[hit.end :]
    return text


def _proper_names(text: str, language: str) -> list[str]:
    """Capitalised words inside sentences (products, languages); German capitalises every noun."""
    return [] if language == "de" else _PROPER.findall(text)


def _content(text: str) -> list[str]:
    return [*stems(_TOKEN.sub(" ", text)), *values_in(text), *commands_in(text)]


def banned(text: str, cues: Cues) -> list[str]:
    """The stretches of *text* that say what not to do."""
    return [text[start:end] for start, end in _banned_spans(text, cues)[0]]


def _banned_spans(text: str, cues: Cues) -> tuple[list[tuple[int, int]], bool]:
    """Where *text* says what not to do, and whether the whole rule forbids.

    "Use this, never that" only forbids the alternative. Where the verb comes last, what is
    forbidden stands before the negation.
    """
    excused = [
        (hit.start, hit.end) for hit in cues.named(text, "mind", "courtesy", "ask", "entrust", "noted")
    ]
    contrasts = {hit.start for hit in cues.named(text, "contrast")}
    body_at = cues.body_at(text)
    plain = _without(text, cues, "protest", "reminder", "standing", "onward", "lead", "never")
    spans = [match.span(1) for match in _NOT_THAT.finditer(text)]
    negative = False
    reached = 0
    for hit in sorted(cues.named(text, "never", "ban", "forbid"), key=lambda hit: (hit.start, -hit.end)):
        if hit.start < max(reached, body_at) or any(start <= hit.start < end for start, end in excused):
            continue
        clause = max((match.end() for match in _CLAUSE.finditer(text, 0, hit.start)), default=0)
        stop = _STOP.search(text, _FIRST_WORD.match(text, hit.end).end())  # type: ignore[union-attr]
        after = stop.start() if stop else len(text)
        spans.append(_forbidden(text, clause, (hit.start, hit.end), after, verb_last=cues.verb_last))
        alternative = hit.start in contrasts or text[: hit.start].rstrip().endswith(PAUSES) or cues.verb_last
        before = plain[body_at : clause if cues.verb_last else hit.start]
        negative = negative or not (alternative and sum(map(len, _content(before))) >= _SHORTEST_WISH)
        reached = hit.end if cues.verb_last else after
    return spans, negative


def _forbidden(
    text: str, clause: int, hit: tuple[int, int], after: int, *, verb_last: bool
) -> tuple[int, int]:
    """What a negation at *hit* forbids: what follows, what stands before it, or what it encloses (ne … plus)."""
    if not verb_last and text[hit[1] : after].strip(" .!"):
        return hit[1], after
    return (clause, hit[0]) if text[clause : hit[0]].strip(" .!") else hit


def before_reason(text: str, cues: Cues) -> str:
    """*text* up to where it begins to say why."""
    found = next((hit for hit in cues.named(text, "reason") if hit.start >= _SHORTEST_RULE), None)
    return text[: found.start] if found else text


def values_in(text: str) -> list[str]:
    """Quoted words, identifiers, decorators, numbers, colours: what a rule gives literally, in order."""
    found = [next(group for group in match.groups() if group) for match in _TOKEN.finditer(text)]
    return [value.strip().strip(".,;:") for value in found if value.strip()]


def stems(text: str) -> list[str]:
    """Content words of *text*, stemmed, without the words of dictation."""
    return [term for term in terms(text) if term not in FRAME]


def _slots(core: str, cues: Cues, values: list[str]) -> tuple[Slot, ...]:
    plain = _TOKEN.sub(lambda match: " " * len(match.group()), core)
    aspects = cues.aspects(plain)
    concepts = cues.things(plain)
    slots: list[Slot] = []
    targets = _targets(plain, cues)
    features = [feature for feature in FEATURES if feature in concepts]
    if any(value.startswith("@") for value in values) and "decorator" not in features:
        features.insert(0, "decorator")
    if "name" in concepts or (aspects & {"prefix", "suffix", "case"} and not features):
        slots += _naming(core, plain, cues, targets, values)
    if not slots:
        for feature in features:
            bearers = _compounds(plain, cues) or [frozenset[str]()]
            slots += [Slot(feature, bearer, _literals(feature, values, core)) for bearer in bearers]
            break
    return tuple(slots)


def _literals(feature: str, values: list[str], core: str) -> frozenset[str]:
    """The values that say which decorator or import is meant."""
    if feature not in ("decorator", "import"):
        return frozenset()
    marked = [value for value in values if value.startswith("@")]
    if feature == "import" and not values:
        after = _IMPORTED.search(core)
        marked = [after.group(1)] if after else []
    return frozenset(value.lstrip("@").lower() for value in marked or values[:1])


def _naming(
    core: str, plain: str, cues: Cues, targets: list[frozenset[str]], values: list[str]
) -> list[Slot]:
    anchor = core.find(values[0]) if values else len(core)
    said = [
        (hit.start <= anchor, -abs(anchor - hit.start), hit)
        for hit in cues.hits(plain)
        if hit.name in (":prefix", ":suffix", ":contain")
    ]
    said = [each for each in said if each[2].name != ":contain"] or said
    case, digit = cues.named(core, ":case"), cues.named(plain, ":digit")
    placed = bool(said and values and said[0][2].name != ":contain")
    if case and not placed:
        aspect, given = "case", re.sub(r"[\s_-]", "", core[case[0].start : case[0].end].lower())
    elif digit and not values:
        aspect, given = "digit", "digit"
    elif said and values:
        aspect, given = max(said, key=lambda each: each[:2])[2].name[1:], values[0].lower()
    else:
        return []
    return [Slot(aspect, _usual(target), frozenset((given,))) for target in (targets or [frozenset[str]()])]


def _usual(target: frozenset[str]) -> frozenset[str]:
    """*target* as it is mostly called: an argument is a function's, and no variable of its own."""
    if "argument" not in target:
        return target
    return (target - {"variable"}) | (set() if target & {"function", "method", "class"} else {"function"})


def _compounds(plain: str, cues: Cues) -> list[frozenset[str]]:
    """Every compound of objects that can bear a feature."""
    found: list[set[str]] = []
    edge = -1
    for (start, end), concept in _concept_tokens(plain, cues):
        if concept not in _BEARERS:
            continue
        if edge < 0 or plain[edge:start].strip():
            found.append({concept})
        else:
            found[-1].add(concept)
        edge = end
    return list(dict.fromkeys(frozenset(compound) for compound in found))


def _targets(plain: str, cues: Cues) -> list[frozenset[str]]:
    """The objects a rule is about: the compound before *name*, else the first compound of objects."""
    marks = _concept_tokens(plain, cues)
    names = [number for number, (_, concept) in enumerate(marks) if concept == "name"]
    for hit in cues.named(plain, "naming"):
        following = [mark for mark in marks if mark[0][0] >= hit.end and mark[1] in OBJECTS]
        if following and following[0][0][0] - hit.end <= _NEAR:
            return _compound(plain, following, following[0][0], backwards=False)
    for number in names:
        before = _compound(plain, marks[:number][::-1], marks[number][0], backwards=True)
        if before:
            return _with_owner(plain, marks, number, before)
    for number in names:
        after = _compound(plain, marks[number + 1 :], marks[number][0], backwards=False)
        if after:
            return after
    objects = [mark for mark in marks if mark[1] in OBJECTS]
    return _compound(plain, objects, objects[0][0], backwards=False) if objects else []


def _with_owner(
    plain: str, marks: list[tuple[tuple[int, int], str]], number: int, targets: list[frozenset[str]]
) -> list[frozenset[str]]:
    """*targets* with the object they belong to: argument names *of functions*."""
    rest = marks[number + 1 : number + 2]
    if rest and rest[0][1] in OBJECTS and _OF.fullmatch(plain[marks[number][0][1] : rest[0][0][0]]):
        return [target | {rest[0][1]} for target in targets]
    return targets


def _concept_tokens(plain: str, cues: Cues) -> list[tuple[tuple[int, int], str]]:
    found = [
        ((hit.start, hit.end), hit.name[1:])
        for hit in cues.hits(plain)
        if hit.name[0] == "=" and (hit.name[1:] in OBJECTS or hit.name == "=name")
    ]
    return sorted(found)


_JOINT = re.compile(r"[\s,/]*(?:\b(?:and|or|und|et|y|e|en|i|и|та|ve|و|agus)\b[\s,]*(?:your|all|the)?[\s]*)?")
_AND = re.compile(r"[,/]|\b(?:and|or|und|oder|et|ou|y|o|e|en|of|i|и|или|та|ve|و|agus)\b")


def _compound(
    plain: str, marks: Iterable[tuple[tuple[int, int], str]], anchor: tuple[int, int], *, backwards: bool
) -> list[frozenset[str]]:
    """Objects that stand together next to *anchor*; joined by *and* they are several targets."""
    targets: list[set[str]] = []
    edge = anchor
    for span, concept in marks:
        between = plain[span[1] : edge[0]] if backwards else plain[edge[1] : span[0]]
        if span == edge:
            between = ""
        first = not targets
        if concept not in OBJECTS or (
            len(between) > 40 if first and not backwards else not _JOINT.fullmatch(between)
        ):
            if first and not backwards and concept in OBJECTS:
                continue
            break
        if first or _AND.search(between):
            targets.append({concept})
        else:
            targets[-1].add(concept)
        edge = span
    return [frozenset(target) for target in targets]
