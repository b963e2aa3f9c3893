#!/bin/sh
# Archives: checks that md5tool reads valid archives, and the message that it prints for each hostile archive.
. test/build/report.sh
tool=$products/md5tool

# make_archive KIND: creates a folder with one archive of this kind.
make_archive() {
    rm -rf "$scratch/base" && mkdir "$scratch/base" || return 1
    case $1 in pak*) archive=$scratch/base/pak0.pak ;; *) archive=$scratch/base/pak0.pk4 ;; esac
    python3 test/game/archives.py "$1" "$archive" || return 1
    "$tool" parse --base "$scratch/base" materials >"$scratch/rows" 2>"$scratch/err"
    status=$?
    [ $status -le 1 ] || { echo "$1: status $status"; return 1; }
    # A separate archive must have the same result as an archive in a folder.
    "$tool" info "$archive" >"$scratch/info" 2>&1 || [ ! -s "$scratch/rows" ]
}
reads_valid_file() { # KIND
    make_archive "$1" && grep -q '"material":"packed","file":"materials/a.mtr"' "$scratch/rows" || { cat "$scratch/rows" "$scratch/err"; return 1; }
}
reads_without_warning() { # KIND
    reads_valid_file "$1" && cat "$scratch/err" && [ ! -s "$scratch/err" ]
}
# reads_with_warning KIND LINE: checks that the valid file of the archive is read, and that LINE reports the fault.
reads_with_warning() {
    reads_valid_file "$1" && expect_warning "$2"
}
expect_warning() {
    grep -qF -- ": warning: $1" "$scratch/err" || { cat "$scratch/err"; return 1; }
    # One line per fault.
    [ "$(wc -l <"$scratch/err")" -le "${lines:-1}" ] || { cat "$scratch/err"; return 1; }
}
rejects_archive() { # KIND LINE
    make_archive "$1" && [ ! -s "$scratch/rows" ] && expect_warning "$2"
}

check "pak: a file is read" reads_without_warning pak
check "pak: the last of equal names is used" reads_with_warning pak-duplicate 'materials/a.mtr: skipped: a later entry has the same name'
check "pak: paths outside the archive are skipped" reads_with_warning pak-dots '../a.mtr: skipped: the path leads outside the archive'
lines=2
check "pak: data outside the archive are skipped" reads_with_warning pak-outside 'b.mtr: skipped: the data are outside the archive'
lines=1
check "pak: a file up to the last byte is read" reads_without_warning pak-end
check "pak: a file one byte past the end is skipped" reads_with_warning pak-beyond 'b.txt: skipped: the data are outside the archive'
check "pak: a name without a terminator is read" reads_without_warning pak-name
check "pak: a truncated list is rejected" rejects_archive pak-cut 'truncated archive: the file list ends at byte 359 of 295'
check "pak: a list of an invalid size is rejected" rejects_archive pak-odd 'damaged archive: size of the file list is 63 bytes; expected a multiple of 64'
check "pak: a list with overflowing offsets is rejected" rejects_archive pak-wrapped 'truncated archive: the file list ends at byte 4294967296 of 295'
check "pak: a truncated header is rejected" rejects_archive pak-header 'truncated archive: the header is incomplete'
check "pak: overlapping entries are rejected" rejects_archive pak-overlap 'damaged archive: its entries overlap: they have'

