"""Credentials known by sight: by their prefix, as key blocks, and by the place they stand in.

Families A, B and D of ``redaction``. Every function adds spans (start, end, kind) to
the list it is given; none of them looks at a letter more than a few times.
"""

from ultan import credentials
from ultan.credentials import BASE64, DIGITS, HEX, LOWER, URLSAFE, WORD
from ultan.values import (
    BARE,
    GRAPHIC,
    LONGEST,
    NAME,
    QUOTES,
    at_boundary,
    classes,
    is_address_password,
    is_login,
    is_secret,
    is_wordy,
    line_at,
    places_of,
    run,
    run_back,
    stands_for_another,
    unrest,
    word_at,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    Found = list[tuple[int, int, str]]

_NO_WORD = "\"'`\\<>()[]{}|,; \t\r\n?"
_TO_WORDS = bytes(32 if chr(code) in _NO_WORD else code for code in range(256))
_ADDRESS = "".join(letter for letter in GRAPHIC if letter not in _NO_WORD) + "?"
_LONG = 18  # no token of the table is shorter
_BLOCK = 32768
_HEADERS = ("Proc-Type", "DEK-Info", "Version:", "Comment:", "Hash:", "Private-MAC")
# Commands → the flags after which they take a password, and whether as ``user:password``.
_COMMANDS = (
    (("curl", "wget", "http "), (" -u ", " -u", " --user ", " --user=", " --proxy-user ", " -a "), True),
    (("mysql", "mariadb"), (" -p",), False),
    (("sshpass",), (" -p ", " -p"), False),
    (("redis-cli",), (" -a ",), False),
    (("docker login", "podman login", "helm registry login", "twine", "smbclient"), (" -p ",), False),
    (("cargo login", "npm login", "gh auth"), ("login ",), False),
)


def find_all(text: str, low: str, found: "Found") -> None:
    """Add every credential known by sight in *text*; *low* is the same text in lower case."""
    crowd = _long_words(text)
    if crowd:
        _prefixes(text, crowd, found)
        _infixes(text, crowd, found)
    _key_blocks(text, found)
    if "://" in text:
        _addresses(text, low, found)
        _user_infos(text, found)
    _headers(text, low, found)
    _commands(text, low, found)
    _password_files(text, low, found)
    if is_cluster_secret(low):
        _cluster_secrets(text, low, found)
    _seed_phrases(text, low, found)


# --- A: tokens by their prefix ----------------------------------------------------------------------


def _long_words(text: str) -> str:
    """The words of *text* that are long enough to be a token: what the literals are looked for in first."""
    return b" ".join(
        word for word in text.encode("ascii", "replace").translate(_TO_WORDS).split() if len(word) >= _LONG
    ).decode("ascii")


def _is_token(body: str, *, doubtful: bool) -> bool:
    """Whether what follows a known prefix was drawn at random rather than written; a *doubtful* one may begin a name."""
    low = body.lower()
    if len(set(body)) < 5 or any(word in low for word in credentials.STAND_INS):
        return False
    lower, upper, digit, other = classes(body)
    if not digit:
        return lower and upper and unrest(body) > 0.15
    return not doubtful or upper or not (other and is_wordy(body))


def _prefixes(text: str, crowd: str, found: "Found") -> None:
    for literal, kind, alphabet, least, exact in credentials.PREFIXES:
        at = text.find(literal) if literal in crowd else -1
        while at >= 0:
            start = at + len(literal)
            if at_boundary(text, at, timid=literal in credentials.TIMID):
                size = run(text, start, alphabet)
                body = text[start : start + size].rstrip(".,")
                if (
                    size >= least
                    and exact in (0, size)
                    and _is_token(body, doubtful=literal in credentials.TIMID)
                ):
                    found.append((at, start + len(body), kind))
                start += size
            at = text.find(literal, start)
    for literal, kind, shape in credentials.SHAPES:
        at = text.find(literal) if literal in crowd else -1
        while at >= 0:
            size = run(text, at, URLSAFE + ".") if at_boundary(text, at) else len(literal)
            parts = text[at : at + size].rstrip(".").split(".")
            if len(parts) >= len(shape) and all(
                least <= len(part) <= most for part, (least, most) in zip(parts, shape, strict=False)
            ):
                found.append((at, at + len(".".join(parts)), kind))
            at = text.find(literal, at + size)


def _infixes(text: str, crowd: str, found: "Found") -> None:
    for literal, kind, left, left_least, left_most, right, right_least, right_most in credentials.INFIXES:
        for at in places_of(text, literal) if literal in crowd else ():
            after = at + len(literal)
            before, size = run_back(text, at, left), run(text, after, right)
            start = at - min(before, left_most)
            short = left_most <= 3 or left is HEX or left is DIGITS  # such a head must begin at a boundary
            if (
                before < left_least
                or not right_least <= size <= right_most
                or (short and not at_boundary(text, start))
            ):
                continue
            if _is_token(text[start:at] + text[after : after + size], doubtful=False):
                found.append((start, after + size, kind))


def _addresses(text: str, low: str, found: "Found") -> None:
    """Addresses that are credentials as a whole."""
    for literal, kind, least in credentials.ADDRESSES:
        for at in places_of(low, literal):
            body = text[at : at + run(text, at, _ADDRESS)].rstrip(".:&*")
            scheme = text.rfind("://", max(0, at - 120), at)
            start = scheme - run_back(text, scheme, LOWER, 8) if scheme >= 0 else at
            if len(body) - len(literal) >= least and not stands_for_another(body[len(literal) :]):
                found.append((start, at + len(body), kind))


# --- B: key blocks ----------------------------------------------------------------------------------


def _key_blocks(text: str, found: "Found") -> None:
    if "-----" in text and "PRIVATE KEY" in text:
        for at in places_of(text, "-----BEGIN "):
            label = text[at + 11 : at + 80].partition("-----")[0]
            if "PRIVATE KEY" in label:
                found.append((at, _block_end(text, at + 16 + len(label)), "private-key"))
        for at in places_of(text, "-----END "):
            label = text[at + 9 : at + 80].partition("-----")[0]
            opened = text.rfind("-----BEGIN", max(0, at - _BLOCK), at)
            if "PRIVATE KEY" in label and (opened < 0 or text.find("-----END", opened, at) >= 0):
                found.append((_lines_start(text, at), min(at + len(label) + 14, len(text)), "private-key"))
    for at in places_of(text, "Private-Lines:"):
        start = at + 14 + run(text, at + 14, " \t" + DIGITS)
        end = _lines_end(text, start)
        if end - start > 20:
            found.append((start, end, "private-key"))


def _block_end(text: str, begin: int) -> int:
    """Where a block whose BEGIN line ends at *begin* ends: at its END, else with its last line of base64."""
    end = text.find("-----END ", begin, begin + _BLOCK)
    other = text.find("-----BEGIN ", begin, begin + _BLOCK)
    if end >= 0 and (other < 0 or end < other):
        tail = text.find("-----", end + 9, end + 80)
        return tail + 5 if tail >= 0 else min(end + 9, len(text))
    return _lines_end(text, begin)


def _lines_start(text: str, end: int) -> int:
    """The start of the lines of a block whose BEGIN is missing, before the END line at *end*."""
    start = end
    while start > 0:
        line = text.rfind("\n", 0, start - 1) + 1
        if not _is_key_line(text[line:start]):
            break
        start = line
    return start


def _lines_end(text: str, begin: int) -> int:
    """The end of the lines of base64 that follow *begin*, whether their ends are real or written out."""
    end = at = min(begin, len(text))
    while at < len(text):
        while text.startswith(("\\n", "\\r", "\\t"), at):
            at += 2
        stop = min(place if place >= 0 else len(text) for place in (text.find("\n", at), text.find("\\", at)))
        line = text[at:stop]
        if line.strip() and not _is_key_line(line):
            size = run(text, at, BASE64)
            return at + size if size >= 24 else end
        end = stop if line.strip() else end
        at = max(stop + (text[stop : stop + 1] == "\n"), at + 1)
    return end


def _is_key_line(line: str) -> bool:
    """Whether a line (perhaps numbered or quoted by a tool) belongs to a key block."""
    body = line.strip().lstrip(DIGITS + " \t\u2192|>:#*/").strip(" \t\r\"',+")
    if body.startswith(_HEADERS):
        return True
    return not body or (
        len(body) >= 2 and not body.strip(BASE64) and (len(body) > 40 or " " not in line.strip())
    )


# --- D: places --------------------------------------------------------------------------------------


def _user_infos(text: str, found: "Found") -> None:
    """Passwords and tokens before the ``@`` of an address."""
    for at in places_of(text, "://"):
        words = text[at + 3 : at + 303]
        start = at + 3 + len(words) - len(words.lstrip())
        authority = (words.split(None, 1) or [""])[0]
        for stop in "<>\"'`\\":
            authority = authority.partition(stop)[0]
        mark = authority.rfind("@")
        for stop in "/?#":
            place = authority.find(stop)
            if 0 <= place < mark:
                mark = authority.rfind("@", 0, place)
        user, colon, word = authority[: max(mark, 0)].partition(":")
        if colon and is_address_password(word):
            found.append((start + len(user) + 1, start + mark, "url-password"))
        elif mark >= 20 and not colon and is_secret(user, "token", quoted=True, least=20):
            found.append((start, start + mark, "url-token"))


def _headers(text: str, low: str, found: "Found") -> None:
    """What follows ``Bearer`` and ``Basic``, and cookies."""
    for scheme in ("bearer ", "bearer%20"):
        for at in places_of(low, scheme):
            start, end, _ = word_at(text, at + len(scheme))
            if is_secret(text[start:end], "token", quoted=True, least=16):
                found.append((start, end, "bearer-token"))
    for at in places_of(low, "basic "):
        start, _, _ = word_at(text, at + 6)
        size = run(text, start, BASE64 + "-_")
        if size >= 8 and is_login(text[start : start + size]):
            found.append((start, start + size, "basic-auth"))
    for header in ("cookie:", 'cookie":', 'cookie\\":'):
        done = 0
        for at in places_of(low, header):
            if at >= done:
                done = at + _cookies(line_at(text, at, LONGEST), at, found)


def _cookies(line: str, at: int, found: "Found") -> int:
    """Add the strong values of a cookie header; how many letters were read."""
    for place in places_of(line, "="):
        size = run(line, place + 1, URLSAFE + ".%+/=|~!*", 600)
        value = line[place + 1 : place + 1 + size]
        if size >= 16 and value[0] != "=" and is_secret(value, "token", quoted=True, least=16):
            found.append((at + place + 1, at + place + 1 + size, "cookie"))
    return len(line)


def _commands(text: str, low: str, found: "Found") -> None:
    """Passwords that command lines take in their own ways."""
    for tools, flags, login in _COMMANDS:
        for tool in tools:
            done = 0
            for at in places_of(low, tool):
                if at >= done:
                    line = line_at(text, at, 600)
                    done = at + len(line)
                    for flag in flags:
                        for place in places_of(line, flag):
                            _argument(
                                text,
                                at + place + len(flag),
                                login=login,
                                spaced=flag[-1] in " =",
                                found=found,
                            )


def _argument(text: str, at: int, *, login: bool, spaced: bool, found: "Found") -> None:
    start, end, quoted = word_at(text, at)
    if not spaced and text[at : at + 1] in (" ", "\t"):
        return
    value = text[start:end]
    if login:
        user, _, word = value.partition(":")
        value = word.strip(QUOTES + ":\\")
        start = text.find(value, start + len(user)) if value else start
    if is_secret(value, "password", quoted=quoted or login, least=6):
        found.append((start, start + len(value), "password"))


def _password_files(text: str, low: str, found: "Found") -> None:
    """Lines of ``.netrc`` and ``.pgpass``."""
    for at in places_of(low, "password") if "login" in low or "machine" in low else ():
        before = low[max(0, at - 160) : at]
        start, end, _ = word_at(text, at + 8)
        gap = text[at + 8 : start]
        announced = ("machine " in before or "login " in before) and gap and not gap.strip(" \t\"'\\")
        if announced and is_secret(text[start:end], "password", quoted=True, least=6):
            found.append((start, end, "password"))
    for port in (":5432:", ":5433:", ":5434:", ":6432:", ":*:"):
        for at in places_of(text, port):
            start = at + len(port)
            fields = text[start : start + run(text, start, GRAPHIC, 300)].rstrip(".,:;)\"'`").split(":")
            if len(fields) == 3 and is_address_password(fields[2]):
                start += len(fields[0]) + len(fields[1]) + 2
                found.append((start, start + len(fields[2]), "password"))


def is_cluster_secret(low: str) -> bool:
    """Whether a text in lower case holds a Kubernetes Secret."""
    return "data" in low and ("kind: secret" in low or '"kind": "secret"' in low or '"kind":"secret"' in low)


def _cluster_secrets(text: str, low: str, found: "Found") -> None:
    """Every value under ``data`` and ``stringData``, strong or not."""
    done = 0
    for at in places_of(low, "data"):
        place = at + 4 + run(text, at + 4, "\"': {\\")
        end = min(len(text), place + 8192)
        while done <= place < end:
            colon = text.find(":", place, end)
            key = text[place:colon].strip(" \n\t\"'{,\\").removeprefix("n").strip() if colon >= 0 else ""
            if not key or key.strip(NAME) or key in ("kind", "metadata", "apiVersion", "type"):
                break
            start, stop, _ = word_at(text, colon + 1)
            value = text[start:stop]
            if len(value) >= 4 and not value.strip(BARE) and value[0] not in "[{":
                found.append((start, stop, "kubernetes-secret"))
            done = place = max(stop, colon + 1)


def _seed_phrases(text: str, low: str, found: "Found") -> None:
    """Twelve to twenty-four short words after a phrase that announces them; keys given to ``Fernet``."""
    for stem in ("seed phrase", "mnemonic", "recovery phrase", "secret phrase", "seed words", "seed="):
        for at in places_of(low, stem):
            start = at + len(stem)
            start += run(low, start, " :=\"'`\\-\n\t", 12)
            start += 3 if low.startswith("is ", start) else 0
            words = low[start : start + 240].split(" ")[:24]
            count = 0
            while count < len(words) and 3 <= len(words[count]) <= 8 and not words[count].strip(LOWER):
                count += 1
            if count < len(words) and count >= 11:  # the last may carry a full stop
                count += 3 <= run(words[count], 0, LOWER) <= 8
            if count >= 12:
                last = words[count - 1]
                size = len(" ".join(words[: count - 1])) + 1 + run(last, 0, LOWER)
                found.append((start, start + size, "seed-phrase"))
    for at in places_of(text, "Fernet("):
        start, _, _ = word_at(text, at + 7)
        start += run(text, start, QUOTES, 2)
        size = run(text, start, BASE64 + "-_")
        if size >= 43 and not text[start : start + size].strip(WORD + "-_="):
            found.append((start, start + size, "fernet-key"))
