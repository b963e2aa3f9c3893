// Options: their values (view_options) and their table (view_option).
//
// A row of the table describes one option completely: its name, kind of value, range, field of
// view_options, help text, tooltip, where its value is stored, its line in a menu with keys and
// synonyms, and the effect of a change. The command line, the configuration file, undo, shortcuts,
// menus, panels, the command search and all printed lists use this table. CONTRIBUTING.md describes
// how to add an option.
#ifndef DEMO_VIEWER_BASE_OPTIONS_H
#define DEMO_VIEWER_BASE_OPTIONS_H

#include "demo/common/options.h"
#include "demo/viewer/base/commands.h"
#include "demo/viewer/base/shown.h"
#include "demo/viewer/base/log.h"

enum { VIEW_MAX_PICTURE_SIDE = 16384, VIEW_MAX_FRAMES = 1000000 };

// --set: the value of a machine's parameter from a time on, or of a lesson's slider.
// --morph: the weight of a morph target.
typedef struct view_setting {
    char *parameter; // name of the parameter, slider or morph target
    float value;
    double time; // seconds
} view_setting;

typedef struct view_settings {
    view_setting *rows; // [count]
    size_t count;
} view_settings;

// Replaces the settings by a copy of `from`. If `from` is NULL, removes all settings.
void view_copy_settings(view_settings *settings, const view_settings *from);

// --record-as
typedef enum view_record_format {
    VIEW_RECORD_APNG,
    VIEW_RECORD_GIF, // this and the following formats need ffmpeg
    VIEW_RECORD_MP4,
    VIEW_RECORD_WEBM,
} view_record_format;

// --retarget-layout: position of the target model.
typedef enum view_retarget_layout {
    VIEW_RETARGET_SIDE_BY_SIDE, // next to the source model
    VIEW_RETARGET_OVERLAY,      // at the same position
    VIEW_RETARGET_TARGET_ONLY,  // only the target model is shown
} view_retarget_layout;

// --completions
typedef enum view_shell {
    VIEW_BASH,
    VIEW_ZSH,
    VIEW_FISH,
} view_shell;

// The values of all options. The table in option_table.c names the option that sets each field.
typedef struct view_options {
    const char **files; // MODEL, ANIMs and CAMERA, in the order given
    size_t num_files;
    common_list *strings; // [view_num_options] strings that the fields of each option point to
    bool *is_given;       // [view_num_options] the option was given on the command line
    const char **folders; // folders and archives among the files; a window lists the last
    size_t num_folders;
    const char *game;   // game folder or archive that contains the files, or NULL
    common_texts bases; // --base: folders or archives that `game` extends, the nearest first
    common_texts maps[MD5GL_NUM_IMAGE_KINDS]; // --texture and others: "FILE" of all, "MESH=FILE"
    uint32_t skin;                            // skin of a Quake model
    common_texts outfits;
    common_texts hidden;        // --hide: names or indices of meshes
    uint64_t hidden_meshes;     // the hidden meshes of the document, a bit for each of the first 64
    view_settings settings;     // --set, sorted by time
    view_parms parms;           // --parm, of materials
    common_texts states, flags; // states and flags of a monster's script
    view_settings morphs;       // --morph, in the order given; without times
    double *times;              // --animation-time, seconds
    size_t num_times;

    const char *output; // NULL = show a window; "-" = standard output
    uint32_t width;
    uint32_t height;
    uint32_t thumbnail;                        // size of the thumbnail, pixels; 0 = none
    uint32_t samples;                          // per pixel
    uint32_t num_frames;                       // --frames; 0 = not given
    const char *retarget;                      // target model, or NULL
    const char *retarget_map, *retarget_pairs; // file of a joint map, lines of a joint map, or NULL
    view_retarget_layout retarget_layout;
    const char *attach;  // "JOINT=MODEL", or NULL
    const char *compare; // a clip or a second model, or NULL
    uint32_t crowd;      // number of characters; 0 = no crowd
    // Size below which a crowd member uses this level of detail, pixels.
    uint32_t crowd_reduced, crowd_baked, crowd_impostors;
    bool crowd_reduced_given;
    bool crowd_baked_given;
    bool crowd_impostors_given;
    uint32_t sheet_columns, sheet_rows; // 0 = no sheet
    bool turntable;
    bool all_clips;
    bool labels;
    view_ground_kind terrain;
    bool ragdoll_time_given;
    double ragdoll_time; // seconds
    bool walk;
    bool no_render;
    bool watch;
    bool no_auto;
    const char *joint;  // joint to select, or NULL
    const char *page;   // name of a lesson, "contents", "list", or NULL
    const char *config; // configuration file, or NULL for the user's file
    bool no_config;
    bool help;
    bool version;
    bool list_bindings;
    bool manual;
    bool completions_given;
    view_shell completions;
    bool names_content; // an option for a certain model was given: do not open the last document

    uint32_t animation_index; // the initial clip
    bool animation_index_given;
    uint32_t range_first, range_last; // --range; equal = not given
    double speed;                     // factor; negative = backward
    double frame_rate; // frames per second: the maximum in a window, the exact rate with --frames
    bool up_is_y;      // the model's file has y up instead of z
    md5_root root;
    md5_wrap wrap;
    md5gl_path path;
    bool dual; // dual quaternion skinning

    bool azimuth_given;
    bool elevation_given;
    bool distance_given;
    bool orthographic_given;
    bool target_given;
    float azimuth, elevation, distance; // degrees, degrees, units
    float target[3];                    // units
    bool orthographic;
    bool camera_path;        // show the camera path instead of following it
    double camera_smoothing; // smoothing of a camera path: seconds to each side

    view_shown shown; // initial switches
    view_surface surface;
    view_record_format record_as;
    view_lights lights;
    const char *environment; // environment map, or NULL
    bool no_background;
    bool background_given;
    bool mute;
    float background[3]; // sRGB, 0..1
    float ui_scale;      // scale of the interface; 0 = from the resolution of the screen
    float docks[3];      // sizes in em: see view_docks
    view_level level;
} view_options;

