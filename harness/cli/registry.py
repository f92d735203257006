"""`aclcts registry`: bundles in a folder for each product, with an index page."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import msgspec

from harness.cli.command import GOOD, Command, Context, add_json, print_json
from harness.results.registry import check_registry, file_bundle, filed
from reports.registry import write_index


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("registry", metavar="DIR", type=Path, help=say("cli.registry.folder"))
    parser.add_argument("bundles", metavar="BUNDLE", nargs="*", type=Path, help=say("cli.registry.bundles"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """File the bundles and write the index; what they show does not change the status."""
    _make_ready(options.registry, bool(options.bundles))
    for bundle in options.bundles:
        file_bundle(bundle, options.registry)
    entries = filed(options.registry)
    index = write_index(entries, options.registry)
    if options.json:
        print_json(msgspec.to_builtins([asdict(entry) for entry in entries]))
    else:
        print(index)
    return GOOD


def file_and_index(bundle: Path, registry: Path) -> Path:
    """File one bundle and write the index again; where the bundle is now."""
    _make_ready(registry, True)
    place = file_bundle(bundle, registry)
    write_index(filed(registry), registry)
    return place


def _make_ready(registry: Path, may_be_new: bool) -> None:
    """Give a new registry its index first: it says what the folder is, whatever happens then."""
    if not check_registry(registry) and may_be_new:
        write_index([], registry)


COMMAND = Command("registry", configure, run)
