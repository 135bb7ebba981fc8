"""What is going on, told by rules from prompt, files and session; and the keys by which files are found.

Standing rules are lexically far from the prompt that needs them: "why does it hang?" names no rule
about diagnosing before fixing. ``VOCABULARY`` is the small set of situations told here: what kind of
message a prompt is, and what is being done. Each is described twice, once in the words of a prompt
that stands in it, once in the words of a note about it ("user asks for an explanation"). When the
index is made, the second description decides how much an entry leans to each situation
(``leanings``); when a prompt comes, the first decides which are on. A cue or a trigger may also name
one outright. Deciding both sides by the same words was tried first and earned nothing on PrimeBench
(recall@3 .603 without, .592-.598 with); with two it earns .02, and .12 among global preferences.
"""

from ultan.recall.text import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

# Extension → the words an entry would use for that language or format.
LANGUAGES = {
    "py": "python", "pyi": "python", "ipynb": "python notebook", "go": "go golang", "mod": "go module dependency",
    "ts": "typescript", "tsx": "typescript react component", "js": "javascript node", "mjs": "javascript node",
    "cjs": "javascript node", "jsx": "javascript react component", "vue": "vue component", "svelte": "svelte",
    "rs": "rust", "rb": "ruby", "java": "java", "kt": "kotlin", "swift": "swift", "c": "c", "h": "c header",
    "cpp": "c++", "cc": "c++", "hpp": "c++", "cs": "csharp", "php": "php", "scala": "scala", "ex": "elixir",
    "exs": "elixir", "sol": "solidity", "dart": "dart flutter", "lua": "lua", "r": "r", "jl": "julia",
    "sh": "shell script", "bash": "shell script", "zsh": "shell script", "sql": "sql query", "css": "css style",
    "scss": "css style", "html": "html", "md": "markdown docs", "mdx": "markdown docs", "rst": "docs", "json": "json",
    "yaml": "yaml config", "yml": "yaml config", "toml": "toml config", "lock": "dependency lock", "tf": "terraform",
    "proto": "protobuf", "graphql": "graphql", "xml": "xml", "csv": "csv", "txt": "text", "env": "environment secret",
    "ini": "config", "cfg": "config", "dockerfile": "docker container", "mmd": "mermaid diagram",
}  # fmt: skip

_BREAKS = {ord(char): " " for char in "`'\"()[]{}<>,;:=|&*!?#$@\\\n\t\r"}
NAME, EXTENSION, ANY, SITUATION, DOING = "\0file:", "\0ext:", "\0files", "\0situation:", "\0doing:"


def file_keys(glob: str) -> "list[str]":
    """Under which terms an entry with the file pattern *glob* is found."""
    last = glob.rstrip("/").rsplit("/", 1)[-1].lower()
    if last and not any(char in last for char in "*?["):
        return [NAME + last]
    if last.startswith("*.") and last[2:].isalnum():
        return [EXTENSION + last[2:]]
    return [ANY]


def path_keys(path: str) -> "list[str]":
    """Under which terms entries about the file at *path* may stand."""
    last = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].lower()
    return [NAME + last, EXTENSION + last.rsplit(".", 1)[-1], ANY] if last else []


def mentioned_files(text: str, most: int = 40) -> "list[str]":
    """The terms of file names that stand in *text*: words that end in a known extension."""
    found: dict[str, None] = {}
    for word in text.translate(_BREAKS).split():
        if "." not in word:
            continue
        name = word.rsplit("/", 1)[-1].rstrip(".").lower()
        stem, _, extension = name.rpartition(".")
        if stem and extension in LANGUAGES and not stem.isdigit():
            found[NAME + name] = None
            if len(found) >= most:
                break
    return list(found)


def named_situation(name: str) -> str:
    """The situation that a cue, or the pattern of a trigger, names outright; else ``""``."""
    name = " ".join(name.lower().split()).rstrip(".")
    return name if name in VOCABULARY else ""


