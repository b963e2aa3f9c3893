#pragma once
char *_getcwd(char *path, int size);
