#!/bin/sh
# Tests and measures our drawing on a GPU. Packs programs, their libraries, models and reference images of this machine into a
# folder of at most 40 MB, with this script as its `gpu.sh`. On a bare machine with a GPU, without network,
#
#     sh FOLDER/gpu.sh >table.md
#
# prints one table for test/bench/NOTES.md and any faults within four minutes; status 1 if there are faults, 77 without OpenGL
# 3.3.
# GPU_COUNTS="1 300 1000" replaces the sizes of crowds below; GPU_FOLDER is the folder, build/gpu/pack. As a test it runs the
# packed programs on this machine, usually with llvmpipe and small crowds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$here/bin/md5view" ] || here=

# Images that are compared with images from the machine that packed the test: NAME ARGUMENTS...
list_images() {
    cat <<END
walk models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --animation-time 0.4
classic models/bobbin/bobbin.md5mesh models/bobbin/dance.md5anim --light classic --animation-time 1.1
weights models/bobbin/bobbin.md5mesh models/bobbin/dance.md5anim --shading weights --no-shadow --edges
crowd models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --crowd 40
baked models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --crowd 40 --crowd-baked 1000
impostors models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --crowd 40 --crowd-impostors 1000
dual models/thimble/thimble.md5mesh --skinning dual
tendril models/tendril/tendril.md5mesh
END
}
draw_image() { # FILE ARGUMENTS...
    file=$1
    shift
    $start bin/md5view --no-config --verbose error --resolution 480,270 --output "$file" "$@"
}

# == On the machine with the GPU ===============================================================================================

