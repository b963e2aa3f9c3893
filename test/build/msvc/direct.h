#pragma once
char *_getcwd(char *path, int size);
int _mkdir(const char *path);
