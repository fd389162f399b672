"""``score``, ``settle``, ``odds``, ``roads``: one question and a table, or many lines with ``--batch``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from controller.cli.lines import MOST_BYTES, Answering, ErrorAnswer, answer_line, answer_lines
from controller.cli.telling import complain, print_json, print_lines, standard_input, standard_output, writing
from controller.vocabulary.errors import InputError
from controller.vocabulary.outside import unmarked

if TYPE_CHECKING:
    from controller.vocabulary.outcomes import Score

Tabled = Callable[[Any], list[str]]
"""An answer as the lines of a table for people."""


def score(arguments: argparse.Namespace) -> int:
    """Outcome and every spot of a round."""
    from controller.cli.tables import score_table
    from controller.games.score import score_line

    given: list[int] = []

    def answering(line: object) -> Score:
        cards = line.get("cards") if isinstance(line, Mapping) else None
        given[:] = [len(cards)] if isinstance(cards, list) else []
        return score_line(line)

    return _ask(arguments, answering, lambda answer: score_table(answer, *given))


def settle(arguments: argparse.Namespace) -> int:
    """The bets of one player after a round."""
    from controller.cli.tables import settle_table
    from controller.settlement import settle_line

    return _ask(arguments, settle_line, settle_table)


def odds(arguments: argparse.Namespace) -> int:
    """Exact probabilities, and fair and offered prices."""
    from controller.cli.tables import odds_table
    from controller.odds.counting import odds_line

    return _ask(arguments, lambda line: odds_line(_object(line)), odds_table)


def roads(arguments: argparse.Namespace) -> int:
    """Scoreboards of a shoe from its results."""
    from controller.cli.tables import roads_table
    from controller.games.line import check_fields
    from controller.roads import roads_answer

    def answering(line: object) -> Mapping[str, object]:
        check_fields(_object(line), {"results", "note"})
        results = _object(line).get("results")
        if not isinstance(results, list):
            raise InputError("results: expected a list of results in order of play", "wrong_type")
        return roads_answer(results)

    return _ask(arguments, answering, roads_table)


def _object(line: object) -> Mapping[str, object]:
    if not isinstance(line, Mapping):
        raise InputError("a line is a JSON object, as {...}", "wrong_type")
    return line


def _ask(arguments: argparse.Namespace, answering: Answering, tabled: Tabled) -> int:
    """0; 1 if some answer was an error; 2 if nothing was asked."""
    if arguments.batch and arguments.line is not None:
        return complain("--batch reads standard input; leave the line out, or --batch")
    if arguments.batch:
        with writing():
            return 0 if answer_lines(standard_input(), standard_output(), answering) else 1
    if arguments.line is not None:
        line = arguments.line.encode("utf-8", errors="surrogateescape")
    elif (asked := standard_input()).isatty():
        return complain("nothing is asked: give one line of JSON, or --batch and lines on standard input")
    else:
        line = asked.read(MOST_BYTES + 1)
    answer = answer_line(unmarked(line), answering)
    if arguments.json:
        print_json(answer)
    elif isinstance(answer, ErrorAnswer):
        complain(f"{answer.error.message} ({answer.error.code})")
    else:
        print_lines(tabled(answer))
    return 1 if isinstance(answer, ErrorAnswer) else 0
