// Runs a conversion. Reads all inputs, applies the options of the job to the scene, and calls the
// writer of the output format. `formats` is the table of readers and writers.
//
// Further models among the inputs are merged into the first model, or become its morph targets. The
// edits of each part are planned (part_plan) before the part is parsed as a document. The bytes of
// a part without edits therefore remain unchanged.
#include "demo/convert/budget.h"
#include "demo/convert/layout.h"
#include "demo/convert/quake.h"
#include "demo/convert/retarget.h"

// -- Formats --------------------------------------------------------------------------------------

// Rules for a format, combined as bits.
enum {
    SEARCHES_MATERIALS = 1, // images and materials are searched for, if the input has no materials
    PARENTS_FIRST = 2,      // joints are sorted so that parents precede their children
    HAS_FRAMES = 4,         // frames instead of joints; meshes have up to 999 vertices
    MERGES_MESHES = 8,      // frames of one mesh: all meshes with one material are merged
    NAMES_IMAGES = 16,      // shaders are the names of images, which are searched for near the file
    ONE_MESH = MERGES_MESHES | HAS_FRAMES | SEARCHES_MATERIALS,
};

static const struct format {
    const char *extensions[7]; // up to NULL
    const char *title;
    convert_read_fn *read;   // NULL if the format cannot be read
    convert_write_fn *write; // NULL if the format cannot be written
    double unit;             // MD5 units per unit of the format
    unsigned rules;          // bits
} formats[] = {
    {.extensions = {".md5mesh", ".md5anim", ".md5camera"},
     .title = "MD5 text",
     .read = convert_read_md5,
     .write = convert_write_md5,
     .unit = 1},
    {.extensions = {".bmd5mesh", ".bmd5anim", ".bcanim"},
     .title = "Doom 3 BFG's binary files",
     .read = convert_read_md5,
     .write = convert_write_md5,
     .unit = 1,
     .rules = PARENTS_FIRST},
    {.extensions = {".md5machine"},
     .title = "a model, its clips and morph targets",
     .read = convert_read_machine,
     .unit = 1},
    {.extensions = {".glb", ".gltf"},
     .title = "glTF 2.0",
     .read = convert_read_gltf,
     .write = convert_write_gltf,
     .unit = 1 / 0.0254,
     .rules = SEARCHES_MATERIALS},
    {.extensions = {".vrm", ".vrma"},
     .title = "VRM: glTF with the bones of a human body",
     .read = convert_read_gltf,
     .unit = 1},
    {.extensions = {".iqm"},
     .title = "Inter-Quake Model",
     .read = convert_read_iqm,
     .write = convert_write_iqm,
     .unit = 1,
     .rules = PARENTS_FIRST | NAMES_IMAGES},
    {.extensions = {".obj"},
     .title = "Wavefront OBJ: poses",
     .write = convert_write_obj,
     .unit = 1,
     .rules = SEARCHES_MATERIALS},
    {.extensions = {".bvh"},
     .title = "Biovision motion capture",
     .read = convert_read_bvh,
     .unit = 1},
    {.extensions = {".smd"},
     .title = "Source: a model or a sequence",
     .read = convert_read_smd,
     .unit = 1,
     .rules = NAMES_IMAGES},
    {.extensions = {".psk", ".psa"},
     .title = "Unreal (ActorX): a model or its clips",
     .read = convert_read_psk,
     .unit = 1},
    {.extensions = {".mdl"},
     .title = "Quake: frames",
     .read = convert_read_quake,
     .write = convert_write_quake,
     .unit = 1,
     .rules = ONE_MESH},
    {.extensions = {".md2"},
     .title = "Quake 2: frames",
     .read = convert_read_quake,
     .write = convert_write_quake,
     .unit = 1,
     .rules = ONE_MESH},
    {.extensions = {".md3"},
     .title = "Quake 3: frames and tags",
     .read = convert_read_quake,
     .write = convert_write_quake,
     .unit = 1,
     .rules = HAS_FRAMES},
    {.extensions = {".fbx", ".dae", ".x", ".b3d", ".ms3d"},
     .title = "FBX, Collada and others",
     .read = convert_read_assimp,
     .unit = 1},
};
enum { NUM_FORMATS = COMMON_LENGTH(formats) };

// Returns the format with the extension of a path, or NULL. No two formats share an extension.
static const struct format *find_format(const char *path)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        for (int k = 0; format->extensions[k]; k++) {
            if (common_has_suffix(path, format->extensions[k]))
                return format;
        }
    }
    return NULL;
}

bool convert_can_read(const char *path)
{
    const struct format *const format = find_format(path);
    return format && format->read;
}

bool convert_can_write(const char *path)
{
    const struct format *const format = find_format(path);
    return format && format->write;
}

// Returns the path of the file that a conversion will write. For MD5 text it depends on the
// layout of the engine's folder.
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

// Returns the file extensions, without dots, of all formats that can be written.
common_list convert_list_outputs(void)
{
    common_list list = {NULL, 0};
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        if (format->write)
            common_add(&list, common_copy(format->extensions[0] + strlen(".")));
    }
    return list;
}

// Returns "in", "out", or "in, out" for a format that can be read, written, or both.
static const char *describe_direction(const struct format *format)
{
    if (format->read && format->write)
        return "in, out";
    return format->read ? "in" : "out";
}

// Prints the table of formats, one per line: the extensions, the directions, and the title.
void convert_print_formats(void)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        int width = 0;
        for (int k = 0; format->extensions[k]; k++)
            width += printf("%s ", format->extensions[k]);
        const int padding = width < 32 ? 32 - width : 0;
        printf("%*s %-8s %s\n", padding, "", describe_direction(format), format->title);
    }
}

// -- Inputs ---------------------------------------------------------------------------------------

// Reads an input file from the disk or from the job's file system.
static bool read_bytes(const convert_job *job, convert_input *input, md5_error *error)
{
    if (!job->files.open) {
        input->bytes = convert_read_file(input->path, &input->size, error);
        return input->bytes;
    }

    md5_error reason = {.message = ""};
    input->bytes = view_copy_file(job->files, input->path, &input->size, &reason);
    if (input->bytes)
        return true;
    const bool has_reason = reason.message[0] != '\0';
    return convert_fail(error, MD5_ERROR_IO, input->path, "%s",
                        has_reason ? reason.message : "cannot read the file: file not found");
}

