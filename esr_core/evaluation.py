"""Measures × runs × topics → scores, curves and explanations.

Work is split by runs: a run's lists never meet another run's. Any concurrent.futures.Executor will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.errors import NotComputable, UsageError, did_you_mean
from esr_core.measures import MEASURES, Spec, parse, resolve
from esr_core.measures.catalogue import LEVEL, Declaration, declarations
from esr_core.problems import Problems
from esr_core.study import ORDER_RULES, Study

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("zero", "skip", "error")
MOST_PAIRS = 20_000_000


# ---------------------------------------------------------------- what a study can feed

def _has_highlights(study: Study) -> str | None:
    if study.highlights is not None:
        return None
    there = [name for name, part in (("element grades", study.grades), ("assessed units", study.units),
                                     ("judged documents", study.judgements)) if part is not None]
    return f"needs highlighted text; this study has {' and '.join(there) or 'none'}"


def _has_places(study: Study) -> str | None:
    r = study.results
    if len(r) == 0:
        return None
    if r.places is None:
        return "needs results with a place in the text; the runs name only documents"
    if (r.places.start >= 0).any() or not (r.places.path >= 0).any():
        return None  # passages that could not be resolved cover nothing, which is a score
    if study.trees is None:
        return "needs the places of elements; load the documents too"
    if not study.trees.has_spans:
        return "needs the places of elements; the documents table has only lengths (add start and end)"
    return None


def _has_lengths(study: Study) -> str | None:
    known = study.alignment.highlighted.length_known
    if known.all():
        return None
    doc = study.doc_ids[int(study.alignment.highlighted.doc[int(np.argmin(known))])]
    return (f"needs the length of every relevant document; that of '{doc}' and {int((~known).sum()) - 1} others is "
            "unknown (add doc_length, or the documents)")


def _has_entry_points(study: Study) -> str | None:
    return None if study.entry_points is not None else "needs best entry points (columns topic, doc, bep)"


def _has_units(study: Study) -> str | None:
    if study.units is not None or study.grades is not None:
        return None
    if study.highlights is None:
        return "needs assessed elements or highlighted text; this study has judged documents only"
    return _has_elements(study)


def _has_nodes(study: Study) -> str | None:
    """Can results stand for elements?"""
    places = study.results.places
    if len(study.results) == 0 or (places is not None and (bool((places.path >= 0).any()) or study.trees is not None)):
        return None
    if places is None:
        return "needs results that name elements or places; the runs name only documents"
    return "needs the elements that passages stand for; load the documents too"


def _has_quantised(study: Study) -> str | None:
    if study.grades is not None:
        return None
    if study.highlights is not None:
        return _has_elements(study)
    return "needs element grades or highlighted text; this study has neither"


def _has_elements(study: Study) -> str | None:
    if study.trees is not None and study.trees.has_spans:
        return None
    return "needs the elements of the documents with their places; load the documents too"


def _has_element_lengths(study: Study) -> str | None:
    return None if study.trees is not None else "needs the lengths of elements; load the documents too"


NEEDS: dict[str, Callable[[Study], str | None]] = {
    "documents": lambda study: None, "highlights": _has_highlights, "places": _has_places,
    "doc_length": _has_lengths, "bep": _has_entry_points, "units": _has_units,
    "elements": _has_elements, "nodes": _has_nodes,
    "quantised": _has_quantised, "grades": lambda study: None if study.grades is not None else "needs element grades",
    "lengths": _has_element_lengths,
    "paths": lambda study: None if study.results.places is not None and (study.trees is not None or bool(
        (study.results.places.path >= 0).any())) else "needs results that name elements",
    "collection": lambda study: None if study.trees is not None else
        "needs the documents, to know what lies beyond the list; load them, or ask for tail=off",
    "navigation": lambda study: None if study.navigation_rows is not None else "needs a navigation table",
    "routes": lambda study: None if study.route_rows is not None else "needs observed routes"}


def needs_of(spec: Spec) -> list[str]:
    """All needs of a measure with these parameters, in the order in which they are checked."""
    found = list(spec.declaration.needs)
    for name, value in spec.values:
        if isinstance(value, Spec):
            found += needs_of(value)
        elif isinstance(value, str):
            found += spec.declaration.parameter(name).option_needs.get(value, ())
        else:
            limit = spec.declaration.parameter(name).below_needs
            found += limit[1] if limit is not None and value < limit[0] else ()
    return list(dict.fromkeys(found))


def refusal(study: Study, spec: Spec) -> str | None:
    """Why this study cannot feed the measure; None if it can."""
    for need in needs_of(spec):
        reason = NEEDS[need](study)
        if reason:
            return f"{spec.name} {reason}"
    return None


def computable(study: Study) -> pd.DataFrame:
    """measure, family, computable, reason: for every measure, and for every document score as score=."""
    import pandas as pd

    rows = []
    for declaration in declarations("measure"):
        reason = refusal(study, resolve(example(declaration), study))
        rows.append((declaration.name, declaration.family, reason is None, reason or ""))
    for declaration in declarations("score"):
        reason = refusal(study, parse(f"AgP(score={declaration.name})"))
        rows.append((f"AgP(score={declaration.name})", "Focused tasks", reason is None, reason or ""))
    return pd.DataFrame(rows, columns=["measure", "family", "computable", "reason"])


def example(declaration: Declaration) -> Spec:
    """The measure with its defaults and a customary cut-off."""
    cut = {"rank": "@10", "level": "@0.1", "ideals": "@0.1", "amount": "@1", None: ""}[declaration.at]
    return parse(declaration.name + cut)


def default_measures(study: Study) -> list[str]:
    """What the study's own settings name, or what the field reports on such assessments."""
    own = study.defaults.get("defaults", {}).get("measures")
    if own:
        return [str(m) for m in own]
    focused = ["AiP", "iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "AgP(score=F(beta=0.25))",
               "AgP(score=T2IP(tolerance=300))"]
    fitting = [m for m in focused if refusal(study, parse(m)) is None]
    return fitting if "AiP" in fitting else ["AP", "P@10", "R@100"]


