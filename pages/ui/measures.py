"""Choosing measures: what the study can feed, what the user typed, what the link asked for."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from esr_core.errors import MeasureError
from esr_core.evaluation import default_measures, example, refusal
from esr_core.measures import MEASURES, Spec, parse, resolve
from esr_core.study import Study
from pages.ui import links

MOST = 12  # columns of a table that can still be read


def options(study: Study) -> tuple[list[str], pd.DataFrame]:
    """Short strings of everything computable, the study's own first; and the rest with the reasons."""
    table = study.computable()
    able = table[table["computable"]]
    specs = [parse(m) for m in default_measures(study)]
    specs += [example(MEASURES[m]) if m in MEASURES else parse(m) for m in able["measure"]]
    unique = {str(resolve(spec, study)): spec.short for spec in specs if refusal(study, resolve(spec, study)) is None}
    return list(unique.values()), table.loc[~table["computable"], ["measure", "family", "reason"]]


def pick(study: Study, known: list[str]) -> tuple[list[Spec], list[str]]:
    """The measures to show, each once, and what had to be left out and why. Any measure string can be typed in."""
    defaults = [s for s in dict.fromkeys(parse(m).short for m in default_measures(study)) if s in known]
    chosen = st.multiselect(
        "Measures in the table", known, default=defaults[:MOST], key="measures", bind="query-params",
        accept_new_options=True, max_selections=MOST, on_change=links.forget("measures", "measure"),
        placeholder="Choose measures, or type one such as iP@0.05",
        help="Choose from the catalogue, or type any measure string, such as `iP@0.05` or `AgP(score=F,beta=0.25)`.")
    specs: dict[str, Spec] = {}
    refusals = []
    for asked in chosen:
        try:
            spec = resolve(parse(asked), study)
        except MeasureError as error:
            refusals.append(str(error))
            continue
        reason = refusal(study, spec)
        if reason:
            refusals.append(reason)
        else:
            specs.setdefault(str(spec), spec)
    return list(specs.values()), refusals


def explained(specs: list[Spec]) -> list[tuple[str, str]]:
    """What the shown measures are, from their declarations, as lines for `text.show`."""
    lines = []
    for s in specs:
        d = s.declaration
        lines += [("h3", f"{s.short} · {d.title}"), ("small", f"{d.summary} {d.better.capitalize()} is better."),
                  ("small", f"In full: {s}")]
    return lines
