#!/bin/sh
# A user's CMake project finds the library with FetchContent, and with find_package() after `make install-lib`.
# test/long/cmake.sh tests other methods and Windows, and compiles the library.
. test/build/report.sh
. test/build/cmake.sh
command -v cmake >/dev/null || { skip "CMake projects" "cmake is not installed"; finish; }

write_user_project "$scratch/user"
root=$scratch/root
prefix=${PREFIX:-/usr/local}

configure_with_fetch() {
    configure "$scratch/user" "$scratch/fetched" -DTAKE=fetch -DFETCHCONTENT_SOURCE_DIR_MD5MODEL="$PWD" \
        -DMD5MODEL_GL=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
}
# Lists differences between the files that CMake and make compile; checks the flag that all bits depend on.
print_source_differences() {
    commands=$scratch/fetched/compile_commands.json
    sed -n 's|.*"file": "\(.*\)",*$|\1|p' "$commands" | grep -vF "$scratch/" | sed "s|^$PWD/||" | sort -u >"$scratch/theirs"
    find md5 -name '*.c' ! -path 'md5/small/*' | sort | diff - "$scratch/theirs"
    grep '"command": .*/md5/' "$commands" | grep -v -e '-std=c11 .*-ffp-contract=off' -e '-ffp-contract=off .*-std=c11'
}
print_header_differences() {
    diff -r build/include/md5model "$scratch/fetched/_deps/md5model-build/include/md5model" | grep -v 'Only in build.*md5gl.*\.h'
}
find_package_works() { # OPTIONS...
    rm -rf "$scratch/found"
    LDFLAGS=${MD5_LINK_FLAGS:-} configure "$scratch/user" "$scratch/found" -DTAKE=find \
        -DCMAKE_PREFIX_PATH="$root$prefix" "$@" && build_without_warnings "$scratch/found" && prints_version_and_joints "$scratch/found/load" && LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/first" &&
        LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/play" && LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/draw"
}
links_shared_library() {
    readelf -d "$scratch/found/draw" | grep 'NEEDED.*libmd5gl'
}
rejects_version() { # VERSION
    rm -rf "$scratch/found"
    ! configure "$scratch/user" "$scratch/found" -DTAKE=find -DCMAKE_PREFIX_PATH="$root$prefix" -DWANT="$1" &&
        grep -F "$version" "$scratch/found.log"
}

# md5gl is built if its generator was found later, also in a folder that was configured without the generator.
finds_generator_later() {
    configure . "$scratch/late" -DMD5MODEL_PROGRAMS=OFF -DMD5MODEL_GLAD=OFF && grep 'md5gl is not built' "$scratch/late.log" &&
        configure . "$scratch/late" -DMD5MODEL_GLAD=/bin/true && ! grep 'md5gl is not built' "$scratch/late.log" && [ -d "$scratch/late/CMakeFiles/md5gl.dir" ]
}

check "FetchContent" configure_with_fetch
check "a generator that is installed later is found" finds_generator_later
silent "CMake compiles the same files as make" print_source_differences
silent "the headers equal the headers of make lib" print_header_differences
check "make install-lib" make --no-print-directory install-lib DESTDIR="$root"
check "find_package()" find_package_works -DWANT="$version"
check "the project links with the shared libraries" links_shared_library
check "find_package(), static" find_package_works -DBUILD_SHARED_LIBS=OFF
silent "the static program does not need the shared library" links_shared_library
check "another version is rejected" rejects_version 0.0.9
check "a newer version is rejected" rejects_version 99.0
mv "$root$prefix" "$scratch/moved"
root=$scratch prefix=/moved
check "find_package() works after the folder was moved" find_package_works
finish
