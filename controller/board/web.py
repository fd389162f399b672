"""The addresses of the board: pages, their assets, words and streams.

Everything can only be read, but that the pit may say who has seen an alert where the house records it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Lifespan

from controller.board.acknowledged import Acknowledging
from controller.board.guard import Guard, headers_for
from controller.board.house import House
from controller.board.hub import EventStream, Hub
from controller.board.kept import KeptFiles
from controller.board.settings import BoardKeys
from controller.board.watch import FloorWatch
from controller.outbox.topics import is_segment
from controller.own_names import own_names
from controller.vocabulary.errors import ConfigurationError, read_json, why

Endpoint = Callable[[Request], Awaitable[ASGIApp]]
STATIC = Path(__file__).parent / "static"
MOST_ASKED_BYTES = 64_000
GAMES = STATIC / "games"
"""``<game>.js`` and ``<game>.css`` of each game that has a board of its own."""


def page_of(name: str, digest: str) -> bytes:
    """A page, with the styles of the games where it wants them, its files under their digest."""
    links = (f'  <link rel="stylesheet" href="/static/games/{path.name}">\n' for path in GAMES.glob("*.css"))
    text = (STATIC / f"{name}.html").read_text()
    whole = text.replace("  <!-- the games -->\n", "".join(sorted(links)))
    return whole.replace('"/static/', f'"/static/{digest}/').encode()


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
    told = {
        "language": keys.language,
        "beside": keys.beside,
        "house": house.told(),
        "acknowledges": keys.acknowledged is not None,
    }
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

    async def acknowledge(request: Request) -> Response:
        return await _acknowledged(request, watch)

    files = KeptFiles(STATIC)
    routes = [Route("/words", spoken), Route("/healthz", healthy)]
    if "players" in keys.pages:
        routes += [
            Route("/kiosk", _page("kiosk", files.digest)),
            Route("/stream/tables", _stream(hub, "name/")),
            *_of_a_table("table", _table_page("table", files.digest)),
            *_of_a_table("stream/table", _table_stream(hub, "table")),
        ]
    if "pit" in keys.pages:
        routes += [
            Route("/", _page("floor", files.digest)),
            Route("/stream/floor", _stream(hub, "floor/")),
            *_of_a_table("dealer", _table_page("dealer", files.digest)),
            *_of_a_table("stream/dealer", _table_stream(hub, "dealer")),
        ]
    else:
        routes.append(Route("/", _page("kiosk", files.digest)))
    if keys.acknowledged is not None:
        routes.append(Route("/acknowledge", acknowledge, methods=["POST"]))
    others = [*house_routes(house), files.route("/static")]
    names = own_names(keys.host, keys.names)
    guard = Middleware(
        Guard, names=names, only_read=keys.acknowledged is None, headers=headers_for(keys.framed_by)
    )
    return Starlette(routes=[*routes, *others], middleware=[guard], lifespan=lifespan)


async def _acknowledged(request: Request, watch: FloorWatch) -> Response:
    """A page says who has seen alerts. JSON alone is read: no page of another site can send it unasked."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return PlainTextResponse("expected application/json\n", 415)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_ASKED_BYTES:
            return PlainTextResponse("too long\n", 413)
    asked = read_json(body, Acknowledging)
    if asked is None:
        return PlainTextResponse("expected site, table, mode, alerts and a badge\n", 422)
    try:
        recorded = await watch.acknowledge(asked)
    except PermissionError:
        return PlainTextResponse("this badge may not acknowledge\n", 403)
    except OSError as error:
        return PlainTextResponse(f"it cannot be recorded: {why(error)}\n", 507)
    return Response(msgspec.json.encode({"acknowledged": recorded}), media_type="application/json")


def _stream(hub: Hub, channels: str) -> Callable[[Request], Awaitable[EventStream]]:
    """Of all channels that begin so."""

    async def answer(_request: Request) -> EventStream:
        return EventStream(hub, channels)

    return answer


def _table_stream(hub: Hub, channel: str) -> Endpoint:
    async def answer(request: Request) -> ASGIApp:
        path = _named(request)
        return _nothing() if path is None else EventStream(hub, f"{channel}/{path}")

    return answer


def _of_a_table(name: str, answer: Endpoint) -> list[Route]:
    """Its address; a table in test mode has one of its own."""
    return [Route(f"/{name}/{{site}}/{{table}}{mode}", answer) for mode in ("", "/test")]


def house_routes(house: House) -> list[Route]:
    """Its style sheet, which is empty where a house has no look of its own, and the files that it names."""

    async def style(_request: Request) -> Response:
        return Response(house.style, media_type="text/css")

    async def file(request: Request) -> Response:
        path, kind = house.files.get(str(request.path_params["name"]), (None, ""))
        return _nothing() if path is None else FileResponse(path, media_type=kind)

    return [Route("/house.css", style), Route("/house/{name}", file)]


def _page(name: str, digest: str) -> Endpoint:
    content = page_of(name, digest)

    async def answer(_request: Request) -> Response:
        return Response(content, media_type="text/html")

    return answer


def _table_page(name: str, digest: str) -> Endpoint:
    page = _page(name, digest)

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
