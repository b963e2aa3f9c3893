// The input for one picture. The caller owns everything and builds a stage for each picture.
#ifndef DEMO_VIEWER_DRAW_STAGE_H
#define DEMO_VIEWER_DRAW_STAGE_H

#include "demo/viewer/base/canvas.h"
#include "demo/viewer/base/font.h"
#include "demo/viewer/base/lights.h"
#include "demo/viewer/base/parms.h"
#include "demo/viewer/base/shown.h"
#include "demo/viewer/base/viewpoint.h"
#include "demo/viewer/draw/overlay.h"
#include "demo/viewer/crowd/document.h"
#include "demo/viewer/assets/panorama.h"

typedef struct view_stage {
    const view_options *options;
    md5gl_renderer *renderer;
    view_log *log;
    view_document *document; // drawing skins it and updates its crowd
    const view_play *play;
    const view_camera *camera;
    view_rect region; // of the picture, pixels, centred on the camera's target
    bool following;   // use the document's camera path instead of `camera`
    const view_shown *shown;
    view_surface surface;
    view_onion onion;
    uint64_t hidden_meshes; // a bit for each of the first 64
    int32_t joint;          // that is marked, or -1
    const view_lights *lights;
    const view_environment *environment; // of --environment
    const view_parms *parms;
    const view_font *font;
    view_canvas *canvas; // memory for text and shapes
    view_lines *lines;   // memory for lines
} view_stage;

#endif
