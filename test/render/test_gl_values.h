// The GL state that md5gl.h lists, read value by value, so that tests can compare it with GL's
// defaults and with earlier values.
#ifndef TEST_RENDER_TEST_GL_VALUES_H
#define TEST_RENDER_TEST_GL_VALUES_H

#include "test/render/test_gl_scene.h"

enum { GL_MAX_VALUES = 320 };

typedef struct gl_value {
    const char *name;
    int index;                // index of a component, a texture unit or a binding point
    double value, by_default; // NAN = no default: the frame sets it
} gl_value;

typedef struct gl_values {
    int count;
    gl_value list[GL_MAX_VALUES];
} gl_values;

void values_read(const gl_scene *scene, gl_values *values);

// Checks each value; failures name it and `when`.
void values_are_defaults(const gl_scene *scene, const char *when);
void values_are_equal(const gl_values *found, const gl_values *expected, const char *when);

// Sets state that an engine may have left, all of which would corrupt a frame, and binds objects
// that exist as long as the context. Each value differs from its default.
void values_disturb(gl_scene *scene);

#endif
