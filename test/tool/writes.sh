#!/bin/sh
# Output files are complete or unchanged after any failure.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
view=$(realpath "$products/md5view")
walk=$PWD/models/bobbin/walk.md5anim
bobbin=$PWD/$models/bobbin/bobbin.md5mesh
idle=$PWD/$models/bobbin/idle.md5anim
there=$scratch/there
export SDL_VIDEODRIVER=offscreen

# Writes a file of the kind that its name selects.
writes() { # FILE
    case $1 in
        *.clip) "$tool" compress "$walk" -o "$1" ;;
        *.md5anim) "$tool" decompress "$scratch/good.clip" -o "$1" ;;
        *.md5mesh) "$tool" bind "$scratch/cube.obj" "$scratch/skeleton.md5mesh" --output "$1" ;;
        *.md5camera) python3 -B -c '
import sys
sys.path.insert(0, "models/blender/io_md5")
import text
text.save({sys.argv[1]: 9999 * "# of the Blender add-on\n"})' "$1" ;;
        *.png) "$view" --resolution 300,300 --samples 1 "$bobbin" --output "$1" ;;
        *) "$view" --resolution 300,300 --samples 1 --frames 9 "$bobbin" "$idle" --output "$1" ;;
    esac
}
"$tool" compress "$walk" -o "$scratch/good.clip" >"$scratch/out" || exit 1
printf 'MD5Version 10 commandline "" numJoints 1 numMeshes 0 joints { "a" -1 ( 0 0 0 ) ( 0 0 0 ) }' >"$scratch/skeleton.md5mesh"
python3 -c '
for z in range(2):
    for y in range(20):
        for x in range(20):
            print("v", x, y, 20 * z)
for a in range(19 * 20 - 1):
    print("f", a + 1, a + 2, a + 22, a + 21)' >"$scratch/cube.obj"

# old NAME: creates a folder that contains only an old file.
old() {
    rm -rf "$there" && mkdir "$there" && echo old >"$there/$1"
}
# Returns success if the folder contains only the unchanged old file.
is_old() {
    [ "$(cat "$there/$1")" = old ] && [ "$(ls -A "$there")" = "$1" ] || { ls -lA "$there"; false; }
}
fails_small() { # NAME
    old "$1" && ! (ulimit -f 4 && writes "$there/$1") && is_old "$1"
}
ignores_signal() { # NAME
    old "$1" && ! (trap '' XFSZ && ulimit -f 4 && writes "$there/$1") && is_old "$1"
}
# Runs in a file system of 8 KiB, which exists as long as its process.
full_disk() { # NAME
    old "$1" && unshare -rm sh -c '
        mount -t tmpfs -o size=8k none "$0" && echo old >"$0/$1" && ! '"$(command -v sh)"' "$2" write "$0/$1" &&
            [ "$(cat "$0/$1")" = old ] && [ "$(ls -A "$0")" = "$1" ]' "$there" "$1" "$scratch/again"
}
cat >"$scratch/again" <<END
tool='$tool' view='$view' walk='$walk' bobbin='$bobbin' idle='$idle' scratch='$scratch'
$(sed -n '/^writes() {/,/^}/p' "$0")
writes "\$2"
END

names="a.clip a.md5anim a.md5mesh a.md5camera a.png a.apng"
! command -v ffmpeg >/dev/null || names="$names a.gif a.mp4 a.webm"
for name in $names; do
    check "$name: a size limit of 4 KiB keeps the old file" fails_small $name
    check "$name: a size limit without its signal keeps the old file" ignores_signal $name
    if unshare -rm sh -c 'mount -t tmpfs -o size=8k none "$0"' "$scratch" 2>/dev/null; then
        check "$name: a full disk keeps the old file" full_disk $name
    else
        skip "$name: a full disk" "no file system can be mounted here"
    fi
done

# -- Temporary files with a name ------------------------------------------------------------------

cat >"$scratch/named.c" <<'CODE'
#include <errno.h>
#include <string.h>
int access(const char *path, int mode);
int rename(const char *from, const char *to);
int access(const char *path, int mode) // which files without a name need
{
    (void)mode;
    errno = ENOENT;
    return strcmp(path, "/proc/self/fd") == 0 ? -1 : 0;
}
int rename(const char *from, const char *to)
{
    (void)from, (void)to;
    errno = EIO;
    return -1;
}
CODE
leaves_nothing() { # LIMIT
    old a.clip && ! (ulimit -f "$1" && export LD_PRELOAD="$scratch/named.so" ASAN_OPTIONS=verify_asan_link_order=0 &&
        "$tool" compress "$walk" -o "$there/a.clip") && is_old a.clip
}
# shellcheck disable=SC2086 # the compiler may be several words
check "the test library compiles" ${CC:-cc} -shared -fPIC -o "$scratch/named.so" "$scratch/named.c"
check "a temporary file is removed after a size limit of 4 KiB" leaves_nothing 4
check "a temporary file that cannot be moved is removed" leaves_nothing unlimited

