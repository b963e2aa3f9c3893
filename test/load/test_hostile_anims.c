// Animations, cameras, and names that are hard to match.
#include "test/load/test_hostile_files.h"

#include <stdint.h>
#include <string.h>

// -- Animations -----------------------------------------------------------------------------

typedef struct anim_size {
    size_t num_frames, num_joints, num_components;
} anim_size;

// Every joint has `flags`; its first component is its index times `stride`.
static void begin_anim_file(hostile_text *text, anim_size size, unsigned flags, size_t stride)
{
    hostile_add(text,
                "MD5Version 10 commandline\"\"numFrames %zu numJoints %zu frameRate 24 "
                "numAnimatedComponents %zu hierarchy{\n",
                size.num_frames, size.num_joints, size.num_components);
    for (size_t j = 0; j < size.num_joints; j++)
        hostile_add(text, "a -1 %u %zu ", flags, j * stride);
    hostile_add(text, "}baseframe{");
    for (size_t j = 0; j < size.num_joints; j++)
        hostile_add(text, "(0 0 0)(0 0 0)");
    hostile_add(text, "}");
}

static void add_frames(hostile_text *text, anim_size size, const char *even, const char *odd)
{
    for (size_t frame = 0; frame < size.num_frames; frame++) {
        hostile_add(text, "frame %zu{", frame);
        for (size_t i = 0; i < size.num_components; i++)
            hostile_add(text, "%s ", (frame + i) % 2 == 0 ? even : odd);
        hostile_add(text, "}");
    }
}

static void make_still_frames(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 2 / 14, .num_joints = size / 2 / 22};
    begin_anim_file(text, count, 0, 0);
    add_frames(text, count, "0", "0");
}

static void make_anim_chain(hostile_text *text, size_t size)
{
    const size_t count = size / 32;
    hostile_add(text,
                "MD5Version 10 commandline\"\"numFrames 1 numJoints %zu frameRate 24 "
                "numAnimatedComponents 0 hierarchy{\n",
                count);
    for (size_t j = 0; j < count; j++)
        hostile_add(text, "a %ld 0 0 ", j + 1 < count ? (long)j + 1 : -1);
    hostile_add(text, "}baseframe{");
    for (size_t j = 0; j < count; j++)
        hostile_add(text, "(0 0 0)(0 0 0)");
    hostile_add(text, "}frame 0{}");
}

static void make_anim_joints(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = 1, .num_joints = size / 22};
    begin_anim_file(text, count, 0, 0);
    add_frames(text, count, "0", "0");
}

// One changing number for each rotation, which is stored as four.
static void make_thin_rotations(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 2100, .num_joints = 1000, .num_components = 1000};
    begin_anim_file(text, count, 8, 1);
    add_frames(text, count, "0", "1");
}

// Two frames, so that joints take about as many bytes as frames do.
static void make_two_frames(hostile_text *text, size_t size)
{
    const size_t num_joints = size / 34;
    const anim_size count = {2, num_joints, num_joints};
    begin_anim_file(text, count, 8, 1);
    add_frames(text, count, "0", "1");
}

static void make_overlong_frames(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 20, .num_joints = 1, .num_components = 3};
    begin_anim_file(text, count, 56, 3);
    add_frames(text, count, "1", "2");
}

static void make_overlong_joints(hostile_text *text, size_t size)
{
    const size_t num_joints = size / 60;
    const anim_size count = {.num_frames = 5, num_joints, .num_components = 3 * num_joints};
    begin_anim_file(text, count, 56, 3);
    add_frames(text, count, "1", "2");
}

// Every frame has one rotation that is too long, because of its last number.
static void make_overlong_last(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 2100, .num_joints = 1, .num_components = 1000};
    hostile_add(text,
                "MD5Version 10 commandline\"\"numFrames %zu numJoints 1 frameRate 24 "
                "numAnimatedComponents %zu hierarchy{a -1 8 %zu}baseframe{(0 0 0)(0 0 0)}",
                count.num_frames, count.num_components, count.num_components - 1);
    add_frames(text, count, "3", "3");
}

static void make_shared_components(hostile_text *text, size_t size, size_t per_byte)
{
    const size_t num_joints = 200;
    const size_t num_frames = (size - 25 * num_joints) / per_byte / num_joints;
    const anim_size count = {num_frames, num_joints, 1};
    begin_anim_file(text, count, 8, 0);
    add_frames(text, count, "0", "1");
    if (text->size < size)
        hostile_fill(text, "//\n", size - text->size);
}

static void make_shared_anim(hostile_text *text, size_t size)
{
    make_shared_components(text, size, 4);
}

static void make_shared_anim_too_often(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 2 / 17, .num_joints = size / 2 / 22, 1};
    begin_anim_file(text, count, 8, 0);
    add_frames(text, count, "0", "1");
}

static void make_boxes(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 30, .num_joints = 1, .num_components = 0};
    begin_anim_file(text, count, 0, 0);
    hostile_add(text, "bounds{");
    for (size_t frame = 0; frame < count.num_frames; frame++)
        hostile_add(text, "(0 0 0)(0 0 0)");
    hostile_add(text, "}");
    add_frames(text, count, "0", "0");
}

