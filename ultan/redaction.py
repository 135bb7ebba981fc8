"""Credentials taken out of a text before anybody keeps it; text made harmless to show.

``redact`` is the first layer: it runs in hooks on every text, before anything is
written, and again before the library and before a model. It knows six families:
tokens by their prefix, key blocks, values after a telling name, credentials in known
places (addresses, headers, flags, password files), secrets told in prose, and each of
these under one layer of base64. ``deep`` is the second layer, for the curator, with
more rules and time. Neither asks anybody whether a credential is real.

Written by hand on ``str`` methods: every step is linear in the text, and a hook that
meets a telling word need not compile a single pattern (24 of them cost it 19 ms).
"""

from ultan import credentials
from ultan.credentials import BASE64, DIGITS, HEX, LOWER, UPPER, URLSAFE, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    Found = list[tuple[int, int, str]]

MARK = "[redacted:"
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"
LONGEST = 4096  # one value; a longer one is cut into several spans by the next pass
NAME = WORD + "_-."
GRAPHIC = "".join(map(chr, range(33, 127)))
BARE = "".join(letter for letter in GRAPHIC if letter not in "\"'`\\<>,;|")
QUOTES = "\"'`"
MARKUP = "\"'`*_()[]{}<>~"
PASSES = 4


def redact(text: str) -> "tuple[str, int]":
    """*text* with every credential replaced by ``[redacted:kind]``, and how many there were.

    Redacting twice changes nothing, and no part of a value stays behind.
    """
    count = 0
    for _ in range(PASSES):
        found = _found(text, wrapped=True)
        if not found:
            break
        text = _replaced(text, found)
        count += len(found)
    return text, count


def _replaced(text: str, found: "Found") -> str:
    parts, last = [], 0
    for start, end, kind in found:
        parts.append(text[last:start])
        parts.append(f"{MARK}{kind}]")
        last = end
    parts.append(text[last:])
    return "".join(parts)


def _found(text: str, *, wrapped: bool) -> "Found":
    """Where credentials stand in *text*: disjoint spans in order."""
    if len(text) < 6:
        return []
    view, places = _joined(text)
    low = _lowered(view)
    found: Found = []
    _by_prefix(view, found)
    _by_infix(view, found)
    _addresses(view, low, found)
    _key_blocks(view, found)
    _user_infos(view, found)
    _schemes(view, low, found)
    _commands(view, low, found)
    _password_files(view, low, found)
    _seed_phrases(view, low, found)
    _named(view, low, found)
    _told(view, low, found)
    if wrapped:
        _in_base64(view, found)
    if not found:
        return found
    if places is not None:
        found = [(places[start], places[end], kind) for start, end, kind in found]
    return _disjoint(found)


def _disjoint(found: "Found") -> "Found":
    """Overlapping spans made one, named by whichever was found first (families go from sure to guessed)."""
    order = {span: number for number, span in reversed(list(enumerate(found)))}
    merged: Found = []
    best = 0
    for span in sorted(order, key=lambda one: (one[0], order[one])):
        start, end, kind = span
        if merged and start < merged[-1][1]:
            was = merged[-1]
            if order[span] < best:
                best = order[span]
            else:
                kind = was[2]
            merged[-1] = (was[0], max(was[1], end), kind)
        else:
            merged.append(span)
            best = order[span]
    return merged


# --- the text as an attacker or a terminal may have split it ----------------------------------------


def _joined(text: str) -> "tuple[str, list[int] | None]":
    """*text* without zero-width letters and line joins, and where each letter came from."""
    if "\\\n" not in text and "\\\r\n" not in text and "\\\\\\n" not in text and "\\u" not in text:
        if text.isascii() or not any(letter in text for letter in ZERO_WIDTH):
            return text, None
    letters, places = [], []
    at, size = 0, len(text)
    while at < size:
        letter = text[at]
        if letter == "\\" and text[at + 1 : at + 2] in ("\n", "\r"):
            at += 3 if text.startswith("\r\n", at + 1) else 2
            while at < size and text[at] in " \t":
                at += 1
            continue
        if letter == "\\":
            slashes = _run(text, at, "\\", 9)
            after = at + slashes + 1
            if text[after - 1 : after] == "n" and slashes in (3, 7):  # the join, as JSON writes it
                at = after
                continue
            code = text[after : after + 4]
            if text[after - 1 : after] == "u" and slashes <= 3 and len(code) == 4 and not code.strip(HEX):
                letter = chr(int(code, 16))
                if letter not in ZERO_WIDTH and letter >= " ":
                    letters.append(letter)
                    places.append(at)
                at = after + 4
                continue
        if letter not in ZERO_WIDTH:
            letters.append(letter)
            places.append(at)
        at += 1
    places.append(len(text))
    return "".join(letters), places


