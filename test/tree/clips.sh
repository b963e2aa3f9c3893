#!/bin/sh
# The clips of our models keep to what an animator asks: planted feet, closed loops, nothing that stops
# dead or passes through the floor or the body.
. test/build/report.sh

check "the clips keep to what models/check_clips.py asks" python3 models/check_clips.py
finish
