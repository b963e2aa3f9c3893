#!/bin/sh
# md5tool from the command line: help, invalid usage, invalid files, and its output for valid files.
. test/build/report.sh
tool=$products/md5tool
data=test/reference/data

# count_result NAME STATUS: counts a test, and prints the tool's output if it failed.
count_result() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: tool: $1"
        sed 's/^/    /' "$scratch/out" "$scratch/err" | head -n 20
    fi
}

# tool_exits STATUS ARGUMENTS...: returns success if the tool exits with that status.
tool_exits() {
    status=$1
    shift
    "$tool" "$@" >"$scratch/out" 2>"$scratch/err"
    [ $? -eq "$status" ]
}

# output_contains FILE TEXT: returns success if one of the tool's two outputs contains the text.
output_contains() {
    grep -qF -- "$2" "$scratch/$1"
}

# has_line_count FILE N: returns success if the output has N lines.
has_line_count() {
    [ "$(wc -l <"$scratch/$1")" -eq "$2" ]
}

tool_exits 0 --help && output_contains out 'usage: md5tool COMMAND'
count_result 'help' $?
for command in info check fix diff dump curves list explain parse bind compress decompress; do
    tool_exits 0 "$command" --help && output_contains out "usage: md5tool $command"
    count_result "$command --help" $?
    tool_exits 2 "$command" && has_line_count err 1 && output_contains err 'missing'
    count_result "$command without a file" $?
    tool_exits 2 "$command" --wrong "$data/flags.md5mesh" && has_line_count err 1 && output_contains err "'--wrong'"
    count_result "$command with an unknown option" $?
