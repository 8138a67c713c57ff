"""Checks that an event came from Peyk (Standard Webhooks 1.0)."""

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Union

from .errors import WebhookVerificationError


def _header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookVerificationError(f"There is no {name} header.")


def _body_of(payload: Union[bytes, str]) -> bytes:
    if isinstance(payload, str):
        return payload.encode()
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise ValueError("payload must be the body exactly as it arrived, not parsed: bytes or text.")


def _key_of(secret: str) -> bytes:
    # A variable that is not set is the usual mistake.
    if not isinstance(secret, str):
        secret = ""
    text = (secret[6:] if secret.startswith("whsec_") else secret).strip()
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("The secret is not the whsec_… of a webhook.")
    return key


def verify_webhook(
    payload: Union[bytes, str],
    headers: Mapping[str, str],
    secret: str,
    tolerance_seconds: int = 300,
) -> Dict[str, Any]:
    """Returns the event of a request whose signature is right. ``payload`` is the body exactly as it arrived."""
    body = _body_of(payload)
    key = _key_of(secret)
    timestamp = _header(headers, "webhook-timestamp")
    signed = f"{_header(headers, 'webhook-id')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = _header(headers, "webhook-signature").split(" ")
    if not any(hmac.compare_digest(expected, each.encode()) for each in given):
        raise WebhookVerificationError("The signature is not Peyk's.")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("The request is too old, or from the future.")
    return json.loads(body)
