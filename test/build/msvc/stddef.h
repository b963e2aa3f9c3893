#pragma once
#include <vcruntime.h>
#define offsetof(type, member) __builtin_offsetof(type, member)
