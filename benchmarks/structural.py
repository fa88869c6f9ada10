"""Structural measures on an INEX-like study: cost per result row, of a changed parameter, and growth with topics.

    python benchmarks/structural.py [--runs 10 --topics 30 --results 1500 --documents 4000 --rounds 3]

Element runs over documents of about 40 elements with highlighted text. "First" includes the join of results and
assessments (computed once per study); "again" changes one parameter. The cost of touching every row once is measured
beside them, as a yardstick for the machine.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import esr_core
from esr_core.study import Study

FAMILIES = {
    "HiXEval": ("AiP", "AiP(alpha=0.4)"),
    "Focused tasks": ("AgP(score=T2IF)", "AgP(score=T2IF(tolerance=700))"),
    "Reading effort": ("ANCE@600", "ANCE(screen=2000)@600"),
    "XCG": ("MAep", "MAep(alpha=0.4)"),
    "XCG, quantisation": ("nxCG@10", "nxCG(quant=binary)@10"),
    "PRUM": ("APRUM(nav=structural)", "APRUM(nav=t2i(tolerance=700,shape=linear))"),
    "ESR": ("AESRP(nav=structural)", "AESRP(nav=t2i(tolerance=700))"),
    "ESR, l and m": ("NSRCG2(nav=structural)@10", "NSRCG2(nav=structural,l=0.5,m=20)@10"),
}


def write_study(folder: Path, runs: int, topics: int, results: int, documents: int, seed: int = 1) -> None:
    """A study folder: documents.csv, assessments.csv, runs/*.csv."""
    rng = np.random.default_rng(seed)
    paths: list[list[str]] = []
    with (folder / "documents.csv").open("w") as f:
        f.write("doc,path,start,end\n")
        for d in range(documents):
            own, at = [], 0
            rows = []
            for s in range(1, int(rng.integers(3, 7))):
                section, start = f"/article[1]/bdy[1]/sec[{s}]", at
                for p in range(1, int(rng.integers(3, 12))):
                    size = int(rng.gamma(2, 150)) + 20
                    rows.append((f"{section}/p[{p}]", at, at + size))
                    at += size
                rows.append((section, start, at))
            rows += [("/article[1]", 0, at), ("/article[1]/bdy[1]", 0, at)]
            f.writelines(f"d{d},{path},{a},{b}\n" for path, a, b in rows)
            own = [(path, a, b) for path, a, b in rows]
            paths.append(own)  # type: ignore[arg-type]
    with (folder / "assessments.csv").open("w") as f:
        f.write("topic,doc,start,end\n")
        relevant = []
        for t in range(topics):
            docs = rng.choice(documents, int(rng.integers(15, 60)), replace=False)
            relevant.append(docs)
            for d in docs:
                for i in rng.choice(len(paths[d]), int(rng.integers(1, 4))):
                    _, a, b = paths[d][i]
                    f.write(f"{t + 1},d{d},{a},{b}\n")
    (folder / "runs").mkdir()
    for r in range(runs):
        with (folder / "runs" / f"run{r:02d}.csv").open("w") as f:
            f.write("topic,rank,doc,path,score\n")
            for t in range(topics):
                docs = np.where(rng.random(results) < .2, rng.choice(relevant[t], results),
                                rng.integers(0, documents, results))
                pick = rng.random(results)
                f.writelines(f"{t + 1},{i},d{d},{paths[d][int(x * len(paths[d]))][0]},{results - i}\n"
                             for i, (d, x) in enumerate(zip(docs, pick, strict=True), 1))


def timed(study: Study, spec: str) -> float:
    start = time.perf_counter()
    study.evaluate([spec])
    return time.perf_counter() - start


def measure(folder: Path, rounds: int) -> tuple[int, dict[str, tuple[float, float]]]:
    """Per family the median seconds of the first evaluation and of one with a changed parameter."""
    first: dict[str, list[float]] = {}
    again: dict[str, list[float]] = {}
    rows = 0
    for _ in range(rounds):
        for family, (spec, changed) in FAMILIES.items():
            study = esr_core.load(folder)  # a fresh one, so that nothing is aligned yet
            rows = len(study.results)
            first.setdefault(family, []).append(timed(study, spec))
            again.setdefault(family, []).append(timed(study, changed))
    return rows, {f: (statistics.median(first[f]), statistics.median(again[f])) for f in FAMILIES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, default in (("runs", 10), ("topics", 30), ("results", 1500), ("documents", 4000), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        whole, half = Path(name) / "whole", Path(name) / "half"
        whole.mkdir()
        half.mkdir()
        write_study(whole, options.runs, options.topics, options.results, options.documents)
        write_study(half, options.runs, options.topics // 2, options.results, options.documents)
        rows, cost = measure(whole, options.rounds)
        half_rows, half_cost = measure(half, options.rounds)
    values = np.random.default_rng(0).random(rows)
    start = time.perf_counter()
    np.cumsum(values)
    yardstick = time.perf_counter() - start
    print(f"{options.runs} runs × {options.topics} topics × {options.results} results = {rows:,} rows, "
          f"{options.documents:,} documents; yardstick, one running sum: {yardstick / rows * 1e9:.1f} ns per row")
    for family, (first, again) in cost.items():
        growth = math.log(first / half_cost[family][0]) / math.log(rows / half_rows)
        print(f"  {family:18s} first {first / rows * 1e9:6.0f} ns per row, changed parameter {again * 1000:6.1f} ms "
              f"({again / first:.2f} of the first), growth exponent {growth:.2f}")


if __name__ == "__main__":
    main()
