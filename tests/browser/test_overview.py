"""The Overview page as a visitor sees it."""

from __future__ import annotations

import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pandas as pd
import pytest

import esr_core
from esr_core.evaluation import default_measures

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
FIGURES = '[data-testid="stPlotlyChart"]'


def settled(page) -> None:
    """Both figures are drawn and no run is under way."""
    page.locator(f"{FIGURES} .gtitle").nth(1).wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stStatusWidget\"]')")
    page.wait_for_timeout(400)  # the width is reported after 120 ms, and may start one more run
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stStatusWidget\"]')")
    page.locator(f"{FIGURES} .gtitle").nth(1).wait_for()


def title(page, number: int = 0) -> str:
    return page.locator(f"{FIGURES} .gtitle").nth(number).text_content()


def label(page, number: int = 0) -> str:
    return page.locator(FIGURES).nth(number).get_attribute("aria-label")


@pytest.fixture(scope="module")
def study():
    return esr_core.load(ROOT / "demo_data" / "starter")


# ---------------------------------------------------------------- a newcomer

def test_it_opens_on_the_demo_study_with_the_answer(serve, visit, study):
    page = visit(serve())
    settled(page)
    assert page.locator('[data-testid="stException"]').count() == 0
    assert page.locator('[data-testid="stAlert"]').count() == 0
    best = study.evaluate("AiP").means.iloc[:, 0].idxmax()
    assert title(page).startswith(best)
    assert page.get_by_role("heading", level=1).inner_text().count("leads on") == 1
    assert page.get_by_role("figure").count() == 2
    assert label(page).startswith(f"{best} scores best")
    assert "AiP(alpha=0)" in label(page)
    assert "separates the systems most" in label(page, 1)


def test_hovering_tells_the_whole(serve, visit):
    page = visit(serve(), height=1700)
    settled(page)
    for figure, mark in ((0, ".point"), (1, ".heatmaplayer image")):
        box = page.locator(FIGURES).nth(figure).locator(mark).first.bounding_box()
        page.mouse.move(box["x"] + min(6, box["width"] / 2), box["y"] + min(6, box["height"] / 2))
        told = page.locator(FIGURES).nth(figure).locator(".hovertext").first
        told.wait_for()
        assert told.text_content().startswith("section-bm25")
        assert "AiP(alpha=0)" in told.text_content()
        page.mouse.move(1, 1)


def test_no_request_leaves_the_machine(serve, visit):
    page = visit(serve())
    settled(page)
    hosts = {urlparse(url).hostname for url in page.asked if not url.startswith(("data:", "blob:"))}
    assert hosts == {"localhost"}


# ---------------------------------------------------------------- choosing and linking

def test_another_measure_changes_the_titles_and_survives_a_reload(serve, visit, study):
    page = visit(serve())
    settled(page)
    before = title(page)
    page.get_by_role("radio", name="ANCE@10", exact=True).click()
    page.wait_for_function("old => { const t = document.querySelector('.gtitle'); return t && t.textContent !== old }",
                           arg=before)
    settled(page)
    after, alt = title(page), label(page)
    best = study.evaluate("ANCE@10").means.iloc[:, 0].idxmin()
    assert after.startswith(best)
    assert "lower is better" in after
    assert parse_qs(urlparse(page.url).query) == {"measure": ["ANCE@10"]}
    page.reload()
    settled(page)
    assert (title(page), label(page)) == (after, alt)
    other = visit(page.url)  # somebody else opens the link
    settled(other)
    assert label(other) == alt


def test_a_link_brings_its_own_columns(serve, visit):
    page = visit(f"{serve()}/?measures=iP@0.05&measures=AP&measure=AP")
    settled(page)
    assert page.get_by_role("radio").all_inner_texts() == ["iP@0.05", "AP"]
    assert page.get_by_role("radio", name="AP", exact=True).is_checked()
    assert "AP · mean over" in label(page)


