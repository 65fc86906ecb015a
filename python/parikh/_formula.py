"""Formulas in the contest's XML, which the auditor reads.

The auditor is to read the question by itself, not as the prover did; so this is a reader of its own of the
language that ``parikh check --help`` describes.
"""

from __future__ import annotations

import re
from typing import Union
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from ._programs import ParikhError

_TOKEN = re.compile(
    r'\s*(?:(#[^\n]*)|("(?:[^"\\]|\\.)*")|([\w.]+)|(<->|<=>|&&|\|\||->|=>|<=|>=|==|!=|=<|<>|[-<>=+*&|!()\[\],;]))'
)
#: Infix operators of formulas, loosest first; those in a row of one line bind alike.
_INFIX = [
    {"<->", "<=>", "iff"},
    {"->", "=>", "implies"},
    {"||", "|", "or"},
    {"xor"},
    {"&&", "&", "and"},
    {"U"},
]
_RIGHT = {"->", "=>", "implies", "U"}
_PATHS = {"A", "E", "G", "F", "X", "AG", "AF", "AX", "EG", "EF", "EX"}
_NAMES = {"A": "all-paths", "E": "exists-path", "G": "globally", "F": "finally", "X": "next"}
_OF_RUNS = {"globally", "finally", "next", "until", "fires"}
_RELATIONS = {
    "<=": "le", "=<": "le", "<": "lt", ">=": "ge", ">": "gt", "=": "eq", "==": "eq", "!=": "ne", "<>": "ne",
}
_FLIPPED = {"le": "ge", "lt": "gt", "ge": "le", "gt": "lt", "eq": "eq", "ne": "ne"}

#: A formula in XML, or a sum: how often each place, and a constant.
_Sum = tuple[dict[str, int], int]
_Part = Union[str, _Sum]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ParikhError(f"formula, column {at + 1}: `{text[at:at + 10]}` is no word of the language")
            at = found.end()
            if not found.group(1):
                self.tokens.append(found.group(0).strip())
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def expect(self, token: str) -> None:
        if self.next() != token:
            raise ParikhError(f"formula `{self.text}`: expected `{token}`")

    def formula(self, level: int = 0) -> _Part:
        if level == len(_INFIX):
            return self.comparison()
        left = self.formula(level + 1)
        while self.peek() in _INFIX[level]:
            operator = self.next()
            right = self.formula(level if operator in _RIGHT else level + 1)
            left = _joined(operator, _boolean(left), _boolean(right))
        return left

    def comparison(self) -> _Part:
        if self.peek() in {"!", "not"}:
            self.next()
            return f"<negation>{_boolean(self.comparison())}</negation>"
        if self.peek() in _PATHS:
            operator = self.next()
            return _path(operator, _boolean(self.comparison()))
        left = self.sum()
        if self.peek() not in _RELATIONS:
            return left
        relation = _RELATIONS[self.next()]
        return _compared(relation, _number(left), _number(self.sum()))

    def sum(self) -> _Part:
        total = self.product()
        while self.peek() in {"+", "-"}:
            sign = 1 if self.next() == "+" else -1
            total = _plus(_number(total), _number(self.product()), sign)
        return total

    def product(self) -> _Part:
        left = self.atom()
        while self.peek() == "*":
            self.next()
            a, b = _number(left), _number(self.atom())
            if a[0] and b[0]:
                raise ParikhError(f"formula `{self.text}`: a product of two numbers of tokens")
            (places, constant), factor = (a, b[1]) if a[0] else (b, a[1])
            left = ({place: factor * n for place, n in places.items()}, factor * constant)
        return left

    def atom(self) -> _Part:
        token = self.next()
        if token in {"(", "["}:
            inner = self.formula()
            self.expect(")" if token == "(" else "]")
            return inner
        if token == "-":
            return _plus(({}, 0), _number(self.atom()), -1)
        if token in {"fireable", "enabled", "fires"} and self.peek() == "(":
            names = "".join(f"<transition>{escape(name)}</transition>" for name in self.names())
            # That one of them fires next is not the contest's; the auditor calls it so.
            tag = "fires" if token == "fires" else "is-fireable"
            return f"<{tag}>{names}</{tag}>"
        if token in {"bound", "max"} and self.peek() == "(":
            self.next()
            places, constant = _number(self.sum())
            self.expect(")")
            if constant or any(n < 0 for n in places.values()):
                raise ParikhError(f"formula `{self.text}`: a bound of something else than tokens together")
            return f"<place-bound>{_listed(places)}</place-bound>"
        if token == "tokens" and self.peek() == "(":
            together: dict[str, int] = {}
            for name in self.names():
                together[name] = together.get(name, 0) + 1
            return together, 0
        if token in {"deadlock", "true", "false"}:
            return f"<{token}/>"
        if token.isdecimal():
            return {}, int(token)
        if not token or not (token[0] == '"' or token[0].isalnum() or token[0] in "_."):
            raise ParikhError(f"formula `{self.text}`: found `{token or 'its end'}`, expected a place or a formula")
        return {_name(token): 1}, 0

    def names(self) -> list[str]:
        self.expect("(")
        names = [_name(self.next())]
        while self.peek() == ",":
            self.next()
            names.append(_name(self.next()))
        self.expect(")")
        return names


