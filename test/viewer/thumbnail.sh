#!/bin/sh
# md5view --thumbnail with hostile files: its time and memory, and that it reads no file outside of the folder.
. test/build/report.sh
view=$products/md5view
bobbin_mesh=$models/bobbin/bobbin.md5mesh
unset DISPLAY WAYLAND_DISPLAY

# check_thumbnail STATUS FILE [TEXT]: checks that the thumbnail of a file exits with the status, and takes at most 5 s and
# 384 MiB, of which OpenGL takes 100 to 150 MiB. With status 0 the image must exist; otherwise it must not exist, and one
# line that contains the text must be printed.
check_thumbnail() {
    rm -f "$scratch/out.png"
    python3 test/viewer/measure.py "$view" --verbose error --thumbnail 256 --output "$scratch/out.png" "$2" \
        >"$scratch/figures" 2>"$scratch/err"
    read -r status seconds mebibytes <"$scratch/figures"
    echo "status $status, $seconds s, $mebibytes MiB"
    cat "$scratch/err"
    # The limits do not apply to a build with sanitizers, which needs additional memory and time.
    [ "$status" -eq "$1" ] || return 1
    [ "${config:-}" = sanitize ] || numbers_satisfy '$1 <= 5 && $2 <= 384' "$seconds" "$mebibytes" || return 1
    if [ "$1" -eq 0 ]; then
        [ "$(png size "$scratch/out.png")" = "256 256" ] && [ ! -s "$scratch/err" ]
    else
        [ ! -e "$scratch/out.png" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qF -- "$3" "$scratch/err"
    fi
}
write_hostile_files() {
    python3 test/viewer/hostile.py "$scratch"
}
check "hostile files are written" write_hostile_files
check "a model is drawn" check_thumbnail 0 "$bobbin_mesh"
check "a state machine is drawn" check_thumbnail 0 "$models/bobbin/bobbin.md5machine"
check "an animation is drawn" check_thumbnail 0 "$models/bobbin/walk.md5anim"
check "a camera path is drawn" check_thumbnail 0 models/zoo/cuts.md5camera
check "a file of 40 MB is rejected" check_thumbnail 1 "$scratch/bytes/v.md5mesh" "32 MiB"
# Several threads read the clips of a state machine.
check "a machine whose files have 32 MiB is drawn" check_thumbnail 0 "$scratch/full/m.md5machine"
check "a machine whose files have 32 MiB and one byte is rejected" check_thumbnail 1 "$scratch/more/m.md5machine" "32 MiB"
check "a mesh of 600000 vertices is rejected" check_thumbnail 1 "$scratch/vertices/v.md5mesh" "too many vertices"
check "a hundred thousand large triangles are rejected" check_thumbnail 1 "$scratch/triangles/v.md5mesh" "triangles of the thumbnail cover too many pixels"
check "triangles that cover as many pixels as the limit are drawn" check_thumbnail 0 "$scratch/limit/v.md5mesh"
check "triangles that cover one pixel more than the limit are rejected" check_thumbnail 1 "$scratch/beyond/v.md5mesh" "triangles of the thumbnail cover too many pixels"
check "vertices that are 1e9 units apart are rejected" check_thumbnail 1 "$scratch/far/v.md5mesh" "1e9 units"
check "a model with 65 images, one more than the limit, is drawn" check_thumbnail 0 "$scratch/small/v.md5mesh"
check "an image of 30000 by 30000 pixels is rejected" check_thumbnail 1 "$scratch/header/v.md5mesh" "30000 x 30000"
check "an image of 4096 by 4096 pixels is read" check_thumbnail 0 "$scratch/large/v.md5mesh"
check "too many images are rejected" check_thumbnail 1 "$scratch/images/v.md5mesh" "images of the thumbnail have too many pixels"
check "images outside of the folder and on other machines are ignored" check_thumbnail 0 "$scratch/names/v.md5mesh"
check "an md5.cfg with a path outside of its folder is ignored" check_thumbnail 0 "$scratch/config/in/v.md5mesh"
check "a machine whose model is in another folder is rejected" check_thumbnail 1 "$scratch/machine/m.md5machine" "outside the folder of the model"
check "a link to a device is ignored" check_thumbnail 0 "$scratch/links/v.md5mesh"
check "a pipe is rejected" check_thumbnail 1 "$scratch/pipe.md5mesh" "does not exist"

# The thumbnail of a model without textures is the same if images exist outside of the folder, so they are not read.
reads_no_outside_images() {
    for folder in names config/in links; do
        check_thumbnail 0 "$scratch/$folder/v.md5mesh" && mv "$scratch/out.png" "$scratch/with.png" &&
            cp "$scratch/$folder/v.md5mesh" "$scratch/alone/" && check_thumbnail 0 "$scratch/alone/v.md5mesh" &&
            cmp "$scratch/with.png" "$scratch/out.png" || return 1
    done
}
mkdir "$scratch/alone"
check "files outside of the folder are not read" reads_no_outside_images
finish
