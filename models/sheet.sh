#!/bin/sh
# Draws a contact sheet of clips: COUNT frames of each clip in one image, build/sheets/CLIP.png.
#
#     models/sheet.sh MODEL.md5mesh CLIP.md5anim [COUNT [OPTION OF md5view...]]
#
# Needs build/md5view and ImageMagick's montage.
set -eu
model=$1 clip=$2 count=${3:-12}
[ $# -lt 3 ] || shift
shift 2
name=$(basename "$clip" .md5anim)
out=build/sheets
mkdir -p "$out/frames"
rm -f "$out/frames/$name"-*.png
times=$(awk -v count="$count" '
    /^numFrames/ { frames = $2 }
    /^frameRate/ { rate = $2 }
    /^hierarchy/ { for (n = 0; n < count; n++)
                       printf "%s%.4f", n ? "," : "", (frames - 1) / rate * n / count
                   exit }' "$clip")
build/md5view "$model" "$clip" --output "$out/frames/$name-{n:02}.png" --resolution 300,300 \
    --animation-time "$times" --root in_place --verbose error --camera-azimuth-angle 40 "$@"
montage "$out/frames/$name"-*.png -tile 6x -geometry +1+1 "$out/$name.png"
echo "$out/$name.png"
