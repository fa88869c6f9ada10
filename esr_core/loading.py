"""Find the parts of a study, read each, and assemble them: folders, zips, single files, frames and dicts."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from esr_core.errors import DataError, MeasureError, UsageError, did_you_mean
from esr_core.problems import Problems
from esr_core.readers import check_role, read
from esr_core.readers.columns import shorten
from esr_core.readers.rows import Parsed, Rows
from esr_core.readers.source import MEGABYTE, OWN_FILES, Limits, Source
from esr_core.readers.tables import one_line
from esr_core.study import Study

UNITS = ("characters", "utf-8 bytes")
OUTER_SPACE = ("keep", "strip")
# No file is read beyond this many bytes, so no place in a text lies further out; sums of places stay exact.
FURTHEST = 1 << 32
# Files of a study folder by the beginning of their name; the content says what is in them.
ROLE_OF_STEM = {"topics": "topics", "documents": "documents", "assessments": "assessments", "qrels": "assessments",
                "highlights": "assessments", "grades": "assessments", "units": "assessments", "bep": "assessments",
                "runs": "runs", "navigation": "navigation", "routes": "routes"}
Part = Any  # a path, a Source, a frame, a dict of columns, or a list or dict of those


def load(study: str | Path | Source | None = None, *, runs: Part = None, assessments: Part = None,
         documents: Part = None, topics: Part = None, navigation: Part = None, routes: Part = None, bep: Part = None,
         name: str | None = None, unit: str | None = None, outer_space: str | None = None,
         limits: Limits = OWN_FILES) -> Study:
    """Load a study folder or .zip, or its parts; parts given by name are added to those of the folder.

    A part is a path, a pandas frame, a dict of columns, or a list of these; runs may also be a dict from run
    names to parts. `unit` ("characters" or "utf-8 bytes") and `outer_space` ("keep" or "strip") say how offsets
    count; a folder's study.toml usually does.
    """
    where = None if study is None else study.name if isinstance(study, Source) else str(study)
    sources: dict[str, list[Source]] = {role: [] for role in
                                        ("topics", "assessments", "runs", "navigation", "routes", "documents")}
    about: dict[str, Any] = {}
    ignored: list[str] = []
    if study is not None:
        files, title = _files(study, limits)
        about, ignored = _sort_files(files, sources, where)
        about.setdefault("name", title)
    parsed: list[tuple[str, Parsed]] = []
    for role, part in (("topics", topics), ("assessments", assessments), ("assessments", bep), ("runs", runs),
                       ("navigation", navigation), ("routes", routes)):
        for item in _items(part, role, limits):
            if isinstance(item, Source):
                sources[role].append(item)
            else:
                parsed.append(item)
    sources["documents"] += _document_sources(documents, parsed, limits)
    if name is not None:
        about["name"] = name
    about.setdefault("name", "study")
    unit = _choice("unit", unit or about.pop("unit", None) or "characters", UNITS)
    space = _choice("outer_space", outer_space or about.pop("outer_space", None) or "keep", OUTER_SPACE)
    about.pop("unit", None)
    about.pop("outer_space", None)
    return _assemble(sources, parsed, about, ignored, unit, space, where)


def _assemble(sources: dict[str, list[Source]], parsed: list[tuple[str, Parsed]], about: dict[str, Any],
              ignored: list[str], unit: str, space: str, where: str | None) -> Study:
    from esr_core.assembly import assemble

    for role in ("topics", "assessments", "navigation", "routes"):
        parsed += [(s.name, read(s, role)) for s in sources[role]]
    with ThreadPoolExecutor(4) as pool:  # Arrow parses outside Python's lock
        parsed += [(s.name, p) for s, p in
                   zip(sources["runs"], pool.map(lambda s: read(s, "runs"), sources["runs"]), strict=True)]
    texts = [s for s in sources["documents"] if not _is_table(s)]
    parsed += [(s.name, read(s, "documents")) for s in sources["documents"] if _is_table(s)]
    problems = Problems()
    tables: dict[str, list[Rows]] = {}
    formats: dict[str, str] = {}
    for file, part in parsed:
        formats[file] = part.format
        problems.extend(part.problems)
        for table, rows in part.tables.items():
            tables.setdefault(table, []).extend(rows)
    _need(tables, where)
    _check_numbers(tables)
    documents = _parse_documents(texts, unit, space) if texts else []
    return assemble(tables, documents, problems, unit=unit, formats=formats,
                    name=about.pop("name"), description=about.pop("description", ""),
                    defaults={**about, "ignored files": ignored})


def _need(tables: Mapping[str, list[Rows]], where: str | None) -> None:
    judged = [t for t in ("highlights", "judgements", "grades", "units") if tables.get(t)]
    if not judged:
        raise DataError("no assessments", where, remedy="a study needs assessments and runs")
    if all(len(rows) == 0 for t in judged for rows in tables[t]):
        first = tables[judged[0]][0]
        raise DataError("holds no assessments", first.file, remedy="a study needs at least one judgement")
    runs = tables.get("runs")
    if not runs:
        raise DataError("no runs", where, remedy="a study needs assessments and runs")
    if all(len(rows) == 0 and "run" in rows.columns for rows in runs):  # a file without that column names a run
        raise DataError("holds no runs", runs[0].file, remedy="a study needs at least one result")


def _check_numbers(tables: Mapping[str, list[Rows]]) -> None:
    """Refuse places beyond the end of any file, and infinite values: nothing can be added to them."""
    for rows in (rows for many in tables.values() for rows in many):
        for name in ("start", "end", "length", "bep", "relevance"):
            values = rows.get(name)
            if values is None:
                continue
            wrong = np.isinf(values) if name == "relevance" else values > FURTHEST
            if wrong.any():
                row = int(np.argmax(wrong))
                raise DataError(f"{name} {values[row]} is too large", rows.file, rows.line(row))


def _parse_documents(sources: list[Source], unit: str, space: str) -> list[Any]:
    from esr_core.readers.documents import parse_document

    seen: dict[str, str] = {}
    for s in sources:
        if s.stem in seen:
            raise DataError(f"a second document is called '{s.stem}'", s.name, None, f"the first is {seen[s.stem]}")
        seen[s.stem] = s.name
    return [parse_document(s, unit=unit, outer_space=space) for s in sources]


def _is_table(source: Source) -> bool:
    """A table of elements, rather than a document?"""
    from esr_core.readers import tables

    if source.data[:4] == b"PAR1":
        return True
    codec = "utf-16" if source.data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    head = source.data[:4096].decode(codec, "replace").lstrip()
    if head[:1] == "{":
        return True
    line = re.split(r"[\r\n]", head, maxsplit=1)[0]
    delimiter = tables.is_header(line)
    if delimiter is None:
        return False
    kind = tables.classify(tables.header_names(line, delimiter), "documents")
    return kind is not None and kind.role == "documents"


# ---------------------------------------------------------------- folders and zips

def _files(study: str | Path | Source, limits: Limits) -> tuple[list[tuple[str, Source]], str]:
    """Relative names with their sources, and what to call the study."""
    if isinstance(study, Source):
        return _zip_members(study, limits), study.stem
    path = Path(study)
    if _is_dir(path):
        found = sorted(p for p in path.rglob("*") if p.is_file() and not any(
            part.startswith((".", "__")) for part in p.relative_to(path).parts))
        return [(p.relative_to(path).as_posix(), Source(str(p), p, limits=limits)) for p in found], path.resolve().name
    if not path.exists():
        raise DataError("there is no such study", str(path), remedy="give a folder or a .zip")
    return _zip_members(Source(str(path), path, limits=limits), limits), path.stem


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as e:  # too long a name, or in a folder that is not ours to look into
        raise DataError(f"cannot be read ({e.strerror or e})", str(path)) from None


def _zip_members(source: Source, limits: Limits) -> list[tuple[str, Source]]:
    """Members are read into memory, never unpacked to disk; sizes are checked before anything is read."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data))
        members = [m for m in archive.infolist() if not m.is_dir()]
    except Exception as e:  # whatever the parser stumbles over
        raise DataError(f"is neither a folder nor a sound .zip ({one_line(e)})", source.name) from None
    members = [m for m in members if not any(p.startswith((".", "__")) for p in m.filename.split("/"))]
    if len(members) > limits.zip_members:
        raise DataError(f"holds more than {limits.zip_members:,} files", source.name)
    total = sum(m.file_size for m in members)
    if total > limits.unpacked_bytes or total > max(MEGABYTE, len(source.data) * limits.unpack_ratio):
        raise DataError(f"unpacks to {total // MEGABYTE:,} MB, more than is allowed", source.name)
    roots = {m.filename.split("/")[0] for m in members}
    inside = len(roots) == 1 and all("/" in m.filename for m in members)  # one folder around everything
    out = []
    for m in members:
        try:
            with archive.open(m) as f:
                content = f.read(m.file_size + 1)
        except Exception as e:  # each way of packing has errors of its own
            raise DataError(f"cannot be unpacked ({one_line(e)})", f"{source.name}/{m.filename}") from None
        if len(content) > m.file_size:
            raise DataError("is larger than the archive says", f"{source.name}/{m.filename}")
        relative = m.filename.split("/", 1)[1] if inside else m.filename
        out.append((relative, Source(f"{source.name}/{relative}", content=content, limits=limits)))
    return out