# ---------------------------------------------------------------- scores

@dataclass(frozen=True, repr=False)
class Evaluation:
    """Values of every measure for every run and assessed topic; NaN is undefined.

    `values[m, r, t]` belongs to `specs[m]`, `run_names[r]`, `topic_ids[t]`; a topic without results that was
    skipped on request is NaN and marked in `skipped`.
    """

    study: Study
    asked: tuple[str, ...]
    specs: tuple[Spec, ...]
    values: np.ndarray
    topic_ids: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Evaluation of {self.study!r} with {', '.join(s.short for s in self.specs)}>"

    @property
    def run_names(self) -> tuple[str, ...]:
        return self.study.run_names

    @property
    def measures(self) -> tuple[str, ...]:
        """Canonical strings."""
        return tuple(map(str, self.specs))

    @cached_property
    def mean_values(self) -> np.ndarray:
        """Means over the topics where a measure is defined: measures × runs."""
        defined = ~np.isnan(self.values)
        total = np.where(defined, self.values, 0).sum(axis=2)
        count = defined.sum(axis=2)
        return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Tidy frame: run, topic, measure (canonical), asked (as given), value (NaN = undefined)."""
        import pandas as pd

        m, r, t = self.values.shape
        return pd.DataFrame({
            "run": np.tile(np.repeat(np.array(self.run_names, object), t), m),
            "topic": np.tile(np.array(self.topic_ids, object), m * r),
            "measure": np.repeat(np.array(self.measures, object), r * t),
            "asked": np.repeat(np.array(self.asked, object), r * t),
            "value": self.values.ravel()})

    @cached_property
    def means(self) -> pd.DataFrame:
        """Runs as index, canonical measures as columns."""
        import pandas as pd

        return pd.DataFrame(self.mean_values.T, index=pd.Index(list(self.run_names), name="run"),
                            columns=list(self.measures))

    @property
    def order(self) -> dict[str, str]:
        """Per run, the rule by which its results were ranked."""
        return {name: ORDER_RULES[o] for name, o in zip(self.run_names, self.study.order, strict=True)}


def evaluate(study: Study, measures: str | Iterable[str] | None, *, missing: str = "zero",
             executor: Executor | str | None = None, progress: Callable[[int, int], None] | None = None) -> Evaluation:
    """Score all runs on all assessed topics; see Study.evaluate."""
    if missing not in MISSING:
        raise UsageError(f"missing='{missing}' is unknown{did_you_mean(missing, MISSING)}")
    wanted = default_measures(study) if measures is None else [measures] if isinstance(measures, str) else measures
    asked = tuple(map(str, wanted))
    specs = tuple(resolve(parse(m), study) for m in asked)
    if not specs:
        raise UsageError("no measure is named")
    for spec in specs:
        reason = refusal(study, spec)
        if reason:
            raise NotComputable(f"{spec.short}: {reason}")
    empty = _empty_lists(study)
    if missing == "error" and empty.any():
        run, topic = np.argwhere(empty)[0]
        raise NotComputable(f"run '{study.run_names[run]}' has no results for assessed topic "
                            f"'{study.topic_ids[np.flatnonzero(study.assessed)[topic]]}'")
    with _executor(executor) as pool:
        if pool is None:
            values = compute(study, specs, progress)
        else:
            parts = _split(study.run_names, getattr(pool, "_max_workers", 4))
            todo = [pool.submit(_compute_part, study.select(runs=part), asked) for part in parts]
            done = []
            for i, future in enumerate(todo, 1):
                done.append(future.result())
                if progress:
                    progress(i, len(todo))
            values = np.concatenate(done, axis=1) if done else compute(study, specs)
    warnings = list(map(str, study.problems))
    if empty.any():
        if missing == "skip":
            values = np.where(empty, np.nan, values)
        treated = "left out of the means" if missing == "skip" else "counted as empty lists"
        own = np.array(study.topic_ids, object)[study.assessed]
        for name, none in zip(study.run_names, empty, strict=True):
            if none.any():
                shown = ", ".join(own[none][:5]) + (", …" if none.sum() > 5 else "")
                warnings.append(f"run '{name}' has no results for {int(none.sum())} assessed topics ({shown}); they "
                                f"are {treated}")
    undefined = np.isnan(values) & ~(empty if missing == "skip" else np.zeros_like(empty))
    for spec, none in zip(specs, undefined.all(axis=1), strict=True):
        if none.any():
            why = "too few or no ideal elements" if spec.declaration.at == "ideals" else "nothing relevant"
            warnings.append(f"{spec.short}: undefined for {int(none.sum())} topics with {why}; they are left out of "
                            "the means")
    for spec in specs:
        if spec.declaration.notes is not None:
            warnings += [f"{spec.short}: {n}" for n in
                         spec.declaration.notes(view_of(study, spec), np.array([spec.at]), **spec.parameters)]
    topics = tuple(t for t, a in zip(study.topic_ids, study.assessed, strict=True) if a)
    return Evaluation(study, asked, specs, values, topics, tuple(warnings))


def compute(study: Study, specs: Sequence[Spec], progress: Callable[[int, int], None] | None = None) -> np.ndarray:
    """Values as measures × runs × assessed topics, in this process."""
    shape = (len(study.run_names), len(study.topic_ids))
    out = np.empty((len(specs), shape[0], int(study.assessed.sum())))
    for i, spec in enumerate(specs):
        ats = np.zeros(0) if spec.declaration.at is None else np.array([spec.at])
        out[i] = all_values(study, spec, ats).reshape(shape)[:, study.assessed]
        if progress:
            progress(i + 1, len(specs))
    return out


def all_values(study: Study, spec: Spec, ats: np.ndarray) -> np.ndarray:
    """Values of every list, at every cut-off: shape (lists, cut-offs), or (lists,) for a measure without cut-offs.

    A measure over pairs of results would need too much memory when lists are long and documents few (a book, say);
    such studies are computed in shares of runs, then of topics.
    """
    shape = (len(study.run_names), len(study.topic_ids))
    if spec.declaration.pairs and study.n_lists > 1 and study.alignment.result_pairs > MOST_PAIRS:
        by_run = shape[0] > 1
        names = study.run_names if by_run else study.topic_ids
        half = len(names) // 2
        parts = []
        for share in (names[:half], names[half:]):
            part = study.select(runs=share) if by_run else study.select(topics=share)
            values = all_values(part, spec, ats)
            parts.append(values.reshape(len(part.run_names), len(part.topic_ids), -1))
        joined = np.concatenate(parts, axis=0 if by_run else 1)
        return joined.reshape(-1, len(ats)) if spec.declaration.at is not None else joined.ravel()
    view = view_of(study, spec)
    if spec.declaration.at is None:
        return np.where(view.defined, spec.declaration.function(view, **spec.parameters), np.nan)
    return np.where(view.defined[:, None], spec.declaration.function(view, ats, **spec.parameters), np.nan)


def view_of(study: Study, spec: Spec) -> Any:
    """The view of the alignment this measure works on."""
    make = spec.declaration.view
    assert make is not None
    return make(study.alignment, spec.parameters)


def _compute_part(study: Study, measures: Sequence[str]) -> np.ndarray:
    return compute(study, [resolve(parse(m), study) for m in measures])


def _empty_lists(study: Study) -> np.ndarray:
    """Assessed topics without a result: runs × assessed topics."""
    length = np.diff(study.results.lists) if study.n_lists else np.empty(0, np.int64)
    return (length.reshape(len(study.run_names), len(study.topic_ids)) == 0)[:, study.assessed]


def _split(names: Sequence[str], parts: int) -> list[list[str]]:
    """Runs in about equal shares, in order."""
    bounds = np.linspace(0, len(names), min(parts, len(names)) + 1).astype(int)
    return [list(names[a:b]) for a, b in pairwise(bounds) if b > a]


@contextmanager
def _executor(executor: Executor | str | None) -> Iterator[Executor | None]:
    if executor is None or executor == "serial":
        yield None
    elif executor == "processes":
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # fork would copy Arrow's threads in an unknown state
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    elif isinstance(executor, str):
        raise UsageError(f"executor '{executor}' is unknown{did_you_mean(executor, ('serial', 'processes'))}")
    else:
        yield executor


# ---------------------------------------------------------------- curves

def curve(study: Study, measure: str, run: str | None = None, topic: str | None = None,
          at: Sequence[float] | None = None) -> pd.DataFrame:
    """The measure at every cut-off: columns run, topic, measure, x, y.

    `measure` is named with or without a cut-off. Without `topic`, y is the mean over the topics where the
    measure is defined and topic is "all".
    """
    import pandas as pd

    spec = resolve(curve_spec(measure), study)
    reason = refusal(study, spec)
    if reason:
        raise NotComputable(f"{spec.name}: {reason}")
    part = study.select(runs=None if run is None else [run], topics=None if topic is None else [topic])
    xs = curve_points(part, spec) if at is None else _cut_offs(spec, at)
    values = all_values(part, spec, xs)
    values = values.reshape(len(part.run_names), len(part.topic_ids), len(xs))[:, part.assessed]
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    mean = np.divide(np.where(defined, values, 0).sum(axis=1), count, out=np.full(count.shape, np.nan),
                     where=count > 0)
    return pd.DataFrame({"run": np.repeat(np.array(part.run_names, object), len(xs)),
                         "topic": "all" if topic is None else str(topic),
                         "measure": curve_name(spec),
                         "x": np.tile(xs, len(part.run_names)), "y": mean.ravel()})


def curve_spec(measure: str) -> Spec:
    """A measure string for a curve: a cut-off may be left out."""
    name = measure.split("(")[0].split("@")[0].split("[")[0].strip()
    declaration = MEASURES.get(name)
    if declaration is not None and declaration.at is not None and not measure.rstrip().endswith("]") \
            and "@" not in measure:
        measure = measure + ("@1" if declaration.at in ("rank", "amount") else "@0.5")
    spec = parse(measure)
    if spec.declaration.at is None:
        curves = [n for n, d in MEASURES.items() if d.at is not None]
        hint = {"AiP": "iP", "AP": "P", "AgP": "gP", "AgPc": "gP", "AgPr": "gP"}.get(spec.name)
        raise UsageError(f"{spec.name} is one number and has no curve; try {hint or ', '.join(curves)}")
    return spec


def _cut_offs(spec: Spec, at: Sequence[float]) -> np.ndarray:
    """Checked as in a measure string; for PRUM whole numbers stay numbers of ideals."""
    checked = [spec.with_values(at=x.item() if isinstance(x, np.generic) else x).at for x in at]
    return np.array(checked, float if spec.declaration.at != "ideals" or any(isinstance(x, float) for x in checked)
                    else np.int64)


def curve_name(spec: Spec) -> str:
    """The canonical string with the cut-off left open."""
    return str(spec).rsplit("@", 1)[0] + {"rank": "@k", "amount": "@r"}.get(spec.declaration.at or "", "@x")


def curve_points(study: Study, spec: Spec) -> np.ndarray:
    """Cut-offs for a curve: 101 recall levels, or the ranks of the longest list."""
    if spec.declaration.at == LEVEL:
        return np.arange(101) / 100
    if spec.declaration.at == "ideals":
        return np.arange(1, 101) / 100
    longest = int(np.diff(study.results.lists).max(initial=1)) if study.n_lists else 1
    return np.arange(1, max(longest, 1) + 1, dtype=float)


# ---------------------------------------------------------------- explanations

@dataclass(frozen=True)
class Explanation:
    """A measure's formula, first with symbols, then with this topic's numbers, then result by result.

    The `contribution` column of `table` adds up to `value`, which is what evaluate gives.
    """

    measure: str
    run: str
    topic: str
    value: float
    formula: str
    numbers: str
    table: pd.DataFrame
    note: str = ""

    def __str__(self) -> str:
        shown = self.table.to_string(index=False, float_format=lambda v: f"{v:.6g}", na_rep="–")
        lines = [f"{self.measure} = {self.value:.6g}   (run {self.run}, topic {self.topic})", f"  {self.formula}",
                 f"  = {self.numbers}", shown]
        return "\n".join([*lines, self.note] if self.note else lines)


def explain(study: Study, measure: str, run: str, topic: str) -> Explanation:
    """See Study.explain."""
    import pandas as pd

    spec = resolve(parse(measure), study)
    reason = refusal(study, spec)
    if reason:
        raise NotComputable(f"{spec.short}: {reason}")
    one = study.select(runs=[run], topics=[topic])
    if not one.assessed.all():
        raise NotComputable(f"topic '{topic}' has no assessments")
    view = view_of(one, spec)
    if not view.defined[0]:
        raise NotComputable(f"{spec.short} is undefined for topic '{topic}': nothing is relevant")
    value = float(compute(one, [spec])[0, 0, 0])
    if np.isnan(value):
        raise NotComputable(f"{spec.short} is undefined for topic '{topic}': fewer ideal elements than asked for")
    explainer = spec.declaration.explain
    assert explainer is not None, spec.name
    arguments = () if spec.declaration.at is None else (np.array([spec.at]),)
    parts = explainer(one, view, *arguments, **spec.parameters)
    ranks = parts.first_rank + np.arange(len(parts.result))
    table: dict[str, Any] = {"rank": ranks, **_labels(one, parts.result)}
    table |= {name: np.asarray(column) for name, column in parts.columns.items()}
    return Explanation(str(spec), run, str(topic), value, spec.declaration.formula, parts.numbers,
                       pd.DataFrame(table), parts.note)


def _labels(study: Study, rows: np.ndarray) -> dict[str, Any]:
    """What stands at each rank: document, and path or span where the runs have them."""
    r = study.results
    here = rows >= 0

    def pick(names: Sequence[str], codes: np.ndarray) -> list[str]:
        return [names[c] if c >= 0 else "" for c in codes]

    doc = np.full(len(rows), -1, np.int64)
    doc[here] = r.doc[rows[here]]
    labels: dict[str, Any] = {"doc": pick(study.doc_ids, doc)}
    if r.places is not None:
        part = r.places.parts[rows[here]]
        found = {name: np.full(len(rows), -1, np.int64) for name in ("path", "start", "end")}
        for name, column in found.items():
            column[here] = getattr(r.places, name)[part]
        if (r.places.path >= 0).any():
            labels["path"] = pick(study.paths, found["path"])
        labels |= {"start": found["start"], "end": found["end"]}
    return labels


__all__ = ["Evaluation", "Explanation", "Problems", "computable", "curve", "default_measures", "evaluate", "explain"]
