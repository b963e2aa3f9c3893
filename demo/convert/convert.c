// The formats, and what a conversion does: reads all inputs, then writes.
#include "demo/convert/budget.h"
#include "demo/convert/layout.h"
#include "demo/convert/quake.h"
#include "demo/convert/retarget.h"

// -- Formats --------------------------------------------------------------------------------------

enum { HAS_LOOKS = 1, PARENTS_FIRST = 2, HAS_FRAMES = 4, ONE_MESH = 8 | HAS_FRAMES | HAS_LOOKS };

static const struct format {
    const char *endings[7]; // up to NULL
    const char *title;
    convert_read_fn *read;   // NULL: cannot be read
    convert_write_fn *write; // NULL: cannot be written
    double unit;             // MD5's units in one of what is written
    // HAS_LOOKS: materials are sought; PARENTS_FIRST: joints are sorted; HAS_FRAMES: it has no
    // joints, and meshes of up to 999 vertices or, ONE_MESH, each material has one
    unsigned rules;
} formats[] = {
    {{".md5mesh", ".md5anim", ".md5camera"}, "MD5 text", convert_read_md5, convert_write_md5, 1, 0},
    {{".bmd5mesh", ".bmd5anim", ".bcanim"},
     "Doom 3 BFG's binary files",
     convert_read_md5,
     convert_write_md5,
     1,
     PARENTS_FIRST},
    {{".md5machine"}, "a model, its clips and morph targets", convert_read_machine, NULL, 1, 0},
    {{".glb", ".gltf"}, "glTF 2.0", convert_read_gltf, convert_write_gltf, 1 / 0.0254, HAS_LOOKS},
    {{".iqm"}, "Inter-Quake Model", convert_read_iqm, convert_write_iqm, 1, PARENTS_FIRST},
    {{".obj"}, "Wavefront OBJ: poses", NULL, convert_write_obj, 1, HAS_LOOKS},
    {{".bvh"}, "Biovision motion capture", convert_read_bvh, NULL, 1, 0},
    {{".mdl"}, "Quake: frames", convert_read_quake, convert_write_quake, 1, ONE_MESH},
    {{".md2"}, "Quake 2: frames", convert_read_quake, convert_write_quake, 1, ONE_MESH},
    {{".md3"}, "Quake 3: frames and tags", convert_read_quake, convert_write_quake, 1, HAS_FRAMES},
    {{".fbx", ".dae", ".x", ".b3d", ".ms3d", ".smd"},
     "FBX, Collada and others",
     convert_read_assimp,
     NULL,
     1,
     0},
};
enum { NUM_FORMATS = COMMON_LENGTH(formats) };

// Each ending is that of one format. NULL: of none.
static const struct format *find_format(const char *path)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        for (int k = 0; format->endings[k]; k++)
            if (common_has_ending(path, format->endings[k]))
                return format;
    }
    return NULL;
}

bool convert_reads(const char *path)
{
    const struct format *const format = find_format(path);
    return format && format->read;
}

bool convert_writes(const char *path)
{
    const struct format *const format = find_format(path);
    return format && format->write;
}

char *convert_find_output(const convert_job *job)
{
    const struct format *const format = find_format(job->output);
    if (!format || format->write != convert_write_md5)
        return common_copy(job->output);
    convert_layout layout = convert_find_layout(job, &(convert_scene){.num_parts = 0});
    char *const path = common_join(layout.folder, common_base(job->output));
    convert_free_layout(&layout);
    return path;
}

common_list convert_list_outputs(void)
{
    common_list list = {NULL, 0};
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        if (format->write)
            common_add(&list, common_copy(format->endings[0] + strlen(".")));
    }
    return list;
}

void convert_print_formats(void)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        int width = 0;
        for (int k = 0; format->endings[k]; k++)
            width += printf("%s ", format->endings[k]);
        printf("%*s %-8s %s\n", width < 32 ? 32 - width : 0, "",
               format->read && format->write ? "in, out"
               : format->read                ? "in"
                                             : "out",
               format->title);
    }
}

// -- The conversion -------------------------------------------------------------------------------

