"""A part of mypy: what people read shows no Python.

It looks at whatever becomes text: f-strings, ``str``, ``print`` and lines of a log. A struct, a list, bytes
or None would stand there as the program holds them, ``CommandAnswered(command='L', ok=True)``, and an
OSError with its number. Only text may be put into quotes with ``!r``; ``controller.vocabulary.shown`` shows
any other value. What has no type but ``object`` it cannot see: people read ``tests/cli/mistakes.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mypy.nodes import CallExpr, MemberExpr, StrExpr
from mypy.plugin import FunctionContext, MethodContext, Plugin
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    Overloaded,
    ProperType,
    TupleType,
    Type,
    TypedDictType,
    TypeType,
    TypeVarType,
    UnionType,
    get_proper_type,
)

Context = FunctionContext | MethodContext
_FIELD = re.compile(r"\{(!\w)?(:|\})")
_HELD = {
    f"builtins.{name}" for name in ("bytes", "bytearray", "list", "dict", "set", "frozenset", "tuple")
} | {f"typing.{name}" for name in ("Mapping", "Sequence", "Iterable", "Iterator", "AbstractSet", "Callable")}
_OURS = ("controller.", "drivers.", "making.")


class Representations(Plugin):
    """Refuses what would be seen as Python."""

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if fullname == "builtins.str.format":
            return _formatted
        return _written if fullname.startswith("logging.Logger.") else None

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname in ("builtins.repr", "builtins.ascii", "reprlib.repr", "pprint.pformat"):
            return _represented
        return _written if fullname in ("builtins.str", "builtins.print") else None


def plugin(version: str) -> type[Plugin]:
    """Where mypy begins."""
    return Representations


def _formatted(context: MethodContext) -> Type:
    call = context.context
    if isinstance(call, CallExpr) and isinstance(call.callee, MemberExpr):
        template = call.callee.expr
        field = _FIELD.match(template.value) if isinstance(template, StrExpr) else None
        if field is not None and field[1] == "!s":
            return _written(context)
        if field is not None and field[1] == "!r":
            _refuse(
                context,
                context.arg_types[0][:1],
                lambda one: not (_is(one, "builtins.str") or isinstance(one, AnyType)),
            )
        else:
            _refuse(context, context.arg_types[0], _python)
    return context.default_return_type


def _written(context: Context) -> Type:
    """``str`` also makes keys of types and takes tags that are never None: these it may have."""
    given = [one for formal in context.arg_types for one in formal]
    _refuse(context, given, lambda one: not isinstance(one, NoneType | TypeType) and _python(one))
    return context.default_return_type


def _represented(context: FunctionContext) -> Type:
    """Text may be quoted, and ``Decimal(repr(0.1))`` is how a float is read exactly."""
    _refuse(
        context,
        context.arg_types[0],
        lambda one: not _is(one, "builtins.float") and not _is(one, "builtins.str"),
    )
    return context.default_return_type


def _refuse(context: Context, given: list[Type], wrong: Callable[[ProperType], bool]) -> None:
    for one in given:
        seen = [each for each in _each(one) if wrong(each)]
        if seen:
            names = ", ".join(map(str, seen))
            context.api.fail(f"people would read Python here: {names}", context.context)


def _each(given: Type) -> Iterator[ProperType]:
    one = get_proper_type(given)
    if isinstance(one, UnionType):
        for item in one.items:
            yield from _each(item)
    elif isinstance(one, TypeVarType):
        yield from _each(one.upper_bound)
    else:
        yield one.fallback if isinstance(one, LiteralType) else one


def _is_text(one: ProperType) -> bool:
    return _is(one, "builtins.str") or isinstance(one, AnyType)


def _is(one: ProperType, name: str) -> bool:
    return isinstance(one, Instance) and one.type.has_base(name)


def _python(one: ProperType) -> bool:
    if not isinstance(one, Instance):
        return isinstance(one, NoneType | TupleType | TypedDictType | TypeType | CallableType | Overloaded)
    if one.type.fullname in _HELD or _is(one, "builtins.OSError"):
        return True
    if _is(one, "builtins.BaseException") or _is(one, "builtins.str"):
        return False
    says = any({"__str__", "__format__"} & set(base.names) for base in one.type.mro[:-1])
    return one.type.fullname.startswith(_OURS) and not says
