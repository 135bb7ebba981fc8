"""What is held waits for a person."""




def test_in_ask_mode_everything_waits(desk, create):
    receipt = desk.scholar(create(cite=("u", "always use uv")), said=desk.SAID, mode="ask")
    assert not receipt.applied
    assert receipt.pending[0].number == 1
    assert desk.library.entries == {}
    assert desk.scholar(create(cite=("u", "always use uv")), said=desk.SAID, mode="ask").refused[0].reason == "it waits for review already"
