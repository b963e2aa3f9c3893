// Declarations that the commands of md5tool share. Each command is a tool_command that its file
// defines; tool_arguments are the parsed arguments.
#ifndef DEMO_TOOL_TOOL_H
#define DEMO_TOOL_TOOL_H

#include "md5/md5play.h"
#include "demo/common/removed.h"
#include "demo/convert/convert.h"

#include <limits.h>

// Exit statuses: success, a file has an error, the arguments are wrong.
enum { TOOL_OK, TOOL_BAD_FILE, TOOL_BAD_USAGE };

// Size of an error as text, if all bytes of file name and message are escaped.
enum { TOOL_MESSAGE = 2200 };

// The arguments after the name of a command. A member is the value of the option with its name,
// unless a comment names another option. Members of missing options are 0.
typedef struct tool_arguments {
    const char *command;
    char **operands; // [num_operands] arguments that are neither options nor their values
    int num_operands;
    const char *base;
    const char *mod;
    const char *output;
    const char *mesh;
    const char *map;
    const char *palette;
    const char *scene;
    const char *to;
    const char *folder; // DIR of a game: an operand, not an option
    const char *rotate;
    const char *frames;
    common_texts excluded; // --exclude
    common_texts only;
    common_texts ignored; // --ignore
    common_texts engines; // --for: texts of the option, from which `requested` is set
    common_texts joints;  // --joint
    common_texts renames; // --rename
    common_texts cuts;    // --cut
    common_texts tags;    // --tag
    common_texts mesh_options[CONVERT_NUM_MESH_OPTIONS]; // as in convert_job
    common_texts outfits;                                // as in convert_job; --outfit
    uint32_t range[2];
    md5_engines requested; // requested engines, by --for
    double *times;         // [num_times] in milliseconds, or in frames if `counts_frames`
    int num_times;
    double ms; // the last of `times`
    uint32_t frame;
    uint32_t influences;
    uint32_t resolution;
    float tolerance; // --error
    double scale;
    double rate;
    md5_root root;
    md5_joint_edit joint_edit; // for md5tool fix; options set the members of the edits
    md5_mesh_edit mesh_edit;
    md5_space_edit space_edit;
    md5_root_edit root_edit;
    md5_frame_edit frame_edit;
    bool is_json;
    bool is_github;
    bool is_y_up;
    bool was_y_up;                // --up y
    bool shows_all;               // --all
    bool shows_rules;             // --rules
    bool counts_frames;           // --frame was given instead of --ms
    bool is_forced;               // --force
    bool is_dry;                  // --dry-run
    bool prints_map;              // --print-map
    bool swaps_sides;             // --swap-sides
    bool flips_inverted;          // --winding
    bool drops_invalid_triangles; // --bad-triangles
    bool fills_weights;           // --weights
    bool is_quantized;            // --quantize
    bool is_fitted;               // --fit
    bool shows_formats;           // --formats
    bool allows_missing_images;   // for check: a missing image is a warning for every engine
    bool has_root;                // --root was given
} tool_arguments;

// A command. It accepts the options that `help` contains.
typedef struct tool_command {
    const char *name;
    int (*run)(tool_arguments *arguments); // returns the exit status
    int min_operands;
    int max_operands;
    const char *operands; // description of the operands
    const char *help;     // the first line is the usage
} tool_command;

extern const tool_command tool_info;
extern const tool_command tool_check;
extern const tool_command tool_diff;
extern const tool_command tool_fix;
extern const tool_command tool_dump;
extern const tool_command tool_list;
extern const tool_command tool_explain;
extern const tool_command tool_parse;
extern const tool_command tool_bind;
extern const tool_command tool_compress;
extern const tool_command tool_decompress;
extern const tool_command tool_curves;
extern const tool_command tool_convert;

// Runs a command line of `count` arguments, the first of which is the command. Returns the exit
// status.
typedef int tool_run_fn(int count, char **arguments);

