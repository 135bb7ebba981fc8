"""A text from outside → the text that may be kept: private parts out, credentials out, short.

Every string that goes into the queue passes through one ``Sieve``, so the order is the
same everywhere: what the person marked private is removed, invisible characters are
removed, credentials are masked, and only then is the text cut to its size.
"""

from ultan import home

LONGEST = 16 * 1024
READ_AT_MOST = 128 * 1024  # of a longer text only head and tail are looked at
GAP = "\n[… {} characters left out …]\n"


class Sieve:
    """Cleans texts and keeps count of what it took out.

    Attributes:
        redacted: credentials masked; ``hidden`` texts that held invisible characters.
        sensitive: results dropped whole because of the file they came from.
        unread: lines that could not be read.
    """

    __slots__ = ("hidden", "redacted", "sensitive", "unread")

    def __init__(self) -> None:
        self.redacted = self.hidden = self.sensitive = self.unread = 0

    def leaf(self, text: str, longest: int = LONGEST) -> str:
        """*text* as it may be written: at most *longest* characters, head and tail kept."""
        from ultan.redaction import neutral, redact, strip_private  # noqa: PLC0415 -- only hooks that keep text pay

        text, hidden = neutral(strip_private(text)[0]) if not _is_plain(text) else (text, 0)
        self.hidden += hidden > 0
        if len(text) > READ_AT_MOST:
            text = _ends(text, READ_AT_MOST)
        text, found = redact(text)
        self.redacted += found
        return cut(text, longest)


    def count(self, root: str) -> None:
        """Add what was taken out to the counters of the home *root*, which ``doctor`` shows."""
        for name, by in (("redacted", self.redacted), ("sensitive", self.sensitive), ("bad", self.unread)):
            if by:
                home.count(root, name, by)


def _is_plain(text: str) -> bool:
    """Whether nothing in *text* can hide anything; letters and newlines only, which is quickly seen."""
    return text.isascii() and "<private>" not in text.lower() and text.replace("\n", "").replace("\t", "").isprintable()


def cut(text: str, longest: int) -> str:
    """At most *longest* characters: two thirds head, one third tail, and between them how much is missing."""
    if len(text) <= longest:
        return text
    room = longest - len(GAP) - 8
    tail = room // 3
    head = room - tail
    return text[:head] + GAP.format(len(text) - room) + text[len(text) - tail :]


def _ends(text: str, most: int) -> str:
    """Head and tail of a very long text, cut so that no credential is halved at the cut."""
    half = most // 2
    head, tail = text[:half], text[-half:]
    space = max(head.rfind(" "), head.rfind("\n"))
    head = head[:space] if space > 0 else ""
    starts = [at for at in (tail.find(" "), tail.find("\n")) if at >= 0]
    tail = tail[min(starts) :] if starts else ""
    end = tail.find("-----END ")
    if end >= 0 and not 0 <= tail.find("-----BEGIN ") < end:  # the tail opens inside a key block
        tail = tail[end:].partition("\n")[2]
    return head + GAP.format(len(text) - len(head) - len(tail)) + tail
