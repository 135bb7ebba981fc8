"""What is going on, told by rules from prompt, files and session; and the keys by which files are found.

Standing rules are lexically far from the prompt that needs them: "commit this" names no rule about
commit messages. ``VOCABULARY`` is the small set of situations that cues and triggers may name and
that are detected here; each contributes its plain words to the query, as one separate signal.
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
NAME, EXTENSION, ANY = "\0file:", "\0ext:", "\0files"


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
