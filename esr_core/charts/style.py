"""What all figures share: colours of both themes, the style of each system, the title block, words and numbers.

* A system keeps its colour, dash and marker on every page; colour is never the only code.
* Text that comes from data goes through `esc`: Plotly reads <b>, <a> … in titles, labels and hover.
* Nothing is set smaller than 13 px.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

FONT = "'Source Sans', 'Source Sans 3', 'Segoe UI', sans-serif"
TITLE, SUBTITLE, BODY, SMALL = 19, 14, 14, 13
TITLE_CHAR, SUBTITLE_CHAR, BODY_CHAR = 9.2, 6.6, 7.4  # px a character takes, on the safe side
NBSP = "\u00a0"
WIDTH = 960  # px a figure has when nobody says otherwise
NAME_CHARS = 32  # of a system's name beside a plot


# ---------------------------------------------------------------- colour

@dataclass(frozen=True)
class Mode:
    """The neutral colours of one theme; the same values stand in .streamlit/config.toml."""

    name: str
    paper: str
    surface: str
    ink: str
    muted: str
    rule: str
    grid: str
    accent: str  # the strong end of a scale from little to much; ink stays readable on it


LIGHT = Mode("light", paper="#FFFFFF", surface="#F3F5F8", ink="#1A2027", muted="#55606B", rule="#87919B",
             grid="#E4E8EC", accent="#7DBDEC")
DARK = Mode("dark", paper="#10151C", surface="#1A222C", ink="#E8ECF0", muted="#A9B3BD", rule="#6F7A85",
            grid="#27303A", accent="#1D6AA6")
MODES = {"light": LIGHT, "dark": DARK}

# Okabe–Ito: each hue at a luminance that keeps 3:1 on white, and its brighter brother for dark paper.
SYSTEM_COLOURS = (
    ("#0069A8", "#4596E6"), ("#CF5A14", "#F07B3F"), ("#009E79", "#20BF97"), ("#D966BE", "#E58FD2"),
    ("#BF8A00", "#E9B93A"), ("#2499E0", "#86D1FA"), ("#855C00", "#BD8A44"), ("#70757B", "#A6ADB5"))
# short gaps, so that the risers of a step curve stay visible
DASHES = ("solid", "7px,3px", "2px,3px", "9px,3px,2px,3px", "14px,4px", "14px,3px,2px,3px,2px,3px")
MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star")


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i:i + 2], 16) for i in (1, 3, 5)])


def mix(colour: str, other: str, share: float) -> str:
    """`share` of one colour, the rest of the other."""
    r, g, b = (int(c) for c in np.rint(share * _rgb(colour) + (1 - share) * _rgb(other)))
    return f"#{r:02X}{g:02X}{b:02X}"


def contrast(a: str, b: str) -> float:
    """WCAG contrast ratio: 3 is enough for marks, 4.5 for text."""
    def luminance(colour: str) -> float:
        c = _rgb(colour) / 255
        return float(np.where(c <= .04045, c / 12.92, ((c + .055) / 1.055) ** 2.4) @ [.2126, .7152, .0722])
    low, high = sorted((luminance(a), luminance(b)))
    return (high + .05) / (low + .05)


# ---------------------------------------------------------------- systems

@dataclass(frozen=True)
class Style:
    """How one system looks; `on` gives its colour for a theme."""

    light: str
    dark: str
    dash: str
    marker: str

    def on(self, mode: Mode) -> str:
        return self.dark if mode.name == "dark" else self.light


def run_styles(names: Iterable[str], keep: Mapping[str, Style] | None = None) -> dict[str, Style]:
    """One style per system. Give it *all* systems of the study, not the selection.

    Names are taken in alphabetical order, so selecting or sorting never changes a style; `keep` holds what was
    given out before, so an added run takes a free style. The first 8 differ in colour, dash and marker; each later
    round of 8 takes the colours again with the next dash and marker.
    """
    wanted = set(names)
    styles = {name: style for name, style in (keep or {}).items() if name in wanted}
    used, slot = set(styles.values()), 0
    all_slots = len(SYSTEM_COLOURS) * len(DASHES) * len(MARKERS)
    for name in sorted(wanted - set(styles)):
        while True:
            turn, i = divmod(slot, len(SYSTEM_COLOURS))
            style = Style(*SYSTEM_COLOURS[i], DASHES[(i + turn) % len(DASHES)], MARKERS[(i + turn) % len(MARKERS)])
            slot += 1
            if style not in used or slot > all_slots:
                break
        styles[name] = style
        used.add(style)
    return styles


# ---------------------------------------------------------------- words and numbers

def esc(text: object) -> str:
    """For everything that comes from data and goes into a figure: neither a tag nor a %{template} is left."""
    return html.escape(str(text), quote=False).replace("%{", "%&#123;")


def clip(text: object, chars: int) -> str:
    """A name that may be long, cut so that the figure keeps its shape; the hover has it whole."""
    whole = str(text)
    return whole if len(whole) <= chars else whole[:chars - 1].rstrip() + "…"


def num(x: float, digits: int = 3) -> str:
    """Scores have three decimals and a true minus; undefined is a dash, never 0."""
    return "–" if np.isnan(x) else f"{x:.{digits}f}".replace("-", "−")


def pct(x: float) -> str:
    return "–" if np.isnan(x) else f"{100 * x:.0f}{NBSP}%".replace("-", "−")


def p_value(p: float) -> str:
    """`p = .038`, and never `p = .000`."""
    if np.isnan(p):
        return "–"
    text = "p < .001" if p < .001 else "p > .999" if .9995 <= p < 1 else f"p = {p:.3f}".replace("0.", ".", 1)
    return text.replace("1.000", "1").replace(" ", NBSP)


def listing(names: Sequence[str], most: int = 2, rest: str = "others") -> str:
    """`a`, `a and b`, or `5 others` when there are more than `most`."""
    if len(names) > most:
        return f"{len(names)} {rest}"
    return " and ".join(names) if len(names) < 3 else ", ".join(names[:-1]) + " and " + names[-1]


def count(n: int, one: str, many: str | None = None) -> str:
    """`1 topic`, `1,204 topics`; number and noun stay on one line."""
    return f"{n:,}{NBSP}{one if n == 1 else many or one + 's'}"


# ---------------------------------------------------------------- frame of a figure

def template(mode: Mode) -> go.layout.Template:
    """Fonts, axes and hover of a theme."""
    axis: dict[str, Any] = dict(
        gridcolor=mode.grid, linecolor=mode.rule, tickcolor=mode.rule, zeroline=False, ticks="outside", ticklen=4,
        showline=True, title=dict(standoff=10, font=dict(size=BODY, color=mode.muted)),
        tickfont=dict(size=SMALL, color=mode.muted), automargin=False)
    return go.layout.Template(layout=dict(
        font=dict(family=FONT, size=BODY, color=mode.ink), colorway=[SYSTEM_COLOURS[i][mode.name == "dark"]
                                                                      for i in range(len(SYSTEM_COLOURS))],
        paper_bgcolor=mode.paper, plot_bgcolor=mode.paper, showlegend=False,
        xaxis={**axis, "showgrid": False}, yaxis={**axis, "showline": False, "ticks": ""},
        hoverlabel=dict(bgcolor=mode.surface, bordercolor=mode.rule, align="left",
                        font=dict(family=FONT, size=BODY, color=mode.ink)),
        annotationdefaults=dict(showarrow=False, font=dict(size=SMALL, color=mode.ink)),
        bargap=.18))


def finish(fig: go.Figure, mode: Mode, title: str, subtitle: str, height: int, *, alt: str = "", left: int = 64,
           right: int = 24, bottom: int = 56, width: int = WIDTH, zoom: bool = False) -> go.Figure:
    """Title block, margins and alternative text.

    `width` is how many px the figure has: titles are wrapped for it, since Plotly never wraps. `height` is for a
    title of one line; more lines make the figure taller, not the plot smaller. Title and subtitle are plain
    text and escaped here. `zoom` lets the reader drag a window; a list of rows has nothing to zoom into.
    """
    lines, small = _wrap(title, width / TITLE_CHAR), _wrap(subtitle, width / SUBTITLE_CHAR)
    text = "<br>".join(lines) + "".join(
        f'<br><span style="font-size:{SUBTITLE}px;font-weight:400;color:{mode.muted}">{s}</span>' for s in small)
    fig.update_layout(
        template=template(mode), height=height + 24 * (len(lines) - 1) + 22 * (len(small) - 1),
        margin=dict(l=left, r=right, b=bottom, t=32 + 24 * len(lines) + 22 * len(small)),
        title=dict(text=text, x=0, y=1, xref="container", yref="container", xanchor="left", yanchor="top",
                   pad=dict(t=20, l=2), font=dict(size=TITLE, weight=600, color=mode.ink)),
        dragmode="zoom" if zoom else False, meta={"alt": alt or f"{title}. {subtitle}"})
    return fig


def _wrap(text: str, chars: float) -> list[str]:
    """Lines of a title; names of systems and numbers with their units stay whole."""
    lines = textwrap.wrap(text, max(24, int(chars)), break_on_hyphens=False)
    return [esc(line) for line in lines] or [""]


def label_room(texts: Iterable[str], gap: int = 20) -> int:
    """Margin for labels beside the plot, in px."""
    return gap + int(BODY_CHAR * max((len(str(t)) for t in texts), default=0))


def row_height(rows: int) -> int:
    """Roomy while there are few rows, denser when there are many."""
    return 34 if rows <= 12 else 25


def empty(message: str, next_step: str, mode: Mode = LIGHT, height: int = 160) -> go.Figure:
    """Nothing to draw: say why and what to do, in the figure's place."""
    fig = go.Figure().update_xaxes(visible=False).update_yaxes(visible=False)
    fig.update_layout(template=template(mode), height=height, margin=dict(l=0, r=0, t=0, b=0),
                      plot_bgcolor=mode.surface, meta={"alt": f"{message} {next_step}"})
    fig.add_annotation(xref="paper", yref="paper", x=.5, y=.5, font=dict(size=BODY + 1, color=mode.ink),
                       text=f'<b>{esc(message)}</b><br><span style="color:{mode.muted}">{esc(next_step)}</span>')
    return fig
