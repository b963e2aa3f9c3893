#include "demo/viewer/crowd/kind.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/layers.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Text -----------------------------------------------------------------------------------

// The library creates a clip only by parsing text, so each clip is written as text first.
typedef struct clip_text {
    char *bytes;
    size_t size, room;
} clip_text;

static void make_room(clip_text *text, size_t size)
{
    if (text->room - text->size >= size)
        return;
    text->room = 2 * text->room + size + 4096;
    text->bytes = common_realloc(text->bytes, text->room, 1);
}

COMMON_PRINTF(2, 3) static void add(clip_text *text, const char *format, ...)
{
    for (;;) {
        const size_t room = text->room - text->size;
        va_list values;
        va_start(values, format);
        const int size =
            vsnprintf(room > 0 ? text->bytes + text->size : NULL, room, format, values);
        va_end(values);
        if (size >= 0 && (size_t)size < room) {
            text->size += (size_t)size;
            return;
        }
        make_room(text, room + 4096);
    }
}

// Writes a number that is read as the same float: printf() would take most of the time of a start
// with a crowd. Nine digits err by 5e-9 of the value at most, and the multiplications, each
// within 1.2e-16, hardly more; the nearest other float is 6e-8 away, so half of that separates two
// floats.
static size_t write_float(float number, char *to)
{
    char digits[16];
    double value = fabs((double)number);
    int exponent = 0;
    if (value == 0.0 || !isfinite(value))
        return (size_t)sprintf(to, "%.9g ", (double)number);
    while (value >= 1e9) {
        value /= 10.0;
        exponent++;
    }
    while (value < 1e8) {
        value *= 10.0;
        exponent--;
    }
    uint32_t rest = (uint32_t)(value + 0.5);
    size_t count = 0, size = 0;
    for (; rest > 0; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    if (number < 0.0f)
        to[size++] = '-';
    while (count > 0)
        to[size++] = digits[--count];
    to[size++] = 'e';
    to[size++] = exponent < 0 ? '-' : '+';
    const int power = abs(exponent);
    to[size++] = (char)('0' + power / 10);
    to[size++] = (char)('0' + power % 10);
    to[size++] = ' ';
    return size;
}

static void add_transform(clip_text *text, md5_xform transform)
{
    enum { MAX_SIZE = 6 * 20 };
    // Files omit w, which is never positive.
    md5_quat q = transform.rotation;
    if (q.w > 0.0f)
        q = (md5_quat){-q.x, -q.y, -q.z, -q.w};
    const md5_vec3 t = transform.translation;
    const float numbers[6] = {t.x, t.y, t.z, q.x, q.y, q.z};
    make_room(text, MAX_SIZE);
    for (int i = 0; i < 6; i++)
        text->size += write_float(numbers[i], text->bytes + text->size);
}

static void add_head(clip_text *text, const md5_anim *anim, const md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    add(text, "MD5Version 10\ncommandline \"\"\nnumFrames %u\nnumJoints %u\nframeRate %.17g\n",
        (unsigned)anim->num_frames, (unsigned)num_joints, anim->frame_rate);
    add(text, "numAnimatedComponents %u\nhierarchy {\n", 6 * (unsigned)num_joints);
    for (uint32_t i = 0; i < num_joints; i++)
        add(text, "\"%s\" %d 63 %u\n", model->skeleton.joints[i].name,
            (int)model->skeleton.joints[i].parent, 6 * (unsigned)i);
    add(text, "}\nbounds {\n");
    for (uint32_t frame = 0; frame < anim->num_frames; frame++)
        add(text, "( 0 0 0 ) ( 0 0 0 )\n");
    add(text, "}\nbaseframe {\n");
    for (uint32_t i = 0; i < num_joints; i++)
        add(text, "( 0 0 0 ) ( 0 0 0 )\n");
    add(text, "}\n");
}

// -- Clips ----------------------------------------------------------------------------------

typedef struct retargeting {
    md5_retarget *retarget;
    const md5_model *model; // target
    md5_xform *source_pose, *scratch, *target_pose;
} retargeting;

static md5_anim *retarget_clip(const retargeting *context, const md5_binding *binding,
                               md5_error *error)
{
    const md5_anim *const anim = binding->anim;
    clip_text text = {0};
    add_head(&text, anim, context->model);
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_moment moment = {.frame0 = frame, .frame1 = frame};
        md5_sample(binding, moment, MD5_ROOT_FILE, context->source_pose);
        md5_retarget_pose(context->retarget, context->source_pose, context->target_pose,
                          context->scratch);
        add(&text, "frame %u {\n", (unsigned)frame);
        for (uint32_t i = 0; i < context->model->skeleton.num_joints; i++)
            add_transform(&text, context->target_pose[i]);
        add(&text, "}\n");
    }
    md5_anim *const made = md5_parse_anim(text.bytes, text.size, NULL, error);
    free(text.bytes);
    return made;
}

