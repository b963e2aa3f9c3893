#!/bin/sh
# Compiler extensions are in one header, with Microsoft's equivalents. The library and md5tool compile as Microsoft's
# compiler would compile them (test/build/microsoft.sh): the library in its two-file form, which takes a third of the
# time; test/long/compilers.sh compiles its files separately.
. test/build/report.sh
. test/build/microsoft.sh

# Exceptions: public headers export their functions; render and demo, which include only public headers,
# check the arguments of formatting functions and mark functions that do not return.
print_gnu_extensions() {
    grep -rnE '__attribute__|__builtin_|__extension__|typeof|\(\{|vector_size|__asm__|_Pragma|#pragma|__declspec|__GNUC__|__clang__|_MSC_VER|__int128|__restrict' \
        md5 render demo --include='*.[ch]' |
        grep -vE '^md5/core/compiler\.h:|^(md5|render)/md5[a-z]*\.h:[0-9]+:#(define MD5(_PLAY|_GAME|_RAGDOLL|_EDIT|GL)?_API|(el)?if(def| defined\()? ?__GNUC__\)?)' |
        grep -vE '^(render/gl_internal|render/assert|demo/common/memory)\.h:[0-9]+:(#if|#define [A-Z0-9]+_PRINTF|__attribute__\(\(noreturn, cold\)\)$)' |
        grep -vE '^demo/web/' | # compiled only for the site
        grep -vE '^md5/core/file\.c:[0-9]+:__declspec\(dllimport\) int __stdcall MultiByteToWideChar'
}
silent "compiler extensions are only in md5/core/compiler.h" print_gnu_extensions

# Lists static functions that some targets do not use; the file itself must mark them as unused for each compiler.
library_compiles() { # FLAGS...
    echo "$scratch/md5model.c" | compile_as_microsoft -Wno-unused-function "$@"
}
programs_compile() {
    find demo/common demo/looks demo/convert demo/tool -name '*.c' | compile_as_microsoft -D_M_X64=100 -D_M_AMD64=100
}
# Checks that this method detects an error: `a + b` on SIMD types is not valid for Microsoft's compiler.
errors_are_found() {
    printf '#include <emmintrin.h>\n__m128 sum(__m128 a, __m128 b) { return a + b; }\n' >"$scratch/sum.c"
    ! clang --target=x86_64-pc-windows-msvc -nostdinc -isystem test/build/msvc -fsyntax-only "$scratch/sum.c"
}
if command -v clang >/dev/null; then
    check "the two-file form" python3 md5/packaging/amalgamate.py "$scratch"
    check "the library compiles for Microsoft's x64" library_compiles -D_M_X64=100 -D_M_AMD64=100
    check_long "the library compiles for Microsoft's ARM64" library_compiles -D_M_ARM64=1
    check "md5tool compiles for Microsoft's x64" programs_compile
    check "an operator between vectors does not compile" errors_are_found
else
    echo "note: clang is not installed: the check for Microsoft's compiler is skipped; make lint installs clang"
fi
finish
