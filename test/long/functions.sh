#!/bin/sh
# Lists functions of the project that a still image (md5view --output) calls, with gcov in the coverage build. An image needs a
# renderer, a scene and a camera, and no part of the window. build/functions.txt contains the list. Its length is printed, but
# has no limit, because it grows whenever a function is split. For comparison: demo/examples/window.c, which draws the same model
# and clip with its own 180 lines, calls 458 functions of md5/ and 234 of render/.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD config DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

command -v gcov >/dev/null || {
    skip "functions of a still image" "gcov is not installed"
    finish
}
program=build/coverage/md5view
list=build/functions.txt

check "the viewer is built for gcov" make --no-print-directory config=coverage "$program"
[ -z "${MD5_BUILD_ONLY:-}" ] || finish

# The run writes its counts into a separate folder, so that the counts of make coverage do not change.
record_called_functions() {
    GCOV_PREFIX=$scratch/counts GCOV_PREFIX_STRIP=$(pwd | tr -cd / | wc -c) \
        "$program" --no-config --output "$scratch/image.png" "$models/bobbin/bobbin.md5mesh" &&
        python3 -B test/long/functions.py build/coverage "$scratch/counts/build/coverage" >"$list" && grep -q '^demo/viewer/app/main.c main$' "$list"
}
# The interface (panels, lessons, their layout, commands, undo, crash notes), state machines, physics and games are not part of
# the image. Exceptions: functions of the library that free an object, which may be NULL.
image_skips_modules() {
    library='md5/(game|ragdoll|edit|material|play|motion|decl)/'
    viewer='demo/viewer/(ui/|pages/|base/(commands|layout|search|sounds)\.|jobs/(risk|stamp|export|movie|capture)\.)'
    ! grep -E "^($library|$viewer)" "$list" | grep -vE ' md5_(free|destroy)_'
}
check "an image is drawn" record_called_functions
count_calls() {
    grep -c "^$1/" "$list"
}
count_calls_of_folders() {
    sed 's,/[^/]*$,,' "$list" | sort | uniq -c | sort -rn
}
echo "note: a still image calls $(wc -l <"$list") functions: $(count_calls md5) of md5/, $(count_calls render) of render/, $(count_calls demo) of demo/"
count_calls_of_folders
check "no functions of the interface, machines, games and diagnostics" image_skips_modules
finish
