"""The ESR family and its navigation models against their slow versions, on random small studies with everything odd
in them: trees as results and as units, passages, duplicates, paths and documents that no table knows."""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import esr_core as esr
from esr_core.evaluation import Evaluation
from esr_core.measures import MEASURES, SECTIONS, parse

sys.path.insert(0, str(Path(__file__).parents[1]))
import slow_esr as slow
from slow_esr import Documents, Node, Result, Topic, View

SETTINGS = settings(max_examples=500, deadline=None, derandomize=True, phases=set(Phase) - {Phase.explain})
EXACT = 1e-10
DOCS = ("d1", "d2", "d3")
TAGS = ("sec", "p", "ss1", "section", "i")
VALUES = (1, 2, 0.1, 0.7, 30, 0.3, 0)  # sums of some are no doubles; 0: assessed, not relevant
ESR = {name: d for name, d in MEASURES.items() if d.family == "ESR"}
MODELS = set(SECTIONS["navigation"])

Slow = Callable[[View, Topic, list[Result]], Fraction]


# ---------------------------------------------------------------- random studies

@dataclass(frozen=True)
class Case:
    """A random study: as the slow measures see it, and as a user would load it."""

    documents: Documents
    units: dict[str, dict[slow.Tree, Fraction]] | None
    highlighted: dict[str, frozenset[tuple[str, int]]] | None
    grades: dict[str, dict[Node, tuple[int, int]]] | None
    runs: dict[str, dict[str, list[Result]]]
    table: dict[tuple[Node, Node], Fraction]
    routes: list[list[Node]]
    tables: dict[str, Any]

    def study(self) -> esr.Study:
        return esr.load(**self.tables)

    def topic(self, name: str, units: str = "smallest", quant: str = "strict") -> Topic:
        """What is relevant for a topic: units as given, else from highlights, else from grades."""
        held = None if self.highlighted is None else self.highlighted.get(name, frozenset())
        if self.units is not None:
            return Topic(self.units.get(name, {}), held)
        if held is not None:
            return Topic(slow.units_of_highlights(self.documents, held, units), held)
        return Topic(slow.units_of_grades((self.grades or {}).get(name, {}), quant))

    def navigation(self, name: str, **how: Any) -> slow.Navigation:
        return {"none": slow.none, "matrix": lambda: slow.matrix(self.table),
                "routes": lambda: slow.routes(self.routes, how["abandon"], how["normalise"]),
                "summary": lambda: slow.summary(self.routes, how["by"], how["normalise"]),
                "tags": lambda: slow.summary(self.routes, "tag", how["normalise"]),
                "depth": slow.depth_weighted, "steady": lambda: self.steady(how["of"]),
                "structural": lambda: slow.structural(self.documents, how["normalise"]),
                "t2i": lambda: slow.t2i(self.documents, how["tolerance"], how["shape"]),
                "proximity": lambda: slow.proximity(self.documents, self.lengths(), how["A"])}[name]()

    def steady(self, of: str) -> slow.Navigation:
        if of == "depth":  # the same from everywhere, so one step is as good as many
            return slow.depth_weighted()
        return slow.steady(self.routes, {"tags": "tag", "summary(by=path)": "path", "summary(by=depth)": "depth"}[of])

    def lengths(self) -> list[int]:
        """Of the documents in the tables; a document is at least as long as its highlights."""
        marked = [x for held in (self.highlighted or {}).values() for x in held]
        return [max([end, *(x + 1 for own, x in marked if own == doc)])
                for (doc, path), (_, end) in self.documents.span.items() if path == "/article[1]"]


