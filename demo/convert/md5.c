// MD5 files in, which a scene holds as they are, and out as text or Doom 3 BFG's binary files,
// within the limits of an engine; morph targets and their curves as machine.c reads them.
#include "demo/convert/layout.h"
#include "md5/md5machine.h"

// By kind of part, of text and of Doom 3 BFG's binary files.
static const char *const text_endings[] = {".md5mesh", ".md5anim", ".md5camera", ".md5mesh"};
static const char *const bfg_endings[] = {".bmd5mesh", ".bMD5anim", ".bcanim", ".bmd5mesh"};

bool convert_read_md5(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    (void)job;
    (void)error;
    const char *const path = input->path;
    char *const name = common_stem(path);
    convert_part_kind kind = CONVERT_CLIP;
    if (common_has_ending(path, "mesh"))
        kind = CONVERT_MODEL;
    else if (common_has_ending(path, ".md5camera") || common_has_ending(path, ".bcanim"))
        kind = CONVERT_CAMERA;
    convert_add_part(scene, kind, name, path, input->bytes, input->size);
    input->bytes = NULL;
    free(name);
    return true;
}

// -- Writing --------------------------------------------------------------------------------------

typedef struct md5_output {
    convert_layout layout;
    const char *const *endings; // by kind
    const md5_model *model;     // to which clips are fitted; NULL: they stay as they are
    md5_doc **clips;            // [num_clips] that become one, as Quake's engines read one
    size_t num_clips;
    uint64_t num_frames; // of these
} md5_output;

static bool write_bytes(const md5_output *w, convert_part_kind kind, const char *name,
                        const char *bytes, size_t size, md5_error *error)
{
    char *const file = common_format("%s%s", name, w->endings[kind]);
    const char *const asked = common_base(w->layout.job->output); // perhaps in capitals
    char *const path =
        common_join(w->layout.folder, common_compare_case(file, asked) == 0 ? asked : file);
    common_make_folders(path, 0777);
    const bool is_written = convert_write_file(w->layout.job, path, bytes, size, error);
    free(path);
    free(file);
    return is_written;
}

// Writes a document: text is canonical, as id's exporter lays it out.
static bool write_doc(const md5_output *w, const md5_doc *doc, const char *name, md5_error *error)
{
    convert_bytes made = {0};
    const bool is_written =
        (w->endings == bfg_endings ? convert_make_bfg(w->layout.job, doc, name, &made, error)
                                   : convert_print_doc(doc, &made.bytes, &made.size, error))
        && write_bytes(w, (convert_part_kind)doc->kind, name, made.bytes, made.size, error);
    free(made.bytes);
    return is_written;
}

// Brings a model within the limits of the engine.
static bool limit_model(const md5_output *w, md5_doc *doc, md5_error *error)
{
    const convert_job *const job = w->layout.job;
    const uint32_t most = w->layout.max_weights;
    float loss = 0;
    const uint32_t num_rotations = md5_fix_rotations(doc, error);
    const uint32_t num_vertices =
        num_rotations != MD5_NONE ? md5_fix_weights(doc, most, 1e-3f, &loss, error) : MD5_NONE;
    if (num_vertices == MD5_NONE)
        return false;
    if (num_vertices > 0 && most > 0)
        convert_note(job,
                     "reduced the weights of %u vertices to at most %u each, with a sum of 1; "
                     "vertices move by up to %g units",
                     num_vertices, most, loss);
    else if (num_vertices > 0)
        convert_note(job, "normalized the weights of %u vertices, whose sum was not 1",
                     num_vertices);
    return true;
}

// Gives a clip the joints of the model; one that is joined to others all components, which engines
// that ignore base frames need, too.
static bool limit_clip(const md5_output *w, md5_doc *doc, const char *name, md5_error *error)
{
    const uint32_t num_joints = md5_fix_joints(doc, w->model, w->layout.has_one_clip, error);
    if (num_joints == MD5_NONE)
        return false;
    if (num_joints > 0)
        convert_note(w->layout.job, "clip %s: changed %u joints to match the mesh and the engine",
                     name, num_joints);
    // id's engine demands a first component within the frame also where there is none.
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        md5_doc_joint *const joint = &doc->joints[i];
        if (joint->track.flags == 0)
            joint->track.first = 0;
    }
    bool is_good = doc->bounds; // boxes that hold nothing make the model vanish
    for (uint32_t i = 0; i < doc->num_frames && is_good; i++) {
        const md5_vec3 min = doc->bounds[i].min;
        const md5_vec3 max = doc->bounds[i].max;
        is_good = min.x < max.x && min.y < max.y && min.z < max.z;
    }
    if (is_good || w->model->num_meshes == 0)
        return true;
    const uint32_t num_boxes = md5_fix_bounds(doc, w->model, error);
    if (num_boxes > 0 && num_boxes != MD5_NONE)
        convert_note(w->layout.job, "clip %s: computed %u bounding boxes from the skin", name,
                     num_boxes);
    return num_boxes != MD5_NONE;
}

