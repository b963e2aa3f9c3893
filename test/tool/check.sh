#!/bin/sh
# md5tool check and fix: diagnostics of broken files for each engine, pairs of meshes and clips, filters and formats.
. test/build/report.sh
tool=$products/md5tool
base=$scratch/base
mkdir "$base"
cat >"$base/a.md5mesh" <<'MESH'
MD5Version 10
commandline ""

numJoints 2
numMeshes 1

joints {
	"root" -1 ( 0 0 0 ) ( 0 0 0 )
	"limb" 0 ( 0 0 6 ) ( 0 0 0 )
}

mesh {
	shader "hide"

	numverts 4
	vert 0 ( 0 0 ) 0 1
	vert 1 ( 1 0 ) 1 1
	vert 2 ( 1 1 ) 2 2
	vert 3 ( 0 1 ) 4 1

	numtris 2
	tri 0 0 2 1
	tri 1 0 3 2

	numweights 5
	weight 0 0 1 ( 0 0 0 )
	weight 1 0 1 ( 4 0 0 )
	weight 2 0 0.5 ( 4 0 6 )
	weight 3 1 0.5 ( 4 0 0 )
	weight 4 1 1 ( 0 0 0 )
}
MESH
cat >"$base/a.md5anim" <<'CLIP'
MD5Version 10
commandline ""

numFrames 2
numJoints 2
frameRate 24
numAnimatedComponents 12

hierarchy {
	"root" -1 63 0
	"limb" 0 63 6
}

bounds {
	( 0 0 0 ) ( 4 1 6 )
	( 0 0 0 ) ( 4 1 6 )
}

baseframe {
	( 0 0 0 ) ( 0 0 0 )
	( 0 0 6 ) ( 0 0 0 )
}

frame 0 {
	0 0 0 0 0 0
	0 0 6 0 0 0
}

frame 1 {
	0 0 0 0 0 0
	0 0 6 0 0 0
}
CLIP

# Each row: the fault; 1 for each engine that stops, rejects the file or displays it incorrectly; the rule; file and change.
# The effects were determined from the sources of the engines: doom3 rbdoom ironwail vkquake qss fte q2pro yquake2 cube2 daemon.
engines='doom3 rbdoom ironwail vkquake qss fte q2pro yquake2 cube2 daemon'
cat >"$scratch/rows" <<'ROWS'
version of the alpha|1111111111|version|mesh|s/Version 10/Version 6/
missing command line|1100001001|no-commandline|mesh|/commandline/d
named mesh|0011111001|mesh-name|mesh|s/shader/name "hull"\n\tshader/
opening brace on its own line|0000000011|brace-line|mesh|s/joints {/joints\n{/
indented closing brace|0000000010|brace-column|mesh|s/^}/\t}/
no spaces between tokens|0000001100|no-blanks|mesh|s/( 0 0 6 )/(0 0 6)/
elements out of order|0000000000|row-order|mesh|s/vert 1 /vert 9 /;s/vert 2 /vert 1 /;s/vert 9 /vert 2 /
nan|1111111111|nan|mesh|s/weight 0 0 1/weight 0 0 nan/
nan as printed by Windows|1100001000|nan|mesh|s/weight 0 0 1/weight 0 0 1.#IND/
capital E in an exponent|1100000000|capital-exponent|mesh|s/( 4 0 0 )/( 4 1E-05 0 )/
small e in an exponent|0000000000||mesh|s/( 4 0 0 )/( 4 1e-05 0 )/
decimal comma|1100001010|decimal-comma|mesh|s/0\.5/0,5/
plus sign|1100000000|plus-sign|mesh|s/( 4 0 0 )/( 4 +0 0 )/
fewer vertices than declared|1100011111|row-count|mesh|s/numverts 4/numverts 5/
vertex without weights|1100010000|no-weights|mesh|s/) 4 1/) 4 0/
weight range out of bounds|1111111111|weight-range|mesh|s/) 4 1/) 4 2/
joint index of a weight out of range|1111111111|weight-joint|mesh|s/weight 4 1/weight 4 2/
vertex index of a triangle out of range|1111111111|triangle-corner|mesh|s/tri 1 0 3 2/tri 1 0 4 2/
parents that form a cycle|1111110000|parent-order|mesh|s/"root" -1/"root" 1/
many weights per vertex|0000000001|4-weights|mesh|s/) 4 1/) 0 5/;s/\(weight . .\) [0-9.]*/\1 0.2/
weights with a sum of 0.9|0000000000|weight-sum|mesh|s/0 0\.5/0 0.4/
negative weight|0010000001|negative-weight|mesh|s/0 0\.5/0 1.5/;s/1 0\.5/1 -0.5/
rotation longer than 1|0000000000|long-rotation|mesh|s/( 0 0 6 ) ( 0 0 0 )/( 0 0 6 ) ( 0.8 0.8 0 )/
name of 33 characters|0010100000|long-name|both|s/limb/abcdefghijklmnopqrstuvwxyzabcdefg/
name with a space|0000000010|blank-name|both|s/limb/fore limb/
duplicate joint name|0001000000|same-name|both|s/limb/root/
open seam|0000000000|seam|mesh|s/weight 1 0 1 ( 4 0 0 )/weight 1 0 1 ( 0.0005 0 0 )/
weights with different positions|0000000000|weights-apart|mesh|s/( 4 0 6 )/( 4 0 7 )/
no meshes|0011111011|no-meshes|mesh|s/numMeshes 1/numMeshes 0/
comment before the version|0000110001|text-before|mesh|1s/^/\/\/ by hand\n/
clip with an additional joint|1010101110|clip-joint-count|clip|s/numJoints 2/numJoints 3/;s/\t"limb" 0.*/&\n\t"hand" 1 0 0/;s/\t( 0 0 6 ).*/&\n\t( 0 0 0 ) ( 0 0 0 )/
clip with a renamed joint|1110100000|clip-joint-name|clip|s/limb/Limb/
clip with another parent|1111110000|clip-joint-parent|clip|s/"limb" 0/"limb" -1/
flags of 64|1111100000|flags|clip|s/63 6/64 6/
component index out of range|1101011111|components|clip|s/63 6/63 7/
base frame that is not the bind pose|0010100000|base-frame-needed|clip|s/Components 12/Components 9/;s/63 6/7 6/;s/( 0 0 6 ) ( 0 0 0 )/( 0 0 6 ) ( 0 0.5 0 )/;s/\t0 0 6 0 0 0/\t0 0 6/
root that differs from its base frame|0000000000|base-frame-root|clip|/^frame/,/}/s/\t0 0 0 0 0 0/\t10 0 0 0 0 0/
fewer components than declared|1111101000|frame-size|clip|s/Components 12/Components 13/
negative first component|1111101000|first-component|clip|s/Components 12/Components 6/;s/63 6/0 -1/;s/( 0 0 6 )/( 0 0 0 )/;/^\t0 0 6/d
fewer frames than declared|1110111011|frame-count|clip|s/numFrames 2/numFrames 3/;s/\t( 0 0 0 ) ( 4.*/&\n&/;/^bounds/,/}/{/4/{x;s/^/x/;/^xx$/{x;d};x}}
frames numbered from 1|1111111111|frame-number|clip|s/frame 1/frame 2/;s/frame 0/frame 1/
frame rate of 0|1100000000|frame-rate|clip|s/Rate 24/Rate 0/
fewer bounds than frames|1100011001|bounds-count|clip|0,/( 4 1 6 )/{/( 4 1 6 )/d}
empty bounds|0000000000|bounds|clip|s/( 4 1 6 )/( 0 0 0 )/
bounds that are too small|0000000000|bounds-small|clip|s/( 4 1 6 )/( 4 1 1 )/
missing version|1111111001|no-version|mesh|1d
long command line|0010100000|long-commandline|mesh|/commandline/{s/""/"0123456789abcdef"/;s/"\(.*\)"/"\1\1\1\1\1\1\1\1"/;s/"\(.*\)"/"\1\1\1\1\1\1\1\1"/}
missing shader|1111101001|section-order|mesh|/shader/d
missing section|1111111001|missing-section|clip|/^bounds/,/^}/d
byte order mark|0000110001|text-before|mesh|1s/^/\xef\xbb\xbf/
leading zero|1100000000|leading-zero|mesh|s/( 4 0 0 )/( 04.0 0 0 )/
hexadecimal flags|0000001010|hexadecimal|clip|s/63 6/0x3F 6/
hyphen in an unquoted name|1100000000|bare-name|both|s/"limb"/fore-limb/
more joints than declared|1111111111|joint-count|mesh|s/\t"limb".*/&\n\t"hand" -1 ( 0 0 0 ) ( 0 0 0 )/
fewer meshes than declared|1111101001|mesh-count|mesh|s/numMeshes 1/numMeshes 2/
mesh without triangles|0000000000|empty-mesh|mesh|s/numtris 2/numtris 0/;/tri [01]/d
triangle without area|0000000000|no-area|mesh|s/tri 1 0 3 2/tri 1 0 2 2/
unterminated comment|0000000000||mesh|$a /* more
frames out of order|1100010001|frame-order|clip|s/frame 0/frame 9/;s/frame 1/frame 0/;s/frame 9/frame 1/
more frames than declared|0011100110|more-frames|clip|s/numFrames 2/numFrames 1/;0,/( 4 1 6 )/{/( 4 1 6 )/d}
long shader name|0010100000|long-skin|mesh|s/hide/0123456789abc/;s/"\(.*abc\)"/"\1\1\1\1"/
shader name that is a path|0010100000|shader-name|mesh|s/hide/\/home\/imp\/hide/
clip that exceeds the bind pose's bounds|0000000000|bind-box|clip|s/\t0 0 6 0 0 0/\t0 0 16 0 0 0/
ROWS
write_broken_pair() { # FILE...: writes the broken pair to $scratch/case
    rm -rf "$scratch/case" && mkdir "$scratch/case" && cp "$base"/a.md5* "$scratch/case" || return 1
    for name in "$@"; do
        sed "$change" "$base/a.md5$name" >"$scratch/case/a.md5$name" || return 1
    done
}
# Writes the broken pair of each row to a separate folder, so that each engine needs one run for all pairs.
number=1000
while IFS='|' read -r _ _ _ file change; do
    case $file in
    both) write_broken_pair mesh anim ;;
    clip) write_broken_pair anim ;;
    *) write_broken_pair mesh ;;
    esac || exit 1
    number=$((number + 1))
    mkdir -p "$scratch/all" && mv "$scratch/case" "$scratch/all/$number"
done <"$scratch/rows"
for engine in $engines all; do
    "$tool" check --all --for "$engine" "$scratch/all" >"$scratch/of_$engine" 2>&1
    [ $? -eq 1 ] || echo "$engine finds no error" >"$scratch/of_$engine"
done
# Lists ENGINE:FOLDER for each engine that reports an error in a folder.
for engine in $engines; do
    sed -n "s|^$scratch/all/\([0-9]*\)/.*: error: .*|$engine:\1|p" "$scratch/of_$engine"
done | sort -u >"$scratch/errors"
errors=" $(tr '\n' ' ' <"$scratch/errors")" number=1000
check_engine_effects() { # compares the reaction of each engine with the row, and searches the name of the rule
    number=$((number + 1)) effects_found=
    for engine in $engines; do
        case $errors in
        *" $engine:$number "*) effects_found=${effects_found}1 ;;
        *) effects_found=${effects_found}0 ;;
        esac
    done
    grep "^$scratch/all/$number/" "$scratch/of_all" >"$scratch/out"
    [ "$effects_found" = "$expected" ] || { echo "got $effects_found, expected $expected" && cat "$scratch/out" && return 1; }
    [ -z "$rule" ] || grep -q "\[$rule\]" "$scratch/out" || { cat "$scratch/out" && return 1; }
    # The table of the guide must contain the same row.
    marks=$(printf %s "$expected" | sed 's/1/×/g; s/0/·/g') name=none
    [ -z "$rule" ] || name="\`$rule\`"
    grep -qF "| $what | $name | $marks |" md5/docs/accepted_files.md
}
while IFS='|' read -r what expected rule file change; do
    check "engines and $what" check_engine_effects
done <"$scratch/rows"

# Rules whose violations fix repairs: the library reads the repaired pair like the broken one, and check reports no violation.
fixable_rules=' version no-commandline mesh-name brace-line brace-column no-blanks row-order capital-exponent plus-sign long-rotation weight-sum text-before clip-joint-count clip-joint-name clip-joint-parent base-frame-needed frame-size first-component frame-number frame-rate bounds-count bounds no-version leading-zero bare-name mesh-count section-order missing-section more-frames '
fix_repairs_fault() {
    case $file in
    clip) write_broken_pair anim && broken=a.md5anim ;;
    *) write_broken_pair mesh && broken=a.md5mesh ;;
    esac || return 1
    rm -rf "$scratch/new" && mkdir "$scratch/new" && cp "$scratch/case"/a.md5* "$scratch/new" || return 1
    "$tool" fix --for all --dry-run "$scratch/case/$broken" >"$scratch/out" 2>&1 && cat "$scratch/out" && return 1
    cmp "$scratch/case/$broken" "$scratch/new/$broken" || return 1
    if ! "$tool" fix --for all --force "$scratch/new/$broken" >"$scratch/out" 2>&1 ||
        ! grep -q "repaired: .*\[$rule\]" "$scratch/out"; then
        cat "$scratch/out"
        return 1
    fi
    "$tool" check --for all "$scratch/new" >"$scratch/out" 2>&1
    grep "\[$rule\]" "$scratch/out" && return 1
    "$tool" fix --for all --dry-run "$scratch/new/$broken" >"$scratch/out" || { cat "$scratch/out" && return 1; }
    case $rule in # repairs of content change the numbers
    weight-sum | clip-* | base-frame-needed | bounds* | missing-section) ;;
    *) "$tool" diff "$scratch/case/$broken" "$scratch/new/$broken" >"$scratch/out" 2>&1 || { cat "$scratch/out" && return 1; } ;;
    esac
}
while IFS='|' read -r what expected rule file change; do
    case $fixable_rules in
    *" $rule "*) check "repairing $what" fix_repairs_fault ;;
    esac
done <"$scratch/rows"

# tool_exits STATUS ARGUMENTS...: returns success if the tool exits with the status.
tool_exits() {
    status=$1
    shift
    "$tool" "$@" >"$scratch/out" 2>"$scratch/err"
    [ $? -eq "$status" ] || { cat "$scratch/out" "$scratch/err" && return 1; }
}
valid_pair_is_clean() {
    tool_exits 0 check --for all "$base" && grep -q '^2 files, 0 errors, 0 warnings' "$scratch/out"
}
check 'the unchanged pair has no errors' valid_pair_is_clean

output_has_line() { # PATTERN: returns success if the output has a matching line
    grep -q "$1" "$scratch/out" || { cat "$scratch/out" && return 1; }
}
# Messages contain extreme 32-bit numbers as in the file; `make config=sanitize` detects undefined behavior.
reports_extreme_numbers() {
    change='s/63 6/63 2147483647/' && write_broken_pair anim && tool_exits 1 check --for doom3 "$scratch/case" &&
        output_has_line ' components of a joint are out of range: found 6 components from 2147483647, but numAnimatedComponents is 12 ' &&
        change='s/numJoints 2/numJoints -2147483648/;s/) 4 1/) 2147483647 2147483647/;s/63 0/2147483647 -2147483648/' && write_broken_pair mesh anim &&
        tool_exits 1 check --all --for all "$scratch/case" && output_has_line 'numJoints does not match the file: declared -2147483648' && output_has_line 'found 2147483647 weights from weight 2147483647' &&
        change='s/numverts 4/numverts 0/;/vert [0-9]/d;s/numtris 2/numtris 0/;/tri [0-9]/d' && write_broken_pair mesh && tool_exits 0 check --for doom3 "$scratch/case"
}
check 'check accepts extreme 32-bit numbers' reports_extreme_numbers
# Files of other extensions are recognized by their content, and each of them has rules.
checks_other_extension() { # SUFFIX
    sed /commandline/d "$base/a.md5$1" >"$scratch/$1.txt" && tool_exits 1 check --for doom3 "$scratch/$1.txt" && output_has_line "$1.txt.*\[no-commandline\]" && output_has_line ' for doom3$'
}
check 'a mesh with another extension is checked for an engine' checks_other_extension mesh
check 'a clip with another extension is checked for an engine' checks_other_extension anim
rejects_unused_engine() {
    tool_exits 2 check --for doom3 "$@" && grep -q -- '--for has no effect: expected a mesh or a clip' "$scratch/err"
}
printf 'MD5Version 10\nnumFrames 1\nframeRate 24\nnumCuts 0\ncuts {\n}\ncamera {\n( 0 0 0 ) ( 0 0 0 ) 90\n}\n' >"$scratch/view.md5camera"
check 'an engine without rules for a file is an error' rejects_unused_engine "$scratch/view.md5camera"
check '... and is accepted with other files' tool_exits 0 check --for doom3 "$scratch/view.md5camera" "$base/a.md5mesh"
# For these files only the wrong type is an error. The rules of engines must not report the keywords, which are
# correct in a file of the other type.
is_only_wrong_type() { # FILE TYPE
    tool_exits 1 check --for all "$1" && output_has_line "wrong file type: expected $2" && output_has_line '^1 file, 1 error, 0 warnings$'
}
cp "$base/a.md5mesh" "$scratch/mesh.md5anim"
sed 's|commandline ""|commandline "numMeshes // 1" /* numMeshes */ // numMeshes|' "$base/a.md5anim" >"$scratch/clip.md5mesh"
check 'a mesh with the extension of a clip has one error' is_only_wrong_type "$scratch/mesh.md5anim" 'an animation'
check 'a clip with the extension of a mesh has one error' is_only_wrong_type "$scratch/clip.md5mesh" 'a model'
# q2pro reads at most 32 meshes; the other engines read more.
reports_q2pro_mesh_limit() {
    mkdir -p "$scratch/meshes" && { sed '/^mesh {/,$d;s/numMeshes 1/numMeshes 33/' "$base/a.md5mesh" && i=0 && while [ $i -lt 33 ]; do
        i=$((i + 1)) && sed -n '/^mesh {/,$p' "$base/a.md5mesh"; done; } >"$scratch/meshes/a.md5mesh" &&
        tool_exits 1 check --for q2pro "$scratch/meshes" && output_has_line 'a.md5mesh:5:11: error: too many meshes: expected at most 32, found 33 \[q2pro-limit\]' && tool_exits 0 check --for vkquake "$scratch/meshes"
}
check 'q2pro rejects 33 meshes' reports_q2pro_mesh_limit

