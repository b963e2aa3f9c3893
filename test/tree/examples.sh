#!/bin/sh
# Compiles demo/examples as users do, against an installed library and without files of this repository, runs the examples,
# and checks their output and images.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS DISPLAY WAYLAND_DISPLAY
export SDL_VIDEODRIVER=offscreen

prefix=${PREFIX:-/usr/local}
root=$scratch/root
bobbin=models/bobbin
pkg=${PKG_CONFIG:-pkg-config}

run_pkg_config() {
    PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 "$pkg" "$@"
}
# Flags of the system's own packages, whose files are not below $root.
print_system_flags() {
    # shellcheck disable=SC2086
    [ -z "$system_libraries" ] || "$pkg" --cflags --libs $system_libraries
}
check "make install-lib" make --no-print-directory install-lib DESTDIR="$root"

# compile_example FILE COMPILER FLAG... [-- LIBRARY...]: compiles an example as its first lines describe.
compile_example() {
    file=$1 compiler=$2
    shift 2
    # shellcheck disable=SC2046,SC2086 # flags and the compiler may be several words
    $compiler "$@" -Wall -Wextra -Werror demo/examples/"$file" -o "$scratch/${file%.*}" \
        $(run_pkg_config --cflags --libs $library) $(print_system_flags) ${MD5_LINK_FLAGS:-} -pthread
}
run_example() { # NAME ARGUMENT...: runs it with the installed libraries
    program=$1
    shift
    LD_LIBRARY_PATH=$root$prefix/lib "$scratch/$program" "$@"
}
example_prints() { # TEXT NAME ARGUMENT...
    expected=$1
    shift
    run_example "$@" >"$scratch/output" 2>&1 || { cat "$scratch/output"; return 1; }
    cat "$scratch/output"
    grep -q -- "$expected" "$scratch/output"
}

# Counts the tested examples, so that a new example needs a line below.
num_tried=0
compile_c_example() { # NAME: compiles a C example
    num_tried=$((num_tried + 1))
    check "$1.c compiles as C11" compile_example "$1.c" "${CC:-cc}" -std=c11 -D_GNU_SOURCE
}

library=md5model system_libraries=
compile_c_example load_print
check "load_print counts joints" example_prints '^79 joints, 2 meshes' load_print $bobbin/bobbin.md5mesh $bobbin/walk.md5anim
check "load_print names a missing file" sh -c \
    "LD_LIBRARY_PATH='$root$prefix/lib' '$scratch/load_print' none.md5mesh none.md5anim 2>&1 | grep -q '^none.md5mesh: error: '"
