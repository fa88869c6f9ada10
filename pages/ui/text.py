"""Text that comes from data, as text: a component that sets textContent, since st.title and friends read markdown.

The headline also tells how wide the page is, because Plotly wraps no titles: figures are built for the width
they get. A rerun happens only when the width changes by more than a scroll bar.
"""

from __future__ import annotations

import streamlit as st

from esr_core.charts.style import WIDTH, clip

_CSS = """
#text { font-family: var(--st-font); color: var(--st-text-color); overflow-wrap: anywhere; }
#text > * { margin: 0 0 0.35rem; }
#text > *:last-child { margin-bottom: 0; }
h1 { font-size: 1.75rem; font-weight: 650; line-height: 1.2; letter-spacing: -0.005em; }
h2 { font-size: 1.1875rem; font-weight: 600; line-height: 1.3; }
h3 { font-size: 1rem; font-weight: 600; line-height: 1.4; }
.small + h3 { padding-top: 0.6rem; }
p, li { font-size: 1rem; line-height: 1.55; }
.lead { opacity: 0.78; }
.small { font-size: 0.875rem; line-height: 1.5; opacity: 0.78; }
"""

_JS = """
const TAGS = { h1: "h1", h2: "h2", h3: "h3", p: "p", lead: "p", small: "p" };

export default function ({ data, parentElement, setStateValue }) {
  const box = parentElement.querySelector("#text");
  box.replaceChildren(...data.items.map(([role, text]) => {
    const element = document.createElement(TAGS[role] ?? "p");
    if (role === "lead" || role === "small") element.className = role;
    element.textContent = text;
    return element;
  }));
  if (!data.width) return;
  let known = data.width, timer = 0;
  const watcher = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = Math.round(box.clientWidth);
      if (now > 0 && Math.abs(now - known) > 24) { known = now; setStateValue("width", now); }
    }, 120);
  });
  watcher.observe(box);
  return () => { clearTimeout(timer); watcher.disconnect(); };
}
"""

_component = st.components.v2.component("esr_text", html='<div id="text"></div>', css=_CSS, js=_JS)


def show(*items: tuple[str, str], key: str) -> None:
    """Lines of plain text; a line is (role, text) with role h1, h2, h3, p, lead or small."""
    _component(data={"items": [[role, text] for role, text in items], "width": 0}, key=key)


def headline(title: str, lead: str) -> int:
    """The page's finding and the line below it; returns how many px wide a figure on this page can be."""
    known = int(st.session_state.get("_page_width", WIDTH))
    state = _component(data={"items": [["h1", title], ["lead", lead]], "width": known}, key="headline",
                       default={"width": known}, on_width_change=lambda: None)
    width = int(state.width or known)
    st.session_state["_page_width"] = width
    return width


def notice(kind: str, message: str, *details: str) -> None:
    """A fixed message (ours, markdown) with details from data below it (theirs, plain)."""
    with st.container(gap="xsmall"):
        {"error": st.error, "warning": st.warning, "info": st.info}[kind](message)
        if details:
            st.code("\n".join(clip(d, 400) for d in details[:20]), language=None, wrap_lines=True)
