"""``python -m tests.floor.plain``: the recorder that one writes down first, to be timed against ours: aiomqtt
and psycopg, each message parsed, inserted and committed as it comes. It checks no chain and no signature."""

from __future__ import annotations

import argparse
import asyncio
import json

import aiomqtt
import psycopg

TABLE = (
    "CREATE TABLE IF NOT EXISTS plain (source text, epoch bigint, sequence bigint, type text, body jsonb,"
    " PRIMARY KEY (source, epoch, sequence))"
)
INSERT = "INSERT INTO plain VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
NAME = "plain"


async def record(port: int, url: str) -> None:
    """Until it is killed."""
    connection = await psycopg.AsyncConnection.connect(url)
    await connection.execute(TABLE)
    await connection.commit()
    async with aiomqtt.Client("127.0.0.1", port, identifier=NAME, clean_session=False) as client:
        await client.subscribe("dealer-table/v1/north/+/events", qos=1)
        print("listening", flush=True)
        async for message in client.messages:
            text = bytes(message.payload).decode()
            said = json.loads(text)
            place = said["source"], said["epoch"], said["sequence"], said["type"]
            await connection.execute(INSERT, (*place, text))
            await connection.commit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--url", required=True)
    chosen = parser.parse_args()
    asyncio.run(record(chosen.port, chosen.url))
