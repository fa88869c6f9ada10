"""What a study holds, what is odd about it, and which measures it can feed: the text of `esr validate`."""

from __future__ import annotations

import numpy as np

from esr_core.evaluation import computable
from esr_core.study import ORDER_RULES, Study


def report(study: Study) -> str:
    """A report for people; problems carry file and line."""
    r = study.results
    lines = [f"study       {study.name}"]
    if study.description:
        lines.append(f"            {study.description}")
    lines += [f"runs        {len(study.run_names)}, {len(r):,} results"]
    length = np.diff(r.lists).reshape(len(study.run_names), len(study.topic_ids)) if len(study.run_names) else None
    for i, name in enumerate(study.run_names):
        assert length is not None
        own = length[i][study.assessed]
        lines.append(f"            {name}: {int(own.sum()):,} results for {int((own > 0).sum())} of "
                     f"{int(study.assessed.sum())} assessed topics, ordered by {ORDER_RULES[study.order[i]]}")
    lines += [f"topics      {len(study.topic_ids)}, {int(study.assessed.sum())} assessed"]
    lines += [f"assessments {', '.join(_assessments(study)) or 'none'}"]
    if study.trees is not None:
        docs = int((np.diff(study.trees.offsets) > 0).sum())
        places = "with places" if study.trees.has_spans else "with lengths only"
        lines.append(f"documents   {docs:,} with {len(study.trees):,} elements {places}; offsets count {study.unit}")
    else:
        known = int((study.doc_length >= 0).sum())
        lines.append(f"documents   none loaded; {known:,} lengths known; offsets count {study.unit}")
    if study.navigation_rows is not None:
        lines.append(f"navigation  {len(study.navigation_rows['doc']):,} probabilities")
    if study.route_rows is not None:
        lines.append(f"routes      {len(study.route_rows['names']):,} with {len(study.route_rows['doc']):,} steps")
    lines += ["", "files"]
    lines += [f"  {file}: {form}" for file, form in study.formats.items()]
    ignored = study.defaults.get("ignored files") or []
    if ignored:
        lines.append(f"  not part of the study: {', '.join(ignored)}")
    problems = list(study.problems)
    lines += ["", f"warnings    {len(problems) or 'none'}"]
    lines += [f"  {p}" for p in problems]
    frame = computable(study)
    can, cannot = frame[frame["computable"]], frame[~frame["computable"]]
    lines += ["", f"measures that can be computed ({len(can)})", f"  {', '.join(can['measure'])}"]
    if len(cannot):
        lines += ["", f"measures that cannot ({len(cannot)})"]
        lines += [f"  {row.measure}: {row.reason}" for row in cannot.itertuples()]
    return "\n".join(lines) + "\n"


def _assessments(study: Study) -> list[str]:
    parts = []
    if study.highlights is not None:
        parts.append(f"{len(study.highlights.topic):,} highlighted passages")
    if study.judgements is not None:
        relevant = int((study.judgements.relevance > 0).sum())
        parts.append(f"{len(study.judgements.topic):,} judged documents ({relevant:,} relevant)")
    if study.grades is not None:
        parts.append(f"{len(study.grades.topic):,} graded elements")
    if study.units is not None:
        parts.append(f"{len(study.units.topic):,} assessed units")
    if study.entry_points is not None:
        parts.append(f"{len(study.entry_points.topic):,} best entry points")
    return parts
