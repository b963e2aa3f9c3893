#!/bin/sh
# Conversion of folders: pairs of models and clips, skipped files in repeated runs, and the report.
. test/build/report.sh

tool=$(realpath "$products/md5tool")
from=$scratch/from
mkdir -p "$from/imp/deep" "$from/pair"
zoo=$PWD/models/zoo
cp models/thimble/thimble.md5mesh models/thimble/walk.md5anim models/thimble/idle.md5anim "$from/imp"
cp models/thimble/thimble.md5mesh "$from/imp/deep/alone.md5mesh"
for name in left right; do
    cp models/thimble/thimble.md5mesh "$from/pair/$name.md5mesh"
    cp models/thimble/walk.md5anim "$from/pair/$name.md5anim"
done
cp models/thimble/walk.md5anim "$from/pair/nobody.md5anim"
cp models/bobbin/flight.md5camera "$from/pair"

convert_folder() { # STATUS TO OPTION...
    expected=$1 to=$2
    shift 2
    "$tool" convert "$from" --output "$to" --to md5 --for md5model "$@" >"$scratch/report" 2>&1
    status=$?
    [ $status -eq "$expected" ] || { echo "status $status"; cat "$scratch/report"; false; }
}
report_contains() { # TEXT
    grep -qF -- "$1" "$scratch/report" || { cat "$scratch/report"; false; }
}
list_md5_files() { # FOLDER: prints the MD5 files below it
    (cd "$1" && find . -name '*.md5*' | sort | tr '\n' ' ')
}
folder_contains() { # FOLDER FILES
    [ "$(list_md5_files "$1")" = "$2" ] || { list_md5_files "$1"; false; }
}

all="./imp/deep/alone/alone.md5mesh ./imp/thimble/idle.md5anim ./imp/thimble/thimble.md5mesh \
./imp/thimble/walk.md5anim ./pair/flight/flight.md5camera ./pair/left/left.md5anim ./pair/left/left.md5mesh \
./pair/right/right.md5anim ./pair/right/right.md5mesh "
to=$scratch/to
check "a folder" convert_folder 0 "$to"
check "clips belong to the only mesh or to the mesh with their name" folder_contains "$to" "$all"
check "the report contains the number of converted models" report_contains "5 models: 5 converted, 0 up to date, 0 failed"
check "a clip without a mesh is reported" report_contains "1 clip does not match a model in their folder; the first is $from/pair/nobody.md5anim"
check "written files are checked" report_contains "9 files, 0 errors, 0 warnings, for md5model"

# -- Repeated runs --------------------------------------------------------------------------------
check "a second run succeeds" convert_folder 0 "$to"
check "the second run converts no model" report_contains "5 models: 0 converted, 5 up to date, 0 failed"
converts_changed_file() {
    sleep 0.1 && touch "$from/imp/walk.md5anim" && convert_folder 0 "$to" && report_contains "5 models: 1 converted, 4 up to date, 0 failed"
}
check "changed models are converted again" converts_changed_file
forces_all_files() {
    convert_folder 0 "$to" --force && report_contains "5 models: 5 converted, 0 up to date, 0 failed"
}
check "and with --force all" forces_all_files
output_may_be_inside_input() {
    convert_folder 0 "$from/out" && convert_folder 0 "$from/out" --force && report_contains "5 models: 5 converted" && folder_contains "$from/out" "$all"
}
check "output inside the folder is not an input" output_may_be_inside_input
rm -rf "$from/out"
output_may_be_parent_of_input() {
    mkdir "$scratch/outer" && cp -r "$from" "$scratch/outer/inner" &&
        (cd "$scratch/outer" && "$tool" convert inner --to glb --output .) >"$scratch/report" 2>&1 &&
        report_contains "5 models: 5 converted" && [ -s "$scratch/outer/imp/thimble.glb" ]
}
check "the output can be the parent folder" output_may_be_parent_of_input
check "the output cannot be the input folder" exits_with 1 "error: output folder is the input folder: expected a different folder" "$tool" convert "$from" --output "$from/" --to glb
creates_output_folder() {
    "$tool" convert "$from/imp/thimble.md5mesh" --output "$scratch/new/hero" >"$scratch/report" 2>&1 && [ -s "$scratch/new/hero/thimble.md5mesh" ]
}
check "a name without a file extension is a new folder" creates_output_folder

