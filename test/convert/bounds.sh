#!/bin/sh
# The limits of the readers of md5tool: each with a file at the limit and a file above it.
. test/build/report.sh

check_bounds() { # [long]
    python3 test/convert/bounds.py "$products/md5tool" "$scratch" "$@"
}
check "limits of convert and bind" check_bounds
check_long "limits that only large files reach" check_bounds long
finish
