// Declarations that several headers share.
#pragma once
typedef unsigned long long size_t;
typedef long long ptrdiff_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef unsigned short wchar_t;
#define NULL ((void *)0)