# pack FOLDER FILE...: packs a folder into archives.
pack() {
    from=$1
    shift
    for file; do python3 test/game/archives.py pack "$file" "$from" || return 1; done
}
# print_diagnostics PATH: prints the output of check without the path; other lines are unchanged.
print_diagnostics() {
    path=$1
    shift
    "$tool" check --json "$@" "$path" | sed "s|$path/||g" | sort
}
# archive_equals_folder FOLDER EXTENSION: checks that check, list and convert have the same output for a folder and for its archive.
archive_equals_folder() {
    from=$1 as=$scratch/as && rm -rf "$as" && mkdir -p "$as/in" && pack "$from" "$as/x.$2" "$as/in/x.$2" || return 1
    print_diagnostics "$from" --for all >"$as/1" && print_diagnostics "$as/x.$2" --for all | diff "$as/1" - || return 1
    print_diagnostics "$from" >"$as/1" && [ -s "$as/1" ] && print_diagnostics "$as/x.$2" | diff "$as/1" - && print_diagnostics "$as/in" | sed "s|x.$2/||" | diff "$as/1" - || return 1
    mkdir -p "$as/below/deep" && cp "$as/x.$2" "$as/below/deep" && [ "$(print_diagnostics "$as/below" | wc -l)" -eq "$(wc -l <"$as/1")" ] || return 1
    "$tool" list "$from" >"$as/1" && "$tool" list "$as/x.$2" | diff "$as/1" - && "$tool" list "$as/in" | diff "$as/1" - || return 1
    for input in "$from" "$as/x.$2" "$as/in"; do
        "$tool" convert "$input" --to iqm --output "$as/out" >"$as/log" 2>&1 || { cat "$as/log"; return 1; }
        (cd "$as/out" && find . -type f -exec cksum {} +) | sort >"$as/sums.$(basename "$input")" && rm -r "$as/out"
    done
    [ -s "$as/sums.in" ] && diff "$as/sums.$(basename "$from")" "$as/sums.in" && diff "$as/sums.in" "$as/sums.x.$2"
}
data=test/reference/data quake=$scratch/quake
mkdir -p "$quake/progs" && cp "$data/flags.md5mesh" "$data/flags.md5anim" "$quake/progs" && cp "$data/flags.md5mesh" "$quake/progs/alone.md5mesh"
check "pak: has the same result as its folder" archive_equals_folder "$quake" pak
tool_prints() { # TEXT ARGUMENT...
    text=$1
    shift
    "$tool" "$@" >"$scratch/out" 2>&1
    grep -qF -- "$text" "$scratch/out" || { cat "$scratch/out"; return 1; }
}
check "pak: info prints the kind of file" tool_prints ': archive' info "$scratch/as/x.pak"
check "pak: info lists the files" tool_prints 'clip      progs/flags.md5anim' info "$scratch/as/x.pak"
info_is_json() {
    "$tool" info --json "$scratch/as/x.pak" | python3 -c '
import json, sys
found = [json.loads(line) for line in sys.stdin]
assert [row["kind"] for row in found] == ["archive", "model", "model", "clip"], found'
}
check "pak: info as JSON" info_is_json
cp "$scratch/as/x.pak" "$scratch/renamed"
check "pak: an archive is reported where a model is expected" tool_prints 'not an MD5 file: found an archive (.pak); open it as a game folder' check "$scratch/renamed"

# Quake mounts pak files over their folder, in the order of their numbers. Pak files of a mod come last.
mounts_quake_archives() {
    id1=$scratch/id1 && mkdir -p "$id1/progs" "$scratch/mod" "$scratch/one/progs" && cp "$data/flags.md5anim" "$id1/progs/a.md5anim" &&
        cp "$data/flags.md5anim" "$scratch/one/progs/a.md5anim" && pack "$scratch/one" "$id1/pak2.pak" "$id1/PAK10.pak" &&
        cp "$data/flags.md5mesh" "$scratch/one/progs/a.md5mesh" && echo IDPO >"$scratch/one/progs/a.mdl" && pack "$scratch/one" "$id1/pak0.pak" &&
        "$tool" explain "$id1" | sed "s|$id1|id1|g" >"$scratch/out" && diff - "$scratch/out" <<END
search order:
  id1/PAK10.pak
  id1/pak2.pak
  id1/pak0.pak
  id1
hidden: progs/a.md5anim in id1/pak2.pak, because the file in id1/PAK10.pak has priority
hidden: progs/a.md5anim in id1/pak0.pak, because the file in id1/PAK10.pak has priority
hidden: progs/a.md5anim in id1, because the file in id1/PAK10.pak has priority
  progs/a.md5mesh in id1/pak0.pak replaces progs/a.mdl in id1/pak0.pak
END
}
check "Quake: later archives override earlier ones and folders" mounts_quake_archives
# A mesh replaces an .mdl of the same folder, or of a folder that is mounted before it (path_id in Ironwail and vkQuake), but not of a mod.
reports_lower_priority() {
    mkdir -p "$scratch/two/progs" && echo IDPO >"$scratch/two/progs/a.mdl" && pack "$scratch/two" "$scratch/mod/pak0.pak" &&
        tool_prints "id1/pak0.pak has lower priority than progs/a.mdl in $scratch/mod/pak0.pak" explain --base "$id1" "$scratch/mod"
}
check "Quake: a mesh replaces an .mdl with lower priority" reports_lower_priority

# An .mdl in the same folder as a mesh is not a second model with this name.
convert_skips_replaced_mdl() {
    "$tool" convert "$id1" --to iqm --output "$scratch/new" >"$scratch/out" 2>&1 && grep -q 'a.mdl: warning: skipped: engines read the .md5mesh of the same name instead' "$scratch/out" &&
        grep -q '^2 models: 1 converted, 0 up to date, 0 failed' "$scratch/out" || { cat "$scratch/out"; return 1; }
}
check "Quake: the mesh is converted, not the replaced .mdl" convert_skips_replaced_mdl
converts_mesh_next_to_other_models() {
    mkdir "$scratch/three" && cp "$data/flags.md5mesh" "$scratch/three/a.md5mesh" && touch "$scratch/three/a.md2" "$scratch/three/a.md3" &&
        tool_prints '3 models: 1 converted, 0 up to date, 0 failed' convert "$scratch/three" --to iqm --output "$scratch/new" &&
        grep -q 'a.md2: warning: skipped' "$scratch/out" && grep -q 'a.md3: warning: skipped' "$scratch/out"
}
check "Quake: .md2 and .md3 in one folder are replaced too" converts_mesh_next_to_other_models