# Each rule has one letter per engine: 14 letters of the table of effects.
rules_have_effect_per_engine() {
    effects=$(sed -n '/rules\[\] = {/,/^};/p' md5/edit/rules.c | grep -o '\.effects = "[^"]*"') &&
        [ "$(echo "$effects" | wc -l)" -gt 80 ] && ! echo "$effects" | grep -vE '^\.effects = "[-.EFMXSWN]{14}"$'
}
check 'rules have a letter for each engine' rules_have_effect_per_engine

# The guide lists the rules that the program prints, with their remedies. A # has a backslash in the guide, because Doxygen reads
# "#NAME" as a link.
guide_lists_rules() {
    tool_exits 0 check --rules && awk 'NR % 3 == 1 { at = index($0, ": "); rule = substr($0, 1, at - 1); text = substr($0, at + 2); sub(/#/, "\\\\#", text) }
        NR % 3 == 0 { sub(/^ *remedy: /, ""); print "| `" rule "` | " text " | " $0 " |" }' "$scratch/out" >"$scratch/table" &&
        [ "$(wc -l <"$scratch/table")" -gt 80 ] &&
        sed -n '/^| rule | violation | remedy |$/,/^$/p' md5/docs/accepted_files.md | sed '1,2d;$d' | diff - "$scratch/table"
}
check 'the guide lists all rules and remedies' guide_lists_rules
# The remedy of a rule is printed once, before the summary.
remedy_is_printed_once() {
    change='s/weight 2 0 0.5/weight 2 0 0.4/' && write_broken_pair mesh && cp "$scratch/case/a.md5mesh" "$scratch/case/b.md5mesh" &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line '^remedy for weight-sum: use md5tool fix, or md5tool fix --weights if a sum is 0$' &&
        [ "$(grep -c '^remedy for ' "$scratch/out")" -eq 1 ] && tool_exits 0 check "$base" && ! grep '^remedy for ' "$scratch/out"
}
check 'check prints the remedies of violated rules' remedy_is_printed_once

# Versions of an engine have different rules, as separate engines have.
change='s/limb/Limb/'
engine_versions_differ() {
    write_broken_pair anim && tool_exits 1 check --for ironwail:0.8.1 "$scratch/case" && grep -q 'stops ironwail before 0.8.2' "$scratch/out" &&
        tool_exits 1 check --for ironwail:0.8.2 "$scratch/case" && grep -q 'refused by ironwail' "$scratch/out" &&
        tool_exits 1 check --for vkquake:1.35.0 "$scratch/case" && tool_exits 0 check --for vkquake "$scratch/case" &&
        tool_exits 0 check --for md5model "$scratch/case" && grep -q 'for md5model$' "$scratch/out" &&
        tool_exits 2 check --for doom "$scratch/case" && grep -q "'doom'" "$scratch/err"
}
check 'check distinguishes versions of an engine' engine_versions_differ

# A diagnostic of an engine that was not selected does not hide another diagnostic in the same line.
reports_error_next_to_accepted_fault() {
    change='s/"limb" 0 ( 0 0 6 )/"fore limb" 0 ( 0 0 )/' && write_broken_pair mesh && tool_exits 1 check --for doom3 "$scratch/case/a.md5mesh" &&
        grep -q 'a.md5mesh:9:.*error: expected a number' "$scratch/out"
}
check 'an accepted fault does not hide an error in the same line' reports_error_next_to_accepted_fault

# A clip belongs to the mesh with its name, or to the only mesh in its folder.
checks_clip_with_its_mesh() {
    change='s/limb/Limb/'
    write_broken_pair anim && mv "$scratch/case/a.md5anim" "$scratch/case/walk.md5anim" &&
        tool_exits 1 check "$scratch/case" && grep -q "did you mean 'limb'" "$scratch/out" &&
        cp "$base/a.md5mesh" "$scratch/case/b.md5mesh" && tool_exits 0 check "$scratch/case" &&
        mkdir "$scratch/case/sub" && mv "$scratch/case/walk.md5anim" "$scratch/case/sub" && tool_exits 0 check "$scratch/case"
}
check 'check compares a clip with its mesh' checks_clip_with_its_mesh
guesses_engine() {
    rm -rf "$scratch/case" && mkdir "$scratch/case" "$scratch/case/progs" && cp "$base"/a.md5* "$scratch/case/progs" &&
        tool_exits 1 check "$scratch/case" && grep -q '\[no-skin\] broken or invisible in ironwail' "$scratch/out" &&
        tail -n 1 "$scratch/out" | grep -q 'for ironwail, vkquake, qss, fte$' &&
        : >"$scratch/case/progs/hide_00_00.png" && tool_exits 0 check "$scratch/case" &&
        rm "$scratch/case/progs/a.md5anim" && tool_exits 1 check "$scratch/case" && grep -q '\[no-clip\]' "$scratch/out" &&
        mv "$scratch/case/progs" "$scratch/case/md5" && tool_exits 0 check "$scratch/case" &&
        tail -n 1 "$scratch/out" | grep -q 'for q2pro, yquake2$'
}
check 'check selects engines by the location of a file' guesses_engine

# fix --winding recognizes a closed mesh by its edges; an open mesh, such as Bobbin's eyes, is unchanged. FILE SCRIPT
reverse_triangles() {
    sed "$2"' s/\(tri [0-9]*\) \([0-9]*\) \([0-9]*\) \([0-9]*\)/\1 \2 \4 \3/' "$1" >"$scratch/turned.md5mesh"
}
finds_inward_triangles() {
    reverse_triangles models/zoo/roots.md5mesh '' && tool_exits 0 check models/zoo/roots.md5mesh && ! grep -q inside-out "$scratch/out" &&
        tool_exits 0 check "$scratch/turned.md5mesh" && grep -q '\[inside-out\]' "$scratch/out" &&
        tool_exits 0 fix --winding "$scratch/turned.md5mesh" -o "$scratch/upright.md5mesh" && grep -q '^  48 triangles flipped to face outwards$' "$scratch/out" &&
        grep '^	tri' "$scratch/upright.md5mesh" >"$scratch/now" && grep '^	tri' models/zoo/roots.md5mesh | cmp - "$scratch/now" &&
        tool_exits 0 fix --winding --dry-run models/bobbin/bobbin.md5mesh && grep -q '^  no changes$' "$scratch/out" &&
        reverse_triangles models/zoo/roots.md5mesh '/tri 5 /s/.*/	tri 5 0 0 0/;' && tool_exits 0 check "$scratch/turned.md5mesh" &&
        ! grep -q inside-out "$scratch/out" && reverse_triangles models/spindle/spindle.md5mesh '' && tool_exits 0 check "$scratch/turned.md5mesh" &&
        ! grep -q inside-out "$scratch/out"
}
check 'fix --winding flips triangles that face inwards' finds_inward_triangles

