"""The one join: results × assessments. Computed once per study, part by part on first use; no parameter enters.

Most results lie in documents without relevant text, where every measure of this package knows what to do
without looking: so the views keep the rows of relevant documents ("hits" of the join) and, for the rest,
only counts and sizes. A measure is then a pass over a few thousand rows, not over the whole runs.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.ragged import Hits, cumsum, distinct, expand, first_in_list
from esr_core.spans import Coverage, first_cover, merge

if TYPE_CHECKING:
    from esr_core.gains import GainView, Visits
    from esr_core.navigation.base import Model
    from esr_core.nodes import Nodes
    from esr_core.scenarios import IdealView
    from esr_core.study import Study
    from esr_core.units import NodeSets, Units, UnitView

Array = np.ndarray


class Pairs:
    """Relevant (topic, document) pairs, sorted; a pair's number is its place here."""

    def __init__(self, topic: Array, doc: Array, n_topics: int, n_docs: int):
        self.key = distinct(topic.astype(np.int64) * max(n_docs, 1) + doc)
        self.topic, self.doc = self.key // max(n_docs, 1), self.key % max(n_docs, 1)
        self.n_docs = n_docs
        self.per_topic = np.bincount(self.topic, minlength=n_topics)
        self._known = np.zeros(n_docs, bool)
        self._known[self.doc] = True

    def __len__(self) -> int:
        return len(self.key)

    def find(self, topic: Array, doc: Array) -> tuple[Array, Array]:
        """Rows that lie in a relevant document of their topic, and the number of the pair of each."""
        rows = np.flatnonzero(self._known[doc])
        wanted = topic[rows].astype(np.int64) * self.n_docs + doc[rows]
        at = np.minimum(np.searchsorted(self.key, wanted), max(len(self.key) - 1, 0))
        match = self.key[at] == wanted if len(self.key) else np.zeros(0, bool)
        return rows[match], at[match]


