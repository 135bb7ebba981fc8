"""Installing and uninstalling: the settings file is the person's, byte for byte."""

import json
import os

import pytest

from ultan import settings
from ultan.clients import claude_code, settings_text
from ultan.errors import SettingsError
from ultan.verbs import install, provision, skills

NOW = 1_700_000_000.0
RUNTIME = provision.Runtime("/opt/venv/bin/python", ("/opt/venv/lib/site-packages",))
STARTS = {
    "none": None,
    "empty": b"",
    "blank": b" \n\n",
    "braces": b"{}",
    "model only": b'{\n  "model": "opus"\n}\n',
    "crlf": b'{\r\n\t"model": "opus",\r\n\t"env": {"A": "1"}\r\n}\r\n',
    "one line": b'{"model":"opus","permissions":{"allow":["Bash(ls)"]}}',
    "comments": b'// mine\n{\n    /* kept */ "model": "opus", // why\n    "hooks": {}, \n}\n',
    "byte order mark": b'\xef\xbb\xbf{ "x": "\xe6\xbc\xa2" }\n',
    "own hooks": b'{\n "hooks": {\n  "Stop": [\n   {"hooks": [{"type": "command", "command": "say done"}]}\n  ],\n  "PreCompact": []\n }\n}',
    "odd layout": b'{ "hooks"\n:{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x \\"y\\""}]}]\n}}\n\n\n',
}


@pytest.fixture
def person(tmp_path):
    environ = {"HOME": str(tmp_path / "person"), "XDG_STATE_HOME": str(tmp_path / "state")}
    os.mkdir(environ["HOME"])
    return environ


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "memory")


def settings_path(person):
    return os.path.join(person["HOME"], ".claude", "settings.json")


def write(path, raw):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(raw)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def start(person, name):
    if STARTS[name] is not None:
        write(settings_path(person), STARTS[name])


def put_in(home, person, **more):
    return install.install(home, person, now=NOW, runtime=RUNTIME, **more)


@pytest.mark.parametrize("name", STARTS)
def test_after_uninstalling_the_settings_are_byte_identical(home, person, name):
    start(person, name)
    put_in(home, person)
    assert len(install.commands(read(settings_path(person)).decode(), install.is_ours)) == len(claude_code.EVENTS)
    install.uninstall(home, person)
    if STARTS[name] is None:
        assert not os.path.exists(settings_path(person))
    else:
        assert read(settings_path(person)) == STARTS[name]


@pytest.mark.parametrize("name", [name for name, raw in STARTS.items() if raw and raw.strip()])
def test_an_edit_between_install_and_uninstall_stays_and_nothing_else_changes(home, person, name):
    start(person, name)
    put_in(home, person)
    path = settings_path(person)
    write(path, read(path) + b"\n\n")
    install.uninstall(home, person)
    assert read(path) == STARTS[name] + b"\n\n"


def test_settings_that_the_client_wrote_anew_lose_our_hooks_and_no_others(home, person):
    start(person, "own hooks")
    put_in(home, person)
    path = settings_path(person)
    write(path, json.dumps({**json.loads(read(path)), "theme": "dark"}).encode())
    install.uninstall(home, person)
    kept = json.loads(read(path))
    assert kept["theme"] == "dark"
    assert install.commands(read(path).decode(), lambda _: True) == [("Stop", "say done")]


def test_installing_twice_changes_nothing_more(home, person):
    start(person, "model only")
    put_in(home, person)
    once = read(settings_path(person))
    done = put_in(home, person)
    assert read(settings_path(person)) == once
    assert done.before == done.after


def test_another_interpreter_takes_the_place_of_the_first(home, person):
    start(person, "own hooks")
    put_in(home, person)
    write(settings_path(person), read(settings_path(person)) + b"\n")
    other = provision.Runtime("/new/bin/python", RUNTIME.folders)
    install.install(home, person, now=NOW, runtime=other)
    found = install.commands(read(settings_path(person)).decode(), install.is_ours)
    assert len(found) == len(claude_code.EVENTS)
    assert all("/new/bin/python" in command for _, command in found)
    install.uninstall(home, person)
    assert read(settings_path(person)) == STARTS["own hooks"] + b"\n"


