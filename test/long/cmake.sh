#!/bin/sh
# The CMake build in all its forms: in a subfolder of another project, static and shared, with md5gl, installed and found,
# moved, for Windows with mingw-w64 (run by wine if it is installed), and its package files compared with the files of
# `make install-lib`.
. test/build/report.sh
. test/build/cmake.sh
command -v cmake >/dev/null || { skip "CMake builds" "cmake is not installed"; finish; }

write_user_project "$scratch/user"
ln -s "$PWD" "$scratch/user/md5model"

builds_as_subdirectory() { # OPTIONS...
    rm -rf "$scratch/sub"
    configure "$scratch/user" "$scratch/sub" -DTAKE=subdirectory -DMD5MODEL_GL=ON "$@" &&
        build_without_warnings "$scratch/sub" && prints_version_and_joints "$scratch/sub/load" && "$scratch/sub/draw"
}
builds_with_fetch() {
    configure "$scratch/user" "$scratch/fetched" -DTAKE=fetch -DFETCHCONTENT_SOURCE_DIR_MD5MODEL="$PWD" \
        -DMD5MODEL_SIMD=OFF -DMD5MODEL_GL=OFF && build_without_warnings "$scratch/fetched" && prints_version_and_joints "$scratch/fetched/load"
}
install_into() { # FOLDER OPTIONS...
    prefix=$1
    shift
    configure . "$prefix.build" -DCMAKE_INSTALL_PREFIX="$prefix" "$@" &&
        build_without_warnings "$prefix.build" && cmake --install "$prefix.build" >"$prefix.log"
}
builds_with_find_package() { # PREFIX OPTIONS...
    prefix=$1
    shift
    rm -rf "$scratch/found"
    configure "$scratch/user" "$scratch/found" -DTAKE=find -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
        build_without_warnings "$scratch/found" && LD_LIBRARY_PATH=$prefix/lib prints_version_and_joints "$scratch/found/load" &&
        LD_LIBRARY_PATH=$prefix/lib "$scratch/found/draw"
}
# Compares the files of pkg-config and find_package(), except the targets, which each build describes itself.
print_package_file_differences() {
    make --no-print-directory install-lib PREFIX="$scratch/static" DESTDIR="$scratch/made" >"$scratch/made.log" 2>&1 ||
        cat "$scratch/made.log"
    for file in pkgconfig/md5model.pc pkgconfig/md5gl.pc cmake/md5model/md5model-config.cmake \
        cmake/md5model/md5model-config-version.cmake; do
        diff "$scratch/static/lib/$file" "$scratch/made$scratch/static/lib/$file"
    done
    diff -r "$scratch/static/include" "$scratch/made$scratch/static/include"
}
print_export_differences() { # LIBRARY PREFIX
    make --no-print-directory lib gl >"$scratch/made.log" 2>&1
    for each in "$scratch/shared/lib/$1.so" "$products/$1.so"; do
        nm -D --defined-only "$each" | awk -v ours="^$2" '$3 ~ ours { print $3 }' >"$scratch/$(echo "$each" | tr / _)"
    done
    diff "$scratch/$(echo "$scratch/shared/lib/$1.so" | tr / _)" "$scratch/$(echo "$products/$1.so" | tr / _)"
}

check "FetchContent" builds_with_fetch
check "a subfolder of another project builds" builds_as_subdirectory
check "a subfolder, shared, without SIMD" builds_as_subdirectory -DBUILD_SHARED_LIBS=ON -DMD5MODEL_SIMD=OFF
check "CMake installs static libraries and programs" install_into "$scratch/static" -DCMAKE_BUILD_TYPE=Release
check "find_package(), static" builds_with_find_package "$scratch/static"
check "its md5tool answers" "$scratch/static/bin/md5tool" --version
silent "make install-lib writes the same package files" print_package_file_differences
check "CMake installs shared libraries" install_into "$scratch/shared" -DBUILD_SHARED_LIBS=ON -DMD5MODEL_PROGRAMS=OFF
check "find_package(), shared" builds_with_find_package "$scratch/shared"
for name in model play game ragdoll edit; do
    silent "libmd5$name.so exports the same names as make's" print_export_differences libmd5$name md5_
done
silent "libmd5gl.so exports the same names as make's" print_export_differences libmd5gl md5gl_

# -- Windows ----------------------------------------------------------------------------------------

title="CMake for Windows"
command -v x86_64-w64-mingw32-gcc >/dev/null || { skip "$title" "mingw-w64 is not installed"; finish; }
cat >"$scratch/windows.cmake" <<'END'
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static-libgcc)
END
print_dll_exports() {
    for name in model play game ragdoll edit; do
        x86_64-w64-mingw32-objdump -p "$scratch/windows/bin/libmd5$name.dll"
    done | awk '$NF ~ /^md5_/ { print $NF }' |
        sort -u >"$scratch/dll"
    for name in model play game ragdoll edit; do
        nm -D --defined-only "$products/libmd5$name.so"
    done | awk '$3 ~ /^md5_/ { print $3 }' | sort >"$scratch/so"
    diff "$scratch/dll" "$scratch/so"
}
for shared in OFF ON; do
    rm -rf "$scratch/windows" "$scratch/windows.build" "$scratch/found"
    toolchain=-DCMAKE_TOOLCHAIN_FILE=$scratch/windows.cmake
    check "$title, BUILD_SHARED_LIBS=$shared" install_into "$scratch/windows" "$toolchain" \
        -DBUILD_SHARED_LIBS=$shared -DMD5MODEL_PROGRAMS=OFF -DMD5MODEL_GL=ON
    links_windows_program() {
        configure "$scratch/user" "$scratch/found" "$toolchain" -DTAKE=find -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=NEVER \
            -Dmd5model_DIR="$scratch/windows/lib/cmake/md5model" && build_without_warnings "$scratch/found"
    }
    check "programs link with the DLL" links_windows_program
    if command -v wine >/dev/null; then
        cp "$scratch/windows/bin/"*.dll "$scratch/found/" 2>/dev/null
        export WINEPREFIX="$scratch/wine" WINEDEBUG=-all LC_ALL=C.UTF-8
        check "a program runs" prints_version_and_joints wine "$scratch/found/load.exe"
    else
        skip "a program runs" "wine is not installed"
    fi
done
silent "the DLL exports the same names as the shared library" print_dll_exports
# wine's server still writes to the folder shortly after the program ends.
[ ! -d "$scratch/wine" ] || WINEPREFIX=$scratch/wine wineserver -w
finish