// Reads the file of an input, from disk or what the job reads from.
static bool read_bytes(const convert_job *job, convert_input *input, md5_error *error)
{
    if (!job->files.open) {
        input->bytes = convert_read_file(input->path, &input->size, error);
        return input->bytes;
    }
    md5_error why = {.message = ""};
    input->bytes = view_copy_file(job->files, input->path, &input->size, &why);
    return input->bytes
           || convert_fail(error, MD5_ERROR_IO, input->path, "%s",
                           why.message[0] != '\0' ? why.message
                                                  : "cannot read the file: not found");
}

static bool read_input(const convert_job *job, const char *path, convert_scene *scene,
                       md5_error *error)
{
    const struct format *const format = find_format(path);
    if (!format || !format->read)
        return convert_fail(error, MD5_ERROR_IO, path,
                            "unsupported input format: unknown file extension");
    convert_input input = {.path = path};
    if (!read_bytes(job, &input, error))
        return false;
    convert_budget budget;
    convert_begin_budget(&budget, input.size);
    convert_job limited = *job;
    limited.budget = &budget;
    const bool is_read = format->read(&limited, &input, scene, error);
    convert_end_budget(&budget, job);
    if (!is_read && error->file[0] == '\0') // of a document that the reader made, or the budget
        convert_name_file(error, path);
    free(input.bytes);
    return is_read;
}

// -- Clothes --------------------------------------------------------------------------------------

// Adds the meshes of a second model to the document of the first one.
static bool join_meshes(const convert_job *job, md5_doc *body, const md5_doc *doc,
                        const convert_part *part, common_list *names, md5_error *error)
{
    const char *const path = part->path ? part->path : part->name;
    common_worn worn = common_wear(body, doc);
    if (worn.is_related) {
        for (uint32_t i = 0; i < body->num_joints; i++)
            if (worn.num_followers[i] > 0)
                convert_note(job, "%u joints of %s were attached to joint %s",
                             worn.num_followers[i], part->name, body->joints[i].name);
    }
    free(worn.num_followers);
    if (!worn.is_related)
        return convert_fail(error, MD5_ERROR_MISMATCH, path,
                            "the models have no joint names in common: cannot merge them; a model "
                            "with the same vertex counts would become a morph target");
    if (worn.distance > 0.01f * worn.size && !job->is_forced)
        return convert_fail(
            error, MD5_ERROR_MISMATCH, path,
            "bind pose of joint %.80s differs from the first model's: vertices would move by up to "
            "%.4g units; use --force to merge the models anyway",
            worn.joint, worn.distance);
    const bool is_far = worn.distance > 0.001f * worn.size;
    convert_note(job, "merged %s into the model; vertices moved by at most %.3g units%s%s",
                 part->name, worn.distance, is_far ? ", at joint " : "", is_far ? worn.joint : "");
    md5_doc_mesh *const meshes =
        common_alloc(body->num_meshes + (size_t)doc->num_meshes, sizeof *meshes);
    memcpy(meshes, body->meshes, body->num_meshes * sizeof *meshes);
    body->meshes = meshes;
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        md5_doc_mesh *const mesh = &doc->meshes[i];
        const bool is_named = mesh->name && mesh->name[0] != '\0';
        mesh->name =
            common_add(names, common_format("%s/%s", part->name,
                                            is_named ? mesh->name : common_base(mesh->shader)));
        meshes[body->num_meshes++] = *mesh;
    }
    return true;
}

// Joins a second model to the first one, unless it can be a morph target. Then, or if it is of
// version 12, which is no document, it stays what it is.
static bool join_model(const convert_job *job, convert_scene *scene, convert_part *first,
                       const convert_part *part, bool *is_joined, md5_error *error)
{
    common_list names = {NULL, 0};
    md5_doc *const body = convert_parse_doc(first, error);
    md5_doc *const doc = body ? convert_parse_doc(part, error) : NULL;
    bool is_done = doc || (error->status == MD5_ERROR_VERSION && !part->is_worn);
    bool is_target = !doc
                     || (doc->num_joints == body->num_joints && doc->num_meshes == body->num_meshes
                         && !part->is_worn);
    for (uint32_t i = 0; doc && is_target && i < doc->num_meshes; i++)
        is_target = doc->meshes[i].num_vertices == body->meshes[i].num_vertices;
    if (!is_target) {
        md5_doc all = *body;
        is_done = join_meshes(job, &all, doc, part, &names, error)
                  && convert_print_doc(&all, &first->bytes, &first->size, error);
        if (all.meshes != body->meshes)
            free(all.meshes);
        *COMMON_MORE(scene->worn, scene->num_worn) =
            (convert_worn){common_copy(part->path), body->num_meshes};
    }
    common_free_list(&names);
    *is_joined = !is_target;
    md5_free_doc(body);
    md5_free_doc(doc);
    return is_done;
}

