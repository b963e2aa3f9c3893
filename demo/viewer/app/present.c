#include "demo/viewer/app/present.h"

#include <math.h>

#include <SDL.h>
#include <SDL_opengl.h>

// -- Enlarging ------------------------------------------------------------------------------

typedef void (*any_proc)(void);

static any_proc find_proc(const char *name)
{
    return (any_proc)SDL_GL_GetProcAddress(name);
}

// Attaches the target's colours to a framebuffer to read from: those of several samples, too, are
// a texture when their frame has ended.
static uint32_t attach_colours(const md5gl_target *target)
{
    const PFNGLGENFRAMEBUFFERSPROC generate =
        (PFNGLGENFRAMEBUFFERSPROC)find_proc("glGenFramebuffers");
    const PFNGLBINDFRAMEBUFFERPROC bind = (PFNGLBINDFRAMEBUFFERPROC)find_proc("glBindFramebuffer");
    const PFNGLFRAMEBUFFERTEXTURE2DPROC attach =
        (PFNGLFRAMEBUFFERTEXTURE2DPROC)find_proc("glFramebufferTexture2D");
    GLuint framebuffer = 0;
    generate(1, &framebuffer);
    bind(GL_READ_FRAMEBUFFER, framebuffer);
    attach(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
           md5gl_get_target_names(target).colour, 0);
    bind(GL_READ_FRAMEBUFFER, 0);
    return framebuffer;
}

// Copies the target into the whole window.
static void enlarge(const view_present *present, uint32_t width, uint32_t height)
{
    const PFNGLBINDFRAMEBUFFERPROC bind = (PFNGLBINDFRAMEBUFFERPROC)find_proc("glBindFramebuffer");
    const PFNGLBLITFRAMEBUFFERPROC copy = (PFNGLBLITFRAMEBUFFERPROC)find_proc("glBlitFramebuffer");
    const bool is_same = present->width == width && present->height == height;
    bind(GL_READ_FRAMEBUFFER, present->framebuffer);
    bind(GL_DRAW_FRAMEBUFFER, 0);
    copy(0, 0, (GLint)present->width, (GLint)present->height, 0, 0, (GLint)width, (GLint)height,
         GL_COLOR_BUFFER_BIT, is_same ? GL_NEAREST : GL_LINEAR);
    bind(GL_FRAMEBUFFER, 0);
}

// -- The target -----------------------------------------------------------------------------

void view_end_present(view_present *present, view_state *viewer)
{
    if (present->framebuffer != 0) {
        const PFNGLDELETEFRAMEBUFFERSPROC destroy =
            (PFNGLDELETEFRAMEBUFFERSPROC)find_proc("glDeleteFramebuffers");
        destroy(1, &present->framebuffer);
    }
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
    present->framebuffer = attach_colours(present->target);
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
    enlarge(present, width, height);
    return !is_small || view_draw_interface(viewer, error);
}
