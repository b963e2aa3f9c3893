#!/bin/sh
# Lists functions of the project that a still image (md5view --output) calls, with gcov in the coverage build. An image needs a
# renderer, a scene and a camera, and no part of the window. build/functions.txt contains the list. Its length is printed, but
# has no limit, because it grows whenever a function is split.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

command -v gcov >/dev/null || {
    skip "functions of a still image" "gcov is not installed"
    finish
}
program=build/coverage/md5view
list=build/functions.txt

check "the viewer is built for gcov" make --no-print-directory config=coverage "$program"
[ -z "${MD5_BUILD_ONLY:-}" ] || finish

# The run writes its counts into a separate folder, so that the counts of make coverage do not change.
draws() {
    GCOV_PREFIX=$scratch/counts GCOV_PREFIX_STRIP=$(pwd | tr -cd / | wc -c) \
        "$program" --no-config --output "$scratch/image.png" "$models/bobbin/bobbin.md5mesh" &&
        python3 -B test/long/functions.py build/coverage "$scratch/counts/build/coverage" >"$list" && grep -q '^demo/viewer/app/main.c main$' "$list"
}
# Panels, physics and games are not part of the image. Exceptions: functions that free or clear an object, which may be NULL;
# functions that return which part of the window is free (window_layout.*, view_free_region), what the window shows
# (view_shows_*) or which joint is marked, because the image depends on them.
omits_modules() {
    ! grep -E '^(md5/(game|ragdoll|edit|material)|demo/viewer/(ui/|base/commands))' "$list" |
        grep -vE '/window_layout\.[ch] | (md5_free|md5_destroy|view_free|view_clear|view_marked|view_shows)_'
}
check "an image is drawn" draws
echo "note: a still image calls $(wc -l <"$list") functions"
check "no functions of panels, games and diagnostics" omits_modules
finish
