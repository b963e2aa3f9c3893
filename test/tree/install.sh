#!/bin/sh
# Installs with `make install-lib` and `install-programs` into a temporary folder, and uses the installation as a user would:
# with pkg-config and both kinds of libraries, from C and C++. cmake.sh uses CMake. `make uninstall` must remove all files.
. test/build/report.sh
. test/build/readme.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

cc=${CC:-cc}
prefix=${PREFIX:-/usr/local}
root=$scratch/root
link_flags=${MD5_LINK_FLAGS:-} # of the configuration under test: sanitizers, coverage

# The environment sets configuration, compiler and prefix, so that nothing is rebuilt.
run_make() {
    make --no-print-directory "$@" DESTDIR="$root"
}
# pkg-config omits system paths from its output unless variables disable this.
run_pkg_config() {
    PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
        "${PKG_CONFIG:-pkg-config}" "$@"
}

check "make install-programs" run_make install-programs
list_development_files() {
    find "$root" \( -name '*.h' -o -name '*.so*' -o -name '*.a' -o -name '*.pc' -o -name '*.cmake' \)
}
silent "install-programs installs no development files" list_development_files
check "make install-lib" run_make install-lib

version=$(awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $3; dot = "." }' \
    md5/md5model.h)
print_missing_files() {
    for header in md5/md5*.h render/md5gl*.h; do
        [ -s "$root$prefix/include/md5model/${header##*/}" ] || echo "$header"
    done
    for name in md5model md5play md5game md5ragdoll md5edit md5gl; do
        for file in lib$name.a lib$name.so "lib$name.so.$version" pkgconfig/$name.pc; do
            [ -s "$root$prefix/lib/$file" ] || echo "$file"
        done
    done
    for name in md5tool md5view; do
        for file in bin/$name share/man/man1/$name.1 share/bash-completion/completions/$name \
            share/zsh/site-functions/_$name share/fish/vendor_completions.d/$name.fish; do
            [ -s "$root$prefix/$file" ] || echo "$file"
        done
    done
    for file in applications/md5view.desktop mime/packages/md5model.xml thumbnailers/md5view.thumbnailer \
        icons/hicolor/256x256/apps/md5view.png; do
        [ -s "$root$prefix/share/$file" ] || echo "$file"
    done
    [ -s "$root$prefix/share/doc/md5model/machine_files.md" ] || echo "machine_files.md"
    find "$root$prefix/share/md5model/models" -name '*.md5mesh' 2>&1 | grep -q mesh || echo "models"
}
silent "make install installs all files" print_missing_files
print_unstripped_files() {
    for file in bin/md5tool bin/md5view lib/libmd5model.so lib/libmd5play.so lib/libmd5game.so lib/libmd5ragdoll.so lib/libmd5edit.so lib/libmd5gl.so \
        lib/libmd5model.a lib/libmd5play.a lib/libmd5game.a lib/libmd5ragdoll.a lib/libmd5edit.a lib/libmd5gl.a; do
        readelf -S "$root$prefix/$file" 2>&1 | grep -q '\.debug_info' && echo "$file"
    done
}
case "${CFLAGS:-}" in
*-flto*) skip "installed files have no debug information" "-flto" ;;
*) silent "installed files have no debug information" print_unstripped_files ;;
esac
print_other_includes() {
    grep -n '#include "' "$root$prefix"/include/md5model/*.h | grep -vE '"md5[a-z_]+\.h"'
}
silent "headers include each other from their own folder" print_other_includes
print_header_differences() {
    diff -r "$root$prefix/include/md5model" build/include/md5model
}
silent "build/include has the same headers" print_header_differences
silent "no installed link is dangling" find "$root" -xtype l

model=test/reference/data/still.md5mesh
joints=$(awk '$1 == "numJoints" { print $2 }' $model)

compile_user_program() { # LIBRARIES...
    # shellcheck disable=SC2046,SC2086
    $cc -std=c11 -pedantic -Wall -Wextra -Werror $(run_pkg_config --cflags md5model) $link_flags \
        test/build/user/load.c -o "$scratch/user" "$@"
}
prints_version_and_joints() {
    output=$(LD_LIBRARY_PATH=$root$prefix/lib "$scratch/user" $model)
    echo "$output, expected $version $joints"
    [ "$output" = "$version $joints" ]
}
links_shared_library() {
    readelf -d "$scratch/user" | grep 'NEEDED.*libmd5model'
}
check "pkg-config reports the header's version" [ "$(run_pkg_config --modversion md5model)" = "$version" ]
# shellcheck disable=SC2046
check "a program compiles and links with the shared library" compile_user_program $(run_pkg_config --libs md5model)
check "the shared program runs" prints_version_and_joints
check "the program needs the shared library" links_shared_library
check "a program compiles and links with the static library" \
    compile_user_program "$root$prefix/lib/libmd5model.a" -lm
check "the static program runs" prints_version_and_joints
silent "the static program does not need the shared library" links_shared_library
build_first_program() { # README's program, as printed
    # shellcheck disable=SC2046,SC2086
    write_first_program "$scratch/first.c" && $cc -std=c11 -Wall -Wextra -Wpedantic -Werror $link_flags "$scratch/first.c" \
        $(run_pkg_config --cflags --libs md5model) -o "$scratch/first" && LD_LIBRARY_PATH=$root$prefix/lib "$scratch/first"
}
check "README's program compiles and runs" build_first_program

build_drawing_program() { # LIBRARIES...
    # shellcheck disable=SC2046,SC2086
    $cc -std=c11 -pedantic -Wall -Wextra -Werror $(run_pkg_config --cflags md5gl) $link_flags \
        test/build/user/draw.c -o "$scratch/draw" "$@" &&
        LD_LIBRARY_PATH=$root$prefix/lib "$scratch/draw"
}
check "pkg-config reports md5gl's version" [ "$(run_pkg_config --modversion md5gl)" = "$version" ]
# shellcheck disable=SC2046
check "a program draws with the shared md5gl" build_drawing_program $(run_pkg_config --libs md5gl)
check "a program draws with the static md5gl" build_drawing_program "$root$prefix/lib/libmd5gl.a" "$root$prefix/lib/libmd5model.a" -lm

# Each header is compiled separately in C, and all headers are compiled in one C++ file. In long tests, each
# header is also compiled separately in C++.
header=$root$prefix/include/md5model/md5model.h
headers_compile_as_cxx() {
    for path in "$(dirname "$header")"/*.h; do
        echo "#include \"$path\""
    done >"$scratch/all.cpp"
    c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only "$scratch/all.cpp"
}
if command -v c++ >/dev/null; then
    check "all headers together are C++11" headers_compile_as_cxx
fi
for path in "$(dirname "$header")"/*.h; do
    each=${path##*/}
    # shellcheck disable=SC2086 # the compiler may be several words
    check "$each is C11, pedantic" $cc -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only \
        -x c "$path"
    if command -v c++ >/dev/null; then
        check_long "$each is C++11" c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only \
            -x c++ "$path"
    else
        skip "$each is C++11" "there is no C++ compiler"
    fi
