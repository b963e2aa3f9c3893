// Small images: previews of exports, tiles of clips, and previews of files and games.
#include "demo/viewer/jobs/view.h"

// Creates the texture of a thumbnail from pixels with alpha. Returns 0 on failure.
md5gl_texture view_make_texture(md5gl_renderer *renderer, const uint8_t *rgba, uint32_t width,
                                uint32_t height)
{
    // Textures are drawn without alpha, so blend the image over the background color of previews.
    const size_t size = 4 * (size_t)width * height;
    uint8_t *const texels = common_alloc(size, 1);
    for (size_t i = 0; i < size; i++) {
        const unsigned channel = (unsigned)(i % 4);
        const unsigned background = VIEW_PREVIEW_COLOR >> (24 - 8 * channel) & 0xFF;
        const unsigned alpha = rgba[i - channel + 3];
        texels[i] = (uint8_t)((rgba[i] * alpha + background * (255 - alpha) + 127) / 255);
    }
    const md5gl_texture_desc desc = {.width = width, .height = height, .texels = texels};
    md5_error error = {0}; // without memory the image is omitted
    const md5gl_texture texture = md5gl_create_texture(renderer, &desc, &error);
    free(texels);
    return texture;
}

// Draws an image without the interface, and reads its pixels into rgba[4 * width * height].
// `small` is a modified copy of the viewer, with the size, camera and document of the image.
// Framing changes the bounds and the hull of the document, which `small` shares with the viewer.
// They are stored first and restored at the end.
bool view_draw_small(view_state *viewer, view_state *small, bool is_framed, uint32_t samples,
                     unsigned omitted, uint8_t *rgba)
{
    // Framing a pose changes the bounds and the hull of the document, which are restored at the
    // end.
    view_document *const document = small->document;
    const md5_bounds bounds = document->bounds;
    const view_hull hull = document->hull;
    const uint32_t width = small->width;
    const uint32_t height = small->height;
    md5_error error = {0}; // the panel shows that the image is missing
    small->cameras.is_smooth = false;
    small->drawing.canvas.font = &small->drawing.font;
    small->pages.open = -1; // draw the document, also while a lesson hides it
    if (is_framed)
        view_frame_pose(small);
    md5gl_target *const target =
        md5gl_create_target(viewer->renderer, width, height, samples, &error);
    const bool is_drawn =
        target != NULL
        && view_draw(small, target, width, height, omitted | VIEW_OMIT_INTERFACE, &error)
        && md5gl_read_pixels(viewer->renderer, target, width, height, rgba, &error);
    md5gl_destroy_target(viewer->renderer, target);

    // Drawing may have reallocated these buffers.
    viewer->drawing.font = small->drawing.font;
    viewer->drawing.lines = small->drawing.lines;
    viewer->drawing.canvas = small->drawing.canvas;
    viewer->drawing.canvas.font = &viewer->drawing.font;
    document->bounds = bounds;
    document->hull = hull;
    return is_drawn;
}

// Initializes `small` and `options` as copies of the viewer and its options. They are for a square
// image of `side` pixels that shows one pose of a document. The image has the default camera, no
// shadows and no panels.
static void set_small(view_state *small, view_options *options, const view_state *viewer,
                      view_document *document, uint32_t side)
{
    *options = *viewer->options;
    options->target_given = false;
    options->distance_given = false;
    options->shown = (view_shown){.skeleton = view_is_skeleton_only(&document->scene)};
    options->surface = VIEW_SURFACE_LIT;
    *small = *viewer;
    small->options = options;
    small->document = document;
    small->width = side;
    small->height = side;
    small->cameras.user = VIEW_DEFAULT_CAMERA;
    small->cameras.follows_path = false;
    small->ui.selection = VIEW_NO_SELECTION;
    small->drawing.quality_level = (view_quality_level){.no_shadows = true};
}

