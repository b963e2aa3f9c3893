// Commands of md5tool. Each is a row that its file defines: how it is called and what runs it.
#ifndef DEMO_TOOL_TOOL_H
#define DEMO_TOOL_TOOL_H

#include "md5/md5play.h"
#include "demo/common/removed.h"
#include "demo/convert/convert.h"

#include <limits.h>

// Exit statuses: success, a file has an error, the arguments are wrong.
enum { TOOL_OK, TOOL_BAD_FILE, TOOL_BAD_USAGE };

// Size of an error as text: all bytes of file name and message may be escaped.
enum { TOOL_MESSAGE = 2200 };

// The arguments behind the name of a command. Options that are not given are 0.
typedef struct tool_arguments {
    const char *command;
    char **words; // [num_words] what is neither an option nor its value
    int num_words;
    const char *base;
    const char *mod;
    const char *output;
    const char *mesh;
    const char *map;
    const char *palette;
    const char *scene;
    const char *to;
    const char *folder; // of a game: DIR
    const char *turn;
    const char *frames;
    common_texts excluded;
    common_texts only;
    common_texts ignored;
    common_texts engines;
    common_texts joints;
    common_texts renames;
    common_texts cuts;
    common_texts tags;
    common_texts said[CONVERT_NUM_MAPS + 1], worn; // as in convert_job
    uint32_t range[2];
    md5_engines asked; // the engines
    double *times;     // [num_times] in milliseconds or, if it counts_frames, in frames
    int num_times;
    double ms; // the last of them
    uint32_t frame;
    uint32_t influences;
    uint32_t resolution;
    float tolerance;
    double scale;
    double rate;
    md5_root root;
    md5_joint_edit joint_edit; // of md5tool fix, as options set their members
    md5_mesh_edit mesh_edit;
    md5_space_edit space_edit;
    md5_frame_edit frame_edit;
    bool is_json;
    bool is_github;
    bool is_y_up;
    bool was_y_up;
    bool shows_all;
    bool shows_rules;
    bool counts_frames;
    bool is_forced;
    bool is_dry;
    bool prints_map;
    bool swaps_sides;
    bool turns_inward;
    bool drop_invalid_triangles;
    bool is_quantized;
    bool is_fitted;
    bool shows_formats;
    bool has_root;
} tool_arguments;

// An option is one of the command's if it stands in `help`.
typedef struct tool_command {
    const char *name;
    int (*run)(tool_arguments *arguments); // returns the exit status
    int min_words;
    int max_words;
    const char *words; // what they are
    const char *help;  // the first line is its usage
} tool_command;

extern const tool_command tool_info, tool_check, tool_diff, tool_fix, tool_dump, tool_list,
    tool_explain, tool_parse, tool_bind, tool_compress, tool_decompress, tool_curves, tool_convert;

// Prints what is wrong with the arguments of a command, which may be NULL, and how to get help, as
// one line on stderr. Returns TOOL_BAD_USAGE.
int tool_usage(const char *command, const char *format, ...) COMMON_PRINTF(2, 3);

// Returns the entry of an option or a command that earlier versions had, NULL if `argument` is not
// one. Options have their dashes in `argument`.
const common_removed *tool_find_removed(const char *argument);

// Prints `error` as one line on stderr; a md5_warn_fn whose user is not used.
void tool_print_error(void *user, const md5_error *error);

// Ends a command: prints the error if it is not done. Returns the exit status.
int tool_end(bool is_done, const md5_error *error);

// Of many names the one nearest to another, NULL if none is near, as long as there is work left.
typedef struct tool_nearest {
    const char *name;
    size_t distance;
    size_t work;
} tool_nearest;

void tool_compare_name(tool_nearest *nearest, const char *asked, const char *name);

// Writes a text, or a document, to a file or, with `path` NULL, to standard output.
bool tool_write_text(const char *path, const char *text, size_t size, md5_error *error);
bool tool_write_doc(const char *path, const md5_doc *doc, md5_error *error);

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

// Returns true if the bytes are a compressed clip, which only this library reads.
bool tool_is_compressed_clip(const char *bytes, size_t size);

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

// -- Progress -------------------------------------------------------------------------------------
//
// On standard error, if that is a terminal.

// For common_walk and common_game_places: how many files a search has found.
bool tool_show_search(void *user, size_t num_files);

// How many of `count` things are done, from time to time; of all nothing remains.
void tool_show_progress(size_t done, size_t count);

// -- Folders and archives -------------------------------------------------------------------------
//
// What is read, of a path or of a name in a game: `game` is NULL for files on disk. A game is used
// by one thread.

typedef struct tool_places {
    common_game_places list; // best first: the mod, then DIR, then the base
    size_t ends[3];          // of each of these in the list
    md5_game *game;
    size_t num_unread; // archives in archives and below folders, which are not mounted
    const char *other; // a model that only convert reads, if `opts` were given
} tool_places;

// Opens those of the arguments; `places` may have callbacks. Close it in either case. With `opts`
// names the archives that are not read.
bool tool_open_places(const tool_arguments *arguments, const md5_load_opts *opts,
                      tool_places *places, md5_error *error);
void tool_name_other(const tool_places *places); // says what is there instead of MD5's files
void tool_close_places(tool_places *places);

// Returns the path of a file with its folder or archive, or a copy of what is no file. To be freed.
char *tool_placed(const tool_places *places, const char *name);

bool tool_is_file(const md5_game *game, const char *path);

// Returns the bytes of a file, not of a pipe, to be freed; or NULL.
char *tool_read_file(md5_game *game, const char *path, size_t *size);

// For md5_load_opts.
md5_files tool_files(md5_game *game);

// -- What engines say -------------------------------------------------------------------------

