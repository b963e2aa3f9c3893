#!/bin/sh
# What md5view shows without a window: the clip that it begins with, a model without meshes, folders,
# and every pixel of a sheet.
. test/build/report.sh
view=$products/md5view
data=test/reference/data
own=models/bobbin/bobbin.md5mesh
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

# -- The clip to begin with ---------------------------------------------------------------------

# A model of two clips of which "a" has one frame; what {anim} becomes is the clip that is shown.
still=$scratch/still
mkdir "$still"
cp "$data/travel.md5mesh" "$still/m.md5mesh"
cp "$data/travel.md5anim" "$still/walk.md5anim"
awk '/^numFrames/ { $2 = 1 } /^bounds/ { print; getline; print; while ((getline line) > 0 && line != "}") {} print "}"; next }
    /^frame / && $2 > 0 { exit } { print }' "$data/travel.md5anim" >"$still/a_pose.md5anim"
begins_with() { # CLIP ARGUMENTS...
    expected=$1
    shift
    rm -f "$scratch"/first-*.png
    "$view" --verbose error --resolution 32,24 --output "$scratch/first-{anim}.png" "$@" &&
        [ -f "$scratch/first-$expected.png" ] || { ls "$scratch"; false; }
}
check "a clip of one frame can be shown" begins_with a_pose "$still/m.md5mesh" "$still/a_pose.md5anim"
check "a clip that moves is shown before one of a frame" begins_with walk "$still/m.md5mesh"
check "also if they are named" begins_with walk "$still/m.md5mesh" "$still/a_pose.md5anim" \
    "$still/walk.md5anim"
check "unless that one is asked for" begins_with a_pose "$still/m.md5mesh" "$still/a_pose.md5anim" \
    "$still/walk.md5anim" --animation-index 0
cp "$still/walk.md5anim" "$still/z_idle.md5anim"
check "idle is shown before others that move" begins_with z_idle "$still/m.md5mesh"
check "but the first of those that are named" begins_with walk "$still/m.md5mesh" \
    "$still/walk.md5anim" "$still/z_idle.md5anim"
cp "$still/a_pose.md5anim" "$still/b_idle.md5anim"
check "and not an idle of one frame" begins_with z_idle "$still/m.md5mesh"
rm "$still/walk.md5anim" "$still/z_idle.md5anim"
check "which is shown if nothing moves" begins_with b_idle "$still/m.md5mesh"

# -- A model without meshes ---------------------------------------------------------------------

sed '/^mesh {/,$d; s/^numMeshes .*/numMeshes 0/' "$own" >"$scratch/bare.md5mesh"
# shellcheck disable=SC2046,SC2016 # five numbers; awk's dollars
draws_joints() {
    "$view" --resolution 240,180 --no-background --grid=no "$scratch/bare.md5mesh" "$@" \
        --output "$scratch/bare.png" 2>"$scratch/err" || return 1
    cat "$scratch/err"
    grep -q 'warning: bare: there are no meshes to draw, so its joints are shown' "$scratch/err" &&
        holds '$1 > 0.01 && $2 < 0.4 && $5 - $3 > 0.5' "$(png covered "$scratch/bare.png")"
}
check "of a model without meshes the joints are shown, and it says so" draws_joints
check "also while a clip moves them" draws_joints models/bobbin/walk.md5anim --animation-time 0.4
check "there is nothing to verify in it" ends_saying 1 'a model with vertices' "$view" --verify \
    "$scratch/bare.md5mesh" models/bobbin/walk.md5anim

# -- Folders ------------------------------------------------------------------------------------

for job in "--output $scratch/x.png" "--frames 2" "--verify" "--no-render"; do
    # shellcheck disable=SC2086 # several words
    check "without a window a folder cannot be shown: $job" ends_saying 1 'models: a folder is listed in a window' \
        "$view" models $job
done

# -- Sheets -------------------------------------------------------------------------------------

# Every pixel is drawn, whatever the division leaves over, and none twice.
fills() { # COLSxROWS W,H
    "$view" --verbose error --samples 1 --sheet "$1" --resolution "$2" "$data/still.md5mesh" \
        --output "$scratch/sheet.png" && [ "$(png size "$scratch/sheet.png")" = "$(echo "$2" | tr , ' ')" ] &&
        png covered "$scratch/sheet.png" | tee "$scratch/covered" && grep -q '^1.0000 ' "$scratch/covered"
}
for sheet in "6x2 128,72" "7x5 100,99" "3x1 100,10" "1x1 31,17" "64x3 65,5"; do
    # shellcheck disable=SC2086 # two words
    check "a sheet covers its picture: $sheet" fills $sheet
done
finish
