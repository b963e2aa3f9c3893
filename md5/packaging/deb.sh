#!/bin/sh
# deb.sh FOLDER: builds Debian packages of the last commit in FOLDER. `make deb` calls it; the folder debian/ is copied
# from md5/packaging/debian, because the top level of the repository contains only sources.
# DEBFULLNAME, DEBEMAIL: the maintainer of the packages.
set -eu
folder=$1
for each in git dpkg-buildpackage dh; do
    command -v "$each" >/dev/null || {
        echo "deb: $each is missing: apt-get install git dpkg-dev debhelper" >&2
        exit 1
    }
done
number() {
    awk -v name="MD5_VERSION_$1" '$2 == name { print $3 }' md5/md5model.h
}
major=$(number MAJOR) minor=$(number MINOR) patch=$(number PATCH)
version=$major.$minor.$patch
abi=$major
[ "$major" != 0 ] || abi=0.$minor

source=$folder/md5model-$version
rm -rf "$folder"
mkdir -p "$source"
git -c safe.directory='*' archive HEAD | tar -x -C "$source"
cp -r "$source/md5/packaging/debian" "$source/debian"
maintainer="${DEBFULLNAME:-The md5model authors} <${DEBEMAIL:-md5model@example.org}>"
sed -i "s/@ABI@/$abi/g; s/@MAINTAINER@/$maintainer/" "$source/debian/control" "$source"/debian/*.symbols
for name in libmd5model libmd5gl; do
    for kind in install symbols; do
        mv "$source/debian/$name.$kind" "$source/debian/$name$abi.$kind"
    done
done

# The date of the commit makes the packages reproducible.
date=$(git -c safe.directory='*' log -1 --format=%cD)
cat >"$source/debian/changelog" <<END
md5model ($version) unstable; urgency=low

  * Release $version; CHANGELOG.md has what is new.

 -- $maintainer  $date
END
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    echo 'Upstream-Name: md5model'
    echo
    echo 'Files: *'
    sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
    echo 'License: Expat'
    sed '1,/^Copyright/d' LICENSE | sed '/./,$!d; s/^$/./; s/^/ /'
    echo
    echo 'Files: models/*'
    sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
    echo 'License: CC0-1.0'
    echo ' On Debian systems the text is in /usr/share/common-licenses/CC0-1.0.'
} >"$source/debian/copyright"

cd "$source"
dpkg-buildpackage -us -uc -b
cd ..
rm -rf "md5model-$version"
ls "$PWD"/*.deb