// Returns a new texture with a thumbnail of a clip, or 0 if it cannot be drawn. Most clips show
// their main pose at about 40 % of their duration, so the thumbnail shows this time.
static md5gl_texture draw_clip(view_state *viewer, size_t clip)
{
    enum { SIDE = 192, SAMPLES = 4 };
    view_scene *const scene = &viewer->document->scene;
    const size_t shown_clip = scene->clip;
    const view_motion_kind *const motion = scene->motion;
    uint8_t *const rgba = common_alloc(SIDE * SIDE, 4);
    view_options options;
    view_state small;
    set_small(&small, &options, viewer, viewer->document, SIDE);
    small.play = (view_play){.speed = 1, .time = 0.4 * scene->clips[clip].anim->duration};
    // Play the clip in the scene while the thumbnail is drawn.
    scene->clip = clip;
    scene->motion = &view_clip_motion;
    const bool is_drawn =
        view_draw_small(viewer, &small, true, SAMPLES, VIEW_OMIT_BACKGROUND, rgba);
    scene->clip = shown_clip;
    scene->motion = motion;
    const md5gl_texture picture =
        is_drawn ? view_make_texture(viewer->renderer, rgba, SIDE, SIDE) : 0;
    free(rgba);
    return picture;
}

// Creates the model and the textures of a preview's subject on the GPU. Returns false if the model
// cannot be created. A subject without a model, a skeleton, needs none.
static bool upload_subject(view_state *viewer, view_preview_subject *subject)
{
    view_log quiet = {.level = VIEW_QUIET};
    const view_loader loader = {viewer->options, viewer->renderer, &quiet, &subject->images};
    view_document *const document = &subject->document;
    const md5_model *const model = document->scene.model;
    if (model == NULL)
        return true;
    document->drawn = view_create_model(&loader, model);
    if (document->drawn == NULL)
        return false;
    view_load_preview_textures(&document->textures, &loader, model, subject->game, subject->meshes);
    view_set_deforms(&document->textures.layers, viewer->renderer, document->drawn, model, &quiet);
    for (uint32_t i = 0; i < model->num_meshes; i++)
        md5gl_set_visible(document->drawn, i, !subject->meshes[i].is_hidden);
    return true;
}

// Replaces the user's settings by fixed settings, so that previews look the same for all users.
static void set_preview_settings(view_state *small, view_options *options,
                                 const view_preview_subject *subject)
{
    options->lights = view_default_lights();
    options->parms.ahead = 0;
    for (uint32_t i = 0; i < VIEW_NUM_PARMS; i++)
        options->parms.values[i] = view_parm_ranges[VIEW_FIRST_PARM + i].default_value;
    options->hidden_meshes = 0;
    options->shown.untextured = subject->images.count == 0;
    small->drawing.environment = (view_environment){.light = NULL};
    small->drawing.caption = NULL;
    small->panels.start.is_open = false;
    small->panels.retarget.displayed = NULL;
    small->play = subject->play;
}

// Draws a square preview of size * size pixels of a model that is not the shown document.
// Uploads its meshes and textures, draws it with fixed settings, and frees them on the GPU.
// Returns false and leaves *image unchanged on failure.
bool view_draw_preview(void *user, view_preview_subject *subject, uint32_t size, view_image *image)
{
    enum { SAMPLES = 4 };
    view_state *const viewer = user;
    view_document *const document = &subject->document;
    view_options options;
    view_state small;
    if (viewer->renderer == NULL || !upload_subject(viewer, subject))
        return false;
    set_small(&small, &options, viewer, document, size);
    set_preview_settings(&small, &options, subject);

    uint8_t *const rgba = common_alloc((size_t)size * size, 4);
    const bool is_drawn =
        view_draw_small(viewer, &small, true, SAMPLES, VIEW_OMIT_BACKGROUND, rgba);
    view_free_textures(&document->textures, viewer->renderer);
    md5gl_destroy_model(viewer->renderer, document->drawn);
    document->drawn = NULL;
    if (is_drawn)
        *image = (view_image){rgba, size, size};
    else
        free(rgba);
    return is_drawn;
}