def test_the_mode_of_the_file_and_a_link_to_it_stay(home, person, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_bytes(STARTS["model only"])
    real.chmod(0o644)
    os.makedirs(os.path.dirname(settings_path(person)))
    os.symlink(real, settings_path(person))
    put_in(home, person)
    assert os.path.islink(settings_path(person))
    assert real.stat().st_mode & 0o777 == 0o644
    assert b"ultan" in real.read_bytes()


@pytest.mark.parametrize("raw", [b'{"hooks": ', b"[1]", b'{"hooks": []}', b'{"hooks": {"Stop": {}}}', b"\xff\xfe"])
def test_settings_that_cannot_be_read_are_left_alone_and_named(home, person, raw):
    write(settings_path(person), raw)
    with pytest.raises(SettingsError, match=r"settings\.json"):
        put_in(home, person)
    assert read(settings_path(person)) == raw


def test_a_dry_run_shows_the_difference_and_touches_nothing(home, person):
    start(person, "model only")
    done = put_in(home, person, is_dry_run=True)
    assert read(settings_path(person)) == STARTS["model only"]
    assert not os.path.exists(home)
    assert '+  "hooks": {' in install.dry(done)
    assert not os.path.exists(os.path.join(person["HOME"], ".claude", "skills"))


def test_the_project_may_have_the_hooks_instead_of_the_person(home, person, tmp_path):
    project = str(tmp_path / "work")
    os.mkdir(project)
    done = put_in(home, person, project=project)
    assert done.settings == os.path.join(project, ".claude", "settings.json")
    assert not os.path.exists(settings_path(person))
    install.uninstall(home, person, project=project)
    assert not os.path.exists(os.path.join(project, ".claude"))


def test_with_the_plugin_the_settings_stay_and_it_is_said(home, person):
    write(settings_path(person), b'{"enabledPlugins": {"ultan@ultan": true}}')
    done = put_in(home, person)
    assert read(settings_path(person)) == b'{"enabledPlugins": {"ultan@ultan": true}}'
    assert any("plugin is enabled" in line for line in done.told)


def test_hooks_beside_the_plugin_are_told_of(home, person):
    start(person, "braces")
    put_in(home, person)
    path = settings_path(person)
    write(path, json.dumps({**json.loads(read(path)), "enabledPlugins": {"ultan@ultan": True}}).encode())
    assert any("ultan uninstall" in line for line in put_in(home, person).told)


def test_who_curates_is_kept_as_it_was_chosen(home, person):
    assert put_in(home, person).curation_by == "clerk"
    put_in(home, person, by="claude")
    assert settings.load(home, {})["curation.by"] == "claude"


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_a_curator_that_nobody_knows_is_refused_before_anything_is_written(home, person, is_dry_run):
    with pytest.raises(SettingsError, match="clerk, claude, provider, off"):
        put_in(home, person, by="bogus", is_dry_run=is_dry_run)
    assert os.listdir(person["HOME"]) == []
    assert not os.path.exists(home)


def test_bare_skills_name_our_command_by_its_absolute_path(home, person):
    put_in(home, person)
    text = read(os.path.join(person["HOME"], ".claude", "skills", "ultan-advisor", "SKILL.md")).decode()
    assert "name: ultan-advisor" in text
    assert "/ultan ask" in text
    assert "`ultan ask" not in text
    install.uninstall(home, person)
    assert not os.path.exists(os.path.join(person["HOME"], ".claude", "skills"))


def test_a_skill_that_the_person_edited_stays(home, person):
    put_in(home, person)
    path = os.path.join(person["HOME"], ".claude", "skills", "ultan", "SKILL.md")
    write(path, b"mine")
    assert any("stays" in line for line in put_in(home, person).did)
    install.uninstall(home, person)
    assert read(path) == b"mine"


def test_hooks_of_the_original_are_told_of_and_taken_out_when_asked(home, person, tmp_path):
    checkout = tmp_path / "clone"
    for inner in ("daemon/agent_mem_daemon", "src/hooks"):
        os.makedirs(checkout / inner)
    old = f"uv run --project {checkout}/src python {checkout}/src/hooks/stop.py"
    raw = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": old}]}]}}).encode()
    write(settings_path(person), raw)
    assert any("--remove-original" in line for line in put_in(home, person).told)
    put_in(home, person, removes_original=True)
    assert not install.commands(read(settings_path(person)).decode(), lambda command: "uv run" in command)
    install.uninstall(home, person)
    assert json.loads(read(settings_path(person)) or b"{}").get("hooks", {}) == {}


def test_what_the_original_had_not_read_is_taken_in_once(home, person):
    old = os.path.join(person["HOME"], ".agent-mem")
    read_before = b'{"event": "UserPromptSubmit", "session_id": "s", "prompt": "read long ago"}\n'
    lines = b'{"event": "UserPromptSubmit", "session_id": "s", "prompt": "always use uv"}\nnot json\n{"event": "Stop"}\n'
    write(os.path.join(old, "events.jsonl"), read_before + lines)
    write(os.path.join(old, "daemon.offset.json"), json.dumps({"offset": len(read_before)}).encode())
    write(os.path.join(old, "pending-nudges.md"), b"- [[uv]] applies here\n")
    assert any("1 unread" in line for line in put_in(home, person).did)
    put_in(home, person)
    queued = os.listdir(os.path.join(home, "queue", "new"))
    assert len(queued) == 1
    assert b"always use uv" in read(os.path.join(home, "queue", "new", queued[0]))
    assert len(os.listdir(os.path.join(home, "nudges"))) == 1
    assert read(os.path.join(old, "events.jsonl")) == read_before + lines


def test_a_hook_line_survives_a_path_with_quotes_and_blanks():
    runtime = provision.Runtime("/a b/it's/python", ("/c d",))
    text, _ = settings_text.add_hooks("{}", claude_code.settings_hooks(runtime.line))
    assert settings_text.commands(text)[0][1] == runtime.line("brief")


def test_every_skill_is_found_and_named_as_its_folder():
    for name in skills.NAMES:
        assert skills.source(name).startswith(f"---\nname: {name}\n".encode())


# --- the permission rule of the tools ---------------------------------------------------------------


def rules(person):
    return json.loads(read(settings_path(person)).decode("utf-8-sig"))["permissions"]["allow"]


@pytest.mark.parametrize("name", STARTS)
def test_the_permission_rule_is_offered_shown_and_gone_after_uninstalling(home, person, name):
    start(person, name)
    assert "mcp__ultan" not in put_in(home, person, is_dry_run=True).after
    shown = put_in(home, person, is_dry_run=True, allows_tools=True)
    assert any("permission rule mcp__ultan" in line for line in shown.did)
    assert "mcp__ultan" in install.dry(shown)
    put_in(home, person, allows_tools=True)
    assert "mcp__ultan" in settings_text.allowed(read(settings_path(person)).decode("utf-8-sig"))
    assert install.tools_are_allowed(person)
    install.uninstall(home, person)
    if STARTS[name] is None:
        assert not os.path.exists(settings_path(person))
    else:
        assert read(settings_path(person)) == STARTS[name]


@pytest.mark.parametrize("name", [name for name in STARTS if STARTS[name] not in (None, b"", b" \n\n")])
def test_the_rule_is_cut_out_of_a_file_that_was_edited_since(home, person, name):
    start(person, name)
    put_in(home, person)
    put_in(home, person, allows_tools=True)
    text = read(settings_path(person)).decode("utf-8-sig")
    write(settings_path(person), (text[: text.rindex("}")] + "/* mine */" + text[text.rindex("}") :]).encode())
    install.uninstall(home, person)
    left = read(settings_path(person)).decode("utf-8-sig")
    assert "/* mine */" in left
    assert "mcp__ultan" not in settings_text.allowed(left)
    assert not install.commands(left, install.is_ours)
    assert settings_text.allowed(left) == settings_text.allowed(STARTS[name].decode("utf-8-sig"))


def test_a_rule_that_the_person_had_is_not_taken_out(home, person):
    write(settings_path(person), b'{"permissions": {"allow": ["mcp__ultan", "Bash(ls)"]}}')
    put_in(home, person, allows_tools=True)
    assert rules(person) == ["mcp__ultan", "Bash(ls)"]
    write(settings_path(person), read(settings_path(person)) + b"\n")
    install.uninstall(home, person)
    assert rules(person) == ["mcp__ultan", "Bash(ls)"]


def test_with_the_plugin_the_rule_names_its_server_and_is_offered(home, person):
    write(settings_path(person), b'{"enabledPlugins": {"ultan@ultan": true}}\n')
    assert any("--allow-tools" in line for line in put_in(home, person).told)
    put_in(home, person, allows_tools=True)
    assert rules(person) == ["mcp__plugin_ultan_ultan"]
    assert not any("--allow-tools" in line for line in put_in(home, person).told)
    install.uninstall(home, person)
    assert read(settings_path(person)) == b'{"enabledPlugins": {"ultan@ultan": true}}\n'


def test_permissions_of_another_shape_are_left_alone(home, person):
    write(settings_path(person), b'{"permissions": {"allow": "everything"}}')
    with pytest.raises(SettingsError):
        put_in(home, person, allows_tools=True)
    assert read(settings_path(person)) == b'{"permissions": {"allow": "everything"}}'


def test_a_project_gets_no_rule_of_the_persons(home, person, tmp_path):
    put_in(home, person, project=str(tmp_path / "p"), allows_tools=True)
    assert "permissions" not in json.loads(read(str(tmp_path / "p" / ".claude" / "settings.json")))
