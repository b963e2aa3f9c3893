# shellcheck shell=sh
# For test scripts, after report.sh: C as Microsoft's compiler would read it, in two ways.
# 1. Clang for its target, with every macro of Clang taken away and with declarations of Microsoft's headers, where
#    vectors have no operators. This is for what clang-cl would forgive.
# 2. clang-cl, which people use in its place, with real headers: it also makes objects, which can be linked and run.

# as_microsoft FLAGS... <FILES: warns also of variable-length arrays and of GNU's extensions of C that are no
# words of their own.
as_microsoft() {
    sort | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 8 clang --target=x86_64-pc-windows-msvc -fms-extensions \
        -nostdinc -undef -U__clang__ -D_MSC_VER=1930 -D_WIN32 -D_WIN64 -std=c11 -fsyntax-only -I. \
        -isystem test/build/msvc -Wall -Wextra -Wpedantic -Wgnu -Wvla -Werror "$@"
}

# microsoft_headers: prints clang-cl's flags for the headers of mingw-w64 in the form that they have for Microsoft's compiler. They
# suppose that it knows no attributes, which Clang's own headers need.
microsoft_headers() {
    # shellcheck disable=SC2154 # of report.sh
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

# clang_cl FLAGS... -- FILE...: the newest clang-cl, for Microsoft's ABI, every warning an error.
clang_cl() {
    # shellcheck disable=SC2046 # several words
    "$newest_clang" --driver-mode=cl --target=x86_64-pc-windows-msvc /nologo /c $(microsoft_headers) "$@"
}
newest_clang=$(for name in clang-19 clang; do command -v $name && break; done)

# link_with_mingw PROGRAM OBJECTS...: with what Microsoft's own libraries would have.
link_with_mingw() {
    program=$1
    shift
    echo 'int _fltused = 1;' >"$scratch/floats.c"
    x86_64-w64-mingw32-gcc -static -o "$program" "$scratch/floats.c" "$@" -Wl,--defsym,__chkstk=___chkstk_ms
}
