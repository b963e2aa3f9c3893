// The export dialog, which writes images, movies, and the model in other formats.
// view_export_choices is the input of the user. view_select_export() converts it to command-line
// options.
#ifndef DEMO_VIEWER_UI_EXPORT_H
#define DEMO_VIEWER_UI_EXPORT_H

#include "demo/viewer/ui/ui.h"

typedef enum view_export_kind {
    VIEW_EXPORT_PICTURE,
    VIEW_EXPORT_MOVIE,
    VIEW_EXPORT_TURNTABLE,
    VIEW_EXPORT_SHEET,
    VIEW_EXPORT_MODEL, // the model and its clips, converted
} view_export_kind;

// The input of the user: indices of selected choices, and typed texts. An empty text stands for a
// default, which the dialog displays as a placeholder.
typedef struct view_export_choices {
    uint32_t kind; // view_export_kind
    uint32_t clips;
    uint32_t size;
    uint32_t format;
    uint32_t samples;
    uint32_t background;
    uint32_t labels;
    uint32_t model_format;
    char range[24];
    char frames[16];
    char sheet[16];
    char resolution[24];
    char rate[16];
    char folder[512];
    char name[128];
} view_export_choices;

// The state of the export dialog, and the result of the running export.
typedef struct view_export {
    bool is_set; // view_select_export() has initialized `choices`
    view_export_choices choices;
    bool asks;           // the question about an existing file is open
    bool focuses_folder; // the next run gives the focus to the field of the folder

    // Set by the caller:
    common_list endings; // file extensions of the model formats
    char problem[256];   // reason why export is disabled, or ""
    char *output;        // value of --output
    char *line;          // equivalent command line, or NULL
    char *file;          // first output file, or NULL
    bool exists;         // an output file already exists
    uint32_t done;       // finished images
    uint32_t total;      // images; 0: no export is running
    double left;         // remaining time, seconds

    bool is_small; // the dialog is too small for the preview
    bool is_stale; // the preview must be rendered again
    md5gl_texture preview;
    float preview_shape; // width divided by height
    double bytes;        // estimated file size; 0: unknown
    double next;         // earliest time of the next preview, seconds since the start
} view_export;

#define VIEW_EXPORT_PANEL "export"  // name of the dialog's panel
#define VIEW_EXPORT_NAME_WIDTH 7.5f // width of the column of row names, em
enum { VIEW_FOLDER_OF_EXPORT = 1 }; // number of VIEW_OPEN_FOLDER if the dialog requests a folder

// Draws the export dialog and handles its input.
void view_export_panel(view_ui *ui, view_export *export);

// Sets `options` to the choices. The first call initializes the choices. A `number` of 2 or more is
// appended to the name of the file. If a choice is invalid, returns false and sets export->problem.
// `export` owns the value of --output, which view_free_export() frees.
bool view_select_export(view_export *export, const view_stage *stage, unsigned number,
                        view_options *options);
void view_free_export(view_export *export);

// Selects the kind, the format and the clips that a search text such as "export glb" names. The
// field of the folder then gets the focus. The choices must be initialized.
void view_name_export(view_export *export, const char *words);

// view_write_choices() returns the choices as one line, without the range of the clip. The caller
// frees it. view_read_choices() returns false and changes nothing if the line is invalid.
char *view_write_choices(const view_export_choices *choices);
bool view_read_choices(view_export_choices *choices, const char *text);

#endif
