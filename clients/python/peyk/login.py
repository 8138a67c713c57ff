"""The server's half of the login page: what its routes do, for any framework with sessions."""
import time
from typing import Any, Callable, Dict, List, MutableMapping, NamedTuple, Optional, Sequence

from .client import Peyk
from .errors import PeykError

_WINDOW = 600
#: It is no id, so Peyk refuses it, and the page offers a new code.
_NONE = "none"


class LoginReply(NamedTuple):
    """The response to send to the page, as JSON."""

    status: int
    body: Dict[str, Any]
    #: ``+98…``, once the right code was entered: sign this person in.
    phone: Optional[str] = None


def _name(channel: Dict[str, Any]) -> str:
    """For the page: a messenger's name, ``sms`` or ``voice``. Accounts and labels are nobody's business."""
    return channel["provider"] if channel["type"] == "messenger" else channel["type"]


def _refusal(error: PeykError) -> LoginReply:
    # Not Peyk's own response: its status would say something wrong about this page.
    is_foreign = error.code == "invalid_response" or error.status == 0
    body = {"error": error.code, "retry_after": error.retry_after}
    return LoginReply(503 if is_foreign else error.status, body)


class Login:
    """The routes of the login page. ``session`` is the visitor's session, which your framework keeps on the server.

    Allows ``per_session`` codes in ten minutes, and ``per_address`` in each process; another channel counts too.
    Visitors of a mobile network share addresses. The page has a button for each of ``channels``, such as
    ``["sms", "voice"]``: visitors can ask for these. ``origin`` is this site, as ``https://shop.example.ir``, if the
    customer saved several ``webotp_origins``: the text then names it.
    """

    def __init__(
        self,
        peyk: Peyk,
        per_session: int = 5,
        per_address: int = 30,
        channels: Sequence[str] = (),
        origin: Optional[str] = None,
    ) -> None:
        self._site = {"origin": origin} if origin else {}
        self._otp = peyk.otp
        self._per_session, self._per_address = per_session, per_address
        self._channels = tuple(channels)
        self._counts: Dict[str, int] = {}
        self._counts_until = 0.0

    def send(self, session: MutableMapping[str, Any], ip: Optional[str], phone: Any) -> LoginReply:
        def run() -> LoginReply:
            state = session["peyk_login"]
            sent = self._otp.send(str(phone), client={**self._site, **({"ip": ip} if ip else {})} or None)
            session["peyk_login"] = {**state, "verification": sent["verification_id"], "sequence": 1}
            if state["verification"] != _NONE:
                # Otherwise the earlier code could still arrive over its next channel.
                try:
                    self._otp.cancel(state["verification"])
                except PeykError:
                    pass
            shown = {key: sent[key] for key in ("status", "expires_in", "code_length")}
            current = sent["current_attempt_channel"]
            return LoginReply(200, {**shown, "channel": _name(current), **self._offered([current])})

        return self._limit(session, ip) or self._answer(run)

    def next(self, session: MutableMapping[str, Any], ip: Optional[str], channel: Any = None) -> LoginReply:
        """Tries the next channel now, or the one that the page names."""
        # A channel that you did not offer is not asked for, whatever the page sends.
        if channel is not None and channel not in self._channels:
            return LoginReply(422, {"error": "invalid_channel"})

        def run() -> LoginReply:
            state = session["peyk_login"]
            found = self._otp.next(state["verification"], from_sequence=state["sequence"], channel=channel)
            return self._show(session, found)

        return self._limit(session, ip) or self._answer(run)

    def status(self, session: MutableMapping[str, Any]) -> LoginReply:
        return self._answer(lambda: self._show(session, self._otp.status(self._state(session)["verification"])))

    def verify(self, session: MutableMapping[str, Any], code: Any) -> LoginReply:
        def run() -> LoginReply:
            id = self._state(session)["verification"]
            outcome = self._otp.verify(id, str(code))
            phone = self._otp.status(id)["phone"] if outcome["verified"] else None
            if phone is not None:
                del session["peyk_login"]
            return LoginReply(200, outcome, phone)

        return self._answer(run)

    def _state(self, session: MutableMapping[str, Any]) -> Dict[str, Any]:
        return session.get("peyk_login", {"verification": _NONE, "sequence": 1, "asked": []})

    def _show(self, session: MutableMapping[str, Any], found: Dict[str, Any]) -> LoginReply:
        attempts = found["attempts"]
        sequence = attempts[-1]["sequence"] if attempts else 1
        session["peyk_login"] = {**self._state(session), "sequence": sequence}
        channel = _name(found["current_channel"])
        body = {"status": found["status"], "channel": channel, "next_in": found["remaining_seconds"]}
        tried = [attempt["channel"] for attempt in attempts if attempt.get("skip_reason") != "hours"]
        return LoginReply(200, {**body, **self._offered(tried)})

    def _offered(self, tried: List[Dict[str, Any]]) -> Dict[str, Any]:
        """Nothing, where no channel may be asked for. One that was tried already cannot be asked for again."""
        names = [_name(channel) for channel in tried]
        left = [channel for channel in self._channels if channel not in names]
        return {"channels": left} if self._channels else {}

    def _limit(self, session: MutableMapping[str, Any], ip: Optional[str]) -> Optional[LoginReply]:
        now = time.time()
        state = self._state(session)
        asked: List[float] = [at for at in state["asked"] if at > now - _WINDOW]
        if len(asked) >= self._per_session or (ip and self._count(ip, now) > self._per_address):
            wait = int(_WINDOW - now + (asked[0] if asked else now)) + 1
            return LoginReply(429, {"error": "too_many_requests", "retry_after": wait})
        session["peyk_login"] = {**state, "asked": [*asked, now]}
        return None

    def _count(self, ip: str, now: float) -> int:
        if now >= self._counts_until:
            self._counts, self._counts_until = {}, now + _WINDOW
        self._counts[ip] = self._counts.get(ip, 0) + 1
        return self._counts[ip]

    @staticmethod
    def _answer(run: Callable[[], LoginReply]) -> LoginReply:
        try:
            return run()
        except PeykError as error:
            return _refusal(error)
