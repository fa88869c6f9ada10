"""Nodes: the forest of all elements that anyone names, against what path strings and sets of spans say."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import esr_core as esr
from esr_core.nodes import Nodes, members, nodes_of_passages

sys.path.insert(0, str(Path(__file__).parent))
from slow_esr import Documents, Node, contains

SETTINGS = settings(max_examples=200, deadline=None, derandomize=True)
DOCS = ("d1", "d2", "d3")
TAGS = ("sec", "p", "b")


# ---------------------------------------------------------------- random forests

@dataclass(frozen=True)
class Case:
    """Elements of document tables, and others that are only named elsewhere."""

    documents: Documents
    named: dict[str, list[Node]]  # by runs, units, navigation and routes
    study: esr.Study

    @property
    def nodes(self) -> Nodes:
        return self.study.alignment.nodes

    @cached_property
    def names(self) -> list[Node]:
        return [(self.study.doc_ids[d], self.nodes.paths[p])
                for d, p in zip(self.nodes.doc, self.nodes.path, strict=True)]

    def doc(self, name: str) -> int:
        return list(self.study.doc_ids).index(name)


def forest(rows: list[tuple[int, ...]]) -> dict[Node, tuple[int, int]]:
    """Elements with places; every document has one outermost element or two, which follow each other."""
    children: dict[Node, list[tuple[Node, int]]] = {}
    for doc in DOCS:
        children |= {(doc, "/article[1]"): [], (doc, "/article[2]"): []} if doc == "d2" else {(doc, "/article[1]"): []}
    own: dict[Node, tuple[int, int]] = dict.fromkeys(children, (1, 1))
    for doc, above, tag, gap, before, after in rows:
        known = [node for node in children if node[0] == DOCS[doc]]
        parent = known[above % len(known)]
        number = sum(child[1].startswith(f"{parent[1]}/{TAGS[tag]}[") for child, _ in children[parent]) + 1
        node = (parent[0], f"{parent[1]}/{TAGS[tag]}[{number}]")
        children[parent].append((node, gap))
        children[node], own[node] = [], (before, after)
    span: dict[Node, tuple[int, int]] = {}

    def place(node: Node, start: int) -> int:
        at = start + own[node][0]
        for child, gap in children[node]:
            at = place(child, at + gap)
        span[node] = (start, at + own[node][1])
        return span[node][1]

    for doc in DOCS:
        at = 0
        for root in [node for node in children if node[0] == doc and node[1].count("/") == 1]:
            at = place(root, at)
    return span


def digits(*ranges: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One draw for several small numbers, the i-th below ranges[i]: a third of the time of st.tuples."""
    def split(number: int) -> tuple[int, ...]:
        out = []
        for size in ranges:
            number, digit = divmod(number, size)
            out.append(digit)
        return tuple(out)
    return st.integers(0, math.prod(ranges) - 1).map(split)


ROWS = st.lists(digits(3, 10, 3, 2, 3, 2), max_size=10)
STRANGE = ("/x[1]", "/sec[9]/p[1]", "/sec[1]", "/p[2]/b[1]/x[3]", "")  # below an element; some are there after all


def build(span: dict[Node, tuple[int, int]], tabled: list[Node], choices: list[tuple[int, int]]) -> Case:
    """`choices` pick elements, and others below them, for runs, units, navigation and routes in turn."""
    everything = list(span)
    kinds = ("runs", "units", "source", "target", "routes")
    named: dict[str, list[Node]] = {kind: [] for kind in kinds}
    for i, (at, below) in enumerate(choices):
        doc, path = everything[at % len(everything)]
        named[kinds[i % len(kinds)]].append((doc, path + STRANGE[below]))
    for kind in kinds:
        named[kind] = named[kind] or [("d1", "/article[1]")]
    pairs = [(s, t) for s, t in zip(named["source"], named["target"], strict=False) if s[0] == t[0] and s != t]
    named["source"], named["target"] = [s for s, _ in pairs], [t for _, t in pairs]
    study = esr.load(
        runs={"a": {"topic": ["1"] * len(named["runs"]), "rank": range(1, len(named["runs"]) + 1),
                    "doc": [d for d, _ in named["runs"]], "path": [p for _, p in named["runs"]]}},
        assessments={"topic": ["1"] * len(named["units"]), "doc": [d for d, _ in named["units"]],
                     "path": [p for _, p in named["units"]], "relevance": [1] * len(named["units"])},
        documents={"doc": [d for d, _ in tabled], "path": [p for _, p in tabled],
                   "start": [span[n][0] for n in tabled], "end": [span[n][1] for n in tabled]},
        navigation={"doc": ["d1", *(s[0] for s, _ in pairs)], "source": ["/article[1]", *(s[1] for s, _ in pairs)],
                    "target": ["/article[1]", *(t[1] for _, t in pairs)], "probability": [0.5] * (len(pairs) + 1)},
        routes={"route": range(len(named["routes"])), "step": [1] * len(named["routes"]),
                "doc": [d for d, _ in named["routes"]], "path": [p for _, p in named["routes"]]})
    return Case(Documents({node: span[node] for node in tabled}), named, study)


