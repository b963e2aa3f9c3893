#!/bin/sh
# Reads every md5.cfg of the Debian packages cube2-data (170 MB) and redeclipse-data (860 MB) with its meshes and animations,
# and draws contact sheets of all models to build/packages/sheets/PACKAGE1.png and so on, for manual review. The packages are
# fetched and unpacked, not installed:
#   PACKAGES_CACHE=FOLDER   folder of the packages; default build/packages
. test/build/report.sh

# shellcheck disable=SC2317 # functions are run by check
cache=${PACKAGES_CACHE:-build/packages}
tool=$products/md5tool
viewer=$products/md5view
export SDL_VIDEODRIVER=offscreen

fetch() { # PACKAGE
    [ ! -d "$cache/$1" ] || return 0
    mkdir -p "$cache/archives" && (cd "$cache/archives" && apt-get download "$1") || return 1
    rm -rf "$cache/$1.part"
    dpkg-deb -x "$cache/archives/$1"_*.deb "$cache/$1.part" && mv "$cache/$1.part" "$cache/$1" &&
        rm -f "$cache/archives/$1"_*.deb
}

scripts() { # PACKAGE
    find "$cache/$1/" -name md5.cfg | sort
}

# Prints messages of md5tool that name a part of an md5.cfg file that it does not understand.
print_unsupported_commands() { # PACKAGE
    scripts "$1" | while read -r script; do
        "$tool" info "$script" >/dev/null
        "$tool" check "$script" | grep -E 'unknown command|unterminated|not supported|incomplete|nested too deeply|too many words|value of variable'
    done
}

# Counts messages of md5tool that match PATTERN. These messages report faults in the files of the games, such as
# missing animations or tags of missing joints.
count_messages() { # PACKAGE PATTERN
    scripts "$1" | while read -r script; do
        "$tool" check "$script"
    done | grep -cE "$2"
}

draw() { # PACKAGE
    mkdir -p "$cache/sheets"
    # shellcheck disable=SC2046 # no path of these packages has spaces
    python3 test/packages/sheet.py "$viewer" "$cache/$1" "$cache/sheets/$1" $(scripts "$1") >"$cache/sheets/$1.txt"
}

print_failed_models() { # PACKAGE
    grep 'failed$' "$cache/sheets/$1.txt"
}

# Lists meshes without a texture although the package contains an image with the name of their shader.
print_missed_textures() { # PACKAGE
    awk -F '\t' '$2 == "missing" { print $1 "\t" $3 }' "$cache/sheets/$1.txt" | while IFS='	' read -r model shader; do
        stem=$(basename "$shader" | sed 's/\.[^.]*$//')
        find "$cache/$1/" -iname "$stem.*" | grep -iE '\.(png|jpe?g|tga|dds)$' | sed "s|^|$model: $shader: |"
    done
}

for package in cube2-data redeclipse-data; do
    if ! [ -d "$cache/$package" ] && ! command -v apt-get >/dev/null; then
        skip "$package" "apt-get is not installed"
        continue
    fi
    check "$package is fetched" fetch "$package"
    check "$package has md5.cfg files" [ -n "$(scripts "$package" | head -n 1)" ]
    silent "$package: each md5.cfg is read without an unknown command" print_unsupported_commands "$package"
    echo "note: $package: $(scripts "$package" | wc -l) md5.cfg files," \
        "$(count_messages "$package" ' error: ') errors and $(count_messages "$package" ' warning: ') warnings of missing files and names"
    if ! "$viewer" --version >/dev/null 2>&1; then
        skip "$package is drawn" "$viewer does not exist"
        continue
    fi
    check "$package is drawn" draw "$package"
    silent "$package: each md5.cfg is drawn" print_failed_models "$package"
    silent "$package: each mesh finds its texture in the package" print_missed_textures "$package"
    echo "note: $package: $(grep -c 'drawn$' "$cache/sheets/$package.txt") models drawn," \
        "$(grep -c 'missing' "$cache/sheets/$package.txt") meshes without a texture"
done
finish
