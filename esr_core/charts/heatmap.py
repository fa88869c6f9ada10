"""Runs × topics of one measure: on which topics do the systems differ?"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from esr_core.charts.style import (
    BODY,
    BODY_CHAR,
    LIGHT,
    NAME_CHARS,
    SMALL,
    SUBTITLE_CHAR,
    WIDTH,
    Mode,
    clip,
    empty,
    esc,
    finish,
    label_room,
    mix,
    num,
    row_height,
)

TITLE_LINES = 3  # of a topic's title below its number
RIGHT = 16


def separation(scores: pd.DataFrame) -> pd.Series:
    """Per topic, how far the best and the worst score lie apart."""
    return scores.max(axis=0) - scores.min(axis=0)


def finding(scores: pd.DataFrame, better: str = "higher") -> str:
    """The topic to look at next, with the two systems it sets apart."""
    defined = scores.dropna(axis=1, how="all")
    if defined.empty:
        return "The measure is undefined on every topic"
    if len(defined) == 1:
        run, row = defined.index[0], defined.iloc[0]
        top, low = _ends(row, better)
        if len(row) == 1:
            return f"{run} scores {num(row.iloc[0])} on topic {row.index[0]}"
        return f"{run} does best on topic {top} ({num(row[top])}) and worst on topic {low} ({num(row[low])})"
    names = {r: clip(r, NAME_CHARS) for r in defined.index}
    apart = separation(defined)
    if not (apart > 1e-12).any():
        return "No topic separates the systems"
    topic = apart.idxmax()
    column = defined[topic]
    first, last = _ends(column, better)
    most = " most" if len(apart) > 1 else ""
    return (f"Topic {topic} separates the systems{most}: "
            f"{names[first]} scores {num(column[first])}, {names[last]} {num(column[last])}")


def _ends(row: pd.Series, better: str) -> tuple[Any, Any]:
    """Where the best and the worst value stand."""
    return (row.idxmax(), row.idxmin()) if better == "higher" else (row.idxmin(), row.idxmax())


def heatmap(scores: pd.DataFrame, measure: str, mode: Mode = LIGHT, *, titles: Mapping[str, str] | None = None,
            better: str = "higher", top: int = 30, width: int = WIDTH) -> go.Figure:
    """Rows in the order given (best run first), at most `top`; columns are topics, in the study's order.

    Stronger colour is better, whichever way the measure runs; the best score of a topic is bold, and the topic of
    the title is framed. Numbers stand in the cells while they fit.
    """
    frame = scores.head(top)
    if not frame.notna().to_numpy().any():
        return empty("This measure is undefined on every topic of this study.", "Choose another measure.", mode)
    values = frame.to_numpy(dtype=float)
    names = [clip(r, NAME_CHARS) for r in frame.index]
    left = label_room(names)
    room = (width - left - RIGHT) / values.shape[1]  # px for one topic
    digits = None if room < 40 else 1 if np.nanmax(np.abs(values)) >= 100 else 3 if room >= 52 else 2
    fig = go.Figure(go.Heatmap(
        z=values, text=_cell_texts(values, better, digits), texttemplate="%{text}",
        hovertext=_hover(frame, measure, titles or {}), hovertemplate="%{hovertext}<extra></extra>", hoverongaps=False,
        textfont=dict(size=SMALL, color=mode.ink), xgap=3 if room > 20 else 1, ygap=3,
        **_scale(frame, better, mode), showscale=digits is None,
        colorbar=dict(thickness=12, outlinewidth=0, x=1.01, tickfont=dict(size=SMALL, color=mode.muted), nticks=5)))
    gaps = np.argwhere(np.isnan(values))
    fig.add_scatter(x=gaps[:, 1], y=gaps[:, 0], mode="text", text=["–"] * len(gaps), textfont=dict(color=mode.muted),
                    hovertext=[f"<b>{esc(frame.index[r])}</b> · topic {esc(frame.columns[t])}<br>undefined"
                               for r, t in gaps], hovertemplate="%{hovertext}<extra></extra>")
    x = _widest(frame)
    if x is not None:
        fig.add_shape(type="rect", x0=x - .5, x1=x + .5, y0=-.5, y1=len(frame) - .5,
                      line=dict(color=mode.ink, width=2))
    ticks, lines = _topic_ticks(frame, titles or {}, room, x)
    parts = [measure, "stronger colour: better" + (" (lower)" if better == "lower" else ""), "bold: best of the topic"]
    if len(frame) < len(scores):
        parts.append(f"the {len(frame)} best of {len(scores):,} runs")
    finish(fig, mode, finding(frame, better), " · ".join(parts), 122 + row_height(len(frame)) * len(frame) + 17 * lines,
           left=left, right=RIGHT if digits is not None else 76, bottom=44 + 17 * lines, width=width)
    fig.update_xaxes(title_text="Topic", showline=False, ticks="", range=[-.5, values.shape[1] - .5], **ticks)
    fig.update_yaxes(range=[len(frame) - .5, -.5], showgrid=False, tickvals=list(range(len(frame))),
                     ticktext=[f"{esc(n)} " for n in names], tickfont=dict(size=BODY, color=mode.ink))
    return fig


def _scale(scores: pd.DataFrame, better: str, mode: Mode) -> dict[str, Any]:
    """From 0 (or the lowest value) to the highest; the strong end is the better one."""
    weak = mix(mode.accent, mode.paper, .07)
    ends = [weak, mode.accent] if better == "higher" else [mode.accent, weak]
    values = scores.to_numpy(dtype=float)
    low, high = min(0.0, float(np.nanmin(values))), float(np.nanmax(values))
    return dict(zmin=low, zmax=high if high > low else low + 1, colorscale=[[0, ends[0]], [1, ends[1]]])


def _cell_texts(values: np.ndarray, better: str, digits: int | None) -> list[list[str]]:
    """Numbers as they stand in the cells, the best of each column in bold."""
    if digits is None:
        return [[""] * values.shape[1] for _ in values]
    filled = np.where(np.isnan(values), -np.inf if better == "higher" else np.inf, values)
    best = filled.max(axis=0) if better == "higher" else filled.min(axis=0)
    bold = (np.abs(values - best) < 1e-12) & (len(values) > 1)
    return [[f"<b>{num(v, digits)}</b>" if b else num(v, digits) for v, b in zip(row, marks, strict=True)]
            for row, marks in zip(values, bold, strict=True)]


def _hover(frame: pd.DataFrame, measure: str, titles: Mapping[str, str]) -> list[list[str]]:
    heads = [f"topic {esc(t)}" + (f": {esc(clip(titles[t], 60))}" if titles.get(t) else "") for t in frame.columns]
    return [[f"<b>{esc(run)}</b> · {head}<br>{num(v, 4)}<br>{esc(measure)}" for head, v in zip(heads, row, strict=True)]
            for run, row in zip(frame.index, frame.to_numpy(dtype=float), strict=True)]


def _widest(frame: pd.DataFrame) -> int | None:
    """The column of the topic that separates the systems most, if any does."""
    apart = separation(frame).to_numpy(dtype=float)
    return int(np.nanargmax(apart)) if len(frame) > 1 and np.nanmax(apart) > 1e-12 else None


def _topic_ticks(frame: pd.DataFrame, titles: Mapping[str, str], room: float, always: int | None
                 ) -> tuple[dict[str, Any], int]:
    """Topic numbers, with their titles where a column is wide enough; the number of lines they take.

    Where there is no room for every number, that of the column `always` is among those shown.
    """
    topics = [str(t) for t in frame.columns]
    longest = max(len(clip(t, 12)) for t in topics)
    every = max(1, int(np.ceil((longest * BODY_CHAR + 8) / room)))
    shown = list(range((always or 0) % every, len(topics), every))
    labels = [[esc(clip(topics[i], 12))] for i in shown]
    if room >= 110 and any(titles.get(t) for t in topics):
        for label, topic in zip(labels, topics, strict=True):
            lines = textwrap.wrap(titles.get(topic, ""), max(12, int((room - 10) / SUBTITLE_CHAR)),
                                  max_lines=TITLE_LINES, placeholder=" …")
            label += [esc(line) for line in lines]
    return (dict(tickvals=shown, ticktext=["<br>".join(label) for label in labels]),
            max(len(label) for label in labels))
