"""The leaderboard: which system is best on a measure, and is that sure?

`comparison` is the frame of `esr_core.statistics.compare_to_best`: run, mean, low, high, p, best first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from esr_core.charts.style import (
    BODY,
    LIGHT,
    NBSP,
    WIDTH,
    Mode,
    Style,
    clip,
    count,
    empty,
    esc,
    finish,
    label_room,
    listing,
    num,
    p_value,
)

ROW, NAME_CHARS = 34, 32
BEST, UNCLEAR, WORSE, UNTESTED = "best", "≈ unclear", "▼ worse", "untested"


def verdicts(comparison: pd.DataFrame, level: float = .05) -> pd.Series:
    """best, ≈ unclear (not told apart from the best), ▼ worse (significantly), untested (too few topics), –."""
    words = pd.Series(UNTESTED, index=comparison.index, dtype=object)
    words[comparison["p"] >= level] = UNCLEAR
    words[comparison["p"] < level] = WORSE
    words[comparison["mean"].isna()] = "–"
    if len(words) and words.iloc[0] == UNTESTED:
        words.iloc[0] = BEST
    return words


def finding(comparison: pd.DataFrame, better: str = "higher", level: float = .05) -> str:
    """The sentence above the figure: the winner, and how sure it is."""
    shown = comparison[comparison["mean"].notna()].reset_index(drop=True)
    if shown.empty:
        return "The measure is undefined on every topic"
    words, best = verdicts(shown, level), str(shown["run"][0])
    how = " (lower is better)" if better == "lower" else ""
    if len(shown) == 1:
        return f"{best} scores {num(shown['mean'][0])}{how}"
    equal = _leaders(shown)
    if len(equal) == len(shown) > 2:
        return f"All {len(shown)} systems score the same"
    if len(equal) > 1:
        return f"{listing(equal, 3, 'systems')} share the best score{how}"
    if (words == UNTESTED).any():
        return f"{best} scores best{how}, but too few topics are shared to test by how much"
    tied = [str(r) for r in shown.loc[words == UNCLEAR, "run"]]
    if not tied:
        than = str(shown["run"][1]) if len(shown) == 2 else "every other system"
        return f"{best} is significantly better than {than}{how}"
    return f"{best} scores best{how}, but {listing(tied, 2, 'other systems')} may be as good"


def headline(comparisons: Mapping[str, pd.DataFrame], level: float = .05) -> str:
    """Who leads over several measures, and on how many surely; keys are the measures' short names."""
    leaders: dict[str, list[str]] = {}
    sure = 0
    for measure, comparison in comparisons.items():
        shown = comparison[comparison["mean"].notna()]
        for run in _leaders(shown):
            leaders.setdefault(run, []).append(measure)
        sure += bool(len(shown) > 1 and (verdicts(shown, level).iloc[1:] == WORSE).all())
    if not leaders:
        return "No measure is defined on these topics"
    order = sorted(leaders, key=lambda run: -len(leaders[run]))
    first, total = order[0], len(comparisons)
    if len(next(iter(comparisons.values()))) == 1:
        return f"{first} is the only run of this study"
    wins = leaders[first]
    text = (f"{first} leads on {wins[0]}" if total == 1 else
            f"{first} leads on all {total} measures" if len(wins) == total else
            f"{first} leads on {len(wins)} of {total} measures")
    if len(order) == 2:
        text += f", {order[1]} on {listing(leaders[order[1]], 2)}"
    elif len(order) > 2:
        text += f", {listing(order[1:], 2, 'other systems')} on the rest"
    certain = {0: "no lead is certain", total: "every lead is certain" if total > 1 else "and that is certain"}
    return f"{text}; {certain.get(sure, f'{sure} of the leads are certain' if sure > 1 else 'one lead is certain')}"


def _leaders(shown: pd.DataFrame) -> list[str]:
    """Runs with the first row's mean."""
    if shown.empty:
        return []
    return [str(r) for r in shown.loc[(shown["mean"] - shown["mean"].iloc[0]).abs() < 1e-12, "run"]]