# -- Failures -------------------------------------------------------------------------------------
reports_failed_model() {
    head -c 3000 models/thimble/thimble.md5mesh >"$from/imp/deep/alone.md5mesh" &&
        convert_folder 1 "$scratch/less" && report_contains "5 models: 4 converted, 0 up to date, 1 failed" &&
        grep -q "^$from/imp/deep/alone.md5mesh:[0-9]*:[0-9]*: error: " "$scratch/report" || { cat "$scratch/report"; false; }
}
check "a broken file fails with its location, and other files are converted" reports_failed_model
rejects_duplicate_output() {
    cp models/thimble/thimble.md5mesh "$from/imp/deep/alone.md5mesh"
    : >"$from/pair/left.bmd5mesh"
    convert_folder 1 "$scratch/twice" && report_contains "error: duplicate output file $scratch/twice/pair/left/left.md5mesh: expected different output files for all inputs" && [ -s "$scratch/twice/pair/right/right.md5mesh" ]
}
check "two inputs with the same output are reported" rejects_duplicate_output
rejects_duplicate_output_of_first_files() {
    mkdir "$scratch/duplicates" && cp "$from/pair/left.md5mesh" "$from/pair/left.bmd5mesh" "$scratch/duplicates" || return 1
    "$tool" convert "$scratch/duplicates" --output "$scratch/twice_only" --to md5 --for md5model >"$scratch/report" 2>&1
    report_contains "error: duplicate output file $scratch/twice_only/left/left.md5mesh: expected different output files for all inputs"
}
check "two inputs with the same output are reported if there are no others" rejects_duplicate_output_of_first_files
rm "$from/pair/left.bmd5mesh"
check "an unknown output format is rejected" exits_with 1 "unsupported output format: --to pcx is not the extension of a format that can be written; run md5tool convert --formats" \
    "$tool" convert "$from" --output "$scratch/x" --to pcx
check "a folder together with a file is rejected" exits_with 2 "wrong arguments: expected one folder, or one or more files" \
    "$tool" convert "$from" "$zoo" --output "$scratch/x" --to md5
skips_same_format() {
    "$tool" convert "$from" --output "$scratch/same" --to md5mesh >"$scratch/report" 2>&1 && report_contains "0 models"
}
check "files of the output format are not inputs without an engine" skips_same_format

# -- Games ----------------------------------------------------------------------------------------
# The clips that the declarations of our game assign to a mesh, read by a separate parser.
list_declared_clips() { # MESH
    cat models/game/base/def/*.def | awk -v mesh="$1" '
        $1 == "mesh" { is_it = $2 == mesh }
        $1 == "anim" && is_it { for (i = 3; i <= NF; i++) if ($i ~ /md5anim/) { gsub(/,/, "", $i); sub(/.*\//, "", $i); print $i } }' |
        sort -u | tr '\n' ' '
}
game_folder_gets_declared_clips() {
    "$tool" convert models/game/base --output "$scratch/game" --to md5 --for rbdoom >"$scratch/report" 2>&1 || { cat "$scratch/report"; return 1; }
    for mesh in models/md5/bobbin/body models/md5/thimble/thimble; do
        written=$(cd "$scratch/game/$mesh" && find . -name '*.md5anim' | sed 's|./||' | sort | tr '\n' ' ')
        [ -n "$written" ] && [ "$written" = "$(list_declared_clips "$mesh.md5mesh")" ] || {
            echo "$mesh: '$written' and '$(list_declared_clips "$mesh.md5mesh")'"
            return 1
        }
    done
}
if "$tool" list models/game/base 2>&1 | grep -qE 'built without libzip|archives are not supported'; then
    skip "game folders" "md5tool is built without libzip"
else
    check "each model of a game folder has the clips of its modelDefs" game_folder_gets_declared_clips
    check "a material with several stages is reported" report_contains "material models/md5/bobbin/skin: skipped 6 of 10 stages, because the format stores one image per map"
fi
if [ -n "${MD5_CORPUS:-}" ]; then
    only_invalid_files_fail() {
        "$tool" convert "$MD5_CORPUS/corpus" --output "$scratch/real" --to md5 --for doom3 >"$scratch/report" 2>&1
        # Only files with errors may fail.
        "$tool" check --for md5model "$MD5_CORPUS/corpus" 2>&1 | sed -n 's/^\([^:]*\):.*: error: .*/\1/p' | sort -u >"$scratch/broken"
        sed -n "s|^\\(${MD5_CORPUS}[^:]*\\):.*: error: .*|\\1|p" "$scratch/report" | sort -u >"$scratch/failed"
        grep -q " $(wc -l <"$scratch/failed") failed$" "$scratch/report" && ! comm -23 "$scratch/failed" "$scratch/broken" | grep . &&
            [ "$(find "$scratch/real" -name '*.md5mesh' | wc -l)" -gt 20 ]
    }
    check "real models" only_invalid_files_fail
fi
finish
