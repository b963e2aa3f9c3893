#!/usr/bin/env python3
"""release.py FOLDER OUT: writes OUT/md5model-VERSION.tar.gz, with all that lies in FOLDER, and its checksum.

The same sources give the same bytes, wherever, whenever and by whom it is made: the time in it is the day of
the release in the changelog, or SOURCE_DATE_EPOCH.
"""
import calendar
import glob
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import time

import symbols

# What is in the archive beside FOLDER: its name there, and where it is from.
TEXTS = {
    "LICENSE": "LICENSE",
    "CHANGELOG.md": ".github/CHANGELOG.md",
    "README.md": ".github/packaging/archive.md",
    "models/LICENSE": "models/LICENSE",
    "models/bobbin/bobbin.md5mesh": "models/bobbin/bobbin.md5mesh",
    "models/bobbin/walk.md5anim": "models/bobbin/walk.md5anim",
    "window.c": "demo/examples/window.c",
}
PICTURES = "models/bobbin/bobbin*.png"  # which window.c shows


def read(path):
    with open(path, "rb") as file:
        return file.read()


def date_of(version):
    """The day in the changelog's first heading, which must be that of the version."""
    heading = re.search("^## (.*)$", symbols.read(".github/CHANGELOG.md"), re.M).group(1)
    match = re.match(r"(\S+) - (\d{4}-\d\d-\d\d)$", heading)
    if not match or match.group(1) != version:
        sys.exit("release: CHANGELOG.md begins with '## %s', expected '## %s - YYYY-MM-DD', the version of "
                 "md5model.h" % (heading, version))
    return calendar.timegm(time.strptime(match.group(2), "%Y-%m-%d"))


def contents(folder, version):
    """Each file of the archive: name to bytes."""
    files = {name: read(path) for name, path in TEXTS.items()}
    files.update((name, read(name)) for name in glob.glob(PICTURES))
    files["README.md"] = files["README.md"].replace(b"@VERSION@", version.encode())
    files["first.c"] = re.search(b"^```c\n(.*?)^```$", read("README.md"), re.M | re.S).group(1)
    for path, _, names in os.walk(folder):
        for name in names:
            inner = os.path.relpath(os.path.join(path, name), folder).replace(os.sep, "/")
            files[inner] = read(os.path.join(path, name))
    files["SHA256SUMS"] = "".join("%s  %s\n" % (hashlib.sha256(files[name]).hexdigest(), name)
                                  for name in sorted(files)).encode()
    return files


def archive(files, top, seconds):
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name in sorted(files):
                info = tarfile.TarInfo(top + "/" + name)
                info.size, info.mtime, info.mode = len(files[name]), seconds, 0o644
                tar.addfile(info, io.BytesIO(files[name]))
    return packed.getvalue()


def main(folder, out):
    version = symbols.version()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or date_of(version))
    top = "md5model-" + version
    packed = archive(contents(folder, version), top, seconds)
    name = top + ".tar.gz"
    checksum = "%s  %s\n" % (hashlib.sha256(packed).hexdigest(), name)
    for path, data in ((name, packed), (name + ".sha256", checksum.encode())):
        with open(os.path.join(out, path), "wb") as file:
            file.write(data)
        print(os.path.join(out, path))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: " + __doc__.split("\n\n", 1)[0])
    main(*sys.argv[1:])