// Runs each line of a file, or of standard input if `path` is "-", as a command line. Returns the
// worst exit status.
int tool_run_batch(const char *path, tool_run_fn *run);

// Prints an error in the arguments of a command (NULL: of md5tool) and how to get help, as one line
// on standard error. Returns TOOL_BAD_USAGE.
int tool_usage(const char *command, const char *format, ...) COMMON_PRINTF(2, 3);

// Returns true and prints an error if --root-height or --root-heading lacks --root-motion.
bool tool_lacks_root_motion(const tool_arguments *arguments, const char *command);

// Returns the entry of an option or a command of an earlier version, or NULL. `argument` includes
// the dashes of an option.
const common_removed *tool_find_removed(const char *argument);

// Prints an error as one line on standard error. It is a md5_warn_fn; `user` is not used.
void tool_print_error(void *user, const md5_error *error);

// Ends a command: prints the error unless `is_done`. Returns the exit status.
int tool_end(bool is_done, const md5_error *error);

// The most similar name to a wrong name, for suggestions in messages.
typedef struct tool_nearest {
    const char *name; // or NULL if no name is similar
    size_t distance;  // edit distance of `name` to the wrong name
    size_t work;      // remaining comparisons of characters; a name that would take more is skipped
} tool_nearest;

// Compares another name with the wrong name, and updates the result.
void tool_compare_name(tool_nearest *nearest, const char *wrong, const char *name);

// Write a text or a document to a file, or to standard output if `path` is NULL.
bool tool_write_text(const char *path, const char *text, size_t size, md5_error *error);
bool tool_write_doc(const char *path, const md5_doc *doc, md5_error *error);

// Kinds of files. The readers of the kinds up to TOOL_CAMERA read MD5 text. tool_check_game()
// checks the files of the kinds up to TOOL_CAMERA.
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

tool_kind tool_file_kind(const char *path); // by its extension

// Returns the kind of the content text[size] of a file, which can differ from the kind by the
// extension of `path`. If the content has no characteristic keyword, the extension decides.
tool_kind tool_content_kind(const char *path, const char *text, size_t size);

// A file of any kind. One of the pointers is set.
typedef struct tool_asset {
    md5_model *model;
    md5_anim *anim;
    md5_camera *camera;
    md5_character *character;
    md5_cube2 *cube;
    uint32_t num_warnings;
} tool_asset;

// Loads a file. The extension selects the kind. If the extension is unknown, as for pipes, the
// content selects the kind. A machine is loaded with its model and clips.
bool tool_load(const char *path, const md5_load_opts *opts, tool_asset *asset, md5_error *error);
void tool_free(tool_asset *asset);

// -- Progress -------------------------------------------------------------------------------------
//
// Progress is printed on standard error if it is a terminal.

// For common_walk and common_game_paths: prints the number of files that a search has found.
bool tool_show_search(void *user, size_t num_files);

// Prints the progress on standard error. Prints only for some values of `done`, because printing
// takes time. Removes the line if `done` equals `count`.
void tool_show_progress(size_t done, size_t count);

// -- Folders and archives -------------------------------------------------------------------------
//
// Files are read from a path, or by name in a game. `game` is NULL for files on disk. A game must
// be used by one thread only.

// The folders and archives in which files of a game are searched, and the game that they form.
typedef struct tool_search_paths {
    common_game_paths list; // in order of priority: the mod, DIR, the base
    size_t ends[3];         // index after the last path of the mod, of DIR, of the base
    md5_game *game;
    size_t num_unread;             // archives in archives or in subfolders, which are not mounted
    const char *unsupported_model; // a model that only convert reads; set if `opts` were given
} tool_search_paths;

// Opens the folders and archives of the arguments. `search_paths` may have callbacks. The caller
// must close it in any case. With `opts`, reports archives that are not read.
bool tool_open_search_paths(const tool_arguments *arguments, const md5_load_opts *opts,
                            tool_search_paths *search_paths, md5_error *error);

// Prints that md5tool convert reads the unsupported model, if there is one.
void tool_suggest_convert(const tool_search_paths *search_paths);

