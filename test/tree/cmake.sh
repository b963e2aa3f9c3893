#!/bin/sh
# A stranger's CMake project takes the library: by FetchContent, and by find_package() from where
# `make install-lib` has put it. test/long/cmake.sh has the other ways and Windows.
. test/build/report.sh
. test/build/cmake.sh
command -v cmake >/dev/null || { skip "CMake projects" "there is no cmake"; finish; }

user_project "$scratch/user"
root=$scratch/root
prefix=${PREFIX:-/usr/local}

# In debug builds and without SIMD, because compiling is what takes time here.
fetched() {
    configure "$scratch/user" "$scratch/fetched" -DTAKE=fetch -DFETCHCONTENT_SOURCE_DIR_MD5MODEL="$PWD" \
        -DMD5MODEL_SIMD=OFF -DMD5MODEL_GL=OFF && build "$scratch/fetched" && runs "$scratch/fetched/load"
}
same_headers() {
    diff -r build/include/md5model "$scratch/fetched/_deps/md5model-build/include/md5model" | grep -v 'Only in build.*md5gl.h'
}
found() { # OPTIONS...
    rm -rf "$scratch/found"
    LDFLAGS=${MD5_LINK_FLAGS:-} configure "$scratch/user" "$scratch/found" -DTAKE=find \
        -DCMAKE_PREFIX_PATH="$root$prefix" "$@" && build "$scratch/found" && runs "$scratch/found/load" &&
        LD_LIBRARY_PATH=$root$prefix/lib "$scratch/found/draw"
}
uses_shared() {
    readelf -d "$scratch/found/draw" | grep 'NEEDED.*libmd5gl'
}
refuses() { # VERSION
    rm -rf "$scratch/found"
    ! configure "$scratch/user" "$scratch/found" -DTAKE=find -DCMAKE_PREFIX_PATH="$root$prefix" -DWANT="$1" &&
        grep -F "$version" "$scratch/found.log"
}

check "FetchContent" fetched
silent "its headers are those of make lib" same_headers
check "make install-lib" make --no-print-directory install-lib DESTDIR="$root"
check "find_package()" found -DWANT="$version"
check "it links with the shared libraries" uses_shared
check "find_package(), static" found -DBUILD_SHARED_LIBS=OFF
silent "it needs no shared library" uses_shared
check "another version is refused" refuses 0.0.9
check "a newer version is refused" refuses 99.0
mv "$root$prefix" "$scratch/moved"
root=$scratch prefix=/moved
check "find_package() after the folder was moved" found
finish
