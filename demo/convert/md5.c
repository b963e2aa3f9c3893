// Reads MD5 files into a scene without a change. Writes a scene as text or as Doom 3 BFG's binary
// files, within the limits of an engine. Writes morph weights as a machine file, which machine.c
// reads.
#include "demo/convert/layout.h"
#include "md5/md5machine.h"

// File extensions by convert_part_kind: MD5 text and Doom 3 BFG's binary files.
static const char *const text_extensions[] = {".md5mesh", ".md5anim", ".md5camera", ".md5mesh"};
static const char *const bfg_extensions[] = {".bmd5mesh", ".bMD5anim", ".bcanim", ".bmd5mesh"};

// Adds the bytes of the file to the scene without parsing them. The file extension selects the kind
// of the part.
bool convert_read_md5(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    (void)job;
    (void)error;
    const char *const path = input->path;
    char *const name = common_stem(path);
    convert_part_kind kind = CONVERT_CLIP;
    if (common_has_suffix(path, "mesh"))
        kind = CONVERT_MODEL;
    else if (common_has_suffix(path, ".md5camera") || common_has_suffix(path, ".bcanim"))
        kind = CONVERT_CAMERA;
    convert_add_part(scene, kind, name, path, input->bytes, input->size);
    input->bytes = NULL;
    free(name);
    return true;
}

// -- Writing --------------------------------------------------------------------------------------

// State of writing a scene as MD5 files.
typedef struct md5_output {
    convert_layout layout;
    const char *const *extensions; // by convert_part_kind
    const md5_model *model;        // clips are changed to match it; NULL: clips are unchanged
    md5_doc **clips;               // [num_clips] clips to join, for engines that read one clip
    size_t num_clips;
    uint64_t num_frames; // number of frames of all clips to join
    common_list memory;  // arrays of these clips
} md5_output;

// Writes a file to the output folder. `name` is the file name without the extension, which `kind`
// selects. If the user typed the same name as the output with capitals in the extension, keeps
// them.
static bool write_bytes(const md5_output *writer, convert_part_kind kind, const char *name,
                        const char *bytes, size_t size, md5_error *error)
{
    char *const file = common_format("%s%s", name, writer->extensions[kind]);
    const char *const requested = common_base(writer->layout.job->output);
    const bool is_requested = common_compare_case(file, requested) == 0;
    char *const path = common_join(writer->layout.folder, is_requested ? requested : file);
    common_create_folders(path, 0777);
    const bool is_written = convert_write_file(writer->layout.job, path, bytes, size, error);
    free(path);
    free(file);
    return is_written;
}

// Writes a document as text in the layout of id's exporter, or as a binary file of Doom 3 BFG.
static bool write_doc(const md5_output *writer, const md5_doc *doc, const char *name,
                      md5_error *error)
{
    convert_bytes out = {0};
    bool is_created = false;
    if (writer->extensions == bfg_extensions)
        is_created = convert_create_bfg(writer->layout.job, doc, name, &out, error);
    else
        is_created = convert_print_doc(doc, &out.bytes, &out.size, error);

    const convert_part_kind kind = (convert_part_kind)doc->kind;
    const bool is_written =
        is_created && write_bytes(writer, kind, name, out.bytes, out.size, error);
    free(out.bytes);
    return is_written;
}

// Reports vertices whose weights were changed, and how far they move.
static void note_weights(const md5_output *writer, uint32_t num_vertices, float loss)
{
    const convert_job *const job = writer->layout.job;
    const uint32_t max_weights = writer->layout.max_weights;
    const char *const noun = common_noun(num_vertices, "vertex", "vertices");
    if (num_vertices == 0)
        return;
    if (max_weights > 0)
        convert_note(job,
                     "reduced the weights of %u %s to at most %u each, with a sum of 1; "
                     "vertices move by up to %g units",
                     num_vertices, noun, max_weights, loss);
    else
        convert_note(job, "normalized the weights of %u %s, whose sum was not 1", num_vertices,
                     noun);
}

