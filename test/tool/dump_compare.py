#!/usr/bin/env python3
"""Compares the output of `md5tool dump --root id` with a golden file, within the golden tolerances.

    python3 dump_compare.py GOLDEN DUMP

A golden file contains more than a dump (the animation's header, samples of a clip with a limited number
of repetitions, held frames). It stores quaternions as (x, y, z, -w) of ours, up to sign.
The script converts both files to one form and compares them with the reference's comparison.
"""

import sys

sys.path.insert(0, sys.path[0] + "/../reference")
from compare import Comparison, model_size, read_records  # noqa: E402


def comparable(records):
    """Returns the model's records, then the records of every sample of an endless loop."""
    result, is_compared = [], True
    for record in records:
        keyword = record[0]
        if keyword in ("md5golden", "lenient", "mesh", "end"):
            continue
        if keyword in ("anim", "singleframe"):
            is_compared = False
        if keyword == "time":
            is_compared = record[3] != "1"
            record = ["time", "label", record[2], "cycles", *record[4:]]
        if is_compared:
            result.append(record)
    return result


def aligned(expected_record, found):
    """Returns our transform in the golden file's convention and with its sign."""
    x, y, z, w = (float(field) for field in found[2:6])
    converted = [x, y, z, -w]
    expected = [float(field) for field in expected_record[2:6]]
    sign = 1 if sum(a * b for a, b in zip(converted, expected)) >= 0 else -1
    return [*found[:2], *(repr(sign * component) for component in converted), *found[6:]]


def main():
    golden, dump = (comparable(read_records(path)) for path in sys.argv[1:3])
    comparison = Comparison()
    if len(golden) != len(dump):
        sys.exit(f"{len(dump)} records, expected {len(golden)}")
    size = model_size(golden)
    for number, (expected, found) in enumerate(zip(golden, dump), 1):
        if expected[0] == found[0] and expected[0] in ("bindlocal", "local"):
            found = aligned(expected, found)
        comparison.record(expected, found, size, f"record {number}")
    comparison.report()
    sys.exit(1 if comparison.failures else 0)


if __name__ == "__main__":
    main()
