#!/bin/sh
# The Blender add-on in models/blender: what it exports, our library makes of it what Blender itself
# evaluates, to 1e-4 units; what it imports, likewise; and what it cannot do, it says. Not among
# `make test`: Blender is large. Called by `make test-blender`. BLENDER: another than the one found.
. test/build/report.sh
blender=${BLENDER:-blender}
tool=$products/md5tool
export PYTHONDONTWRITEBYTECODE=1

command -v "$blender" >/dev/null || {
    skip "the Blender add-on" "there is no blender (3.4 or newer; on Debian: apt-get install blender)"
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
        check "$(basename "$folder") is what Blender evaluates" \
            python3 test/blender/compare.py "$tool" "$folder/truth.json"
        grep '^note: ' "$scratch/said"
    done
}

clean() {
    "$tool" check "$scratch/$1" | tee "$scratch/checked"
    grep -q ' 0 errors, 0 warnings$' "$scratch/checked"
}

mkdir "$scratch/scene"
check "a character is built and exported" in_blender scene.py "$scratch/scene"
compare "$scratch/scene/metres" "$scratch/scene/large" "$scratch/scene/some" "$scratch/scene/timeline"
check "cameras and cuts are where Blender has them" \
    python3 test/blender/compare_flight.py "$products/libmd5model.so" \
    "$scratch/scene/flight.md5camera" "$scratch/scene/flight.json"
grep '^note: ' "$scratch/said"
check "exported files are clean" clean scene

for how in weld apart; do
    mkdir "$scratch/$how"
    cp -r models/bobbin "$scratch/$how/imported"
    # One road for all clips is enough.
    [ "$how" = weld ] || find "$scratch/$how" -name '*.md5anim' ! -name walk.md5anim -delete
    check "our own model is imported and exported again ($how)" \
        in_blender bobbin.py "$scratch/$how/imported" "$scratch/$how/again" "$how"
    compare "$scratch/$how/imported" "$scratch/$how/again"
    check "what is exported again is clean ($how)" clean "$how/again"
done

check "Tendril is rebuilt" "$blender" -b --factory-startup --python-exit-code 1 \
    -P models/tendril/make_tendril.py -- "$scratch/tendril"
check "Tendril is what its script makes" python3 test/blender/same.py models/tendril "$scratch/tendril"

# As a person installs it: from a zip, into a folder of its own.
(cd models/blender && python3 -m zipfile -c "$scratch/io_md5.zip" io_md5) || exit 1
mkdir "$scratch/user" "$scratch/trouble"
check "the add-on is installed, works and is taken away" \
    env BLENDER_USER_SCRIPTS="$scratch/user" "$blender" -b --factory-startup --python-exit-code 1 \
    -P test/blender/install.py -- "$scratch/io_md5.zip"
check "unsupported input is reported in words" in_blender trouble.py "$scratch/trouble" \
    models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
finish
