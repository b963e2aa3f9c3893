#include "demo/viewer/scene/borrow.h"

#include "demo/common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Text -----------------------------------------------------------------------------------

// A clip can only be made by reading one: so it is written first.
typedef struct clip_text {
    char *bytes;
    size_t size, room;
} clip_text;

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
        text->room = 2 * text->room + 4096;
        text->bytes = common_realloc(text->bytes, text->room, 1);
    }
}

static void add_transform(clip_text *text, md5_transform transform)
{
    // In files the fourth number of a rotation is never above 0.
    md5_quat q = transform.rotation;
    if (q.w > 0.0f)
        q = (md5_quat){-q.x, -q.y, -q.z, -q.w};
    const md5_vec3 t = transform.translation;
    add(text, "%.9g %.9g %.9g %.9g %.9g %.9g\n", (double)t.x, (double)t.y, (double)t.z, (double)q.x,
        (double)q.y, (double)q.z);
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

typedef struct lending {
    md5_retarget *retarget;
    const md5_model *model;
    md5_transform *given, *scratch, *taken; // poses: of the lender, of the borrower
} lending;

static md5_anim *make_over(const lending *way, const md5_binding *binding, md5_error *error)
{
    const md5_anim *const anim = binding->anim;
    clip_text text = {0};
    add_head(&text, anim, way->model);
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_moment moment = {.frame0 = frame, .frame1 = frame};
        md5_sample(binding, &moment, MD5_ROOT_FILE, way->given);
        md5_retarget_pose(way->retarget, way->given, way->scratch, way->taken);
        add(&text, "frame %u {\n", (unsigned)frame);
        for (uint32_t i = 0; i < way->model->skeleton.num_joints; i++)
            add_transform(&text, way->taken[i]);
        add(&text, "}\n");
    }
    md5_anim *const made = md5_parse_anim(text.bytes, text.size, NULL, error);
    free(text.bytes);
    return made;
}

static bool make_clips(view_borrowed *borrowed, const lending *way,
                       const md5_binding *const *bindings, uint32_t count, md5_error *error)
{
    borrowed->anims = common_alloc(count, sizeof(md5_anim *));
    borrowed->bindings = common_alloc(count, sizeof(md5_binding *));
    for (uint32_t i = 0; i < count; i++) {
        borrowed->num_clips++;
        borrowed->anims[i] = make_over(way, bindings[i], error);
        if (borrowed->anims[i] == NULL)
            return false;
        borrowed->bindings[i] = md5_bind(way->model, borrowed->anims[i], NULL, error);
        if (borrowed->bindings[i] == NULL)
            return false;
    }
    return true;
}

static bool make_machine(view_borrowed *borrowed, const md5_model *model,
                         const md5_machine_desc *lent, md5_error *error)
{
    md5_machine_desc desc = *lent;
    md5_clip_desc *const clips = common_alloc(lent->num_clips, sizeof *clips);
    for (uint32_t i = 0; i < lent->num_clips; i++) {
        clips[i] = lent->clips[i];
        clips[i].binding = borrowed->bindings[i];
    }
    desc.model = model;
    desc.clips = clips;
    borrowed->machine = md5_create_machine(&desc, NULL, error);
    free(clips);
    return borrowed->machine != NULL;
}

bool view_borrow(view_borrowed *borrowed, const md5_model *model,
                 const md5_binding *const *bindings, uint32_t count, const md5_machine_desc *desc,
                 md5_error *error)
{
    *borrowed = (view_borrowed){0};
    const md5_model *const lender = bindings[0]->model;
    const uint32_t num_given = lender->skeleton.num_joints;
    const lending way = {
        .retarget = md5_create_retarget(lender, model, NULL, 0, NULL, error),
        .model = model,
        .given = common_alloc(num_given, sizeof(md5_transform)),
        .scratch = common_alloc(num_given, sizeof(md5_transform)),
        .taken = common_alloc(model->skeleton.num_joints, sizeof(md5_transform)),
    };
    const bool made = way.retarget != NULL && make_clips(borrowed, &way, bindings, count, error)
                      && (desc == NULL || make_machine(borrowed, model, desc, error));
    free(way.given);
    free(way.scratch);
    free(way.taken);
    md5_free_retarget(way.retarget);
    if (!made)
        view_free_borrowed(borrowed);
    return made;
}

void view_free_borrowed(view_borrowed *borrowed)
{
    md5_free_machine(borrowed->machine);
    for (uint32_t i = 0; i < borrowed->num_clips; i++) {
        md5_free_binding(borrowed->bindings[i]);
        md5_free_anim(borrowed->anims[i]);
    }
    free(borrowed->bindings);
    free(borrowed->anims);
    *borrowed = (view_borrowed){0};
}
