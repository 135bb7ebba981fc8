"""What is going on, told by rules from prompt, files and session; and the keys by which files are found.

Standing rules are lexically far from the prompt that needs them: "commit this" names no rule about
commit messages. ``VOCABULARY`` is the small set of situations that a cue may name and that are told
here. Guessing which situations an entry means from the words of its cues was tried and earned nothing
on PrimeBench (recall@3 .603 without, .592-.598 with); only cues that name one outright count.
"""

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
NAME, EXTENSION, ANY, SITUATION = "\0file:", "\0ext:", "\0files", "\0situation:"


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


def languages_of(files: "tuple[str, ...] | list[str]") -> "list[str]":
    """The words for the languages of *files*, most frequent first."""
    counts: dict[str, int] = {}
    for path in files:
        name = path.rsplit("/", 1)[-1].lower()
        words = LANGUAGES.get(name.rsplit(".", 1)[-1])
        if words:
            counts[words] = counts.get(words, 0) + 1
    return sorted(counts, key=lambda words: (-counts[words], words))


def named_situation(cue: str) -> str:
    """The term of the situation that a cue names outright, or ``""``."""
    name = " ".join(cue.lower().split()).rstrip(".")
    return SITUATION + name if name in VOCABULARY else ""


# --- situations -------------------------------------------------------------------------------------

# Situation → words of a prompt that tell it; those without words are told by form (``situations_of``).
# A cue that consists of one of these names is found whenever the situation is on, whatever the words.
VOCABULARY = {
    "commit": "commit commits committing push pushing pr merge rebase squash",
    "pasted review": "",
    "pasted log": "",
    "writes docs": "docs doc document documentation readme changelog markdown guide md",
    "makes a plan": "plan plans planning design proposal propose approach options brainstorm",
    "implements a plan": "implement implementing proceed phase step chunk continue",
    "changes code": "add fix change update refactor rename remove replace move extract implement",
    "complaint": "still wrong broken again weird doesnt didnt stop wtf nope",
    "adds a dependency": "dependency dependencies deps library package packages install installing upgrade sdk requirements",
    "runs tests": "test tests testing coverage failing fails flaky spec",
    "releases": "release version tag publish deploy ship bump",
    "handles secrets": "token secret password credential credentials env login",
    "deletes": "delete remove rm drop clean cleanup wipe",
    "another language": "",
}
REVIEW_WORDS = frozenset("review reviewer comment comments suggestion nit finding findings severity recommend issue".split())  # noqa: SIM905 -- a list of words reads best as words
LOG_MARKS = ("Traceback (most recent", "panic:", "error:", "Error:", "ERROR", "FAIL", "Exception", "    at ", "npm ERR", "exit code")


def situations_of(text: str, files: "tuple[str, ...] | list[str]" = (), tail: str = "") -> "list[str]":
    """The situations that a prompt stands in, by the rules of ``VOCABULARY``."""
    head = text[:1500]
    bare = set(head.lower().replace("'", "").translate(_BREAKS).replace(".", " ").split())
    found = []
    lines = text.count("\n") + 1
    pasted = lines > 12 or "```" in text or text.count("\n>") > 2 or len(text) > 1200
    if pasted and len(bare & REVIEW_WORDS) >= 2:
        found.append("pasted review")
    if (pasted or lines > 3) and any(mark in text for mark in LOG_MARKS):
        found.append("pasted log")
    letters = sum(char.isalpha() for char in head)
    if letters > 8 and sum(char.isalpha() and not char.isascii() for char in head) * 3 > letters:
        found.append("another language")
    for name, tells in VOCABULARY.items():
        if tells and not bare.isdisjoint(_TELLS[name]):
            found.append(name)
    if "writes docs" not in found and any(path.endswith((".md", ".mdx", ".rst")) for path in files[:1]):
        found.append("writes docs")
    if not tail:
        return found
    if len(bare) <= 6 and "?" in tail[-300:] and "implements a plan" not in found:
        found.append("implements a plan")  # an assent to what was just proposed
    return found


_TELLS = {name: frozenset(tells.split()) for name, tells in VOCABULARY.items()}
