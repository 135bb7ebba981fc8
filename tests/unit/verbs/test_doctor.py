"""What doctor says, and that it says what to do."""

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading

import pytest

from ultan import home as home_folder
from ultan import homes
from ultan.clients import claude_code
from ultan.encoders.hashing import HashingEncoder
from ultan.library.entry import Entry
from ultan.recall.compile import build_from_entries
from ultan.recall.index import path_of
from ultan.serving.socket import Server
from ultan.settings import Settings
from ultan.verbs import doctor, install, provision

NOW = 1_700_000_000.0
RUNTIME = provision.Runtime("/opt/venv/bin/python", ("/opt/venv/lib/site-packages",))


@pytest.fixture
def person(tmp_path):
    environ = {"HOME": str(tmp_path / "person"), "XDG_STATE_HOME": str(tmp_path / "state")}
    os.mkdir(environ["HOME"])
    return environ


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "memory")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def looked(home, person, **more):
    return {check.name: check for check in doctor.doctor(home, {**person, **more}, NOW).checks}


def enable_plugin(person):
    config = os.path.join(person["HOME"], ".claude")
    write(os.path.join(config, "settings.json"), '{"enabledPlugins": {"ultan@ultan": true}}')
    return os.path.join(config, "plugins", "data", "ultan-ultan", "runtime")


def test_nothing_installed_is_said_and_the_hook_commands_are_given_all_the_same(home, person):
    report = doctor.doctor(home, person, NOW)
    assert report.installed == "none"
    assert set(report.hook_commands) == {"capture", "prime", "notice", "brief"}
    for argv in report.hook_commands.values():
        assert os.path.isabs(argv[0])
        assert report.interpreter in argv[2]
    assert not os.path.exists(home)


def test_the_hook_commands_are_those_that_stand_in_the_settings(home, person):
    install.install(home, person, now=NOW, runtime=RUNTIME)
    report = doctor.doctor(home, person, NOW)
    assert report.installed == "settings"
    assert report.hook_commands["prime"] == ["/bin/sh", "-c", RUNTIME.line("prime")]
    assert looked(home, person)["interpreter"].remedy == "ultan install"


def test_a_provisioning_under_way_is_told_with_its_step_and_age(home, person):
    runtime = enable_plugin(person)
    write(os.path.join(runtime, "state"), f"installing with pip\n{int(NOW) - 40}\n1\n")
    check = looked(home, person)["install"]
    assert (check.state, "installing with pip" in check.says, "40 s" in check.says) == ("note", True, True)


def test_a_failed_provisioning_is_wrong_and_names_the_log(home, person):
    runtime = enable_plugin(person)
    write(os.path.join(runtime, "state"), "failed: no Python\n1\n1\n")
    check = looked(home, person)["install"]
    assert check.state == "wrong"
    assert "provision.log" in check.remedy


def test_half_a_runtime_serves_hooks_and_says_what_is_missing(home, person):
    runtime = enable_plugin(person)
    write(os.path.join(runtime, "ready"), "/bin/sh\n/modules\n0.1.0\nbase\n")
    write(os.path.join(runtime, "state"), f"hooks are served; installing what runs models with pip\n{NOW - 40:.0f}\n1\n")
    check = looked(home, person)["install"]
    assert (check.state, "installing what runs models" in check.says) == ("note", True)
    assert "words alone" in check.remedy


def test_the_plugins_hook_commands_carry_its_variables(home, person):
    runtime = enable_plugin(person)
    write(os.path.join(runtime, "ready"), "/bin/sh\n/modules\n0.1.0\n")
    report = doctor.doctor(home, {**person, "CLAUDE_PLUGIN_ROOT": "/it's here"}, NOW)
    assert report.installed == "plugin"
    assert "CLAUDE_PLUGIN_ROOT=/it's here" in shlex.split(report.hook_commands["notice"][2])
    assert report.interpreter == "/bin/sh"


def test_hooks_in_both_places_are_wrong(home, person):
    install.install(home, person, now=NOW, runtime=RUNTIME)
    path = os.path.join(person["HOME"], ".claude", "settings.json")
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    write(path, json.dumps({**value, "enabledPlugins": {"ultan@ultan": True}}))
    check = looked(home, person)["install"]
    assert (check.state, check.remedy) == ("wrong", "ultan uninstall")


