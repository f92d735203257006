"""Signatures by identity: Sigstore's own signer and verifier, with an authority and a log of this process.

Needs the extra `sigstore`; without it these tests are skipped.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sigstore")

from harness.cli import main
from harness.results import ResultsError, bundle
from harness.results.bundle import KEYLESS, write_bundle
from harness.results.keyless import sign_keyless, signed_in
from tests.fakes.authority import Authority

from .test_bundle import CONTRACT, MADE, changed, contents, good_cases, results

WHO, ISSUER = "release@example.com", "https://issuer.example"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Authority, Path]:
    made = Authority()
    return made, made.write_root(tmp_path_factory.mktemp("trust") / "trusted_root.json")


@pytest.fixture
def signed(tmp_path: Path, authority: tuple[Authority, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle that the authority has signed for somebody."""
    made, _ = authority

    def sign(content: bytes) -> bytes:
        return signed_in(made.context(), made.token(WHO, ISSUER), content)

    monkeypatch.setattr(bundle, "sign_keyless", sign)
    return written(tmp_path / "b.zip", keyless=True)


def written(path: Path, **more: Any) -> Path:
    cases = good_cases()
    files = contents([results(cases)], [case.id for case in cases], CONTRACT)
    write_bundle(path, files, CONTRACT, harness="0.1.0", made=MADE, **more)
    return path


def verify(path: Path, root: Path, who: str = WHO, issuer: str = ISSUER) -> int:
    words = ["--identity", who, "--issuer", issuer, "--trust-root", str(root), "--lang", "en"]
    return main(["verify", str(path), *words])


def test_a_bundle_is_that_of_who_signed_it(
    signed: Path, authority: tuple[Authority, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(signed, authority[1]) == 0
    assert f"signed by {WHO}\n" in capsys.readouterr().out
    assert main(["verify", str(signed), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["signed"], told["signature_checked"], told["identity"]) == (True, False, "")


@pytest.mark.parametrize(
    ("who", "issuer"), [("other@example.com", ISSUER), (WHO, "https://other.example")], ids=["who", "issuer"]
)
def test_it_is_nobody_elses(
    signed: Path,
    authority: tuple[Authority, Path],
    capsys: pytest.CaptureFixture[str],
    who: str,
    issuer: str,
) -> None:
    assert verify(signed, authority[1], who, issuer) == 2
    assert f"b.zip: its signature is not that of {who} (" in refusal(capsys)


def test_another_authority_does_not_vouch(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Authority().write_root(tmp_path / "other.json")
    assert verify(signed, other) == 2
    assert "its signature is not that of" in refusal(capsys)


def test_a_changed_manifest_is_not_what_was_signed(
    signed: Path, authority: tuple[Authority, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    content = manifest(signed).replace(b'"0.1.0"', b'"0.1.1"')
    changed(signed, bundle.MANIFEST, content)
    assert verify(signed, authority[1]) == 2
    assert "its signature is not that of" in refusal(capsys)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1", b'{"mediaType":"x"}'], ids=repr)
def test_what_is_no_signature_is_one_line(
    signed: Path, authority: tuple[Authority, Path], capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    changed(signed, KEYLESS, content)
    assert verify(signed, authority[1]) == 2
    assert "its signature is not that of" in refusal(capsys)


def test_an_unsigned_bundle_is_nobodys(
    tmp_path: Path, authority: tuple[Authority, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(written(tmp_path / "b.zip"), authority[1]) == 2
    assert "is not signed by an identity" in refusal(capsys)


def test_a_root_of_trust_that_is_none_is_one_line(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "root.json").write_text("{}")
    assert verify(signed, tmp_path / "root.json") == 2
    assert "root.json: no root of trust can be read there" in refusal(capsys)


def test_half_an_identity_is_no_check(signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(signed), "--identity", WHO, "--lang", "en"]) == 2
    assert "checked with both --identity and --issuer" in refusal(capsys)


def test_a_signature_that_fails_leaves_the_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(content: bytes) -> bytes:
        raise ResultsError("sigstore", "nobody answers")

    monkeypatch.setattr(bundle, "sign_keyless", fail)
    with pytest.raises(ResultsError, match=r"b\.zip: is there, but unsigned: sigstore: nobody answers"):
        written(tmp_path / "b.zip", keyless=True)
    assert main(["verify", str(tmp_path / "b.zip")]) == 0


def test_no_identity_is_known_before_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sigstore import oidc

    monkeypatch.setattr(oidc, "detect_credential", lambda: None)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert main(["qualify", "--sigstore"]) == 2
    assert "this host has no identity to sign with" in refusal(capsys)


def test_a_service_that_refuses_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from sigstore import models

    def refuse() -> None:
        raise RuntimeError("no\nroute to host")

    monkeypatch.setattr(models.ClientTrustConfig, "production", refuse)
    with pytest.raises(ResultsError, match=r"^sigstore: the bundle cannot be signed \(no route to host\)$"):
        sign_keyless(b"")


def refusal(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def manifest(path: Path) -> bytes:
    with zipfile.ZipFile(path) as file:
        return file.read(bundle.MANIFEST)