def _lowered(text: str) -> str:
    """*text* in lower case, every letter at its old place."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def _run(text: str, start: int, alphabet: str, most: int = LONGEST) -> int:
    """How many letters of *alphabet* stand at *start*."""
    piece = text[start : start + most]
    return len(piece) - len(piece.lstrip(alphabet))


def _run_back(text: str, end: int, alphabet: str, most: int = 128) -> int:
    """How many letters of *alphabet* stand before *end*."""
    piece = text[max(0, end - most) : end]
    return len(piece) - len(piece.rstrip(alphabet))


def _hits(text: str, literal: str) -> "list[int]":
    hits = []
    at = text.find(literal)
    while at >= 0:
        hits.append(at)
        at = text.find(literal, at + 1)
    return hits


def _at_boundary(text: str, at: int, *, timid: bool = False) -> bool:
    """Whether a token can begin at *at*: after no letter, or after an escape that ends in one."""
    if at == 0:
        return True
    before = text[at - 1]
    if before in "_-":
        return not timid
    if before not in WORD:
        return True
    if before in "nrtbf" and text[at - 2 : at - 1] == "\\":
        return True
    if text[at - 3 : at - 2] == "%" and before in HEX:
        return True
    if text[at - 6 : at - 4] == "\\u":
        return True
    return before == "m" and "\x1b[" in text[max(0, at - 9) : at]


# --- what makes a value a secret ------------------------------------------------------------------


def _classes(value: str) -> "tuple[bool, bool, bool, bool]":
    """Whether *value* has lower, upper, digits, and other letters."""
    bare = value.strip(LOWER)
    lower = bare != value or any(letter in LOWER for letter in bare)
    return (
        lower,
        any(letter in UPPER for letter in value),
        any(letter in DIGITS for letter in value),
        any(letter not in WORD for letter in value),
    )


def _unrest(value: str) -> float:
    """How often the class of letter changes from one letter to the next, in [0, 1].

    Random letters and digits: above 0.4; names in camel or snake case: below 0.3.
    """
    kinds = [2 if letter in DIGITS else 1 if letter in UPPER else 0 for letter in value if letter in WORD]
    if len(kinds) < 2:
        return 0.0
    return sum(one != two for one, two in zip(kinds, kinds[1:], strict=False)) / (len(kinds) - 1)


def _entropy(value: str) -> float:
    """Bits a letter."""
    from math import log2  # noqa: PLC0415 -- only where a value is long and has no digit

    size = len(value)
    return -sum(n / size * log2(n / size) for n in (value.count(letter) for letter in set(value)))


def _stands_for_another(value: str) -> bool:
    """Whether *value* is a placeholder, a marker or a reference rather than a value."""
    if len(set(value)) < 4:
        return True
    low = value.lower()
    if any(word in low for word in credentials.PLACEHOLDERS):
        return True
    return value[0] in "$<{%@[(&*" and not value.startswith("$2") or "${" in value or "{{" in value or "$(" in value


def _is_uuid(value: str) -> bool:
    parts = value.split("-")
    return [len(part) for part in parts] == [8, 4, 4, 4, 12] and not value.strip(HEX + "-")


def _is_wordy(value: str) -> bool:
    """Whether *value* reads like names: words with separators, or camel case, few digits at ends."""
    parts = [part for part in _spaced(value).split() if part]
    if any(part.strip(DIGITS) and any(letter in DIGITS for letter in part[:-2]) for part in parts):
        return False
    return _unrest(value) < 0.3


def _spaced(value: str) -> str:
    return "".join(letter if letter in WORD else " " for letter in value)


def _is_expression(value: str) -> bool:
    """Whether an unquoted *value* is code: a call, an index, an attribute."""
    for bracket in "([":
        head, found, _ = value.partition(bracket)
        if found and (not head or (not head.strip(NAME) and _is_wordy(head))):
            return True
    if "." in value and not value.strip(NAME):
        return all(part and part[0] not in DIGITS and _is_wordy(part) for part in value.split("."))
    return value.startswith(("::", "=>", "!"))


def _is_path(value: str) -> bool:
    if value.startswith(("/", "~/", "./", "../", "\\\\")) or "://" in value or value[1:3] in (":\\", ":/"):
        return _unrest(value) < 0.4 or value.count("/") > 3
    return value.count("/") >= 1 and _is_wordy(value)


def _is_measure(value: str) -> bool:
    """Whether *value* is a number with its unit, a version or a date."""
    rest = value.lstrip("v~^=<>").lstrip(DIGITS + ".:-/+_")
    return len(rest) < len(value) and len(rest) < 7 and rest.isalpha() or not rest


def _is_secret(value: str, kind: str, *, quoted: bool, least: int) -> bool:
    """The strength test for a value that a name or a sentence announced."""
    size = len(value)
    if size < least or _stands_for_another(value) or _is_path(value) or value.startswith(MARK):
        return False
    if not quoted and _is_expression(value):
        return False
    if _is_uuid(value):
        return kind in ("password", "secret", "key")
    if _is_measure(value) and size < 16:
        return False
    lower, upper, digit, other = _classes(value)
    low = value.lower()
    if size < 24 and any(word in low for word in credentials.JARGON) and _unrest(value) < 0.45:
        return False
    if (lower or upper) and digit:
        return kind == "password" or not _is_wordy(value)
    if (lower or upper) and other and kind == "password" and quoted and " " not in value:
        odd = [letter for letter in value if letter not in WORD + "-_./ "]
        return bool(odd) and size >= 10 and not _is_wordy(value)
    return size >= 20 and " " not in value and not _is_wordy(value) and _entropy(value) > 3.5


# --- A: tokens by their prefix ----------------------------------------------------------------------


def _is_token(body: str) -> bool:
    """Whether what follows a known prefix was drawn at random rather than written."""
    if len(set(body)) < 5:
        return False
    low = body.lower()
    if any(word in low for word in credentials.PLACEHOLDERS[:12]):
        return False
    lower, upper, digit, other = _classes(body)
    if not digit:
        return lower and upper and _unrest(body) > 0.25
    return not (other and _is_wordy(body))


def _by_prefix(text: str, found: "Found") -> None:
    for literal, kind, alphabet, least, exact in credentials.PREFIXES:
        at = text.find(literal)
        while at >= 0:
            start = at + len(literal)
            if _at_boundary(text, at, timid=literal in credentials.TIMID):
                size = _run(text, start, alphabet)
                body = text[start : start + size].rstrip(".,")
                if size >= least and (not exact or exact == size) and _is_token(body):
                    found.append((at, start + len(body), kind))
                start += size
            at = text.find(literal, start)
    if "eyJ" in text:
        _web_tokens(text, found)
    if "pat" in text:
        for at in _hits(text, "pat"):
            dot = at + 17
            if text[dot : dot + 1] == "." and _run(text, at + 3, WORD) == 14 and _run(text, dot + 1, HEX) >= 60:
                found.append((at, dot + 1 + _run(text, dot + 1, HEX), "airtable-token"))


def _web_tokens(text: str, found: "Found") -> None:
    at = text.find("eyJ")
    while at >= 0:
        size = _run(text, at, URLSAFE + ".")
        parts = text[at : at + size].rstrip(".").split(".")
        if len(parts) >= 2 and _at_boundary(text, at) and len(parts[0]) >= 12 and len(parts[1]) >= 12:
            found.append((at, at + len(".".join(parts)), "jwt"))
        at = text.find("eyJ", at + max(size, 3))


def _by_infix(text: str, found: "Found") -> None:
    for literal, kind, left, left_least, left_most, right, right_least, right_most in credentials.INFIXES:
        at = text.find(literal)
        while at >= 0:
            after = at + len(literal)
            before = _run_back(text, at, left)
            size = _run(text, after, right)
            if before >= left_least and right_least <= size and (size <= right_most or right is not DIGITS):
                start = at - min(before, left_most)
                exact = left_most > 3 or _at_boundary(text, start)
                body = text[start : after + size]
                if exact and (before <= left_most or left is not HEX) and _is_token(body.replace(literal, "")):
                    found.append((start, after + size, kind))
            at = text.find(literal, after)
    for head in ("MT", "MD", "Mz", "Mj", "NT", "ND", "Nz", "Nj", "OT", "OD", "Oj", "Oz"):
        for at in _hits(text, head):
            size = _run(text, at, URLSAFE + ".", 120)
            if size >= 50 and _at_boundary(text, at):
                parts = text[at : at + size].rstrip(".").split(".")
                if len(parts) == 3 and len(parts[0]) >= 18 and 5 <= len(parts[1]) <= 7 and len(parts[2]) >= 27:
                    found.append((at, at + len(".".join(parts)), "discord-token"))


def _addresses(text: str, low: str, found: "Found") -> None:
    if "://" not in text:
        return
    for literal, kind, least in credentials.ADDRESSES:
        for at in _hits(low, literal):
            end = at + _run(text, at, GRAPHIC.translate({ord(c): None for c in "\"'`\\<>()[]{}|,;"}))
            scheme = text.rfind("://", max(0, at - 120), at)
            start = scheme - _run_back(text, scheme, LOWER, 8) if scheme >= 0 else at
            body = text[at:end].rstrip(".:&*")
            if len(body) - len(literal) >= least and not _stands_for_another(body[len(literal) :]):
                found.append((start, at + len(body), kind))


# --- B: key blocks ----------------------------------------------------------------------------------


def _key_blocks(text: str, found: "Found") -> None:
    if "-----" in text and "PRIVATE KEY" in text:
        for at in _hits(text, "-----BEGIN "):
            head = text[at : at + 80].partition("-----BEGIN ")[2].partition("-----")[0]
            if "PRIVATE KEY" in head:
                found.append((at, _block_end(text, at, head), "private-key"))
        for at in _hits(text, "-----END "):
            head = text[at : at + 80].partition("-----END ")[2].partition("-----")[0]
            begin = text.rfind("-----BEGIN", 0, at)
            if "PRIVATE KEY" in head and text.rfind("-----END", 0, at) >= begin:
                start = at
                while start > 0:
                    line = text.rfind("\n", 0, start - 1) + 1
                    if not _is_key_line(text[line:start]):
                        break
                    start = line
                found.append((start, at + len(head) + 14, "private-key"))
    at = text.find("Private-Lines:")
    while at >= 0:
        end = at + len("Private-Lines:")
        end += _run(text, end, " \t" + DIGITS)
        found_end = _lines_end(text, end)
        if found_end - end > 20:
            found.append((end, found_end, "private-key"))
        at = text.find("Private-Lines:", end)


def _block_end(text: str, at: int, head: str) -> int:
    """Where a block that begins at *at* ends: at its END, else with its last line of base64."""
    begin = at + len("-----BEGIN ") + len(head) + 5
    end = text.find("-----END ", begin, begin + 32768)
    other = text.find("-----BEGIN ", begin, begin + 32768)
    if end >= 0 and (other < 0 or end < other):
        tail = text.find("-----", end + 9, end + 80)
        return tail + 5 if tail >= 0 else min(len(text), end + 9 + len(head))
    return _lines_end(text, begin)


def _lines_end(text: str, begin: int) -> int:
    """The end of the lines of base64 that follow *begin*, real or written as ``\\n``."""
    end = at = begin
    while at < len(text):
        stop = at
        while text.startswith(("\\n", "\\r", "\\t"), stop):
            stop += 2
        real, written = text.find("\n", stop), text.find("\\", stop)
        ends = [place for place in (real, written) if place >= 0]
        nearest = min(ends) if ends else len(text)
        line = text[stop:nearest]
        if line.strip() and not _is_key_line(line):
            return end + _run(text, stop, BASE64) if _run(text, stop, BASE64) >= 24 else end
        if line.strip():
            end = nearest
        at = max(nearest + (1 if nearest == real else 0), at + 1)
    return end


def _is_key_line(line: str) -> bool:
    """Whether a line (perhaps numbered or quoted by a tool) belongs to a key block."""
    body = line.strip().lstrip(DIGITS + " \t\u2192|>:#*/").strip(" \t\r\"',+")
    if body.startswith(("Proc-Type", "DEK-Info", "Version:", "Comment:", "Hash:", "Private-MAC")):
        return True
    return not body or (len(body) >= 2 and not body.strip(BASE64) and (len(body) > 40 or " " not in line.strip()))


# --- D: places --------------------------------------------------------------------------------------


def _user_infos(text: str, found: "Found") -> None:
    """Passwords and tokens before the ``@`` of an address."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        authority = (text[start : start + 300].split(None, 1) or [""])[0]
        for stop in "<>\"'`\\":
            authority = authority.partition(stop)[0]
        mark = authority.rfind("@")
        for stop in "/?#":
            place = authority.find(stop)
            if 0 <= place < mark:
                mark = authority.rfind("@", 0, place) if "@" in authority[:place] else mark
        if mark > 0:
            user, colon, word = authority[:mark].partition(":")
            if colon and _is_address_password(word) and "/" not in user:
                found.append((start + len(user) + 1, start + mark, "url-password"))
            elif not colon and len(user) >= 20 and _is_secret(user, "token", quoted=True, least=20):
                found.append((start, start + mark, "url-token"))
        at = text.find("://", start)


