"""What must not be written is not."""




def test_credentials_and_invisible_characters_do_not_get_in(desk, create):
    receipt = desk.person(create(rule="The token is ghp_" + "aB3dE5gH7jK9" * 3 + ".\u202e\U000e0041 Keep it.", why="x\x1b]52;c"))
    text = desk.text("global/always-use-uv.md")
    assert "ghp_a" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "1 credential left out" in receipt.notes
