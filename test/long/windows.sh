#!/bin/sh
# Unpacks the archive of `make windows` and runs it with wine: md5tool.exe has the same output as md5tool, also with its
# libraries for archives, JPEG and glTF, and md5view.exe draws the same images as md5view. The build is reproducible.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS config CC CFLAGS LDFLAGS BUILD

for needed in x86_64-w64-mingw32-g++ wine xvfb-run; do
    command -v $needed >/dev/null || {
        skip "the programs for Windows" "$needed is not installed"
        finish
    }
done
make_windows() {
    make --no-print-directory windows | tee "$scratch/made"
    archive=$(grep '^build/md5model-.*-windows[.]zip$' "$scratch/made")
}
check "make windows" make_windows
unpack_archive() {
    (cd build && sha256sum -c "${archive#build/}.sha256") && python3 -m zipfile -e "$archive" "$scratch/zip" &&
        mv "$scratch"/zip/md5model-* "$scratch/a folder" && (cd "$scratch/a folder" && sha256sum -c SHA256SUMS)
}
check "checksums are correct" unpack_archive
export WINEPREFIX="$scratch/wine" WINEDEBUG=-all LC_ALL=C.UTF-8 SDL_AUDIODRIVER=dummy
wine wineboot -i >/dev/null 2>&1
bobbin="models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim"

# prints_same_output ARGUMENTS...: compares the output, except line ends and the drive of absolute paths, which is Z: in wine.
prints_same_output() {
    "$products/md5tool" "$@" >"$scratch/here" 2>&1
    wine "$scratch/a folder/md5tool.exe" "$@" 2>&1 </dev/null | tr -d '\r' | sed 's|Z:/|/|g' >"$scratch/there"
    diff "$scratch/here" "$scratch/there" && [ -s "$scratch/here" ]
}
converts_to_same_file() {
    # shellcheck disable=SC2086
    wine "$scratch/a folder/md5tool.exe" convert $bobbin --output "$scratch/there.glb" </dev/null &&
        "$products/md5tool" convert "$scratch/there.glb" --output "$scratch/back.md5mesh" &&
        "$products/md5tool" info "$scratch/back.md5mesh" | grep 'triangles *9920$'
}
draws_similar_image() { # RESULT FRACTION ARGUMENTS...: at most this fraction of the pixels may differ
    max_fraction=$1
    shift
    SDL_VIDEODRIVER=offscreen "$products/md5view" --resolution 320,240 --output "$scratch/here.png" "$@" &&
        xvfb-run -a wine "$scratch/a folder/md5view.exe" --resolution 320,240 --output "$scratch/there.png" "$@" </dev/null &&
        numbers_satisfy "\$1 <= $max_fraction" "$(png differ "$scratch/here.png" "$scratch/there.png")"
}
shows_builtin_model() { # without arguments: the model in the program's folder
    xvfb-run -a wine "$scratch/a folder/md5view.exe" --frames 2 </dev/null >"$scratch/shown" 2>&1
    cat "$scratch/shown"
    grep -q '2 frames' "$scratch/shown" && ! grep -qi 'error\|warning' "$scratch/shown"
}
second_build_is_identical() {
    rm -rf build/windows-again && mkdir build/windows-again && cp -r build/windows/packages build/windows-again/ &&
        sed -i 's|build/windows|build/windows-again|g' build/windows-again/packages/lib/pkgconfig/*.pc &&
        sh md5/packaging/windows.sh build/windows-again && python3 md5/packaging/release.py --windows build/windows-again/bin "$scratch" &&
        cmp "$archive" "$scratch/${archive##*/}"
}
check "md5tool.exe describes a model" prints_same_output info models/bobbin/bobbin.md5mesh
check "md5tool.exe reads archives" prints_same_output list models/game/base
check "md5tool.exe converts to glTF" converts_to_same_file
# shellcheck disable=SC2086
check "md5view.exe draws" draws_similar_image 0.002 $bobbin
check "md5view.exe shows its own models" shows_builtin_model
check "a second build has the same bytes" second_build_is_identical
rm -rf build/windows-again
wineserver -w
finish
