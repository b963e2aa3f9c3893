#!/bin/sh
# progress.sh STEP STEPS NAME: shows which step of a build begins: on a terminal in one line, which the next step and
# what a compiler says write over; elsewhere in about ten lines. With 0 STEPS, which are not known, all are shown.
step=$1 steps=$2 name=$3
if [ "$steps" -ge "$step" ]; then
    text="[$step/$steps] $name"
    if [ -t 1 ] && [ "$step" -lt "$steps" ]; then
        printf '\033[K%s\r' "$text"
        exit
    fi
    [ ! -t 1 ] || printf '\033[K'
    [ "$step" -ne 1 ] && [ $((10 * step / steps)) -eq $((10 * (step - 1) / steps)) ] && exit
else
    text="[$step] $name"
fi
echo "$text"