def _name(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith('"') else token


def _boolean(part: _Part) -> str:
    if isinstance(part, tuple):
        raise ParikhError("a number stands where a formula was expected")
    return part


def _number(part: _Part) -> _Sum:
    if isinstance(part, str):
        raise ParikhError("a formula stands where a number was expected")
    return part


def _plus(a: _Sum, b: _Sum, sign: int) -> _Sum:
    places = dict(a[0])
    for place, n in b[0].items():
        places[place] = places.get(place, 0) + sign * n
    return places, a[1] + sign * b[1]


def _joined(operator: str, left: str, right: str) -> str:
    if operator in {"&&", "&", "and"}:
        return f"<conjunction>{left}{right}</conjunction>"
    if operator in {"||", "|", "or"}:
        return f"<disjunction>{left}{right}</disjunction>"
    if operator in {"->", "=>", "implies"}:
        return f"<implication>{left}{right}</implication>"
    if operator == "U":
        return f"<until><before>{left}</before><reach>{right}</reach></until>"
    # Either, and not both; or both or neither.
    one = f"<conjunction>{left}<negation>{right}</negation></conjunction>"
    other = f"<conjunction><negation>{left}</negation>{right}</conjunction>"
    differ = f"<disjunction>{one}{other}</disjunction>"
    return differ if operator == "xor" else f"<negation>{differ}</negation>"


def _path(operator: str, inner: str) -> str:
    for letter in reversed(operator):
        inner = f"<{_NAMES[letter]}>{inner}</{_NAMES[letter]}>"
    return inner


def _listed(places: dict[str, int]) -> str:
    return "".join(f"<place>{escape(place)}</place>" * n for place, n in places.items())


def _side(places: dict[str, int], constant: int) -> str:
    """A side of a comparison; a sum of tokens and a number is not the contest's, and the auditor reads it."""
    tokens = f"<tokens-count>{_listed(places)}</tokens-count>" if places else ""
    number = f"<integer-constant>{constant}</integer-constant>" if constant or not places else ""
    return f"<integer-sum>{tokens}{number}</integer-sum>" if tokens and number else tokens or number


def _compared(relation: str, left: _Sum, right: _Sum) -> str:
    places, constant = _plus(left, right, -1)
    positive = {place: n for place, n in places.items() if n > 0}
    negative = {place: -n for place, n in places.items() if n < 0}
    if not positive:
        # -p <= 3 is p >= -3.
        positive, negative, constant, relation = negative, {}, -constant, _FLIPPED[relation]
    if negative:
        # Each side keeps what it has more of: nothing is negative.
        count, other = _side(positive, max(constant, 0)), _side(negative, max(-constant, 0))
    else:
        count, other = _side(positive, 0), f"<integer-constant>{-constant}</integer-constant>"
    return f"<integer-{relation}>{count}{other}</integer-{relation}>"


def formula(text: str) -> str:
    """A formula in the contest's XML.

    >>> formula("EF (p >= 2 && !fireable(t))")[:41]
    '<exists-path><finally><conjunction><integ'
    >>> formula("G !fires(t)")
    '<all-paths><globally><negation><fires><transition>t</transition></fires></negation></globally></all-paths>'
    >>> formula("p - 2*q <= 0")
    '<integer-le><tokens-count><place>p</place></tokens-count><tokens-count><place>q</place><place>q</place></tokens-count></integer-le>'
    >>> formula("p + 1 >= q")[:84]
    '<integer-ge><integer-sum><tokens-count><place>p</place></tokens-count><integer-const'
    """
    reader = _Reader(text)
    read = _boolean(reader.formula())
    if reader.at < len(reader.tokens):
        raise ParikhError(f"formula `{text}`: `{reader.peek()}` stands behind its end")
    return f"<all-paths>{read}</all-paths>" if _is_about_a_run(ElementTree.fromstring(read)) else read


def _is_about_a_run(node: ElementTree.Element) -> bool:
    """Whether an operator of time stands in no scope of a quantifier; then the formula is meant of all runs."""
    if node.tag in {"all-paths", "exists-path"}:
        return False
    return node.tag in _OF_RUNS or any(map(_is_about_a_run, node))


def to_xml(formulas: dict[str, str]) -> str:
    """A query file of these formulas."""
    properties = "".join(
        f"<property><id>{escape(name)}</id><formula>{formula(text)}</formula></property>"
        for name, text in formulas.items()
    )
    return f"<?xml version='1.0' encoding='UTF-8'?><property-set xmlns='http://mcc.lip6.fr/'>{properties}</property-set>"
