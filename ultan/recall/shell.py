"""A shell line → the commands it runs.

Compound lines are split, pipes and substitutions followed, comments and heredoc bodies set apart,
wrappers (``sudo``, ``env``, ``xargs``, ``sh -c``) looked through; what a command only says, or runs on
another machine, is marked.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 4
MOST_COMMANDS = 200
_KEYWORDS = frozenset(("if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done", "esac", "time"))
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "ash"))
# Wrapper → its options that take a value; what follows is a command of its own.
_WRAPPERS = {
    "sudo": "-u -g -h -p -C -T -U --user --group", "doas": "-u -C", "env": "-u -C -S --unset --chdir",
    "nohup": "", "nice": "-n", "ionice": "-c -n -p", "time": "-f -o", "command": "", "builtin": "", "exec": "-a",
    "timeout": "-s -k --signal --kill-after", "stdbuf": "-i -o -e", "setsid": "", "caffeinate": "-t -w", "watch": "-n -d",
    "xargs": "-I -n -P -L -d -E -s -a --max-args --max-procs --replace", "chronic": "", "unbuffer": "", "parallel": "-j",
    "npx": "-p --package", "bunx": "", "strace": "-e -o -p", "flock": "", "chroot": "", "entr": "",
}  # fmt: skip
_RUNNERS = {"uv": ("run",), "poetry": ("run",), "pdm": ("run",), "pipenv": ("run",), "hatch": ("run",), "rye": ("run",),
            "pnpm": ("exec", "dlx"), "npm": ("exec",), "yarn": ("exec", "dlx"), "bundle": ("exec",), "pipx": ("run",),
            "mise": ("exec",), "direnv": ("exec",)}  # fmt: skip
_SKIPS_ONE = frozenset(("timeout", "flock", "chroot", "direnv"))  # a first word that is not yet the command
_REMOTE = {"ssh": 1, "docker": 2, "podman": 2, "kubectl": 2, "nerdctl": 2, "vagrant": 1, "adb": 1, "wsl": 0}
_REMOTE_VERBS = frozenset(("exec", "run", "ssh", "shell"))
# Programs whose words are only said, printed or looked up.
_SAYERS = frozenset("echo printf say man which type whatis tldr apropos alias notify-send print logger wall".split())  # noqa: SIM905 -- a list of words reads best as words
_SAID_OPTIONS = frozenset(
    "-m -F --message --title --body --notes --description --subject --comment --grep --author --reason --label -t -b".split()  # noqa: SIM905 -- a list of words reads best as words
)
_SAID_BY = frozenset("git gh glab hub jj svn hg linear jira bd az".split())  # noqa: SIM905 -- a list of words reads best as words


class Word:
    """One word of a command: its text without quotes, whether it was quoted, whether it is merely said."""

    __slots__ = ("quoted", "said", "text")

    def __init__(self, text: str, quoted: bool = False) -> None:
        self.text, self.quoted, self.said = text, quoted, False

    def __repr__(self) -> str:
        return repr(self.text)


class Command:
    """One simple command.

    Attributes:
        words: assignments, program, arguments, in order; redirections as words of their own.
        fed_by: the command whose output is piped in, or ``None``.
        heredoc: what is fed in as a document.
    """

    __slots__ = ("assigned", "fed_by", "heredoc", "redirects", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assigned: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        self.fed_by: Command | None = None
        self.heredoc = ""

    @property
    def program(self) -> str:
        """The name of the program, without its folder."""
        return self.words[0].text.rsplit("/", 1)[-1] if self.words else ""

    def __repr__(self) -> str:
        return f"Command({self.words!r})"


# --- splitting --------------------------------------------------------------------------------------


def commands(line: str, depth: int = 0) -> "list[Command]":
    """The simple commands of a shell input, those inside substitutions and wrappers included."""
    found: list[Command] = []
    if depth > DEEPEST:
        return found
    for command, inner in _Reader(line).read():
        for text in inner:
            found += commands(text, depth + 1)
        _mark(command)
        found.append(command)
        found += _inside(command, depth)
        if len(found) > MOST_COMMANDS:
            break
    return found


class _Reader:
    """Reads a shell input character by character; never fails, whatever the input."""

    def __init__(self, line: str) -> None:
        self.line, self.at = line, 0
        self.waiting: list[tuple[Command, str, bool]] = []  # heredocs whose bodies start at the next line

    def read(self) -> "Iterator[tuple[Command, list[str]]]":  # noqa: C901 -- one branch a kind of character
        line = self.line
        command, inner = Command(), list[str]()
        before: Command | None = None
        while self.at < len(line):
            char = line[self.at]
            if char in " \t\r":
                self.at += 1
            elif char == "\\" and line[self.at + 1 : self.at + 2] == "\n":
                self.at += 2
            elif char == "#":
                end = line.find("\n", self.at)
                self.at = len(line) if end < 0 else end
            elif char in "\n;&|()":
                if line.startswith("&>", self.at):
                    self._redirect(command, inner)
                    continue
                piped = char == "|" and not line.startswith("||", self.at)
                self.at += 2 if line[self.at : self.at + 2] in ("&&", "||", ";;", "|&") else 1
                if command.words or command.assigned or command.redirects:
                    yield command, inner
                before = command if piped else None
                if char == "\n":
                    self._heredocs()
                command, inner = Command(), []
                command.fed_by = before
            elif char in "<>" or (char.isdigit() and self._is_redirect()):
                self._redirect(command, inner)
            else:
                self._take(command, self._word(inner))
        if command.words or command.assigned or command.redirects:
            yield command, inner

    def _take(self, command: Command, word: Word) -> None:
        if not command.words and not word.quoted and word.text in _KEYWORDS:
            return
        name, sign, _ = word.text.partition("=")
        if not command.words and sign and name.isidentifier():
            command.assigned.append(word)
        else:
            command.words.append(word)

    def _is_redirect(self) -> bool:
        at = self.at
        while at < len(self.line) and self.line[at].isdigit():
            at += 1
        return at < len(self.line) and self.line[at] in "<>" and (self.at == 0 or self.line[self.at - 1] in " \t;|&\n")

    def _redirect(self, command: Command, inner: "list[str]") -> None:
        line = self.line
        while line[self.at].isdigit() or line[self.at] == "&":
            self.at += 1
        start = self.at
        while self.at < len(line) and line[self.at] in "<>&|-" and self.at - start < 3:
            if line[self.at] == "-" and line[start : self.at] != "<<":
                break
            self.at += 1
        operator = line[start : self.at]
        while self.at < len(line) and line[self.at] in " \t":
            self.at += 1
        if operator == "<(" or line.startswith("(", self.at):
            return
        if self.at >= len(line) or line[self.at] in "\n;|":
            return
        word = self._word(inner)
        if operator in ("<<", "<<-"):
            self.waiting.append((command, word.text, operator == "<<-"))
        elif operator == "<<<":
            command.heredoc = word.text
        elif not word.text.isdigit() and word.text != "-":
            command.redirects.append((operator.rstrip("|&"), word))

    def _heredocs(self) -> None:
        for command, end, tabs in self.waiting:
            body = []
            while self.at < len(self.line):
                stop = self.line.find("\n", self.at)
                row = self.line[self.at : stop if stop >= 0 else len(self.line)]
                self.at = stop + 1 if stop >= 0 else len(self.line)
                if (row.lstrip("\t") if tabs else row).rstrip("\r") == end:
                    break
                body.append(row)
            command.heredoc = "\n".join(body)
        self.waiting = []

    def _word(self, inner: "list[str]") -> Word:
        line, parts, quoted = self.line, [], False
        start = self.at
        while self.at < len(line):
            char = line[self.at]
            if char in " \t\n\r;&|()<>":
                break
            if char == "\\":
                parts.append(line[self.at + 1 : self.at + 2].replace("\n", ""))
                self.at += 2
            elif char == "'":
                end = line.find("'", self.at + 1)
                end = len(line) if end < 0 else end
                parts.append(line[self.at + 1 : end])
                self.at = end + 1
                quoted = True
            elif char == '"':
                self.at += 1
                parts.append(self._double(inner))
                quoted = True
            elif char == "$" and line.startswith("$'", self.at):
                self.at += 1
            elif char == "`" or line.startswith("$(", self.at):
                parts.append(self._substitution(inner))
            else:
                parts.append(char)
                self.at += 1
        if self.at == start:
            self.at += 1
        return Word("".join(parts), quoted)

    def _double(self, inner: "list[str]") -> str:
        line, parts = self.line, []
        while self.at < len(line) and line[self.at] != '"':
            char = line[self.at]
            if char == "\\" and line[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                parts.append(line[self.at + 1])
                self.at += 2
            elif char == "`" or line.startswith("$(", self.at):
                parts.append(self._substitution(inner))
            else:
                parts.append(char)
                self.at += 1
        self.at += 1
        return "".join(parts)

    def _substitution(self, inner: "list[str]") -> str:
        line, start = self.line, self.at
        if line[start] == "`":
            end = line.find("`", start + 1)
            end = len(line) if end < 0 else end
            inner.append(line[start + 1 : end])
        else:
            end = _closing(line, start + 1)
            if not line.startswith("$((", start):
                inner.append(line[start + 2 : end])
        self.at = end + 1
        return line[start : end + 1]


def _closing(line: str, at: int) -> int:
    """Where the bracket at *at* closes, quotes respected; the end of the line if it never does."""
    depth = 0
    while at < len(line):
        char = line[at]
        if char == "\\":
            at += 1
        elif char in "'\"":
            end = line.find(char, at + 1)
            at = len(line) if end < 0 else end
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
    return len(line)


# --- what a command says, and what it runs ----------------------------------------------------------


def _mark(command: Command) -> None:
    """Mark the words that are only said, printed, searched for, or run elsewhere."""
    words = command.words
    program = command.program
    if program in _SAYERS:
        for word in words[1:]:
            word.said = True
    if program in _SAID_BY:
        for at, word in enumerate(words[1:], 1):
            name, sign, _ = word.text.partition("=")
            before = words[at - 1].text
            bundled = before[:1] == "-" and before[1:2] != "-" and before.endswith("m") and word.quoted  # -am "…"
            if (sign and name in _SAID_OPTIONS) or before in _SAID_OPTIONS or bundled:
                word.said = True
    skip = _REMOTE.get(program, -1)
    if skip >= 0 and (skip < 2 or any(word.text in _REMOTE_VERBS for word in words[1:3])):
        for word in words[skip + 1 :]:
            word.said = True


def _inside(command: Command, depth: int) -> "list[Command]":  # noqa: C901, PLR0911 -- one way out a kind of wrapper
    """The commands that this command runs: behind a wrapper, in ``sh -c``, in ``find -exec``."""
    words = command.words
    program = command.program
    if len(words) < 2:
        return []
    if program in _SHELLS:
        for at, word in enumerate(words[1:-1], 1):
            if word.text[:1] == "-" and word.text.endswith("c") and not word.text.startswith("--"):
                return commands(words[at + 1].text, depth + 1)
        return []
    if program == "eval":
        return commands(" ".join(word.text for word in words[1:]), depth + 1)
    start = 0
    if program in _WRAPPERS:
        start = after_options(words, 1, _WRAPPERS[program].split(), program in _SKIPS_ONE)
    elif words[1].text in _RUNNERS.get(program, ()):
        start = after_options(words, 2, ["--with", "--python", "-p", "--extra", "--group"], program in _SKIPS_ONE)
    elif program == "find":
        for at, word in enumerate(words):
            if word.text in ("-exec", "-execdir", "-ok"):
                rest = [w for w in words[at + 1 :] if w.text not in (";", "+", "{}")]
                rest += [w for w in words[1:2] if not w.text.startswith("-")]
                return _as_command(rest, command, depth)
    if not start or start >= len(words):
        return []
    return _as_command(words[start:], command, depth)


def after_options(words: "list[Word]", at: int, valued: "list[str]", skips_one: bool) -> int:
    """Where the words after the options that begin at *at* begin; *valued* options take a word with them."""
    while at < len(words):
        text = words[at].text
        if text == "--":
            return at + 1
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in valued else 1
        elif text.partition("=")[0].isidentifier() and "=" in text:
            at += 1
        elif skips_one:
            skips_one = False
            at += 1
        else:
            break
    return at


def _as_command(words: "list[Word]", outer: Command, depth: int) -> "list[Command]":
    if not words or depth >= DEEPEST:
        return []
    inner = Command()
    inner.words = [Word(word.text, word.quoted) for word in words]
    inner.assigned = [*outer.assigned, *(word for word in outer.words[1:] if word.text.partition("=")[0].isidentifier() and "=" in word.text and word not in words)]
    inner.redirects, inner.heredoc, inner.fed_by = outer.redirects, "", outer.fed_by
    _mark(inner)
    return [inner, *_inside(inner, depth + 1)]