# -- Replacement of files -------------------------------------------------------------------------

keeps_mode() {
    old a.clip && chmod 604 "$there/a.clip" && writes "$there/a.clip" && cmp "$there/a.clip" "$scratch/good.clip" &&
        [ "$(stat -c %a "$there/a.clip")" = 604 ] && [ "$(ls -A "$there")" = a.clip ]
}
takes_umask() {
    rm -rf "$there" && mkdir "$there" && (umask 027 && writes "$there/a.clip") && [ "$(stat -c %a "$there/a.clip")" = 640 ]
}
follows_links() {
    old real && mkdir "$there/below" && ln -s ../real "$there/below/link" && ln -s below/link "$there/a.clip" &&
        writes "$there/a.clip" && cmp "$there/real" "$scratch/good.clip" && [ -L "$there/a.clip" ] &&
        [ -L "$there/below/link" ] && [ ! -L "$there/real" ] && [ "$(ls -A "$there/below")" = link ]
}
follows_to_nothing() {
    rm -rf "$there" && mkdir "$there" && ln -s new "$there/a.clip" && writes "$there/a.clip" && [ -L "$there/a.clip" ] &&
        cmp "$there/new" "$scratch/good.clip"
}
refuses_circles() {
    rm -rf "$there" && mkdir "$there" && ln -s b.clip "$there/a.clip" && ln -s a.clip "$there/b.clip" &&
        ! writes "$there/a.clip" && [ "$(readlink "$there/a.clip")" = b.clip ]
}
writes_pipes() {
    "$tool" decompress "$scratch/good.clip" >"$scratch/text" &&
        "$tool" decompress "$scratch/good.clip" -o /dev/stdout | cmp - "$scratch/text" &&
        "$tool" decompress "$scratch/good.clip" -o /dev/stdout >"$scratch/file" && cmp "$scratch/file" "$scratch/text" &&
        "$tool" decompress "$scratch/good.clip" -o /dev/fd/3 3>"$scratch/file" && cmp "$scratch/file" "$scratch/text" &&
        "$tool" decompress "$scratch/good.clip" -o /dev/null && [ -c /dev/null ] || return 1
    mkfifo "$scratch/fifo" || return 1
    cat "$scratch/fifo" >"$scratch/file" &
    "$tool" decompress "$scratch/good.clip" -o "$scratch/fifo" && wait $! && cmp "$scratch/file" "$scratch/text" && [ -p "$scratch/fifo" ]
}
longest_name() {
    rm -rf "$there" && mkdir "$there" && name=$(printf 'x%.0s' $(seq 250)).clip && writes "$there/$name" &&
        cmp "$there/$name" "$scratch/good.clip"
}
# Returns success if $writer has written a part of a file in the folder.
has_begun() {
    for descriptor in /proc/"$writer"/fd/*; do
        case $(readlink "$descriptor") in "$there"/*) [ ! -s "$descriptor" ] || return 0 ;; esac
    done
    return 1
}
# is_ended SIGNAL: ends a program while it writes.
is_ended() {
    old a.apng || return 1
    # Background programs of a shell ignore SIGINT.
    env python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$view" --resolution 300,300 --samples 1 --frames 100000 "$bobbin" "$idle" --output "$there/a.apng" &
    writer=$!
    rounds=0
    while [ $rounds -lt 400 ] && ! has_begun; do
        sleep 0.05
        rounds=$((rounds + 1))
    done
    kill -s "$1" $writer
    wait $writer
    [ $? -gt 128 ] && is_old a.apng
}
# Returns success if a reader sees only complete files at any time.
is_never_torn() {
    old a.md5anim && writes "$there/a.md5anim" && cp "$there/a.md5anim" "$scratch/whole" || return 1
    (for _ in 1 2 3 4 5 6; do writes "$there/a.md5anim"; done) &
    writer=$!
    while kill -0 $writer 2>/dev/null; do
        cmp "$there/a.md5anim" "$scratch/whole" || return 1
    done
}
check "an existing file keeps its permissions" keeps_mode
check "a new file has the permissions of umask" takes_umask
check "links are followed" follows_links
check "a dangling link is followed" follows_to_nothing
check "cyclic links are rejected" refuses_circles
check "pipes and devices are written directly" writes_pipes
check "the longest file name is accepted" longest_name
for signal in INT TERM KILL; do
    check "ended by SIG$signal" is_ended $signal
done
check "a reader never sees a partial file" is_never_torn
finish