// -- The table --------------------------------------------------------------------------------

// Kinds of values in addition to the kinds of demo/common/options.h.
typedef enum view_option_kind {
    VIEW_OPTION_LIGHTS = COMMON_NUM_KINDS, // "NAME=VALUE,..." (view_lights)
    // Options of the following kinds may be repeated.
    VIEW_OPTION_TIMES,   // "S,S,...", added to the times
    VIEW_OPTION_SETTING, // "NAME=VALUE@TIME", added to the settings
    VIEW_OPTION_WEIGHT,  // "NAME=VALUE", added to the morphs
    VIEW_OPTION_PARM,    // "N=VALUE", one of the parms
} view_option_kind;

// The scope of an option determines if a change in a window can be undone, and where the value is
// stored.
typedef enum view_scope {
    VIEW_SCOPE_JOB,    // one run of the program: neither stored nor undone
    VIEW_SCOPE_WINDOW, // stored for the user, cannot be undone
    VIEW_SCOPE_LOOK,   // stored for the user, can be undone
    VIEW_SCOPE_ANY,    // stored for each document, can be undone
    VIEW_SCOPE_FILE,   // as VIEW_SCOPE_ANY, but the value is only valid for this document
    VIEW_SCOPE_CAMERA, // camera position: stored for each document, cannot be undone
} view_scope;

// The default value of an option that is a switch.
typedef enum view_default_state {
    VIEW_OFF_BY_DEFAULT,
    VIEW_ON_BY_DEFAULT,
    VIEW_ON_IN_WINDOW, // yes, unless --output is given
} view_default_state;

// Action of a window, in addition to displaying the value, after an option was changed in it. Each
// effect is a function in jobs/ask.c. If several options change together, for example by Undo, each
// of their effects is applied once, in this order.
typedef enum view_effect {
    VIEW_EFFECT_NONE,
    VIEW_EFFECT_RELOAD,   // read all files again
    VIEW_EFFECT_TEXTURES, // read only the textures again
    VIEW_EFFECT_MEASURE,  // compute the size of the content again
    VIEW_EFFECT_CAMERA,   // set the camera
    VIEW_EFFECT_UP_AXIS,
    VIEW_EFFECT_MESHES, // hide and show meshes
    VIEW_EFFECT_SCRIPT, // start a state of a monster's script and set its flags
    VIEW_EFFECT_RAGDOLL,
    VIEW_EFFECT_CLIP, // show a clip
    VIEW_EFFECT_TIME, // show a time of the clip
    VIEW_EFFECT_RANGE,
    VIEW_EFFECT_ENVIRONMENT, // read the environment map
    VIEW_EFFECT_JOINT,       // select a joint
    VIEW_EFFECT_LESSON,      // open a lesson
    VIEW_NUM_EFFECTS,
} view_effect;

