"""Every published number of the golden file is claimed by a test, or by a reason why it cannot be computed."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
import test_esr
import test_focused_tasks
import test_prum
import test_reading_effort
import test_xcg

GOLDEN = Path(__file__).parents[2].parent / "shared" / "spec" / "golden" / "xcg_effort_focused.json"
ESR_PRUM = GOLDEN.with_name("esr_prum.json")
PAPERS = {"reading_effort": test_reading_effort, "focused_tasks": test_focused_tasks, "esr": test_esr, "xcg": test_xcg,
          "prum": test_prum}

pytestmark = pytest.mark.skipif(not GOLDEN.is_file(), reason=f"the golden numbers are not beside the project: {GOLDEN}")


def numbers(claims: dict) -> dict[int, str]:
    """Golden numbers, one by one; a claim may name a range."""
    return {n: what for claim, what in claims.items() for n in (claim if isinstance(claim, range) else [claim])}


@pytest.fixture(scope="module")
def records() -> list[dict]:
    entries = json.loads(ESR_PRUM.read_text(encoding="utf-8"))["entries"]
    return [*json.loads(GOLDEN.read_text(encoding="utf-8"))["records"],
            *({**entry, "location": f"{entry['paper']} {entry['location']}"} for entry in entries)]


@pytest.fixture(params=PAPERS.items(), ids=list(PAPERS))
def paper(request: pytest.FixtureRequest, records: list[dict]) -> tuple[ModuleType, dict[int, dict]]:
    """A module of tests and the golden records of its paper."""
    name, module = request.param
    return module, {r["id"]: r for r in records if r["location"].startswith(name)}


def test_every_number_is_claimed_once(paper: tuple[ModuleType, dict[int, dict]]) -> None:
    module, golden = paper
    assert golden, "no record of this paper"
    covered = numbers(module.COVERED).keys() - module.NOT_COMPUTABLE.keys()
    assert covered | module.NOT_COMPUTABLE.keys() == golden.keys()
    assert {n for n, r in golden.items() if r["match"] is None} == module.NOT_COMPUTABLE.keys()


def test_claims_name_tests(paper: tuple[ModuleType, dict[int, dict]]) -> None:
    module, _ = paper
    for name in set(numbers(module.COVERED).values()):
        assert callable(getattr(module, name, None)), f"there is no test {name}"
        assert name.startswith("test_")


def test_errata_have_tests_of_their_own(paper: tuple[ModuleType, dict[int, dict]]) -> None:
    module, golden = paper
    claims = numbers(module.COVERED)
    assert {n for n, r in golden.items() if r["match"] is False or r.get("erratum")} == {
        n for n, name in claims.items() if name.startswith("test_erratum_")}


@pytest.mark.parametrize(("name", "module"), [("ESR", test_esr), ("PRUM", test_prum)], ids=["ESR", "PRUM"])
def test_the_list_of_errata_has_tests(name: str, module: ModuleType) -> None:
    """Every erratum that esr_prum.json lists for the paper is shown by a test, or is a matter of wording alone."""
    listed = [e["location"] for e in json.loads(ESR_PRUM.read_text(encoding="utf-8"))["errata"] if e["paper"] == name]
    assert sorted(listed) == sorted([*module.ERRATA, *module.ERRATA_OF_WORDING])
    for test in module.ERRATA.values():
        assert callable(getattr(module, test, None)), f"there is no test {test}"
        assert test.startswith("test_erratum_")


def test_the_tables_in_the_tests_are_the_published_ones(paper: tuple[ModuleType, dict[int, dict]]) -> None:
    """What the test files call published is what the golden file calls so, number by number."""
    module, golden = paper
    assert {n: golden[n]["published"] for n in module.PUBLISHED} == module.PUBLISHED
    covered = numbers(module.COVERED).keys() - module.NOT_COMPUTABLE.keys()
    assert covered <= module.PUBLISHED.keys()
