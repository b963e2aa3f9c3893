// Draws pictures by command lines of the viewer, in this process and on the OpenGL context of a
// test, for tests that compare them.
#ifndef MD5_TEST_VIEW_SHOT_H
#define MD5_TEST_VIEW_SHOT_H

#include "test/render/test_gl_scene.h"

#include "demo/viewer/jobs/view.h"

enum { SHOT_MAX_WORDS = 24 };

// A viewer with its options and the words that they were read from.
typedef struct shot_viewer {
    gl_scene scene; // of TEST_SHOT
    view_state state;
    view_options options;
    char *words[SHOT_MAX_WORDS];
    int num_words;
} shot_viewer;

// A picture. Its owner frees `rgba`, which is NULL if drawing failed; an OWN_PICTURE is freed where
// it goes out of scope.
typedef struct shot {
    uint32_t width, height;
    uint8_t *rgba; // [4 * width * height]
} shot;
void shot_free(shot *picture);
#define OWN_PICTURE __attribute__((unused, cleanup(shot_free))) shot

// The share of the pixels that are not transparent, and their bounding box, from 0 to 1.
typedef struct shot_cover {
    double share, left, top, right, bottom;
} shot_cover;

// Opens what the line names, as main() does for --output. Words are separated by
// spaces; those that begin with models/ or test/ are files of the project. Close it even if this
// fails.
bool shot_open(shot_viewer *viewer, const gl_scene *scene, const char *line);
void shot_close(shot_viewer *viewer);
#define OWN_SHOT __attribute__((cleanup(shot_close))) shot_viewer

// Tests with the viewer of a line on the shared scene; it has both as its own.
bool shot_begin(shot_viewer *viewer, const char *line);
void shot_end(shot_viewer *viewer);
#define TEST_SHOT(title, line) \
    TEST_IF (title, shot_viewer, viewer, shot_begin(viewer, line), shot_end(viewer))

// Loads Thimble walking with options, on no device. Free it.
view_document *shot_load(const view_options *options);

// Draws the current picture.
shot shot_draw(shot_viewer *viewer);

// Opens, draws and closes.
shot shot_take(const gl_scene *scene, const char *line);

shot_cover shot_cover_of(const shot *picture);

// The share of the pixels of which a channel differs by more than 24 of 255.
double shot_difference(const shot *a, const shot *b);

// Whether all pixels are equal.
bool shot_same(const shot *a, const shot *b);

#endif
