"""A server that does nothing but hold event streams and answer calls: what the machine itself takes.

It books nothing and knows nobody. A call to ``/tell`` sends every stream as many bytes as a seat gets when
bets open, with the moment in them; any other call is answered at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


class Bare:
    """Streams and calls."""

    def __init__(self, frame_bytes: int) -> None:
        self._filling = b"x" * frame_bytes
        self._streams: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if head.startswith(b"GET"):
                    writer.write(HEAD)
                    self._streams.append(writer)
                    continue
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                if head.startswith(b"POST /tell "):
                    self._tell()
                said = json.dumps({"bets": [], "balance": 0}).encode()
                writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said))
        writer.close()

    def _tell(self) -> None:
        frame = b": %s\n\nevent: tell\ndata: %r\n\n" % (self._filling, time.time())
        for stream in self._streams:
            stream.write(frame)


async def main(frame_bytes: int) -> None:
    """Print the port, and serve until the process ends."""
    bare = Bare(frame_bytes)
    server = await asyncio.start_server(bare.serve, "127.0.0.1", 0, backlog=2000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    import sys

    asyncio.run(main(int(sys.argv[1])))
