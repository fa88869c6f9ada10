"""The leaderboard: which system is best on a measure, and is that sure?

`comparison` is the frame of `esr_core.statistics.compare_to_best`: run, mean, low, high, p, best first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from esr_core.charts.style import (
    BODY,
    LIGHT,
    NAME_CHARS,
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
    row_height,
)

BEST, UNCLEAR, WORSE, UNTESTED = "best", "≈ unclear", "▼ worse", "untested"


def verdicts(comparison: pd.DataFrame, level: float = .05) -> pd.Series:
    """best, ≈ unclear (not told apart from the best), ▼ worse (significantly), untested (too few topics), –."""
    words = pd.Series(UNTESTED, index=comparison.index, dtype=object)
    words[comparison["p"] >= level] = UNCLEAR
    words[comparison["p"] < level] = WORSE
    words[_is_best(comparison)] = BEST
    words[comparison["mean"].isna()] = "–"
    return words


def _is_best(comparison: pd.DataFrame) -> pd.Series:
    """The first row, and those with the same mean."""
    first = comparison["mean"].iloc[0] if len(comparison) else float("nan")
    return (comparison["mean"] - first).abs() < 1e-12


def finding(comparison: pd.DataFrame, better: str = "higher", level: float = .05) -> str:
    """The sentence above the figure: the winner, and how sure it is."""
    shown = comparison[comparison["mean"].notna()].reset_index(drop=True)
    if shown.empty:
        return "The measure is undefined on every topic"
    words, names = verdicts(shown, level), shown["run"].map(lambda r: clip(r, NAME_CHARS))
    how = " (lower is better)" if better == "lower" else ""
    if len(shown) == 1:
        return f"{names[0]} scores {num(shown['mean'][0])}{how}"
    equal = list(names[words == BEST])
    if len(equal) == len(shown) > 2:
        return f"All {len(shown)} systems score the same"
    if len(equal) > 1:
        return f"{listing(equal, 3, 'systems')} share the best score{how}"
    if (words == UNTESTED).any():
        return f"{names[0]} scores best{how}, but too few topics are shared to test by how much"
    tied = list(names[words == UNCLEAR])
    if not tied:
        than = names[1] if len(shown) == 2 else "every other system"
        return f"{names[0]} is significantly better than {than}{how}"
    return f"{names[0]} scores best{how}, but {listing(tied, 2, 'other systems')} may be as good"


def headline(comparisons: Mapping[str, pd.DataFrame], level: float = .05) -> str:
    """Who leads over several measures, and is it sure? The keys are the measures' short names."""
    leaders = {m: list(c.loc[_is_best(c), "run"].map(lambda r: clip(r, NAME_CHARS))) for m, c in comparisons.items()}
    leaders = {measure: runs for measure, runs in leaders.items() if runs}
    if not leaders:
        return "No measure is defined on these topics"
    wins = Counter(run for runs in leaders.values() for run in runs)
    first, total = wins.most_common(1)[0][0], len(leaders)
    if all(len(c) == 1 for c in comparisons.values()):
        return f"{first} is the only run of this study"
    rest = {measure: runs for measure, runs in leaders.items() if first not in runs}
    others = list(dict.fromkeys(run for runs in rest.values() for run in runs))
    text = f"{first} leads on " + (
        next(iter(leaders)) if total == 1 else f"{total - len(rest)} of {total} measures" if rest else
        "both measures" if total == 2 else f"all {total} measures")
    if others:
        there = listing(list(rest), 2) if len(others) == 1 else "the rest"
        text += f", {listing(others, 2, 'other systems')} on {there}"
    sure = sum(_is_certain(comparisons[measure], level) for measure in leaders)
    return f"{text}; {_certainty(sure, total)}"


def _is_certain(comparison: pd.DataFrame, level: float) -> bool:
    """Is the best significantly better than every other run?"""
    words = verdicts(comparison, level)
    return bool(words.isin([WORSE, "–"]).iloc[1:].all()) and len(words) > 1


def _certainty(sure: int, total: int) -> str:
    if total == 1:
        return "the lead is certain" if sure else "the lead is not certain"
    if sure in (0, total):
        return "every lead is certain" if sure else "no lead is certain"
    return f"{sure} of {total} leads {'is' if sure == 1 else 'are'} certain"


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
    columns = [(16, "mean"), (68, "against the best"), (212, f"95{NBSP}% interval")]
    if width < 760:  # the interval is drawn, and in the hover
        columns.pop()
    rows = [_row(row, words[y], esc(measure), styles[str(row.run)], mode) for y, row in enumerate(frame.itertuples())]
    notes = [_note(-.9, shift, head, mode.muted) for shift, head in columns]
    for y, (_, texts) in enumerate(rows):
        colour = mode.muted if words[y] == WORSE else mode.ink
        notes += [_note(y, shift, text, colour, bold=head == "mean")
                  for (shift, head), text in zip(columns, texts, strict=False)]
    # all at once: adding them one by one makes Plotly check every earlier one again
    fig = go.Figure([trace | {"y": [y]} for y, (trace, _) in enumerate(rows)], layout={"annotations": notes})
    best = frame.iloc[0]
    if best["low"] < best["high"]:
        fig.add_vrect(x0=best["low"], x1=best["high"], fillcolor=mode.surface, line_width=0, layer="below")
    names = [clip(r, NAME_CHARS) for r in frame["run"]]
    finish(fig, mode, finding(every, better, level), _how(every, measure, better, level, len(frame)),
           118 + row_height(len(frame)) * (len(frame) + 1), left=label_room(names),
           right=330 if len(columns) == 3 else 200, width=width)
    fig.update_yaxes(range=[len(frame) - .4, -1.3], tickvals=list(range(len(frame))),
                     ticktext=[f"{esc(n)} " for n in names], tickfont=dict(size=BODY, color=mode.ink))
    unit = f"{label or measure} (mean over topics{', lower is better' if better == 'lower' else ''})"
    fig.update_xaxes(title_text=esc(unit), **_ticks(frame))
    return fig


def _row(row: Any, verdict: str, measure: str, style: Style, mode: Mode) -> tuple[dict[str, Any], tuple[str, ...]]:
    """One run: its marker with the interval, and the texts beside it (mean, verdict, interval)."""
    colour, known = style.on(mode), row.low == row.low
    span = f"[{num(row.low)}, {num(row.high)}]" if known else "–"
    said = f"{verdict}, {esc(p_value(row.p))}" if row.p == row.p and verdict != BEST else verdict
    told = [f"<b>{esc(row.run)}</b> · {count(int(row.topics), 'topic')}",
            num(row.mean, 4) + (f", 95{NBSP}% interval {span}" if known else ""), said, measure]
    trace: dict[str, Any] = dict(
        type="scatter", x=[row.mean], name=esc(row.run), mode="markers",
        marker=dict(color=mode.paper if verdict == WORSE else colour, symbol=style.marker, size=12,
                    line=dict(width=2.5, color=colour)),
        hovertext=["<br>".join(told)], hovertemplate="%{hovertext}<extra></extra>")
    if known:
        trace["error_x"] = dict(array=[row.high - row.mean], arrayminus=[row.mean - row.low], color=colour,
                                thickness=2.5, width=0)
    return trace, (num(row.mean), said, span)


def _note(y: float, shift: int, text: str, colour: str, bold: bool = False) -> dict[str, Any]:
    """A text `shift` px right of the plot."""
    return dict(x=1, xref="paper", y=y, xshift=shift, xanchor="left", text=text, showarrow=False,
                font=dict(color=colour, weight=600 if bold else 400))


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
