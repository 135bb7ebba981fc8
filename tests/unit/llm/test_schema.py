"""The schema a model is shown: the type it stands for, each thing said once."""

import json

from ultan.library.actions import Create
from ultan.llm import schema_of
from ultan.staff.proposals import Proposal, Ruling


def references(value):
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_every_reference_leads_somewhere_and_every_verb_is_there():
    schema = schema_of(Proposal)
    assert schema["type"] == "object"
    assert {name.removeprefix("#/$defs/") for name in references(schema)} <= set(schema["$defs"])
    verbs = [shape["properties"]["verb"]["const"] for shape in schema["$defs"].values() if "verb" in shape.get("properties", {})]
    assert len(verbs) == len(set(verbs)) == 12
    assert "abstract" in verbs


def test_a_field_keeps_what_it_is_when_it_is_said_in_one_place():
    schema = schema_of(Proposal)
    fields = schema["$defs"]["Create"]["properties"]
    assert set(fields) == set(Create.model_fields)
    assert schema["$defs"][fields["evidence"]["$ref"].removeprefix("#/$defs/")] == {"items": {"$ref": "#/$defs/Cite"}, "type": "array"}
    assert schema["$defs"][fields["tags"]["$ref"].removeprefix("#/$defs/")] == {"items": {"type": "string"}, "type": "array"}
    assert fields["pinned"] == {"type": "boolean"}
    assert {"verb", "title", "rule"} <= set(schema["$defs"]["Create"]["required"])


def test_a_small_type_has_no_needless_places():
    assert set(schema_of(Ruling)["$defs"]) == {"Verdict"}
    assert len(json.dumps(schema_of(Proposal))) < 9000
