// Draws the images of a crowd's impostors, and lists the bodies of a crowd. A crowd has one body
// for each model and level of detail.
#include "demo/viewer/draw/draw.h"

// == Images of impostors ==========================================================================

// An image of an impostor: a clip of its model and a frame of the clip's images.
typedef struct impostor_image {
    uint32_t clip;
    uint32_t frame;
} impostor_image;

// Returns the number of images of a clip.
static uint32_t count_frames(const view_kind *kind, uint32_t clip)
{
    return kind->pictures.first[clip + 1] - kind->pictures.first[clip];
}

// Returns the image that is drawn as number `index`. The first frames of all clips are drawn first,
// so that every clip soon has an image. The other frames of the first clip follow, then the other
// frames of the second clip, and so on.
static impostor_image image_at(const view_kind *kind, uint32_t index)
{
    if (index < kind->num_clips)
        return (impostor_image){.clip = index, .frame = 0};

    // `skipped` counts images after the first frames, beginning at the current clip.
    uint32_t skipped = index - kind->num_clips;
    uint32_t clip = 0;
    while (skipped >= count_frames(kind, clip) - 1) {
        skipped -= count_frames(kind, clip) - 1;
        clip++;
    }
    return (impostor_image){.clip = clip, .frame = 1 + skipped};
}

// Computes the palette for one image of an impostor. The images of a clip show its poses at equal
// intervals of time.
static void pose_impostor_image(const view_kind *kind, impostor_image image, md5_xform *pose,
                                md5_mat34 *palette)
{
    const md5_binding *const binding = kind->clips[image.clip];
    // Position within the cycle, 0 to 1.
    const double part = (double)image.frame / count_frames(kind, image.clip);
    const md5_sample_position sample =
        md5_sample_position_at(binding->anim, part * binding->anim->duration, MD5_WRAP_LOOP);
    md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palette);
}

// Draws the missing images of a kind's impostors, up to before index `end` in the order of
// image_at(). Returns false and fills `error` on failure.
static bool draw_impostor_images(const view_stage *stage, view_kind *kind, uint32_t end,
                                 md5_error *error)
{
    view_pictures *const pictures = &kind->pictures;
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    bool is_drawn = true;
    while (pictures->num_drawn < end) {
        const impostor_image image = image_at(kind, pictures->num_drawn);
        const uint32_t index = pictures->first[image.clip] + image.frame;
        pose_impostor_image(kind, image, pose, palette);
        is_drawn = md5gl_draw_impostor_images(stage->renderer, pictures->impostors, kind->drawn,
                                              index, palette, error);
        if (!is_drawn)
            break;
        pictures->num_drawn++;
    }
    free(pose);
    free(palette);
    return is_drawn;
}

// Returns the display settings on which the images of impostors depend, one bit each. Bit 0 is
// always set, because 0 means that no image was drawn yet.
static uint32_t impostor_settings(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    return 1u | (uint32_t)shown->maps << 1 | (uint32_t)shown->two_sided << 2
           | (uint32_t)shown->checker << 3 | (uint32_t)stage->document->scene.dual << 4;
}

// Returns the number of images of a kind that exist after this frame. A window draws the first
// images of all clips in one frame, and then a few images per frame, so that it remains responsive.
// An output draws all images at once.
static uint32_t images_after_frame(const view_stage *stage, const view_kind *kind)
{
    enum { MAX_PER_FRAME = 2 };
    const uint32_t num_images = kind->pictures.first[kind->num_clips];
    const uint32_t num_drawn = kind->pictures.num_drawn;
    const bool in_window = stage->options->output == NULL && stage->options->num_frames == 0;
    if (!in_window)
        return num_images;
    if (num_drawn < kind->num_clips)
        return kind->num_clips;
    const uint32_t num_missing = num_images - num_drawn;
    return num_missing > MAX_PER_FRAME ? num_drawn + MAX_PER_FRAME : num_images;
}