static bool make_clips(view_retargeted *retargeted, const retargeting *context,
                       const md5_binding *const *bindings, uint32_t count, md5_error *error)
{
    retargeted->anims = common_alloc(count, sizeof(md5_anim *));
    retargeted->bindings = common_alloc(count, sizeof(md5_binding *));
    for (uint32_t i = 0; i < count; i++) {
        retargeted->num_clips++;
        retargeted->anims[i] = retarget_clip(context, bindings[i], error);
        if (retargeted->anims[i] == NULL)
            return false;
        retargeted->bindings[i] = md5_bind(context->model, retargeted->anims[i], NULL, error);
        if (retargeted->bindings[i] == NULL)
            return false;
    }
    return true;
}

static bool make_machine(view_retargeted *retargeted, const md5_model *model,
                         const md5_machine_desc *source_desc, md5_error *error)
{
    md5_machine_desc desc = *source_desc;
    md5_clip_desc *const clips = common_alloc(source_desc->num_clips, sizeof *clips);
    for (uint32_t i = 0; i < source_desc->num_clips; i++) {
        clips[i] = source_desc->clips[i];
        clips[i].binding = retargeted->bindings[i];
    }
    desc.model = model;
    desc.clips = clips;
    retargeted->machine = md5_create_machine(&desc, NULL, error);
    free(clips);
    return retargeted->machine != NULL;
}

bool view_retarget_clips(view_retargeted *retargeted, const md5_model *model,
                         const md5_binding *const *bindings, uint32_t count,
                         const md5_machine_desc *desc, md5_error *error)
{
    *retargeted = (view_retargeted){0};
    const md5_model *const source = bindings[0]->model;
    const uint32_t num_source_joints = source->skeleton.num_joints;
    const retargeting context = {
        .retarget = md5_create_retarget(source, model, NULL, 0, NULL, error),
        .model = model,
        .source_pose = common_alloc(num_source_joints, sizeof(md5_xform)),
        .scratch = common_alloc(num_source_joints, sizeof(md5_xform)),
        .target_pose = common_alloc(model->skeleton.num_joints, sizeof(md5_xform)),
    };
    const bool made = context.retarget != NULL
                      && make_clips(retargeted, &context, bindings, count, error)
                      && (desc == NULL || make_machine(retargeted, model, desc, error));
    free(context.source_pose);
    free(context.scratch);
    free(context.target_pose);
    md5_destroy_retarget(context.retarget);
    if (!made)
        view_free_retargeted(retargeted);
    return made;
}

void view_free_retargeted(view_retargeted *retargeted)
{
    md5_destroy_machine(retargeted->machine);
    for (uint32_t i = 0; i < retargeted->num_clips; i++) {
        md5_free_binding(retargeted->bindings[i]);
        md5_free_anim(retargeted->anims[i]);
    }
    free(retargeted->bindings);
    free(retargeted->anims);
    *retargeted = (view_retargeted){0};
}

// -- Kinds ---------------------------------------------------------------------------------------

// -- Clips ----------------------------------------------------------------------------------

static bool machine_has_springs(const md5_machine *machine)
{
    const md5_machine_desc *const desc = md5_machine_tables(machine);
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        if (desc->modifiers[i].kind == MD5_MODIFIER_SPRING)
            return true;
    return false;
}