void tool_print_engines(uint32_t set);                // their names
bool tool_minds(md5_engines asked, const char *rule); // whether one of them does anything
void tool_print_rules(void);                          // all of them, with what each engine does

// For the path DIR/STEM.md5mesh or DIR/STEM.md5anim returns DIR/`before`STEM`after` if that is a
// file, to be freed, or NULL. `after` NULL: DIR/`before`.
char *tool_find_beside(const md5_game *game, const char *path, const char *before,
                       const char *after);
bool tool_has_beside(const md5_game *game, const char *path, const char *before, const char *after);

// Returns the .mdl or .md2 that a model or its clip replaces in engines of Quake and Quake II, to
// be freed, or NULL.
char *tool_find_replaced(const md5_game *game, const char *path);

bool tool_are_in_one_folder(const char *a, const char *b); // as they are written

// Compares two paths, const char **, by their folders and then by their names, for qsort().
int tool_compare_paths(const void *a, const void *b);

// Returns the first of paths[count], as they are sorted by that, that is not before a path.
size_t tool_find_path(const char *const *paths, size_t count, const char *path);

// Returns which of meshes[count], likewise, a clip belongs to: that of its name beside it, as in
// Quake, or the only one of its folder. MD5_NONE if there is none or it is not known.
size_t tool_find_mesh(const char *const *meshes, size_t count, const char *clip);

// The same in the clip's folder: a path to be freed, or NULL.
char *tool_mesh_beside(const char *path);

// The engines that are asked or, without any, those that a file could be meant for, by where it is
// and what lies beside it.
md5_engines tool_engines(md5_engines asked, const md5_game *game, const char *path);

// Looks at the text of a file, however broken it is, for the engines that are asked; NULL: at none.
// Returns NULL for a text of another kind.
md5_check *tool_check_text(const char *path, const char *text, size_t size, md5_engines asked);

// The same of a file; NULL also if it cannot be read.
md5_check *tool_check_file(md5_game *game, const char *path, md5_engines asked);

typedef struct text_place {
    uint32_t line;
    uint32_t column;
} text_place;

// Adds what breaks a rule at a place of the file; and in a line, or in none, 0, of what has been
// read.
void tool_add_diagnostic(md5_check *check, const char *rule, text_place at, const char *format,
                         va_list values);
void tool_found(md5_check *check, const char *rule, uint32_t line, const char *format, ...)
    COMMON_PRINTF(4, 5);

void tool_judge_place(md5_game *game, md5_check *facts); // adds what is missing beside it
// Adds what is wrong with a clip at the skin of its mesh, or without one (NULL) by itself.
void tool_judge_motion(md5_check *clip, const md5_model *model, const md5_anim *anim);
const md5_diagnostic *tool_diagnostics(md5_check *check, size_t *count); // by place

// Whether a rule says what becomes of the line that the library reports, which need not then. False
// for NULL.
bool tool_is_judged(const md5_check *facts, const md5_error *error);

// -- Images -----------------------------------------------------------------------------------

// What the header of an image says.
typedef struct tool_image {
    const char *kind;             // "TGA", "PNG", "JPEG", "DDS", "PCX", "WAL" or "LMP"
    uint32_t width, height, bits; // a pixel; 0: packed
    uint32_t type; // of TGAs, 256 more if it has a color map; of PCXs 1: version 5, run lengths
} tool_image;

// False: it is none of these.
bool tool_read_image(md5_game *game, const char *path, tool_image *image);

// Adds what engines say to it.
void tool_judge_image(md5_game *game, md5_check *facts, const char *path);

// Returns the image whose name is nearest to a path: one of its folder or, of a game, one of the
// same name in another one; with any ending. NULL: none is near, or `work` is done. To be freed.
char *tool_near_image(const md5_game *game, const char *path, size_t *work);

// Returns the image of a mesh's shader: beside the model, or a path below its folder or one above;
// with the ending that it has or any of images. NULL: there is none.
char *tool_find_texture(const md5_game *game, const char *model, const char *shader);

// -- Feet -------------------------------------------------------------------------------------

// From a frame to the next one: the level speed of a place, units a second, and whether it stands,
// by the rules and usual numbers with which machines hold feet, md5_hold_params, times `scale`.
double tool_level_speed(const md5_anim *anim, const md5_vec3 *places, uint32_t frame);
bool tool_stands(const md5_anim *anim, const md5_vec3 *places, uint32_t frame, float scale);
bool tool_is_foot(const char *joint); // by its name

// -- Reports ----------------------------------------------------------------------------------

// What `md5tool check` found, printed in the form that the arguments ask for.
typedef struct tool_report tool_report;
tool_report *tool_begin_report(const tool_arguments *arguments);
void tool_report_diagnostic(tool_report *report, const md5_diagnostic *found);
void tool_count_warnings(tool_report *report, unsigned count); // of which nothing is known
bool tool_is_for_people(const tool_report *report);            // the form is text
// Prints the sums, and for which engines. Returns the exit status.
int tool_end_report(tool_report *report, size_t num_files, uint32_t judged);

// What is found in a game folder.
typedef struct tool_game_check {
    void (*print)(void *user, const md5_diagnostic *found); // files with their folder or archive
    void *user;
    md5_engines asked;
    size_t num_files, num_decls; // that were read
    size_t num_defaulted;        // declarations that the engine replaces by defaults
    bool has_decls;              // else nothing was read
    tool_places places;          // stay open, unless they cannot be read; to be closed
} tool_game_check;

// Reads all declarations of the game folder or archive of the arguments, if there are any, with the
// models and animations that they name, and all other models, animations and camera paths. Returns
// an exit status: TOOL_BAD_FILE only if the game cannot be read, which is printed.
int tool_check_game(const tool_arguments *arguments, tool_game_check *check);

#endif
