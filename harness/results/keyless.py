"""Signing a bundle's manifest by an identity instead of a key, with Sigstore; needs the extra `sigstore`.

Signing goes to the network: an identity provider, a certificate authority, a public log. Verifying does
not: the root of trust is a file, or what the package and its cache have.
"""

from __future__ import annotations

import importlib
import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.results.errors import ResultsError

_WHERE = "sigstore"


@dataclass(frozen=True)
class Signatory:
    """Who must have signed: an address or a workflow, and the issuer that vouches for it."""

    identity: str
    issuer: str
    trust: Path | None = None
    """The root of trust as a `trusted_root.json`; None is the public one."""


def check_ready() -> None:
    """Raise ResultsError where signing cannot begin: no package, or nobody there to tell who signs."""
    oidc = _part("oidc")
    try:
        known = oidc.detect_credential()
    except oidc.IdentityError as error:
        raise ResultsError(_WHERE, f"this host's identity cannot be read ({_short(error)})") from None
    if known is None and not sys.stdin.isatty():
        raise ResultsError(
            _WHERE, "this host has no identity to sign with, and no terminal to ask for one; sign with a key"
        )


def sign_keyless(content: bytes) -> bytes:
    """A Sigstore bundle over the content, by the identity of this build server or of who answers the browser.

    ResultsError, one line, where the identity, the authority or the log refuses or cannot be reached.
    """
    oidc, models, signing = _part("oidc"), _part("models"), _part("sign")
    try:
        trust = models.ClientTrustConfig.production()
        raw = oidc.detect_credential()
        token = (
            oidc.IdentityToken(raw)
            if raw is not None
            else oidc.Issuer(trust.signing_config.get_oidc_url()).identity_token()
        )
        return signed_in(signing.SigningContext.from_trust_config(trust), token, content)
    except ResultsError:
        raise
    except Exception as error:
        # The package lets through what its parts raise: of the network, of tokens, of certificates.
        raise ResultsError(_WHERE, f"the bundle cannot be signed ({_short(error)})") from None


def signed_in(context: Any, token: Any, content: bytes) -> bytes:
    """The Sigstore bundle that a signing context makes for an identity token."""
    with context.signer(token) as signer:
        made: str = signer.sign_artifact(content).to_json()
    return made.encode()


def check_keyless(content: bytes, signature: bytes, by: Signatory) -> str:
    """Why the Sigstore bundle is not this signatory's over the content; nothing where it is.

    Works offline. ResultsError, one line, where the root of trust cannot be read.
    """
    models, verifying, policy = _part("models"), _part("verify"), _part("verify.policy")
    root = _root_of_trust(models, by.trust)
    try:
        bundle = models.Bundle.from_json(signature)
        verifier = verifying.Verifier(trusted_root=root)
        verifier.verify_artifact(content, bundle, policy.Identity(identity=by.identity, issuer=by.issuer))
    except Exception as error:
        # Whatever a hostile bundle makes the package raise, it does not verify.
        return _short(error)
    return ""


def _root_of_trust(models: Any, file: Path | None) -> Any:
    logging.getLogger("sigstore").setLevel(logging.ERROR)
    try:
        if file is None:
            return models.ClientTrustConfig.production(offline=True).trusted_root
        return models.TrustedRoot.from_file(str(file))
    except Exception as error:
        where = file if file is not None else _WHERE
        raise ResultsError(where, f"no root of trust can be read there ({_short(error)})") from None


def _part(name: str) -> Any:
    try:
        return importlib.import_module(f"sigstore.{name}")
    except ImportError:
        raise ResultsError(
            _WHERE, "signatures by identity need `pip install 'ascend-cts[sigstore]'`"
        ) from None


def _short(error: BaseException) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words[:200]
