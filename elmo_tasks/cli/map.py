"""``map``: the sense map of a word, as HTML, as a table, or as a list."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from elmo_tasks.cli.arguments import add_device, add_model, add_no_calibration, lines_of
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_write

HELP = "the sense map of a word: its uses in the dictionary and in your own text, by meaning"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("word", help="one word; its inflections count")
    own = parser.add_mutually_exclusive_group()
    text = "text or table with uses of the word; a second text is compared with the first"
    own.add_argument("--text", action="append", type=Path, metavar="FILE", help=text)
    own.add_argument(
        "--uses", nargs="+", metavar="SENTENCE", help="sentences with the word, in place of a file"
    )
    parser.add_argument(
        "--no-examples", action="store_true", help="leave out the examples of the dictionary"
    )
    parser.add_argument(
        "--index", type=Path, help="folder that `index` wrote, whose uses are on the map, too"
    )
    parser.add_argument(
        "--view", help="meanings (the default), the name of a layer, mean, or words"
    )
    add_model(parser)
    add_device(parser)
    add_no_calibration(parser)
    parser.add_argument(
        "--html",
        type=Path,
        metavar="OUT.html",
        help="write the map as one file that needs no server",
    )
    parser.add_argument(
        "--csv", type=Path, metavar="OUT.csv", help="write all uses with their places and meanings"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the answer of the /sense_map endpoint"
    )


def run(args: argparse.Namespace) -> int:
    """Draw the map, write the files, and print its meanings and uses."""
    from elmo_tasks.api import MapRequest
    from elmo_tasks.senses.use_index import UseIndex
    from elmo_tasks.service.loaded_models import LoadedModels
    from elmo_tasks.service.sense_maps import UseCache, sense_map

    files: list[Path] = args.text or []
    if len(files) > 2:
        raise ConfigError(f"--text: expected one file or two, found {len(files)}")
    text, text_b = [*("\n".join(lines_of(str(file))) for file in files), "", ""][:2]
    request = MapRequest(
        args.word,
        text="\n".join(args.uses) if args.uses else text,
        view=args.view,
        examples=not args.no_examples,
        name=files[0].name if files else "",
        index=args.index is not None,
        text_b=text_b,
    )
    models = LoadedModels(
        model=args.model, device=args.device, others=(), may_measure=not args.no_calibration
    )
    index = UseIndex(args.index) if args.index is not None else None
    answer = sense_map(request, models.model(), UseCache(), index)
    if args.html is not None or args.csv is not None:
        from elmo_tasks.ui import map_tab

        if args.html is not None:
            atomic_write(args.html, map_tab.file_of(answer, ())[1])
        if args.csv is not None:
            # the byte order mark tells spreadsheets that the file is UTF-8
            atomic_write(args.csv, "\ufeff" + map_tab.csv_text(answer))
    if args.json:
        print(json.dumps(answer.to_dict(), ensure_ascii=False))
        return 0
    print(answer.message)
    for group in answer.groups:
        print(f"\n{group.letter}  {group.name}: {group.n_uses}")
        for use in answer.uses:
            if use.group is not None and answer.groups[use.group] is group and use.own:
                unsure = "" if use.is_sure else "  (unsure)"
                before, word, after = use.use.parts
                print(f"   {before}[{word}]{after}{unsure}")
    return 0
