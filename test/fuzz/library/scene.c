// Fuzz target for a model with a clip: the input is an .md5mesh and an .md5anim, which are bound,
// sampled, drawn and checked.
#include "test/fuzz/api.h"

// Copies a part into a separate block, so that a read past its end is detected.
static char *copy_part(const uint8_t *data, size_t size)
{
    char *const part = malloc(size ? size : 1);
    if (part && size > 0)
        memcpy(part, data, size);
    return part;
}

static const char *sample_position_fault(const md5_anim *anim, const md5_sample_position *sample)
{
    if (sample->frame0 >= anim->num_frames || sample->frame1 >= anim->num_frames)
        return "a sample position outside of the frames";
    if (!(sample->fraction >= 0 && sample->fraction < 1))
        return "a sample position whose fraction is out of range";
    return NULL;
}

// Skins a posed mesh, packs its influences and measures the loss. The results are not compared: the
// sanitizers check the writes.
static void draw(const md5_model *model, uint32_t number, const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[number];
    const size_t count = (size_t)mesh->num_vertices + 1;
    md5_vec3 *const positions = malloc(count * sizeof *positions);
    md5_vec3 *const normals = malloc(count * sizeof *normals);
    md5_vec4 *const tangents = malloc(count * sizeof *tangents);
    uint32_t *const joints = malloc(count * 4 * sizeof *joints);
    float *const weights = malloc(count * 4 * sizeof *weights);
    md5_skin(mesh, palette, positions, normals, tangents);
    md5_skin(mesh, palette, positions, NULL, NULL);
    md5_pack_influences(
        &(md5_pack_job){.mesh = mesh, .slots = 4, .joints = joints, .weights = weights});
    md5_pack_loss(model, number, 4, palette);
    free(positions);
    free(normals);
    free(tangents);
    free(joints);
    free(weights);
}

static const char *play_at(const md5_binding *binding, double time, md5_wrap wrap, md5_root root)
{
    const md5_model *const model = binding->model;
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_xform *const pose = malloc(num_joints * sizeof *pose);
    md5_mat34 *const joints = malloc(num_joints * sizeof *joints);
    const md5_sample_position sample = md5_sample_position_at(binding->anim, time, wrap);
    const char *fault = sample_position_fault(binding->anim, &sample);
    if (!fault) {
        md5_sample(binding, sample, root, pose);
        fault = api_pose_fault(pose, num_joints);
        md5_local_to_model(&model->skeleton, pose, joints);
        md5_build_palette(model, joints, joints);
        for (uint32_t mesh = 0; mesh < model->num_meshes; mesh++)
            draw(model, mesh, joints);
        md5_anim_root_motion(binding->anim, sample, sample);
        md5_anim_bounds(binding->anim, sample, root);
    }
    free(pose);
    free(joints);
    return fault;
}

static const char *play(const md5_binding *binding)
{
    const double end = binding->anim->duration;
    const double times[] = {0, 0.4 * end, end, -0.7 * end, 1e300, NAN};
    const char *fault = asset_binding_fault(binding);
    for (size_t i = 0; i < COUNT_OF(times) && !fault; i++)
        fault = play_at(binding, times[i], (md5_wrap)(i % 3), (md5_root)(i / 2));
    return fault;
}

typedef struct scene_parts {
    const md5_model *model;
    const md5_anim *anim;
} scene_parts;

static void *make_scene_binding(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    return md5_bind(((const scene_parts *)fixture)->model, ((const scene_parts *)fixture)->anim,
                    opts, error);
}
FUZZ_DESTROY(destroy_scene_binding, md5_binding, md5_free_binding)

static const char *bind_and_play(const md5_model *model, const md5_anim *anim, uint32_t random)
{
    const scene_parts parts = {model, anim};
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    const md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error = {0};
    md5_binding *const binding = md5_bind(model, anim, &opts, &error);
    const char *fault = warnings.fault;
    if (!fault && !binding && error.status != MD5_ERROR_MISMATCH)
        fault = "no binding, for a reason other than names";
    if (!fault && binding)
        fault = play(binding);
    if (!fault && binding)
        fault = use_api(binding, random);
    md5_free_binding(binding);
    if (!fault)
        fault = asset_heap_fault(&heap);
    return fault ? fault
                 : fuzz_memory(make_scene_binding, destroy_scene_binding, &parts, opts, random);
}

typedef struct check_input {
    md5_doc_kind kind;
    const char *text;
    size_t size;
} check_input;

static void *make_check(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const uint32_t all = md5_find_engines("all");
    const check_input *const from = fixture;
    return md5_check_doc(from->kind, from->text, from->size, (md5_engines){all, all}, opts, error);
}
FUZZ_DESTROY(destroy_check, md5_check, md5_free_check)

// Checks the compatibility of both texts with engines, readable or not, and of the pair.
static const char *check_texts(const check_input inputs[2], const md5_model *model,
                               const md5_anim *anim, uint32_t random)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    const md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_check *const mesh = make_check(&inputs[0], &opts, NULL);
    md5_check *const clip = make_check(&inputs[1], &opts, NULL);
    md5_binding *const binding =
        anim ? md5_bind(model, anim, &(md5_load_opts){.allow_partial_binding = true}, NULL) : NULL;
    bool is_sound = mesh && clip && md5_check_pair(mesh, clip) != MD5_NONE;
    if (model)
        is_sound = is_sound && md5_check_model(mesh, model);
    if (binding)
        is_sound = is_sound && md5_check_binding(clip, binding);
    is_sound = is_sound && md5_check_turns(&clip, 1);
    for (uint32_t i = 0; i < (is_sound ? clip->num_diagnostics : 0); i++)
        is_sound &= clip->diagnostics[i].rule[0] != '\0' && clip->diagnostics[i].count > 0
                    && clip->diagnostics[i].error.message[0] != '\0';
    if (is_sound)
        is_sound = clip->space.scale >= 0 && clip->space.scale <= 1e6f;
    md5_free_binding(binding);
    md5_free_check(clip);
    md5_free_check(mesh);
    const char *const fault =
        is_sound ? asset_heap_fault(&heap) : "a check without its diagnostics";
    return fault ? fault
                 : fuzz_memory(make_check, destroy_check, &inputs[random % 2], opts, random);
}

const char *fuzz_scene(const uint8_t *data, size_t size)
{
    const uint8_t *const end = size > 0 ? memchr(data, '\0', size) : NULL;
    if (!end)
        return NULL;
    const size_t mesh_size = (size_t)(end - data);
    const size_t anim_size = size - mesh_size - 1;
    const md5_load_opts opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};
    char *const mesh_text = copy_part(data, mesh_size);
    char *const anim_text = copy_part(end + 1, anim_size);
    md5_model *const model = md5_parse_model(mesh_text, mesh_size, &opts, NULL);
    md5_anim *const anim = model ? md5_parse_anim(anim_text, anim_size, &opts, NULL) : NULL;
    uint32_t random = 0;
    for (size_t i = 0; i < size; i++)
        random = random * 31 + data[i];
    const char *fault = anim ? bind_and_play(model, anim, random) : NULL;
    if (!fault)
        fault = check_texts((check_input[]){{MD5_DOC_MODEL, mesh_text, mesh_size},
                                            {MD5_DOC_ANIM, anim_text, anim_size}},
                            model, anim, random);
    free(mesh_text);
    free(anim_text);
    md5_free_anim(anim);
    md5_free_model(model);
    return fault;
}