# --- the vocabulary ---------------------------------------------------------------------------------

# Situation → (words, phrases) of a prompt that tell it, and the words by which notes speak of it.
# Those with neither words nor phrases are told by form alone (``_by_form``); no entry leans to those
# without the last, which only count where a cue or a trigger names them.
# What kind of message it is:
MESSAGES: "dict[str, tuple[str, tuple[str, ...], str]]" = {
    "asks why": (
        "why explain reason understand weird odd strange unexpected curious",
        ("how come", "how does", "how do these", "what causes", "what happens", "what is going on", "what's going on"),
        "ask asks asked why explain explaining explanation reason cause diagnose diagnosis question understand unexpected odd happens",
    ),
    "asks for steps": (
        "",
        ("how do i", "how can i", "how would i", "walk me", "give me the", "step by step", "show me how", "what do i run",
         "the steps", "the command", "exact command", "instructions"),
        "ask asked steps command commands instructions walk run copy paste how manual manually themselves",
    ),
    "picks by number": ("", (), "number numbers numbered item items list pick picks partial selected observation"),
    "pasted review": (
        "", (), "review reviewer reviewed comment comments feedback suggestion suggestions remark finding findings bot pasted",
    ),
    "pasted log": ("", (), "pasted log logs error errors output trace traceback stack crash failure fails"),
    "complaint": (
        "wtf annoying sigh ugh damn fuck fucking shit seriously nope",
        ("still not", "still wrong", "that's wrong", "thats wrong", "not what i", "i told you", "i said", "you broke", "stop doing",
         "!!", "doesn't work", "didn't work", "not working"),
        "annoyed complains complaint frustrated upset angry wrong mistake correction corrected repeated apology",
    ),
    "holds back": (
        "",
        ("don't do", "dont do", "not yet", "hold off", "before you", "without changing", "don't change", "don't implement",
         "don't fix", "don't write", "no changes", "just look", "let me know", "dry run", "dry-run", "for now"),
        "hold wait yet not before without changing looking only plan planning ask asking permission approval confirm",
    ),
    "asks whether done": (
        "confirm status",
        ("did you", "have you", "have we", "did we", "are we done", "is it done", "right?", "is everything", "is that all",
         "where are we", "what is left", "what's left", "was it", "double check", "are you sure"),
        "asked whether done confirm state status check verified pushed committed finished complete claim",
    ),
    "asks for an opinion": (
        "recommend options alternatives thoughts",
        ("what do you think", "should we", "should i", "would it", "which is better", "your opinion", "pros and cons",
         "is there a way", "better to", "do you agree", "make sense"),
        "opinion option options alternative alternatives approach approaches choose choice recommend decide decision pros cons",
    ),
    "goes on with a plan": (
        "proceed continue implement phase chunk",
        ("go ahead", "do it", "next step", "let's do", "keep going"),
        "proceed proceeding continue continuing phase phases step steps implementing execute executing agreed plan approved",
    ),
    "another agent": (
        "",
        ("another agent", "other agent", "coding agent", "another session", "other session", "someone else", "contributor",
         "another model", "a subagent"),
        "another agent agents session model different parallel handoff contributor someone other",
    ),
    "changed by hand": (
        "",
        ("i changed", "i edited", "i updated", "i moved", "i renamed", "i removed", "i deleted", "i've changed", "i've updated",
         "i've edited", "i've moved", "i've switched", "i tweaked", "my change", "my edit", "my tweak", "re-read", "reread",
         "read the file", "read it again", "look again", "i made some"),
        "user edited changed updated modified removed hand re-read again file document since",
    ),
    "dictates wording": ("", (), "wording text message label exact dictates copy string title caption phrase quote interface"),
    "names things": ("rename name names naming named called", (), "name names naming rename renamed called"),
    "shows a picture": ("screenshot screenshots png", ("[image",), "screenshot image picture interface screen layout visual ui display"),
    "asks for less": (
        "simple simpler simplify overkill overcomplicating overengineered complicated unnecessary",
        ("do we need", "don't need", "don't want", "why do we have", "too much", "get rid of"),
        "simple simplest simpler overcomplicating complexity extra machinery edge case cache limit abstraction option flag unnecessary",
    ),
    "and the others": (
        "others elsewhere remaining siblings everywhere similarly",
        ("the other", "same for", "same thing", " too?", " too,", "as well"),
        "others sibling siblings similar other same several places modules consistent asymmetry every",
    ),
    "another language": ("", (), "language foreign unusual words translation translate english phrase"),
}  # fmt: skip
# What is being done. Notes about it are found by its words anyway, so only those count that name it or
# are certainly about it (weaker leanings cost .02 of recall@3).
ACTIVITIES: "dict[str, tuple[str, tuple[str, ...], str]]" = {
    "commits": ("commit commits committing committed amend", (), "commit commits committing message staged unstaged"),
    "pushes": ("push pushing pushed pr prs", (), "push pushing pushed remote force fork pull request"),
    "merges": ("merge merging rebase rebasing squash worktree conflicts", (), "merge merging rebase rebasing squash conflict conflicts"),
    "writes docs": (
        "docs doc document documentation readme changelog markdown guide md", (),
        "document documents documentation docs doc readme markdown heading headings changelog writing editing",
    ),
    "adds a dependency": (
        "dependency dependencies deps library libraries package packages install installing upgrade sdk requirements", (),
        "dependency dependencies library libraries package packages upgrade upgrading adding",
    ),
    "deletes": ("delete deleting remove rm drop clean cleanup wipe purge", (), "delete deleting deletes recursive removing directory"),
    "reviews": ("review reviewing audit", (), ""),
    "makes a plan": ("plan plans planning design proposal propose approach options brainstorm roadmap", (), ""),
    "changes code": ("add fix change update refactor rename remove replace move extract implement", (), ""),
    "runs tests": ("test tests testing coverage failing fails flaky spec", (), ""),
    "releases": ("release version tag publish deploy ship bump", (), ""),
    "handles secrets": ("token secret password credential credentials env login", (), ""),
}  # fmt: skip
VOCABULARY = {**MESSAGES, **ACTIVITIES}
SEEN_CHARS = 20_000  # of a pasted megabyte
HEAD_CHARS, RULE_CHARS = 1500, 300  # of a prompt; what follows is pasted more often than said
FIRST_CHARS = 160
REVIEW_WORDS = frozenset(
    "review reviewer reviewed comment comments feedback nit suggestion suggestions finding findings copilot coderabbit".split()  # noqa: SIM905 -- a list of words reads best as words
)
LOG_MARKS = ("Traceback (most recent", "panic:", "error:", "Error:", "ERROR", "FAIL", "Exception", "    at ", "npm ERR", "exit code")
WORDING = frozenset("say says text message label wording title word copy change replace call".split())  # noqa: SIM905 -- as above
SHORT, ASSENT = 25, 6  # words of a prompt that only picks, or only agrees
TAKES_IN = frozenset(("project", "stack", "backend", "frontend", "pyproject", "requirements"))
OF_WORK = ("ing", "tion", "ity")  # such nouns name work, hardly ever a package; nor do plurals
ENGLISH = frozenset(("the", "it", "this", "and", "you", "please", "that", "with", "my", "what", "we", "should"))
DOCUMENTS = (".md", ".mdx", ".rst", ".adoc")


