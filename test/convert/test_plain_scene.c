// Names of the parts of a scene that the converter builds.
#include "test/scoped.h"

#include "demo/convert/plain_scene.h"

TEST (plain_file_names_contain_letters_digits_and_underscores) {
    static const struct {
        const char *text, *expected; // NULL: nothing remains
    } rows[] = {
        {"azAZ09", "azAZ09"},
        {"`a{@A[/0:", "a_A_0"},
        {"walk / run", "walk_run"},
        {"_idle_", "idle"},
        {"l\xC3\xA9mb", "l_mb"},
        {"...", NULL},
        {"", NULL},
        {NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED_STRING name = plain_file_name(rows[i].text);
        if (rows[i].expected)
            CHECK_STRING(name, rows[i].expected);
        else
            CHECK(!name);
    }
}

// -- Morph targets --------------------------------------------------------------------------------

static void store_note(void *user, const char *text)
{
    snprintf(user, 400, "%s", text);
}

// The results of the conversion of a triangle with two morph targets and a clip of their weights.
typedef struct morph_result {
    size_t num_targets;
    size_t num_weights;
    size_t num_clips;
    char note[400];        // the last note
    uint64_t num_elements; // charged elements, including those before the conversion
    uint64_t num_bytes;
} morph_result;

// Converts the triangle with a budget from which elements and bytes were charged before.
static morph_result convert_morphs(uint64_t used_elements, uint64_t used_bytes)
{
    static const float positions[] = {0, 0, 0, 2, 0, 0, 0, 3, 0};
    static const float rise[] = {0, 0, 4, 0, 0, 4, 0, 0, 4};
    static const float times[] = {0, 1};
    static const float weights[] = {0, 0, 1, 1};
    morph_result result = {.num_targets = 0};
    convert_budget budget;
    convert_begin_budget(&budget, 1000);
    budget.num_elements = used_elements;
    budget.num_bytes = used_bytes;
    const convert_job job = {.note = store_note, .user = result.note, .budget = &budget};
    md5_error error = MD5_INIT;
    plain_scene plain = {
        .job = &job, .error = &error, .path = "face.glb", .axes = plain_gltf_axes, .unit = 1};

    plain_node node = plain_new_node();
    node.mesh = 0;
    *COMMON_ADD_ITEM(plain.nodes, plain.num_nodes) = node;
    plain_mesh *const mesh = COMMON_ADD_ITEM(plain.meshes, plain.num_meshes);
    *mesh = (plain_mesh){.name = "face"};
    plain_primitive *const primitive = plain_add_primitive(mesh, 3);
    primitive->positions = positions;
    primitive->num_targets = 2;
    primitive->moves = common_alloc(2, sizeof *primitive->moves);
    primitive->moves[0] = rise;
    const plain_track track = {
        .part = PLAIN_WEIGHTS, .num_keys = 2, .width = 2, .times = times, .values = weights};
    plain_animation *const animation = COMMON_ADD_ITEM(plain.animations, plain.num_animations);
    *animation = (plain_animation){.name = "smile"};
    *COMMON_ADD_ITEM(animation->tracks, animation->num_tracks) = track;
    plain_set_order(&plain);

    convert_scene scene = {.name = NULL};
    CHECK(convert_build(&plain, &scene));
    for (size_t i = 0; i < scene.num_parts; i++) {
        result.num_targets += scene.parts[i].kind == CONVERT_TARGET;
        result.num_clips += scene.parts[i].kind == CONVERT_CLIP;
    }
    result.num_weights = scene.num_weights;
    result.num_elements = budget.num_elements;
    result.num_bytes = budget.num_bytes;
    convert_end_budget(&budget, &job);
    convert_free_scene(&scene);
    plain_free(&plain);
    return result;
}

// Morph targets are the last part of a conversion, so the whole budget is used when the last of
// them is added.
TEST (morph_targets_are_converted_up_to_the_limit_of_the_budget) {
    const morph_result all = convert_morphs(0, 0);
    CHECK_UINT(all.num_targets, 2);
    CHECK_UINT(all.num_weights, 2);

    const uint64_t free_elements = convert_max_elements(1000) - all.num_elements;
    const uint64_t free_bytes = convert_max_bytes(1000) - all.num_bytes;
    const morph_result at_limit = convert_morphs(free_elements, free_bytes);
    CHECK_UINT(at_limit.num_targets, 2);
    CHECK_UINT(at_limit.num_weights, 2);
    CHECK(!strstr(at_limit.note, "skipped"));

    for (uint64_t is_byte = 0; is_byte < 2; is_byte++) {
        const morph_result beyond =
            convert_morphs(free_elements + 1 - is_byte, free_bytes + is_byte);
        CHECK_UINT(beyond.num_targets, 0);
        CHECK_UINT(beyond.num_weights, 0);
        CHECK_UINT(beyond.num_clips, all.num_clips);
        CHECK(strstr(beyond.note, "face.glb: skipped all morph targets (2) and their animation:"));
    }
}
