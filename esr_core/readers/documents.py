"""Documents as text with a tree over it: every element is a half-open span of the text.

The text of an XML document is its character data (XML 1.0, section 2.4, https://www.w3.org/TR/xml/), an element's path
the positional XPath `/article[1]/sec[2]` and text nodes are counted as in XPath 1.0 (section 5.7,
https://www.w3.org/TR/1999/REC-xpath-19991116/): as much text as possible, parted by elements, comments and
instructions. Headings of Markdown follow CommonMark (https://spec.commonmark.org/, sections 4.2 and 4.3).

INEX 2009 counts UTF-8 bytes of this text without the white space around it: unit "utf-8 bytes", outer_space "strip".
Its assessments count named entities such as `&nbsp;`; its file-offset-length runs leave them out, as a tool does that
has not read the DTD, which shifts what follows by two or three bytes for each (tests/readers/test_documents.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from esr_core.errors import DataError, UsageError
from esr_core.readers import xml_safe
from esr_core.readers.source import Source

UNITS = ("characters", "utf-8 bytes")
OUTER_SPACE = ("keep", "strip")

# All paths of a document together: names of any length, nested, in front of many leaves, would fill the memory
# from a small file. The largest document of the INEX slice needs 1.4 million.
PATH_CHARACTERS = 1 << 28

_POINTER = re.compile(r"(.*?)(/text\(\)(?:\[([0-9]{1,9})\])?)?(?:(?<=[\])])\.([0-9]{1,18}))?", re.S)
_STEP = re.compile(r"(?:[^:/\[\]]+:)?([^:/\[\]]+)(?:\[0*([0-9]{1,9})\])?")


@dataclass(frozen=True, eq=False)
class ParsedDocument:
    """One document. Offsets are in `unit` of `text`; characters are code points."""

    name: str
    text: str
    paths: list[str]           # of every element, in document order, the root first
    parent: np.ndarray         # int32, -1 for the root
    start: np.ndarray          # int64
    end: np.ndarray            # int64
    text_element: np.ndarray   # int32, the element that holds each text node, in document order
    text_start: np.ndarray     # int64
    unit: str = "characters"
    # Characters, not clipped to the text, and one more for the end of the last node: a pointer counts from where its
    # text node began, even if white space there was stripped.
    text_bounds: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)

    @property
    def length(self) -> int:
        """Of the text, in `unit`."""
        return len(self.text) if self.unit == "characters" else int(self._byte_at[-1])

    @cached_property
    def index(self) -> dict[str, int]:
        """Element by path."""
        return {path: i for i, path in enumerate(self.paths)}

    @cached_property
    def _byte_at(self) -> np.ndarray:
        return byte_offsets(self.text)

    @cached_property
    def _texts_of(self) -> tuple[np.ndarray, np.ndarray]:
        """Text nodes sorted by element, and where each element's begin."""
        order = np.argsort(self.text_element, kind="stable")
        return order, np.searchsorted(self.text_element[order], np.arange(len(self.paths) + 1))

    def resolve(self, pointer: str, at_end: bool = False) -> int | None:
        """The offset a pointer such as `/article[1]/p[1]/text()[2].10` means, None if there is no such place.

        The number after the dot counts characters, whatever the unit; without it the node's start is meant.
        INEX lets a passage end with an element's path and means the end of that element: `at_end`.
        """
        m = _POINTER.fullmatch(pointer.strip())
        assert m is not None  # the first group takes anything
        element = self.index.get(m[1])
        if element is None:
            element = self.index.get(_positional(m[1]))
        if element is None:
            return None
        if m[2] is None and m[4] is None:
            return int((self.end if at_end else self.start)[element])
        if m[2] is None:
            first, last = self._bounds_of(element)
        else:
            order, begins = self._texts_of
            k = int(m[3] or 1)
            if not 1 <= k <= begins[element + 1] - begins[element]:
                return None
            node = order[begins[element] + k - 1]
            first, last = int(self.text_bounds[node]), int(self.text_bounds[node + 1])
        at = last if m[4] is None and at_end else first + int(m[4] or 0)
        if at > last:
            return None
        at = min(max(at, 0), len(self.text))
        return at if self.unit == "characters" else int(self._byte_at[at])

    def _bounds_of(self, element: int) -> tuple[int, int]:
        """An element's span in characters."""
        first, last = int(self.start[element]), int(self.end[element])
        if self.unit == "characters":
            return first, last
        return int(np.searchsorted(self._byte_at, first)), int(np.searchsorted(self._byte_at, last))


