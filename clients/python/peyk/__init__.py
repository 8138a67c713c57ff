"""Client of Peyk: one-time codes and messages for Iranian phones. It needs only Python's standard library."""

from .client import Peyk
from .errors import PeykError, WebhookVerificationError
from .webhooks import verify_webhook

__all__ = ["Peyk", "PeykError", "WebhookVerificationError", "verify_webhook"]
