"""An authenticator in software, which does what a phone or a security key does with passkeys."""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT_AND_VERIFIED, HAS_CREDENTIAL = 0x05, 0x40


class Authenticator:
    """Has one passkey, created on first use."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.id = secrets.token_bytes(16)
        self.count = 0
        self.user = b""
        self._key = ec.generate_private_key(ec.SECP256R1())

    @property
    def public_key(self) -> bytes:
        """In COSE's format."""
        numbers = self._key.public_key().public_numbers()
        return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)})

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.create()` returns, as JSON."""
        self.user = decoded(options["user"]["id"])
        credential = bytes(16) + len(self.id).to_bytes(2) + self.id + self.public_key
        data = self._data(options["rp"]["id"], HAS_CREDENTIAL) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client_data("webauthn.create", options)
        return self._credential({"attestationObject": encoded(attestation), "clientDataJSON": encoded(client)})

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.get()` returns."""
        self.count += 1
        data = self._data(options["rpId"])
        client = self._client_data("webauthn.get", options)
        signed = self._key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"authenticatorData": data, "clientDataJSON": client, "signature": signed, "userHandle": self.user}
        return self._credential({name: encoded(part) for name, part in parts.items()})

    def _data(self, party: str, flags: int = 0) -> bytes:
        flag = bytes([PRESENT_AND_VERIFIED | flags])
        return hashlib.sha256(party.encode()).digest() + flag + self.count.to_bytes(4)

    def _client_data(self, kind: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": self.origin}).encode()

    def _credential(self, response: dict[str, str]) -> dict[str, Any]:
        id = encoded(self.id)
        return {"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {}}


def encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
