"""Bundles: what a release stands on in one file that anybody can verify (docs/qualification.md).

A bundle is a zip with a manifest that names every other file with its SHA-256. `verify` judges what is in it
anew, with the code that the producer used; nothing of what the manifest states is believed.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from harness.contract import Contract
from harness.results.archive import Archive, is_archive, open_archive, packed
from harness.results.errors import ResultsError
from harness.results.files import write_whole
from harness.results.keyless import Signatory, check_keyless, sign_keyless
from harness.results.mustpass import ids_of, list_name, list_text, must_pass_rules
from harness.results.qualification import (
    Finding,
    Qualification,
    Scope,
    changed_rules,
    qualify,
    state_of,
)
from harness.results.reader import Run, parse_run, read_run
from harness.results.records import ContractInfo, TargetInfo
from harness.results.signing import is_signed_by, sign
from harness.results.store import FILE_NAME
from harness.results.verdicts import Verdict
from harness.results.waivers import Waivers, parse_waivers

FORMAT = 1
"""The version of bundles that this harness makes and verifies."""

MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
KEYLESS = "manifest.sigstore.json"
SIGNATURES = frozenset({SIGNATURE, KEYLESS})
"""What a bundle may have beside what its manifest names."""

PLAN = "plan.txt"
WAIVERS = "waivers.toml"
LISTS = "mustpass"


class _Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    pass


class Entry(_Part):
    """One file of a bundle."""

    sha256: str
    size: Annotated[int, Meta(ge=0)]


class Manifest(_Part):
    """What a bundle states about itself; `verify` finds out whether it is true."""

    bundle: int
    made: datetime
    harness: str
    target: TargetInfo
    contract: ContractInfo
    products: list[str]
    forms: list[str]
    cann: str
    driver: str
    chapters: list[str]
    tier: str
    rounds: Annotated[int, Meta(ge=1)]
    scrubbed: bool
    state: str
    required: int
    held: int
    waived: int
    blocked: int
    files: dict[str, Entry]


class _Peek(msgspec.Struct):
    bundle: int


@dataclass
class Verification:
    """What verifying a bundle gave. `signed` is None where it has no signature or none was asked for;
    `identity` is who was found to have signed it without a key.
    """

    manifest: Manifest
    qualification: Qualification
    signed: bool | None = None
    identity: str = ""
    has_signature: bool = False
    other_contract: bool = False
    runs: list[Run] = field(default_factory=list)


def results_name(number: int) -> str:
    """The name of the results of the round of that number, from 1."""
    return f"rounds/{number}/{FILE_NAME}"


def contents(
    rounds: Sequence[bytes],
    plan: Sequence[str],
    contract: Contract,
    waivers: bytes | None = None,
    others: Mapping[str, bytes] | None = None,
) -> dict[str, bytes]:
    """The files of a bundle but for its manifest; `rounds` are results files, `others` go in as they are."""
    files = dict(others or {})
    files[PLAN] = "".join(f"{item}\n" for item in plan).encode()
    if waivers is not None:
        files[WAIVERS] = waivers
    for number, content in enumerate(rounds, start=1):
        files[results_name(number)] = content
    run = parse_run(Path(results_name(1)), io.BytesIO(rounds[0]))
    scope = Scope.of(run, contract)
    for product, form in scope.profiles:
        rules = must_pass_rules(contract, product, form, scope.cann)
        files[f"{LISTS}/{list_name(product, form, scope.cann)}"] = list_text(rules).encode()
    return files


def write_bundle(
    path: Path,
    files: Mapping[str, bytes],
    contract: Contract,
    *,
    harness: str,
    made: datetime,
    scrubbed: bool = False,
    key_file: Path | None = None,
    keyless: bool = False,
) -> Verification:
    """Judge the files, add manifest and signature, and write the bundle; what verifying it gives.

    Raises ResultsError, one line, where a file of the run cannot be read, the bundle not be written, or, with
    `keyless`, not be signed by an identity: then the bundle is there without that signature.
    """
    runs = [parse_run(path / name, io.BytesIO(files[name])) for name in _rounds_of(files, path)]
    judged = _judge(runs, files, contract, path)
    header = runs[0].header
    scope = Scope.of(runs[0], contract)
    manifest = Manifest(
        bundle=FORMAT,
        made=made,
        harness=harness,
        target=header.target,
        contract=header.contract,
        products=header.products,
        forms=header.forms,
        cann=header.cann,
        driver=str(header.environment.get("driver", "")),
        chapters=list(scope.chapters),
        tier=str(header.options.get("tier", "full")),
        rounds=len(runs),
        scrubbed=scrubbed,
        state=judged.state.value,
        required=judged.required,
        held=judged.held,
        waived=judged.waived,
        blocked=judged.blocked,
        files={
            name: Entry(sha256=hashlib.sha256(content).hexdigest(), size=len(content))
            for name, content in sorted(files.items())
        },
    )
    stated = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    whole = {**files, MANIFEST: stated}
    if key_file is not None:
        whole[SIGNATURE] = sign(stated, key_file)
    write_whole(path, packed(whole), "the bundle")
    if keyless:
        try:
            whole[KEYLESS] = sign_keyless(stated)
        except ResultsError as error:
            raise ResultsError(path, f"is there, but unsigned: {error}") from None
        write_whole(path, packed(whole), "the bundle")
    return verify(path, contract)


def read_manifest(archive: Archive) -> Manifest:
    """The manifest of a bundle; ResultsError where there is none that this harness reads."""
    content = archive.read(MANIFEST)
    try:
        version = msgspec.json.decode(content, type=_Peek).bundle
        if version != FORMAT:
            raise ResultsError(archive.path, f"a bundle of format {version}; this harness reads {FORMAT}")
        return msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ResultsError(archive.path, f"{MANIFEST} is broken: {error}") from None


def verify(
    path: Path, contract: Contract, key_file: Path | None = None, signatory: Signatory | None = None
) -> Verification:
    """Verify a bundle by this contract, and with a public key or a signatory its signature.

    Raises ResultsError, one line, for what is no bundle, is not safe to unpack, was changed, or does not bear
    the signature of the key or the signatory. Everything that results can lack is a finding of the judgement.
    """
    with open_archive(path) as archive:
        manifest = read_manifest(archive)
        _check_files(archive, manifest)
        signed = _check_signature(archive, key_file)
        if signatory is not None:
            signed = _check_signatory(archive, signatory)
        names = _rounds_of(manifest.files, path)
        runs = [parse_run(path / name, archive.lines(name)) for name in names]
        small = {name: archive.read(name) for name in manifest.files if name not in names}
        judged = _judge(runs, small, contract, path)
        _compare_with_stated(judged, manifest, runs)
        judged.state = state_of(judged.findings)
        return Verification(
            manifest,
            judged,
            signed,
            identity=signatory.identity if signatory is not None else "",
            has_signature=not SIGNATURES.isdisjoint(archive.names),
            other_contract=manifest.contract.hash != contract.hash,
            runs=runs,
        )


def open_results(path: Path) -> Run:
    """The run in a results folder, a results file or a bundle, of which it is the first round."""
    if not is_archive(path):
        return read_run(path)
    with open_archive(path) as archive:
        manifest = read_manifest(archive)
        _check_files(archive, manifest)
        return parse_run(path, archive.lines(results_name(1)))


def _check_files(archive: Archive, manifest: Manifest) -> None:
    there = set(archive.names) - {MANIFEST} - SIGNATURES
    for name in sorted(there - manifest.files.keys()):
        raise ResultsError(archive.path, f"{name} is not in its manifest; the bundle was changed")
    for name, entry in manifest.files.items():
        if name not in there:
            raise ResultsError(archive.path, f"{name} of its manifest is missing; the bundle was changed")
        if archive.digest(name) != (entry.sha256, entry.size):
            raise ResultsError(
                archive.path, f"{name} is not what its manifest says (SHA-256); the bundle was changed"
            )


def _check_signature(archive: Archive, key_file: Path | None) -> bool | None:
    if key_file is None:
        return None
    if SIGNATURE not in archive.names:
        raise ResultsError(archive.path, "is not signed")
    if not is_signed_by(archive.read(MANIFEST), archive.read(SIGNATURE), key_file):
        raise ResultsError(archive.path, f"its signature is not that of {key_file}")
    return True


def _check_signatory(archive: Archive, signatory: Signatory) -> bool:
    if KEYLESS not in archive.names:
        raise ResultsError(archive.path, "is not signed by an identity")
    why = check_keyless(archive.read(MANIFEST), archive.read(KEYLESS), signatory)
    if why:
        raise ResultsError(archive.path, f"its signature is not that of {signatory.identity} ({why})")
    return True


def _rounds_of(files: Mapping[str, object], path: Path) -> list[str]:
    names: list[str] = []
    while (name := results_name(len(names) + 1)) in files:
        names.append(name)
    if not names:
        raise ResultsError(path, f"has no {results_name(1)}")
    return names


def _judge(runs: Sequence[Run], files: Mapping[str, bytes], contract: Contract, path: Path) -> Qualification:
    """The judgement over all rounds: each must have everything, and none may change a verdict of another."""
    plan = files.get(PLAN, b"").decode("utf-8", "replace").splitlines()
    scope = Scope.of(runs[0], contract)
    judged = Qualification()
    for run in runs:
        waivers = None
        if WAIVERS in files:
            header = run.header
            entries = parse_waivers(files[WAIVERS], path / WAIVERS, contract)
            driver = str(header.environment.get("driver", ""))
            waivers = Waivers(entries, header.started.date(), driver)
        one = qualify(run, scope, contract, plan, waivers)
        if run is runs[0]:
            judged = one
        else:
            # What is wrong in several rounds is told once.
            judged.findings = list(dict.fromkeys([*judged.findings, *one.findings]))
    judged.findings += _unstable(runs)
    for product, form in scope.profiles:
        name = f"{LISTS}/{list_name(product, form, scope.cann)}"
        now = [rule.id for rule in must_pass_rules(contract, product, form, scope.cann)]
        before = ids_of(files.get(name, b"").decode("utf-8", "replace"))
        judged.findings += changed_rules(before, now, f"{product}-{form}")
    judged.state = state_of(judged.findings)
    return judged


def _unstable(runs: Sequence[Run]) -> list[Finding]:
    seen: dict[str, list[Verdict]] = {}
    for run in runs:
        for case in run.cases:
            verdicts = seen.setdefault(case.id, [])
            if case.verdict not in verdicts:
                verdicts.append(case.verdict)
    return [
        Finding("unstable", case_id, detail=", ".join(verdict.value for verdict in verdicts))
        for case_id, verdicts in seen.items()
        if len(verdicts) > 1
    ]


def _compare_with_stated(judged: Qualification, manifest: Manifest, runs: Sequence[Run]) -> None:
    """The manifest repeats what the files give, so that a reader of it alone is not misled."""
    header = runs[0].header
    stated = {
        "state": (manifest.state, judged.state.value),
        "held": (manifest.held, judged.held),
        "required": (manifest.required, judged.required),
        "waived": (manifest.waived, judged.waived),
        "blocked": (manifest.blocked, judged.blocked),
        "rounds": (manifest.rounds, len(runs)),
        "target": (manifest.target, header.target),
        "contract": (manifest.contract, header.contract),
        "products": (manifest.products, header.products),
        "forms": (manifest.forms, header.forms),
        "cann": (manifest.cann, header.cann),
    }
    for name, (said, found) in stated.items():
        if said != found:
            judged.findings.append(Finding("misstated", name, detail=f"{said} / {found}"))
