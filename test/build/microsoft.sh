# shellcheck shell=sh
# For test scripts, after report.sh: compiles C as Microsoft's compiler would, in two ways.
# 1. Clang with Microsoft's target, without Clang's predefined macros, and with declarations of Microsoft's headers, in
#    which vectors have no operators. This finds code that clang-cl accepts and Microsoft's compiler does not.
# 2. clang-cl, a common substitute for Microsoft's compiler, with real headers: its objects can be linked and run.

# compile_as_microsoft FLAGS... <FILES: compiles the files. Also warns of variable-length arrays and of GNU extensions that do not
# have a keyword. Microsoft's limit of string literals is 65535 bytes instead of the 4095 that -Wpedantic assumes.
compile_as_microsoft() {
    sort | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 8 clang --target=x86_64-pc-windows-msvc -fms-extensions \
        -nostdinc -undef -U__clang__ -D_MSC_VER=1930 -D_WIN32 -D_WIN64 -std=c11 -fsyntax-only -I. \
        -isystem test/build/msvc -Wall -Wextra -Wpedantic -Wgnu -Wvla -Wno-overlength-strings -Werror "$@"
}

# print_microsoft_flags: prints clang-cl's flags for the headers of mingw-w64 as Microsoft's compiler sees them. These headers
# assume that the compiler does not support attributes, which Clang's own headers need.
print_microsoft_flags() {
    # shellcheck disable=SC2154 # set by report.sh
    mkdir -p "$scratch/mingw" && cat >"$scratch/mingw/_mingw.h" <<'END'
#include_next <_mingw.h>
#undef __attribute__
#undef __MINGW_ATTRIB_DEPRECATED
#define __MINGW_ATTRIB_DEPRECATED
#undef __MINGW_ATTRIB_NORETURN
#define __MINGW_ATTRIB_NORETURN __attribute__((__noreturn__))
#undef __MINGW_NOTHROW
#define __MINGW_NOTHROW
END
    echo '#include <_mingw.h>' | x86_64-w64-mingw32-gcc -M -x c - | tr ' ' '\n' |
        sed -n "s|/_mingw\\.h\$||p" | sed "s|^|/GS- /Zl /W4 /WX -imsvc $scratch/mingw -imsvc |"
}

# run_clang_cl FLAGS... -- FILE...: runs the newest clang-cl with Microsoft's ABI; every warning is an error.
run_clang_cl() {
    # shellcheck disable=SC2046 # several words
    "$newest_clang" --driver-mode=cl --target=x86_64-pc-windows-msvc /nologo /c $(print_microsoft_flags) "$@"
}
newest_clang=$(for name in clang-19 clang; do command -v $name && break; done)

# link_with_mingw PROGRAM OBJECTS...: links with replacements for the contents of Microsoft's own libraries.
link_with_mingw() {
    program=$1
    shift
    echo 'int _fltused = 1;' >"$scratch/floats.c"
    x86_64-w64-mingw32-gcc -static -o "$program" "$scratch/floats.c" "$@" -Wl,--defsym,__chkstk=___chkstk_ms
}