compile_c_example skin_to_obj
obj_file_is_complete() {
    run_example skin_to_obj $bobbin/bobbin.md5mesh $bobbin/wave.md5anim 0.8 "$scratch/bobbin.obj" &&
        awk '$1 == "v" { v++ } $1 == "f" { f++; for (i = 2; i <= 4; i++) if ($i + 0 < 1 || $i + 0 > v) bad++ }
            END { print v, f, bad + 0; exit !(v == 6666 && f == 9920 && !bad) }' "$scratch/bobbin.obj"
}
check "skin_to_obj writes all vertices and triangles" obj_file_is_complete
compile_c_example quake_engine
check "quake_engine prints the bones of all frames" example_prints '^79 bones in 25 frames, 2 surfaces' quake_engine $bobbin/bobbin.md5mesh $bobbin/walk.md5anim
library=md5play
compile_c_example memory_files
check "memory_files frees all memory" example_prints '^0 bytes held' memory_files
compile_c_example machine
check "machine prints the landing" example_prints 'landing' machine $bobbin/bobbin.md5machine
compile_c_example save_restore
check "save_restore continues with the same bits" example_prints 'bit for bit' save_restore $bobbin/bobbin.md5machine
compile_c_example hot_reload
# Each line of input produces one line of output, and a reload one line before it, so that no wait depends on time.
hot_reload_works() {
    machine=$scratch/hot/bobbin.md5machine
    mkdir "$scratch/hot" && cp $bobbin/*.md5mesh $bobbin/*.md5anim $bobbin/*.md5machine "$scratch/hot" && mkfifo "$scratch/in" "$scratch/answers" || return 1
    run_example hot_reload "$machine" <"$scratch/in" >"$scratch/answers" 2>&1 &
    exec 3>"$scratch/in" 4<"$scratch/answers"
    read_answer() { read -r line <&4; echo "$line" | tee -a "$scratch/log"; }
    send_command() { echo "$1" >&3; read_answer; }
    set_modification_time() { touch -d "2040-01-0$1" "$2"; } # a unique modification time
    [ "$(send_command 'speed 16')" = 'idle at 0.000, x 0.00' ]; before=$(send_command 'play 100')
    set_modification_time 1 "$scratch/hot/walk.md5anim"
    [ "$(send_command 'play 0')" = 'reloaded, continued bit for bit' ] && [ "$(read_answer)" = "$before" ] || return 1
    cp "$machine" "$scratch/good"
    sed -i 's/^    layer body {/    layer body { nonsense/' "$machine" && set_modification_time 2 "$machine"
    send_command 'play 0' | grep -q "bobbin.md5machine:[0-9]*:18: error: .*'nonsense'" && [ "$(read_answer)" = "$before" ] || return 1
    sed 's/^    mask upper (/    float frown 1 &/' "$scratch/good" >"$machine" && set_modification_time 3 "$machine"
    [ "$(send_command 'play 0')" = 'reloaded, continued by names' ] && [ "$(read_answer)" = "$before" ] || return 1
    send_command 'play 60' | awk '{ exit !($1 == "walk" && $5 - '"${before##* }"' > 19) }' # at 20 units a second
}
check "hot_reload continues after a reload" hot_reload_works
exec 3>&- 4<&-
cat "$scratch/log"
compile_c_example fixed_step
motion_is_smooth() { # steps of 1/30 s are invisible: the walk moves at 20 units per second between any two frames
    for rate in 17 60 144; do
        run_example fixed_step $bobbin/bobbin.md5machine $rate >"$scratch/frames$rate" || return 1
        awk '/^frame/ { if ($2 > 2.5) { v = ($5 - x) / ($2 - t); n++; bad += v < 19.8 || v > 20.2 }; t = $2; x = $5 }
            END { print n, bad + 0; exit !(n > 30 && !bad) }' "$scratch/frames$rate" || return 1
    done
    [ "$(tail -qn 1 "$scratch"/frames* | uniq -c | awk '{ print $1 }')" = 3 ] # the simulation is the same
}
check "fixed_step is smooth at any frame rate, with one simulation" motion_is_smooth
library=md5model
compile_c_example queries
check "queries finds a triangle" example_prints '^triangle [0-9]* of mesh skin' queries $bobbin/bobbin.md5mesh $bobbin/walk.md5anim
library=md5play
compile_c_example feet_and_look
feet_and_head_are_placed() {
    example_prints '^2 feet placed' feet_and_look "$@" && grep -q 'head looks 0\.' "$scratch/output" &&
        ! grep -q 'out of reach' "$scratch/output"
}
check "feet_and_look works on Bobbin" feet_and_head_are_placed $bobbin/bobbin.md5mesh $bobbin/idle.md5anim hips foot_l foot_r head
frankie=${MD5_CORPUS:-}/corpus/frankie
if [ -n "${MD5_CORPUS:-}" ]; then
    check "feet_and_look works on a third-party character" feet_and_head_are_placed \
        "$frankie/Frankie.md5mesh" "$frankie/Frankie_Idle1.md5anim" CTRL_Pelvis CTRL_FK_Foot.L CTRL_FK_Foot.R CTRL_Head
else
    skip "feet_and_look works on a third-party character" "MD5_CORPUS is not set"
fi
compile_c_example crowd_threads
threads_have_same_result() {
    for threads in 1 3; do
        run_example crowd_threads $bobbin/bobbin.md5machine 60 $threads | sed 's/.*threads//'
    done | uniq | wc -l | grep -qx 1
}
check "crowd_threads computes the same with one thread and three" threads_have_same_result
library=md5model
if command -v c++ >/dev/null; then
    check "hello.cpp compiles as C++17" compile_example hello.cpp c++ -std=c++17
    check "hello.cpp runs" example_prints '^0.75 s: 5[0-9]' hello $bobbin/bobbin.md5mesh $bobbin/dance.md5anim
else
    skip "hello.cpp" "no C++ compiler is installed"
fi
num_tried=$((num_tried + 1))

# A figure falls in Bullet: the joints stay connected, and the figure rests on the floor.
figure_falls_and_rests() {
    run_example ragdoll_bullet $bobbin/bobbin.md5mesh "$1" $bobbin/bobbin.af >"$scratch/output" || return 1
    cat "$scratch/output"
    awk '/^[0-9.]+ s: hips at / { count++; height = $7 + 0; lowest = $NF }
        /^at rest, largest gap at a joint / { gap = $NF; rests = 1 }
        END { exit !(rests && count >= 2 && gap < 3 && height > 0 && height < 25 && lowest > -1 && lowest < 1) }' "$scratch/output"
}
rejects_figure() { # TEXT FILE.af: ends with 1 and a message
    [ "$(run_example ragdoll_bullet $bobbin/bobbin.md5mesh $bobbin/idle.md5anim "$2" 2>"$scratch/output" >/dev/null; echo $?)" = 1 ]
    cat "$scratch/output"
    grep -q -- "$1" "$scratch/output"
}
if ! command -v c++ >/dev/null; then
    skip "ragdoll_bullet.cpp" "no C++ compiler is installed"
elif ! "$pkg" --exists bullet; then
    skip "ragdoll_bullet.cpp" "Bullet is not installed: in Debian libbullet-dev"
else
    library=md5game system_libraries=bullet
    check "ragdoll_bullet.cpp compiles as C++17" compile_example ragdoll_bullet.cpp c++ -std=c++17
    for clip in idle run jump; do
        check "ragdoll_bullet falls and rests, from the clip $clip" figure_falls_and_rests $bobbin/$clip.md5anim
    done
    check "ragdoll_bullet reports a file without a figure" rejects_figure 'does not contain a figure' /dev/null
    check "ragdoll_bullet reports a figure of another model" rejects_figure "refers to unknown joint" models/thimble/thimble.af
fi
num_tried=$((num_tried + 1))

# Measures the foreground of images; the background is the color of the first pixel. One image: percentage of foreground
# pixels, and number of colors. Two images: percentage of the union of both foregrounds that is in both, and the correlation
# of the brightness there.
measure_images() {
    python3 - "$@" <<'END'
import struct, sys

def read(path):
    data = open(path, "rb").read()
    start, width, height, bits = struct.unpack_from("<I4xiixxH", data, 10)
    size, row = bits // 8, (width * bits // 8 + 3) // 4 * 4
    rows = [start + (height - 1 - y if height > 0 else y) * row for y in range(0, abs(height), 4)]
    return [data[at + x:at + x + 3] for at in rows for x in range(0, width * size, 4 * size)]

pictures = [read(path) for path in sys.argv[1:]]
one, two = pictures[0], pictures[-1]
either = [p != one[0] or q != two[0] for p, q in zip(one, two)]
both = [(sum(p), sum(q)) for p, q in zip(one, two) if p != one[0] and q != two[0]]
if len(pictures) == 1:
    print(100 * len(both) // len(one), len(set(one)))
else:
    means = [sum(values) / len(both) for values in zip(*both)]
    products = [sum((p[i] - means[i]) * (p[j] - means[j]) for p in both) for i, j in ((0, 1), (0, 0), (1, 1))]
    print("%.1f %.2f" % (100 * len(both) / sum(either), products[0] / (products[1] * products[2]) ** 0.5))
END
}
# SDL2 and GL drivers do not free memory at exit, which a sanitizer reports as a leak.
draws_character() { # NAME ARGUMENT...: checks that a character covers 1/8 to 2/5 of the image, in many shades
    ASAN_OPTIONS=detect_leaks=0 run_example "$@" "$scratch/picture.bmp" || return 1
    # shellcheck disable=SC2046 # two numbers
    set -- $(measure_images "$scratch/picture.bmp")
    echo "$1 % covered, $2 colors"
    [ "$1" -ge 12 ] && [ "$1" -le 40 ] && [ "$2" -ge 50 ]
}
wave_files="$bobbin/bobbin.md5mesh $bobbin/wave.md5anim"
system_libraries=sdl2
compile_c_example own_software
# shellcheck disable=SC2086
check "own_software draws" draws_character own_software $wave_files 0.8
is_textured() { # checks for a blue hand and an orange ear: without textures all pixels are gray
    python3 -c 'import sys
bytes = open(sys.argv[1], "rb").read()[54:]
pixels = list(zip(bytes[::3], bytes[1::3], bytes[2::3]))
sys.exit(not all(sum(test(*p) for p in pixels) > 1000 for test in (lambda b, g, r: b > r + 60, lambda b, g, r: r > b + 40)))' "$scratch/picture.bmp"
}
check "own_software draws textures" is_textured
system_libraries="sdl2 gl"
compile_c_example own_gl
# shellcheck disable=SC2086
check "own_gl draws" draws_character own_gl $wave_files 0.8
compile_c_example vertex_frames
# Compares two images. Prints the largest difference of a channel, in levels, and the percentage of channels that differ.
print_image_differences() { # IMAGE IMAGE
    python3 - "$1" "$2" <<'END'
import struct, sys
first, second = (open(path, "rb").read() for path in sys.argv[1:])
start = struct.unpack_from("<I", first, 10)[0]
levels = [abs(a - b) for a, b in zip(first[start:], second[start:])]
print(max(levels), 100 * sum(level > 0 for level in levels) / len(levels) if len(first) == len(second) else 100)
END
}
# Four characters play the walk with 10 frames per second. The lesson `bake` prints the same costs
# (test/viewer/test_view_pages_blend.c).
draws_frames() { # WAY COST
    draws_character vertex_frames $bobbin/bobbin.md5mesh $bobbin/walk.md5anim "$1" >"$scratch/output" || return 1
    cat "$scratch/output"
    cp "$scratch/picture.bmp" "$scratch/$1.bmp"
    grep -qx "$1: 10 frames, 6666 vertices; uploaded bytes: $2" "$scratch/output"
}
images_are_similar() {
    for method in buffers texture; do
        print_image_differences "$scratch/upload.bmp" "$scratch/$method.bmp" >"$scratch/output" || return 1
        cat "$scratch/output"
        awk '{ exit !($1 <= 2 && $2 < 0.1) }' "$scratch/output" || return 1
    done
}
check "vertex_frames draws by uploads" draws_frames upload '640000, buffer calls: 12, draw calls: 8'
check "vertex_frames draws from two offsets of a buffer" draws_frames buffers '64, buffer calls: 12, draw calls: 8'
check "vertex_frames draws from a buffer texture" draws_frames texture '64, buffer calls: 1, draw calls: 2'
check "vertex_frames draws the same with all three methods" images_are_similar
rejects_unknown_method() {
    ! run_example vertex_frames $bobbin/bobbin.md5mesh $bobbin/walk.md5anim other "$scratch/picture.bmp" 2>"$scratch/output" &&
        grep -q 'usage: vertex_frames' "$scratch/output"
}
check "vertex_frames rejects an unknown method" rejects_unknown_method

library=md5gl system_libraries=sdl2
compile_c_example window
# shellcheck disable=SC2086
check "window draws" draws_character window $wave_files
# Draws the same image from TGA files, which are also found by the names of PNG files.
mkdir "$scratch/tga" && cp $bobbin/bobbin.md5mesh $bobbin/*.png "$scratch/tga/"
python3 - "$scratch/tga/bobbin.png" "$scratch/tga/bobbin_eye.png" "$scratch/tga/bobbin_local.png" <<'END'
import os, struct, sys
sys.path.insert(0, "test/viewer")
import png
for path in sys.argv[1:]:
    width, height, rows, step = png.read(path)
    os.remove(path)
    with open(path[:-4] + ".tga", "wb") as file:
        file.write(struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, width, height, 32, 0x28))
        for row in rows:
            for x in range(0, len(row), step):
                file.write(bytes((row[x + 2], row[x + 1], row[x], row[x + 3] if step == 4 else 255)))
END
has_texture_color() { # checks the color of Bobbin's skin, which is white without its texture
    cp "$scratch/picture.bmp" "$scratch/png.bmp"
    python3 - "$scratch/png.bmp" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
start, bits = struct.unpack_from("<I", data, 10)[0], struct.unpack_from("<H", data, 28)[0]
blue_green_red = [data[at:at + 3] for at in range(start, len(data) - 3, bits // 8 * 7)]
teal = sum(blue > red + 40 and green > red + 40 for blue, green, red in blue_green_red)
print(100 * teal // len(blue_green_red), "% teal")
sys.exit(teal * 50 < len(blue_green_red))
END
}
check "window draws textures" has_texture_color
tga_image_is_equal() {
    # shellcheck disable=SC2086
    draws_character window "$scratch/tga/bobbin.md5mesh" $bobbin/wave.md5anim && cmp "$scratch/picture.bmp" "$scratch/png.bmp"
}
check "window draws the same from TGA files" tga_image_is_equal

library="md5gl md5play"
compile_c_example walk_game
play_script() { # SECONDS PATTERN: plays the script of the game for this time; checks the printed line, and that Bobbin is in the image
    ASAN_OPTIONS=detect_leaks=0 run_example walk_game models "$1" "$scratch/picture.bmp" >"$scratch/output" || return 1
    cat "$scratch/output"
    grep -q "$2" "$scratch/output" && has_texture_color
}
walk_script_works() {
    play_script 2.5 '^2.50 s: 4[0-9][.][0-9] units ahead, .* without the lantern$'
}
jump_script_works() { # by more than a third of Bobbin's height, and back to the ground within half a second
    play_script 4.4 'without the lantern$' && standing_height=$(print_height) && play_script 5.2 'without the lantern$' && jump_height=$(print_height) &&
        play_script 6.5 'with the lantern$' && numbers_satisfy '$2 > $1 + 19 && $3 < $1 + 4' "$standing_height" "$jump_height" "$(print_height)"
}
print_height() {
    sed 's/.*top at \([0-9.]*\),.*/\1/' "$scratch/output"
}
carry_script_works() {
    play_script 9 'units ahead, .* with the lantern$' && cp "$scratch/picture.bmp" "$scratch/first.bmp" &&
        play_script 9 'with the lantern$' && cmp "$scratch/picture.bmp" "$scratch/first.bmp"
}
check "walk_game: Bobbin walks" walk_script_works
check "walk_game: Bobbin jumps" jump_script_works
check "walk_game: Bobbin carries the lantern, in a reproducible image" carry_script_works
library=md5gl

