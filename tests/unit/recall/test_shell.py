import pytest

from ultan.recall.shell import after_options, commands


def said(line: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in commands(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cd src && ls -la; pwd", [["cd", "src"], ["ls", "-la"], ["pwd"]]),
        ("echo 'a; b' | wc -l", [["echo", "a; b"], ["wc", "-l"]]),
        ("", []),
    ],
)
def test_a_line_is_split_where_the_shell_splits_it(line: str, expected: list[list[str]]) -> None:
    assert said(line) == expected


@pytest.mark.parametrize("line", ["sudo -u root pip install x", "env A=1 pip install x", "sh -c 'pip install x'", "echo $(pip install x)"])
def test_what_a_wrapper_runs_is_a_command_of_its_own(line: str) -> None:
    assert ["pip", "install", "x"] in said(line)


def test_options_that_take_a_value_take_it_with_them() -> None:
    words = commands("sudo -u root -n ls")[0].words
    assert words[after_options(words, 1, ["-u"], skips_one=False)].text == "ls"