def digits(*ranges: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One draw for several small numbers, the i-th below ranges[i]: a third of the time of st.tuples."""
    def split(number: int) -> tuple[int, ...]:
        out = []
        for size in ranges:
            number, digit = divmod(number, size)
            out.append(digit)
        return tuple(out)
    return st.integers(0, math.prod(ranges) - 1).map(split)


def forest(rows: list[tuple[int, ...]], n_docs: int) -> dict[Node, tuple[int, int]]:
    """Trees of a document each: nodes with text of their own before, between and after their children, or none."""
    children: dict[Node, list[tuple[Node, tuple[int, ...]]]] = {(doc, "/article[1]"): [] for doc in DOCS[:n_docs]}
    own = dict.fromkeys(children, (0, 1, 1))
    for doc, above, tag, *text in rows:
        known = [node for node in children if node[0] == DOCS[doc % n_docs]]
        parent = known[above % len(known)]
        number = sum(slow.tag(child) == TAGS[tag] for child, _ in children[parent]) + 1
        node = (parent[0], f"{parent[1]}/{TAGS[tag]}[{number}]")
        children[parent].append((node, tuple(text)))
        children[node], own[node] = [], tuple(text)
    span: dict[Node, tuple[int, int]] = {}

    def place(node: Node, start: int) -> int:
        at = start + own[node][1]
        for child, (gap, *_) in children[node]:
            at = place(child, at + gap)
        span[node] = (start, at + own[node][2])
        return span[node][1]

    for root in [node for node in children if node[1] == "/article[1]"]:
        place(root, 0)
    return span


def result_list(rows: list[tuple[int, ...]], nodes: list[Node], units: list[slow.Tree]) -> list[Result]:
    """Elements, passages, trees, units, duplicates, and results that nobody can find."""
    out: list[Result] = []
    for kind, doc, a, b in rows:
        own = [node for node in nodes if node[0] == DOCS[doc % 3]] or nodes
        node = own[a % len(own)]
        if kind <= 3:
            out.append(Result(node[0], (node[1],)))
        elif kind <= 5:
            out.append(Result(node[0], ((a, a + b),)))
        elif kind == 6 and out:
            out.append(out[a % len(out)])
        elif kind in (7, 8) and out:  # one more part of a tree
            doc_nodes = [n for n in nodes if n[0] == out[-1].doc] or [(out[-1].doc, "/article[1]")]
            part = doc_nodes[a % len(doc_nodes)][1] if kind == 7 else (a, a + b)
            out[-1] = Result(out[-1].doc, (*out[-1].parts, part))
        elif kind == 9:
            out.append(Result(node[0], (f"{node[1]}/x[{b % 2 + 1}]",)))
        elif kind == 10:
            out.append(Result("new", ("/article[1]",)) if b % 2 else Result(node[0], (None,)))
        elif units:
            unit = sorted(units[a % len(units)])
            out.append(Result(unit[0][0], tuple(path for _, path in unit)))
    return out


def unit_rows(rows: list[tuple[int, ...]], nodes: list[Node]) -> dict[str, list[tuple[list[Node], float]]]:
    """Per topic: lists of nodes of one document, with a value; a node may stand in a list twice, no set does."""
    out: dict[str, list[tuple[list[Node], float]]] = {"1": [], "2": []}
    for topic, at, value, join in rows:
        node = nodes[at % len(nodes)] if at < 13 else (nodes[0][0], "/article[1]/unheard_of[1]")
        own = out[str(topic + 1)]
        if join == 0 and own and own[-1][0][0][0] == node[0]:
            own[-1][0].append(node)
        else:
            own.append(([node], VALUES[value]))
    for name, own in out.items():
        out[name] = list({frozenset(tree): (tree, value) for tree, value in own}.values())
    return out


def relevant_units(units: dict[str, list[tuple[list[Node], float]]]) -> dict[str, dict[slow.Tree, Fraction]]:
    return {t: {frozenset(tree): slow.exactly(value) for tree, value in own if value} for t, own in units.items()}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_docs, kind, hidden = draw(digits(3, 4, 5))
    span = forest(draw(st.lists(digits(3, 9, 5, 2, 3, 2), max_size=11 - n_docs)), n_docs + 1)
    nodes = list(span)
    if hidden == 0 and n_docs:  # the tables know nothing of the last document
        span = {node: where for node, where in span.items() if node[0] != DOCS[n_docs]}
    rng = random.Random(draw(st.integers(0, 999)))  # for what has no bearing on the shape of a failure
    units = highlighted = grades = None
    tables: dict[str, Any] = {"assessments": []}
    given_units: dict[str, list[tuple[list[Node], float]]] = {}
    if kind in (0, 1):
        given_units = unit_rows([(0, 0, 0, 1), *draw(st.lists(digits(2, 14, len(VALUES), 3), max_size=8))], nodes)
        units = relevant_units(given_units)
        tables["assessments"].append(pd.DataFrame(units_table(given_units, rng)))
    if kind in (1, 2):
        rows = [(0, 0, 0, 0), *draw(st.lists(digits(2, 3, 20, 12), max_size=6))]
        marked = [(str(t + 1), DOCS[doc % (n_docs + 1)], at, at + size + 1) for t, doc, at, size in rows]
        highlighted = {t: frozenset((doc, x) for own, doc, start, end in marked if own == t for x in range(start, end))
                       for t, *_ in marked}
        tables["assessments"].append(pd.DataFrame(table(("topic", "doc", "start", "end"), marked)))
    if kind == 3:
        rows = [(0, 0, 3, 3), *draw(st.lists(digits(2, 12, 4, 4), max_size=8))]
        grades = {}
        for t, at, e, s in rows:
            grades.setdefault(str(t + 1), {})[nodes[at % len(nodes)]] = (e, s) if e and s else (0, 0)
        tables["assessments"].append(pd.DataFrame(table(("topic", "doc", "path", "exhaustivity", "specificity"), [
            (t, *node, *pair) for t, own in grades.items() for node, pair in own.items()])))
    wanted = {t: [frozenset(tree) for tree, _ in given_units.get(t, [])] for t in ("1", "2")}
    runs = {run: {t: result_list(draw(st.lists(digits(12, 3, 20, 12), max_size=8)), nodes, wanted[t])
                  for t in ("1", "2")} for run in ("a", "b")[:draw(st.integers(1, 2))]}
    for run in runs.values():
        run["unassessed"] = [Result("d1", ("/article[1]",))]  # so that every run has some result
    steps = {(nodes[s % len(nodes)], nodes[t % len(nodes)]): Fraction(p, 20)
             for s, t, p in draw(st.lists(digits(12, 12, 21), max_size=9))}
    steps = {(s, t): p for (s, t), p in steps.items() if s[0] == t[0] and s != t}
    walks = [walk(rows, nodes) for rows in draw(st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=5),
                                                         min_size=1, max_size=4))]
    tables |= {"runs": {name: run_table(lists, rng) for name, lists in runs.items()},
               "documents": table(("doc", "path", "start", "end"), shuffled(
                   [(*node, *where) for node, where in span.items()], rng)),
               "navigation": table(("doc", "source", "target", "probability"), shuffled(
                   [("d1", "/article[1]", "/article[1]", 0.5),  # the diagonal is dropped
                    *((s[0], s[1], t[1], float(p)) for (s, t), p in steps.items())], rng)),
               "routes": table(("route", "step", "doc", "path"), shuffled(
                   [(f"r{i}", 3 * j, *node) for i, route in enumerate(walks) for j, node in enumerate(route)], rng))}
    return Case(Documents(span), units, highlighted, grades, runs, steps, walks, tables)


def walk(numbers: list[int], nodes: list[Node]) -> list[Node]:
    """A route within one document, without steps from an element to itself; 12 is an element nobody knows."""
    first = nodes[numbers[0] % len(nodes)]
    own = [node for node in nodes if node[0] == first[0]]
    route = [first]
    for i in numbers[1:]:
        node = own[i % len(own)] if i < 12 else (first[0], "/article[1]/unheard_of[1]/p[1]")
        if node != route[-1]:
            route.append(node)
    return route


def table(names: tuple[str, ...], rows: list[tuple]) -> dict[str, list]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def shuffled(rows: list, rng: random.Random) -> list:
    return rng.sample(rows, len(rows))


def units_table(units: dict[str, list[tuple[list[Node], float]]], rng: random.Random) -> dict[str, list]:
    """Rows in any order; a unit of one row may go without a name."""
    rows = []
    for topic, own in units.items():
        for i, (tree, value) in enumerate(own):
            name = "" if len(tree) == 1 and rng.random() < 0.5 else f"u{i}"
            rows += [(topic, *node, value, name) for node in tree]
    return table(("topic", "doc", "path", "relevance", "unit"), shuffled(rows, rng))


def run_table(lists: dict[str, list[Result]], rng: random.Random) -> dict[str, list]:
    """Rows in any order: the rank column rules; parts of one result share a rank."""
    rows = []
    for topic, results in lists.items():
        for rank, result in enumerate(results, 1):
            for part in result.parts:
                path = part if isinstance(part, str) else ""
                rows.append((topic, rank, result.doc, path, *(part if isinstance(part, tuple) else (None, None))))
    return table(("topic", "rank", "doc", "path", "start", "end"), shuffled(rows, rng))


# ---------------------------------------------------------------- random parameters

NORMALISE = ("source", "target")
NAVIGATION: list[tuple[str, dict[str, Any]]] = [
    ("none", {}), ("matrix", {}), ("depth", {}),
    *(("routes", {"abandon": a, "normalise": n}) for a in ("off", "on") for n in NORMALISE),
    *(("summary", {"by": by, "normalise": n}) for by in ("tag", "path", "depth") for n in NORMALISE),
    *(("tags", {"normalise": n}) for n in NORMALISE),
    *(("steady", {"of": of}) for of in ("tags", "summary(by=path)", "summary(by=depth)", "depth")),
    *(("structural", {"normalise": n}) for n in NORMALISE),
    *(("t2i", {"tolerance": t, "shape": s}) for t in (1, 4, 300) for s in ("step", "linear")),
    *(("proximity", {"A": a}) for a in (0.01, 1, 37.5))]
UNITS = ("smallest", "inside", "leaves", "all", "document")
QUANTS = ("strict", "gen", "sog", "spec", "binary")
OVERLAPS = (1, 1, 0, 0.5, 0.3)


@dataclass(frozen=True)
class Frame:
    """Parameters that all measures of the family share."""

    nav: tuple[str, dict[str, Any]]
    units: str
    quant: str
    match: str
    eq4: str
    overlap: float

    def parameters(self) -> dict[str, Any]:
        return {"nav": written(*self.nav), "units": self.units, "quant": self.quant, "match": self.match,
                "eq4": self.eq4, "overlap": self.overlap}

    def view(self, case: Case) -> View:
        return View(case.documents, case.navigation(self.nav[0], **self.nav[1]), self.match, self.eq4,
                    slow.exactly(self.overlap))


FRAMES = digits(len(NAVIGATION), 5, 5, 2, 2, len(OVERLAPS)).map(lambda d: Frame(
    NAVIGATION[d[0]], UNITS[d[1]], QUANTS[d[2]], ("exact", "node")[d[3]], ("paper", "full")[d[4]], OVERLAPS[d[5]]))
RANKS = st.integers(1, 9)
RELS = st.sampled_from(("binary", "length"))
SIZES = st.sampled_from(("union", "sum"))
LEVELS = st.one_of(st.sampled_from((0, 0.01, 0.1, 0.25, 0.5, 0.75, 1)), st.integers(0, 1000).map(lambda i: i / 1000))


def written(name: str, parameters: dict[str, Any] | None = None, at: float | None = None) -> str:
    inside = ",".join(f"{k}={v}" for k, v in (parameters or {}).items())
    return name + (f"({inside})" if inside else "") + ("" if at is None else f"@{at}")


def same(fast: float, expected: Fraction | None) -> bool:
    if expected is None:
        return bool(np.isnan(fast))
    return abs(fast - float(expected)) <= EXACT * max(1, abs(expected))


@dataclass(frozen=True)
class Measure:
    """A measure without the parameters of the frame, and its slow version."""

    name: str
    own: dict[str, Any]
    at: float | None
    slowly: Slow

    def asked(self, frame: Frame) -> str:
        shared = {p.name for p in ESR[self.name].parameters}  # SRP, for one, knows no hits, so no `match`
        return written(self.name, self.own | {n: v for n, v in frame.parameters().items() if n in shared}, self.at)


def compare(case: Case, frame: Frame, measures: list[Measure]) -> Evaluation:
    """Every value of every run and topic."""
    view = frame.view(case)
    found = case.study().evaluate([m.asked(frame) for m in measures])
    for k, name in enumerate(found.topic_ids):
        topic = case.topic(name, frame.units, frame.quant)
        for j, run in enumerate(found.run_names):
            results = case.runs[run].get(name, [])
            for i, measure in enumerate(measures):
                expected = measure.slowly(view, topic, results) if topic.units else None
                value = float(found.values[i, j, k])
                assert same(value, expected), (f"{measure.asked(frame)}, run {run}, topic {name}: {value} is not "
                                               f"{expected if expected is None else float(expected)}")
    return found


# ---------------------------------------------------------------- what measures are made of

def all_nodes(study: esr.Study) -> list[Node]:
    nodes = study.alignment.nodes
    return [(study.doc_ids[d], nodes.paths[p]) for d, p in zip(nodes.doc, nodes.path, strict=True)]


def test_every_navigation_model_is_compared() -> None:
    assert {name for name, _ in NAVIGATION} == MODELS


@SETTINGS
@given(cases(), st.sampled_from(NAVIGATION))
def test_navigation_models(case: Case, nav: tuple[str, dict[str, Any]]) -> None:
    """All pairs of nodes, known and unknown."""
    study = case.study()
    nodes = all_nodes(study)
    spec = parse(written("Hits", {"nav": written(*nav)}, 1)).parameters["nav"]
    model = spec.declaration.function(study, study.alignment.nodes, **spec.parameters)
    source, target = (a.ravel() for a in np.meshgrid(range(len(nodes)), range(len(nodes)), indexing="ij"))
    found = model.esr(source, target)
    slowly = case.navigation(nav[0], **nav[1])
    for s, t, p in zip(source, target, found, strict=True):
        assert same(p, slowly(nodes[t], nodes[s])), f"{nav}: from {nodes[s]} to {nodes[t]} is {p}, not " \
            f"{float(slowly(nodes[t], nodes[s]))}"


@SETTINGS
@given(cases(), st.sampled_from(UNITS), st.sampled_from(QUANTS))
def test_units(case: Case, units: str, quant: str) -> None:
    """What is relevant: given units, or those that highlights or grades stand for."""
    study = case.study()
    nodes, made = all_nodes(study), study.alignment.units(units, quant)
    for number, name in enumerate(study.topic_ids):
        found = {}
        for i in np.flatnonzero(made.topic == number):
            own = made.sets.node[made.sets.offsets[i]:made.sets.offsets[i + 1]]
            found[frozenset(nodes[n] for n in own)] = made.value[i]
            assert len(set(own)) == len(own), "a node stands twice in a set"
        assert found == pytest.approx({unit: float(v) for unit, v in case.topic(name, units, quant).units.items()})


# ---------------------------------------------------------------- measures

def expectation(name: str, attribute: str, rel: str, k: int) -> Measure:
    return Measure(name, {"rel": rel}, k, lambda v, t, rs: getattr(slow.expected(v, t, rs, k, rel), attribute))


@SETTINGS
@given(cases(), FRAMES, RANKS, RELS, st.sampled_from((1, 0.5, 0.37)), st.sampled_from((10, 1, 2.5)))
def test_expectations_and_cumulated_gain(case: Case, frame: Frame, k: int, rel: str, l: float,  # noqa: E741
                                         m: float) -> None:
    """And always Hits + Near + Misses + Shrinkage = Σ rel."""
    wish = {"rel": rel, "l": l, "m": m}
    found = compare(case, frame, [
        expectation("Hits", "hits", rel, k), expectation("Near", "near", rel, k),
        expectation("Misses", "misses", rel, k), expectation("Shrinkage", "shrinkage", rel, k),
        expectation("RecallBase", "recall_base", rel, k),
        Measure("ESRP", {"rel": rel}, k, lambda v, t, rs: slow.esrp(v, t, rs, k, rel)),
        Measure("ESRR", {"rel": rel}, k, lambda v, t, rs: slow.esrr(v, t, rs, k, rel)),
        Measure("CG", {"rel": rel}, k, lambda v, t, rs: slow.gain(v, t, rs, k, rel, False)),
        Measure("CD", wish, k, lambda v, t, rs: slow.cd(v, t, rs, k, rel, l, m)),
        Measure("NSRCG", wish, k, lambda v, t, rs: slow.nsrcg(v, t, rs, k, rel, l, m, False)),
        Measure("NSRCG2", wish, k, lambda v, t, rs: slow.nsrcg(v, t, rs, k, rel, l, m, True))])
    topics = [case.topic(name, frame.units, frame.quant) for name in found.topic_ids]
    all_relevance = [float(sum(t.rel(unit, rel) for unit in t.units)) if t.units else np.nan for t in topics]
    for hits_near_misses_shrinkage in found.values[:4].sum(axis=0):
        assert hits_near_misses_shrinkage == pytest.approx(all_relevance, abs=EXACT, nan_ok=True)


@SETTINGS
@given(cases(), FRAMES, RANKS, RELS)
def test_inferred_relevance(case: Case, frame: Frame, k: int, rel: str) -> None:
    compare(case, frame, [
        Measure("SRP", {"rel": rel, "inferred": how}, k, lambda v, t, rs, how=how: slow.srp(v, t, rs, k, rel, how))
        for how in ("mean", "sum", "max")])


@SETTINGS
@given(cases(), FRAMES, RANKS, SIZES, st.sampled_from(("text", "recall")))
def test_precision_and_recall_of_text(case: Case, frame: Frame, k: int, size: str, base: str) -> None:
    compare(case, frame, [
        Measure("SRiP", {"size": size}, k, lambda v, t, rs: slow.srip(v, t, rs, k, size, False)),
        Measure("SRiR", {"base": base}, k, lambda v, t, rs: slow.srir(v, t, rs, k, base, False)),
        Measure("SRiP2", {"size": size}, k, lambda v, t, rs: slow.srip(v, t, rs, k, size, True)),
        Measure("SRiR2", {"base": base}, k, lambda v, t, rs: slow.srir(v, t, rs, k, base, True))])


@SETTINGS
@given(cases(), FRAMES, RELS, SIZES, LEVELS)
def test_averages_over_recall_levels(case: Case, frame: Frame, rel: str, size: str, level: float) -> None:
    compare(case, frame, [
        Measure("AESRP", {"rel": rel}, None, lambda v, t, rs: slow.aesrp(v, t, rs, rel)),
        Measure("ASRiP", {"size": size}, None, lambda v, t, rs: slow.asrip(v, t, rs, size, False)),
        Measure("ASRiP2", {"size": size}, None, lambda v, t, rs: slow.asrip(v, t, rs, size, True)),
        Measure("SRPRUM", {}, level, lambda v, t, rs: slow.srprum(v, t, rs, level))])


# ---------------------------------------------------------------- lengths alone

@st.composite
def cases_without_places(draw: st.DrawFn) -> Case:
    """Documents whose elements have lengths that need not add up, only none is longer than one around it; results and
    units that are elements and trees."""
    nodes = list(forest(draw(st.lists(digits(3, 9, 5, 2, 3, 2), max_size=9)), draw(st.integers(1, 3))))
    sizes = dict(zip(nodes, draw(st.lists(st.integers(0, 30), min_size=len(nodes), max_size=len(nodes))), strict=True))
    length = {node: min(size for other, size in sizes.items() if slow.contains(other, node)) for node in nodes}
    given_units = unit_rows([(0, 0, 0, 1), *draw(st.lists(digits(2, 14, len(VALUES), 3), max_size=6))], nodes)
    units = relevant_units(given_units)
    wanted = [frozenset(tree) for tree, _ in given_units["1"]]
    lists = result_list(draw(st.lists(digits(12, 3, 20, 12), max_size=8)), nodes, wanted)
    lists = [Result(r.doc, tuple(p for p in r.parts if not isinstance(p, tuple)) or (None,)) for r in lists]
    runs = {"a": {"1": lists, "unassessed": [Result("d1", ("/article[1]",))]}}
    rng = random.Random(0)
    return Case(Documents({}, length), units, None, None, runs, {}, [], {
        "assessments": units_table(given_units, rng), "runs": {"a": run_table(runs["a"], rng)},
        "documents": table(("doc", "path", "length"), shuffled([(*n, size) for n, size in length.items()], rng))})


@SETTINGS
@given(cases_without_places(), st.sampled_from(NORMALISE), RANKS, SIZES)
def test_lengths_alone(case: Case, normalise: str, k: int, size: str) -> None:
    """A tree's size is the sum of its outermost nodes."""
    frame = Frame(("structural", {"normalise": normalise}), "smallest", "strict", "exact", "paper", 1)
    compare(case, frame, [
        Measure("ESRP", {}, k, lambda v, t, rs: slow.esrp(v, t, rs, k, "binary")),
        Measure("SRiP", {"size": size}, k, lambda v, t, rs: slow.srip(v, t, rs, k, size, False)),
        Measure("SRiP2", {"size": size}, k, lambda v, t, rs: slow.srip(v, t, rs, k, size, True)),
        Measure("SRP", {"inferred": "sum"}, k, lambda v, t, rs: slow.srp(v, t, rs, k, "binary", "sum"))])


# ---------------------------------------------------------------- identities

FEWER = settings(SETTINGS, max_examples=100)


@FEWER
@given(cases(), st.sampled_from(UNITS), RANKS)
def test_without_navigation_esr_is_classical_precision_and_recall(case: Case, units: str, k: int) -> None:
    """"ESRP and ESRR reduce to classical precision (r/k) and recall (r/N)"; SRP of single nodes is ESRP."""
    own = {"nav": "none", "units": units, "quant": "gen"}
    found = case.study().evaluate([written(name, own, k) for name in ("ESRP", "ESRR")])
    for i, name in enumerate(found.topic_ids):
        wanted = case.topic(name, units, "gen").units
        for j, run in enumerate(found.run_names if wanted else ()):
            listed = {result.tree(case.documents) for result in case.runs[run].get(name, [])[:k]}
            retrieved = len(wanted.keys() & listed)
            assert found.values[:, j, i] == pytest.approx([retrieved / k, retrieved / len(wanted)], abs=EXACT)


@st.composite
def all_measures(draw: st.DrawFn) -> list[str]:
    """Every measure of the family, with random parameters and cut-off."""
    frame, (rel, inferred, size, base, l, m) = draw(FRAMES), draw(digits(2, 3, 2, 2, 3, 3))  # noqa: E741
    own = {"rel": ("binary", "length")[rel], "inferred": ("mean", "sum", "max")[inferred],
           "size": ("union", "sum")[size], "base": ("text", "recall")[base], "l": (1, 0.5, 0.1)[l],
           "m": (10, 1, 2.5)[m]}
    at = {"rank": draw(RANKS), "level": draw(LEVELS), None: None}
    return [written(name, {p.name: (own | frame.parameters())[p.name] for p in d.parameters}, at[d.at])
            for name, d in ESR.items()]


def test_all_parameters_are_drawn() -> None:
    names = {p.name for d in ESR.values() for p in d.parameters}
    assert names == {"rel", "inferred", "size", "base", "l", "m", "nav", "units", "quant", "match", "eq4", "overlap"}


@FEWER
@given(cases(), all_measures())
def test_text_shown_again_is_worth_its_full_price_by_default(case: Case, measures: list[str]) -> None:
    """overlap=1 is the paper, and the default."""
    tolerant = [re.sub(r"overlap=[\d.]+", "overlap=1", m) for m in measures]
    found = case.study().evaluate([*tolerant, *(m.replace(",overlap=1", "") for m in tolerant)])
    given_values, default = np.split(found.values, 2)
    assert np.array_equal(given_values, default, equal_nan=True)


@FEWER
@given(cases(), all_measures(), st.data())
def test_contributions_of_an_explanation_add_up_to_the_value(case: Case, measures: list[str], data: st.DataObject
                                                             ) -> None:
    study = case.study()
    found = study.evaluate(measures)
    k = data.draw(st.sampled_from(range(len(found.topic_ids))))
    j = data.draw(st.sampled_from(range(len(found.run_names))))
    for i, asked in enumerate(measures):
        value = found.values[i, j, k]
        if np.isnan(value):
            with pytest.raises(esr.NotComputable, match="nothing is relevant"):
                study.explain(asked, found.run_names[j], found.topic_ids[k])
            continue
        told = study.explain(asked, found.run_names[j], found.topic_ids[k])
        assert told.value == pytest.approx(value, rel=EXACT, abs=EXACT), asked
        total = float(told.table["contribution"].sum())
        assert total == pytest.approx(value, rel=EXACT, abs=EXACT), f"{asked}: {total} is not {value}\n{told}"


@FEWER
@given(cases(), all_measures())
def test_a_curve_passes_through_the_values(case: Case, measures: list[str]) -> None:
    study = case.study()
    topics = [t for t, a in zip(study.topic_ids, study.assessed, strict=True) if a]
    run, topic = study.run_names[-1], topics[-1]
    points: list[tuple[str, float]] = []
    for name in (m.rsplit("@", 1)[0] for m in measures if "@" in m):
        curve = study.curve(name, run=run, topic=topic)
        points += [(f"{name}@{curve['x'].iloc[x]:g}", curve["y"].iloc[x]) for x in {len(curve) // 3, len(curve) - 1}]
    found = study.evaluate([m for m, _ in points])
    j, k = found.run_names.index(run), found.topic_ids.index(topic)
    np.testing.assert_allclose(found.values[:, j, k], [y for _, y in points], rtol=0, atol=EXACT)


@FEWER
@given(cases(), all_measures(), st.data())
def test_a_part_of_a_study_has_the_scores_of_the_whole(case: Case, measures: list[str], data: st.DataObject) -> None:
    """What other runs retrieve, and what is assessed for other topics, changes nothing."""
    study = case.study()
    whole = study.evaluate(measures)
    run = data.draw(st.sampled_from(whole.run_names))
    topic = data.draw(st.sampled_from(whole.topic_ids))
    part = study.select(runs=[run], topics=[topic]).evaluate(measures)
    np.testing.assert_allclose(part.values[:, 0, 0], whole.values[:, whole.run_names.index(run),
                                                                   whole.topic_ids.index(topic)], rtol=0, atol=EXACT)


def test_every_measure_of_the_family_is_compared() -> None:
    assert set(ESR) == {
        "Hits", "Near", "Misses", "Shrinkage", "RecallBase", "ESRP", "ESRR", "SRP", "SRiP", "SRiR", "SRiP2", "SRiR2",
        "CG", "CD", "NSRCG", "NSRCG2", "AESRP", "ASRiP", "ASRiP2", "SRPRUM"}


# ---------------------------------------------------------------- the long run

ROUTES = [[("d", f"/{a}[1]"), ("d", f"/{b}[1]")] for a, b in ("ab", "ba", "bc", "cd", "dc", "de", "ee")]


def test_long_walks_are_averages_over_their_steps() -> None:
    """The slow version's walk that rests every other time has the shares of the plain average over 20000 steps, here
    with a class that is left for good, two that take turns and one that keeps the reader."""
    names = "abcdef"
    weights = slow.class_weights(ROUTES, "tag")
    p = slow.shared_out(weights, "source")
    step = np.array([[float(p(target, source)) for target in names] for source in names])
    step[~step.any(axis=1), ~step.any(axis=1)] = 1
    total, power = np.zeros_like(step), np.eye(len(names))
    for _ in range(20000):
        total, power = total + power, power @ step
    nav = slow.steady(ROUTES, "tag")
    for i, source in enumerate(names):
        for j, target in enumerate(names):
            if i != j:
                assert float(nav(("d", f"/{target}[1]"), ("d", f"/{source}[1]"))) == pytest.approx(
                    total[i, j] / 20000, abs=1e-3)


def test_depth_classes_are_a_parameter(tmp_path: Path) -> None:
    """[classes] of study.toml maps further tags; the four shares are .48, .24, .16 and .12."""
    (tmp_path / "study.toml").write_text('[classes]\nchapter = "section"\nsec = "ss1"\n')
    tags = {"article": "0.48", "section": "0.24", "sec": "0.16", "subsection": "0.16", "chapter": "0.24", "p": "0.12"}
    (tmp_path / "units.csv").write_text("topic,doc,path,relevance\n" + "".join(f"{t},d,/{t}[1],1\n" for t in tags))
    (tmp_path / "runs.csv").write_text("run,topic,rank,doc,path\n" + "".join(f"a,{t},1,d,/x[1]\n" for t in tags))
    found = esr.load(tmp_path).evaluate("Near(nav=depth)@1")
    assert dict(zip(found.topic_ids, found.values[0, 0], strict=True)) == pytest.approx(
        {tag: float(share) for tag, share in tags.items()}, abs=1e-15)


@pytest.mark.parametrize("of", ["none", "matrix", "routes", "structural", "t2i", "proximity"])
def test_only_models_of_classes_have_a_long_run(of: str) -> None:
    """A value out of range is an error in one line, not a traceback."""
    study = esr.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "path": ["/a[1]"]}},
                     assessments={"topic": ["1"], "doc": ["d"], "path": ["/a[1]/b[1]"], "relevance": [1]},
                     documents={"doc": ["d"] * 2, "path": ["/a[1]", "/a[1]/b[1]"], "start": [0, 0], "end": [9, 4]},
                     navigation={"doc": ["d"], "source": ["/a[1]"], "target": ["/a[1]/b[1]"], "probability": [0.5]},
                     routes={"route": ["1"] * 2, "step": [1, 2], "doc": ["d"] * 2, "path": ["/a[1]", "/a[1]/b[1]"]})
    with pytest.raises(esr.EsrError, match="steady"):
        study.evaluate(f"ESRP(nav=steady(of={of}))@1")


