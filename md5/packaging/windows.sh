#!/bin/sh
# windows.sh FOLDER: builds md5tool.exe and md5view.exe for Windows with mingw-w64 in FOLDER/bin, together with the SDL2.dll
# that the viewer needs and the licenses of all linked libraries. SDL2, jansson, libjpeg and libzip are built from the
# sources of this system's packages. The build is reproducible.
set -eu
folder=$1
tools=x86_64-w64-mingw32
packages=$PWD/$folder/packages bin=$folder/bin
reproducible="-s -Wl,--no-insert-timestamp"
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS LDFLAGS CC
mkdir -p "$packages/include" "$bin"
cat >"$packages/windows.cmake" <<END
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER $tools-gcc)
set(CMAKE_CXX_COMPILER $tools-g++)
set(CMAKE_RC_COMPILER $tools-windres)
set(CMAKE_FIND_ROOT_PATH /usr/$tools)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_SHARED_LINKER_FLAGS_INIT "$reproducible")
set(CMAKE_C_FLAGS_INIT "-ffile-prefix-map=$PWD/$folder=.")
END

# package NAME LICENSE FLAGS...: builds a package with its CMakeLists.txt.
package() {
    name=$1 license=$2 source=$folder/sources/$1 build=$folder/made/$1
    shift 2
    [ ! -e "$packages/$name.txt" ] || return 0
    echo "windows: $name"
    rm -rf "$source" "$build"
    {
        sh md5/packaging/deps.sh --source "$name" "$source" &&
            cmake -S "$source" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$packages/windows.cmake" -DCMAKE_BUILD_TYPE=Release \
                -DCMAKE_INSTALL_PREFIX="$packages" "$@" &&
            cmake --build "$build" -j "$(getconf _NPROCESSORS_ONLN)" && cmake --install "$build"
    } >"$folder/$name.log" 2>&1 || {
        tail -n 20 "$folder/$name.log" >&2
        exit 1
    }
    cp "$source/$license" "$packages/$name.txt"
}
package libsdl2 LICENSE.txt -DSDL_STATIC=OFF -DSDL_TEST=OFF
package jansson LICENSE -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
package libjpeg-turbo LICENSE.md -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF
package libzip LICENSE -DBUILD_SHARED_LIBS=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF \
    -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DENABLE_OPENSSL=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
    -DENABLE_WINDOWS_CRYPTO=OFF
printf '#!/bin/sh\nPKG_CONFIG_LIBDIR="%s" exec pkg-config --static "$@"\n' "$packages/lib/pkgconfig" >"$packages/pkg-config"
chmod +x "$packages/pkg-config"
ln -sfn "$(dirname "$(sh md5/packaging/deps.sh --stb)")" "$packages/include/stb"

make --no-print-directory DEPS=no CC=$tools-gcc BUILD="$folder/objects" PKG_CONFIG="$packages/pkg-config" \
    CFLAGS="-Wno-float-conversion -isystem $packages/include -DZIP_STATIC" LDFLAGS="-static $reproducible" \
    SDL_LIBS="$packages/lib/libSDL2.dll.a" "$folder/objects/md5tool" "$folder/objects/md5view"
cp "$folder/objects/md5tool.exe" "$folder/objects/md5view.exe" "$packages/bin/SDL2.dll" "$bin/"
for text in "$packages"/*.txt; do
    cp "$text" "$bin/LICENSE-${text##*/}"
done
for name in libz-mingw-w64-dev libstb-dev fonts-dejavu-core; do # linked without a build
    cp "/usr/share/doc/$name/copyright" "$bin/LICENSE-$name.txt"
done
