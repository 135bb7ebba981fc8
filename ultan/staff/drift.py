"""Drift: what a model is asked about strong entries that go unused or ignored.

An entry that keeps its strength but finds no use is worded too widely, too narrowly, or is
no longer true. Whoever says it anew must rest on the person's own words, and the only ones
still at hand are those the entry cites; they are the pieces here. What cites nothing is for
the person alone (Lee, Nader & Schiller 2017: strong traces are revised, not pruned).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ultan.events import PERSON, Piece, Transcript
from ultan.library.actions import Update
from ultan.library.entry import Entry
from ultan.library.snapshot import Library
from ultan.llm import Errand, LanguageModel
from ultan.staff import librarian
from ultan.staff.boundary import grounded
from ultan.staff.librarian import Suggested
from ultan.staff.packet import entry_block, nonce, packets
from ultan.staff.proposals import Proposal
from ultan.staff.tools import Nearest

SHOWN_CHARS = 1500
ELSE = "If it says rightly what they say, propose nothing."


def citable(entry: Entry) -> list[Piece]:
    """The person's words that *entry* cites, as pieces; empty where it cites none."""
    return [
        Piece(each.turn, each.origin, each.quote, turn=place)
        for place, each in enumerate(entry.evidence)
        if each.turn and each.quote and each.origin in PERSON and not each.quote.endswith("…")
    ]


def propose(
    model: LanguageModel, entry: Entry, why: str, library: Library, *, nearest: Nearest, name: str
) -> list[Suggested]:
    """What the librarian would change about *entry*, grounded in its own evidence; often nothing.

    Raises:
        LanguageModelError: no answer could be had.
    """
    transcript = Transcript(f"drift-{entry.slug}"[:60], entry.project, citable(entry))
    found: list[Suggested] = []
    for packet in packets(transcript):
        errand = librarian.errand(packet, transcript, library, nearest=nearest, name=name)
        reply = model.ask(replace(errand, question=question(entry, why, errand), check=_only_about(entry, errand)))
        found += [
            Suggested(item.model_copy(update={"action": grounded(item.action, packet.names)}), packet)
            for item in reply.value.suggestions
        ]
    return found


def question(entry: Entry, why: str, errand: Errand[Proposal]) -> str:
    """The librarian's ordinary question about the words *entry* cites, with what is known of its use before it."""
    mark = nonce()
    known = f"shown {entry.fired} times, ignored {entry.ignored}, helped {entry.fired_helpful}"
    parts = [
        f"No new session: one entry drifts ({why}; {known}). The pieces below are the words it rests on.",
        entry_block(entry, mark, chars=SHOWN_CHARS),
        f"If those words carry a more exact rule or better cues, propose one `update` of {entry.id}. {ELSE}",
        errand.question,
    ]
    return "\n\n".join(parts)


def _only_about(entry: Entry, errand: Errand[Proposal]) -> Callable[[Proposal], Sequence[str]]:
    def check(proposal: Proposal) -> Sequence[str]:
        strays = [
            f"suggestions.{place}.action: only an update of {entry.id!r} is asked for"
            for place, item in enumerate(proposal.suggestions)
            if not isinstance(item.action, Update) or item.action.entry != entry.id
        ]
        return strays or errand.check(proposal)

    return check
