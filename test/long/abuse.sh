#!/bin/sh
# Runs the abuse tests at far more positions of every file, and with the real models if MD5_CORPUS is set. ABUSE_MB=600
# limits the megabytes that each kind of abuse reads of one file.
. test/build/report.sh

check "damaged copies of valid files cause no errors" env MD5_ABUSE_MB="${ABUSE_MB:-600}" \
    "${BUILD:-build/release}/test_md5" test_abuse
finish