static void alloc_clips(view_kind *kind, uint32_t count)
{
    kind->num_clips = count;
    kind->clips = common_alloc(count, sizeof *kind->clips);
}

// Clip `clip` of the kind or of its machine, and the root mode for measuring it.
static const md5_binding *clip_of(const view_kind *kind, uint32_t clip, md5_root *root)
{
    *root = MD5_ROOT_IN_PLACE;
    if (kind->machine == NULL)
        return kind->clips[clip];
    const md5_clip_desc *const desc = &md5_machine_tables(kind->machine)->clips[clip];
    // Root motion that is not extracted moves the model away from its placement.
    if (desc->extract == MD5_EXTRACT_NONE)
        *root = MD5_ROOT_FILE;
    return desc->binding;
}

static uint32_t count_clips(const view_kind *kind)
{
    return kind->machine != NULL ? md5_machine_tables(kind->machine)->num_clips : kind->num_clips;
}

static bool retarget(view_kind *kind, const view_kind *source, view_log *log)
{
    md5_error error;
    const uint32_t count = count_clips(source);
    const md5_binding **const source_clips = common_alloc(count, sizeof *source_clips);
    md5_root root;
    for (uint32_t i = 0; i < count; i++)
        source_clips[i] = clip_of(source, i, &root);
    const md5_machine_desc *const desc =
        source->machine != NULL ? md5_machine_tables(source->machine) : NULL;
    const bool retargeted =
        view_retarget_clips(&kind->retargeted, kind->model, source_clips, count, desc, &error);
    free(source_clips);
    if (!retargeted) {
        view_log_error(log, &error);
        return false;
    }
    kind->machine = kind->retargeted.machine;
    if (kind->machine != NULL)
        return true;
    alloc_clips(kind, count);
    for (uint32_t i = 0; i < count; i++)
        kind->clips[i] = kind->retargeted.bindings[i];
    return true;
}

static bool find_clips(view_kind *kind, const view_scene *scene, const view_kind *source,
                       view_log *log)
{
    kind->name = scene->name;
    kind->model = scene->model;
    kind->machine = view_machine_of(scene);
    if (kind->machine != NULL) {
    } else if (scene->model != NULL && scene->num_clips > 0) {
        alloc_clips(kind, (uint32_t)scene->num_clips);
        for (uint32_t i = 0; i < kind->num_clips; i++)
            kind->clips[i] = scene->clips[i].binding;
    } else if (scene->model == NULL || source == NULL) {
        view_error(log, "a crowd needs a model with a machine or with animations");
        return false;
    } else if (!retarget(kind, source, log)) {
        return false;
    }
    kind->has_springs = kind->machine != NULL && machine_has_springs(kind->machine);
    return true;
}

// -- Bounds ---------------------------------------------------------------------------------

// Bounds over all clips; long clips are sampled at some of their frames, to keep loading fast.
static md5_bounds measure_clips(const view_kind *kind)
{
    enum { MOST_FRAMES = 32 };
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_bounds bounds = kind->model->bounds;
    for (uint32_t clip = 0; clip < count_clips(kind); clip++) {
        md5_root root;
        const md5_binding *const binding = clip_of(kind, clip, &root);
        const uint32_t step = 1 + binding->anim->num_frames / MOST_FRAMES;
        for (uint32_t frame = 0; frame < binding->anim->num_frames; frame += step) {
            const md5_moment moment = {.frame0 = frame, .frame1 = frame};
            md5_pose_palette(binding, moment, root, pose, joints, palette);
            bounds = md5_bounds_union(bounds, md5_skin_bounds(kind->model, palette));
        }
    }
    free(pose);
    free(joints);
    free(palette);
    return bounds;
}

static view_sphere sphere_around(const view_kind *kind)
{
    // Poses between frames, and blended or added clips, may leave the measured bounds.
    const float room = kind->machine != NULL ? 1.2f : 1.1f;
    const md5_bounds bounds = measure_clips(kind);
    if (view_is_empty(bounds))
        return (view_sphere){0};
    const float reach = kind->morphs != NULL ? view_largest_morph_reach(kind->morphs) : 0.0f;
    return (view_sphere){view_centre(bounds), 0.5f * room * view_size(bounds) + reach};
}

