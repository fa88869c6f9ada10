"""An INEX-like study: what AiP, AgP and ANCE cost per result row after loading, and what a slider costs.

    python benchmarks/inex.py [--runs 10 --topics 30 --results 1500 --documents 4000 --rounds 7]

Passage runs over documents of realistic length are made in memory and loaded once per round, so that the first
evaluation includes the alignment. The cost of touching the same rows once (a running sum) is measured beside it,
as a yardstick for the machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import esr_core
from esr_core.study import Study

MEASURES = ["AiP", "AgP", "ANCE@600"]


def write_files(folder: Path, runs: int, topics: int, results: int, documents: int, seed: int = 1) -> None:
    """FOL files: about 40 relevant documents a topic, passages that overlap now and then."""
    rng = np.random.default_rng(seed)
    length = rng.gamma(2, 6000, documents).astype(int) + 800
    with (folder / "assessments.qrels").open("w") as f:
        relevant = {}
        for t in range(topics):
            docs = rng.choice(documents, int(rng.integers(15, 80)), replace=False)
            relevant[t] = docs
            for d in docs:
                count = int(rng.integers(1, 5))
                bounds = np.sort(rng.choice(length[d], 2 * count, replace=False)).reshape(-1, 2)
                spans = " ".join(f"{a}:{b - a}" for a, b in bounds)
                f.write(f"{t + 1} Q0 d{d} {int((bounds[:, 1] - bounds[:, 0]).sum())} {length[d]} {bounds[0, 0]} "
                        f"{spans}\n")
    for r in range(runs):
        with (folder / f"run{r:02d}.fol").open("w") as f:
            for t in range(topics):
                docs = np.where(rng.random(results) < .25, rng.choice(relevant[t], results),
                                rng.integers(0, documents, results))
                docs = np.repeat(docs, rng.integers(1, 4, results))[:results]
                start = (rng.random(results) * length[docs] * .9).astype(int)
                size = np.minimum(rng.gamma(2, 400, results).astype(int) + 20, length[docs] - start)
                f.writelines(f"{t + 1} Q0 d{d} {i} {results - i} run{r:02d} {s} {z}\n"
                             for i, (d, s, z) in enumerate(zip(docs, start, size, strict=True), 1))


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, default in (("runs", 10), ("topics", 30), ("results", 1500), ("documents", 4000), ("rounds", 7)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    first: list[float] = []
    again: dict[str, list[float]] = {}
    loading: list[float] = []
    yardstick: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, options.runs, options.topics, options.results, options.documents)
        files = sorted(folder.glob("*.fol"))
        study: Study | None = None
        for round_ in range(options.rounds + 1):
            start = time.perf_counter()
            study = esr_core.load(runs=files, assessments=folder / "assessments.qrels")
            load = time.perf_counter() - start
            cost = timed(lambda s=study: s.evaluate(MEASURES))  # type: ignore[misc]
            if round_ == 0:
                continue  # imports
            loading.append(load)
            first.append(cost)
            again.setdefault("the same again", []).append(timed(lambda s=study: s.evaluate(MEASURES)))  # type: ignore
            for spec in ("AiP(alpha=0.5)", "AgP(score=T2IF(tolerance=700))", "ANCE(screen=2000)@600",
                         "AgP(score=aveChP)"):
                study.evaluate([spec.replace("=700", "=300")])
                again.setdefault(spec, []).append(timed(lambda s=study, m=spec: s.evaluate([m])))  # type: ignore
            rows = study.results.lists[-1]
            values = np.random.default_rng(0).random(rows)
            yardstick.append(timed(lambda v=values: np.cumsum(v)))  # type: ignore[misc]
    assert study is not None
    rows = len(study.results)
    per_row = 1e9 / rows
    print(f"{options.runs} runs × {options.topics} topics × {options.results} results = {rows:,} rows, "
          f"{options.documents:,} documents")
    print(f"  loading the files                          {statistics.median(loading) * per_row:7.1f} ns per row")
    print(f"  AiP, AgP and ANCE, alignment included      {statistics.median(first) * per_row:7.1f} ns per row")
    for what, times in again.items():
        print(f"  {what:42s} {statistics.median(times) * per_row:7.1f} ns per row "
              f"({statistics.median(times) * 1000:.1f} ms)")
    print(f"  yardstick: one running sum over all rows   {statistics.median(yardstick) * per_row:7.1f} ns per row")


if __name__ == "__main__":
    main()
