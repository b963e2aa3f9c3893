#!/bin/sh
# Tests the Blender add-on in models/blender: exported and imported files, evaluated by the library, match
# Blender's evaluation to 1e-4 units, and unsupported input is reported. Not part of `make test`, since
# Blender is large: run by `make test-blender`. BLENDER: path of the program, if not in PATH.
. test/build/report.sh
blender=${BLENDER:-blender}
tool=$products/md5tool
export PYTHONDONTWRITEBYTECODE=1

command -v "$blender" >/dev/null || {
    skip "the Blender add-on" "blender not found (3.4 or newer; on Debian: apt-get install blender)"
    finish
}

in_blender() { # SCRIPT ARGUMENTS...
    script=$1
    shift
    "$blender" -b --factory-startup --python-exit-code 1 -P "test/blender/$script" -- \
        "$PWD/models/blender" "$@"
}

compare() { # FOLDER...
    for folder; do
        check "$(basename "$folder") matches Blender's evaluation" \
            python3 test/blender/compare.py "$tool" "$folder/truth.json"
        grep '^note: ' "$scratch/check_output"
    done
}

# Prints the errors and warnings of the files in a folder, and the summary. Bobbin has vertices within 0.001 of each
# other in the original file, too.
check_files() { # FOLDER
    "$tool" check --for doom3 --ignore seam --all "$scratch/$1" | tee "$scratch/checked"
}
clean() { # FOLDER
    check_files "$1"
    grep -q ' 0 errors, 0 warnings, for doom3$' "$scratch/checked"
}
# In the clips march and roll_over, and in the timeline, which contains march, the hips of the scene move along the
# ground, and not a root joint on the ground. The add-on exports this motion unchanged, so these warnings are correct.
warns_of_hips() {
    printf '%s root-motion\n' large/march.md5anim large/roll_over.md5anim meters/march.md5anim \
        meters/roll_over.md5anim some/march.md5anim timeline/figure.md5anim >"$scratch/expected"
    check_files scene
    grep -q ' 0 errors, 6 warnings, for doom3$' "$scratch/checked" &&
        sed -n "s|^$scratch/scene/\([^:]*\): warning: .*joint 'hips' .* \[\([a-z-]*\)\].*|\1 \2|p" \
            "$scratch/checked" | sort | diff "$scratch/expected" -
}

mkdir "$scratch/scene"
check "a character is built and exported" in_blender scene.py "$scratch/scene"
compare "$scratch/scene/meters" "$scratch/scene/large" "$scratch/scene/some" "$scratch/scene/timeline"
check "cameras and cuts match Blender's" \
    python3 test/blender/compare_flight.py "$products/libmd5model.so" \
    "$scratch/scene/flight.md5camera" "$scratch/scene/flight.json"
grep '^note: ' "$scratch/check_output"
check "exported files only have warnings of motion on the hips" warns_of_hips

for how in weld apart; do
    mkdir "$scratch/$how"
    cp -r models/bobbin "$scratch/$how/imported"
    # Only the variant `weld` tests all clips. The other variant tests only `walk`.
    [ "$how" = weld ] || find "$scratch/$how" -name '*.md5anim' ! -name walk.md5anim -delete
    check "Bobbin is imported and exported again ($how)" \
        in_blender bobbin.py "$scratch/$how/imported" "$scratch/$how/again" "$how"
    compare "$scratch/$how/imported" "$scratch/$how/again"
    check "files exported again have no warnings ($how)" clean "$how/again"
done

mkdir "$scratch/rigs"
check "export followed by import is lossless" in_blender again.py "$scratch/rigs"
check "exported rigs have no warnings" clean rigs

check "Tendril is rebuilt" "$blender" -b --factory-startup --python-exit-code 1 \
    -P models/tendril/make_tendril.py -- "$scratch/tendril"
check "Tendril equals the committed files" python3 test/blender/same.py models/tendril "$scratch/tendril"

# Install the add-on as a user does: from a zip, into an empty configuration.
make -s addon || exit 1
mkdir "$scratch/user" "$scratch/trouble"
check "the add-on can be installed, used and removed" \
    env BLENDER_USER_SCRIPTS="$scratch/user" "$blender" -b --factory-startup --python-exit-code 1 \
    -P test/blender/install.py -- build/io_md5.zip
check "unsupported input is reported" in_blender trouble.py "$scratch/trouble" \
    models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
finish