# Selects how programs start. The possibilities are: with the libraries of the system; with the packed libraries; with
# the packed libraries and the packed OpenGL libraries, which load the system's driver; or with all of these and the
# packed C library.
find_start() {
    library_folder=$scratch/lib driver=libEGL_nvidia.so.0
    tar -C "$scratch" -xzf lib.tar.gz || exit 1
    # A container without graphics often lacks only the configuration file that refers to NVIDIA's driver.
    if ! cat /usr/share/glvnd/egl_vendor.d/*nvidia* /etc/glvnd/egl_vendor.d/*nvidia* >"$scratch/command_output" 2>&1 &&
        find /usr/lib* -name $driver 2>"$scratch/command_output" | grep -q .; then
        echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "'$driver'"}}' >"$scratch/nvidia.json"
        export __EGL_VENDOR_LIBRARY_FILENAMES="$scratch/nvidia.json"
    fi
    for start in "env" "env LD_LIBRARY_PATH=$library_folder" "env LD_LIBRARY_PATH=$library_folder:$library_folder/gl" \
        "$library_folder/c/ld-linux-x86-64.so.2 --library-path $library_folder:$library_folder/gl:$library_folder/c"; do
        # shellcheck disable=SC2086
        $start bin/bench_gl --gpu $bobbin >"$scratch/cold" 2>"$scratch/command_output" && ! grep -q skipped "$scratch/cold" && return
    done
    cat "$scratch/cold" "$scratch/command_output" >&2
    echo "OpenGL 3.3 is not available; libraries of drivers:" >&2
    find / -xdev \( -name 'libEGL_*' -o -name 'libGLX_*' -o -name '*egl_vendor.d' \) 2>/dev/null >&2
    exit 77
}
report_wrong() { # WORDS...
    echo "WRONG: $*" >&2
    touch "$scratch/wrong"
}
milliseconds() { # COMMAND...
    start_time=$(date +%s%N)
    "$@" >"$scratch/command_output" 2>&1 || report_wrong "$@" "$(cat "$scratch/command_output")"
    echo $((($(date +%s%N) - start_time) / 1000000))
}

# Compares the skinning of all models, by each path, with the CPU. The test program does this.
compare_skinning() {
    MD5_ROOT=$here MD5_MODELS=$here/models $start bin/test_gl gl_skins_our_models_on_every_path >"$scratch/skinning" 2>&1 ||
        report_wrong "skinning: $(grep 'check failed' "$scratch/skinning" | head -n 20)"
    sed -n 's/^note: path \(.*\): \(.*\) models exact, \(.*\) off as predicted$/| skinning by path \1: models that are exact, off as predicted | | | \2 | \3 |/p' \
        "$scratch/skinning"
}
compare_images() {
    list_images | while read -r name arguments; do
        # shellcheck disable=SC2086
        draw_image "$scratch/$name.png" $arguments || report_wrong "$name"
        echo "| picture $name: share of pixels that differ by more than 24 of 255 | | |" \
            "$($start bin/view_png differ "golden/$name.png" "$scratch/$name.png") | |"
    done
}
# Measures frames of the viewer itself, with textures, shadows and four samples. The viewer chooses baked
# clips and impostors.
view_crowd() { # COUNT
    # shellcheck disable=SC2086
    $start bin/md5view --no-config --verbose error --resolution 1920,1080 --frames "$frames" --crowd "$1" $bobbin \
        >"$scratch/command_output" 2>&1 || report_wrong "a crowd of $1: $(cat "$scratch/command_output")"
    median=$(sed -n 's/.*frames of .*median \([0-9.]*\) ms.*/\1/p' "$scratch/command_output")
    echo "| $1 characters in the viewer, median of $frames frames | | | ${median:-?} | |"
}
measure_machine() {
    cd "$here" || exit 1
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    # The caches are empty, as if no driver had compiled these programs before.
    export XDG_CONFIG_HOME="$scratch/config" XDG_CACHE_HOME="$scratch/cache" __GL_SHADER_DISK_CACHE_PATH="$scratch/cache"
    export MESA_SHADER_CACHE_DIR="$scratch/cache" SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
    mkdir -p "$scratch/cache"
    bobbin="models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim"
    find_start
    counts=${GPU_COUNTS:-1 300 1000 10000 20000} frames=60
    if grep -q 'llvmpipe\|softpipe\|swrast' "$scratch/cold"; then
        counts=${GPU_COUNTS:-1 20} frames=3
    fi
    # shellcheck disable=SC2086
    $start bin/bench_gl --gpu $bobbin $counts >"$scratch/table" || report_wrong "bench_gl"
    sed '1!d' "$scratch/table" && sed '2!d' "$scratch/table"
    sed -n 's/^| programs/| cold: programs/p' "$scratch/cold"
    sed -n '3,$p' "$scratch/table"
    rm -rf "$scratch/cache"
    # shellcheck disable=SC2086
    echo "| first picture 1280 x 720, until the program has ended; once more | | |" \
        "$(milliseconds draw_image "$scratch/first.png" $bobbin --resolution 1280,720)" \
        "| $(milliseconds draw_image "$scratch/first.png" $bobbin --resolution 1280,720) |"
    compare_skinning
    compare_images
    for count in $counts; do
        view_crowd "$count"
    done
    [ ! -e "$scratch/wrong" ]
    exit
}
if [ -n "$here" ]; then
    measure_machine
fi

# == On the packing machine ====================================================================================================
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
folder=${GPU_FOLDER:-build/gpu/pack}
programs="md5view bench_gl view_png test_gl"
# MD5_BUILD_ONLY=yes: only checks that make has rules for the programs, and draws the images at a small size.
if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    print_build_commands() {
        # shellcheck disable=SC2046 # several words
        make --no-print-directory -n ASSIMP=no BUILD=build/gpu/of $(for program in $programs; do echo "build/gpu/of/$program"; done)
    }
    draw_small_image() { # NAME ARGUMENTS...
        name=$1
        shift
        SDL_VIDEODRIVER=offscreen "$products/md5view" --no-config --verbose error --resolution 32,18 --samples 1 \
            --output "$scratch/$name.png" "$@"
    }
    draw_all_images() {
        list_images | while read -r name arguments; do
            # shellcheck disable=SC2086
            draw_small_image "$name" $arguments || exit 1
        done
    }
    check "make has rules for the programs of the folder for a GPU" print_build_commands
    check "md5view draws the images that are compared on a GPU" draw_all_images
    finish
