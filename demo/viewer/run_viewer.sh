#!/bin/sh
# run_viewer.sh VIEWER PICTURE [ARGUMENT...]: runs the viewer in a window; without a display it saves an image of the
# window's content.
set -u
viewer=$1
picture=$2
shift 2

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; then
    "$viewer" "$@"
    status=$?
    # 3: a window with OpenGL 3.3 cannot be opened. Every other status is the viewer's result.
    [ $status -eq 3 ] || exit $status
    echo "Cannot open a window with OpenGL 3.3; saving an image instead."
else
    echo "No display; saving an image instead."
fi
"$viewer" "$@" --output "$picture" || exit
echo "Picture: $picture"