# Diagnostics that need the posed mesh. The expected numbers follow from the planted changes.
finds_wrong_bounds() { # the mesh is 6 units high
    change='s/( 4 1 6 )/( 4 1 1 )/' && write_broken_pair anim && tool_exits 0 check --for doom3 "$scratch/case" &&
        output_has_line 'a.md5anim:14:1: warning: bounds are too small: the skin exceeds the bounds of 2 frames, by up to 5 units in frame 0 \[bounds-small\] wrong in doom3$' &&
        output_has_line '^remedy for bounds-small: use md5tool fix --rate N with the frame rate N of the clip, which computes the bounds from the skin; ' &&
        tool_exits 0 check --for darkmod "$scratch/case" && output_has_line ' 0 warnings' &&
        tool_exits 0 fix --rate 24 "$scratch/case/a.md5anim" --force && output_has_line '^  2 bounding boxes computed from the skin$' &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' && change='s/( 4 1 6 )/( 4 1 5.7 )/' && write_broken_pair anim &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings'
}
check 'check reports bounding boxes that do not contain the mesh' finds_wrong_bounds
# Three frames whose root rises by 1, in a clip with the name idle, and in a clip with another name.
finds_root_drift() {
    change='s/numFrames 2/numFrames 3/;s/( 4 1 6 )/( 4 1 7 )/;/^bounds/a\\t( 0 0 0 ) ( 4 1 7 )
$a frame 2 {\n\t0 0 1 0 0 0\n\t0 0 6 0 0 0\n}' && write_broken_pair anim && tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' &&
        mv "$scratch/case/a.md5anim" "$scratch/case/a_Idle2.md5anim" && tool_exits 0 check --for doom3 "$scratch/case" &&
        output_has_line 'root does not return to its start: the loop jumps by 0 units, and 1 units up, at its restart \[root-drift\]' && output_has_line ' 1 warning,' &&
        mv "$scratch/case/a_Idle2.md5anim" "$scratch/case/idle_start.md5anim" && tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings'
}
check 'check reports a root that does not return' finds_root_drift
# A walk without its last frame is not a closed loop. If the root of a walk moves 1.5 times as fast, its feet slide.
finds_walk_faults() {
    rm -rf "$scratch/case" && mkdir "$scratch/case" && cp models/thimble/thimble.md5mesh models/thimble/walk.md5anim "$scratch/case" &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' && sed 's/numFrames 37/numFrames 36/;/^frame 36/,$d;/^bounds/{n;d}' \
        models/thimble/walk.md5anim >"$scratch/case/walk.md5anim" && tool_exits 0 check --for doom3 "$scratch/case" &&
        output_has_line 'last frame 35 is one step before frame 0: the skin jumps by 0.82 units when the loop restarts; use md5tool fix --close-loop to append frame 0 \[loop\]' && output_has_line ' 1 warning,' &&
        mv "$scratch/case/walk.md5anim" "$scratch/case/gait.md5anim" && tool_exits 0 check --for doom3 "$scratch/case" && output_has_line 'gait.* one step before' &&
        tool_exits 0 check --for doom3 "$scratch/case/gait.md5anim" && output_has_line 'one step before frame 0; use md5tool fix --close-loop to append frame 0' && output_has_line ' 1 warning,' &&
        tool_exits 0 fix --close-loop "$scratch/case/gait.md5anim" --force && tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' &&
        tool_exits 0 fix --frames 0-33 models/thimble/walk.md5anim -o "$scratch/case/walk.md5anim" && rm "$scratch/case/gait.md5anim" &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line 'last frame 33 differs from frame 0: .* to blend the last frames towards it \[loop\]' &&
        mv "$scratch/case/walk.md5anim" "$scratch/case/walk_stop.md5anim" && tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' &&
        awk 'last ~ /^frame / { $1 = "\t" 1.5 * $1 } { print; last = $0 }' models/thimble/walk.md5anim >"$scratch/case/walk_stop.md5anim" &&
        tool_exits 0 check --for doom3 --only sliding-feet "$scratch/case" && output_has_line "foot_.*slides by .*\[sliding-feet\]" && output_has_line ' 1 warning,'
}
check 'check reports loops that jump and feet that slide' finds_walk_faults
# A walk in which a joint below a still root moves the figure. After fix has moved this motion to the root, --in-place
# keeps the figure in place.
moves_root_motion() {
    rm -rf "$scratch/case" && mkdir "$scratch/case" "$scratch/case/new" "$scratch/case/still" &&
        tool_exits 0 fix --add-root top models/thimble/thimble.md5mesh models/thimble/walk.md5anim -o "$scratch/case" &&
        tool_exits 0 check --for doom3 --only root-motion "$scratch/case/thimble.md5mesh" "$scratch/case/walk.md5anim" &&
        output_has_line "walk.md5anim: warning: joint 'origin' moves the figure by 18 units along the ground, but the first joint 'top' does not: .*\[root-motion\] wrong in doom3" &&
        output_has_line '^remedy for root-motion: use md5tool fix --root-motion JOINT$' && tool_exits 0 info "$scratch/case/walk.md5anim" &&
        output_has_line "^  root motion        joint 'origin' moves by (18, 0, 0)$" && tool_exits 0 info --json "$scratch/case/walk.md5anim" &&
        output_has_line '"root_motion":{"joint":"origin","displacement":\[18,' && tool_exits 0 fix --in-place --dry-run "$scratch/case/walk.md5anim" &&
        output_has_line "joint 'origin' carries the motion; use --root-motion 'origin'" &&
        tool_exits 0 fix --root-motion origin --root-heading "$scratch/case/walk.md5anim" -o "$scratch/case/new" &&
        tool_exits 0 info "$scratch/case/new/walk.md5anim" && output_has_line "^  root motion        joint 'top' moves by (18, 0, 0)$" &&
        tool_exits 0 fix --root-motion origin --in-place "$scratch/case/walk.md5anim" -o "$scratch/case/still" &&
        tool_exits 0 info "$scratch/case/still/walk.md5anim" && ! grep 'root motion' "$scratch/out" &&
        tool_exits 1 fix --root-motion top "$scratch/case/walk.md5anim" --dry-run && grep -q "joint 'top' is the first joint: use --add-root NAME" "$scratch/err" &&
        tool_exits 1 fix --root-motion nobody "$scratch/case/walk.md5anim" --dry-run && grep -q "joint 'nobody' not found" "$scratch/err" &&
        tool_exits 0 fix --frames 12-0 models/thimble/walk.md5anim -o "$scratch/case/new/back.md5anim" &&
        tool_exits 0 fix --frames 12-0 "$scratch/case/new/back.md5anim" -o "$scratch/case/new/again.md5anim" && tool_exits 0 fix --frames 0-12 models/thimble/walk.md5anim -o "$scratch/case/new/forth.md5anim" &&
        cmp "$scratch/case/new/again.md5anim" "$scratch/case/new/forth.md5anim" && ! cmp -s "$scratch/case/new/back.md5anim" "$scratch/case/new/forth.md5anim"
}
check 'fix moves root motion to another joint and reverses frames' moves_root_motion
# A triangle whose three vertices are on a line has no area; --unused removes it, and check reports nothing else.
finds_triangles_without_area() {
    change='s/weight 4 1 1 ( 0 0 0 )/weight 4 0 1 ( 2 0 3 )/' && write_broken_pair mesh && rm "$scratch/case/a.md5anim" &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line '1 of 2 triangles have an area of 0 \[no-area\]' && output_has_line '^remedy for no-area: use md5tool fix --unused$' &&
        tool_exits 0 fix --unused "$scratch/case/a.md5mesh" --force && output_has_line 'unused elements removed' &&
        grep -qx '	numtris 1' "$scratch/case/a.md5mesh" && grep -qx '	numverts 3' "$scratch/case/a.md5mesh" &&
        tool_exits 0 check --for doom3 "$scratch/case" && ! grep 'no-area' "$scratch/out"
}
check 'fix --unused removes triangles without area' finds_triangles_without_area
# Prints the errors of check after a conversion for an engine. Omits errors that the input causes: a missing image,
# more frames or vertices than the engine supports, or negative weights.
print_unexpected_errors() { # FILE: the output of the tool
    grep -E ': error: .*\[[a-z0-9-]+\]' "$1" | grep -vE '\[(no-skin|q2pro-limit|negative-weight)\]'
}
quote_words() { # WORD...: for a line of --batch
    printf "'%s' " "$@"
}
# check must accept all files that convert writes for each engine. Sets $num_converted. FILE...: a mesh is converted with the clip of
# the same name
accepts_converted() {
    rm -rf "$scratch/converted" && mkdir "$scratch/converted" || return 1
    for file in "$@"; do
        clip=${file%mesh}anim
        name=$(basename "$(dirname "$file")")_$(basename "$file")
        for engine in doom3 darkmod quake4 rbdoom ironwail vkquake qss fte q2pro yquake2 cube2 daemon; do
            folder=$scratch/converted/$name/$engine
            if [ "${file%.md5mesh}" != "$file" ] && [ -e "$clip" ]; then
                quote_words convert "$file" "$clip" --for $engine -o "$folder/"
            else
                quote_words convert "$file" --for $engine -o "$folder/"
            fi
            echo
        done
    done >"$scratch/batch"
    "$tool" --batch "$scratch/batch" >"$scratch/out" 2>&1
    ! print_unexpected_errors "$scratch/out" || return 1
    for folder in "$scratch/converted"/*/*; do
        quote_words check --for "${folder##*/}" "$folder"
        echo
    done >"$scratch/batch"
    num_converted=$(wc -l <"$scratch/batch")
    "$tool" --batch "$scratch/batch" >"$scratch/out" 2>&1
    [ "$(grep -c ' errors\{0,1\}, .* for ' "$scratch/out")" -eq "$num_converted" ] && ! print_unexpected_errors "$scratch/out"
}
accepts_converted_our_models() {
    "$tool" convert models/thimble/thimble.md5mesh models/thimble/walk.md5anim -o "$scratch/thimble.glb" >"$scratch/out" 2>&1 &&
        accepts_converted "$scratch/thimble.glb" && [ $num_converted -eq 12 ]
}
check 'check accepts the output of convert for each engine' accepts_converted_our_models
if [ -n "${MD5_CORPUS-}" ]; then
    # Skeletons, some with several roots.
    accepts_converted_skeletons() {
        accepts_converted "$MD5_CORPUS"/foreign/gltf/generator/Animation_Skin_*.gltf && [ "$num_converted" -ge 144 ]
    }
    check 'check accepts the output of convert for 12 third-party files' accepts_converted_skeletons
    accepts_converted_foreign() {
        # shellcheck disable=SC2046 # names without spaces
        accepts_converted $(find "$MD5_CORPUS/foreign" -name '*.glb' -o -name '*.gltf' -o -name '*.iqm' -o -name '*.bvh' | sort) &&
            [ "$num_converted" -ge 300 ]
    }
    check_long 'check accepts the output of convert for 29 third-party files' accepts_converted_foreign
    accepts_converted_golden() {
        # shellcheck disable=SC2046 # names without spaces
        accepts_converted $(find "$MD5_CORPUS/foreign/fbx" "$MD5_CORPUS/golden/found" "$MD5_CORPUS/golden/found2" "$MD5_CORPUS/golden/frames" \
            "$MD5_CORPUS/golden/gltf" "$MD5_CORPUS/golden/reports" "$MD5_CORPUS/golden/retarget" -name '*.fbx' -o -name '*.glb' -o -name '*.gltf' \
            -o -name '*.iqm' -o -name '*.bvh' -o -name '*.md[123l]' -o -name '*.md5mesh' | grep -v 'found2/stick/s\.' | sort) &&
            [ "$num_converted" -ge 600 ]
    }
    check_long 'check accepts the output of convert for other formats and for MD5 models' accepts_converted_golden
fi
# fix writes a pair into a folder that does not exist yet. It fails if a file has the name of the folder.
fix_creates_folder() {
    rm -rf "$scratch/new_folder" && tool_exits 0 fix "$base/a.md5mesh" "$base/a.md5anim" -o "$scratch/new_folder/deep" &&
        tool_exits 0 check --for all "$scratch/new_folder/deep" && output_has_line '^2 files, 0 errors, 0 warnings' &&
        tool_exits 2 fix "$base/a.md5mesh" "$base/a.md5anim" -o "$scratch/new_folder/deep/a.md5mesh" &&
        grep -q 'expected a folder for several files or parts, found the file' "$scratch/err"
}
check 'fix creates the output folder of several files' fix_creates_folder
compares_with_replaced_models() { # headers of the models of Quake and Quake II, with 3 frames and with 2
    rm -rf "$scratch/case" && mkdir -p "$scratch/case/progs" "$scratch/case/md5" && cp "$base"/a.md5* "$scratch/case/progs" &&
        cp "$base"/a.md5* "$scratch/case/md5" && : >"$scratch/case/progs/hide_00_00.png" &&
        { printf IDPO && head -c 64 /dev/zero && printf '\003\000\000\000'; } >"$scratch/case/progs/a.mdl" &&
        { printf IDP2 && head -c 36 /dev/zero && printf '\003\000\000\000'; } >"$scratch/case/a.md2" &&
        tool_exits 0 check "$scratch/case" && output_has_line 'progs/a.md5anim:1:1: warning: clip has too few frames: found 2, but the model that it replaces has 3 \[fewer-frames\] wrong in ironwail, vkquake' &&
        output_has_line 'md5/a.md5anim:1:1: .*\[fewer-frames\] wrong in yquake2; reported by q2pro$' && output_has_line ' 2 warnings' &&
        { printf IDPO && head -c 64 /dev/zero && printf '\002\000\000\000'; } >"$scratch/case/progs/a.mdl" &&
        tool_exits 0 check "$scratch/case/progs" && output_has_line ' 0 warnings'
}
check 'check reports fewer frames than the replaced model has' compares_with_replaced_models

# Headers of images: kind, color map, bits. The images are 4 pixels wide, and 2 or 6 pixels high. shellcheck
# disable=SC2059 # the format is octal numbers
print_tga_header() { # TYPE MAP WIDTH BITS
    printf "\\000\\$2\\$1\\000\\000\\000\\000\\000\\000\\000\\000\\000\\$3\\000\\002\\000\\$4\\000"
}
# shellcheck disable=SC2059
print_pcx_header() { # BITS PLANES
    printf "\\012\\005\\001\\$1\\000\\000\\000\\000\\003\\000\\001\\000" && head -c 53 /dev/zero && printf "\\$2" && head -c 62 /dev/zero
}
finds_image_faults() {
    rm -rf "$scratch/case" && mkdir "$scratch/case" && cp "$base/a.md5mesh" "$scratch/case" && print_tga_header 002 000 004 030 >"$scratch/case/hide.tga" &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' && print_tga_header 003 000 004 010 >"$scratch/case/hide.tga" &&
        tool_exits 0 check --for doom3 "$scratch/case" && output_has_line ' 0 warnings' && print_tga_header 001 001 004 010 >"$scratch/case/hide.tga" &&
        tool_exits 1 check --for doom3 "$scratch/case" && output_has_line 'a.md5mesh:13:[0-9]*: error: hide.tga: TGA type 1 and a color map with 8 bits per pixel is not supported: expected type 2 or 10 with 24 or 32 bits, or type 3 with 8, 24 or 32 bits \[tga-kind\] stops doom3' &&
        tool_exits 0 check --for ironwail "$scratch/case" && print_tga_header 012 000 004 020 >"$scratch/case/hide.tga" && tool_exits 1 check --for rbdoom "$scratch/case" &&
        print_tga_header 002 000 006 030 >"$scratch/case/hide.tga" && tool_exits 0 check --for doom3 "$scratch/case" && output_has_line 'a.md5mesh:13:[0-9]*: warning: hide.tga: wrong image size: expected powers of two, found 6 x 2 texels \[image-sides\]' &&
        mkdir "$scratch/case/progs" && cp "$base"/a.md5* "$scratch/case/progs" && print_pcx_header 010 001 >"$scratch/case/progs/hide_00_00.pcx" &&
        tool_exits 0 check "$scratch/case/progs" && output_has_line ' 0 warnings' && print_pcx_header 010 003 >"$scratch/case/progs/hide_00_00.pcx" &&
        tool_exits 1 check "$scratch/case/progs" && output_has_line 'a.md5mesh:13:[0-9]*: error: hide_00_00.pcx: PCX with 24 bits per pixel is not supported: expected 8 bits \[pcx-kind\] stops ironwail, vkquake$' || return 1
    # In a game folder, check reads only images that a material uses.
    rm -rf "$scratch/game" && mkdir -p "$scratch/game/materials" "$scratch/game/skin" && print_tga_header 001 001 004 010 >"$scratch/game/skin/hide.tga" &&
        cp "$scratch/game/skin/hide.tga" "$scratch/game/skin/other.tga" &&
        printf 'hide { diffusemap skin/hide.tga }\nfur { diffusemap skin/hide.tga }\n' >"$scratch/game/materials/m.mtr" &&
        tool_exits 1 check "$scratch/game" && output_has_line 'skin/hide.tga: error: hide.tga: .*\[tga-kind\]' && output_has_line ' 1 error, 0 warnings'
}
check 'check reports images that engines reject' finds_image_faults