// -- Making ---------------------------------------------------------------------------------

static bool load(view_kind *kind, const char *const *files, size_t num_files,
                 const view_loader *loader)
{
    if (!view_load_scene(&kind->own, files, num_files, !loader->options->no_auto, loader->log))
        return false;
    kind->own_textures = common_alloc(1, sizeof *kind->own_textures);
    kind->textures = kind->own_textures;
    return view_upload(loader, &kind->own, false, &kind->drawn, kind->own_textures);
}

static bool make_morphs(view_kind *kind, const view_kind_source *first, bool is_first,
                        uint32_t count, const view_loader *loader)
{
    if (is_first)
        kind->morphs = first->morphs;
    if (!is_first && (loader->options->num_morphs > 0 || view_has_driven_morphs(&kind->own))) {
        if (!view_load_some_morphs(&kind->own_morphs, &kind->own, loader))
            return false;
        kind->morphs = &kind->own_morphs;
    }
    if (kind->morphs == NULL)
        return true;
    kind->morph_weights =
        common_alloc((size_t)count * kind->morphs->morph->num_targets + 1, sizeof(float));
    kind->reported = common_alloc((size_t)count * kind->morphs->num_driven + 1, sizeof(float));
    return true;
}

bool view_make_kind(view_kind *kind, const view_kind_source *first, const char *const *files,
                    size_t num_files, const view_kind *source, uint32_t begin, uint32_t count,
                    const view_loader *loader)
{
    *kind = (view_kind){.begin = begin, .end = begin + count};
    if (num_files == 0) {
        kind->drawn = first->drawn;
        kind->textures = first->textures;
    } else if (!load(kind, files, num_files, loader)) {
        return false;
    }
    if (!find_clips(kind, num_files > 0 ? &kind->own : first->scene, source, loader->log))
        return false;
    kind->seen = common_alloc(count, sizeof *kind->seen);
    kind->placements = common_alloc(count, sizeof *kind->placements);
    if (!make_morphs(kind, first, num_files == 0, count, loader))
        return false;
    kind->sphere = sphere_around(kind);
    kind->palettes =
        common_alloc((size_t)count * kind->model->skeleton.num_joints, sizeof *kind->palettes);
    return true;
}

void view_free_kind(view_kind *kind, md5gl_renderer *renderer)
{
    if (kind->own_textures != NULL && renderer != NULL) {
        view_free_textures(kind->own_textures, renderer);
        md5gl_destroy_model(renderer, kind->drawn);
    }
    view_free_bakes(&kind->bakes, renderer); // may be drawn from the triangles of a detail
    view_free_levels(&kind->levels, renderer);
    view_free_details(&kind->details, renderer);
    view_free_morphs(&kind->own_morphs, renderer);
    free(kind->morph_weights);
    free(kind->reported);
    view_free_retargeted(&kind->retargeted);
    view_free_scene(&kind->own);
    free(kind->own_textures);
    free(kind->clips);
    free(kind->seen);
    free(kind->palettes);
    free(kind->placements);
    *kind = (view_kind){0};
}

size_t view_pose_size(const view_kind *kind)
{
    return kind->model->skeleton.num_joints * sizeof(md5_xform);
}

// -- Visibility -----------------------------------------------------------------------------

uint32_t view_show_member(view_kind *kind, uint32_t member)
{
    kind->seen[kind->num_seen] = member;
    return kind->num_seen++;
}

void view_hide_member(view_kind *kind, uint32_t place)
{
    const uint32_t last = --kind->num_seen, num_joints = kind->model->skeleton.num_joints;
    if (place == last)
        return;
    kind->seen[place] = kind->seen[last];
    kind->placements[place] = kind->placements[last];
    const uint32_t targets = kind->morph_weights != NULL ? kind->morphs->morph->num_targets : 0;
    for (uint32_t i = 0; i < targets; i++)
        kind->morph_weights[place * targets + i] = kind->morph_weights[last * targets + i];
    memcpy(kind->palettes + (size_t)place * num_joints, kind->palettes + (size_t)last * num_joints,
           num_joints * sizeof *kind->palettes);
}
