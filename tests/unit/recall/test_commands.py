import pytest

from ultan.recall.commands import commands, of_line, subjects


def texts(line: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in commands(line) if command.words]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("git commit -m 'x && y'  # then push", [["git", "commit", "-m", "x && y"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("if true; then rm x; fi", [["true"], ["rm", "x"]]),
        ("for f in *; do rm $f; done", [["for", "f", "in", "*"], ["rm", "$f"]]),
        ("(cd x && make) 2>&1 > log", [["cd", "x"], ["make"]]),
        ('echo "it\'s \\"fine\\""', [["echo", 'it\'s "fine"']]),
        ("cat <<EOF > f\nrm -rf /\nEOF\nls", [["cat"], ["ls"]]),
        ("cat <<-'EOF'\n\trm -rf /\n\tEOF\nls", [["cat"], ["ls"]]),
        ("FOO=1 BAR=2 make all", [["make", "all"]]),
        ("echo 'unclosed && rm x", [["echo", "unclosed && rm x"]]),
        ("", []),
        ("   # only a comment", []),
    ],
)
def test_a_line_is_split_into_its_commands(line: str, expected: list[list[str]]) -> None:
    assert texts(line) == expected


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("sudo -u me rm -rf x", ["rm", "-rf", "x"]),
        ("env -u A B=1 git push", ["git", "push"]),
        ("timeout -k 5 30 npm i", ["npm", "i"]),
        ("ls | xargs -n 1 rm", ["rm"]),
        ("bash -lc 'cd x && git push -f'", ["git", "push", "-f"]),
        ("nohup nice -n 5 make &", ["make"]),
        ("find . -name '*.o' -exec rm {} \\;", ["rm", "."]),
        ("echo $(rm x)", ["rm", "x"]),
        ('echo "now `rm x`"', ["rm", "x"]),
        ("eval 'rm x'", ["rm", "x"]),
        ("uv run pytest -q", ["pytest", "-q"]),
        ("time git push", ["git", "push"]),
    ],
)
def test_wrappers_and_nested_shells_are_looked_through(line: str, inner: list[str]) -> None:
    assert inner in texts(line)


def found(line: str, text: str) -> bool:
    """Whether *text* may be matched in some spelling of the line."""
    for subject in of_line(line):
        at = subject.text.find(text)
        if at >= 0 and subject.kind == "command" and subject.allows(at, at + len(text)):
            return True
    return False


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("git -C ../x commit -am y", "git commit"),
        ("/usr/bin/git push", "git push"),
        ("git push origin '+main'", "git push origin main --force"),
        ("npm i --save-dev left-pad", "npm i left-pad"),
        ("cat data.json | grep name", "grep \u2026 data.json"),
        ("find logs -name '*.old' -delete", "rm -r logs"),
        ("APP_SERVER_URL=http://x app run", "--server-url=http://x"),
    ],
)
def test_the_same_act_in_another_spelling_is_seen(line: str, text: str) -> None:
    assert found(line, text)


@pytest.mark.parametrize(
    "line",
    [
        'echo "next: git push"', "git log --grep='git push'", "git commit -m 'never git push'", "grep -rn 'git push' docs",
        "ssh host git push", "docker exec box git push", "ls  # git push", "git push --dry-run", "man git push",
    ],
)  # fmt: skip
def test_what_is_only_said_searched_or_run_elsewhere_is_no_act(line: str) -> None:
    assert not found(line, "git push")


def test_a_heredoc_into_a_file_is_text_of_that_file() -> None:
    written = [subject for subject in of_line("cat > notes.md <<EOF\nbe brief\nEOF") if subject.kind == "text"]
    assert [(subject.path, subject.text) for subject in written] == [("notes.md", "be brief")]


def test_every_edit_of_a_multiple_edit_is_new_text() -> None:
    given = {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]}
    assert [subject.text for subject in subjects("MultiEdit", given) if subject.kind == "text"] == ["b", "d"]


@pytest.mark.parametrize(
    "line",
    ["'" * 50_000, "$(" * 20_000, "(" * 20_000, "<<" * 10_000, "a=" * 10_000, "`" * 9_999, "\\" * 9_999, "\x00\ud800", "1>2>3>&-" * 3000],
)
def test_no_input_breaks_the_splitter(line: str) -> None:
    of_line(line)