def _is_address_password(word: str) -> bool:
    if len(word) < 6 or _stands_for_another(word) or word.startswith(MARK) or "/" in word[:1]:
        return False
    low = word.lower()
    if low.startswith(("pass", "secret", "pw")) and word.isalpha() or low in ("postgres", "tiger", "guest", "admin"):
        return False
    lower, upper, digit, other = _classes(word)
    if digit:
        return (lower or upper) or (other and len(word) > 10)
    return (lower and upper) or len(word) >= 12


def _word_at(text: str, at: int) -> "tuple[int, int, bool]":
    """The value that begins at or shortly after *at*: its start, its end, and whether it was quoted."""
    start = at
    while text[start : start + 1] in (" ", "\t") and start - at < 24:
        start += 1
    mark = start
    if text[mark : mark + 1] in ("b", "r", "f", "u", "@") and text[mark + 1 : mark + 2] in ('"', "'"):
        mark += 1
    while text[mark : mark + 1] == "\\":
        mark += 1
    quote = text[mark : mark + 1]
    if quote and quote in QUOTES:
        start = mark + 1
        while text[start : start + 1] == quote:
            start += 1
        limit = min(len(text), start + LONGEST)
        end = text.find(quote, start, limit)
        line = text.find("\n", start, limit)
        if end > start and (line < 0 or end < line):
            while end > start and text[end - 1] == "\\":
                end -= 1
            return start, end, True
        return start, start + _run(text, start, BARE), False
    size = _run(text, start, BARE)
    body = text[start : start + size]
    amper = body.find("&")
    if amper > 0 and "=" in body[amper:]:
        body = body[:amper]
    return start, start + len(body.rstrip(".:!?)]}*_&" if not body.startswith("$") else ".")), False