def _sort_files(files: list[tuple[str, Source]], sources: dict[str, list[Source]], where: str | None
                ) -> tuple[dict[str, Any], list[str]]:
    """Put every file where it belongs by its place in the folder; the rest is named, not guessed at."""
    about: dict[str, Any] = {}
    ignored = []
    for relative, source in files:
        top, _, rest = relative.partition("/")
        if relative == "study.toml":
            about = _read_toml(source)
        elif rest and top in ("runs", "documents", "assessments"):
            sources[top].append(source)
        elif not rest and (role := _role(top)):
            sources[role].append(source)
        else:
            ignored.append(relative)
    if not any(sources.values()):
        raise DataError("holds no part of a study", where,
                        remedy="expected runs/ and assessments.*, see docs/formats.md")
    return about, ignored


def _role(file: str) -> str | None:
    if file.rsplit(".", 1)[-1].lower() in ("py", "md", "toml", "html", "pdf", "ipynb"):
        return None
    stem = file.split(".")[0].lower()
    return next((role for start, role in ROLE_OF_STEM.items() if stem.startswith(start)), None)


_SETTINGS = {"name": str, "description": str, "unit": str, "outer_space": str, "questions": list, "defaults": dict,
             "classes": dict}
_TOML_NAMES: dict[type, str] = {str: "a text", list: "a list", dict: "a table", int: "a number", float: "a number",
                                bool: "true or false"}