def _positional(path: str) -> str:
    """`/article[1]/x:p` as the paths here are written: `/article[1]/p[1]`."""
    steps = [_STEP.fullmatch(step) for step in path.removesuffix("/").split("/")[1:]]
    return "".join(f"/{m[1]}[{m[2] or 1}]" if m else "/?" for m in steps)


def byte_offsets(text: str) -> np.ndarray:
    """The UTF-8 byte at which each character starts, and the length at the end."""
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(raw))


class _Tree(NamedTuple):
    """What a format's parser hands to the common end: offsets in characters of the whole text."""

    text: str
    paths: list[str]
    parent: list[int]
    start: list[int]
    end: list[int]
    text_element: list[int]
    text_start: list[int]


def parse_document(source: Source, unit: str = "characters", outer_space: str = "keep") -> ParsedDocument:
    """Read an XML, HTML, Markdown or plain text document; which of them, its content says.

    `outer_space` "strip": white space (Unicode's) around the whole text does not count, offsets shift accordingly.
    """
    if unit not in UNITS:
        raise UsageError(f"unit '{unit}' is unknown; expected one of: {', '.join(UNITS)}")
    if outer_space not in OUTER_SPACE:
        raise UsageError(f"outer_space '{outer_space}' is unknown; expected one of: {', '.join(OUTER_SPACE)}")
    return _finish(source.stem, _read(source), unit, outer_space)


def _finish(name: str, tree: _Tree, unit: str, outer_space: str) -> ParsedDocument:
    text, shift = tree.text, 0
    if outer_space == "strip":
        kept = text.lstrip()
        shift = len(text) - len(kept)
        kept = kept.rstrip()
    else:
        kept = text
    bounds = np.array([*tree.text_start, len(text)], np.int64) - shift
    offsets = [np.clip(np.array(o, np.int64) - shift, 0, len(kept)) for o in (tree.start, tree.end, tree.text_start)]
    if unit != "characters" and not kept.isascii():
        at = byte_offsets(kept)
        offsets = [at[o] for o in offsets]
    return ParsedDocument(name, kept, tree.paths, np.array(tree.parent, np.int32), offsets[0], offsets[1],
                          np.array(tree.text_element, np.int32), offsets[2], unit, bounds)


# ---- which format ----------------------------------------------------------------------------------------------

# Markdown may open with HTML of its own (READMEs do), which is no root element then.
_HTML_IN_MARKDOWN = frozenset((
    "a", "b", "br", "center", "details", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ol", "p",
    "picture", "pre", "span", "strong", "sub", "sup", "table", "ul"))
_META_CHARSET = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9._\-]+)", re.I)


def _read(source: Source) -> _Tree:
    data = source.data
    if not data.strip():
        raise DataError("is empty", source.name, remedy="remove it or restore its text")
    head = xml_safe.opening(data)
    if (head.doctype or "").lower() == "html" or (head.root or "").lower() == "html":
        return _read_html(source)
    if head.declared or head.doctype is not None:
        return _read_xml(source)
    if head.root is not None and head.root.lower() not in _HTML_IN_MARKDOWN:
        return _read_xml(source)
    if head.root is not None and not _HEADING_HINT.search(data):
        return _read_xml(source)
    text = source.text()
    if "\0" in text:  # source.text() looks at the beginning only
        raise DataError("contains a NUL character", source.name, text.count("\n", 0, text.index("\0")) + 1,
                        "is it a binary file?")
    blocks = list(_blocks(text, markdown=True)) if _HEADING_HINT.search(source.text_bytes) else []
    if not any(block.level for block in blocks):
        blocks = list(_blocks(text, markdown=False))
    return _sections(source, text, blocks)


# ---- XML and HTML ----------------------------------------------------------------------------------------------

