"""The plugin in the real client: valid, installed from a folder and from git, provisioned, silent when broken."""

import json
import os
import re
import shutil
import subprocess
import time

import pytest
from client import Agent
from messages_api import calls, says
from plugged import ROOT, VERSION, install_plugin, lend_runtime, queued, runtime_folder, unread

from ultan.clients import claude_code
from ultan.verbs import provision

pytestmark = pytest.mark.slow


def faults(messages):
    """What hooks did that a person or the agent would notice: an exit code, words on stderr, output that is no reply."""
    return [
        (message.get("hook_event"), message.get("exit_code"), message.get("stderr"), message.get("stdout"))
        for message in messages
        if message.get("subtype") == "hook_response"
        and (message.get("exit_code") or message.get("stderr") or not is_reply(message.get("stdout") or ""))
    ]


def is_reply(stdout):
    return not stdout.strip() or set(json.loads(stdout)) <= {"hookSpecificOutput", "suppressOutput"}


def test_the_manifest_passes_the_clients_own_strict_validation(agent, plugin):
    done = agent.run("plugin", "validate", "--strict", str(plugin))
    assert done.code == 0, done.out + done.err


def test_the_first_session_provisions_the_runtime_in_the_background(provisioned):
    assert os.access(provisioned.python, os.X_OK)
    said = subprocess.run(
        [provisioned.python, "-I", "-c", "import ultan, re2; print(ultan.__file__)"], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith(str(runtime_folder(provisioned.agent))), "the package was installed from the plugin"
    leftovers = {path.name for path in runtime_folder(provisioned.agent).iterdir()}
    assert "lock" not in leftovers
    assert not (provisioned.agent.project / "build").exists()


def test_a_session_with_the_plugin_leaves_events_and_no_error(ready_agent):
    with unread(ready_agent):
        outcome = ready_agent.ask("from now on use uv, never pip")
        assert any("never pip" in text for text in queued(ready_agent))
    assert faults(outcome.messages) == []


def test_the_plugin_installs_from_a_git_repository(agent, served_repository, provisioned):
    install_plugin(agent, served_repository)
    lend_runtime(agent, provisioned)
    listed = json.loads(agent.run("plugin", "list", "--json").out)
    place = next(row["installPath"] for row in listed if row["id"] == "ultan@ultan")
    assert place.startswith(str(agent.config)), "a copy of the client's own"
    assert faults(agent.ask("hello").messages) == []
    assert (agent.home / ".local" / "share" / "ultan" / "sessions").is_dir()


def test_a_plugin_added_in_mid_session_works_at_the_next_prompt(agent, plugin, provisioned):
    with unread(agent):
        with agent.live() as live:
            live.say("hello")
            install_plugin(agent, plugin)
            lend_runtime(agent, provisioned)
            live.say("/reload-plugins")
            live.say("please always write tests first")
        assert any("tests first" in text for text in queued(agent))


def test_doctor_answers_in_the_agents_shell_before_there_is_a_runtime(agent, plugin, api):
    install_plugin(agent, plugin)
    runtime_folder(agent).mkdir(parents=True)
    (runtime_folder(agent) / "failed").touch()  # keeps this session from provisioning
    (runtime_folder(agent) / "state").write_text("failed: no network\n1\n1\n")
    api.next_script(calls("Bash", command="ultan doctor; ultan search x", description="look"), says("done"))
    agent.ask("run ultan doctor", "--permission-mode", "bypassPermissions")
    seen = api.turns[-1].text
    assert "runtime: failed: no network" in seen
    assert "still being set up" in seen


def test_doctor_answers_in_the_agents_shell_with_the_runtime(ready_agent, api):
    api.next_script(calls("Bash", command="ultan doctor --json", description="look"), says("done"))
    ready_agent.ask("run ultan doctor", "--permission-mode", "bypassPermissions")
    report = next(text for role, text in api.turns[-1].texts if role == "result")
    found = json.loads(report)
    assert found["installed"] == "plugin"
    assert found["interpreter"].startswith("/")


@pytest.mark.parametrize(
    "damage",
    ["root gone", "shim gone", "shim cut", "shim empty", "package gone", "interpreter gone", "ready torn"],
)
def test_whatever_breaks_the_hooks_exit_0_and_are_silent(agent, plugin, provisioned, tmp_path, damage, api):
    own = tmp_path / "copy"
    shutil.copytree(plugin, own)
    install_plugin(agent, own)
    lend_runtime(agent, provisioned)
    (runtime_folder(agent) / "failed").touch()
    shim = own / "hooks" / "ultan-hook"
    whole = shim.read_text()
    with agent.live("--permission-mode", "bypassPermissions") as live:
        live.say("hello")
        ready = runtime_folder(agent) / "ready"
        match damage:
            case "root gone":
                shutil.rmtree(own)
            case "shim gone":
                shim.unlink()
            case "shim cut":
                shim.write_text(whole[: len(whole) * 2 // 3])
            case "shim empty":
                shim.write_text("")
            case "package gone":
                ready.write_text(f"{provisioned.python}\n/nowhere\n{VERSION}\n")
            case "interpreter gone":
                ready.write_text(f"/nowhere/python\n/nowhere\n{VERSION}\n")
            case "ready torn":
                ready.write_text("/nowhere")
        api.next_script(calls("Bash", command="echo still-here", description="x"), says("went on"))
        result = live.say("run something")
    assert result["result"] == "went on"
    assert "still-here" in api.turns[-1].text
    own_words = "Plugin directory does not exist"  # the client's, before it comes to ours; it goes on all the same
    assert [fault for fault in faults(live.messages) if own_words not in (fault[2] or "")] == []


def test_every_cut_of_the_shim_is_silent_and_exits_0(plugin, tmp_path):
    text = (plugin / "hooks" / "ultan-hook").read_text()
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    environ = {"PATH": os.environ["PATH"], "CLAUDE_PLUGIN_ROOT": str(tmp_path), "CLAUDE_PLUGIN_DATA": str(tmp_path / "none")}
    for end in range(0, len(text), 37):
        (hooks / "ultan-hook").write_text(text[:end])
        done = subprocess.run(
            ["/bin/sh", "-c", provision.plugin_line("notice")], env=environ, input=b"{}", capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), end
    assert not (tmp_path / "none").exists(), "a data folder that is gone is not made again"


def test_uninstalling_takes_the_hooks_away_and_leaves_the_library(ready_agent):
    ready_agent.ask("hello")
    done = ready_agent.run("plugin", "uninstall", "ultan@ultan")
    assert done.code == 0, done.out + done.err
    outcome = ready_agent.ask("hello again")
    assert outcome.hooks("UserPromptSubmit") == []
    assert not runtime_folder(ready_agent).exists()
    assert (ready_agent.home / ".local" / "share" / "ultan").is_dir()


def test_a_hostile_project_reaches_neither_the_path_nor_the_configuration_of_provisioning(plugin, tmp_path):
    project, data, home = tmp_path / "project", tmp_path / "data", tmp_path / "home"
    for folder in (project / "bin", project / ".git", data, home):
        folder.mkdir(parents=True)
    evil = "#!/bin/sh\necho $0 >>" + str(tmp_path / "ran") + "\nexit 1\n"
    for name in ("uv", "python3", "python", "sed", "find", "mkdir"):
        (project / "bin" / name).write_text(evil)
        (project / "bin" / name).chmod(0o755)
    (tmp_path / "tools").mkdir()
    for name in ("python", "python3", *(f"python3.{minor}" for minor in range(11, 15))):
        seen = tmp_path / "tools" / name  # stands for the person's interpreter: notes its environment, then fails
        seen.write_text(f"#!/bin/sh\nenv >>{tmp_path / 'environ'}\npwd >>{tmp_path / 'cwd'}\nexit 1\n")
        seen.chmod(0o755)
    subprocess.run(
        ["/bin/sh", str(plugin / "hooks" / "provision.sh"), str(plugin), str(data)],
        cwd=project,
        env={
            "HOME": str(home),
            "PATH": f"{project / 'bin'}:bin:.:{tmp_path / 'tools'}:/usr/bin:/bin",
            "CLAUDE_PROJECT_DIR": str(project / "bin"),
            "PIP_INDEX_URL": "http://evil.example",
            "UV_INDEX_URL": "http://evil.example",
            "UV_CONFIG_FILE": str(project / "uv.toml"),
            "PYTHONPATH": str(project),
            "XDG_CONFIG_HOME": str(project / "config"),
            "HTTPS_PROXY": "http://proxy.example:3128",
        },
        check=False,
    )
    assert not (tmp_path / "ran").exists()
    names = set(re.findall(r"^(\w+)=", (tmp_path / "environ").read_text(), re.MULTILINE))
    assert names <= {"HOME", "PATH", "ULTAN_CLEAN", "HTTPS_PROXY", "PWD", "OLDPWD", "SHLVL", "_"}
    assert (tmp_path / "cwd").read_text().splitlines()[0] == str(data / "runtime")


def test_hooks_json_is_what_the_clients_table_would_install():
    written = json.loads((ROOT / "hooks" / "hooks.json").read_text())
    assert written["hooks"] == claude_code.settings_hooks(provision.plugin_line)
    manifest = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    assert "hooks" not in manifest, "hooks/hooks.json is loaded by itself; naming it again has fired twice"
    for groups in written["hooks"].values():
        for entry in groups[0]["hooks"]:
            assert 1 <= entry["timeout"] <= 120, "seconds"


def test_one_version_stands_in_all_three_places():
    assert json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())["version"] == VERSION
    assert f"ultan_version={VERSION}\n" in (ROOT / "hooks" / "ultan-hook").read_text()


def test_with_the_plugin_there_installing_leaves_the_settings_and_says_so(ready_agent):
    done = subprocess.run(
        [str(ROOT / "bin" / "ultan"), "install"], env=ready_agent.environ(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "plugin" in done.stdout + done.stderr
    assert "hooks" not in json.loads((ready_agent.config / "settings.json").read_text())


def test_hooks_in_settings_and_plugin_at_once_capture_once_and_are_told_of(agent, plugin, provisioned, api):
    words = [provisioned.python, "-I", "-m", "ultan"]
    environ = agent.environ()
    assert subprocess.run([*words, "install"], env=environ, capture_output=True, check=False).returncode == 0
    assert subprocess.run([*words, "save", "Deploy on Tuesdays only"], env=environ, capture_output=True, check=False).returncode == 0
    install_plugin(agent, plugin)
    lend_runtime(agent, provisioned)
    with unread(agent):
        outcome = agent.ask("when do we deploy?")
        assert len([text for text in queued(agent) if '"kind": "prompt"' in text]) == 1
    assert len(outcome.hooks("UserPromptSubmit")) == 2, "both are there"
    assert api.turns[-1].text.count("--- ultan notes ") <= 1
    doctor = subprocess.run([*words, "doctor"], env=environ, capture_output=True, text=True, check=False)
    assert "ultan uninstall" in doctor.stdout


def test_blanks_quotes_and_letters_beyond_ascii_in_every_path_are_fine(plugin, provisioned, tmp_path, api):
    own = tmp_path / "it's a plügin"
    shutil.copytree(plugin, own)
    agent = Agent(tmp_path / "a b" / "ü 漢", api.url)
    install_plugin(agent, own)
    lend_runtime(agent, provisioned)
    with unread(agent):
        outcome = agent.ask("always keep the tests green")
        assert any("tests green" in text for text in queued(agent))
    assert faults(outcome.messages) == []


def test_a_home_that_the_person_deleted_is_not_made_again(ready_agent):
    ready_agent.ask("hello")
    home = ready_agent.home / ".local" / "share" / "ultan"
    shutil.rmtree(home)
    outcome = ready_agent.ask("hello again")
    assert faults(outcome.messages) == []
    assert not home.exists()


def test_where_the_client_never_says_stop_the_next_prompt_catches_up(agent, plugin, provisioned, tmp_path, api):
    own = tmp_path / "copy"
    shutil.copytree(plugin, own)
    table = json.loads((own / "hooks" / "hooks.json").read_text())
    for event in ("Stop", "SubagentStop", "SessionEnd", "PreCompact"):
        del table["hooks"][event]
    (own / "hooks" / "hooks.json").write_text(json.dumps(table))
    install_plugin(agent, own)
    lend_runtime(agent, provisioned)
    api.next_script(says("The pelican sleeps at noon."))
    with unread(agent):
        with agent.live() as live:
            live.say("tell me about birds")
            live.say("thank you")
        assert any("pelican" in text for text in queued(agent))


SERVER = "mcp__plugin_ultan_ultan__"


def test_the_agent_has_recall_at_hand_and_calls_it(ready_agent, provisioned, api):
    words = [provisioned.python, "-I", "-m", "ultan", "save", "Deploy on Tuesdays only, never on Fridays"]
    subprocess.run(words, env=ready_agent.environ(), cwd=ready_agent.project, capture_output=True, check=True)
    ready_agent.settings(
        {**json.loads((ready_agent.config / "settings.json").read_text()), "permissions": {"allow": [SERVER + "recall"]}}
    )
    with ready_agent.live() as live:
        live.say("hello there")
        began = time.monotonic()
        while SERVER + "recall" not in api.turns[-1].tools:  # the client waits for no server before the first turn
            assert time.monotonic() - began < 90, "in the model's hands by itself, not behind a search for tools"
            live.say("hello again")
        assert {SERVER + "show", SERVER + "save"}.isdisjoint(api.turns[-1].tools), "these wait until they are looked for"
        api.next_script(calls(SERVER + "recall", query="on which days do we deploy?"), says("on Tuesdays"))
        result = live.say("what did I say last month?")
    begun = [message for message in live.messages if message.get("subtype") == "init"][-1]
    assert {SERVER + name for name in ("recall", "show", "save")} <= set(begun["tools"])
    assert "Tuesdays" in next(text for role, text in api.turns[-1].texts if role == "result")
    assert result["result"] == "on Tuesdays"


def test_before_there_is_a_runtime_the_server_is_there_without_tools(agent, plugin):
    install_plugin(agent, plugin)
    runtime_folder(agent).mkdir(parents=True)
    (runtime_folder(agent) / "failed").touch()  # keeps this session from provisioning
    with agent.live() as live:
        live.say("hello")
        live.say("hello again")
    begun = [message for message in live.messages if message.get("subtype") == "init"][-1]
    assert [row["status"] for row in begun["mcp_servers"] if row["name"] == "plugin:ultan:ultan"] == ["connected"]
    assert not [name for name in begun["tools"] if name.startswith(SERVER)]