// Reads one input file into the scene with the reader for its file extension. Each file has its
// own budget of memory, work and notes, which is proportional to its size.
static bool read_input(const convert_job *job, const char *path, convert_scene *scene,
                       md5_error *error)
{
    const struct format *const format = find_format(path);
    if (!format || !format->read)
        return convert_fail(error, MD5_ERROR_IO, path,
                            "unsupported input format: %s; run md5tool convert --formats to list "
                            "the formats",
                            format ? "this format can only be written" : "unknown file extension");

    convert_input input = {.path = path};
    if (!read_bytes(job, &input, error))
        return false;

    const bool had_model = convert_find_model(scene) || scene->image_path;
    convert_budget budget;
    convert_begin_budget(&budget, input.size);
    convert_job limited = *job;
    limited.budget = &budget;
    const bool is_read = format->read(&limited, &input, scene, error);
    convert_end_budget(&budget, job);
    if (is_read && !had_model && (format->rules & NAMES_IMAGES))
        scene->image_path = common_copy(path);
    if (!is_read && error->file[0] == '\0') // an error in a created document or in the budget
        convert_name_file(error, path);

    free(input.bytes);
    return is_read;
}

// -- Outfits --------------------------------------------------------------------------------------
//
// Further models among the inputs are merged into the first model if their joints have the same
// names. Such a model is called an outfit, and the first model is called the body.

// Reports to which joints of the body the outfit's joints were attached.
static void note_attached_joints(const convert_job *job, const md5_doc *body,
                                 const common_attached_clothes *worn, const char *outfit_name)
{
    if (!worn->has_common_joint)
        return;
    for (uint32_t i = 0; i < body->num_joints; i++) {
        if (worn->num_followers[i] > 0)
            convert_note(job, "attached %u %s of %s to joint %s", worn->num_followers[i],
                         common_noun(worn->num_followers[i], "joint", "joints"), outfit_name,
                         body->joints[i].name);
    }
}

// Attaches the joints of an outfit to the joints of the body with the same names. Returns false and
// fills the error if the models do not fit together. This is the case if they have no common joint,
// or if vertices would move because the bind poses differ.
static bool attach_joints(const convert_job *job, md5_doc *body, const md5_doc *outfit,
                          const convert_part *part, md5_error *error)
{
    // Limits of the distance that vertices may move, relative to the size of the model.
    const float max_distance = 0.01f;            // larger distances are an error
    const float max_unnoticed_distance = 0.001f; // for larger distances the note contains the joint
    const char *const path = part->path ? part->path : part->name;
    common_attached_clothes worn = common_attach_clothes(body, outfit);
    note_attached_joints(job, body, &worn, part->name);
    free(worn.num_followers);

    if (!worn.has_common_joint)
        return convert_fail(
            error, MD5_ERROR_MISMATCH, path,
            "cannot merge the models: expected joints with the same names; for a morph "
            "target, use a model with the same vertex counts");
    if (worn.distance > max_distance * worn.size && !job->is_forced)
        return convert_fail(
            error, MD5_ERROR_MISMATCH, path,
            "bind pose of joint %.80s differs from the first model's: vertices would move by up to "
            "%.4g units; use --force to merge the models anyway",
            worn.joint, worn.distance);

    const bool is_far = worn.distance > max_unnoticed_distance * worn.size;
    const char *const location = is_far ? ", at joint " : "";
    const char *const joint = is_far ? worn.joint : "";
    convert_note(job, "merged %s into the model; vertices moved by at most %.3g units%s%s",
                 part->name, worn.distance, location, joint);
    return true;
}

// Appends the meshes of an outfit to the body, with names "outfit/mesh", which `names` owns. The
// caller frees the new array body->meshes.
static void append_meshes(md5_doc *body, const md5_doc *outfit, const convert_part *part,
                          common_list *names)
{
    md5_doc_mesh *const meshes =
        common_alloc(body->num_meshes + (size_t)outfit->num_meshes, sizeof *meshes);
    memcpy(meshes, body->meshes, body->num_meshes * sizeof *meshes);
    body->meshes = meshes;
    for (uint32_t i = 0; i < outfit->num_meshes; i++) {
        md5_doc_mesh *const mesh = &outfit->meshes[i];
        const bool is_named = mesh->name && mesh->name[0] != '\0';
        const char *const name = is_named ? mesh->name : common_base(mesh->shader);
        mesh->name = common_add(names, common_format("%s/%s", part->name, name));
        meshes[body->num_meshes++] = *mesh;
    }
}

// Returns true if two models have the same numbers of joints, meshes and vertices. Only then can
// one be a morph target of the other.
static bool has_same_counts(const md5_doc *a, const md5_doc *b)
{
    if (a->num_joints != b->num_joints || a->num_meshes != b->num_meshes)
        return false;
    for (uint32_t i = 0; i < a->num_meshes; i++) {
        if (a->meshes[i].num_vertices != b->meshes[i].num_vertices)
            return false;
    }
    return true;
}

// Merges an outfit into the body and replaces the bytes of the body's part by the result.
static bool merge_outfit(const convert_job *job, const md5_doc *body, md5_doc *outfit,
                         convert_part *body_part, const convert_part *outfit_part, md5_error *error)
{
    md5_doc merged = *body;
    if (!attach_joints(job, &merged, outfit, outfit_part, error))
        return false;
    common_list names = {NULL, 0};
    append_meshes(&merged, outfit, outfit_part, &names);
    const bool is_done = convert_print_doc(&merged, &body_part->bytes, &body_part->size, error);
    free(merged.meshes);
    common_free_list(&names);
    return is_done;
}

// Merges a further model into the first model. *is_joined becomes false if the model remains a
// separate part. One reason is that it can be a morph target, because the counts of both are equal.
// The other reason is version 12, which documents (md5edit.h) do not support.
static bool join_model(const convert_job *job, convert_scene *scene, convert_part *first,
                       const convert_part *part, bool *is_joined, md5_error *error)
{
    md5_doc *const body = convert_parse_doc(first, error);
    md5_doc *const doc = body ? convert_parse_doc(part, error) : NULL;
    bool is_done = doc || (error->status == MD5_ERROR_VERSION && !part->is_outfit);
    *is_joined = doc && (part->is_outfit || !has_same_counts(doc, body));
    if (*is_joined) {
        is_done = merge_outfit(job, body, doc, first, part, error);
        *COMMON_ADD_ITEM(scene->outfits, scene->num_outfits) =
            (convert_outfit){common_copy(part->path), body->num_meshes};
    }

    md5_free_doc(body);
    md5_free_doc(doc);
    return is_done;
}