# ---------------------------------------------------------------- one oddity at a time

def study_of(results: list[tuple[int, Any]], units: dict[str, list] | list[pd.DataFrame],
             elements: dict[str, tuple[int, int]] | None = None) -> esr.Study:
    """Topic 1 and document d: (rank, path or span) of each part of a result, assessments, and elements with places."""
    rows = [("1", rank, "d", part if isinstance(part, str) else "",
             *(part if isinstance(part, tuple) else (None, None))) for rank, part in results]
    parts: dict[str, Any] = {} if elements is None else {
        "documents": table(("doc", "path", "start", "end"), [("d", path, *span) for path, span in elements.items()])}
    run = table(("topic", "rank", "doc", "path", "start", "end"), rows)
    return esr.load(runs={"a": run}, assessments=units, **parts)


def assessed(*paths: str, relevance: float = 1, **columns: list) -> dict[str, list]:
    return {"topic": ["1"] * len(paths), "doc": ["d"] * len(paths), "path": list(paths),
            "relevance": [relevance] * len(paths), **columns}


def highlights(*spans: tuple[int, int]) -> dict[str, list]:
    return {"topic": ["1"] * len(spans), "doc": ["d"] * len(spans), "start": [s for s, _ in spans],
            "end": [e for _, e in spans]}


