// Helpers for tests of clips on the GPU: models and clips from text.
#ifndef TEST_RENDER_TEST_GL_CLIPS_H
#define TEST_RENDER_TEST_GL_CLIPS_H

#include "test/render/test_gl_scene.h"

#define MODEL_OF(count, joints) \
    "MD5Version 10\ncommandline \"\"\nnumJoints " count "\nnumMeshes 0\njoints {\n" joints "}\n"
#define CLIP_OF(count, hierarchy, base, first, second)                                       \
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints " count                         \
    "\nframeRate 24\nnumAnimatedComponents 6\nhierarchy {\n" hierarchy "}\nbounds {\n"       \
    "( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n" base "}\nframe 0 {\n" first \
    "\n}\nframe 1 {\n" second "\n}\n"

// As scene_open(), but also skips the test and returns false if there are no compute shaders.
bool clips_open(gl_scene *scene);

// Checks that md5gl_create_clips() refuses these bindings with a message that contains `text`.
void clips_are_refused(md5gl_renderer *renderer, const md5_binding *const *bindings, uint32_t count,
                       md5_status status, const char *text);

#endif
