#include "demo/viewer/crowd/document.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/motion.h"

#include <stdlib.h>

// -- Loading --------------------------------------------------------------------------------

bool view_ready_morphs(view_document *document, const view_loader *loader)
{
    if (document->morphs.morph != NULL)
        return true;
    if (!view_load_morphs(&document->morphs, &document->scene, loader))
        return false;
    document->scene.morph = document->morphs.morph;
    document->scene.morph_weights = document->morphs.weights;
    document->scene.morphs = &document->morphs;
    return true;
}

static bool load_parts(view_document *document, const view_loader *loader, const char *const *files,
                       size_t num_files, bool pick_up, const view_manner *manner)
{
    const uint32_t crowd = loader->options->crowd;
    view_scene *const scene = &document->scene;
    const size_t own = crowd > 0 ? view_count_first(files, num_files) : num_files;
    const bool is_in_game = own > 0 && view_is_address(files[0]);
    if (is_in_game && crowd > 0)
        return view_error(loader->log, "a crowd is made of files, not of names in a game folder");
    if (is_in_game ? !view_load_game_scene(scene, manner->library, files[0], loader->log)
                   : !view_load_scene(scene, files, own, pick_up, loader->log))
        return false;
    scene->root = manner->root;
    scene->dual = manner->dual;
    scene->turn = manner->turn;
    for (uint32_t i = 0; scene->model != NULL && i < scene->model->num_meshes; i++)
        document->faults =
            view_add_faults(document->faults, view_find_faults(&scene->model->meshes[i], NULL));
    if (crowd > 0 && scene->turn.is_set)
        view_warn(loader->log, "a crowd stands as in its files: --up and turns are for one model");
    scene->camera_path.smoothing = loader->options->camera_smoothing;
    scene->machine.settings = loader->options->settings;
    scene->machine.num_settings = loader->options->num_settings;
    if (!view_upload_scene(loader, scene, document->as_asked, &document->drawn,
                           &document->textures))
        return false;
    const bool has_morphs = loader->options->num_morphs > 0 || view_has_driven_morphs(scene);
    if (has_morphs && !view_ready_morphs(document, loader))
        return false;
    if (loader->options->terrain && scene->model != NULL
        && view_find_feet(&scene->terrain, scene) == 0)
        view_warn(loader->log, "--terrain: no joint has foot or ankle in its name");
    if (loader->options->walk && scene->model != NULL && !view_begin_walk(scene))
        view_warn(loader->log, "--walk: no two joints have foot or ankle in their names");
    if (!view_load_companions(document->companions, scene, loader)
        || !view_load_guest(&document->companions[VIEW_GUEST], scene, loader)
        || !view_load_carried(&document->companions[VIEW_CARRIED], scene, loader))
        return false;
    const char *const other = loader->options->compare;
    if (other != NULL && scene->model == NULL)
        return view_error(loader->log, "--compare: there is no model to compare with %s", other);
    // Without a renderer only the numbers are compared.
    if (other != NULL
        && (!view_load_compare(&document->compare, scene, other, loader->log)
            || (loader->renderer != NULL
                && !view_load_compared(&document->companions[VIEW_COMPARED], &document->compare,
                                       scene, other, loader))))
        return false;
    const view_kind_source first = {scene, document->drawn, &document->textures,
                                    document->morphs.morph != NULL ? &document->morphs : NULL};
    return crowd == 0
           || view_make_crowd(&document->crowd, &first, files + own, num_files - own, crowd,
                              loader);
}

view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool pick_up, bool as_asked, view_manner manner)
{
    view_document *const document = common_alloc(1, sizeof *document);
    *document = (view_document){.as_asked = as_asked};
    if (load_parts(document, loader, files, num_files, pick_up, &manner))
        return document;
    view_free_document(document, loader->renderer);
    return NULL;
}

void view_free_document(view_document *document, md5gl_renderer *renderer)
{
    if (document == NULL)
        return;
    if (renderer != NULL) {
        view_free_surfaces(&document->surfaces, renderer);
        view_free_textures(&document->textures, renderer);
        md5gl_destroy_model(renderer, document->drawn);
    }
    view_free_morphs(&document->morphs, renderer);
    view_free_companions(document->companions, renderer);
    view_free_compare(&document->compare);
    view_free_crowd(&document->crowd, renderer); // which refers to the scene
    view_free_scene(&document->scene);
    free(document);
}

// -- Measuring ------------------------------------------------------------------------------

