"""`aclcts verify`: judge a bundle anew, offline, with the code its producer used."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.command import Command, CommandError, Context, add_json, named, print_json
from harness.cli.findings import as_json, status, told
from harness.results.bundle import Verification, verify
from harness.results.keyless import Signatory
from harness.results.text import one_line


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("bundle", metavar="BUNDLE", type=Path, help=say("cli.verify.bundle"))
    parser.add_argument("--key", metavar="FILE", type=Path, help=say("cli.verify.key"))
    parser.add_argument("--identity", metavar="WHO", type=named, help=say("cli.verify.identity"))
    parser.add_argument("--issuer", metavar="URL", type=named, help=say("cli.verify.issuer"))
    parser.add_argument("--trust-root", metavar="FILE", type=Path, help=say("cli.verify.trust_root"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print what the bundle shows; BAD where a release cannot stand on it."""
    found = verify(options.bundle, context.contract, options.key, _signatory(options, context))
    if options.json:
        signature = {
            "signed": found.has_signature,
            "signature_checked": bool(found.signed),
            "identity": found.identity,
        }
        other = {"other_contract": found.other_contract, "target": found.manifest.target.label}
        print_json({"bundle": str(options.bundle), **signature, **other, **as_json(found.qualification)})
    else:
        print("\n".join(_facts(found, context)))
        print(told(found.qualification, context))
    return status(found.qualification)


def _signatory(options: argparse.Namespace, context: Context) -> Signatory | None:
    if options.identity and options.issuer:
        return Signatory(options.identity, options.issuer, options.trust_root)
    if options.identity or options.issuer or options.trust_root:
        raise CommandError(context.say("cli.verify.half"))
    return None


def _facts(found: Verification, context: Context) -> list[str]:
    say, made = context.say, found.manifest
    profiles = f"{' '.join(made.products)} {' '.join(made.forms)}"
    scope = say("cli.verify.chapters", chapters=", ".join(made.chapters)) if made.chapters else ""
    lines = [
        say(
            "cli.verify.made",
            target=one_line(made.target.label),
            profiles=one_line(profiles),
            cann=one_line(made.cann),
            tier=one_line(made.tier),
            when=f"{made.made:%Y-%m-%d %H:%M}",
        ),
        say("cli.verify.files", number=len(made.files)),
    ]
    if scope:
        lines.append(one_line(scope))
    if made.target.kind == "reference":
        lines.append(say("mark.reference"))
    if found.identity:
        lines.append(say("cli.verify.signed_by", who=one_line(found.identity)))
    elif found.signed:
        lines.append(say("cli.verify.signed"))
    else:
        lines.append(say("cli.verify.unchecked" if found.has_signature else "cli.verify.unsigned"))
    if found.other_contract:
        lines.append(say("cli.verify.other", theirs=made.contract.hash[:12], ours=context.contract.hash[:12]))
    return lines


COMMAND = Command("verify", configure, run)
