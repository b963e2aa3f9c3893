// md5tool's commands. Each takes the arguments after its name and returns the exit status:
// 0 done, 1 a file is bad, 2 the arguments are.
#ifndef TOOL_H
#define TOOL_H

#include "md5/md5model.h"

enum { TOOL_OK, TOOL_BAD_FILE, TOOL_BAD_USAGE };

int tool_info(int count, char **arguments);
int tool_check(int count, char **arguments);
int tool_dump(int count, char **arguments);

extern const char tool_info_help[], tool_check_help[], tool_dump_help[];

// One line on stderr: what is wrong with the arguments, and where help is. Returns 2.
int tool_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Writes `error` as one line.
void tool_print_error(const md5_error *error);

// By the name's ending; what does not end in .md5anim is taken for a mesh.
bool tool_is_anim(const char *path);

#endif