def _schemes(text: str, low: str, found: "Found") -> None:
    """What follows ``Bearer`` and ``Basic``, and cookies."""
    for at in _hits(low, "bearer ") + _hits(low, "bearer%20"):
        start, end, _ = _word_at(text, at + (7 if low[at + 6] == " " else 9))
        value = text[start:end]
        if _is_secret(value, "token", quoted=True, least=16) and not value.startswith(("http", "[")):
            found.append((start, end, "bearer-token"))
    for at in _hits(low, "basic "):
        start, end, _ = _word_at(text, at + 6)
        end = start + _run(text, start, BASE64 + "-_")
        if end - start >= 8 and _is_login(text[start:end]):
            found.append((start, end, "basic-auth"))
    done = 0
    for at in _hits(low, "cookie:") + _hits(low, 'cookie":'):
        if at < done:
            continue
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)][:LONGEST]
        done = at + len(line)
        place = line.find("=")
        while place >= 0:
            size = _run(line, place + 1, URLSAFE + ".%+/=|~!*")
            value = line[place + 1 : place + 1 + size]
            if size >= 16 and _is_secret(value, "token", quoted=True, least=16):
                found.append((at + place + 1, at + place + 1 + size, "cookie"))
            place = line.find("=", place + 1 + size)


def _decoded(value: str) -> str:
    """The printable ASCII text that *value* is the base64 of, or ``""``."""
    from binascii import Error, a2b_base64  # noqa: PLC0415 -- a C module, and few texts need it

    body = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = a2b_base64(body + "=" * (-len(body) % 4))
    except (Error, ValueError):
        return ""
    if raw.translate(None, b"\t\n\r" + bytes(range(32, 127))):
        return ""
    return raw.decode("ascii")


