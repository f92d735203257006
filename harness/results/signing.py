"""Signing a bundle's manifest with an ed25519 key; needs the extra `sign`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.results.errors import ResultsError


def sign(content: bytes, key_file: Path) -> bytes:
    """The signature of the content by the private key in a PEM file; ResultsError where it is none."""
    serialization, ed25519 = _cryptography(key_file)
    try:
        key = serialization.load_pem_private_key(_read(key_file), password=None)
    except (ValueError, TypeError) as error:
        raise ResultsError(key_file, f"no private key without a password in PEM ({error})") from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise ResultsError(key_file, "no ed25519 key; make one with `openssl genpkey -algorithm ed25519`")
    signature: bytes = key.sign(content)
    return signature


def is_signed_by(content: bytes, signature: bytes, key_file: Path) -> bool:
    """Whether the signature is that of the public key in a PEM file; ResultsError where it is none."""
    serialization, ed25519 = _cryptography(key_file)
    from cryptography.exceptions import InvalidSignature

    try:
        key = serialization.load_pem_public_key(_read(key_file))
    except (ValueError, TypeError) as error:
        raise ResultsError(key_file, f"no public key in PEM ({error})") from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise ResultsError(key_file, "no ed25519 key")
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ResultsError(file, f"cannot be read ({error.strerror})") from None


def _cryptography(key_file: Path) -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise ResultsError(key_file, "signatures need `pip install 'ascend-cts[sign]'`") from None
    return serialization, ed25519