def situations_of(text: str, files: "tuple[str, ...] | list[str]" = (), tail: str = "") -> "list[str]":
    """The situations that a prompt stands in, in the order of ``VOCABULARY``."""
    text = text[:SEEN_CHARS]
    head = text[:HEAD_CHARS]
    low = " ".join(head.lower().replace("\u2019", "'").split())
    words = _bare(low)
    said = set(words)
    found = _by_form(text, low, words, said, tail)
    if said.isdisjoint(ENGLISH):
        from ultan.recall.tongues import doing  # noqa: PLC0415 -- eighteen languages, seldom more than one

        found.update(doing(low, said))
    if files and files[0].lower().endswith(DOCUMENTS):
        found.add("writes docs")
    return [
        name
        for name, (tells, phrases, _) in VOCABULARY.items()
        if name in found or not said.isdisjoint(tells.split()) or any(phrase in low for phrase in phrases)
    ]


def _bare(low: str) -> "list[str]":
    return low.replace("'", "").translate(_BREAKS).replace(".", " ").split()


def _by_form(text: str, low: str, words: "list[str]", said: "set[str]", tail: str) -> "set[str]":
    """The situations that are told by how a prompt looks, not by its words alone."""
    found = set()
    lines = text.count("\n") + 1
    is_pasted = lines > 12 or "```" in text or text.count("\n>") > 2 or len(text) > 1200
    if len(words) <= SHORT and any(word.strip("#").isdigit() and len(word.strip("#")) <= 2 for word in words):
        found.add("picks by number")
    if len(words) > SHORT and not REVIEW_WORDS.isdisjoint(_bare(low[:FIRST_CHARS])):
        found.add("pasted review")
    if (is_pasted or lines > 3) and any(mark in text for mark in LOG_MARKS):
        found.add("pasted log")
    if ((low.count('"') > 1 or low.count("`") > 1) and not said.isdisjoint(WORDING)) or low.startswith(("...", '"')):
        found.add("dictates wording")
    letters = sum(char.isalpha() for char in text[:HEAD_CHARS])
    if letters > 8 and sum(char.isalpha() and not char.isascii() for char in text[:HEAD_CHARS]) * 3 > letters:
        found.add("another language")
    if "add" in said and not said.isdisjoint(TAKES_IN) and _adds_by_name(words):
        found.add("adds a dependency")
    if len(words) <= ASSENT and "?" in tail[-300:]:
        found.add("goes on with a plan")  # an assent to what was just proposed
    return found


