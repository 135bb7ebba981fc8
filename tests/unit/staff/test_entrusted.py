"""What a person asks to be remembered, in so many words, is remembered."""

import pytest

from ultan.events import Piece, Transcript
from ultan.library.snapshot import read_library
from ultan.library.store import MemoryStore
from ultan.staff import clerk


def suggested(text):
    transcript = Transcript("s", "shop", [Piece("p", "user", text, "", 0)])
    return clerk.propose(transcript, read_library(MemoryStore())).suggestions


@pytest.mark.parametrize(
    "text",
    [
        "Remember: every commit message starts with the ticket number.",
        "remember that we deploy on Tuesdays only",
        "Please remember: the staging database is read-only.",
        "Keep in mind that the API is rate limited to 10 calls a minute.",
        "For future reference, the fixtures live in tests/data.",
    ],
)
def test_an_outright_request_is_kept(text):
    (one,) = suggested(text)
    assert one.action.verb == "create"
    assert one.action.evidence[0].quote in text


@pytest.mark.parametrize(
    "text", ["do you remember that bug from yesterday?", "I can't remember where the config is", "remember me?"]
)
def test_talk_of_remembering_is_no_request(text):
    assert not suggested(text)