def _read_toml(source: Source) -> dict[str, Any]:
    import tomllib

    from esr_core.measures import parse

    try:
        about = tomllib.loads(source.text())
    except tomllib.TOMLDecodeError as e:
        raise DataError(f"is not sound TOML ({e})", source.name) from None
    except RecursionError:
        raise DataError("is not sound TOML (nested too deep)", source.name) from None
    for key, value in about.items():
        if key not in _SETTINGS:
            raise DataError(f"'{shorten(key)}' is no setting of a study{did_you_mean(key, _SETTINGS)}", source.name)
        if not isinstance(value, _SETTINGS[key]):
            raise DataError(f"{key} is {_TOML_NAMES.get(type(value), 'no text')}", source.name,
                            remedy=f"expected {_TOML_NAMES[_SETTINGS[key]]}")
    for key, allowed in (("unit", UNITS), ("outer_space", OUTER_SPACE)):
        if about.get(key, allowed[0]) not in allowed:
            raise DataError(f"{key} '{shorten(about[key])}' is unknown{did_you_mean(about[key], allowed)}", source.name)
    measures = about.get("defaults", {}).get("measures", [])
    for texts, what in ((about.get("questions", []), "questions"), (measures, "measures")):
        if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
            raise DataError(f"{what} are no list of texts", source.name, remedy=f'expected {what} = ["…", "…"]')
    try:
        for measure in measures:
            parse(measure)
    except MeasureError as e:
        raise DataError(str(e), source.name) from None
    return about