def values(study: esr.Study, *measures: str) -> list[float]:
    return study.evaluate(measures).values[:, 0, 0].tolist()


def test_a_row_that_comes_twice_changes_no_tree() -> None:
    """"Several rows of one unit repeat the unit's value": a tree is a set of nodes."""
    unit = assessed("/a[1]", "/a[1]/p[1]", "/a[1]", unit=["u"] * 3)
    study = study_of([(1, "/a[1]/p[1]"), (1, "/a[1]")], unit)
    assert values(study, "ESRP(nav=none)@1", "ESRR(nav=none)@1") == [1, 1]
    assert values(study_of([(1, "/a[1]")], assessed("/a[1]", "/a[1]", unit=["u"] * 2)), "ESRP(nav=none)@1") == [1]


@pytest.mark.parametrize("assessments", [
    assessed("/a[1]", "/a[1]"),
    {"topic": ["1"] * 2, "doc": ["d"] * 2, "path": ["/a[1]", "/a[1]"], "exhaustivity": [3, 3], "specificity": [3, 3]}])
def test_an_element_that_is_assessed_twice_is_one_unit(assessments: dict[str, list]) -> None:
    """A is a set: one result cannot be two hits, or precision would be 2."""
    study = study_of([(1, "/a[1]")], assessments)
    assert values(study, "ESRP(nav=none)@1", "RecallBase(nav=none)@1") == [1, 1]


