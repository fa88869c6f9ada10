"""The leaderboard draws the frame it is given, says what it shows, and lets no data into the markup."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from esr_core.charts import heatmap, style
from esr_core.charts.leaderboard import BEST, UNCLEAR, WORSE, finding, headline, leaderboard, verdicts
from esr_core.charts.style import DARK, LIGHT, MODES, NBSP, contrast, run_styles

nan = float("nan")


def board(*rows: tuple[str, float, float], half: float = .05, topics: int = 10) -> pd.DataFrame:
    """(run, mean, p) with the interval mean ± half."""
    frame = pd.DataFrame(rows, columns=["run", "mean", "p"])
    return frame.assign(low=frame["mean"] - half, high=frame["mean"] + half, topics=topics)


THREE = board(("hybrid", .41, nan), ("dense", .39, .31), ("tfidf", .21, .001))


def draw(frame: pd.DataFrame, **options):
    return leaderboard(frame, "AiP(alpha=0)", run_styles(frame["run"]), **options)


def text_of(fig) -> str:
    """Everything a person reads in the figure."""
    return fig.to_json()


# ---------------------------------------------------------------- what is drawn

def test_the_figure_holds_the_frame():
    fig = draw(THREE)
    assert [t.name for t in fig.data] == list(THREE["run"])
    assert [t.x[0] for t in fig.data] == list(THREE["mean"])
    assert [t.y[0] for t in fig.data] == [0, 1, 2]
    assert [t.x[0] - t.error_x.arrayminus[0] for t in fig.data] == pytest.approx(list(THREE["low"]))
    assert [t.x[0] + t.error_x.array[0] for t in fig.data] == pytest.approx(list(THREE["high"]))
    assert [t.strip() for t in fig.layout.yaxis.ticktext] == list(THREE["run"])


def test_numbers_stand_beside_the_marks():
    shown = [a.text for a in draw(THREE).layout.annotations]
    assert {"0.410", "0.390", "0.210", "best", "[0.360, 0.460]"} <= set(shown)
    assert f"{UNCLEAR}, p{NBSP}={NBSP}.310" in shown
    assert f"{WORSE}, p{NBSP}={NBSP}.001" in shown


def test_worse_systems_have_open_markers_so_that_colour_is_not_alone():
    for mode in MODES.values():
        fills = [t.marker.color for t in draw(THREE, mode=mode).data]
        assert fills[2] == mode.paper
        assert mode.paper not in fills[:2]


def test_subtitle_and_alternative_text_carry_the_measure():
    fig = draw(THREE, label="AiP")
    assert "AiP(alpha=0) · mean over 10" in fig.layout.title.text
    assert fig.layout.meta["alt"].startswith(finding(THREE))
    assert "AiP(alpha=0)" in fig.layout.meta["alt"]
    assert fig.layout.xaxis.title.text == "AiP (mean over topics)"


def test_many_runs_the_best_are_drawn_and_the_rest_is_owned_up_to():
    many = board(*[(f"run{i:02d}", 1 - i / 100, nan if i == 0 else .001) for i in range(80)])
    fig = draw(many)
    assert len(fig.data) == 30
    assert "the 30 best of 80 runs" in fig.layout.title.text


def test_a_narrow_figure_leaves_out_the_interval_column_and_wraps_its_title():
    wide, narrow = draw(THREE), draw(THREE, width=420)
    assert "[0.360, 0.460]" not in [a.text for a in narrow.layout.annotations]
    assert narrow.layout.title.text.count("<br>") > wide.layout.title.text.count("<br>")
    assert narrow.layout.height > wide.layout.height


def test_one_topic_has_no_interval_and_no_band():
    one = board(("a", .4, nan), ("b", .3, nan), topics=1).assign(low=nan, high=nan)
    fig = draw(one)
    assert not fig.layout.shapes
    assert all(t.error_x.array is None for t in fig.data)


def test_undefined_runs_are_not_drawn_and_nothing_defined_is_said():
    frame = pd.concat([THREE, board(("none", nan, nan))], ignore_index=True)
    assert len(draw(frame).data) == 3
    nothing = draw(board(("a", nan, nan)))
    assert not nothing.data
    assert "undefined" in nothing.layout.meta["alt"]


# ---------------------------------------------------------------- what is said

@pytest.mark.parametrize(("frame", "better", "said"), [
    (THREE, "higher", "hybrid scores best, but dense may be as good"),
    (board(("a", .5, nan), ("b", .4, .2), ("c", .4, .3)), "higher", "a scores best, but b and c may be as good"),
    (board(("a", .5, nan), *[(r, .4, .2) for r in "bcde"]), "higher",
     "a scores best, but 4 other systems may be as good"),
    (board(("a", .5, nan), ("b", .4, .01), ("c", .3, .01)), "higher",
     "a is significantly better than every other system"),
    (board(("a", .5, nan), ("b", .4, .01)), "higher", "a is significantly better than b"),
    (board(("a", 3.5, nan), ("b", 4.4, .2)), "lower", "a scores best (lower is better), but b may be as good"),
    (board(("a", 3.5, nan), ("b", 4.4, .01)), "lower", "a is significantly better than b (lower is better)"),
    (board(("a", .5, nan), ("b", .5, 1.), ("c", .4, .2)), "higher", "a and b share the best score"),
    (board(*[(r, .5, 1.) for r in "abc"]), "higher", "All 3 systems score the same"),
    (board(("a", .5, nan)), "higher", "a scores 0.500"),
    (board(("a", .5, nan), ("b", .4, nan)), "higher",
     "a scores best, but too few topics are shared to test by how much"),
    (board(("a", nan, nan)), "higher", "The measure is undefined on every topic"),
])
def test_the_title_states_the_finding(frame, better, said):
    assert finding(frame, better) == said


def test_lower_is_better_is_said_in_title_subtitle_and_axis():
    fig = draw(board(("a", 3.5, nan), ("b", 4.4, .2)), better="lower")
    assert fig.layout.title.text.count("lower is better") == 2
    assert "lower is better" in fig.layout.xaxis.title.text


def test_verdicts_give_ties_the_same_word():
    assert list(verdicts(board(("a", .5, nan), ("b", .5, 1.), ("c", .4, .5)))) == [BEST, BEST, UNCLEAR]


SURE, UNSURE = (.01, .01), (.3, .01)


def over(**leaders: tuple[str, tuple[float, float]]) -> dict[str, pd.DataFrame]:
    """measure=(leader, p of the two others)."""
    out = {}
    for measure, (leader, p) in leaders.items():
        rest = [r for r in "abc" if r != leader]
        out[measure] = board((leader, .5, nan), (rest[0], .4, p[0]), (rest[1], .3, p[1]))
    return out


@pytest.mark.parametrize(("comparisons", "said"), [
    (over(AiP=("a", UNSURE)), "a leads on AiP; the lead is not certain"),
    (over(AiP=("a", SURE), AP=("a", SURE)), "a leads on both measures; every lead is certain"),
    (over(AiP=("a", SURE), AP=("a", UNSURE), R=("b", UNSURE)),
     "a leads on 2 of 3 measures, b on R; 1 of 3 leads is certain"),
    (over(AiP=("a", UNSURE), AP=("b", UNSURE), R=("c", UNSURE)),
     "a leads on 1 of 3 measures, b and c on the rest; no lead is certain"),
    ({"AiP": board(("a", .5, nan))}, "a is the only run of this study"),
    ({"AiP": board(("a", nan, nan), ("b", nan, nan))}, "No measure is defined on these topics"),
    ({"AP": board(("a", .5, nan), ("b", .4, .2)), "R": board(("a", 1., nan), ("b", 1., 1.))},
     "a leads on both measures; no lead is certain"),
])
def test_the_headline_over_several_measures(comparisons, said):
    assert headline(comparisons) == said


# ---------------------------------------------------------------- data are not markup

NASTY = ["<a href='//x.y'>x</a>", "<b>bold</b>", "%{meta.alt}", "a & b"]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_escaped_everywhere(name):
    frame = board((name, .5, nan), ("plain", .4, .2))
    fig = draw(frame)
    scores = pd.DataFrame([[.5, .2], [.4, .3]], index=[name, "plain"], columns=["1", name])
    heat = heatmap.heatmap(scores, "AiP(alpha=0)", titles={"1": name})
    for figure in (fig, heat):
        figure.layout.meta = None  # the alternative text is an attribute, set as text
        assert name not in text_of(figure).replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&")
    assert style.esc(name) in fig.layout.yaxis.ticktext[0]


def test_long_names_keep_the_figure_in_shape():
    frame = board(("x" * 200, .5, nan), ("plain", .4, .2))
    fig = draw(frame)
    assert fig.layout.margin.l < 320
    assert "x" * 200 in fig.data[0].hovertext[0]  # whole on demand


# ---------------------------------------------------------------- the per-topic map

def test_heatmap_holds_the_frame_and_names_the_topic():
    scores = pd.DataFrame([[.5, .9, nan], [.4, .1, .3]], index=["a", "b"], columns=["1", "2", "3"])
    fig = heatmap.heatmap(scores, "AiP(alpha=0)")
    assert np.array_equal(np.array(fig.data[0].z, float), scores.to_numpy(), equal_nan=True)
    assert fig.layout.meta["alt"].startswith("Topic 2 separates the systems most: a scores 0.900, b 0.100")
    assert fig.layout.shapes[0].x0 == .5  # the frame around topic 2
    assert fig.data[0].text[0][1] == "<b>0.900</b>"
    assert list(zip(fig.data[1].x, fig.data[1].y, strict=True)) == [(2, 0)]  # undefined is a dash, not 0


def test_heatmap_of_a_lower_is_better_measure_names_the_lowest_first_and_turns_the_scale():
    scores = pd.DataFrame([[3., 2.], [9., 2.5]], index=["a", "b"], columns=["1", "2"])
    fig = heatmap.heatmap(scores, "ANCE@10", better="lower")
    assert heatmap.finding(scores, "lower") == "Topic 1 separates the systems most: a scores 3.000, b 9.000"
    up = heatmap.heatmap(scores, "ANCE@10")
    assert fig.data[0].colorscale[0][1] == up.data[0].colorscale[1][1]


@pytest.mark.parametrize(("scores", "said"), [
    (pd.DataFrame([[.5, .1]], index=["a"], columns=["1", "2"]),
     "a does best on topic 1 (0.500) and worst on topic 2 (0.100)"),
    (pd.DataFrame([[.5]], index=["a"], columns=["1"]), "a scores 0.500 on topic 1"),
    (pd.DataFrame([[.5], [.5]], index=["a", "b"], columns=["1"]), "No topic separates the systems"),
    (pd.DataFrame([[.5], [.2]], index=["a", "b"], columns=["1"]),
     "Topic 1 separates the systems: a scores 0.500, b 0.200"),
    (pd.DataFrame([[nan]], index=["a"], columns=["1"]), "The measure is undefined on every topic"),
])
def test_heatmap_titles(scores, said):
    assert heatmap.finding(scores) == said
    assert said.split(" ")[-1] in heatmap.heatmap(scores, "AiP").layout.meta["alt"]


def test_heatmap_of_many_topics_drops_the_numbers_but_labels_the_topic_of_the_title():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.random((40, 120)), index=[f"r{i}" for i in range(40)],
                          columns=[str(400 + i) for i in range(120)])
    fig = heatmap.heatmap(scores, "AP")
    assert fig.data[0].showscale
    topic = heatmap.finding(scores.head(30)).split(" ")[1]
    assert topic in fig.layout.xaxis.ticktext
    assert len(fig.layout.xaxis.ticktext) < 60


# ---------------------------------------------------------------- what all figures share

def test_system_colours_are_seen_on_both_papers_and_cells_can_be_read():
    for s in run_styles([f"r{i}" for i in range(8)]).values():
        assert contrast(s.on(LIGHT), LIGHT.paper) >= 3
        assert contrast(s.on(DARK), DARK.paper) >= 4.5
    for mode in MODES.values():
        assert contrast(mode.ink, mode.accent) >= 4.5
        assert contrast(mode.muted, mode.paper) >= 4.5


def test_a_system_keeps_its_style_whatever_is_selected_or_added():
    names = [f"run{i}" for i in range(12)]
    styles = run_styles(names)
    assert len(set(styles.values())) == 12
    assert run_styles(reversed(names)) == styles
    more = run_styles([*names, "aaa"], keep=styles)
    assert {n: more[n] for n in names} == styles
    assert more["aaa"] not in styles.values()


@pytest.mark.parametrize(("p", "shown"), [
    (.0381, "p = .038"), (.0004, "p < .001"), (.9, "p = .900"), (1., "p = 1"), (.9999, "p > .999"), (nan, "–")])
def test_p_values_are_written_as_in_papers(p, shown):
    assert style.p_value(p).replace(NBSP, " ") == shown


def test_numbers():
    assert style.num(-.05) == "−0.050"
    assert style.num(nan) == "–"
    assert style.pct(.244) == f"24{NBSP}%"
    assert style.count(1204, "topic") == f"1,204{NBSP}topics"