def _is_login(value: str) -> bool:
    user, colon, word = _decoded(value).partition(":")
    return bool(colon and user and word) and " " not in user


def _commands(text: str, low: str, found: "Found") -> None:
    """Passwords that command lines take in their own ways."""
    for tools, flags, login in (
        (("curl", "wget", "http "), (" -u ", " -u", " --user ", " --user=", " --proxy-user ", " -a "), True),
        (("mysql", "mariadb"), (" -p",), False),
        (("sshpass",), (" -p ", " -p"), False),
        (("redis-cli",), (" -a ",), False),
        (("docker login", "podman login", "helm registry login", "twine", "smbclient"), (" -p ",), False),
        (("cargo login", "npm login", "gh auth"), ("login ",), False),
    ):
        for tool in tools:
            done = 0
            for at in _hits(low, tool):
                if at < done:
                    continue
                stop = text.find("\n", at)
                line = text[at : min(stop if stop >= 0 else len(text), at + 600)]
                done = at + len(line)
                for flag in flags:
                    for place in _hits(line, flag):
                        start, end, quoted = _word_at(text, at + place + len(flag))
                        if flag[-1] not in " =" and start != at + place + len(flag) and not quoted:
                            continue
                        value = text[start:end]
                        if login:
                            user, colon, word = value.partition(":")
                            value = word.strip(QUOTES + ":\\") if colon else ""
                            start += value and text[start:].find(value, len(user)) or 0
                            end = start + len(value)
                        if _is_secret(value, "password", quoted=quoted or login, least=6):
                            found.append((start, end, "password"))


def _password_files(text: str, low: str, found: "Found") -> None:
    """Lines of ``.netrc`` and ``.pgpass``, Kubernetes secrets, ``auth`` of a registry."""
    if "login" in low or "machine" in low:
        for at in _hits(low, "password"):
            before = low[max(0, at - 160) : at]
            start, end, quoted = _word_at(text, at + 8)
            gap = text[at + 8 : start].replace("\n", " ")
            if ("machine " in before or "login " in before) and gap and not gap.strip(" \t\"'\\"):
                value = text[start:end]
                if _is_secret(value, "password", quoted=True, least=6):
                    found.append((start, end, "password"))
    for port in (":5432:", ":5433:", ":5434:", ":6432:", ":*:"):
        for at in _hits(text, port):
            stop = at + len(port) + _run(text, at + len(port), GRAPHIC, 300)
            fields = text[at + len(port) : stop].rstrip(".,:;)\"'`").split(":")
            if len(fields) == 3 and _is_address_password(fields[2]):
                start = at + len(port) + len(fields[0]) + len(fields[1]) + 2
                found.append((start, start + len(fields[2]), "password"))
    if "kind: secret" in low or '"kind": "secret"' in low or '"kind":"secret"' in low:
        _cluster_secrets(text, low, found)


def is_cluster_secret(text: str) -> bool:
    """Whether *text* holds a Kubernetes Secret: its values are dropped, not searched for strength."""
    low = text.lower()
    return ("kind: secret" in low or '"kind": "secret"' in low or '"kind":"secret"' in low) and "data" in low


def _cluster_secrets(text: str, low: str, found: "Found") -> None:
    for at in _hits(low, "data"):
        place = at + 4
        place += _run(text, place, "\"': {\\")
        end = min(len(text), place + 8192)
        while place < end:
            colon = text.find(":", place, end)
            if colon < 0:
                break
            key = text[place:colon].strip(" \n\t\"'{,\\").removeprefix("n").strip()
            if not key or key.strip(NAME) or key in ("kind", "metadata", "apiVersion", "type"):
                break
            start, stop, _ = _word_at(text, colon + 1)
            value = text[start:stop]
            if len(value) >= 4 and not value.strip(BASE64 + URLSAFE + ".!@#%^&*:") and value[0] not in "[{":
                found.append((start, stop, "kubernetes-secret"))
            place = max(stop, colon + 1)


