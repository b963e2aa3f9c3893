#!/bin/sh
# deps.sh [--check] SET...: finds missing packages by searching for their files and commands, and installs them if
# apt-get exists. Sets: gl, viewer, web, test, bench, long, gate, lint, deb, windows, docs. DEPS=no: only prints
# missing packages. On other systems, and for users without sudo, it prints the packages and exits. --check installs
# nothing, and fails only if packages are missing that cannot be installed. The library and md5tool need no packages.
# deps.sh --font NAME: prints the path of a font, DejaVuSans or DejaVuSansMono. --stb: prints the path of stb_image.h.
# deps.sh --source PACKAGE FOLDER: fetches the sources of a package into the folder.
set -u

# -- Searching ----------------------------------------------------------------------------------

# Prints the first pattern that matches a file.
first_file() {
    for candidate; do
        if [ -e "$candidate" ]; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

font() {
    first_file "/usr/share/fonts/truetype/dejavu/$1.ttf" "/usr/share/fonts/dejavu-sans-fonts/$1.ttf" \
        "/usr/share/fonts/dejavu-sans-mono-fonts/$1.ttf" "/usr/share/fonts/TTF/$1.ttf" \
        "/usr/share/fonts/dejavu/$1.ttf" "/opt/homebrew/share/fonts/$1.ttf" "${HOME:-}/Library/Fonts/$1.ttf"
}

stb() {
    first_file /usr/include/stb/stb_image.h /usr/local/include/stb/stb_image.h /opt/homebrew/include/stb/stb_image.h
}

# $1 and the architecture's folder are not quoted, because they can be patterns.
library() {
    first_file /usr/lib/*/$1 /usr/lib64/$1 /usr/lib/$1 /lib/*/$1 >/dev/null
}

command_found() {
    command -v "$1" >/dev/null 2>&1
}

# Mesa's drivers: one file per driver, or since version 24 one library for all drivers.
software_gl() {
    library 'dri/swrast_dri.so' || library 'libgallium*.so' || library 'gallium-pipe/pipe_swrast.so'
}

vulkan() {
    first_file /usr/include/vulkan/vulkan.h /usr/local/include/vulkan/vulkan.h \
        /opt/homebrew/include/vulkan/vulkan.h >/dev/null
}

# Each function searches the files of one set of packages, and calls add_missing or add_optional for missing packages.
check_gl() {
    [ -e build/glad/include/glad/gl.h ] || command_found "${GLAD:-glad}" || add_missing glad
    command_found python3 || add_missing python3
}

check_viewer() {
    check_gl
    command_found "${PKG_CONFIG:-pkg-config}" || add_missing pkg-config
    "${PKG_CONFIG:-pkg-config}" --exists sdl2 2>/dev/null || add_missing sdl2
    stb >/dev/null || add_missing stb
    # Needed to read JPEG images.
    "${PKG_CONFIG:-pkg-config}" --exists libjpeg 2>/dev/null || add_optional jpeg
    # Needed to read .pk4 archives.
    "${PKG_CONFIG:-pkg-config}" --exists libzip 2>/dev/null || add_optional libzip
    # Needed to convert glTF.
    "${PKG_CONFIG:-pkg-config}" --exists jansson 2>/dev/null || add_optional jansson
    # Needed to read compressed glTF, and to reduce triangles of crowds in md5view.
    first_file /usr/include/meshoptimizer.h /usr/local/include/meshoptimizer.h \
        /opt/homebrew/include/meshoptimizer.h >/dev/null || add_optional meshoptimizer
    # Needed to read FBX.
    [ "${ASSIMP:-}" = no ] || "${PKG_CONFIG:-pkg-config}" --exists assimp 2>/dev/null || add_optional assimp
    # Speeds up writing of PNG files.
    "${PKG_CONFIG:-pkg-config}" --exists zlib 2>/dev/null || add_optional zlib
    # Needed to display letters that the viewer's fonts do not contain.
    "${PKG_CONFIG:-pkg-config}" --exists fontconfig 2>/dev/null || add_optional fontconfig
    { font DejaVuSans && font DejaVuSansMono; } >/dev/null || add_missing font
    [ "$(uname)" = Darwin ] && return
    library libGL.so.1 || add_missing libgl
    library libEGL.so.1 || add_missing libegl
    library 'libEGL_*.so.0' || library 'libEGL.so.1.0.0' || add_missing egl-driver
    software_gl || add_missing gl-driver
}

check_web() {
    stb >/dev/null || add_missing stb
    { font DejaVuSans && font DejaVuSansMono; } >/dev/null || add_missing font
    command_found emcc || add_missing emscripten
    command_found node || add_missing node
    # Reduces the size of the element.
    command_found terser || add_optional terser
}

check_test() {
    command_found python3 || add_missing python3
    command_found cmake || add_missing cmake
    [ "$(uname)" = Darwin ] && return
    command_found Xvfb || add_missing xvfb
    command_found xdotool || add_missing xdotool
    library libGLX_mesa.so.0 || add_missing glx-driver
    command_found c++ || command_found g++ || command_found clang++ || add_missing c++
    # An example draws with Vulkan in software.
    vulkan || add_optional vulkan
    command_found glslangValidator || add_optional glslang
    first_file /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null || add_optional lavapipe
    # An example simulates a ragdoll with Bullet.
    "${PKG_CONFIG:-pkg-config}" --exists bullet 2>/dev/null || add_optional bullet
    # Reference implementation of texture compression for tests.
    first_file /usr/include/squish.h /usr/local/include/squish.h >/dev/null || add_optional squish
}

# Libraries that the benchmarks compare with; all other measurements run without them.
check_bench() {
    "${PKG_CONFIG:-pkg-config}" --exists assimp 2>/dev/null || add_optional assimp
}

check_long() {
    command_found debootstrap || add_missing debootstrap
    command_found x86_64-w64-mingw32-g++ || add_optional mingw-c++
    command_found dh || add_optional debhelper
    command_found valgrind || add_optional valgrind
    command_found lintian || add_optional lintian
    command_found clang || add_missing clang
    first_file /usr/lib/llvm*/lib/clang/*/lib/*/libclang_rt.fuzzer* \
        /usr/lib*/clang/*/lib/*/libclang_rt.fuzzer* >/dev/null || add_missing libfuzzer
    # Cross compilers, which not every system packages.
    for machine in i686 s390x aarch64 riscv64; do
        command_found "$machine-linux-gnu-gcc" &&
            [ -e "/usr/$machine-linux-gnu/lib/libc.a" ] || add_optional "cross-$machine"
    done
    command_found qemu-s390x-static && command_found qemu-aarch64-static || add_optional qemu-user
    command_found musl-gcc || add_optional musl
    command_found x86_64-w64-mingw32-gcc || add_optional mingw
    command_found wine || add_optional wine
    command_found emcc || add_optional emscripten
    command_found node || add_optional node
    # Other programs that read and write the formats of md5tool, and the browser.
    for program in npm blender chromium brotli; do
        command_found "$program" || add_optional "$program"
    done
    command_found firefox-esr || command_found firefox || add_optional firefox-esr
    "${PKG_CONFIG:-pkg-config}" --exists assimp 2>/dev/null || add_optional assimp
    /usr/bin/python3 -c "import numpy" 2>/dev/null || add_optional numpy
    # Tools that CMake needs in addition to clang-cl.
    command_found lld-link-19 && command_found llvm-lib-19 || add_optional llvm-19
    # The oldest packaged compilers, and a new one.
    for compiler in $(oldest gcc) $(oldest clang) clang-19; do
        command_found "$compiler" || add_optional "$compiler"
    done
}

# oldest NAME: prints the oldest version that apt offers, such as gcc-11.
oldest() {
    command_found apt-cache || return
    apt-cache pkgnames "$1-" | grep -xE "$1-[0-9]+" | sort -t- -k2n | head -n 1
}

# Packages that .ci/run needs in addition to test and lint: three other platforms.
check_gate() {
    for machine in i686 s390x aarch64; do
        command_found "$machine-linux-gnu-gcc" &&
            [ -e "/usr/$machine-linux-gnu/lib/libc.a" ] || add_optional "cross-$machine"
    done
    command_found qemu-s390x-static && command_found qemu-aarch64-static || add_optional qemu-user
    command_found x86_64-w64-mingw32-gcc || add_optional mingw
    command_found clang-19 || add_optional clang-19
    command_found ccache || add_optional ccache
}

check_deb() {
    command_found dh || add_missing debhelper
}

check_windows() {
    command_found x86_64-w64-mingw32-gcc || add_missing mingw
    command_found x86_64-w64-mingw32-g++ || add_missing mingw-c++
    [ -e /usr/x86_64-w64-mingw32/lib/libz.a ] || add_missing mingw-zlib
    command_found cmake || add_missing cmake
}

check_lint() {
    for tool in clang clang-tidy clang-format cppcheck shellcheck; do
        command_found "$tool" || add_missing "$tool"
    done
    command_found pyflakes3 || command_found pyflakes || add_missing pyflakes
    command_found pycodestyle || add_missing pycodestyle
    vulkan || add_missing vulkan
}

check_docs() {
    for tool in doxygen python3; do
        command_found "$tool" || add_missing "$tool"
    done
}

# -- Names --------------------------------------------------------------------------------------

# package SYSTEM FEATURE: prints the name of the package in that system, or nothing if the system does not have it.
package() {
    case $1:$2 in
    apt:sdl2) echo libsdl2-dev ;;
    apt:assimp) echo libassimp-dev ;;
    apt:numpy) echo python3-numpy ;;
    apt:stb) echo libstb-dev ;;
    apt:libzip) echo libzip-dev ;;
    apt:jansson) echo libjansson-dev ;;
    apt:meshoptimizer) echo libmeshoptimizer-dev ;;
    apt:zlib) echo zlib1g-dev ;;
    apt:fontconfig) echo libfontconfig-dev ;;
    apt:vulkan) echo libvulkan-dev ;;
    apt:glslang) echo glslang-tools ;;
    apt:lavapipe) echo mesa-vulkan-drivers ;;
    apt:squish) echo libsquish-dev ;;
    apt:bullet) echo libbullet-dev ;;
    apt:jpeg) echo libjpeg-dev ;;
    apt:glad) echo python3-glad ;;
    apt:font) echo fonts-dejavu-core ;;
    apt:libgl) echo libgl1 ;;
    apt:libegl) echo libegl1 ;;
    apt:egl-driver) echo libegl-mesa0 ;;
    apt:glx-driver) echo libglx-mesa0 ;;
    apt:gl-driver) echo libgl1-mesa-dri ;;
    apt:c++) echo g++ ;;
    apt:pyflakes) echo pyflakes3 ;;
    apt:qemu-user) echo qemu-user-static ;;
    apt:cross-i686) echo gcc-i686-linux-gnu libc6-dev-i386-cross ;;
    apt:cross-s390x) echo gcc-s390x-linux-gnu libc6-dev-s390x-cross ;;
    apt:cross-aarch64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    apt:cross-riscv64) echo gcc-riscv64-linux-gnu libc6-dev-riscv64-cross ;;
    apt:musl) echo musl-tools ;;
    apt:mingw) echo gcc-mingw-w64-x86-64 ;;
    apt:mingw-c++) echo g++-mingw-w64-x86-64 ;;
    apt:mingw-zlib) echo libz-mingw-w64-dev ;;
    apt:wine) echo wine wine64 ;;
    apt:node) echo nodejs ;;
    apt:libfuzzer) echo libclang-rt-dev ;;
    apt:llvm-19) echo llvm-19 lld-19 ;;
    dnf:libfuzzer | pacman:libfuzzer | apk:libfuzzer) echo compiler-rt ;;
    dnf:pkg-config) echo pkgconf-pkg-config ;;
    dnf:sdl2) echo SDL2-devel ;;
    dnf:bullet) echo bullet-devel ;;
    apk:bullet) echo bullet-dev ;;
    dnf:vulkan | pacman:vulkan | apk:vulkan | brew:vulkan) echo vulkan-headers ;;
    dnf:stb) echo stb-devel ;;
    dnf:fontconfig) echo fontconfig-devel ;;
    apk:fontconfig) echo fontconfig-dev ;;
    dnf:jpeg) echo libjpeg-turbo-devel ;;
    dnf:glad) echo glad ;;
    dnf:font) echo dejavu-sans-fonts dejavu-sans-mono-fonts ;;
    dnf:libgl | dnf:glx-driver) echo mesa-libGL ;;
    dnf:libegl | dnf:egl-driver) echo mesa-libEGL ;;
    dnf:gl-driver) echo mesa-dri-drivers ;;
    dnf:firefox-esr | pacman:firefox-esr) echo firefox ;;
    dnf:xvfb) echo xorg-x11-server-Xvfb ;;
    dnf:c++) echo gcc-c++ ;;
    dnf:clang-tidy | dnf:clang-format) echo clang-tools-extra ;;
    dnf:pyflakes | dnf:pycodestyle) echo "python3-$2" ;;
    dnf:shellcheck) echo ShellCheck ;;
    pacman:pkg-config) echo pkgconf ;;
    pacman:sdl2) echo sdl2 ;;
    pacman:stb) echo stb ;;
    pacman:jpeg) echo libjpeg-turbo ;;
    pacman:glad) echo glad ;;
    pacman:font) echo ttf-dejavu ;;
    pacman:libgl | pacman:libegl) echo libglvnd ;;
    pacman:egl-driver | pacman:gl-driver | pacman:glx-driver) echo mesa ;;
    pacman:xvfb) echo xorg-server-xvfb ;;
    pacman:python3) echo python ;;
    pacman:c++) echo gcc ;;
    pacman:pyflakes | pacman:pycodestyle) echo "python-$2" ;;
    pacman:clang-tidy | pacman:clang-format) echo clang ;;
    apk:pkg-config) echo pkgconf ;;
    apk:sdl2) echo sdl2-dev ;;
    apk:stb) echo stb ;;
    apk:jpeg) echo libjpeg-turbo-dev ;;
    apk:glad) echo py3-glad ;;
    apk:font) echo font-dejavu ;;
    apk:libgl | apk:glx-driver) echo mesa-gl ;;
    apk:libegl | apk:egl-driver) echo mesa-egl ;;
    apk:gl-driver) echo mesa-dri-gallium ;;
    apk:c++) echo g++ ;;
    apk:pyflakes | apk:pycodestyle) echo "py3-$2" ;;
    apk:clang-tidy | apk:clang-format) echo clang-extra-tools ;;
    brew:sdl2) echo sdl2 ;;
    brew:stb) echo stb ;;
    brew:jpeg) echo jpeg-turbo ;;
    brew:glad) echo "glad2 (from pip)" ;;
    brew:font) echo font-dejavu ;;
    brew:pycodestyle | brew:pyflakes) echo "$2 (from pip)" ;;
    brew:clang-tidy | brew:clang-format | brew:clang) echo llvm ;;
    brew:*gl* | brew:xvfb | brew:xdotool | brew:c++ | brew:debootstrap) ;;
    *) echo "$2" ;;
    esac
}