def test_a_unit_lies_in_one_document() -> None:
    """"A result and an assessed unit are node sets in one document"; such a result is refused, too."""
    with pytest.raises(esr.DataError, match="two documents"):
        study_of([(1, "/a[1]")], assessed("/a[1]", "/a[1]", unit=["u"] * 2) | {"doc": ["d", "e"]})


def test_what_a_run_names_makes_no_element_less_of_a_leaf() -> None:
    """A result that is not in the document is no sub-element of anything; assessments do not depend on runs."""
    elements = {"/a[1]": (0, 10), "/a[1]/p[1]": (0, 5)}
    study = study_of([(1, "/a[1]/p[1]"), (2, "/a[1]/p[1]/x[1]")], highlights((0, 5)), elements)
    assert values(study, "Hits(units=leaves,nav=none)@1") == [1]


def test_empty_elements_are_never_units() -> None:
    study = study_of([(1, "/a[1]")], highlights((0, 10)), {"/a[1]": (0, 10), "/a[1]/br[1]": (4, 4)})
    found = values(study, *(f"RecallBase(units={units},nav=none)@1" for units in UNITS))
    assert dict(zip(UNITS, found, strict=True)) == pytest.approx(
        {"smallest": 1, "inside": 1, "leaves": np.nan, "all": 1, "document": 1}, nan_ok=True)