def leaderboard(comparison: pd.DataFrame, measure: str, styles: Mapping[str, Style], mode: Mode = LIGHT, *,
                label: str = "", better: str = "higher", level: float = .05, top: int = 30,
                width: int = WIDTH) -> go.Figure:
    """Means with intervals, best first, and what is known of each against the best.

    `measure` is the canonical string, `label` its short form for the axis. Filled marker: the best, or not told
    apart from it; open marker: significantly worse. More than `top` runs: the best are drawn, the title still
    speaks of all.
    """
    every = comparison[comparison["mean"].notna()].reset_index(drop=True)
    if every.empty:
        return empty("This measure is undefined on every topic of this study.", "Choose another measure.", mode)
    frame, words = every.head(top), verdicts(every, level)
    fig = go.Figure()
    best = frame.iloc[0]
    if best["low"] < best["high"]:
        fig.add_vrect(x0=best["low"], x1=best["high"], fillcolor=mode.surface, line_width=0, layer="below")
    columns = [(16, "mean"), (68, "against the best"), (212, f"95{NBSP}% interval")]
    if width < 760:  # the interval is drawn, and in the hover
        columns.pop()
    for y, row in enumerate(frame.itertuples()):
        _row(fig, y, row, styles[str(row.run)], words[y], measure, columns, mode)
    for shift, head in columns:
        fig.add_annotation(x=1, xref="paper", y=-.9, xshift=shift, xanchor="left", text=head,
                           font=dict(color=mode.muted))
    names = [clip(r, NAME_CHARS) for r in frame["run"]]
    finish(fig, mode, finding(every, better, level), _how(every, measure, better, level, len(frame)),
           152 + ROW * len(frame), left=label_room(names), right=330 if len(columns) == 3 else 200, width=width)
    fig.update_yaxes(range=[len(frame) - .4, -1.3], tickvals=list(range(len(frame))),
                     ticktext=[f"{esc(n)} " for n in names], tickfont=dict(size=BODY, color=mode.ink))
    unit = f"{label or measure} (mean over topics{', lower is better' if better == 'lower' else ''})"
    fig.update_xaxes(title_text=esc(unit), **_ticks(frame))
    return fig


def _row(fig: go.Figure, y: int, row: Any, style: Style, verdict: str, measure: str, columns: list[tuple[int, str]],
         mode: Mode) -> None:
    """Marker, interval and the numbers beside them for one run."""
    colour, worse = style.on(mode), verdict == WORSE
    known = row.low == row.low
    span = f"[{num(row.low)}, {num(row.high)}]" if known else "–"
    said = f"{verdict}, {esc(p_value(row.p))}" if row.p == row.p else verdict
    fig.add_scatter(
        x=[row.mean], y=[y], name=esc(row.run), mode="markers",
        marker=dict(color=mode.paper if worse else colour, symbol=style.marker, size=13,
                    line=dict(width=2.5, color=colour)),
        error_x=dict(array=[row.high - row.mean], arrayminus=[row.mean - row.low], color=colour, thickness=2.5,
                     width=0) if known else None,
        hovertext=f"<b>{esc(row.run)}</b> · {count(int(row.topics), 'topic')}<br>{num(row.mean, 4)}"
                  + (f", 95{NBSP}% interval {span}" if known else "") + f"<br>{said}<br>{esc(measure)}",
        hovertemplate="%{hovertext}<extra></extra>")
    for (shift, head), text in zip(columns, (num(row.mean), said, span), strict=False):
        fig.add_annotation(x=1, xref="paper", y=y, xshift=shift, xanchor="left", text=text,
                           font=dict(color=mode.muted if worse else mode.ink, weight=600 if head == "mean" else 400))


def _how(every: pd.DataFrame, measure: str, better: str, level: float, drawn: int) -> str:
    """The subtitle: what was measured and how to read the marks."""
    parts = [measure, f"mean over {count(int(every['topics'].max()), 'topic')}"]
    if better == "lower":
        parts.append("lower is better")
    if drawn < len(every):
        parts.append(f"the {drawn} best of {len(every):,} runs")
    if (every["p"] < level).any():
        limit = f"{level:g}".removeprefix("0")
        parts.append(f"open marker: worse than the best (paired t-test, Holm-corrected, p{NBSP}<{NBSP}{limit})")
    elif every["p"].notna().any():
        parts.append("no difference passes a paired t-test, Holm-corrected")
    if every["low"].iloc[0] < every["high"].iloc[0]:
        parts.append("band: interval of the best")
    return " · ".join(parts)


def _ticks(frame: pd.DataFrame) -> dict[str, Any]:
    """Decimals that fit the range: scores in 0 … 1 have two, efforts in the hundreds none."""
    ends = frame[["mean", "low", "high"]].stack()
    extent = ends.max() - ends.min()
    return dict(tickformat=",.0f" if extent > 20 else ".1f" if extent > 4 else ".2f" if extent > .04 else ".3f")