void tool_close_search_paths(tool_search_paths *search_paths);

// Returns the path of a file with its folder or archive, or a copy of `name` if it is not a file.
// The caller frees it.
char *tool_full_path(const tool_search_paths *search_paths, const char *name);

bool tool_is_file(const md5_game *game, const char *path);

// Returns the bytes of a file, which the caller frees, or NULL. Does not read pipes.
char *tool_read_file(md5_game *game, const char *path, size_t *size);

// Returns the file system of a game, for md5_load_opts.
md5_files tool_files(md5_game *game);

// -- Rules of engines ------------------------------------------------------------------------

void tool_print_engines(uint32_t set); // prints the names of the engines in the set
void tool_print_rules(void);           // prints all rules and the engines' reactions

// Returns true if a requested engine has this rule and reports its violations.
bool tool_has_rule(md5_engines requested, const char *rule);

// Returns the path of a file in the folder of a mesh or clip, whose path is DIR/STEM.md5mesh or
// DIR/STEM.md5anim. The result is DIR/`before`STEM`after` or, if `after` is NULL, DIR/`before`.
// Returns NULL if there is no such file. The caller frees the path.
char *tool_find_sibling(const md5_game *game, const char *path, const char *before,
                        const char *after);
bool tool_has_sibling(const md5_game *game, const char *path, const char *before,
                      const char *after);

// Returns the .mdl or .md2 file that a model or its clip replaces in the engines of Quake and Quake
// II, or NULL. The caller frees it.
char *tool_find_replaced(const md5_game *game, const char *path);

bool tool_are_in_one_folder(const char *a, const char *b); // compares the paths as texts

// Compares two paths (const char **) by their folders, then by their names, for qsort().
int tool_compare_paths(const void *a, const void *b);

// Returns the index of the first of paths[count], sorted by tool_compare_paths(), that is not
// before a path.
size_t tool_find_path(const char *const *paths, size_t count, const char *path);

// Returns the index in meshes[count] of the mesh to which a clip belongs, or MD5_NONE. It is the
// mesh with the same name and folder, as in Quake. If this does not exist, it is the only mesh in
// the folder of the clip. The array must be sorted by tool_compare_paths().
size_t tool_find_mesh(const char *const *meshes, size_t count, const char *clip);

// Returns the mesh in the clip's folder to which a clip belongs, or NULL. The caller frees the
// path.
char *tool_find_sibling_mesh(const char *path);

// Returns the requested engines. Without any, guesses the engines of a file from its folder and the
// files in it.
md5_engines tool_engines(md5_engines requested, const md5_game *game, const char *path);

// Checks a mesh or a clip for the requested engines, even if it has syntax errors. Its path may
// have any extension, but not the extension of another kind: the rules would only report the
// keywords of such a file as unknown. `text` NULL: creates an empty check. Returns NULL for other
// files.
md5_check *tool_check_text(const char *path, const char *text, size_t size, md5_engines requested);

// Checks a file like tool_check_text(). Returns NULL also if the file cannot be read.
md5_check *tool_check_file(md5_game *game, const char *path, md5_engines requested);

// A position in a text file; lines and columns count from 1.
typedef struct text_position {
    uint32_t line;
    uint32_t column;
} text_position;

// Add a violation of a rule at a position in the file, or in a line. Line 0 stands for no line.
void tool_add_diagnostic(md5_check *check, const char *rule, text_position at, const char *format,
                         va_list values);