def _seed_phrases(text: str, low: str, found: "Found") -> None:
    for stem in ("seed phrase", "mnemonic", "recovery phrase", "secret phrase", "seed words", "seed="):
        for at in _hits(low, stem):
            start = at + len(stem)
            start += _run(low, start, " :=\"'`\\-is\n\t", 12)
            while start > at and low[start - 1] in LOWER:  # the run ate the first letters of a word
                start -= 1
            start = max(start, at + len(stem))
            end, count = start, 0
            while count < 24:
                size = _run(low, end + (1 if count else 0), LOWER, 12)
                if not 3 <= size <= 8 or (count and text[end : end + 1] != " "):
                    break
                end += size + (1 if count else 0)
                count += 1
            if count >= 12:
                found.append((start, end, "seed-phrase"))
    for at in _hits(text, "Fernet("):
        start, end, quoted = _word_at(text, at + 7)
        size = _run(text, start, BASE64 + "-_")
        if quoted and size >= 43:
            found.append((start, start + size, "fernet-key"))


# --- C: values after a telling name ---------------------------------------------------------------


def _named(text: str, low: str, found: "Found") -> None:
    seen = set()
    for stem, kind in credentials.STEMS:
        at = low.find(stem)
        while at >= 0:
            start = at - _run_back(text, at, NAME, 64)
            end = at + _run(text, at, NAME, 64)
            if start > 0 and text[start - 1] == "\\" and text[start] in "nrtbf":
                start += 1
            if start not in seen:
                seen.add(start)
                if text[max(0, start - 10) : start + 1].find(MARK) < 0 and "redacted:" not in low[max(0, start - 9) : start]:
                    _after_name(text, start, end, kind, found)
            at = low.find(stem, max(end, at + 1))


def _holds_secret(name: str) -> bool:
    """Whether a variable, field, flag or header called *name* holds a secret."""
    squeezed = name.lower().replace("_", "").replace("-", "").replace(".", "").rstrip(DIGITS)
    if squeezed.endswith(credentials.EXCEPT):
        return False
    if squeezed.endswith(credentials.NAMES) or squeezed in ("auth", "authorization", "pat", "pass"):
        return True
    for word in credentials.WHICH:
        if squeezed.endswith(word) and squeezed[: -len(word)].endswith(credentials.NAMES):
            return True
    tail = name[-5:].lower()
    if tail in ("_pass", "-pass", ".pass") or name.endswith("Pass") or tail[1:] == "_pat" or tail[1:] == "-pat":
        return True
    if name.upper() == name and len(name) > 4 and not squeezed.endswith(credentials.HARMLESS):
        return "_KEY" in name or "PASS" in name or "SECRET" in name or "TOKEN" in name or "CREDENTIAL" in name
    return False


def _after_name(text: str, start: int, end: int, kind: str, found: "Found") -> None:
    """Judge what stands after the name between *start* and *end*."""
    while end > start and text[end - 1] in ".-":
        end -= 1
    name = text[start:end]
    flag = name.startswith("-")
    before = text[start - 1 : start]
    low = name.lower()
    if low in ("sig", "signature") and before in ("?", "&") or low.endswith(("x-amz-signature", "x-goog-signature")):
        at = end + _run(text, end, "=" + QUOTES, 3)
        size = _run(text, at, URLSAFE + "%.+/=")
        if size >= 20:
            found.append((at, at + size, "signature"))
        return
    if low in ("sessionid", "session_id", "sid", "phpsessid", "jsessionid"):
        if before not in ("?", "&", ";", " ") or text[end : end + 1] != "=":
            return
    elif not _holds_secret(name):
        return
    at = _value_place(text, start, end, flag=flag)
    if at < 0:
        return
    if low.endswith("authorization") or low == "auth":
        _after_authorization(text, at, found)
        return
    for _ in range(2):
        first, last, quoted = _word_at(text, at)
        value = text[first:last]
        least = 6 if kind == "password" else 8
        if _is_secret(value, kind, quoted=quoted, least=least):
            if quoted and " " in value and not (kind == "password" and _classes(value)[2]):
                return
            found.append((first, last, kind))
            return
        rest = text[last : last + 4].lstrip(" \t")
        if quoted or not rest.startswith("=") or rest.startswith("=="):
            return
        at = text.index("=", last) + 1


def _value_place(text: str, start: int, end: int, *, flag: bool) -> int:
    """Where the value of a name begins, or -1 where none is assigned."""
    at = end
    closed = False
    while text[at : at + 1] in ("\\", '"', "'", "`", "]", "*") and at - end < 8:
        closed = closed or text[at] in "\"'`"
        at += 1
    spaces = _run(text, at, " \t", 24)
    at += spaces
    for sign in (":=", "=>", "==", "->", "%3D", "%3d", "%3A", "%3a", "=", ":", "\uff1a", "\uff1d"):
        if text.startswith(sign, at):
            return at + len(sign)
    if closed and text[at : at + 1] == ",":
        return at + 1
    if text[at : at + 1] == ">" and text[start - 1 : start] == "<":
        return at + 1
    return at if flag and spaces else -1


def _after_authorization(text: str, at: int, found: "Found") -> None:
    start, end, quoted = _word_at(text, at)
    value = text[start:end]
    if value.isalpha() and len(value) < 12 and text[end : end + 1] == " ":
        start, end, _ = _word_at(text, end)
        value = text[start:end]
    scheme, space, rest = value.partition(" ")
    if quoted and space:
        start, value = start + len(scheme) + 1, rest
    end = start + len(value)
    if _is_login(value) or _is_secret(value, "token", quoted=quoted, least=16):
        found.append((start, end, "authorization"))