static bool join_models(const convert_job *job, convert_scene *scene, md5_error *error)
{
    size_t num_kept = 0;
    size_t first = 0;
    bool is_done = true;
    while (first < scene->num_parts && scene->parts[first].kind != CONVERT_MODEL)
        first++;
    for (size_t i = 0; i < scene->num_parts; i++) {
        const convert_part part = scene->parts[i];
        bool is_joined = false;
        if (is_done && part.is_model) // behind the first
            is_done = join_model(job, scene, &scene->parts[first], &part, &is_joined, error);
        if (is_joined)
            convert_free_part(&part);
        else
            scene->parts[num_kept++] = part;
    }
    scene->num_parts = num_kept;
    return is_done;
}

// -- The edit -------------------------------------------------------------------------------------
//
// Readers make MD5's units, of what --scale says where they select a unit; writers write those of
// their format. What the job asks for beyond that is done to the MD5 files in between.

typedef struct in_place {
    const md5_doc *clip;
    bool has_first;
    md5_vec3 first, motion; // of joint 0: where it begins, and has moved along the ground
} in_place;

static void take_base_off(void *user, md5_xform *pose)
{
    const md5_doc *const clip = ((in_place *)user)->clip;
    pose[0].translation = md5_vec3_sub(pose[0].translation, clip->joints[0].position);
}

// For md5_frame_edit.change: the first frame comes first.
static void stay_in_place(void *user, md5_xform *pose)
{
    in_place *const root = user;
    if (!root->has_first)
        root->first = pose[0].translation;
    root->has_first = true;
    root->motion = md5_vec3_sub(pose[0].translation, root->first);
    root->motion.z = 0;
    for (uint32_t i = 0; i < root->clip->num_joints; i++)
        if (root->clip->joints[i].parent == MD5_NONE)
            pose[i].translation = md5_vec3_sub(pose[i].translation, root->motion);
    pose[0].translation.x = root->first.x; // to the bit
    pose[0].translation.y = root->first.y;
}

// The keys of a morph target at the frames of a clip that is cut or sampled anew.
static void sample_weights(convert_weights *weights, const md5_frame_edit *cut, uint32_t num_frames)
{
    if (cut->num_frames > 0) {
        weights->num_keys = cut->num_frames;
        memmove(weights->keys, weights->keys + cut->first, cut->num_frames * sizeof(float));
    }
    float *const keys = common_alloc(num_frames, sizeof *keys);
    const size_t last = weights->num_keys - 1;
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const double at = num_frames > 1 ? frame * (double)last / (num_frames - 1.0) : 0;
        const size_t a = (size_t)at;
        const size_t b = a < last ? a + 1 : last;
        keys[frame] =
            weights->keys[a] + (weights->keys[b] - weights->keys[a]) * (float)(at - (double)a);
    }
    free(weights->keys);
    weights->keys = keys;
    weights->num_keys = num_frames;
}

