// The table of all options: name, value, field of view_options, help text, and whether the
// configuration stores it; for switches of view_shown also their name in the debug line. Command
// line, configuration file and all printed lists use this table; commands.c has the keys and menus.
#ifndef DEMO_VIEWER_BASE_OPTIONS_H
#define DEMO_VIEWER_BASE_OPTIONS_H

#include "demo/common/options.h"
#include "demo/viewer/base/commands.h"
#include "demo/viewer/base/shown.h"
#include "demo/viewer/base/log.h"

enum { VIEW_MAX_PICTURE_SIDE = 16384, VIEW_MAX_FRAMES = 1000000 };

// --set: a value that a parameter of a machine is to have from a given time on, or a page's slider.
// --morph: the weight of a target.
typedef struct view_setting {
    char *parameter;
    float value;
    double time;
} view_setting;

typedef struct view_settings {
    view_setting *rows; // [count]
    size_t count;
} view_settings;

// Frees what it has, and copies others; NULL: none.
void view_copy_settings(view_settings *settings, const view_settings *from);

// --record-as
typedef enum view_record_format {
    VIEW_RECORD_APNG,
    VIEW_RECORD_GIF, // this and the following formats need ffmpeg
    VIEW_RECORD_MP4,
    VIEW_RECORD_WEBM,
} view_record_format;

// --retarget-layout: position of the other model. ALONE: it replaces this model.
typedef enum view_retarget_place {
    VIEW_RETARGET_BESIDE,
    VIEW_RETARGET_OVER,
    VIEW_RETARGET_ALONE,
} view_retarget_place;

// --completions
typedef enum view_shell {
    VIEW_BASH,
    VIEW_ZSH,
    VIEW_FISH,
} view_shell;

// The options of the command line. The table in options.c has the option that sets each field.
typedef struct view_options {
    const char **files; // MODEL, ANIMs and CAMERA, in the order given
    size_t num_files;
    common_list *own;     // [view_num_options] what the fields of each point to
    bool *said;           // [view_num_options] which were given
    const char **folders; // given among them, or archives: a window lists what is in the last one
    size_t num_folders;
    const char *game;   // a game folder or archive that the files are names in, or NULL
    common_texts bases; // --base: folders or archives behind it, the next one first
    common_texts maps[MD5GL_NUM_IMAGE_KINDS]; // --texture and others: "FILE" of all, "MESH=FILE"
    uint32_t skin;                            // of a Quake model
    common_texts wear;
    common_texts hidden;        // --hide: names or numbers of meshes
    uint64_t hidden_meshes;     // which these are of what is shown: a bit for each of the first 64
    view_settings settings;     // --set, by time
    view_parms parms;           // --parm, of materials
    common_texts states, flags; // of a monster's script
    view_settings morphs;       // --morph, in the order given; without times
    double *times;              // --animation-time, in seconds
    size_t num_times;

    const char *output; // NULL = show a window; "-" = standard output
    uint32_t width;
    uint32_t height;
    uint32_t thumbnail; // its size in pixels; 0 = none
    uint32_t samples;
    uint32_t num_frames;                       // --frames; 0 = not given
    const char *retarget;                      // another model, or NULL
    const char *retarget_map, *retarget_pairs; // a file of a map, its lines, or NULL
    view_retarget_place retarget_place;
    const char *attach;                                   // "JOINT=MODEL", or NULL
    const char *compare;                                  // a clip or another model, or NULL
    uint32_t crowd;                                       // 0 = one character
    uint32_t crowd_reduced, crowd_baked, crowd_impostors; // pixels
    bool crowd_reduced_given;
    bool crowd_baked_given;
    bool crowd_impostors_given;
    uint32_t sheet_columns, sheet_rows; // 0 = no sheet
    bool turntable;
    bool all_clips;
    bool labels;
    view_ground_kind terrain;
    bool dies_given;
    double dies; // seconds
    bool walk;
    bool no_render;
    bool watch;
    bool no_auto;
    const char *joint;  // to be marked, or NULL
    const char *page;   // a technique's page, "contents", "list", or NULL
    const char *config; // another configuration file, or NULL
    bool no_config;
    bool help;
    bool version;
    bool list_bindings;
    bool manual;
    bool completions_given;
    view_shell completions;
    bool names_content; // an option that applies to a certain model was given: not the last one

    uint32_t animation_index; // the initial clip
    bool animation_index_given;
    uint32_t range_first, range_last; // --range; equal = not given
    double speed;                     // factor; negative = backward
    double frame_rate; // frames a second: at most this many in a window, exactly in --frames
    bool up_is_y;      // of the model's file, instead of z
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
    double camera_smoothing; // of a camera path: seconds to each side

    view_shown shown; // initial switches
    view_surface surface;
    view_record_format record_as;
    view_lights lights;
    const char *environment; // a picture, or NULL
    bool no_background;
    bool background_given;
    bool mute;
    float background[3]; // sRGB, 0..1
    float ui_scale;      // of the panel; 0 = by the screen's resolution
    float docks[3];      // sizes in em: see view_docks
    view_level level;
} view_options;

