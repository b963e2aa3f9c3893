// The command line.
#ifndef DEMO_VIEWER_BASE_OPTIONS_H
#define DEMO_VIEWER_BASE_OPTIONS_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/base/lights.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/base/parms.h"
#include "demo/viewer/base/shown.h"

#include <stddef.h>

// The use of a picture on a mesh.
typedef enum view_map {
    VIEW_MAP_DIFFUSE,
    VIEW_MAP_NORMALS,
    VIEW_MAP_HEIGHT, // becomes part of the normals
    VIEW_MAP_SPECULAR,
    VIEW_MAP_GLOW,
    VIEW_NUM_MAPS,
} view_map;

// --set: a value that a parameter of a machine is to have from a moment on, or a page's slider.
// --morph: the weight of a target.
typedef struct view_setting {
    char *parameter;
    float value;
    double time;
} view_setting;

// --texture MESH=FILE, or another map; without MESH= the file is for all meshes.
typedef struct view_texture_choice {
    view_map map;
    char *mesh; // name or number; NULL = all
    const char *file;
} view_texture_choice;

// --record-as
typedef enum view_record_format {
    VIEW_RECORD_APNG,
    VIEW_RECORD_GIF, // this and those that follow need ffmpeg
    VIEW_RECORD_MP4,
    VIEW_RECORD_WEBM,
} view_record_format;

// --completions
typedef enum view_shell {
    VIEW_BASH,
    VIEW_ZSH,
    VIEW_FISH,
} view_shell;

// The options of the command line. Texts point into it. option_table.c has the option that sets
// each field.
typedef struct view_options {
    const char **files; // MODEL, ANIMs and CAMERA, in the order given
    size_t num_files;
    const char **folders; // given among them, or archives: a window lists what is in the last one
    size_t num_folders;
    const char *game;   // a game folder or archive that the files are names in, or NULL
    const char **bases; // --base: folders or archives behind it, the next one first
    size_t num_bases;
    view_texture_choice *textures;
    size_t num_textures;
    uint32_t skin;       // of a Quake model
    const char **hidden; // --hide: names or numbers of meshes
    size_t num_hidden;
    view_setting *settings; // --set, by time
    size_t num_settings;
    view_parms parms;     // --parm, of materials
    view_setting *morphs; // --morph, in the order given; without times
    size_t num_morphs;
    double *times; // --animation-time, in seconds
    size_t num_times;

    const char *output; // NULL = show a window; "-" = standard output
    uint32_t width, height;
    uint32_t thumbnail; // its size in pixels; 0 = none
    uint32_t samples;
    uint32_t num_frames;                                  // --frames; 0 = not given
    const char *retarget;                                 // another model, or NULL
    const char *attach;                                   // "JOINT=MODEL", or NULL
    const char *guest;                                    // another machine, or NULL
    const char *compare;                                  // a clip or another model, or NULL
    uint32_t crowd;                                       // 0 = one character
    uint32_t crowd_reduced, crowd_baked, crowd_impostors; // pixels
    bool crowd_reduced_given, crowd_baked_given, crowd_impostors_given;
    bool crowd_exact;                   // no member is culled or updated less often
    uint32_t sheet_columns, sheet_rows; // 0 = no sheet
    bool turntable;
    bool terrain, walk;
    bool verify, no_render, watch, no_auto;
    const char *joint;  // to be marked, or NULL
    const char *page;   // a technique's page, "contents", "list", or NULL
    const char *config; // another configuration file, or NULL
    bool no_config;
    bool help, version, list_bindings, manual, completions_given;
    view_shell completions;
    bool names_content; // an option that applies to a certain model was given

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

    bool azimuth_given, elevation_given, distance_given, orthographic_given;
    float azimuth, elevation, distance; // degrees, degrees, units
    bool orthographic;
    bool camera_path;        // show the camera path instead of following it
    double camera_smoothing; // of a camera path: seconds to each side

    view_shown shown; // initial switches
    view_surface surface;
    view_onion onion;
    view_record_format record_as;
    view_lights lights;
    const char *environment; // a picture, or NULL
    bool no_background, background_given;
    float background[3]; // sRGB, 0..1
    float ui_scale;      // of the panel; 0 = by the screen's resolution
    view_level level;
} view_options;

// Reads the arguments after the program's name. On wrong usage returns false and writes one line
// that explains it. Free in both cases.
bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size);
void view_free_options(view_options *options);

// Whether it is a file that holds others: .pk4, .zip, .pak.
bool view_is_archive(const char *path);
// Whether a file of that name holds a movie: .apng, .gif, .mp4, .webm.
bool view_is_movie(const char *path);
// Whether they open a window, instead of running a job without one.
bool view_shows_window(const view_options *options);

#endif
