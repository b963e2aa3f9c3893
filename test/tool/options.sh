#!/bin/sh
# Each option of each command with each kind of input and output either works or fails because it has no effect.
. test/build/report.sh

tool=$(realpath "$products/md5tool")
# Empty files: a command that accepts the option fails later, when it reads them.
for ending in md5mesh md5anim md5camera bvh glb iqm; do
    : >"$scratch/x.$ending"
done
mkdir "$scratch/x"
thimble=$PWD/models/thimble/thimble.md5mesh
cd "$scratch" || exit 1

# Columns: the command and an option with its value; the inputs with which the option has an effect; the outputs with
# which it has an effect. If outputs are omitted, the option has an effect with all outputs.
cat >table <<'END'
info --json|md5mesh md5anim md5camera|
check --for=doom3|md5mesh md5anim md5camera x|
check --only=x|md5mesh md5anim md5camera x|
check --ignore=x|md5mesh md5anim md5camera x|
check --all|md5mesh md5anim md5camera x|
check --json|md5mesh md5anim md5camera x|
check --github|md5mesh md5anim md5camera x|
check --base=x|x|
check --mod=x|x|
check --rules||
fix --output=o.md5mesh|md5mesh md5anim md5camera|
fix --force|md5mesh md5anim md5camera|
fix --dry-run|md5mesh md5anim md5camera|
fix --mesh=x.md5mesh|md5anim|
fix --rename=a=b|md5mesh md5anim md5camera|
fix --influences=4|md5mesh|
fix --weights|md5mesh|
fix --for=doom3|md5mesh md5anim|
fix --scale=2|md5mesh md5anim md5camera|
fix --rotate=90|md5mesh md5anim md5camera|
fix --mirror|md5mesh md5anim md5camera|
fix --add-root=a|md5mesh md5anim|
fix --unused-joints|md5mesh md5anim|
fix --unused|md5mesh|
fix --merge|md5mesh|
fix --max-vertices=9|md5mesh|
fix --max-triangles=9|md5mesh|
fix --winding|md5mesh|
fix --bad-triangles|md5mesh|
fix --frames=0-1|md5anim|
fix --cut=a=0-1|md5anim|
fix --rate=3|md5anim|
fix --close-loop|md5anim|
fix --in-place|md5anim|
fix --root-motion=a|md5anim|
fix --root-height|md5anim|
fix --root-heading|md5anim|
fix --swap-sides|md5anim|
fix --reduce=1|md5anim|
convert --output=o.glb|md5mesh md5anim md5camera bvh glb iqm x|
convert --formats||
convert --to=glb|x|
convert --base=x|x|
convert --mod=x|x|
convert --all|x|
convert --for=doom3|md5mesh md5anim md5camera bvh glb iqm|md5mesh mdl md3 o
convert --force|md5mesh md5anim md5camera bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --scale=2|md5mesh md5anim md5camera bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --rotate=2|md5mesh md5anim md5camera bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --influences=2|md5mesh bvh glb iqm|glb
convert --root=in_place|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --root-motion=a|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --root-height|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --root-heading|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --add-root=a|md5mesh md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --range=0-1|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --up=y|md5mesh md5anim md5camera bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --texture=0=x|md5mesh bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --normal-map=x|md5mesh bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --specular-map=x|md5mesh bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --glow-map=x|md5mesh bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --hide=x|md5mesh bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --outfit=x|md5mesh md5anim md5camera bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --rate=3|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --scene=a|glb x|md5mesh glb obj iqm mdl md3 o
convert --error=1|md5anim md5camera bvh glb iqm|glb
convert --quantize|md5mesh md5anim md5camera bvh glb iqm|glb
convert --fit|md5mesh bvh glb iqm|glb
convert --y-up|md5mesh md5anim md5camera bvh glb iqm|obj
convert --mesh=x.md5mesh|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --map=x.bvh|md5anim bvh glb iqm x|md5mesh glb obj iqm mdl md3 o
convert --print-map||
convert --tag=a|md5mesh md5anim md5camera bvh glb iqm|md3
convert --palette=x|md5mesh md5anim md5camera bvh glb iqm|mdl
dump --ms=1|md5anim|
dump --frame=1|md5anim|
dump --joint=a|md5mesh md5anim|
dump --json|md5mesh md5anim|
dump --root=id|md5anim|
curves --error=1|md5anim|
list --base=x|x|
list --mod=x|x|
list --json|x|
explain --base=x|x|
explain --mod=x|x|
explain --json|x|
explain --for=doom3|x|
parse --base=x|x|
parse --mod=x|x|
bind --output=o.md5mesh|md5mesh|
bind --influences=4|md5mesh|
bind --resolution=4|md5mesh|
bind --exclude=a|md5mesh|
bind --y-up|md5mesh|
compress --error=1|md5anim|
compress --output=o|md5anim|
decompress --output=o|md5anim|
END