// -- The table --------------------------------------------------------------------------------

// Kinds of values beside those of demo/common/options.h.
typedef enum view_option_kind {
    VIEW_OPTION_LIGHTS = COMMON_NUM_KINDS, // "NAME=VALUE,..." (view_lights)
    // The following may be repeated.
    VIEW_OPTION_TIMES,   // "S,S,...", added to the times
    VIEW_OPTION_SETTING, // "NAME=VALUE@TIME", added to the settings
    VIEW_OPTION_WEIGHT,  // "NAME=VALUE", added to the morphs
    VIEW_OPTION_PARM,    // "N=VALUE", one of the parms
} view_option_kind;

// What an option is about decides whether a change in a window can be undone, and where it is
// remembered.
typedef enum view_scope {
    VIEW_SCOPE_JOB,    // a run of the program: neither
    VIEW_SCOPE_WINDOW, // remembered for the user, not undone
    VIEW_SCOPE_LOOK,   // remembered for the user
    VIEW_SCOPE_ANY,    // remembered for each document
    VIEW_SCOPE_FILE,   // likewise, and means nothing to another document
    VIEW_SCOPE_PLACE,  // where one looks: remembered for each document, not undone
} view_scope;

// The default of a switch.
typedef enum view_usual {
    VIEW_USUALLY_NO,
    VIEW_USUALLY_YES,
    VIEW_USUALLY_IN_WINDOW, // yes, unless --output is given
} view_usual;

// What a window does after an option was set in it, besides showing the value.
typedef enum view_effect {
    VIEW_EFFECT_NONE,
    VIEW_EFFECT_REOPENS,  // the files are read again
    VIEW_EFFECT_DRESSES,  // or the textures alone
    VIEW_EFFECT_MEASURES, // what is shown has another size
    VIEW_EFFECT_FRAMES,   // the camera is placed
    VIEW_EFFECT_OWN,      // by the option's name: see jobs/ask.c
} view_effect;

// What a text, or one part of a pair, is a name of: see ui/settings.c.
typedef enum view_names {
    VIEW_NAMES_NOTHING,
    VIEW_NAMES_MODEL, // files, from here to PICTURE
    VIEW_NAMES_FOLDER,
    VIEW_NAMES_MAP, // of joints
    VIEW_NAMES_PICTURE,
    VIEW_NAMES_CLIP, // things that are shown, from here on
    VIEW_NAMES_JOINT,
    VIEW_NAMES_MESH,
    VIEW_NAMES_MORPH,
    VIEW_NAMES_SKIN,
    VIEW_NAMES_PARAMETER,
    VIEW_NAMES_PAGE,
} view_names;

// `value`: the printed name of its value; NULL = a switch, which may be given as NAME=no.
// A `heading` opens a group in the help.
typedef struct view_option {
    const char *name;
    const char *value;
    const char *help;
    const char *heading;
    const char *tooltip; // one line that the window shows, or NULL if the option is not in a menu
    int kind;            // common_kind, view_option_kind
    size_t place;        // offset of the field in view_options
    size_t given;        // offset of a bool that is set when the option is given; 0 = none
    double low, high;    // range of a number
    view_scope scope;
    view_effect effect;
    view_names names;

    // Only for a switch whose field is in view_options.shown, of the kind SWITCH, OPPOSITE or
    // EITHER.
    const char *word; // for the field, in messages and in the debug line; NULL = none of these
    view_usual usual;
} view_option;

