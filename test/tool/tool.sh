#!/bin/sh
# md5tool from the command line: help, invalid usage, invalid files, and its output for valid files.
. test/build/report.sh
tool=$products/md5tool
data=test/reference/data

# report NAME STATUS: counts a test, and prints the tool's output if it failed.
report() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: tool: $1"
        sed 's/^/    /' "$scratch/out" "$scratch/err" | head -n 20
    fi
}

# runs STATUS ARGUMENTS...: returns success if the tool exits with that status.
runs() {
    status=$1
    shift
    "$tool" "$@" >"$scratch/out" 2>"$scratch/err"
    [ $? -eq "$status" ]
}

# says FILE TEXT: returns success if one of the tool's two outputs contains the text.
says() {
    grep -qF -- "$2" "$scratch/$1"
}

# lines FILE N: returns success if the output has N lines.
lines() {
    [ "$(wc -l <"$scratch/$1")" -eq "$2" ]
}

runs 0 --help && says out 'usage: md5tool COMMAND'
report 'help' $?
for command in info check fix diff dump curves list explain parse bind compress decompress; do
    runs 0 "$command" --help && says out "usage: md5tool $command"
    report "$command --help" $?
    runs 2 "$command" && lines err 1 && says err 'missing'
    report "$command without a file" $?
    runs 2 "$command" --wrong "$data/flags.md5mesh" && lines err 1 && says err "'--wrong'"
    report "$command with an unknown option" $?
