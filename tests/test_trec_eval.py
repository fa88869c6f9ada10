"""AP, P@k and R@k on TREC files are those of trec_eval."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import esr_core as esr

EXACT = 1e-12
CUTS = (1, 2, 3, 5, 10, 30)
PAIRS = {"AP": "map", **{f"P@{k}": f"P_{k}" for k in CUTS}, **{f"R@{k}": f"recall_{k}" for k in CUTS}}
TREC_NAMES = {"map", f"P.{','.join(map(str, CUTS))}", f"recall.{','.join(map(str, CUTS))}"}

Run = dict[str, dict[str, float]]  # topic → document → score
Qrels = dict[str, dict[str, int]]

TOPICS = ("1", "02", "q-3")
DOCUMENTS = ("d1", "d10", "d2", "D2", "é", "e\u0301", "ж7", "文書", "zz", "\U0001d54f", "\uff5e", "-", "a_b", "a.b")
SCORES = st.one_of(
    st.sampled_from((0.0, 1.0, -1.5, 2.0, 2.0, 1e-9, 1e9)),  # ties
    # Equal in single precision only: neighbours of 1 and of 16777216 that a float cannot tell apart.
    st.sampled_from((1.0, 1.0 + 1e-9, 1.0 - 1e-9, 16777216.0, 16777217.0, 16777216.5, 0.1, 0.1 + 1e-12)),
    st.floats(-1e6, 1e6, allow_nan=False))
RUNS = st.dictionaries(st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=1),
                       min_size=1)
# One document judged 0 in every topic: pytrec_eval (0.5.x) reads beyond its memory where all judgements are negative.
QRELS = st.dictionaries(st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3))
                        .map(lambda judged: {**judged, "judged": 0}), min_size=1)


def write(folder: Path, run: Run, qrels: Qrels, seed: int) -> tuple[Path, Path]:
    """Lines in any order and with wrong ranks: trec_eval looks at neither."""
    rng = np.random.default_rng(seed)
    ranked = [f"{t} Q0 {doc} {rng.integers(0, 99)} {score!r} sys\n" for t, own in run.items()
              for doc, score in own.items()]
    judged = [f"{t} 0 {doc} {grade}\n" for t, own in qrels.items() for doc, grade in own.items()]
    paths = folder / "sys.run", folder / "test.qrels"
    for path, lines in zip(paths, (ranked, judged), strict=True):
        path.write_text("".join(rng.permutation(lines)), encoding="utf-8")
    return paths


def trec_eval(run: Path, qrels: Path) -> dict[str, dict[str, float]]:
    with run.open(encoding="utf-8") as r, qrels.open(encoding="utf-8") as q:
        return pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(q), TREC_NAMES).evaluate(pytrec_eval.parse_run(r))


def compare(run_file: Path, qrels_file: Path, qrels: Qrels) -> int:
    """Compare all topics that have relevant documents; returns how many of them the run has."""
    expected = trec_eval(run_file, qrels_file)
    found = esr.load(runs=run_file, assessments=qrels_file).evaluate(PAIRS)
    assert set(found.order.values()) == {"score in single precision, ties by descending document id, as trec_eval does"}
    for row in found.scores.itertuples():
        if not any(grade > 0 for grade in qrels[row.topic].values()):
            assert np.isnan(row.value), f"{row.asked} of topic {row.topic}, where nothing is relevant"
        else:
            official = expected.get(row.topic, {}).get(PAIRS[row.asked], 0.0)  # a topic without results counts 0
            assert abs(row.value - official) <= EXACT, f"{row.asked}, topic {row.topic}: {row.value}, not {official}"
    return len(expected)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(RUNS, QRELS, st.integers(0, 99))
def test_random_files(run: Run, qrels: Qrels, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        compare(*write(Path(folder), run, qrels, seed), qrels)


def test_a_large_run_with_many_ties(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    topics, docs = [str(t) for t in range(301, 341)], [f"FT{n:05d}" for n in range(800)]
    run = {t: dict(zip(rng.choice(docs, 300, replace=False).tolist(),
                       np.round(rng.normal(8, 2, 300), rng.integers(0, 4)).tolist(), strict=True)) for t in topics[:35]}
    qrels = {t: dict(zip(rng.choice(docs, 120, replace=False).tolist(), rng.integers(-1, 3, 120).tolist(), strict=True))
             for t in topics[3:]}
    assert compare(*write(tmp_path, run, qrels, 1), qrels) == 32


@pytest.mark.parametrize(("scores", "first"), [
    ({"a": 1.0, "b": 1.0}, "b"),  # ties by descending id
    ({"a": 1.0 + 1e-9, "b": 1.0}, "b"),  # equal in single precision
    ({"a": 1.0 + 1e-6, "b": 1.0}, "a"),  # and not
    ({"A": 2.0, "a": 2.0}, "a"), ({"d10": 2.0, "d2": 2.0}, "d2"),  # by bytes, not by numbers
    ({"\uff5e": 2.0, "\U0001d54f": 2.0}, "\U0001d54f"),  # UTF-8 order, which UTF-16 order is not
])
def test_which_of_two_documents_comes_first(tmp_path: Path, scores: dict[str, float], first: str) -> None:
    for relevant in scores:
        run, qrels = {"1": scores}, {"1": {relevant: 1}}
        files = write(tmp_path, run, qrels, 0)
        compare(*files, qrels)
        found = esr.load(runs=files[0], assessments=files[1]).evaluate("P@1").values.item()
        assert found == (relevant == first)