done

# Symbols that compilers add for sanitizers and coverage are ignored.
print_exported_symbols() { # LIBRARY PREFIX
    nm -D --defined-only "$root$prefix/lib/$1.so" |
        awk -v ours="^($2|_init\$|_fini\$|__asan|__odr_asan|__gcov|mangle_path)" '$3 !~ ours { print $3 }'
}
for name in model play game ragdoll edit; do
    silent "libmd5$name.so exports only md5_ names" print_exported_symbols libmd5$name md5_
done
silent "libmd5gl.so exports only md5gl_ names" print_exported_symbols libmd5gl md5gl_
print_global_symbols() { # LIBRARY PREFIX
    nm -g --defined-only "$root$prefix/lib/$1.a" 2>/dev/null |
        awk -v ours="^($2|__asan|__odr_asan)" 'NF == 3 && $3 !~ ours { print $3 }'
}
for name in model play game ragdoll edit; do
    silent "libmd5$name.a has no other global names" print_global_symbols libmd5$name md5i?_
done
silent "libmd5gl.a has no other global names, with its GL loader" print_global_symbols libmd5gl md5gli?_
print_unexported_functions() { # LIBRARY PREFIX MACRO
    awk -v macro="^$3 " -v name="$2[a-z0-9_]+[(]" '$0 ~ macro { open = 1 }
         open { if (match($0, name)) { print substr($0, RSTART, RLENGTH - 1); open = 0 } }' \
        "$(dirname "$header")"/md5*.h | sort >"$scratch/declared"
    nm -D --defined-only "$root$prefix/lib/$1.so" | awk -v ours="^$2" '$3 ~ ours { print $3 }' |
        sort >"$scratch/exported"
    [ -s "$scratch/declared" ] || echo "the headers declare no names"
    diff "$scratch/declared" "$scratch/exported"
}
silent "libmd5model.so exports exactly the names in its headers" print_unexported_functions libmd5model md5_ MD5_API
silent "libmd5play.so exports exactly the names in its headers" print_unexported_functions libmd5play md5_ MD5_PLAY_API
silent "libmd5game.so exports exactly the names in its headers" print_unexported_functions libmd5game md5_ MD5_GAME_API
silent "libmd5ragdoll.so exports exactly the names in its header" print_unexported_functions libmd5ragdoll md5_ MD5_RAGDOLL_API
silent "libmd5edit.so exports exactly the names in its header" print_unexported_functions libmd5edit md5_ MD5_EDIT_API
silent "libmd5gl.so exports exactly the names in its header" print_unexported_functions libmd5gl md5gl_ MD5GL_API
print_graphics_symbols() {
    for name in model play game ragdoll edit; do
        nm -D --undefined-only "$root$prefix/lib/libmd5$name.so"
    done | grep -E ' (gl[A-Z]|SDL_|egl|X[A-Z])'
    readelf -d "$root$prefix/lib/libmd5model.so" "$root$prefix/bin/md5tool" |
        grep -E 'NEEDED.*(SDL|GL|X11|wayland)'
}
silent "library and md5tool do not link window systems or GL" print_graphics_symbols

