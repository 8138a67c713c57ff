"""Sends requests: adds credentials, waits, repeats what is safe to repeat, and raises ``PeykError``."""

import json
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Optional

from .errors import PeykError

_UNCERTAIN = {"connection_failed", "timeout", "internal_error", "service_unavailable", "request_timeout"}
_LONGEST_DELAY = 10.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


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


def _error_of(status: int, headers: Any, text: bytes) -> PeykError:
    retry_after = headers.get("Retry-After")
    seconds = float(retry_after) if retry_after and retry_after.isdigit() else None
    try:
        envelope = json.loads(text)
        error = envelope["error"]
        return PeykError(
            error["code"], error["message"], status, error["details"], envelope["request_id"], seconds
        )
    except (ValueError, KeyError, TypeError):
        message = f"The response with status {status} is not one of Peyk's."
        return PeykError("invalid_response", message, status, {}, headers.get("X-Request-Id"), seconds)


class Transport:
    def __init__(
        self, base_url: str, api_key: Optional[str], token: Optional[str], timeout: float, retries: int
    ) -> None:
        self._base = base_url.rstrip("/")
        self._credentials = {
            "api_key": {"X-API-Key": api_key} if api_key else {},
            "token": {"Authorization": f"Bearer {token}"} if token else {},
        }
        self._timeout = timeout
        self._retries = retries
        self._opener = urllib.request.build_opener(_NoRedirects())

    def _try_once(self, method: str, url: str, headers: Dict[str, str], body: Optional[bytes]) -> Any:
        request = urllib.request.Request(url, data=body, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise _error_of(error.code, error.headers, error.read()) from None
        except (socket.timeout, TimeoutError):
            raise PeykError("timeout", f"No response within {self._timeout} s.") from None
        except (urllib.error.URLError, OSError) as error:
            if isinstance(getattr(error, "reason", None), (socket.timeout, TimeoutError)):
                raise PeykError("timeout", f"No response within {self._timeout} s.") from None
            raise PeykError("connection_failed", f"The connection failed: {error}") from error
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise PeykError("invalid_response", "The response is not JSON.", response.status) from None

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
        if_match: Optional[str] = None,
    ) -> Any:
        headers = {"Accept": "application/json", "User-Agent": "peyk-python", **self._credentials[credential]}
        if is_idempotent:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if if_match:
            headers["If-Match"] = if_match
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        safe = is_safe or is_idempotent or method == "GET"
        tries = 0
        while True:
            try:
                return self._try_once(method, self._base + path + _query_text(query or {}), headers, data)
            except PeykError as error:
                if tries >= self._retries or not _may_retry(error, safe):
                    raise
                delay = min(0.25 * 2**tries, _LONGEST_DELAY) * random.uniform(0.5, 1)
                time.sleep(max(delay, error.retry_after or 0))
                tries += 1