table_has_all_options() { # returns success if the table has a row for each option in a help text
    "$tool" --completions fish | sed -n "s/.*seen_subcommand_from \([a-z-]*\)' -a '\(.*\)'$/\1 \2/p" |
        while read -r command options; do
            for option in $options; do
                case $option in --*help | bash) continue ;; esac
                [ "$command" = --completions ] || grep -qE "^$command ${option}[=|]" table || echo "$command $option"
            done
        done >lacking
    ! grep . lacking
}
check "the table has all options" table_has_all_options

print_arguments() { # COMMAND OPTION VALUE INPUT OUTPUT: prints the arguments of md5tool
    command=$1 option=$2 value=$3 file=x.$4 to=
    [ "$4" != x ] || file=x
    case $1:$5 in
    convert:) [ "$2" = --output ] || to=o.glb ;;
    convert:o) to=o ;;
    convert:*) to=o.$5 ;;
    esac
    set -- "$file"
    [ "$command:$file" != dump:x.md5anim ] || set -- x.md5mesh "$file"
    [ "$command:$option" != fix:--output ] && [ "$command" = fix ] && set -- "$@" --dry-run
    echo "$command $* $option${value:+ $value}${to:+ --output $to}"
}
# Prints the numbers of the lines of a batch file that md5tool rejects because an option has no effect on the files,
# or on their content. Ignores the error "--map has no effect without --mesh MODEL", which does not depend on the
# files.
print_lines_without_effect() { # BATCH
    timeout 120 "$tool" --batch "$1" >said 2>&1
    awk -F : '/ has no effect( on these files)?: / { is_found = 1 } /: exit status / { if (is_found) print $2; is_found = 0 }' said
}
check_table_rows() { # COMMAND INPUT...
    sed -n "s/^$1 \(--[a-z-]*\)=*\([^|]*\)|/\1|\2|/p" table >rows
    table_command=$1 number=0
    shift
    : >lines && : >expected
    while IFS='|' read -r name setting inputs outputs; do
        [ -n "$inputs" ] || continue # the command needs no files
        for input; do
            for output in $([ -z "$outputs" ] && echo any || echo md5mesh glb obj iqm mdl md3 o); do
                has_effect=yes
                case " $inputs " in *" $input "*) ;; *) has_effect=no ;; esac
                case " ${outputs:-any} " in *" $output "*) ;; *) has_effect=no ;; esac
                # For a folder, the conversion writes .glb files unless --to selects another file extension. The name
                # of the output does not matter.
                [ "$input" != x ] || [ -z "$outputs" ] || [ $has_effect = yes ] || continue
                number=$((number + 1))
                print_arguments "$table_command" "$name" "$setting" "$input" "${output#any}" >>lines
                [ $has_effect = yes ] || echo $number >>expected
            done
        done
    done <rows
    print_lines_without_effect lines >found
    [ -s expected ] && diff expected found || { cat -n lines && false; }
}
check "a duplicate option is rejected" exits_with 2 "duplicate option --output" "$tool" convert x.md5mesh --output a.glb -o b.glb
check "fix accepts or rejects each option for each kind of file" check_table_rows fix md5mesh md5anim md5camera
check "convert accepts or rejects each option for each kind of file" check_table_rows convert md5mesh md5anim md5camera bvh glb iqm x
check "dump accepts or rejects each option for each kind of file" check_table_rows dump md5mesh md5anim
check "check accepts or rejects each option for each kind of file" check_table_rows check md5mesh md5anim md5camera x
rejects_useless_combinations() {
    for words in "check --rules x.md5mesh" "convert --formats x.glb" "check --json --github x" "check --all --json x" \
        "fix x.md5anim --cut=a=0-1 --frames=0-1"; do
        # shellcheck disable=SC2046 # several words
        exits_with 2 "see md5tool" "$tool" $(echo "$words" | sed 's/\(--cut\|--frames\)=/\1 /g') || return 1
    done
}
check "mutually exclusive options are rejected" rejects_useless_combinations
effect_depends_on_content() { # the content of a file determines the effect
    for option in "--rate 3" "--root in_place" "--error 1"; do
        # shellcheck disable=SC2086 # two words
        exits_with 1 "has no effect" "$tool" convert still.iqm $option -o o.glb || return 1
    done
}
"$tool" convert "$thimble" -o still.iqm 2>/dev/null
check "options for clips are rejected for a file without a clip" effect_depends_on_content
finish