// Writes the clips, which have the same joints and components, one after the other.
static bool write_one_clip(const md5_output *w, md5_error *error)
{
    if (w->num_clips == 0)
        return true;
    md5_doc all = *w->clips[0];
    bool is_alike = true;
    bool has_bounds = true;
    for (size_t i = 0; i < w->num_clips; i++) {
        const md5_doc *const clip = w->clips[i];
        is_alike &= clip->num_components == all.num_components;
        has_bounds &= clip->bounds != NULL;
        if (clip->frame_rate < all.frame_rate || clip->frame_rate > all.frame_rate)
            convert_note(
                w->layout.job,
                "clips have different frame rates, %g and %g frames per second; using the first",
                all.frame_rate, clip->frame_rate);
    }
    if (!is_alike || w->num_frames > UINT32_MAX)
        return convert_fail(error, MD5_ERROR_MISMATCH, w->layout.job->output,
                            "cannot join the clips into one: their joints differ");
    const size_t row = all.num_components;
    all.num_frames = (uint32_t)w->num_frames;
    all.numbers = common_alloc((size_t)w->num_frames * row + 1, sizeof *all.numbers);
    all.bounds = has_bounds ? common_alloc((size_t)w->num_frames, sizeof *all.bounds) : NULL;
    size_t frame = 0;
    for (size_t i = 0; i < w->num_clips; i++) {
        const md5_doc *const clip = w->clips[i];
        memcpy(all.numbers + frame * row, clip->numbers,
               clip->num_frames * row * sizeof *all.numbers);
        if (has_bounds)
            memcpy(all.bounds + frame, clip->bounds, clip->num_frames * sizeof *all.bounds);
        frame += clip->num_frames;
    }
    const bool is_written = write_doc(w, &all, w->layout.name, error);
    free(all.numbers);
    free(all.bounds);
    return is_written;
}

// Whether a part is what is written: text that a reader printed, and no engine changes.
static bool is_printed(const md5_output *w, const convert_part *part)
{
    return !part->path && !w->layout.job->engine && w->endings == text_endings;
}

// Writes a part under a name, or takes a clip for the one that all become.
static bool write_part(md5_output *w, const convert_part *part, const char *name, md5_error *error)
{
    if (is_printed(w, part))
        return write_bytes(w, part->kind, name, part->bytes, part->size, error);
    md5_doc *const doc = convert_parse_doc(part, error);
    bool is_done = doc;
    if (is_done && part->kind == CONVERT_CLIP && w->model)
        is_done = limit_clip(w, doc, part->name, error);
    if (is_done && doc->kind == MD5_DOC_MODEL && w->layout.job->engine)
        is_done = limit_model(w, doc, error);
    if (is_done && part->kind == CONVERT_CLIP && w->model && w->layout.has_one_clip) {
        convert_note(w->layout.job, "clip %s was written to %s.md5anim, starting at frame %llu",
                     part->name, w->layout.name, (unsigned long long)w->num_frames);
        w->num_frames += doc->num_frames;
        *COMMON_MORE(w->clips, w->num_clips) = doc;
        return true;
    }
    common_list names = {NULL, 0};
    if (is_done)
        convert_name_meshes(&w->layout, doc, &names);
    is_done = is_done && write_doc(w, doc, name, error);
    common_free_list(&names);
    md5_free_doc(doc);
    return is_done;
}

// Makes a clip of one frame, the bind pose, for an engine that shows no model without: its root, to
// which the other joints are added as to any clip that lacks some.
static bool write_rest(md5_output *w, md5_error *error)
{
    const uint32_t first = w->model->skeleton.order[0];
    md5_doc_joint joint = convert_doc_joint(w->model->skeleton.joints[first].name, MD5_NONE,
                                            convert_from_xform(w->model->bind_local[first]));
    md5_doc doc = {.kind = MD5_DOC_ANIM, .num_joints = 1, .num_frames = 1, .frame_rate = 24};
    convert_part part = {.kind = CONVERT_CLIP, .name = w->layout.name};
    doc.joints = &joint;
    convert_note(w->layout.job,
                 "wrote a clip of the bind pose, because the engine requires a clip");
    const bool is_done = convert_print_doc(&doc, &part.bytes, &part.size, error)
                         && write_part(w, &part, w->layout.name, error);
    free(part.bytes);
    return is_done;
}

