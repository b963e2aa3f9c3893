#!/bin/sh
# md5tool parse with folders on disk: archives, mods, wrong arguments.
. test/build/report.sh
tool=$products/md5tool
base=$scratch/base
mkdir -p "$base/materials" "$scratch/mod/materials"
echo 'loose { { map a } }' >"$base/materials/same.mtr"
echo 'mod { { map b } }' >"$scratch/mod/materials/mod.mtr"
echo 'no archive' >"$base/broken.pk4"

# write_archive NAME METHOD PATH TEXT: creates an archive. Method 8 is deflate.
write_archive() {
    python3 -c '
import sys, zipfile
name, method, path, text = sys.argv[1:]
with zipfile.ZipFile(name, "w", int(method)) as file:
    file.writestr(path, text)' "$@"
}
write_archive "$base/a.pk4" 8 Materials/Packed.mtr "packed { { map $(printf 'x%.0s' $(seq 200)) } }"
write_archive "$base/b.pk4" 0 materials/same.mtr 'hidden { }'

print_materials() {
    "$tool" parse --base "$base" "$@" 2>"$scratch/err" | sed 's/.*"material":"\([^"]*\)","file":"\([^"]*\)".*/\2 \1/'
}
finds_materials() {
    print_materials --mod "$scratch/mod" materials >"$scratch/out"
    printf 'materials/mod.mtr mod\nmaterials/packed.mtr packed\nmaterials/same.mtr loose\n' | diff - "$scratch/out"
}
reads_deflated_file() {
    print_materials materials packed >"$scratch/out" && "$tool" parse --base "$base" materials packed 2>"$scratch/err" | grep -q '"image":"xxxx'
}
reports_broken_archive() {
    grep -q 'broken.pk4: warning: not a .zip or .pak archive' "$scratch/err"
}
# Damages each byte of a copy of the archive in turn: md5tool must not crash.
survives_damaged_archives() {
    python3 - "$tool" "$base/a.pk4" "$scratch/damaged" <<'PYTHON'
import os
import subprocess
import sys
tool, source, folder = sys.argv[1:]
os.makedirs(folder)
data = open(source, "rb").read()
for at in range(0, len(data), 3):
    with open(os.path.join(folder, "a.pk4"), "wb") as file:
        file.write(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1:])
    status = subprocess.run([tool, "parse", "--base", folder, "materials"], capture_output=True).returncode
    if status not in (0, 1):
        sys.exit("byte %d: status %d" % (at, status))
PYTHON
}
fails_with() { # STATUS, TEXT, ARGUMENT...
    status=$1 text=$2
    shift 2
    "$tool" parse "$@" >"$scratch/out" 2>"$scratch/err"
    [ $? -eq "$status" ] && grep -qF -- "$text" "$scratch/err"
}

check "loose files override archives, and a mod its base" finds_materials
check "deflated files are read" reads_deflated_file
check "a broken archive is reported as a warning" reports_broken_archive
check "damaged archives do not crash md5tool" survives_damaged_archives
check "a missing folder is an error" fails_with 1 'nowhere: error: cannot open the folder or archive' --base "$scratch/nowhere" skins
check "a missing --base is an error" fails_with 2 'option --base DIR is missing: expected the game folder' skins
check "a missing kind is an error" fails_with 2 'missing kind' --base "$base"
check "an unknown kind is an error" fails_with 2 "unknown kind 'sounds'" --base "$base" sounds
check "an unknown model is an error" fails_with 1 "unknown model 'imp'" --base "$base" models imp
finish
