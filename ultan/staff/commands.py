"""Commands of the shell and tools that people make rules about: what a rule means, when they come up, what rivals them."""

import functools
import re

from ultan.recall.text import terms

# name → (RE2 of the call that a rule against it means, situation)
COMMANDS = {
    "pip": (r"\bpip3?\s+install\b", "installing Python packages"), "uv": (r"\buv\s+(?:add|pip|run|sync)\b", "installing Python packages"),
    "poetry": (r"\bpoetry\s+(?:add|install|run)\b", "installing Python packages"), "conda": (r"\bconda\s+(?:install|create)\b", "installing Python packages"),
    "pipenv": (r"\bpipenv\s+\w+", "installing Python packages"), "npm": (r"\bnpm\s+(?:install|i|add|ci|run)\b", "installing JavaScript packages"),
    "npx": (r"\bnpx\s+\S+", "running JavaScript tools"), "yarn": (r"\byarn(?:\s+(?:add|install))?\b", "installing JavaScript packages"),
    "pnpm": (r"\bpnpm\s+(?:add|install|i)\b", "installing JavaScript packages"), "bun": (r"\bbun\s+(?:add|install|run)\b", "installing JavaScript packages"),
    "cargo": (r"\bcargo\s+\w+", "building Rust code"), "make": (r"\bmake\s+\w+", "building"), "docker": (r"\bdocker\s+\w+", "running containers"),
    "podman": (r"\bpodman\s+\w+", "running containers"), "sudo": (r"\bsudo\s+\S+", "running a command as root"), "rm": (r"\brm\s+-\w+", "deleting files"),
    "curl": (r"\bcurl\s+\S+", "fetching over HTTP"), "wget": (r"\bwget\s+\S+", "fetching over HTTP"), "brew": (r"\bbrew\s+install\b", "installing tools"),
    "apt": (r"\bapt(?:-get)?\s+install\b", "installing tools"), "pytest": (r"\bpytest\b", "running tests"), "jest": (r"\bjest\b", "running tests"),
    "black": (r"\bblack\s+\S+", "formatting code"), "prettier": (r"\bprettier\s+\S+", "formatting code"), "grep": (r"\bgrep\s+\S+", "searching in files"),
    "rg": (r"\brg\s+\S+", "searching in files"), "terraform": (r"\bterraform\s+\w+", "changing infrastructure"), "kubectl": (r"\bkubectl\s+\w+", "working on the cluster"),
    "gradle": (r"\bgradlew?\s+\w+", "building"), "mvn": (r"\bmvn\s+\w+", "building"), "git": ("", "working with git"),
}  # fmt: skip


def commands_in(text: str) -> list[str]:
    """Known commands named in *text*, in order."""
    words = re.findall(r"(?<![A-Za-z0-9_./-])[a-z]+3?(?![A-Za-z0-9_/]|\.[A-Za-z0-9_])", text.lower())
    return list(
        dict.fromkeys(
            word.removesuffix("3") for word in words if word.removesuffix("3") in COMMANDS and word != "make"
        )
    )


# Things of which one does the job: who names one after another has changed their mind.
_RIVALS = (
    "pip uv poetry pipenv conda pdm hatch", "npm yarn pnpm bun", "black ruff yapf autopep8", "flake8 pylint ruff", "mypy pyright pytype",
    "isort ruff", "eslint biome oxlint tslint", "prettier biome dprint", "pytest unittest nose", "jest vitest mocha jasmine",
    "cypress playwright selenium", "docker podman", "gradle maven mvn", "webpack vite parcel rollup esbuild", "tabs spaces", "single double",
    "merge rebase squash", "print logging loguru structlog", "requests httpx aiohttp urllib", "axios fetch", "postgres postgresql mysql sqlite",
    "tailwind bootstrap", "redux zustand mobx", "yaml toml json", "grep rg ripgrep", "curl wget", "flask django fastapi", "react vue svelte angular",
    "dataclasses pydantic attrs", "argparse click typer",
)  # fmt: skip


@functools.cache
def _rivals() -> tuple[frozenset[str], ...]:
    return tuple(frozenset((*names.split(), *terms(names))) for names in _RIVALS)


def rival(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether *one* names something that does the job of something else in *other*."""
    return any(one & group and other & group and not one & other & group for group in _rivals())
