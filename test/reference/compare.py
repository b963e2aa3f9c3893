#!/usr/bin/env python3
"""Compares two files of expected numbers, record by record.

    python3 compare.py EXPECTED FOUND [EXPECTED FOUND ...]

Prints the largest deviation of every kind of number, absolute and as a fraction of its tolerance, and
exits with status 1 if a deviation exceeds its tolerance. Words, strings and integers must be equal. A larger
tolerance for w near 0 is not necessary, because the reference rounds w like the engine.
"""

import sys
from dataclasses import dataclass

# Lengths are in units of the model's size.
TOLERANCES = {
    "quaternion": 2e-6,
    "rotation": 1e-5,
    "bind rotation": 5e-5,
    "length": 3e-6,
    "factor": 1e-6,
}

# Composition of the floats of a record, after the leading integers: q quaternion, r rows of a 3x4 matrix,
# b the same for the bind pose, l lengths, f factors and similar numbers.
LAYOUTS = {
    "bindmat": (1, "b" * 12),
    "bindlocal": (1, "qqqqlll"),
    "st": (0, "ff"),
    "bv": (0, "lll"),
    "bindbounds": (0, "llllll"),
    "rootbase": (0, "lll"),
    "totaldelta": (0, "lll"),
    "baseframe": (1, "qqqqlll"),
    "time": (6, "ff"),
    "origin": (0, "lll"),
    "animbounds": (0, "llllll"),
    "local": (1, "qqqqlll"),
    "world": (1, "r" * 12),
    "v": (0, "lll"),
    "skinbounds": (0, "llllll"),
}
KINDS = {"q": "quaternion", "r": "rotation", "b": "bind rotation", "l": "length", "f": "factor"}
MATRIX_TRANSLATIONS = (3, 7, 11)


@dataclass
class LargestDeviation:
    deviation: float = 0.0
    location: str = ""


def read_records(path):
    with open(path, encoding="latin-1") as file:
        return [line.rstrip("\n").split(" ") for line in file if not line.startswith("#")]


def model_size(records):
    """Returns the diagonal of the bounding box of the bind pose."""
    for record in records:
        if record[0] == "bindbounds":
            box = [float(field) for field in record[1:]]
            return sum((box[i + 3] - box[i]) ** 2 for i in range(3)) ** 0.5
    raise ValueError("no bindbounds")


class Comparison:
    def __init__(self):
        self.largest = {}
        self.failures = []

    def number(self, keyword, kind, deviation, location):
        largest = self.largest.setdefault((keyword, kind), LargestDeviation())
        if deviation > largest.deviation:
            largest.deviation, largest.location = deviation, location
        if not deviation <= TOLERANCES[kind]:  # a NaN fails, too
            self.failures.append(f"{location}: {keyword} {kind} is {deviation:.3g} away")

    def record(self, expected, found, size, location):
        keyword = expected[0]
        num_integers, layout = LAYOUTS.get(keyword, (len(expected), ""))
        first = 1 + num_integers
        if expected[:first] != found[:first] or len(expected) != len(found):
            self.failures.append(f"{location}: expected {expected}, found {found}")
            return
        for index, letter in enumerate(layout):
            kind = KINDS[letter]
            if letter in "rb" and index in MATRIX_TRANSLATIONS:
                kind = "length"
            deviation = abs(float(expected[first + index]) - float(found[first + index]))
            self.number(keyword, kind, deviation / size if kind == "length" else deviation, location)

    def files(self, expected_path, found_path):
        expected, found = read_records(expected_path), read_records(found_path)
        if len(expected) != len(found):
            self.failures.append(f"{found_path}: {len(found)} lines, expected {len(expected)}")
            return
        size = model_size(expected)
        for line, (expected_record, found_record) in enumerate(zip(expected, found), 1):
            self.record(expected_record, found_record, size, f"{found_path}:{line}")

    def report(self):
        for (keyword, kind), largest in sorted(self.largest.items()):
            share = f"{100 * largest.deviation / TOLERANCES[kind]:.1f} %"
            print(f"{keyword:11} {kind:14} {largest.deviation:9.2e} {share:>8}  {largest.location}")
        for failure in self.failures[:20]:
            print("FAIL", failure)
        print(len(self.failures), "failures")


def main():
    paths = sys.argv[1:]
    if not paths or len(paths) % 2:
        sys.exit(__doc__)
    comparison = Comparison()
    for expected_path, found_path in zip(paths[::2], paths[1::2]):
        comparison.files(expected_path, found_path)
    comparison.report()
    sys.exit(1 if comparison.failures else 0)


if __name__ == "__main__":
    main()
