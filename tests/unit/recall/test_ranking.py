import pytest
from made_entries import SHOP, entry, index_of

from ultan.recall.ranking import Query, prime, rank


def test_another_projects_entry_is_never_found() -> None:
    found = [item.card.id for item in rank(index_of(*SHOP), Query("how are prices stored", "shop"))]
    assert found[0] == "projects/shop/prices"
    assert "projects/bank/prices" not in found


def test_without_a_project_only_what_is_global_is_found() -> None:
    assert [item.card.id for item in rank(index_of(*SHOP), Query("answer briefly about prices", ""))] == ["global/tone"]


def test_the_same_question_twice_has_the_same_answer() -> None:
    index = index_of(*SHOP)
    first, second = (rank(index, Query("prices and migrations, short", "shop", ("price.py",), tail="migration?")) for _ in "ab")
    assert [(item.number, item.score, item.probability) for item in first] == [(i.number, i.score, i.probability) for i in second]


def test_what_was_shown_is_not_shown_again_and_the_reason_is_told() -> None:
    index = index_of(*SHOP, priming__min_relevance=0.0)
    first = prime(index, Query("prices in cents", "shop"), set())
    again = prime(index, Query("prices in cents", "shop"), {card.id for card in first.cards})
    assert first.cards
    assert first.cards[0].id not in [card.id for card in again.cards]
    assert (first.cards[0].id, "shown before in this session") in again.left_out


def test_an_expired_entry_is_not_primed() -> None:
    index = index_of(entry("global/old", title="Freeze until launch", expires="2026-02-01"), priming__min_relevance=0.0)
    assert not prime(index, Query("freeze until launch"), set(), "2026-02-01").cards
    assert prime(index, Query("freeze until launch"), set(), "2026-01-31").cards


@pytest.mark.parametrize(
    "prompt",
    ["price " * 200_000, "👩‍👩‍👧" * 500, "東京の価格" * 300, "YWJj" * 5000, "\x00\x01\ud800 price", "def f(x):\n\treturn x\n" * 500, "цена price ราคา"],
)
def test_no_prompt_breaks_the_ranking(prompt: str) -> None:
    primed = prime(index_of(*SHOP), Query(prompt, "shop", tail=prompt[-3000:]), set())
    assert all(card.scope in ("global", "project:shop") for card in primed.cards)


@pytest.mark.parametrize(
    ("title", "prompt"),
    [
        ("価格は整数のセントで保存する", "新しい注文の価格を整数のセントで保存したい"),
        ("数据库迁移必须可以回滚", "这个数据库迁移可以回滚吗"),
        ("ราคาเก็บเป็นจำนวนเต็ม", "ราคาสินค้าเก็บเป็นจำนวนเต็มไหม"),
        ("Цены хранятся в копейках", "в каких единицах хранятся цены? в копейках?"),
        ("Preise stehen in ganzen Cent", "Preise in ganzen Cent, oder?\n```py\nprice = 3\n```\n価格"),
    ],
)
def test_a_prompt_in_any_script_finds_the_entry_in_it(title: str, prompt: str) -> None:
    own = entry("projects/shop/own", title=title, body=title, applies_when=(title,))
    assert [card.id for card in prime(index_of(own, *SHOP), Query(prompt, "shop"), set()).cards] == ["projects/shop/own"]


FOUND_OF_TWENTY = 17

