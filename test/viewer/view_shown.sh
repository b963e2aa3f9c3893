#!/bin/sh
# The images of md5view without a window: the initial clip, a model without meshes, folders, and every pixel
# of a sheet.
. test/build/report.sh
view=$products/md5view
data=test/reference/data
bobbin_mesh=$models/bobbin/bobbin.md5mesh
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

# -- The initial clip ---------------------------------------------------------------------------

# A model with two clips, of which "a" has one frame. {anim} in a file name is replaced by the shown clip.
still=$scratch/still
mkdir "$still"
cp "$data/travel.md5mesh" "$still/m.md5mesh"
cp "$data/travel.md5anim" "$still/walk.md5anim"
awk '/^numFrames/ { $2 = 1 } /^bounds/ { print; getline; print; while ((getline line) > 0 && line != "}") {} print "}"; next }
    /^frame / && $2 > 0 { exit } { print }' "$data/travel.md5anim" >"$still/a_pose.md5anim"
first_image_shows_clip() { # CLIP ARGUMENTS...
    expected=$1
    shift
    rm -f "$scratch"/first-*.png
    "$view" --verbose error --resolution 32,24 --output "$scratch/first-{anim}.png" "$@" &&
        [ -f "$scratch/first-$expected.png" ] || { ls "$scratch"; false; }
}
check "a clip of one frame can be shown" first_image_shows_clip a_pose "$still/m.md5mesh" "$still/a_pose.md5anim"
check "a moving clip is preferred to one of a single frame" first_image_shows_clip walk "$still/m.md5mesh"
check "a moving clip is preferred even if both clips are named" first_image_shows_clip walk "$still/m.md5mesh" "$still/a_pose.md5anim" \
    "$still/walk.md5anim"
check "--animation-index selects a clip of a single frame" first_image_shows_clip a_pose "$still/m.md5mesh" "$still/a_pose.md5anim" \
    "$still/walk.md5anim" --animation-index 0
cp "$still/walk.md5anim" "$still/z_idle.md5anim"
check "idle is preferred to other moving clips" first_image_shows_clip z_idle "$still/m.md5mesh"
check "the first of several named moving clips is shown" first_image_shows_clip walk "$still/m.md5mesh" \
    "$still/walk.md5anim" "$still/z_idle.md5anim"
cp "$still/a_pose.md5anim" "$still/b_idle.md5anim"
check "an idle of one frame is not preferred" first_image_shows_clip z_idle "$still/m.md5mesh"
rm "$still/walk.md5anim" "$still/z_idle.md5anim"
check "an idle of one frame is shown if no clip moves" first_image_shows_clip b_idle "$still/m.md5mesh"

# -- A model without meshes ---------------------------------------------------------------------

sed '/^mesh {/,$d; s/^numMeshes .*/numMeshes 0/' "$bobbin_mesh" >"$scratch/bare.md5mesh"
# shellcheck disable=SC2046,SC2016 # five numbers; awk's dollars
draws_joints() {
    "$view" --resolution 240,180 --no-background --grid=no "$scratch/bare.md5mesh" "$@" \
        --output "$scratch/bare.png" 2>"$scratch/err" || return 1
    cat "$scratch/err"
    grep -q 'warning: bare: the model has no triangles: only its joints are shown' "$scratch/err" &&
        numbers_satisfy '$1 > 0.01 && $2 < 0.4 && $5 - $3 > 0.5' "$(png covered "$scratch/bare.png")"
}
check "the joints of a model without meshes are shown, with a warning" draws_joints
check "the joints of a model without meshes are shown in a clip" draws_joints "$models/bobbin/walk.md5anim" --animation-time 0.4

# -- Folders ------------------------------------------------------------------------------------

for job in "--frames 2" "--no-render"; do
    # shellcheck disable=SC2086 # several words
    check "without a window a folder cannot be shown: $job" exits_with 1 'models: cannot list a folder without a window; name a file, or one folder with --output' \
        "$view" models $job
done

# -- Sheets -------------------------------------------------------------------------------------

# Every pixel is drawn exactly once, even if the size of the sheet is not divisible by the number of cells.
sheet_covers_image() { # COLSxROWS W,H
    "$view" --verbose error --samples 1 --sheet "$1" --resolution "$2" "$data/still.md5mesh" \
        --output "$scratch/sheet.png" && [ "$(png size "$scratch/sheet.png")" = "$(echo "$2" | tr , ' ')" ] &&
        png covered "$scratch/sheet.png" | tee "$scratch/covered" && grep -q '^1.0000 ' "$scratch/covered"
}
for sheet in "6x2 128,72" "7x5 100,99" "3x1 100,10" "1x1 31,17" "64x3 65,5"; do
    # shellcheck disable=SC2086 # two words
    check "a sheet covers its image: $sheet" sheet_covers_image $sheet
done
finish