// Draws the next thumbnail that a list of clips has requested. Returns true if it drew one.
// Draws at most one thumbnail per call, so that a frame of the window does not take too long. A
// thumbnail that cannot be drawn is not tried again.
bool view_draw_next_thumbnail(view_state *viewer)
{
    view_document *const document = viewer->document;
    const view_scene *const scene = &document->scene;
    if (viewer->renderer == NULL || scene->model == NULL)
        return false;
    if (document->compare.model != NULL || view_get_mode(document) != VIEW_MODE_CLIPS)
        return false;
    // After a clip was added, all thumbnails are drawn again.
    if (document->num_pictures != scene->num_clips) {
        view_free_pictures(document, viewer->renderer);
        document->pictures = common_alloc(scene->num_clips, sizeof *document->pictures);
        document->num_pictures = scene->num_clips;
    }
    for (size_t i = 0; i < document->num_pictures; i++) {
        view_clip_picture *const thumbnail = &document->pictures[i];
        if (!thumbnail->is_wanted || thumbnail->is_attempted)
            continue;
        thumbnail->is_attempted = true;
        thumbnail->texture = draw_clip(viewer, i);
        return true;
    }
    return false;
}

// == Previews of files and games
// ===================================================================

// Collects the thumbnails that the last image requested and that are not drawn yet. If `is_in_game`
// is true, these are thumbnails of names in the game, otherwise of files. Returns their number.
static size_t collect_missing(view_state *viewer, bool is_in_game,
                              view_thumbnail *missing[VIEW_MAX_THUMBNAILS])
{
    size_t count = 0;
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const thumbnail = &viewer->ui.pictures[i];
        const bool is_requested = thumbnail->request != NULL && !thumbnail->is_valid;
        if (is_requested && thumbnail->is_in_game == is_in_game)
            missing[count++] = thumbnail;
    }
    return count;
}

// Stores a finished preview as a thumbnail, and uploads its image as a texture.
static void store_preview(view_thumbnail *thumbnail, const view_preview *preview,
                          md5gl_renderer *renderer)
{
    const view_image *const image = &preview->image;
    thumbnail->is_valid = true;
    thumbnail->is_wrong = preview->is_wrong;
    thumbnail->num_missing = preview->num_missing;
    thumbnail->width = image->width;
    thumbnail->height = image->height;
    memcpy(thumbnail->info, preview->info, sizeof thumbnail->info);
    if (image->rgba != NULL && renderer != NULL)
        thumbnail->texture = view_make_texture(renderer, image->rgba, image->width, image->height);
}

// Requests visible previews that are missing, and stores previews that are complete. If
// `is_in_game` is true, updates the previews of the listed game, otherwise of files. Returns true
// if the image changes.
static bool update_thumbnails(view_state *viewer, view_previews **previews, bool is_in_game)
{
    const bool is_game_closed = is_in_game && viewer->lists.game == NULL;
    view_drop_previews(viewer, is_in_game, is_game_closed);

    // The previews are created when the first thumbnail is requested.
    view_thumbnail *missing[VIEW_MAX_THUMBNAILS];
    const size_t count = collect_missing(viewer, is_in_game, missing);
    if (*previews == NULL && count > 0)
        *previews = view_begin_previews(is_in_game ? viewer->lists.game->location : NULL,
                                        view_find_models_folder());
    if (*previews == NULL)
        return false;

    const char *requests[VIEW_MAX_THUMBNAILS];
    const view_preview *finished[VIEW_MAX_THUMBNAILS]; // NULL: not finished
    const view_preview_drawer drawer = {view_draw_preview, viewer};
    for (size_t i = 0; i < count; i++)
        requests[i] = missing[i]->request;
    bool is_changed = view_update_previews(*previews, requests, count, &drawer, finished);
    for (size_t i = 0; i < count; i++) {
        if (finished[i] != NULL) {
            store_preview(missing[i], finished[i], viewer->renderer);
            is_changed = true;
        }
    }
    return is_changed;
}

bool view_update_file_previews(view_state *viewer)
{
    const bool has_files = update_thumbnails(viewer, &viewer->lists.file_previews, false);
    return update_thumbnails(viewer, &viewer->lists.game_previews, true) || has_files;
}
