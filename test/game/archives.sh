#!/bin/sh
# Archives from anywhere: what md5tool makes of sound ones, and the line that it prints for each hostile one.
. test/build/report.sh
tool=$products/md5tool

# made KIND: a folder with one archive of this kind.
made() {
    rm -rf "$scratch/base" && mkdir "$scratch/base" || return 1
    case $1 in pak*) archive=$scratch/base/pak0.pak ;; *) archive=$scratch/base/pak0.pk4 ;; esac
    python3 test/game/archives.py "$1" "$archive" || return 1
    "$tool" verdicts --base "$scratch/base" materials >"$scratch/rows" 2>"$scratch/err"
    status=$?
    [ $status -le 1 ] || { echo "$1: status $status"; return 1; }
}
reads() { # KIND
    made "$1" && grep -q '"material":"packed","file":"materials/a.mtr"' "$scratch/rows" || { cat "$scratch/rows" "$scratch/err"; return 1; }
}
silently() { # KIND
    reads "$1" && cat "$scratch/err" && [ ! -s "$scratch/err" ]
}
# warns KIND LINE: the archive's sound file is read; a line says what else is in it.
warns() {
    reads "$1" && said "$2"
}
said() {
    grep -qF -- ": warning: $1" "$scratch/err" || { cat "$scratch/err"; return 1; }
    # A line for each fault, and no more.
    [ "$(wc -l <"$scratch/err")" -le "${lines:-1}" ] || { cat "$scratch/err"; return 1; }
}
refuses() { # KIND LINE
    made "$1" && [ ! -s "$scratch/rows" ] && said "$2"
}

check "pak: a file is read" silently pak
check "pak: of equal names the last counts" warns pak-duplicate 'materials/a.mtr: hidden by a later entry of the same name'
check "pak: names that lead out" warns pak-dots '../a.mtr: skipped: its name leaves the archive'
lines=2
check "pak: bytes outside the archive" warns pak-outside 'b.mtr: skipped: its bytes are outside the archive'
lines=1
check "pak: a name without an end" silently pak-name
check "pak: a list that is cut off" refuses pak-cut 'its list of files is truncated: it ends at byte 359 of 295'
check "pak: a list of an odd size" refuses pak-odd 'its list of files has 63 bytes, expected a multiple of 64'
check "pak: a list beyond all numbers" refuses pak-wrapped 'its list of files is truncated'
check "pak: a header that is cut off" refuses pak-header 'its header is truncated'
check "pak: entries that overlap" refuses pak-overlap 'its entries overlap: they have'
check "no archive" refuses text 'not a zip or .pak archive'
check "an empty file" refuses nothing 'not an archive: it has 0 bytes'

made sound
if grep -q 'this build reads no .pk4 archives' "$scratch/err"; then
    skip "zip files" "this build has no libzip"
    finish
fi
for kind in zipfile sound stored folders backslash; do
    check "zip: $kind" silently $kind
done
check "zip: names that lead out" warns dots 'materials/../../a.mtr: skipped: its name leaves the archive'
lines=2
check "zip: absolute names" warns absolute '/materials/b.mtr: skipped: its name is absolute'
lines=1
check "zip: names with a drive" warns drive 'C:materials/b.mtr: skipped: its name has a drive'
check "zip: names that control terminals" warns control 'materials/\x1b[31mb.mtr: skipped: its name has control characters'
check "zip: links" warns link 'materials/b.mtr: skipped: it is a link'
check "zip: encryption" warns encrypted 'materials/b.mtr: skipped: it is encrypted'
check "zip: unknown methods" warns method 'materials/b.mtr: skipped: it is compressed by the unknown method 12'
check "zip: files that are too large" warns huge 'materials/b.mtr: skipped: it has 4294967280 bytes, at most 536870912 are read'
check "zip: sizes that deflate cannot reach" warns bomb 'materials/b.mtr: skipped: 536870911 bytes cannot be in'
check "zip: of equal names the last counts" warns duplicate 'materials/a.mtr: hidden by a later entry of the same name'
check "zip: entries that overlap" refuses overlap 'its entries overlap: they have'
check "zip: a list that is cut off" refuses cut 'its list of files is damaged or truncated'
check "zip: no files" sh -c "$(printf '%s ' python3 test/game/archives.py empty "$scratch/base/pak0.pk4"); '$tool' verdicts --base '$scratch/base' materials"
for kind in short long checksum; do
    check "zip: wrong numbers: $kind" refuses $kind 'cannot read the file: '
done
lines=11
check "zip: further warnings are suppressed" refuses many 'further warnings suppressed'
finish
