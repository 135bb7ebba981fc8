"""Entries and indexes for the tests of recall."""

from ultan.library.entry import Entry
from ultan.recall.compile import Draft
from ultan.recall.index import Index
from ultan.settings import Settings


def entry(name: str, **more: object) -> Entry:
    scope = "project:" + name.split("/")[1] if name.startswith("projects/") else "global"
    given = {"title": name, "kind": "convention", "scope": scope, "created": "2026-01-01", "updated": "2026-01-01", "body": name}
    return Entry(id=name, **{**given, **more})  # type: ignore[arg-type]


def index_of(*entries: Entry, **settings: object) -> Index:
    return Index(Draft(list(entries)).encoded(Settings({k.replace("__", "."): v for k, v in settings.items()}).baked(), "", 0.0))


SHOP = [
    entry("projects/shop/prices", title="Prices are integers in cents", body="Never use floats for prices.", applies_when=("price code",)),
    entry("projects/shop/migrations", title="Migrations are reversible", body="Every migration has a down step."),
    entry("projects/bank/prices", title="Prices are decimals", body="Use Decimal for prices."),
    entry("global/tone", title="Answer briefly", kind="preference", body="Keep answers short."),
]
