#!/bin/sh
# `make install` into a scratch folder, then used as a stranger would: by pkg-config, linked with
# either library, from C and from C++. Last `make uninstall`, which must leave nothing.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

cc=${CC:-cc}
prefix=${PREFIX:-/usr/local}
root=$scratch/root
link_flags=${MD5_LINK_FLAGS:-} # of the configuration under test: sanitizers, coverage

# The environment says configuration, compiler and prefix, so that nothing is built anew.
make_() {
    make --no-print-directory "$@" DESTDIR="$root"
}
# pkg-config leaves out what is a system path anyway, unless it is told not to.
package() {
    PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
        "${PKG_CONFIG:-pkg-config}" "$@" md5model
}

check "make install" make_ install

version=$(awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $3; dot = "." }' \
    md5/md5model.h)
missing_files() {
    for file in include/md5model/md5model.h include/md5model/md5pose.h include/md5model/md5play.h \
        lib/libmd5model.a lib/libmd5model.so \
        "lib/libmd5model.so.$version" lib/pkgconfig/md5model.pc bin/md5tool bin/md5view; do
        [ -s "$root$prefix/$file" ] || echo "$file"
    done
    find "$root$prefix/share/md5model/models" -name '*.md5mesh' 2>&1 | grep -q mesh || echo "models"
}
silent "all of it is there" missing_files
silent "no link leads nowhere" find "$root" -xtype l

cat >"$scratch/user.c" <<'END'
#include <md5model/md5model.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    md5_error error;
    md5_model *model = md5_load_model(argc > 1 ? argv[1] : "", NULL, &error);
    printf("%d.%d.%d %u\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH,
           model ? (unsigned)model->skeleton.num_joints : 0);
    md5_free_model(model);
    return model ? 0 : 1;
}
END
model=test/reference/data/still.md5mesh
joints=$(awk '$1 == "numJoints" { print $2 }' $model)

compiles() { # LIBRARIES...
    # shellcheck disable=SC2046,SC2086
    $cc -std=c11 -pedantic -Wall -Wextra -Werror $(package --cflags) $link_flags \
        "$scratch/user.c" -o "$scratch/user" "$@"
}
prints_version_and_joints() {
    said=$(LD_LIBRARY_PATH=$root$prefix/lib "$scratch/user" $model)
    echo "$said, expected $version $joints"
    [ "$said" = "$version $joints" ]
}
needs_the_library() {
    readelf -d "$scratch/user" | grep 'NEEDED.*libmd5model'
}
check "pkg-config tells the header's version" [ "$(package --modversion)" = "$version" ]
# shellcheck disable=SC2046
check "a program compiles and links with the shared library" compiles $(package --libs)
check "it runs" prints_version_and_joints
check "it needs the shared library" needs_the_library
check "a program compiles and links with the static library" \
    compiles "$root$prefix/lib/libmd5model.a" -lm
check "it runs, static" prints_version_and_joints
silent "it needs no shared library" needs_the_library

header=$root$prefix/include/md5model/md5model.h
for each in md5model.h md5pose.h md5play.h; do
    # shellcheck disable=SC2086 # the compiler may be several words
    check "$each is C11, pedantic" $cc -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only \
        -x c "$(dirname "$header")/$each"
    if command -v c++ >/dev/null; then
        check "$each is C++11" c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only \
            -x c++ "$(dirname "$header")/$each"
    else
        skip "$each is C++11" "there is no C++ compiler"
    fi
done

# What compilers add of themselves for sanitizers and coverage does not count.
exported() {
    nm -D --defined-only "$root$prefix/lib/libmd5model.so" |
        awk '$3 !~ /^(md5_|_init$|_fini$|__asan|__odr_asan|__gcov|mangle_path)/ { print $3 }'
}
silent "the shared library exports nothing but md5_ names" exported
global() {
    nm -g --defined-only "$root$prefix/lib/libmd5model.a" |
        awk 'NF == 3 && $3 !~ /^(md5_|__asan|__odr_asan)/ { print $3 }'
}
silent "the static library has no other global names either" global
declared_but_not_exported() {
    awk '/^MD5_API / { open = 1 }
         open { if (match($0, /md5_[a-z0-9_]+\(/)) {
             print substr($0, RSTART, RLENGTH - 1); open = 0 } }' \
        "$(dirname "$header")"/md5*.h | sort >"$scratch/declared"
    nm -D --defined-only "$root$prefix/lib/libmd5model.so" | awk '$3 ~ /^md5_/ { print $3 }' |
        sort >"$scratch/exported"
    diff "$scratch/declared" "$scratch/exported"
}
silent "it exports just what the header declares" declared_but_not_exported
graphics() {
    nm -D --undefined-only "$root$prefix/lib/libmd5model.so" | grep -E ' (gl[A-Z]|SDL_|egl|X[A-Z])'
    readelf -d "$root$prefix/lib/libmd5model.so" "$root$prefix/bin/md5tool" |
        grep -E 'NEEDED.*(SDL|GL|X11|wayland)'
}
silent "library and md5tool know nothing of windows and GL" graphics

for program in md5tool md5view; do
    check "$program answers --help" "$root$prefix/bin/$program" --help
done

# Installed on the running system, a program that needs the library starts: the linker's cache knows it.
# Here with a cache and a list of folders of our own; test/long/clean_root.sh does it on a new system.
folder=$(realpath "$root$prefix/lib")
abi=$(readlink "$root$prefix/lib/libmd5model.so")
cached() { # FOLDERS
    echo "$1" >"$scratch/ld.so.conf"
    PATH=$PATH:/sbin:/usr/sbin
    LDCONFIG="ldconfig -C $scratch/ld.so.cache -f $scratch/ld.so.conf" \
        sh test/build/ldconfig.sh "$folder" "$abi" >"$scratch/told" || return 1
    cat "$scratch/told"
    ldconfig -C "$scratch/ld.so.cache" -p >"$scratch/known"
}
is_cached() {
    cached "$folder" && [ ! -s "$scratch/told" ] && grep -F "$abi" "$scratch/known"
}
says_how() {
    cached "$scratch/elsewhere" && ! grep -F "$abi" "$scratch/known" &&
        grep -F "LD_LIBRARY_PATH=$folder" "$scratch/told"
}
updates_linker() {
    make --no-print-directory -n install DESTDIR= | grep -F "ldconfig.sh $prefix/lib $abi" &&
        make --no-print-directory -n uninstall DESTDIR= | grep -F "ldconfig.sh $prefix/lib $abi" &&
        ! make_ -n install | grep ldconfig
}
if PATH=$PATH:/sbin:/usr/sbin command -v ldconfig >/dev/null; then
    check "the linker's cache knows an installed library" is_cached
    check "where it cannot, it is said how programs start" says_how
fi
check "make install brings the cache up to date, but not below DESTDIR" updates_linker

check "make uninstall" make_ uninstall
silent "it leaves nothing" find "$root" ! -type d
finish
