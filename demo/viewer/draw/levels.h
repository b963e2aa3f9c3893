// Levels of detail of a crowd: draws the pictures of its impostors, and uploads the instances of
// impostors and of baked members.
#ifndef DEMO_VIEWER_DRAW_LEVELS_H
#define DEMO_VIEWER_DRAW_LEVELS_H

#include "demo/viewer/draw/stage.h"

// Draws pictures that are missing or no longer up to date, before a frame: in a window a few at a
// time, so that it stays responsive, otherwise all.
bool view_prepare_levels(const view_stage *stage, md5_error *error);

// Returns the share of its pixels that the impostor of a member of `size` pixels shows: 1 for sizes
// up to `pixels`, falling to 0 at 1.25 times that.
float view_impostor_share(float size, float pixels);

// Uploads the baked members of a kind and their tints. Does nothing if none can be baked.
bool view_pose_bakes(const view_stage *stage, view_kind *kind, md5_error *error);

// Whether the members of a kind are drawn as its reduced models in this picture.
bool view_uses_details(const view_crowd *crowd, const view_kind *kind);

// Uploads the visible members of a kind to its models by their levels, and all of them to the
// model that casts shadows. Call it only if the kind uses details.
bool view_pose_details(const view_stage *stage, view_kind *kind, const view_crowd *crowd,
                       md5_error *error);

// Draws the members of such a kind, or their shadows.
void view_draw_details(const view_stage *stage, const view_kind *kind, bool is_shadow,
                       uint32_t style);

// Uploads the impostors of a kind and the tints of its visible models, after they were posed.
bool view_pose_levels(const view_stage *stage, view_kind *kind, const view_crowd *crowd,
                      md5_error *error);

#endif
