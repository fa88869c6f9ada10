"""Scores as text: an aligned table, CSV, JSON or LaTeX. No pandas, so the command line starts at once."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from esr_core.evaluation import Evaluation

FORMATS = ("table", "csv", "json", "latex")


def write(result: Evaluation, form: str, per_topic: bool) -> str:
    """The evaluation in one of FORMATS; means always, values per topic on request (json always has both)."""
    return {"table": _table, "csv": _csv, "json": _json, "latex": _latex}[form](result, per_topic)


def _rows(result: Evaluation, per_topic: bool) -> Iterator[tuple[str, str, np.ndarray]]:
    """(run, topic, values of all measures); topic "all" is the mean."""
    for r, run in enumerate(result.run_names):
        if per_topic:
            for t, topic in enumerate(result.topic_ids):
                yield run, topic, result.values[:, r, t]
        yield run, "all", result.mean_values[:, r]


def _table(result: Evaluation, per_topic: bool) -> str:
    heads = ["run", *(["topic"] if per_topic else []), *(s.short for s in result.specs)]
    lines = [heads]
    for run, topic, values in _rows(result, per_topic):
        cells = [run, *([topic] if per_topic else []), *("–" if np.isnan(v) else f"{v:.4f}" for v in values)]
        lines.append(cells)
    words = 2 if per_topic else 1
    width = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    text = "\n".join("  ".join(c.ljust(w) if i < words else c.rjust(w) for i, (c, w) in
                               enumerate(zip(line, width, strict=True))).rstrip() for line in lines)
    notes = [f"{_means(result)}; {_orders(result)}"]
    lower = [s.short for s in result.specs if s.declaration.better == "lower"]
    if lower:
        notes.append(f"lower is better: {', '.join(lower)}")
    return text + "\n" + "\n".join(f"# {n}" for n in notes) + "\n"


def _means(result: Evaluation) -> str:
    """Over how many topics means are taken; topics where a measure is undefined, or skipped, do not count."""
    used = (~np.isnan(result.values)).sum(axis=2)
    low, high = int(used.min(initial=len(result.topic_ids))), int(used.max(initial=0))
    if low == high:
        return f"mean over {high} topic{'s' * (high != 1)}"
    return f"mean over the topics where a measure is defined ({low} to {high} of {len(result.topic_ids)})"


def _orders(result: Evaluation) -> str:
    """How results were ranked, said once per rule."""
    rules: dict[str, list[str]] = {}
    for run, rule in result.order.items():
        rules.setdefault(rule, []).append(run)
    if len(rules) == 1:
        return f"results ordered by {next(iter(rules))}"
    return "results ordered by " + "; by ".join(f"{rule} ({', '.join(runs)})" for rule, runs in rules.items())


def safe_cell(text: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets a leading apostrophe."""
    return f"'{text}" if isinstance(text, str) and (text[:1] in "=+-@" or text[:1] < " ") and text else text


def _csv(result: Evaluation, per_topic: bool) -> str:
    """Tidy: run, topic, measure, asked, value at full precision; topic "all" is the mean."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "asked", "value"])
    for run, topic, values in _rows(result, per_topic):
        for spec, asked, value in zip(result.measures, result.asked, values, strict=True):
            shown = "" if np.isnan(value) else repr(float(value))
            writer.writerow([safe_cell(run), safe_cell(topic), spec, asked, shown])
    return out.getvalue()


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _json(result: Evaluation, per_topic: bool) -> str:
    study = result.study
    scores = [{"run": run, "topic": topic, "measure": m, "asked": a, "value": _number(v)}
              for run, topic, values in _rows(result, True) if topic != "all"
              for m, a, v in zip(result.measures, result.asked, values, strict=True)]
    means = [{"run": run, "measure": m, "asked": a, "value": _number(v)}
             for run, _, values in _rows(result, False)
             for m, a, v in zip(result.measures, result.asked, values, strict=True)]
    about = {"name": study.name, "unit": study.unit, "runs": len(study.run_names), "topics": len(result.topic_ids),
             "order": result.order}
    return json.dumps({"study": about, "scores": scores, "means": means, "warnings": list(result.warnings)},
                      ensure_ascii=False, indent=1) + "\n"


_LATEX = str.maketrans({"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
                        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"})


def _latex(result: Evaluation, per_topic: bool) -> str:
    """A booktabs table; the best mean of every column is bold."""
    means = result.mean_values
    best = [np.nan if np.isnan(m).all() else np.nanmin(m) if s.declaration.better == "lower" else np.nanmax(m)
            for s, m in zip(result.specs, means, strict=True)]
    heads = ["Run", *(["Topic"] if per_topic else []), *(s.short.translate(_LATEX) for s in result.specs)]
    lines = [r"\begin{tabular}{" + "l" * (2 if per_topic else 1) + "r" * len(result.specs) + "}", r"\toprule",
             " & ".join(heads) + r" \\", r"\midrule"]
    for run, topic, values in _rows(result, per_topic):
        cells = [run.translate(_LATEX), *([topic.translate(_LATEX)] if per_topic else [])]
        for value, top in zip(values, best, strict=True):
            text = "--" if np.isnan(value) else f"{value:.4f}"
            cells.append(rf"\textbf{{{text}}}" if topic == "all" and value == top else text)
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"