def test_a_waiting_queue_is_told_with_its_age(home, person):
    home_folder.ensure(home)
    name = f"{int((NOW - 7200) * 1000):012x}-0000000000"
    write(os.path.join(home, "queue", "new", name + ".json"), "{}")
    check = looked(home, person)["queue"]
    assert check.says == "1 events, the oldest 2 h old"
    assert check.remedy == "ultan curate --now"


def test_losses_and_trouble_are_told(home, person):
    home_folder.ensure(home)
    home_folder.count(home, "timed_out", 2)
    os.utime(home_folder.begin(home, "prime"), (NOW - 100, NOW - 100))  # ended by the kernel, not counted by a curator yet
    home_folder.trouble(home, '{"at": 1700000000, "kind": "failed", "what": "prime: ValueError"}')
    found = looked(home, person)
    assert found["losses"].says == "3 timed out"
    assert found["losses"].remedy == "see trouble below"
    assert "prime: ValueError" in found["trouble"].says


def test_losses_of_which_no_trouble_tells_send_nobody_to_look_for_it(home, person):
    home_folder.ensure(home)
    home_folder.count(home, "late", 2)
    found = looked(home, person)
    assert (found["losses"].says, found["losses"].remedy) == ("2 late", "")
    assert "trouble" not in found


def test_a_stopped_curator_is_wrong_and_the_queue_is_said_to_be_kept(home, person):
    home_folder.ensure(home)
    write(os.path.join(home, "runs", "stopped.json"), json.dumps({"why": "quota", "told": "limit", "until": NOW + 60}))
    check = looked(home, person)["curator"]
    assert check.state == "wrong"
    assert "kept" in check.remedy


def test_the_time_from_words_to_an_entry_is_told_for_each_who_curates(home, person):
    rows = [[number, "clerk", 100.0, 101.0 + number] for number in range(20)] + [[21, "claude", 100.0, 190.0]]
    write(os.path.join(home, "runs", "lag.json"), json.dumps(rows))
    told = [check.says for check in doctor.doctor(home, person, NOW).checks if check.name == "lag"]
    assert told == [
        "90 s from your words to an entry, in the middle of 1, with claude; 95 % within 90 s",
        "10 s from your words to an entry, in the middle of 20, with clerk; 95 % within 19 s",
    ]


def test_settings_that_cannot_be_read_are_named_and_doctor_goes_on(home, person):
    write(os.path.join(person["HOME"], ".claude", "settings.json"), "{")
    found = looked(home, person)
    assert found["settings"].state == "wrong"
    assert "queue" in found


def test_a_home_inside_the_project_is_wrong(person, tmp_path):
    project = tmp_path / "work"
    (project / ".git").mkdir(parents=True)
    found = looked(str(project / "memory"), person, CLAUDE_PROJECT_DIR=str(project))
    assert found["home"].state == "wrong"


def test_hooks_that_were_turned_away_are_wrong_until_hooks_are_heard_again(home, person):
    assert "turned away" not in looked(home, person)
    homes.note_refusal(person, NOW - 60, f"the home {home} lies inside the project /srv")
    found = looked(home, person)["turned away"]
    assert (found.state, found.says) == ("wrong", f"hooks, 60 s ago: the home {home} lies inside the project /srv")
    assert "ULTAN_HOME" in found.remedy
    heard = os.path.join(home, "sessions", "s")
    os.makedirs(heard)
    os.utime(heard, (NOW - 30, NOW - 30))
    assert looked(home, person)["turned away"].state == "note"
    homes.note_refusal(person, NOW - 8 * 86400, "long ago")
    assert "turned away" not in looked(home, person)


def test_every_verb_of_the_table_has_a_command(home, person):
    verbs = {row[0] for row in claude_code.EVENTS.values()}
    assert set(doctor.doctor(home, person, NOW).hook_commands) == verbs