CHOICES = st.lists(digits(13, len(STRANGE)), max_size=12)


@st.composite
def whole_tables(draw: st.DrawFn) -> Case:
    """Documents that are in the tables with all their elements, or not at all."""
    span = forest(draw(ROWS))
    docs = draw(st.sets(st.sampled_from(DOCS), min_size=1))
    return build(span, [node for node in span if node[0] in docs], draw(CHOICES))


@st.composite
def tables_with_gaps(draw: st.DrawFn) -> Case:
    """Tables from which any elements are missing, also such that others lie in."""
    span = forest(draw(ROWS))
    missing = draw(st.sets(st.sampled_from(list(span)), max_size=4))
    return build(span, [node for node in span if node not in missing] or [("d1", "/article[1]")], draw(CHOICES))


# ---------------------------------------------------------------- ancestry

def check_ancestry(case: Case) -> None:
    nodes, names = case.nodes, case.names
    for i, outer in enumerate(names):
        inside = {j for j, inner in enumerate(names) if contains(outer, inner)}
        assert inside == set(range(i, nodes.last[i])), f"what lies in {outer}"
        above = [j for j, other in enumerate(names) if j != i and contains(other, outer)]
        assert nodes.depth[i] == len(above)
        nearest = max(above, key=lambda j: names[j][1].count("/"), default=-1)
        assert nodes.parent[i] == nearest, f"the parent of {outer}"
    a, b = (x.ravel() for x in np.meshgrid(range(len(names)), range(len(names))))
    assert nodes.contains(a, b).tolist() == [contains(names[i], names[j]) for i, j in zip(a, b, strict=True)]
    assert nodes.related(a, b).tolist() == [contains(names[i], names[j]) or contains(names[j], names[i])
                                            for i, j in zip(a, b, strict=True)]


@SETTINGS
@given(whole_tables())
def test_ancestry_is_what_paths_say(case: Case) -> None:
    check_ancestry(case)


@SETTINGS
@given(tables_with_gaps())
def test_ancestry_does_not_need_the_elements_in_between(case: Case) -> None:
    check_ancestry(case)


def below(path: str) -> list[str]:
    """The path and those of all elements around it."""
    steps = path.split("/")
    return ["/".join(steps[:i]) for i in range(2, len(steps) + 1)]


@SETTINGS
@given(tables_with_gaps())
def test_every_element_that_is_named_is_a_node_once(case: Case) -> None:
    nodes, names = case.nodes, case.names
    assert len(set(names)) == len(names) == len(nodes)
    named = {*case.documents.span, *(node for own in case.named.values() for node in own)}
    assert named <= set(names) <= {(doc, path) for doc, own in named for path in below(own)}
    assert [names[i] in case.documents.span for i in range(len(nodes))] == nodes.known.tolist()
    for i in np.flatnonzero(nodes.known):
        assert (nodes.start[i], nodes.end[i]) == case.documents.span[names[i]]
    assert (nodes.start[~nodes.known] == -1).all(), "what nobody knows has no place"


@SETTINGS
@given(tables_with_gaps())
def test_nodes_are_found_by_document_and_path(case: Case) -> None:
    nodes, names, paths = case.nodes, case.names, case.nodes.paths
    doc, path = (x.ravel() for x in np.meshgrid(range(len(case.study.doc_ids)), range(-1, len(paths))))
    found = nodes.find(doc, path)
    for d, p, node in zip(doc, path, found, strict=True):
        wanted = (case.study.doc_ids[d], paths[p])
        assert node == (names.index(wanted) if p >= 0 and wanted in names else -1)


