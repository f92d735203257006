"""A certificate authority and a log as Sigstore has them, in this process and with keys of their own.

What they issue is verified by Sigstore's own verifier, given the root of trust that `write_root` writes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jwt
import rfc8785
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from sigstore._internal.rekor.client import RekorClient
from sigstore.models import TransparencyLogEntry, TrustedRoot
from sigstore.oidc import IdentityToken
from sigstore.sign import SigningContext

_ISSUER = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_TIMESTAMPS = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_SHA256_ECDSA = bytes((4, 3))
_ORIGIN = "log.example"


class Key:
    """A P-256 key, and how others know it."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.public = self.private.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.id = hashlib.sha256(self.public).digest()

    def sign(self, content: bytes) -> bytes:
        return self.private.sign(content, ec.ECDSA(hashes.SHA256()))


class Authority:
    """Issues certificates for identities and logs them, as long as this process lives."""

    def __init__(self) -> None:
        self._ca, self._certificates, self._log = Key(), Key(), Key()
        self._now = datetime.now(timezone.utc).replace(microsecond=0)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority")])
        self._root = (
            self._dated(name, name, self._ca.private.public_key(), timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(certificates=True), critical=True)
            .sign(self._ca.private, hashes.SHA256())
        )

    def context(self) -> SigningContext:
        """What signs for a token of `token`."""
        fulcio: Any = SimpleNamespace(signing_cert=SimpleNamespace(post=self._issue))
        return SigningContext(fulcio=fulcio, rekor=_Log(self._log), trusted_root=self._trusted)

    @staticmethod
    def token(identity: str, issuer: str) -> IdentityToken:
        """An identity token; nobody but an authority checks who has made one."""
        now = datetime.now(timezone.utc)
        claims = {
            "iss": issuer,
            "sub": identity,
            "aud": "sigstore",
            "iat": now,
            "exp": now + timedelta(hours=1),
        }
        return IdentityToken(jwt.encode(claims, "k" * 32, "HS256"))

    def write_root(self, file: Path) -> Path:
        """The root of trust as the file that `--trust-root` takes."""
        key = "PKIX_ECDSA_P256_SHA_256"
        valid = {"start": (self._now - timedelta(days=1)).isoformat().replace("+00:00", "Z")}

        def log(of: Key) -> dict[str, Any]:
            public = {"rawBytes": _text(of.public), "keyDetails": key, "validFor": valid}
            about = {"baseUrl": "https://log.example", "hashAlgorithm": "SHA2_256"}
            return {**about, "publicKey": public, "logId": {"keyId": _text(of.id)}}

        chain = [{"rawBytes": _text(self._root.public_bytes(serialization.Encoding.DER))}]
        authority = {
            "subject": {"organization": "example", "commonName": "an authority"},
            "uri": "https://authority.example",
            "certChain": {"certificates": chain},
            "validFor": valid,
        }
        stated = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self._log)],
            "certificateAuthorities": [authority],
            "ctlogs": [log(self._certificates)],
            "timestampAuthorities": [],
        }
        file.write_text(json.dumps(stated))
        self._trusted = TrustedRoot.from_file(str(file))
        return file

    def _dated(self, subject: x509.Name, issuer: x509.Name, key: Any, span: timedelta) -> Any:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - timedelta(minutes=1))
            .not_valid_after(self._now + span)
        )

    def _issue(self, request: x509.CertificateSigningRequest, token: IdentityToken) -> SimpleNamespace:
        """A certificate for the token's identity, with the promise of the log of certificates in it."""
        root = self._root.public_key()
        assert isinstance(root, ec.EllipticCurvePublicKey)
        builder = (
            self._dated(x509.Name([]), self._root.subject, request.public_key(), timedelta(minutes=10))
            .add_extension(_usage(certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root), critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.RFC822Name(token.identity)]), critical=True)
            .add_extension(x509.UnrecognizedExtension(_ISSUER, token.issuer.encode()), critical=False)
        )
        unlogged = builder.sign(self._ca.private, hashes.SHA256()).tbs_certificate_bytes
        promise = x509.UnrecognizedExtension(_TIMESTAMPS, self._promise(unlogged))
        signed = builder.add_extension(promise, critical=False).sign(self._ca.private, hashes.SHA256())
        made = x509.load_der_x509_certificate(signed.public_bytes(serialization.Encoding.DER))
        return SimpleNamespace(cert=made, chain=[self._root])

    def _promise(self, unlogged: bytes) -> bytes:
        """The timestamp of the log of certificates as a certificate holds it (RFC 6962)."""
        moment = int(self._now.timestamp() * 1000)
        entry = self._ca.id + len(unlogged).to_bytes(3, "big") + unlogged
        signature = self._certificates.sign(struct.pack("!BBQH", 0, 0, moment, 1) + entry + bytes(2))
        stamp = struct.pack("!B32sQH", 0, self._certificates.id, moment, 0)
        stamp += _SHA256_ECDSA + struct.pack("!H", len(signature)) + signature
        listed = struct.pack("!HH", len(stamp) + 2, len(stamp)) + stamp
        return (
            bytes((4, len(listed))) + listed if len(listed) < 128 else bytes((4, 0x81, len(listed))) + listed
        )


class _Log(RekorClient):
    """A log of one entry: the last one it was given."""

    def __init__(self, key: Key) -> None:
        self._key = key

    def create_entry(self, request: Any) -> TransparencyLogEntry:
        body = rfc8785.dumps(request)
        root = hashlib.sha256(b"\0" + body).digest()
        note = f"{_ORIGIN}\n1\n{_text(root)}\n"
        signed = _text(self._key.id[:4] + self._key.sign(note.encode()))
        moment = int(datetime.now(timezone.utc).timestamp())
        stated = {
            "body": _text(body),
            "integratedTime": moment,
            "logID": self._key.id.hex(),
            "logIndex": 0,
        }
        proof = {"logIndex": 0, "rootHash": root.hex(), "treeSize": 1, "hashes": []}
        return TransparencyLogEntry._from_v1_response(
            {
                "entry": {
                    **stated,
                    "verification": {
                        "inclusionProof": {**proof, "checkpoint": f"{note}\n\u2014 {_ORIGIN} {signed}\n"},
                        "signedEntryTimestamp": _text(self._key.sign(rfc8785.dumps(stated))),
                    },
                }
            }
        )


def _usage(certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=certificates,
        crl_sign=certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