for program in md5tool md5view; do
    check "$program answers --help" "$root$prefix/bin/$program" --help
done

# After an installation on the running system, programs that need the library start, because the linker's cache contains it.
# This test uses a private cache and list of folders; test/long/clean_root.sh tests a new system.
folder=$(realpath "$root$prefix/lib")
library_name=$(readlink "$root$prefix/lib/libmd5model.so")
run_ldconfig_script() { # FOLDERS
    echo "$1" >"$scratch/ld.so.conf"
    PATH=$PATH:/sbin:/usr/sbin
    LDCONFIG="ldconfig -C $scratch/ld.so.cache -f $scratch/ld.so.conf" \
        sh md5/packaging/ldconfig.sh "$folder" "$library_name" >"$scratch/reported" || return 1
    cat "$scratch/reported"
    ldconfig -C "$scratch/ld.so.cache" -p >"$scratch/known"
}
is_cached() {
    run_ldconfig_script "$folder" && [ ! -s "$scratch/reported" ] && grep -F "$library_name" "$scratch/known"
}
prints_linker_instructions() {
    run_ldconfig_script "$scratch/elsewhere" && ! grep -F "$library_name" "$scratch/known" &&
        grep -F "LD_LIBRARY_PATH=$folder" "$scratch/reported" &&
        grep -F "PKG_CONFIG_PATH=$folder/pkgconfig" "$scratch/reported"
}
install_runs_ldconfig() {
    make --no-print-directory -n install uninstall DESTDIR= >"$scratch/steps" &&
        [ "$(grep -cF "ldconfig.sh $prefix/lib $library_name" "$scratch/steps")" -eq 2 ] &&
        ! run_make -n install | grep ldconfig
}
manual_contains() { # PROGRAM WORD
    sed 's/\\-/-/g' "$root$prefix/share/man/man1/$1.1" | grep -F -- "$2"
}
check "the manual page of md5tool contains its options" manual_contains md5tool --root
check "the manual page of md5view contains its options" manual_contains md5view --output
if PATH=$PATH:/sbin:/usr/sbin command -v ldconfig >/dev/null; then
    check "the linker's cache contains an installed library" is_cached
    check "instructions are printed if the cache cannot be updated" prints_linker_instructions
fi
check "make install updates the cache, but not below DESTDIR" install_runs_ldconfig

check "make uninstall succeeds" run_make uninstall
silent "make uninstall removes all files" find "$root" ! -type d
finish