class _Spans(xml_safe.Target):
    """Offsets of elements and text nodes as the parser meets them."""

    def __init__(self, source: Source, markup: xml_safe.Markup | None = None, silent: Iterable[str] = ()):
        super().__init__(source, markup)
        self.paths: list[str] = []
        self.parent: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.text_element: list[int] = []
        self.text_start: list[int] = []
        self._chunks: list[str] = []
        self._at = 0
        self._within: list[int] = []               # open elements
        # Children so far by tag, of the document and each open element; most elements have none.
        self._seen: list[dict[str, int] | None] = [None]
        self._text_goes_on = False                 # the parser hands text over in pieces
        self._names: dict[str, str] = {}
        self._path_characters = 0
        self._silent, self._hush = frozenset(silent), 0

    def opened(self, tag: str, attributes: Any) -> None:
        name = self._names.get(tag)
        if name is None:
            name = self._names[tag] = xml_safe.local_name(tag)
        seen = self._seen[-1]
        if seen is None:
            seen = self._seen[-1] = {}
        number = seen[name] = seen.get(name, 0) + 1
        within = self._within
        if within:
            self.parent.append(within[-1])
            path = f"{self.paths[within[-1]]}/{name}[{number}]"
        else:
            self.parent.append(-1)
            path = f"/{name}[{number}]"
        self._path_characters += len(path)
        if self._path_characters > PATH_CHARACTERS:
            self.refuse("nests element names too long to write their paths down", "shorten the names")
        self.paths.append(path)
        self.starts.append(self._at)
        self.ends.append(self._at)
        within.append(self.element)
        self._seen.append(None)
        self._text_goes_on = False
        if name in self._silent:
            self._hush += 1

    def closed(self, tag: str) -> None:
        self.ends[self._within.pop()] = self._at
        self._seen.pop()
        self._text_goes_on = False
        if self._hush and self._names[tag] in self._silent:
            self._hush -= 1

    def data(self, text: str) -> None:
        if self._hush or not self._within or not text:
            return
        if not self._text_goes_on:
            self.text_element.append(self._within[-1])
            self.text_start.append(self._at)
            self._text_goes_on = True
        self._chunks.append(text)
        self._at += len(text)

    def interrupted(self) -> None:
        self._text_goes_on = False

    def tree(self) -> _Tree:
        return _Tree("".join(self._chunks), self.paths, self.parent, self.starts, self.ends, self.text_element,
                     self.text_start)


def _read_xml(source: Source) -> _Tree:
    markup = xml_safe.prepare(source)
    target = _Spans(source, markup)
    xml_safe.parse(markup, target, "correct it there; HTML is recognised by <!doctype html>")
    return target.tree()


def _read_html(source: Source) -> _Tree:
    """Lenient, as libxml2 repairs it: elements it supplies (html, body) are part of the paths."""
    data = source.data
    charset = _META_CHARSET.search(data[:1024])
    if charset and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):  # a byte order mark rules
        text = xml_safe.decode(data, charset[1].decode("ascii"), source.name)
    else:
        text = source.text()
        if "\0" in text:
            raise DataError("contains a NUL character", source.name, text.count("\n", 0, text.index("\0")) + 1,
                            "is it a binary file?")
    target = _Spans(source, silent=("script", "style"))
    xml_safe.parse_html(text, target)
    if not target.paths:
        raise DataError("holds no elements", source.name, remedy="expected HTML")
    return target.tree()


# ---- Markdown and plain text -------------------------------------------------------------------------------------

class _Block(NamedTuple):
    tag: str      # st, p, item, code or header
    level: int    # of a heading, 1 to 6, else 0
    start: int
    end: int


_HEADING_HINT = re.compile(rb"(?:^|[\r\n]) {0,3}(?:#{1,6}[ \t\r\n]|(?:={3,}|-{3,})[ \t]*(?:[\r\n]|\Z))")
# As static site generators write it: keys between two lines of dashes, the first of them the file's first.
_FRONT_MATTER = re.compile(r"---[ \t]*(?:\r\n|\r|\n)(?=\S)(?!---).*?(?<=[\r\n])---(?=[ \t]*(?:[\r\n]|\Z))", re.S)
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\Z)")
# Three at least, where CommonMark is content with one: `--` opens a signature in mail.
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")


