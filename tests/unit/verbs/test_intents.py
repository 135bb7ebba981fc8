"""What a curator noted before it wrote."""

import os

from ultan import home
from ultan.verbs.intents import Intent, Intents, drop_intents, keep_intents, kept_intents
from ultan.verbs.reading import Progress


def test_what_was_noted_is_read_again_until_it_is_dropped(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    intents = Intents(items=[Intent(events=["e1"], progress=Progress(session="s1"))])
    keep_intents(root, intents)
    assert kept_intents(root) == intents
    drop_intents(root)
    assert kept_intents(root) == Intents()


def test_a_torn_note_is_none(tmp_path):
    root = home.ensure(str(tmp_path / "home"))
    keep_intents(root, Intents())
    path = os.path.join(root, "runs", "intent.json")
    home.write(path, b'{"items": [{"eve')
    assert kept_intents(root) == Intents()
    assert not os.path.exists(path)
