#include "demo/viewer/scene/retargeted.h"

#include "demo/common/memory.h"

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
        md5_retarget_pose(context->retarget, context->source_pose, context->scratch,
                          context->target_pose);
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