class Alignment:
    """The views a measure can ask for: `documents`, `text`, `entries("consecutive")`, `entries("merge")`."""

    def __init__(self, study: Study):
        self.study = study
        self._entries: dict[tuple[str, bool], EntryView] = {}
        self._set_names: dict[tuple[int, ...], int] = {}  # shared, so that equal sets of nodes have one name
        self._units: dict[tuple[str, str], Units] = {}
        self._unit_views: dict[tuple[str, str, str], UnitView] = {}
        self._gain_views: dict[str, GainView] = {}
        self._models: dict[str, Model] = {}
        self._ideal_views: dict[tuple[str, str], IdealView] = {}

    @cached_property
    def result_pairs(self) -> int:
        """Pairs of results of one list and document: what measures over such pairs must hold in memory."""
        r = self.study.results
        if len(r) == 0:
            return 0
        list_number = np.repeat(np.arange(self.study.n_lists), np.diff(r.lists))
        key = np.sort(list_number * max(len(self.study.doc_ids), 1) + r.doc)
        bounds = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1], [True])))
        count = np.diff(bounds)
        return int((count * (count - 1) // 2).sum())

    @property
    def list_topic(self) -> Array:
        """The topic of each list."""
        return np.tile(np.arange(len(self.study.topic_ids)), len(self.study.run_names))

    # ------------------------------------------------------------ relevant documents

    @cached_property
    def relevant_documents(self) -> Pairs:
        """Documents judged relevant; for topics without judged documents, those that hold anything relevant."""
        s = self.study
        topics, docs = [], []
        judged = np.zeros(len(s.topic_ids), bool)
        if s.judgements is not None:
            judged[s.judgements.topic] = True
            keep = s.judgements.relevance > 0
            topics.append(s.judgements.topic[keep])
            docs.append(s.judgements.doc[keep])
        if s.highlights is not None:
            keep = ~judged[s.highlights.topic]
            topics.append(s.highlights.topic[keep])
            docs.append(s.highlights.doc[keep])
        for part in (s.grades, s.units):
            if part is not None:
                keep = np.all([v > 0 for v in part.values.values()], axis=0) & ~judged[part.topic]
                topics.append(part.topic[keep])
                docs.append(part.doc[keep])
        topic = np.concatenate(topics) if topics else np.empty(0, np.int64)
        doc = np.concatenate(docs) if docs else np.empty(0, np.int64)
        return Pairs(topic, doc, len(s.topic_ids), len(s.doc_ids))

    @cached_property
    def highlighted(self) -> HighlightedDocuments:
        return HighlightedDocuments(self.study)

    @cached_property
    def highlighted_rows(self) -> tuple[Array, Array]:
        """Results in documents with highlighted text for their topic, and the number of the pair of each."""
        return self.highlighted.find(self.study.results.topic, self.study.results.doc)

    @cached_property
    def first_of_document(self) -> Array:
        """Per result: is it the first of its document in its list?"""
        r = self.study.results
        return first_in_list(r.doc, r.lists, len(self.study.doc_ids))

    @cached_property
    def document_rank(self) -> Array:
        """Per result: how many different documents the list holds up to here."""
        return _rank_of(self.first_of_document, self.study.results.lists)

    # ------------------------------------------------------------ views

    @cached_property
    def documents(self) -> DocumentView:
        r, pairs = self.study.results, self.relevant_documents
        rows, _ = pairs.find(r.topic, r.doc)
        rows = rows[self.first_of_document[rows]]
        return DocumentView(Hits(self._list_of(rows), self.document_rank[rows], self.study.n_lists),
                            pairs.per_topic[self.list_topic])

    @cached_property
    def text(self) -> TextView:
        return TextView.build(self)

    def entries(self, group: str = "consecutive", by_text: bool = True) -> EntryView:
        """Lists of documents; `by_text`: relevant are those with highlighted text, and topics without any undefined,
        otherwise topics without highlights go by their judged documents."""
        key = (group, by_text)
        if key not in self._entries:
            self._entries[key] = EntryView.build(self, group, by_text)
        return self._entries[key]

    @cached_property
    def found_documents(self) -> Pairs:
        """Documents with highlighted text; for topics without highlights, the relevant documents."""
        s, every = self.study, self.relevant_documents
        marked = np.zeros(len(s.topic_ids), bool)
        marked[self.highlighted.topic] = True
        keep = ~marked[every.topic]
        return Pairs(np.concatenate((self.highlighted.topic, every.topic[keep])),
                     np.concatenate((self.highlighted.doc, every.doc[keep])), len(s.topic_ids), len(s.doc_ids))

    # ------------------------------------------------------------ nodes: see esr_core.nodes and esr_core.units

    @cached_property
    def nodes(self) -> Nodes:
        from esr_core.nodes import Nodes

        return Nodes(self.study)

    @cached_property
    def result_sets(self) -> NodeSets:
        from esr_core.units import result_sets

        return result_sets(self.study, self.nodes, self._set_names)

    @cached_property
    def fresh_results(self) -> Array:
        """Per result: is it the first of its list with its set of nodes?"""
        from esr_core.units import first_of_set

        lists = self.study.results.lists
        return first_of_set(self.result_sets.name, np.repeat(np.arange(self.study.n_lists), np.diff(lists)))

    def model(self, nav: Any) -> Model:
        """A navigation model from its spec; the last few are kept."""
        key = str(nav)
        if key not in self._models:
            if len(self._models) >= 16:
                del self._models[next(iter(self._models))]
            self._models[key] = nav.declaration.function(self.study, self.nodes, **nav.parameters)
        return self._models[key]

    def units(self, how: str, quant: str) -> Units:
        """Assessed units, derived as asked where the study does not give them."""
        from esr_core.units import make_units

        key = (how, quant)
        if key not in self._units:
            self._units[key] = make_units(self.study, self.nodes, self._set_names, how, quant)
        return self._units[key]

    def unit_view(self, how: str, quant: str, match: str) -> UnitView:
        from esr_core.units import UnitView

        key = (how, quant, match)
        if key not in self._unit_views:
            self._unit_views[key] = UnitView(self, how, quant, match)
        return self._unit_views[key]

    def ideal_view(self, how: str, quant: str) -> IdealView:
        from esr_core.scenarios import IdealView

        if (how, quant) not in self._ideal_views:
            self._ideal_views[how, quant] = IdealView(self, how, quant)
        return self._ideal_views[how, quant]

    @cached_property
    def visits(self) -> Visits:
        from esr_core.gains import Visits

        return Visits(self)

    def gain_view(self, quant: str) -> GainView:
        from esr_core.gains import GainView

        if quant not in self._gain_views:
            self._gain_views[quant] = GainView(self, quant)
        return self._gain_views[quant]

    def _list_of(self, rows: Array) -> Array:
        r = self.study.results
        return r.run[rows].astype(np.int64) * len(self.study.topic_ids) + r.topic[rows]


def _rank_of(fresh: Array, lists: Array) -> Array:
    """Number the fresh rows of every list from 1; other rows have the number of the fresh one before them."""
    total = np.concatenate(([0], np.cumsum(fresh)))
    return total[1:] - np.repeat(total[lists[:-1]], np.diff(lists))


class HighlightedDocuments(Pairs):
    """Relevant pairs by highlighted text, with the spans of each."""

    def __init__(self, study: Study):
        h = study.highlights
        none = np.empty(0, np.int64)
        topic, doc, start, end = (h.topic, h.doc, h.start, h.end) if h is not None else (none, none, none, none)
        super().__init__(topic, doc, len(study.topic_ids), len(study.doc_ids))
        pair = np.searchsorted(self.key, topic.astype(np.int64) * max(len(study.doc_ids), 1) + doc)
        order = np.lexsort((start, pair))
        self.span_pair, self.span_start, self.span_end = pair[order], start[order], end[order]
        self.spans = np.searchsorted(self.span_pair, np.arange(len(self) + 1)).astype(np.int64)
        self.size = np.bincount(self.span_pair, self.span_end - self.span_start, len(self)).astype(np.int64)
        self.first = self.span_start[self.spans[:-1]] if len(self) else none
        last = self.span_end[self.spans[1:] - 1] if len(self) else none
        stated = study.doc_length[self.doc] if len(self) else none
        self.length_known = stated >= 0
        self.length = np.maximum(stated, last)
        self.text_per_topic = np.bincount(self.topic, self.size, len(study.topic_ids)).astype(np.int64)
        self.position = np.full(len(self), -1, np.int64)  # best entry point
        points = study.entry_points
        if points is not None and len(self):
            wanted = points.topic.astype(np.int64) * len(study.doc_ids) + points.doc
            at = np.minimum(np.searchsorted(self.key, wanted), len(self) - 1)
            match = self.key[at] == wanted
            self.position[at[match]] = points.position[match]

    def coverage(self, furthest: int) -> Coverage:
        stride = max(int(self.span_end.max(initial=0)), furthest) + 2
        return Coverage(self.span_pair, self.span_start, self.span_end, stride)


# ---------------------------------------------------------------- documents

class DocumentView:
    """For P, R, AP: the ranks of relevant documents, and how many there are."""

    def __init__(self, hits: Hits, relevant: Array):
        self.hits, self.relevant = hits, relevant
        self.n_lists = hits.n_lists
        self.defined = relevant > 0


# ---------------------------------------------------------------- text

class TextView:
    """For HiXEval: what each result covers (Eq 15: rel, rov) and how much text precedes it.

    `hits` are the results that hold relevant text. `text_before` counts the text of results up to and
    including each row of all lists, over the whole array; differences within a list are what matters.
    """

    def __init__(self, hits: Hits, rows: Array, rel: Array, rov: Array, text_before: Array, lists: Array,
                 text: Array):
        self.hits, self.rows, self.rel, self.rov = hits, rows, rel, rov
        self.text_before, self.lists, self.text = text_before, lists, text
        self.n_lists = hits.n_lists
        self.defined = text > 0

    @classmethod
    def build(cls, alignment: Alignment) -> TextView:
        study, highlighted = alignment.study, alignment.highlighted
        r = study.results
        n = len(r)
        size = r.places.size if r.places is not None else np.zeros(n, np.int64)
        text_before = np.concatenate(([0], np.cumsum(size)))
        rows, pair = alignment.highlighted_rows
        if r.places is None:
            rows, pair = rows[:0], pair[:0]
            owner = start = end = rel = np.empty(0, np.int64)
        else:
            owner, spans = expand(r.places.spans, rows)
            start, end = r.places.span_start[spans], r.places.span_end[spans]
            covered = highlighted.coverage(int(end.max(initial=0))).between(pair[owner], start, end)
            rel = np.bincount(owner, covered, len(rows)).astype(np.int64)
        keep = np.flatnonzero(rel > 0)
        # Only results with relevant text can cover relevant text before another one.
        still = rel[owner] > 0
        renumber = np.cumsum(rel > 0) - 1
        rows, pair, rel = rows[keep], pair[keep], rel[keep]
        list_number = r.run[rows].astype(np.int64) * len(study.topic_ids) + r.topic[rows]
        new = _newly_covered(list_number, pair, rel, renumber[owner[still]], start[still], end[still], highlighted)
        rank = rows - r.lists[list_number] + 1
        return cls(Hits(list_number, rank, study.n_lists), rows, rel, rel - new, text_before, r.lists,
                   highlighted.text_per_topic[alignment.list_topic])

    def text_at(self, ranks: Array) -> Array:
        """Text of the first k results (the whole list where it is shorter): shape lists × ranks."""
        last = np.minimum(self.lists[:-1, None] + ranks.astype(np.int64), self.lists[1:, None])
        return self.text_before[last] - self.text_before[self.lists[:-1, None]]

    @cached_property
    def text_read(self) -> Array:
        """Per hit: text of its list up to and including it."""
        return self.text_before[self.rows + 1] - self.text_before[self.lists[self.hits.list]]


def _newly_covered(list_number: Array, pair: Array, rel: Array, owner: Array, start: Array, end: Array,
                   highlighted: HighlightedDocuments) -> Array:
    """Relevant characters of each hit that no higher-ranked result of its list covers."""
    key = list_number * max(len(highlighted), 1) + pair
    order = np.argsort(key)
    fresh = np.concatenate(([True], key[order][1:] != key[order][:-1])) if len(key) else np.empty(0, bool)
    group = np.empty(len(key), np.int64)
    group[order] = np.cumsum(fresh) - 1
    members = np.bincount(group)
    new = rel.copy()
    shared = members[group] > 1  # a document met once in a list overlaps nothing
    if not shared.any():
        return new
    of = shared[owner]
    owner, start, end = owner[of], start[of], end[of]
    piece_group, piece_start, piece_end, first = first_cover(group[owner], start, end, owner)
    pair_of_group = np.empty(len(members), np.int64)
    pair_of_group[group] = pair
    coverage = highlighted.coverage(int(end.max(initial=0)))
    relevant = coverage.between(pair_of_group[piece_group], piece_start, piece_end)
    first_seen = np.bincount(first, relevant, len(rel)).astype(np.int64)
    new[shared] = first_seen[shared]
    return new


# ---------------------------------------------------------------- entries: documents with their results

class EntryView:
    """For the focused and effort measures: lists of documents, each with the text retrieved from it.

    An entry is one rank of that list. `hits` are the first entries of relevant documents; `retrieved` and
    `found` count the characters (relevant characters) of the union of an entry's results.
    """

    def __init__(self, hits: Hits, pair: Array, highlighted: HighlightedDocuments, relevant: Array, text: Array,
                 span_entry: Array, span_start: Array, span_end: Array, opening: Array):
        self.hits, self.pair, self.highlighted = hits, pair, highlighted
        self.relevant, self.text = relevant, text
        self.span_entry, self.span_start, self.span_end = span_entry, span_start, span_end
        self.opening = opening
        self.n_lists = hits.n_lists
        self.defined = relevant > 0
        self._orders: dict[str, Reading] = {}

    @classmethod
    def build(cls, alignment: Alignment, group: str, by_text: bool) -> EntryView:
        s, r = alignment.study, alignment.study.results
        pairs: Pairs = alignment.highlighted if by_text else alignment.found_documents
        rows, pair = alignment.highlighted_rows if by_text else pairs.find(r.topic, r.doc)
        list_number = alignment._list_of(rows)
        if group == "merge":
            rank = alignment.document_rank[rows]
            fresh = alignment.first_of_document[rows]
            visit = list_number * max(len(pairs), 1) + pair
        else:
            change = np.ones(len(r), bool)
            change[1:] = r.doc[1:] != r.doc[:-1]
            starts = r.lists[:-1]
            change[starts[starts < len(r)]] = True
            rank = _rank_of(change, r.lists)[rows]
            fresh = None
            visit = list_number * max(len(r), 1) + rank
        # The first visit of a document is its entry; when it comes back it is a new, non-relevant one.
        key = list_number * max(len(pairs), 1) + pair
        _, first_row = np.unique(key, return_index=True)
        first_row.sort()
        belongs = np.isin(visit, visit[first_row]) if group != "merge" else np.ones(len(rows), bool)
        entry_key = visit[first_row]
        order = np.argsort(entry_key, kind="stable")
        entry = order[np.searchsorted(entry_key[order], visit[belongs])] if len(entry_key) else np.empty(0, np.int64)
        own = rows[belongs]
        span_entry = span_start = span_end = np.empty(0, np.int64)
        opening = np.full(len(first_row), -1, np.int64)
        if r.places is not None:
            owner, spans = expand(r.places.spans, own)
            span_entry, span_start, span_end = merge(entry[owner], r.places.span_start[spans],
                                                     r.places.span_end[spans])
            lead, parts = expand(r.places.parts, rows[first_row])
            lead, starts = lead[r.places.start[parts] >= 0], r.places.start[parts[r.places.start[parts] >= 0]]
            first_start = np.lexsort((starts, lead))
            opening[lead[first_start][::-1]] = starts[first_start][::-1]  # written backwards: the lowest stays
        assert fresh is None or fresh[first_row].all()
        hits = Hits(list_number[first_row], rank[first_row], s.n_lists)
        return cls(hits, pair[first_row], alignment.highlighted, pairs.per_topic[alignment.list_topic],
                   alignment.highlighted.text_per_topic[alignment.list_topic], span_entry, span_start, span_end,
                   opening)

    @cached_property
    def retrieved(self) -> Array:
        size = self.span_end - self.span_start
        return np.bincount(self.span_entry, size, len(self.hits)).astype(np.int64)

    @cached_property
    def found(self) -> Array:
        if len(self.span_entry) == 0:
            return np.zeros(len(self.hits), np.int64)
        coverage = self.highlighted.coverage(int(self.span_end.max(initial=0)))
        held = coverage.between(self.pair[self.span_entry], self.span_start, self.span_end)
        return np.bincount(self.span_entry, held, len(self.hits)).astype(np.int64)

    @cached_property
    def relevant_text(self) -> Array:
        """Relevant characters of each entry's document."""
        return self.highlighted.size[self.pair]

    def reading(self, order: str) -> Reading:
        """The order in which the text of each entry's document is read (reading_effort §2.2)."""
        if order not in self._orders:
            self._orders[order] = Reading(self, order)
        return self._orders[order]


class Reading:
    """Pieces of text in reading order: the retrieved ones in document order, then the rest by `order`.

    `read` and `seen` are the characters and relevant characters before each piece.
    """

    def __init__(self, view: EntryView, order: str):
        n = len(view.hits)
        h = view.highlighted
        furthest = int(max(h.length.max(initial=0), view.span_end.max(initial=0)))
        length = h.length[view.pair]
        owner, spans = expand(h.spans, view.pair)
        entry = np.arange(n)
        stride = furthest + 2
        points = distinct(np.concatenate([
            entry * stride, entry * stride + length,
            view.span_entry * stride + view.span_start, view.span_entry * stride + view.span_end,
            owner * stride + h.span_start[spans], owner * stride + h.span_end[spans]]))
        of = points[:-1] // stride
        inside = of == points[1:] // stride
        of, start, end = of[inside], (points[:-1] % stride)[inside], (points[1:] % stride)[inside]
        shown = Coverage(view.span_entry, view.span_start, view.span_end, stride).covers(of, start)
        exists = shown | (start < length[of])  # past the stated end there is only what was retrieved
        of, start, end, shown = of[exists], start[exists], end[exists], shown[exists]
        relevant = h.coverage(furthest).covers(view.pair[of], start)
        later = relevant if order == "worst" else ~relevant if order == "best" else np.zeros(len(relevant), bool)
        when = np.where(shown, 0, 1 + later)
        arrange = np.argsort(of * 3 + when, kind="stable")
        self.entry, self.size, self.relevant = of[arrange], (end - start)[arrange], relevant[arrange]
        self.start = start[arrange]
        self.offsets = np.searchsorted(self.entry, np.arange(n + 1)).astype(np.int64)
        self.n = n


        self.read = cumsum(self.size, self.offsets) - self.size
        gain = np.where(self.relevant, self.size, 0)
        self.seen = cumsum(gain, self.offsets) - gain
        self.length = np.bincount(self.entry, self.size, n).astype(np.int64)

    def sums(self, values: Array) -> Array:
        return np.bincount(self.entry, values, self.n)
