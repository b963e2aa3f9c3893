#!/bin/sh
# The binary interface against test/data/abi_x86_64.txt: what a program was linked with and compiled against
# still is there, of the same size, at the same place. What is new is no failure. `make abi` renews the list.
. test/build/report.sh
list=test/data/abi_x86_64.txt
cc=${CC:-cc}
case $($cc -dumpmachine) in
x86_64-*linux*) ;;
*) skip "the binary interface" "the list is for x86-64"; finish ;;
esac

now() {
    python3 test/build/abi.py "$cc" "$products/libmd5model.so" "$products/libmd5gl.so" >"$scratch/now"
}
# A member or symbol that has gone, or anything that has another number now.
changed() {
    sort "$list" >"$scratch/listed" && sort "$scratch/now" >"$scratch/sorted" || echo "cannot compare"
    comm -23 "$scratch/listed" "$scratch/sorted" >"$scratch/gone"
    [ ! -s "$scratch/gone" ] || {
        cat "$scratch/gone"
        echo "Programs must be compiled anew. If that is meant: make abi, and a line in .github/CHANGELOG.md"
    }
}
check "the interface can be read" now
check "the list has symbols, sizes and members" \
    sh -c "grep -q '^symbol md5_load_model\$' $list && grep -q '^size md5_vec3 12\$' $list && grep -q '^member md5_vec3.z 8\$' $list"
silent "nothing in it has gone or changed" changed
new=$(comm -13 "$scratch/listed" "$scratch/sorted" | wc -l)
[ "$new" -eq 0 ] || echo "note: $new lines are new: make abi"
finish