// Writes a machine with a state for each clip, which drives morph targets by weights of clips.
static bool write_machine(const md5_output *w, const convert_scene *scene, const char *model,
                          md5_error *error)
{
    md5_clip_desc *const clips = common_alloc(scene->num_parts, sizeof *clips);
    md5_state_desc *const states = common_alloc(scene->num_parts, sizeof *states);
    md5_morph_desc *const morphs = common_alloc(scene->num_weights, sizeof *morphs);
    md5_layer_desc layer = {.name = "clips", .states = states};
    md5_machine_desc desc = {
        .name = model, .clips = clips, .layers = &layer, .num_layers = 1, .morphs = morphs};
    common_list files = {NULL, 0};
    for (size_t i = 0; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        if (part->kind != CONVERT_CLIP)
            continue;
        common_add(&files, common_format("%s.md5anim", part->name));
        clips[desc.num_clips++] =
            (md5_clip_desc){.name = part->name, .file = files.names[files.count - 1]};
        states[layer.num_states++] = (md5_state_desc){.name = part->name, .motion = part->name};
    }
    for (size_t j = 0; j < scene->num_weights; j++) {
        convert_weights *const row = &scene->weights[j];
        md5_morph_key *const keys = common_alloc(row->num_keys, sizeof *keys);
        uint32_t count = 0;
        bool is_moved = false;
        for (size_t i = 0; i < row->num_keys; i++) {
            const float weight = row->keys[i];
            is_moved |= weight < 0 || weight > 0;
            // Between two of the same weight none is needed.
            if (i == 0 || i + 1 == row->num_keys || weight < row->keys[i - 1]
                || weight > row->keys[i - 1] || weight < row->keys[i + 1]
                || weight > row->keys[i + 1])
                keys[count++] = (md5_morph_key){.frame = (uint32_t)i, .weight = weight};
        }
        morphs[desc.num_morphs] = (md5_morph_desc){.target = row->target,
                                                   .drive = MD5_MORPH_BY_CLIP,
                                                   .clip = row->clip,
                                                   .keys = keys,
                                                   .num_keys = count};
        if (is_moved)
            desc.num_morphs++;
        else
            free(keys);
    }
    char *const file = common_format("%s.md5mesh", model);
    char *text = NULL;
    char *const name = common_format("%s.md5machine", model);
    char *const path = common_join(w->layout.folder, name);
    const size_t size = md5_write_machine(&desc, file, NULL, 0, error);
    if (size > 0) {
        text = common_alloc(size + 1, 1);
        md5_write_machine(&desc, file, text, size + 1, error);
    }
    const bool is_written = size > 0 && convert_write_file(w->layout.job, path, text, size, error);
    for (uint32_t i = 0; i < desc.num_morphs; i++)
        free((void *)morphs[i].keys);
    common_free_list(&files);
    free(text);
    free(name);
    free(file);
    free(path);
    free(clips);
    free(states);
    free(morphs);
    return is_written;
}

// The model takes the name of the output, the others their own, in its folder; morph targets are in
// a folder in that. An output that ends
// in .md5anim or .md5camera is the only part of that kind.
bool convert_write_md5(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    const bool is_folder = common_is_folder(job->output);
    const convert_part *const first = convert_find_model(scene);
    md5_output w = {.layout = convert_find_layout(job, scene), .endings = text_endings};
    md5_model *const model = first && job->engine ? convert_parse_model(first, error) : NULL;
    bool is_done = model || !first || !job->engine;
    bool is_named = is_folder;
    w.model = model;
    for (int kind = CONVERT_MODEL; kind < CONVERT_TARGET; kind++)
        if (!is_folder && common_has_ending(job->output, bfg_endings[kind]))
            w.endings = bfg_endings;
    for (size_t i = 0; i < scene->num_parts && is_done; i++) { // before anything is written
        if (is_printed(&w, &scene->parts[i]))
            continue;
        md5_doc *const doc = convert_parse_doc(&scene->parts[i], error);
        is_done = doc && (!doc->parents_unknown || md5_write_doc(doc, NULL, 0, error) > 0);
        md5_free_doc(doc);
    }
    for (size_t i = 0; i < scene->num_parts && is_done; i++) {
        const convert_part *const part = &scene->parts[i];
        const bool is_target = part->kind == CONVERT_TARGET;
        const bool is_output =
            !is_named && !is_target && common_has_ending(job->output, w.endings[part->kind]);
        char *const name = is_target ? common_join("morphs", part->name)
                                     : common_copy(is_output ? w.layout.name : part->name);
        is_done = write_part(&w, part, name, error);
        is_named |= is_output;
        // Engines do not read it, and lay files out in their own way.
        if (is_done && part == first && scene->num_weights > 0 && !job->engine
            && w.endings == text_endings)
            is_done = write_machine(&w, scene, name, error);
        free(name);
    }
    if (is_done && !is_named)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->output,
                               "the inputs contain nothing that this format can store");
    if (is_done && model && w.layout.has_one_clip && w.num_clips == 0)
        is_done = write_rest(&w, error);
    if (is_done && job->engine && scene->num_weights > 0)
        convert_note(job, "morph targets are not supported by the engine and will not be shown");
    is_done = is_done && write_one_clip(&w, error) && convert_write_looks(&w.layout, error);
    for (size_t i = 0; i < w.num_clips; i++)
        md5_free_doc(w.clips[i]);
    free(w.clips);
    md5_free_model(model);
    convert_free_layout(&w.layout);
    return is_done;
}
