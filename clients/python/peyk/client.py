"""The client. Fields have the names of the API."""

import json
import re
from importlib import resources
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from .arguments import path_part_of
from .transport import Transport

Channels = Union[str, Sequence[Union[str, Dict[str, Any]]]]


def _given(**fields: Any) -> Dict[str, Any]:
    """The fields that have a value: for the API, null is the same as none."""
    return {name: value for name, value in fields.items() if value is not None}


def _pages(read: Callable[[Dict[str, Any]], Any], query: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    cursor: Optional[str] = None
    while True:
        page = read(query if cursor is None else {**query, "cursor": cursor})
        yield from page["data"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


class _Sent:
    """The common part of codes and messages."""

    def __init__(self, transport: Transport, root: str) -> None:
        self._transport = transport
        self._root = root

    def _at(self, id: str, action: str = "") -> str:
        return f"{self._root}/{path_part_of('id', id)}{action}"

    def status(self, id: str) -> Dict[str, Any]:
        return self._transport.send("GET", self._at(id))

    def cancel(self, id: str) -> Dict[str, Any]:
        return self._transport.send("POST", self._at(id, "/cancel"), is_safe=True)

    #: Each has filters of its own.
    list: Callable[..., Dict[str, Any]]

    def all(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        """Every item, page by page. The filters are those of ``list``."""
        return _pages(lambda each: self.list(**each), filters)

    def _list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.send("GET", self._root, query=_given(**query))

    def _create(self, action: str, fields: Dict[str, Any], idempotency_key: Optional[str]) -> Dict[str, Any]:
        return self._transport.send(
            "POST", self._root + action, body=fields, is_idempotent=True, idempotency_key=idempotency_key
        )


class Codes(_Sent):
    """One-time codes."""

    def send(
        self,
        phone: str,
        *,
        channels: Optional[Channels] = None,
        channel_timeout: Optional[int] = None,
        template_id: Optional[int] = None,
        metadata: Optional[Dict[str, Any]] = None,
        locale: Optional[str] = None,
        client: Optional[Dict[str, Any]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Sends a code. Repeated after a lost response, it sends no second one."""
        options = _given(
            channels=channels,
            channel_timeout=channel_timeout,
            template_id=template_id,
            metadata=metadata,
            locale=locale,
            client=client,
        )
        return self._create("/send", {"phone": phone, **options}, idempotency_key)

    def list(
        self,
        *,
        phone: Optional[str] = None,
        status: Optional[str] = None,
        metadata: Optional[Dict[str, str]] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Dict[str, Any]:
        """One page: ``{"data": […], "next_cursor": …}``."""
        return self._list(
            phone=phone,
            status=status,
            metadata=metadata,
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            cursor=cursor,
        )

    def verify(self, verification_id: str, code: str) -> Dict[str, Any]:
        """Checks a code. Only ``verified`` is success. It is never repeated: each try counts."""
        body = {"verification_id": verification_id, "code": code}
        return self._transport.send("POST", f"{self._root}/verify", body=body)

    def next(
        self, id: str, from_sequence: Optional[int] = None, *, channel: Optional[str] = None
    ) -> Dict[str, Any]:
        """
        Tries the next channel now, or the one that your user asks for; with ``from_sequence``, only if no later
        attempt exists yet.
        """
        body = _given(from_sequence=from_sequence, channel=channel)
        return self._transport.send(
            "POST", self._at(id, "/next"), body=body, is_safe=from_sequence is not None
        )


class LiveCodes(Codes):
    """One-time codes, with a live key."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/v1/otp")

    def preview(
        self,
        phone: str,
        *,
        channels: Optional[Channels] = None,
        channel_timeout: Optional[int] = None,
        template_id: Optional[int] = None,
        metadata: Optional[Dict[str, Any]] = None,
        locale: Optional[str] = None,
        client: Optional[Dict[str, Any]] = None,
    ) -> Dict[str, Any]:
        """What a send with these fields would do now. It sends, charges and counts nothing."""
        options = _given(
            channels=channels,
            channel_timeout=channel_timeout,
            template_id=template_id,
            metadata=metadata,
            locale=locale,
            client=client,
        )
        body = {"phone": phone, **options}
        return self._transport.send("POST", f"{self._root}/preview", body=body, is_safe=True)


class Messages(_Sent):
    """Messages to one phone each."""

    def send(
        self,
        to: str,
        *,
        channels: Optional[Channels] = None,
        message: Optional[str] = None,
        template: Optional[Dict[str, Any]] = None,
        strategy: Optional[str] = None,
        metadata: Optional[Dict[str, Any]] = None,
        send_at: Optional[str] = None,
        delay: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Creates a message. Repeated after a lost response, it creates no second one."""
        options = _given(
            channels=channels,
            message=message,
            template=template,
            strategy=strategy,
            metadata=metadata,
            send_at=send_at,
            delay=delay,
        )
        return self._create("/send", {"to": to, **options}, idempotency_key)

    def list(
        self,
        *,
        to: Optional[str] = None,
        status: Optional[str] = None,
        metadata: Optional[Dict[str, str]] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Dict[str, Any]:
        """One page: ``{"data": […], "next_cursor": …}``."""
        return self._list(
            to=to,
            status=status,
            metadata=metadata,
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            cursor=cursor,
        )

    def batch(
        self, messages: List[Dict[str, Any]], *, idempotency_key: Optional[str] = None
    ) -> Dict[str, Any]:
        """Creates up to 500 messages. Each has its own outcome, in the order of the request."""
        return self._create("/batch", {"messages": messages}, idempotency_key)


class Sandbox(Codes):
    """Everything with a test key: nothing is sent, and the code is 123456."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/v1/sandbox/otp")
        self.messages = Messages(transport, "/v1/sandbox/messages")


class Manage:
    """The management API by operation: ``client.manage("api-keys.create", name="backend", mode="live")``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._operations = json.loads((resources.files(__package__) / "operations.json").read_text("utf-8"))

    def __call__(
        self,
        operation: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[Union[str, int]] = None,
        **fields: Any,
    ) -> Any:
        """Fields are those of the path, the query or the body. ``if_match`` is the version that you read: ``3``."""
        known = self._operations.get(operation)
        if known is None:
            raise ValueError(f"There is no operation {operation}. There are: {', '.join(self._operations)}.")
        path = re.sub(
            r"\{(\w+)\}", lambda name: path_part_of(name[1], fields.pop(name[1], None)), known["path"]
        )
        method = known["method"]
        return self._transport.send(
            method,
            path,
            credential="token",
            query=fields if method == "GET" else None,
            body=fields if known.get("hasBody") else None,
            # A repeated removal finds nothing, and a repeat with the version before the change is refused.
            is_safe=method == "PUT" and if_match is None,
            is_idempotent=known.get("isIdempotent", False),
            idempotency_key=idempotency_key,
            if_match=if_match,
            may_be_empty=True,
        )

    def all(self, operation: str, **fields: Any) -> Iterator[Dict[str, Any]]:
        """Every item of a list, page by page."""
        return _pages(lambda query: self(operation, **query), fields)


class Peyk:
    """A client of one Peyk. ``api_key`` is a service key, ``token`` a personal access token for ``manage``."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        token: Optional[str] = None,
        timeout: float = 20.0,
        retries: int = 2,
    ) -> None:
        self._transport = Transport(base_url, api_key, token, timeout, retries)
        self.otp = LiveCodes(self._transport)
        self.messages = Messages(self._transport, "/v1/messages")
        self.sandbox = Sandbox(self._transport)
        self.manage = Manage(self._transport)

    def lookup(self, phone: str) -> Dict[str, Any]:
        """What your own records have of a phone. The phone is not in the path of the request."""
        return self._transport.send("POST", "/v1/phones/lookup", body={"phone": phone}, is_safe=True)

    def account(self) -> Dict[str, Any]:
        """The customer's plan, limits, prices, quota and wallet."""
        return self._transport.send("GET", "/v1/account")
