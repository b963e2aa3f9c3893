#pragma once
#include <immintrin.h>
unsigned char _BitScanForward64(unsigned long *index, unsigned long long bits);
