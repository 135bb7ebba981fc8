"""Wraps any model: cap, cost and transcript of each call.

``cost.json`` holds the sums and the state of the governor, ``runs/<day>.jsonl`` a line for
each call, for a year, ``runs/<time>-<role>-<session>.md`` its redacted transcript for seven days.
"""

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from ultan import home, plainjson
from ultan.errors import LanguageModelError, MalformedReply, QuotaReached
from ultan.llm import Errand, LanguageModel, Reply, Result
from ultan.llm import governor as rules
from ultan.redaction import neutral, redact
from ultan.settings import Settings

TRANSCRIPT_DAYS = 7
RECORD_DAYS = 366  # what was spent is counted in cost.json for good; the calls one by one for a year
STAMP = "%Y%m%dT%H%M%S"
TRANSCRIPT = re.compile(r"^(\d{8}T\d{6})-[a-z]+-[\w-]*\.md$")
RECORD = re.compile(r"^(\d{4}-\d{2}-\d{2})\.jsonl$")
LOCK_WAIT_S = 10.0


class Recorded:
    """A language model whose every call is allowed, counted and written down."""

    def __init__(
        self, model: LanguageModel, root: str, settings: Settings, clock: Callable[[], float], *, insist: bool = False
    ) -> None:
        """*model* under the governor of the home *root*; *insist*: a person asked for another try."""
        self._model, self._root, self._settings, self._clock = model, root, settings, clock
        self._insist = insist

    def ask(self, errand: Errand[Result]) -> Reply[Result]:
        """The reply to *errand*, if it may be asked.

        Raises:
            QuotaReached: a cap, the breaker or a back-off of ours forbids it; nothing was sent.
            LanguageModelError: as the model says.
        """
        self._begin(errand)
        errand = replace(errand, question=redact(neutral(errand.question)[0])[0])
        try:
            reply = self._model.ask(errand)
        except LanguageModelError as error:
            self._fail(errand, error)
            raise
        with _locked(self._root):
            spending = rules.ended(read_spending(self._root), errand.role, reply, self._clock())
            _keep(self._root, rules.succeeded(spending))
            self._write_down(errand, reply, errand.summary(reply.value), "")
        return reply

    def _begin(self, errand: Errand[Any]) -> None:
        now = self._clock()
        with _locked(self._root):
            spending = read_spending(self._root)
            why, until = rules.closed(spending, self._settings, now, insist=self._insist)
            if not why:
                _keep(self._root, rules.begun(spending, errand.role, now))
                return
            if why in rules.HARD and spending.why != why:
                _keep(self._root, rules.shut(spending, why, until))
                home.trouble(self._root, plainjson.dumps({"at": now, "what": "spend", "why": why, "until": until}))
        refusal = QuotaReached(f"no call before {_time(until)}: {rules.REMEDIES[why]}", rules.REMEDIES[why])
        refusal.until = until
        raise refusal

    def _fail(self, errand: Errand[Any], error: LanguageModelError) -> None:
        spent = error.spent if isinstance(error.spent, Reply) else None
        now = self._clock()
        with _locked(self._root):
            spending = rules.ended(read_spending(self._root), errand.role, spent, now)
            if not isinstance(error, MalformedReply):  # what one batch did to a model says nothing about the next
                spending = rules.failed(spending, error, now)
            _keep(self._root, spending)
            self._write_down(errand, spent or Reply(None), {}, f"{type(error).__name__}: {error}")

    def _write_down(self, errand: Errand[Any], reply: Reply[Any], decisions: dict[str, int], failure: str) -> None:
        now = self._clock()
        line = {
            "at": round(now, 3), "role": errand.role, "session": errand.session, "model": reply.model or errand.model,
            "paid_by": reply.paid_by, "cost_usd": reply.cost_usd, "duration_s": round(reply.duration_s, 3),
            "input_tokens": reply.usage.input_tokens + reply.usage.cache_read_tokens + reply.usage.cache_written_tokens,
            "output_tokens": reply.usage.output_tokens, "attempts": reply.attempts, "parsed_ok": not failure,
            "decisions": decisions, "prompt": errand.prompt_digest, "error": redact(failure)[0][:300],
        }  # fmt: skip
        folder = os.path.join(self._root, "runs")
        home.make_folder(folder)
        home.append(os.path.join(folder, rules.day_of(now) + ".jsonl"), (plainjson.dumps(line) + "\n").encode())
        value = reply.value.model_dump_json(indent=1) if isinstance(reply.value, BaseModel) else ""
        parts = (f"# {errand.role}", errand.question, *reply.log, value, failure)
        text = redact(neutral("\n\n".join(part for part in parts if part))[0])[0]
        session = re.sub(r"[^\w-]", "", errand.session)[:40]
        stamp = datetime.fromtimestamp(now, UTC).strftime(STAMP)
        home.write(os.path.join(folder, f"{stamp}-{errand.role}-{session}.md"), text.encode(), durable=False)
        drop_old_transcripts(self._root, now)


def drop_old_transcripts(root: str, now: float) -> int:
    """How many transcripts were past their seven days, and days on record past their year, and are gone."""
    oldest = datetime.fromtimestamp(now - TRANSCRIPT_DAYS * rules.DAY_S, UTC).strftime(STAMP)
    first_day = rules.day_of(now - RECORD_DAYS * rules.DAY_S)
    folder = os.path.join(root, "runs")
    gone = 0
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        found, record = TRANSCRIPT.match(name), RECORD.match(name)
        if (found and found[1] < oldest) or (record and record[1] < first_day):
            home.remove(os.path.join(folder, name))
            gone += 1
    return gone


def read_spending(root: str) -> rules.Spending:
    """What ``cost.json`` says; nothing spent where it is missing or broken."""
    try:
        return rules.Spending.model_validate_json(home.read(os.path.join(root, "cost.json")))
    except (OSError, ValidationError):
        return rules.Spending()


def _keep(root: str, spending: rules.Spending) -> None:
    home.write(os.path.join(root, "cost.json"), spending.model_dump_json(indent=1).encode())


def _locked(root: str) -> AbstractContextManager[object]:
    return FileLock(os.path.join(root, "cost.lock"), timeout=LOCK_WAIT_S, mode=0o600, fallback_to_soft=False)




def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
