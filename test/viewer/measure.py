"""Runs a program, and prints its exit status, its processor time in seconds and its peak memory in MiB:
measure.py PROGRAM ARGUMENT..."""
import os
import subprocess
import sys

child = subprocess.Popen(sys.argv[1:])
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), round(used.ru_utime + used.ru_stime, 3), used.ru_maxrss >> 10)
