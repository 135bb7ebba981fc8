"""A tool call → the texts that triggers are matched against.

A shell line is not a text but commands (``shell``). A pattern may not *begin* inside words that a command
merely says, prints or searches for, and what runs on another machine is not done here. Spellings that
do the same are tried too.
"""

from ultan.recall.shell import Command, Word, after_options, commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SUBJECT_CHARS = 64 * 1024
SEARCHED = "\u2026"  # stands for the pattern or script of a searching program: text, not an operand
SHELL_TOOLS = frozenset(("Bash", "Shell", "PowerShell", "run_shell_command", "shell", "local_shell"))
TEXT_FIELDS = ("content", "new_string", "new_source", "new_str", "file_text")
_SEARCHERS = frozenset("grep egrep fgrep rg ag ack zgrep sed awk gawk perl pgrep jq yq".split())  # noqa: SIM905 -- a list of words reads best as words
_VALUED = frozenset(("--glob", "-g", "-A", "-B", "-C", "-m", "-t", "--type", "--arg", "--max-count", "-n"))
_SEARCH_OPTIONS = frozenset(("-e", "--regexp", "--expression", "-f", "--file"))
_REHEARSALS = frozenset(("--dry-run", "--help", "--version", "--dryrun", "--simulate", "--just-print", "--check-only"))
_SAMPLES = (".example", ".sample", ".template", ".dist", ".tmpl")
# Options of a program that stand before its subcommand and take a value.
_GLOBAL_OPTIONS = {
    "git": "-C -c --git-dir --work-tree --namespace", "docker": "--context -H --host", "kubectl": "-n --namespace --context",
    "npm": "--prefix -w --workspace", "pnpm": "-C --dir --filter -F", "yarn": "--cwd", "cargo": "+nightly --manifest-path",
    "go": "-C", "make": "-C -f", "gh": "-R --repo", "terraform": "", "uv": "--directory --project", "helm": "-n",
}  # fmt: skip
# Managers of one kind: a pattern that names two of a kind means the act, not the program.
_SAME_KIND = (("npm", "pnpm", "yarn", "bun"), ("pip", "pip3", "uv", "poetry", "pipx", "conda"), ("apt", "apt-get", "dnf", "yum", "brew"),
              ("docker", "podman", "nerdctl"), ("vim", "nano", "emacs", "vi"))  # fmt: skip
_ADD_WORDS = frozenset(("add", "install", "i"))


class Subject:
    """A text to search, and where in it a match may begin.

    Attributes:
        kind: ``command``, ``text`` (new text of a file), ``old`` (what it replaces) or ``field``.
        name: the field it comes from; ``path`` the file it goes to.
        closed: stretches in which no match may begin; ``loose`` stretches of quoted prose.
        must: texts of which a match must contain one (this spelling differs from what was typed).
        kinds: names of which the pattern must mention two (another program of the same kind).
        typed: what was really typed, if this is another spelling of it.
    """

    __slots__ = ("closed", "kind", "kinds", "loose", "must", "name", "path", "samples", "text", "typed")

    def __init__(self, kind: str, text: str, name: str = "", path: str = "") -> None:
        self.kind, self.text, self.name, self.path = kind, text[:SUBJECT_CHARS], name, path
        self.closed: list[tuple[int, int]] = []
        self.loose: list[tuple[int, int]] = []
        self.samples: list[tuple[int, int]] = []
        self.must: tuple[str, ...] = ()
        self.kinds: tuple[str, ...] = ()
        self.typed: Subject | None = None

    def allows(self, start: int, end: int) -> bool:
        """Whether a match from *start* to *end* is about what is done, not about what is said."""
        if any(low <= start < high for low, high in self.closed):
            return False
        matched = self.text[start:end]
        if any(low <= start < high for low, high in self.loose):
            first, _, rest = matched.strip().partition(" ")
            if rest and first.islower():
                return False
        if any(low < end <= high for low, high in self.samples):
            return False
        return not self.must or any(text in matched for text in self.must)


# --- tool calls -------------------------------------------------------------------------------------


