"""A heard statement made into the parts of an entry: rule, title, kind, scope, folder, cues, triggers.

All of it from the person's words and the tables; nothing is invented. A statement that leaves out
its object ("add this decorator to all methods") is completed by the statement it leans on.
"""

import functools
import re
from math import fsum
from typing import TYPE_CHECKING, Any

from ultan.library.actions import TriggerSpec
from ultan.staff import subjects
from ultan.staff.commands import COMMANDS, commands_in
from ultan.staff.cues import Cues, language_of, table
from ultan.staff.statements import Heard, Statement
from ultan.staff.subjects import Subject
from ultan.staff.weights import PERSONAL, SCOPE

if TYPE_CHECKING:
    from ultan.library.entry import Entry

# What a concept belongs to; the first that fits names the folder.
TOPICS = (
    ("git", ("commit", "branch", "review")),
    ("tests", ("test", "assertion")),
    ("naming", ("name",)),
    ("docs", ("doc", "docstring", "comment")),
    ("style", ("style", "annotation", "decorator", "import", "exception")),
    ("working-together", ("interaction",)),
    ("code", ("function", "method", "class", "argument", "variable", "attribute", "constant", "interface", "code", "module", "loop")),
    ("data", ("data", "api")),
    ("interface", ("ui",)),
    ("operations", ("build", "log", "config", "command")),
    ("files", ("file", "repository")),
)  # fmt: skip
# What is being done, as recall tells it by itself → the words of the trade by which a rule speaks of it.
ACTIVITIES = {
    "commits": r"commits?|committing|commit\s+messages?",
    "reviews": r"reviews?|reviewing|pull\s+requests?|prs?|merge\s+requests?",
    "writes docs": r"docs?|documentation|readme|changelog",
    "pushes": r"push(?:es|ing|ed)?(?!\s+notification)",
    "merges": r"merg(?:e|es|ing)|rebas(?:e|es|ing)|squash(?:es|ing)?",
    "releases": r"releas(?:e|es|ing)|deploy(?:s|ing|ed|ment|ments)?|publish(?:es|ing)?",
    "runs tests": r"(?:run|running)\s+(?:\w+\s+){0,2}tests?|tests?\b[^.;]*\b(?:run|runs|pass|green)",
}
# The same by concept, for the languages whose words for *before every* are not told here.
_SPOKEN_OF = {"commits": "commit", "reviews": "review", "writes docs": "doc"}
# A rule is for an activity if it says when to do what ("before every commit"), or begins with it ("commit messages are …",
# "never push …"); one that only speaks of commits, tests or docs on its way to something else is not.
_BOUND = r"(?:^(?:(?:please|always|never|only|don't|do\s+not|no|all|every|each|we|our|you)\s+)*(?:[\w-]+\s+)??|\b(?:before|after|when|whenever|while|until|every|each|any|on|for|in|with|without)\s+(?:(?:you|we|the|a|an|any|every|each|our|your|git)\s+)*(?:[\w-]+\s+)??)"
_GIT = re.compile(
    r"\bgit\s+([a-z-]+)((?:\s+--?[\w-]+)*)|\b(force[- ]push)|(--no-verify)\b|\b(amend|rebase|squash)",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"`([^`\n]+)`")
_GLOB = re.compile(r"(?<![\w/])((?:[\w.*-]+/)+[\w.*-]*|\*\.[A-Za-z]{1,5}|[\w-]+\.(?:md|py|ts|tsx|js|go|rs|toml|yaml|yml|json|lock|sql|sh|mod|css|html))(?![\w/])")  # fmt: skip
_EDIT = re.compile(r"\b(?:edit|touch|modif\w+|change|overwrite|write)\b", re.IGNORECASE)
_BANNED_BEFORE = re.compile(r"\b(?:forbidden|banned|off limits|not allowed|no longer)\b", re.IGNORECASE)
_TITLE_CHARS = 90
_OF_CONDUCT = frozenset(("manner", "taste"))  # "no summary at the end": of an answer, not of a name in code
_INTRODUCING = ("frame", "recall")  # groups of phrases that a title goes without


