"""Runs commands of md5tool in one process, because starting it takes longer than reading a small file.

    with md5tool.Batch("build/md5tool") as tool:
        status, output = tool.run("info", "a.md5mesh")
"""

import re
import shlex
import subprocess
import sys

END = re.compile(r"md5tool \d+\.\d+\.\d+\n")  # output of --version, which follows each command
FAILURE = re.compile(r"standard input:\d+: exit status (\d+)\n")


class Batch:
    def __init__(self, path):
        self.path = path
        self.process = None
        self.worst_status = 0

    def run(self, *arguments):
        """Runs a command line. Returns its exit status, and all its output."""
        if not self.process:
            self.process = subprocess.Popen([self.path, "--batch", "-"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                            errors="replace")
        self.process.stdin.write(shlex.join(arguments) + "\n--version\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if END.fullmatch(line):
                break
            lines.append(line)
        else:  # the process crashed
            return self.end(), "".join(lines)
        failure = FAILURE.fullmatch(lines[-1]) if lines else None
        status = int(failure[1]) if failure else 0
        self.worst_status = max(self.worst_status, status)
        return status, "".join(lines[:-1] if failure else lines)

    def end(self):
        """Ends the process and returns its exit status."""
        process, self.process = self.process, None
        process.stdin.close()
        sys.stdout.write(process.stdout.read())
        return process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Fails if the process ends with an error of its own, such as a memory leak."""
        status = self.end() if self.process else self.worst_status
        if not kind and status != self.worst_status:
            sys.exit(f"{self.path} --batch ended with status {status}, expected {self.worst_status}")
