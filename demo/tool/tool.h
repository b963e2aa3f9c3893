// md5tool's commands. Each takes the arguments after its name and returns the exit status:
// 0 done, 1 a file is bad, 2 the arguments are.
#ifndef DEMO_TOOL_TOOL_H
#define DEMO_TOOL_TOOL_H

#include "md5/md5model.h"
#include "demo/common/machine.h"

enum { TOOL_OK, TOOL_BAD_FILE, TOOL_BAD_USAGE };

// Room for an error as text: all bytes of its file's name and message may be escaped.
enum { TOOL_MESSAGE = 2200 };

int tool_info(int count, char **arguments);
int tool_check(int count, char **arguments);
int tool_dump(int count, char **arguments);

extern const char tool_info_help[], tool_check_help[], tool_dump_help[];

// One line on stderr: what is wrong with the arguments, and where help is. Returns 2.
int tool_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Leaves the files of a command that has no options but `--` at the start of `arguments`, and
// returns how many there are; -1, said on stderr, if there is none, or an option.
int tool_take_files(const char *command, int count, char **arguments);

// Writes `error` as one line.
void tool_print_error(const md5_error *error);

// A file of any kind: one of these is set.
typedef struct tool_asset {
    md5_model *model;
    md5_anim *anim;
    md5_camera *camera;
    common_machine machine;
    uint32_t num_warnings;
} tool_asset;

// By the name's ending; by its first words if it has none that is known, which a pipe has not. A
// machine is loaded with all that it names.
bool tool_load(const char *path, const md5_load_opts *opts, tool_asset *asset, md5_error *error);
void tool_free(tool_asset *asset);

#endif