def left_out(statement: Statement, before: list[Heard]) -> Heard | None:
    """The earlier statement that *statement* needs to stand alone, or None if it does."""
    needs_object = bool(statement.aspects) and not statement.things & subjects.OBJECTS and not statement.marks & _OF_CONDUCT
    leans = "pointer" in statement.marks or (
        bool(statement.marks & {"anaphor", "vague"}) and not statement.subject.values
    )
    if not needs_object and not leans:
        return None
    for heard in reversed(before):
        earlier = heard.statement
        if "tiny" in earlier.marks or "courtesy" in earlier.marks or earlier.text == statement.text:
            continue
        if needs_object and earlier.things & subjects.OBJECTS:
            return heard
        if leans and (earlier.subject.values or ("filled" in earlier.marks or "slot" in earlier.marks)):
            return heard
    return None


def says_more(one: Subject, other: Subject) -> bool:
    """Whether *one* names an object or a value that *other* leaves open."""

    def count(subject: Subject) -> int:
        return sum(len(slot.target) + len(slot.values) for slot in subject.slots) + len(subject.values)

    return count(one) > count(other)


def rule_text(parts: list[Statement]) -> str:
    """The person's words as a rule: without what only led up to them, with a capital and a full stop."""
    sentences = []
    for part in parts:
        text = part.body.strip() or part.text.strip()
        text = text[0].upper() + text[1:] if text[0].isalpha() and "`" not in text[:1] else text
        sentences.append(text if text[-1] in ".!?。！？।؟" else text + ".")  # noqa: RUF001 -- their own marks
    return " ".join(sentences)[:1200]