# A machine file or a md5.cfg assigns clips to a mesh; the names of the files do not.
machine_file_assigns_clips() {
    change='s/limb/Limb/' && write_broken_pair anim && mv "$scratch/case/a.md5anim" "$scratch/case/walk.md5anim" &&
        cp "$base/a.md5mesh" "$scratch/case/b.md5mesh" && tool_exits 0 check "$scratch/case" && ! grep -q clip-joint-name "$scratch/out" &&
        echo 'machine one { model a.md5mesh clip stroll walk.md5anim layer all { state a stroll } }' >"$scratch/case/one.md5machine" &&
        tool_exits 0 check "$scratch/case/one.md5machine" && output_has_line "walk.md5anim:.*warning: a.md5mesh has no joint 'Limb'.*\[clip-joint-name\] stops doom3" &&
        tool_exits 1 check --for doom3 "$scratch/case" && output_has_line ' 1 error,' && tool_exits 0 check --for q2pro "$scratch/case" &&
        change='s/numJoints 2/numJoints 3/;s/\t"limb" 0.*/&\n\t"hand" 1 0 0/;s/\t( 0 0 6 ).*/&\n\t( 0 0 0 ) ( 0 0 0 )/' && write_broken_pair anim &&
        mv "$scratch/case/a.md5anim" "$scratch/case/walk.md5anim" && cp "$base/a.md5mesh" "$scratch/case/b.md5mesh" &&
        printf 'md5load a.md5mesh\nmd5anim idle walk.md5anim\n' >"$scratch/case/md5.cfg" && tool_exits 1 check "$scratch/case/md5.cfg" &&
        output_has_line "walk.md5anim:.* error: number of joints differs: found 3 joints, .*\[clip-joint-count\] refused by cube2" && output_has_line 'for cube2$'
}
check 'check pairs clips and meshes by machine files and md5.cfg' machine_file_assigns_clips

# A clip with a duplicate of frame 0: check reports it, and fix restores the original clip. A clip that pauses is unchanged.
cat >"$scratch/double.py" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
copies = int(sys.argv[3])
frame = re.search(r"frame 0 \{\n(.*?)\}\n", text, re.S).group(1)
box = re.search(r"bounds \{\n(.*?\n)", text, re.S).group(1)
frames = re.findall(r"frame \d+ \{\n(.*?)\}\n", text, re.S)
frames = [frame] * copies + frames
head = text[:text.index("frame 0 {")].replace("bounds {\n", "bounds {\n" + box * copies)
head = re.sub(r"numFrames \d+", f"numFrames {len(frames)}", head)
open(sys.argv[2], "w").write(head + "\n".join(f"frame {i} {{\n{f}}}\n" for i, f in enumerate(frames)))
PYTHON
fix_removes_duplicate_frame() {
    walk=models/bobbin/walk.md5anim
    rm -rf "$scratch/twice" && mkdir "$scratch/twice" && python3 "$scratch/double.py" "$walk" "$scratch/twice/walk.md5anim" 1 &&
        python3 "$scratch/double.py" "$walk" "$scratch/twice/pause.md5anim" 2 &&
        tool_exits 0 check --for doom3 "$scratch/twice/walk.md5anim" && output_has_line 'walk.md5anim: warning: frame 1 repeats frame 0, .*\[doubled-frame\]' &&
        tool_exits 0 check --for doom3 "$scratch/twice/pause.md5anim" && ! grep doubled-frame "$scratch/out" &&
        tool_exits 0 fix "$scratch/twice/walk.md5anim" -o "$scratch/twice/once.md5anim" &&
        output_has_line '^  1 first frame removed, which the second frame repeats$' && tool_exits 0 diff "$walk" "$scratch/twice/once.md5anim" &&
        tool_exits 0 fix "$scratch/twice/walk.md5anim" --frames 0-25 -o "$scratch/twice/all.md5anim" && grep -q '^numFrames 26$' "$scratch/twice/all.md5anim"
}
check 'fix removes a duplicate first frame' fix_removes_duplicate_frame

# A clip whose joints have other axes than the mesh. The bones of the first frame are along x in one and along z in the other.
finds_different_axes() {
    rm -rf "$scratch/axes" && mkdir "$scratch/axes" && { printf 'MD5Version 10\ncommandline ""\nnumJoints 7\nnumMeshes 1\njoints {\n' &&
        for i in 0 1 2 3 4 5 6; do echo "\"j$i\" $((i - 1)) ( 0 0 $((5 * i)) ) ( 0 0 0 )"; done &&
        sed '1,/^}/d;s/^mesh/}\n&/' "$base/a.md5mesh" | sed 's/weight 4 1/weight 4 6/'; } >"$scratch/axes/figure.md5mesh" &&
        for clip in same other; do
            printf 'MD5Version 10\ncommandline ""\nnumFrames 2\nnumJoints 7\nframeRate 24\nnumAnimatedComponents 42\nhierarchy {\n' &&
                for i in 0 1 2 3 4 5 6; do echo "\"j$i\" $((i - 1)) 63 $((6 * i))"; done && printf '}\nbounds {\n( 0 0 0 ) ( 9 9 40 )\n( 0 0 0 ) ( 9 9 40 )\n}\nbaseframe {\n' &&
                for i in 0 1 2 3 4 5 6; do echo '( 0 0 5 ) ( 0 0 0 )'; done && echo '}' && for frame in 0 1; do
                echo "frame $frame {" && case $clip in # in frame 1 joint 1 is rotated by 90 degrees around y, or around -y of the other axes
                same) echo 0 0 0 0 0 0 && for i in 1 2 3 4 5 6; do [ "$frame$i" = 11 ] && echo 0 0 5 0 -0.70710678 0 || echo 0 0 5 0 0 0; done ;;
                *) echo 0 0 0 0 0.70710678 0 && for i in 1 2 3 4 5 6; do [ "$frame$i" = 11 ] && echo 5 0 0 0 -0.70710678 0 || echo 5 0 0 0 0 0; done ;;
                esac && echo '}'
            done
        done >"$scratch/axes/both"
    csplit -s -f "$scratch/axes/part" "$scratch/axes/both" '/^MD5Version/' '{*}' && mv "$scratch/axes/part01" "$scratch/axes/same.md5anim" &&
        mv "$scratch/axes/part02" "$scratch/axes/other.md5anim" && rm -f "$scratch/axes/part00" "$scratch/axes/both" &&
        tool_exits 0 check --for doom3 "$scratch/axes" &&
        output_has_line "other.md5anim:4:1: warning: axes of joints differ from the mesh: 6 of 6 bones point in another direction, joint 'j0' by 90 degrees" &&
        ! grep 'same.md5anim.*clip-axes' "$scratch/out" &&
        tool_exits 0 fix "$scratch/axes/other.md5anim" --mesh "$scratch/axes/figure.md5mesh" -o "$scratch/axes/fixed.md5anim" &&
        output_has_line '^  7 joints rotated to the axes of the mesh$' && output_has_line '  repaired: axes of joints differ' &&
        "$tool" dump "$scratch/axes/figure.md5mesh" "$scratch/axes/same.md5anim" --frame 1 | grep '^v ' >"$scratch/old" &&
        "$tool" dump "$scratch/axes/figure.md5mesh" "$scratch/axes/fixed.md5anim" --frame 1 | grep '^v ' >"$scratch/now" &&
        skins_satisfy "$scratch/old" "$scratch/now" 'off($2, $6) < 1e-4 && off($3, $7) < 1e-4 && off($4, $8) < 1e-4' 4 &&
        "$tool" convert "$scratch/axes/figure.md5mesh" "$scratch/axes/other.md5anim" -o "$scratch/axes/out" >"$scratch/out" 2>&1 &&
        output_has_line 'clip other: rotated the axes of 7 joints by up to 90 degrees to match the model' &&
        "$tool" dump "$scratch/axes/out/figure.md5mesh" "$scratch/axes/out/other.md5anim" --frame 1 | grep '^v ' >"$scratch/now" &&
        skins_satisfy "$scratch/old" "$scratch/now" 'off($2, $6) < 1e-4 && off($3, $7) < 1e-4 && off($4, $8) < 1e-4' 4
}

# fix --weights is the remedy of the rule no-weights; without the option fix reports the vertices.
fills_weights() {
    awk '/^\tvert / && $2 % 40 == 7 { $0 = "\tvert " $2 " ( " $4 " " $5 " ) 0 0" } { print }' models/bobbin/bobbin.md5mesh >"$scratch/bare.md5mesh" || return 1
    tool_exits 1 check --for doom3 "$scratch/bare.md5mesh" && output_has_line '^remedy for no-weights: use md5tool fix --weights$' &&
        tool_exits 0 fix "$scratch/bare.md5mesh" --force -o "$scratch/filled.md5mesh" && output_has_line '  remains: vertex 7 has no weights: expected at least 1 \[no-weights\]' &&
        tool_exits 0 fix "$scratch/bare.md5mesh" --weights --influences 4 --force -o "$scratch/filled.md5mesh" &&
        output_has_line '^  [1-9][0-9]* vertices without weights got the weights of the nearest surface point$' && output_has_line '  repaired: vertex 7 has no weights: expected at least 1' &&
        tool_exits 0 check --for rbdoom "$scratch/filled.md5mesh" && ! output_has_line '4-weights\|no-weights'
}
check 'fix --weights adds missing weights' fills_weights

# Similar diagnostics are grouped; --all prints each of them.
groups_similar_diagnostics() {
    rm -rf "$scratch/many" && mkdir "$scratch/many" || return 1
    for i in 1 2 3 4 5 6 7 8 9; do
        sed 's/0 0\.5/0 0.4/' "$base/a.md5mesh" >"$scratch/many/$i.md5mesh" || return 1
    done
    tool_exits 0 check "$scratch/many" && grep -q '^4 more in 4 files: weight-sum$' "$scratch/out" &&
        grep -q '^9 files, 0 errors, 9 warnings' "$scratch/out" && [ "$(wc -l <"$scratch/out")" -eq 8 ] &&
        tool_exits 0 check --all "$scratch/many" && [ "$(wc -l <"$scratch/out")" -eq 11 ]
}
check 'check groups similar diagnostics' groups_similar_diagnostics
filters_by_rule() {
    tool_exits 0 check --ignore weight-sum "$scratch/many" && grep -q '^9 files, 0 errors, 0 warnings' "$scratch/out" &&
        grep -q '^9 messages were filtered out$' "$scratch/out" &&
        tool_exits 0 check --only 3.md5mesh "$scratch/many" && grep -q ' 0 errors, 1 warning' "$scratch/out"
}
check 'check filters diagnostics' filters_by_rule
cat >"$scratch/read.py" <<'PYTHON'
import json, sys
found = [json.loads(line) for line in open(sys.argv[1])]
keys = {"file", "line", "column", "severity", "rule", "message", "count", "engines", "fix"}
assert len(found) == 9 and all(set(one) == keys for one in found)
assert all(one["rule"] == "weight-sum" and one["line"] == 18 and one["severity"] == "warning" for one in found)
PYTHON
prints_json_and_github() {
    tool_exits 0 check --json "$scratch/many" && python3 "$scratch/read.py" "$scratch/out" &&
        tool_exits 0 check --github "$scratch/many" && [ "$(grep -c '^::warning file=.*,line=18,col=1::' "$scratch/out")" -eq 9 ]
}
check 'check prints diagnostics as JSON and as annotations' prints_json_and_github

fix_writes_output_files() {
    tool_exits 2 fix "$base/a.md5mesh" && tool_exits 0 fix --dry-run "$base/a.md5mesh" "$base/a.md5anim" &&
        [ "$(grep -c '^  no changes$' "$scratch/out")" -eq 2 ] && cp "$base/a.md5mesh" "$scratch/old.md5mesh" &&
        tool_exits 0 fix --rename limb=leg "$base/a.md5mesh" -o "$scratch/renamed.md5mesh" && grep -q '"leg"' "$scratch/renamed.md5mesh" &&
        tool_exits 1 fix --rename limb=leg "$base/a.md5mesh" -o "$scratch/renamed.md5mesh" && grep -q 'the file already exists' "$scratch/err" &&
        tool_exits 1 fix --rename leg "$base/a.md5mesh" --dry-run && change='s/) 4 1/) 0 5/;s/\(weight . .\) [0-9.]*/\1 0.2/' && write_broken_pair mesh &&
        tool_exits 0 fix --influences 4 --force "$scratch/case/a.md5mesh" && grep -q 'units$' "$scratch/out" &&
        tool_exits 0 check --for daemon "$scratch/case/a.md5mesh" && tool_exits 1 fix --dry-run "$scratch/none.md5mesh" &&
        cmp "$base/a.md5mesh" "$scratch/old.md5mesh"
}
check 'fix writes output files and does not overwrite others' fix_writes_output_files
fix_rejects_conflicts() {
    mkdir -p "$scratch/once/a" "$scratch/once/b" "$scratch/once/to" && cp models/bobbin/walk.md5anim "$scratch/once/a/" &&
        cp models/bobbin/run.md5anim "$scratch/once/b/walk.md5anim" || return 1
    tool_exits 1 fix --mirror "$scratch/once/a/walk.md5anim" "$scratch/once/b/walk.md5anim" -o "$scratch/once/to" --force &&
        grep -q 'duplicate output file ' "$scratch/err" && grep -q 'no file was written, because of the errors above' "$scratch/err" &&
        tool_exits 1 fix models/bobbin/walk.md5anim --cut a=0-12 --cut a=3-4 -o "$scratch/once/to" --force &&
        tool_exits 1 fix models/bobbin/walk.md5anim "$scratch/none.md5anim" -o "$scratch/once/to" && [ -z "$(ls "$scratch/once/to")" ] &&
        tool_exits 0 fix models/bobbin/walk.md5anim --cut a=0-12 --cut b=3-4 -o "$scratch/once/to" &&
        grep -q '^numFrames 13' "$scratch/once/to/a.md5anim" && grep -q '^numFrames 2' "$scratch/once/to/b.md5anim" &&
        tool_exits 1 fix --mirror "$scratch/once/a/walk.md5anim" --cut a=0-1 -o "$scratch/once/to" && grep -q 'the file already exists' "$scratch/err" &&
        tool_exits 2 fix models/bobbin/walk.md5anim --rename hipz=pelvis -o "$scratch/once/renamed.md5anim" &&
        grep -q 'hipz=pelvis: old name not found: expected the name of a joint, mesh or shader' "$scratch/err" && [ ! -e "$scratch/once/renamed.md5anim" ] &&
        tool_exits 1 fix "$base/a.md5mesh" --rename limb=root -o "$scratch/once/renamed.md5mesh" && [ ! -e "$scratch/once/renamed.md5mesh" ] &&
        grep -q 'a.md5mesh: error: --rename limb=root: 2 joints would get the same name; choose another name' "$scratch/err" &&
        tool_exits 1 fix "$base/a.md5mesh" --add-root limb --dry-run && grep -q "error: --add-root limb: 2 joints would get the same name; choose another name" "$scratch/err" &&
        tool_exits 0 fix "$base/a.md5mesh" --rename limb=hand --rename root=limb --rename hand=root -o "$scratch/once/renamed.md5mesh" &&
        sed 's|limb|root|' "$base/a.md5mesh" >"$scratch/once/twins.md5mesh" && tool_exits 0 check --for doom3 "$scratch/once/twins.md5mesh" &&
        grep -q "twins.md5mesh:9:1: warning: duplicate joint name 'root': expected unique names \[same-name\] wrong in doom3$" "$scratch/out" &&
        tool_exits 0 check --for ironwail "$scratch/once/twins.md5mesh" && ! grep -q same-name "$scratch/out"
}
check 'fix writes each output file once and rejects unknown names' fix_rejects_conflicts
# Our own models do not need repairs.
our_models_need_no_fix() {
    # shellcheck disable=SC2046 # names without blanks
    tool_exits 0 fix --dry-run $(find models -name '*.md5mesh' -o -name '*.md5anim' -o -name '*.md5camera' | grep -v /zoo/)
}
check 'fix does not change our models' our_models_need_no_fix

