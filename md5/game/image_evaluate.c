// Image programs: their steps are run one after the other over a stack of pictures.
#include "md5/game/image.h"

#include "md5/core/assert.h"

#include <string.h>

typedef struct image_run {
    md5_context context;
    const md5_image_opts *opts; // may be NULL
    md5_load_image_fn *load;
    void *user;
    md5_image **stack; // [room]
    size_t room, depth;
} image_run;

// -- Operations on single texels ------------------------------------------------------------------

static void add_images(md5_image *image, const md5_image *other)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint8_t *const added = md5i_texel_over(image, other, x, y);
            for (int i = 0; i < MD5_IMAGE_CHANNELS; i++)
                texel[i] = (uint8_t)(texel[i] + added[i] < 255 ? texel[i] + added[i] : 255);
        }
    }
}

static void scale_channels(uint8_t *texel, const float factors[MD5_IMAGE_CHANNELS])
{
    for (int i = 0; i < MD5_IMAGE_CHANNELS; i++)
        texel[i] = md5_lowest_byte((float)texel[i] * factors[i]);
}

static void change_texel(const md5_image_step *step, uint8_t *texel)
{
    switch (step->kind) {
    case MD5_IMAGE_SCALE:
        scale_channels(texel, step->values);
        break;
    case MD5_IMAGE_INVERT_ALPHA:
        texel[3] = (uint8_t)(255 - texel[3]);
        break;
    case MD5_IMAGE_INVERT_COLOR:
        for (int i = 0; i < 3; i++)
            texel[i] = (uint8_t)(255 - texel[i]);
        break;
    case MD5_IMAGE_MAKE_INTENSITY:
        texel[1] = texel[2] = texel[3] = texel[0];
        break;
    default: // MD5_IMAGE_MAKE_ALPHA
        texel[3] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
        texel[0] = texel[1] = texel[2] = 255;
        break;
    }
}

static void change_texels(const md5_image_step *step, md5_image *image)
{
    const size_t count = md5_image_texels(image);
    for (size_t i = 0; i < count; i++)
        change_texel(step, image->pixels + MD5_IMAGE_CHANNELS * i);
}

// -- Steps ----------------------------------------------------------------------------------------

static bool load_file(image_run *run, const md5_image_step *step)
{
    md5_image_opts opts;
    md5_error reason;
    memset(&opts, 0, sizeof opts);
    memset(&reason, 0, sizeof reason);
    if (run->opts)
        opts = *run->opts;
    opts.allocator = run->context.allocator;
    opts.memory_limit = run->context.memory_limit - run->context.memory_held;
    opts.file_name = step->file;
    // 0 would mean the default.
    opts.memory_limit += opts.memory_limit == 0;
    md5_image *image = run->load(run->user, step->file, &opts, &reason);
    if (!image) {
        reason.status = reason.status == MD5_OK ? MD5_ERROR_IO : reason.status;
        *run->context.error = reason;
        return false;
    }
    run->context.memory_held += image->size;
    md5_image *const rounded = opts.keep_size ? image : md5i_round_image(&run->context, image);
    run->stack[run->depth++] = rounded ? rounded : image;
    return rounded != NULL;
}

static bool run_step(image_run *run, const md5_image_step *step)
{
    if (step->kind == MD5_IMAGE_FILE)
        return load_file(run, step);
    md5_image *const last = run->stack[run->depth - 1];
    switch (step->kind) {
    case MD5_IMAGE_HEIGHTMAP:
        return md5i_make_heights_normals(&run->context, last, step->values[0]);
    case MD5_IMAGE_SMOOTH_NORMALS:
        return md5i_smooth_normals(&run->context, last);
    case MD5_IMAGE_ADD_NORMALS:
    case MD5_IMAGE_ADD:
        run->depth--;
        if (step->kind == MD5_IMAGE_ADD)
            add_images(run->stack[run->depth - 1], last);
        else
            md5i_add_normals(run->stack[run->depth - 1], last);
        md5i_drop_image(&run->context, last);
        return true;
    default:
        change_texels(step, last);
        return true;
    }
}

// -- Program --------------------------------------------------------------------------------------

static bool is_pair(md5_image_kind kind)
{
    return kind == MD5_IMAGE_ADD || kind == MD5_IMAGE_ADD_NORMALS;
}

// Finds the greatest depth of the stack of pictures. Returns false if the steps form no tree.
static bool measure(const md5_image_program *program, size_t *room)
{
    size_t depth = 0;
    *room = 0;
    for (uint32_t i = 0; i < program->num_steps; i++) {
        const md5_image_step *const step = &program->steps[i];
        if (step->kind == MD5_IMAGE_FILE) {
            TRY(step->file);
            depth++;
        } else {
            TRY(depth >= (is_pair(step->kind) ? 2u : 1u));
            TRY(step->kind >= MD5_IMAGE_FILE && step->kind <= MD5_IMAGE_MAKE_ALPHA);
            depth -= is_pair(step->kind);
        }
        *room = depth > *room ? depth : *room;
    }
    return depth == 1;
}

static bool run_program(image_run *run, const md5_image_program *program)
{
    if (program->num_steps == 0)
        return md5i_fail(&run->context, MD5_ERROR_SYNTAX, 0, 0, "the image program is empty");
    if (!measure(program, &run->room))
        return md5i_fail(&run->context, MD5_ERROR_SYNTAX, 0, 0,
                         "the steps of the image program form no tree");
    run->stack = (md5_image **)md5i_alloc(&run->context, run->room * sizeof *run->stack);
    TRY(run->stack);
    for (uint32_t i = 0; i < program->num_steps; i++)
        TRY(run_step(run, &program->steps[i]));
    return true;
}

md5_image *md5_evaluate_image(const md5_image_program *program, md5_load_image_fn *load, void *user,
                              const md5_image_opts *opts, md5_error *error)
{
    image_run run;
    MD5_ASSERT(program != NULL, "program: not NULL");
    MD5_ASSERT(load != NULL, "load: not NULL");
    MD5_ASSERT_IMAGE_OPTS(opts);
    memset(&run, 0, sizeof run);
    run.opts = opts;
    run.load = load;
    run.user = user;
    md5i_image_begin(&run.context, opts, error);
    md5_image *result = NULL;
    if (run_program(&run, program))
        result = run.stack[--run.depth];
    while (run.depth > 0)
        md5i_drop_image(&run.context, run.stack[--run.depth]);
    md5i_free(&run.context, run.stack, run.room * sizeof *run.stack);
    return result;
}
