// The configuration file. It stores the user's settings, the settings of each document, the recent
// files and the choices of the last export between runs of the viewer.
//
// Each line is NAME=VALUE. NAME is the name of an option, "recent", "document" or "export".
#ifndef DEMO_VIEWER_BASE_CONFIG_H
#define DEMO_VIEWER_BASE_CONFIG_H

#include "demo/viewer/base/options.h"

enum { VIEW_MAX_DOCUMENTS = 64, VIEW_MAX_RECENT = 16 };

// A list of lines in which the latest line is first. A line is a path. For documents, it is
// PATH<tab>SETTINGS.
typedef struct view_recent_lines {
    char *names[VIEW_MAX_DOCUMENTS];
    size_t count;
    size_t num_new; // number of lines at the beginning of the list that are not in the file yet
} view_recent_lines;

// Returns the stored settings of a document in the format of view_write_settings(), or NULL if none
// are stored. `path` is the path of a file, or a path in a game.
const char *view_find_document(const view_recent_lines *documents, const char *path);

void view_free_recent_lines(view_recent_lines *list);

typedef struct view_config {
    char *path;                 // the file; NULL = neither read nor written
    char *settings;             // lines "grid=no"; they precede the arguments of the command line
    view_recent_lines recent;   // paths of recent files
    common_list removed_recent; // recent files that were removed here, but may still be in the file
    view_recent_lines documents; // PATH<tab>SETTINGS; the file has tabs instead of line breaks
    char *export_choices;        // text of the export dialog, or NULL
    bool has_new_export;         // `export_choices` are not in the file yet
    bool is_changed;             // the configuration differs from the file
    bool is_new;                 // the file did not exist
} view_config;

// Reads the file if it exists. If `path` is NULL, reads the user's file, which is in the system's
// folder for configuration files. Ignores and reports invalid lines.
void view_read_config(view_config *config, const char *path, view_log *log);

// Reads the configuration file that the options specify, and applies it. If the options open a
// window, reads the command line again afterwards, because it overrides the configuration. Ignores
// invalid lines of the file; `log` contains the last warning about them.
//
// With --output, an image must not depend on the user's settings. Only the documents are used then,
// because they contain the textures that the user has selected.
void view_apply_config(view_config *config, int count, char **arguments, view_options *options,
                       view_log *log);

// Writes the file and creates its folder if necessary. Recent files and documents that other
// viewers have written in the meantime remain. Logs a warning and returns false on failure.
bool view_write_config(view_config *config, view_log *log);

// Stores the current settings of a window and writes the file. If `is_soon` is true, writes the
// file only if the settings have changed before the last call, but not since. The file is then not
// written repeatedly while a slider is dragged. Logs a warning and returns false if writing fails.
bool view_store_config(view_config *config, const view_options *options, bool is_soon,
                       view_log *log);

// Replaces the stored settings of a document.
void view_store_document_settings(view_config *config, const char *path, const char *lines);

// Removes the stored settings of a document. If `path` is NULL, removes all documents and all
// recent files.
void view_delete_document_settings(view_config *config, const char *path);

void view_free_config(view_config *config);

// Stores the choices of the export dialog for the next export.
void view_store_export_choices(view_config *config, const char *choices);

// Adds a file to the recent files, at the beginning of the list.
void view_add_recent(view_config *config, const char *path);

void view_remove_recent(view_config *config, const char *path);

#endif