// Whether its value is the user's, for all documents, so that the configuration file may hold it.
static inline bool view_is_of_user(const view_option *option)
{
    return option->scope == VIEW_SCOPE_WINDOW || option->scope == VIEW_SCOPE_LOOK;
}

// Whether a change of it is a step that can be undone.
static inline bool view_is_undone(const view_option *option)
{
    return option->scope >= VIEW_SCOPE_LOOK && option->scope <= VIEW_SCOPE_FILE;
}

// Frames a second, of what has so many usually.
static inline double view_rate_of(const view_options *options, double usual)
{
    return options->frame_rate > 0 ? options->frame_rate : usual;
}

// Whether it selects textures: one of view_options.maps.
static inline bool view_is_texture(const view_option *option)
{
    return option->kind == COMMON_TEXTS && option->names == VIEW_NAMES_PICTURE;
}

static inline md5gl_image_kind view_map_of_option(const view_option *option)
{
    return (md5gl_image_kind)((option->place - offsetof(view_options, maps))
                              / sizeof(common_texts));
}

extern const view_option view_option_rows[];
extern const size_t view_num_options;

// The option of that name (`length` bytes, without dashes), or NULL; the number of one that is
// there.
const view_option *view_find_option(const char *name, size_t length);
size_t view_number_of(const char *name);

// What an option of a picture, without which it has no effect, is not there; NULL: it has one. In a
// window all may become of use.
const char *view_lacks(const view_option *option, const view_options *options);

// Whether it may be given several times, so that each value is added to those before.
bool view_is_repeated(const view_option *option);

// Sets the option's field. `text` may be NULL for a switch: on. Of a row that may be repeated it is
// added, or with line breaks each line. Returns false if the text is invalid; the field may then
// have any value.
bool view_read_option(const view_option *option, const char *text, view_options *options);

// The text that view_read_option() reads as the same value; the caller frees it. Of a row that may
// be repeated its values, each ended by '\n'. NULL if none was given, where that is something else
// than the usual value.
char *view_write_option(const view_option *option, const view_options *options);
char *view_write_usual(const view_option *option); // in a window

// Sets the option's field, or fields, to what they are without it, and to a text that was written;
// NULL: without it.
void view_reset_option(const view_option *option, view_options *options);
bool view_set_text(const view_option *option, const char *text, view_options *options);

// Lines "--NAME=VALUE" of all options of those scopes that say something else than in `usual`;
// NULL: than without them. The caller frees it.
char *view_write_settings(const view_options *options, const view_options *usual, view_scope least,
                          view_scope most);

// The option of the next of such lines, which it advances, and its value, for the caller to free;
// NULL at the end.
const view_option *view_next_setting(const char **lines, char **value);

// Sets the options of those scopes to such lines, or to what they are without it.
void view_take_settings(view_options *options, const char *lines, view_scope least,
                        view_scope most);

// The file that a value of the option is the name of, or NULL.
const char *view_file_in(const view_option *option, const char *value);

// The field that a row with a `word` switches.
bool *view_switch_field(const view_option *option, view_shown *shown);

// Writes all switches as "grid=1 light=studio ...", and the lights behind them as "lights=...".
void view_write_shown(const view_shown *shown, const view_lights *lights, char *text, size_t size);

// Reads the arguments after the program's name. On wrong usage returns false and writes one line
// that explains it. Free in both cases.
bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size);
void view_free_options(view_options *options);

// Words as shells read them, behind the name of a program; to be freed.
char *view_join_words(const char *program, const common_list *words);

// Whether what is in it is listed: a folder, unless an md5.cfg of Cube 2's engines makes it a
// model, or an archive.
bool view_is_listed(const char *path);
// Whether they open a window, instead of running a job without one.
bool view_shows_window(const view_options *options);

// -- Help, manual page and completions, from the tables of options and commands (manual.c) ------

// Prints what the options ask for: --help, --version, --list-bindings, a manual page in roff for
// --man, or for --completions a script that a shell reads. Returns false if they ask for none.
bool view_print_asked(const view_options *options, FILE *file);

#endif
