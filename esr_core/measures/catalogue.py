"""Declarations: what a measure is called, takes, needs and cites. Computation stands beside them, as plain functions.

A measure is one decorated function in a module of this package:

    @measure("HP", title=…, formula=…, at=RANK, parameters=(ALPHA,), needs=("highlights", "places"), …)
    def hp(view: TextView, at: np.ndarray, *, alpha: float) -> np.ndarray: …

and appears at once in measure strings, the command line, the catalogue, the dashboard and the docs. The
function takes a view of the alignment, the cut-offs (where the measure has any) and its parameters, and returns
one row per result list: shape (lists, cut-offs), or (lists,) without cut-offs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from esr_core.errors import MeasureError, did_you_mean
from esr_core.measures.references import REFERENCES, Reference

if TYPE_CHECKING:
    from esr_core.alignment import Alignment

# ideals: a number of them (3), or a recall level (0.3); amount: any amount of relevance
RANK, LEVEL, IDEALS, AMOUNT = "rank", "level", "ideals", "amount"


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter with its range, default and help; sliders and pickers are made from it.

    `calls` names the catalogue section ("score") whose members are values of this parameter.
    `option_needs` are further needs of single values.
    """

    name: str
    help: str
    default: Any
    kind: str = "number"  # number | integer | choice | call
    low: float | None = None
    high: float | None = None
    above: float | None = None  # an open lower end
    choices: tuple[str, ...] = ()
    calls: str | None = None
    symbol: str = ""
    option_needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    below_needs: tuple[float, tuple[str, ...]] | None = None  # further needs of values below a number
    resolve: Callable[[Any], str] | None = None  # what the default "auto" means for a study

    @property
    def range(self) -> str:
        """For people: `0 … 1`, `1 …`, `a | b`."""
        if self.kind == "choice":
            return " | ".join(self.choices)
        if self.kind == "call":
            return " | ".join(SECTIONS[self.calls or ""])
        low = f"> {self.above:g}" if self.above is not None else f"{self.low:g}" if self.low is not None else "−∞"
        return f"{low} … {'' if self.high is None else f'{self.high:g}'}".rstrip()


@dataclass(frozen=True, eq=False)  # one object per name, so identity is equality
class Declaration:
    """Everything there is to say about a measure (or a document score, in section "score")."""

    name: str
    section: str
    family: str
    title: str
    summary: str
    formula: str
    reference: Reference
    equation: str
    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    at: str | None = None
    at_help: str = ""
    better: str = "higher"
    view: Callable[[Alignment, Mapping[str, Any]], Any] | None = None
    explain: Callable[..., Any] | None = None
    notes: Callable[..., list[str]] | None = None  # what the output should say besides the values
    pairs: bool = False  # works on pairs of results of one document: large lists are then computed in shares
    axes: tuple[str, str] = ("", "")

    def parameter(self, name: str) -> Parameter:
        for p in self.parameters:
            if p.name == name:
                return p
        raise KeyError(name)

    @property
    def usage(self) -> str:
        """How it is written with its defaults, as a template: `gP(score=F(beta=1),group=consecutive)@k`."""
        inside = ",".join(f"{p.name}={p.default}" for p in self.parameters)
        cut = {RANK: "@k", LEVEL: "@x", IDEALS: "@r", AMOUNT: "@r", None: ""}[self.at]
        return self.name + (f"({inside})" if inside else "") + cut


# "score" members can be used as score=; "effort" holds LE, the score that CE, NCE and ANCE add up.
SECTIONS: dict[str, dict[str, Declaration]] = {"measure": {}, "score": {}, "effort": {}, "navigation": {}}
# In the order of catalogue and pickers.
FAMILIES: dict[str, str] = {
    "Documents": "Whole documents, relevant or not: the measures of trec_eval.",
    "HiXEval": "Highlighted text: how much of what is read is relevant, and how much of what is relevant is read.",
    "Focused tasks": "A list of documents, each with its retrieved parts: generalised precision and recall.",
    "Reading effort": "What the reader spends: screenfuls read before relevant text is found; lower is better.",
    "XCG": "Extended cumulated gain: graded elements, against the best ranking there could be.",
    "PRUM": "Precision and recall with user modelling: a reader who navigates and wants some ideal elements.",
    "ESR": "Extended structural relevance: what is seen as a hit, nearly seen, or missed, with a reader who "
           "navigates.",
    "Navigation models": "Users: how likely a reader goes from one element to another.",
    "Document scores": "One document: what the retrieved parts are worth to its reader.",
}


def declare(section: str, name: str, *, family: str, reference: str, equation: str = "", **facts: Any
            ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the catalogue; the function itself stays as it is."""
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        assert name not in SECTIONS[section], f"{name} is declared twice"
        summary = " ".join((function.__doc__ or "").split())
        assert summary, f"{name} needs a docstring: it is the catalogue's text"
        assert family in FAMILIES, family
        SECTIONS[section][name] = Declaration(name, section, family, summary=summary, reference=REFERENCES[reference],
                                              equation=equation, function=function, **facts)
        return function
    return enter


def measure(name: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a measure of result lists."""
    return declare("measure", name, **facts)


def document_score(name: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a score of one document, for use as `score=`."""
    return declare("score", name, **facts)


def declarations(section: str | None = None) -> list[Declaration]:
    """Those of one section, or all (measures first), in the order of the families."""
    families, sections = list(FAMILIES), list(SECTIONS)
    found = [d for name, own in SECTIONS.items() if section in (None, name) for d in own.values()]
    return sorted(found, key=lambda d: (sections.index(d.section), families.index(d.family)))


def find(section: str, name: str) -> Declaration:
    """The declaration of that name, or an error that names the nearest one."""
    known = SECTIONS[section]
    if name in known:
        return known[name]
    what = {"measure": "measure", "score": "document score"}.get(section, section)
    if section == "measure" and name in SECTIONS["score"]:
        raise MeasureError(f"'{name}' is a document score, not a measure of lists; use it as AgP(score={name})")
    if name in SECTIONS["effort"]:
        raise MeasureError(f"'{name}' is the effort score of one document; CE, NCE and ANCE add it up over a list")
    raise MeasureError(f"no {what} '{name}'{_trec_name(name) or did_you_mean(name, known)}")


def _trec_name(name: str) -> str:
    """A hint for people who type trec_eval's names."""
    if name.lower() == "map":
        return "; did you mean 'AP'? Its mean over topics is MAP"
    found = re.fullmatch(r"(P|recall)_(\d+)", name)
    return f"; did you mean '{found[1][0].upper()}@{found[2]}'?" if found else ""
