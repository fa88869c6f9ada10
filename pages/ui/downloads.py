"""Files for people to take away; built only when somebody clicks."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
import streamlit as st

_FORMULA = re.compile(r"[=+\-@\x00-\x1f\x7f]")


def guard(cell: object) -> object:
    """Text a spreadsheet would run as a formula gets a ' in front; numbers stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """The frame as CSV, without its index, every text cell and header guarded. The BOM tells Excel it is UTF-8."""
    safe = frame.copy()
    for i, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(i, safe.iloc[:, i].astype(object).map(guard))
    safe.columns = [str(guard(str(c))) for c in safe.columns]
    return safe.to_csv(index=False, lineterminator="\n").encode("utf-8-sig")


def csv_button(label: str, frame: Callable[[], pd.DataFrame], name: str, key: str) -> None:
    """A button that makes the frame and its CSV on click."""
    st.download_button(label, data=lambda: csv_bytes(frame()), file_name=f"{file_stem(name)}.csv", mime="text/csv",
                       key=key, on_click="ignore", icon=":material/download:")


def file_stem(text: str) -> str:
    """Letters, digits and dashes: safe on every file system."""
    return re.sub(r"[^\w]+", "-", text).strip("-").lower()[:80] or "study"
