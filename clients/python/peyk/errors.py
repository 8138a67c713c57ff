"""What can go wrong with a call."""

from typing import Any, Dict, Optional


class PeykError(Exception):
    """A failed call. ``code`` says why: a code of the API, ``connection_failed``, ``timeout`` or ``invalid_response``."""

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 0,
        details: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.details = details or {}
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class WebhookVerificationError(Exception):
    """The request did not come from Peyk, was changed, or is too old. Respond with 400."""
