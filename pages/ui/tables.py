"""Tables of scores: numbers with marks, sortable, heads that explain themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from esr_core.charts.leaderboard import BEST, UNCLEAR, WORSE, verdicts
from esr_core.charts.style import Mode, mix, num
from esr_core.measures import Spec

MARKS = {BEST: "★", UNCLEAR: "≈", WORSE: "▼"}
LEGEND = ("★ best of its column  ·  ≈ not told apart from it  ·  ▼ significantly worse "
          "(paired t-test over topics, Holm-corrected, p < .05)")
ROW, MOST_ROWS = 35, 16  # px; a longer table scrolls


def marks(comparisons: Mapping[str, pd.DataFrame], runs: Sequence[str]) -> pd.DataFrame:
    """★ ≈ ▼ for every run and measure; nothing where no test could be made."""
    columns = {}
    for measure, comparison in comparisons.items():
        words = verdicts(comparison).set_axis(comparison["run"])
        columns[measure] = words.map(MARKS).fillna("").reindex(list(runs))
    return pd.DataFrame(columns, index=pd.Index(list(runs)))


def scores(means: pd.DataFrame, signs: pd.DataFrame, specs: Sequence[Spec], mode: Mode, key: str, alt: str) -> None:
    """Runs × measures; sorting a column sorts its numbers, not the text shown."""
    config: dict[str, Any] = {s.short: st.column_config.NumberColumn(
        s.short, help=f"**{s.declaration.title}**, {s.declaration.better} is better. {s.declaration.summary}",
        alignment="left")
        for s in specs}
    config["_index"] = st.column_config.TextColumn("run", pinned=True)
    st.dataframe(_styled(means, signs, mode), key=key, alt=alt, column_config=config, placeholder="–",
                 height=ROW * (1 + min(len(means), MOST_ROWS)) + 3)


def _styled(means: pd.DataFrame, signs: pd.DataFrame, mode: Mode) -> Any:
    """Three decimals and the mark; the best stands out by mark, weight and fill, never by colour alone."""
    best = f"background-color: {mix(mode.accent, mode.paper, .5)}; color: {mode.ink}; font-weight: 600"
    looks = signs.map(lambda sign: {"★": best, "▼": f"color: {mode.muted}"}.get(sign, ""))
    style = means.style.apply(lambda _: looks, axis=None)
    for column in means.columns:
        for sign, rows in signs.groupby(column).groups.items():
            style = style.format(_writer(str(sign)), subset=pd.IndexSlice[list(rows), [column]])
    return style


def _writer(sign: str) -> Any:
    return lambda value: f"{num(value)} {sign}".rstrip()
