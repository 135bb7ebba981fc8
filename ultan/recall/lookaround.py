"""Patterns written for other engines, made fit for RE2; and the literals a pattern cannot match without.

RE2 has no lookahead. ``rm (?!build)`` becomes the pattern ``rm`` *unless* ``rm (?:build)`` matches in the same command or line: the same meaning, checked on canaries.
"""

from collections.abc import Iterator

MOST_LITERALS = 12
_OPENERS = "(?!"


def rewritten(pattern: str) -> tuple[str, tuple[str, ...]]:
    """*pattern* without negative lookaheads, and the ``unless`` patterns that stand for them.

    A pattern without one, or with one where this cannot be done, comes back as it is.
    """
    if _OPENERS not in pattern:
        return pattern, ()
    unless = []
    rest = pattern
    for _ in range(8):
        at = _lookahead(rest)
        if at < 0:
            break
        end = _closing(rest, at)
        if end < 0:
            return pattern, ()
        inner = rest[at + len(_OPENERS) : end]
        before = rest[:at]
        after = rest[end + 1 :]
        unless.append(_branch_before(before) + "(?:" + inner + ")")
        rest = before + after
    return rest, tuple(text if _OPENERS not in text else rewritten(text)[0] for text in unless)


def _bare(pattern: str, at: int = 0) -> Iterator[int]:
    """The places, from *at* on, of characters that are neither escaped nor inside a class: what has structure."""
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 2
        elif char == "[":
            try:
                at = _class_end(pattern, at)
            except IndexError:
                return  # never closed: nothing after it has structure
        else:
            yield at
            at += 1


def _lookahead(pattern: str) -> int:
    """Where the first negative lookahead stands, or -1."""
    return next((at for at in _bare(pattern) if pattern.startswith(_OPENERS, at)), -1)


def _closing(pattern: str, start: int) -> int:
    """Where the group that opens at *start* closes, or -1."""
    depth = 0
    for at in _bare(pattern, start):
        if pattern[at] == "(":
            depth += 1
        elif pattern[at] == ")":
            depth -= 1
            if depth == 0:
                return at
    return -1


def _branch_before(before: str) -> str:
    """What must stand before an exception: *before* without the other branches of what is still open."""
    opened: list[int] = []  # where each group that is still open begins
    starts = [0]  # where the branch begins at each depth
    for at in _bare(before):
        if before[at] == "(":
            opened.append(at)
            starts.append(_inner_start(before, at))
        elif before[at] == ")" and opened:
            opened.pop()
            starts.pop()
        elif before[at] == "|":
            starts[-1] = at + 1
    ends = [*opened, len(before)]
    return "".join(before[start:end] for start, end in zip(starts, ends, strict=True))


def _inner_start(pattern: str, at: int) -> int:
    """Where the content of the group that opens at *at* begins."""
    if pattern.startswith("(?P<", at) or pattern.startswith("(?<", at):
        return pattern.find(">", at) + 1
    if pattern.startswith("(?", at):
        return pattern.find(":", at) + 1
    return at + 1


# --- literals -----------------------------------------------------------------------------------


def needed_literals(pattern: str) -> list[str]:
    """Texts of which at least one must occur wherever *pattern* matches; empty if none is certain.

    Case is ignored by the caller, so that flags need not be understood.
    """
    best: list[str] = []
    try:
        needs, end = _needs(pattern, 0)
    except (IndexError, ValueError, RecursionError):  # a pattern that nothing reads
        return []
    if end != len(pattern):
        return []
    for need in needs:
        if not need or len(need) > MOST_LITERALS or min(map(len, need)) < 1:
            continue
        if not best or (min(map(len, need)), -len(need)) > (min(map(len, best)), -len(best)):
            best = sorted(need)
    return best


_Needs = list[frozenset[str]]


def _needs(pattern: str, at: int) -> tuple[_Needs, int]:
    """What an alternation needs: a list of sets, each with at least one text that must occur."""
    branches: list[_Needs] = []
    while True:
        branch, at = _branch(pattern, at)
        branches.append(branch)
        if at < len(pattern) and pattern[at] == "|":
            at += 1
            continue
        break
    if len(branches) == 1:
        return branches[0], at
    union: set[str] = set()
    for branch in branches:
        strongest = max(branch, key=lambda need: (min(map(len, need), default=0), -len(need)), default=frozenset())
        if not strongest:
            return [], at
        union |= strongest
    return [frozenset(union)], at


def _branch(pattern: str, at: int) -> tuple[_Needs, int]:  # noqa: C901, PLR0912 -- one branch a kind of character
    needs: _Needs = []
    run = ""

    def flush() -> None:
        nonlocal run
        if run:
            needs.append(frozenset((run,)))
        run = ""

    while at < len(pattern) and pattern[at] not in "|)":
        char = pattern[at]
        literal = ""
        inner: _Needs = []
        if char == "\\":
            literal, at, zero_width = _escape(pattern, at)
            if zero_width:
                continue
        elif char in "^$":
            at += 1
            continue
        elif char == "[":
            at = _class_end(pattern, at)
        elif char == "(":
            inner, at, zero_width = _group(pattern, at)
            if zero_width:
                continue
        elif char == ".":
            at += 1
        else:
            literal = char
            at += 1
        least, at = _quantifier(pattern, at)
        if literal and least == 1:
            run += literal
        elif literal and least > 1:
            run += literal
            flush()
            run = literal if least == 2 else ""
        else:
            flush()
            if inner and least:
                needs.extend(inner)
    flush()
    return needs, at


def _quantifier(pattern: str, at: int) -> tuple[int, int]:
    """How often the last piece occurs at least (1 means exactly once), and where it goes on."""
    if at >= len(pattern) or pattern[at] not in "?*+{":
        return 1, at
    char = pattern[at]
    at += 1
    least = {"?": 0, "*": 0, "+": 3}.get(char, 0)
    if char == "{":
        end = pattern.find("}", at)
        count = pattern[at:end].split(",")[0]  # noqa: PLC0207 -- the first part only
        if end < 0 or not count.isdigit():
            return 0, at if end < 0 else end + 1
        least = 3 if int(count) > 0 else 0
        at = end + 1
    if at < len(pattern) and pattern[at] in "?+":
        at += 1
    return least, at


def _escape(pattern: str, at: int) -> tuple[str, int, bool]:
    char = pattern[at + 1]
    if char in "bBAzZ":
        return "", at + 2, True
    if char in "pP" and pattern[at + 2 : at + 3] == "{":
        return "", pattern.index("}", at) + 1, False
    if char == "x":
        end = pattern.index("}", at) + 1 if pattern[at + 2 : at + 3] == "{" else at + 4
        return "", end, False
    if char in "tnrfv":
        return {"t": "\t", "n": "\n", "r": "\r"}.get(char, ""), at + 2, False
    if char.isalnum():
        return "", at + 2, False
    return char, at + 2, False


def _class_end(pattern: str, at: int) -> int:
    at += 1
    if pattern[at] == "^":
        at += 1
    if pattern[at] == "]":
        at += 1
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _group(pattern: str, at: int) -> tuple[_Needs, int, bool]:
    at += 1
    if pattern[at] == "?":
        if pattern[at + 1] == "P" or pattern[at + 1 : at + 2] == "<":
            at = pattern.index(">", at) + 1
        else:
            end = at + 1
            while pattern[end] not in ":)":
                end += 1
            if pattern[end] == ")":
                return [], end + 1, True  # flags for what follows
            at = end + 1
    needs, at = _needs(pattern, at)
    if pattern[at] != ")":
        raise IndexError
    return needs, at + 1, False