# The same five rules in four languages, each with a question in other words of that language.
PARALLEL = {
    "cs": (
        ("Ceny ukládáme v haléřích jako celá čísla", "jak se ukládají ceny zboží?"),
        ("Před každým commitem spusť testy", "mám spustit testy, než udělám commit?"),
        ("Migrace databáze musí jít vrátit zpět", "připrav novou migraci databáze pro tabulku objednávek"),
        ("Komentáře v kódu píšeme anglicky", "doplň komentáře do kódu objednávek"),
        ("Datum zobrazujeme ve formátu den, měsíc, rok", "v jakém formátu se zobrazí datum dodání?"),
    ),
    "de": (
        ("Preise werden als ganze Cent gespeichert", "wie speichern wir den Preis einer Ware?"),
        ("Vor jedem Commit laufen die Tests", "sollen vor dem Commit die Tests laufen?"),
        ("Migrationen der Datenbank müssen umkehrbar sein", "schreib eine Migration der Datenbank für Bestellungen"),
        ("Kommentare im Code schreiben wir auf Englisch", "ergänze Kommentare im Code der Bestellungen"),
        ("Das Datum zeigen wir als Tag, Monat, Jahr", "wie zeigen wir das Datum der Lieferung?"),
    ),
    "ru": (
        ("Цены хранятся в копейках целым числом", "как хранится цена товара?"),
        ("Перед каждым коммитом запускай тесты", "нужно ли запускать тесты перед коммитом?"),
        ("Миграции базы данных должны откатываться", "напиши миграцию базы данных для заказов"),
        ("Комментарии в коде пишем на английском", "добавь комментарии в код заказов"),
        ("Дату показываем как день, месяц, год", "в каком виде показываем дату доставки?"),
    ),
    "zh": (
        ("价格以整数分保存", "商品的价格怎么保存"),
        ("每次提交之前运行测试", "提交之前要不要运行测试"),
        ("数据库迁移必须可以回滚", "给订单写一个数据库迁移"),
        ("代码注释用英文写", "给订单代码补上注释"),
        ("日期按年月日显示", "送货日期怎么显示"),
    ),
}


def test_a_person_who_speaks_no_english_finds_their_own_notes() -> None:
    pairs = [(f"{code}{at}", *pair) for code, of in PARALLEL.items() for at, pair in enumerate(of)]
    index = index_of(*(entry(f"global/{name}", title=rule, body=rule) for name, rule, _asked in pairs), *SHOP)
    found = [f"global/{name}" in [item.card.id for item in rank(index, Query(asked, "shop"))[:3]] for name, _rule, asked in pairs]
    assert sum(found) >= FOUND_OF_TWENTY


def test_an_empty_library_is_silent() -> None:
    primed = prime(index_of(), Query("anything at all", "shop"), set())
    assert (primed.cards, primed.probability) == ([], 0.0)


def test_a_named_situation_is_found_without_a_shared_word() -> None:
    named = entry("global/log", title="Conventional headers", body="feat, fix, chore.", applies_when=("commits",))
    found = rank(index_of(named, *SHOP), Query("commit it please", "shop"))
    assert found[0].card.id == "global/log"
    assert "situation" in found.rankings


def test_a_cue_about_a_kind_of_message_is_found_by_a_message_of_that_kind() -> None:
    rule = entry("global/why", title="Diagnose, do not repair", body="Change nothing.", applies_when=("user asks for an explanation",))
    found = rank(index_of(rule, *SHOP), Query("how come migrations are so slow", "shop"))
    assert "global/why" in [item.card.id for item in found[:2]]
    assert "situation" not in rank(index_of(rule, *SHOP), Query("migrations", "shop")).rankings


def test_an_extra_signal_moves_entries_but_never_out_of_scope() -> None:
    index = index_of(*SHOP)
    bank = index.number("projects/bank/prices")
    moved = index.number("projects/shop/migrations")
    found = rank(index, Query("prices", "shop"), {"meaning": {bank: 9.0, moved: 9.0}})
    ids = [item.card.id for item in found]
    assert "projects/bank/prices" not in ids
    assert "projects/shop/migrations" in ids


def test_a_large_library_is_answered_in_two_stages_with_the_same_first_entry() -> None:
    filler = [entry(f"global/f{at}", title=f"filler topic{at}", body="common words everywhere again common") for at in range(2500)]
    many = [entry(f"global/m{at}", title=f"common thing{at}", body="common everywhere words common") for at in range(2500)]
    index = index_of(*filler, *many, *SHOP)
    assert index.has_forward
    found = rank(index, Query("common words everywhere filler prices in cents", "shop"))
    assert found[0].card.id == "projects/shop/prices"
