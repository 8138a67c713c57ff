"""Opens connections whose time-out holds for a whole try. The standard library has one for each read."""

import functools
import http.client
import io
import socket
import time
import urllib.request
from typing import Any, Tuple


def _limit_wait(connected: socket.socket, deadline: float) -> None:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise socket.timeout("timed out")
    connected.settimeout(seconds)


def _open_socket(family: int, kind: int, protocol: int, target: Any, deadline: float) -> socket.socket:
    opened = socket.socket(family, kind, protocol)
    try:
        _limit_wait(opened, deadline)
        opened.connect(target)
    except BaseException:
        opened.close()
        raise
    return opened


def _connect(address: Tuple[str, int], deadline: float) -> socket.socket:
    """Tries the addresses of a host in turn. ``socket.create_connection`` gives each of them the whole time."""
    failure = OSError("the host has no address")
    for family, kind, protocol, _, target in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
        try:
            return _open_socket(family, kind, protocol, target, deadline)
        except OSError as error:
            failure = error
    raise failure


class _DeadlineReader(io.RawIOBase):
    def __init__(self, connected: socket.socket, source: io.RawIOBase, deadline: float) -> None:
        self._connected = connected
        self._source = source
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        _limit_wait(self._connected, self._deadline)
        return self._source.readinto(buffer)

    def close(self) -> None:
        self._source.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, deadline: float, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_DeadlineReader(sock, self.fp.detach(), deadline))


class _Connection(http.client.HTTPConnection):
    """The connection of one try."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline = time.monotonic() + self.timeout
        self._create_connection = lambda address, *_: _connect(address, self._deadline)
        self.response_class = functools.partial(_Response, deadline=self._deadline)

    def connect(self) -> None:
        super().connect()
        _limit_wait(self.sock, self._deadline)


class _SecureConnection(http.client.HTTPSConnection, _Connection):
    """In this order: TLS begins with what ``_Connection.connect`` left of the time."""


class _HTTPHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Connection, request)


class _HTTPSHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_SecureConnection, request)


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Returns a response of every status, and follows no redirect."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


def make_opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_HTTPHandler(), _HTTPSHandler(), _EveryStatus())
