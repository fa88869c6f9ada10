"""The papers, with BibTeX, so that every number can be cited."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """A paper: how it is called here, how people cite it, and its BibTeX entry."""

    key: str
    short: str
    bibtex: str


def _entry(kind: str, key: str, short: str, **fields: str) -> Reference:
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return Reference(key, short, f"@{kind}{{{key},\n{lines}\n}}")


REFERENCES = {r.key: r for r in (
    _entry("article", "ali2012esr", "Ali, Consens & Lalmas 2012",
           author="Ali, M. Sadek and Consens, Mariano P. and Lalmas, Mounia",
           title="Extended Structural Relevance Framework: A Framework for Evaluating Structured Document Retrieval",
           journal="Information Retrieval", volume="15", number="6", pages="558--590", year="2012"),
    _entry("article", "piwowarski2007prum", "Piwowarski, Gallinari & Dupret 2007",
           author="Piwowarski, Benjamin and Gallinari, Patrick and Dupret, Georges",
           title="Precision Recall with User Modeling ({PRUM}): Application to Structured Information Retrieval",
           journal="ACM Transactions on Information Systems", volume="25", number="1", year="2007"),
    _entry("article", "kazai2006xcg", "Kazai & Lalmas 2006",
           author="Kazai, Gabriella and Lalmas, Mounia",
           title="Extended Cumulated Gain Measures for the Evaluation of Content-Oriented {XML} Retrieval",
           journal="ACM Transactions on Information Systems", volume="24", number="4", pages="503--542", year="2006"),
    _entry("article", "arvola2010effort", "Arvola, Kekäläinen & Junkkari 2010",
           author="Arvola, Paavo and Kek{\\\"a}l{\\\"a}inen, Jaana and Junkkari, Marko",
           title="Expected Reading Effort in Focused Retrieval Evaluation",
           journal="Information Retrieval", volume="13", number="5", pages="460--484", year="2010"),
    _entry("inproceedings", "pehcevski2007focused", "Pehcevski & Thom 2007",
           author="Pehcevski, Jovan and Thom, James A.",
           title="Evaluating Focused Retrieval Tasks",
           booktitle="Proceedings of the SIGIR 2007 Workshop on Focused Retrieval", year="2007"),
    _entry("inproceedings", "kamps2008inex", "Kamps et al. 2008",
           author="Kamps, Jaap and Pehcevski, Jovan and Kazai, Gabriella and Lalmas, Mounia and Robertson, Stephen",
           title="{INEX} 2007 Evaluation Measures", booktitle="Focused Access to {XML} Documents, {INEX} 2007",
           series="LNCS", volume="4862", pages="24--33", publisher="Springer", year="2008"),
)}
