#!/bin/sh
# The abuse tests at far more places of every file, and over the real models too where MD5_CORPUS
# says. ABUSE_MB=600 says how many million bytes each kind of abuse may read of one file.
. test/build/report.sh

check "good files abused" env MD5_ABUSE_MB="${ABUSE_MB:-600}" \
    "${BUILD:-build/release}/test_md5" test_abuse
finish