def test_an_element_without_highlighted_text_is_no_unit() -> None:
    """rel=binary is "1 when the value is positive"; here the highlight lies past the end of the document."""
    study = study_of([(1, "/a[1]")], highlights((12, 15)), {"/a[1]": (0, 10)})
    assert np.isnan(values(study, "RecallBase(units=document,nav=none)@1")).all()


def test_a_highlight_in_a_document_that_no_table_knows_has_no_unit() -> None:
    """Not even when a run names an element there: what is relevant does not depend on the runs."""
    study = esr.load(
        runs={"a": {"topic": ["1"], "rank": [1], "doc": ["e"], "path": ["/a[1]"]}},
        assessments={"topic": ["1"], "doc": ["e"], "start": [0], "end": [5]},
        documents={"doc": ["d"], "path": ["/a[1]"], "start": [0], "end": [10]})
    assert np.isnan(values(study, "RecallBase(units=document,nav=none)@1")).all()


def test_a_passage_keeps_its_size() -> None:
    """It stands for p[1] of 50 characters, but "its size stays that of the passage", 10, when sizes are summed too."""
    elements = {"/a[1]": (0, 100), "/a[1]/p[1]": (0, 50)}
    study = study_of([(1, (20, 30))], assessed("/a[1]/p[1]", relevance=5), elements)
    assert values(study, "SRiP(nav=none)@1", "SRiP(size=sum,nav=none)@1") == [0.5, 0.5]


