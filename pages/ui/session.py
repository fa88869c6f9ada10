"""The study of this session: found, chosen, read once and shared by everybody who looks at it."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import streamlit as st

import esr_core
from esr_core.charts.style import NBSP, Style, count, run_styles
from esr_core.errors import EsrError
from esr_core.evaluation import Evaluation
from esr_core.study import Study
from pages.ui import links, routes, text

DEMOS = Path(__file__).resolve().parents[2] / "demo_data"
FIRST = "starter"
FRESH = 5  # seconds for which a folder is not looked at again


# ---------------------------------------------------------------- which studies there are

def studies() -> dict[str, Path]:
    """Name in the link → folder, the default first: the folder in ESR_STUDY, else the starter, then the other demos."""
    found = [p.parent for p in DEMOS.rglob("study.toml")] if DEMOS.is_dir() else []
    found.sort(key=lambda p: (len(p.parts), p.name))  # the papers' examples last
    demos = {p.relative_to(DEMOS).as_posix().replace("/", "-"): p for p in found}
    first = FIRST
    given = os.environ.get("ESR_STUDY", "").strip()
    if given:
        path = Path(given).expanduser()
        same = next((name for name, demo in demos.items() if demo.resolve() == path.resolve()), None)
        first = same or _free_name(path.resolve().stem or "study", demos)
        demos.setdefault(first, path)
    order = sorted(demos, key=lambda name: name != first)
    return {name: demos[name] for name in order}


def _free_name(name: str, taken: dict[str, Path]) -> str:
    return name if name not in taken else f"{name} (given)"


# ---------------------------------------------------------------- reading

@st.cache_data(ttl=FRESH, max_entries=64, show_spinner=False)
def fingerprint(path: str) -> str:
    """Changes whenever a file of the study does: names, sizes and times, without reading the files."""
    import hashlib

    root = Path(path)
    files = [root] if root.is_file() else sorted(p for p in root.rglob("*") if p.is_file())
    seen = hashlib.sha256()
    for file in files:
        try:
            about = file.stat()
        except OSError:
            continue  # it vanished meanwhile, or may not be seen: loading will say so
        seen.update(f"{file}\0{about.st_size}\0{about.st_mtime_ns}\n".encode(errors="surrogatepass"))
    return seen.hexdigest()


@st.cache_resource(max_entries=8, show_spinner="Reading the study …")
def _load(path: str, mark: str) -> Study:
    """Immutable once loaded, so one object serves every session; `mark` is the fingerprint."""
    return esr_core.load(path)


@st.cache_resource(max_entries=64, show_spinner="Scoring the runs …")
def _evaluate(mark: str, measures: tuple[str, ...], _study: Study) -> Evaluation:
    return _study.evaluate(list(measures))


# ---------------------------------------------------------------- what pages ask for

def choose() -> None:
    """The picker in the sidebar. A study that cannot be read ends the page here, with the reason."""
    known = studies()
    if not known:
        st.error("There is no study to show. Start the app with `esr app STUDY`, where STUDY is a folder or a .zip.")
        st.stop()
    wrong = links.refused("study", known)
    with st.sidebar:
        name = st.selectbox("Study", list(known), key="study", bind="query-params", on_change=_changed)
    if wrong:
        text.notice("warning", "The link asks for a study that is not here; this is the default study instead.", *wrong)
    try:
        mark = fingerprint(str(known[name]))
        study = _load(str(known[name]), mark)
    except EsrError as error:
        _refuse(str(error))
    except (OSError, UnicodeError) as error:
        _refuse(f"{known[name]}: {getattr(error, 'strerror', None) or error}")
    else:
        st.session_state["_study"] = (study, mark)
        with st.sidebar:
            _about(study)


def current() -> Study:
    """The study that was chosen; app.py runs a page only when there is one.

    A new server takes the folder pages/ for old-style pages until st.navigation was called once, and would run the
    page of the first deep link without app.py. Then the menu is set up here and the run starts again, by the door.
    """
    if "_study" not in st.session_state:
        routes.navigation()
        st.rerun()
    return st.session_state["_study"][0]


def evaluate(measures: tuple[str, ...]) -> Evaluation:
    """Scores of the current study, kept for the next rerun and the next visitor."""
    study, mark = st.session_state["_study"]
    return _evaluate(mark, measures, study)


def styles(study: Study) -> dict[str, Style]:
    """The look of every run; the same on every page and in every session."""
    return run_styles(study.run_names)


def topic_table(evaluation: Evaluation, measure: int) -> pd.DataFrame:
    """Runs × topics of one measure."""
    return pd.DataFrame(evaluation.values[measure], index=list(evaluation.run_names),
                        columns=list(evaluation.topic_ids))


def facts(study: Study) -> str:
    """How much there is, in one line."""
    judged = int(study.assessed.sum())
    topics = count(len(study.topic_ids), "topic")
    if judged < len(study.topic_ids):
        topics += f" ({judged:,}{NBSP}assessed)"
    parts = [count(len(study.run_names), "run"), topics, count(len(study.doc_ids), "document")]
    if study.highlights is not None:
        parts.append(f"text measured in {study.unit}")
    return " · ".join(parts)


def _about(study: Study) -> None:
    lines = [("h3", study.name)]
    if study.description:
        lines.append(("small", " ".join(study.description.split())))
    text.show(*lines, key="about_study")


def _changed() -> None:
    """Another study: its own default measures, and the notices about the link are over."""
    links.forget("study", "measures", "measure")()
    for key in ("measures", "measure"):
        st.session_state.pop(key, None)


def _refuse(reason: str) -> None:
    st.session_state.pop("_study", None)
    st.title("This study cannot be opened", anchor=False)
    text.notice("error", "Choose another study in the sidebar, or mend this and reload the page:", reason)
    st.stop()
