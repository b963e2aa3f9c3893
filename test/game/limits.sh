#!/bin/sh
# Game folders that would use far more memory, output or time than their size: checks the limits of md5tool, and that the valid
# files of each folder are read.
. test/build/report.sh
tool=$products/md5tool
case $("$tool" list "$scratch" 2>&1; python3 test/game/archives.py sound "$scratch/a.pk4"; "$tool" list "$scratch" 2>&1) in
    *'no .pk4 archives'*) has_zip= ;;
    *) has_zip=yes ;;
esac
rm -f "$scratch/a.pk4"

# run_within_limits MEGABYTES OUTPUT SECONDS ARGUMENTS...: checks the memory, the output (megabytes) and the CPU time of md5tool. The limit of
# memory is for a 64-bit release build; the limit of time is far above the usual time, for slow machines.
run_within_limits() {
    env python3 -S -E - "$scratch" "$tool" "$@" <<'PYTHON'
import os
import resource
import subprocess
import sys
scratch, tool, memory, output, seconds = sys.argv[1:6]
with open(os.path.join(scratch, "out"), "wb") as out, open(os.path.join(scratch, "err"), "wb") as err:
    status = subprocess.run([tool] + sys.argv[6:], stdout=out, stderr=err).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
size = os.path.getsize(os.path.join(scratch, "out")) + os.path.getsize(os.path.join(scratch, "err"))
said = "status %d, %.0f MB, %.1f MB of output, %.1f s" % (status, used.ru_maxrss / 1024, size / 1e6, used.ru_utime + used.ru_stime)
print(said)
is_bloated = os.environ.get("MD5_BUILD", "build") != "build" # by sanitizers, or counting
sys.exit(status > 1 or (used.ru_maxrss > float(memory) * 1024 and not is_bloated) or size > float(output) * 1e6
         or (used.ru_utime > float(seconds) and not is_bloated))
PYTHON
}
make_game() { # KIND
    folder=$scratch/game
    rm -rf "$folder" && mkdir "$folder" && python3 test/game/limits.py "$1" "$folder" &&
        [ "$(find "$folder" -name '*.pk4' -size +2560k)" = '' ]
}
# An archive must not use 100 MB. Valid declarations are read, and a line reports the skipped files.
limits_archive() { # KIND TEXT
    make_game "$1" && run_within_limits 100 20 20 list "$folder" materials skins entities && finds_valid_declarations &&
        grep -q '^md5tool: error: cannot read [0-9]* declaration files; run md5tool check to list the errors' "$scratch/err" &&
        run_within_limits 100 2 30 check "$folder" && grep -q -e "$2" "$scratch/out" &&
        run_within_limits 100 20 20 parse --base "$folder" skins && grep -q '"skin":"good"' "$scratch/out"
}
finds_valid_declarations() {
    [ "$(grep -c ' good ' "$scratch/out")" -eq 3 ] || { grep ' good ' "$scratch/out"; false; }
}
if [ -n "$has_zip" ]; then
    check "a long file in an archive is skipped" limits_archive one "evil.pk4/materials/aaa0000.mtr: warning: cannot read the file: 'too large: expected at most 16777216 bytes, found 524288000'"
    check "long files in an archive are skipped" limits_archive blanks "aaa0003.mtr: warning: cannot read the file: 'too large: expected at most 3145728 bytes, found 15728640'"
    check "too many files in an archive are skipped" limits_archive small "aaa0048.mtr: warning: cannot read the file: 'too large: expected at most 1 bytes, found 1048576'"
    check "files of comments in an archive are skipped" limits_archive comments "aaa0003.skin: warning: cannot read the file: 'too large: expected at most 3145728 bytes, found 15728640'"
    check "duplicate declarations in an archive are skipped" limits_archive twins "aaa0099.mtr: warning: cannot read the file: 'too large: expected at most 1 bytes, found 15728636'"
    check "long declarations in an archive are skipped" limits_archive long "entityDef 'e' is too large: expected at most 2097152 bytes, found 157[0-9]*; skipped"
    check "long tables in an archive are skipped" limits_archive table "table 't' is too large: expected at most 2097152 bytes, found 157[0-9]*; skipped"
    check "too many declarations in an archive are ignored" limits_archive tiny 'too many declarations: the rest of the file is ignored'
else
    skip "archives" "built without libzip"
fi