static bool edit_clip(const convert_job *job, convert_scene *scene, convert_part *part,
                      md5_doc *clip, md5_error *error)
{
    // Frames that last years would else be many more than the clip has.
    const double most_factor = 100, fixed = 1 << 20; // poses of joints
    const uint32_t *const range = job->range;
    const uint32_t num_kept = range[1] > 0 ? range[1] - range[0] + 1 : 0;
    const uint32_t num_frames = num_kept > 0 ? num_kept : clip->num_frames;
    const double rate = clip->frame_rate;
    const double count = (num_frames - 1.0) / rate * job->rate + 1;
    in_place root = {.clip = clip};
    const md5_frame_edit edit = {.first = range[0],
                                 .num_frames = num_kept,
                                 .frame_rate = job->rate,
                                 .change = job->is_in_place  ? stay_in_place
                                           : job->is_id_root ? take_base_off
                                                             : NULL,
                                 .user = &root};
    if (count * clip->num_joints > fixed + most_factor * num_frames * clip->num_joints)
        return convert_fail(error, MD5_ERROR_RANGE, part->path,
                            "resampled clip would be too large: %.0f frames of %u joints at %g "
                            "frames per second; the clip has %u frames at %g",
                            count, clip->num_joints, job->rate, num_frames, rate);
    if (md5_edit_frames(clip, &edit, error) == MD5_NONE)
        return false;
    if (clip->num_frames != num_frames)
        convert_note(job, "clip %s: resampled %u frames at %g frames per second to %u at %g",
                     part->name, num_frames, rate, clip->num_frames, job->rate);
    for (size_t i = 0; i < scene->num_weights; i++) {
        convert_weights *const row = &scene->weights[i];
        if (row->num_keys != clip->num_frames && strcmp(row->clip, part->name) == 0)
            sample_weights(row, &edit, clip->num_frames);
    }
    part->motion = root.motion;
    if (job->is_in_place)
        convert_note(job, "clip %s: removed a root motion of %.4g units", part->name,
                     md5_vec3_length(root.motion));
    return true;
}

// Clips of version 6 have no hierarchy: they take that of the model.
static bool is_version_6(const convert_part *part)
{
    static const char text[] = "MD5Version 6";
    return part->kind == CONVERT_CLIP && part->size >= sizeof text
           && memcmp(part->bytes, text, sizeof text - 1) == 0;
}

// By what a clip of another file comes to the model's scale. Of one that is turned only a note says
// so: it may well do.
static float find_scale(const convert_job *job, const convert_part *part, const md5_model *model)
{
    const md5_load_opts opts = {.allow_partial_binding = true};
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(part->bytes, part->size, &opts, &error);
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, &error) : NULL;
    md5_check *const check =
        binding ? md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, NULL, &error) : NULL;
    float scale = 1;
    if (check && md5_check_binding(check, binding) && md5_check_turns(&check, 1)) {
        scale = check->space.scale;
        for (uint32_t i = 0; i < check->num_diagnostics; i++)
            convert_note(job, "clip %s: %s", part->name, check->diagnostics[i].error.message);
    }
    if (scale < 1 || scale > 1)
        convert_note(job, "clip %s: scaled by %.6g to match the model", part->name, scale);
    md5_free_check(check);
    md5_free_binding(binding);
    md5_free_anim(anim);
    return scale;
}

// Leaves out the meshes that are hidden.
static void drop_meshes(md5_doc *doc, const convert_scene *scene)
{
    const uint32_t count = doc->num_meshes;
    doc->num_meshes = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i >= scene->num_looks || scene->looks[i] != CONVERT_HIDDEN)
            doc->meshes[doc->num_meshes++] = doc->meshes[i];
}

