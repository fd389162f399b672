"""The addresses of the board: pages, their assets, words and streams. Everything can only be read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from controller.board.house import House
from controller.board.hub import EventStream, Hub
from controller.board.settings import BoardKeys
from controller.board.watch import FloorWatch
from controller.outbox.topics import is_segment
from controller.own_names import is_own, own_names
from controller.vocabulary.errors import ConfigurationError, why

Endpoint = Callable[[Request], Awaitable[ASGIApp]]
STATIC = Path(__file__).parent / "static"
GAMES = STATIC / "games"
"""``<game>.js`` and ``<game>.css`` of each game that has a board of its own."""

Headers = tuple[tuple[bytes, bytes], ...]
SECURITY: Headers = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
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


def page_of(name: str) -> bytes:
    """A page, with the styles of the games where it wants them."""
    links = (f'  <link rel="stylesheet" href="/static/games/{path.name}">\n' for path in GAMES.glob("*.css"))
    text = (STATIC / f"{name}.html").read_text()
    return text.replace("  <!-- the games -->\n", "".join(sorted(links))).encode()


def build_of(words: Mapping[str, Mapping[str, str]], *folders: Path) -> str:
    """Changes with the pages, those in further ``folders`` too: an open page that hears of another build
    loads itself anew."""
    whole = hashlib.sha256(msgspec.json.encode(words, order="sorted"))
    for folder in (STATIC, *folders):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:16]


def read_words(folder: str | None) -> dict[str, dict[str, str]]:
    """Language -> its words, a flat object of texts; a house's folder, with ``<language>.json`` files, adds
    languages and may change single words of ours.

    :class:`ConfigurationError` names the file that is no flat object of texts.
    """
    words = {path.stem: _read(path) for path in sorted((STATIC / "words").glob("*.json"))}
    if folder is not None:
        files = sorted(Path(folder).glob("*.json"))
        if not files:
            raise ConfigurationError(f"board.words: no file <language>.json in {folder}")
        for path in files:
            words[path.stem] = {**words.get(path.stem, {}), **_read(path)}
    return words


def word_gaps(words: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What a translator has still to do: texts that are missing, unknown, or have other places in braces."""
    ours = words["en"]
    said = []
    for language, texts in words.items():
        missing = [key for key in ours if key not in texts]
        unknown = [key for key in texts if key not in ours]
        changed = [key for key, text in texts.items() if key in ours and places(text) != places(ours[key])]
        for what, keys in (
            ("missing", missing),
            ("not asked for", unknown),
            ("with other {places}", changed),
        ):
            if keys:
                first = ", ".join(keys[:3]) + " ..." * (len(keys) > 3)
                said.append(f"words {language}: {len(keys)} texts {what}: {first}")
    return said


def places(text: str) -> set[str]:
    """What a text has in braces, to be filled in."""
    return set(re.findall(r"\{\w+\}", text))


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"board.words: {path}: expected an object of texts: {why(error)}") from error


def application(
    hub: Hub,
    watch: FloorWatch,
    words: Mapping[str, Mapping[str, str]],
    keys: BoardKeys,
    house: House,
    lifespan: Lifespan[Starlette],
) -> Starlette:
    """The board as an ASGI application."""
    games = [path.stem for path in sorted(GAMES.glob("*.js"))]
    told = {"language": keys.language, "beside": keys.beside, "house": house.told()}
    texts = msgspec.json.encode({**told, "words": words, "games": games})

    async def spoken(_request: Request) -> Response:
        return Response(texts, media_type="application/json")

    async def healthy(_request: Request) -> Response:
        body = {"source": watch.source, "heard": watch.alive, "tables": watch.tables, "pages": hub.pages}
        return Response(
            msgspec.json.encode(body),
            200 if watch.alive else 503,
            media_type="application/json",
            headers={"cache-control": "no-store"},
        )

    async def floor_stream(_request: Request) -> EventStream:
        return EventStream(hub, "floor/")

    async def table_stream(request: Request) -> EventStream | Response:
        path = _named(request)
        return _nothing() if path is None else EventStream(hub, f"table/{path}")

    of_a_table = {
        "table": _table_page("table"),
        "dealer": _table_page("dealer"),
        "stream/table": table_stream,
    }
    routes = [
        Route("/", _page("floor")),
        Route("/kiosk", _page("kiosk")),
        Route("/words", spoken),
        Route("/healthz", healthy),
        Route("/stream/floor", floor_stream),
        *(
            Route(f"/{name}/{{site}}/{{table}}{mode}", answer)
            for name, answer in of_a_table.items()
            for mode in ("", "/test")
        ),
        *house_routes(house),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    names = own_names(keys.host, keys.names)
    guard = Middleware(Guard, names=names, headers=headers_for(keys.framed_by))
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


def headers_for(sites: Collection[str]) -> Headers:
    """Ours, but that these sites may frame a page; none: nobody may."""
    if not sites:
        return SECURITY
    allowed = b"frame-ancestors " + " ".join(sites).encode()
    kept = ((name, value.replace(b"frame-ancestors 'none'", allowed)) for name, value in SECURITY)
    return tuple((name, value) for name, value in kept if name != b"x-frame-options")


def house_routes(house: House) -> list[Route]:
    """Its style sheet, which is empty where a house has no look of its own, and the files that it names."""

    async def style(_request: Request) -> Response:
        return Response(house.style, media_type="text/css")

    async def file(request: Request) -> Response:
        path, kind = house.files.get(str(request.path_params["name"]), (None, ""))
        return _nothing() if path is None else FileResponse(path, media_type=kind)

    return [Route("/house.css", style), Route("/house/{name}", file)]


def _page(name: str) -> Endpoint:
    content = page_of(name)

    async def answer(_request: Request) -> Response:
        return Response(content, media_type="text/html")

    return answer


def _table_page(name: str) -> Endpoint:
    page = _page(name)

    async def answer(request: Request) -> ASGIApp:
        return await page(request) if _named(request) else _nothing()

    return answer


def _named(request: Request) -> str | None:
    """The table of an address, as ``Key.path`` has it; None where such a table cannot be."""
    site, table = str(request.path_params["site"]), str(request.path_params["table"])
    if not (is_segment(site) and is_segment(table)):
        return None
    test = request.scope["path"].rstrip("/").endswith(f"/{site}/{table}/test")
    return f"{site}/{table}/test" if test else f"{site}/{table}"


def _nothing() -> Response:
    return PlainTextResponse("there is no such page\n", 404)