// Merges the further models into the first model and removes their parts. Models that join_model()
// does not merge remain in the scene.
static bool join_models(const convert_job *job, convert_scene *scene, md5_error *error)
{
    size_t first = 0;
    while (first < scene->num_parts && scene->parts[first].kind != CONVERT_MODEL)
        first++;

    size_t num_remaining = 0;
    bool is_done = true;
    for (size_t i = 0; i < scene->num_parts; i++) {
        const convert_part part = scene->parts[i];
        bool is_joined = false;
        if (is_done && part.is_model) // a model after the first model
            is_done = join_model(job, scene, &scene->parts[first], &part, &is_joined, error);
        if (is_joined)
            convert_free_part(&part);
        else
            scene->parts[num_remaining++] = part;
    }
    scene->num_parts = num_remaining;
    return is_done;
}

// -- Edits ----------------------------------------------------------------------------------------
//
// Options are applied to MD5 files, between reading and writing. Readers create models in MD5
// units. If a reader selects the unit, it multiplies the unit by --scale. Writers convert to the
// units of their format.

// State of editing the root motion of a clip, frame by frame. Games move the character by the
// motion of joint 0, the root.
typedef struct clip_displacement {
    const md5_doc *clip;
    bool has_first;  // `first` is valid
    md5_vec3 first;  // position of joint 0 in the first frame
    md5_vec3 motion; // displacement of joint 0 along the ground since the first frame
} clip_displacement;

// Subtracts the position that joint 0 has in the base frame. It is a callback for
// md5_frame_edit.change.
static void make_base_relative(void *user, md5_xform *pose)
{
    const md5_doc *const clip = ((clip_displacement *)user)->clip;
    pose[0].translation = md5_vec3_sub(pose[0].translation, clip->joints[0].position);
}

// Removes the motion of joint 0 along the ground from all root joints. It is a callback for
// md5_frame_edit.change. The first call must be for the first frame, because the motion is relative
// to this frame.
static void remove_ground_motion(void *user, md5_xform *pose)
{
    clip_displacement *const root = user;
    const md5_vec3 position = pose[0].translation;
    if (!root->has_first) {
        root->first = position;
        root->has_first = true;
    }

    root->motion = md5_vec3_sub(position, root->first);
    root->motion.z = 0;
    for (uint32_t i = 0; i < root->clip->num_joints; i++) {
        const bool is_root = root->clip->joints[i].parent == MD5_NONE;
        if (is_root)
            pose[i].translation = md5_vec3_sub(pose[i].translation, root->motion);
    }

    // Copy x and y, so that rounding errors do not make the frames differ.
    pose[0].translation.x = root->first.x;
    pose[0].translation.y = root->first.y;
}

// Returns true if the job selects frames.
static bool has_range(const convert_job *job)
{
    return job->range[0] != job->range[1];
}

// Reverses the order of the keys of a morph target's weights.
static void reverse_keys(convert_weights *weights)
{
    const size_t last = weights->num_keys - 1;
    for (size_t i = 0; i < weights->num_keys / 2; i++) {
        const float key = weights->keys[i];
        weights->keys[i] = weights->keys[last - i];
        weights->keys[last - i] = key;
    }
}

// Changes the weights of a morph target as the frames of its clip are changed. Selects the same
// frames, reverses them if the clip is reversed, and resamples them linearly to `num_frames`.
static void sample_weights(convert_weights *weights, const md5_frame_edit *cut, uint32_t num_frames)
{
    if (cut->num_frames > 0) {
        weights->num_keys = cut->num_frames;
        memmove(weights->keys, weights->keys + cut->first, cut->num_frames * sizeof(float));
    }
    if (cut->is_reversed)
        reverse_keys(weights);

    const size_t last = weights->num_keys - 1;
    float *const keys = common_alloc(num_frames, sizeof *keys);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const double position = num_frames > 1 ? frame * (double)last / (num_frames - 1.0) : 0;
        const size_t before = (size_t)position;
        const size_t after = before < last ? before + 1 : last;
        const float fraction = (float)(position - (double)before);
        const float change = weights->keys[after] - weights->keys[before];
        keys[frame] = weights->keys[before] + change * fraction;
    }
    free(weights->keys);
    weights->keys = keys;
    weights->num_keys = num_frames;
}

// Finds the joint that carries the motion of a clip along the ground. motion->joint becomes
// MD5_NONE if joint 0 carries it, because games need no change then. The document is written and
// parsed as a clip for this.
bool convert_find_root_motion(const md5_doc *clip, md5_root_motion *motion, md5_error *error)
{
    *motion = (md5_root_motion){.joint = MD5_NONE};
    size_t size = 0;
    char *text = NULL;
    md5_anim *const anim = convert_print_doc(clip, &text, &size, error)
                               ? md5_parse_anim(text, size, NULL, error)
                               : NULL;
    free(text);
    if (!anim)
        return false;
    *motion = md5_find_root_motion(anim);
    if (motion->joint == 0)
        motion->joint = MD5_NONE;
    md5_free_anim(anim);
    return true;
}

// Moves root motion from a joint to the root of the clip. Fails if the joint is the root itself.
bool convert_move_root_motion(md5_doc *clip, const md5_root_edit *edit, uint32_t *num_changed,
                              md5_error *error)
{
    if (edit->joint && strcmp(clip->joints[0].name, edit->joint) == 0)
        return convert_fail(error, MD5_ERROR_MISMATCH, "",
                            "--root-motion: joint '%.100s' is the first joint: use --add-root NAME "
                            "for the mesh and its clips to add a root above it",
                            edit->joint);
    *num_changed = edit->joint ? md5_edit_root(clip, edit, error) : 0;
    return *num_changed != MD5_NONE;
}

// Reports the joint that carries the motion along the ground if joint 0 does not. The option --root
// in_place then has no effect, because it changes only the motion of joint 0.
static bool note_still_root(const convert_job *job, const convert_part *part, const md5_doc *clip,
                            md5_error *error)
{
    md5_root_motion motion = {.joint = MD5_NONE};
    if (!convert_find_root_motion(clip, &motion, error))
        return false;
    if (motion.joint == MD5_NONE)
        return true;
    const char *const joint = clip->joints[motion.joint].name;
    convert_note(job,
                 "clip %s: the root does not move; joint '%s' carries the motion along the "
                 "ground; use --root-motion '%s' to remove it",
                 part->name, joint, joint);
    return true;
}

// If the user named a joint, moves its root motion to joint 0. If the motion is to be removed and
// no joint is named, reports the joint that carries it.
static bool edit_root_motion(const convert_job *job, const convert_part *part, md5_doc *clip,
                             md5_error *error)
{
    uint32_t num_changed = 0;
    if (!convert_move_root_motion(clip, &job->root, &num_changed, error))
        return false;
    if (num_changed > 0)
        convert_note(job, "clip %s: moved the root motion of joint '%s' to joint '%s'", part->name,
                     job->root.joint, clip->joints[0].name);
    const bool is_named = job->root.joint != NULL;
    return !job->is_in_place || is_named || note_still_root(job, part, clip, error);
}