@SETTINGS
@given(whole_tables())
def test_nodes_are_in_document_order(case: Case) -> None:
    nodes = case.nodes
    assert (np.diff(nodes.doc) >= 0).all()
    for d, name in enumerate(case.study.doc_ids):
        own = range(nodes.offsets[d], nodes.offsets[d + 1])
        assert [case.names[i][0] for i in own] == [name] * len(own)
        start = nodes.start[own][nodes.known[own]]
        assert (np.diff(start) >= 0).all()
    position, node = members(nodes, np.arange(len(case.study.doc_ids)))
    assert node.tolist() == list(range(len(nodes)))
    assert position.tolist() == nodes.doc.tolist()


def test_nodes_without_any_document_table() -> None:
    """Paths alone make a forest; nothing in it has a place or a length."""
    study = esr.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "path": ["/a[1]/b[2]/c[1]"]}},
                     assessments={"topic": ["1"] * 2, "doc": ["d"] * 2, "path": ["/a[1]/b[2]", "/a[1]/b[1]"],
                                  "relevance": [1, 1]})
    nodes = study.alignment.nodes
    names = [nodes.paths[p] for p in nodes.path]
    assert sorted(names) == ["/a[1]", "/a[1]/b[1]", "/a[1]/b[2]", "/a[1]/b[2]/c[1]"]
    assert not nodes.known.any()
    assert nodes.depth.tolist() == [name.count("/") - 1 for name in names]
    assert (nodes.length == -1).all()


def test_two_spellings_of_a_path_are_one_node() -> None:
    """A step without a position is the first of its name."""
    study = esr.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "path": ["/a/b[1]/c"]}},
                     assessments={"topic": ["1"], "doc": ["d"], "path": ["/a[1]/b/c[1]/"], "relevance": [1]})
    assert len(study.alignment.nodes) == 3
    assert study.evaluate("Hits(nav=none)@1").values.item() == 1


# ---------------------------------------------------------------- from text to nodes

SPANS = st.lists(digits(3, 17, 13).map(lambda d: (DOCS[d[0]], *d[1:])), min_size=1, max_size=6)


