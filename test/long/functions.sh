#!/bin/sh
# Counts functions of the project that a still image (md5view --output) calls, with gcov in the coverage build. An image needs a
# renderer, a scene and a camera. The limit is the count of 2026-11-28 (1076), plus 2 % for kernels of other processors and for
# functions that are split. If it is exceeded, build/functions.txt lists the functions: most likely a part of the window is
# created for images again.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

command -v gcov >/dev/null || {
    skip "functions of a still image" "gcov is not installed"
    finish
}
program=build/coverage/md5view
list=build/functions.txt
max_functions=1100

check "the viewer is built for gcov" make --no-print-directory config=coverage "$program"
[ -z "${MD5_BUILD_ONLY:-}" ] || finish

# The run writes its counts into a separate folder, so that the counts of make coverage do not change.
draws() {
    GCOV_PREFIX=$scratch/counts GCOV_PREFIX_STRIP=$(pwd | tr -cd / | wc -c) \
        "$program" --no-config --output "$scratch/image.png" "$models/bobbin/bobbin.md5mesh" &&
        python3 -B test/long/functions.py build/coverage "$scratch/counts/build/coverage" >"$list" && grep -q '^demo/viewer/app/main.c main$' "$list"
}
is_bounded() {
    count=$(wc -l <"$list")
    echo "functions of a still image: $count, at most $max_functions" >&3
    [ "$count" -le $max_functions ]
}
# Panels, physics and games are not part of the image. Functions that free an object may be called with NULL.
omits_modules() {
    ! grep -E '^(md5/(game|ragdoll|edit|material)|demo/viewer/(ui/(menu|outliner|inspector|browser|graph|timebar)|base/commands))' "$list" |
        grep -vE ' (md5_free|md5_destroy|view_free|view_clear|view_marked)_'
}
exec 3>&1
check "an image is drawn" draws
check "at most $max_functions functions" is_bounded
check "no functions of panels, games and diagnostics" omits_modules
finish