void tool_add_violation(md5_check *check, const char *rule, uint32_t line, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Adds violations of rules about other files in the folder of a model or a clip.
void tool_check_folder(md5_game *game, md5_check *file_check);

// Returns true if frame 1 of a clip repeats frame 0 because of a mistake of the exporter.
bool tool_has_doubled_frame(const md5_anim *anim);

// Adds errors in the motion of a clip, by the skin of its mesh. Without a mesh (NULL), checks only
// the joints.
void tool_check_motion(md5_check *clip, const md5_model *model, const md5_anim *anim);

// Returns the diagnostics, sorted by position.
const md5_diagnostic *tool_diagnostics(md5_check *check, size_t *count);

// Returns true if a rule reports the same problem as an error of the library, so that the error
// need not be printed. Returns false if `file_check` is NULL.
bool tool_is_reported_by_rule(const md5_check *file_check, const md5_error *error);

// -- Images -----------------------------------------------------------------------------------

// Properties of an image that its header contains.
typedef struct tool_image {
    const char *kind; // "TGA", "PNG", "JPEG", "DDS", "PCX", "WAL" or "LMP"
    uint32_t width;
    uint32_t height;
    uint32_t bits; // per pixel; 0: compressed
    uint32_t type; // TGA: type, plus 256 with a color map; PCX: 1 for version 5 with run lengths
} tool_image;

// Reads the header of an image. Returns false for other files.
bool tool_read_image(md5_game *game, const char *path, tool_image *image);

// Adds the engines' diagnostics of an image. `line` is the line that selects the image in the
// checked file; 0 if the image itself is the checked file.
void tool_check_image(md5_game *game, md5_check *file_check, uint32_t line, const char *path);

// Returns the most similar image to a path that does not exist, for a suggestion. Candidates are
// images in the folder of the path and, in a game, images with the same name in other folders.
// Extensions are ignored. Returns NULL if no image is similar or `work` is used up. The caller
// frees the path.
char *tool_near_image(const md5_game *game, const char *path, size_t *work);

// Returns the image of a mesh's shader, or NULL. It may be a file next to the model. It may also
// have the shader's path below the model's folder or one of its parents. The shader's extension and
// all extensions of images are tried.
char *tool_find_texture(const md5_game *game, const char *model, const char *shader);

// -- Feet -------------------------------------------------------------------------------------

// Returns the horizontal speed of a foot from a frame to the next frame, in units per second.
// `positions` contains the position of the foot in each frame.
double tool_horizontal_speed(const md5_anim *anim, const md5_vec3 *positions, uint32_t frame);

// Returns true if a foot stands on the ground from a frame to the next frame. The conditions are
// the same as for md5_hold_params, with `scale` times its default limits of height and speed.
bool tool_is_foot_planted(const md5_anim *anim, const md5_vec3 *positions, uint32_t frame,
                          float scale);
bool tool_is_foot(const char *joint); // by the name of the joint

// -- Reports ----------------------------------------------------------------------------------

// Prints the diagnostics of `md5tool check` in the requested format.
typedef struct tool_report tool_report;
tool_report *tool_begin_report(const tool_arguments *arguments);
void tool_report_diagnostic(tool_report *report, const md5_diagnostic *found);
void tool_count_warnings(tool_report *report, unsigned count); // adds warnings to the totals only
bool tool_is_for_people(const tool_report *report);            // the format is text
// Prints the totals and the engines. Returns the exit status.
int tool_end_report(tool_report *report, size_t num_files, uint32_t checked_engines);

// Options and results of checking a game folder.
typedef struct tool_game_check {
    void (*print)(void *user, const md5_diagnostic *found); // paths include folder or archive
    void *user;
    md5_engines requested;
    size_t num_files;     // files that were read
    size_t num_decls;     // declarations that were read
    size_t num_defaulted; // declarations that the engine replaces by defaults
    // Location, type and name of the replaced declarations for which no diagnostic was printed,
    // such as materials that no mesh uses. The caller frees the list.
    common_list unreported_defaults;
    bool has_decls;                 // the game has declarations; otherwise nothing was read
    tool_search_paths search_paths; // open unless they cannot be read; the caller closes them
} tool_game_check;

// Reads all declarations of the arguments' game folder or archive with their models and animations,
// and all other models, animations and camera paths. Does nothing without declarations. Returns an
// exit status: TOOL_BAD_FILE only if the game cannot be read, which is printed.
int tool_check_game(const tool_arguments *arguments, tool_game_check *check);

#endif
