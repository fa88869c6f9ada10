"""Overview: which system is best, and is that sure?"""

import pandas as pd
import streamlit as st

from esr_core.charts import heatmap, leaderboard
from esr_core.charts.style import count
from esr_core.statistics import compare_to_best
from pages.ui import downloads, links, measures, session, tables, text, theme

study, mode = session.current(), theme.mode()
known, unable = measures.options(study)

# The controls stand beside what they change, below the sentence they decide: draw in one order, show in another.
top, choice, board, table = st.container(), st.container(), st.container(), st.container()

with table:
    specs, refusals = measures.pick(study, known)
    if refusals:
        text.notice("warning", "Left out of the table:", *refusals)
if not specs:
    with top:
        text.headline("No measure is chosen", session.facts(study))
    st.info("Choose a measure above the table to see which system is best.")
    st.stop()

evaluation = session.evaluate(tuple(map(str, specs)))
by_topic = [session.topic_table(evaluation, i) for i in range(len(specs))]
comparisons = {s.short: compare_to_best(scores, s.declaration.better)
               for s, scores in zip(specs, by_topic, strict=True)}

with choice:
    shorts = list(comparisons)
    wrong = links.refused("measure", shorts)
    if wrong:
        text.notice("warning", "The link asks for a measure that is not in the table; this is the first one instead.",
                    *wrong)
    shown = st.segmented_control("Measure", shorts, default=shorts[0], required=True, key="measure",
                                 bind="query-params", on_change=links.forget("measure"))
chosen = shorts.index(shown) if shown in shorts else 0
spec, ranking = specs[chosen], comparisons[shorts[chosen]]
better = spec.declaration.better

with choice:
    st.caption(f"**{spec.declaration.title}**, {better} is better. {spec.declaration.summary}")

with top:
    width = text.headline(leaderboard.headline(comparisons), session.facts(study))

with board:
    theme.figure(leaderboard.leaderboard(ranking, str(spec), session.styles(study), mode, label=spec.short,
                                         better=better, width=width), "leaderboard")

with table:
    runs = list(ranking["run"])
    means = evaluation.means.loc[runs].set_axis(shorts, axis=1)
    tables.scores(means, tables.marks(comparisons, runs), specs, mode, "scores",
                  f"Mean scores of {count(len(runs), 'run')} on {count(len(specs), 'measure')}.")
    text.show(("small", tables.LEGEND), ("small", "In full: " + " · ".join(map(str, specs))), key="strings")
    with st.container(horizontal=True):
        downloads.csv_button("Table (CSV)", lambda: evaluation.means.loc[runs].reset_index(),
                             f"{study.name} scores", "table_csv")
        downloads.csv_button("Scores per topic (CSV)", lambda: evaluation.scores,
                             f"{study.name} per topic", "topic_csv")

titles = {topic: words.get("title", "") for topic, words in study.titles.items()}
theme.figure(heatmap.heatmap(by_topic[chosen].loc[runs], str(spec), mode, titles=titles, better=better, width=width),
             "heatmap")

with st.expander(f"What the {count(len(specs), 'measure')} say", icon=":material/function:"):
    text.show(*measures.explained(specs), key="explained")
if len(unable):
    with st.expander(f"{count(len(unable), 'measure')} this study cannot feed, and why", icon=":material/block:"):
        st.dataframe(unable, hide_index=True, alt="Measures that cannot be computed, with the reasons.")
problems = list(study.problems)
others = evaluation.warnings[len(problems):]
if problems or others:
    with st.expander(count(len(problems) + len(others), "warning"), icon=":material/warning:"):
        if problems:
            st.dataframe(pd.DataFrame([{"what": p.text, "times": p.count, "file": p.file, "line": p.line}
                                       for p in problems]), hide_index=True, alt="What was odd in the study's files.")
        for warning in others:
            st.text(warning)
questions = study.defaults.get("questions", [])
if questions:
    with st.expander("Questions this study can answer", icon=":material/help:"):
        for question in questions:
            st.text(f"• {question}")
