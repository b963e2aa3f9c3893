// Commands of md5tool. Each is a row that its file defines: how it is called and what runs it.
#ifndef DEMO_TOOL_TOOL_H
#define DEMO_TOOL_TOOL_H

#include "md5/md5play.h"
#include "md5/md5model.h"
#include "md5/md5dialects.h"
#include "demo/common/memory.h"

// Exit statuses: success, a file has an error, the arguments are wrong.
enum { TOOL_OK, TOOL_BAD_FILE, TOOL_BAD_USAGE };

// Size of an error as text: all bytes of file name and message may be escaped.
enum { TOOL_MESSAGE = 2200 };

// The arguments behind the name of a command. Options that are not given are 0.
typedef struct tool_arguments {
    const char *command;
    char **words; // [num_words] what is neither an option nor its value
    int num_words;
    const char *base, *mod, *output;
    const char *folder;    // of a game: DIR
    const char **excluded; // [num_excluded]
    double *times;         // [num_times] in milliseconds
    int num_excluded, num_times;
    uint32_t influences, resolution;
    float tolerance;
    md5_root root;
    bool is_json, is_y_up;
} tool_arguments;

// An option is one of the command's if it stands in `help`.
typedef struct tool_command {
    const char *name;
    int (*run)(tool_arguments *arguments); // returns the exit status
    int min_words, max_words;
    const char *words; // what they are
    const char *help;  // the first line is its usage
} tool_command;

extern const tool_command tool_info, tool_check, tool_dump, tool_list, tool_explain, tool_verdicts,
    tool_bind, tool_compress, tool_decompress, tool_curves;

// Prints what is wrong with the arguments of a command, which may be NULL, and how to get help, as
// one line on stderr. Returns TOOL_BAD_USAGE.
int tool_usage(const char *command, const char *format, ...) COMMON_PRINTF(2, 3);

// Prints `error` as one line on stderr; a md5_warn_fn whose user is not used.
void tool_print_error(void *user, const md5_error *error);

// Ends a command: prints the error if it is not done. Returns the exit status.
int tool_end(bool is_done, const md5_error *error);

// Says in `error` what is wrong with a file. Returns false.
bool tool_fail(md5_error *error, md5_status status, const char *path, const char *format, ...)
    COMMON_PRINTF(4, 5);

// The same of a file that cannot be written, for the reason in errno.
bool tool_fail_to_write(const char *path, md5_error *error);

// The rotation as files store it: x y z of one whose w is not above 0.
md5_quat tool_stored_rotation(md5_quat q);

// Kinds of files. Those up to cameras are listed by a game too.
typedef enum tool_kind {
    TOOL_UNKNOWN,
    TOOL_MODEL,
    TOOL_ANIM,
    TOOL_CAMERA,
    TOOL_BFG_MODEL,
    TOOL_BFG_ANIM,
    TOOL_MACHINE,
    TOOL_CUBE,
} tool_kind;

tool_kind tool_kind_of(const char *path); // by its extension

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

// What is found in a game folder.
typedef struct tool_game_check {
    md5_warn_fn *print; // of each finding; files are named with their folder or archive
    void *user;
    size_t num_files, num_decls; // that were read
    size_t num_defaulted;        // declarations that the engine replaces by defaults
} tool_game_check;

// Reads all declarations of the game folder of the arguments, with the models and animations that
// they name, and all other models, animations and camera paths. Returns an exit status:
// TOOL_BAD_FILE only if the game cannot be read, which is printed.
int tool_check_game(const tool_arguments *arguments, tool_game_check *check);

#endif
