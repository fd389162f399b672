"""The files of the pages as they were when we began. Under an address with their digest in it a browser keeps
them for ever; under any other it asks each time.
"""

from __future__ import annotations

import hashlib
from mimetypes import guess_type
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOR_EVER = "public, max-age=31536000, immutable"


class KeptFiles:
    """The files of a folder. They are read once: what is new on the disk belongs to the next start, and must
    not be kept under the digest of this one."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        self._files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        self._tags = {name: f'"{_digest(content)}"' for name, content in self._files.items()}
        self.digest = _digest("".join(map("".join, self._tags.items())).encode())
        """Changes with any of the files."""

    def route(self, below: str) -> Route:
        """Their addresses."""

        async def asked(request: Request) -> Response:
            return self.answer(str(request.path_params["name"]), request.headers.get("if-none-match"))

        return Route(f"{below}/{{name:path}}", asked)

    def answer(self, name: str, has: str | None = None) -> Response:
        """To who has a file with this tag. A page of another build gets what there is now: enough to hear
        that it is to load itself anew."""
        digest = ""
        if name not in self._files:
            digest, _, name = name.partition("/")
        if name not in self._files:
            raise HTTPException(404)
        headers = {"etag": self._tags[name]}
        if digest == self.digest:
            headers["cache-control"] = FOR_EVER
        if has == self._tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(self._files[name], headers=headers, media_type=guess_type(name)[0])


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