# A white model, whose shading is compared with the shading of other programs.
mkdir "$scratch/white" && cp $bobbin/bobbin.md5mesh "$scratch/white/"
for name in bobbin bobbin_eye; do # textures of one 24-bit texel
    printf '\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\030\0\377\377\377' >"$scratch/white/$name.tga"
done
check "window draws a white model" draws_character window "$scratch/white/bobbin.md5mesh" $bobbin/wave.md5anim
cp "$scratch/picture.bmp" "$scratch/window.bmp"

# Vulkan draws with Mesa's software renderer, lavapipe. It runs in the folder that contains the compiled
# shaders.
lavapipe=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1)
run_in_scratch() {
    (cd "$scratch" && export VK_DRIVER_FILES="$lavapipe" VK_ICD_FILENAMES="$lavapipe" && "$@")
}
compare_vulkan_image() { # SECONDS: compares the Vulkan image of this time with window's image of 0.8 s
    # shellcheck disable=SC2086
    ASAN_OPTIONS=detect_leaks=0 run_example vulkan $wave_files vulkan.bmp "$1" && measure_images window.bmp vulkan.bmp
}
# The brightness of both images only correlates, because the surface is checkered in the Vulkan image.
vulkan_image_has_same_pose() {
    same_pose=$(compare_vulkan_image 0.8) && other_pose=$(compare_vulkan_image 0.75) || return 1
    echo "same pose: $same_pose, other pose: $other_pose"
    # shellcheck disable=SC2086
    numbers_satisfy '$1 >= 99 && $2 >= 0.7 && $3 < 98' $same_pose $other_pose
}
if [ -n "$lavapipe" ] && "$pkg" --exists vulkan && command -v glslangValidator >/dev/null; then
    library=md5model system_libraries=vulkan
    compile_c_example vulkan
    ln -s "$PWD/models" "$scratch/models"
    check "vulkan's shaders compile" run_in_scratch glslangValidator -V "$PWD/demo/examples/vulkan.vert" "$PWD/demo/examples/vulkan.frag"
    check "vulkan draws the same pose and shading as window" run_in_scratch vulkan_image_has_same_pose
else
    skip "vulkan" "Vulkan, lavapipe or glslangValidator is not installed"
    num_tried=$((num_tried + 1))
fi

check "each example is tested" [ "$num_tried" -eq "$(find demo/examples -name '*.c*' | wc -l)" ]
finish