def subjects(tool: str, tool_input: "dict[str, Any]") -> "list[Subject]":  # noqa: C901 -- one branch a kind of field
    """What a trigger may be matched against in a tool call."""
    found: list[Subject] = []
    path = _path_of(tool_input)
    for name, value in tool_input.items():
        if isinstance(value, str):
            if name == "command" and (tool in SHELL_TOOLS or "description" in tool_input or len(tool_input) == 1):
                found += of_line(value)
            elif name in TEXT_FIELDS:
                found.append(_text(value, name, path))
            elif name in ("old_string", "old_str"):
                found.append(Subject("old", value, name, path))
            elif name not in ("file_path", "notebook_path", "description", "prompt"):
                found.append(Subject("field", value, name, path))
            else:
                found.append(Subject("aside", value, name, path))
        elif isinstance(value, list) and name == "edits":
            for edit in value:
                if isinstance(edit, dict):
                    for inner, text in edit.items():
                        if isinstance(text, str):
                            kind_new = inner in TEXT_FIELDS
                            found.append(_text(text, inner, path) if kind_new else Subject("old", text, inner, path))
    return found


def _path_of(tool_input: "dict[str, Any]") -> str:
    for name in ("file_path", "notebook_path", "path"):
        value = tool_input.get(name)
        if isinstance(value, str):
            return value
    return ""


def of_line(line: str) -> "list[Subject]":
    """The subjects of one shell input: every simple command in every spelling, and files it writes."""
    found: list[Subject] = []
    for command in commands(line[:SUBJECT_CHARS]):
        if not command.words and not command.assigned:
            continue
        if command.heredoc:
            target = next((word.text for op, word in command.redirects if op in (">", ">>")), "")
            if not target and command.program == "tee" and len(command.words) > 1:
                target = command.words[-1].text
            if target:
                found.append(_text(command.heredoc, "content", target))
        if _is_rehearsal(command):
            continue
        typed = _spelled_out(command)
        found.append(typed)
        for other in _other_spellings(command):
            other.typed = typed
            found.append(other)
    return found


def _is_rehearsal(command: Command) -> bool:
    return any(word.text in _REHEARSALS and not word.said for word in command.words[1:])


# --- spelling ---------------------------------------------------------------------------------------


def _spelled_out(command: Command) -> Subject:
    """The command on one line without quotes, with what stands where."""
    return _joined([*command.assigned, *_plain(command)], command.redirects)


def _plain(command: Command) -> "list[Word]":
    """The words, the program without its folder, patterns that are searched for left out."""
    words = list(command.words)
    if not words:
        return words
    if words[0].text.startswith("/"):
        words[0] = Word(command.program)
    if command.program in _SEARCHERS:
        at = _searched(words)
        if at:
            words[at] = Word(SEARCHED)
            words[at].said = True
    return words


def _searched(words: "list[Word]") -> int:
    """Which word is the pattern or script of a searching program; 0 if none."""
    in_place = words[0].text == "sed" and any(word.text.startswith("-i") for word in words)
    for at, word in enumerate(words[1:], 1):
        if word.text in _SEARCH_OPTIONS:
            return at + 1 if at + 1 < len(words) else 0
        if not word.text.startswith("-") or word.quoted:
            if in_place and not word.text:
                continue
            before = words[at - 1].text
            if before in _VALUED and (before != "-n" or word.text.isdigit()):
                continue
            return at
    return 0


def _joined(words: "list[Word]", redirects: "list[tuple[str, Word]]") -> Subject:
    parts: list[str] = []
    closed, loose, samples = [], [], []
    at = 0
    for word in words:
        text = word.text if word.text or not word.quoted else "''"
        parts.append(text)
        end = at + len(text)
        if word.said:
            closed.append((at, end))
        elif word.quoted and " " in text.strip():
            loose.append((at, end))
        if text.endswith(_SAMPLES):
            samples.append((at, end))
        at = end + 1
    for operator, word in redirects:
        parts.append(f"{operator} {word.text}")
        at += len(operator) + len(word.text) + 2
    subject = Subject("command", " ".join(parts), "command")
    subject.closed, subject.loose, subject.samples = closed, loose, samples
    return subject