// Fails if a resampled clip would be too large. If the frame rate of a file is tiny, each frame
// lasts very long, and resampling could create millions of frames. `num_frames` is the number
// before resampling.
static bool check_frame_count(const convert_job *job, const convert_part *part, const md5_doc *clip,
                              uint32_t num_frames, md5_error *error)
{
    const double max_growth = 100;
    const double free_joint_poses = 1 << 20; // joint poses that are always accepted
    const double rate = clip->frame_rate;
    const double count = (num_frames - 1.0) / rate * job->rate + 1;
    const double limit = free_joint_poses + max_growth * num_frames * clip->num_joints;
    if (count * clip->num_joints <= limit)
        return true;
    return convert_fail(error, MD5_ERROR_RANGE, part->path,
                        "resampled clip is too large: %.0f frames of %u joints at %g frames per "
                        "second, from %u frames at %g; use a smaller --rate",
                        count, clip->num_joints, job->rate, num_frames, rate);
}

// Returns the edit of frames that the job requests. It consists of the range of frames, the frame
// rate, and the change of the root's motion. `root` receives the state of this change, frame by
// frame.
static md5_frame_edit plan_frame_edit(const convert_job *job, clip_displacement *root)
{
    const bool is_reversed = job->range[0] > job->range[1];
    const uint32_t first = job->range[is_reversed ? 1 : 0];
    const uint32_t last = job->range[is_reversed ? 0 : 1];
    md5_frame_edit edit = {.first = first,
                           .num_frames = last > first ? last - first + 1 : 0, // 0: all frames
                           .is_reversed = is_reversed,
                           .frame_rate = job->rate,
                           .user = root};
    if (job->is_in_place)
        edit.change = remove_ground_motion;
    else if (job->is_id_root)
        edit.change = make_base_relative;
    return edit;
}

// Applies the edit of a clip's frames to the weights of its morph targets, because the weights need
// exactly one key per frame.
static void edit_weights(convert_scene *scene, const char *clip_name, const md5_frame_edit *edit,
                         uint32_t num_frames)
{
    for (size_t i = 0; i < scene->num_weights; i++) {
        convert_weights *const weights = &scene->weights[i];
        const bool is_changed = weights->num_keys != num_frames || edit->is_reversed;
        if (is_changed && strcmp(weights->clip, clip_name) == 0)
            sample_weights(weights, edit, num_frames);
    }
}

// Cuts and resamples a clip and the weights of its morph targets, and changes its root motion.
static bool edit_clip(const convert_job *job, convert_scene *scene, convert_part *part,
                      md5_doc *clip, md5_error *error)
{
    clip_displacement root = {.clip = clip};
    const md5_frame_edit edit = plan_frame_edit(job, &root);
    const uint32_t num_cut_frames = edit.num_frames > 0 ? edit.num_frames : clip->num_frames;
    const double rate = clip->frame_rate;
    if (!check_frame_count(job, part, clip, num_cut_frames, error))
        return false;
    if (!edit_root_motion(job, part, clip, error)
        || md5_edit_frames(clip, &edit, error) == MD5_NONE)
        return false;

    if (clip->num_frames != num_cut_frames)
        convert_note(job,
                     "clip %s: resampled from %u frames at %g frames per second to %u frames at %g",
                     part->name, num_cut_frames, rate, clip->num_frames, job->rate);
    edit_weights(scene, part->name, &edit, clip->num_frames);
    part->removed_motion = root.motion;
    if (job->is_in_place)
        convert_note(job, "clip %s: removed a root motion of %.4g units", part->name,
                     md5_vec3_length(root.motion));
    return true;
}

// Returns true if a part is a clip of version 6. Such clips do not contain a hierarchy; they use
// the hierarchy of the model.
static bool is_version_6(const convert_part *part)
{
    static const char text[] = "MD5Version 6";
    return part->kind == CONVERT_CLIP && part->size >= sizeof text
           && memcmp(part->bytes, text, sizeof text - 1) == 0;
}

// Reports the differences between a clip and its model that a check of the library has found. The
// scale and the axes of joints are not reported here, because the conversion corrects them and
// reports the correction. Returns true if the axes differ.
static bool note_differences(const convert_job *job, const convert_part *part,
                             const md5_check *check)
{
    bool has_different_axes = false;
    for (uint32_t i = 0; i < check->num_diagnostics; i++) {
        const char *const rule = check->diagnostics[i].rule;
        const bool is_about_axes = strcmp(rule, "clip-axes") == 0;
        const bool is_about_scale = strcmp(rule, "clip-scale") == 0;
        if (is_about_axes)
            has_different_axes = true;
        else if (!is_about_scale)
            convert_note(job, "clip %s: %s", part->name, check->diagnostics[i].error.message);
    }
    return has_different_axes;
}

// Returns the factor that scales a clip to the size of the model, or 1 if it cannot be found. A
// different orientation of the clip may be intended, so it is only reported. *has_different_axes
// becomes true if the clip's joints have other axes than the model's joints.
static float find_scale(const convert_job *job, const convert_part *part, const md5_model *model,
                        bool *has_different_axes)
{
    const md5_load_opts opts = {.allow_partial_binding = true};
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(part->bytes, part->size, &opts, &error);
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, &error) : NULL;
    md5_check *check = NULL;
    if (binding)
        check = md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, NULL, &error);

    float scale = 1;
    const bool is_compared =
        check && md5_check_binding(check, binding) && md5_check_turns(&check, 1);
    if (is_compared) {
        scale = check->space.scale;
        *has_different_axes |= note_differences(job, part, check);
    }
    if (scale < 1 || scale > 1)
        convert_note(job, "clip %s: scaled by %.6g to match the model", part->name, scale);

    md5_free_check(check);
    md5_free_binding(binding);
    md5_free_anim(anim);
    return scale;
}

// Removes the hidden meshes of a model. Reports if no mesh remains, because the output then shows
// nothing.
static void drop_meshes(const convert_job *job, const convert_scene *scene,
                        const convert_part *part, md5_doc *doc)
{
    const uint32_t count = doc->num_meshes;
    doc->num_meshes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= scene->num_mesh_materials || scene->mesh_materials[i] != CONVERT_HIDDEN)
            doc->meshes[doc->num_meshes++] = doc->meshes[i];
    }
    if (doc->num_meshes == 0 && part->kind == CONVERT_MODEL)
        convert_note(job, "%s: all meshes are hidden, so only joints remain", part->name);
}

