#!/bin/sh
# Folders are searched once each, even if several links lead to them, and only regular files in them are read.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
view=$(realpath "$products/md5view")
mesh=$PWD/test/reference/data/flags.md5mesh
export SDL_VIDEODRIVER=offscreen

# make_folder KIND: creates a folder with two models, three folders deep, and with links that form cycles.
make_folder() {
    folder=$scratch/$1
    mkdir -p "$folder/a/b/c" "$folder/materials" && cp "$mesh" "$folder/one.md5mesh" &&
        cp "$mesh" "$folder/a/b/c/two.md5mesh" &&
        echo 'm { { map x } }' >"$folder/materials/m.mtr" || return 1
    case $1 in
        itself) ln -s . "$folder/x" && ln -s . "$folder/y" && ln -s . "$folder/z" ;;
        parents) ln -s ../.. "$folder/a/b/x" && ln -s ../../../a "$folder/a/b/c/y" && ln -s "$folder" "$folder/a/z" ;;
        each)
            ln -s ../b "$folder/a/x" && mkdir "$folder/q" && ln -s ../q "$folder/a/q" && ln -s ../a "$folder/q/a" &&
                ln -s ../a/b "$folder/q/b"
            ;;
        # Each folder has two links to the next one: 2^40 paths.
        doubled)
            for i in $(seq 40); do
                mkdir "$folder/d$i" && ln -s "../d$((i + 1))" "$folder/d$i/x" && ln -s "../d$((i + 1))" "$folder/d$i/y" || return 1
            done
            ln -s .. "$folder/d40/up"
            ;;
        # Endless devices, pipes, and links to them, in place of models and declarations.
        devices)
            ln -s /dev/zero "$folder/zero.md5mesh" && mkfifo "$folder/pipe.md5mesh" "$folder/materials/pipe.mtr" &&
                ln -s pipe.md5mesh "$folder/link.md5mesh" && ln -s /dev/zero "$folder/materials/zero.mtr" &&
                ln -s nowhere "$folder/nowhere.md5mesh" && ln -s /dev/zero "$folder/pak.pk4" && mkfifo "$folder/pak.pak"
            ;;
        # Link names that precede the folder names in sorted order.
        aliases) mv "$folder/a" "$folder/z" && ln -s z "$folder/a" && ln -s z/b "$folder/b" ;;
    esac
}
# ends_in_time ARGUMENTS...: returns success if the tool ends soon.
ends_in_time() {
    timeout 20 "$tool" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    cat "$scratch/out" "$scratch/err"
    [ $status -eq 0 ]
}
check_counts_files() { # NUM_FILES
    ends_in_time check "$folder/a" "$folder/one.md5mesh" && grep -q "^$1 files\?, 0 errors, 0 warnings" "$scratch/out"
}
check_reads_game() { # the folder has no declaration of its models' material
    ends_in_time check --ignore no-material --ignore no-image "$folder" && grep -q '^2 files, 0 errors, 0 warnings' "$scratch/out" && grep -q '^1 declaration,' "$scratch/out"
}
# Returns success if the tool lists the files of KIND by names without links.
list_prints() {
    ends_in_time list "$folder" models materials && [ "$(sed 's/^[a-z]* *//; s/ .*//' "$scratch/out" | sort | tr '\n' ' ')" = "$1" ]
}
viewer_opens() {
    timeout 60 "$view" --no-config --no-render "$folder/one.md5mesh" &&
        timeout 60 "$view" --no-config --no-render --game "$folder" one.md5mesh
}
for kind in itself parents each doubled devices; do
    check "links, $kind: the test folder is created" make_folder $kind
    # One link also leads to the parent folder.
    [ $kind = parents ] && number=3 || number=2
    check "links, $kind: check reads each file once" check_counts_files $number
    check "links, $kind: check reads each file of a game folder once" check_reads_game
    check "links, $kind: list prints each file once" list_prints 'a/b/c/two.md5mesh m one.md5mesh '
    check "links, $kind: the viewer" viewer_opens