def title_of(rule: str, cues: Cues) -> str:
    """The rule in a few words, without what introduces it, recalls that it was said, or asks for it politely."""
    text = subjects.before_reason(rule.split("\n", maxsplit=1)[0], cues).strip(" ,;:–—-")  # noqa: RUF001 -- dashes as typed
    for _ in range(3):
        end = max((hit.end for hit in cues.named(text, *_INTRODUCING) if hit.start == 0), default=0)
        if not end or len(text) - end < 8:
            break
        text = text[end:].lstrip(" ,:")
    bare = text.rstrip(" .!")
    polite = next((hit for hit in cues.named(bare, "polite") if hit.end == len(bare) and hit.start >= 8), None)
    text = bare[: polite.start].rstrip(" ,") if polite else text
    first = re.split(r"(?<=[^.\d])[.!?](?:\s|$)", text, maxsplit=1)[0].strip() or text
    if len(first) > _TITLE_CHARS:
        first = first[:_TITLE_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"
    first = first if len(first) >= 3 else rule[:_TITLE_CHARS]
    return (first[0].upper() + first[1:]).ljust(3, ".")


def is_global(statement: Statement, *, elsewhere: bool = False) -> bool:
    """Whether a rule is about the person and how the agent works, rather than about one project.

    *elsewhere*: the person said the same in another project.
    """
    if "everywhere" in statement.marks:
        return True
    if statement.marks & {"here", "local"}:
        return False
    features = statement.marks | {"=" + thing for thing in statement.things} | {""}
    features |= {"elsewhere"} if elsewhere else set()
    return bool(features & PERSONAL) and fsum(SCOPE.get(name, 0.0) for name in features) > 0


def topic_of(subject: Subject) -> str:
    """Name of the folder for *subject* below its scope."""
    concepts = subject.concepts | {slot.aspect for slot in subject.slots}
    for topic, members in TOPICS:
        if concepts.intersection(members):
            return topic
    return "general"


def tags_of(subject: Subject, rule: str) -> tuple[str, ...]:
    """Concepts and commands a rule is about, at most eight."""
    return tuple([*commands_in(rule), *sorted(subject.concepts)][:8])


def situations_of(subject: Subject, rule: str) -> tuple[str, ...]:
    """Cues naming when *rule* matters: what is being done, by recall's own names, and what a command named in it is for.

    Nothing vaguer: "changing the database" and its like, read off the concepts of a rule, found no entry
    that its words did not, and were met by prompts about anything else (docs/adr/0084-few-cues-and-certain-ones.md).
    """
    calls = [COMMANDS[command][1] for command in commands_in(rule)]
    found = activities_of(subject, rule)
    found += ["adds a dependency"] if any(call.endswith(" packages") for call in calls) else []
    return tuple(dict.fromkeys((*found, *calls)))[:6]


def activities_of(subject: Subject, rule: str) -> list[str]:
    """The situations of recall's own vocabulary that *rule* is for."""
    found = [name for name, words in ACTIVITIES.items() if re.search(rf"{_BOUND}(?:{words})\b", rule, re.IGNORECASE)]
    if subject.language != "en":
        found += [name for name, concept in _SPOKEN_OF.items() if concept in subject.concepts]
    return list(dict.fromkeys(found))


def details_of(subject: Subject, rule: str, cues: Cues) -> dict[str, Any]:
    """What else is read off a rule: the parts of an entry by which it is found."""
    return {
        "tags": tags_of(subject, rule), "applies_when": situations_of(subject, rule),
        "files": files_of(rule), "triggers": triggers_of(rule, cues),
    }  # fmt: skip


def files_of(rule: str) -> tuple[str, ...]:
    """Globs and paths a rule names."""
    named = (match.group(1)[:200] for match in _GLOB.finditer(rule))
    return tuple(dict.fromkeys(path.removesuffix(".") for path in named))[:8]  # a stop ends the sentence, not the path


def triggers_of(rule: str, cues: Cues) -> tuple[TriggerSpec, ...]:
    """Tool calls that would go against *rule*: commands and files it forbids. They advise, never block."""
    triggers: list[TriggerSpec] = []
    for segment in _banned(rule, cues):
        literals = _LITERAL.findall(segment)
        triggers += [_for_literal(literal) for literal in literals if " " in literal or literal in COMMANDS]
        plain = _LITERAL.sub(" ", segment)
        triggers += [
            TriggerSpec(tool="Bash", pattern=COMMANDS[name][0])
            for name in commands_in(plain)
            if COMMANDS[name][0]
        ]
        triggers += [_for_git(match) for match in _GIT.finditer(plain)]
        if _EDIT.search(plain):
            triggers += [
                TriggerSpec(tool="Edit|Write|MultiEdit", field="file_path", pattern=_path_pattern(path))
                for path in files_of(plain)
            ]
    unique = {(trigger.tool, trigger.pattern): trigger for trigger in triggers}
    return tuple(unique.values())[:8]


def _banned(rule: str, cues: Cues) -> list[str]:
    segments = subjects.banned(rule, cues)
    if _BANNED_BEFORE.search(rule):
        segments.append(_BANNED_BEFORE.split(rule, maxsplit=1)[0])
    return segments


def _for_literal(literal: str) -> TriggerSpec:
    if literal in COMMANDS and COMMANDS[literal][0]:
        return TriggerSpec(tool="Bash", pattern=COMMANDS[literal][0])
    words = r"\s+".join(re.escape(word) for word in literal.split())
    return TriggerSpec(tool="Bash", pattern=(r"\b" if literal[0].isalnum() else "") + words[:500])


def _for_git(match: re.Match[str]) -> TriggerSpec:
    verb, flags, force, no_verify, other = match.groups()
    if force:
        return TriggerSpec(tool="Bash", pattern=r"\bgit\s+push\b.*(?:--force\b|--force-with-lease\b|\s-f\b)")
    if no_verify:
        return TriggerSpec(tool="Bash", pattern=r"\bgit\s+\w+.*--no-verify\b")
    if other:
        verb = {"amend": r"commit\b.*--amend", "squash": r"merge\b.*--squash", "rebase": "rebase"}[
            other.lower()
        ]
        return TriggerSpec(tool="Bash", pattern=rf"\bgit\s+{verb}\b")
    tail = "".join(rf".*{re.escape(flag)}\b" for flag in (flags or "").split())
    return TriggerSpec(tool="Bash", pattern=rf"\bgit\s+{re.escape(verb)}\b{tail}")


def _path_pattern(path: str) -> str:
    """RE2 of the paths that *path* names: itself and, of a folder, all that lies below."""
    stem = path.removesuffix("**").removesuffix("*").removesuffix("/") if path.endswith(("/", "/*", "/**")) else path
    inside = re.escape(stem).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    ends = "/" if stem != path else "$" if "." in path.rpartition("/")[2] else "(?:/|$)"
    return rf"(?:^|/){inside}{ends}"


def subject_of_entry(entry: "Entry") -> Subject:
    """What an entry of the library is about."""
    return _subject_of_text(entry.rule or entry.title)


@functools.lru_cache(maxsize=4096)
def _subject_of_text(text: str) -> Subject:
    return subjects.subject_of(text, table(language_of(text)))
