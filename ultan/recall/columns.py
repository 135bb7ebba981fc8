"""The leaves of all entries side by side, each part of them in one column.

Columns are kept beside the index and spliced: a compile makes the leaves of what changed, takes long
runs of all others as they are, and so never touches an unchanged entry on its own. The kept file is
disposable: torn, of other rules, or of another format, it is as good as missing.
"""

import functools
import marshal
import os
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ultan import home
from ultan.library import memo
from ultan.recall.arrays import distinct, edges, places
from ultan.recall.index import term_key
from ultan.recall.leaves import Leaf, leaf_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ultan.library.entry import Entry

KEPT_FROM = 300  # entries; a smaller library is compiled anew before a kept file is read
STRETCH = 256  # entries compared at once
SPARE = 48  # changed leaves after which the kept file is written anew; until then they are made again each time


class Columns(NamedTuple):
    """Leaves by column, entry after entry; ``many_…`` says how many items of a column belong to one owner.

    Attributes:
        ids: of the entries; ``digests`` of their files.
        names: u64 keys of the ids; ``flags`` u16; ``priors`` f64; ``standing`` as in ``Leaf``.
        lexicon: u64 keys of all terms, sorted, each once.
        terms: u32 places in the lexicon, ``many_terms`` (u32) an entry; ``fields`` u8 and ``counts`` u16 beside them.
        keys: u64, ``many_keys`` an entry. ``cards``: bytes, ``many_card`` an entry.
        rests: bytes, ``many_rest`` a trigger, of which an entry has ``many_triggers``.
        grams: u32, ``many_grams`` a literal, of which a trigger has ``many_literals``.
        links, superseded, off: entry id → value, where there is one; ``situations`` ids.
    """

    ids: list[str]
    digests: list[str]
    names: bytes
    flags: bytes
    priors: bytes
    standing: list[bytes]
    many_terms: bytes
    terms: bytes
    fields: bytes
    counts: bytes
    many_keys: bytes
    keys: bytes
    many_card: bytes
    cards: bytes
    many_triggers: bytes
    many_rest: bytes
    rests: bytes
    many_literals: bytes
    many_grams: bytes
    grams: bytes
    links: dict[str, tuple[str, ...]]
    superseded: dict[str, str]
    off: dict[str, tuple[str, ...]]
    situations: dict[str, bool]
    lexicon: bytes


