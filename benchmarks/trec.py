"""Files to AP and P@10, whole process with start-up, beside pytrec_eval and ranx, in turns within one run.

    python benchmarks/trec.py [--runs 20 --topics 50 --results 1000 --rounds 7]

Plain TREC files are generated into a temporary folder. Every tool runs in a process of its own, is warmed up
once (so that ranx's compiled code is cached), and takes its turn in every round; the figure that counts is the
ratio of the medians. All tools must print the same means, or the benchmark fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ESR = """
import glob, json, sys
from esr_core.cli import main
folder = sys.argv[1]
sys.exit(main(["evaluate", "--qrels", folder + "/qrels.txt", "--runs", *sorted(glob.glob(folder + "/runs/*")),
               "-m", "AP", "-m", "P@10", "--format", "csv"]))
"""

PYTREC_EVAL = """
import glob, sys
import pytrec_eval
folder = sys.argv[1]
with open(folder + "/qrels.txt") as f:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(f), {"map", "P_10"})
for file in sorted(glob.glob(folder + "/runs/*")):
    with open(file) as f:
        scores = evaluator.evaluate(pytrec_eval.parse_run(f))
    name = file.rsplit("/", 1)[1].split(".")[0]
    for key, measure in (("map", "AP"), ("P_10", "P@10")):
        print(f"{name},all,{measure},{measure},{sum(s[key] for s in scores.values()) / len(scores)}")
"""

RANX = """
import glob, sys
from ranx import Qrels, Run, evaluate
folder = sys.argv[1]
qrels = Qrels.from_file(folder + "/qrels.txt", kind="trec")
for file in sorted(glob.glob(folder + "/runs/*")):
    scores = evaluate(qrels, Run.from_file(file, kind="trec"), ["map", "precision@10"])
    name = file.rsplit("/", 1)[1].split(".")[0]
    for key, measure in (("map", "AP"), ("precision@10", "P@10")):
        print(f"{name},all,{measure},{measure},{scores[key]}")
"""

TOOLS = {"esr": ESR, "pytrec_eval": PYTREC_EVAL, "ranx": RANX}


def write_files(folder: Path, runs: int, topics: int, results: int, seed: int = 1) -> None:
    """Runs whose scores tend to be higher for relevant documents; every topic has relevant documents."""
    rng = np.random.default_rng(seed)
    collection = 200 * results
    (folder / "runs").mkdir()
    judged = {}
    with (folder / "qrels.txt").open("w") as f:
        for t in range(topics):
            docs = rng.choice(collection, 1500, replace=False)
            relevant = rng.random(1500) < .1
            judged[t] = docs[relevant]
            f.writelines(f"{301 + t} 0 DOC-{d:07d} {int(r)}\n" for d, r in zip(docs, relevant, strict=True))
    for r in range(runs):
        with (folder / "runs" / f"run{r:02d}.txt").open("w") as f:
            for t in range(topics):
                good = rng.choice(judged[t], min(len(judged[t]), int(rng.integers(20, 100))), replace=False)
                others = rng.choice(collection, 2 * results, replace=False)
                docs = np.concatenate((good, others[~np.isin(others, good)]))[:results]
                score = rng.gamma(2, 5, results) + 6 * np.isin(docs, good)
                order = np.argsort(-score, kind="stable")
                f.writelines(f"{301 + t} Q0 DOC-{docs[i]:07d} {rank} {score[i]:.6f} run{r:02d}\n"
                             for rank, i in enumerate(order, 1))


def run(code: str, folder: Path) -> tuple[float, dict[str, float]]:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    means = {}
    for line in done.stdout.splitlines():
        if ",all," in line:
            name, *_, asked, value = line.split(",")
            means[f"{name} {asked}"] = float(value)
    return seconds, means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, default in (("runs", 20), ("topics", 50), ("results", 1000), ("rounds", 7)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, options.runs, options.topics, options.results)
        expected = None
        times: dict[str, list[float]] = {tool: [] for tool in TOOLS}
        for tool, code in TOOLS.items():  # warm up, and compare results
            _, means = run(code, folder)
            expected = expected or means
            worst = max(abs(means[k] - v) for k, v in expected.items())
            if set(means) != set(expected) or worst > 1e-6:  # ranx breaks ties otherwise
                sys.exit(f"{tool} disagrees with esr by {worst}: no timing")
        for _ in range(options.rounds):
            for tool, code in TOOLS.items():
                times[tool].append(run(code, folder)[0])
    median = {tool: statistics.median(t) for tool, t in times.items()}
    if options.json:
        print(json.dumps({"median seconds": median, "times": times}))
        return
    print(f"{options.runs} runs × {options.topics} topics × {options.results} results, files to AP and P@10, whole "
          f"process, {options.rounds} rounds in turns")
    for tool, seconds in median.items():
        ratio = f"   esr takes {median['esr'] / seconds:.2f} of it" if tool != "esr" else ""
        print(f"  {tool:12s} {seconds:6.3f} s (fastest {min(times[tool]):.3f}){ratio}")


if __name__ == "__main__":
    main()
