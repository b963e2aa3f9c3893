// An environment's GPU copy, and what frames and draws need of it.
#ifndef MD5GL_ENVIRONMENT_INTERNAL_H
#define MD5GL_ENVIRONMENT_INTERNAL_H

#include "render/gl_internal.h"
#include "render/panorama.h"

struct md5gl_environment {
    md5_vec3 light[9];      // see md5gl_reflect_light()
    md5gl_texture panorama; // the picture and its smaller levels
    md5gl_texture reflections;
    uint32_t width, num_levels; // of the panorama
};

#endif