static bool edit_scene(const convert_job *job, const struct format *format, convert_scene *scene,
                       md5_error *error)
{
    const double unit = scene->unit > 0 ? scene->unit : 1;
    const md5_space_edit space = {
        .rotation = {.yaw = (float)job->turn, .roll = job->was_y_up ? 90 : 0},
        .scale = (float)(job->scale > 0 ? job->scale * format->unit / unit : 1)};
    const md5_joint_edit order = {.root = NULL};
    const bool is_merged = (format->rules & ONE_MESH) == ONE_MESH;
    const md5_mesh_edit meshes = {.is_merged = is_merged,
                                  .drops_unused = true,
                                  .max_vertices = is_merged ? 0 : QUAKE_MAX_VERTICES,
                                  .max_triangles = is_merged ? 0 : QUAKE_MAX_TRIANGLES};
    const bool is_placed = job->turn != 0 || job->was_y_up || space.scale != 1;
    const bool is_moved = job->rate > 0 || job->is_in_place || job->is_id_root || job->range[1] > 0;
    const convert_part *const first = convert_find_model(scene);
    md5_model *model = NULL; // as it comes in, if there are clips of other files
    bool is_done = true;
    for (size_t i = 0; i < scene->num_parts && first && is_done && !model; i++)
        if (scene->parts[i].kind == CONVERT_CLIP && job->num_inputs > 1)
            is_done = (model = convert_parse_model(first, error)) != NULL;
    for (size_t i = 0; i < scene->num_parts && is_done; i++) {
        convert_part *const part = &scene->parts[i];
        const bool is_clip = part->kind == CONVERT_CLIP && is_moved;
        const bool is_sorted = (format->rules & PARENTS_FIRST) && part->kind != CONVERT_CAMERA;
        const bool is_old = model && is_version_6(part);
        const md5_space_edit fit = {
            .scale = model && part->kind == CONVERT_CLIP ? find_scale(job, part, model) : 1};
        const bool is_other = model && (is_old || fit.scale < 1 || fit.scale > 1); // boxes, too
        const bool is_model = part->kind == CONVERT_MODEL || part->kind == CONVERT_TARGET;
        const bool is_cut = (format->rules & HAS_FRAMES) && is_model;
        const bool is_hidden = is_model && job->said[CONVERT_NUM_MAPS].count > 0;
        if (!is_placed && !is_clip && !is_sorted && !is_other && !is_cut && !is_hidden)
            continue;
        md5_doc *const doc = convert_parse_doc(part, error);
        if (!doc && !is_placed && !is_clip && !is_other
            && !is_hidden) // version 12, whose joints are perhaps sorted
            continue;
        is_done = doc && (!is_old || md5_fix_joints(doc, model, false, error) != MD5_NONE)
                  && md5_edit_space(doc, &fit, error) != MD5_NONE
                  && (!is_other || (is_old && doc->bounds) || model->max_vertices == 0
                      || md5_fix_bounds(doc, model, error) != MD5_NONE);
        if (is_done && is_hidden)
            drop_meshes(doc, scene);
        const uint32_t num_moved = is_done && is_sorted ? md5_edit_joints(doc, &order, error) : 0;
        is_done = is_done && num_moved != MD5_NONE && md5_edit_space(doc, &space, error) != MD5_NONE
                  && (!is_clip || edit_clip(job, scene, part, doc, error))
                  && (!is_cut || md5_edit_meshes(doc, &meshes, error) != MD5_NONE)
                  && convert_print_doc(doc, &part->bytes, &part->size, error);
        md5_free_doc(doc);
        if (is_done && num_moved > 0)
            convert_note(job, "%s: reordered %u joints so that parents precede their children",
                         part->name, num_moved);
    }
    md5_free_model(model);
    return is_done;
}

// The first input that holds a model, as clips need it; else 0. Of MD5 files the ending says it.
static size_t find_first(const convert_job *job)
{
    convert_job quiet = *job;
    quiet.note = NULL;
    if (job->num_inputs > 1) {
        for (size_t i = 0; i < job->num_inputs; i++) {
            const char *const path = job->inputs[i];
            const struct format *const format = find_format(path);
            md5_error unused;
            convert_scene trial = {.num_parts = 0};
            const bool is_model = !format || format->read == convert_read_md5
                                      ? common_has_ending(path, "mesh")
                                      : !read_input(&quiet, path, &trial, &unused)
                                            || convert_find_model(&trial) != NULL;
            convert_free_scene(&trial);
            if (is_model)
                return i;
        }
    }
    return 0;
}

bool convert_read_all(const convert_job *job, convert_scene *scene, md5_error *error)
{
    const size_t first = find_first(job);
    bool is_done = read_input(job, job->inputs[first], scene, error);
    for (size_t i = 0; i < job->num_inputs && is_done; i++)
        is_done = i == first
                  || (convert_goes_on(job, error) && read_input(job, job->inputs[i], scene, error));
    for (size_t i = 0; i < job->worn.count && is_done; i++) {
        const size_t number = scene->num_parts;
        is_done = read_input(job, job->worn.names[i], scene, error)
                  && ((scene->num_parts > number && scene->parts[number].is_model)
                      || convert_fail(error, MD5_ERROR_MISMATCH, job->worn.names[i],
                                      "cannot attach the file as an outfit: expected a model"));
        if (is_done)
            scene->parts[number].is_worn = true; // NOLINT(clang-analyzer-core.NullDereference)
    }
    return is_done && join_models(job, scene, error);
}

// Whether a name of nothing that exists asks for a folder: one without an ending, or with one that
// holds a digit, as a version; or with a slash behind it.
static bool is_new_folder(const char *path)
{
    const char *const ending = strrchr(common_base(path), '.');
    return path[0] != '\0' && !common_is_folder(path) && !common_is_file(path)
           && (!ending || common_base(path)[0] == '\0'
               || (find_format(path) == NULL && ending[strcspn(ending, "0123456789")] != '\0'));
}

