"""What stands before every page that we serve: security headers and our own names."""

from __future__ import annotations

from collections.abc import Collection

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.own_names import is_own

Headers = tuple[tuple[bytes, bytes], ...]
SECURITY: Headers = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        b"media-src 'self'; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"permissions-policy",
        b"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), screen-wake-lock=(self)",
    ),
)


class Guard:
    """Middleware: the security headers on every answer, no method but GET and HEAD, and no name but ours."""

    def __init__(
        self, app: ASGIApp, *, names: frozenset[str], only_read: bool = True, headers: Headers = SECURITY
    ) -> None:
        """``names``: under which the server answers. ``only_read``: False lets every method through."""
        self._app = app
        self._names = names
        self._only_read = only_read
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                if not any(name == b"cache-control" for name, _ in given):
                    given.append((b"cache-control", b"no-cache"))
                message = {**message, "headers": [*given, *self._headers]}
            await send(message)

        asked = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        if asked and not is_own(asked, self._names):
            refusal = PlainTextResponse("this server has another name (`names` in its configuration)\n", 421)
            await refusal(scope, receive, guarded)
            return
        if self._only_read and scope["method"] not in ("GET", "HEAD"):
            refusal = PlainTextResponse("this board can only be read\n", 405, {"allow": "GET, HEAD"})
            await refusal(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)


def headers_for(sites: Collection[str]) -> Headers:
    """Ours, but that these sites may frame a page; none: nobody may."""
    if not sites:
        return SECURITY
    allowed = b"frame-ancestors " + " ".join(sites).encode()
    kept = ((name, value.replace(b"frame-ancestors 'none'", allowed)) for name, value in SECURITY)
    return tuple((name, value) for name, value in kept if name != b"x-frame-options")
