"""Sends requests: adds credentials, waits, repeats what is safe to repeat, and raises ``PeykError``."""

import http.client
import json
import random
import re
import socket
import time
import urllib.parse
import urllib.request
from typing import Any, Dict, Optional, Union

from .arguments import (
    base_url_of,
    credential_of,
    etag_of,
    idempotency_key_of,
    json_of,
    timeout_of,
)
from .connections import make_opener
from .errors import PeykError

_UNCERTAIN = {"connection_failed", "timeout", "internal_error", "service_unavailable", "request_timeout"}
_LONGEST_DELAY = 10.0


def _query_text(query: Dict[str, Any]) -> str:
    pairs = []
    for name, value in query.items():
        if isinstance(value, dict):
            pairs += [(f"{name}[{key}]", str(each)) for key, each in value.items()]
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif value is not None:
            pairs.append((name, str(value)))
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _may_retry(error: PeykError, is_safe: bool) -> bool:
    if not is_safe or (error.retry_after or 0) > _LONGEST_DELAY:
        return False
    if error.code == "invalid_response":
        return error.status >= 500
    return error.code in _UNCERTAIN or error.code == "idempotency_key_in_progress"


def _is_envelope(value: Any) -> bool:
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return False
    texts = (error.get("code"), error.get("message"), value.get("request_id"))
    return isinstance(error.get("details"), dict) and all(isinstance(each, str) for each in texts)


def _error_of(status: int, headers: Any, value: Any) -> PeykError:
    retry_after = headers.get("Retry-After") or ""
    seconds = float(retry_after) if re.fullmatch("[0-9]+", retry_after) else None
    if status < 400 or not _is_envelope(value):
        message = f"The response with status {status} is not one of Peyk's."
        return PeykError("invalid_response", message, status, {}, headers.get("X-Request-Id"), seconds)
    error = value["error"]
    return PeykError(error["code"], error["message"], status, error["details"], value["request_id"], seconds)


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Transport:
    def __init__(
        self, base_url: str, api_key: Optional[str], token: Optional[str], timeout: float, retries: int
    ) -> None:
        self._base = base_url_of(base_url)
        api_key = credential_of("api_key", api_key)
        token = credential_of("token", token)
        self._credentials = {
            "api_key": {"X-API-Key": api_key} if api_key else {},
            "token": {"Authorization": f"Bearer {token}"} if token else {},
        }
        self._timeout = timeout_of(timeout)
        self._retries = retries
        self._opener = make_opener()

    def _failure(self, error: Exception) -> PeykError:
        if isinstance(getattr(error, "reason", error), (socket.timeout, TimeoutError)):
            return PeykError("timeout", f"No response within {self._timeout} s.")
        return PeykError("connection_failed", f"The connection failed: {error}")

    def _try_once(self, request: urllib.request.Request, may_be_empty: bool) -> Any:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                status, headers, text = response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._failure(error) from error
        if status == 204 and may_be_empty:
            return None
        value = _parse(text)
        if 200 <= status < 300 and isinstance(value, dict):
            return value
        raise _error_of(status, headers, value)

    def send(
        self,
        method: str,
        path: str,
        credential: str = "api_key",
        query: Optional[Dict[str, Any]] = None,
        body: Any = None,
        is_safe: bool = False,
        is_idempotent: bool = False,
        idempotency_key: Optional[str] = None,
        if_match: Optional[Union[str, int]] = None,
        may_be_empty: bool = False,
    ) -> Any:
        headers = {"Accept": "application/json", "User-Agent": "peyk-python", **self._credentials[credential]}
        if is_idempotent:
            headers["Idempotency-Key"] = idempotency_key_of(idempotency_key)
        if if_match is not None:
            headers["If-Match"] = etag_of(if_match)
        data = None if body is None else json_of(body)
        if data is not None:
            headers["Content-Type"] = "application/json"
        url = self._base + path + _query_text(query or {})
        safe = is_safe or is_idempotent or method == "GET"
        tries = 0
        while True:
            try:
                # A new one for each try: opening a request changes it.
                request = urllib.request.Request(url, data=data, headers=headers, method=method)
                return self._try_once(request, may_be_empty)
            except PeykError as error:
                if tries >= self._retries or not _may_retry(error, safe):
                    raise
                delay = min(0.25 * 2**tries, _LONGEST_DELAY) * random.uniform(0.5, 1)
                time.sleep(max(delay, error.retry_after or 0))
                tries += 1
