"""``export-page``: the map of a word as one HTML file, which needs no server and no network."""

from __future__ import annotations

import argparse
from pathlib import Path

from elmo_tasks.commands.arguments import add_device
from elmo_tasks.commands.calibrate import add_no_calibration

HELP = "the map of a word as one HTML file that needs no server, or a worksheet to print"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("out", type=Path, metavar="OUT.html", help="file to write")
    parser.add_argument("--word", required=True, help="the word whose uses are drawn")
    parser.add_argument(
        "--text", type=Path, help="a text of your own (.txt, or .csv with a column sentence or text) that uses it, too"
    )
    parser.add_argument("--no-gallery", action="store_true", help="leave the program's example sentences out")
    parser.add_argument("--view", help='compare the uses by a layer ("1"), mean, words or both (default: the best)')
    parser.add_argument("--groups", type=int, help="so many groups (default: as many as the numbers say)")
    parser.add_argument("--worksheet", action="store_true", help="write a worksheet with answers, to print on A4")
    parser.add_argument("--model", help="name or folder of a model (default: the bundled one)")
    add_no_calibration(parser)
    add_device(parser)


def run(args: argparse.Namespace) -> int:
    """Draw the map, write the file."""
    from datetime import date

    from elmo_tasks.api import MapRequest
    from elmo_tasks.errors import DataError
    from elmo_tasks.files import write_whole
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.serving.session import Session
    from elmo_tasks.ui import offline_page, worksheet
    from elmo_tasks.wording import map_words

    try:
        text = "" if args.text is None else args.text.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{args.text}: expected UTF-8 text ({error})") from None
    session = Session(args.model, str(checked_device(args.device)), may_measure=not args.no_calibration)
    found = session.maps.sense_map(
        MapRequest(args.word, text, args.view, args.groups, not args.no_gallery, args.text.name if args.text else "")
    )
    if args.worksheet:
        page = worksheet.page(worksheet.of_map(found), session.models(), date.today())
    else:
        sentences = offline_page.story_of(found)
        comparison = session.compare(map_words.forms(found)[0], sentences) if len(sentences) > 1 else None
        page = offline_page.page(found, comparison, session.models(), date.today())
    write_whole(args.out, page)
    print(f"{args.out}: {found.verdict}")
    return 0
