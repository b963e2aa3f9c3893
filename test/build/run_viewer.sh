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
    # 1 is the viewer's own refusal, which may be a window that cannot be opened; what it was given
    # is then tried again without one. A crash or bad usage is told as it is.
    [ $status -eq 1 ] || exit $status
    echo "The viewer could not go on in a window; trying a picture instead."
else
    echo "There is no display; rendering a picture instead."
fi
"$viewer" "$@" --output "$picture" || exit
echo "Picture: $picture"
