"""Write a study as a folder of canonical tables that loads to the same scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.errors import UsageError
from esr_core.study import Study

if TYPE_CHECKING:
    import pandas as pd


def convert(study: Study, folder: Path, tables: str = "csv") -> list[Path]:
    """Write the tables; returns the files. An existing folder that is not empty is refused."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not empty; name a new folder")
        return _write(study, folder, tables)
    except OSError as e:
        raise UsageError(f"{folder} cannot be written ({e.strerror or e})") from None


def _write(study: Study, folder: Path, tables: str) -> list[Path]:
    frames, written = _frames(study), []
    folder.mkdir(parents=True, exist_ok=True)

    def put(frame: pd.DataFrame, name: str) -> None:
        path = folder / f"{name}.{tables}"
        path.parent.mkdir(exist_ok=True)
        if tables == "parquet":
            frame.to_parquet(path, index=False)
        else:
            frame.to_csv(path, index=False, lineterminator="\n")
        written.append(path)

    for name, frame in frames:
        put(frame, name)
    (folder / "study.toml").write_text(_toml(study), encoding="utf-8")
    written.append(folder / "study.toml")
    return written


def _frames(study: Study) -> list[tuple[str, pd.DataFrame]]:
    import pandas as pd

    frames: list[tuple[str, pd.DataFrame]] = []
    if study.titles:
        frames.append(("topics", study.topics.drop(columns="assessed").assign(title=lambda f: f.get("title", ""))))
    parts = study.assessments
    for name, own in (("highlights", "assessments_highlights"), ("judgements", "assessments_documents"),
                      ("grades", "assessments_grades"), ("units", "assessments_units"), ("entry_points", "bep")):
        if name in parts:
            frame = parts[name]
            if name == "highlights" and study.highlights is not None:
                length = study.doc_length[study.highlights.doc]
                if (length >= 0).any():
                    frame = frame.assign(doc_length=pd.array(np.where(length < 0, 0, length), "Int64").astype("Int64"))
                    frame.loc[length < 0, "doc_length"] = pd.NA
                frame = pd.concat([frame, _empty_topics(study, frame)], ignore_index=True)
            frames.append((own, frame))
    if study.trees is not None or (study.doc_length >= 0).any():
        frames.append(("documents", study.documents))
    frames.append(("runs", study.runs))
    for run, name in enumerate(study.run_names):  # a run without results is a file without rows
        if not (study.results.run == run).any():
            frames.append((f"runs/{_file_name(name)}", study.runs.iloc[:0].drop(columns="run")))
    names = np.asarray(study.doc_ids, object)
    if study.navigation_rows is not None:
        n = study.navigation_rows
        frames.append(("navigation", pd.DataFrame({
            "doc": names[n["doc"]], "source": study._path_column(n["source"]),
            "target": study._path_column(n["target"]), "probability": n["probability"]})))
    if study.route_rows is not None:
        r = study.route_rows
        frames.append(("routes", pd.DataFrame({
            "route": np.array(r["names"], object)[r["route"]], "step": r["step"], "doc": names[r["doc"]],
            "path": study._path_column(r["path"])})))
    return frames


def _empty_topics(study: Study, like: pd.DataFrame) -> pd.DataFrame:
    """Topics of which only highlights of no characters are known: assessed, with nothing relevant."""
    known = {topic for kind, part in study.assessments.items() if kind != "entry_points" for topic in part["topic"]}
    lost = [t for t, assessed in zip(study.topic_ids, study.assessed, strict=True) if assessed and t not in known]
    rows = like.iloc[:0].reindex(range(len(lost)))
    return rows.assign(topic=lost, doc=study.doc_ids[0], start=0, end=0)


def _file_name(run: str) -> str:
    if set(run) & set('/\\:*?"<>|') or not run.isprintable() or run.startswith("."):
        raise UsageError(f"run '{run}' has no results, and its name cannot be that of a file; leave it out with --run")
    return run


def _toml(study: Study) -> str:
    about = {"name": study.name, "description": study.description, "unit": study.unit, **study.defaults}
    about.pop("ignored files", None)
    return "".join(f"{key} = {_toml_value(value)}\n" for key, value in about.items())


def _toml_value(value: Any) -> str:
    import json

    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_value(key)} = {_toml_value(own)}" for key, own in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    # A JSON text is a TOML text, but for one character; dates, which nothing here reads, become texts.
    return json.dumps(value, ensure_ascii=False, default=str).replace("\x7f", "\\u007f")
