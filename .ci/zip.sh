#!/bin/sh
# zip.sh COMPILER FLAG...: prints the linker's flags for libzip if this compiler can link it with these flags; else nothing. One
# for another system, or with -static, seldom can.
libs=$("${PKG_CONFIG:-pkg-config}" --libs libzip 2>/dev/null) || exit 0
folder=$(mktemp -d) || exit 0
trap 'rm -rf "$folder"' EXIT
printf '#include <zip.h>\nint main(void) { return zip_open("", ZIP_RDONLY, 0) != 0; }\n' >"$folder/try.c"
# shellcheck disable=SC2086 # several flags
"$@" "$folder/try.c" -o "$folder/try" $libs >/dev/null 2>&1 && printf '%s\n' "$libs"
exit 0