def _other_spellings(command: Command) -> "list[Subject]":  # noqa: C901 -- one branch a spelling
    """The same act in other spellings."""
    found: list[Subject] = []
    words = _plain(command)
    if not words:
        return _as_options(command)
    program = command.program
    trimmed = _without_global_options(words, program)
    if trimmed is not words:
        found.append(_joined([*command.assigned, *trimmed], command.redirects))
        words = trimmed
    moved = _options_last(words)
    if moved:
        found.append(_joined([*command.assigned, *moved], command.redirects))
    found += _as_options(command)
    if program == "git" and len(words) > 1:
        found += _git_spellings(words)
    if program == "find" and any(word.text == "-delete" for word in words):
        places = [word for word in words[1:] if not word.text.startswith(("-", "!", "("))]
        found.append(_joined([Word("rm"), Word("-r"), *places[:1]], []))
    fed = command.fed_by
    if program in _SEARCHERS and fed is not None and fed.program in ("cat", "head", "tail") and len(fed.words) > 1:
        found.append(_joined([*words, *(word for word in fed.words[1:] if not word.text.startswith("-"))], []))
    for kind in _SAME_KIND:
        if program in kind and any(word.text in _ADD_WORDS for word in words[1:3]):
            for other in kind:
                if other != program:
                    for verb in ("add", "install"):
                        again = [Word(other), *(Word(verb) if w.text in _ADD_WORDS else w for w in (moved or words)[1:])]
                        subject = _joined(again, [])
                        subject.kinds = kind
                        found.append(subject)
    return found


def _without_global_options(words: "list[Word]", program: str) -> "list[Word]":
    if program not in _GLOBAL_OPTIONS or len(words) < 3 or not words[1].text.startswith(("-", "+")):
        return words
    at = after_options(words, 1, _GLOBAL_OPTIONS[program].split(), skips_one=False)
    return [words[0], *words[at:]] if at < len(words) else words


def _options_last(words: "list[Word]") -> "list[Word]":
    """The words with options that take no separate value moved to the end, if that changes them."""
    head, rest = words[:2], words[2:]
    if len(head) < 2 or head[1].text.startswith("-"):
        return []
    options = [word for word in rest if word.text.startswith("-") and not word.said]
    if not options:
        return []
    others = [word for word in rest if word not in options]
    moved = [*head, *others, *options]
    return moved if moved != words else []


def _as_options(command: Command) -> "list[Subject]":
    """``APP_SERVER_URL=x app`` as ``--server-url=x``: the usual way to give an option by environment."""
    found = []
    for word in command.assigned:
        name, _, value = word.text.partition("=")
        pieces = name.lower().split("_")
        for start in range(len(pieces)):
            option = "--" + "-".join(pieces[start:])
            if len(option) > 4:
                subject = _joined([Word(f"{option}={value}", word.quoted)], [])
                subject.must = (option,)
                found.append(subject)
    return found


def _git_spellings(words: "list[Word]") -> "list[Subject]":
    verb = words[1].text
    if verb == "push" and any(word.text.startswith("+") for word in words[2:]):
        plain = [Word(word.text.lstrip("+"), word.quoted) for word in words[2:]]
        subject = _joined([words[0], words[1], *plain, Word("--force")], [])
        subject.must = ("--force",)
        return [subject]
    if verb in ("rebase", "pull", "cherry-pick", "revert") and any(word.text.startswith("-X") for word in words):
        subject = _joined([words[0], Word("merge"), *words[2:]], [])
        subject.must = ("-X",)
        return [subject]
    return []


# --- new text ---------------------------------------------------------------------------------------

_LINE_COMMENT = {
    "//": "go js ts tsx jsx mjs cjs java kt swift c h cpp cc hpp cs rs php scala dart sol proto scss",
    "#": "py pyi sh bash zsh rb yaml yml toml tf pl r ex exs jl cfg ini",
    "--": "sql lua hs", ";": "clj lisp el",
}  # fmt: skip
_COMMENT_OF = {extension: mark for mark, names in _LINE_COMMENT.items() for extension in names.split()}


def _text(value: str, name: str, path: str) -> Subject:
    """New text of a file; a match may not begin inside a comment of code, only with it."""
    subject = Subject("text", value, name, path)
    mark = _COMMENT_OF.get(path.rsplit(".", 1)[-1].lower())
    if mark and mark in value:
        at = 0
        for row in subject.text.split("\n"):
            start = _comment(row, mark)
            if start >= 0:
                subject.closed.append((at + start + 1, at + len(row)))
            at += len(row) + 1
    return subject


def _comment(row: str, mark: str) -> int:
    """Where the comment of a line of code begins, or -1; marks inside quotes do not count."""
    quote = ""
    at = 0
    while at < len(row):
        char = row[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "\"'`":
            quote = char
        elif row.startswith(mark, at):
            return at
        at += 1
    return -1