def laid_out(ids: Sequence[str], leaves: Sequence[Leaf]) -> Columns:
    """The columns of *leaves*, which belong to the entries *ids*."""
    triggers = [trigger for leaf in leaves for trigger in leaf.triggers]
    literals = [literal for _, needed in triggers for literal in needed]
    named = list(zip(ids, leaves, strict=True))
    keys = np.frombuffer(b"".join([leaf.terms for leaf in leaves]), np.uint64)
    lexicon = distinct(keys)
    return Columns(
        list(ids), [""] * len(ids), array("Q", map(term_key, ids)).tobytes(),
        array("H", [leaf.flags for leaf in leaves]).tobytes(), array("d", [leaf.prior for leaf in leaves]).tobytes(),
        [leaf.standing for leaf in leaves],
        _u32(len(leaf.fields) for leaf in leaves), places(lexicon, keys).astype(np.uint32).tobytes(),
        b"".join([leaf.fields for leaf in leaves]), b"".join([leaf.counts for leaf in leaves]),
        _u32(len(leaf.keys) // 8 for leaf in leaves), b"".join([leaf.keys for leaf in leaves]),
        _u32(len(leaf.card) for leaf in leaves), b"".join([leaf.card for leaf in leaves]),
        _u32(len(leaf.triggers) for leaf in leaves),
        _u32(len(rest) for rest, _ in triggers), b"".join([rest for rest, _ in triggers]),
        _u32(len(needed) for _, needed in triggers), _u32(len(literal) // 4 for literal in literals), b"".join(literals),
        {id_: leaf.links for id_, leaf in named if leaf.links},
        {id_: leaf.superseded_by for id_, leaf in named if leaf.superseded_by},
        {id_: leaf.off for id_, leaf in named if leaf.off},
        {id_: True for id_, leaf in named if leaf.situations},
        lexicon.tobytes(),
    )  # fmt: skip


def columns_of(
    entries: Sequence["Entry"], digests: Mapping[str, str], before: Columns | None, progress: Any = None
) -> tuple[Columns, int]:
    """The columns of *entries*, and how many leaves were made: those that *before* does not hold.

    *digests* are of the files of *entries*, by path; an entry without one is always made anew.
    """
    ids = [entry.id for entry in entries]
    marks = [digests.get(id_ + ".md", "") for id_ in ids]
    runs, fresh = matched(before, ids, marks)
    leaves = []
    for at, place in enumerate(fresh):
        leaves.append(leaf_of(entries[place]))
        if progress and at % 500 == 0:
            progress("reading", at, len(fresh))
    made = laid_out([ids[place] for place in fresh], leaves)
    if len(fresh) == len(entries):
        return made._replace(digests=marks), len(fresh)
    assert before is not None
    return _spliced((before, made), runs, ids, marks), len(fresh)


def matched(before: Columns | None, ids: Sequence[str], marks: Sequence[str]) -> tuple[list[list[int]], list[int]]:
    """Runs of entries (0 from *before* or 1 new, first, after the last) in order, and the places of the new ones.

    What did not change at the beginning and the end, usually nearly all, is told in two steps.
    """
    held = list(zip(before.ids, before.digests, strict=True)) if before is not None else []
    wanted = list(zip(ids, marks, strict=True))
    lead = _alike(held, wanted)
    trail = min(_alike_at_end(held, wanted), len(held) - lead, len(wanted) - lead)
    place = {held[at]: at for at in range(lead, len(held) - trail)}
    fresh: list[int] = []
    runs = [[0, 0, lead]] if lead else []
    for number in range(lead, len(wanted) - trail):
        kept_at = place.get(wanted[number], -1) if wanted[number][1] else -1
        source, at = (0, kept_at) if kept_at >= 0 else (1, len(fresh))
        if source:
            fresh.append(number)
        if runs and runs[-1][0] == source and runs[-1][2] == at:
            runs[-1][2] += 1
        else:
            runs.append([source, at, at + 1])
    if trail:
        runs.append([0, len(held) - trail, len(held)])
    return runs, fresh


def _alike(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> int:
    """How many of the first entries are the same in both, by id and digest; one without a digest is not."""
    same = min(len(one), len(other))
    for start in range(0, same, STRETCH):  # a whole stretch is compared at once where nothing in it changed
        end = min(start + STRETCH, same)
        if one[start:end] != other[start:end] or any(not digest for _, digest in one[start:end]):
            return next((at for at in range(start, end) if one[at] != other[at] or not one[at][1]), end)
    return same


def _alike_at_end(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> int:
    """How many of the last entries are the same in both."""
    return _alike(one[::-1], other[::-1])


def _spliced(sources: tuple[Columns, Columns], runs: Iterable[Sequence[int]], ids: list[str], digests: list[str]) -> Columns:
    """One after another the *runs* of entries, each from one of *sources*."""
    cutters = [_Cutter(source) for source in _of_one_lexicon(*sources)]
    parts = [cutters[source].cut(first, end) for source, first, end in runs]
    whole = [b"".join(pieces) for pieces in zip(*(part[1:] for part in parts), strict=True)]
    standing = list(chain.from_iterable(part[0] for part in parts))
    kept, made = sources
    own, new = set(ids), set(made.ids)

    def together(old: dict[str, Any], latest: dict[str, Any]) -> dict[str, Any]:
        return {id_: value for id_, value in old.items() if id_ in own and id_ not in new} | latest

    names, flags, priors, *rest = whole
    return _without_leftovers(Columns._make((
        ids, digests, names, flags, priors, standing, *rest, together(kept.links, made.links),
        together(kept.superseded, made.superseded), together(kept.off, made.off),
        together(kept.situations, made.situations), cutters[0].columns.lexicon,
    )))  # fmt: skip


def _of_one_lexicon(kept: Columns, made: Columns) -> tuple[Columns, Columns]:
    """Both with their terms as places in a lexicon of all terms of either."""
    own, new = (np.frombuffer(each.lexicon, np.uint64) for each in (kept, made))
    whole = distinct(np.concatenate((own, new)))
    return _told_in(whole, own, kept), _told_in(whole, new, made)


def _told_in(lexicon: "NDArray[np.uint64]", own: "NDArray[np.uint64]", columns: Columns) -> Columns:
    if len(lexicon) == len(own):
        return columns
    place = np.searchsorted(lexicon, own).astype(np.uint32)
    told = place[np.frombuffer(columns.terms, np.uint32)]
    return columns._replace(terms=told.tobytes(), lexicon=lexicon.tobytes())


def _without_leftovers(columns: Columns) -> Columns:
    """*columns* with a lexicon of the terms that are still in use."""
    lexicon, terms = np.frombuffer(columns.lexicon, np.uint64), np.frombuffer(columns.terms, np.uint32)
    used = np.bincount(terms, minlength=len(lexicon)) > 0
    if used.all():
        return columns
    place = np.cumsum(used, dtype=np.uint32) - np.uint32(1)
    return columns._replace(terms=place[terms].astype(np.uint32).tobytes(), lexicon=lexicon[used].tobytes())


class _Cutter:
    """Cuts stretches of entries out of columns."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        # a view of bytes is cut without a copy
        self.views = Columns._make(memoryview(column) if isinstance(column, bytes) else column for column in columns)
        self.terms, self.keys, self.card, self.triggers, self.rest, self.literals, self.grams = (
            edges(column) for column in (
                columns.many_terms, columns.many_keys, columns.many_card, columns.many_triggers, columns.many_rest,
                columns.many_literals, columns.many_grams,
            )
        )  # fmt: skip

    def cut(self, first: int, end: int) -> tuple[Any, ...]:
        """The columns of entries *first* to *end*, in order, ``standing`` first, then from ``names`` to ``grams``."""
        all_of = self.views
        term, term_end = self.terms[first], self.terms[end]
        key, key_end = self.keys[first], self.keys[end]
        trigger, trigger_end = self.triggers[first], self.triggers[end]
        literal, literal_end = self.literals[trigger], self.literals[trigger_end]
        return (
            all_of.standing[first:end], all_of.names[8 * first : 8 * end], all_of.flags[2 * first : 2 * end], all_of.priors[8 * first : 8 * end],
            all_of.many_terms[4 * first : 4 * end], all_of.terms[4 * term : 4 * term_end], all_of.fields[term:term_end],
            all_of.counts[2 * term : 2 * term_end],
            all_of.many_keys[4 * first : 4 * end], all_of.keys[8 * key : 8 * key_end],
            all_of.many_card[4 * first : 4 * end], all_of.cards[self.card[first] : self.card[end]],
            all_of.many_triggers[4 * first : 4 * end],
            all_of.many_rest[4 * trigger : 4 * trigger_end], all_of.rests[self.rest[trigger] : self.rest[trigger_end]],
            all_of.many_literals[4 * trigger : 4 * trigger_end],
            all_of.many_grams[4 * literal : 4 * literal_end],
            all_of.grams[4 * self.grams[literal] : 4 * self.grams[literal_end]],
        )  # fmt: skip


def _u32(sizes: Iterable[int]) -> bytes:
    return array("I", sizes).tobytes()


# --- kept ---------------------------------------------------------------------------------------


def path_of(root: str) -> str:
    """Where the columns of the home *root* are kept."""
    return os.path.join(root, "index", "leaves")


def kept(root: str) -> Columns | None:
    """The columns kept under *root*; ``None`` if they are missing, torn, or of other rules."""
    try:
        raw = home.read(path_of(root))
    except OSError:
        return None
    front = _front()
    body = memoryview(raw)[len(front) + 4 :]
    if not raw.startswith(front) or raw[len(front) : len(front) + 4] != zlib.crc32(body).to_bytes(4, "big"):
        return None
    try:
        return Columns._make(marshal.loads(body))  # noqa: S302 -- our own file, in a folder of the user alone, its checksum right
    except (ValueError, EOFError, TypeError):
        return None


def keep(root: str, columns: Columns) -> None:
    """Keep *columns* for the next compile; not worth a sync, since they can be made again."""
    body = marshal.dumps(tuple(columns))
    home.make_folder(os.path.dirname(path_of(root)))
    home.write(path_of(root), _front() + zlib.crc32(body).to_bytes(4, "big") + body, durable=False)


def forget(root: str) -> None:
    """Drop what is kept, as after a purge: a leaf holds words of its entry."""
    home.remove(path_of(root))


@functools.cache
def _front() -> bytes:
    """The first line of the kept file: a leaf made by other rules than today's is none."""
    return b"ultan leaves 2 %08x\n" % memo.rules("library", "recall")
