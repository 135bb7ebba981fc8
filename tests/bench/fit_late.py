"""The 64 directions that late interaction reduces states of tokens to: ``python tests/bench/fit_late.py``.

Made from this project's own pages, so that no data set has a part in them; writes ``ultan/encoders/late.f16``.
The eigenvectors of the second moment of the states: what is kept of their length is printed.
"""

import os
import sys

import numpy as np

from ultan.encoders import packaged

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST, SHORTEST, LONGEST = 400, 150, 500  # paragraphs, and their characters


def paragraphs(folder: str) -> list[str]:
    """The plain paragraphs of the pages under *folder*, evenly picked."""
    found = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".md"):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    found += [" ".join(part.split()) for part in file.read().split("\n\n")]
    found = [part[:LONGEST] for part in found if len(part) > SHORTEST and not part.startswith(("|", "```", "#"))]
    return found[:: max(1, len(found) // MOST)][:MOST]


def main() -> None:
    """Fit, write, and say what the directions keep."""
    encoder = packaged.PackagedEncoder()
    states = np.concatenate(encoder.states(paragraphs(os.path.join(ROOT, "docs"))))
    values, vectors = np.linalg.eigh(states.T @ states / len(states))
    chosen = vectors[:, ::-1][:, : packaged.LATE_WIDTH]
    chosen = chosen * np.where(chosen[np.abs(chosen).argmax(0), np.arange(chosen.shape[1])] < 0, -1.0, 1.0)
    np.ascontiguousarray(chosen.astype(np.float16)).tofile(os.path.join(os.path.dirname(packaged.__file__), "late.f16"))
    kept = values[::-1][: packaged.LATE_WIDTH].sum() / values.sum()
    sys.stdout.write(f"{len(states)} tokens; {kept:.3f} of their length kept\n")


if __name__ == "__main__":
    main()