static bool read_and_write(const convert_job *job, md5_error *error)
{
    const bool is_new = is_new_folder(job->output);
    const bool is_folder = is_new || common_is_folder(job->output);
    const struct format *const format = is_folder ? formats : find_format(job->output);
    if (!format || !format->write)
        return convert_fail(error, MD5_ERROR_IO, job->output,
                            "unsupported output format: unknown file extension, and not a folder");
    if (!(format->rules & HAS_FRAMES)) {
        for (size_t i = 0; i < job->num_engines; i++)
            if (md5_find_engines(job->engines[i]) == 0)
                return convert_fail(error, MD5_ERROR_MISSING, job->output,
                                    "engine %s does not read MD5 files; md5tool check --rules "
                                    "lists the engines that do",
                                    job->engines[i]);
    }
    convert_job edit = *job;
    if (format->rules & HAS_FRAMES) { // its writer samples clips
        edit.is_in_place = !job->keeps_root;
        edit.rate = 0;
    }
    convert_scene scene = {.name = common_stem(is_folder ? job->inputs[0] : job->output)};
    bool is_done = convert_read_all(job, &scene, error);
    if (is_done && (job->prints_map || job->carried)) {
        is_done = convert_carry(job, &scene, false, error);
        if (!job->carried)
            convert_free_scene(&scene);
        else
            *job->carried = scene;
        return is_done;
    }
    if (is_done && scene.num_parts == 0)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                               "the file contains no model, animation or camera");
    bool has[CONVERT_TARGET + 1] = {false};
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        scene.declares |= job->said[map].count > 0;
    const bool is_said = scene.declares || job->said[CONVERT_NUM_MAPS].count > 0;
    for (size_t i = 0; i < scene.num_parts; i++)
        has[scene.parts[i].kind] = true;
    const bool is_moving = has[CONVERT_CLIP] || has[CONVERT_CAMERA];
    if (is_done && !job->is_batch
        && (((job->rate > 0 || job->tolerance > 0) && !is_moving)
            || ((job->is_in_place || job->is_id_root || job->range[1] > 0) && !has[CONVERT_CLIP])
            || ((job->influences > 0 || job->is_fitted || is_said) && !has[CONVERT_MODEL])))
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                               "an option has no effect: the file contains no %s",
                               has[CONVERT_MODEL] ? "clips" : "models");
    is_done = is_done && convert_carry(job, &scene, format->write != convert_write_md5, error);
    const bool finds = (format->rules & HAS_LOOKS) || job->engine || scene.declares;
    if (is_done && scene.declares && scene.num_materials > 0)
        is_done = convert_fail(error, MD5_ERROR_MISMATCH, job->inputs[0],
                               "cannot assign textures: the file already defines materials");
    if (is_done && ((finds && scene.num_materials == 0) || is_said))
        is_done = convert_find_looks(job, &scene, finds && scene.num_materials == 0,
                                     job->engine || format->write != convert_write_gltf, error);
    is_done = is_done && edit_scene(&edit, format, &scene, error);
    size_t num_seen = 0;
    for (size_t i = 0; i < scene.num_looks; i++)
        if (scene.looks[i] != CONVERT_HIDDEN)
            scene.looks[num_seen++] = scene.looks[i];
    scene.num_looks = num_seen;
    if (is_done && is_new) {
        char *const inner = common_join(job->output, "");
        common_make_folders(inner, 0777);
        free(inner);
    }
    is_done = is_done && format->write(job, &scene, error);
    if (is_done && scene.declares && format->write == convert_write_iqm) {
        convert_layout layout = convert_find_layout(job, &scene);
        is_done = convert_write_looks(&layout, error);
        convert_free_layout(&layout);
    }
    convert_free_scene(&scene);
    return is_done;
}

bool convert_files(const convert_job *job, md5_error *error)
{
    md5_error unused;
    // Readers have a budget for each file; in all other steps only the notes are limited.
    convert_budget notes;
    convert_begin_budget(&notes, UINT64_MAX);
    convert_job counted = *job;
    counted.budget = &notes;
    const bool is_done = read_and_write(&counted, error ? error : &unused);
    convert_end_budget(&notes, job);
    return is_done;
}