def test_a_passage_keeps_its_size_where_only_lengths_are_known() -> None:
    """Nobody knows what it stands for, but its size is 10 still: relevant are 30 of 40 characters."""
    study = esr.load(
        runs={"a": {"topic": ["1"] * 2, "rank": [1, 2], "doc": ["d"] * 2, "path": ["", "/a[1]"], "start": [0, None],
                    "end": [10, None]}},
        assessments=assessed("/a[1]", relevance=30), documents={"doc": ["d"], "path": ["/a[1]"], "length": [30]})
    assert values(study, "SRiP(nav=none)@2", "SRiP(size=sum,nav=none)@2") == [0.75, 0.75]


def test_averages_look_at_every_rank() -> None:
    """The first result is a hit of unknown size: SRiP is 0 there (nothing over nothing) and 3/10 at rank 2, where
    nothing else has changed."""
    study = study_of([(1, "/a[1]/unknown[1]"), (2, "/a[1]")], assessed("/a[1]/unknown[1]", relevance=3),
                     {"/a[1]": (0, 10)})
    assert values(study, "SRiP(nav=none)@1", "SRiP(nav=none)@2") == [0, 0.3]
    assert values(study, "ASRiP(nav=none)", "ASRiP2(nav=none)") == pytest.approx([0.3, 0.3], abs=1e-12)
    told = study.explain("ASRiP(nav=none)", "a", "1")
    assert told.table["contribution"].sum() == pytest.approx(told.value, abs=1e-12)