// Kind of the object that a text, or one part of a pair, names: see ui/option_lines.c.
typedef enum view_names {
    VIEW_NAMES_NOTHING,
    VIEW_NAMES_MODEL, // from here to VIEW_NAMES_PICTURE: files
    VIEW_NAMES_MODEL_OR_CLIP,
    VIEW_NAMES_FOLDER,
    VIEW_NAMES_MAP, // joint map
    VIEW_NAMES_PICTURE,
    VIEW_NAMES_CLIP, // from here on: parts of the document
    VIEW_NAMES_JOINT,
    VIEW_NAMES_MESH,
    VIEW_NAMES_MORPH,
    VIEW_NAMES_SKIN,
    VIEW_NAMES_PARAMETER,
    VIEW_NAMES_PAGE,
} view_names;

// An entry of view_option_rows, the table of all options.
typedef struct view_option {
    const char *name;
    const char *value;   // printed name of the value; NULL = a switch, which accepts NAME=no
    const char *help;    // lines for --help
    const char *heading; // heading of the group in the help that begins with this option, or NULL
    const char *tooltip; // one line that the window shows, or NULL if the option is not in a menu
    int kind;            // common_kind, view_option_kind
    size_t offset;       // offset of the field in view_options
    size_t given;        // offset of a bool that is set when the option is given; 0 = none
    double low, high;    // range of a number
    view_scope scope;
    view_effect effect;
    view_names names;

    view_menu_entry entry; // its line in a menu; `label` is NULL if it is not in a menu

    // Only for a switch whose field is in view_options.shown, of the kind SWITCH, OPPOSITE or
    // EITHER.
    const char *word; // name of the field in messages and in the debug line; NULL for other options
    view_default_state default_state;
} view_option;

// Returns true if the value belongs to the user, for all documents, so that the configuration file
// may contain it.
static inline bool view_is_of_user(const view_option *option)
{
    return option->scope == VIEW_SCOPE_WINDOW || option->scope == VIEW_SCOPE_LOOK;
}

// Returns true if a change of the option can be undone.
static inline bool view_is_undone(const view_option *option)
{
    return option->scope >= VIEW_SCOPE_LOOK && option->scope <= VIEW_SCOPE_FILE;
}

// Returns the frame rate that the user set, or the given default.
static inline double view_get_frame_rate(const view_options *options, double default_rate)
{
    return options->frame_rate > 0 ? options->frame_rate : default_rate;
}

// Returns true if the option selects textures: its field is one of view_options.maps.
static inline bool view_is_texture(const view_option *option)
{
    return option->kind == COMMON_TEXTS && option->names == VIEW_NAMES_PICTURE;
}

static inline md5gl_image_kind view_get_map_kind(const view_option *option)
{
    return (md5gl_image_kind)((option->offset - offsetof(view_options, maps))
                              / sizeof(common_texts));
}

extern const view_option view_option_rows[];
extern const size_t view_num_options;

static inline size_t view_option_index(const view_option *option)
{
    return (size_t)(option - view_option_rows);
}

// Returns the option with a name (`length` bytes, without dashes), or NULL.
const view_option *view_find_option(const char *name, size_t length);

// Returns the option that sets a field of view_options, by its offset. It must exist.
const view_option *view_get_field_option(size_t offset);
#define VIEW_OPTION(field) view_get_field_option(offsetof(view_options, field))

// Returns the option that selects the images of a kind, such as --normal-map, or NULL.
const view_option *view_get_map_option(md5gl_image_kind map);

// Returns true if a name is in a list. NULL elements of the list are skipped.
bool view_is_name_in(const char *name, const char *const *names, size_t count);

// Returns a missing option or file without which an option has no effect, for messages, or NULL if
// the option has an effect. Only for --output; in a window every option may take effect later.
const char *view_missing_requirement(const view_option *option, const view_options *options);

// Returns true if the option may be given several times. Each value is then added to the earlier
// values.
bool view_is_repeated(const view_option *option);

// -- Typed values -----------------------------------------------------------------------------
//
// Widgets, keys, menus and undo use typed values. Texts are only read from users, files and scripts
// and written for them: see the next section.