def _adds_by_name(words: "list[str]") -> bool:
    """Whether one thing is added by its name, as packages are: "add flask to the project", not "add a button", "add caching"."""
    for at, word in enumerate(words):
        if word == "add" and words[at + 2 : at + 3] == ["to"] and not TAKES_IN.isdisjoint(words[at + 3 : at + 6]):
            name = words[at + 1]
            is_plural = name.endswith("s") and not name.endswith(("is", "ss", "us", "js"))
            if not is_plural and not name.endswith(OF_WORK) and all(name not in tells.split() for tells, _, _ in ACTIVITIES.values()):
                return True
    return False


# --- entries ----------------------------------------------------------------------------------------

TRIGGER_TOOL = "situation"  # a trigger of this tool names a situation, in the place of a pattern
DAMPING = 1.0  # words added to every line, so that one word is not all of a short line
LEAST_LEANING = 0.2  # weaker ones are chance: one word in a long cue
CERTAIN = 0.5  # from here on an entry is about the situation: half of a line speaks of it
NAMED = 0.75  # the leaning of an entry that names a situation outright
LEVELS = 8  # a leaning is kept as so many eighths, as part of a key: what is found by key has no weight


def situation_keys(
    title: str, cues: "Iterable[str]", rule: str, triggers: "Iterable[tuple[str, str]]" = ()
) -> "list[str]":
    """Under which keys an entry is found when a situation is on; *triggers* are its (tool, pattern).

    A prompt finds entries that lean to the kind of message it is, or certainly to what it is about. A
    tool call finds those that lean to what it does, if no trigger of their own says which calls they mean.
    """
    cues, triggers = tuple(cues), tuple(triggers)
    found = leanings((title, *cues) if cues else (title, rule[:RULE_CHARS]))
    patterns = [pattern for tool, pattern in triggers if tool == TRIGGER_TOOL]
    named = {name: max(NAMED, found.get(name, 0.0)) for name in map(named_situation, (*cues, *patterns)) if name}
    told = {name: leaning for name, leaning in found.items() if name in MESSAGES or leaning >= CERTAIN} | named
    done = found | named if len(patterns) == len(triggers) else {}
    keys = [level_key(name, round(leaning * LEVELS)) for name, leaning in told.items()]
    return keys + [level_key(name, round(done[name] * LEVELS), DOING) for name in done if name in ACTIVITIES]


