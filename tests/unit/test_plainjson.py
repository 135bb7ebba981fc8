"""The C scanner behind one module gives what the json package gives, and refuses the rest."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultan import plainjson

SCALARS = st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES)
def test_what_is_written_reads_back_equal_here_and_in_the_json_package(value):
    text = plainjson.dumps(value)
    assert json.loads(text) == plainjson.loads(text) == json.loads(json.dumps(value))


@given(VALUES)
def test_what_the_json_package_writes_reads_equal(value):
    assert plainjson.loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "{",
        "{}{}",
        "[1,]",
        "nope",
        '{"a": }',
        "[" * 100_000,
        '{"a":' * 50_000,
        "1" * 5000,
        '"open',
        "\x00",
        "{'a': 1}",
    ],
)
def test_anything_but_one_value_is_refused_as_not_json(text):
    with pytest.raises(plainjson.NotJson):
        plainjson.loads(text)


def test_a_lone_surrogate_is_replaced_and_a_pair_is_kept():
    value = plainjson.loads('{"k\\ud83d": ["a\\ud83d b", "\\ud83d\\ude00"]}')
    assert value == {"k\ufffd": ["a\ufffd b", "😀"]}
    plainjson.dumps(value).encode("utf-8")


def test_nan_and_infinity_become_unknown():
    assert plainjson.loads("[NaN, Infinity, -Infinity]") == [None, None, None]
    assert plainjson.dumps([float("nan"), float("inf")]) == "[null, null]"


def test_a_byte_order_mark_and_nul_in_a_string_are_read():
    assert plainjson.loads('\ufeff{"a": "x\\u0000y"}') == {"a": "x\0y"}
