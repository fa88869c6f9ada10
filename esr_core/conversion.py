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
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and not empty; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []

    def put(frame: pd.DataFrame, name: str) -> None:
        path = folder / f"{name}.{tables}"
        path.parent.mkdir(exist_ok=True)
        if tables == "parquet":
            frame.to_parquet(path, index=False)
        else:
            frame.to_csv(path, index=False, lineterminator="\n")
        written.append(path)

    for name, frame in _frames(study):
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
            frames.append((own, frame))
    if study.trees is not None or (study.doc_length >= 0).any():
        frames.append(("documents", study.documents))
    frames.append(("runs", study.runs))
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


def _toml(study: Study) -> str:
    import json

    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)  # a JSON string is a TOML string

    lines = [f"name = {text(study.name)}", f"description = {text(study.description)}", f"unit = {text(study.unit)}"]
    if study.defaults.get("questions"):
        lines.append(f"questions = {text(list(study.defaults['questions']))}")
    measures = study.defaults.get("defaults", {}).get("measures")
    if measures:
        lines += ["", "[defaults]", f"measures = {text(list(measures))}"]
    return "\n".join(lines) + "\n"