# TEXT ARGUMENTS...: checks the output for models and skins.
prints_within_limits() {
    text=$1
    shift
    run_within_limits "$@" && cat "$scratch/out" "$scratch/err" >"$scratch/both" &&
        { grep -q -e "$text" "$scratch/both" || { tail -n 3 "$scratch/both"; false; }; }
}
joints='Too many joints in the channels of all models (limit 8388608)'
limits_joints() { # KIND
    make_game "$1" && prints_within_limits "$joints" 100 4 20 check "$folder" && grep -c "$joints" "$scratch/both" | grep -x 1
}
for kind in channel names channels meshes; do
    check "models with too many joints are limited: $kind" limits_joints $kind
done
limits_inherited_clips() { # KIND
    make_game "$1" && prints_within_limits 'md5tool: error: too many clips: the clips of model m[0-9]* and of later models are not listed' 60 60 20 list "$folder" clips &&
        prints_within_limits "too many animations and frame commands: model 'm[0-9]*' and later models are not printed" 60 40 20 parse --base "$folder" models &&
        run_within_limits 60 4 20 check "$folder" && run_within_limits 60 20 20 list "$folder" entities models &&
        [ "$(grep -c ' good ' "$scratch/out")" -eq 1 ]
}
check "a long chain of inheriting models is limited" limits_inherited_clips chain
check "many models that inherit many clips are limited" limits_inherited_clips heirs
limits_skins() {
    make_game skin && run_within_limits 60 1 10 check "$folder" && run_within_limits 60 5 10 parse --base "$folder" skins &&
        grep -q '"from79999","to79999"' "$scratch/out"
}
check "a skin with 160 000 names is limited" limits_skins

# A compressed clip of 90 bytes declares 4294967295 frames.
limits_clip_frames() {
    printf '%s' 'MD5Version 10 commandline "" numFrames 2 numJoints 1 frameRate 24 numAnimatedComponents 0 hierarchy { a -1 0 0 }
        bounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) } baseframe { ( 0 0 0 ) ( 0 0 0 ) } frame 0 { } frame 1 { }' >"$scratch/a.md5anim"
    "$tool" compress "$scratch/a.md5anim" -o "$scratch/a.clip" && "$tool" decompress "$scratch/a.clip" -o "$scratch/b.md5anim" &&
        python3 - "$scratch/a.clip" <<'PYTHON' && prints_within_limits 'error: decompressed clip is too large: 4294967295 frames are 214748364750 bytes of text, more than 1000 times the compressed size' 60 1 10 decompress "$scratch/a.clip"
import struct
import sys
with open(sys.argv[1], "rb") as file:
    clip = bytearray(file.read())
clip[24:28] = b"\xff\xff\xff\xff"
sum = 0xCBF29CE484222325
for byte in clip[20:]:
    sum = (sum ^ byte) * 0x100000001B3 % 2 ** 64
clip[12:20] = struct.pack("<Q", sum)
with open(sys.argv[1], "wb") as file:
    file.write(clip)
PYTHON
}
check "a clip of 90 bytes with 4294967295 frames is rejected" limits_clip_frames
limits_curve_frames() {
    echo 'MD5Version 10 commandline "" numJoints 1 numMeshes 0 joints { a -1 ( 0 0 0 ) ( 0 0 0 ) }' >"$scratch/a.md5mesh"
    prints_within_limits 'clip has too many frames: expected at most 1048576, found 4294967295' 60 1 10 curves "$scratch/a.md5mesh" "$scratch/a.clip"
}
check "curves of a clip with 4294967295 frames are rejected" limits_curve_frames

# check loads the models of at most 2000 characters. The next character is reported, and further characters are not.
warns_of_characters() { # CHARACTERS WARNINGS
    mkdir -p "$scratch/many/base/def" "$scratch/many/base/models" && cp models/thimble/thimble.md5mesh "$scratch/many/base/models" || return
    awk -v count="$1" 'BEGIN {
        print "model m { mesh models/thimble.md5mesh }"
        for (i = 0; i < count; i++)
            printf "entityDef e%d { \"model\" \"m\" \"look_joint body\" \"1\" }\n", i
    }' >"$scratch/many/base/def/a.def"
    "$tool" check "$scratch/many/base" >"$scratch/out" 2>&1
    [ "$(grep -c 'too many characters (limit: 2000): the remaining characters are not checked' "$scratch/out")" -eq "$2" ]
}
check "2000 characters of a game are checked" warns_of_characters 2000 0
check "the first of more than 2000 characters is reported, once" warns_of_characters 2002 1
finish
