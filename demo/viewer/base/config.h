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
    view_chosen_list chosen;
} view_config;

// The path of the user's file, or NULL if the system defines no folder for it. Free it.
char *view_config_path(void);

// Reads the file, if there is one. Unknown lines are reported and ignored.
void view_read_config(view_config *config, const char *path, view_log *log);

// Writes the file, and creates its folder. Returns false, and logs why, if that fails.
bool view_write_config(const view_config *config, view_log *log);

void view_free_config(view_config *config);

// Replaces the value of an option.
void view_set_config(view_config *config, const view_option *option, const char *value);

// The next start shows this model, or our own (NULL).
void view_note_model(view_config *config, const char *path);

// Adds a file as the most recent one.
void view_note_recent(view_config *config, const char *path);

#endif
