"""The pages of the app, in the order of the menu."""

from __future__ import annotations

from typing import Any

import streamlit as st


def navigation() -> Any:
    """The menu; returns the page to run. Overview is the door and has no path of its own."""
    return st.navigation([
        st.Page("pages/overview.py", title="Overview", icon=":material/leaderboard:", default=True),
    ])
