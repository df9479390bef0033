"""The shell command `python -m sigbook`: compare systems on one test set, write an example to try it on, or
list which exercises are done."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys

import sigbook
from sigbook import reading, texts
from sigbook.compare import compare

EXAMPLES = """\
examples:
  python -m sigbook example demo
  python -m sigbook compare demo/terse.txt demo/flipped.txt --references demo/reference.txt
  python -m sigbook compare a.txt b.txt c.txt --references ref1.txt ref2.txt --documents docs.txt --metric chrf
  python -m sigbook compare --scores demo/aspects.csv --documents filing --json
  python -m sigbook compare - baseline.txt --references ref.txt < ours.txt

Texts have one segment per line, UTF-8; a table has a line of column names and one column of scores per system.
Exit status: 0 when the comparison was made, whatever it found; 2 for input that cannot be compared.
"""


PNG = b"\x89PNG\r\n\x1a\n"


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message):
        raise ValueError(f"{' '.join(message.split())} (see {self.prog} --help)")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = _parser().parse_args(arguments)
        options.run(options)
        sys.stdout.flush()
    except ValueError as error:
        print(f"sigbook: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has seen enough; without this, Python complains while it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("sigbook: stopped", file=sys.stderr)
        return 130
    return 0


def _parser():
    parser = _Parser(prog="python -m sigbook", allow_abbrev=False, description=__doc__, epilog=EXAMPLES,
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"sigbook {sigbook.__version__}")
    commands = parser.add_subparsers(required=True, metavar="compare | example | exercises")
    _add_compare(commands)
    example = commands.add_parser("example", allow_abbrev=False, help="write texts and a table to try it on",
                                  description="Write outputs of three summarizers with their references, and a table of "
                                              "two readers' right and wrong answers by filing, to a new folder.")
    example.add_argument("folder", help="the folder to make")
    example.set_defaults(run=_example)
    done = commands.add_parser("exercises", allow_abbrev=False, help="list which exercises are done",
                               description="List the book's exercises by chapter: how many are done, and which are not.")
    done.set_defaults(run=_exercises)
    return parser


def _add_compare(commands):
    command = commands.add_parser(
        "compare", allow_abbrev=False, help="is the gap between systems more than noise?", epilog=EXAMPLES,
        description="Compare two or more systems on the same segments: texts with references, or a table of scores.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("texts", nargs="*", metavar="TEXT", help="outputs of two or more systems; - is standard input")
    add("--references", nargs="+", metavar="FILE", help="one or more reference translations")
    add("--scores", metavar="CSV", help="a table with one column of scores per system, instead of texts")
    add("--systems", nargs="+", metavar="NAME", help="with --scores: the columns to compare (default: all); "
                                                     "with texts: what to call them")
    add("--documents", metavar="FILE", help="a file with the document of each segment; with --scores, a column")
    add("--metric", choices=texts.NAMES, help="for texts (default: bleu)")
    add("--tokenize", metavar="NAME", help="sacreBLEU's tokenizer for BLEU (default: 13a)")
    add("--lower-is-better", action="store_true", default=None, help="with --scores: such as error rates")
    add("--against", metavar="NAME", help="compare all with this system only ('first': the first named)")
    add("--at-gap", type=float, metavar="GAP", help="print the power at this true gap (0.005 is half a BLEU point)")
    add("--draws", type=int, default=10_000, metavar="N", help="swaps and resamples (default: 10000)")
    add("--seed", type=int, default=0, metavar="N", help="of the draws (default: 0)")
    add("--level", type=float, default=0.95, metavar="SHARE",
        help="of the intervals; the tests' level is 1 minus it (default: 0.95)")
    faces = command.add_mutually_exclusive_group()
    for face, what in (("json", "every number as JSON"), ("markdown", "Markdown"), ("html", "a page of HTML")):
        faces.add_argument(f"--{face}", dest="face", action="store_const", const=face, help=f"print {what}")
    add("--picture", metavar="PNG", help="write the picture of the gaps to this file; an earlier picture there is "
                                         "replaced, no other file is")
    command.set_defaults(run=_compare, face="text")


def _compare(options):
    shared = {"documents": options.documents, "against": options.against, "lower_is_better": options.lower_is_better,
              "draws": options.draws, "seed": options.seed, "level": options.level, "at_gap": options.at_gap,
              "metric": options.metric, "references": options.references, "tokenize": options.tokenize,
              "progress": sys.stderr.isatty()}
    picture = None if options.picture is None else _place_of_picture(options.picture)
    if options.scores is None and not options.texts:
        raise ValueError("no outputs: name two or more texts before the options, or a table by --scores")
    if options.scores is None:
        if options.systems is not None and len(options.systems) != len(options.texts):
            raise ValueError(f"--systems: one name for each of {len(options.texts)} texts is needed; got "
                             f"{', '.join(map(repr, options.systems))}")
        report = compare(*options.texts, names=options.systems, **shared)
    elif options.texts:
        raise ValueError(f"{reading.called(options.texts[0])}: texts and --scores exclude each other")
    else:
        report = compare(*options.systems or (), scores=options.scores, **shared)
    if picture is not None:
        from sigbook import figures

        _write(picture, figures.png(report.picture()))
    print(_page(report) if options.face == "html" else getattr(report, options.face)(), end="")


def _place_of_picture(name) -> pathlib.Path:
    """Where the picture may go: to a new file, or in the place of an earlier PNG picture."""
    path, called = pathlib.Path(name), reading.called(name)
    if os.path.isdir(path):
        raise ValueError(f"{called}: a directory; the name of a file for the picture is needed")
    try:
        with path.open("rb") as file:
            found = file.read(len(PNG))
    except FileNotFoundError:
        return path
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise ValueError(f"{called}: cannot be written ({getattr(error, 'strerror', None) or error})") from None
    if found != PNG:
        raise ValueError(f"{called}: there already, and not a PNG picture; another name for the picture is needed")
    return path


STYLE = """\
body { font-family: sans-serif; line-height: 1.4; margin: 2em auto; max-width: 60em; padding: 0 1em; }
h1, h2 { font-size: 1em; margin: 1em 0; }
.wide { margin: 1em 0; overflow-x: auto; }
table { border-collapse: collapse; }
caption { font-weight: bold; text-align: left; }
th, td { padding: 0.15em 1em 0.15em 0; text-align: left; }"""


def _page(report) -> str:
    """A whole page of HTML with the report and its picture."""
    import html

    from sigbook import figures

    title = html.escape(" and ".join(report.names))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>\n{STYLE}\n</style></head><body><main>\n'
        f"{report.html(page=True)}{figures.image_tag(report.picture(), report.sentence)}\n</main></body></html>\n"
    )


def _example(options):
    from sigbook import data
    from sigbook.worlds import filings

    folder, world = pathlib.Path(options.folder), filings.load()
    if os.path.lexists(folder):
        raise ValueError(f"{reading.called(folder)}: there is such a file or folder; a new one is needed")
    files = {f"{name}.txt": world.summaries[name] for name in ("writer", "terse", "flipped")}
    files["reference.txt"] = world.references
    aspects = data.read_csv("aspects/right.csv.gz")
    columns = ("filing", "lexicon", "specialist")
    files["aspects.csv"] = [",".join(columns), *(",".join(map(str, row)) for row in zip(*map(aspects.get, columns)))]
    for name, rows in files.items():
        _write(folder / name, "".join(f"{row}\n" for row in rows).encode())
    print(f"{reading.called(folder)}: {', '.join(files)}")


def _exercises(options):
    from sigbook import exercises

    print(exercises.done())


def _write(path, content: bytes):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise ValueError(f"{reading.called(path)}: cannot be written ({error.strerror or error})") from None


if __name__ == "__main__":
    sys.exit(main())