check "a text file is rejected" rejects_archive text 'not a .zip or .pak archive'
check "a mesh is rejected where a folder or an archive is expected" tool_prints "not a .zip or .pak archive: expected PK or PACK at the start, found 'MD5V'" explain "$data/flags.md5mesh"
rejects_path_inside_archive() {
    for command in info check "dump --frame 0" "convert -o $scratch/new.iqm" fix explain; do
        # shellcheck disable=SC2086 # options
        exits_with 2 "is inside the archive $scratch/as/x.pak: expected a file on disk; use md5tool info $scratch/as/x.pak to list the archive" "$tool" $command "$scratch/as/x.pak/progs/flags.md5mesh" || return 1
    done
}
check "a path inside an archive is rejected with a hint" rejects_path_inside_archive
# UNREAD ARGUMENT...: archives that are not mounted are listed. The status is 1, because the folder contains nothing else.
lists_unmounted_archives() {
    unread=$1
    shift
    exits_with 1 "$unread: warning: archive in a subfolder or another archive is skipped; extract it or pass it as an argument" "$tool" "$@"
}
reports_nested_archives() {
    below=$scratch/as/below && mkdir "$scratch/four" "$scratch/five" && cp "$scratch/as/x.pak" "$scratch/four" && pack "$scratch/four" "$scratch/five/y.pak" &&
        lists_unmounted_archives "$below/deep/x.pak" list "$below" && lists_unmounted_archives "$below/deep/x.pak" convert "$below" -o "$scratch/new" &&
        lists_unmounted_archives "$scratch/five/y.pak/x.pak" list "$scratch/five/y.pak" && lists_unmounted_archives "$scratch/five/y.pak/x.pak" convert "$scratch/five" -o "$scratch/new" &&
        mv "$below/deep" "$scratch/five" && cp "$data/flags.md5mesh" "$scratch/five" &&
        exits_with 0 "five/deep/x.pak: warning: archive in a subfolder or another archive is skipped; extract it or pass it as an argument" "$tool" list "$scratch/five" &&
        exits_with 0 "five/deep/x.pak: warning: archive in a subfolder or another archive is skipped; extract it or pass it as an argument" "$tool" convert "$scratch/five" -o "$scratch/new" --to iqm
}
check "archives that are not mounted are listed" reports_nested_archives
lists_other_models() {
    mkdir "$scratch/six" && echo IDPO >"$scratch/six/a.mdl" && pack "$scratch/six" "$scratch/six.pak" || return 1
    for input in six six.pak; do
        exits_with 0 'a.mdl: not an MD5 file: found another model format; run md5tool convert first' "$tool" list "$scratch/$input" &&
            exits_with 0 'a.mdl: not an MD5 file: found another model format; run md5tool convert first' "$tool" check "$scratch/$input" || return 1
    done
}
check "models that only convert reads are listed" lists_other_models
check "info lists the models of a folder" tool_prints 'model     a.md5mesh' info "$scratch/three"
check "an empty file is rejected" rejects_archive nothing 'not an archive: expected at least 4 bytes, found 0'

make_archive sound
if grep -qE 'zip archives are not supported|archives are not supported: built without libzip' "$scratch/err"; then
    skip "zip files" "built without libzip"
    finish
fi
game=$scratch/game
mkdir -p "$game/def" "$game/materials" "$game/models/a" && cp "$data"/flags.md5* "$game/models/a" && cp "$data/flags.md5mesh" "$game/models/a/b.md5mesh" &&
    echo 'model m { mesh models/a/flags.md5mesh skin none anim walk models/a/flags.md5anim anim run models/a/gone.md5anim }' >"$game/def/m.def" &&
    printf 'b { diffusemap models/a/b }\nbad { diffusemap models/gone wrong }\n' >"$game/materials/m.mtr" &&
    python3 -c 'import sys; sys.stdout.buffer.write(bytes([0, 0, 2] + [0] * 9 + [3, 0, 3, 0, 16, 0]) + bytes(18))' >"$game/models/a/b.tga"
for kind in zip pk3; do
    check "$kind: has the same result as its folder" archive_equals_folder "$quake" $kind