# == Changes of fix that options request ==
bobbin=models/bobbin
fixed=$scratch/fixed
empty_output_folder() {
    rm -rf "$fixed" && mkdir "$fixed"
}
# Prints the vertex positions of the mesh that is posed by a frame of the clip.
print_skin() { # MESH CLIP FRAME
    "$tool" dump "$1" "$2" --frame "$3" | grep '^v '
}
# skins_satisfy FILE FILE CONDITION [ROWS]: an awk condition; columns 2 to 4 are from the first file, 6 to 8 from the second.
skins_satisfy() {
    paste -d ' ' "$1" "$2" | awk "function off(a, b) { return a > b ? a - b : b - a }
        !($3) { bad++ } END { print NR, bad + 0; exit !(NR >= ${4:-6000} && !bad) }"
}
# A mesh and its clip remain a pair after one command, in either order.
fix_scales_and_rotates() {
    empty_output_folder && tool_exits 0 fix --scale 0.03 --rotate 90 $bobbin/bobbin.md5mesh $bobbin/walk.md5anim -o "$fixed" &&
        print_skin $bobbin/bobbin.md5mesh $bobbin/walk.md5anim 7 >"$scratch/old" &&
        print_skin "$fixed/bobbin.md5mesh" "$fixed/walk.md5anim" 7 >"$scratch/now" &&
        skins_satisfy "$scratch/old" "$scratch/now" 'off($6, -0.03 * $3) < 1e-5 && off($7, 0.03 * $2) < 1e-5 && off($8, 0.03 * $4) < 1e-5' &&
        tool_exits 0 fix --scale 0.03 --rotate 0,90,0 $bobbin/walk.md5anim $bobbin/bobbin.md5mesh --force -o "$fixed" &&
        print_skin "$fixed/bobbin.md5mesh" "$fixed/walk.md5anim" 7 | cmp - "$scratch/now" &&
        tool_exits 0 fix --scale 2 $bobbin/flight.md5camera -o "$fixed" &&
        awk -v OFMT=%.9g '/^\t\( /{ print $2 * 2, $3 * 2, $4 * 2, $7, $8, $9, $11 }' $bobbin/flight.md5camera >"$scratch/old" &&
        awk -v OFMT=%.9g '/^\t\( /{ print $2 * 1, $3 * 1, $4 * 1, $7, $8, $9, $11 }' "$fixed/flight.md5camera" >"$scratch/now" &&
        paste -d ' ' "$scratch/old" "$scratch/now" |
        awk '{ for (i = 1; i < 8; i++) if (($i - $(i + 7)) ^ 2 > 1e-8) exit 1 } END { exit NR != 273 }' &&
        for wrong in '--rotate left' '--rotate 1,2' '--rotate 1,' '--rotate 1,2,3,4' '--rotate nan' '--scale 0' '--scale 1e7'; do
            # shellcheck disable=SC2086 # two words
            tool_exits 2 fix $wrong $bobbin/walk.md5anim --dry-run || return 1
        done
}
check 'fix --scale and --rotate' fix_scales_and_rotates

fix_mirrors() {
    empty_output_folder && mkdir "$fixed/twice" &&
        tool_exits 0 fix --mirror $bobbin/bobbin.md5mesh $bobbin/walk.md5anim -o "$fixed" &&
        tool_exits 0 fix --mirror "$fixed/bobbin.md5mesh" "$fixed/walk.md5anim" -o "$fixed/twice" &&
        tool_exits 0 diff $bobbin/bobbin.md5mesh "$fixed/twice/bobbin.md5mesh" && tool_exits 0 diff $bobbin/walk.md5anim "$fixed/twice/walk.md5anim" &&
        tool_exits 1 diff $bobbin/walk.md5anim "$fixed/walk.md5anim" && tool_exits 0 check --for doom3 "$fixed/bobbin.md5mesh" "$fixed/walk.md5anim" &&
        tool_exits 0 fix --swap-sides $bobbin/wave.md5anim -o "$fixed" && tool_exits 0 check --for doom3 "$fixed/bobbin.md5mesh" "$fixed/wave.md5anim" &&
        tool_exits 1 diff $bobbin/wave.md5anim "$fixed/wave.md5anim" &&
        tool_exits 0 fix --swap-sides "$fixed/wave.md5anim" --mesh $bobbin/bobbin.md5mesh -o "$fixed/twice" &&
        print_skin $bobbin/bobbin.md5mesh $bobbin/wave.md5anim 46 >"$scratch/old" && print_skin $bobbin/bobbin.md5mesh "$fixed/twice/wave.md5anim" 46 >"$scratch/now" &&
        skins_satisfy "$scratch/old" "$scratch/now" 'off($2, $6) < 1e-3 && off($3, $7) < 1e-3 && off($4, $8) < 1e-3' &&
        mkdir "$fixed/alone" && cp $bobbin/wave.md5anim "$fixed/alone" && tool_exits 1 fix --swap-sides "$fixed/alone/wave.md5anim" --dry-run &&
        grep -q 'wave.md5anim: error: cannot read the mesh of the clip' "$scratch/err"
}
check 'fix --mirror and --swap-sides' fix_mirrors

# Prints the lines of frames without their numbers.
print_frames() {
    awk '/^frame /{ on = 1; next } /^}/{ on = 0 } on' "$@"
}
fix_cuts_clips() {
    empty_output_folder && tool_exits 0 fix --cut a=0-9,b=10-19 --cut c=20-24 $bobbin/walk.md5anim -o "$fixed" &&
        tool_exits 0 fix --rename hips=hips $bobbin/walk.md5anim -o "$fixed/whole.md5anim" &&
        print_frames "$fixed/whole.md5anim" >"$scratch/old" && print_frames "$fixed/a.md5anim" "$fixed/b.md5anim" "$fixed/c.md5anim" | cmp - "$scratch/old" &&
        grep -qx 'numFrames 5' "$fixed/c.md5anim" && tool_exits 1 fix --cut a=0-9 $bobbin/walk.md5anim -o "$fixed" &&
        grep -q 'the file already exists' "$scratch/err" && tool_exits 0 fix --frames 10-19 $bobbin/walk.md5anim -o "$fixed/d.md5anim" &&
        cmp "$fixed/b.md5anim" "$fixed/d.md5anim" && cp "$fixed/whole.md5anim" "$fixed/e.md5anim" &&
        tool_exits 0 fix --cut e=0-9,b=10-19 "$fixed/e.md5anim" --force --mesh $bobbin/bobbin.md5mesh && cmp "$fixed/a.md5anim" "$fixed/e.md5anim" &&
        cmp "$fixed/b.md5anim" "$fixed/d.md5anim" && tool_exits 1 fix --frames 20-25 $bobbin/walk.md5anim --dry-run &&
        grep -q 'walk.md5anim: error: frames are out of range: expected frames below 25, found 6 frames from frame 20' "$scratch/err" &&
        for wrong in '--cut a' '--cut =1-2' '--cut a=1-2,' '--frames 5' '--frames -1-5' '--frames 1-2,3-4' '--rate 0'; do
            # shellcheck disable=SC2086 # two words
            tool_exits 2 fix $wrong $bobbin/walk.md5anim --dry-run || return 1
        done
}
check 'fix --cut and --frames' fix_cuts_clips

# Prints a frame as one line.
print_frame() { # FILE NUMBER
    awk -v number="$2" '/^}/{ on = 0 } on { line = line " " $0 } $1 == "frame" && $2 == number { on = 1 } END { print line }' "$1"
}
fix_changes_clips() {
    empty_output_folder && tool_exits 0 fix --rate 48 $bobbin/walk.md5anim -o "$fixed" && grep -qx 'numFrames 49' "$fixed/walk.md5anim" &&
        grep -qx 'frameRate 48' "$fixed/walk.md5anim" && tool_exits 0 fix --rate 24 "$fixed/walk.md5anim" --mesh $bobbin/bobbin.md5mesh -o "$fixed/old.md5anim" &&
        tool_exits 1 diff $bobbin/walk.md5anim "$fixed/old.md5anim" && # fix computes the boxes again, from rounded numbers
        ! grep -v '^  frame bounds differ by up to 0\.00[0-9]* units' "$scratch/out" &&
        tool_exits 0 fix --frames 0-14 --close-loop --in-place $bobbin/walk.md5anim -o "$fixed/loop.md5anim" &&
        [ "$(print_frame "$fixed/loop.md5anim" 14)" = "$(print_frame "$fixed/loop.md5anim" 0)" ] &&
        [ "$(print_frame "$fixed/loop.md5anim" 7)" != "$(print_frame "$fixed/loop.md5anim" 0)" ] && ! grep -q 'the cycle ended one frame before frame 0' "$scratch/out" &&
        tool_exits 0 fix --frames 0-23 --close-loop $bobbin/walk.md5anim -o "$fixed/open.md5anim" && grep -q 'the cycle ended one frame before frame 0' "$scratch/out" &&
        grep -qx 'numFrames 25' "$fixed/open.md5anim" && tool_exits 0 fix --close-loop $bobbin/walk.md5anim --dry-run && grep -q 'the last frame already equals the first' "$scratch/out" &&
        tool_exits 1 fix --frames 0-20 --close-loop $bobbin/walk.md5anim --dry-run && grep -q 'close-loop: blended the last .* frames towards frame 0' "$scratch/out" &&
        tool_exits 2 fix --close-loop $bobbin/bobbin.md5mesh --dry-run &&
        tool_exits 0 check --for doom3 $bobbin/bobbin.md5mesh "$fixed/loop.md5anim" &&
        tool_exits 0 fix --reduce 0.3 $bobbin/walk.md5anim -o "$fixed/less.md5anim" &&
        [ "$(awk '/^numAnimated/{ print $2 }' "$fixed/less.md5anim")" -lt 213 ] &&
        print_skin $bobbin/bobbin.md5mesh $bobbin/walk.md5anim 7 >"$scratch/old" && print_skin $bobbin/bobbin.md5mesh "$fixed/less.md5anim" 7 >"$scratch/now" &&
        skins_satisfy "$scratch/old" "$scratch/now" '($2 - $6) ^ 2 + ($3 - $7) ^ 2 + ($4 - $8) ^ 2 < 0.3 ^ 2'
}
check 'fix --rate, --close-loop, --in-place and --reduce' fix_changes_clips

fix_splits_meshes() {
    empty_output_folder && mkdir "$fixed/one" && tool_exits 0 fix --max-vertices 1000 --max-triangles 900 $bobbin/bobbin.md5mesh -o "$fixed" &&
        [ "$(awk '$1 == "numverts" && $2 > 1000 || $1 == "numtris" && $2 > 900' "$fixed/bobbin.md5mesh" | wc -l)" -eq 0 ] &&
        tool_exits 0 fix --merge "$fixed/bobbin.md5mesh" -o "$fixed/one" && grep -qx 'numMeshes 2' "$fixed/one/bobbin.md5mesh" &&
        tool_exits 0 fix --rename models/bobbin/bobbin_eye=models/bobbin/bobbin --merge "$fixed/bobbin.md5mesh" -o "$fixed/b.md5mesh" &&
        grep -qx 'numMeshes 2' "$fixed/b.md5mesh" && tool_exits 0 fix --merge "$fixed/b.md5mesh" -o "$fixed/c.md5mesh" &&
        grep -qx 'numMeshes 1' "$fixed/c.md5mesh" &&
        sed 's/tri 1 0 3 2/tri 1 0 2 2/' "$base/a.md5mesh" >"$fixed/line.md5mesh" && tool_exits 1 fix --unused "$fixed/line.md5mesh" --dry-run &&
        grep -q '^  3 meshes merged or split, or unused elements removed' "$scratch/out" &&
        tool_exits 0 fix --unused --force "$fixed/line.md5mesh" && grep -qx '	numverts 3' "$fixed/line.md5mesh" && grep -qx '	numweights 4' "$fixed/line.md5mesh"
}
check 'fix --merge, --max-vertices and --unused' fix_splits_meshes

