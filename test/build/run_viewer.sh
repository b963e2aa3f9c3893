#!/bin/sh
# run_viewer.sh VIEWER PICTURE [ARGUMENT...]: the viewer in a window; where no window can be had, a
# picture of what it would show.
set -u
viewer=$1
picture=$2
shift 2

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; then
    "$viewer" "$@"
    status=$?
    # 3: no window with OpenGL 3.3 can be had. Everything else is the viewer's own affair.
    [ $status -eq 3 ] || exit $status
    echo "There is no window to be had; rendering a picture instead."
else
    echo "There is no display; rendering a picture instead."
fi
"$viewer" "$@" --output "$picture" || exit
echo "Picture: $picture"