// Changes a model to satisfy the limits of the engine. Rotations become unit quaternions. The
// weights of each vertex get the sum 1, and their number is limited.
static bool limit_model(const md5_output *writer, md5_doc *doc, md5_error *error)
{
    const float max_sum_error = 1e-3f;
    float loss = 0;
    if (md5_fix_rotations(doc, error) == MD5_NONE)
        return false;
    const uint32_t num_vertices =
        md5_fix_weights(doc, writer->layout.max_weights, max_sum_error, &loss, error);
    if (num_vertices == MD5_NONE)
        return false;
    note_weights(writer, num_vertices, loss);
    return true;
}

// Returns true if a clip has bounding boxes and none of them is empty. With an empty box, engines
// do not draw the model.
static bool has_valid_bounds(const md5_doc *doc)
{
    if (!doc->bounds)
        return false;
    for (uint32_t i = 0; i < doc->num_frames; i++) {
        const md5_vec3 min = doc->bounds[i].min;
        const md5_vec3 max = doc->bounds[i].max;
        if (!(min.x < max.x && min.y < max.y && min.z < max.z))
            return false;
    }
    return true;
}

// Returns a bounding box of all joints for each frame of a clip, which the caller frees. Returns
// NULL and fills `error` if memory runs out.
static md5_bounds *measure_joint_boxes(const md5_anim *anim, md5_error *error)
{
    md5_binding *const binding =
        md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, error);
    if (!binding)
        return NULL;

    const uint32_t num_joints = anim->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_bounds *const boxes = common_alloc(anim->num_frames, sizeof *boxes);
    for (uint32_t f = 0; f < anim->num_frames; f++) {
        md5_sample(binding, md5_sample_position_from_frames(anim, f, f, 0), MD5_ROOT_FILE, pose);
        md5_local_to_model_xforms(&anim->skeleton, pose, pose);
        md5_bounds box = {pose[0].translation, pose[0].translation};
        for (uint32_t j = 1; j < num_joints; j++)
            box = md5_bounds_union(box, (md5_bounds){pose[j].translation, pose[j].translation});
        boxes[f] = convert_extend_empty_box(box);
    }
    free(pose);
    md5_free_binding(binding);
    return boxes;
}

// Gives a clip a bounding box for each frame, if its boxes are missing. The boxes enclose the
// joints, because the clip has no model, or the model has no vertices.
static bool enclose_joints(md5_output *writer, md5_doc *doc, const char *name, md5_error *error)
{
    if (doc->bounds)
        return true;
    char *text = NULL;
    size_t size = 0;
    const bool is_printed = convert_print_doc(doc, &text, &size, error);
    md5_anim *const anim = is_printed ? md5_parse_anim(text, size, NULL, error) : NULL;
    free(text);
    md5_bounds *const boxes = anim ? measure_joint_boxes(anim, error) : NULL;
    md5_free_anim(anim);
    if (!boxes)
        return false;

    common_add(&writer->memory, (char *)boxes);
    doc->bounds = boxes;
    const char *const reason =
        writer->model ? "the model has no vertices"
                      : "convert the clip together with its model to enclose the vertices";
    convert_note(writer->layout.job, "clip %s: the bounding boxes enclose only the joints; %s",
                 name, reason);
    return true;
}

// Corrects joints without components. id's engine rejects their first component if it is outside of
// the frame.
static void correct_first_components(md5_doc *doc)
{
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        md5_doc_joint *const joint = &doc->joints[i];
        if (joint->track.flags == 0)
            joint->track.first = 0;
    }
}

// Changes a clip to satisfy the limits of the engine. The clip gets the joints of the model and a
// bounding box for each frame. For an engine that reads one clip, all components are stored in each
// frame, because some of these engines ignore base frames.
static bool limit_clip(md5_output *writer, md5_doc *doc, const char *name, md5_error *error)
{
    const uint32_t num_joints =
        md5_fix_joints(doc, writer->model, writer->layout.has_one_clip, error);
    if (num_joints == MD5_NONE)
        return false;
    if (num_joints > 0)
        convert_note(writer->layout.job, "clip %s: changed %u %s to match the mesh and the engine",
                     name, num_joints, common_noun(num_joints, "joint", "joints"));

    correct_first_components(doc);
    if (writer->model->max_vertices == 0)
        return enclose_joints(writer, doc, name, error);
    if (has_valid_bounds(doc))
        return true;
    const uint32_t num_boxes = md5_fix_bounds(doc, writer->model, error);
    if (num_boxes > 0 && num_boxes != MD5_NONE)
        convert_note(writer->layout.job, "clip %s: computed %u bounding %s from the skin", name,
                     num_boxes, common_noun(num_boxes, "box", "boxes"));
    return num_boxes != MD5_NONE;
}