// The edits of all parts of a scene that follow from the options and the output format.
typedef struct scene_edit {
    const convert_job *job;
    convert_scene *scene;
    unsigned rules;       // rules of the output format
    md5_space_edit space; // scale and rotation of all parts
    bool changes_space;   // `space` is not the identity
    bool changes_frames;  // clips are resampled or cut, or their root motion changes
    md5_mesh_edit meshes; // limits of frame formats
    bool adds_joints;     // the engine needs at least as many joints as meshes
    bool joins_roots;     // the engine rejects several roots
    md5_model *model;     // the unedited model, if clips come from other files
} scene_edit;

// Rotates the axes of a clip's joints to the axes that these joints have in the model.
static bool rotate_axes(const convert_job *job, const convert_part *part, md5_doc *doc,
                        const md5_model *model, md5_error *error)
{
    float max_angle = 0;
    const uint32_t count = md5_fix_axes(doc, model, &max_angle, error);
    if (count != MD5_NONE && count > 0)
        convert_note(job,
                     "clip %s: rotated the axes of %u %s by up to %.3g degrees to match the model",
                     part->name, count, common_noun(count, "joint", "joints"), max_angle);
    return count != MD5_NONE;
}

// Adds the joint job->new_root above all roots. Fails if another joint already has this name.
static bool add_root(const convert_job *job, const convert_part *part, md5_doc *doc,
                     md5_error *error)
{
    uint32_t count = 0;
    if (md5_edit_joints(doc, &(md5_joint_edit){.root = job->new_root}, error) == MD5_NONE)
        return false;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        if (strcmp(doc->joints[j].name, job->new_root) == 0)
            count++;
    }
    if (count >= 2)
        return convert_fail(
            error, MD5_ERROR_MISMATCH, part->path,
            "--add-root %.100s: %u joints would get the same name; choose another name",
            job->new_root, count);
    return true;
}

// Returns an index of the names of all joints, which the caller frees before the document.
static common_text_index index_joint_names(const md5_doc *doc)
{
    common_text_index names = {.count = 0};
    for (uint32_t j = 0; j < doc->num_joints; j++)
        common_index_text(&names, doc->joints[j].name, strlen(doc->joints[j].name));
    return names;
}

static uint32_t count_roots(const md5_doc *doc)
{
    uint32_t num_roots = 0;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        if (doc->joints[j].parent == MD5_NONE)
            num_roots++;
    }
    return num_roots;
}

// Adds a joint above all roots of a model, if it has several. The writer adds it to the clips, as
// it does with all joints that only the model has. The joint is called "origin", as Doom 3 expects,
// or origin_1 and so on if the model has such a joint.
static bool join_roots(const convert_job *job, const convert_part *part, md5_doc *doc,
                       md5_error *error)
{
    const uint32_t num_roots = count_roots(doc);
    if (num_roots <= 1)
        return true;

    common_text_index used_names = index_joint_names(doc);
    char *name = common_copy("origin");
    for (uint32_t i = 1; common_has_text(&used_names, name); i++) {
        free(name);
        name = common_format("origin_%u", i);
    }
    common_free_text_index(&used_names);

    const bool is_done = md5_edit_joints(doc, &(md5_joint_edit){.root = name}, error) != MD5_NONE;
    if (is_done)
        convert_note(job, "%s: added the joint '%s' above %u roots: %s accepts only one root",
                     part->name, name, num_roots, job->engine);
    free(name);
    return is_done;
}

// Adds unused joints at the end of a model until it has as many joints as meshes. Each is a child
// of the first joint and has the same transform. The writer adds them to the clips, as it does with
// all joints that only the model has. Adds nothing if the engine does not support that many joints.
// `names` receives the names of the added joints. Returns the new array of joints, or NULL if no
// joint was added. The caller frees both after the document.
static md5_doc_joint *add_joint_per_mesh(const convert_job *job, const convert_part *part,
                                         md5_doc *doc, common_list *names)
{
    enum { MAX_JOINTS = 256 }; // limit of all engines that need as many joints as meshes
    const uint32_t num_joints = doc->num_joints;
    const uint32_t num_meshes = doc->num_meshes;
    if (num_joints == 0 || num_joints >= num_meshes)
        return NULL;
    if (num_meshes > MAX_JOINTS) {
        convert_note(job,
                     "%s: too many meshes: %s needs as many joints as meshes and supports at most "
                     "%d joints: expected at most %d meshes, found %u; merge meshes of the same "
                     "material with md5tool fix --merge, or convert parts of the model with --hide",
                     part->name, job->engine, MAX_JOINTS, MAX_JOINTS, num_meshes);
        return NULL;
    }

    common_text_index used_names = index_joint_names(doc);
    md5_doc_joint *const joints = common_alloc(num_meshes, sizeof *joints);
    memcpy(joints, doc->joints, num_joints * sizeof *joints);
    for (uint32_t i = 1; doc->num_joints < num_meshes; i++) {
        char *const name = common_format("unused_%u", i);
        if (common_has_text(&used_names, name)) {
            free(name);
            continue;
        }
        md5_doc_joint *const joint = &joints[doc->num_joints++];
        *joint = (md5_doc_joint){.name = common_add(names, name),
                                 .parent = 0,
                                 .position = joints[0].position,
                                 .rotation = joints[0].rotation};
    }
    doc->joints = joints;
    common_free_text_index(&used_names);

    const uint32_t num_added = num_meshes - num_joints;
    convert_note(job, "%s: added %u unused %s: %s needs as many joints as meshes", part->name,
                 num_added, common_noun(num_added, "joint", "joints"), job->engine);
    return joints;
}

// The edits of one part. All members are false or 1 if the part stays unchanged.
typedef struct part_plan {
    bool lacks_hierarchy;    // a clip of version 6 gets the hierarchy of the model
    bool has_different_axes; // the joints of a clip get the axes of the model
    float fit_scale;         // scale of a clip that matches the model
    bool is_fitted;          // one of the edits above changes the clip
    bool hides_meshes;       // --hide
    bool is_sorted;          // parents precede their children
    bool gets_root;          // --add-root
    bool adds_joints;        // the engine needs at least as many joints as meshes
    bool joins_roots;        // the engine rejects several roots
    bool changes_frames;     // clips are resampled or cut, or their root motion changes
    bool is_split;           // meshes are split for frame formats
} part_plan;

