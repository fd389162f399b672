"""The report as people read it: text for a terminal, and one page that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from controller.shadow.difference import MEANING, Difference, Report

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .25rem 1rem .25rem 0; text-align: left;
vertical-align: top; border-bottom: 1px solid var(--line); } td.n { text-align: right; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0; }
article h3 { font-size: 1rem; margin: 0; } article p { margin: .25rem 0; }
dl { display: grid; grid-template-columns: 10rem 1fr; margin: .5rem 0 0; gap: .1rem 1rem; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .85em/1.4 ui-monospace, monospace; background: var(--soft); padding: .05rem .25rem; }
.none { font-size: 1.15rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
"""


POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def summary(report: Report) -> list[tuple[str, str]]:
    """The figures, each with its name."""
    return [
        ("table", f"{report.table}, {report.game}"),
        ("from", report.since or "nothing was heard yet"),
        ("until", report.until or ""),
        ("software", f"{report.version}, {report.digest[:12]}"),
        ("lines of the other system", f"{report.lines:,}"),
        ("rounds followed here", f"{report.rounds:,}"),
        ("rounds compared", f"{report.compared:,}"),
        ("of these without a difference", f"{report.agreed:,}"),
        ("differences", f"{sum(report.kinds.values()):,}"),
        ("restarts", str(report.restarts)),
    ]


def text_page(report: Report) -> Iterator[str]:
    """The report line by line."""
    for name, value in summary(report):
        yield f"{name:30} {value}"
    for kind, times in report.kinds.items():
        yield f"  {times:6,} {kind.replace('_', ' '):15} {MEANING[kind]}"  # type: ignore[index]
    for number, found in enumerate(report.differences, 1):
        yield ""
        yield f"{number}. {title(found)}: {found.words}"
        for name, value in proof(found):
            yield f"     {name:18} {value}"
    if report.more:
        yield ""
        yield f"{report.more:,} more are counted and not listed"


def title(found: Difference) -> str:
    """Which round."""
    rounds = [f"their round {found.their_round}"] if found.their_round is not None else []
    rounds += [f"round {found.round}"] if found.round is not None else []
    return (
        ", ".join([*rounds, *([found.at] if found.at else [])]) or f"line that ends at {found.line_ends or 0}"
    )


def proof(found: Difference) -> Iterator[tuple[str, str]]:
    """What proves it, each part with its name."""
    if found.paragraph is not None:
        known = found.paragraph[:1].isdigit()
        yield "decided by", f"paragraph {found.paragraph}" if known else found.paragraph
    if found.kind in ("held_here", "void_here") and found.ours:
        yield "evidence", shown_whole(found.ours)
    if found.cards:
        yield "cards as read here", " ".join(found.cards)
    if found.line is not None:
        yield "their line", found.line
        yield "it ends at byte", str(found.line_ends)
    if found.raw:
        yield "bytes heard here", "; ".join(found.raw)
    if found.records is not None:
        yield "journal records", f"{found.records[0]} to {found.records[1]}"


def shown_whole(value: object) -> str:
    """A value as JSON, cut only where it is very long."""
    import msgspec

    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 1000 else f"{text[:1000]}..."


def html_page(report: Report) -> str:
    """One page of its own: no script, nothing from anywhere else."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in summary(report)
    )
    kinds = "".join(
        f'<tr><td class="n">{times:,}</td><th>{escape(kind.replace("_", " "))}</th>'
        f"<td>{escape(meaning)}</td></tr>"
        for kind, meaning in MEANING.items()
        if (times := report.kinds.get(kind, 0))
    )
    found = "".join(_article(number, one) for number, one in enumerate(report.differences, 1))
    more = f"<p>{report.more:,} more are counted and not listed.</p>" if report.more else ""
    none = '<p class="none">No difference.</p>' if not report.kinds else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>Beside the old system: {escape(report.table)}</title><style>{STYLE}</style>"
        f"<h1>Beside the old system</h1><table>{rows}</table>{none}"
        f"{'<h2>Kinds of difference</h2><table>' + kinds + '</table>' if kinds else ''}"
        f"{'<h2>Each difference</h2>' + found if found else ''}{more}</html>\n"
    )


def _article(number: int, found: Difference) -> str:
    parts = "".join(
        f"<dt>{escape(name)}</dt><dd><code>{escape(value)}</code></dd>" for name, value in proof(found)
    )
    kind = escape(found.kind.replace("_", " "))
    return (
        f"<article><h3>{number}. {escape(title(found))}</h3><p><b>{kind}</b> {escape(found.words)}</p>"
        f"<dl>{parts}</dl></article>"
    )


def shown_words(found: Difference) -> str:
    """A difference in one line of the log."""
    return f"{title(found)}: {found.kind.replace('_', ' ')}: {found.words}"