fi

# Builds all programs without libassimp, which would take half of the folder.
build_all_programs() {
    # shellcheck disable=SC2046
    make --no-print-directory ASSIMP=no BUILD=build/gpu/of $(for program in $programs; do echo "build/gpu/of/$program"; done)
}
list_libraries() { # PROGRAM...: prints the libraries that they load
    ldd "$@" | awk '/=> \//{print $3}' | sort -u
}
pack_folder() {
    rm -rf "$folder" && mkdir -p "$folder/bin" "$folder/lib/gl" "$folder/lib/c" "$folder/golden" "$folder/models" || return 1
    for program in $programs; do
        strip -o "$folder/bin/$program" "build/gpu/of/$program" || return 1
    done
    for library in $(list_libraries "$folder"/bin/*) $(for name in EGL.so.1 GL.so.1 GLX.so.0 OpenGL.so.0 GLdispatch.so.0; do
        echo "/usr/lib/x86_64-linux-gnu/lib$name"
    done); do
        case ${library##*/} in
        libc.so* | libm.so* | libpthread.so* | libdl.so* | librt.so* | libresolv.so*) cp -L "$library" "$folder/lib/c/" ;;
        libEGL.so* | libGL*.so* | libOpenGL.so*) cp -L "$library" "$folder/lib/gl/" ;;
        *) cp -L "$library" "$folder/lib/" ;;
        esac || return 1
    done
    cp -L /lib64/ld-linux-x86-64.so.2 "$folder/lib/c/"
    tar -C "$folder" -czf "$folder/lib.tar.gz" lib && rm -r "${folder:?}/lib"
    for model in bobbin thimble tendril spindle lantern flame zoo; do # models of the zoo that have vertices
        mkdir "$folder/models/$model"
        find "$models/$model" -maxdepth 1 \( -name '*.md5mesh' -o -name '*.png' -o -name '*.jpg' -o -name walk.md5anim -o -name dance.md5anim \) \
            -exec cp {} "$folder/models/$model/" \;
    done
    rm "$folder/models/zoo/no_mesh.md5mesh"
    if [ -n "${MD5_CORPUS:-}" ]; then
        find "$MD5_CORPUS/corpus" -name '*.md5mesh' | grep -v -e invalid -e malformed | while read -r mesh; do
            cp "$mesh" "$folder/models/$(echo "${mesh#"$MD5_CORPUS/corpus/"}" | tr / -)"
        done
    fi
    cp test/long/gpu.sh "$folder/"
    (
        cd "$folder" || exit 1
        start="env SDL_VIDEODRIVER=offscreen"
        list_images | while read -r name arguments; do
            # shellcheck disable=SC2086
            draw_image "golden/$name.png" $arguments || exit 1
        done
    )
}
folder_size_fits() {
    size=$(du -sb "$folder" | cut -f 1)
    numbers_satisfy '$1 <= 40e6 && $1 > 1e6' "$size"
}
measurement_runs() {
    start_time=$(date +%s)
    env -u DISPLAY -u WAYLAND_DISPLAY sh "$folder/gpu.sh" >"$folder/../table.md" 2>"$scratch/errors"
    status=$?
    cat "$scratch/errors" "$folder/../table.md"
    [ $status -eq 0 ] && numbers_satisfy '$1 <= 240' $(($(date +%s) - start_time))
}
# Checks that all images are equal. This must be the case, because this machine has drawn both images of each
# pair.
images_are_equal() {
    grep '^| picture' "$folder/../table.md" >"$scratch/pictures" &&
        numbers_satisfy '$1 == $2' "$(grep -c '| 0[.0]* | |$' "$scratch/pictures")" "$(list_images | grep -c .)"
}

check "stripped programs" build_all_programs
check "a folder of programs, libraries, models and images is packed" pack_folder
check "its size" folder_size_fits
check "the packed programs run" measurement_runs
check "the packed programs draw the same images" images_are_equal
finish
