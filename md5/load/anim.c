// Builds clips that store frames from the tables of a file.
//
// A short text can describe a large clip, because its tables are compact. To reduce the peak of
// memory, such a text is read twice. The first reading measures the clip. The second reading
// decodes the frames into the memory of the clip. See second_reading.
#include "md5/load/anim.h"
#include "md5/load/axes.h"

// Maximum number of values per frame in a text that is read twice. The second reading stores the
// values of one frame in an array of this size.
enum { MAX_COMPONENTS = 256 };

// Returns true if a text can be read twice, and the tables of the part before its frames fit into
// `capacity` bytes. The first reading has filled the arena with these tables and with the values of
// all frames. Unknown keywords between frames are not supported, because read_numbers_again() in
// md5/read/anim.c expects only frames.
static bool can_read_twice(const md5_arena *arena, const md5_anim_file *file, size_t capacity)
{
    const bool is_text = file->lex.text != NULL;
    if (!is_text || file->has_unknown_keywords || file->num_components > MAX_COMPONENTS)
        return false;
    const size_t numbers_size = (size_t)file->num_frames * file->num_components * sizeof(float);
    const size_t tables_size = md5i_arena_size(arena) - numbers_size;
    return tables_size <= capacity;
}

// Returns true if a clip of `clip_size` bytes would exceed the memory goal together with the memory
// that the load holds now. The goal is the peak of memory that the load of a text of `text_size`
// bytes should not exceed.
static bool exceeds_memory_goal(const md5_context *context, size_t text_size, size_t clip_size)
{
    return clip_size + context->memory_held > md5i_memory_goal(text_size);
}

// State of the second reading of a text. First the tables before the frames are read into memory
// that the frames of the clip will use later. Then md5i_build_clip() reads one frame after the
// other.
typedef struct second_reading {
    md5_context quiet; // without warnings, which the first reading has reported
    md5_arena head;    // tables of the part before the frames
    float numbers[MAX_COMPONENTS];
} second_reading;

// Reads the part of the text before its first frame again. The tables are stored in the memory
// `frames`, which has `capacity` bytes, and `file` refers to them. Returns false and sets the
// context's error on failure.
static bool read_text_again(md5_context *context, const char *text, size_t size, void *frames,
                            size_t capacity, second_reading *second, md5_anim_file *file)
{
    second->quiet = *context;
    md5i_silence_warnings(&second->quiet);
    second->head = md5i_arena_in_memory(&second->quiet, frames, capacity);
    if (!md5i_read_anim_file(&second->head, text, size, &file->num_components, file))
        return md5i_fail_as(context, &second->quiet.error);
    return true;
}

// Exchanges two numbers.
static void exchange_floats(float *a, float *b)
{
    const float old_a = *a;
    *a = *b;
    *b = old_a;
}

// Converts bounding boxes to the axes and units of the options. A negative axis exchanges the
// minimum and the maximum. Empty boxes remain empty.
static void convert_bounds(const md5_context *context, md5_bounds *bounds, size_t count)
{
    const float *const sign = md5i_axes_maps[context->axes].sign;
    for (size_t i = 0; i < count; i++) {
        md5_vec3 ends[2] = {bounds[i].min, bounds[i].max};
        md5i_convert_points(context, ends, 2);
        bounds[i] = (md5_bounds){.min = ends[0], .max = ends[1]};
        if (sign[0] < 0)
            exchange_floats(&bounds[i].min.x, &bounds[i].max.x);
        if (sign[1] < 0)
            exchange_floats(&bounds[i].min.y, &bounds[i].max.y);
        if (sign[2] < 0)
            exchange_floats(&bounds[i].min.z, &bounds[i].max.z);
    }
}

