#!/bin/sh
# Output files are complete or unchanged after any failure.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
view=$(realpath "$products/md5view")
walk=$PWD/models/bobbin/walk.md5anim
bobbin=$PWD/$models/bobbin/bobbin.md5mesh
idle_clip=$PWD/$models/bobbin/idle.md5anim
output_folder=$scratch/there
export SDL_VIDEODRIVER=offscreen

# Writes a file of the kind that its name selects.
write_file() { # FILE
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
        *) "$view" --resolution 300,300 --samples 1 --frames 9 "$bobbin" "$idle_clip" --output "$1" ;;
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

# make_old_file NAME: creates a folder that contains only an old file.
make_old_file() {
    rm -rf "$output_folder" && mkdir "$output_folder" && echo old >"$output_folder/$1"
}
# Returns success if the folder contains only the unchanged old file.
old_file_is_unchanged() {
    [ "$(cat "$output_folder/$1")" = old ] && [ "$(ls -A "$output_folder")" = "$1" ] || { ls -lA "$output_folder"; false; }
}
fails_at_size_limit() { # NAME
    make_old_file "$1" && ! (ulimit -f 4 && write_file "$output_folder/$1") && old_file_is_unchanged "$1"
}
fails_with_ignored_signal() { # NAME
    make_old_file "$1" && ! (trap '' XFSZ && ulimit -f 4 && write_file "$output_folder/$1") && old_file_is_unchanged "$1"
}
# Runs in a file system of 8 KiB, which exists as long as its process.
fails_on_full_disk() { # NAME
    make_old_file "$1" && unshare -rm sh -c '
        mount -t tmpfs -o size=8k none "$0" && echo old >"$0/$1" && ! '"$(command -v sh)"' "$2" write "$0/$1" &&
            [ "$(cat "$0/$1")" = old ] && [ "$(ls -A "$0")" = "$1" ]' "$output_folder" "$1" "$scratch/again"
}
cat >"$scratch/again" <<END
tool='$tool' view='$view' walk='$walk' bobbin='$bobbin' idle_clip='$idle_clip' scratch='$scratch'
$(sed -n '/^write_file() {/,/^}/p' "$0")
write_file "\$2"
END

names="a.clip a.md5anim a.md5mesh a.md5camera a.png a.apng"
! command -v ffmpeg >/dev/null || names="$names a.gif a.mp4 a.webm"
for name in $names; do
    check "$name: a size limit of 4 KiB keeps the old file" fails_at_size_limit $name
    check "$name: a size limit without its signal keeps the old file" fails_with_ignored_signal $name
    if unshare -rm sh -c 'mount -t tmpfs -o size=8k none "$0"' "$scratch" 2>/dev/null; then
        check "$name: a full disk keeps the old file" fails_on_full_disk $name
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
leaves_no_temporary_file() { # LIMIT
    make_old_file a.clip && ! (ulimit -f "$1" && export LD_PRELOAD="$scratch/named.so" ASAN_OPTIONS=verify_asan_link_order=0 &&
        "$tool" compress "$walk" -o "$output_folder/a.clip") && old_file_is_unchanged a.clip
}
# shellcheck disable=SC2086 # the compiler may be several words
check "the test library compiles" ${CC:-cc} -shared -fPIC -o "$scratch/named.so" "$scratch/named.c"
check "a temporary file is removed after a size limit of 4 KiB" leaves_no_temporary_file 4
check "a temporary file that cannot be moved is removed" leaves_no_temporary_file unlimited

# -- Replacement of files -------------------------------------------------------------------------

keeps_mode() {
    make_old_file a.clip && chmod 604 "$output_folder/a.clip" && write_file "$output_folder/a.clip" && cmp "$output_folder/a.clip" "$scratch/good.clip" &&
        [ "$(stat -c %a "$output_folder/a.clip")" = 604 ] && [ "$(ls -A "$output_folder")" = a.clip ]
}
new_file_has_umask() {
    rm -rf "$output_folder" && mkdir "$output_folder" && (umask 027 && write_file "$output_folder/a.clip") && [ "$(stat -c %a "$output_folder/a.clip")" = 640 ]
}
follows_links() {
    make_old_file real && mkdir "$output_folder/below" && ln -s ../real "$output_folder/below/link" && ln -s below/link "$output_folder/a.clip" &&
        write_file "$output_folder/a.clip" && cmp "$output_folder/real" "$scratch/good.clip" && [ -L "$output_folder/a.clip" ] &&
        [ -L "$output_folder/below/link" ] && [ ! -L "$output_folder/real" ] && [ "$(ls -A "$output_folder/below")" = link ]
}
follows_dangling_link() {
    rm -rf "$output_folder" && mkdir "$output_folder" && ln -s new "$output_folder/a.clip" && write_file "$output_folder/a.clip" && [ -L "$output_folder/a.clip" ] &&
        cmp "$output_folder/new" "$scratch/good.clip"
}
rejects_cyclic_links() {
    rm -rf "$output_folder" && mkdir "$output_folder" && ln -s b.clip "$output_folder/a.clip" && ln -s a.clip "$output_folder/b.clip" &&
        ! write_file "$output_folder/a.clip" && [ "$(readlink "$output_folder/a.clip")" = b.clip ]
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
writes_longest_name() {
    rm -rf "$output_folder" && mkdir "$output_folder" && name=$(printf 'x%.0s' $(seq 250)).clip && write_file "$output_folder/$name" &&
        cmp "$output_folder/$name" "$scratch/good.clip"
}
# Returns success if $writer has written a part of a file in the folder.
has_begun_writing() {
    for descriptor in /proc/"$writer"/fd/*; do
        case $(readlink "$descriptor") in "$output_folder"/*) [ ! -s "$descriptor" ] || return 0 ;; esac
    done
    return 1
}
# signal_keeps_old_file SIGNAL: ends a program while it writes.
signal_keeps_old_file() {
    make_old_file a.apng || return 1
    # Background programs of a shell ignore SIGINT.
    env python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$view" --resolution 300,300 --samples 1 --frames 100000 "$bobbin" "$idle_clip" --output "$output_folder/a.apng" &
    writer=$!
    rounds=0
    while [ $rounds -lt 400 ] && ! has_begun_writing; do
        sleep 0.05
        rounds=$((rounds + 1))
    done
    kill -s "$1" $writer
    wait $writer
    [ $? -gt 128 ] && old_file_is_unchanged a.apng
}
# Returns success if a reader sees only complete files at any time.
reader_sees_complete_files() {
    make_old_file a.md5anim && write_file "$output_folder/a.md5anim" && cp "$output_folder/a.md5anim" "$scratch/whole" || return 1
    (for _ in 1 2 3 4 5 6; do write_file "$output_folder/a.md5anim"; done) &
    writer=$!
    while kill -0 $writer 2>/dev/null; do
        cmp "$output_folder/a.md5anim" "$scratch/whole" || return 1
    done
}
check "an existing file keeps its permissions" keeps_mode
check "a new file has the permissions of umask" new_file_has_umask
check "links are followed" follows_links
check "a dangling link is followed" follows_dangling_link
check "cyclic links are rejected" rejects_cyclic_links
check "pipes and devices are written directly" writes_pipes
check "the longest file name is accepted" writes_longest_name
for signal in INT TERM KILL; do
    check "ended by SIG$signal" signal_keeps_old_file $signal
done
check "a reader never sees a partial file" reader_sees_complete_files
finish
