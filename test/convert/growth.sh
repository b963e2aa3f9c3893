#!/bin/sh
# Time, memory and output of md5tool are linear in the size of a file, even if the file uses one range of its bytes many
# times. The long form of this test counts instructions.
. test/build/report.sh
tool=$products/md5tool

check_growth() { # TASK [SIZE] KIND
    task=$1
    shift
    rm -rf "$scratch/growth" && mkdir "$scratch/growth" && python3 test/convert/growth.py "$task" "$tool" "$scratch/growth" "$@"
}
for kind in md3_shared_shaders nodes_of_lines nodes_of_one_mesh buffers_of_one_file iqm_shared_frames psk_materials bvh_still_joints smd_still_bones smd_links \
    obj_positions_and_materials; do
    check "a file of 100 KB is processed within limits: $kind" check_growth bounded 100000 $kind
done
for kind in $(python3 test/convert/growth.py list HOSTILE); do
    check_long "a file of 1 MB is processed within limits: $kind" check_growth bounded 1000000 "$kind"
done
if [ "$products" != build ]; then
    echo "note: instructions are counted only with the release build, because valgrind cannot run the sanitizers"
elif command -v valgrind >"$scratch/valgrind"; then
    check "materials of an OBJ file take linear time" check_growth linear obj_materials
    for kind in $(python3 test/convert/growth.py list LINEAR); do
        check_long "instructions are linear in the file size: $kind" check_growth linear "$kind"
    done
else
    skip "instructions" "valgrind is not installed"
fi
finish
