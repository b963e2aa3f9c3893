#!/bin/sh
# A user's CMake project finds the library with FetchContent, and with find_package() after `make install-lib`.
# test/long/cmake.sh tests other methods and Windows, and compiles the library.
. test/build/report.sh
. test/build/cmake.sh
command -v cmake >/dev/null || { skip "CMake projects" "cmake is not installed"; finish; }

user_project "$scratch/user"
root=$scratch/root
prefix=${PREFIX:-/usr/local}

fetched() {
    configure "$scratch/user" "$scratch/fetched" -DTAKE=fetch -DFETCHCONTENT_SOURCE_DIR_MD5MODEL="$PWD" \
        -DMD5MODEL_GL=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
}
# Lists differences between the files that CMake and make compile; checks the flag that all bits depend on.
other_sources() {
    commands=$scratch/fetched/compile_commands.json
    sed -n 's|.*"file": "\(.*\)",*$|\1|p' "$commands" | grep -vF "$scratch/" | sed "s|^$PWD/||" | sort -u >"$scratch/theirs"
    find md5 -name '*.c' ! -path 'md5/small/*' | sort | diff - "$scratch/theirs"
    grep '"command": .*/md5/' "$commands" | grep -v -e '-std=c11 .*-ffp-contract=off' -e '-ffp-contract=off .*-std=c11'
}
same_headers() {
    diff -r build/include/md5model "$scratch/fetched/_deps/md5model-build/include/md5model" | grep -v 'Only in build.*md5gl.*\.h'
}
found() { # OPTIONS...
    rm -rf "$scratch/found"
    LDFLAGS=${MD5_LINK_FLAGS:-} configure "$scratch/user" "$scratch/found" -DTAKE=find \
        -DCMAKE_PREFIX_PATH="$root$prefix" "$@" && build "$scratch/found" && runs "$scratch/found/load" && LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/first" &&
        LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/play" && LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/draw"
}
uses_shared() {
    readelf -d "$scratch/found/draw" | grep 'NEEDED.*libmd5gl'
}
refuses() { # VERSION
    rm -rf "$scratch/found"
    ! configure "$scratch/user" "$scratch/found" -DTAKE=find -DCMAKE_PREFIX_PATH="$root$prefix" -DWANT="$1" &&
        grep -F "$version" "$scratch/found.log"
}

# md5gl is built if its generator was found later, also in a folder that was configured without the generator.
late_generator() {
    configure . "$scratch/late" -DMD5MODEL_PROGRAMS=OFF -DMD5MODEL_GLAD=OFF && grep 'md5gl is not built' "$scratch/late.log" &&
        configure . "$scratch/late" -DMD5MODEL_GLAD=/bin/true && ! grep 'md5gl is not built' "$scratch/late.log" && [ -d "$scratch/late/CMakeFiles/md5gl.dir" ]
}

check "FetchContent" fetched
check "a generator that is installed later is found" late_generator
silent "CMake compiles the same files as make" other_sources
silent "the headers equal those of make lib" same_headers
check "make install-lib" make --no-print-directory install-lib DESTDIR="$root"
check "find_package()" found -DWANT="$version"
check "the project links with the shared libraries" uses_shared
check "find_package(), static" found -DBUILD_SHARED_LIBS=OFF
silent "the static program does not need the shared library" uses_shared
check "another version is rejected" refuses 0.0.9
check "a newer version is rejected" refuses 99.0
mv "$root$prefix" "$scratch/moved"
root=$scratch prefix=/moved
check "find_package() works after the folder was moved" found
finish