static void make_boxes_of_one_frame(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = 1, .num_joints = 1, .num_components = 0};
    begin_anim_file(text, count, 0, 0);
    hostile_add(text, "bounds{");
    hostile_fill(text, "(0 0 0)(0 0 0)", size);
    hostile_add(text, "}");
    add_frames(text, count, "0", "0");
}

static void make_one_large_frame(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = 1, .num_joints = 1, .num_components = size / 2};
    begin_anim_file(text, count, 63, 0);
    add_frames(text, count, "0", "0");
}

static void make_wrong_large_frame(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = 2, .num_joints = 1, .num_components = 6};
    begin_anim_file(text, count, 63, 0);
    hostile_add(text, "frame 0{");
    hostile_fill(text, "0 ", size);
    hostile_add(text, "}");
}

// One frame that repeats one number.
static void make_numbers(hostile_text *text, size_t size, const char *number)
{
    const size_t count = size / (strlen(number) + 1);
    const anim_size frames = {.num_frames = 1, .num_joints = 1, .num_components = count};
    begin_anim_file(text, frames, 7, 0);
    add_frames(text, frames, number, number);
}

static void make_tiny_numbers(hostile_text *text, size_t size)
{
    make_numbers(text, size, "1e-40");
}

static void make_large_numbers(hostile_text *text, size_t size)
{
    make_numbers(text, size, "0.99e9");
}

// Halfway between two floats.
static void make_middle_numbers(hostile_text *text, size_t size)
{
    make_numbers(text, size, "16777217");
}

static void make_middle_decimals(hostile_text *text, size_t size)
{
    make_numbers(text, size, "8388608.5");
}

static void make_nearly_middle_numbers(hostile_text *text, size_t size)
{
    make_numbers(text, size, "1.0000000596046448");
}

// Differs from the middle between two floats only in its last digit.
static void make_long_numbers(hostile_text *text, size_t size)
{
    make_numbers(text, size, "1.00000005960464477539062500000000000000000000000000000001");
}

static void make_long_tiny_numbers(hostile_text *text, size_t size)
{
    make_numbers(text, size, "7.00649232162408535461864791644958e-46");
}

static void make_missing_frames(hostile_text *text, size_t size)
{
    const anim_size count = {.num_frames = size / 9, .num_joints = 1, .num_components = 6};
    begin_anim_file(text, count, 63, 0);
    hostile_add(text, "frame 0{0 0 0 0 0 0}");
    hostile_fill(text, " ", size);
}

static void make_unknown_anim_words(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10\n");
    hostile_fill(text, "f\n", size / 2);
    hostile_add(text, "unknown ");
    hostile_fill(text, "n ", size / 2);
    const size_t start = text->size;
    make_overlong_frames(text, 100);
    memset(text->bytes + start, ' ', strlen("MD5Version 10"));
}

static void make_huge_anim_counts(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"\" numFrames 4294967295 numJoints 4294967295 ");
    hostile_fill(text, "frame 0{}", size);
}

const hostile_file hostile_anims[] = {
    {"frames without numbers", make_still_frames, false},
    {"joints in a chain from the end", make_anim_chain, false},
    {"joints", make_anim_joints, false},
    {"rotations of one number", make_thin_rotations, false},
    {"two frames", make_two_frames, false},
    {"overlong rotations in many frames", make_overlong_frames, false},
    {"overlong rotations of many joints", make_overlong_joints, false},
    {"overlong rotations at the end of frames", make_overlong_last, false},
    {"joints sharing components", make_shared_anim, false},
    {"joints sharing components too often", make_shared_anim_too_often, true},
    {"boxes", make_boxes, false},
    {"boxes of one frame", make_boxes_of_one_frame, false},
    {"one large frame", make_one_large_frame, false},
    {"one large frame that is wrong", make_wrong_large_frame, true},
    {"tiny numbers", make_tiny_numbers, false},
    {"large numbers", make_large_numbers, false},
    {"numbers between two floats", make_middle_numbers, false},
    {"decimals between two floats", make_middle_decimals, false},
    {"numbers nearly between two floats", make_nearly_middle_numbers, false},
    {"long numbers", make_long_numbers, false},
    {"long tiny numbers", make_long_tiny_numbers, false},
    {"missing frames", make_missing_frames, true},
    {"unknown words", make_unknown_anim_words, false},
    {"huge counts", make_huge_anim_counts, true},
    {0},
};

// -- Cameras --------------------------------------------------------------------------------

static void make_camera(hostile_text *text, size_t num_frames, size_t num_cuts, const char *cut,
                        const char *frame)
{
    hostile_add(text, "MD5Version 10 commandline\"\"numFrames %zu frameRate 24 numCuts %zu cuts{",
                num_frames, num_cuts);
    for (size_t i = 0; i < num_cuts; i++)
        hostile_add(text, "%s", cut);
    hostile_add(text, "}camera{");
    for (size_t i = 0; i < num_frames; i++)
        hostile_add(text, "%s", frame);
    hostile_add(text, "}");
}

