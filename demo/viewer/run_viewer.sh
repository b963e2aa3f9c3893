#!/bin/sh
# run_viewer.sh VIEWER PICTURE [ARGUMENT...]: runs the viewer in a window; without a display it saves a
# picture of what the window would show.
set -u
viewer=$1
picture=$2
shift 2

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; then
    "$viewer" "$@"
    status=$?
    # 3: there is no window with OpenGL 3.3. Every other status is the viewer's result.
    [ $status -eq 3 ] || exit $status
    echo "There is no window with OpenGL 3.3; rendering a picture instead."
else
    echo "There is no display; rendering a picture instead."
fi
"$viewer" "$@" --output "$picture" || exit
echo "Picture: $picture"