def _choice(what: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise UsageError(f"{what} '{value}' is unknown{did_you_mean(value, allowed)}")
    return value


# ---------------------------------------------------------------- parts given one by one

def _items(part: Part, role: str, limits: Limits) -> Iterable[Source | tuple[str, Parsed]]:
    """Sources to read, or frames that are read already."""
    if part is None:
        return
    if isinstance(part, str | Path):
        yield from (Source(str(p), p, limits=limits) for p in _paths(Path(part)))
    elif isinstance(part, Source):
        yield part
    elif isinstance(part, Mapping) and role == "runs" and not _is_columns(part):
        for name, own in part.items():
            yield from _named_run(str(name), own, limits)
    elif isinstance(part, list | tuple) and not (part and _is_record(part[0])):
        for own in part:
            yield from _items(own, role, limits)
    else:
        yield _frame(part, role, f"{role} frame")


def _paths(path: Path) -> list[Path]:
    if _is_dir(path):
        return sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
    return [path]


def _is_record(part: Any) -> bool:
    """One row as a dict of values, rather than a table as a dict of columns?"""
    return isinstance(part, Mapping) and not any(isinstance(v, Iterable) and not isinstance(v, str)
                                                 for v in part.values())


def _is_columns(part: Mapping[Any, Any]) -> bool:
    """A dict of columns (topic, doc …) rather than of runs?"""
    return {"topic", "doc"} <= {str(k).lower() for k in part}


def _named_run(name: str, part: Part, limits: Limits) -> Iterable[tuple[str, Parsed]]:
    for item in _items(part, "runs", limits):
        file, parsed = (item.name, read(item, "runs")) if isinstance(item, Source) else item
        for rows in parsed.tables.get("runs", []):
            rows.columns.pop("run", None)
            rows.run = name
            rows.file = name if file == "runs frame" else rows.file
        yield (name if file == "runs frame" else file), parsed


def _frame(part: Part, role: str, name: str) -> tuple[str, Parsed]:
    import pyarrow as pa

    from esr_core.readers.tables import read_arrow

    try:
        if isinstance(part, Mapping):
            table = pa.table({str(k): list(v) for k, v in part.items()})
        elif isinstance(part, list | tuple):
            table = pa.Table.from_pylist(list(part))
        else:
            table = pa.Table.from_pandas(part, preserve_index=False)
    except (pa.ArrowException, TypeError, AttributeError, ValueError, OverflowError) as e:
        raise DataError(f"cannot be read as a table ({one_line(e)})", name,
                        remedy="expected a path, a pandas frame or a dict of columns") from None
    parsed = read_arrow(table, name, role, "frame")
    check_role(parsed, role, name)
    return name, parsed


def _document_sources(part: Part, parsed: list[tuple[str, Parsed]], limits: Limits) -> list[Source]:
    if part is None:
        return []
    if isinstance(part, str | Path) and _is_dir(Path(part)):
        found = sorted(p for p in Path(part).rglob("*") if p.is_file() and not p.name.startswith("."))
        return [Source(str(p), p, limits=limits) for p in found]
    out = []
    for item in _items(part, "documents", limits):
        if isinstance(item, Source):
            out.append(item)
        else:
            parsed.append(item)
    return out
