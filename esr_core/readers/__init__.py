"""One module per format; `recognise` decides by content, never by extension.

To add a format: write a module with a reader (Source → Parsed) and name it in `_recognise_text`.
"""

from __future__ import annotations

from collections.abc import Callable

from esr_core.errors import DataError
from esr_core.readers import tables, trec
from esr_core.readers.columns import shorten
from esr_core.readers.rows import Parsed
from esr_core.readers.source import Source

Reader = Callable[[Source], Parsed]
# What files given in a role may hold.
_TABLES = {"runs": {"runs"}, "assessments": {"highlights", "judgements", "grades", "units", "beps"},
           "documents": {"nodes", "lengths"}, "topics": {"topics"}, "navigation": {"navigation"},
           "routes": {"routes"}}
ROLES = tuple(_TABLES)


def read(source: Source, role: str | None = None) -> Parsed:
    """Recognise and read one file. `role` says where it was given; it decides only where contents are alike."""
    parsed = recognise(source, role)(source)
    check_role(parsed, role, source.name)
    return parsed


def check_role(parsed: Parsed, role: str | None, file: str) -> None:
    """Refuse a run among the assessments and the like: what was asked for would be missing later."""
    if role is None or _TABLES[role].intersection(parsed.tables):
        return
    found = next((r for r, own in _TABLES.items() if own.intersection(parsed.tables)), None)
    plural = parsed.format.endswith(("qrels", "assessments"))
    article = "" if plural else "an " if parsed.format[0] in "AEIO" else "a "
    raise DataError(f"looks like {article}{parsed.format}, not like {role}", file,
                    remedy=f"give it as {found}" if found else None)


def recognise(source: Source, role: str | None = None) -> Reader:
    """The reader for this content, or a DataError that says what it looks like instead."""
    data = source.data
    if data[:4] == b"PAR1":
        return lambda s: tables.read_parquet(s, role)
    start = source.text_bytes.lstrip()[:1]
    if not start:
        raise DataError("is empty", source.name, remedy="remove it, or write the file again")
    if start == b"<":
        import esr_core.readers.inex_xml as inex_xml  # lxml is not needed for most runs

        kind = inex_xml.recognise(source.data)
        if kind == "INEX XML run":
            return inex_xml.read_run
        if kind == "INEX XML assessments":
            return inex_xml.read_assessments
        raise DataError("is XML, but neither an INEX run nor INEX assessments", source.name,
                        remedy="give documents as documents/ or --documents")
    if start == b"{":
        return lambda s: tables.read_jsonl(s, role)
    return _recognise_text(source, role)


def _recognise_text(source: Source, role: str | None) -> Reader:
    head = source.unix_bytes.lstrip()[:65536]
    cut = head.find(b"\n")
    first_line = (head if cut < 0 else head[:cut]).decode("utf-8", "replace")
    if tables.is_header(first_line):
        return lambda s: tables.read_delimited(s, role)
    lines = [line.decode("utf-8", "replace").split() for line in head.split(b"\n")[:200] if line.strip()]
    if len(lines) > 1 and cut >= 0 and len(head) == 65536:
        lines.pop()  # cut in the middle
    readers: dict[str, Reader] = {
        "TREC qrels": trec.read_trec_qrels, "INEX FOL qrels": trec.read_fol_qrels, "TREC run": trec.read_trec_run,
        "INEX element run": trec.read_element_run, "INEX FOL run": trec.read_fol_run}
    votes = [_line_format(parts, role) for parts in lines]
    known = [v for v in votes if v is not None]
    if not known:
        raise DataError(f"'{shorten(first_line)}' is no line of any known format", source.name, 1,
                        "expected a TREC or INEX run or qrels, a table with a header, JSON lines or XML")
    best = max(dict.fromkeys(known), key=known.count)
    return readers[best]


def _line_format(parts: list[str], role: str | None) -> str | None:
    """What one line looks like by itself; files are decided by the majority of their first lines."""
    n = len(parts)
    passages = n > 6 and all(":" in p for p in parts[6:])
    if n == 4:
        return "TREC qrels"
    # A best entry point without passages looks like a run whose scores and tag are whole numbers.
    if n == 5 or passages or (n == 6 and role == "assessments" and parts[4].isdigit() and
                              (parts[5].isdigit() or parts[5] in ("X", "-1"))):
        return "INEX FOL qrels"
    if n == 6:
        return "TREC run"
    if n == 7:
        return "INEX element run"
    if n == 8:
        return "INEX FOL run"
    return None
