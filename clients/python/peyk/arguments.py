"""Checks arguments before a request is made. The errors never contain the value: it may be a secret."""

import json
import math
import re
import uuid
from typing import Any, Optional, Union
from urllib.parse import quote


def base_url_of(value: str) -> str:
    if not isinstance(value, str) or not re.fullmatch("https?://[^@?#\\s]+", value.strip()):
        raise ValueError("base_url must be http:// or https://, a host and at most a path.")
    return value.strip().rstrip("/")


def timeout_of(seconds: float) -> float:
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or seconds <= 0:
        raise ValueError("timeout must be a number of seconds above 0.")
    return seconds


def credential_of(name: str, value: Optional[str]) -> str:
    """A key or token without the blanks around it, such as the line break of a file; empty if there is none."""
    text = (value or "").strip()
    if not re.fullmatch("[!-~]*", text):
        raise ValueError(f"{name} has characters that no header can carry.")
    return text


def idempotency_key_of(value: Optional[str]) -> str:
    """The given key, or a new one."""
    if value is None:
        return str(uuid.uuid4())
    if not isinstance(value, str) or not re.fullmatch("[!-~]([ -~]{0,253}[!-~])?", value):
        raise ValueError("idempotency_key must be 1 to 255 printable ASCII characters, without blanks around it.")
    return value


def etag_of(version: Union[str, int]) -> str:
    """What ``If-Match`` takes: the version in quotes."""
    if isinstance(version, int) and not isinstance(version, bool) and version >= 0:
        return f'"{version}"'
    if isinstance(version, str) and re.fullmatch('"[0-9]+"', version):
        return version
    raise ValueError('if_match must be a version: the number 3, or the string "3" with its quotes.')


def json_of(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"A field cannot be written as JSON: {error}") from error


def path_part_of(name: str, value: Any) -> str:
    is_known = isinstance(value, (str, int, uuid.UUID)) and not isinstance(value, bool)
    # Without a value the path is another operation's, and servers resolve the dots.
    if not is_known or str(value) in ("", ".", ".."):
        raise ValueError(f"{name} must be a text or a whole number that can be part of a path.")
    return quote(str(value), safe="")