// Decides which changes a part of the scene needs. They follow from the options of the job, the
// limits of the output format, and the differences between a clip and the model. The part is not
// parsed as a document yet.
static part_plan plan_part(const scene_edit *edit, const convert_part *part)
{
    const convert_job *const job = edit->job;
    const bool is_clip = part->kind == CONVERT_CLIP;
    const bool is_model = part->kind == CONVERT_MODEL || part->kind == CONVERT_TARGET;
    const bool has_joints = part->kind != CONVERT_CAMERA;
    const bool needs_order = edit->rules & PARENTS_FIRST;
    const bool needs_split = edit->rules & HAS_FRAMES;
    part_plan plan = {
        .lacks_hierarchy = edit->model && is_version_6(part),
        .fit_scale = 1,
        .hides_meshes = is_model && job->mesh_options[CONVERT_HIDE].count > 0,
        .is_sorted = has_joints && needs_order,
        .gets_root = has_joints && job->new_root,
        .adds_joints = is_model && edit->adds_joints,
        .joins_roots = is_model && edit->joins_roots,
        .changes_frames = is_clip && edit->changes_frames,
        .is_split = is_model && needs_split,
    };

    if (edit->model && is_clip)
        plan.fit_scale = find_scale(job, part, edit->model, &plan.has_different_axes);
    const bool is_scaled = plan.fit_scale < 1 || plan.fit_scale > 1;
    plan.is_fitted = plan.lacks_hierarchy || is_scaled || plan.has_different_axes;
    return plan;
}

// Returns true if the part must be changed, so that it is an error if it cannot be parsed. Ignores
// sorting of joints and splitting of meshes, because the part may already be in order and small
// enough.
static bool must_edit(const scene_edit *edit, const part_plan *plan)
{
    const bool changes_space = edit->changes_space || plan->is_fitted;
    const bool changes_joints = plan->gets_root || plan->hides_meshes;
    return changes_space || changes_joints || plan->changes_frames;
}

// Changes a clip of another file so that its hierarchy, scale and axes match the model. Does
// nothing if there is no model or nothing differs.
static bool fit_to_model(const scene_edit *edit, const part_plan *plan, const convert_part *part,
                         md5_doc *doc, md5_error *error)
{
    const md5_model *const model = edit->model;
    if (!model || !plan->is_fitted)
        return true;

    const md5_space_edit fit = {.scale = plan->fit_scale};
    if (plan->lacks_hierarchy && md5_fix_joints(doc, model, false, error) == MD5_NONE)
        return false;
    if (md5_edit_space(doc, &fit, error) == MD5_NONE)
        return false;
    if (plan->has_different_axes && !rotate_axes(edit->job, part, doc, model, error))
        return false;

    const bool has_valid_bounds = plan->lacks_hierarchy && doc->bounds;
    if (has_valid_bounds || model->max_vertices == 0)
        return true;
    return md5_fix_bounds(doc, model, error) != MD5_NONE;
}

// Makes the planned changes of a part in its document. *num_reordered receives the number of joints
// whose index changed.
static bool edit_doc(const scene_edit *edit, const part_plan *plan, convert_part *part,
                     md5_doc *doc, uint32_t *num_reordered, md5_error *error)
{
    if (!fit_to_model(edit, plan, part, doc, error))
        return false;
    if (plan->hides_meshes)
        drop_meshes(edit->job, edit->scene, part, doc);
    if (plan->is_sorted) {
        *num_reordered = md5_edit_joints(doc, &(md5_joint_edit){.root = NULL}, error);
        if (*num_reordered == MD5_NONE)
            return false;
    }
    if (plan->gets_root && !add_root(edit->job, part, doc, error))
        return false;
    if (plan->joins_roots && !join_roots(edit->job, part, doc, error))
        return false;
    if (md5_edit_space(doc, &edit->space, error) == MD5_NONE)
        return false;
    if (plan->changes_frames && !edit_clip(edit->job, edit->scene, part, doc, error))
        return false;
    return !plan->is_split || md5_edit_meshes(doc, &edit->meshes, error) != MD5_NONE;
}

// Plans and makes the changes of one part. Parses its bytes as a document, changes the document,
// and writes it as text. A part without changes keeps its bytes.
static bool edit_part(const scene_edit *edit, convert_part *part, md5_error *error)
{
    const part_plan plan = plan_part(edit, part);
    const bool needs_doc = must_edit(edit, &plan);
    const bool may_edit = plan.is_sorted || plan.is_split || plan.adds_joints || plan.joins_roots;
    if (!needs_doc && !may_edit)
        return true;

    md5_doc *const doc = convert_parse_doc(part, error);
    if (!doc) // version 12 is not readable as a document, but its joints may already be sorted
        return !needs_doc;

    uint32_t num_reordered = 0;
    common_list new_names = {NULL, 0};
    md5_doc_joint *new_joints = NULL;
    bool is_done = edit_doc(edit, &plan, part, doc, &num_reordered, error);
    if (is_done && plan.adds_joints)
        new_joints = add_joint_per_mesh(edit->job, part, doc, &new_names);
    is_done = is_done && convert_print_doc(doc, &part->bytes, &part->size, error);
    md5_free_doc(doc);
    free(new_joints);
    common_free_list(&new_names);
    if (is_done && num_reordered > 0)
        convert_note(edit->job, "%s: reordered %u %s so that parents precede their children",
                     part->name, num_reordered, common_noun(num_reordered, "joint", "joints"));
    return is_done;
}

// Prints a note if MD5 clips for no particular engine have several roots, which Doom 3 rejects.
static void note_roots(const convert_job *job, const convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        const convert_part *const part = &scene->parts[i];
        md5_error unused;
        md5_doc *const doc = part->kind == CONVERT_CLIP ? convert_parse_doc(part, &unused) : NULL;
        const uint32_t num_roots = doc ? count_roots(doc) : 0;
        md5_free_doc(doc);
        if (num_roots <= 1)
            continue;
        convert_note(job,
                     "clip %s: %u roots: Doom 3, its derivatives and FTE accept only one root; "
                     "use --for doom3, or --add-root NAME for the model and all its clips",
                     part->name, num_roots);
        return;
    }
}

static bool has_part(const convert_scene *scene, convert_part_kind kind)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        if (scene->parts[i].kind == kind)
            return true;
    }
    return false;
}

