# shellcheck shell=sh
# For test scripts: C as Microsoft's compiler would read it. Clang for its target, with every macro of Clang
# taken away and with declarations of Microsoft's headers, where vectors have no operators.

# as_microsoft FLAGS... <FILES: warns also of variable-length arrays and of GNU's extensions of C that are no
# words of their own.
as_microsoft() {
    sort | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 8 clang --target=x86_64-pc-windows-msvc -fms-extensions \
        -nostdinc -undef -U__clang__ -D_MSC_VER=1930 -D_WIN32 -D_WIN64 -std=c11 -fsyntax-only -I. \
        -isystem test/build/msvc -Wall -Wextra -Wpedantic -Wgnu -Wvla -Werror "$@"
}
