"""Numbers as papers print them: a rounded number stands for an interval, and sums of such numbers for a wider one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Union

Operand = Union["Interval", int, Fraction]


@dataclass(frozen=True)
class Interval:
    """All values between two bounds; arithmetic gives all values the result can have."""

    low: Fraction
    high: Fraction

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Operand) -> Interval:
        other = _interval(other)
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Operand) -> Interval:
        return self + -_interval(other)

    def __rsub__(self, other: Operand) -> Interval:
        return -self + other

    def __mul__(self, other: Operand) -> Interval:
        other = _interval(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Operand) -> Interval:
        other = _interval(other)
        assert other.low > 0 or other.high < 0, "division by an interval that holds 0"
        return self * Interval(1 / other.high, 1 / other.low)

    def agrees(self, other: Interval) -> bool:
        """Have the two any value in common? A common end alone does not count: rounding is not that unlucky."""
        return max(self.low, other.low) < min(self.high, other.high)

    @property
    def middle(self) -> float:
        return float((self.low + self.high) / 2)


def _interval(value: Operand) -> Interval:
    return value if isinstance(value, Interval) else Interval(Fraction(value), Fraction(value))


def printed(text: str) -> Interval:
    """Everything that is printed so: `0.35` is 0.345 … 0.355, `+20` is 19.5 … 20.5."""
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    half = Fraction(Decimal(1).scaleb(exponent)) / 2
    return Interval(Fraction(number) - half, Fraction(number) + half)


def prints_as(value: float, text: str) -> bool:
    """Is a computed value printed so? A number without decimals, such as 0 or 1, is meant exactly."""
    shown = printed(text)
    return value == float(text) if "." not in text else shown.low <= Fraction(value) <= shown.high
