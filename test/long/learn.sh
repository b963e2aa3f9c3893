#!/bin/sh
# The images of the guide to the course (demo/docs/learn) must match the current lessons. A changed title or plot of a lesson
# changes more than 0.1 % of the pixels by more than 48 levels. The palette of the images changes up to 0.03 % of the pixels.
. test/build/report.sh
. test/build/built.sh

is_current() { # IMAGE
    lesson=${1##*/}
    lesson=${lesson%.png}
    "$products/md5view" --no-config --lesson "$lesson" --panel=no --resolution 640,360 --output "$scratch/$lesson.png" &&
        share=$(python3 test/viewer/png.py redrawn "$1" "$scratch/$lesson.png") &&
        echo "$lesson: $share of the pixels differ" &&
        numbers_satisfy '$1 <= 0.001' "$share"
}
for image in demo/docs/learn/*.png; do
    check "$image matches its lesson; sh models/readme_pictures.sh draws it" is_current "$image"
done
finish
