// Builds clips that store frames from the tables of a file.
//
// The tables of a short text can describe a large clip. To reduce the peak of memory, such a text
// is read twice: the first time to measure the clip, the second time into the memory of the clip.
// See second_reading.
#include "md5/load/anim.h"
#include "md5/load/axes.h"

// Maximum number of components per frame of a text that is read twice.
enum { MAX_COMPONENTS = 256 };

// Returns true if everything before the frames of a file can be read again into `capacity` bytes.
static bool can_read_twice(const md5_arena *arena, const md5_anim_file *file, size_t capacity)
{
    const bool is_text = file->lex.text != NULL;
    if (!is_text || file->has_others || file->num_components > MAX_COMPONENTS)
        return false;
    const size_t numbers = (size_t)file->num_frames * file->num_components * sizeof(float);
    return md5i_arena_size(arena) - numbers <= capacity;
}

// Returns true if a clip of `clip_size` bytes and its tables exceed the memory goal of a text of
// `text_size` bytes.
static bool exceeds_memory_goal(const md5_context *context, size_t text_size, size_t clip_size)
{
    return clip_size + context->memory_held > md5i_memory_goal(text_size);
}

// The second reading of a text. First everything before the frames is read into the memory that the
// frames of the clip will use; then md5i_clip_build() reads one frame after the other.
typedef struct second_reading {
    md5_context quiet; // without warnings, which the first reading has reported
    md5_arena head;    // tables of the part before the frames
    float numbers[MAX_COMPONENTS];
} second_reading;

static bool read_again(md5_context *context, const char *text, size_t size, void *frames,
                       size_t capacity, second_reading *second, md5_anim_file *file)
{
    second->quiet = *context;
    md5i_silence_warnings(&second->quiet);
    second->head = md5i_arena_over(&second->quiet, frames, capacity);
    return md5i_read_anim_file(&second->head, text, size, &file->num_components, file)
           || md5i_fail_as(context, &second->quiet.error);
}

// Converts bounds. Empty boxes remain empty.
static void convert_bounds(const md5_context *context, md5_bounds *bounds, size_t count)
{
    const float *const sign = md5i_axes_maps[context->axes].sign;
    for (size_t i = 0; i < count; i++) {
        md5_vec3 ends[2] = {bounds[i].min, bounds[i].max};
        md5i_convert_points(context, ends, 2);
        bounds[i].min = (md5_vec3){ends[sign[0] < 0].x, ends[sign[1] < 0].y, ends[sign[2] < 0].z};
        bounds[i].max = (md5_vec3){ends[sign[0] > 0].x, ends[sign[1] > 0].y, ends[sign[2] > 0].z};
    }
}

static void convert_clip(const md5_context *context, const md5_clip_arrays *clip,
                         uint32_t num_joints, size_t num_rotations, size_t num_translations)
{
    md5i_convert_transforms(context, clip->base_frame, num_joints);
    md5i_convert_transforms(context, clip->constant, num_joints);
    md5i_convert_rotations(context, clip->rotations, num_rotations);
    md5i_convert_points(context, clip->translations, num_translations);
}

bool md5i_build_frames(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    md5_anim_file file;
    TRY(md5i_read_anim_file(arena, text, size, NULL, &file));
    const uint32_t num_joints = file.num_joints;
    const size_t num_frames = file.num_frames;
    uint32_t num_rotations;
    uint32_t num_translations;
    // MD5_MOVES_* of each joint, then a flag for each component that changes.
    uint8_t *moves = MD5_NEW(arena, uint8_t, (size_t)num_joints + file.num_components);
    TRY(moves);
    md5i_clip_plan(&file, moves + num_joints, moves, &num_rotations, &num_translations);

    md5_block block = {0};
    md5_clip_arrays clip = {.constant = NULL};
    md5_anim *anim = NULL;
    const md5_joint *joints = NULL;
    const uint32_t *order = NULL;
    const md5_track *tracks = NULL;
    md5_bounds *bounds = NULL;
    const char *command_line = NULL;
    const size_t frames_size =
        num_frames
        * (num_rotations * sizeof *clip.rotations + num_translations * sizeof *clip.translations);
    second_reading second;
    float *again = NULL;  // second.numbers if the text is read twice
    size_t clip_size = 0; // bytes
    for (uint32_t pass = 0; pass < 2; pass++) {
        anim = MD5_TAKE(&block, md5_anim, 1);
        clip.rotations =
            (md5_quat *)md5i_block_take(&block, num_frames, num_rotations * sizeof(md5_quat));
        clip.translations =
            (md5_vec3 *)md5i_block_take(&block, num_frames, num_translations * sizeof(md5_vec3));
        if (again
            && !read_again(context, text, size, clip.rotations, frames_size, &second, &file)) {
            md5i_free(context, block.base, clip_size);
            return false;
        }
        joints = md5i_store_joints(&block, file.joints, num_joints);
        command_line = md5i_store_text(&block, file.command_line);
        order = MD5_PUT(&block, uint32_t, file.order, num_joints);
        tracks = MD5_PUT(&block, md5_track, file.tracks, num_joints);
        clip.base_frame = MD5_PUT(&block, md5_xform, file.base_frame, num_joints);
        clip.constant = MD5_TAKE(&block, md5_xform, num_joints);
        clip.rotation_joints = MD5_TAKE(&block, uint32_t, num_rotations);
        clip.translation_joints = MD5_TAKE(&block, uint32_t, num_translations);
        bounds = MD5_PUT(&block, md5_bounds, file.bounds, num_frames);
        if (pass > 0)
            break;
        clip_size = block.used;
        if (can_read_twice(arena, &file, frames_size)
            && exceeds_memory_goal(context, size, clip_size)) {
            // Frees all tables except `moves` before the clip is allocated.
            md5_arena remaining = {.context = context, .is_exact = true};
            moves = (uint8_t *)md5i_arena_copy(&remaining, moves, num_joints, 1);
            md5i_arena_free(arena);
            *arena = remaining;
            TRY(moves);
            again = second.numbers;
        }
        TRY(md5i_block_allocate(context, &block));
    }
    file.tracks = tracks;
    file.base_frame = clip.base_frame;
    md5i_clip_build(&file, moves, again, &clip);
    if (md5_needs_conversion(context)) {
        convert_clip(context, &clip, num_joints, num_frames * num_rotations,
                     num_frames * num_translations);
        if (bounds)
            convert_bounds(context, bounds, num_frames);
    }
    *anim = (md5_anim){
        .skeleton = {num_joints, joints, order, context->axes, context->scale},
        .parents_unknown = file.parents_unknown,
        .tracks = tracks,
        .base_frame = clip.base_frame,
        .num_frames = file.num_frames,
        .frame_rate = file.frame_rate,
        .duration = (double)(file.num_frames - 1) / file.frame_rate,
        .constant = clip.constant,
        .num_rotations = num_rotations,
        .num_translations = num_translations,
        .rotation_joints = clip.rotation_joints,
        .translation_joints = clip.translation_joints,
        .rotations = clip.rotations,
        .translations = clip.translations,
        .frame_bounds = bounds,
        .num_components = file.num_components,
        .command_line = command_line,
        .size = block.used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_ANIM},
    };
    *asset = anim;
    return true;
}