// Addresses of the parts of a clip. All parts are in one memory block, which md5_free_anim() frees.
typedef struct clip_layout {
    md5_anim *anim;
    const md5_joint *joints;
    const uint32_t *order;
    const md5_track *tracks;
    md5_bounds *bounds;
    const char *command_line;
    md5_clip_arrays arrays;
    uint32_t num_rotations;    // rotating joints
    uint32_t num_translations; // translating joints
} clip_layout;

// Allocates the structure and the frames of the clip in the block, in this order.
static void allocate_frames(md5_block *block, size_t num_frames, clip_layout *clip)
{
    const size_t rotations_size = clip->num_rotations * sizeof(md5_quat);
    const size_t translations_size = clip->num_translations * sizeof(md5_vec3);
    clip->anim = MD5_BLOCK_ARRAY(block, md5_anim, 1);
    clip->arrays.rotations = (md5_quat *)md5i_block_alloc(block, num_frames, rotations_size);
    clip->arrays.translations = (md5_vec3 *)md5i_block_alloc(block, num_frames, translations_size);
}

// Allocates the tables of the clip in the block, and copies the tables of the file to them. The
// tables are everything except the structure and the frames. While the block is only measured, all
// arrays are NULL.
static void allocate_tables(md5_block *block, const md5_anim_file *file, clip_layout *clip)
{
    const uint32_t num_joints = file->num_joints;
    clip->joints = md5i_store_joints(block, file->joints, num_joints);
    clip->command_line = md5i_store_text(block, file->command_line);
    clip->order = MD5_BLOCK_COPY(block, uint32_t, file->order, num_joints);
    clip->tracks = MD5_BLOCK_COPY(block, md5_track, file->tracks, num_joints);
    clip->arrays.base_frame = MD5_BLOCK_COPY(block, md5_xform, file->base_frame, num_joints);
    clip->arrays.constant = MD5_BLOCK_ARRAY(block, md5_xform, num_joints);
    clip->arrays.rotation_joints = MD5_BLOCK_ARRAY(block, uint32_t, clip->num_rotations);
    clip->arrays.translation_joints = MD5_BLOCK_ARRAY(block, uint32_t, clip->num_translations);
    clip->bounds = MD5_BLOCK_COPY(block, md5_bounds, file->bounds, file->num_frames);
}

// Frees all memory of the arena except changes[num_joints], which moves to a new address. Returns
// that address, or NULL if memory runs out.
static uint8_t *free_tables(md5_arena *arena, const uint8_t *changes, uint32_t num_joints)
{
    md5_arena remaining = {.context = arena->context, .is_exact = true};
    uint8_t *const copy = (uint8_t *)md5i_arena_copy(&remaining, changes, num_joints, 1);
    md5i_arena_free(arena);
    *arena = remaining;
    return copy;
}

// Converts a clip to the axes and units of the options.
static void convert_clip(const md5_context *context, const md5_anim_file *file,
                         const clip_layout *clip)
{
    const size_t num_frames = file->num_frames;
    const md5_clip_arrays *const arrays = &clip->arrays;
    md5i_convert_transforms(context, arrays->base_frame, file->num_joints);
    md5i_convert_transforms(context, arrays->constant, file->num_joints);
    md5i_convert_rotations(context, arrays->rotations, num_frames * clip->num_rotations);
    md5i_convert_points(context, arrays->translations, num_frames * clip->num_translations);
    if (clip->bounds)
        convert_bounds(context, clip->bounds, num_frames);
}

// Fills the structure of the clip, whose block has `size` bytes.
static void fill_anim(const md5_context *context, const md5_anim_file *file,
                      const clip_layout *clip, size_t size)
{
    *clip->anim = (md5_anim){
        .skeleton = {file->num_joints, clip->joints, clip->order, context->axes, context->scale},
        .parents_unknown = file->parents_unknown,
        .tracks = clip->tracks,
        .base_frame = clip->arrays.base_frame,
        .num_frames = file->num_frames,
        .frame_rate = file->frame_rate,
        .duration = (double)(file->num_frames - 1) / file->frame_rate,
        .constant = clip->arrays.constant,
        .num_rotations = clip->num_rotations,
        .num_translations = clip->num_translations,
        .rotation_joints = clip->arrays.rotation_joints,
        .translation_joints = clip->arrays.translation_joints,
        .rotations = clip->arrays.rotations,
        .translations = clip->arrays.translations,
        .frame_bounds = clip->bounds,
        .num_components = file->num_components,
        .command_line = clip->command_line,
        .size = size,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_ANIM},
    };
}