done
runs 0 --version && says out 'md5tool '
report 'version' $?
has_manual() {
    runs 0 --man && cp "$scratch/out" "$scratch/page" || return 1
    if command -v groff >"$scratch/found"; then
        groff -man -Tascii -ww "$scratch/page" >"$scratch/read" 2>"$scratch/err" && lines err 0 || return 1
    fi
    for word in '.SS info' '.SS check' '.SS dump' '\-\-ms T' '\-\-root MODE' '\-\-batch FILE'; do
        grep -qF -- "$word" "$scratch/page" || return 1
    done
}
has_manual
report '--man' $?
completes() { # WORDS, EXPECTED
    runs 0 --completions bash || return 1
    # shellcheck disable=SC2016
    completed=$(bash -c '. "$1"; read -ra COMP_WORDS <<<"$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _md5tool
        echo "${COMPREPLY[*]}"' - "$scratch/out" "$1")
    [ "$completed" = "$2" ]
}
completes 'md5tool d' 'diff dump decompress' && completes 'md5tool --b' --batch && completes 'md5tool dump --r' --root &&
    completes 'md5tool --completions f' fish && completes 'md5tool info --r' ''
report 'bash completes' $?
for shell in bash zsh fish; do
    runs 0 --completions $shell && says out dump && says out '--root' &&
        { ! command -v $shell >"$scratch/found" || $shell -n "$scratch/out"; }
    report "completions of $shell" $?
done
runs 2 --completions tcsh && lines err 1 && says err "expected bash, zsh or fish"
report 'completions of an unknown shell' $?
runs 2 && lines err 1
report 'no command' $?
runs 2 frobnicate && lines err 1 && says err "'frobnicate'"
report 'an unknown command' $?
runs 2 dump a b c && says err "found also 'c'"
report 'dump with three files' $?
runs 2 dump "$data/flags.md5mesh" --ms 3 && says err 'has no effect'
report 'dump --ms without an animation' $?
runs 2 dump "$data/flags.md5mesh" --ms x && says err "--ms: expected MILLISECONDS, found 'x'"
report 'dump --ms x' $?
runs 2 dump "$data/flags.md5mesh" --root sideways && says err "--root: expected file|id|in_place, found 'sideways'"
report 'dump --root sideways' $?

# Invalid input: one line of error for each file, and status 1.
: >"$scratch/empty.md5mesh"
printf '\211PNG\r\n\032\n\0\0\0\rIHDR' >"$scratch/picture.md5mesh"
cp "$data/flags.md5anim" "$scratch/anim.md5mesh"
cp "$data/flags.md5mesh" "$scratch/mesh.md5anim"
mkdir "$scratch/folder.md5mesh"
for bad in missing.md5mesh empty.md5mesh picture.md5mesh anim.md5mesh mesh.md5anim folder.md5mesh; do
    runs 1 info "$scratch/$bad" && lines err 1 && says err "$bad" && says err 'error: '
    report "info of invalid file $bad" $?
    runs 1 check "$scratch/$bad" && [ "$(grep -vc '^remedy for ' "$scratch/out")" -eq 2 ] && says out "$bad" \
        && says out '1 file, 1 error, 0 warnings'
    report "check of invalid file $bad" $?
done
runs 1 info "$scratch/anim.md5mesh" && says err 'md5anim'
report 'an animation in place of a mesh is reported as an animation' $?
sed 's/"joint/"other/' "$data/flags.md5anim" >"$scratch/other.md5anim"
runs 1 dump "$data/flags.md5mesh" "$scratch/other.md5anim" && lines err 1 \
    && says err "'other0'" && says err "'joint0'"
report 'dump with the animation of another skeleton' $?

runs 0 info "$data"/*.md5mesh "$data"/*.md5anim && says out 'joints' && says out 'frame rate' \
    && says out 'constant tracks' && says out 'bytes in memory'
report 'info of valid files' $?
# Lists each joint once, with name and parent as in the file, below its parent and indented by two more columns.
joints_are_a_tree() {
    runs 0 info models/bobbin/bobbin.md5mesh && tr -d '"\r' <models/bobbin/bobbin.md5mesh | awk '
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
joints_are_a_tree
report 'info prints the tree of joints' $?
runs 0 info models/bobbin/walk.md5anim && says out '  joint 1              hips, parent 0'
report 'info prints the joints of an animation' $?
runs 0 check --for md5model "$data"/*.md5mesh "$data"/*.md5anim && tail -n 1 "$scratch/out" | grep -q ' 0 errors'
report 'check of valid files' $?

mkdir -p "$scratch/tree/a/b"
cp "$data/flags.md5mesh" "$scratch/tree"
cp "$data/flags.md5anim" "$scratch/tree/a"
printf 'MD5Version 10\ncommandline ""\nnumFrames 2\nframeRate 24\nnumCuts 0\ncuts {\n}\ncamera {
( 0 0 0 ) ( 0 0 0 ) 90\n( 1 0 0 ) ( 0 0 0 ) 90\n}\n' >"$scratch/tree/a/b/flight.md5camera"
runs 0 check --for md5model "$scratch/tree" && lines out 1 && says out '3 files, 0 errors, 0 warnings'
report 'check of a folder and its subfolders' $?
runs 0 info "$scratch/tree/a/b/flight.md5camera" && says out 'md5camera' && says out 'cuts'
report 'info of a camera' $?
sed 's/90$/x/' "$scratch/tree/a/b/flight.md5camera" >"$scratch/tree/bad.md5camera"
runs 1 check --for md5model "$scratch/tree" && says out "bad.md5camera:9:21: error: " \
    && says out '4 files, 1 error, 0 warnings'
report 'check prints the invalid file, line and column' $?
# 300 files, every tenth of them invalid, are read on all cores and reported in their order.
mkdir "$scratch/many"
for i in $(seq 1000 1299); do
    case $i in *0) from=bad ;; *) from=a/b/flight ;; esac
    ln "$scratch/tree/$from.md5camera" "$scratch/many/$i.md5camera"
done
runs 1 check --all "$scratch/many" && says out '300 files, 30 errors, 0 warnings' && lines out 31 &&
    sed -n 's|.*/\(1..0\)\.md5camera:9:21: error: .*|\1|p' "$scratch/out" >"$scratch/order" &&
    seq 1000 10 1290 | cmp - "$scratch/order"
report 'check of many files reports in their order' $?
# Runs on a terminal. If no terminal can be created (no /dev/pts), a library reports every file as a terminal.
on_terminal() {
    if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
        script -qec "$*" /dev/null </dev/null
        return
    fi
    echo 'int isatty(int file); int isatty(int file) { return file >= 0; }' >"$scratch/terminal.c"
    # shellcheck disable=SC2086 # the compiler may be several words
    ${CC:-cc} -shared -fPIC -o "$scratch/terminal.so" "$scratch/terminal.c" &&
        ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$scratch/terminal.so "$@"
}
on_terminal "$tool" check "$scratch/tree/bad.md5camera" >"$scratch/out" 2>&1
grep -q '^    ( 0 0 0 ) ( 0 0 0 ) x' "$scratch/out" && grep -q '^                        ^' "$scratch/out"
report 'check on a terminal shows the source line' $?

# Compares the dump with the reference's numbers, by the reference's tolerant comparison.
for golden in "$data"/*.golden.txt; do
    name=$(basename "$golden" .golden.txt)
    times=$(awk '$1 == "time" && $4 != 1 {printf "--ms %s ", $3}' "$golden")
    # shellcheck disable=SC2086
    runs 0 dump "$data/$name.md5mesh" "$data/$name.md5anim" --root id $times \
        && python3 test/tool/dump_compare.py "$golden" "$scratch/out" >"$scratch/err" 2>&1
    report "dump of $name against the reference" $?
done

# Streams: the tool recognizes the content of a pipe by its first words. It rejects a pipe without a writer, and waits for
# a slow writer, which writes after the reader has started to read.
for kind in mesh anim; do
    "$tool" info /dev/stdin <"$data/flags.md5$kind" >"$scratch/out" 2>"$scratch/err" \
        && says out "/dev/stdin: md5$kind"
    report "info of an md5$kind on standard input" $?
    # shellcheck disable=SC2002
    cat "$data/flags.md5$kind" | "$tool" check /dev/stdin >"$scratch/out" 2>"$scratch/err" \
        && says out '1 file, 0 errors'
    report "check of an md5$kind through a pipe" $?
done
"$tool" info /dev/stdin <"$scratch/tree/a/b/flight.md5camera" >"$scratch/out" 2>"$scratch/err" \
    && says out '/dev/stdin: md5camera'
report 'info of a camera on standard input' $?
mkfifo "$scratch/pipe" "$scratch/pipe.md5mesh"
runs 1 check "$scratch/pipe" "$scratch/pipe.md5mesh" \
    && says out "$scratch/pipe.md5mesh: error: path leads to a pipe or a device: expected a regular file" \
    && says out "$scratch/pipe: error: cannot read the file: the pipe has no writer: expected a program that writes to it" \
    && says out '2 files, 2 errors'
report 'pipes without a writer are rejected' $?
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
wait $reader && says out 'slow: md5mesh'
slow=$?
exec 4<&-
[ $slow -eq 0 ]
report 'info waits for a slow writer' $?
for bad in /dev/null /dev/zero; do
    runs 1 info "$bad" && lines err 1 && says err "$bad" && says err 'error: '
    report "info of $bad" $?
done

# A failed write of the output is an error.
if [ -w /dev/full ]; then
    for arguments in --help --version 'info --help' "info $data/flags.md5mesh" \
        "check $data/flags.md5mesh" "dump $data/flags.md5mesh" \
        'curves models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim'; do
        # shellcheck disable=SC2086
        "$tool" $arguments >/dev/full 2>"$scratch/err"
        [ $? -eq 1 ] && says err 'md5tool: error: cannot write the output'
        report "$arguments to a full device" $?
    done
else
    skip 'output to a full device' '/dev/full does not exist'
fi
"$tool" --help >&- 2>"$scratch/err"
[ $? -eq 1 ] && says err 'cannot write the output'
report 'help to a closed output' $?

# An argument after -- is a file, even if it looks like an option.
cp "$data/flags.md5mesh" "$scratch/--root"
cp "$data/flags.md5mesh" "$scratch/--help"
here=$PWD
absolute=$(cd "$(dirname "$tool")" && pwd)/md5tool
cd "$scratch" || exit 1
for command in info check dump; do
    "$absolute" $command -- --root >"$scratch/out" 2>"$scratch/err" && ! says out usage
    report "$command of a file with the name of an option" $?
done
"$absolute" info -- --help >"$scratch/out" 2>"$scratch/err" && says out '--help: md5mesh'
report 'info of a file with the name --help' $?
cd "$here" || exit 1
runs 2 info -- && says err 'argument is missing'
report 'info -- without a file' $?

# Control characters of a name do not reach a terminal.
escape=$(printf '\033')
odd="$scratch/n${escape}[31m$(printf '\302\233').md5mesh"
sed "s/\"joint0\"/\"j${escape}[2J\"/; s/shader \"[^\"]*\"/shader \"s$escape]0;x\"/" \
    "$data/flags.md5mesh" >"$odd"
for command in info check dump; do
    runs 0 $command "$odd" && ! grep -q "$escape" "$scratch/out" "$scratch/err" \
        && ! grep -q "$(printf '\302\233')" "$scratch/out"
    report "$command prints names escaped" $?
done
says out "joint 0 -1 \"j\\x1b[2J\"" && says out '\x1b[31m\xc2\x9b.md5mesh'
report 'escaped bytes are shown' $?
echo x >"$odd"
runs 1 info "$odd" && says err '\x1b[31m' && ! grep -q "$escape" "$scratch/err"
report 'errors print names escaped' $?
runs 2 "x$escape" && says err 'x\x1b' && ! grep -q "$escape" "$scratch/err"
report 'arguments are printed escaped' $?
accent=$(printf '\303\251') half=$(printf '\303')
runs 2 "x$accent" && says err "x$accent"
report 'printable characters above 127 are printed as they are' $?
runs 2 "x${half}y" && says err 'x\xc3y' && runs 2 "x$half" && says err 'x\xc3'
report 'incomplete characters are printed escaped' $?

# Unusual but valid files.
awk '/^bounds/ {b = 1} b && /\(/ {$0 = "( 0 0 0 ) ( 0 0 0 )"} /^}/ {b = 0} {print}' \
    "$data/flags.md5anim" >"$scratch/zero.md5anim"
runs 0 check --for md5model "$scratch/zero.md5anim" && lines out 2 \
    && says out "warning: all bounding boxes in 'bounds' are empty: programs that use them for culling hide the model"
report 'check warns of bounds that are all zero' $?
cp "$data/flags.md5mesh" "$scratch/more.md5mesh"
sed -n '/^mesh/,$p' "$data/flags.md5mesh" >"$scratch/mesh"
cat "$scratch/mesh" "$scratch/mesh" >>"$scratch/more.md5mesh"
runs 0 check "$scratch/more.md5mesh" \
    && says out 'numMeshes is too small: declared 1, found 3; the last 2 are ignored' && lines out 2
report 'check counts meshes that are not read' $?
sed 's/"joint5"/"other"/' "$data/flags.md5anim" >"$scratch/walk.md5anim"
cp "$data/flags.md5mesh" "$scratch/body.md5mesh"
echo 'machine one { model body.md5mesh clip stroll walk.md5anim layer all { state a stroll } }' \
    >"$scratch/one.md5machine"
runs 0 check "$scratch/one.md5machine" && says out "walk.md5anim: warning: clip 'stroll': "
report 'warnings of a binding contain its file and clip' $?

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
bind() { # FILE, ARGUMENTS...
    file=$1
    shift
    "$tool" bind "$@" "$scratch/$file" "$scratch/skeleton.md5mesh" >"$scratch/out" 2>"$scratch/err"
}
# binds_wrong LINE TEXT: appends this line to the pyramid's file; the error is at the end of that line.
binds_wrong() {
    { cat "$scratch/good.obj" && printf '%s\n' "$1"; } >"$scratch/wrong.obj"
    ! bind wrong.obj && lines err 1 && says err "wrong.obj:16:$2"
}
bind good.obj && says out 'shader "a side"' && says out 'numMeshes 2' && says out 'tri 0 0 2 1' &&
    says out 'vert 0 ( 0.25 0.25 ) 0' && cp "$scratch/out" "$scratch/bound.md5mesh" &&
    runs 0 check --ignore shader-name "$scratch/bound.md5mesh" && says out '0 errors, 0 warnings'
report 'bind' $?
bind good.obj && [ "$(awk '/^\tnumverts/ { printf "%s ", $2 }' "$scratch/out")" = '4 5 ' ]
report 'bind gives each mesh only its vertices' $?
bind good.obj --influences 1 --resolution 16 && ! grep -q '^	vert .* [2-9]$' "$scratch/out"
report 'bind with one weight for each vertex' $?
bind good.obj --exclude high && ! grep -q '^	weight [0-9]* 1 ' "$scratch/out"
report 'bind excludes joints' $?
sed 's/^v \([^ ]*\) \([^ ]*\) \([^ ]*\)/v \2 \3 \1/' "$scratch/good.obj" >"$scratch/y_up.obj"
bind good.obj && cp "$scratch/out" "$scratch/straight" && bind y_up.obj --y-up && cmp -s "$scratch/out" "$scratch/straight"
report 'bind with y up' $?
bind good.obj --output "$scratch/bound.md5mesh" && lines out 0 && cmp -s "$scratch/bound.md5mesh" "$scratch/straight"
report 'bind into a file' $?
bind good.obj --output "$scratch/none/bound.md5mesh"
[ $? -eq 1 ] && says err 'cannot write the file'
report 'bind into a file that cannot be written' $?
binds_wrong 'v 1 2' "6: error: expected z as a number from -1e9 to 1e9, found end of line" &&
    binds_wrong 'v 1 x2 3' "5: error: expected y as a number from -1e9 to 1e9, found 'x2'" &&
    binds_wrong 'v 1 2 3x' "7: error: expected z" && binds_wrong 'v nan 2 3' "3: error: expected x" &&
    binds_wrong 'v 1 2 2e9' "7: error: expected z" && binds_wrong 'vt x' "4: error: expected u" &&
    binds_wrong 'f 1 2 6' '7: error: position is out of range: found 6, but the file has 5 before this line' &&
    binds_wrong 'f 1 2 -6' '7: error: position is out of range: found -6, but the file has 5 before this line' &&
    binds_wrong 'f 0 1 2' '3: error: position is out of range: found 0, but the file has 5 before this line' &&
    binds_wrong 'f 1/2 2 3' '5: error: texture coordinate is out of range: found 2, but the file has 1 before this line' &&
    binds_wrong 'f 1 2 a' "7: error: expected a position index, found 'a'" &&
    binds_wrong 'f 1/a 2 3' "5: error: expected a texture coordinate index, found 'a'" &&
    binds_wrong 'f 1 2x 3' "6: error: expected a space or '/', found 'x'" &&
    binds_wrong 'f 1 2' '2: error: face has too few vertices: expected 3 or more, found 2' &&
    binds_wrong 'usemtl a "b' '10: error: material name contains a quote or control character; rename the material'
report 'bind prints the location of faults' $?
grep -v '^f' "$scratch/good.obj" >"$scratch/points.obj"
! bind points.obj && says err 'points.obj: error: file has no faces: expected at least 1'
report 'bind needs faces' $?
sed 's/^v \([^ ]*\)/v 1000/' "$scratch/good.obj" >"$scratch/away.obj"
! bind away.obj && lines err 1 && says err 'away.obj: error: '
report 'bind needs joints in the surface' $?
for wrong in '--influences 0' '--influences 17' '--influences x' '--resolution 3' '--exclude none' '--output'; do
    # shellcheck disable=SC2086
    runs 2 bind "$scratch/good.obj" "$scratch/skeleton.md5mesh" $wrong && lines err 1 && says err "${wrong%% *}"
    report "bind $wrong" $?
done
# The first and the last value of a range, and the numbers next to it.
while read -r option below first last above; do
    for value in "$first" "$last"; do
        runs 1 bind none.obj "$scratch/skeleton.md5mesh" "$option" "$value" && says err 'none.obj: error: '
        report "bind $option $value" $?
    done
    for value in "$below" "$above"; do
        runs 2 bind none.obj "$scratch/skeleton.md5mesh" "$option" "$value" && says err "$option" && says err "$value"
        report "bind $option $value is out of range" $?
    done
done <<'END'
--influences 0 1 16 17
--resolution 3 4 256 257
END
runs 2 bind a b c && says err "found also 'c'"
report 'bind with three files' $?
! bind none.obj && says err 'none.obj: error: cannot read the file'
report 'bind without its file' $?
python3 test/tool/bind_compare.py "$tool" "$scratch" >"$scratch/out" 2>"$scratch/err"
report 'bind reproduces weights similar to Bobbin'"'"'s' $?

# A field of view is the last number of a frame.
camera=models/bobbin/flight.md5camera
awk '/^\t\(.*\) [0-9.]+$/ && !done { $NF += 0.5; done = 1 } { print }' "$camera" >"$scratch/zoomed.md5camera"
runs 0 diff "$camera" "$camera" && runs 1 diff "$camera" "$scratch/zoomed.md5camera" && says out 'fields of view differ by up to 0.5 degrees' && ! says out 'views '
report 'diff of two fields of view' $?

walk=models/bobbin/walk.md5anim
bobbin=models/bobbin/bobbin.md5mesh
# Prints the distance between the skins of the decompressed clip and the original, in two frames and between frames.
skin_differs() { # LIMIT
    "$tool" dump $bobbin $walk --ms 0 --ms 500 --ms 520 | grep '^v ' >"$scratch/before" &&
        "$tool" dump $bobbin "$scratch/again.md5anim" --ms 0 --ms 500 --ms 520 | grep '^v ' >"$scratch/after" &&
        paste -d ' ' "$scratch/before" "$scratch/after" \
        | awk -v most="$1" '{ d = sqrt(($2 - $6) ^ 2 + ($3 - $7) ^ 2 + ($4 - $8) ^ 2); if (d > worst) worst = d }
            END { exit !(NR > 1000 && worst > 0 && worst <= most) }'
}
runs 0 compress $walk $bobbin -o "$scratch/walk" && says out 'error 0.00' && lines out 1 && lines err 0 &&
    runs 0 decompress "$scratch/walk" --output "$scratch/again.md5anim" && lines out 0 &&
    runs 0 check "$scratch/again.md5anim" && skin_differs 0.0101
report 'compress followed by decompress' $?
runs 0 decompress "$scratch/walk" && cmp -s "$scratch/out" "$scratch/again.md5anim"
report 'decompress to standard output' $?
cp "$scratch/walk" "$scratch/small.md5anim"
runs 0 convert "$scratch/small.md5anim" --output "$scratch/text.md5anim" && cmp -s "$scratch/text.md5anim" "$scratch/again.md5anim"
report 'convert a compressed clip to text' $?
fine=$(wc -c <"$scratch/walk")
runs 0 compress $walk --error 0.5 --output "$scratch/walk" && [ "$(wc -c <"$scratch/walk")" -lt "$fine" ]
report 'compress with a larger error, without a model' $?
for wrong in '--error 0' '--error x' '--error' '-o' '--other'; do
    # shellcheck disable=SC2086
    runs 2 compress $walk $wrong && lines err 1 && says err "${wrong%% *}"
    report "compress $wrong" $?
done
runs 2 compress $walk && says err 'option -o FILE is missing: expected the name of the output file'
report 'compress without a name for the result' $?
runs 2 compress a b c -o d && says err "found also 'c'"
report 'compress with three files' $?
runs 1 compress $walk -o "$scratch/none/walk" && says err 'cannot write the file'
report 'compress into a file that cannot be written' $?
runs 1 decompress "$scratch/walk" -o "$scratch/none/walk" && says err 'cannot write the file'
report 'decompress into a file that cannot be written' $?
runs 1 compress $walk none.md5mesh -o "$scratch/walk" && says err 'none.md5mesh: error: cannot'
report 'compress without its model' $?
runs 1 decompress $walk && says err 'walk.md5anim: error: animation is not compressed: expected a compressed animation'
report 'decompress of an animation' $?
# No command overwrites a file that it reads, even under another name.
cp $walk "$scratch/own.md5anim" && cp "$scratch/walk" "$scratch/packed"
for over in 'compress own.md5anim' 'decompress packed'; do
    file=$scratch/${over#* }
    cp "$file" "$scratch/kept"
    runs 2 "${over% *}" "$file" -o "$scratch/./${over#* }" && says err 'is an input file: expected a different output' && cmp -s "$file" "$scratch/kept"
    report "${over% *} does not overwrite its input" $?
done
cp "$scratch/walk" "$scratch/packed.md5anim"
runs 1 check --for cube2 "$scratch/packed.md5anim" && says out 'compressed clip is not supported by the engine: expected an engine that uses md5model; run md5tool decompress first' &&
    runs 0 check --for md5model "$scratch/packed.md5anim"
report 'check of a compressed clip for an engine' $?
runs 1 fix "$scratch/packed.md5anim" --dry-run && says err 'compressed clip is not supported: expected an .md5anim; run md5tool decompress first'
report 'fix of a compressed clip' $?
printf 'M5AI and more' >"$scratch/image"
runs 1 info "$scratch/image" && says err 'not an MD5 file: found an asset file of version 0.3; load the MD5 files'
report 'info of an asset file of version 0.3' $?
runs 0 info "$scratch/walk" && says out "$scratch/walk: compressed clip" && says out 'frames             25' &&
    says out 'error limit        0.5 units' && says out ' per joint and frame' && lines err 0
report 'info of a compressed clip' $?
runs 0 check "$scratch/walk" && says out '1 file, 0 errors, 0 warnings' && lines out 1
report 'check of a compressed clip' $?
runs 0 info "$scratch/walk" "$bobbin" && says out ': md5mesh'
report 'info of a compressed clip and a model' $?
head -c -1 "$scratch/walk" >"$scratch/cut"
printf 'M5CC' >"$scratch/head"
{ head -c 200 "$scratch/walk" && printf 'x' && tail -c +202 "$scratch/walk"; } >"$scratch/changed"
printf 'M5CC\001\000\000\000' >"$scratch/older"
runs 1 check "$scratch/cut" "$scratch/head" "$scratch/changed" "$scratch/older" && lines out 5 &&
    says out "$scratch/cut: error: invalid compressed clip: expected a file of $(wc -c <"$scratch/walk") bytes, found $(wc -c <"$scratch/cut")" &&
    says out "$scratch/head: error: invalid compressed clip: header is truncated: expected 8 bytes, found 4" && says out "$scratch/older: error: unsupported version of a compressed clip: expected 2, found 1" &&
    says out "$scratch/changed: error: invalid compressed clip: checksum does not match: the file is damaged; compress the animation again" && says out '4 files, 4 errors, 0 warnings'
report 'check of truncated, damaged and outdated compressed clips' $?
runs 1 info "$scratch/cut" && lines out 0 && says err "$scratch/cut: error: invalid compressed clip: expected a file of $(wc -c <"$scratch/walk") bytes, found $(wc -c <"$scratch/cut")"
report 'info of a truncated compressed clip' $?

# curves_agree CLIP JOINT...: compares the curves of $scratch/curves in every frame with the origin and the soles that dump
# prints.
curves_agree() {
    clip=models/bobbin/$1.md5anim
    shift
    runs 0 curves $bobbin "$clip" "$@" && lines err 0 && cp "$scratch/out" "$scratch/curves" && runs 0 info "$clip" || return 1
    rate=$(awk '/frame rate/ { print $3 }' "$scratch/out")
    # Just before the last frame, which begins the next cycle.
    times=$(awk -v rate="$rate" '$1 == "frames" { for (i = 0; i < $2; i++) printf "--ms %.9f ", 1000 * i / rate - 1e-3 * (i == $2 - 1) }' "$scratch/out")
    # shellcheck disable=SC2086
    runs 0 dump $bobbin "$clip" $times && awk -v rate="$rate" '
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
curves_agree walk && [ "$(tr '\n' ' ' <"$scratch/agreed")" = 'stands 9 stands 9 both 0 ' ]
report 'curves of a walk have a constant speed and alternating feet' $?
curves_agree walk_start && curves_agree jump && curves_agree turn_left && curves_agree run toes_l toes_r
report 'curves agree with dump' $?
runs 0 curves $bobbin models/bobbin/walk_start.md5anim --error 1 && fewer=$(wc -c <"$scratch/out") &&
    runs 0 curves $bobbin models/bobbin/walk_start.md5anim --error 0.001 && [ "$fewer" -lt "$(wc -c <"$scratch/out")" ]
report 'curves with fewer keys' $?
# A foot that glides on the ground at 7.2 and then at 12 units per second.
echo 'MD5Version 10 commandline "" numJoints 1 numMeshes 0 joints { "a foot" -1 ( 0 0 0 ) ( 0 0 0 ) }' >"$scratch/glide.md5mesh"
{
    echo 'MD5Version 10 commandline "" numFrames 5 numJoints 1 frameRate 24 numAnimatedComponents 1 hierarchy { "a foot" -1 1 0 } bounds {'
    yes '( 0 0 0 ) ( 1 1 1 )' | head -n 5
    echo '} baseframe { ( 0 0 0 ) ( 0 0 0 ) } frame 0 { 0 } frame 1 { 0.3 } frame 2 { 0.6 } frame 3 { 1.1 } frame 4 { 1.6 }'
} >"$scratch/glide.md5anim"
runs 0 curves "$scratch/glide.md5mesh" "$scratch/glide.md5anim" && lines out 2 &&
    says out 'curve speed ( 0 7.2  1 7.2  3 12  4 12 )' && says out 'curve "plant_a foot" ( 0 1  2 1  3 0  4 0 )'
report 'curves of a gliding foot' $?
{ echo "machine one { model $PWD/$bobbin clip run $PWD/models/bobbin/run.md5anim {" && cat "$scratch/curves" && echo '} layer all { state a run } }'; } >"$scratch/pasted.md5machine"
runs 0 check "$scratch/pasted.md5machine" && says out '1 file, 0 errors, 0 warnings'
report 'a machine with the printed curves is valid' $?
runs 1 curves "$data/flags.md5mesh" "$scratch/other.md5anim" && lines err 1 && lines out 0 && says err "'other0'"
report 'curves of a clip of another skeleton' $?
runs 1 curves $bobbin $walk foot_x && lines err 1 && says err "bobbin.md5mesh: error: unknown joint 'foot_x'"
report 'curves of an unknown joint' $?
runs 2 curves $bobbin $walk --error 0 && says err "--error: expected UNITS, above 0, found '0'"
report 'curves --error 0' $?

# The time must be linear in the number of arguments: ten times as many arguments take ten times as long, not a hundred times.
for program in "$tool check" "$tool info"; do
    # shellcheck disable=SC2086
    python3 test/tool/many_arguments.py "$data/flags.md5anim" $program >"$scratch/out" 2>"$scratch/err"
    report "the time of ${program#"$products/"} is linear in the number of arguments" $?
done

if [ -n "${MD5_CORPUS:-}" ]; then
    find "$MD5_CORPUS/corpus" -name '*.md5mesh' -o -name '*.md5anim' | grep -v invalid \
        | grep -v malformed | sort >"$scratch/files"
    tr '\n' '\0' <"$scratch/files" | xargs -0 "$tool" check --for md5model >"$scratch/out" 2>"$scratch/err"
    tail -n 1 "$scratch/out" | grep -q ' 0 errors'
    report 'check of the corpus' $?
    tr '\n' '\0' <"$scratch/files" | xargs -0 "$tool" info >"$scratch/out" 2>"$scratch/err" \
        && [ ! -s "$scratch/err" ]
    report 'info of the corpus' $?
else
    skip 'check and info of the corpus' 'MD5_CORPUS is not set'
fi
finish
