#!/bin/sh
# In a browser: the library's bits and its speed in node, the viewer in headless Chromium, which has to look as here.
# WEB_TEST=node leaves the browser out.
. test/build/report.sh
web=build/web/site

for needed in emcc node; do
    command -v $needed >/dev/null || {
        skip "web" "there is no $needed"
        finish
    }
done
made() {
    make --no-print-directory DEPS=no "$@" || return
}

# -- The library --------------------------------------------------------------------------------

# One hash of all poses and vertices of our models: that of x86-64, in test/data/same_bits.txt.
same_bits() { # KIND
    MD5_ROOT=. node "build/web/$1/bits.js" poses_and_vertices_have_the_same_bits_everywhere
}
skin_time() { # KIND
    node "build/web/$1/skin.js" models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
}
# Both in turn, so that other work slows both; the median of five shares.
speed() {
    for _ in 1 2 3 4 5; do
        echo "$(skin_time scalar) $(skin_time simd)"
    done | awk '{ print $1 / $2, $1, $2 }' | sort -n | sed -n 3p >"$scratch/speed"
    read -r share scalar simd <"$scratch/speed"
    echo "note: skinning with vectors is $share times as fast: $simd instead of $scalar ns a vertex"
    holds '$1 >= 2.5' "$share"
}
check "the library and its tests are compiled" made web-test
for kind in scalar simd; do
    check "$kind: the bits are those of x86-64" same_bits $kind
done
check "vectors skin at least 2.5 times as fast" speed
grep '^note' "$scratch/said"
[ "${WEB_TEST:-}" != node ] || finish

# -- The viewer ---------------------------------------------------------------------------------

check "the pages are made" made web
command -v chromium >/dev/null || {
    skip "the pages" "there is no chromium"
    finish
}
shown() {
    python3 test/web/browser.py "$web" "$@"
    status=$?
    return $status
}
bobbin="model=models/bobbin/bobbin.md5mesh"
# The picture that --output writes in the page, and that of this machine's viewer.
same_picture() { # KIND
    "$products/md5view" --no-config --animation-time 0.5 --output "$scratch/here.png" models/bobbin/bobbin.md5mesh \
        models/bobbin/walk.md5anim &&
        shown open "index.html?kind=$1#no-config&animation-time=0.5&output=out.png&$bobbin&model=models/bobbin/walk.md5anim" \
            take /saved/out.png "$scratch/there.png" same "$scratch/here.png" "$scratch/there.png" 0.003
}
for kind in simd scalar; do
    check "$kind: the picture is the one of here, and the console is empty" same_picture $kind
    grep '^note' "$scratch/said"
done
check "the start page opens" shown open index.html is "document.title.startsWith('bobbin')"
# A model of the page, then one that is dropped on it, which is another one.
check "a dropped file is shown" shown open "index.html#model=models/thimble/thimble.md5mesh" \
    is "document.title.startsWith('thimble')" drop models/lantern/lantern.md5mesh is "document.title.startsWith('lantern')"
check "a host that cannot be read is named" shown fails "index.html#model=http://127.0.0.1:9/x.md5mesh" "drop it here instead"

# Compressed as servers send it; without brotli, gzip, which is larger.
size_of() { # FILE...
    if command -v brotli >/dev/null; then
        cat "$@" | brotli -c -q 11 | wc -c
    else
        cat "$@" | gzip -9 | wc -c
    fi
}
small() {
    size=$(size_of $web/md5view-simd.js $web/md5view-simd.wasm)
    echo "note: the viewer is $size bytes"
    holds '$1 <= 921600' "$size"
}
check "the viewer is at most 900 KB" small
grep '^note' "$scratch/said"
finish