def test_the_report_is_plain_json(home, person):
    value = json.loads(json.dumps(doctor.doctor(home, person, NOW).as_json()))
    assert value["is_well"] is True
    assert all({"name", "state", "says", "remedy"} <= set(check) for check in value["checks"])


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes")
def test_trying_a_hook_leaves_no_server_behind_where_hooks_may_start_one(home, person):
    home_folder.ensure(home)
    index = build_from_entries([], Settings({"serve.on_demand": True}))
    home_folder.write(path_of(home), bytes(index._mapped))
    assert looked(home, person)["prime"].state == "ok"
    lines = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            lines.append(home_folder.read(f"/proc/{name}/cmdline").replace(b"\0", b" ").decode())
    assert [line for line in lines if os.path.join(home, "runs", "tried-") in line] == []


def test_a_hook_that_does_nothing_is_wrong_and_one_that_works_is_timed(home, person):
    home_folder.ensure(home)
    assert looked(home, person)["prime"].state == "ok"
    assert os.listdir(os.path.join(home, "runs")) == []
    assert not os.path.exists(os.path.join(person["XDG_STATE_HOME"], "ultan"))
    install.install(home, person, now=NOW, runtime=RUNTIME)
    assert looked(home, person)["prime"].state == "wrong"


def test_the_server_is_said_to_be_absent_and_whether_a_prompt_starts_it(home, person):
    home_folder.ensure(home)
    assert looked(home, person)["server"].says == "absent: hooks answer by themselves"
    assert "serve.on_demand" in looked(home, person)["server"].remedy
    write(os.path.join(home, "config.toml"), "[serve]\non_demand = true\n")
    assert "the next prompt starts it" in looked(home, person)["server"].says


def test_a_server_that_runs_is_told_with_its_encoder_and_memory(home, person):
    home_folder.ensure(home)
    server = Server(home, HashingEncoder(), idle_s=20, ready=(ready := threading.Event()).set)
    worker = threading.Thread(target=server.run)
    worker.start()
    assert ready.wait(120)
    try:
        says = looked(home, person)["server"].says
    finally:
        server.stop()
        worker.join(20)
    assert says.startswith(f"empty, encoder {server.shelf.encoder.name}, ")
    assert " MB, 0 answers in " in says


RULES_IN = {
    "en": "Always run the tests before you commit", "de": "Die Preise werden immer in Cent gespeichert",
    "ru": "Цены хранятся в копейках", "uk": "Ціни зберігаються в копійках", "zh": "价格以整数分保存",
}  # fmt: skip


@pytest.mark.parametrize(
    ("many", "told"),
    [({"en": 40}, ""), ({"en": 40, "de": 2}, ""), ({"en": 2, "ru": 3}, "ru"), ({"en": 9, "de": 2, "zh": 3}, "zh, de")],
)
def test_entries_in_languages_the_encoder_does_not_know_are_told(home, person, many, told):
    home_folder.ensure(home)
    entries = [
        Entry(f"global/{code}{at}", RULES_IN[code], "convention", "global", "2026-01-05", "2026-01-05", body=RULES_IN[code] + "\n")
        for code, n in many.items()
        for at in range(n)
    ]
    index = build_from_entries(entries, Settings(), HashingEncoder())
    home_folder.write(path_of(home), bytes(index._mapped))
    check = looked(home, person).get("languages")
    assert (check.says if check else "").count(f"({told})") == bool(told)
    assert not told or (check.state, "by their words alone" in check.says) == ("note", True)


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_a_folder_that_is_not_ones_own_to_read_is_wrong():
    code = (
        "import os, sys; from ultan.verbs.checkup import place; os.setuid(65534);"
        "print(*[f'{c.state} {c.says}' for c in place.home_folder(sys.argv[1], {}, '')], sep='\\n')"
    )

    def told():
        return subprocess.run([sys.executable, "-c", code, home], capture_output=True, text=True, check=True).stdout

    with tempfile.TemporaryDirectory() as outer:  # where others may go; the tests' own folders are closed to them
        os.chmod(outer, 0o755)
        home = home_folder.ensure(os.path.join(outer, "home"))
        for folder, _folders, _files in os.walk(home):
            os.chown(folder, 65534, 65534)
        assert told().startswith(f"ok {home}")
        os.chmod(os.path.join(home, "knowledge"), 0)
        assert told().startswith("wrong not yours to read and write: knowledge")
