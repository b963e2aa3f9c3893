#!/bin/sh
# Options and commands that earlier versions of md5tool had: the error names the replacement.
. test/build/report.sh

tool=$products/md5tool
check "check --sarif" exits_with 2 "check: --sarif was removed: use --json or --github" "$tool" check --sarif x.md5mesh
check "convert --pack" exits_with 2 "convert: --pack was removed: use --quantize, or compress the file with gltfpack" \
    "$tool" convert x.md5mesh --pack -o x.glb
check "convert --turn" exits_with 2 "convert: --turn was removed: use --rotate" "$tool" convert x.md5mesh --turn 90 -o x.glb
check "fix --turn" exits_with 2 "fix: --turn was removed: use --rotate" "$tool" fix x.md5mesh --turn 90 --force
check "convert --wear" exits_with 2 "convert: --wear was removed: use --outfit" \
    "$tool" convert x.md5mesh --wear hat.md5mesh -o x.glb
check "bake" exits_with 2 "md5tool: bake was removed: load the MD5 files" "$tool" bake x.md5mesh -o x
check "help WORD" exits_with 2 "md5tool: 'help WORD' was removed; use the search of the website" "$tool" help why is my model black
check "help of one word" exits_with 2 "md5tool: 'help WORD' was removed" "$tool" help hitbox
check "help of a misspelled command" exits_with 2 "did you mean 'check'" "$tool" help chek
check "help COMMAND" exits_with 0 "usage: md5tool check" "$tool" help check
check "an option that never existed" exits_with 2 "unknown option '--sari'" "$tool" check --sari x.md5mesh
check "an argument after two dashes is a file" exits_with 1 "cannot read the file" "$tool" check -- --sarif
finish