done
check "links, aliases: the test folder is created" make_folder aliases
check "links, aliases: list" list_prints 'm one.md5mesh z/b/c/two.md5mesh '

# Links to folders elsewhere are followed, even if the folder is a link itself.
follows_links() {
    mkdir "$scratch/real" "$scratch/outside" && cp "$mesh" "$scratch/outside/in.md5mesh" && ln -s ../outside "$scratch/real/sub" &&
        ln -s real "$scratch/named" && ends_in_time check "$scratch/named" && grep -q '^1 file, 0 errors' "$scratch/out" &&
        (cd "$scratch/real" && ends_in_time list . models && grep -q ' sub/in.md5mesh' "$scratch/out" &&
            ends_in_time list ./ models && grep -q ' sub/in.md5mesh' "$scratch/out")
}
check "links to other folders are followed" follows_links

# A folder whose path is longer than the system accepts is reported, even if it is one of several.
reports_deep() { # TEXT STATUS ARGUMENT...
    text=$1 expected=$2
    shift 2
    timeout 60 "$tool" "$@" >"$scratch/out" 2>&1
    [ $? -eq "$expected" ] && [ "$(grep -c "deep: warning: cannot read $text" "$scratch/out")" -eq 1 ] || { cat "$scratch/out" && return 1; }
}
make_deep_folder() { # FOLDER
    python3 -c '
import os, sys
os.chdir(sys.argv[1])
for _ in range(45):
    os.mkdir("d" * 99)
    os.chdir("d" * 99)
' "$1"
}
mkdir "$scratch/deep" && cp "$mesh" "$scratch/deep"
cp -r "$scratch/deep" "$scratch/shallow" && make_deep_folder "$scratch/deep"
one="the folder '\.\.\.d*': File *name too long"
check "check reports a path that is too long" reports_deep "$one" 0 check "$scratch/deep"
check "check reports a path of a game folder that is too long" reports_deep "$one" 0 check --base "$scratch/deep"
check "list reports a path that is too long" reports_deep "$one" 0 list "$scratch/deep"
check "convert reports a path that is too long" reports_deep "$one" 0 convert "$scratch/deep" --to iqm --output "$scratch/new"
check "diff reports a path that is too long" reports_deep "$one" 2 diff "$scratch/shallow" "$scratch/deep"
mkdir "$scratch/deep/second" && make_deep_folder "$scratch/deep/second"
check "check groups two paths that are too long" reports_deep "2 folders, for example '\.\.\.d*': File" 0 check "$scratch/deep"

# Reading of a folder with endless entries stops: four million entries, regardless of the count that readdir() returns.
stops_in_endless_folder() {
    cat >"$scratch/endless.c" <<'CODE'
#include <dirent.h>
#include <string.h>
static struct dirent entry;
struct dirent *readdir(DIR *folder);
struct dirent *readdir64(DIR *folder);
struct dirent *readdir(DIR *folder)
{
    static unsigned count;
    (void)folder;
    entry.d_type = DT_REG;
    strcpy(entry.d_name, "x.txt");
    if (++count <= 4000100)
        return &entry;
    count = 0; // for who opens it next
    return 0;
}
struct dirent *readdir64(DIR *folder)
{
    return readdir(folder);
}
CODE
    # shellcheck disable=SC2086 # the compiler may be several words
    ${CC:-cc} -shared -fPIC -o "$scratch/endless.so" "$scratch/endless.c" && mkdir "$scratch/endless" || return 1
    ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$scratch/endless.so timeout 300 "$tool" check "$scratch/endless" >"$scratch/out" 2>&1
    grep -q ': warning: folder contains too many files: the remaining files are ignored$' "$scratch/out" || { cat "$scratch/out" && return 1; }
}
check_long "reading of an endless folder stops" stops_in_endless_folder
finish
