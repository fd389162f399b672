"""JSON Schemas (2020-12) of everything that crosses the border, each complete in itself."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from functools import cache

import msgspec

from controller.games.registry import all_games
from controller.outbox.commands import COMMANDS
from controller.outbox.retained import Ack, Chat, Status
from controller.schema.envelope import envelope_schema
from controller.settings.model import complete_settings
from controller.vocabulary.configuration import PLAIN_NAME, TOPIC_NAME
from controller.vocabulary.display import Alert, Display, LastResult, LastVoid
from controller.vocabulary.events import EVENTS, Stamp
from controller.vocabulary.evidence import Evidence
from controller.vocabulary.messages import MESSAGES
from controller.vocabulary.outcomes import Outcome, Score
from controller.vocabulary.replies import Reply, SnapshotReply

Schema = dict[str, object]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
OPEN = (Evidence,)
"""Structs that promise only the fields of their own class, and may have any others."""
RETAINED: dict[str, tuple[type[msgspec.Struct], ...]] = {
    "status": (Status,),
    "result": (LastResult, LastVoid),
    "display": (Display,),
    "alerts": (Alert,),
    "acks": (Ack,),
    "chat": (Chat,),
}
"""Topic -> shapes of its payload."""


DOCUMENTS: dict[str, tuple[type[msgspec.Struct], ...]] = {
    "configuration": (),
    "score": (Score,),
    **{f"message/{name}": (struct,) for name, struct in MESSAGES.items()},
    **{f"data/{name}": (struct,) for name, struct in MESSAGES.items()},
    **{f"retained/{name}": structs for name, structs in RETAINED.items()},
    **{f"command/{name}": (struct,) for name, struct in COMMANDS.items()},
    "reply": (Reply,),
    "reply/snapshot": (SnapshotReply,),
    **{f"event/{name}": (struct, Stamp) for name, struct in EVENTS.items()},
}
"""Name of each schema -> the structs that it draws; the settings of all drivers are loaded when asked for.
``message`` is the whole message, ``data`` what is in it."""
GOING_OUT = ("message/", "data/", "retained/", "reply")
"""What we write: members may be added to it, so no schema of it refuses one that it does not know."""


def document(name: str) -> Schema:
    """One schema; KeyError if there is none of that name."""
    if name.startswith("event/"):
        return _event(name)
    structs = DOCUMENTS[name] or (complete_settings(),)
    shape = standing_alone(structs)
    kind, _, message = name.partition("/")
    if kind == "message":
        inside = {"$ref": shape.pop("$ref"), "description": f"As `schema data/{message}` alone."}
        shape = {**envelope_schema(message, inside), "$defs": shape["$defs"]}
    if name.startswith(GOING_OUT):
        shape = opened(shape)
    return {"$schema": DIALECT, "title": name, **shape}


def opened(shape: Schema) -> Schema:
    """The same, open to additions."""
    return {
        key: opened(one) if isinstance(one, dict) else one
        for key, one in shape.items()
        if not (key == "additionalProperties" and one is False)
    }


def standing_alone(structs: Iterable[type[msgspec.Struct]]) -> Schema:
    """The schema of one struct, or of any of several, with all that it needs under ``$defs``."""
    structs, ref = tuple(structs), "#/$defs/{name}"
    return {**any_of(structs, ref), "$defs": components(structs, ref)}


def any_of(structs: Iterable[type[msgspec.Struct]], ref: str) -> Schema:
    """Points at one struct's schema, or at those of several."""
    names: list[Schema] = [{"$ref": ref.format(name=schema_name(struct))} for struct in structs]
    return names[0] if len(names) == 1 else {"anyOf": names}


def components(structs: Iterable[type[msgspec.Struct]], ref: str) -> dict[str, Schema]:
    """Name -> schema of the structs and of everything in them; ``ref`` says how one points at another."""
    structs = tuple(structs)
    all_structs = (*structs, *_outcome_structs())
    _, found = msgspec.json.schema_components(all_structs, ref_template=ref, schema_hook=_hook)
    named = {plain(name): {**shape, "title": plain(name)} for name, shape in found.items()}
    for struct in OPEN:
        if struct.__name__ in named:
            named[struct.__name__] |= {"properties": _promised(named, struct), "additionalProperties": True}
    used = _reached(named, [schema_name(struct) for struct in structs], ref)
    _describe(used, all_structs)
    for game in all_games().values():
        if game.outcome_schema is not None and game.outcome_type.__name__ in used:
            used[game.outcome_type.__name__] = dict(game.outcome_schema)
    return {name: _pointed(shape, ref) for name, shape in sorted(used.items())}  # type: ignore[misc]


def schema_name(struct: type[msgspec.Struct]) -> str:
    """The name of a struct's schema."""
    return plain(struct.__name__)


def plain(name: str) -> str:
    """The name of a class without what tells a message from an event of the same name."""
    return name.removesuffix("Message")


def _promised(shapes: dict[str, Schema], struct: type[msgspec.Struct]) -> Schema:
    """The fields of an open struct that are its own, not those of a base."""
    properties = _object(shapes[struct.__name__], "properties")
    return {name: shape for name, shape in properties.items() if name in struct.__annotations__}


