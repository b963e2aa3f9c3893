#!/bin/sh
# Draws the images of the project's README, of the viewer's guide and of the course again, from the root of the project:
#
#     sh models/readme_pictures.sh
#
# Needs build/md5view, and ImageMagick for the images of the course.
set -e
view="build/md5view --no-config --verbose error"

# The window with the example model.
$view models/bobbin/bobbin.md5machine --panel --resolution 1280,720 --animation-time 1 --output demo/screenshot.png

# A crowd of three models.
$view --crowd 300 --resolution 1120,420 --animation-time 5 --camera-azimuth-angle -25 --camera-elevation-angle 9 \
    --camera-distance 640 --output demo/crowd.png

# One image of each chapter of the course, with 256 colors and without dithering, which would double the files.
# test/long/learn.sh compares them with the lessons.
for image in demo/docs/learn/*.png; do
    lesson=${image##*/}
    lesson=${lesson%.png}
    $view --lesson "$lesson" --panel=no --resolution 640,360 --output "$image"
    convert "$image" +dither -colors 256 "PNG8:$image"
done
