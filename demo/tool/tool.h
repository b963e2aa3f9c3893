// Commands of md5tool. Each takes the arguments after its name and returns the exit status:
// 0 success, 1 a file has an error, 2 the arguments are wrong.
#ifndef DEMO_TOOL_TOOL_H
#define DEMO_TOOL_TOOL_H

#include "md5/md5play.h"
#include "md5/md5model.h"
#include "md5/md5dialects.h"
#include "demo/common/memory.h"

enum { TOOL_OK, TOOL_BAD_FILE, TOOL_BAD_USAGE };

// Size of an error as text: all bytes of file name and message may be escaped.
enum { TOOL_MESSAGE = 2200 };

int tool_info(int count, char **arguments);
int tool_check(int count, char **arguments);
int tool_dump(int count, char **arguments);
int tool_verdicts(int count, char **arguments);
int tool_list(int count, char **arguments);
int tool_explain(int count, char **arguments);
int tool_bind(int count, char **arguments);
int tool_compress(int count, char **arguments);
int tool_decompress(int count, char **arguments);

typedef struct tool_command {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *help; // the first line is its usage
} tool_command;

extern const char tool_info_help[], tool_check_help[], tool_dump_help[], tool_verdicts_help[];
extern const char tool_list_help[], tool_explain_help[], tool_bind_help[];
extern const char tool_compress_help[], tool_decompress_help[];

// Prints what is wrong with the arguments of a command, which may be NULL, and how to get help, as
// one line on stderr. Returns TOOL_BAD_USAGE.
int tool_usage(const char *command, const char *format, ...) COMMON_PRINTF(2, 3);

// An option of a command. One without `read` has no value: it sets the bool at `to`.
typedef struct tool_option {
    const char *name, *takes;                  // "--base", and what its value is: "a folder"
    bool (*read)(const char *value, void *to); // returns false if the value is something else
    void *to;
} tool_option;

// A `read` for names: `to` is a const char *.
bool tool_read_name(const char *value, void *to);

// Reads options and moves the other words to the start of `arguments`; behind `--` there are only
// words. Returns how many words there are. Prints a message and returns -1 if an option is unknown
// or its value is wrong, or if there are fewer than `min_words` or more than `max_words`: `words`
// says what they are.
int tool_read_arguments(const char *command, int count, char **arguments,
                        const tool_option *options, size_t num_options, int min_words,
                        int max_words, const char *words);

// Prints `error` as one line on stderr.
void tool_print_error(const md5_error *error);

// Says in `error` that a file cannot be written, for the reason in errno. Returns false.
bool tool_fail_to_write(const char *path, md5_error *error);

// A file of any kind: one of these is set.
typedef struct tool_asset {
    md5_model *model;
    md5_anim *anim;
    md5_camera *camera;
    md5_character *character;
    md5_cube2 *cube;
    uint32_t num_warnings;
} tool_asset;

// Loads a file of the kind that its extension says or, without a known extension, as of a pipe, its
// first bytes or words. Loads a machine with its model and clips.
bool tool_load(const char *path, const md5_load_opts *opts, tool_asset *asset, md5_error *error);
void tool_free(tool_asset *asset);

// Reports what is wrong with the files and the names that a model of Cube 2's engines has.
void tool_check_cube(const char *path, const md5_cube2 *cube, md5_warn_fn *report, void *user);

#endif