def _event(name: str) -> Schema:
    """One flat object: the event's fields and the stamp's; the shell writes those, a person need not."""
    event = components(DOCUMENTS[name], "#/$defs/{name}")
    shape, stamp = (event.pop(struct.__name__) for struct in DOCUMENTS[name])
    shape["properties"] = {**_object(shape, "properties"), **_object(stamp, "properties")}
    return {"$schema": DIALECT, **shape, "title": name, **({"$defs": event} if event else {})}


def _hook(kind: type) -> Schema:
    """``object`` is any JSON value; an outcome is that of any game, those that a struct alone draws first."""
    if kind is object:
        return {"$comment": "any value"}
    if kind is Outcome:
        outcomes = sorted(all_games().values(), key=lambda game: game.outcome_schema is not None)
        return {
            "anyOf": [{"$ref": game.outcome_type.__name__} for game in outcomes],
        }
    raise TypeError(f"{kind.__name__} has no JSON Schema; say here which one it has")


def _object(shape: Schema, key: str) -> dict[str, object]:
    value = shape.get(key, {})
    return dict(value) if isinstance(value, dict) else {}


def _pointed(value: object, ref: str) -> object:
    """Our own bare references (``{"$ref": "RoundCard"}``) as all others are written; games where ``GameName``
    wants them; and a name as it is configured now."""
    if isinstance(value, dict):
        return {key: _filled(key, one, ref) for key, one in value.items()}
    return [_pointed(one, ref) for one in value] if isinstance(value, list | tuple) else value


def _filled(key: str, value: object, ref: str) -> object:
    if key == "$ref" and "/" not in str(value):
        return ref.format(name=value)
    if (key, value) == ("pattern", TOPIC_NAME):
        return PLAIN_NAME
    return list(all_games()) if (key, value) == ("enum", "games") else _pointed(value, ref)


def _outcome_structs() -> tuple[type[msgspec.Struct], ...]:
    return tuple(game.outcome_type for game in all_games().values())


def _reached(named: dict[str, Schema], roots: list[str], ref: str) -> dict[str, Schema]:
    """Those that the roots need, themselves included."""
    begin = ref.format(name="")
    reached: dict[str, Schema] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = named[name]
            waiting += [pointer.removeprefix(begin) for pointer in _pointers(named[name])]
    return reached


def _pointers(value: object) -> Iterable[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "$ref":
                yield str(one)
            else:
                yield from _pointers(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _pointers(one)


def _describe(shapes: dict[str, Schema], structs: Iterable[type[msgspec.Struct]]) -> None:
    """Add the texts under the fields as descriptions, unless the type has one of its own."""
    for struct in structs_within(structs):
        shape = shapes.get(schema_name(struct))
        if shape is None:
            continue
        shape["description"] = struct_docstring(struct)
        words = field_docstrings(struct)
        properties = _object(shape, "properties")
        for field in msgspec.structs.fields(struct):
            one = properties.get(field.encode_name)
            if isinstance(one, dict) and field.name in words and "description" not in one:
                properties[field.encode_name] = {**one, "description": words[field.name]}
        if properties:
            shape["properties"] = properties


def structs_within(structs: Iterable[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    """The structs and every struct in their fields, each once."""
    found: list[type[msgspec.Struct]] = []
    waiting: list[msgspec.inspect.Type] = [msgspec.inspect.type_info(struct) for struct in structs]
    while waiting:
        one = waiting.pop()
        if isinstance(one, msgspec.inspect.StructType):
            if one.cls in found:
                continue
            found.append(one.cls)
            waiting += [field.type for field in one.fields]
        for part in ("type", "item_type", "key_type", "value_type"):
            if isinstance(inner := getattr(one, part, None), msgspec.inspect.Type):
                waiting.append(inner)
        for part in ("types", "item_types"):
            waiting += getattr(one, part, ())
    return found


@cache
def field_docstrings(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Field -> the text under it, those of the bases too; no entry where there is none.

    A struct that was composed at run time has no source: ``described_by`` names the one its fields are from.
    """
    texts: dict[str, str] = {}
    for cls in reversed(struct.__mro__):
        if issubclass(cls, msgspec.Struct) and cls is not msgspec.Struct:
            texts |= _own_docstrings(cls.__dict__.get("described_by", cls))
    return texts


def struct_docstring(struct: type[msgspec.Struct]) -> str:
    """The struct's own docstring in one line of text for each paragraph; that of a base tells nothing."""
    own = inspect.cleandoc(struct.__dict__.get("__doc__") or "")
    return "\n\n".join(" ".join(part.split()) for part in own.split("\n\n") if part.strip()).strip()


def _own_docstrings(cls: type) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    found: dict[str, str] = {}
    field: str | None = None
    for node in definition.body if isinstance(definition, ast.ClassDef) else ():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            field = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and field is not None:
            found[field] = " ".join(str(ast.literal_eval(node.value)).split())
            field = None
        else:
            field = None
    return found
