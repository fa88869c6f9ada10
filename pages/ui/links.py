"""Controls live in the URL (`bind="query-params"`); here is what to say when a link asks for what is not there."""

from __future__ import annotations

from collections.abc import Callable, Collection

import streamlit as st


def refused(key: str, options: Collection[str]) -> tuple[str, ...]:
    """Values the link gave for this control that are no options; call it before the control is drawn.

    Streamlit replaces such a value by the default without a word. It is remembered, so that the notice outlives
    the reruns of the first second, until `forget` is called when the user takes over.
    """
    memory = f"_refused_{key}"
    if memory not in st.session_state:
        asked = st.query_params.get_all(key)
        st.session_state[memory] = tuple(v for v in asked if v not in options)
    return tuple(st.session_state[memory])


def forget(*keys: str) -> Callable[[], None]:
    """An on_change handler that ends the notices of these controls."""
    def handler() -> None:
        for key in keys:
            st.session_state[f"_refused_{key}"] = ()
    return handler
