"""The interface as the outside sees it: the shape of every message, event, command and file, as JSON Schema
and AsyncAPI.

All of it is drawn from the structs that the program reads and writes; tests validate published messages
against the schemas.
"""