# The clip follows its mesh, and parents precede children. The walk moves a joint other than joint 0, so fix warns that the loop
# is open.
fix_changes_joints() {
    empty_output_folder && mkdir "$fixed/new" && tool_exits 0 fix --add-root world --unused-joints $bobbin/bobbin.md5mesh $bobbin/walk.md5anim -o "$fixed" &&
        grep -q '"world"	-1' "$fixed/bobbin.md5mesh" && grep -q '"origin"	0 ' "$fixed/walk.md5anim" &&
        tool_exits 0 check --for doom3 "$fixed/bobbin.md5mesh" "$fixed/walk.md5anim" && grep -q ' 0 errors' "$scratch/out" &&
        print_skin $bobbin/bobbin.md5mesh $bobbin/walk.md5anim 7 >"$scratch/old" && print_skin "$fixed/bobbin.md5mesh" "$fixed/walk.md5anim" 7 >"$scratch/now" &&
        skins_satisfy "$scratch/old" "$scratch/now" 'off($2, $6) < 1e-4 && off($3, $7) < 1e-4 && off($4, $8) < 1e-4' &&
        sed '/"root" -1/d;s/\("limb"\) 0 \(.*\)/\1 1 \2\n\t"root" -1 ( 0 0 0 ) ( 0 0 0 )/;s/\(weight [0-9]\) 1/\1 x/;s/\(weight [0-9]\) 0/\1 1/;s/\(weight [0-9]\) x/\1 0/' \
            "$base/a.md5mesh" >"$fixed/new/a.md5mesh" &&
        sed 's/"root" -1 63 0/"limb" 1 63 6/;t;s/"limb" 0 63 6/"root" -1 63 0/;/baseframe/,/}/{/( 0 0 0 ) ( 0 0 0 )/d;s/\t( 0 0 6 ).*/&\n\t( 0 0 0 ) ( 0 0 0 )/}' \
            "$base/a.md5anim" >"$fixed/new/a.md5anim" &&
        tool_exits 1 check --for ironwail "$fixed/new" && grep -q '\[parent-order\]' "$scratch/out" &&
        tool_exits 0 fix --for ironwail --force "$fixed/new/a.md5mesh" "$fixed/new/a.md5anim" && tool_exits 0 check --for ironwail "$fixed/new" &&
        "$tool" dump "$base/a.md5mesh" "$base/a.md5anim" --frame 1 | grep '^v ' >"$scratch/old" &&
        "$tool" dump "$fixed/new/a.md5mesh" "$fixed/new/a.md5anim" --frame 1 | grep '^v ' | cmp - "$scratch/old"
}
check 'fix --add-root and --unused-joints keep joints in order' fix_changes_joints
# fix reports lost content with its count, or rejects the command.
fix_reports_lost_content() {
    empty_output_folder && sed 's/numMeshes 1/numMeshes 2/' "$base/a.md5mesh" >"$fixed/less.md5mesh" && tool_exits 0 fix --force "$fixed/less.md5mesh" &&
        grep -qx 'numMeshes 1' "$fixed/less.md5mesh" && grep -q 'repaired: .*numMeshes does not match the file: declared 2, found 1' "$scratch/out" &&
        sed -n '/^mesh/,$p' "$base/a.md5mesh" | cat "$base/a.md5mesh" - >"$fixed/more.md5mesh" && tool_exits 0 fix --scale 2 --force "$fixed/more.md5mesh" &&
        grep -qx 'numMeshes 2' "$fixed/more.md5mesh" && grep -q 'numMeshes is too small: declared 1, found 2; all found entries are read' "$scratch/out" &&
        echo 'left over' | cat "$base/a.md5mesh" - >"$fixed/rest.md5mesh" && tool_exits 0 fix --force "$fixed/rest.md5mesh" &&
        grep -q "text after the last mesh is ignored: found 'left'" "$scratch/out" &&
        sed 's/tri 1 0 3 2/tri 1 0 7 2/' "$base/a.md5mesh" >"$fixed/corner.md5mesh" && tool_exits 1 fix --force "$fixed/corner.md5mesh" &&
        grep -q 'use --bad-triangles to read the file without the invalid triangles' "$scratch/out" && tool_exits 0 fix --bad-triangles --force "$fixed/corner.md5mesh" &&
        grep -q '1 of 2 triangles refer to unknown vertices (numverts is 4): skipped' "$scratch/out" && grep -qx '	numtris 1' "$fixed/corner.md5mesh" &&
        sed 's/( 4 0 6 )/( 4 0 9e8 )/' "$base/a.md5mesh" >"$fixed/far.md5mesh" && tool_exits 1 fix --scale 2 "$fixed/far.md5mesh" -o "$fixed/farther.md5mesh" &&
        grep -q 'far.md5mesh: error: number is out of range: expected -1e9 to 1e9, found 1.8e+09' "$scratch/err" && [ ! -e "$fixed/farther.md5mesh" ] &&
        sed 's,^	vert 1.*,& // tip,' "$base/a.md5mesh" >"$fixed/said.md5mesh" && tool_exits 0 fix --scale 2 --force "$fixed/said.md5mesh" &&
        grep -q '^	vert 1 .* // tip$' "$fixed/said.md5mesh" && sed 's,^frame 3 {,& // step,' $bobbin/walk.md5anim >"$fixed/step.md5anim" &&
        tool_exits 0 fix --cut a=0-2,b=3-6 "$fixed/step.md5anim" --mesh $bobbin/bobbin.md5mesh && grep -q 'removed 1 comment of the removed frames' "$scratch/out" &&
        grep -qx 'frame 0 { // step' "$fixed/b.md5anim"
}
check 'fix reports all content that it drops' fix_reports_lost_content
# A chain of six joints with a distance of 5 units, and its clips in another unit and in a rotated space.
print_chain_clip() { # FILE SCALE ROTATION
    awk -v s="$2" -v turn="$3" 'BEGIN {
        print "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 6\nframeRate 24\nnumAnimatedComponents 36\nhierarchy {"
        for (i = 0; i < 6; i++) printf "\"j%d\" %d 63 %d\n", i, i - 1, 6 * i
        print "}\nbounds {\n( -1 -1 0 ) ( 1 1 25 )\n( -1 -1 0 ) ( 1 1 25 )\n}\nbaseframe {"
        for (i = 0; i < 6; i++) print "( 0 0 0 ) ( 0 0 0 )"
        for (f = 0; f < 2; f++) {
            printf "}\nframe %d {\n%.9g 0 0 %s\n", f, f * s, turn
            for (i = 1; i < 6; i++) printf "0 0 %.9g 0 0 0\n", 5 * s
        }
        print "}" }' >"$1"
}
fix_matches_units() {
    empty_output_folder && mkdir "$fixed/new" && { printf 'MD5Version 10\ncommandline ""\nnumJoints 6\nnumMeshes 1\njoints {\n' &&
        for i in 0 1 2 3 4 5; do echo "\"j$i\" $((i - 1)) ( 0 0 $((5 * i)) ) ( 0 0 0 )"; done &&
        sed '1,/^}/d' "$base/a.md5mesh" | sed 's/weight 4 1/weight 4 5/'; } >"$fixed/figure.md5mesh" &&
        sed -i 's/( 4 0 6 )/( 4 0 5 )/;s/^mesh/}\n&/' "$fixed/figure.md5mesh" &&
        print_chain_clip "$fixed/same.md5anim" 1 '0 0 0' && print_chain_clip "$fixed/meters.md5anim" 0.0254 '0 0 0' &&
        print_chain_clip "$fixed/turned.md5anim" 1 '-0.70710678 0 0' && tool_exits 0 check --for cube2 "$fixed" &&
        output_has_line 'meters.md5anim:4:1: warning: bones are 0.0254 .* (meters instead of inches); use .md5tool fix --mesh. \[clip-scale\] wrong in cube2$' &&
        output_has_line 'turned.md5anim:4:1: warning: clip is rotated by 90 degrees about x relative to the mesh, but the other 2 clips are not.*\[clip-turn\]' &&
        ! grep -q 'same.md5anim' "$scratch/out" && tool_exits 0 info "$fixed/figure.md5mesh" && output_has_line '^  clip .* same.md5anim: fits' &&
        output_has_line '^  clip .* meters.md5anim: bones are 0.0254 times' && output_has_line '^  clip .* turned.md5anim: clip is rotated by 90 degrees about x' &&
        tool_exits 1 fix --dry-run "$fixed/meters.md5anim" --mesh "$fixed/none.md5mesh" && grep -q 'none.md5mesh: error: cannot read the file: No such' "$scratch/err" &&
        tool_exits 1 fix --dry-run "$fixed/meters.md5anim" --mesh "$fixed/same.md5anim" && grep -q "same.md5anim:3:1: error: wrong file type: expected a model" "$scratch/err" &&
        tool_exits 0 fix --dry-run "$fixed/meters.md5anim" && output_has_line 'remains: bones .*clip-scale' || return 1
    print_skin "$fixed/figure.md5mesh" "$fixed/same.md5anim" 1 >"$scratch/old"
    for clip in meters turned; do # the repaired clip has the skin and boxes of the original
        tool_exits 0 fix "$fixed/$clip.md5anim" --mesh "$fixed/figure.md5mesh" -o "$fixed/new" &&
            output_has_line "  6 joints changed to the mesh's scale and orientation" &&
            print_skin "$fixed/figure.md5mesh" "$fixed/new/$clip.md5anim" 1 >"$scratch/now" &&
            skins_satisfy "$scratch/old" "$scratch/now" 'off($2, $6) < 1e-4 && off($3, $7) < 1e-4 && off($4, $8) < 1e-4' 4 &&
            grep -q '^	( 0 0 0 ) ( 4 0 2[45]' "$fixed/new/$clip.md5anim" || return 1
    done
    cp "$fixed/figure.md5mesh" "$fixed/new" && tool_exits 0 check "$fixed/new" && ! grep -q 'clip-scale\|clip-turn' "$scratch/out" &&
        tool_exits 0 check --only clip-scale --only clip-turn "$models/flame" $bobbin && output_has_line ' 0 warnings' # clips of a flying model, and clips that match
}
check 'fix converts a clip in another unit or rotation' fix_matches_units
check 'fix rotates the axes of a clip to the axes of the mesh' finds_different_axes
# A pair of version 6: fix copies the hierarchy of the mesh to the clip.
fix_reads_version_6() {
    empty_output_folder && mkdir "$fixed/fix" "$fixed/alone" && cat >"$fixed/a.md5mesh" <<'MESH' && cat >"$fixed/b.md5anim" <<'CLIP' || return 1
MD5Version 6
commandline ""
numbones 2
bone 0 { name "a" bindpos 0 0 0 bindmat 1 0 0 0 1 0 0 0 1 }
bone 1 { name "b" bindpos 0 0 40 bindmat 1 0 0 0 1 0 0 0 1 parent "a" }
nummeshes 1
mesh 0 {
	shader "s"
	numverts 3
	vert 0 0 0 0 1
	vert 1 1 0 1 1
	vert 2 1 1 2 1
	numtris 1
	tri 0 0 1 2
	numweights 3
	weight 0 0 1 0 0 0
	weight 1 0 1 8 0 0
	weight 2 1 1 0 4 8
}
MESH
MD5Version 6
commandline ""
numchannels 1
channel 0 { joint "b" attribute "pitch" starttime 0 endtime 0.1 framerate 20 strings 0 range 0 2 keys 3 0 10 20 }
CLIP
    "$tool" dump "$fixed/a.md5mesh" "$fixed/b.md5anim" --frame 2 | grep '^v ' >"$scratch/old" &&
        tool_exits 0 fix "$fixed/a.md5mesh" "$fixed/b.md5anim" -o "$fixed/fix" && grep -q '2 joints attached to the parents that the mesh defines' "$scratch/out" &&
        tool_exits 0 convert "$fixed/a.md5mesh" "$fixed/b.md5anim" --output "$fixed/convert" || return 1
    for command in fix convert; do
        grep -q '"b"	0 ' "$fixed/$command/b.md5anim" &&
            print_skin "$fixed/$command/a.md5mesh" "$fixed/$command/b.md5anim" 2 >"$scratch/now" &&
            skins_satisfy "$scratch/old" "$scratch/now" 'off($2, $6) < 1e-4 && off($3, $7) < 1e-4 && off($4, $8) < 1e-4' 3 || return 1
    done
    cp "$fixed/b.md5anim" "$fixed/alone" && tool_exits 1 fix "$fixed/alone/b.md5anim" -o "$fixed/alone/c.md5anim" &&
        grep -q 'does not store the parents of joints; add the parents of its mesh' "$scratch/err" && [ ! -e "$fixed/alone/c.md5anim" ] &&
        mkdir "$fixed/both" && tool_exits 0 fix "$fixed/alone/b.md5anim" "$fixed/a.md5mesh" -o "$fixed/both" &&
        cmp "$fixed/both/b.md5anim" "$fixed/fix/b.md5anim" && rm "$fixed/both"/* &&
        sed 's/keys 3 0 10/keys 3 0 x/' "$fixed/b.md5anim" >"$fixed/alone/b.md5anim" &&
        tool_exits 1 convert "$fixed/a.md5mesh" "$fixed/alone/b.md5anim" --output "$fixed/none" && [ -z "$(ls "$fixed/none" 2>/dev/null)" ] &&
        tool_exits 1 fix "$fixed/a.md5mesh" "$fixed/alone/b.md5anim" --output "$fixed/both" && [ -z "$(ls "$fixed/both")" ]
}
check 'fix writes a pair of version 6 as version 10' fix_reads_version_6
# == End of the changes that options request ==

# A game folder with a model whose clip does not match its mesh.
checks_game_folder() {
    change='s/limb/Limb/'
    rm -rf "$scratch/game" && mkdir -p "$scratch/game/def" "$scratch/game/models" && write_broken_pair anim &&
        cp "$scratch/case"/a.md5* "$scratch/game/models" &&
        printf 'model m { mesh models/a.md5mesh anim walk models/a.md5anim }\n' >"$scratch/game/def/m.def" &&
        mkdir "$scratch/game/materials" && echo 'hide { diffusemap _white }' >"$scratch/game/materials/m.mtr" &&
        tool_exits 1 check "$scratch/game" && grep -q "no joint 'Limb'.*\[clip-joint-name\] stops doom3" "$scratch/out" &&
        grep -q 'declarations, of which Doom 3 replaces 1 with defaults' "$scratch/out" &&
        tool_exits 0 parse --base "$scratch/game" models && grep -q '"state":"default"' "$scratch/out" &&
        grep -q 'differ in the name of a joint: the game ends' "$scratch/err" &&
        tool_exits 0 explain "$scratch/game" m && grep -q 'the game ends with an error' "$scratch/out" &&
        cp "$base/a.md5anim" "$scratch/game/models" && tool_exits 0 check "$scratch/game" &&
        tool_exits 0 parse --base "$scratch/game" models && grep -q '"state":"parsed"' "$scratch/out" &&
        sed 's/( 4 1 6 )/( 4 1 1 )/' "$base/a.md5anim" >"$scratch/game/models/a.md5anim" && tool_exits 0 check "$scratch/game" &&
        grep -q 'models/a.md5anim:14:1: .* by up to 5 units in frame 0 \[bounds-small\]' "$scratch/out" && grep -q ' 0 errors, 1 warning' "$scratch/out"
}
check 'a clip that does not match its mesh stops Doom 3' checks_game_folder

# Entities with keys that refer to missing content, and an attached static model. The diagnostics are not repeated for
# an entity that inherits the keys.
checks_entity_keys() {
    rm -rf "$scratch/game" && mkdir -p "$scratch/game/def" "$scratch/game/models" && cp "$base/a.md5mesh" "$scratch/game/models" &&
        printf '%s\n' 'model m { mesh models/a.md5mesh }' 'entityDef e { "model" "m"' '"skin" "blue"' '"def_head" "none"' \
            '"head_joint" "horn"' '"def_attach" "lamp"' '"def_attach2" "nobody"' '"anim" "fly" }' \
            'entityDef lamp { "model" "models/lamp.lwo" "joint" "tail" }' 'entityDef heir { "inherit" "e" }' >"$scratch/game/def/m.def" &&
        echo FORM >"$scratch/game/models/lamp.lwo" && tool_exits 0 check "$scratch/game" &&
        for message in "3:1: .*Unknown skin 'blue'" "4:1: .*unknown model 'none': expected a modelDef" "5:1: .*Joint 'horn'" "6:1: .*Joint 'tail'" \
            "6:1: warning: key 'def_attach': entity 'lamp' has the unknown model 'models/lamp.lwo': expected a modelDef or an .md5mesh file" "7:1: .*Unknown entityDef 'nobody'" "8:1: .*Unknown anim 'fly'"; do
            [ "$(grep -c "def/m.def:$message" "$scratch/out")" -eq 1 ] || { echo "$message"; return 1; }
        done
}
check 'check reports entity keys that refer to missing content' checks_entity_keys
# Declarations of a game that refer to missing content; check compares the text of the diagnostics.
finds_missing_content() {
    rm -rf "$scratch/game" && mkdir -p "$scratch/game/def" "$scratch/game/models" "$scratch/game/materials" "$scratch/game/skins" &&
        cp "$base"/a.md5* "$scratch/game/models" && echo 'model m { mesh models/a.md5mesh skin furr anim walk models/a.md5anim }' >"$scratch/game/def/m.def" &&
        printf '\nhides { diffusemap skin/hide.tga }\nrest { diffusemap _white { map fx/../sky cubeMap env/sky } }\n' >"$scratch/game/materials/m.mtr" &&
        printf 'skin fur { hides other }\n' >"$scratch/game/skins/m.skin" && tool_exits 0 check "$scratch/game" &&
        output_has_line "models/a.md5mesh:13:9: warning: material 'hide' not found: did you mean 'hides'? \[no-material\] wrong in doom3" &&
        output_has_line "materials/m.mtr:2:1: warning: material 'hides': image 'skin/hide' not found \[no-image\]" &&
        output_has_line "def/m.def:1:1: warning: modelDef 'm': skin 'furr' not found \[no-skin-decl\]" &&
        output_has_line "skins/m.skin:1:1: warning: material 'other' not found \[no-material\]" && ! grep -q "rest" "$scratch/out" || return 1
    tool_exits 0 explain "$scratch/game" models/a.md5mesh && output_has_line '  image: hide: image not found (searched .tga and .jpg)' || return 1
    # An image with another extension, or a compressed one, is equivalent; built-in images always exist.
    mkdir -p "$scratch/game/dds/skin" && { print_tga_header 002 000 001 030 && head -c 6 /dev/zero; } >"$scratch/game/hide.tga" && : >"$scratch/game/dds/skin/hide.dds" &&
        echo 'skin fur { hides _black } skin furr { hides rest }' >"$scratch/game/skins/m.skin" &&
        tool_exits 0 check "$scratch/game" && ! grep -q 'no-material\|no-image\|no-skin-decl' "$scratch/out"
}
check 'check reports missing materials, images and skins' finds_missing_content
# check_and_explain_print LINE: returns success if check and explain both report the line for the surface of a mesh.
check_and_explain_print() {
    rm -rf "$scratch/game/"*.tga "$scratch/game/skins" && tool_exits 0 check "$scratch/game" && output_has_line "$1" && tool_exits 0 explain "$scratch/game" m && output_has_line "$1" &&
        tool_exits 0 explain "$scratch/game" models/a.md5mesh && output_has_line "$1"
}
finds_black_surfaces() {
    mkdir -p "$scratch/game/skin" && echo 'model m { mesh models/a.md5mesh anim walk models/a.md5anim }' >"$scratch/game/def/m.def" && rm -rf "$scratch/game/dds" &&
        echo 'hide { diffusemap skin/hide } other { nonsense }' >"$scratch/game/materials/m.mtr" && print_tga_header 002 000 004 030 >"$scratch/game/skin/hide.png" &&
        check_and_explain_print "'hide': image 'skin/hide' not found: expected a .tga or .jpg file, found 'skin/hide.png' \[no-image\] wrong in doom3" && ! grep -q "'other' becomes" "$scratch/out" &&
        mv "$scratch/game/skin" "$scratch/game/skins2" && mv "$scratch/game/skins2/hide.png" "$scratch/game/skins2/Hide.tga" &&
        check_and_explain_print "'hide': image 'skin/hide' not found: did you mean 'skins2/Hide.tga'? \[no-image\]" && mv "$scratch/game/skins2" "$scratch/game/skin" &&
        check_and_explain_print "skin/Hide.tga: warning: cannot read the image: .* \[no-image\] wrong in doom3" && : >"$scratch/game/skin/Hide.tga" &&
        check_and_explain_print "skin/Hide.tga: warning: cannot read the image: file is empty: expected an image \[no-image\]" &&
        echo 'hide { nonsense }' >"$scratch/game/materials/m.mtr" &&
        check_and_explain_print "m.mtr:1:8: warning: 'hide' becomes the default: .*nonsense.* \[defaulted\] wrong in doom3$" &&
        echo 'hid { diffusemap _white }' >"$scratch/game/materials/m.mtr" && check_and_explain_print "material 'hide' not found: did you mean 'hid'? \[no-material\]" &&
        tool_exits 0 explain --for darkmod "$scratch/game" m && output_has_line "\[no-material\] wrong in darkmod$" && tool_exits 1 explain "$scratch/game" hied &&
        output_has_line "asset hied not found: did you mean 'hid'?"
}
check 'check reports the first reason why a surface lacks its image' finds_black_surfaces
# Declared materials that show no image: explain prints the reason, but not for a material that is drawn.
explains_undrawn_materials() {
    while IFS='|' read -r body reason; do
        echo "hide { $body }" >"$scratch/game/materials/m.mtr"
        for name in models/a.md5mesh hide; do
            tool_exits 0 explain "$scratch/game" $name && output_has_line "^  black or invisible: hide: $reason" || return 1
        done
    done <<'END'
|the material has no stages
{ if 0 map _white }|the condition of every stage is 0
{ if ( 1 - 1 ) blend add map _white } { if 0 blend diffusemap map _white }|the condition of every stage is 0
guisurf guis/a.gui|the surface shows a GUI (guisurf)
END
    echo 'hide { { if 0 map _white } { map _white } }' >"$scratch/game/materials/m.mtr" && tool_exits 0 explain "$scratch/game" models/a.md5mesh &&
        ! grep -q 'black or invisible' "$scratch/out" && sed 's/shader "hide"/shader ""/' "$base/a.md5mesh" >"$scratch/game/models/a.md5mesh" &&
        tool_exits 0 explain "$scratch/game" models/a.md5mesh && output_has_line '^  material: mesh 0 has no shader$' && ! grep -q 'not declared' "$scratch/out"
}
check 'explain prints why a declared material shows no image' explains_undrawn_materials
# Files of Quake and Cube 2 on disk: names of skins are case-sensitive, and md5.cfg refers to files.
finds_black_surfaces_on_disk() {
    rm -rf "$scratch/case" && mkdir -p "$scratch/case/progs" "$scratch/case/cube" && cp "$base"/a.md5* "$scratch/case/progs" && cp "$base"/a.md5* "$scratch/case/cube" &&
        : >"$scratch/case/progs/HIDE_00_00.png" && tool_exits 1 check --for ironwail "$scratch/case" &&
        output_has_line "image not found: hide_00_00: did you mean '.*progs/HIDE_00_00.png'? \[no-skin\] broken or invisible in ironwail" &&
        mv "$scratch/case/progs/HIDE_00_00.png" "$scratch/case/progs/hide_0_0.png" && tool_exits 1 explain --for ironwail "$scratch/case" progs &&
        tool_exits 0 explain --for ironwail "$scratch/case" progs/a.md5mesh && output_has_line "image not found: hide_00_00: did you mean 'progs/hide_0_0.png'? \[no-skin\]" &&
        ! grep -q 'used as an image name' "$scratch/out" && : >"$scratch/case/cube/skin.png" &&
        printf 'md5load a.md5mesh\nmd5skin * skn.png\nmd5bumpmap * norms2.png\n' >"$scratch/case/cube/md5.cfg" && tool_exits 0 check "$scratch/case/cube" &&
        output_has_line "md5.cfg: warning: image not found: '.*cube/skn.png': did you mean '.*cube/skin.png'?" && output_has_line "image not found: '.*cube/norms2.png'$"
}
check 'check reports missing images of Quake and Cube 2' finds_black_surfaces_on_disk
# Several meshes with the same shader have the same missing image.
counts_meshes_with_missing_image() {
    rm -rf "$scratch/case" && mkdir -p "$scratch/case/progs" && cp "$base/a.md5anim" "$scratch/case/progs" &&
        { sed 's/numMeshes 1/numMeshes 3/' "$base/a.md5mesh" && sed -n '/^mesh {/,$p' "$base/a.md5mesh" && sed -n '/^mesh {/,$p' "$base/a.md5mesh"; } \
            >"$scratch/case/progs/a.md5mesh" && tool_exits 1 check --for ironwail "$scratch/case" &&
        [ "$(grep -c '\[no-skin\] broken' "$scratch/out")" -eq 1 ] && output_has_line 'a.md5mesh:13:[0-9]*: error: image not found: hide_00_00 (and 2 more) \[no-skin\]'
}
check 'check reports a missing image of several meshes once' counts_meshes_with_missing_image
# If the count in a message is one, the noun is in the singular.
uses_singular() {
    tool_exits 0 fix --rename limb=arm "$base/a.md5mesh" --output "$scratch/singular.md5mesh" && output_has_line '^  1 joint, mesh or shader renamed$'
}
check 'fix uses the singular for one change' uses_singular
# Keywords of The Dark Mod make Doom 3 use the default model; check reports this only for Doom 3.
reports_default_model() {
    printf 'model m { mesh models/a.md5mesh anim walk models/a.md5anim {\n no_random_headturning\n frame 1 create_missile_from_def ball limb } }\n' \
        >"$scratch/game/def/m.def" && tool_exits 1 check "$scratch/game" &&
        output_has_line "m.def:2:2: error: 'm' becomes the default: Unknown command 'no_random_headturning' \[defaulted\] refused by doom3$" &&
        output_has_line "'create_missile_from_def' is a keyword of The Dark Mod" && tool_exits 1 check --for doom3 "$scratch/game" &&
        output_has_line 'declarations, of which Doom 3 replaces 1 with defaults' && tool_exits 0 check --for darkmod "$scratch/game" && output_has_line '^[0-9]* declarations$' &&
        ! grep -q 'a keyword of' "$scratch/out" && tool_exits 0 check --for quake4 "$scratch/game" && ! grep -q 'Doom 3' "$scratch/out" &&
        output_has_line 'a keyword of The Dark Mod' && printf 'fog { fogAlpha 0.5 { map _white ignoreDepth } }\n' >"$scratch/game/materials/n.mtr" &&
        tool_exits 0 check --for darkmod "$scratch/game" && ! grep -q 'n.mtr' "$scratch/out" && tool_exits 1 check "$scratch/game" &&
        output_has_line 'n.mtr:1:7: warning: .*fogAlpha.* is a keyword of The Dark Mod' && output_has_line 'n.mtr:1:.*ignoreDepth.* is a keyword of The Dark Mod'
}
check 'check reports a model that Doom 3 replaces by its default' reports_default_model
reports_unreadable_game() { # the folder itself has no error
    tool_exits 0 check "$base" && tool_exits 1 check --mod "$scratch/none" "$base" && grep -q 'none: error: cannot open the folder or archive: No such file' "$scratch/err"
}
check 'check reports a missing game folder' reports_unreadable_game
# An apostrophe is not a quotation mark. The error names the first animation.
parses_apostrophes() {
    { echo 'model m { mesh models/a.md5mesh' && for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "anim walk$i \"models/it's/$i.md5anim\""; done && echo '}'; } \
        >"$scratch/game/def/m.def" && tool_exits 1 check "$scratch/game" && [ "$(grep -c ": warning: Couldn't load anim 'models" "$scratch/out")" -eq 5 ] &&
        output_has_line "^6 more in 1 file: Couldn't load anim ...: expected a readable file$"
}
check 'check groups messages with apostrophes' parses_apostrophes

# Prints one joint in one frame: `limb` in frame 1, which this clip moves by 2.
dump_prints_one_joint() {
    sed '/^frame 1/,$s/\t0 0 6/\t0 2 6/' "$base/a.md5anim" >"$scratch/moved.md5anim" &&
        tool_exits 0 dump "$base/a.md5mesh" "$scratch/moved.md5anim" --joint limb --frame 1 --frame 0 &&
        grep -c '^local 1' "$scratch/out" | grep -qx 2 && grep -q '^local 1 0 0 0 -*1 0 2 6$' "$scratch/out" &&
        grep -q '^world 1 1 0 0 0 0 1 0 2 0 0 1 6$' "$scratch/out" && ! grep -q '^local 0\|^v ' "$scratch/out" &&
        tool_exits 1 dump "$base/a.md5mesh" --joint arm && grep -q "unknown joint 'arm'" "$scratch/err" &&
        tool_exits 2 dump "$base/a.md5mesh" "$scratch/moved.md5anim" --ms 1 --frame 1
}
check 'dump prints one joint in one frame' dump_prints_one_joint
diff_compares_files() {
    cp "$base/a.md5anim" "$scratch/same.md5anim" && tool_exits 0 diff "$base/a.md5anim" "$scratch/same.md5anim" &&
        [ ! -s "$scratch/out" ] && tool_exits 1 diff "$base/a.md5anim" "$scratch/moved.md5anim" &&
        grep -qx '  joints moved by up to 2 units (limb, frame 1)' "$scratch/out" && [ "$(wc -l <"$scratch/out")" -eq 1 ] &&
        sed 's/"limb" 0 ( 0 0 6 ) ( 0 0 0 )/"leg" 0 ( 0 0 6 ) ( 0 0 0 )/;s/hide/fur/;s/( 4 0 6 )/( 4 0 8 )/' "$base/a.md5mesh" >"$scratch/b.md5mesh" &&
        tool_exits 1 diff "$base/a.md5mesh" "$scratch/b.md5mesh" && grep -qx '  joint leg: only in the second file' "$scratch/out" &&
        grep -qx '  mesh 0: the shader changed from hide to fur' "$scratch/out" &&
        grep -qx '  mesh 0: 1 vertex moved in the bind pose, by up to 1 units (vertex 2)' "$scratch/out" &&
        tool_exits 2 diff "$base/a.md5mesh" "$base/a.md5anim" && mkdir "$scratch/one" "$scratch/two" &&
        cp "$base"/a.md5* "$scratch/one" && cp "$scratch/moved.md5anim" "$scratch/two/a.md5anim" &&
        tool_exits 1 diff "$scratch/one" "$scratch/two" && grep -qx '/a.md5mesh: only in the first' "$scratch/out" &&
        grep -q 'limb, frame 1' "$scratch/out" && sed 's/0\.25/0.5/' models/bobbin/bobbin.md5machine >"$scratch/b.md5machine" &&
        tool_exits 0 diff models/bobbin models/bobbin
}
check 'diff compares files and folders' diff_compares_files
diff_compares_folders() {
    rm -rf "$scratch/one" "$scratch/two" && mkdir "$scratch/one" "$scratch/two" && cp $bobbin/flight.md5camera "$scratch/one/" &&
        tool_exits 1 diff "$scratch/one" "$scratch/two" && grep -qx '/flight.md5camera: only in the first' "$scratch/out" &&
        sed 's/^frameRate .*/frameRate 12/;s/^\(\t( [-0-9.]* [-0-9.]* \)[-0-9.]* )/\17 )/' $bobbin/flight.md5camera >"$scratch/two/flight.md5camera" &&
        tool_exits 1 diff "$scratch/one" "$scratch/two" && grep -q '^  frame rate: changed from [0-9]* to 12 frames per second$' "$scratch/out" &&
        grep -q '^  views moved by up to [0-9.]* units (frame ' "$scratch/out" &&
        sed '/^bounds/,/^}/s/( [-0-9.]*/( -77/' $bobbin/walk.md5anim >"$scratch/boxes.md5anim" &&
        tool_exits 1 diff $bobbin/walk.md5anim "$scratch/boxes.md5anim" && grep -q '^  frame bounds differ by up to ' "$scratch/out" &&
        [ "$(wc -l <"$scratch/out")" -eq 1 ] || return 1
    sed "s/pos ( -*[0-9.]*/pos ( 77/" test/fuzz/seeds/camera/cut_views.md5camera >"$scratch/cuts.md5camera" &&
        tool_exits 1 diff test/fuzz/seeds/camera/cut_views.md5camera "$scratch/cuts.md5camera" && grep -q '^  cut [0-9]*: the view differs$' "$scratch/out" || return 1
    "$tool" convert models/thimble/thimble.md5mesh --for cube2 -o "$scratch/three" >"$scratch/out" 2>&1
    cfg=$(cd "$scratch/three" && find . -name md5.cfg) && cp -r "$scratch/three" "$scratch/four" && echo '// more' >>"$scratch/four/$cfg" &&
        tool_exits 0 diff "$scratch/three" "$scratch/three" && tool_exits 1 diff "$scratch/three" "$scratch/four" && grep -q 'the text of the files differs' "$scratch/out"
}
check 'diff compares cameras, boxes and md5.cfg' diff_compares_folders
# The JSON output contains the numbers of the text output, and no numbers that are invalid in JSON.
cat >"$scratch/numbers.py" <<'PYTHON'
import json, re, sys
def strict(text):
    return json.loads(text, parse_constant=lambda word: sys.exit("not JSON: " + word))
