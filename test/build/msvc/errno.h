#pragma once
int *_errno(void);
#define errno (*_errno())
#define ENOENT 2
#define EACCES 13
#define EEXIST 17
#define EINVAL 22
#define ERANGE 34