done
tool_exits 2 convert --txture a.png "$data/flags.md5mesh" && output_contains err "unknown option '--txture': did you mean '--texture'?"
count_result 'a similar option is suggested' $?
tool_exits 2 dump --txture a.png "$data/flags.md5mesh" && ! output_contains err 'did you mean'
count_result 'an option of another command is not suggested' $?
# A model in an .md5anim file of a game folder: the rules of engines would advise to remove its keywords.
mkdir -p "$scratch/game/def" "$scratch/game/models"
cp "$data/flags.md5mesh" "$scratch/game/models/flags.md5anim"
echo 'model flags { mesh models/flags.md5mesh anim flags models/flags.md5anim }' >"$scratch/game/def/flags.def"
tool_exits 1 check --for doom3 "$scratch/game" && output_contains out "wrong file type: expected an animation" && ! output_contains out 'unknown keyword'
count_result 'a file with the extension of another type in a game folder' $?
tool_exits 0 --version && output_contains out 'md5tool '
count_result 'version' $?
has_manual() {
    tool_exits 0 --man && cp "$scratch/out" "$scratch/page" || return 1
    if command -v groff >"$scratch/found"; then
        groff -man -Tascii -ww "$scratch/page" >"$scratch/read" 2>"$scratch/err" && has_line_count err 0 || return 1
    fi
    for word in '.SS info' '.SS check' '.SS dump' '\-\-ms T' '\-\-root MODE' '\-\-batch FILE'; do
        grep -qF -- "$word" "$scratch/page" || return 1
    done
}
has_manual
count_result '--man' $?
completion_is() { # WORDS, EXPECTED
    tool_exits 0 --completions bash || return 1
    # shellcheck disable=SC2016
    completed=$(bash -c '. "$1"; read -ra COMP_WORDS <<<"$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _md5tool
        echo "${COMPREPLY[*]}"' - "$scratch/out" "$1")
    [ "$completed" = "$2" ]
}
completion_is 'md5tool d' 'diff dump decompress' && completion_is 'md5tool --b' --batch && completion_is 'md5tool dump --r' --root &&
    completion_is 'md5tool --completions f' fish && completion_is 'md5tool info --r' ''
count_result 'bash completes' $?
for shell in bash zsh fish; do
    tool_exits 0 --completions $shell && output_contains out dump && output_contains out '--root' &&
        { ! command -v $shell >"$scratch/found" || $shell -n "$scratch/out"; }
    count_result "completions of $shell" $?
done
tool_exits 2 --completions tcsh && has_line_count err 1 && output_contains err "expected bash, zsh or fish"
count_result 'completions of an unknown shell' $?
tool_exits 2 && has_line_count err 1
count_result 'no command' $?
tool_exits 2 frobnicate && has_line_count err 1 && output_contains err "'frobnicate'"
count_result 'an unknown command' $?
tool_exits 2 dump a b c && output_contains err "found also 'c'"
count_result 'dump with three files' $?
tool_exits 2 dump "$data/flags.md5mesh" --ms 3 && output_contains err 'has no effect'
count_result 'dump --ms without an animation' $?
tool_exits 2 dump "$data/flags.md5mesh" --ms x && output_contains err "--ms: expected MILLISECONDS, found 'x'"
count_result 'dump --ms x' $?
tool_exits 2 dump "$data/flags.md5mesh" --root sideways && output_contains err "--root: expected file, id or in_place, found 'sideways'"
count_result 'dump --root sideways' $?

# Invalid input: one line of error for each file, and status 1.
: >"$scratch/empty.md5mesh"
printf '\211PNG\r\n\032\n\0\0\0\rIHDR' >"$scratch/picture.md5mesh"
cp "$data/flags.md5anim" "$scratch/anim.md5mesh"
cp "$data/flags.md5mesh" "$scratch/mesh.md5anim"
mkdir "$scratch/folder.md5mesh"
for bad in missing.md5mesh empty.md5mesh picture.md5mesh anim.md5mesh mesh.md5anim folder.md5mesh; do
    tool_exits 1 info "$scratch/$bad" && has_line_count err 1 && output_contains err "$bad" && output_contains err 'error: '
    count_result "info of invalid file $bad" $?
    tool_exits 1 check "$scratch/$bad" && [ "$(grep -vc '^remedy for ' "$scratch/out")" -eq 2 ] && output_contains out "$bad" \
        && output_contains out '1 file, 1 error, 0 warnings'
    count_result "check of invalid file $bad" $?
done
tool_exits 1 info "$scratch/anim.md5mesh" && output_contains err 'md5anim'
count_result 'an animation in place of a mesh is reported as an animation' $?
sed 's/"joint/"other/' "$data/flags.md5anim" >"$scratch/other.md5anim"
tool_exits 1 dump "$data/flags.md5mesh" "$scratch/other.md5anim" && has_line_count err 1 \
    && output_contains err "'other0'" && output_contains err "'joint0'"
count_result 'dump with the animation of another skeleton' $?

tool_exits 0 info "$data"/*.md5mesh "$data"/*.md5anim && output_contains out 'joints' && output_contains out 'frame rate' \
    && output_contains out 'constant tracks' && output_contains out 'bytes in memory'
count_result 'info of valid files' $?
# Lists each joint once, with name and parent as in the file, below its parent and indented by two more columns.
info_prints_joint_tree() {
    tool_exits 0 info models/bobbin/bobbin.md5mesh && tr -d '"\r' <models/bobbin/bobbin.md5mesh | awk '
        FNR == NR { if (/^joints/) inside = 1; else if (/^}/) inside = 0; else if (inside && NF > 9) file[n++] = $1 " " $2; next }
        /^  joint / {
            name = $3; sub(/,$/, "", name)
            parent = NF == 5 ? $5 : -1
            at[$2] = index($0, name)
            bad += file[$2] != name " " parent || seen[$2]++ || (parent >= 0 && at[parent] + 2 != at[$2])
            count++
        }
        END { exit !(n == 79 && count == n && !bad) }' - "$scratch/out"
}
info_prints_joint_tree
count_result 'info prints the tree of joints' $?
tool_exits 0 info models/bobbin/walk.md5anim && output_contains out '  joint 1              hips, parent 0'
count_result 'info prints the joints of an animation' $?
tool_exits 0 check --for md5model "$data"/*.md5mesh "$data"/*.md5anim && tail -n 1 "$scratch/out" | grep -q ' 0 errors'
count_result 'check of valid files' $?

mkdir -p "$scratch/tree/a/b"
cp "$data/flags.md5mesh" "$scratch/tree"
cp "$data/flags.md5anim" "$scratch/tree/a"
printf 'MD5Version 10\ncommandline ""\nnumFrames 2\nframeRate 24\nnumCuts 0\ncuts {\n}\ncamera {
( 0 0 0 ) ( 0 0 0 ) 90\n( 1 0 0 ) ( 0 0 0 ) 90\n}\n' >"$scratch/tree/a/b/flight.md5camera"
tool_exits 0 check --for md5model "$scratch/tree" && has_line_count out 1 && output_contains out '3 files, 0 errors, 0 warnings'
count_result 'check of a folder and its subfolders' $?
tool_exits 0 info "$scratch/tree/a/b/flight.md5camera" && output_contains out 'md5camera' && output_contains out 'cuts'
count_result 'info of a camera' $?
sed 's/90$/x/' "$scratch/tree/a/b/flight.md5camera" >"$scratch/tree/bad.md5camera"
tool_exits 1 check --for md5model "$scratch/tree" && output_contains out "bad.md5camera:9:21: error: " \
    && output_contains out '4 files, 1 error, 0 warnings'
count_result 'check prints the invalid file, line and column' $?
# 300 files, every tenth of them invalid, are read on all cores and reported in their order.
mkdir "$scratch/many"
for i in $(seq 1000 1299); do
    case $i in *0) from=bad ;; *) from=a/b/flight ;; esac
    ln "$scratch/tree/$from.md5camera" "$scratch/many/$i.md5camera"
done
tool_exits 1 check --all "$scratch/many" && output_contains out '300 files, 30 errors, 0 warnings' && has_line_count out 31 &&
    sed -n 's|.*/\(1..0\)\.md5camera:9:21: error: .*|\1|p' "$scratch/out" >"$scratch/order" &&
    seq 1000 10 1290 | cmp - "$scratch/order"
count_result 'check of many files reports in their order' $?
# Runs on a terminal. If no terminal can be created (no /dev/pts), a library reports every file as a terminal.
run_on_terminal() {
    if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
        script -qec "$*" /dev/null </dev/null
        return
    fi
    echo 'int isatty(int file); int isatty(int file) { return file >= 0; }' >"$scratch/terminal.c"
    # shellcheck disable=SC2086 # the compiler may be several words
    ${CC:-cc} -shared -fPIC -o "$scratch/terminal.so" "$scratch/terminal.c" &&
        ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$scratch/terminal.so "$@"
}
run_on_terminal "$tool" check "$scratch/tree/bad.md5camera" >"$scratch/out" 2>&1
grep -q '^    ( 0 0 0 ) ( 0 0 0 ) x' "$scratch/out" && grep -q '^                        ^' "$scratch/out"
count_result 'check on a terminal shows the source line' $?

# Compares the dump with the reference's numbers, by the reference's tolerant comparison.
for golden in "$data"/*.golden.txt; do
    name=$(basename "$golden" .golden.txt)
    times=$(awk '$1 == "time" && $4 != 1 {printf "--ms %s ", $3}' "$golden")
    # shellcheck disable=SC2086
    tool_exits 0 dump "$data/$name.md5mesh" "$data/$name.md5anim" --root id $times \
        && python3 test/tool/dump_compare.py "$golden" "$scratch/out" >"$scratch/err" 2>&1
    count_result "dump of $name against the reference" $?
done

# Streams: the tool recognizes the content of a pipe by its first words. It rejects a pipe without a writer, and waits for
# a slow writer, which writes after the reader has started to read.
for kind in mesh anim; do
    "$tool" info /dev/stdin <"$data/flags.md5$kind" >"$scratch/out" 2>"$scratch/err" \
        && output_contains out "/dev/stdin: md5$kind"
    count_result "info of an md5$kind on standard input" $?
    # shellcheck disable=SC2002
    cat "$data/flags.md5$kind" | "$tool" check /dev/stdin >"$scratch/out" 2>"$scratch/err" \
        && output_contains out '1 file, 0 errors'
    count_result "check of an md5$kind through a pipe" $?
done
"$tool" info /dev/stdin <"$scratch/tree/a/b/flight.md5camera" >"$scratch/out" 2>"$scratch/err" \
    && output_contains out '/dev/stdin: md5camera'
count_result 'info of a camera on standard input' $?
mkfifo "$scratch/pipe" "$scratch/pipe.md5mesh"
tool_exits 1 check "$scratch/pipe" "$scratch/pipe.md5mesh" \
    && output_contains out "$scratch/pipe.md5mesh: error: path leads to a pipe or a device: expected a regular file" \
    && output_contains out "$scratch/pipe: error: cannot read the file: the pipe has no writer: expected a program that writes to it" \
    && output_contains out '2 files, 2 errors'
count_result 'pipes without a writer are rejected' $?
mv "$scratch/pipe.md5mesh" "$scratch/slow"
# Descriptor 4 keeps the written data if the reader starts late.
exec 3<>"$scratch/slow" 4<"$scratch/slow"
{
    head -c 1000 "$data/flags.md5mesh"
    cat "$scratch/pipe" >/dev/null # ends when the pipe is opened and closed below
    tail -c +1001 "$data/flags.md5mesh"
} >&3 3>&- 4<&- &
exec 3>&-
"$tool" info "$scratch/slow" >"$scratch/out" 2>"$scratch/err" 4<&- &
reader=$!
: >"$scratch/pipe"
wait $reader && output_contains out 'slow: md5mesh'
slow=$?
exec 4<&-
[ $slow -eq 0 ]
count_result 'info waits for a slow writer' $?
for bad in /dev/null /dev/zero; do
    tool_exits 1 info "$bad" && has_line_count err 1 && output_contains err "$bad" && output_contains err 'error: '
    count_result "info of $bad" $?
done

# A failed write of the output is an error.
if [ -w /dev/full ]; then
    for arguments in --help --version 'info --help' "info $data/flags.md5mesh" \
        "check $data/flags.md5mesh" "dump $data/flags.md5mesh" \
        'curves models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim'; do
        # shellcheck disable=SC2086
        "$tool" $arguments >/dev/full 2>"$scratch/err"
        [ $? -eq 1 ] && output_contains err 'md5tool: error: cannot write the output'
        count_result "$arguments to a full device" $?
    done
else
    skip 'output to a full device' '/dev/full does not exist'
fi
"$tool" --help >&- 2>"$scratch/err"
[ $? -eq 1 ] && output_contains err 'cannot write the output'
count_result 'help to a closed output' $?

# An argument after -- is a file, even if it looks like an option.
cp "$data/flags.md5mesh" "$scratch/--root"
cp "$data/flags.md5mesh" "$scratch/--help"
root=$PWD
absolute=$(cd "$(dirname "$tool")" && pwd)/md5tool
cd "$scratch" || exit 1
for command in info check dump; do
    "$absolute" $command -- --root >"$scratch/out" 2>"$scratch/err" && ! output_contains out usage
    count_result "$command of a file with the name of an option" $?
done
"$absolute" info -- --help >"$scratch/out" 2>"$scratch/err" && output_contains out '--help: md5mesh'
count_result 'info of a file with the name --help' $?
cd "$root" || exit 1
tool_exits 2 info -- && output_contains err 'argument is missing'
count_result 'info -- without a file' $?

# Control characters of a name do not reach a terminal.
escape=$(printf '\033')
unprintable_path="$scratch/n${escape}[31m$(printf '\302\233').md5mesh"
sed "s/\"joint0\"/\"j${escape}[2J\"/; s/shader \"[^\"]*\"/shader \"s$escape]0;x\"/" \
    "$data/flags.md5mesh" >"$unprintable_path"
for command in info check dump; do
    tool_exits 0 $command "$unprintable_path" && ! grep -q "$escape" "$scratch/out" "$scratch/err" \
        && ! grep -q "$(printf '\302\233')" "$scratch/out"
    count_result "$command prints names escaped" $?
done
output_contains out "joint 0 -1 \"j\\x1b[2J\"" && output_contains out '\x1b[31m\xc2\x9b.md5mesh'
count_result 'escaped bytes are shown' $?
echo x >"$unprintable_path"
tool_exits 1 info "$unprintable_path" && output_contains err '\x1b[31m' && ! grep -q "$escape" "$scratch/err"
count_result 'errors print names escaped' $?
tool_exits 2 "x$escape" && output_contains err 'x\x1b' && ! grep -q "$escape" "$scratch/err"
count_result 'arguments are printed escaped' $?
accent=$(printf '\303\251') half=$(printf '\303')
tool_exits 2 "x$accent" && output_contains err "x$accent"
count_result 'printable characters above 127 are printed as they are' $?
tool_exits 2 "x${half}y" && output_contains err 'x\xc3y' && tool_exits 2 "x$half" && output_contains err 'x\xc3'
count_result 'incomplete characters are printed escaped' $?

# Unusual but valid files.
awk '/^bounds/ {b = 1} b && /\(/ {$0 = "( 0 0 0 ) ( 0 0 0 )"} /^}/ {b = 0} {print}' \
    "$data/flags.md5anim" >"$scratch/zero.md5anim"
tool_exits 0 check --for md5model "$scratch/zero.md5anim" && has_line_count out 2 \
    && output_contains out "warning: all bounding boxes in 'bounds' are empty: programs that use them for culling hide the model"
count_result 'check warns of bounds that are all zero' $?
cp "$data/flags.md5mesh" "$scratch/more.md5mesh"
sed -n '/^mesh/,$p' "$data/flags.md5mesh" >"$scratch/mesh"
cat "$scratch/mesh" "$scratch/mesh" >>"$scratch/more.md5mesh"
tool_exits 0 check "$scratch/more.md5mesh" \
    && output_contains out 'numMeshes is too small: declared 1, found 3; the last 2 are ignored' && has_line_count out 2
count_result 'check counts meshes that are not read' $?
sed 's/"joint5"/"other"/' "$data/flags.md5anim" >"$scratch/walk.md5anim"
cp "$data/flags.md5mesh" "$scratch/body.md5mesh"
echo 'machine one { model body.md5mesh clip stroll walk.md5anim layer all { state a stroll } }' \
    >"$scratch/one.md5machine"
tool_exits 0 check "$scratch/one.md5machine" && output_contains out "walk.md5anim: warning: clip 'stroll': "
count_result 'warnings of a binding contain its file and clip' $?

# A surface of one square pyramid, bound to the joints of a small model.
cat >"$scratch/skeleton.md5mesh" <<'END'
MD5Version 10
commandline ""
numJoints 2
numMeshes 0
joints {
	"low"	-1 ( 0 0 1 ) ( 0 0 0 )
	"high"	0 ( 0 0 4 ) ( 0 0 0 )
}
END
cat >"$scratch/good.obj" <<'END'
# a pyramid
o thing
v -4 -4 0
v 4 -4 0 1.0
v 4 4 0
v -4 4 0
v 0 0 9
vt 0.25 0.75
vn 0 0 -1
f 4/1/1 3/1/1 2/1/1 1/1/1
usemtl a side
f 1 2 5
f 2 3 -1 # the tip
f 3//1 4//1 5//1
f 4/ 1/ 5/
END
bind_file() { # FILE, ARGUMENTS...
    file=$1
    shift
    "$tool" bind "$@" "$scratch/$file" "$scratch/skeleton.md5mesh" >"$scratch/out" 2>"$scratch/err"
}
# bind_rejects_line LINE TEXT: appends this line to the pyramid's file; the error is at the end of that line.
bind_rejects_line() {
    { cat "$scratch/good.obj" && printf '%s\n' "$1"; } >"$scratch/wrong.obj"
    ! bind_file wrong.obj && has_line_count err 1 && output_contains err "wrong.obj:16:$2"
}
bind_file good.obj && output_contains out 'shader "a side"' && output_contains out 'numMeshes 2' && output_contains out 'tri 0 0 2 1' &&
    output_contains out 'vert 0 ( 0.25 0.25 ) 0' && cp "$scratch/out" "$scratch/bound.md5mesh" &&
    tool_exits 0 check --ignore shader-name "$scratch/bound.md5mesh" && output_contains out '0 errors, 0 warnings'
count_result 'bind' $?
bind_file good.obj && [ "$(awk '/^\tnumverts/ { printf "%s ", $2 }' "$scratch/out")" = '4 5 ' ]
count_result 'bind gives each mesh only its vertices' $?
bind_file good.obj --influences 1 --resolution 16 && ! grep -q '^	vert .* [2-9]$' "$scratch/out"
count_result 'bind with one weight for each vertex' $?
bind_file good.obj --exclude high && ! grep -q '^	weight [0-9]* 1 ' "$scratch/out"
count_result 'bind excludes joints' $?
sed 's/^v \([^ ]*\) \([^ ]*\) \([^ ]*\)/v \2 \3 \1/' "$scratch/good.obj" >"$scratch/y_up.obj"
bind_file good.obj && cp "$scratch/out" "$scratch/straight" && bind_file y_up.obj --y-up && cmp -s "$scratch/out" "$scratch/straight"
count_result 'bind with y up' $?
bind_file good.obj --output "$scratch/bound.md5mesh" && has_line_count out 0 && cmp -s "$scratch/bound.md5mesh" "$scratch/straight"
count_result 'bind into a file' $?
bind_file good.obj --output "$scratch/none/bound.md5mesh"
[ $? -eq 1 ] && output_contains err 'cannot write the file'
count_result 'bind into a file that cannot be written' $?
bind_rejects_line 'v 1 2' "6: error: expected z as a number from -1e9 to 1e9, found the end of the line" &&
    bind_rejects_line 'v 1 x2 3' "5: error: expected y as a number from -1e9 to 1e9, found 'x2'" &&
    bind_rejects_line 'v 1 2 3x' "7: error: expected z" && bind_rejects_line 'v nan 2 3' "3: error: expected x" &&
    bind_rejects_line 'v 1 2 2e9' "7: error: expected z" && bind_rejects_line 'vt x' "4: error: expected u" &&
    bind_rejects_line 'f 1 2 6' '7: error: position is out of range: found 6, but the file has 5 before this line' &&
    bind_rejects_line 'f 1 2 -6' '7: error: position is out of range: found -6, but the file has 5 before this line' &&
    bind_rejects_line 'f 0 1 2' '3: error: position is out of range: found 0, but the file has 5 before this line' &&
    bind_rejects_line 'f 1/2 2 3' '5: error: texture coordinate is out of range: found 2, but the file has 1 before this line' &&
    bind_rejects_line 'f 1 2 a' "7: error: expected a position index, found 'a'" &&
    bind_rejects_line 'f 1/a 2 3' "5: error: expected a texture coordinate index, found 'a'" &&
    bind_rejects_line 'f 1 2x 3' "6: error: expected a space or '/', found 'x'" &&
    bind_rejects_line 'f 1 2' '2: error: face has too few vertices: expected 3 or more, found 2' &&
    bind_rejects_line 'usemtl a "b' '10: error: material name contains a quote or control character; rename the material'
count_result 'bind prints the location of faults' $?
grep -v '^f' "$scratch/good.obj" >"$scratch/points.obj"
! bind_file points.obj && output_contains err 'points.obj: error: file has no faces: expected an OBJ file with at least 1 face'
count_result 'bind needs faces' $?
sed 's/^v \([^ ]*\)/v 1000/' "$scratch/good.obj" >"$scratch/away.obj"
! bind_file away.obj && has_line_count err 1 && output_contains err 'away.obj: error: '
count_result 'bind needs joints in the surface' $?
for wrong in '--influences 0' '--influences 17' '--influences x' '--resolution 3' '--exclude none' '--output'; do
    # shellcheck disable=SC2086
    tool_exits 2 bind "$scratch/good.obj" "$scratch/skeleton.md5mesh" $wrong && has_line_count err 1 && output_contains err "${wrong%% *}"
    count_result "bind $wrong" $?
done
# The first and the last value of a range, and the numbers next to it.
while read -r option below first last above; do
    for value in "$first" "$last"; do
        tool_exits 1 bind none.obj "$scratch/skeleton.md5mesh" "$option" "$value" && output_contains err 'none.obj: error: '
        count_result "bind $option $value" $?
    done
    for value in "$below" "$above"; do
        tool_exits 2 bind none.obj "$scratch/skeleton.md5mesh" "$option" "$value" && output_contains err "$option" && output_contains err "$value"
        count_result "bind $option $value is out of range" $?
    done
done <<'END'
--influences 0 1 16 17
--resolution 3 4 256 257
END
tool_exits 2 bind a b c && output_contains err "found also 'c'"
count_result 'bind with three files' $?
! bind_file none.obj && output_contains err 'none.obj: error: cannot read the file'
count_result 'bind without its file' $?
python3 test/tool/bind_compare.py "$tool" "$scratch" >"$scratch/out" 2>"$scratch/err"
count_result 'bind reproduces weights similar to Bobbin'"'"'s' $?

# A field of view is the last number of a frame.
camera=models/bobbin/flight.md5camera
awk '/^\t\(.*\) [0-9.]+$/ && !done { $NF += 0.5; done = 1 } { print }' "$camera" >"$scratch/zoomed.md5camera"
tool_exits 0 diff "$camera" "$camera" && tool_exits 1 diff "$camera" "$scratch/zoomed.md5camera" && output_contains out 'fields of view differ by up to 0.5 degrees' && ! output_contains out 'views '
count_result 'diff of two fields of view' $?

walk=models/bobbin/walk.md5anim
bobbin=models/bobbin/bobbin.md5mesh
# Prints the distance between the skins of the decompressed clip and the original, in two frames and between frames.
print_skin_distance() { # LIMIT
    "$tool" dump $bobbin $walk --ms 0 --ms 500 --ms 520 | grep '^v ' >"$scratch/before" &&
        "$tool" dump $bobbin "$scratch/again.md5anim" --ms 0 --ms 500 --ms 520 | grep '^v ' >"$scratch/after" &&
        paste -d ' ' "$scratch/before" "$scratch/after" \
        | awk -v max_distance="$1" '{ d = sqrt(($2 - $6) ^ 2 + ($3 - $7) ^ 2 + ($4 - $8) ^ 2); if (d > worst) worst = d }
            END { exit !(NR > 1000 && worst > 0 && worst <= max_distance) }'
}
tool_exits 0 compress $walk $bobbin -o "$scratch/walk" && output_contains out 'error 0.00' && has_line_count out 1 && has_line_count err 0 &&
    tool_exits 0 decompress "$scratch/walk" --output "$scratch/again.md5anim" && has_line_count out 0 &&
    tool_exits 0 check "$scratch/again.md5anim" && print_skin_distance 0.0101
count_result 'compress followed by decompress' $?
tool_exits 0 decompress "$scratch/walk" && cmp -s "$scratch/out" "$scratch/again.md5anim"
count_result 'decompress to standard output' $?
cp "$scratch/walk" "$scratch/small.md5anim"
tool_exits 0 convert "$scratch/small.md5anim" --output "$scratch/text.md5anim" && cmp -s "$scratch/text.md5anim" "$scratch/again.md5anim"
count_result 'convert a compressed clip to text' $?
fine=$(wc -c <"$scratch/walk")
tool_exits 0 compress $walk --error 0.5 --output "$scratch/walk" && [ "$(wc -c <"$scratch/walk")" -lt "$fine" ]
count_result 'compress with a larger error, without a model' $?
for wrong in '--error 0' '--error x' '--error' '-o' '--other'; do
    # shellcheck disable=SC2086
    tool_exits 2 compress $walk $wrong && has_line_count err 1 && output_contains err "${wrong%% *}"
    count_result "compress $wrong" $?
done
tool_exits 2 compress $walk && output_contains err 'option -o FILE is missing: expected the name of the output file'
count_result 'compress without a name for the result' $?
tool_exits 2 compress a b c -o d && output_contains err "found also 'c'"
count_result 'compress with three files' $?
tool_exits 1 compress $walk -o "$scratch/none/walk" && output_contains err 'cannot write the file'
count_result 'compress into a file that cannot be written' $?
tool_exits 1 decompress "$scratch/walk" -o "$scratch/none/walk" && output_contains err 'cannot write the file'
count_result 'decompress into a file that cannot be written' $?
tool_exits 1 compress $walk none.md5mesh -o "$scratch/walk" && output_contains err 'none.md5mesh: error: cannot'
count_result 'compress without its model' $?
tool_exits 1 decompress $walk && output_contains err 'walk.md5anim: error: animation is not compressed: expected a compressed animation'
count_result 'decompress of an animation' $?
# No command overwrites a file that it reads, even under another name.
cp $walk "$scratch/own.md5anim" && cp "$scratch/walk" "$scratch/packed"
for over in 'compress own.md5anim' 'decompress packed'; do
    file=$scratch/${over#* }
    cp "$file" "$scratch/kept"
    tool_exits 2 "${over% *}" "$file" -o "$scratch/./${over#* }" && output_contains err 'is an input file: expected a different output' && cmp -s "$file" "$scratch/kept"
    count_result "${over% *} does not overwrite its input" $?
done
cp "$scratch/walk" "$scratch/packed.md5anim"
tool_exits 1 check --for cube2 "$scratch/packed.md5anim" && output_contains out 'compressed clip is not supported by the engine: expected an engine that uses md5model; run md5tool decompress first' &&
    tool_exits 0 check --for md5model "$scratch/packed.md5anim"
count_result 'check of a compressed clip for an engine' $?
tool_exits 1 fix "$scratch/packed.md5anim" --dry-run && output_contains err 'compressed clip is not supported: expected an .md5anim; run md5tool decompress first'
count_result 'fix of a compressed clip' $?
printf 'M5AI and more' >"$scratch/image"
tool_exits 1 info "$scratch/image" && output_contains err 'not an MD5 file: found an asset file of version 0.3; load the MD5 files'
count_result 'info of an asset file of version 0.3' $?
tool_exits 0 info "$scratch/walk" && output_contains out "$scratch/walk: compressed clip" && output_contains out 'frames             25' &&
    output_contains out 'error limit        0.5 units' && output_contains out ' per joint and frame' && has_line_count err 0
count_result 'info of a compressed clip' $?
tool_exits 0 check "$scratch/walk" && output_contains out '1 file, 0 errors, 0 warnings' && has_line_count out 1
count_result 'check of a compressed clip' $?
tool_exits 0 info "$scratch/walk" "$bobbin" && output_contains out ': md5mesh'
count_result 'info of a compressed clip and a model' $?
head -c -1 "$scratch/walk" >"$scratch/cut"
printf 'M5CC' >"$scratch/head"
{ head -c 200 "$scratch/walk" && printf 'x' && tail -c +202 "$scratch/walk"; } >"$scratch/changed"
printf 'M5CC\001\000\000\000' >"$scratch/older"
tool_exits 1 check "$scratch/cut" "$scratch/head" "$scratch/changed" "$scratch/older" && has_line_count out 5 &&
    output_contains out "$scratch/cut: error: invalid compressed clip: expected a file of $(wc -c <"$scratch/walk") bytes, found $(wc -c <"$scratch/cut")" &&
    output_contains out "$scratch/head: error: invalid compressed clip: header is truncated: expected 8 bytes, found 4" && output_contains out "$scratch/older: error: unsupported version of a compressed clip: expected 2, found 1" &&
    output_contains out "$scratch/changed: error: invalid compressed clip: checksum does not match: the file is damaged; compress the animation again" && output_contains out '4 files, 4 errors, 0 warnings'
count_result 'check of truncated, damaged and outdated compressed clips' $?
tool_exits 1 info "$scratch/cut" && has_line_count out 0 && output_contains err "$scratch/cut: error: invalid compressed clip: expected a file of $(wc -c <"$scratch/walk") bytes, found $(wc -c <"$scratch/cut")"
count_result 'info of a truncated compressed clip' $?

# curves_match_dump CLIP JOINT...: compares the curves of $scratch/curves in every frame with the origin and the soles that dump
# prints.
curves_match_dump() {
    clip=models/bobbin/$1.md5anim
    shift
    tool_exits 0 curves $bobbin "$clip" "$@" && has_line_count err 0 && cp "$scratch/out" "$scratch/curves" && tool_exits 0 info "$clip" || return 1
    rate=$(awk '/frame rate/ { print $3 }' "$scratch/out")
    # Just before the last frame, which begins the next cycle.
    times=$(awk -v rate="$rate" '$1 == "frames" { for (i = 0; i < $2; i++) printf "--ms %.9f ", 1000 * i / rate - 1e-3 * (i == $2 - 1) }' "$scratch/out")
    # shellcheck disable=SC2086
    tool_exits 0 dump $bobbin "$clip" $times && awk -v rate="$rate" '
        function sole(i) { return m[i] * x + m[i + 1] * y + m[i + 2] * z + m[i + 3] }
        function way(i) { return rate * sqrt((px[j, i + 1] - px[j, i]) ^ 2 + (py[j, i + 1] - py[j, i]) ^ 2) }
        function stands(i) { return pz[j, i] <= 0.3 && pz[j, i + 1] <= 0.3 && way(i) <= 10 }
        function value(i, k) { # value of the curve between its keys
            for (k = 4; k < length_of && key[k + 2] < i; k += 2) { }
            return key[k + 1] + (key[k + 3] - key[k + 1]) * (i - key[k]) / (key[k + 2] - key[k])
        }
        FNR == NR && $1 == "joint" { gsub("\"", "", $4); joint[$4] = $2 }
        FNR == NR && $1 == "bindmat" { lx[$2] = -$14 * $11; ly[$2] = -$14 * $12; lz[$2] = -$14 * $13 }
        FNR == NR && $1 == "origin" { px["o", n] = $2; py["o", n++] = $3 }
        FNR == NR && $1 == "world" {
            for (i = 0; i < 12; i++) m[i] = $(i + 3)
            x = lx[$2]; y = ly[$2]; z = lz[$2]
            px[$2, n - 1] = sole(0); py[$2, n - 1] = sole(4); pz[$2, n - 1] = sole(8)
        }
        FNR < NR {
            for (length_of = 1; length_of < NF; length_of++) key[length_of] = $length_of
            length_of = NF - 4; gsub("\"|plant_", "", $2); j = $2 == "speed" ? "o" : joint[$2]
            if (NF > n || key[4] != 0 || $(NF - 2) != n - 1) bad++
            for (i = 0; i < n; i++) {
                a = i > 0 ? i - 1 : 0; b = i < n - 1 ? i : i - 1
                want = j == "o" ? (way(a) + way(b)) / 2 : stands(a) || stands(b)
                off = value(i) - want
                if (off * off > (j == "o" ? 0.101 ^ 2 : 0)) bad++
                if (j != "o") { down[i] += want; all[j] += want }
            }
            rows++
        }
        END { for (i in down) both += down[i] > 1; for (i in all) print "stands", all[i]; print "both", both + 0; exit !(rows == 3 && n > 1 && !bad) }' "$scratch/out" "$scratch/curves" >"$scratch/agreed"
}
curves_match_dump walk && [ "$(tr '\n' ' ' <"$scratch/agreed")" = 'stands 9 stands 9 both 0 ' ]
count_result 'curves of a walk have a constant speed and alternating feet' $?
curves_match_dump walk_start && curves_match_dump jump && curves_match_dump turn_left && curves_match_dump run toes_l toes_r
count_result 'curves agree with dump' $?
tool_exits 0 curves $bobbin models/bobbin/walk_start.md5anim --error 1 && fewer=$(wc -c <"$scratch/out") &&
    tool_exits 0 curves $bobbin models/bobbin/walk_start.md5anim --error 0.001 && [ "$fewer" -lt "$(wc -c <"$scratch/out")" ]
count_result 'curves with fewer keys' $?
# A foot that glides on the ground at 7.2 and then at 12 units per second.
echo 'MD5Version 10 commandline "" numJoints 1 numMeshes 0 joints { "a foot" -1 ( 0 0 0 ) ( 0 0 0 ) }' >"$scratch/glide.md5mesh"
{
    echo 'MD5Version 10 commandline "" numFrames 5 numJoints 1 frameRate 24 numAnimatedComponents 1 hierarchy { "a foot" -1 1 0 } bounds {'
    yes '( 0 0 0 ) ( 1 1 1 )' | head -n 5
    echo '} baseframe { ( 0 0 0 ) ( 0 0 0 ) } frame 0 { 0 } frame 1 { 0.3 } frame 2 { 0.6 } frame 3 { 1.1 } frame 4 { 1.6 }'
} >"$scratch/glide.md5anim"
tool_exits 0 curves "$scratch/glide.md5mesh" "$scratch/glide.md5anim" && has_line_count out 2 &&
    output_contains out 'curve speed ( 0 7.2  1 7.2  3 12  4 12 )' && output_contains out 'curve "plant_a foot" ( 0 1  2 1  3 0  4 0 )'
count_result 'curves of a gliding foot' $?
{ echo "machine one { model $PWD/$bobbin clip run $PWD/models/bobbin/run.md5anim {" && cat "$scratch/curves" && echo '} layer all { state a run } }'; } >"$scratch/pasted.md5machine"
tool_exits 0 check "$scratch/pasted.md5machine" && output_contains out '1 file, 0 errors, 0 warnings'
count_result 'a machine with the printed curves is valid' $?
tool_exits 1 curves "$data/flags.md5mesh" "$scratch/other.md5anim" && has_line_count err 1 && has_line_count out 0 && output_contains err "'other0'"
count_result 'curves of a clip of another skeleton' $?
tool_exits 1 curves $bobbin $walk foot_x && has_line_count err 1 && output_contains err "bobbin.md5mesh: error: unknown joint 'foot_x'"
count_result 'curves of an unknown joint' $?
tool_exits 2 curves $bobbin $walk --error 0 && output_contains err "--error: expected UNITS, above 0, found '0'"
count_result 'curves --error 0' $?

# The time must be linear in the number of arguments: ten times as many arguments take ten times as long, not a hundred times.
for program in "$tool check" "$tool info"; do
    # shellcheck disable=SC2086
    python3 test/tool/many_arguments.py "$data/flags.md5anim" $program >"$scratch/out" 2>"$scratch/err"
    count_result "the time of ${program#"$products/"} is linear in the number of arguments" $?
done

if [ -n "${MD5_CORPUS:-}" ]; then
    find "$MD5_CORPUS/corpus" -name '*.md5mesh' -o -name '*.md5anim' | grep -v invalid \
        | grep -v malformed | sort >"$scratch/files"
    tr '\n' '\0' <"$scratch/files" | xargs -0 "$tool" check --for md5model >"$scratch/out" 2>"$scratch/err"
    tail -n 1 "$scratch/out" | grep -q ' 0 errors'
    count_result 'check of the corpus' $?
    tr '\n' '\0' <"$scratch/files" | xargs -0 "$tool" info >"$scratch/out" 2>"$scratch/err" \
        && [ ! -s "$scratch/err" ]
    count_result 'info of the corpus' $?
else
    skip 'check and info of the corpus' 'MD5_CORPUS is not set'
fi
finish
