#include "demo/viewer/app/present.h"

#include <math.h>

// -- The target -----------------------------------------------------------------------------

void view_end_present(view_present *present, view_state *viewer)
{
    md5gl_destroy_target(viewer->renderer, present->target);
    *present = (view_present){0};
}

static bool ready_target(view_present *present, view_state *viewer, uint32_t width, uint32_t height,
                         uint32_t samples, md5_error *error)
{
    if (present->target != NULL && present->width == width && present->height == height
        && present->samples == samples)
        return true;
    view_end_present(present, viewer);
    present->target = md5gl_create_target(viewer->renderer, width, height, samples, error);
    if (present->target == NULL)
        return false;
    present->width = width;
    present->height = height;
    present->samples = samples;
    return true;
}

// -- Frames ---------------------------------------------------------------------------------

static uint32_t scaled(uint32_t side, float scale)
{
    return (uint32_t)fmaxf(roundf((float)side * scale), 1.0f);
}

bool view_present_frame(view_present *present, view_state *viewer, md5_error *error)
{
    const uint32_t width = viewer->width, height = viewer->height;
    const view_economy economy = viewer->economy;
    const uint32_t samples = economy.one_sample ? 1 : viewer->options->samples;
    // Pages are light, and draw their interface as they draw the rest.
    const bool is_small = economy.scale > 0.0f && economy.scale < 1.0f && viewer->pages.open < 0;
    const float scale = is_small ? economy.scale : 1.0f;
    const uint32_t drawn_width = scaled(width, scale), drawn_height = scaled(height, scale);
    if ((!is_small && samples <= 1)
        || !ready_target(present, viewer, drawn_width, drawn_height, samples, error))
        return view_draw(viewer, NULL, width, height, false, false, error);
    if (!is_small && !view_draw(viewer, present->target, width, height, false, false, error))
        return false;
    if (is_small && !view_draw_small(viewer, present->target, drawn_width, drawn_height, error))
        return false;
    return md5gl_copy_target(viewer->renderer, present->target, 0, width, height, error)
           && (!is_small || view_draw_interface(viewer, error));
}
