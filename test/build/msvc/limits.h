#pragma once
#define CHAR_BIT 8
#define UCHAR_MAX 255
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffu
