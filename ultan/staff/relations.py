"""How two rules stand to each other: they are one, the later corrects the earlier, or neither."""

from ultan.recall.text import terms
from ultan.staff.commands import rival
from ultan.staff.subjects import Slot, Subject

_SAME, _OPPOSITE, _OTHER_VALUE = (
    0.55,
    0.6,
    0.7,
)  # likeness from which two rules are one, deny or replace each other
_LOOSE = 0.4  # likeness that two rules about the same kind of thing need to be one


def same(one: Subject, other: Subject) -> bool:
    """Whether both rules demand the same."""
    if _word_for_word(one, other):
        return True
    if one.negative != other.negative or _crossed(one, other) or _chooses_otherwise(one, other):
        return False
    if one.slots or other.slots:
        mine = {(slot.aspect, slot.target, slot.values) for slot in one.slots}
        theirs = {(slot.aspect, slot.target, slot.values) for slot in other.slots}
        if not mine or not mine <= theirs:
            return False
        return all(slot.values or slot.target for slot in one.slots) or likeness(one, other) >= _LOOSE
    if one.bans and other.bans and _share(one.bans, other.bans) < _LOOSE and one.language == other.language:
        return False
    return _literal_match(one, other) and likeness(one, other) >= _SAME and not _part_company(one, other)


def replaces(new: Subject, old: Subject, *, amends: bool = False) -> bool:
    """Whether *new* cannot hold beside *old*: one place, two values; or one demand, said and denied.

    *amends*: it was said in words that change something ("actually", "from now on", "instead").
    """
    if _word_for_word(new, old):
        return False
    if new.slots or old.slots:
        return any(_displaces(mine, theirs, new, old) for mine in new.slots for theirs in old.slots)
    if _crossed(new, old) or _takes_place(new, old, amends=amends):
        return True
    if new.negative != old.negative:
        return _literal_match(new, old) and likeness(new, old) >= _OPPOSITE
    if new.negative or not (new.values and old.values) or new.values & old.values:
        return False
    return _words_alike(new, old) >= _OTHER_VALUE


def _word_for_word(one: Subject, other: Subject) -> bool:
    """Whether both want the same words and forbid the same words: "this and never that", "this, not that"."""
    alike = one.wants == other.wants and one.bans == other.bans and one.values == other.values
    return bool(one.wants and one.bans) and alike


def _displaces(mine: Slot, theirs: Slot, new: Subject, old: Subject) -> bool:
    """Whether the slot *mine* of *new* takes the place of the slot *theirs* of *old*."""
    if mine.aspect != theirs.aspect or mine.target != theirs.target:
        return False
    if mine.values == theirs.values:
        named = bool(mine.values or mine.target) or likeness(new, old) >= _LOOSE  # "a comment" alone names none
        return named and new.negative != old.negative
    return mine.exclusive and not new.negative


def _chooses_otherwise(one: Subject, other: Subject) -> bool:
    """Whether both say what to use, and not the same."""
    mine, theirs = one.chosen - other.aims, other.chosen - one.aims
    return bool(mine and theirs) and not (mine <= other.words or theirs <= one.words)


def _takes_place(new: Subject, old: Subject, *, amends: bool) -> bool:
    """Whether *new* gives something else for the same work: another tool of the kind, or in words that amend.

    A rule for a narrower work ("for linting", "in tests") takes nobody's place.
    """
    if new.negative or old.negative:
        return False
    if old.chosen and old.chosen <= new.bans and old.aims and old.aims <= new.aims:
        return True  # "spaces for indentation, not tabs" after "tabs for indentation"
    if not _chooses_otherwise(new, old):
        return False
    if new.language != old.language:
        return rival(new.chosen, old.chosen) and new.concepts <= old.concepts
    if not new.words - new.chosen <= old.words:
        return False
    named = bool(old.aims or new.aims) and old.aims <= new.words
    return rival(new.chosen, old.chosen) or (amends and named)


def _part_company(one: Subject, other: Subject) -> bool:
    """Whether each rule is about something that the other never mentions."""
    if one.language != other.language or one.concepts == other.concepts:
        return False
    return not (one.words <= other.words or other.words <= one.words)


def _crossed(new: Subject, old: Subject) -> bool:
    """Whether *new* forbids what *old* wants, or wants literally what it forbids."""
    wanted, denied = new.bans & old.wants, new.wants & old.bans
    opposed = 2 * len(wanted) >= len(new.bans) and 2 * len(denied) >= len(old.bans)  # not by a word in passing
    return bool(wanted and denied and opposed) or bool((wanted | denied) & new.values & old.values)


def likeness(one: Subject, other: Subject) -> float:
    """How much of the shorter rule the other repeats, in [0, 1]; literal values count double."""
    if one.language != other.language:
        return _across(one, other)
    return _words_alike(one, other) if not (one.values and other.values) else (
        0.5 * _words_alike(one, other) + 0.5 * _share(one.values, other.values)
    )  # fmt: skip


def _across(one: Subject, other: Subject) -> float:
    things = _share(one.concepts, other.concepts)
    if not (one.values or other.values):
        return 0.6 * things if len(one.concepts) > 1 else 0.0
    literal = _share(one.values, other.values)
    return 0.5 * things + 0.5 * literal if one.concepts or other.concepts else literal


def _words_alike(one: Subject, other: Subject) -> float:
    literal = {word for value in one.values | other.values for word in (value.lower(), *terms(value))}
    small, large = sorted((one.words - literal, other.words - literal), key=len)
    if not small:
        return float(bool(one.values) and one.values == other.values)
    shared = len(small & large)
    return 0.5 * shared / len(small) + 0.5 * shared / len(small | large)


def _literal_match(one: Subject, other: Subject) -> bool:
    return not (one.values and other.values) or bool(one.values & other.values)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