def level_key(name: str, level: int, way: str = SITUATION) -> str:
    """The key of a situation at one level of leaning, as a prompt or (``DOING``) a tool call looks it up."""
    return f"{way}{name}/{level}"


def leanings(lines: "Iterable[str]") -> "dict[str, float]":
    """How much an entry that consists of *lines* leans to each situation, from ``LEAST_LEANING`` up to 1.

    That is the share of its best line that the situation's description repeats. It depends on the
    entry alone, so that a compile after one change need not look at the others.
    """
    found: dict[str, float] = {}
    described = _described()
    for line in lines:
        held = set(terms(line))
        for term in held:
            for name in described.get(term, ()):
                share = sum(name in described.get(other, ()) for other in held) / (len(held) + DAMPING)
                if share >= LEAST_LEANING and share > found.get(name, 0.0):
                    found[name] = share
    return found


_DESCRIBED: "dict[str, tuple[str, ...]]" = {}


def _described() -> "dict[str, tuple[str, ...]]":
    """Term → the situations whose description holds it."""
    if not _DESCRIBED:
        for name, (_, _, words) in VOCABULARY.items():
            for term in set(terms(words)):
                _DESCRIBED[term] = (*_DESCRIBED.get(term, ()), name)
    return _DESCRIBED


# --- tool calls -------------------------------------------------------------------------------------

_FROM_GIT = {"commit": "commits", "push": "pushes", "merge": "merges", "rebase": "merges"}
_ADDS = {"npm": "install i add", "pnpm": "install i add", "yarn": "add", "bun": "add install", "pip": "install", "pip3": "install",
         "uv": "add", "poetry": "add", "pdm": "add", "cargo": "add", "go": "get", "gem": "install", "composer": "require",
         "dotnet": "add", "conda": "install", "mix": "deps.get"}  # fmt: skip
_WRITERS = frozenset(("Write", "Edit", "MultiEdit"))


def situations_of_call(tool: str, tool_input: "Mapping[str, Any]") -> "list[str]":
    """The situations that a tool call is certainly in: a document written, a commit, a package added, a tree deleted."""
    if tool in _WRITERS:
        path = tool_input.get("file_path")
        return ["writes docs"] if isinstance(path, str) and path.lower().endswith(DOCUMENTS) else []
    line = tool_input.get("command")
    if not isinstance(line, str) or not _may_tell(line):
        return []
    from ultan.recall.shell import commands  # noqa: PLC0415 -- only where a word of the line gives reason

    found: dict[str, None] = {}
    for command in commands(line[:HEAD_CHARS]):
        words = [word.text for word in command.words if not word.text.startswith("-")]
        program = command.program
        verb = words[1] if len(words) > 1 else ""
        if program == "git" and verb in _FROM_GIT:
            found[_FROM_GIT[verb]] = None
        elif program == "gh" and words[1:3] == ["pr", "create"]:
            found["pushes"] = None
        elif verb in _ADDS.get(program, "").split() and len(words) > 2:
            found["adds a dependency"] = None
        elif program == "rm" and any(word.text[:1] == "-" and "r" in word.text.lower() for word in command.words):
            found["deletes"] = None
    return list(found)


def _may_tell(line: str) -> bool:
    return any(word in line for word in ("git ", "gh ", "rm ", "install", " add", " i ", " get ", "require"))