packages() {
    for feature in $missing; do
        package "$1" "$feature"
    done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# -- Installing ---------------------------------------------------------------------------------

can_install() {
    command_found apt-get && [ "${DEPS:-yes}" != no ] && { [ "$(id -u)" = 0 ] || command_found sudo; }
}

# Prints the required packages, with the command that installs them on this system.
report_missing() {
    if command_found apt-get; then
        echo "deps: missing: $missing; as root: apt-get install $(packages apt)" >&2
        return
    fi
    for manager in 'dnf install' 'pacman -S' 'apk add' 'brew install'; do
        if command_found "${manager%% *}"; then
            echo "deps: missing: $missing; run: $manager $(packages "${manager%% *}")" >&2
            return
        fi
    done
    echo "deps: missing: $missing (on Debian: $(packages apt))" >&2
}

# Prints the optional packages, which only apt-get would install.
report_optional() {
    [ -n "$optional" ] && command_found apt-get && [ "${DEPS:-yes}" != no ] || return 0
    names=$(missing=$optional && packages apt)
    echo "deps: optional, not installed: $optional; as root: apt-get install $names" >&2
}

install_with_apt() {
    names=$(packages apt)
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    echo "Installing: $names"
    log=$(mktemp)
    # The package lists may be missing, as in a fresh container, or out of date.
    if ! apt_get install $names >"$log" 2>&1; then
        apt_get update >"$log" 2>&1
        apt_get install $names >>"$log" 2>&1 || {
            cat "$log" >&2
            rm -f "$log"
            echo "deps: apt-get could not install: $names" >&2
            exit 1
        }
    fi
    rm -f "$log"
}

apt_get() {
    command=$1
    shift
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 \
        "$command" --no-install-recommends "$@" </dev/null
}

add_missing() {
    case " $missing " in *" $1 "*) ;; *) missing="$missing $1" ;; esac
}

