#!/bin/sh
# README.md is correct: its C compiles, links and runs, and its links exist. The commands in it and in the guides that it
# links to run, and their options and targets exist.
. test/build/report.sh
. test/build/languages.sh
. test/build/readme.sh

cc=${CC:-cc}
readme=README.md
documents="$readme demo/docs/viewer.md md5/docs/installing.md"
tool=$products/md5tool
viewer=$products/md5view

count=$(extract_blocks c $readme)
check "README.md contains C code" [ "$count" -gt 0 ]
mkdir "$scratch/md5model" && ln -s "$PWD"/md5/md5*.h "$scratch/md5model/"
build_sample() {
    # shellcheck disable=SC2086
    $cc -std=c11 -Wall -Wextra -Wpedantic -Werror ${MD5_LINK_FLAGS:-} -I"$scratch" -x c "$1" -x none \
        $archives -lm -o "$scratch/program"
}
for n in $(seq "$count"); do
    check "snippet $n compiles and links" build_sample "$scratch/c.$n"
    check "snippet $n runs" "$scratch/program"
done

# The unchanged code must also be valid C++20.
cxx=${CXX:-c++}
build_sample_as_cxx() {
    # shellcheck disable=SC2086
    $cxx -std=c++20 -Wall -Wextra -Wpedantic -Werror ${MD5_LINK_FLAGS:-} -I"$scratch" -x c++ "$1" \
        -x none $archives -lm -o "$scratch/program"
}
if command -v "$cxx" >/dev/null; then
    for n in $(seq "$count"); do
        check "snippet $n compiles as C++20" build_sample_as_cxx "$scratch/c.$n"
        check "snippet $n runs as C++20" "$scratch/program"
    done
else
    skip 'the snippets as C++20' "$cxx is not installed"
fi
for n in $(seq "$count"); do
    check_languages "snippet $n" "$scratch/c.$n" -I"$scratch"
done

# Commands of our programs that exit by themselves: the tool, and images that are written into build/. Images are reduced
# and not antialiased, which saves time; the options of the command are unchanged.
count=$(extract_blocks sh "$documents")
check "the documents contain commands" [ "$count" -gt 0 ]
cat "$scratch"/sh.* 2>/dev/null | sed 's/ *#.*//; s/^\$ //' >"$scratch/commands"
for goal in run test; do
    check "the documents contain make $goal" grep -qx "make $goal" "$scratch/commands"
done
run_command() {
    echo "$1"
    (eval "$1") </dev/null
}
print_commands() {
    grep -E '^(build/)?md5tool |^(build/)?md5view .*--output build/' "$scratch/commands" |
        sed "s|^build/||; s|^md5|$products/md5|; /--output/s/\$/ --resolution 160,90 --samples 1/"
}
print_commands >"$scratch/run"
while read -r command <&3; do
    case $command in
    *--output*) check_long "$command" run_command "$command" ;;
    *) check "$command" run_command "$command" ;;
    esac
done 3<"$scratch/run"

# Prints the goals X of all `make X`, and all options.
print_unknown_goals() {
    grep -ohE '`make [a-z-]+|^make [a-z-]+' $documents | sed 's/.*make //' | sort -u |
        while read -r goal; do
            grep -qE "^$goal:" Makefile test/test.mk md5/packaging/install.mk demo/web/web.mk || echo "make $goal"
        done
}
silent "each make target in the documents exists" print_unknown_goals
{
    "$tool" --help
    "$viewer" --help
    for command in info check fix dump compress; do "$tool" "$command" --help; done
} >"$scratch/help" 2>&1
print_unknown_options() {
    cat $documents | grep -vE 'pkg-config|amalgamate\.py' | grep -oE '(^|[^-a-z,])--[a-z][a-z-]+' | sed 's/^[^-]//' | sort -u | while read -r option; do
        grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" "$scratch/help" || echo "$option"
    done
}
silent "each option in the documents is in --help" print_unknown_options
print_broken_links() {
    grep -oE '\]\([^)]+\)|src="[^"]+"' $readme | sed 's/^](//; s/)$//; s/^src="//; s/"$//; s/#.*//' |
        grep -vE '^(https?:|mailto:|$)' | while read -r path; do
        [ -e "$path" ] || echo "$path"
    done
}
silent "each link and image in README.md exists" print_broken_links
finish