def test_a_wrong_study_in_the_link_falls_back_and_says_so(serve, visit):
    page = visit(f"{serve()}/?study=no-such-study")
    settled(page)
    assert "not here" in page.get_by_role("alert").inner_text()
    assert page.get_by_text("no-such-study").count() == 1
    assert "study" not in parse_qs(urlparse(page.url).query)
    assert page.get_by_role("figure").count() == 2
    page.get_by_role("radio", name="AP", exact=True).click()  # the notice stays through reruns nobody meant for it
    page.wait_for_url(re.compile("measure=AP"))
    assert page.get_by_text("no-such-study").count() == 1


def test_downloads_hold_what_is_shown(serve, visit, study):
    page = visit(serve())
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Table (CSV)").click()
    table = pd.read_csv(io.StringIO(Path(download.value.path()).read_text("utf-8-sig")), index_col="run")
    expected = study.evaluate(default_measures(study)).means
    pd.testing.assert_frame_equal(table.loc[expected.index], expected, check_names=False, rtol=1e-12)


# ---------------------------------------------------------------- strangers' data

NASTY = '<a href="//evil.example">=run</a> **b** ![i](//evil.example/i.png)'


@pytest.fixture(scope="module")
def nasty(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "nasty"
    (folder / "runs").mkdir(parents=True)
    (folder / "study.toml").write_text(
        "name = '<b>name</b> **x**'\ndescription = '<img src=\"//evil.example/d.png\">'\n")
    (folder / "assessments.csv").write_text("topic,doc,relevance\n1,a,1\n1,b,0\n2,a,0\n2,b,1\n")
    quoted = NASTY.replace('"', '""')
    for i, (run, docs) in enumerate(((quoted, "abba"), ("%{meta.alt}", "baab"))):
        rows = "".join(f'"{run}",{t},{d},{k}\n' for t, d, k in zip("1122", docs, "1212", strict=True))
        (folder / "runs" / f"{i}.csv").write_text("run,topic,doc,rank\n" + rows)
    return folder


def test_names_are_text_wherever_they_stand_and_another_study_brings_its_measures(serve, visit, nasty):
    page = visit(serve(ESR_STUDY=str(nasty)))
    settled(page)
    assert page.get_by_role("heading", level=1).inner_text().startswith('<a href="//evil')
    assert title(page).startswith('<a href="//evil')
    assert page.get_by_text("<b>name</b> **x**").count() == 1
    assert page.locator('a[href*="evil"], img[src*="evil"]').count() == 0
    assert not any("evil" in urlparse(url).netloc for url in page.asked)
    assert page.get_by_role("radio").all_inner_texts() == ["AP", "P@10", "R@100"]

    page.get_by_role("combobox", name="Study").click()
    page.get_by_role("option", name="starter", exact=True).click()
    page.wait_for_url(re.compile("study=starter"))
    page.get_by_role("radio", name="AiP", exact=True).wait_for()
    settled(page)
    assert "AiP(alpha=0)" in label(page)


def test_a_study_that_is_not_there_is_explained(serve, visit, tmp_path):
    page = visit(serve(ESR_STUDY=str(tmp_path / "nothing")))
    page.get_by_role("heading", name="This study cannot be opened").wait_for()
    assert "there is no such study" in page.locator("code").inner_text()
    assert page.locator('[data-testid="stException"]').count() == 0


# ---------------------------------------------------------------- by eye, and what the eye would see first

@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_nothing_is_clipped_and_the_page_is_photographed(serve, visit, shots, scheme, width):
    page = visit(serve(), scheme, width, 1700)
    settled(page)
    for figure in page.locator(FIGURES).all():
        box = figure.bounding_box()
        texts = figure.locator(".gtitle, .annotation-text, .ytick text, .xtick text, .xtitle").all()
        assert len(texts) > 10
        for text in texts:
            inner = text.bounding_box()
            assert inner["x"] >= box["x"] - 1, text.text_content()
            assert inner["x"] + inner["width"] <= box["x"] + box["width"] + 1, text.text_content()
            assert inner["y"] >= box["y"] - 1, text.text_content()
            assert inner["y"] + inner["height"] <= box["y"] + box["height"] + 1, text.text_content()
    paper = page.evaluate("() => getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor")
    drawn = page.locator(f"{FIGURES} .main-svg").first.evaluate("svg => svg.style.background")
    assert paper == drawn == {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 21, 28)"}[scheme]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=shots / f"overview_{scheme}_{width}.png")