// Derives the edits that are applied to all parts of a scene from the options and from the rules
// of the output format. The edits are changes of the space, of the meshes, and of the frames of
// clips.
static scene_edit plan_edits(const convert_job *job, const struct format *format,
                             convert_scene *scene)
{
    const bool is_merged = (format->rules & ONE_MESH) == ONE_MESH;
    const bool writes_for_engine = format->write == convert_write_md5 && job->engine;
    scene_edit edit = {.job = job,
                       .scene = scene,
                       .rules = format->rules,
                       .space = {.rotation = {.yaw = (float)job->yaw}, .scale = 1},
                       .meshes = {.is_merged = is_merged, .drops_unused = true}};
    if (!is_merged) {
        edit.meshes.max_vertices = QUAKE_MAX_VERTICES;
        edit.meshes.max_triangles = QUAKE_MAX_TRIANGLES;
    }

    if (writes_for_engine) {
        const convert_engine *const engine = convert_find_engine(job->engine);
        edit.adds_joints = engine->needs_joint_per_mesh;
        edit.joins_roots = engine->needs_one_root;
    }

    // The reader scaled the parts by scene->unit; the writer divides them by format->unit.
    const double reader_unit = scene->unit > 0 ? scene->unit : 1;
    if (job->scale > 0)
        edit.space.scale = (float)(job->scale * format->unit / reader_unit);
    if (job->was_y_up)
        edit.space.rotation.roll = 90;
    const bool is_rotated = job->yaw != 0 || job->was_y_up;
    edit.changes_space = is_rotated || edit.space.scale != 1;

    const bool changes_root = job->is_in_place || job->is_id_root || job->root.joint;
    const bool changes_timing = job->rate > 0 || has_range(job);
    edit.changes_frames = changes_root || changes_timing;
    return edit;
}

// Makes all changes of the scene between reading and writing. Clips from other files may be scaled
// and rotated to match the model. The model is then loaded first.
static bool edit_scene(const convert_job *job, const struct format *format, convert_scene *scene,
                       md5_error *error)
{
    scene_edit edit = plan_edits(job, format, scene);
    const convert_part *const first = convert_find_model(scene);
    if (first && job->num_inputs > 1 && has_part(scene, CONVERT_CLIP)) {
        edit.model = convert_parse_model(first, error);
        if (!edit.model)
            return false;
    }

    bool is_done = true;
    for (size_t i = 0; i < scene->num_parts && is_done; i++) {
        is_done = edit_part(&edit, &scene->parts[i], error);
        const char *const path = scene->parts[i].path;
        if (!is_done && path && error->file[0] == '\0')
            convert_name_file(error, path);
    }
    md5_free_model(edit.model);
    if (is_done && format->write == convert_write_md5 && !job->engine)
        note_roots(job, scene);
    return is_done;
}

// -- The conversion -------------------------------------------------------------------------------

// Returns true if a file contains a model. Also returns true if the file cannot be read, so that
// convert_read_all() reports the error. The extension determines the content of an MD5 file. Files
// of other formats must be read. `quiet` is a job without notes.
static bool may_contain_model(const convert_job *quiet, const char *path)
{
    const struct format *const format = find_format(path);
    if (!format || format->read == convert_read_md5)
        return common_has_suffix(path, "mesh");
    md5_error unused;
    convert_scene trial = {.num_parts = 0};
    const bool is_read = read_input(quiet, path, &trial, &unused);
    const bool has_model = !is_read || convert_find_model(&trial) != NULL;
    convert_free_scene(&trial);
    return has_model;
}

// Returns the index of the first input with a model, which clips need, or 0 if no input has one.
static size_t find_first_model(const convert_job *job)
{
    if (job->num_inputs == 1)
        return 0;
    convert_job quiet = *job;
    quiet.note = NULL;
    for (size_t i = 0; i < job->num_inputs; i++) {
        if (may_contain_model(&quiet, job->inputs[i]))
            return i;
    }
    return 0;
}

// Reads a model that is attached to the first model.
static bool read_outfit(const convert_job *job, const char *path, convert_scene *scene,
                        md5_error *error)
{
    const size_t index = scene->num_parts;
    if (!read_input(job, path, scene, error))
        return false;
    if (scene->num_parts <= index || !scene->parts[index].is_model)
        return convert_fail(error, MD5_ERROR_MISMATCH, path,
                            "cannot attach the file as an outfit: expected a model");
    scene->parts[index].is_outfit = true;
    return true;
}

// Reads all inputs into one scene. The first model is read first, wherever it is in the list of
// inputs, because clips are adapted to its skeleton.
bool convert_read_all(const convert_job *job, convert_scene *scene, md5_error *error)
{
    const size_t first = find_first_model(job);
    if (!read_input(job, job->inputs[first], scene, error))
        return false;
    for (size_t i = 0; i < job->num_inputs; i++) {
        if (i == first)
            continue;
        if (!convert_can_continue(job, error) || !read_input(job, job->inputs[i], scene, error))
            return false;
    }
    for (size_t i = 0; i < job->outfits.count; i++) {
        if (!read_outfit(job, job->outfits.names[i], scene, error))
            return false;
    }
    return join_models(job, scene, error);
}

// Returns true if a path that does not exist is meant as a folder. It ends with a slash, or its
// last part has no extension. The text after the dot may be a version instead of an extension, as
// in "models-1.2". It is a version if it contains a digit and no format has this extension.
static bool is_new_folder(const char *path)
{
    const bool exists = common_is_folder(path) || common_is_file(path);
    if (path[0] == '\0' || exists)
        return false;
    const char *const base = common_base(path);
    const char *const extension = strrchr(base, '.');
    if (!extension || base[0] == '\0')
        return true;
    const bool has_digit = extension[strcspn(extension, "0123456789")] != '\0';
    return find_format(path) == NULL && has_digit;
}

// Returns false if a requested engine does not read MD5 files, such as an engine that reads only
// IQM.
static bool check_engines(const convert_job *job, md5_error *error)
{
    for (size_t i = 0; i < job->num_engines; i++) {
        if (md5_find_engines(job->engines[i]) == 0)
            return convert_fail(error, MD5_ERROR_MISSING, job->output,
                                "engine %s does not read MD5 files; run md5tool check --rules "
                                "to list the engines that do",
                                job->engines[i]);
    }
    return true;
}

// Returns the name of an option that has no effect, or NULL. An option has no effect if the scene
// contains no part to which it applies.
static const char *find_useless_option(const convert_job *job, const convert_scene *scene)
{
    const bool has_clip = has_part(scene, CONVERT_CLIP);
    const bool has_motion = has_clip || has_part(scene, CONVERT_CAMERA);
    const bool has_model = has_part(scene, CONVERT_MODEL);
    const bool hides_meshes = job->mesh_options[CONVERT_HIDE].count > 0;
    const struct {
        const char *option;
        bool is_given;
        bool has_effect;
    } options[] = {
        {"--rate", job->rate > 0, has_motion},
        {"--error", job->tolerance > 0, has_motion},
        {"--root", job->is_in_place || job->is_id_root, has_clip},
        {"--root-motion", job->root.joint, has_clip},
        {"--range", has_range(job), has_clip},
        {"--add-root", job->new_root, has_clip || has_model},
        {"--influences", job->influences > 0, has_model},
        {"--fit", job->is_fitted, has_model},
        {"the option that selects a texture", scene->has_selected_images, has_model},
        {"--hide", hides_meshes, has_model},
    };
    for (size_t i = 0; i < COMMON_LENGTH(options); i++) {
        if (options[i].is_given && !options[i].has_effect)
            return options[i].option;
    }

    return NULL;
}

