"""Tables of expected results that need no model: frame times, slerp, numbers from text."""

import math
import random
from fractions import Fraction

import binary32
from maths import add, dot, scale, subtract
from md5ref import FrameTime, Writer, length_ms


def time_table():
    """Writes the sample position for times in milliseconds, around the seams of clips of several lengths."""
    out = Writer()
    out.record("# numFrames frameRate animLength timeMs cycleArg")
    out.lines[0] += " -> cycleCount frame1 frame2 frontlerp backlerp"
    clips = [(1, 24), (2, 24), (2, 30), (3, 15), (5, 24), (12, 60), (41, 24), (48, 30), (7, 10)]
    for num_frames, rate in clips + [(100, 1)]:
        length = length_ms(num_frames, rate)
        interval = 1000 // rate
        times = [-9, 0, 1, interval, interval + 1, length // 2, length - 1, length, length + 1]
        times += [2 * length, 3 * length + 17]
        for i, time in enumerate(times):
            # Limits only matter after the first cycle; before, one of them is used in turn.
            limits = (-1, 1, 2) if time >= 2 * length > 0 else ((-1, 0, 1, 3)[i % 4],)
            for limit in limits:
                frame_time = FrameTime(num_frames, rate, time, limit)
                fields = [num_frames, rate, length, time, limit]
                fields += [frame_time.cycle, frame_time.first, frame_time.second, frame_time.front,
                           frame_time.back]
                out.record("t", fields)
    return "\n".join(out.lines) + "\n"


def unit(q):
    return scale(q, 1.0 / math.sqrt(dot(q, q)))


def exact_slerp(start, end, amount):
    """Interpolates without a linear branch: half the angle from two lengths, which is precise near 0."""
    if amount <= 0:
        return start
    if amount >= 1:
        return end
    start, end = unit(start), unit(end)
    if dot(start, end) < 0:
        end = scale(end, -1.0)
    difference, total = subtract(start, end), add(start, end)
    angle = 2 * math.atan2(math.sqrt(dot(difference, difference)), math.sqrt(dot(total, total)))
    if angle == 0:
        return start
    start_weight = math.sin((1 - amount) * angle) / math.sin(angle)
    end_weight = math.sin(amount * angle) / math.sin(angle)
    return add(scale(start, start_weight), scale(end, end_weight))


def rotate_towards(q, direction, angle):
    """Rotates a unit q by an angle towards the part of `direction` that is perpendicular to q."""
    perpendicular = unit(subtract(direction, scale(q, dot(q, direction))))
    return add(scale(q, math.cos(angle)), scale(perpendicular, math.sin(angle)))


def rounded(q):
    return tuple(map(binary32.nearest, q))


def slerp_table():
    """Writes angles in four dimensions between the end points: from 0 to nearly opposite."""
    out = Writer()
    out.record("# q0(xyzw) q1(xyzw) t -> exact slerp (xyzw)")
    random_number = random.Random(4).random

    def random_quaternion():
        return unit(tuple(2 * random_number() - 1 for _ in range(4)))

    # Near pi / 2 the sign of the dot product selects the arc, so rounding must not affect it.
    angles = [0.0, 1e-7, 1e-5, 1e-4, 5e-4, 1.3e-3, 1.5e-3, 0.01, 0.1, 0.5, 1.0, 1.5, 1.57]
    angles += [math.pi - angle for angle in angles]
    amounts = [-0.5, 0.0, 1e-6, 0.25, 0.5, 0.63, 0.999, 1.0, 1.5]
    for index, angle in enumerate(angles):
        start = random_quaternion()
        end = rounded(rotate_towards(start, random_quaternion(), angle))
        start = rounded(start)
        # All amounts for every third angle, every second amount for the other angles; about 200 rows.
        angle_amounts = amounts if index % 3 == 0 else amounts[index % 2 + 1 :: 1]
        for amount in map(binary32.nearest, angle_amounts):
            out.record("s", start, end, amount, exact_slerp(start, end, amount))
    return "\n".join(out.lines) + "\n"


def exact_decimal(value):
    """Returns all digits of a Fraction whose denominator is a product of powers of two and ten."""
    decimals, denominator = 0, value.denominator
    while 10**decimals % denominator:
        decimals += 1
    digits = str(abs(value.numerator) * 10**decimals // denominator).rjust(decimals + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (digits[:-decimals] + "." + digits[-decimals:] if decimals else digits)


def with_exponent(text, letter):
    """Returns the same number as digit.digits and an exponent."""
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    integer, _, fraction = text.partition(".")
    digits = (integer + fraction).lstrip("0")
    exponent = len(integer) - 1 - (len(integer + fraction) - len(digits))
    digits = digits.rstrip("0")
    return f"{sign}{digits[0]}.{digits[1:]}{letter}{exponent}"


def neighbor(text, step):
    """Returns the text with its last digit (of a plain decimal) changed by `step`."""
    decimals = len(text.partition(".")[2])
    return exact_decimal(Fraction(text) + step * Fraction(1, 10**decimals)).ljust(len(text), "0")


class FloatTexts:
    """Creates texts for the table of numbers; `random_number` is the only source of random numbers."""

    def __init__(self):
        self.random_number = random.Random(32).random
        self.texts = []

    def below(self, limit):
        return int(self.random_number() * limit)

    def sign(self):
        return "-" if self.random_number() < 0.5 else ""

    def digits(self, count):
        return "".join(str(self.below(10)) for _ in range(count))

    def plain_numbers(self):
        """Adds every length from 1 to 25 digits, with the point at any position, also first and last."""
        for count in range(1, 26):
            for _ in range(20):
                digits, position = self.digits(count), self.below(count + 2)
                point = "." if position <= count else ""
                self.texts.append(self.sign() + digits[:position] + point + digits[position:])

    def leading_zeros(self):
        for count in range(1, 11):
            for _ in range(8):
                zeros = "0" * count
                front = zeros if self.random_number() < 0.5 else "0." + zeros
                self.texts.append(self.sign() + front + self.digits(1 + self.below(12)))

    def file_like_numbers(self):
        for _ in range(300):
            limit = (1, 10, 100, 1000)[self.below(4)]
            self.texts.append(f"{self.sign()}{self.random_number() * limit:.6f}")

    def exponents(self):
        for index in range(360):
            count = 1 + index % 20
            digits = str(1 + self.below(9)) + self.digits(count - 1)
            position = self.below(count + 1)
            mantissa = digits[:position] + "." + digits[position:] if position else digits
            exponent = self.below(80) - 44 - (position or count)
            plus = "+" if exponent >= 0 and self.random_number() < 0.5 else ""
            zero = "0" if exponent >= 0 and self.random_number() < 0.2 else ""
            letter = "eE"[self.below(2)]
            self.texts.append(f"{self.sign()}{mantissa}{letter}{plus}{zero}{exponent}")

    def halfway(self, bits):
        """Adds the midpoint of a binary32 and the next one, and its neighbors in the last digit."""
        low, high = map(binary32.fraction_from_bits, (bits, bits + 1))
        middle = exact_decimal((low + high) / 2)
        if "." not in middle:
            middle += ".0"
        for text in (middle, neighbor(middle, 1), neighbor(middle, -1)):
            shortened = text if len(text) < 60 else with_exponent(text, "e")
            self.texts.append(self.sign() + shortened)

    def midpoints(self):
        for _ in range(130):
            self.halfway(((127 - 12 + self.below(36)) << 23) | self.below(1 << 23))
        for exponent in (1, 60, 150, 200, 253):
            self.halfway((exponent << 23) | self.below(1 << 23))
        # Ties about a power of two, where the spacing changes.
        for exponent in range(124, 131):
            self.halfway((exponent << 23) - 1)
            self.halfway(exponent << 23)

    def subnormals(self):
        for bits in (0, 1, 2, 0x007FFFFE, 0x007FFFFF, 0x00800000):
            self.halfway(bits)
        for _ in range(4):
            self.halfway(self.below(1 << 23))
        for _ in range(110):
            value = binary32.value_from_bits(self.below(1 << (1 + self.below(23))) + 1)
            self.texts.append(f"{self.sign()}{value:.{self.below(12)}e}")

    def special_values(self):
        """Adds signed zeros, the largest finite value, and the largest number that is rounded to it."""
        largest = binary32.fraction_from_bits(0x7F7FFFFF)
        overflow = largest + Fraction(2) ** 103
        self.texts += ["0", "-0", "0.0", "-0.0", ".0", "-.0", "0.", "-0.", "0e0", "-0e10", "0E-99"]
        self.texts += ["000", "-000.000", "0.000e38", "1e-60", "-1e-60", "1e-46", "-7e-46", "8e-46"]
        for text in ("3.4028235e38", "3.40282347e+38", "3.4028234663852886e38", "34028235E31"):
            self.texts += [text, "-" + text]
        for value in (largest, largest - 1, largest + 1, overflow - 1):
            self.texts += [exact_decimal(value), "-" + exact_decimal(value)]
        self.texts.append(exact_decimal(overflow - 1) + ".999999")
        self.texts += [f"1e{exponent}" for exponent in range(-46, 39)]
        self.texts += [str(2**exponent) for exponent in range(0, 128, 6)]
        self.texts += [exact_decimal(Fraction(1, 2**exponent)) for exponent in range(1, 40, 3)]
        self.texts += [str(2**24 + step) for step in range(-3, 6)]
        self.texts.append("0." + "0" * 40 + "1")
        self.texts.append("1" + "0" * 38)
        self.texts.append("0.1" + "0" * 100)
        self.texts.append("16777217." + "0" * 60 + "1")  # a tie except for its last digit
        self.texts.append("16777217." + "0" * 61)


def float_table():
    """Writes `text bits`: the binary32 nearest to the text, in hexadecimal."""
    float_texts = FloatTexts()
    float_texts.special_values()
    float_texts.plain_numbers()
    float_texts.leading_zeros()
    float_texts.file_like_numbers()
    float_texts.exponents()
    float_texts.midpoints()
    float_texts.subnormals()
    texts = list(dict.fromkeys(float_texts.texts))  # without duplicates, in the same order
    rows = [(text, binary32.bits_from_text(text)) for text in texts]
    finite = [row for row in rows if row[1] & 0x7FFFFFFF < binary32.INFINITY_BITS]
    return "".join(f"{text} {bits:08x}\n" for text, bits in finite)


TABLES = {"timetable": time_table, "slerptable": slerp_table, "floats": float_table}
