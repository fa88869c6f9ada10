"""Study: what an evaluation needs, as arrays with integer codes, immutable once loaded.

Identifiers (runs, topics, documents, element paths) are small integers; the names stand in the tuples
`run_names`, `topic_ids`, `doc_ids` and `paths`. Frames for people (`study.runs`, `study.assessments` …)
are made on demand. Everything a measure needs beyond this is in `esr_core.alignment`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.errors import UsageError, did_you_mean
from esr_core.problems import Problems
from esr_core.ragged import expand, offsets_of
from esr_core.structure import Trees

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from esr_core.alignment import Alignment
    from esr_core.breakdown import Breakdown
    from esr_core.evaluation import Evaluation, Explanation

ORDER_RULES = {
    "rank": "rank column",
    "file": "file order, as INEX evaluators did",
    "score": "score in single precision, ties by descending document id, as trec_eval does",
    "score, file": "score, ties in file order",
}


@dataclass(frozen=True)
class Places:
    """Where in the documents results stand.

    A result has one part (an element or a passage) or, if it is a tree, several: `parts` are the offsets into
    `path`, `start`, `end` and `element` (the row of the element in Trees); −1 is unknown. `spans`, `span_start` and
    `span_end` are the union of each result's parts, and `size` is its length.
    """

    parts: np.ndarray
    path: np.ndarray
    start: np.ndarray
    end: np.ndarray
    element: np.ndarray
    spans: np.ndarray
    span_start: np.ndarray
    span_end: np.ndarray
    size: np.ndarray

    def take(self, rows: np.ndarray) -> Places:
        """Those of the chosen results, in that order."""
        _, part = expand(self.parts, rows)
        _, span = expand(self.spans, rows)
        return Places(_offsets_of_taken(self.parts, rows), self.path[part], self.start[part], self.end[part],
                      self.element[part], _offsets_of_taken(self.spans, rows), self.span_start[span],
                      self.span_end[span], self.size[rows])


def _offsets_of_taken(offsets: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(offsets[rows + 1] - offsets[rows])))


@dataclass(frozen=True)
class Results:
    """Result lists of all runs, sorted by run, topic and rank; list number = run × topics + topic.

    `lists` are the offsets of the lists. `places` is None where no row of any run names a path or a span.
    """

    run: np.ndarray
    topic: np.ndarray
    doc: np.ndarray
    score: np.ndarray | None
    lists: np.ndarray
    places: Places | None = None

    def __len__(self) -> int:
        return len(self.doc)


@dataclass(frozen=True)
class Highlights:
    """Highlighted text, merged per topic and document, sorted by topic, document, start."""

    topic: np.ndarray
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray


@dataclass(frozen=True)
class Judgements:
    """Documents with a relevance value, sorted by topic and document."""

    topic: np.ndarray
    doc: np.ndarray
    relevance: np.ndarray


@dataclass(frozen=True)
class Elements:
    """Assessed elements: (exhaustivity, specificity) grades, or units with a relevance value.

    `unit` numbers the trees of a units table: rows of one topic with the same number form one unit.
    """

    topic: np.ndarray
    doc: np.ndarray
    path: np.ndarray
    values: Mapping[str, np.ndarray]
    unit: np.ndarray | None = None


@dataclass(frozen=True)
class EntryPoints:
    """Best entry points: one position per topic and document."""

    topic: np.ndarray
    doc: np.ndarray
    position: np.ndarray


@dataclass(frozen=True, repr=False)
class Study:
    """Documents, topics, assessments and runs of one evaluation. Load one with `esr_core.load`."""

    name: str
    run_names: tuple[str, ...]
    topic_ids: tuple[str, ...]
    doc_ids: Sequence[str]
    paths: tuple[str, ...]
    results: Results
    order: tuple[str, ...]
    assessed: np.ndarray
    doc_length: np.ndarray
    description: str = ""
    unit: str = "characters"
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    highlights: Highlights | None = None
    judgements: Judgements | None = None
    grades: Elements | None = None
    units: Elements | None = None
    entry_points: EntryPoints | None = None
    trees: Trees | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    navigation_rows: Mapping[str, Any] | None = None
    route_rows: Mapping[str, Any] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    def __repr__(self) -> str:
        return (f"<Study '{self.name}': {len(self.run_names)} runs, {len(self.topic_ids)} topics, "
                f"{len(self.results):,} results>")

    # ------------------------------------------------------------ evaluation

    @cached_property
    def alignment(self) -> Alignment:
        """The join of results with assessments; computed part by part on first use, never per parameter."""
        from esr_core.alignment import Alignment

        return Alignment(self)

    def evaluate(self, measures: str | Iterable[str] | None = None, *, missing: str = "zero",
                 executor: Executor | str | None = None) -> Evaluation:
        """Scores of all runs on all assessed topics.

        `measures` are measure strings (None: the study's default measures). `missing` says what a topic that
        has assessments but no results in a run is worth: "zero" (an empty list), "skip" or "error".
        `executor` is None (here), "processes" or any concurrent.futures.Executor.
        """
        from esr_core.evaluation import evaluate

        return evaluate(self, measures, missing=missing, executor=executor)

    def curve(self, measure: str, run: str | None = None, topic: str | None = None,
              at: Sequence[float] | None = None) -> pd.DataFrame:
        """The curve behind a chart: columns x, y (and run, topic where not given: the mean over topics)."""
        from esr_core.evaluation import curve

        return curve(self, measure, run, topic, at)

    def explain(self, measure: str, run: str, topic: str) -> Explanation:
        """The measure's formula with this topic's numbers, result by result."""
        from esr_core.evaluation import explain

        return explain(self, measure, run, topic)

    def breakdown(self, run: str, topic: str, nav: str = "auto", at: int | None = None, **parameters: Any
                  ) -> Breakdown:
        """Hits, near-misses, misses and shrinkage of one list, per rank and per assessed unit."""
        from esr_core.breakdown import breakdown

        return breakdown(self, run, topic, nav, at, **parameters)

    def computable(self) -> pd.DataFrame:
        """Every measure of the catalogue, and for those this study cannot feed, why."""
        from esr_core.evaluation import computable

        return computable(self)

    # ------------------------------------------------------------ parts

    @property
    def n_lists(self) -> int:
        return len(self.run_names) * len(self.topic_ids)

    def run_number(self, name: str) -> int:
        return _number(name, self.run_names, "run")

    def topic_number(self, topic: str) -> int:
        return _number(str(topic), self.topic_ids, "topic")

    def select(self, runs: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Study:
        """The study with only these runs and topics; documents and assessments of other topics stay known."""
        run_codes = np.array([self.run_number(r) for r in dict.fromkeys(runs)] if runs is not None
                             else range(len(self.run_names)), np.int64)
        topic_codes = np.array([self.topic_number(t) for t in dict.fromkeys(topics)] if topics is not None
                               else range(len(self.topic_ids)), np.int64)
        n_topics = len(self.topic_ids)
        lists = (run_codes[:, None] * n_topics + topic_codes[None, :]).ravel()
        r = self.results
        owner, rows = expand(r.lists, lists)
        run, topic = owner // max(len(topic_codes), 1), owner % max(len(topic_codes), 1)
        new_topic = np.full(n_topics, -1, np.int64)
        new_topic[topic_codes] = np.arange(len(topic_codes))
        changes: dict[str, Any] = {}
        for name in ("highlights", "judgements", "grades", "units", "entry_points"):
            changes[name] = _keep_topics(getattr(self, name), new_topic)
        return dataclasses.replace(
            self, run_names=tuple(self.run_names[i] for i in run_codes), order=tuple(self.order[i] for i in run_codes),
            topic_ids=tuple(self.topic_ids[i] for i in topic_codes), assessed=self.assessed[topic_codes],
            results=Results(run.astype(np.int32), topic.astype(np.int32), r.doc[rows],
                            None if r.score is None else r.score[rows], offsets_of(owner, len(lists)),
                            None if r.places is None else r.places.take(rows)), **changes)

    # ------------------------------------------------------------ frames for people

    @cached_property
    def runs(self) -> pd.DataFrame:
        """run, topic, rank, doc, path, start, end, score: one row per part of a result."""
        import pandas as pd

        r = self.results
        rank = np.arange(len(r)) - np.repeat(r.lists[:-1], np.diff(r.lists)) + 1
        rows = np.arange(len(r)) if r.places is None else np.repeat(np.arange(len(r)), np.diff(r.places.parts))
        frame: dict[str, Any] = {
            "run": np.array(self.run_names, object)[r.run[rows]] if len(rows) else [],
            "topic": np.array(self.topic_ids, object)[r.topic[rows]] if len(rows) else [],
            "rank": rank[rows], "doc": np.asarray(self.doc_ids, object)[r.doc[rows]] if len(rows) else []}
        if r.places is not None:
            frame["path"] = self._path_column(r.places.path)
            nowhere = r.places.start < 0
            frame["start"] = pd.arrays.IntegerArray(r.places.start, nowhere)
            frame["end"] = pd.arrays.IntegerArray(r.places.end, nowhere)
        if r.score is not None:
            frame["score"] = r.score[rows]
        return pd.DataFrame(frame)

    @cached_property
    def assessments(self) -> dict[str, pd.DataFrame]:
        """Frames by kind: highlights, judgements, grades, units, entry_points (only those that are there)."""
        import pandas as pd

        frames = {}
        for name in ("highlights", "judgements", "grades", "units", "entry_points"):
            part = getattr(self, name)
            if part is None:
                continue
            columns: dict[str, Any] = {"topic": np.array(self.topic_ids, object)[part.topic],
                                       "doc": np.asarray(self.doc_ids, object)[part.doc]}
            if isinstance(part, Elements):
                columns |= {"path": self._path_column(part.path), **part.values}
                if part.unit is not None:
                    columns["unit"] = part.unit
            elif isinstance(part, Highlights):
                columns |= {"start": part.start, "end": part.end}
            elif isinstance(part, Judgements):
                columns |= {"relevance": part.relevance}
            else:
                columns |= {"bep": part.position}
            frames[name] = pd.DataFrame(columns)
        return frames

    @cached_property
    def topics(self) -> pd.DataFrame:
        """topic, title, description, narrative, assessed."""
        import pandas as pd

        frame = pd.DataFrame({"topic": list(self.topic_ids)})
        for column in ("title", "description", "narrative"):
            texts = [self.titles.get(t, {}).get(column, "") for t in self.topic_ids]
            if any(texts):
                frame[column] = texts
        frame["assessed"] = self.assessed
        return frame

    @cached_property
    def documents(self) -> pd.DataFrame:
        """doc, path, start, end, length of every element; or doc and length where no structure is known."""
        import pandas as pd

        names = np.asarray(self.doc_ids, object)
        if self.trees is None:
            known = np.flatnonzero(self.doc_length >= 0)
            return pd.DataFrame({"doc": names[known], "length": self.doc_length[known]})
        t = self.trees
        frame = pd.DataFrame({"doc": names[t.doc], "path": self._path_column(t.path)})
        if t.has_spans:
            frame["start"], frame["end"] = t.start, t.end
        frame["length"] = t.length
        return frame

    def _path_column(self, codes: np.ndarray) -> np.ndarray:
        names = np.array([*self.paths, ""], object)
        return names[codes]

    # ------------------------------------------------------------ handing over to another process

    def __getstate__(self) -> dict[str, Any]:
        """Fields only: what was derived is made again where it is needed."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}


def _number(name: str, names: Sequence[str], what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise UsageError(f"no {what} '{name}' in this study{did_you_mean(name, names)}") from None


def _keep_topics(part: Any, new_topic: np.ndarray) -> Any:
    if part is None:
        return None
    keep = np.flatnonzero(new_topic[part.topic] >= 0)
    order = keep[np.argsort(new_topic[part.topic[keep]], kind="stable")]
    changes: dict[str, Any] = {}
    for f in dataclasses.fields(part):
        value = getattr(part, f.name)
        if f.name == "topic":
            changes["topic"] = new_topic[value[order]].astype(np.int32)
        elif isinstance(value, Mapping):
            changes[f.name] = {k: v[order] for k, v in value.items()}
        else:
            changes[f.name] = None if value is None else value[order]
    return dataclasses.replace(part, **changes)