static void make_views(hostile_text *text, size_t size)
{
    make_camera(text, size / 16, 0, "", "(0 0 0)(0 0 0)1 ");
}

static void make_overlong_views(hostile_text *text, size_t size)
{
    make_camera(text, size / 16, 0, "", "(0 0 0)(1 1 1)0 ");
}

static void make_cuts(hostile_text *text, size_t size)
{
    make_camera(text, 1, size / 2, "0 ", "(0 0 0)(0 0 0)1 ");
}

static void make_cuts_with_places(hostile_text *text, size_t size)
{
    make_camera(text, 1, size / 17, "0 pos(0 0 0)pos(0 0 0)", "(0 0 0)(0 0 0)1 ");
}

static void make_huge_camera_counts(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"\" numCuts 4294967295 numFrames 4294967295 ");
    hostile_fill(text, "0 ", size);
}

const hostile_file hostile_cameras[] = {
    {"views", make_views, false},
    {"overlong rotations", make_overlong_views, false},
    {"cuts", make_cuts, false},
    {"cuts with places", make_cuts_with_places, false},
    {"huge counts", make_huge_camera_counts, true},
    {0},
};

// -- Pairs ----------------------------------------------------------------------------------

// How model and animation name their joints.
typedef enum naming { EQUAL, COUNTED, COUNTED_DOWN, LONG_PREFIX, LONG_ROOT } naming;

static void add_name(hostile_text *text, naming names, size_t joint, size_t count)
{
    static const char prefix[] = "a_name_that_is_the_same_for_a_long_time_before_it_differs_";
    if (names == EQUAL)
        hostile_add(text, "a ");
    else if (names == LONG_PREFIX)
        hostile_add(text, "%s%zu ", prefix, (size_t)((uint64_t)joint * 7919 % count));
    else
        hostile_add(text, "j%zu ", names == COUNTED_DOWN ? count - 1 - joint : joint);
}

typedef enum shape { FLAT, CHAIN, STAR } shape;

static long parent_of(shape form, size_t joint)
{
    return form == FLAT || joint == 0 ? -1 : form == STAR ? 0 : (long)joint - 1;
}

static void make_named_mesh(hostile_text *text, size_t count, naming names, shape form)
{
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++) {
        if (names == LONG_ROOT && j == 0)
            hostile_fill(text, "r", 20 * count);
        add_name(text, names, j, count);
        hostile_add(text, "%ld(0 0 0)(0 0 0)", parent_of(form, j));
    }
    hostile_add(text, "}");
}

static void make_named_anim(hostile_text *text, size_t count, naming names, shape form)
{
    hostile_add(text,
                "MD5Version 10 commandline\"\"numFrames 1 numJoints %zu frameRate 24 "
                "numAnimatedComponents 0 hierarchy{\n",
                count);
    for (size_t j = 0; j < count; j++) {
        if (names == LONG_ROOT && j == 0)
            hostile_fill(text, "r", 20 * count);
        add_name(text, names, j, count);
        hostile_add(text, "%ld 0 0 ", parent_of(form, j));
    }
    hostile_add(text, "}baseframe{");
    for (size_t j = 0; j < count; j++)
        hostile_add(text, "(0 0 0)(0 0 0)");
    hostile_add(text, "}frame 0{}");
}

#define PAIR_PART(title, make, bytes, names, form)     \
    static void title(hostile_text *text, size_t size) \
    {                                                  \
        make(text, size / (bytes), names, form);       \
    }

PAIR_PART(mesh_equal_names, make_named_mesh, 23, EQUAL, CHAIN)
PAIR_PART(anim_equal_names, make_named_anim, 28, EQUAL, FLAT)
PAIR_PART(mesh_counted, make_named_mesh, 30, COUNTED, CHAIN)
PAIR_PART(anim_counted_down, make_named_anim, 34, COUNTED_DOWN, CHAIN)
PAIR_PART(anim_counted_flat, make_named_anim, 34, COUNTED, FLAT)
PAIR_PART(mesh_long_prefix, make_named_mesh, 85, LONG_PREFIX, CHAIN)
PAIR_PART(anim_long_prefix, make_named_anim, 90, LONG_PREFIX, STAR)
PAIR_PART(mesh_long_root, make_named_mesh, 50, LONG_ROOT, STAR)
PAIR_PART(anim_long_root, make_named_anim, 55, LONG_ROOT, FLAT)
PAIR_PART(anim_long_root_star, make_named_anim, 55, LONG_ROOT, STAR)
PAIR_PART(mesh_flat, make_named_mesh, 30, COUNTED, FLAT)

const hostile_pair hostile_pairs[] = {
    {"equal names", mesh_equal_names, anim_equal_names},
    {"names from both ends", mesh_counted, anim_counted_down},
    {"a chain against roots", mesh_counted, anim_counted_flat},
    {"names that differ at their ends", mesh_long_prefix, anim_long_prefix},
    {"a long name above many", mesh_long_root, anim_long_root},
    {"roots against a long name", mesh_flat, anim_long_root_star},
    {0},
};
