#pragma once
#define _O_WRONLY 0x0001
#define _O_CREAT 0x0100
#define _O_EXCL 0x0400
#define _O_NOINHERIT 0x0080
#define _O_TEXT 0x4000
#define _O_BINARY 0x8000
