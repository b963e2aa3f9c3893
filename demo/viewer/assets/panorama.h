// Pictures of all that surrounds a model, for --environment.
#ifndef DEMO_VIEWER_ASSETS_PANORAMA_H
#define DEMO_VIEWER_ASSETS_PANORAMA_H

#include "render/md5gl.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/assets/image.h"

#include <stdbool.h>

// An environment, and what the viewer makes of it.
typedef struct view_environment {
    md5gl_environment *light; // to be destroyed; NULL: none
    float exposure;           // factor that makes its mean as bright as that of the studio
    md5_vec3 brightest;       // unit direction to where most of its light comes from
} view_environment;

// Replaces the environment by that of a file. On failure logs an error, and changes nothing.
bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log);

#endif