// The value of a switch or choice as an index into its values: false and true, or "a|b|c". Other
// kinds do not have choices: view_count_choices() returns 0.
unsigned view_count_choices(const view_option *option);
unsigned view_get_choice(const view_option *option, const view_options *options);

// Returns the value of an option, or COMMON_VALUE_DEFAULT if it is not set. Options that may be
// repeated, and the lights, consist of several values: COMMON_VALUE_NONE. view_get_default()
// returns the default in a window.
common_value view_get_value(const view_option *option, const view_options *options);
common_value view_get_default(const view_option *option);

// Sets the option's field to a value, or to its default (COMMON_VALUE_DEFAULT, or an empty text).
// Options of every kind accept a text, which is parsed as by view_read_option() and replaces all
// earlier values. Returns false if the value is out of range or invalid; after an invalid text the
// field may have any value.
bool view_set_value(const view_option *option, common_value value, view_options *options);

// Resets the option's fields to their defaults.
void view_reset_option(const view_option *option, view_options *options);

// Returns true if an option has the same value in both structures.
bool view_is_equal(const view_option *option, const view_options *a, const view_options *b);

// Returns true if an option has its default in a window.
bool view_is_default(const view_option *option, const view_options *options);

// Sets an option to its value in other options. Texts are copied.
void view_copy_value(const view_option *option, const view_options *from, view_options *to);

// Returns a copy of the options with scopes from `first` to `last`. All other options have their
// defaults in a window. Free the copy with view_free_options().
view_options view_copy_options(const view_options *options, view_scope first, view_scope last);

// Sets the options with scopes from `first` to `last` to their values in such a copy, or to their
// defaults if `copy` is NULL.
void view_restore_options(view_options *options, const view_options *copy, view_scope first,
                          view_scope last);

// -- Values as texts --------------------------------------------------------------------------

// Sets the option's field. `text` may be NULL for a switch, which is then switched on. If the
// option may be repeated, adds the text; text with line breaks adds each line. Returns false if the
// text is invalid; the field may then have any value.
bool view_read_option(const view_option *option, const char *text, view_options *options);

// Returns a text that view_read_option() reads as the same value; the caller frees it. If the
// option may be repeated, the text contains all values, each followed by '\n'. Returns NULL if the
// option was not given and does not have a default.
char *view_write_option(const view_option *option, const view_options *options);

// Parses the text of an option with a single value, without setting the option. Returns false if
// the text is invalid.
bool view_parse_value(const view_option *option, const char *text, common_value *value);

// Returns the text of a value, which is empty for COMMON_VALUE_DEFAULT. The caller frees it.
char *view_print_value(const view_option *option, common_value value);

// Returns lines "--NAME=VALUE" for all options with scopes from `first` to `last` whose values
// differ from `reference`, or from the defaults if `reference` is NULL. The caller frees the text.
char *view_write_settings(const view_options *options, const view_options *reference,
                          view_scope first, view_scope last);

// Reads the next of such lines and advances *lines. Returns its option, and its value, which the
// caller frees. Returns NULL at the end.
const view_option *view_next_setting(const char **lines, char **value);

// Returns the file name in a value of the option, or NULL if the value does not name a file.
const char *view_file_in(const view_option *option, const char *value);

// Returns the field of an option with a `word`.
bool *view_switch_field(const view_option *option, view_shown *shown);

// Writes all switches as "grid=1 light=studio ...", then the lights as "lights=...".
void view_write_shown(const view_shown *shown, const view_lights *lights, char *text, size_t size);

// Reads the arguments after the program's name. If they are invalid, returns false and writes an
// error message of one line. The caller frees the options in both cases.
bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size);
void view_free_options(view_options *options);

// Returns a command line: the name of a program and arguments, quoted for a shell. The caller frees
// it.
char *view_join_words(const char *program, const common_list *words);

// Returns true if the window lists the contents of a path, because it is an archive or a folder. A
// folder with an md5.cfg is an exception: it is a model of Cube 2's engines, which the window
// shows.
bool view_is_listed(const char *path);

// Returns true if the options open a window; otherwise they run a job without one.
bool view_shows_window(const view_options *options);

// -- Help, manual page and completions, from the tables of options and commands (manual.c) ------

// Prints the requested text: --help, --version, --list-bindings, a manual page in roff for --man,
// or a shell script for --completions. Returns false if the options do not request a text.
bool view_print_requested_text(const view_options *options, FILE *file);

#endif
