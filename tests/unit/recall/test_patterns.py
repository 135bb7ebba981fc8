"""The engine alone answers as the public package does."""

import subprocess
import sys

import pytest
import re2

from ultan.recall import patterns

PATTERNS = [r"\bpip3? install\b", r"a*", r"(a+)+$", r"é+|漢字", r"", r"^x|y$", r"(?i)FORCE", r"\s--no-verify\b", "😀."]
TEXTS = ["", "pip install x; pip3 install y", "aaa baa", "é déjà 漢字 été", "x\ny", "git push --FORCE --no-verify", "a😀b😀", "\ud83d pip install"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_places_are_those_of_the_public_package(pattern):
    ours, theirs = patterns.compiled(pattern), re2.compile(pattern)
    for text in TEXTS:
        clean = text.encode("utf-8", "replace").decode()
        assert list(ours.spans(text)) == [match.span() for match in theirs.finditer(clean)]
        assert ours.search(text) == (theirs.search(clean) is not None)
        for start in range(len(clean) + 1):
            assert ours.match(text, start) == (theirs.match(clean, start) is not None)


@pytest.mark.parametrize("pattern", [r"(?!x)y", r"(a)\1", r"a{5000}", "(", "x" * 5000])
def test_a_pattern_that_re2_cannot_read_is_none_and_prints_nothing(pattern, capfd):
    assert patterns.compiled(pattern) is None
    assert capfd.readouterr() == ("", "")


def test_a_catastrophic_pattern_is_linear():
    assert not patterns.compiled(r"(a+)+$").search("a" * 200_000 + "!")


def test_the_engine_comes_without_the_package_and_the_package_still_loads_after_it():
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from ultan.recall import patterns\n"
        "assert patterns.compiled('a+').search('caat')\n"
        "assert 're2' not in sys.modules and 'functools' not in sys.modules, sorted(sys.modules)\n"
        "import re2\n"
        "assert re2.compile('a+').search('caat').span() == (1, 3)\n"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code, *sys.path], check=True, timeout=60)