// Returns the flags MD5_ROTATION_CHANGES and MD5_TRANSLATION_CHANGES of each joint, in an array of
// the arena. Also counts the joints with each flag in `clip`. Returns NULL if memory runs out.
static uint8_t *find_moving_joints(md5_arena *arena, const md5_anim_file *file, clip_layout *clip)
{
    // One allocation contains the flags of the joints and scratch memory, which has one byte for
    // each component. Two allocations would not fit into the memory that reserve_tables() in
    // md5/read/anim.c reserves.
    const size_t num_bytes = (size_t)file->num_joints + file->num_components;
    uint8_t *const joint_flags = MD5_ALLOC_ZEROED(arena, uint8_t, num_bytes);
    if (!joint_flags)
        return NULL;
    uint8_t *const component_flags = joint_flags + file->num_joints;
    md5i_plan_clip(file, component_flags, joint_flags, &clip->num_rotations,
                   &clip->num_translations);
    return joint_flags;
}

// Returns the size of the rotations and translations of all frames in bytes.
static size_t measure_frames(const clip_layout *clip, size_t num_frames)
{
    const size_t bytes_per_frame = clip->num_rotations * sizeof *clip->arrays.rotations
                                   + clip->num_translations * sizeof *clip->arrays.translations;
    return num_frames * bytes_per_frame;
}

// Builds a clip from a text in one block, which contains the frames and then the tables.
//
// The text is read twice if the clip and the tables of the file together exceed the memory goal. In
// that case the tables, except `joint_flags`, are freed before the block is allocated. The second
// reading stores its tables where the frames will be. This works because the frames are decoded
// last.
bool md5i_build_frames(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    md5_anim_file file;
    clip_layout clip = {.anim = NULL};
    TRY(md5i_read_anim_file(arena, text, size, NULL, &file));
    uint8_t *joint_flags = find_moving_joints(arena, &file, &clip);
    TRY(joint_flags);

    // Measure the block of the clip.
    md5_block block = {0};
    allocate_frames(&block, file.num_frames, &clip);
    allocate_tables(&block, &file, &clip);
    const size_t clip_size = block.used;
    const size_t frames_size = measure_frames(&clip, file.num_frames);

    // Free the tables of the first reading if the text is read twice.
    const bool reads_twice =
        can_read_twice(arena, &file, frames_size) && exceeds_memory_goal(context, size, clip_size);
    if (reads_twice) {
        joint_flags = free_tables(arena, joint_flags, file.num_joints);
        TRY(joint_flags);
    }

    // Allocate the block, and fill it.
    TRY(md5i_block_end_measuring(context, &block));
    allocate_frames(&block, file.num_frames, &clip);
    second_reading second;
    if (reads_twice
        && !read_text_again(context, text, size, clip.arrays.rotations, frames_size, &second,
                            &file)) {
        md5i_free(context, block.base, clip_size);
        return false;
    }
    allocate_tables(&block, &file, &clip);

    // Decode the frames. From here on, use the copies of the tables, because the frames overwrite
    // the tables of a second reading.
    file.tracks = clip.tracks;
    file.base_frame = clip.arrays.base_frame;
    md5i_build_clip(&file, joint_flags, reads_twice ? second.numbers : NULL, &clip.arrays);
    if (md5_needs_conversion(context))
        convert_clip(context, &file, &clip);
    fill_anim(context, &file, &clip, block.used);
    *asset = clip.anim;
    return true;
}
