#!/usr/bin/env python3
"""compare.py OLD.csv NEW.csv: prints the differences between two tables of `make bench`.

A row is listed if the quartiles of its runs do not overlap, with the ratio of the new median to the old one.
Rows without quartiles are listed if they differ by more than 5 %. Tables of different machines are not
comparable: the rows that measure the machine itself are shown first.
"""
import csv
import sys

MACHINE = ("float multiply, each on the last", "memcpy within the L2 cache")
FIGURE_CHANGE = 0.05


def read(path):
    with open(path, newline="") as file:
        return {(row["row"], row["variant"]): row for row in csv.DictReader(file)}


def number(text):
    return float(text) if text else None


def ratio(old, new):
    before, after = float(old["median"]), float(new["median"])
    return after / before if before else (1.0 if after == 0 else float("inf"))


def differs(old, new):
    bounds = [number(row[name]) for row in (old, new) for name in ("quarter", "three_quarters")]
    if None in bounds:
        return abs(ratio(old, new) - 1.0) > FIGURE_CHANGE
    return bounds[1] < bounds[2] or bounds[3] < bounds[0]


def show(key, old, new):
    name = key[0] + (", " + key[1] if key[1] else "")
    print("  %-64s %10s %10s %-10s x %.3f"
          % (name, old["median"], new["median"], new["unit"], ratio(old, new)))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py OLD.csv NEW.csv")
    old, new = read(sys.argv[1]), read(sys.argv[2])
    shared = [key for key in new if key in old]
    print("the machine: old, new")
    for key in shared:
        if key[0] in MACHINE:
            show(key, old[key], new[key])
    changed = [key for key in shared if key[0] not in MACHINE and differs(old[key], new[key])]
    print("%d of %d rows differ" % (len(changed), len(shared)))
    for key in changed:
        show(key, old[key], new[key])
    for title, keys in (("new rows", [key for key in new if key not in old]),
                        ("removed rows", [key for key in old if key not in new])):
        if keys:
            print("%s: %d" % (title, len(keys)))


main()
