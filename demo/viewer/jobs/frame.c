// Draws one frame: pose, scene, and the interface over it.
#include "demo/viewer/jobs/view.h"
#include "demo/viewer/motion/motion.h"

#include <stdlib.h>
#include <string.h>

static bool draw_page(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                      bool transparent, bool clean, md5_error *error)
{
    const view_facts facts = view_facts_of(viewer, (float)width, (float)height);
    md5_error draw_error;
    const bool drawn = view_draw_page(&viewer->pages, &facts.stage, viewer->play.time, target,
                                      width, height, transparent, clean, &draw_error);
    view_draw_canvas(&facts.stage);
    const bool ended = md5gl_end_frame(viewer->renderer, error);
    if (!drawn && error != NULL)
        *error = draw_error;
    return drawn && ended;
}

static void pose_document(view_state *viewer)
{
    view_document *const document = viewer->document;
    view_pose(&document->scene, &viewer->play);
    view_pose_compared(document, &viewer->play);
    if (viewer->shown.normals || viewer->shown.tangents)
        document->pose_faults = view_find_pose_faults(&document->scene);
}

static void draw_panels(view_state *viewer, const view_facts *facts)
{
    view_clear_canvas(&viewer->canvas);
    view_draw_ui(&viewer->ui, facts);
    view_draw_canvas(&facts->stage);
}

// Adds text from the top on, in lines no longer than `room`.
static void add_lines(view_canvas *canvas, float left, float room, float line, const char *text)
{
    float x = left, y = left;
    for (size_t length; *text != '\0'; text += length) {
        length = strcspn(text, " ") + (strchr(text, ' ') != NULL);
        char *const word = common_format("%.*s", (int)length, text);
        const bool is_new = x > left && x + view_text_width(canvas->font, VIEW_TEXT, word) > room;
        y += is_new ? line : 0.0f;
        x = is_new ? left : x;
        x += view_draw_text(canvas, VIEW_TEXT, x, y, room, 0xff9a8aff, word);
        free(word);
    }
}

// The name of a cell of a contact sheet below its picture, or why there is none.
static void draw_caption(view_state *viewer, const view_facts *facts)
{
    const float top = facts->height - facts->caption, left = 4.0f, room = facts->width - 2 * left;
    const char *name = viewer->cells.names[viewer->cell] + strlen(viewer->options->folders[0]);
    // Of a long name the end says more.
    for (name += strspn(name, "/");
         strchr(name, '/') != NULL && view_text_width(&viewer->font, VIEW_TEXT, name) > room;)
        name = strchr(name, '/') + 1;
    char *const stem = common_format("%.*s", (int)(strlen(name) - strlen(".md5mesh")), name);
    view_clear_canvas(&viewer->canvas);
    add_lines(&viewer->canvas, left, room, facts->caption, viewer->log.error);
    view_draw_rect(&viewer->canvas, (view_rect){0, top, facts->width, facts->caption}, 0x1a1c20ff);
    (void)view_draw_text(&viewer->canvas, VIEW_TEXT, left, top, room, 0xd8dce2ff, stem);
    view_draw_canvas(&facts->stage);
    free(stem);
}

bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error)
{
    // First, because a machine's character walks and the camera follows. In a crowd the camera
    // determines who is visible.
    if (!view_shows_crowd(viewer->document))
        pose_document(viewer);
    if (viewer->pages.open >= 0)
        return draw_page(viewer, target, width, height, transparent, clean, error);
    view_keep_framed(viewer, width, height);
    const view_facts facts = view_facts_of(viewer, (float)width, (float)height);
    md5_error draw_error;
    const bool drawn =
        view_draw_world(&facts.stage, target, width, height, transparent, &draw_error);
    if (viewer->open_cell != NULL)
        draw_caption(viewer, &facts);
    if (!clean) {
        view_draw_marks(&viewer->ui, &facts);
        draw_panels(viewer, &facts);
    }
    const bool ended = md5gl_end_frame(viewer->renderer, error);
    if (!drawn && error != NULL)
        *error = draw_error;
    return drawn && ended;
}

bool view_draw_small(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                     md5_error *error)
{
    if (!view_shows_crowd(viewer->document))
        pose_document(viewer);
    view_keep_framed(viewer, viewer->width, viewer->height);
    // Laid out for the window.
    view_facts facts = view_facts_of(viewer, (float)viewer->width, (float)viewer->height);
    const float across = (float)width / facts.width, down = (float)height / facts.height;
    const view_rect region = facts.stage.region;
    facts.stage.region = (view_rect){region.x * across, region.y * down, region.width * across,
                                     region.height * down};
    facts.width = (float)width;
    facts.height = (float)height;
    md5_error draw_error;
    const bool drawn = view_draw_world(&facts.stage, target, width, height, false, &draw_error);
    view_draw_marks(&viewer->ui, &facts);
    const bool ended = md5gl_end_frame(viewer->renderer, error);
    if (!drawn && error != NULL)
        *error = draw_error;
    return drawn && ended;
}

bool view_draw_interface(view_state *viewer, md5_error *error)
{
    const view_facts facts = view_facts_of(viewer, (float)viewer->width, (float)viewer->height);
    const md5gl_frame frame = {
        .width = viewer->width, .height = viewer->height, .keep_contents = true};
    md5gl_begin_frame(viewer->renderer, &frame);
    draw_panels(viewer, &facts);
    return md5gl_end_frame(viewer->renderer, error);
}