// Fails if the clips cannot be joined to one clip. All frames must have the same number of
// components. The total number of frames must fit in 32 bits. Reports different frame rates.
static bool check_joined_clips(const md5_output *writer, md5_error *error)
{
    const md5_doc *const first = writer->clips[0];
    bool has_same_size = true;
    for (size_t i = 0; i < writer->num_clips; i++) {
        const md5_doc *const clip = writer->clips[i];
        has_same_size &= clip->num_components == first->num_components;
        if (clip->frame_rate < first->frame_rate || clip->frame_rate > first->frame_rate)
            convert_note(
                writer->layout.job,
                "clips have different frame rates, %g and %g frames per second; using the first",
                first->frame_rate, clip->frame_rate);
    }

    if (!has_same_size)
        return convert_fail(error, MD5_ERROR_MISMATCH, writer->layout.job->output,
                            "cannot join the clips: expected the same joints in all clips; write "
                            "the clips to a folder instead");
    if (writer->num_frames > UINT32_MAX)
        return convert_fail(error, MD5_ERROR_MISMATCH, writer->layout.job->output,
                            "cannot join the clips: too many frames: expected at most %u, found "
                            "%llu; write the clips to a folder instead",
                            UINT32_MAX, (unsigned long long)writer->num_frames);
    return true;
}

// Joins the collected clips, one after the other, and writes them as one clip. The clip has
// bounding boxes only if all clips have them. Does nothing if no clips were collected.
static bool write_one_clip(const md5_output *writer, md5_error *error)
{
    if (writer->num_clips == 0)
        return true;
    if (!check_joined_clips(writer, error))
        return false;

    bool has_bounds = true;
    for (size_t i = 0; i < writer->num_clips; i++)
        has_bounds &= writer->clips[i]->bounds != NULL;
    md5_doc joined = *writer->clips[0];
    const size_t frame_size = joined.num_components;
    joined.num_frames = (uint32_t)writer->num_frames;
    joined.numbers =
        common_alloc((size_t)writer->num_frames * frame_size + 1, sizeof *joined.numbers);
    joined.bounds =
        has_bounds ? common_alloc((size_t)writer->num_frames, sizeof *joined.bounds) : NULL;

    size_t frame = 0;
    for (size_t i = 0; i < writer->num_clips; i++) {
        const md5_doc *const clip = writer->clips[i];
        memcpy(joined.numbers + frame * frame_size, clip->numbers,
               clip->num_frames * frame_size * sizeof *joined.numbers);
        if (has_bounds)
            memcpy(joined.bounds + frame, clip->bounds, clip->num_frames * sizeof *joined.bounds);
        frame += clip->num_frames;
    }

    const bool is_written = write_doc(writer, &joined, writer->layout.name, error);
    free(joined.numbers);
    free(joined.bounds);
    return is_written;
}

// Returns true if the bytes of a part can be written unchanged. A reader must have created them as
// text, and no engine may have limits.
static bool is_final(const md5_output *writer, const convert_part *part)
{
    return !part->path && !writer->layout.job->engine && writer->extensions == text_extensions;
}

// Changes the document of a part to satisfy the limits of the engine, if an engine is requested.
static bool limit_part(md5_output *writer, const convert_part *part, md5_doc *doc, md5_error *error)
{
    if (part->kind == CONVERT_CLIP && writer->model)
        return limit_clip(writer, doc, part->name, error);
    if (part->kind == CONVERT_CLIP && writer->layout.job->engine) {
        // Engines that read one clip per model require all components in each frame.
        if (md5_fix_joints(doc, NULL, writer->layout.has_one_clip, error) == MD5_NONE)
            return false;
        correct_first_components(doc);
        return enclose_joints(writer, doc, part->name, error);
    }
    if (doc->kind == MD5_DOC_MODEL && writer->layout.job->engine)
        return limit_model(writer, doc, error);
    return true;
}

