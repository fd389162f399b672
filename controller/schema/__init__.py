"""The interface as the outside sees it: the shape of every message, event, command and file, as JSON Schema
and AsyncAPI.

Events, commands and the configuration are described by the structs that read them. What the table says is
built as plain values in the core, so its shapes stand here; the tests hold published messages against them.
"""
