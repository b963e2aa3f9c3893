#!/bin/sh
# What only some compilers know is in one header, with Microsoft's form beside it; and the library and
# md5tool compile as Microsoft's compiler would read them: Clang for its target, with every macro of Clang
# taken away and with declarations of Microsoft's headers, where vectors have no operators.
. test/build/report.sh

# The public headers export their functions; render and demo, which use those alone, each check one kind of
# format and mark one function that does not return.
gnu_outside() {
    grep -rnE '__attribute__|__builtin_|__extension__|typeof|\(\{|vector_size|__asm__|_Pragma|#pragma|__declspec|__GNUC__|__clang__|_MSC_VER|__int128|__restrict' \
        md5 render demo --include='*.[ch]' |
        grep -vE '^md5/core/compiler\.h:|^(md5|render)/md5[a-z]*\.h:[0-9]+:#(define MD5(GL)?_API|elif defined\(__GNUC__\))' |
        grep -vE '^(render/gl_internal|render/assert|demo/common/memory)\.h:[0-9]+:(#if|#define [A-Z0-9]+_PRINTF|__attribute__\(\(noreturn, cold\)\)$)' |
        grep -vE '^md5/system_file\.c:[0-9]+:__declspec\(dllimport\) int __stdcall MultiByteToWideChar'
}
silent "what only some compilers know is in md5/core/compiler.h" gnu_outside

# Variable-length arrays and GNU's extensions of C that are no words of their own.
as_microsoft() { # FLAGS...
    find md5 demo/common demo/tool -name '*.c' | sort |
        xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 8 clang --target=x86_64-pc-windows-msvc -fms-extensions \
            -nostdinc -undef -U__clang__ -D_MSC_VER=1930 -D_WIN32 -D_WIN64 -std=c11 -fsyntax-only -I. \
            -isystem test/build/msvc -Wall -Wextra -Wpedantic -Wgnu -Wvla \
            -Werror "$@"
}
# Whatever is wrong, it would not compile.
mistakes_are_found() {
    printf '#include <emmintrin.h>\n__m128 sum(__m128 a, __m128 b) { return a + b; }\n' >"$scratch/sum.c"
    ! clang --target=x86_64-pc-windows-msvc -nostdinc -isystem test/build/msvc -fsyntax-only "$scratch/sum.c"
}
if command -v clang >/dev/null; then
    check "the library and md5tool compile for Microsoft's x64" as_microsoft -D_M_X64=100 -D_M_AMD64=100
    check "the library and md5tool compile for Microsoft's ARM64" as_microsoft -D_M_ARM64=1
    check "an operator between vectors does not" mistakes_are_found
else
    echo "note: there is no clang to check with what Microsoft's compiler would say; make lint has one"
fi
finish