// Replaces the blanks in the names of joints by '_' for Cube 2, which does not read an entry of a
// clip's hierarchy whose name contains a blank. `names` owns the new names.
static void replace_blanks(const md5_output *writer, md5_doc *doc, common_list *names)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        md5_doc_joint *const joint = &doc->joints[j];
        if (!strchr(joint->name, ' '))
            continue;
        char *const name = common_copy(joint->name);
        for (char *c = name; *c != '\0'; c++) {
            if (*c == ' ')
                *c = '_';
        }
        joint->name = common_add(names, name);
        count++;
    }
    if (count > 0 && doc->kind == MD5_DOC_MODEL)
        convert_note(writer->layout.job, "replaced blanks by '_' in the names of %u %s", count,
                     common_noun(count, "joint", "joints"));
}

// Adds a clip to the clips that write_one_clip() joins. Takes ownership of the document.
static void collect_clip(md5_output *writer, const convert_part *part, md5_doc *doc)
{
    convert_note(writer->layout.job, "clip %s was written to %s.md5anim, starting at frame %llu",
                 part->name, writer->layout.name, (unsigned long long)writer->num_frames);
    writer->num_frames += doc->num_frames;
    *COMMON_ADD_ITEM(writer->clips, writer->num_clips) = doc;
}

// Writes a part under a name. A clip for an engine that reads one clip is only collected, because
// all clips are joined later.
static bool write_part(md5_output *writer, const convert_part *part, const char *name,
                       md5_error *error)
{
    if (is_final(writer, part))
        return write_bytes(writer, part->kind, name, part->bytes, part->size, error);

    md5_doc *const doc = convert_parse_doc(part, error);
    const bool is_limited = doc && limit_part(writer, part, doc, error);
    const bool is_collected =
        part->kind == CONVERT_CLIP && writer->model && writer->layout.has_one_clip;
    if (is_limited && is_collected) {
        collect_clip(writer, part, doc);
        return true;
    }

    common_list names = {NULL, 0};
    if (is_limited)
        convert_name_meshes(&writer->layout, doc, &names);
    if (is_limited && writer->layout.family == CONVERT_CUBE2 && writer->layout.job->engine)
        replace_blanks(writer, doc, &names);
    const bool is_written = is_limited && write_doc(writer, doc, name, error);
    common_free_list(&names);
    md5_free_doc(doc);
    return is_written;
}

// Writes a clip whose only frame is the bind pose. Some engines do not show a model without a clip.
// The clip contains only the root; limit_clip() adds the other joints.
static bool write_bind_pose(md5_output *writer, md5_error *error)
{
    const uint32_t first = writer->model->skeleton.order[0];
    md5_doc_joint joint = convert_doc_joint(writer->model->skeleton.joints[first].name, MD5_NONE,
                                            convert_from_xform(writer->model->bind_local[first]));
    md5_doc doc = {.kind = MD5_DOC_ANIM, .num_joints = 1, .num_frames = 1, .frame_rate = 24};
    convert_part part = {.kind = CONVERT_CLIP, .name = writer->layout.name};
    doc.joints = &joint;
    convert_note(writer->layout.job,
                 "wrote a clip of the bind pose, because the engine requires a clip");
    const bool is_done = convert_print_doc(&doc, &part.bytes, &part.size, error)
                         && write_part(writer, &part, writer->layout.name, error);
    free(part.bytes);
    return is_done;
}

// Returns true if a key must be written. A key is redundant if the previous and the next key have
// the same weight.
static bool is_needed_key(const convert_weights *weights, size_t index)
{
    if (index == 0 || index + 1 == weights->num_keys)
        return true;
    const float weight = weights->keys[index];
    const float before = weights->keys[index - 1];
    const float after = weights->keys[index + 1];
    const bool is_equal_before = !(weight < before) && !(weight > before);
    const bool is_equal_after = !(weight < after) && !(weight > after);
    return !is_equal_before || !is_equal_after;
}

