"""Rebuild assessments.csv, bep.csv and runs/ of this study from documents/, topics.csv and judgements.toml.

    python demo_data/starter/build.py

The output depends on nothing but those files: building twice gives the same bytes.
"""

import csv
import math
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

HERE = Path(__file__).resolve().parent
RESULTS = 20  # per topic and run
SEED = 1759  # of the random run; the year Smeaton's Eddystone light was first lit

# fmt: off
STOP_WORDS = frozenset({
    "a", "an", "and", "as", "at", "by", "for", "from", "how", "in", "into", "is",
    "it", "of", "on", "one", "or", "that", "the", "to", "was", "were", "with",
})
# fmt: on


@dataclass(frozen=True)
class Element:
    doc: str
    path: str
    tag: str
    text: str


class Passage(NamedTuple):
    start: int
    end: int


Ranking = list[tuple[float, Element]]  # best first
Ranker = Callable[[str], Ranking]


def walk(doc: str, node: etree._Element, path: str) -> Iterator[Element]:
    """The element and everything below it, in document order, with positional paths."""
    yield Element(doc, path, node.tag, "".join(node.itertext()))
    seen: Counter[str] = Counter()
    for child in node:
        seen[child.tag] += 1
        yield from walk(doc, child, f"{path}/{child.tag}[{seen[child.tag]}]")


def read_documents(folder: Path) -> dict[str, list[Element]]:
    """The elements of every document; the first is the root, whose text is what offsets count in."""
    # itertext() would count the text of comments and processing instructions as well, so they are dropped.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    documents = {}
    for file in sorted(folder.glob("*.xml")):
        root = etree.parse(file, parser).getroot()
        documents[file.stem] = list(walk(file.stem, root, f"/{root.tag}[1]"))
    return documents


# ---- judgements ------------------------------------------------------------------------------------------------------


def find(quote: str, text: str, where: str) -> Passage:
    """Where the quotation stands. It must be there exactly once, or the offsets would be a guess."""
    words = quote.split()
    if not words:
        raise SystemExit(f"{where}: empty quotation")
    # Only white space is flexible: between elements the text has line ends where the quotation may have a blank line.
    pattern = r"\s+".join(re.escape(word) for word in words)
    found = [Passage(*match.span()) for match in re.finditer(pattern, text)]
    if len(found) != 1:
        shown = " ".join(words)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        raise SystemExit(f'{where}: quotation found {len(found)} times, expected once: "{shown}"')
    return found[0]


def highlighted(judgement: dict[str, Any], text: str, where: str) -> list[Passage]:
    if bool(judgement.get("whole")) == bool(judgement.get("passages")):
        raise SystemExit(f"{where}: give either passages or whole = true")
    if judgement.get("whole"):
        return [Passage(0, len(text))]
    passages = sorted(find(quote, text, where) for quote in judgement["passages"])
    for before, after in pairwise(passages):
        if after.start <= before.end:
            raise SystemExit(f"{where}: two quotations touch or overlap at character {after.start}; make them one")
    return passages


def read_judgements(
    file: Path, topics: Sequence[str], texts: dict[str, str]
) -> tuple[list[tuple[str, str, int, int, int]], list[tuple[str, str, int]]]:
    """The rows of assessments.csv and of bep.csv, in the order of topics, documents and text."""
    assessments, entries = [], []
    judged: set[tuple[str, str]] = set()
    for judgement in tomllib.loads(file.read_text(encoding="utf-8"))["relevant"]:
        topic, doc = judgement["topic"], judgement["doc"]
        where = f"{file.name}, topic {topic}, document {doc}"
        if topic not in topics or doc not in texts:
            raise SystemExit(f"{where}: no such {'document' if topic in topics else 'topic'}")
        if (topic, doc) in judged:
            raise SystemExit(f"{where}: judged twice")
        judged.add((topic, doc))
        text = texts[doc]
        assessments += [(topic, doc, *passage, len(text)) for passage in highlighted(judgement, text, where)]
        entries.append((topic, doc, find(judgement["entry"], text, f"{where}, entry").start))
    order = {topic: place for place, topic in enumerate(topics)}
    assessments.sort(key=lambda row: (order[row[0]], *row[1:]))
    entries.sort(key=lambda row: (order[row[0]], *row[1:]))
    return assessments, entries


