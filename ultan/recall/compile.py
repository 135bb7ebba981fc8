"""Library → a new index generation, then one rename.

What a hook would otherwise compute is computed before: the weights of every term in every entry
(BM25F; equal to ``rank-bm25``'s where there is one field, see ``tests/property/test_bm25.py``),
near terms from an encoder, cards, the literals that triggers need, the order of standing rules.

What an entry becomes on its own is a leaf (``leaves``), kept from one compile to the next; what depends
on all of them is computed from whole arrays (``draft``), so that a compile after one change gives byte for
byte what a compile from nothing gives (``tests/property/test_incremental.py``).
"""

import gc
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ultan import home
from ultan.encoders import load as load_encoder
from ultan.errors import IndexUnreadable
from ultan.library import memo
from ultan.library.faded import faded_entries
from ultan.recall import columns
from ultan.recall import index as layout
from ultan.recall.draft import Draft
from ultan.recall.index import Index

if TYPE_CHECKING:
    from ultan.encoders import Encoder
    from ultan.library.entry import Entry
    from ultan.library.snapshot import Library
    from ultan.settings import Settings

MOST_FADED = 2000  # entries, those put away last: a compile must not grow with all that ever faded
ATTUNED_FROM = 12  # entries; before that half a minute of work for near terms finds nothing that words do not


@dataclass(frozen=True, slots=True)
class Generation:
    """What a compile made: where it lies, how large it is, and what it could not use."""

    path: str
    entries: int
    terms: int
    triggers: int
    size_bytes: int
    fingerprint: str
    encoder: str
    switched_off: tuple[tuple[str, str], ...]  # (entry id, why its trigger cannot be used)


def compile(  # noqa: A001 -- the word of the glossary
    library: "Library",
    root: str,
    settings: "Settings",
    encoder: "Encoder | None" = None,
    now: float = 0.0,
    progress: Callable[[str, int, int], None] | None = None,
) -> Generation:
    """The index generation made from *library* and published under the home *root*.

    Without an encoder the near terms of the generation before are carried over: a save must not
    wait for a model. ``attune`` brings them up to date in the background.
    """
    foreign = set(library.foreign)
    entries = list(library.entries.values())
    if foreign:
        entries = [entry for entry in entries if entry.path not in foreign and entry.id not in foreign] + list(library.standing)
    with _without_collector():
        _compile_faded(library, root, settings, encoder, now)
        is_large = len(entries) >= columns.KEPT_FROM
        draft = Draft(
            entries, progress, library.digests if is_large else {}, columns.kept(root) if is_large else None
        )
        if encoder is not None:
            draft.add_near_terms(encoder, os.path.join(root, "index"))
        else:
            draft.carry_over(root)
        raw = draft.encoded(settings.baked(), library.fingerprint, now)
    path = layout.path_of(root)
    home.make_folder(os.path.dirname(path))
    home.write(path, raw)
    if is_large and draft.made > columns.SPARE:
        columns.keep(root, draft.columns)
    memo.keep(root, library)
    return Generation(
        path, len(entries), draft.term_count, draft.trigger_count, len(raw), library.fingerprint,
        draft.encoder, tuple(draft.switched_off),
    )  # fmt: skip


def _compile_faded(
    library: "Library", root: str, settings: "Settings", encoder: "Encoder | None", now: float
) -> None:
    """Publish the index of what faded, which is looked at where nothing live fits; none where nothing did.

    Made before the live one, whose last generation still has the near terms of what faded since.
    """
    path = layout.path_of(root, layout.FADED)
    away = sorted((entry for entry in library.archived.values() if entry.faded), key=lambda entry: (entry.archived, entry.id))[-MOST_FADED:]
    if not away:
        home.remove(path)
        return
    fingerprint = _named(library, away)
    try:
        before = layout.open_index(root, name=layout.FADED)
        if before.fingerprint == fingerprint and (encoder is None or (before.encoder == encoder.name and before.meta.get("attuned"))):
            return
    except IndexUnreadable:
        pass
    draft = Draft(faded_entries(library, among=away))
    if encoder is not None:
        draft.add_near_terms(encoder, os.path.join(root, "index"))
    else:
        draft.carry_over(root, (layout.FADED, layout.LIVE))
    raw = draft.encoded(settings.baked(), fingerprint, now)
    home.make_folder(os.path.dirname(path))
    home.write(path, raw)


def _named(library: "Library", away: "Sequence[Entry]") -> str:
    """A name for *away* and for what else decides which of it may be shown again."""
    parts = [f"{library.digests.get(entry.path, entry.raw)}{entry.id in library.entries:d}{entry.path in library.foreign:d}" for entry in away]
    raw = "".join((*parts, *(stone.rule for stone in library.tombstones))).encode("utf-8", "replace")
    return f"{len(away)}-{zlib.crc32(raw):08x}{zlib.adler32(raw):08x}"


@contextmanager
def _without_collector() -> Iterator[None]:
    """No search for cycles meanwhile: a hundred thousand small objects are made, and none of them in a ring."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def attune(
    read: "Callable[[], Library]", root: str, settings: "Settings", now: float,
    progress: Callable[[str, int, int], None] | None = None,
) -> Generation | None:  # fmt: skip
    """A generation whose near terms are all of today's encoder; ``None`` if there is nothing to gain.

    Nothing is to gain where the index is already so, or the library smaller than ``ATTUNED_FROM``.

    Meant for the background: words are embedded first, which may take a minute on a fresh machine,
    then the library is read again, so that nothing saved meanwhile is lost.

    Raises:
        ModelUnavailable: the encoder or its weights are not here; the index stays as it is.
    """
    from ultan.recall.near import embed_words  # noqa: PLC0415 -- an encoder's, not needed by a save

    encoder = load_encoder(settings)
    library = read()
    if len(library.entries) < ATTUNED_FROM or is_attuned(root, encoder.name, library.fingerprint):
        return None
    embed_words(library.entries.values(), encoder, os.path.join(root, "index"), progress)
    library = read()
    made = compile(library, root, settings, encoder, now, progress)
    latest = read()
    return made if latest.fingerprint == library.fingerprint else compile(latest, root, settings, None, now)


def is_attuned(root: str, encoder: str, fingerprint: str) -> bool:
    """Whether the index under *root* is whole, of this library, and its near terms of this encoder."""
    try:
        index = layout.open_index(root, encoder)
    except IndexUnreadable:
        return False
    return index.fingerprint == fingerprint and bool(index.meta.get("attuned"))


def build_from_entries(
    entries: Iterable["Entry"], settings: "Settings", encoder: "Encoder | None" = None, cache: str = ""
) -> Index:
    """An index of *entries* in memory, made by the same steps; for benches and dry runs."""
    draft = Draft(list(entries))
    if encoder is not None:
        draft.add_near_terms(encoder, cache)
    return Index(draft.encoded(settings.baked(), "", 0.0))
