// The configuration file in the user's configuration folder, which stores the window's state:
// switches and size as command-line options, the model, the camera, recent files, and the textures
// that were chosen for meshes.
#ifndef DEMO_VIEWER_BASE_CONFIG_H
#define DEMO_VIEWER_BASE_CONFIG_H

#include "demo/viewer/base/chosen.h"
#include "demo/viewer/base/viewpoint.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/base/option_table.h"

#include <stdbool.h>
#include <stddef.h>

enum { VIEW_MAX_RECENT = 12 };

typedef struct view_config {
    char *path;       // the file; NULL = neither read nor written
    char **arguments; // "--grid=no": as if they stood first on the command line
    size_t num_arguments;
    char *model; // the last shown; NULL = our own
    bool has_camera;
    view_camera camera; // on it
    char *recent[VIEW_MAX_RECENT];
    size_t num_recent;
    size_t num_new; // of recent[], those that are not in the file yet
    view_chosen_list chosen;
    bool has_new_model; // `model` is not in the file yet
    bool is_changed;    // anything but the camera and the textures is not
} view_config;

// The path of the user's file, or NULL if the system defines no folder for it. Free it.
char *view_config_path(void);

// Reads the file, if there is one. Unknown lines are reported and ignored.
void view_read_config(view_config *config, const char *path, view_log *log);

// Writes the file, and creates its folder. What other viewers have written since is kept: their
// recent files, their textures, and the model of whoever opened one last. Returns false, and logs
// why, if that fails.
bool view_write_config(view_config *config, view_log *log);

void view_free_config(view_config *config);

// Replaces the value of an option.
void view_set_config(view_config *config, const view_option *option, const char *value);

// The next start shows this model, or our own (NULL).
void view_note_model(view_config *config, const char *path);

// Adds a file as the most recent one.
void view_note_recent(view_config *config, const char *path);

#endif
