#!/usr/bin/env python3
"""many_arguments.py FILE PROGRAM [ARGUMENT...]: returns success if the processor time of PROGRAM for FILE,
given many times, is linear in the number of arguments. Other programs hardly change processor time."""
import resource
import subprocess
import sys

FEW, MANY = 1000, 10000
LIMIT = 40  # times as long; the square would be a hundred times


def seconds(command, file, count):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command + [file] * count, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    file, command = sys.argv[1], sys.argv[2:]
    few = min(seconds(command, file, FEW) for _ in range(3))
    many = min(seconds(command, file, MANY) for _ in range(2))
    print("%d arguments: %.3f s, %d: %.3f s" % (FEW, few, MANY, many))
    # The time of a program that ends immediately is too short to measure.
    sys.exit(0 if many < LIMIT * max(few, 0.005) else 1)


main()
