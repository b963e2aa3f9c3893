#!/bin/sh
# md5view --thumbnail of hostile files: what it takes, and that it reads nothing elsewhere.
. test/build/report.sh
view=$products/md5view
own=$models/bobbin/bobbin.md5mesh
unset DISPLAY WAYLAND_DISPLAY

# measured STATUS FILE [WORD]: the status, within 256 MiB and 3 s; a picture only with status 0, and one line with
# the word otherwise.
measured() {
    rm -f "$scratch/out.png"
    python3 test/viewer/measure.py "$view" --verbose error --thumbnail 256 --output "$scratch/out.png" "$2" \
        >"$scratch/figures" 2>"$scratch/err"
    read -r status seconds mebibytes <"$scratch/figures"
    echo "status $status, $seconds s, $mebibytes MiB"
    cat "$scratch/err"
    # Sanitizers take memory and time of their own.
    [ "$status" -eq "$1" ] || return 1
    [ "${config:-}" = sanitize ] || holds '$1 <= 3 && $2 <= 256' "$seconds" "$mebibytes" || return 1
    if [ "$1" -eq 0 ]; then
        [ "$(png size "$scratch/out.png")" = "256 256" ] && [ ! -s "$scratch/err" ]
    else
        [ ! -e "$scratch/out.png" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qF -- "$3" "$scratch/err"
    fi
}
make_hostile() {
    python3 test/viewer/hostile.py "$scratch"
}
check "hostile files are made" make_hostile
check "a model" measured 0 "$own"
check "a state machine" measured 0 "$models/bobbin/bobbin.md5machine"
check "an animation" measured 0 "$models/bobbin/walk.md5anim"
check "a camera path" measured 0 models/zoo/cuts.md5camera
check "40 MB" measured 1 "$scratch/bytes/v.md5mesh" "32 MiB"
check "600000 vertices" measured 1 "$scratch/vertices/v.md5mesh" "500000 vertices"
check "a hundred thousand large triangles" measured 1 "$scratch/triangles/v.md5mesh" "pixels of triangles"
check "an image of 30000 by 30000 pixels" measured 1 "$scratch/header/v.md5mesh" "30000 by 30000"
check "an image of 4096 by 4096 pixels" measured 0 "$scratch/large/v.md5mesh"
check "many images" measured 1 "$scratch/images/v.md5mesh" "32 million pixels"
check "images on other machines" measured 0 "$scratch/names/v.md5mesh"
check "an md5.cfg that leads out of its folder" measured 0 "$scratch/config/in/v.md5mesh"
check "a machine that names a model elsewhere" measured 1 "$scratch/machine/m.md5machine" "outside of its folder"
check "a link to a device" measured 0 "$scratch/links/v.md5mesh"
check "a pipe" measured 1 "$scratch/pipe.md5mesh" "no such file"

# The pictures of a model without an image are the same with images elsewhere: none was read.
reads_nothing_elsewhere() {
    for folder in names config/in links; do
        measured 0 "$scratch/$folder/v.md5mesh" && mv "$scratch/out.png" "$scratch/with.png" &&
            cp "$scratch/$folder/v.md5mesh" "$scratch/alone/" && measured 0 "$scratch/alone/v.md5mesh" &&
            cmp "$scratch/with.png" "$scratch/out.png" || return 1
    done
}
mkdir "$scratch/alone"
check "nothing elsewhere is read" reads_nothing_elsewhere
finish