static void widen_by_box(view_document *document, md5_bounds box)
{
    document->bounds = md5_bounds_union(document->bounds, box);
    for (unsigned corner = 0; corner < 8 && !view_is_empty(box); corner++) {
        const md5_vec3 point = view_corner(box, corner);
        view_widen_hull(&document->hull, &point, 1);
    }
}

// Grows bounds and hull by the bounds of the companion that stands beside the model.
static void widen_by_companion(view_document *document, const view_companion *companion, float side)
{
    const float aside = side * view_companion_distance(companion, &document->scene);
    if (companion->model == NULL)
        return;
    md5_bounds box = view_turn_bounds(&document->scene.turn, companion->model->bounds);
    box.min.y += aside;
    box.max.y += aside;
    widen_by_box(document, box);
}

void view_measure_document(view_document *document, const view_play *still)
{
    const view_crowd *const crowd = &document->crowd;
    document->bounds =
        view_clip_bounds(&document->scene, crowd->count == 0 ? still : NULL, &document->hull);
    for (uint32_t i = 1; i < crowd->num_kinds; i++)
        widen_by_box(document, crowd->kinds[i].model->bounds);
    if (crowd->count > 0) {
        for (int i = 0; i < VIEW_HULL_POINTS; i++) {
            md5_vec3 *const point = &document->hull.points[i];
            point->x += point->x > 0.0f ? crowd->spread : -crowd->spread;
            point->y += point->y > 0.0f ? crowd->spread : -crowd->spread;
        }
        document->bounds.min.x -= crowd->spread;
        document->bounds.max.x += crowd->spread;
        document->bounds.min.y -= crowd->spread;
        document->bounds.max.y += crowd->spread;
    } else {
        widen_by_companion(document, &document->companions[0], 1.0f);
        widen_by_companion(document, &document->companions[VIEW_COMPARED], -1.0f);
        // A guest comes by in front of the model.
        const view_companion *const guest = &document->companions[VIEW_GUEST];
        if (guest->machine != NULL) {
            md5_bounds box = guest->model->bounds;
            box.min.x += guest->machine->start.translation.x;
            box.max.x += guest->machine->start.translation.x;
            widen_by_box(document, box);
        }
    }
    if (still != NULL) // one that leaps stays above the ground
        return;
    // The ground is at 0, where id's characters stand, unless the model is well above or below it.
    const float size = view_size(document->bounds), low = document->bounds.min.z;
    const bool stands = fabsf(low) <= 0.1f * size || view_is_empty(document->bounds);
    document->ground = stands ? 0.0f : low;
}

void view_show_meshes(const view_document *document, uint64_t hidden)
{
    const md5_model *const model = document->scene.model;
    const view_kind *const kind = &document->crowd.kinds[0]; // of the same model
    md5gl_model *const baked = kind->bakes.drawn;
    for (uint32_t i = 0; document->drawn != NULL && i < model->num_meshes && i < 64; i++) {
        md5gl_set_visible(document->drawn, i, (hidden >> i & 1) == 0);
        if (baked != NULL)
            md5gl_set_visible(baked, i, (hidden >> i & 1) == 0);
        view_show_detail_mesh(&kind->details, i, (hidden >> i & 1) == 0);
    }
}

// -- Blending -------------------------------------------------------------------------------

static void blend_as_chosen(view_scene *scene, md5gl_model *drawn, const view_loader *loader)
{
    md5_error error = {0};
    const md5gl_blending wanted = scene->dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    if (drawn == NULL || md5gl_set_blending(loader->renderer, drawn, wanted, &error))
        return;
    view_log_error(loader->log, &error);
    scene->dual = false;
}

void view_blend_document(view_document *document, const view_loader *loader)
{
    blend_as_chosen(&document->scene, document->drawn, loader);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        blend_as_chosen(&document->scene, document->companions[i].drawn, loader);
    for (uint32_t i = 0; i < document->crowd.num_kinds; i++) {
        const view_kind *const kind = &document->crowd.kinds[i];
        blend_as_chosen(&document->scene, kind->drawn, loader);
        for (uint32_t k = 1; k < kind->details.count; k++)
            blend_as_chosen(&document->scene, kind->details.levels[k].drawn, loader);
        blend_as_chosen(&document->scene, kind->details.casters, loader);
    }
    document->crowd.is_dual = document->scene.dual;
}

void view_pose_compared(view_document *document, const view_play *play)
{
    if (document->compare.model != NULL)
        view_pose_compare(&document->compare, &document->scene, play);
}

view_mode view_mode_of(const view_document *document)
{
    return view_shows_crowd(document) ? VIEW_MODE_CROWD : view_mover_of(&document->scene)->mode;
}
