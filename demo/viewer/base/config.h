// What is remembered from run to run: settings of the user, and of each document.
#ifndef DEMO_VIEWER_BASE_CONFIG_H
#define DEMO_VIEWER_BASE_CONFIG_H

#include "demo/viewer/base/options.h"

enum { VIEW_MAX_DOCUMENTS = 64, VIEW_MAX_RECENT = 16 };

// Lines, the latest first: what each is about and, behind a tab, what is said of it.
typedef struct view_latest {
    char *names[VIEW_MAX_DOCUMENTS];
    size_t count;
    size_t num_new; // of them, those that are not in the file yet
} view_latest;

// The options of the maps that can be selected: "texture", "normal-map", ...; NULL: it cannot be.
extern const char *const view_map_options[MD5GL_NUM_IMAGE_KINDS];

// What is remembered of the document of a path or an address in a game: see view_write_settings();
// or NULL.
const char *view_find_document(const view_latest *documents, const char *path);

void view_free_lines_of(view_latest *list);

typedef struct view_config {
    char *path;            // the file; NULL = neither read nor written
    char *settings;        // lines "grid=no", as if they stood first on the command line
    view_latest recent;    // files
    common_list forgotten; // of them, those that may still be in it
    view_latest documents; // PATH<tab>LINES, in the file with tabs
    char *export_choices;  // as the dialog writes them, or NULL
    bool has_new_export;   // `export_choices` are not in the file yet
    bool is_changed;       // it differs from the file
    bool is_new;           // there was no file
} view_config;

// Reads the file, if there is one; NULL: the user's, where the system has a folder for it. Unknown
// lines are reported and ignored.
void view_read_config(view_config *config, const char *path, view_log *log);

// Reads the configuration that the options name, then, for a window, the command line again, which
// overrides it. Unknown lines of the configuration are ignored; the last warning stays in `log`.
// For a picture only the documents are taken, of which it uses the textures: it depends on the
// command line and on how the model looks in a window.
void view_take_config(view_config *config, int count, char **arguments, view_options *options,
                      view_log *log);

// Writes the file, and creates its folder. What other viewers have written since is kept: their
// recent files and their documents. Returns false, and logs why, if that fails.
bool view_write_config(view_config *config, view_log *log);

// Stores what a window shows now, and writes the file; `is_soon`: only if something was changed
// before, but nothing since the last call. Returns false, and logs why, if writing fails.
bool view_store_config(view_config *config, const view_options *now, bool is_soon, view_log *log);

// Remembers options of a document in place of earlier ones.
void view_note_document(view_config *config, const char *path, const char *lines);

// Forgets a document; NULL: all of them, and all recent files.
void view_forget_document(view_config *config, const char *path);

void view_free_config(view_config *config);

// The choices of the last export.
void view_note_export(view_config *config, const char *choices);

// Adds a file as the most recent one.
void view_note_recent(view_config *config, const char *path);

void view_forget_recent(view_config *config, const char *path);

#endif