kind, as_json = sys.argv[1], [strict(line) for line in open(sys.argv[2])]
lines = open(sys.argv[3]).read().splitlines()
def numbers(one):
    if isinstance(one, dict):
        return [n for key, value in one.items() for n in numbers(value)]
    if isinstance(one, list):
        return [n for value in one for n in numbers(value)]
    return [one] if isinstance(one, (int, float)) else []
assert as_json, "nothing is printed"
if kind == "dump":
    lines = [re.sub('"[^"]*"', "", line) for line in lines if not re.match("numJoints|numMeshes|mesh ", line)]
    as_json = [one for one in as_json if one["kind"] != "mesh"]
    assert len(lines) == len(as_json)
    for line, one in zip(lines, as_json):
        word, *values = line.split()
        values = [float(v) for v in values if re.match("[-+0-9]", v)]
        if word == "time":
            del values[1] # a column of the golden files that is always 0
        assert word == one["kind"] and values == [float(n) for n in numbers(one)], line
else:
    mesh = as_json[0]["meshes"][0]
    text = "\n".join(lines)
    for path, slots in zip(mesh["paths"], (4, 8)):
        assert f"skinned with {slots}   {path['kept']} of {path['influences']} influences, {path['bytes']} bytes" in text
    # Four vertices, one with two influences: slots of 2 + 4 bytes; 16 + 4 bytes per influence, and 4 bytes per vertex and for
    # the end.
    assert [p["kept"] for p in mesh["paths"][:2]] == [5, 5] and [p["bytes"] for p in mesh["paths"]] == [96, 192, 120]
    assert mesh["texture"] == {"file": sys.argv[4], "kind": "TGA", "width": 4, "height": 2, "bits": 24}, mesh["texture"]
    assert [joint["name"] for joint in as_json[0]["tree"]] == ["root", "limb"] and as_json[0]["clips"][0]["fit"] == "fits"
