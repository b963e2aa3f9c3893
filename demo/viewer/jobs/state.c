// Creates and destroys the viewer's state, and assembles what a picture shows.
#include "demo/viewer/jobs/view.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void view_begin(view_state *viewer, const view_options *options)
{
    *viewer = (view_state){.options = options};
    view_begin_ui(&viewer->ui);
    view_open_page(&viewer->pages, -1);
    viewer->document = common_alloc(1, sizeof *viewer->document);
    *viewer->document = (view_document){0};
    viewer->log.level = options->level;
    viewer->width = options->width;
    viewer->height = options->height;
    viewer->text_scale = 1.0f;
    viewer->parms = options->parms;
    viewer->camera = view_default_camera();
    viewer->play = (view_play){
        .playing = options->output == NULL,
        .speed = fabs(options->speed),
        .backward = options->speed<0.0, .time = options->num_times> 0 ? options->times[0] : 0.0,
    };
}

void view_end(view_state *viewer)
{
    if (viewer->renderer != NULL) {
        md5gl_destroy_texture(viewer->renderer, viewer->preview.texture);
        view_free_environment(&viewer->environment, viewer->renderer);
        view_free_font(&viewer->font, viewer->renderer);
    }
    free(viewer->preview.wish);
    view_free_canvas(&viewer->canvas);
    view_free_lines(&viewer->lines);
    view_end_ui(&viewer->ui);
    view_stop_scan(viewer->scan);
    view_stop_previews(viewer->previews);
    view_drop_library(viewer->library);
}

bool view_set_scale(view_state *viewer, float scale)
{
    md5_error error;
    view_font font;
    if (viewer->font.mask != 0 && viewer->font.scale == scale)
        return true;
    if (!view_make_font(&font, viewer->renderer, scale, &error)) {
        view_log_error(&viewer->log, &error);
        return false;
    }
    view_free_font(&viewer->font, viewer->renderer);
    viewer->font = font;
    viewer->canvas.font = &viewer->font;
    return true;
}

view_facts view_facts_of(view_state *viewer, float width, float height)
{
    viewer->drawn_shown = viewer->shown;
    viewer->drawn_shown.shadows = viewer->shown.shadows && !viewer->economy.no_shadows;
    view_facts facts = {
        .stage = {.region = {0.0f, 0.0f, width, height},
                  .options = viewer->options,
                  .renderer = viewer->renderer,
                  .log = &viewer->log,
                  .document = viewer->document,
                  .play = &viewer->play,
                  .camera = viewer->is_smooth ? &viewer->seen : &viewer->camera,
                  .following = viewer->following,
                  .shown = &viewer->drawn_shown,
                  .surface = viewer->surface,
                  .onion = viewer->onion,
                  .hidden_meshes = viewer->hidden_meshes,
                  .joint = view_marked_joint(&viewer->ui, &viewer->document->scene),
                  .lights = &viewer->lights,
                  .environment = &viewer->environment,
                  .parms = &viewer->parms,
                  .font = &viewer->font,
                  .canvas = &viewer->canvas,
                  .lines = &viewer->lines},
        .play = &viewer->play,
        .lights = &viewer->lights,
        .parms = &viewer->parms,
        .width = width,
        .height = height,
        .pick = &viewer->pick,
        .measured = &viewer->measured,
        .now = viewer->now,
        .economy = viewer->economy,
        .frame_seconds = viewer->frame_seconds,
        .frame_times = viewer->frame_times,
        .num_frame_times = viewer->num_frame_times,
    };
    facts.preview = viewer->preview.texture;
    facts.caption = viewer->open_cell != NULL ? viewer->font.line[VIEW_TEXT] + 2.0f : 0.0f;
    // A camera that took over from a camera path shows what was seen there, in all of the picture.
    if (viewer->framed.width > 0.0f)
        facts.stage.region = view_free_region(&facts);
    return facts;
}

char *view_shown_name(const view_state *viewer)
{
    view_address address;
    const view_scene *const scene = &viewer->document->scene;
    if (viewer->library == NULL || scene->library != viewer->library
        || !view_read_address(scene->path, &address))
        return NULL;
    char *const name = common_copy(address.name);
    view_free_address(&address);
    return name;
}
