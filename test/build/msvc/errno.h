#pragma once
int *_errno(void);
#define errno (*_errno())
#define EINVAL 22
#define ERANGE 34
