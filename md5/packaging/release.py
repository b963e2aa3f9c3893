#!/usr/bin/env python3
"""release.py FOLDER OUT: writes OUT/md5model-VERSION.tar.gz with the content of FOLDER, and its checksum.
release.py --windows FOLDER OUT: OUT/md5model-VERSION-windows.zip with the programs in FOLDER and our models.
release.py --site FOLDER OUT: OUT/md5model-VERSION-site.tar.gz with the pages in FOLDER.
release.py --npm FOLDER OUT: OUT/md5model-VERSION.tgz, a package for npm, with the content of FOLDER.

The same sources give the same bytes at any time and on any machine. Files have the date of the release in the
changelog, or SOURCE_DATE_EPOCH. An archive is named VERSION-dev-COMMIT, and its files have the time of the
commit, unless it is made from the commit with the tag vVERSION, without uncommitted changes and without a
section "Unreleased". Outside of a git repository only the changelog counts.
"""
import calendar
import glob
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile

import symbols

# Files in the archives in addition to FOLDER: path in the archive, path in the repository.
COMMON_TEXTS = {"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md", "models/LICENSE": "models/LICENSE"}
WINDOWS_TEXTS = {**COMMON_TEXTS, "README.md": "md5/packaging/windows.md"}
DEFAULT_MODELS = "bobbin", "flame", "lantern", "place", "thimble"  # by a viewer that starts without files
TEXTS = {
    **COMMON_TEXTS,
    "README.md": "md5/packaging/archive.md",
    "window.c": "demo/examples/window.c",
    "machine.c": "demo/examples/machine.c",
    "quake_engine.c": "demo/examples/quake_engine.c",
}
PICTURES = "models/bobbin/bobbin*.png"  # which window.c shows
MACHINE = "models/bobbin/bobbin.md5machine"  # which machine.c plays


def read(path):
    with open(path, "rb") as file:
        return file.read()


def git(*arguments):
    """Returns the output of a git command, or an empty string if it fails."""
    result = subprocess.run(("git", "-c", "safe.directory=*") + arguments, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, universal_newlines=True)
    return result.stdout.strip()


def release_date(version):
    """Returns the date of the version in the first heading of the changelog, or None if that is
    "Unreleased"."""
    heading = re.search("^## (.*)$", symbols.read("CHANGELOG.md"), re.M).group(1)
    match = re.match(r"(\S+) - (\d{4}-\d\d-\d\d)$", heading)
    if heading == "Unreleased":
        return None
    if match and match.group(1) == version:
        return match.group(2)
    sys.exit("release: the first section of CHANGELOG.md is '## %s': expected '## Unreleased' or "
             "'## %s - YYYY-MM-DD', the version in md5model.h" % (heading, version))


def version_and_time():
    """Returns the version in the name of an archive, and the modification time of its files."""
    version = symbols.version()
    date = release_date(version)
    commit = git("describe", "--always", "--dirty", "--exclude=*")
    is_tagged = not commit.endswith("-dirty") and "v" + version in git("tag", "--points-at", "HEAD").split()
    if date and (is_tagged or not commit):
        seconds = calendar.timegm(time.strptime(date, "%Y-%m-%d"))
    else:
        version += "-dev-" + (commit or "sources")
        seconds = git("log", "-1", "--format=%ct")
    return version, int(os.environ.get("SOURCE_DATE_EPOCH") or seconds or 315532800)


def machine_files():
    """Returns the state machine and the files that it refers to."""
    names = re.findall(r"[\w./]+\.md5(?:mesh|anim)\b", symbols.read(MACHINE))
    return [MACHINE] + sorted({os.path.join(os.path.dirname(MACHINE), name) for name in names})


def files_in(folder):
    """Returns a table of the files below a folder: relative path to bytes."""
    paths = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names]
    return {os.path.relpath(path, folder).replace(os.sep, "/"): read(path) for path in paths}


def models(names):
    """Returns all files that the viewer reads from these folders of models/."""
    files = {}
    for name in names:
        folder = "models/" + name
        files.update((folder + "/" + path, data) for path, data in files_in(folder).items())
    return files


def with_texts(files, texts, version):
    """Returns the files, the files of COMMON_TEXTS, and the checksums of all of them."""
    files.update((name, read(path)) for name, path in texts.items())
    files["README.md"] = files["README.md"].replace(b"@VERSION@", version.encode())
    files["SHA256SUMS"] = "".join("%s  %s\n" % (hashlib.sha256(files[name]).hexdigest(), name)
                                  for name in sorted(files)).encode()
    return files


def archive(files, top, seconds):
    output = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=output, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name in sorted(files):
                info = tarfile.TarInfo(top + "/" + name)
                info.size, info.mtime, info.mode = len(files[name]), seconds, 0o644
                tar.addfile(info, io.BytesIO(files[name]))
    return output.getvalue()


def zip_archive(files, top, seconds):
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files):
            info = zipfile.ZipInfo(top + "/" + name, time.gmtime(seconds)[:6])
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = 0o100644 << 16
            out.writestr(info, files[name])
    return output.getvalue()


def main(folder, out, kind):
    version, seconds = version_and_time()
    top = "md5model-" + version
    if kind == "--site":
        name = top + "-site.tar.gz"
        files = {path: data for path, data in files_in(folder).items() if not path.startswith("test/")}
        files.update((path, read(source)) for path, source in COMMON_TEXTS.items())
        packed = archive(files, top + "-site", seconds)
    elif kind == "--npm":
        name = top + ".tgz"
        packed = archive(files_in(folder), "package", seconds)
    elif kind == "--windows":
        name = top + "-windows.zip"
        files = {**files_in(folder), **models(DEFAULT_MODELS)}
        packed = zip_archive(with_texts(files, WINDOWS_TEXTS, version), top, seconds)
    else:
        name = top + ".tar.gz"
        files = {path: read(path) for path in glob.glob(PICTURES) + machine_files()}
        files["first.c"] = re.search(b"^```c\n(.*?)^```$", read("README.md"), re.M | re.S).group(1)
        packed = archive(with_texts({**files, **files_in(folder)}, TEXTS, version), top, seconds)
    checksum = "%s  %s\n" % (hashlib.sha256(packed).hexdigest(), name)
    for path, data in ((name, packed), (name + ".sha256", checksum.encode())):
        with open(os.path.join(out, path), "wb") as file:
            file.write(data)
        print(os.path.join(out, path))


if __name__ == "__main__":
    kinds = [argument for argument in sys.argv[1:] if argument in ("--windows", "--site", "--npm")]
    arguments = [argument for argument in sys.argv[1:] if argument not in kinds]
    if len(arguments) != 2 or len(kinds) > 1:
        sys.exit("usage: " + __doc__.split("\n\n", 1)[0])
    main(*arguments, *kinds or [""])
