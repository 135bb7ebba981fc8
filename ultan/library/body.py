"""The body of an entry: its rule, what stands around it, its links; pure text."""

import itertools
import re
from collections.abc import Iterable
from functools import lru_cache

RELATED = "## Related"
WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(\|[^\[\]\n]*)?\]\]")
_CODE = re.compile(r"^(```|~~~).*?^\1[ \t]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s")
_AFTER_RULE = re.compile(r"\s*(\*\*(why|how to apply)\b|#{2,6}\s+(why|how to apply|related)\b)", re.IGNORECASE)
_SECTION = re.compile(r"\s*\*\*(why|how to apply)\b|#{2,6}\s", re.IGNORECASE)
_OPENS = re.compile(r"#{1,6}\s|---+$|\*\*(why|how to apply)\b", re.IGNORECASE)


@lru_cache(maxsize=1 << 13)
def rule_of(body: str) -> str:
    """The text of *body* before **Why** or a section, without headings and comments."""
    kept = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if _AFTER_RULE.match(line):
            break
        if not _HEADING.match(line):
            kept.append(line.strip())
    paragraphs = re.split(r"\n{2,}", _COMMENT.sub("", "\n".join(kept)).strip())
    return "\n".join(" ".join(part.split()) for part in paragraphs)


def wikilinks(body: str) -> tuple[str, ...]:
    """Targets of the ``[[wikilinks]]`` outside code, each once, without ``.md`` and anchors."""
    if "[[" not in body:
        return ()
    found: dict[str, None] = {}
    for match in WIKILINK.finditer(_CODE.sub("", body)):
        target = match[1].strip().removesuffix(".md").strip("/")
        if target:
            found.setdefault(target)
    return tuple(found)


def composed(rule: str, why: str = "", how: str = "", related: Iterable[str] = ()) -> str:
    """The body of a new entry: the rule, **Why**, **How to apply**, and the related entries."""
    parts = [_paragraph(rule)]
    if why.strip():
        parts.append(f"**Why:** {_paragraph(why)}")
    if how.strip():
        parts.append(f"**How to apply:** {_paragraph(how)}")
    body = "\n\n".join(parts) + "\n"
    for target in related:
        body = with_related(body, target)
    return body


def revised(body: str, *, rule: str | None = None, why: str | None = None, how: str | None = None) -> str:
    """*body* with some of its parts said anew; headings and other sections stay."""
    lines = body.replace("\r\n", "\n").split("\n")
    starts = [number for number, line in enumerate(lines) if _SECTION.match(line)] or [len(lines)]
    lead, sections = lines[: starts[0]], ["\n".join(lines[a:b]) for a, b in itertools.pairwise([*starts, len(lines)])]
    if rule is not None:
        lead = [*itertools.takewhile(lambda line: _HEADING.match(line) or not line.strip(), lead), _paragraph(rule), ""]
    for title, text in (("How to apply", how), ("Why", why)):
        if text is None:
            continue
        said = [f"**{title}:** {_paragraph(text)}\n"] if text.strip() else []
        at = next((n for n, each in enumerate(sections) if _is_about(each, title)), -1)
        if at >= 0:
            sections[at : at + 1] = said
        else:
            after = [n for n, each in enumerate(sections) if title != "Why" and _is_about(each, "Why")]
            place = after[-1] + 1 if after else 0
            sections[place:place] = said
    return "\n".join([*lead, *sections]).rstrip("\n") + "\n"


def with_related(body: str, target: str) -> str:
    """*body* with a wikilink to *target* under ``## Related``."""
    line = f"- [[{target}]]"
    text = body.rstrip("\n")
    match = re.search(r"^## Related[ \t]*$", text, re.MULTILINE)
    if not match:
        return f"{text}\n\n{RELATED}\n\n{line}\n"
    following = re.search(r"^#{1,6}\s", text[match.end() :], re.MULTILINE)
    end = match.end() + following.start() if following else len(text)
    section = text[:end].rstrip("\n")
    gap = "\n" if section.rsplit("\n", 1)[-1].startswith("- ") else "\n\n"
    rest = "\n\n" + text[end:].lstrip("\n") if following else ""
    return f"{section}{gap}{line}{rest}\n"


def _is_about(section: str, title: str) -> bool:
    return section.lstrip(" *#").casefold().startswith(title.casefold())


def _paragraph(text: str) -> str:
    """*text* without blank lines and without line starts that would open a section of their own."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return "\n".join(f"\\{line}" if _OPENS.match(line) else line for line in lines)
