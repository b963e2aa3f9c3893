// Drawing one image of the viewer, into a target or into the window.
#ifndef DEMO_VIEWER_JOBS_FRAME_H
#define DEMO_VIEWER_JOBS_FRAME_H

#include "demo/viewer/draw/draw.h"
#include "demo/viewer/draw/previews.h"

typedef struct view_state view_state;

// Target for images of a window with several samples per pixel or a reduced resolution. Each image
// is then copied to the window.
typedef struct view_presented {
    md5gl_target *target; // or NULL
    uint32_t width;
    uint32_t height;
    uint32_t samples;
} view_presented;

// The memory that drawing reuses in each image, and the quality of the images.
typedef struct view_drawing {
    view_font font;
    view_canvas canvas;
    view_lines lines;
    view_environment environment; // image of --environment
    char *caption;                // text below the drawn image, or NULL

    // Features that the current image omits to save time, and the user's switches without these
    // features.
    view_quality_level quality_level;
    view_shown shown;

    // The members below are only used with a window.
    view_presented presented;
    view_quality quality; // quality, adjusted by the frame times
    bool is_moving;       // images are drawn continuously
    // Frame times, seconds; a ring buffer whose newest entry is at num_frame_times - 1.
    float frame_times[VIEW_NUM_FRAME_TIMES];
    uint32_t num_frame_times;
} view_drawing;

// Recreates the glyphs of texts if `scale` differs from their scale. Returns false and logs an
// error on failure.
bool view_set_scale(view_state *viewer, float scale);

#define VIEW_CAPTION_BORDER 4.0f // pixels on each side of the text

// Draws one frame into a target (NULL: the window). `omitted` is a combination of VIEW_OMIT_*. The
// quality level may reduce the resolution. Then the image of a window of viewer->width * height is
// drawn with fewer pixels and without panels.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               unsigned omitted, md5_error *error);

// Draws an image of small->width * height pixels without the interface, and reads it into rgba[4 *
// width * height]. `small` is a modified copy of the viewer. Only its drawing buffers are copied
// back, because drawing may reallocate them. With `is_framed`, its camera frames the current pose.
// `omitted` is 0 or VIEW_OMIT_BACKGROUND. Returns false on failure.
bool view_draw_small(view_state *viewer, view_state *small, bool is_framed, uint32_t samples,
                     unsigned omitted, uint8_t *rgba);

// Implements view_preview_drawer; `user` is the viewer.
bool view_draw_preview(void *user, view_preview_subject *subject, uint32_t size, view_image *image);

// Draws the next thumbnail that a list of clips has requested. Returns true if it drew one.
bool view_draw_next_thumbnail(view_state *viewer);

// Creates a texture from a small image, which is blended over the background color of previews.
// Returns 0 if memory runs out.
md5gl_texture view_make_texture(md5gl_renderer *renderer, const uint8_t *rgba, uint32_t width,
                                uint32_t height);

// Draws one frame into the window. Call it before the swap. If the quality level is not full
// quality, draws into a smaller target, enlarges the result, and draws the panels over it at full
// resolution. Returns false on failure.
bool view_present(view_state *viewer, md5_error *error);

// Draws the recording sign over the frame. Call it after the movie has received its image, so that
// the sign is not in the movie. Does nothing if no movie is recorded.
bool view_present_recording_sign(view_state *viewer, md5_error *error);

// Stores the duration of a frame, which a panel shows.
void view_store_frame_time(view_state *viewer, double seconds);

#endif
