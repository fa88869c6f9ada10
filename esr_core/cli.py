"""The `esr` command: evaluate, validate, convert, explain, measures, app.

Exit codes: 0 done, 1 data refused, 2 wrong use. Errors are one line on stderr, never a traceback; progress goes
to stderr, and only on a terminal. Heavy modules are imported where they are needed: AP of plain TREC files must
not wait for pandas.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from esr_core import __version__
from esr_core.errors import EsrError, UsageError

if TYPE_CHECKING:
    from esr_core.study import Study


class _Parser(argparse.ArgumentParser):
    """Errors in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {_one_line(message)} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without "–" gets "?", not an error
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options) or 0)
    except EsrError as e:
        print(f"esr: {_one_line(str(e))}", file=sys.stderr)
        return e.exit_code
    except BrokenPipeError:  # `esr … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("esr: stopped", file=sys.stderr)
        return 130
    except MemoryError:
        print("esr: out of memory; evaluate fewer runs at once with --run", file=sys.stderr)
        return 1


def _one_line(text: str) -> str:
    """Names come from files and command lines: nothing in them may move the cursor or start a line."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("esr", description="Evaluate focused retrieval: documents, elements, passages, trees.")
    parser.add_argument("--version", action="version", version=f"esr {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)

    def command(name: str, function: Callable[[Any], Any], about: str, parts: bool = True,
                epilog: str | None = None) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about, epilog=epilog,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
        sub.set_defaults(command=function)
        if parts:
            _study_options(sub)
        return sub

    sub = command("evaluate", _evaluate, "Score runs with one or more measures.", epilog=(
        "examples:\n  esr evaluate demo_data/starter -m AiP -m 'AgP(score=F(beta=0.25))'\n"
        "  esr evaluate --qrels qrels.txt --runs run1.txt run2.txt -m AP -m P@10 --per-topic"))
    sub.add_argument("-m", "--measure", action="append", metavar="SPEC",
                     help="a measure string such as iP@0.01 (again for more; default: the study's own)")
    sub.add_argument("--per-topic", action="store_true", help="print every topic, not only the means")
    sub.add_argument("--missing", choices=("zero", "skip", "error"), default="zero",
                     help="an assessed topic without results is an empty list (zero), left out (skip) or an error")
    sub.add_argument("--format", choices=("table", "csv", "json", "latex"), default="table",
                     help="table (default), tidy csv, json with everything, latex")
    sub.add_argument("--engine", choices=("serial", "processes", "dask"), default="serial",
                     help="where to compute (default: serial, which is fast enough for most studies)")
    sub.add_argument("--scheduler", metavar="ADDRESS", help="address of a dask scheduler, with --engine dask")
    _output(sub)

    sub = command("explain", _explain, "Show a measure's formula with one topic's numbers, result by result.")
    sub.add_argument("-m", "--measure", required=True, metavar="SPEC")

    command("validate", _validate, "Say what a study holds, what is wrong with it, and which measures it can feed.")

    sub = command("convert", _convert, "Write a study as a folder of canonical tables.")
    sub.add_argument("--to", required=True, metavar="DIR", help="the new folder")
    sub.add_argument("--tables", choices=("parquet", "csv"), default="csv")

    sub = command("measures", _measures, "The catalogue: formula, parameters, reference, BibTeX.", parts=False)
    sub.add_argument("name", nargs="?", metavar="NAME", help="one measure in full")
    sub.add_argument("--format", choices=("table", "json", "markdown"), default="table")
    _output(sub)

    sub = command("app", _app, "Open the dashboard.", parts=False)
    sub.add_argument("study", nargs="?", metavar="STUDY", help="a study folder or .zip (default: the demo study)")
    sub.add_argument("--port", type=int, help="default: the first free one from 8501")
    sub.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    return parser


def _study_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("study", nargs="?", metavar="STUDY", help="a study folder or .zip")
    group = sub.add_argument_group("instead of, or added to, a study folder")
    group.add_argument("--qrels", "--assessments", nargs="+", action="extend", metavar="FILE", dest="assessments",
                       help="assessments in any known format")
    group.add_argument("--runs", nargs="+", action="extend", metavar="FILE", help="runs, one per file")
    group.add_argument("--documents", metavar="PATH", help="folder of documents, or a table of their elements")
    group.add_argument("--topics", metavar="FILE", dest="topics_file")
    group.add_argument("--navigation", metavar="FILE")
    group.add_argument("--routes", metavar="FILE")
    group.add_argument("--bep", metavar="FILE", help="best entry points")
    group.add_argument("--unit", choices=("characters", "utf-8 bytes"), help="what offsets count")
    group.add_argument("--outer-space", choices=("keep", "strip"),
                       help="does white space around a document's text count?")
    select = sub.add_argument_group("only some of it")
    select.add_argument("--run", nargs="+", action="extend", metavar="NAME", help="only these runs")
    select.add_argument("--topic", nargs="+", action="extend", metavar="ID", help="only these topics")


def _output(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of the terminal")


def _load(options: argparse.Namespace, select: bool = True) -> Study:
    from esr_core.loading import load

    if options.study is None and not (options.assessments or options.runs):
        raise UsageError("name a study folder, or give --qrels and --runs")
    study = load(options.study, runs=options.runs, assessments=options.assessments, documents=options.documents,
                 topics=options.topics_file, navigation=options.navigation, routes=options.routes, bep=options.bep,
                 unit=options.unit, outer_space=options.outer_space)
    if select and (options.run or options.topic):
        study = study.select(runs=options.run, topics=options.topic)
    return study


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as e:
        raise UsageError(f"{output}: cannot be written ({e.strerror})") from None


def _warn(warnings: Sequence[str]) -> None:
    for text in warnings:
        print(f"esr: warning: {_one_line(text)}", file=sys.stderr)


# ---------------------------------------------------------------- commands

def _evaluate(options: argparse.Namespace) -> None:
    from esr_core.evaluation import evaluate
    from esr_core.export import write
    from esr_core.measures import parse

    for spec in options.measure or ():
        parse(spec)  # a typing error should not wait for the data
    study = _load(options)
    executor = _engine(options)
    try:
        result = evaluate(study, options.measure, missing=options.missing, executor=executor, progress=_progress())
    finally:
        if executor is not None and not isinstance(executor, str):
            executor.shutdown()
    if options.format != "json":
        _warn(result.warnings)
    _write(write(result, options.format, options.per_topic), options.output)


def _engine(options: argparse.Namespace) -> Any:
    if options.engine != "dask":
        if options.scheduler:
            raise UsageError("--scheduler goes with --engine dask")
        return None if options.engine == "serial" else options.engine
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--engine dask needs the package 'distributed': pip install 'esr-explorer[dask]'") from None
    try:
        return Client(options.scheduler, timeout=10).get_executor()
    except OSError as e:
        raise UsageError(f"no dask scheduler answers at {options.scheduler} ({e})") from None


def _progress() -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if total > 1:
            end = "\r\033[K" if done == total else "\r"
            print(f"evaluating {done}/{total}", end=end, file=sys.stderr, flush=True)

    return show


def _explain(options: argparse.Namespace) -> None:
    if len(options.run or ()) != 1 or len(options.topic or ()) != 1:
        raise UsageError("explain needs one --run and one --topic")
    study = _load(options, select=False)
    print(study.explain(options.measure, options.run[0], options.topic[0]))


def _validate(options: argparse.Namespace) -> None:
    from esr_core.validation import report

    _write(report(_load(options)), None)


def _convert(options: argparse.Namespace) -> None:
    from esr_core.conversion import convert

    for file in convert(_load(options), Path(options.to), options.tables):
        print(file)


def _measures(options: argparse.Namespace) -> None:
    from esr_core import listing

    _write(listing.one(options.name, options.format) if options.name else listing.all_measures(options.format),
           options.output)


def _app(options: argparse.Namespace) -> int:
    import importlib.util
    import subprocess

    app = Path(__file__).resolve().parent.parent / "app.py"
    if not app.exists() or importlib.util.find_spec("streamlit") is None:
        raise UsageError("the dashboard is not here; run esr app from a checkout with 'pip install -e .'")
    environment = dict(os.environ)
    if options.study is not None:
        if not Path(options.study).exists():
            raise UsageError(f"there is no study {options.study}")
        environment["ESR_STUDY"] = str(Path(options.study).resolve())
    port = options.port or _free_port()
    # Headless, so that Streamlit neither asks for an e-mail address nor opens a window of its own.
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port),
               "--server.headless", "true"]
    server = subprocess.Popen(command, env=environment, cwd=app.parent)
    if not options.no_browser:
        _open_when_ready(port, server)
    try:
        return server.wait()
    except KeyboardInterrupt:
        server.wait()
        return 0


def _free_port() -> int:
    import socket

    for port in range(8501, 8600):
        with socket.socket() as s:
            try:
                s.bind(("localhost", port))
            except OSError:
                continue
            return port
    raise UsageError("no free port between 8501 and 8599; give one with --port")


def _open_when_ready(port: int, server: Any) -> None:
    """Show the page in the user's browser once the server answers."""
    import socket
    import time
    import webbrowser

    for _ in range(100):
        if server.poll() is not None:
            return
        with socket.socket() as s:
            s.settimeout(.5)
            if s.connect_ex(("localhost", port)) == 0:
                webbrowser.open(f"http://localhost:{port}")
                return
        time.sleep(.2)


if __name__ == "__main__":
    sys.exit(main())
