"""The main job, with the real client: a session is captured, curated, and comes back in the next one."""

import json
import re
import subprocess
import time

import pytest
from messages_api import Refusal, Turn, calls, says
from plugged import ROOT, home_of, queued, unread

pytestmark = pytest.mark.slow

FREE = ("--permission-mode", "bypassPermissions")
CORRECTION = "no, use uv, never pip here"
RULE = "Please remember: from now on every commit message must start with the ticket number."


def ultan(agent, *words, **more):
    """The command as the person runs it in a terminal of their own."""
    return subprocess.run(
        [str(ROOT / "bin" / "ultan"), *words],
        env=agent.environ(more),
        cwd=agent.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def entries(agent) -> dict[str, str]:
    library = home_of(agent) / "knowledge"
    return {
        str(path.relative_to(library)): path.read_text()
        for path in library.rglob("*.md")
        if path.name not in ("README.md", "index.md", "log.md")
    }


def first_session(agent, api):
    """The person corrects the agent and dictates one rule; who curates later is up to the test."""
    assert ultan(agent, "config", "curation.wake", "no").returncode == 0
    api.next_script(calls("Bash", command="pip --version", description="look for pip"), says("I used pip."))
    with agent.live(*FREE) as live:
        live.say("please look which installer we have")
        live.say(CORRECTION)
        live.say(RULE)


def teach(agent, api):
    """A first session, curated by the clerk."""
    first_session(agent, api)
    done = ultan(agent, "curate", "--now", "--by", "clerk")
    assert done.returncode == 0, done.stdout + done.stderr


def after_prompt(turn: Turn, prompt: str) -> str:
    """All that the request says after the last place of *prompt*."""
    place = turn.where(prompt)[-1]
    head, _, rest = turn.texts[place][1].rpartition(prompt)
    del head
    return rest + "\n".join(text for _, text in turn.texts[place + 1 :])


def test_the_clerk_turns_a_correction_and_a_dictated_rule_into_entries(ready_agent, api):
    teach(ready_agent, api)
    found = entries(ready_agent)
    uv = next(text for text in found.values() if "uv" in text and "pip" in text)
    assert "trust: person" in uv
    assert CORRECTION in uv, "the evidence quotes the person"
    assert any("ticket number" in text for text in found.values())
    assert queued(ready_agent) == []


def test_the_next_session_is_primed_after_its_prompt(ready_agent, api):
    teach(ready_agent, api)
    assert ultan(ready_agent, "config", "brief.enabled", "no").returncode == 0
    seen = len(api.turns)
    prompt = "commit the change with a good message"
    ready_agent.ask(prompt)
    assert "ticket number" in after_prompt(api.turns[seen], prompt)


def test_a_tool_call_that_breaks_the_rule_gets_the_notice(ready_agent, api):
    teach(ready_agent, api)
    api.next_script(calls("Bash", command="pip install --no-index no-such-package", description="install"), says("done"))
    ready_agent.ask("we need the package httpx", *FREE)
    result = api.turns[-1].where("Library note")
    assert result, api.turns[-1].texts[-4:]
    said = api.turns[-1].texts[result[-1]][1]
    assert "uv" in said
    assert any("No matching distribution" in text for role, text in api.turns[-1].texts if role == "result"), "the tool ran"


def test_a_block_that_the_person_confirmed_denies_the_call(ready_agent, api):
    words = "Never force-push; open a pull request instead"
    saved = ultan(ready_agent, "save", words, "--trigger", r"Bash:git push.*--force", "--block")
    assert saved.returncode == 0, saved.stderr
    api.next_script(
        calls("Bash", command="git push --force origin main; touch pushed", description="push"), says("I will not.")
    )
    outcome = ready_agent.ask("push it", *FREE)
    assert [denial["tool_name"] for denial in outcome.result["permission_denials"]] == ["Bash"]
    assert not (ready_agent.project / "pushed").exists()
    assert any("pull request" in text for role, text in api.turns[-1].texts if role == "result")


def test_slash_ultan_saves_what_was_typed_as_the_persons_own(ready_agent, api):
    seen = len(api.turns)
    with unread(ready_agent):
        outcome = ready_agent.ask('/ultan remember: we deploy on Tuesdays, "never" on $(touch owned) Fridays')
        assert queued(ready_agent) != [], "the session itself still waits"
    assert outcome.result["result"] == "Understood.", outcome.result
    ((path, text),) = entries(ready_agent).items()
    assert "we deploy on Tuesdays" in text
    assert "trust: person" in text
    assert not (ready_agent.project / "owned").exists()
    assert path.removesuffix(".md") in api.turns[seen].text, "the agent is told what was kept"
    before = entries(ready_agent)
    assert ultan(ready_agent, "curate", "--now", "--by", "clerk").returncode == 0
    assert entries(ready_agent).keys() == before.keys(), "the clerk does not keep it a second time"


def test_what_was_shown_is_shown_again_only_after_compaction(ready_agent, api):
    teach(ready_agent, api)
    assert ultan(ready_agent, "config", "brief.enabled", "no").returncode == 0
    prompt = "commit the change with a good message"
    shown = []
    with ready_agent.live() as live:
        for words in (prompt, prompt, "/compact", prompt):
            seen = len(api.turns)
            live.say(words)
            if words == prompt:
                shown.append(after_prompt(api.turns[seen], prompt).count("ticket number"))
    assert [bool(count) for count in shown] == [True, False, True]


def test_hooks_start_the_curator_by_themselves(ready_agent):
    assert ultan(ready_agent, "config", "curation.quiet_s", "0").returncode == 0
    ready_agent.ask(CORRECTION)
    deadline = time.monotonic() + 90
    while not entries(ready_agent):
        assert time.monotonic() < deadline, ultan(ready_agent, "doctor").stdout
        time.sleep(0.2)
    assert "trust: person" in next(iter(entries(ready_agent).values()))


def test_a_person_at_the_terminal_sees_answers_and_no_hooks(ready_agent):
    with unread(ready_agent), ready_agent.terminal() as screen:
        screen.wait_for("\u276f")
        screen.type(CORRECTION)
        screen.wait_for(CORRECTION)
        screen.type("\r")
        text = screen.wait_for("Understood.")
        screen.type("/exit\r")
        screen.process.wait(30)
        assert any(CORRECTION in event for event in queued(ready_agent))
    assert "hook failed" not in text
    assert "hook error" not in text


def test_a_model_curates_through_the_sdk_past_a_limit_and_a_malformed_answer(ready_agent, api):
    first_session(ready_agent, api)
    chosen = f'[curation]\nby = "claude"\nbilling = "api"\nbase_url = "{api.url}"\n'
    home_of(ready_agent).joinpath("config.toml").write_text(chosen)
    elsewhere = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}  # as a project's settings could: the person's own setting wins
    waiting = queued(ready_agent)
    projects = set(ready_agent.config.glob("projects/*"))

    api.next_script(Refusal(429), Refusal(429), Refusal(429))
    refused = ultan(ready_agent, "curate", "--now", "--json", **elsewhere)
    assert refused.returncode == 1, refused.stdout
    assert json.loads(refused.stdout)["kept"] == "quota"
    assert queued(ready_agent) == waiting, "the batch is kept"
    assert entries(ready_agent) == {}

    seen = len(api.turns)
    api.next_script(malformed_proposal, proposal, ruling)
    done = ultan(ready_agent, "curate", "--now", "--json", **elsewhere)
    assert done.returncode == 0, done.stdout + done.stderr
    librarian, corrected, scholar = api.turns[seen : seen + 3]
    assert librarian.tools, "read tools and submit_result"
    assert not {"Bash", "Write", "Edit", "Read"} & set(librarian.tools)
    assert "haste" in corrected.text or "kind" in corrected.text, "the complaint went back in-band"
    assert "uv for packages" in scholar.text
    (text,) = entries(ready_agent).values()
    assert "trust: person" in text
    assert set(ready_agent.config.glob("projects/*")) == projects, "the curator leaves no transcript"
    assert queued(ready_agent) == [], "and captures nothing of itself"

    seen = len(api.turns)
    api.next_script()
    ready_agent.ask("add a package for http requests")
    assert "uv for packages" in api.turns[seen].text.lower() or "use uv" in api.turns[seen].text.lower()


def submit(**result):
    return calls("mcp__ultan__submit_result", **result)


def suggestion(turn: Turn, kind: str) -> dict:
    piece = re.search(r"<[^>]*\bid=\"?([^\s\">]+)[^>]*>[^<]*" + re.escape(CORRECTION), turn.text)
    assert piece, turn.text[-3000:]
    action = {
        "verb": "create",
        "folder": "global/python",
        "kind": kind,
        "title": "Use uv for packages, never pip",
        "rule": "Use uv for packages, never pip.",
        "applies_when": ["adding a package", "installing a dependency"],
        "evidence": [{"event": piece[1], "quote": CORRECTION}],
    }
    return {"suggestions": [{"action": action, "reason": "the person corrected the agent"}]}


def malformed_proposal(turn: Turn):
    return submit(**suggestion(turn, "haste"))


def proposal(turn: Turn):
    return submit(**suggestion(turn, "convention"))


def ruling(_: Turn):
    return submit(verdicts=[{"number": 0, "approve": True, "reason": "dictated by the person"}])
