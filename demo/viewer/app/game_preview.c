#include "demo/viewer/app/game_preview.h"

#include "demo/common/memory.h"
#include "demo/viewer/draw/previews.h"
#include "demo/viewer/ui/browser.h"

#include <stdlib.h>
#include <string.h>

// Texels are drawn without their alpha: what is clear becomes the color of the frame.
static md5gl_texture upload(md5gl_renderer *renderer, const view_image *image)
{
    md5_error error;
    const size_t size = 4 * (size_t)image->width * image->height;
    uint8_t *const texels = common_alloc(size, 1);
    for (size_t i = 0; i < size; i++) {
        const unsigned behind = VIEW_PREVIEW_COLOR >> (24 - 8 * (i % 4)) & 0xFF;
        const unsigned alpha = image->rgba[i | 3];
        texels[i] = (uint8_t)((image->rgba[i] * alpha + behind * (255 - alpha) + 127) / 255);
    }
    const md5gl_texture_desc desc = {
        .width = image->width, .height = image->height, .texels = texels};
    const md5gl_texture texture = md5gl_create_texture(renderer, &desc, &error);
    free(texels);
    return texture; // 0 if memory runs out: no picture
}

static void drop_shown(view_state *viewer)
{
    if (viewer->renderer != NULL)
        md5gl_destroy_texture(viewer->renderer, viewer->preview.texture);
    free(viewer->preview.wish);
    viewer->preview = (view_shown_preview){NULL, 0};
}

// Takes the wish of the chosen line, or NULL.
static bool show(view_state *viewer, char *wish)
{
    const char *const shown = viewer->preview.wish;
    const view_image *const image = wish != NULL ? view_find_preview(viewer->previews, wish) : NULL;
    const bool is_same = image != NULL && shown != NULL && strcmp(shown, wish) == 0;
    if (is_same || (image == NULL && shown == NULL)) {
        free(wish);
        return false;
    }
    drop_shown(viewer);
    if (image != NULL && viewer->renderer != NULL)
        viewer->preview = (view_shown_preview){wish, upload(viewer->renderer, image)};
    else
        free(wish);
    return true;
}

// The wish of the line that is `offset` below the chosen one, or NULL.
static char *wish_at(const view_state *viewer, long long offset, const char *on)
{
    const view_browser *const browser = &viewer->ui.browser;
    const char *const name = view_listed_name(browser, offset);
    return name != NULL ? view_wish_of(browser->section, name, on) : NULL;
}

bool view_follow_previews(view_state *viewer)
{
    // First those that the user comes to next.
    static const long long order[] = {0, 1, -1, 2, 3, -2, 4, 5};
    enum { NUM_ASKED = sizeof order / sizeof order[0] };
    char *wishes[NUM_ASKED];
    size_t count = 0;
    const view_browser *const browser = &viewer->ui.browser;
    if (browser->kind != VIEW_BROWSE_GAME || browser->is_scanning || viewer->library == NULL)
        return false;
    if (viewer->previews == NULL)
        viewer->previews = view_begin_previews(viewer->library->place);
    const bool has_more = view_take_previews(viewer->previews);
    char *const on = viewer->document->scene.model != NULL ? view_shown_name(viewer) : NULL;
    for (int i = 0; i < NUM_ASKED; i++) {
        char *const wish = wish_at(viewer, order[i], on);
        if (wish != NULL)
            wishes[count++] = wish;
    }
    view_want_previews(viewer->previews, (const char *const *)wishes, count);
    for (size_t i = 0; i < count; i++)
        free(wishes[i]);
    const bool has_changed = show(viewer, wish_at(viewer, 0, on));
    free(on);
    return has_more || has_changed;
}

void view_forget_previews(view_state *viewer)
{
    view_stop_previews(viewer->previews);
    viewer->previews = NULL;
    drop_shown(viewer);
}
