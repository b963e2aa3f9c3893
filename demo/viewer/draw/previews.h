// Previews of models, animations and images for lists, and thumbnails for file managers. A thread
// loads the files, with limits of time and memory. The renderer draws them into a small target.
#ifndef DEMO_VIEWER_DRAW_PREVIEWS_H
#define DEMO_VIEWER_DRAW_PREVIEWS_H

#include "demo/viewer/crowd/document.h"

// Widths and heights of a preview in a list and of a large preview, in pixels.
enum { VIEW_PREVIEW_SIZE = 256, VIEW_LARGE_PREVIEW_SIZE = 768 };

// -- Drawing -------------------------------------------------------------------------------------

// A loaded model or animation that can be drawn.
typedef struct view_preview_subject {
    view_document document;    // only the scene is used
    view_play play;            // contains the time of the pose
    md5_game *game;            // declares the materials; may be NULL
    view_prefetch images;      // decoded images
    view_preview_mesh *meshes; // [number of meshes of the model]
} view_preview_subject;

// Callback that draws a subject on the thread of the renderer.
typedef struct view_preview_drawer {
    // Draws the subject into an image of `size` by `size` pixels with a transparent background.
    // Returns false and does not change *image on failure. The caller frees image->rgba.
    bool (*draw)(void *user, view_preview_subject *subject, uint32_t size, view_image *image);
    void *user;
} view_preview_drawer;

// -- Previews of a game's contents ---------------------------------------------------------------
//
// The preview of an entity or a model shows the model itself. The preview of a clip shows it on a
// model that it fits. The preview of a skin shows a model that the skin changes.

// Returns the text that identifies a requested preview: the name, or "ON::NAME" for clips and
// skins. `on` is the entity or model that is tried first; it may be NULL. The caller frees the
// text.
char *view_preview_request(view_section section, const char *name, const char *on);

typedef struct view_preview {
    view_image image;     // .rgba is NULL if nothing can be drawn
    char info[192];       // properties of a file, one per line, the most important first
    bool is_wrong;        // the file cannot be read; `info` contains the reason
    uint32_t num_missing; // number of images that materials declare and that do not exist, or 1 if
                          // the model does not exist
} view_preview;

// Creates the preview of a request. If a clip fits neither the model of the request nor a model in
// its folder, the preview shows the clip's joints. If a skin changes neither the model of the
// request nor a model that the skin names, the preview has no image. The caller frees the image.
view_preview view_make_preview(view_library *library, const char *request,
                               const view_preview_drawer *drawer);

// Returns the first model that the skin changes, or NULL. Searches the models that the skin names,
// and the models in the folders of the materials that it replaces. The caller frees the name.
char *view_model_for_skin(view_library *library, const char *name);

// -- On a thread ---------------------------------------------------------------------------------
//
// A thread creates the previews of an open list, and keeps them in a cache.

// Capacity of the cache. The least recently requested preview is replaced.
enum { VIEW_MAX_PREVIEWS = 256 };

typedef struct view_previews view_previews;

// Starts a thread for previews of the game in a folder or an archive. Two threads must not use one
// game, so the thread opens its own copy of the game at the first request.
//
// If `location` is NULL, requests are paths of files; a "*" before the path requests a large
// preview. A file in the folder `models` may use all files in this folder. `models` may be NULL.
// The function takes ownership of it.
view_previews *view_begin_previews(const char *location, char *models);
void view_stop_previews(view_previews *previews); // NULL is allowed

// Exchanges requests and previews with the thread. Draws the subject that the thread has loaded, if
// any. Replaces the pending requests by requests[count], the most urgent first; see
// view_preview_request(). Sets results[i] to the finished preview of requests[i], or to NULL. A
// preview is valid until the next call. Returns true if previews were finished since the last call.
// Does not wait for a preview.
//
// `drawer` may be NULL if the thread has not loaded a subject, as in the first call.
bool view_update_previews(view_previews *previews, const char *const *requests, size_t count,
                          const view_preview_drawer *drawer, const view_preview **results);

// Creates the preview of a file within the limits of a thumbnail. An image that is larger than
// `size` is reduced. A model may use the files in its folder. If the folder `models` contains the
// model, it may use all files in `models`, which may be NULL. A clip is shown on a model in its
// folder.
view_preview view_preview_file(const char *path, uint32_t size, const char *models,
                               const view_preview_drawer *drawer);

// -- A thumbnail of files ------------------------------------------------------------------------

// Draws the files of the options for --thumbnail. File managers draw thumbnails of files that the
// user has not opened, so the resources are limited:
// - 5 s of processor time
// - 512 MiB of memory in addition to the memory that the process uses at the call (on systems where
//   common_address_space() is available); the limit is removed after drawing
// - 32 MiB of files, all in the folder of the first file; links are not followed
// - 500 000 vertices
// - 16 million pixels per image, 32 million in total
// - about 16 million pixels in the bounding rectangles of the triangles
// Logs an error and returns an image without pixels if a file cannot be drawn or exceeds a limit.
// The caller frees image.rgba.
view_image view_make_thumbnail(const view_options *options, const view_preview_drawer *drawer,
                               view_log *log);

#endif