# --- E: secrets told in prose -------------------------------------------------------------------------


def _told(text: str, low: str, found: "Found") -> None:
    for stem, kind in credentials.TOLD:
        at = low.find(stem)
        while at >= 0:
            end = at + len(stem)
            if "redacted:" not in low[max(0, at - 9) : at] and text[end : end + 1] not in ("_", "-"):
                _after_word(text, end, kind, found)
            at = low.find(stem, end)


def _after_word(text: str, at: int, kind: str, found: "Found") -> None:
    """Judge the words that follow an announcing word within its sentence."""
    stop = min(len(text), at + 160)
    for line_end in ("\n", "\\n"):
        place = text.find(line_end, at, stop)
        stop = place if place >= 0 else stop
    linked, since, place = False, 0, at
    for number in range(8):
        place += _run(text, place, " \t\u3000", 24)
        if place >= stop:
            return
        end = place
        while end < stop and text[end] not in " \t\u3000":
            end += 1
        word = text[place:end]
        inner = word.lstrip(MARKUP + "\\")
        start = place + len(word) - len(inner)
        while inner and not inner[0].isascii():
            linked = linked or inner[0] in "\uff1a\u662f\u4e3a\u70ba\u306f\u2014\uff1d"
            inner = inner[1:].lstrip(MARKUP) if inner[1:] else ""
            start = place + len(word) - len(inner)
        if number == 0 and inner[:1] in (":", "="):
            linked = True
            inner = inner[1:].lstrip(MARKUP + "\\")
            start = place + len(word) - len(inner)
        size = _run(inner, 0, GRAPHIC)
        value = inner[:size].rstrip(".,:;!?&\\" + MARKUP)
        quoted = start > place and text[start - 1] in QUOTES
        if value and _is_told(value, kind, linked=linked and since < 3, direct=number == 0, quoted=quoted):
            found.append((start, start + len(value), kind))
            return
        since = since + 1 if linked else 0
        if word.lower() in credentials.LINKS or word.endswith((":", "=", "\uff1a")):
            linked, since = True, 0
        elif word.endswith((".", ";", "!", "?", "\u3002")):
            return
        place = end


def _is_told(value: str, kind: str, *, linked: bool, direct: bool, quoted: bool) -> bool:
    if value.startswith(("-", "--", "[[", "http")) or MARK in value or "redacted:" in value or "=" in value[1:-2]:
        return False
    least = 6 if kind == "password" else 16
    if quoted and direct and kind == "password" and len(value) >= 16 and value.count("-") >= 2 and "_" not in value:
        return not _stands_for_another(value)
    if not linked and not (direct and (quoted or len(value) >= 10)):
        return False
    if not _is_secret(value, kind, quoted=False, least=least):
        return False
    lower, upper, digit, other = _classes(value)
    if linked or quoted:
        return (digit and not _is_wordy(value)) or (digit and kind == "password" and _unrest(value) > 0.1) or (
            len(value) >= 20 and upper and lower
        )
    return digit and not _is_wordy(value) and _unrest(value) > 0.3 and (upper or other)


# --- F: one layer of base64 -------------------------------------------------------------------------

_TO_BASE64 = bytes(code if chr(code) in BASE64 + "-_" else 32 for code in range(256))


def _in_base64(text: str, found: "Found") -> None:
    at = 0
    for run in text.encode("ascii", "replace").translate(_TO_BASE64).split():
        if len(run) < 24:
            continue
        word = run.decode("ascii")
        at = text.find(word, at)
        if at < 0:
            return
        inside = _decoded(word.lstrip("-_"))
        if len(inside) >= 16 and _found(inside, wrapped=False):
            found.append((at, at + len(word), "base64-wrapped"))
        elif inside and _is_login(word) and text[max(0, at - 12) : at].lower().rstrip(" \"'\\:=").endswith("auth"):
            found.append((at, at + len(word), "registry-auth"))
        at += len(word)


# --- files that hold nothing but secrets ------------------------------------------------------------

_SECRET_NAMES = frozenset((
    ".env", ".envrc", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".htpasswd", ".npmrc", ".pypirc", ".yarnrc.yml",
    ".git-credentials", ".vault-token", ".dockercfg", "shadow", "gshadow", "master.key", "wallet.dat", "kubeconfig",
    "secring.gpg", "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.env", ".secrets",
    "secret.yml", "secret.yaml", "secret.json", "terraform.tfstate", "client_secret.json", "token.json", "htpasswd",
    "service-account.json", "service_account.json", "keyfile.json", ".my.cnf", ".boto", ".s3cfg", "rclone.conf",
))  # fmt: skip
_SECRET_ENDINGS = (
    ".pem", ".kdbx", ".kdb", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".p8", ".tfstate", ".tfvars",
    ".ovpn", ".asc", ".agekey", ".keytab", ".gpg", ".tfstate.backup",
)  # fmt: skip
_SECRET_FOLDERS = (
    "/.docker/config.json", "/.kube/config", "/.aws/config", "/.gnupg/", "/.aws/sso/", "/.config/gcloud/",
    "/.azure/", "/.password-store/", "/run/secrets/", "/etc/wireguard/", "/.config/gh/hosts.yml",
)  # fmt: skip
_SOURCES = (
    ".py", ".pyi", ".md", ".rst", ".ts", ".tsx", ".js", ".jsx", ".go", ".rs", ".java", ".kt", ".rb", ".php", ".c",
    ".h", ".cpp", ".cs", ".swift", ".html", ".css", ".vue", ".svelte", ".ex", ".exs", ".scala", ".sh",
)  # fmt: skip
_HARMLESS_ENDINGS = (".example", ".sample", ".template", ".dist", ".tmpl", ".pub", ".defaults")


