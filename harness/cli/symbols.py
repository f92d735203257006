"""`aclcts symbols`: what a library lacks of the documents, and what it exports beyond them."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.binding import LibraryError, open_library
from harness.cli.command import GOOD, Command, CommandError, Context, add_json, print_json
from harness.cli.exports import exported_functions
from harness.device.target import library_path
from harness.isolation import ChildDied, ask_child

_DEADLINE_S = 60.0


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    parser.add_argument("--target", metavar="reference|cann|PATH", help=context.say("cli.target.help"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print both lists; they are facts, so the status is GOOD whatever they hold."""
    path, files, absent = _ask(str(library_path(options.target)), context)
    exported = {name for file in files for name in exported_functions(Path(file))}
    functions = context.contract.functions
    extra = sorted(name for name in exported if name.startswith("acl") and name not in functions)
    reserved = {name for name in absent if not functions[name].documented}
    missing = sorted(set(absent) - reserved)
    result = {
        "library": path,
        "files": files,
        "documented": sum(function.documented for function in functions.values()),
        "exported": len(exported & functions.keys()),
        "absent": missing,
        "undocumented": extra,
    }
    if options.json:
        print_json(result)
        return GOOD
    print(context.say("cli.symbols.summary", library=path, exported=result["exported"]))
    for key, names in (("cli.symbols.absent", missing), ("cli.symbols.undocumented", extra)):
        print(f"\n{context.say(key)} ({len(names)})")
        print(
            "\n".join(f"  {name}{_chapter(name, context)}" for name in names)
            or f"  {context.say('cli.none')}"
        )
    return GOOD


def _ask(path: str, context: Context) -> tuple[str, list[str], list[str]]:
    """Path, files and absent functions of a library, opened in a child, which a broken one may end."""

    def ask() -> dict[str, object]:
        try:
            library = open_library(path)
            return {
                "path": str(library.path),
                "files": [str(f) for f in library.files],
                "absent": sorted(library.absent),
            }
        except LibraryError as error:
            return {"error": str(error)}

    try:
        answer = ask_child(ask, _DEADLINE_S)
    except ChildDied as died:
        raise CommandError(context.say("cli.symbols.died", library=path, how=died)) from None
    if "error" in answer:
        raise LibraryError(answer["error"])
    return answer["path"], answer["files"], answer["absent"]


def _chapter(name: str, context: Context) -> str:
    function = context.contract.functions.get(name)
    return f"  ({function.doc})" if function is not None and function.doc else ""


COMMAND = Command("symbols", configure, run)