PYTHON
prints_json() {
    rm -rf "$scratch/case" && mkdir "$scratch/case" && cp "$base"/a.md5* "$scratch/case" && print_tga_header 002 000 004 030 >"$scratch/case/hide.tga" &&
        tool_exits 0 dump --json "$scratch/case/a.md5mesh" "$scratch/case/a.md5anim" --ms 1e300 --ms 20 && cp "$scratch/out" "$scratch/json" &&
        tool_exits 0 dump "$scratch/case/a.md5mesh" "$scratch/case/a.md5anim" --ms 1e300 --ms 20 &&
        python3 "$scratch/numbers.py" dump "$scratch/json" "$scratch/out" && tool_exits 0 info --json "$scratch/case/a.md5mesh" &&
        cp "$scratch/out" "$scratch/json" && tool_exits 0 info "$scratch/case/a.md5mesh" &&
        python3 "$scratch/numbers.py" info "$scratch/json" "$scratch/out" "$scratch/case/hide.tga"
}
check 'dump and info print JSON' prints_json
prints_clips_as_json() {
    num_files=$(find models/thimble -name '*.md5anim' | wc -l)
    tool_exits 0 info --json models/thimble/thimble.md5mesh &&
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)["clips"]))' <"$scratch/out" >"$scratch/num_clips" &&
        [ "$num_files" -gt 1 ] && [ "$(cat "$scratch/num_clips")" -eq "$num_files" ]
}
check 'info prints a list of clips as JSON' prints_clips_as_json
# The texture of a mesh is in the same folder, or a path below a parent folder, or missing.
finds_textures() {
    rm -rf "$scratch/case" && mkdir -p "$scratch/case/models/imp" "$scratch/case/skin" && sed 's/"hide"/"skin\/hide.png"/' "$base/a.md5mesh" \
        >"$scratch/case/models/imp/a.md5mesh" && tool_exits 0 info "$scratch/case/models/imp/a.md5mesh" && output_has_line '^    texture          missing$' &&
        print_tga_header 012 000 004 040 >"$scratch/case/skin/hide.tga" && tool_exits 0 info "$scratch/case/models/imp/a.md5mesh" &&
        output_has_line '^    texture          .*case/skin/hide.tga, TGA, 4 x 2, 32 bits$' && : >"$scratch/case/skin/hide.tga" &&
        tool_exits 0 info "$scratch/case/models/imp/a.md5mesh" &&
        output_has_line '^    texture          .*case/skin/hide.tga, damaged or in an unknown format$' && rm -rf "$scratch/case" && mkdir "$scratch/case" &&
        sed 's/"hide"/"none"/' "$base/a.md5mesh" >"$scratch/case/goblin.md5mesh" && cp models/bobbin/bobbin.png "$scratch/case/goblin_d.png" &&
        tool_exits 0 info "$scratch/case/goblin.md5mesh" && output_has_line '^    texture          .*case/goblin_d.png, PNG, 1024 x 1024, 24 bits$' &&
        output_has_line "^    guessed by       the model's name, in the model's folder (" && mkdir "$scratch/case/materials" &&
        printf 'none { diffusemap skin/none.tga }\n' >"$scratch/case/materials/m.mtr" && tool_exits 0 info "$scratch/case/goblin.md5mesh" &&
        output_has_line '^    not used         declared image skin/none not found$'
}
check 'info finds the textures of models' finds_textures
explain_prints_json() {
    rm -rf "$scratch/game" && mkdir -p "$scratch/game/def" "$scratch/game/materials" && cp "$base/a.md5mesh" "$scratch/game" &&
        printf 'model m { mesh a.md5mesh skin fur }\n' >"$scratch/game/def/m.def" &&
        printf 'm { diffusemap skin/none.tga }\n' >"$scratch/game/materials/m.mtr" && tool_exits 0 explain --json "$scratch/game" m && python3 -c 'import json, sys
found = [json.loads(line) for line in open(sys.argv[1])]
assert found[0] == {"kind": "model", "name": "m"}, found[0]
assert any(one["kind"] == "result" for one in found) and {"kind": "searched", "location": sys.argv[2]} in found
assert {"kind": "missing", "what": "image", "name": "skin/none"} in found
assert {"kind": "needs", "what": "skin", "name": "fur"} in found
assert {"kind": "file", "what": "declared", "name": "def/m.def", "line": 1, "location": sys.argv[2]} in found' "$scratch/out" "$scratch/game"
}
check 'explain as JSON' explain_prints_json
info_lists_clips() {
    rm -rf "$scratch/case" && mkdir "$scratch/case" && cp "$base"/a.md5* "$scratch/case" &&
        sed 's/limb/Limb/' "$base/a.md5anim" >"$scratch/case/b.md5anim" && tool_exits 0 info "$scratch/case/a.md5mesh" &&
        grep -q 'clip *a.md5anim: fits$' "$scratch/out" && grep -q "clip *b.md5anim: a.md5mesh has no joint 'Limb'" "$scratch/out"
}
check 'info lists the clips that match a mesh' info_lists_clips
suggests_commands() {
    tool_exits 2 chek && grep -q "did you mean 'check'" "$scratch/err" && tool_exits 0 help check &&
        grep -q '^usage: md5tool check' "$scratch/out" && tool_exits 0 help && grep -q '^usage: md5tool COMMAND' "$scratch/out"
}
check 'md5tool suggests a command for a misspelled one' suggests_commands

# batch_has_statuses BATCH EXPECTED: runs a batch file. The second file contains "LINE: exit status N" for each command that must fail.
batch_has_statuses() {
    "$tool" --batch "$1" >"$scratch/out" 2>&1
    status=$?
    sed -n 's/.*:\([0-9]*: exit status .*\)/\1/p' "$scratch/out" | diff "$2" - &&
        [ $status -eq "$(awk '$NF > worst { worst = $NF } END { print worst + 0 }' "$2")" ] || { cat -n "$1" "$scratch/out" && false; }
}
# Reactions of four engines to 32 pairs, recorded from real runs. An engine that reads a pair and shows garbage counts as an
# error.
if [ -n "${MD5_CORPUS:-}" ]; then
    sed -n '/^[0-9]/{s/ *$//;h};/^  /{G;s/^  \([A-Z0-9]*\) *\(.\).*\n\(.*\)/\3 \1 \2/p}' \
        "$MD5_CORPUS/golden/engines/verdicts.txt" >"$scratch/verdicts"
    matches_engine_runs() {
        count=0 pairs=$MD5_CORPUS/golden/engines
        : >"$scratch/expected"
        while read -r name engine verdict; do
            case $engine in
            D3) engine=doom3 ;;
            IW) engine=ironwail ;;
            VK) engine=vkquake ;;
            *) engine=q2pro ;;
            esac
            expected=1 count=$((count + 1))
            [ "$verdict" = o ] && expected=0
            case "$name $engine" in
            "08nan "* | "13past doom3" | "38offset doom3" | "43neg ironwail") expected=1 ;;
            esac
            echo "check --for $engine '$pairs/$name.md5mesh' '$pairs/$name.md5anim'"
            [ $expected = 0 ] || echo "$count: exit status 1" >>"$scratch/expected"
        done <"$scratch/verdicts" >"$scratch/lines"
        [ $count -eq 128 ] && batch_has_statuses "$scratch/lines" "$scratch/expected"
    }
    check 'check agrees with four real engines' matches_engine_runs
    # Reactions of dhewm3, recorded from real runs. Incorrect display and reads outside of the file's data count as errors.
    # Numbers out of the range of floats, and strings that it joins, are errors only in the library.
    matches_dhewm3_runs() {
        count=0
        : >"$scratch/expected"
        while read -r kind name verdict _; do
            case $kind in mesh | anim) ;; *) continue ;; esac
            expected=1 count=$((count + 1))
            [ "$verdict" = ok ] && expected=0
            case $name in
            huge-exp | string-concat | parent-forward | weights-out-of-range | first-overrun | components-0-flags) expected=1 ;;
            esac
            echo "check --for doom3 '$MD5_CORPUS/golden/edge/$name.md5$kind'"
            [ $expected = 0 ] || echo "$count: exit status 1" >>"$scratch/expected"
        done <"$MD5_CORPUS/golden/edge-verdicts.txt" >"$scratch/lines"
        [ $count -gt 80 ] && batch_has_statuses "$scratch/lines" "$scratch/expected"
    }
    check 'check agrees with a real run of dhewm3' matches_dhewm3_runs
fi
finish