def is_sensitive_path(path: str) -> bool:
    """Whether the file at *path* is a place for credentials: what was read from it is dropped, not searched."""
    whole = "/" + path.strip().strip("\"'").replace("\\", "/").lower()
    name = whole.rpartition("/")[2]
    if not name or name.endswith(_HARMLESS_ENDINGS):
        return any(folder in whole for folder in _SECRET_FOLDERS if folder.endswith("/"))
    if name in _SECRET_NAMES or name.startswith(".env.") or name.endswith(".env") or name.endswith(_SECRET_ENDINGS):
        return True
    if any(folder in whole for folder in _SECRET_FOLDERS):
        return True
    if "/.ssh/" in whole:
        return name not in ("config", "known_hosts", "authorized_keys")
    if name.endswith(_SOURCES):
        return False
    stem = name.lstrip(".")
    return stem.startswith("credentials") or (
        stem.startswith("id_") and "." not in stem and stem[3:].partition("_")[0] in ("rsa", "dsa", "ecdsa", "ed25519")
    )


def names_sensitive_path(command: str) -> bool:
    """Whether a shell command names such a file, so that what it printed is dropped."""
    words = command
    for sign in ";|&<>()=\n`,":
        words = words.replace(sign, " ")
    return any(is_sensitive_path(word) for word in words.split())


def strip_private(text: str) -> "tuple[str, int]":
    """*text* without what stands between ``<private>`` and ``</private>``, and how many such spans there were.

    A span that is never closed reaches to the end: what was meant to be private stays private.
    """
    low = _lowered(text)
    at = low.find("<private>")
    if at < 0:
        return text, 0
    parts, last, count = [], 0, 0
    while at >= 0:
        parts.append(text[last:at])
        depth, place = 1, at + 9
        while depth:
            close, inner = low.find("</private>", place), low.find("<private>", place)
            if close < 0:
                place = len(text)
                break
            depth += 1 if 0 <= inner < close else -1
            place = inner + 9 if 0 <= inner < close else close + 10
        parts.append("[private]")
        last, count = place, count + 1
        at = low.find("<private>", last)
    parts.append(text[last:])
    return "".join(parts), count


# --- text made inert --------------------------------------------------------------------------------

_INVISIBLE = frozenset(
    (
        *range(0x20), *range(0x7F, 0xA0), 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5,
        *range(0x180B, 0x180F), *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x3164,
        *range(0xFE00, 0xFE0F), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFFC), *range(0xD800, 0xE000),
        *range(0xE0000, 0xE0200),
    )
) - {0x09, 0x0A}  # fmt: skip
_STRINGS = frozenset("]P^_X\x9d\x90\x9e\x9f\x98")


def neutral(text: str) -> "tuple[str, int]":
    """*text* that neither a terminal nor a reader can be tricked by, and how many letters were taken out.

    Gone: control letters but newline and tab, whole escape sequences, bidirectional
    controls, tag letters, and everything that has no width.
    """
    if text.isascii() and text.isprintable():
        return text, 0
    if "\x1b" in text or "\x9b" in text or "\x9d" in text or "\x90" in text:
        bare = _without_sequences(text)
    else:
        bare = text
    kept = "".join(letter for letter in bare if ord(letter) not in _INVISIBLE)
    return kept, len(text) - len(kept) - text.count("\r\n")


def _without_sequences(text: str) -> str:
    """*text* without CSI, OSC and the other escape sequences."""
    parts, at, size = [], 0, len(text)
    while at < size:
        letter = text[at]
        if letter not in "\x1b\x90\x98\x9b\x9d\x9e\x9f":
            parts.append(letter)
            at += 1
            continue
        kind = text[at + 1 : at + 2] if letter == "\x1b" else {"\x9b": "["}.get(letter, letter)
        at += 2 if letter == "\x1b" else 1
        if kind == "[":
            at += _run(text, at, "".join(map(chr, range(0x20, 0x40))))
            at += 1 if text[at : at + 1] and "@" <= text[at] <= "~" else 0
        elif kind and kind in _STRINGS:
            ends = [place for place in (text.find(end, at, at + LONGEST) for end in ("\x07", "\x1b\\", "\x9c")) if place >= 0]
            line = text.find("\n", at)
            nearest = min(ends) if ends else (line if line >= 0 else size)
            at = nearest if text[nearest : nearest + 1] == "\n" else nearest + (2 if text[nearest : nearest + 1] == "\x1b" else 1)
        elif kind and kind in " #%()*+-./":
            at += 1
    return "".join(parts)