bool view_prepare_pictures(const view_stage *stage, md5_error *error)
{
    const uint32_t settings = impostor_settings(stage);
    for (uint32_t k = 0; k < stage->document->crowd.num_kinds; k++) {
        view_kind *const kind = &stage->document->crowd.kinds[k];
        view_pictures *const pictures = &kind->pictures;
        if (pictures->impostors == NULL)
            continue;
        if (settings != pictures->look)
            pictures->num_drawn = 0; // all images are out of date
        pictures->look = settings;
        if (pictures->num_drawn >= pictures->first[kind->num_clips])
            continue;
        view_set_materials(stage, kind->textures, kind->drawn);
        if (!draw_impostor_images(stage, kind, images_after_frame(stage, kind), error))
            return false;
    }
    return true;
}

// == Bodies =======================================================================================

// Returns the body of the impostors of a kind.
static view_body impostor_body(const view_kind *kind, const view_detail *level)
{
    return (view_body){
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .instances = {.count = level->count},
        .impostors = kind->pictures.impostors,
        .pictured = kind->pictures.instances,
    };
}

// Returns the body of a level of detail. Its instances are the members of this level, which begin
// at level->first. Only the first level, which is the model itself, has material stages.
static view_body level_body(const view_kind *kind, const view_detail *level, unsigned uses)
{
    const bool is_posed = level->source <= VIEW_DETAIL_CASTERS;
    const bool is_first_level = level == kind->levels;
    md5gl_instances instances = {
        .count = level->count,
        .placements = kind->placements + level->first,
        .morph = level->drawn_morph,
    };
    if (is_posed)
        instances.palettes =
            kind->drawn_palettes + (size_t)level->first * kind->model->skeleton.num_joints;
    if (level->source == VIEW_DETAIL_BAKED) {
        instances.baked = kind->bakes.clips;
        instances.jobs = kind->jobs;
    }
    if (kind->fades)
        instances.tints = kind->tints + level->first;
    if (level->drawn_morph != NULL)
        instances.weights =
            kind->morph_weights + (size_t)level->first * kind->morphs->morph->num_targets;
    return (view_body){
        .uses = is_first_level ? uses | VIEW_BODY_STAGED : uses,
        .textures = kind->textures,
        .drawn = level->drawn,
        .instances = instances,
    };
}

// Returns true if a kind has a level that only casts the shadows of its posed members.
static bool has_caster_level(const view_kind *kind)
{
    if (!kind->is_sorted)
        return false;
    for (uint32_t i = 1; i < kind->num_levels; i++) {
        if (kind->levels[i].source == VIEW_DETAIL_CASTERS)
            return true;
    }
    return false;
}

// Adds the bodies of a kind of a crowd, one for each level of detail that is used.
static void list_kind(const view_kind *kind, view_bodies *bodies)
{
    const bool has_casters = has_caster_level(kind);
    for (uint32_t i = 0; i < kind->num_levels; i++) {
        const view_detail *const level = &kind->levels[i];
        const bool is_posed = level->source <= VIEW_DETAIL_CASTERS;
        if (level->source == VIEW_DETAIL_PICTURED)
            bodies->bodies[bodies->count++] = impostor_body(kind, level);
        // If the members are not sorted, all posed members use the first level.
        const bool is_unused = is_posed && i > 0 && !kind->is_sorted;
        if (level->drawn == NULL || is_unused)
            continue;

        unsigned uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN;
        if (level->source == VIEW_DETAIL_CASTERS)
            uses = VIEW_BODY_CASTS;
        else if (is_posed && has_casters)
            uses = VIEW_BODY_SHOWN;
        bodies->bodies[bodies->count++] = level_body(kind, level, uses);
    }
}

void view_list_crowd(const view_stage *stage, view_bodies *bodies)
{
    const view_crowd *const crowd = &stage->document->crowd;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        list_kind(&crowd->kinds[k], bodies);
}