done
check "pk4: has the same result as its game folder" archive_equals_folder "$game" pk4
check "pak: has the same result as its game folder" archive_equals_folder "$game" pak
files_override_archives() {
    doom3_base=$scratch/d3 && mkdir -p "$doom3_base/materials" && : >"$doom3_base/materials/a.mtr" && pack "$doom3_base" "$doom3_base/q2.pk4" "$doom3_base/Q10.pk4" &&
        "$tool" explain "$doom3_base" | sed "s|$doom3_base|d3|g" >"$scratch/out" && diff - "$scratch/out" <<END
search order:
  d3
  d3/q2.pk4
  d3/Q10.pk4
hidden: materials/a.mtr in d3/q2.pk4, because the file in d3 has priority
hidden: materials/a.mtr in d3/Q10.pk4, because the file in d3 has priority
END
}
check "Doom 3: files override archives, and mods their base" files_override_archives
for kind in zipfile crowd sound stored folders backslash; do
    check "zip: $kind" reads_without_warning $kind
done
check "zip: paths outside the archive are skipped" reads_with_warning dots 'materials/../../a.mtr: skipped: the path leads outside the archive'
lines=2
check "zip: absolute paths are skipped" reads_with_warning absolute '/materials/b.mtr: skipped: the path is absolute'
lines=1
check "zip: paths with a drive letter are skipped" reads_with_warning drive 'C:materials/b.mtr: skipped: the path begins with a drive letter'
check "zip: names with control characters are skipped" reads_with_warning control 'materials/\x1b[31mb.mtr: skipped: the name contains control characters'
check "zip: links are skipped" reads_with_warning link 'materials/b.mtr: skipped: symbolic links in archives are not supported'
check "zip: encrypted files are skipped" reads_with_warning encrypted 'materials/b.mtr: skipped: encrypted entries are not supported'
check "zip: unknown compression methods are skipped" reads_with_warning method 'materials/b.mtr: skipped: compression method 12 is not supported; compress the archive with deflate'
check "zip: files that are too large are skipped" reads_with_warning huge 'materials/b.mtr: skipped: the file is too large: expected at most 536870912 bytes, found 4294967280'
check "zip: a file of 512 MiB is read" reads_without_warning large
check "zip: a file of 512 MiB and one byte is skipped" reads_with_warning larger 'b.tga: skipped: the file is too large: expected at most 536870912 bytes, found 536870913'
check "zip: sizes that deflate cannot reach are skipped" reads_with_warning bomb 'materials/b.mtr: skipped: the sizes are invalid: 536870911 bytes cannot be compressed to'
check "zip: the largest size that deflate can reach is read" reads_without_warning possible
check "zip: one byte more than deflate can reach is skipped" reads_with_warning impossible 'b.tga: skipped: '
check "zip: a stored file with a wrong size is skipped" reads_with_warning stored-size "b.tga: skipped: "
# An unpacked file has at most 128 MiB, or 100 times its compressed size.
check_unpacked_size() { # KIND TEXT
    python3 test/game/archives.py "$1" "$scratch/bomb.pk4" && tool_prints "$2" check "$scratch/bomb.pk4"
}
check_long "zip: 128 MiB of blanks are read" check_unpacked_size free "models/x.md5mesh:1:1: error: empty file: expected a model (.md5mesh)"
check "zip: one byte more than 128 MiB is rejected" check_unpacked_size free-1 \
    "file is too large: found 134217729 bytes, expected at most 128 MiB or 100 times the compressed size of "
check "zip: a compression ratio of 100 is read" check_unpacked_size ratio "damaged archive: "
check "zip: a compression ratio above 100 is rejected" check_unpacked_size ratio-1 \
    "file is too large: found 134217801 bytes, expected at most 128 MiB or 100 times the compressed size of 1342178 bytes"
check "zip: the last of equal names is used" reads_with_warning duplicate 'materials/a.mtr: skipped: a later entry has the same name'
check "zip: entries that claim all bytes are read" reads_without_warning full
check "zip: entries that claim one byte more are rejected" rejects_archive fuller 'damaged archive: its entries overlap: they have 290 bytes in total, but the archive has 289'
check "zip: overlapping entries are rejected" rejects_archive overlap 'damaged archive: its entries overlap: they have'
check "zip: a truncated list is rejected" rejects_archive cut 'damaged archive: invalid or truncated file list'
check "zip: no files" sh -c "$(printf '%s ' python3 test/game/archives.py empty "$scratch/base/pak0.pk4"); '$tool' parse --base '$scratch/base' materials"
for kind in short long checksum; do
    check "zip: wrong numbers are rejected: $kind" rejects_archive $kind 'cannot read the file: '
done
lines=10
check "zip: ten warnings are printed" reads_with_warning ten '/9: skipped: the path is absolute'
lines=11
check "zip: the last of eleven warnings is suppressed" reads_with_warning eleven 'further warnings suppressed'
check "zip: further warnings are suppressed" rejects_archive many 'further warnings suppressed'
finish
