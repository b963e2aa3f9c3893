"""Converts decimal text to IEEE 754 binary32, rounded once, to nearest, ties to even.

Texts are converted with rational arithmetic. Conversion through a double would round twice: a text just
next to the midpoint of two binary32 values can become that midpoint as a double, and is then rounded to
the wrong side.
"""

import re
import struct
from fractions import Fraction

EXPONENT_LEAST = -149  # the smallest subnormal is 2^-149
FRACTION_BITS = 23
INFINITY_BITS = 0x7F800000

NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")


def floor_log2(value):
    """Returns the largest e with 2^e <= value, for a positive Fraction."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    return exponent


def round_half_even(value):
    """Rounds a Fraction to the nearest integer, ties to the even one."""
    quotient, remainder = divmod(value.numerator, value.denominator)
    twice = 2 * remainder
    if twice > value.denominator or (twice == value.denominator and quotient % 2 == 1):
        quotient += 1
    return quotient


def magnitude_bits(value):
    """Returns the bits of the binary32 nearest to a Fraction that is not negative."""
    if value == 0:
        return 0
    # Subnormals share the spacing of the smallest normal numbers.
    spacing = max(floor_log2(value) - FRACTION_BITS, EXPONENT_LEAST)
    count = round_half_even(value / Fraction(2) ** spacing)
    # A count of 2^24 carries into the exponent, because the fields are adjacent: the addition is correct.
    bits = count + ((spacing - EXPONENT_LEAST) << FRACTION_BITS)
    return min(bits, INFINITY_BITS)


def bits_from_text(text):
    """Returns the bits of the binary32 nearest to a decimal number; the sign of -0 is preserved."""
    if not NUMBER.match(text):
        raise ValueError(f"not a number: {text!r}")
    sign = 0x80000000 if text.startswith("-") else 0
    return sign | magnitude_bits(Fraction(text.lstrip("-")))


def value_from_bits(bits):
    """Returns the binary32 with these bits, as a Python float, which represents it exactly."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def value_from_text(text):
    """Returns the binary32 nearest to a decimal number, as a Python float."""
    return value_from_bits(bits_from_text(text))


def nearest(value):
    """Returns the binary32 nearest to a Python float."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def fraction_from_bits(bits):
    """Returns the exact value of a finite binary32."""
    return Fraction(value_from_bits(bits))
