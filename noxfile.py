"""Everything that is run on Ultan: ``nox -s lint types tests crash docs bench``.

``nox --no-venv -s lint`` uses the current environment, as ``.ci/run`` and pre-commit do.
"""

import os

import nox

nox.options.sessions = ["lint", "types", "tests", "docs"]
nox.options.reuse_existing_virtualenvs = True
QUICK = ("pytest",)


def _install(session: nox.Session) -> None:
    if session.virtualenv.is_sandboxed:
        session.install("-e", ".[dev]")


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff with every rule, and its formatter's opinion on what is staged."""
    if session.virtualenv.is_sandboxed:
        session.install("ruff>=0.9")
    session.run("ruff", "check", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """mypy --strict over the package."""
    _install(session)
    session.run("mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """The quick tier; `nox -s tests -- -m slow` runs the slow one."""
    _install(session)
    session.run(*QUICK, *session.posargs)


@nox.session
def crash(session: nox.Session) -> None:
    """Stop at every side effect, reopen, check the numbered invariants; kill captures and curators.

    ``-- --long`` runs all tests, two thousand random kills and a million fuzzed inputs, and writes docs/reliability.md.
    """
    _install(session)
    if "--long" in session.posargs:
        session.run("python", "tests/crash/report.py", *session.posargs)
        return
    session.run(*QUICK, "-n", "0", "-m", "not long", "tests/crash", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Write the generated reference anew; a test compares it with the code."""
    _install(session)
    session.run("python", "docs/generate.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Latency of the installed hooks as ratios to a bare interpreter, what serving costs, then quality where data is found."""
    _install(session)
    session.run("python", "tests/bench/latency.py", *session.posargs)
    session.run("python", "tests/bench/serving.py", *[word for word in session.posargs if word == "--check"])
    data = os.environ.get("ULTAN_BENCH_DATA", "../shared/data/primebench")
    if not os.path.isdir(data):
        session.log(f"no data set at {data}: quality is not measured; set ULTAN_BENCH_DATA")
        return
    for verb in ("recall", "notice", "curate"):
        session.run("ultan", "bench", verb, data)
