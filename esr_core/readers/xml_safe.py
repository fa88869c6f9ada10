"""XML from strangers: decoded, cleared of everything a DTD can do, then streamed through libxml2 under caps.

Extensible Markup Language 1.0 (https://www.w3.org/TR/xml/) lets a file declare entities that grow without bound
(section 4.2) or point outside (4.2.2), and sets no limit on nesting. Here

* the bytes are decoded by their mark or declaration (appendix F) before anything looks at them, so that what
  is checked is what is parsed;
* the DOCTYPE is cut out. A reference to an external DTD is thereby accepted and never fetched (INEX documents have
  one), entity declarations inside the file are refused;
* named entities that only such a DTD declares (`&nbsp;`) become numeric references, by Python's `html.entities`;
* events go to a `Target`, not into a tree: depth and number of nodes are checked as they come, nothing recurses.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cached_property
from html.entities import html5
from typing import Any, NamedTuple, NoReturn

import numpy as np
from lxml import etree

from esr_core.errors import DataError
from esr_core.readers.source import Source

# An unclosed comment, CDATA section or instruction reaches to the end (`\Z`): without that a file of nothing but
# openings would be scanned to its end once for each of them.
_COMMENT = r"<!--.*?(?:-->|\Z)"
_INSTRUCTION = r"<\?.*?(?:\?>|\Z)"
_CDATA = r"<!\[CDATA\[.*?(?:\]\]>|\Z)"
_SPACE_OR_ASIDE = re.compile(rf"[ \t\r\n]+|{_COMMENT}|{_INSTRUCTION}", re.S)
_NOT_MARKUP = re.compile(rf"{_COMMENT}|{_CDATA}|{_INSTRUCTION}", re.S)
_DOCTYPE = re.compile(r"<!DOCTYPE(?=[\s\[>]|\Z)\s*([^\s\[>\"']*)", re.I)
_DOCTYPE_PART = re.compile(rf"\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|{_COMMENT}|{_INSTRUCTION}|<!ENTITY|[\[\]>]", re.S | re.I)
_ROOT = re.compile(r"<([^\W\d][\w.\-]*(?::[\w.\-]+)?)(?=[\s/>]|\Z)")
# The five of XML itself stay: as numeric references `&lt;` and `&amp;` would be the same, but the file is shorter so.
_ENTITY = re.compile(
    rf"{_COMMENT}|{_CDATA}|{_INSTRUCTION}|<!(?i:DOCTYPE|ENTITY)"
    r"|&(?!(?:amp|lt|gt|quot|apos);)([^\W\d][\w.\-]{0,99});", re.S)
_DECLARATION = re.compile(r"<\?xml[ \t\r\n][^>]*?\?>", re.S)
_DECLARED_ENCODING = re.compile(rb"<\?xml[ \t\r\n][^>]*?encoding[ \t\r\n]*=[ \t\r\n]*[\"']([A-Za-z0-9._\-]+)[\"']")
# Character encodings only: Python also knows escapes, compression and puzzles by name.
_PLAIN_CODEC = re.compile(r"utf-(?:8|16|32)(?:-[lb]e)?|utf-8-sig|ascii|iso8859-\d+|iso2022_\w+|cp\d+|mac-\w+|koi8-\w+"
                          r"|gb\w+|hz|big5\w*|shift_jis\w*|euc_\w+|johab|tis-620|ptcp154|kz1048")
_MARKS = (  # the longer first: UTF-32's little-endian mark starts with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"),
)


class Opening(NamedTuple):
    """How a file begins, as far as its first 64 kB tell."""

    declared: bool        # `<?xml … ?>`
    doctype: str | None   # name in the DOCTYPE
    root: str | None      # tag of the first element, None if what follows is not one


def opening(data: bytes) -> Opening:
    """Look at the beginning of a file without parsing it."""
    head = data[:65536]
    mark = next((codec for m, codec in _MARKS if head.startswith(m)), "latin-1")  # latin-1: names are ASCII mostly
    text = head.decode(mark, "ignore")
    at = _skip(text, 0)
    declared = re.match(r"<\?xml[ \t\r\n]", text[_blank_end(text):][:6]) is not None
    doctype = None
    if m := _DOCTYPE.match(text, at):
        doctype = m[1]
        at = _skip(text, _doctype_end(text, m.end(), None)[0])
    root = _ROOT.match(text, at)
    return Opening(declared, doctype, root[1] if root else None)


def _blank_end(text: str) -> int:
    return len(text) - len(text.lstrip(" \t\r\n"))


def _skip(text: str, at: int) -> int:
    """The end of white space, comments and instructions that start at `at`."""
    while m := _SPACE_OR_ASIDE.match(text, at):
        at = m.end()
    return at


def _doctype_end(text: str, at: int, source: Source | None) -> tuple[int, bool]:
    """Where the DOCTYPE ends and whether it is closed. With a source, entity declarations are refused."""
    inside = False
    for m in _DOCTYPE_PART.finditer(text, at):
        part = m[0]
        if part == "[":
            inside = True
        elif part == "]":
            inside = False
        elif part == ">":
            if not inside:
                return m.end(), True
        elif source is not None and part[:8].upper() == "<!ENTITY":
            _refuse_entities(source, text, m.start())
    return len(text), False


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _refuse_entities(source: Source, text: str, at: int) -> NoReturn:
    raise DataError("declares entities, which are refused", source.name, _line(text, at),
                    "replace them in the text and remove the declarations")


def decode(data: bytes, codec: str, name: str) -> str:
    """The text of bytes in a named encoding; the name may come from the file and is not trusted."""
    try:
        canonical = codecs.lookup(codec).name
        if not _PLAIN_CODEC.fullmatch(canonical):
            raise LookupError
        text = data.decode(canonical)
    except LookupError:
        raise DataError(f"unknown encoding '{codec[:40]}'", name, 1, "save the file as UTF-8") from None
    except UnicodeDecodeError as e:
        raise DataError(f"byte 0x{data[e.start]:02X} is not {codec}", name, data.count(b"\n", 0, e.start) + 1,
                        "save the file as UTF-8 or correct the encoding it declares") from None
    if "\0" in text:
        raise DataError("contains a NUL character", name, _line(text, text.index("\0")), "is it a binary file?")
    return text.removeprefix("\ufeff")


def decode_xml(source: Source) -> str:
    """The text of an XML file by its mark, else its declaration, else UTF-8 (XML 1.0, appendix F)."""
    data = source.data
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return decode(data, codec, source.name)
    declared = _DECLARED_ENCODING.match(data.lstrip(b" \t\r\n")[:1000])
    codec = declared[1].decode("ascii") if declared else "utf-8"
    if codec.lower().startswith(("utf-16", "utf-32", "utf16", "utf32")):
        codec = "utf-8"  # the declaration was read as single bytes, so this cannot be; libxml2 shrugs it off too
    return decode(data, codec, source.name)


@dataclass(frozen=True)
class Markup:
    """An XML file ready to parse: no declaration, no DOCTYPE, no named entities; line breaks where they were."""

    source: Source
    text: str

    @cached_property
    def lines(self) -> np.ndarray:
        """The line of every start tag, in document order.

        libxml2 keeps line numbers in 16 bits; files of a campaign have ten times as many lines.
        In well-formed XML a `<` is markup, except in comments, CDATA sections and instructions (section 2.4).
        """
        plain = _NOT_MARKUP.sub(lambda m: "\n" * m[0].count("\n"), self.text)
        raw = np.frombuffer(plain.encode("utf-8") + b" ", np.uint8)
        opens = np.flatnonzero(raw == ord("<"))
        opens = opens[raw[opens + 1] != ord("/")]
        return np.searchsorted(np.flatnonzero(raw == ord("\n")), opens) + 1

    def line(self, element: int) -> int | None:
        """The line of the element with this number, None where the file is too broken to tell."""
        return int(self.lines[element]) if 0 <= element < len(self.lines) else None


def _as_numbers(text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


def prepare(source: Source) -> Markup:
    """Decode, refuse what is dangerous, and cut or replace what libxml2 need not see."""
    text = decode_xml(source)
    at = _blank_end(text)
    if at == len(text):
        raise DataError("is empty", source.name, remedy="expected XML")
    pieces = ["\n" * text.count("\n", 0, at)]  # white space may not precede a declaration, real files have it
    if m := _DECLARATION.match(text, at):
        pieces.append("\n" * m[0].count("\n"))
        at = m.end()
    before = _skip(text, at)
    if m := _DOCTYPE.match(text, before):
        end, closed = _doctype_end(text, m.end(), source)
        if not closed:
            raise DataError("the DOCTYPE is not closed", source.name, _line(text, before), "is the file truncated?")
        pieces += [text[at:before], "\n" * text.count("\n", before, end)]
        at = end
    pieces.append(text[at:])
    text = "".join(pieces)

    def replace(m: re.Match[str]) -> str:
        found, name = m[0], m[1]
        if name is not None:
            if (characters := html5.get(name + ";")) is None:
                raise DataError(f"unknown entity '{found}'", source.name, _line(text, m.start()),
                                "write the character itself or its number")
            return _as_numbers(characters)
        if found[:2] == "<!" and found[2] not in "-[":  # libxml2 is to see no DTD whatever
            if found[2:].upper() == "ENTITY":
                _refuse_entities(source, text, m.start())
            raise DataError("has a DOCTYPE where none can be", source.name, _line(text, m.start()), "remove it")
        return found

    return Markup(source, _ENTITY.sub(replace, text))


class Target:
    """Receives the events of a parse and keeps the caps; subclasses override the lower-case hooks.

    `element` is the number of the element last opened, in document order; `depth` how many are open.
    """

    def __init__(self, source: Source, markup: Markup | None = None):
        self.source, self.markup = source, markup
        self.element, self.depth, self._nodes = -1, 0, 0
        self._deepest, self._most = source.limits.xml_depth, source.limits.xml_nodes

    # What lxml calls (https://lxml.de/parsing.html#the-target-parser-interface).

    def start(self, tag: str, attributes: Any) -> None:
        self.element += 1
        self.depth += 1
        self._nodes += 1
        if self.depth > self._deepest:
            self.refuse(f"nests elements more than {self._deepest:,} levels deep", "flatten it")
        if self._nodes > self._most:
            self._too_many()
        self.opened(tag, attributes)

    def end(self, tag: str) -> None:
        self.closed(tag)
        self.depth -= 1

    def data(self, text: str) -> None:
        raise NotImplementedError

    def comment(self, text: str) -> None:
        self._aside()

    def pi(self, target: str, data: str | None = None) -> None:
        self._aside()

    def close(self) -> None:
        return None

    # For subclasses.

    def opened(self, tag: str, attributes: Any) -> None:
        raise NotImplementedError

    def closed(self, tag: str) -> None:
        raise NotImplementedError

    def interrupted(self) -> None:
        """A comment or instruction stood here: it parts two text nodes, as in XPath."""

    def refuse(self, message: str, remedy: str | None = None, element: int | None = None) -> NoReturn:
        """Refuse the file at an element, the current one unless told."""
        line = self.markup.line(self.element if element is None else element) if self.markup else None
        raise DataError(message, self.source.name, line, remedy)

    def _aside(self) -> None:
        self._nodes += 1
        if self._nodes > self._most:
            self._too_many()
        self.interrupted()

    def _too_many(self) -> NoReturn:
        self.refuse(f"holds more than {self._most:,} elements", "split it")


def parse(markup: Markup, target: Target, remedy: str = "correct it there") -> None:
    """Stream the file through the target. Not well-formed is a DataError with the line."""
    # huge_tree lifts libxml2's cap of 256 levels, the target's is in force; the rest is off by what prepare() cut
    # and is set here so that a mistake there opens nothing.
    parser = etree.XMLParser(target=target, encoding="utf-8", huge_tree=True, resolve_entities=False, no_network=True,
                             load_dtd=False, dtd_validation=False, attribute_defaults=False)
    try:
        etree.fromstring(markup.text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as e:
        said = re.sub(r",? line \d+, column \d+.*$", "", " ".join((e.msg or "no reason given").split()))
        raise DataError(f"is not well-formed XML ({said[:200]})", markup.source.name, e.lineno or None,
                        remedy) from None


def parse_html(text: str, target: Target) -> None:
    """Stream HTML, however untidy, through the target."""
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True, no_network=True, recover=True)
    try:
        etree.fromstring(text.encode("utf-8"), parser)
    except etree.ParseError as e:
        said = " ".join((e.msg or "no reason given").split())
        raise DataError(f"cannot be read as HTML ({said[:200]})", target.source.name, e.lineno or None) from None


def local_name(tag: str) -> str:
    """`p` for `{http://www.w3.org/1999/xhtml}p`."""
    return tag.rpartition("}")[2]
