"""How much of a bare text is an order that holds from now on: "Always give versions when I ask about libraries".

Told by the word that opens a sentence, in the languages of the clerk; the clerk itself reads far more, and
takes a hundred times as long as a compile may for every turn of a dialogue. On the development half of BEAM
it finds the same orders.
"""

from collections.abc import Iterator

from ultan.recall.topic import ORDER_LEVELS, order_key

LONGEST = 1000  # characters; what is longer does not only give orders
SPEAKER = 24  # characters before a colon: whose words follow
REACH = 3  # words of a sentence among which the standing word stands where verbs come first
COURTESIES = ("please ", "bitte ", "por favor ", "por favor, ", "per favore ", "s'il te plaît, ", "alsjeblieft ", "proszę ", "lütfen ")
# Where these open a sentence, it holds from now on.
OPENINGS = (
    "always ", "never ", "from now on", "whenever ", "every time ", "each time ", "going forward", "in future", "in the future,",
    "henceforth", "by default", "when i ask", "if i ask", "don't ever ", "do not ever ",
    "immer ", "nie wieder ", "niemals ", "ab jetzt", "ab sofort", "von nun an", "künftig", "in zukunft", "jedes mal",
    "toujours ", "jamais ", "ne jamais ", "désormais", "dorénavant", "à partir de maintenant", "chaque fois",
    "siempre ", "nunca ", "a partir de ahora", "de ahora en adelante", "cada vez que",
    "sempre ", "a partir de agora", "de agora em diante", "d'ora in poi", "da ora in poi", "mai ", "non fare mai", "ogni volta",
    "altijd ", "nooit ", "vanaf nu", "voortaan", "telkens", "zawsze ", "nigdy ", "od teraz", "od tej pory", "za każdym razem",
    "всегда ", "никогда ", "отныне", "впредь", "каждый раз", "завжди ", "ніколи ", "відтепер", "надалі", "щоразу",
    "her zaman ", "asla ", "bundan sonra", "हमेशा ", "कभी ", "अब से", "دائما ", "دائمًا ", "أبدا ", "من الآن فصاعدا",
    "i gcónaí", "riamh ", "as seo amach", "总是", "始终", "永远", "从现在开始", "以后", "每次", "务必", "總是", "始終", "從現在開始",
    "常に", "必ず", "いつも", "決して", "今後", "これからは", "항상 ", "절대 ", "앞으로", "지금부터",
)  # fmt: skip
# These hold as well behind the verb: "Gib immer …", "Indique toujours …"; not where somebody tells of himself.
BEHIND_VERBS = frozenset(("immer", "niemals", "stets", "toujours", "jamais", "siempre", "nunca", "sempre", "mai", "altijd", "nooit"))
TELLS = frozenset(
    ("ich", "er", "sie", "es", "wir", "man", "das", "je", "il", "elle", "on", "nous", "c'est", "yo", "él", "ella", "io", "lui", "noi", "eu", "ele",
     "ela", "ik", "hij", "zij", "wij", "het")
)  # fmt: skip
ENDS, ASKED = ".!?\n。！？؟।", ("?", "？", "؟")  # noqa: RUF001 -- their own marks


def order_keys(text: str) -> list[str]:
    """The key under which a bare text is found as an order, by how much of it is one; none for others."""
    level = round(share_of_orders(text) * ORDER_LEVELS)
    return [order_key(level)] if level else []


def share_of_orders(text: str) -> float:
    """The share of *text*, by characters, that are sentences laying down what holds from now on."""
    text = text.strip()
    name, colon, said = text.partition(": ")
    if colon and len(name) <= SPEAKER:
        text = said
    if not text or len(text) > LONGEST:
        return 0.0
    return sum(len(each) for each in sentences(text) if is_order(each)) / len(text)


def sentences(text: str) -> Iterator[str]:
    """*text* cut behind full stops, questions, exclamations and lines; a dot within a word ends none."""
    start = 0
    for at, char in enumerate(text):
        if char in ENDS and (ord(char) > ord("z") or text[at + 1 : at + 2].strip() == ""):
            yield text[start : at + 1]
            start = at + 1
    yield text[start:]


def is_order(sentence: str) -> bool:
    """Whether a sentence begins as a standing order does."""
    low = sentence.strip().lower().replace("\u2019", "'")
    if low.endswith(ASKED):
        return False
    for courtesy in COURTESIES:
        low = low.removeprefix(courtesy)
    opening = low.split(None, REACH)[:REACH]
    return low.startswith(OPENINGS) or (TELLS.isdisjoint(opening) and not BEHIND_VERBS.isdisjoint(opening))