// Applies the options that hide meshes or assign images to them. Adds materials if the input has
// none, and the output needs them: its format or --engine contains materials, or the options assign
// images. Returns false and fills `error` if the options assign images, but the input already
// defines materials.
static bool apply_material_options(const convert_job *job, const struct format *format,
                                   convert_scene *scene, md5_error *error)
{
    if (scene->has_selected_images && scene->num_materials > 0)
        return convert_fail(error, MD5_ERROR_MISMATCH, job->inputs[0],
                            "cannot assign textures: the file already defines materials; edit its "
                            "materials instead");
    const bool output_has_materials = (format->rules & SEARCHES_MATERIALS) || job->engine;
    const bool needs_materials = output_has_materials || scene->has_selected_images;
    const bool adds_materials = needs_materials && scene->num_materials == 0;
    const bool hides_meshes = job->mesh_options[CONVERT_HIDE].count > 0;
    if (!adds_materials && !scene->has_selected_images && !hides_meshes)
        return true;
    // In glTF files each mesh refers to a material. Other formats and engines find the material by
    // the shader of the mesh, so that meshes with the same shader must share one.
    const bool by_shader = job->engine || format->write != convert_write_gltf;
    return convert_find_materials(job, scene, adds_materials, by_shader, error);
}

// Removes the hidden meshes from the list of materials of meshes. edit_scene() has removed them
// from the model, and the indices of both must agree.
static void drop_hidden_materials(convert_scene *scene)
{
    size_t num_visible = 0;
    for (size_t i = 0; i < scene->num_mesh_materials; i++) {
        if (scene->mesh_materials[i] != CONVERT_HIDDEN)
            scene->mesh_materials[num_visible++] = scene->mesh_materials[i];
    }
    scene->num_mesh_materials = num_visible;
}

// Checks a scene after it was read. Returns false and fills the error if the scene is empty. Also
// fails if an option has no effect on the scene, because the user expects an effect.
static bool check_scene(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    if (scene->num_parts == 0 && scene->skipped_content)
        return convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                            "the file contains no model, animation or camera that can be "
                            "converted: %s; export polygons, or a skeleton with its animation",
                            scene->skipped_content);
    if (scene->num_parts == 0)
        return convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                            "the file is empty: expected a model, an animation or a camera");
    const char *const useless_option = find_useless_option(job, scene);
    if (!job->is_batch && useless_option)
        return convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                            "%s has no effect: the file contains no %s", useless_option,
                            has_part(scene, CONVERT_MODEL) ? "clips" : "models");
    return true;
}

// Writes the scene with the writer of the format. The writer of IQM does not write images. If
// options select images for an IQM file, they are written afterwards.
static bool write_scene(const convert_job *job, const struct format *format,
                        const convert_scene *scene, md5_error *error)
{
    if (!format->write(job, scene, error))
        return false;
    if (!scene->has_selected_images || format->write != convert_write_iqm)
        return true;
    convert_layout layout = convert_find_layout(job, scene);
    const bool is_written = convert_write_materials(&layout, error);
    convert_free_layout(&layout);
    return is_written;
}

// Applies the options of a job to a scene and writes it. `is_new_folder` means that the output is a
// folder to create.
static bool edit_and_write(const convert_job *job, const struct format *format, bool is_new_folder,
                           convert_scene *scene, md5_error *error)
{
    for (int map = 0; map < CONVERT_NUM_MAPS; map++)
        scene->has_selected_images |= job->mesh_options[map].count > 0;
    if (!check_scene(job, scene, error))
        return false;
    if (!convert_retarget_clips(job, scene, format->write != convert_write_md5, error))
        return false;
    if (!apply_material_options(job, format, scene, error))
        return false;

    convert_job edit = *job;
    if (format->rules & HAS_FRAMES) { // the writers of these formats sample clips themselves
        edit.is_in_place = !job->keeps_root;
        edit.rate = 0;
    }
    if (!edit_scene(&edit, format, scene, error))
        return false;
    drop_hidden_materials(scene);

    if (is_new_folder) {
        char *const inner = common_join(job->output, "");
        common_create_folders(inner, 0777);
        free(inner);
    }
    return write_scene(job, format, scene, error);
}

// Reads all inputs into one scene. Then retargets its clips and gives the scene to the caller
// (job->retargeted), prints the joint map of the clips (job->prints_map), or writes files.
static bool convert_inputs(const convert_job *job, const struct format *format, bool is_new_folder,
                           convert_scene *scene, md5_error *error)
{
    if (!convert_read_all(job, scene, error))
        return false;
    if (job->retargeted || job->prints_map)
        return convert_retarget_clips(job, scene, false, error);
    return edit_and_write(job, format, is_new_folder, scene, error);
}

// Performs a conversion. The extension of the output selects the output format; a folder gets MD5
// text. Then reads and converts the inputs. Returns false and fills `error` on failure.
static bool read_and_write(const convert_job *job, md5_error *error)
{
    const bool is_new = is_new_folder(job->output);
    const bool is_folder = is_new || common_is_folder(job->output);
    const struct format *const md5_text = &formats[0];
    const struct format *const format = is_folder ? md5_text : find_format(job->output);
    if (!format || !format->write)
        return convert_fail(error, MD5_ERROR_IO, job->output,
                            "unsupported output format: %s; run md5tool convert --formats to list "
                            "the formats",
                            format ? "this format can only be read" : "unknown file extension");
    if (!(format->rules & HAS_FRAMES) && !check_engines(job, error))
        return false;

    convert_scene scene = {.name = common_stem(is_folder ? job->inputs[0] : job->output)};
    const bool is_done = convert_inputs(job, format, is_new, &scene, error);
    if (is_done && job->retargeted)
        *job->retargeted = scene;
    else
        convert_free_scene(&scene);
    return is_done;
}

// Performs a conversion. Equal notes are counted and reported at its end. Returns false and
// fills `error`, which may be NULL, on failure.
bool convert_files(const convert_job *job, md5_error *error)
{
    md5_error unused;
    // Each input file has its own budget while it is read. This budget only counts the notes of all
    // other steps.
    convert_budget notes;
    convert_begin_budget(&notes, UINT64_MAX);
    convert_job counted = *job;
    counted.budget = &notes;
    const bool is_done = read_and_write(&counted, error ? error : &unused);
    convert_end_budget(&notes, job);
    return is_done;
}