def columns(case: Case, spans: list[tuple[str, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Documents that the study has, starts, ends."""
    known = [(case.doc(doc), start, start + size) for doc, start, size in spans if doc in list(case.study.doc_ids)]
    doc, start, end = np.array(known, np.int64).reshape(-1, 3).T
    return doc, start, end


def grouped(case: Case, row: np.ndarray, node: np.ndarray, n: int) -> list[set[Node]]:
    """(row, node) pairs, which must be sorted and distinct, as one set per row."""
    pairs = list(zip(row.tolist(), node.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    return [{case.names[i] for r, i in pairs if r == k} for k in range(n)]


@SETTINGS
@given(whole_tables(), SPANS)
def test_the_smallest_element_around_a_passage(case: Case, spans: list[tuple[str, int, int]]) -> None:
    doc, start, end = columns(case, [(d, s, max(size, 1)) for d, s, size in spans])
    found = case.nodes.smallest_around(doc, start, end)
    for d, s, e, node in zip(doc, start, end, found, strict=True):
        wanted = case.documents.smallest_around(case.study.doc_ids[d], s, e)
        assert (None if node < 0 else case.names[node]) == wanted


@SETTINGS
@given(whole_tables(), SPANS)
def test_the_largest_elements_inside_a_passage(case: Case, spans: list[tuple[str, int, int]]) -> None:
    doc, start, end = columns(case, spans)
    found = grouped(case, *case.nodes.largest_inside(doc, start, end), len(doc))
    for d, s, e, inside in zip(doc, start, end, found, strict=True):
        assert inside == case.documents.largest_inside(case.study.doc_ids[d], s, e)


@SETTINGS
@given(whole_tables(), SPANS)
def test_what_passages_stand_for(case: Case, spans: list[tuple[str, int, int]]) -> None:
    doc, start, end = columns(case, spans)
    found = grouped(case, *nodes_of_passages(case.nodes, doc, start, end), len(doc))
    for d, s, e, nodes in zip(doc, start, end, found, strict=True):
        assert nodes == case.documents.stands_for(case.study.doc_ids[d], s, e)


@pytest.mark.parametrize(("passage", "around", "inside"), [
    ((0, 20), "/a[1]", ["/a[1]"]),
    ((0, 10), "/a[1]/s[1]/p[1]", ["/a[1]/s[1]"]),  # equal extents: the deepest around, the outermost inside
    ((2, 5), "/a[1]/s[1]/p[1]", []),
    ((9, 12), "/a[1]", []),
    ((9, 21), None, ["/a[1]/s[2]"]),
    ((10, 10), "/a[1]/s[2]", [])])
def test_passages_by_example(passage: tuple[int, int], around: str | None, inside: list[str]) -> None:
    paths = ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
    study = esr.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "path": ["/a[1]"]}},
                     assessments={"topic": ["1"], "doc": ["d"], "path": ["/a[1]"], "relevance": [1]},
                     documents={"doc": ["d"] * 4, "path": paths, "start": [0, 0, 0, 10], "end": [20, 10, 10, 20]})
    nodes = study.alignment.nodes
    names = [nodes.paths[p] for p in nodes.path]
    doc, start, end = np.array([0]), np.array([passage[0]]), np.array([passage[1]])
    found = nodes.smallest_around(doc, start, end).item()
    assert (None if found < 0 else names[found]) == around
    assert [names[n] for n in nodes.largest_inside(doc, start, end)[1]] == inside


# ---------------------------------------------------------------- one oddity at a time

def nodes_of(elements: dict[str, tuple[int, int]], *, retrieved: str = "/a[1]") -> tuple[Nodes, list[str]]:
    """The nodes of one document, and their paths in order."""
    study = esr.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "path": [retrieved]}},
                     assessments={"topic": ["1"], "doc": ["d"], "path": ["/a[1]"], "relevance": [1]},
                     documents={"doc": ["d"] * len(elements), "path": list(elements),
                                "start": [s for s, _ in elements.values()], "end": [e for _, e in elements.values()]})
    nodes = study.alignment.nodes
    return nodes, [nodes.paths[p] for p in nodes.path]


def passage(start: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.array([0]), np.array([start]), np.array([end])


def test_an_empty_element_does_not_hide_the_next() -> None:
    """<s><p/><p>some text</p></s>: both paragraphs start at the same place; the text stands in the second."""
    nodes, names = nodes_of({"/a[1]": (0, 9), "/a[1]/p[1]": (0, 0), "/a[1]/p[2]": (0, 9)})
    assert names[nodes.smallest_around(*passage(2, 5)).item()] == "/a[1]/p[2]"


def test_empty_elements_keep_document_order() -> None:
    """Where two start at the same place, the empty one comes first, so that starts never fall."""
    nodes, names = nodes_of({"/a[1]": (0, 9), "/a[1]/s[1]": (1, 1), "/a[1]/s[2]": (1, 6), "/a[1]/s[2]/p[1]": (6, 6),
                             "/a[1]/s[3]": (6, 9)})
    assert names == ["/a[1]", "/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[2]/p[1]", "/a[1]/s[3]"]
    assert (np.diff(nodes.start) >= 0).all()


def test_an_unknown_element_does_not_hide_what_follows() -> None:
    """A run names something in s[1] that is not there; the passage still covers s[1] from p[1] on, and s[2]."""
    elements = {"/a[1]": (0, 20), "/a[1]/s[1]": (0, 10), "/a[1]/s[1]/p[1]": (4, 10), "/a[1]/s[2]": (10, 20)}
    nodes, names = nodes_of(elements, retrieved="/a[1]/s[1]/x[1]")
    assert [names[n] for n in nodes.largest_inside(*passage(4, 20))[1]] == ["/a[1]/s[1]/p[1]", "/a[1]/s[2]"]


@pytest.mark.parametrize("retrieved", ["/a[1]", "/a[1]/s[1]"])
def test_a_table_that_leaves_out_an_element(retrieved: str) -> None:
    """"tag and parent follow from" the path, whether or not somebody else names the element in between."""
    nodes, names = nodes_of({"/a[1]": (0, 20), "/a[1]/s[1]/p[1]": (4, 10)}, retrieved=retrieved)
    for outer in {"/a[1]", retrieved}:
        assert nodes.contains(np.array([names.index(outer)]), np.array([names.index("/a[1]/s[1]/p[1]")])).all(), outer
