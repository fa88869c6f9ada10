"""Light or dark, as the visitor's browser says."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from esr_core.charts.style import LIGHT, MODES, Mode


def mode() -> Mode:
    """The colours for figures; follows the theme menu and the browser's preference."""
    return MODES.get(st.context.theme.type or "light", LIGHT)


def figure(fig: go.Figure, key: str) -> None:
    """Draw a figure as it was made, with its alternative text."""
    st.plotly_chart(fig, theme=None, key=key, alt=fig.layout.meta["alt"], config={"displayModeBar": False})