// Converts the weights of a morph target in one clip to keys of a machine. Returns false if all
// weights are 0; otherwise the caller frees desc->keys.
static bool make_morph(const convert_weights *weights, md5_morph_desc *desc)
{
    md5_morph_key *const keys = common_alloc(weights->num_keys, sizeof *keys);
    uint32_t count = 0;
    bool is_used = false;
    for (size_t i = 0; i < weights->num_keys; i++) {
        const float weight = weights->keys[i];
        is_used |= weight < 0 || weight > 0;
        if (is_needed_key(weights, i))
            keys[count++] = (md5_morph_key){.frame = (uint32_t)i, .weight = weight};
    }

    if (!is_used) {
        free(keys);
        return false;
    }

    *desc = (md5_morph_desc){.target = weights->target,
                             .drive = MD5_MORPH_BY_CLIP,
                             .clip = weights->clip,
                             .keys = keys,
                             .num_keys = count};
    return true;
}

// Writes a machine to the file `model`.md5machine, next to the mesh file of the same name.
static bool write_machine_file(const md5_output *writer, const md5_machine_desc *desc,
                               const char *model, md5_error *error)
{
    char *const mesh_file = common_format("%s.md5mesh", model);
    char *const name = common_format("%s.md5machine", model);
    char *const path = common_join(writer->layout.folder, name);
    const size_t size = md5_write_machine(desc, mesh_file, NULL, 0, error); // only measures
    char *text = NULL;
    if (size > 0) {
        text = common_alloc(size + 1, 1);
        md5_write_machine(desc, mesh_file, text, size + 1, error);
    }
    const bool is_written =
        size > 0 && convert_write_file(writer->layout.job, path, text, size, error);
    free(text);
    free(path);
    free(name);
    free(mesh_file);
    return is_written;
}

// Writes a machine (a text that lists clips and their states), because MD5 clips cannot store the
// weights of morph targets. The machine has one state per clip, in which the clip drives the
// weights.
static bool write_machine(const md5_output *writer, const convert_scene *scene, const char *model,
                          md5_error *error)
{
    md5_clip_desc *const clips = common_alloc(scene->num_parts, sizeof *clips);
    md5_state_desc *const states = common_alloc(scene->num_parts, sizeof *states);
    md5_morph_desc *const morphs = common_alloc(scene->num_weights, sizeof *morphs);
    md5_layer_desc layer = {.name = "clips", .states = states};
    md5_machine_desc desc = {
        .name = model, .clips = clips, .layers = &layer, .num_layers = 1, .morphs = morphs};

    common_list files = {NULL, 0}; // owns the names of the clips' files
    for (size_t i = 0; i < scene->num_parts; i++) {
        const convert_part *const part = &scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        const char *const file = common_add(&files, common_format("%s.md5anim", part->name));
        clips[desc.num_clips++] = (md5_clip_desc){.name = part->name, .file = file};
        states[layer.num_states++] = (md5_state_desc){.name = part->name, .motion = part->name};
    }
    for (size_t i = 0; i < scene->num_weights; i++) {
        if (make_morph(&scene->weights[i], &morphs[desc.num_morphs]))
            desc.num_morphs++;
    }

    const bool is_written = write_machine_file(writer, &desc, model, error);
    for (uint32_t i = 0; i < desc.num_morphs; i++)
        free((void *)morphs[i].keys);
    common_free_list(&files);
    free(clips);
    free(states);
    free(morphs);
    return is_written;
}

// Fails if a part cannot be written as MD5. Reasons are a syntax error, and a clip of version 6
// without a known hierarchy. All parts are checked first, so that no file is written before an
// error.
static bool check_parts(const md5_output *writer, const convert_scene *scene, md5_error *error)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        if (is_final(writer, &scene->parts[i]))
            continue;
        md5_doc *const doc = convert_parse_doc(&scene->parts[i], error);
        bool is_good = doc;
        if (doc && doc->parents_unknown)
            is_good = md5_write_doc(doc, NULL, 0, error) > 0;
        md5_free_doc(doc);
        if (!is_good)
            return false;
    }
    return true;
}

// Returns the name of a part's file without extension. `is_output` selects the name of the output
// file. Morph targets are in the folder `morphs`. The caller frees the result.
static char *name_part(const md5_output *writer, const convert_part *part, bool is_output)
{
    if (part->kind == CONVERT_TARGET)
        return common_join("morphs", part->name);
    return common_copy(is_output ? writer->layout.name : part->name);
}