@pytest.mark.parametrize("before", [20, 30, 40, 50, 60])
def test_recall_of_everything_is_one_however_late(before: int) -> None:
    """The only unit is retrieved after many paragraphs from which readers go to it: 0.52^n of it is a hit, all else has
    shrunk. Recall is hits over hits. Taking the recall-base as Σ rel − shrinkage leaves rounding errors of the size
    of what is left."""
    results = [*((i, f"/article[1]/p[{i}]") for i in range(1, before + 1)), (before + 1, "/article[1]")]
    study = study_of(results, assessed("/article[1]"))
    hits, base, recall, gain = values(study, *(f"{m}@{before + 1}" for m in (
        "Hits(nav=depth)", "RecallBase(nav=depth)", "ESRR(nav=depth)", f"NSRCG(nav=depth,m={before + 1})")))
    assert hits == pytest.approx(0.52**before, rel=1e-9)
    assert base == pytest.approx(0.52**before, rel=1e-9)
    assert (recall, gain) == pytest.approx((1, 1), abs=EXACT)


def test_topics_that_have_highlights_but_no_units() -> None:
    """Units are given for topic 1 only; topic 2 is undefined, and says so when it is asked for alone."""
    study = study_of([(1, "/a[1]")], [pd.DataFrame(assessed("/a[1]")), pd.DataFrame(
        {"topic": ["2"], "doc": ["d"], "start": [0], "end": [5]})], {"/a[1]": (0, 10)})
    assert study.evaluate("ESRP(nav=none)@1").values.ravel().tolist() == pytest.approx([1, np.nan], nan_ok=True)
    assert np.isnan(study.select(topics=["2"]).evaluate("ESRP(nav=none)@1").values).all()
    with pytest.raises(esr.NotComputable, match="nothing is relevant"):
        study.explain("ESRP(nav=none)@1", "a", "2")


def test_overlap_needs_places() -> None:
    """With lengths alone nobody knows what higher-ranked results showed: refused, not counted as nothing."""
    study = esr.load(Path(__file__).parents[2] / "demo_data" / "papers" / "esr")
    with pytest.raises(esr.NotComputable, match="places"):
        study.evaluate("Hits(overlap=0)@3")


def test_a_recall_that_is_never_reached_is_said() -> None:
    """"never reached: C = list length, and the output says so"."""
    study = study_of([(1, "/a[1]/b[1]"), (2, "/a[1]/c[1]")], assessed("/a[1]/c[1]", "/a[1]"))
    assert values(study, "SRPRUM(nav=none)@1") == [0.5]
    assert any("reached" in w for w in study.evaluate("SRPRUM(nav=none)@1").warnings)
    assert not any("reached" in w for w in study.evaluate("SRPRUM(nav=none)@0.5").warnings)


@pytest.mark.parametrize("of", ["tags(normalise=target)", "summary(by=path,normalise=target)"])
def test_the_long_run_of_what_is_no_walk(of: str) -> None:
    """Shares of what leads to a class make no steps of a walk: refused, or given a meaning, but no traceback."""
    study = esr.load(Path(__file__).parents[2] / "demo_data" / "papers" / "esr")
    try:
        found = study.evaluate(f"Near(nav=steady(of={of}))@3").values
    except esr.EsrError:
        return
    assert ((found >= 0) & (found <= 2)).all()
