#!/bin/sh
# Libraries are independent: they need only public names of the core, and no name is defined in two of them, so that
# programs can link them in any combination and with --whole-archive, also next to a library that computes MD5 hashes.
# Our headers can be included after the header of such a library.
. test/build/report.sh
cc=${CC:-cc}
link=${MD5_LINK_FLAGS:-}

# Names, without the prefix `md5_`, that other libraries and programs give to functions for MD5 hashes.
hash_names="init update final finish append transform process compress digest free file hash state ctx context block
    body calc calculate close copy data done encode decode end expand ext feed fill get hex hmac hmac_init input
    buffer bytes string str start stream sum test verify main begin add clear reset raw base64 sbuffer stream_ctx
    init_ctx process_block process_bytes finish_ctx read_ctx free_ctx round ff gg hh ii f g h i k s r pad padding
    memcpy memset to_hex to_string from_string compare equal password crypt crypt_r salt random random_block dgst
    final_hex engine method info algo algorithm ops provider digest_init digest_update digest_final self_test
    update_file update_string hash_file hash_string hash_block key sign value result rounds length size"
{
    for hash_name in $hash_names; do
        echo "void md5_$hash_name(void);"
    done
    echo 'typedef struct { int bits; } MD5_CTX; typedef struct { int bits; } md5_state_t; typedef unsigned char md5_byte_t;'
    printf '%s\n' '#define MD5_DIGEST_LENGTH 16' '#define MD5_DIGEST_SIZE 16' '#define MD5_BLOCK_LENGTH 64' \
        '#define MD5_CBLOCK 64' '#define MD5_LBLOCK 16' '#define MD5_LONG unsigned int'
    for name in MD5 MD5Init MD5Update MD5Final MD5Transform MD5End MD5File MD5Data MD5_Init MD5_Update MD5_Final MD5_Transform; do
        echo "void $name(void);"
    done
} >"$scratch/hash.h"
sed -n 's/^\(void .*(void)\);/\1 {}/p' "$scratch/hash.h" >"$scratch/hash.c"
check "the test defines more than a hundred names" [ "$(wc -l <"$scratch/hash.c")" -gt 100 ]
echo 'int main(void) { return 0; }' >"$scratch/main.c"

compiles_with_hashes() { # HEADER LANGUAGE STANDARD
    # shellcheck disable=SC2086 # the compiler may be several words
    $cc -x "$2" -std="$3" -Wall -Wextra -Werror -fsyntax-only -Imd5 -I. -include "$scratch/hash.h" "$1"
}
for header in md5/md5*.h render/md5gl*.h; do
    check "${header##*/} compiles after a header of hashes" compiles_with_hashes "$header" c c11
done

print_code_lines() {
    grep -vE '^(//.*|#.*)?$' md5/md5game.h
}
silent "md5game.h contains only includes of its parts" print_code_lines

# Prints private members of public structures outside of md5_internal. An asset has one member of this type,
# which contains all of its private members.
print_private_members() {
    awk '/^typedef struct|^struct/ { type = $0 }
        /^    (md5_allocator|const md5_(rebase|packed|pose_plan)|void \*(memory|owned|geometry))/ &&
        type !~ /_opts|md5_internal|md5_doc/ { print FILENAME ": " $0 }' md5/md5*.h
}
silent "assets have one internal member" print_private_members

libraries=$archives
[ ! -e "$products/libmd5gl.a" ] || libraries="$libraries $products/libmd5gl.a"
# objects_link OBJECTS OR FLAGS...: links a program; duplicate names are errors of the linker.
objects_link() {
    # shellcheck disable=SC2086
    $cc $link "$scratch/main.c" "$scratch/hash.c" "$@" -lm -o "$scratch/program" && "$scratch/program"
}
# shellcheck disable=SC2086
check "all libraries link with --whole-archive, next to hashes" objects_link -Wl,--whole-archive $libraries -Wl,--no-whole-archive
for library in $archives; do
    check "${library##*/} links with only the core" objects_link -Wl,--whole-archive "$library" -Wl,--no-whole-archive \
        "$products/libmd5model.a"
done

# Print the names beginning with md5 that libraries define, or that they need.
print_defined_symbols() {
    nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 && $3 ~ /^md5/ { print $3 }' | sort
}
print_needed_symbols() {
    nm -u "$@" 2>/dev/null | awk 'NF == 2 && $2 ~ /^md5/ { print $2 }' | sort -u
}
# Prints the names that a library needs and the core does not export.
print_missing_symbols() { # NAME
    { print_defined_symbols "$products/libmd5$1.a"; print_defined_symbols -D "$products/libmd5model.so"; } | sort -u >"$scratch/known"
    [ "$1" != model ] || print_defined_symbols "$products/libmd5model.a" >"$scratch/known"
    print_needed_symbols "$products/libmd5$1.a" | comm -23 - "$scratch/known"
}
for name in model play game ragdoll edit gl; do
    [ ! -e "$products/libmd5$name.a" ] || silent "libmd5$name takes only public functions of libmd5model" print_missing_symbols $name
done
# Shared libraries export the names that the headers declare. Static libraries also define names with an internal prefix.
# The renderer also defines the texts of shaders; names with __ belong to sanitizers and compilers.
print_export_differences() { # NAME
    python3 md5/packaging/symbols.py "md5$1" >"$scratch/api"
    [ -s "$scratch/api" ] || echo "the headers of md5$1 declare no names"
    print_defined_symbols -D "$products/libmd5$1.so" | LC_ALL=C sort | diff "$scratch/api" -
    nm -g --defined-only "$products/libmd5$1.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort |
        grep -vE '^(md5i_|md5gli_|md5gli_shader_|_)' | diff "$scratch/api" -
}
# Programs load the library by a name with the ABI's version: 0.MINOR, and MAJOR from version 1.0.
print_soname() { # NAME
    readelf -d "$products/libmd5$1.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'
}
abi_version=$(awk '/define MD5_VERSION_(MAJOR|MINOR)/ { v[++n] = $3 } END { print v[1] == 0 ? "0." v[2] : v[1] }' md5/md5model.h)
for name in model play game ragdoll edit gl; do
    [ -e "$products/libmd5$name.a" ] || continue
    silent "libmd5$name exports exactly the names in its headers" print_export_differences $name
    check "the soname of libmd5$name contains the version" [ "$(print_soname $name)" = "libmd5$name.so.$abi_version" ]
done
silent "the lists of exported names match the headers" python3 md5/packaging/symbols.py
print_duplicate_symbols() {
    # shellcheck disable=SC2086
    print_defined_symbols $libraries | uniq -d
}
silent "no name is defined in two libraries" print_duplicate_symbols
finish