# ---- retrieval -------------------------------------------------------------------------------------------------------


def terms(text: str) -> list[str]:
    """Lower-case words without stop words and without the plural s, so that "ships" finds "ship"."""
    words = re.findall(r"\w+", text.lower())
    return [re.sub(r"(?<=[^su])s$", "", word) for word in words if word not in STOP_WORDS]


class BM25:
    """Okapi BM25 with the usual k1 and b; the statistics are those of the elements that can be returned."""

    def __init__(self, elements: Sequence[Element], k1: float = 1.2, b: float = 0.75) -> None:
        self.elements = elements
        self.counts = [Counter(terms(element.text)) for element in elements]
        lengths = [count.total() for count in self.counts]
        mean = sum(lengths) / len(lengths)
        self.damping = [k1 * (1 - b + b * length / mean) for length in lengths]
        self.k1 = k1
        holding = Counter(term for count in self.counts for term in count)
        # The 1 + keeps the weight of a term that most elements hold above zero.
        self.weight = {term: math.log(1 + (len(elements) - n + 0.5) / (n + 0.5)) for term, n in holding.items()}

    def rank(self, query: str) -> Ranking:
        wanted = terms(query)
        scored = []
        for element, count, damping in zip(self.elements, self.counts, self.damping, strict=True):
            score = sum(self.weight[t] * count[t] * (self.k1 + 1) / (count[t] + damping) for t in wanted if t in count)
            # Rounded before sorting: the order must follow from the scores the file shows, ties stay in document order.
            if (score := round(score, 4)) > 0:
                scored.append((score, element))
        return sorted(scored, key=lambda pair: -pair[0])


def random_ranker(elements: Sequence[Element]) -> Ranker:
    # Drawing one number per element needs random() alone, the only call Python keeps stable between versions.
    generator = random.Random(SEED)

    def rank(query: str) -> Ranking:
        return sorted(((round(generator.random(), 4), e) for e in elements), key=lambda pair: -pair[0])

    return rank


def rankers(elements: Sequence[Element]) -> dict[str, Ranker]:
    def bm25(*tags: str) -> Ranker:
        return BM25([e for e in elements if e.tag in tags] if tags else elements).rank

    return {
        "article-bm25": bm25("article"),
        "section-bm25": bm25("sec"),
        "paragraph-bm25": bm25("p", "list"),
        "overlap-bm25": bm25(),  # every element, so a result may hold another one
        "random": random_ranker(elements),
    }


# ---- files -----------------------------------------------------------------------------------------------------------


def write(file: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    file.parent.mkdir(exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(header.split(","))
        table.writerows(rows)


def main() -> None:
    documents = read_documents(HERE / "documents")
    with (HERE / "topics.csv").open(encoding="utf-8", newline="") as lines:
        topics = {row["topic"]: row["title"] for row in csv.DictReader(lines)}
    texts = {doc: elements[0].text for doc, elements in documents.items()}

    assessments, entries = read_judgements(HERE / "judgements.toml", list(topics), texts)
    write(HERE / "assessments.csv", "topic,doc,start,end,doc_length", assessments)
    write(HERE / "bep.csv", "topic,doc,bep", entries)

    everything = [element for elements in documents.values() for element in elements]
    for run, rank in rankers(everything).items():
        rows = [
            (topic, place, element.doc, element.path, f"{score:.4f}")
            for topic, title in topics.items()
            for place, (score, element) in enumerate(rank(title)[:RESULTS], start=1)
        ]
        write(HERE / "runs" / f"{run}.csv", "topic,rank,doc,path,score", rows)
    print(f"{len(documents)} documents, {len(topics)} topics, {len(assessments)} passages, {len(entries)} entry points")


if __name__ == "__main__":
    main()