def _blocks(text: str, markdown: bool) -> Iterator[_Block]:
    """Paragraphs, parted by blank lines; in Markdown also headings, list items and fenced code."""
    tag, start, end = "", 0, 0      # the block under way
    fence = ""                      # what closes it, within code
    body = 0
    if markdown and (front := _FRONT_MATTER.match(text)):
        body = front.end()
        yield _Block("header", 0, 0, body)
    for m in _LINE.finditer(text, body):
        line = m[1]
        stripped = line.strip()
        at = m.start() + len(line) - len(line.lstrip()) if stripped else m.start()
        if fence:
            end = m.end(1)
            if stripped.startswith(fence) and not stripped.strip(fence[0]):  # as many of its characters, or more
                yield _Block(tag, 0, start, end)
                tag = fence = ""
        elif not stripped:
            if tag:
                yield _Block(tag, 0, start, end)
                tag = ""
        elif markdown and (f := _FENCE.match(line)):
            if tag:
                yield _Block(tag, 0, start, end)
            tag, start, end, fence = "code", at, m.end(1), f[1]
        elif markdown and (h := _ATX.match(line)):
            if tag:
                yield _Block(tag, 0, start, end)
            yield _Block("st", len(h[1]), at, m.start() + len(line.rstrip()))
            tag = ""
        elif markdown and tag == "p" and _UNDERLINE.fullmatch(line):
            yield _Block("st", 1 if stripped[0] == "=" else 2, start, m.start() + len(line.rstrip()))
            tag = ""
        elif markdown and (_RULE.fullmatch(line) or _ITEM.match(line)):
            if tag:
                yield _Block(tag, 0, start, end)
            tag = "" if _RULE.fullmatch(line) else "item"
            start, end = at, m.start() + len(line.rstrip())
        else:
            if not tag:
                tag, start = "p", at
            end = m.start() + len(line.rstrip())
    if tag:
        yield _Block(tag, 0, start, end)


def _sections(source: Source, text: str, blocks: list[_Block]) -> _Tree:
    """Blocks under the sections their headings open, named by depth: article, sec, ss1, ss2 …

    A section reaches to the next heading that is not below it. The text is the file's, marks included.
    """
    if len(blocks) > source.limits.xml_nodes // 2:  # a heading makes two elements
        raise DataError(f"holds more than {source.limits.xml_nodes // 2:,} paragraphs", source.name, remedy="split it")
    paths, parent, start, end = ["/article[1]"], [-1], [0], [len(text)]
    levels = [0]                              # of the open sections, the article's first
    within = [0]
    seen: list[dict[str, int]] = [{}]         # children so far by tag, of each open section

    def add(tag: str, first: int, last: int) -> int:
        number = seen[-1][tag] = seen[-1].get(tag, 0) + 1
        paths.append(f"{paths[within[-1]]}/{tag}[{number}]")
        parent.append(within[-1])
        start.append(first)
        end.append(last)
        return len(paths) - 1

    for block in blocks:
        if block.level:
            while levels[-1] >= block.level:
                end[within.pop()] = block.start
                levels.pop()
                seen.pop()
            section = add("sec" if len(within) == 1 else f"ss{len(within) - 1}", block.start, len(text))
            within.append(section)
            levels.append(block.level)
            seen.append({})
        add(block.tag, block.start, block.end)
    return _Tree(text, paths, parent, start, end, *_text_nodes(parent, start, end))


def _text_nodes(parent: list[int], start: list[int], end: list[int]) -> tuple[list[int], list[int]]:
    """The text nodes that nested spans in document order leave: whatever lies between tags, if there were tags."""
    element: list[int] = []
    begins: list[int] = []
    at = 0

    def text_until(position: int, owner: int) -> None:
        nonlocal at
        if position > at:
            element.append(owner)
            begins.append(at)
        at = position

    within: list[int] = []
    for i, above in enumerate(parent):
        while within and within[-1] != above:
            closing = within.pop()
            text_until(end[closing], closing)
        if within:
            text_until(start[i], above)
        within.append(i)
    while within:
        closing = within.pop()
        text_until(end[closing], closing)
    return element, begins