# add_optional FEATURE: records an optional package.
add_optional() {
    optional="$optional $1"
}

check_sets() {
    missing=
    optional=
    for set; do
        "check_$set"
    done
    missing=${missing# }
    optional=${optional# }
}

# fetch_source PACKAGE FOLDER: a system without source entries finds the sources on the servers of its packages.
fetch_source() {
    command_found apt-get || {
        echo "deps: the sources of $1 must be fetched manually without apt-get" >&2
        exit 1
    }
    mkdir -p "$2/lists/partial"
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sort -u >"$2/sources.list"
    (
        cd "$2" || exit
        run_apt() {
            apt-get -q -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$PWD/lists" "$@"
        }
        if run_apt update && run_apt --download-only source "$1"; then
            tar -x --strip-components=1 -f "$1"_*.orig.tar.*
        fi
    ) >"$2/log" 2>&1 || {
        cat "$2/log" >&2
        exit 1
    }
}

if [ "${1:-}" = --source ]; then
    fetch_source "$2" "$3"
    exit
fi
if [ "${1:-}" = --font ]; then
    font "$2"
    exit
fi
if [ "${1:-}" = --stb ]; then
    stb
    exit
fi

only_check=no
if [ "${1:-}" = --check ]; then
    only_check=yes
    shift
fi
check_sets "$@"
if [ -n "$missing" ] && ! can_install; then
    report_missing
    report_optional
    exit 1
fi
[ $only_check = no ] || exit 0
if ! can_install; then
    report_optional
    exit 0
fi
if [ -n "$optional" ]; then
    (missing=$optional && install_with_apt) || echo "deps: continuing without: $optional" >&2
fi
[ -n "$missing" ] || exit 0
echo "Missing: $missing"
install_with_apt
check_sets "$@"
if [ -n "$missing" ]; then
    echo "deps: still missing after the installation: $missing" >&2
    exit 1
fi