// Writes all parts. If the output is a file, the first part with the extension of this file gets
// its name, and the other parts keep their names. Fails if no part has this extension.
static bool write_parts(md5_output *writer, const convert_scene *scene, md5_error *error)
{
    const convert_job *const job = writer->layout.job;
    const convert_part *const model = convert_find_model(scene);

    // Engines do not read machine files, and their folders have another layout.
    const bool has_machine =
        scene->num_weights > 0 && !job->engine && writer->extensions == text_extensions;
    bool is_named = common_is_folder(job->output); // the output needs no further part

    for (size_t i = 0; i < scene->num_parts; i++) {
        const convert_part *const part = &scene->parts[i];
        const bool is_target = part->kind == CONVERT_TARGET;
        const bool has_extension = common_has_suffix(job->output, writer->extensions[part->kind]);
        const bool is_output = !is_named && !is_target && has_extension;
        is_named |= is_output;
        char *const name = name_part(writer, part, is_output);
        bool is_done = write_part(writer, part, name, error);
        if (is_done && part == model && has_machine)
            is_done = write_machine(writer, scene, name, error);
        free(name);
        if (!is_done)
            return false;
    }

    if (!is_named)
        return convert_fail(
            error, MD5_ERROR_MISSING, job->output,
            "no input matches the extension of the output file: expected a model "
            "for a mesh file, a clip for an animation, or a camera for a camera path");
    return true;
}

// Returns true if the output is a file with an extension of Doom 3 BFG's binary files.
static bool is_bfg_output(const convert_job *job)
{
    if (common_is_folder(job->output))
        return false;
    for (int kind = CONVERT_MODEL; kind < CONVERT_TARGET; kind++) {
        if (common_has_suffix(job->output, bfg_extensions[kind]))
            return true;
    }
    return false;
}

// Returns true if the scene contains morph targets.
static bool has_targets(const convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        if (scene->parts[i].kind == CONVERT_TARGET)
            return true;
    }
    return false;
}

// Reports clips of other formats without a model. Their readers do not have the vertices, so the
// bounding boxes enclose the joints. Retargeted clips get the boxes of their target.
static void note_joint_boxes(const convert_job *job, const convert_scene *scene)
{
    uint32_t count = 0;
    for (size_t i = 0; i < scene->num_parts; i++) {
        if (scene->parts[i].kind == CONVERT_CLIP && !scene->parts[i].path)
            count++;
    }
    if (count > 0 && !convert_find_model(scene) && !job->target)
        convert_note(job,
                     "the bounding boxes of %u %s enclose only the joints; convert clips together "
                     "with their model to enclose the vertices",
                     count, common_noun(count, "clip", "clips"));
}

// Writes the parts of a scene, and for engines the clips and materials that they require.
static bool write_scene(md5_output *writer, const convert_scene *scene, md5_error *error)
{
    const convert_job *const job = writer->layout.job;
    if (!check_parts(writer, scene, error) || !write_parts(writer, scene, error))
        return false;
    note_joint_boxes(job, scene);
    const bool lacks_clip = writer->layout.has_one_clip && writer->num_clips == 0;
    if (writer->model && lacks_clip && !write_bind_pose(writer, error))
        return false;
    if (job->engine && has_targets(scene))
        convert_note(job,
                     "morph targets are not supported by the engine: the game does not show them");
    return write_one_clip(writer, error) && convert_write_materials(&writer->layout, error);
}

// Writes all parts of a scene as MD5 files. If an engine is requested, the parts are changed to
// satisfy its limits.
bool convert_write_md5(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    const convert_part *const first = convert_find_model(scene);
    const bool needs_model = first && job->engine;
    md5_model *const model = needs_model ? convert_parse_model(first, error) : NULL;
    md5_output writer = {.layout = convert_find_layout(job, scene),
                         .extensions = is_bfg_output(job) ? bfg_extensions : text_extensions,
                         .model = model};
    const bool is_done = (model || !needs_model) && write_scene(&writer, scene, error);

    for (size_t i = 0; i < writer.num_clips; i++)
        md5_free_doc(writer.clips[i]);
    free(writer.clips);
    common_free_list(&writer.memory);
    md5_free_model(model);
    convert_free_layout(&writer.layout);
    return is_done;
}
