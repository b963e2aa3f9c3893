// Draws images of the viewer's command lines, in this process and on the OpenGL context of a test,
// for tests that compare images.
#ifndef MD5_TEST_VIEW_SHOT_H
#define MD5_TEST_VIEW_SHOT_H

#include "test/render/test_gl_scene.h"

#include "demo/viewer/jobs/view.h"

enum { SHOT_MAX_WORDS = 24 };

// A viewer with its options and the words of their command line.
typedef struct shot_viewer {
    gl_scene scene; // used by TEST_SHOT
    view_state state;
    view_options options;
    char *words[SHOT_MAX_WORDS];
    int num_words;
} shot_viewer;

// An image. The owner frees `rgba`, which is NULL if drawing failed. An SCOPED_PICTURE is freed at
// the end of its scope.
typedef struct shot {
    uint32_t width, height;
    uint8_t *rgba; // [4 * width * height]
} shot;
void shot_free(shot *picture);
#define SCOPED_PICTURE __attribute__((unused, cleanup(shot_free))) shot

// The fraction of the pixels that are not transparent, and their bounding box, from 0 to 1.
typedef struct shot_cover {
    double fraction;
    double left;
    double top;
    double right;
    double bottom;
} shot_cover;

// Opens the files of a command line, as main() does for --output. Spaces separate words; words that
// begin with models/ or test/ are files of the project. Call shot_close() even if this fails.
bool shot_open(shot_viewer *viewer, const gl_scene *scene, const char *line);
void shot_close(shot_viewer *viewer);
#define SCOPED_SHOT __attribute__((cleanup(shot_close))) shot_viewer

// Defines a test with the viewer of a command line on the shared scene. The viewer owns both.
bool shot_begin(shot_viewer *viewer, const char *line);
void shot_end(shot_viewer *viewer);
#define TEST_SHOT(title, line) \
    TEST_IF (title, shot_viewer, viewer, shot_begin(viewer, line), shot_end(viewer))

// Loads Thimble walking with these options, without a device. The caller frees it.
view_document *shot_load(const view_options *options);

// Draws the current frame.
shot shot_draw(shot_viewer *viewer);

// Opens a command line, draws its image and closes it.
shot render_shot(const gl_scene *scene, const char *line);

shot_cover measure_shot_cover(const shot *picture);

// Returns the fraction of the pixels with a channel that differs by more than 24 of 255.
double shot_difference(const shot *a, const shot *b);

// Returns true if all pixels are equal.
bool shot_same(const shot *a, const shot *b);

#endif
