#!/bin/sh
# Recipes for package managers refer to existing options and files. The package managers are not needed.
. test/build/report.sh
folder=md5/packaging
version=$(awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $3; dot = "." }' md5/md5model.h)

print_unknown_options() {
    grep -ohE 'MD5MODEL_[A-Z]+' -r --include=*.cmake --include=*.py --include=*.lua $folder/vcpkg $folder/conan $folder/xmake | sort -u | while read -r option; do
        grep -qE "(option\(|NOT DEFINED )$option\>" CMakeLists.txt || echo "$option is not an option of CMakeLists.txt"
    done
}
has_version() {
    python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["version"] != sys.argv[2])' \
        $folder/vcpkg/vcpkg.json "$version"
}
# Runs the recipe's steps with a minimal replacement of Conan.
recipe_exports_sources() {
    mkdir -p "$scratch/stub/conan/tools" "$scratch/exported"
    echo 'class ConanFile: pass' >"$scratch/stub/conan/__init__.py"
    : >"$scratch/stub/conan/tools/__init__.py"
    printf '%s\n' 'CMake = CMakeToolchain = cmake_layout = None' >"$scratch/stub/conan/tools/cmake.py"
    cat >"$scratch/stub/conan/tools/files.py" <<'END'
import fnmatch
import os
import shutil


def load(recipe, path):
    return open(path).read()


def copy(recipe, pattern, source, target):
    found = 0
    for folder, folders, names in os.walk(source):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), source)
            if fnmatch.fnmatch(path, pattern):
                os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
                shutil.copy(os.path.join(source, path), os.path.join(target, path))
                found += 1
    assert found, pattern
END
    PYTHONDONTWRITEBYTECODE=1 python3 -c '
import sys
sys.path[:0] = sys.argv[1:3]
import conanfile
recipe = conanfile.Md5model()
recipe.recipe_folder, recipe.export_sources_folder = sys.argv[2:4]
recipe.set_version()
recipe.export_sources()
print(recipe.version)
sys.exit(recipe.version != sys.argv[4])' "$scratch/stub" $folder/conan "$scratch/exported" "$version"
}
recipe_configures() {
    (unset MAKEFLAGS; cmake -S "$scratch/exported" -B "$scratch/configured" -DMD5MODEL_PROGRAMS=OFF -DMD5MODEL_GL=ON \
        -DMD5MODEL_INSTALL=ON)
}
silent "recipes use options of CMakeLists.txt" print_unknown_options
check "vcpkg.json has the version" has_version
check "Conan's recipe runs up to exporting sources" recipe_exports_sources
if command -v cmake >/dev/null; then
    check "CMake configures the exported sources" recipe_configures
else
    skip "CMake configures the exported sources" "cmake is not installed"
fi
if command -v luac >/dev/null; then
    check "xmake's recipe is Lua" luac -p $folder/xmake/xmake.lua
fi
finish
