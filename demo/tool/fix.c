// md5tool fix: repairs and edits files. All files are repaired in memory first, and then written,
// so that an error never leaves a mesh without its changed clips.
//
// The main structure is repair_job, the repair of one file. repair_file() checks the text by the
// rules of engines, parses it to a document (md5edit.h), applies the repairs and the options, and
// checks the new text. The differences between both checks are printed as repairs.
#include "demo/tool/tool.h"

#include <errno.h>

// A file before and after the repair. `text` is the original text, and `written` is the repaired
// text. If the file is a clip, mesh_text and mesh_written are the same two texts of its mesh.
typedef struct repair_job {
    const tool_arguments *arguments;
    common_list *outputs; // paths of all outputs
    common_list *texts;   // contents of all outputs
    bool *renames;        // [arguments->renames] the option has found its old name
    const char *path;
    const char *part; // NAME=FIRST-LAST: the part to cut from a clip; NULL: the whole clip
    md5_doc_kind kind;
    char *mesh_path; // mesh of a clip, or NULL
    md5_model *mesh; // the mesh of a clip after the edits, or NULL
    char *text;
    char *written;
    char *mesh_text;
    char *mesh_written;
    size_t size;
    size_t written_size;
    size_t mesh_size;
    size_t mesh_written_size;
    uint32_t num_changes;
    bool is_silent; // changes are not printed: they belong to the mesh of a clip
} repair_job;

static const char mesh_not_read[] = "cannot read the mesh of the clip";

// Prints the number of changes by an edit, and adds it to the total. `singular` and `plural` are
// the noun of the changed elements, and `change` is the rest of the message. Changes of a clip's
// mesh are neither printed nor counted. Returns false if `count` is MD5_NONE, which means that the
// edit failed.
static bool report_edit(repair_job *job, uint32_t count, const char *singular, const char *plural,
                        const char *change)
{
    if (count == MD5_NONE)
        return false;
    if (job->is_silent)
        return true;
    if (count > 0)
        printf("  %u %s %s\n", count, common_noun(count, singular, plural), change);
    job->num_changes += count;
    return true;
}

// -- Rules of engines -----------------------------------------------------------------------------

// The content of a file in memory.
typedef struct file_text {
    const char *bytes; // [size], or NULL
    size_t size;
} file_text;

// Checks a clip with its mesh by the rules of engines. Adds the violations to the check of the
// clip. A syntax error is ignored here, because the separate checks of both texts report it.
static void check_with_mesh(md5_check *clip, file_text clip_text, md5_check *mesh,
                            file_text mesh_text)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_ALL, .allow_partial_binding = true};
    md5_check_pair(mesh, clip);
    md5_model *const model = md5_parse_model(mesh_text.bytes, mesh_text.size, &opts, NULL);
    md5_anim *anim = NULL;
    if (model)
        anim = md5_parse_anim(clip_text.bytes, clip_text.size, &opts, NULL);
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, NULL) : NULL;
    if (binding)
        md5_check_binding(clip, binding);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
}

// Checks a text by the rules of the requested engines. If mesh_text is not empty, the text is a
// clip, and it is also checked with this mesh. The caller frees the check.
static md5_check *check_texts(const repair_job *job, file_text text, file_text mesh_text)
{
    const md5_engines requested = tool_engines(job->arguments->requested, NULL, job->path);
    md5_check *const check = tool_check_text(job->path, text.bytes, text.size, requested);
    if (check && mesh_text.bytes) {
        md5_check *const mesh =
            tool_check_text(job->mesh_path, mesh_text.bytes, mesh_text.size, requested);
        if (mesh)
            check_with_mesh(check, text, mesh, mesh_text);
        md5_free_check(mesh);
    }
    return check;
}

// Checks the original text; a clip is also checked with its original mesh.
static md5_check *check_original(const repair_job *job)
{
    return check_texts(job, (file_text){job->text, job->size},
                       (file_text){job->mesh_text, job->mesh_size});
}

// Checks the repaired text; a clip is also checked with the edited mesh, if there is one.
static md5_check *check_repaired(const repair_job *job)
{
    file_text mesh_text = {job->mesh_text, job->mesh_size};
    if (job->mesh_written)
        mesh_text = (file_text){job->mesh_written, job->mesh_written_size};
    return check_texts(job, (file_text){job->written, job->written_size}, mesh_text);
}

// Returns the violation of a rule, or NULL if the text does not violate the rule. Also returns NULL
// if no requested engine has the rule.
static const md5_diagnostic *find_rule(md5_check *file_check, const char *rule)
{
    size_t count = 0;
    const md5_diagnostic *const found = file_check ? tool_diagnostics(file_check, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!found[i].is_silent && strcmp(found[i].rule, rule) == 0)
            return &found[i];
    }
    return NULL;
}

// Prints a problem of the original text with the word "repaired" or "remains". A repair counts as a
// change.
static void print_repair(repair_job *job, bool is_repaired, const char *problem)
{
    common_print(stdout, "  %s: %s\n", is_repaired ? "repaired" : "remains", problem);
    if (is_repaired)
        job->num_changes++;
}

// Prints each rule that the original text violates. The problem counts as repaired if the repaired
// text does not violate the rule.
static void compare_checks(repair_job *job, md5_check *before, md5_check *after)
{
    size_t count = 0;
    const md5_diagnostic *const found = before ? tool_diagnostics(before, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (found[i].is_silent)
            continue;
        char *const problem =
            common_format("%s [%s] %s", found[i].error.message, found[i].rule, found[i].engines);
        print_repair(job, !find_rule(after, found[i].rule), problem);
        free(problem);
    }
}

// -- Repairs --------------------------------------------------------------------------------------

// Copies the hierarchy of the mesh to a clip of version 6, because the files of this version
// contain no parents. Does nothing for other versions, or if there is no mesh.
static bool set_parents(repair_job *job, md5_doc *doc, md5_error *error)
{
    if (!doc->parents_unknown || !job->mesh_text)
        return true;
    md5_model *const model = md5_parse_model(job->mesh_text, job->mesh_size, NULL, error);
    const bool is_done = !model
                         || report_edit(job, md5_fix_joints(doc, model, false, error), "joint",
                                        "joints", "attached to the parents that the mesh defines");
    md5_free_model(model);
    return is_done;
}

// Returns true if at most one joint has this name. Otherwise sets `error`, because engines ignore
// further joints with the same name. `option` and `text` are the option that sets the name and its
// value, for the message.
static bool is_unique(const md5_doc *doc, const char *name, const char *option, const char *text,
                      md5_error *error)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        if (strcmp(doc->joints[j].name, name) == 0)
            count++;
    }
    if (count >= 2)
        return convert_fail(error, MD5_ERROR_MISMATCH, "",
                            "%s %.100s: %u joints would get the same name; choose another name",
                            option, text, count);
    return true;
}

// Returns a pointer to one of the names in a document, so that the name can be replaced. Indices
// below the number of joints select the names of joints. Each mesh has the two following indices,
// for its name and its shader.
static const char **get_name(md5_doc *doc, size_t index)
{
    if (index < doc->num_joints)
        return &doc->joints[index].name;
    const size_t mesh_name = index - doc->num_joints;
    md5_doc_mesh *const mesh = &doc->meshes[mesh_name / 2];
    return mesh_name % 2 == 0 ? &mesh->name : &mesh->shader;
}

// Replaces a name of joints, meshes and shaders. The old name is the first `old_length` characters
// of `old_name`. Returns the number of replaced names. Sets *renames_joint to true if one of them
// is the name of a joint.
static uint32_t replace_names(md5_doc *doc, const char *old_name, size_t old_length,
                              const char *new_name, bool *renames_joint)
{
    const size_t num_names = (size_t)doc->num_joints + 2 * (size_t)doc->num_meshes;
    uint32_t count = 0;
    for (size_t i = 0; i < num_names; i++) {
        const char **const name = get_name(doc, i);
        const bool is_old_name =
            strlen(*name) == old_length && strncmp(*name, old_name, old_length) == 0;
        if (!is_old_name)
            continue;
        *name = new_name;
        *renames_joint |= i < doc->num_joints;
        count++;
    }
    return count;
}

// Applies one option --rename OLD=NEW. Returns the number of changed names, or MD5_NONE on failure.
static uint32_t apply_rename(md5_doc *doc, const char *option, md5_error *error)
{
    const char *const separator = strchr(option, '=');
    const size_t old_length = separator ? (size_t)(separator - option) : 0;
    if (old_length == 0 || separator[1] == '\0') {
        convert_fail(error, MD5_ERROR_SYNTAX, "", "--rename: expected OLD=NEW, found '%.100s'",
                     option);
        return MD5_NONE;
    }

    const char *const new_name = separator + 1;
    bool renames_joint = false;
    const uint32_t count = replace_names(doc, option, old_length, new_name, &renames_joint);
    if (renames_joint && !is_unique(doc, new_name, "--rename", option, error))
        return MD5_NONE;
    return count;
}

// Applies all options --rename, and marks those that changed a name. Returns the number of changed
// names, or MD5_NONE on failure.
static uint32_t rename_all(const repair_job *job, md5_doc *doc, md5_error *error)
{
    const common_texts *const renames = &job->arguments->renames;
    uint32_t total = 0;
    for (size_t i = 0; i < renames->count; i++) {
        const uint32_t count = apply_rename(doc, renames->names[i], error);
        if (count == MD5_NONE)
            return MD5_NONE;
        if (count > 0)
            job->renames[i] = true;
        total += count;
    }
    return total;
}

// Returns an array that contains for each joint its counterpart on the other side of the body. The
// caller frees the array.
static uint32_t *create_mirror(const md5_doc *doc)
{
    uint32_t *const partners = common_alloc(doc->num_joints, sizeof *partners);
    md5_joint *const joints = common_alloc(doc->num_joints, sizeof *joints);
    for (uint32_t j = 0; j < doc->num_joints; j++)
        joints[j] = (md5_joint){doc->joints[j].name, doc->joints[j].parent};
    const md5_skeleton skeleton = {.num_joints = doc->num_joints, .joints = joints};
    md5_build_mirror(&skeleton, partners);
    free(joints);
    return partners;
}

// Applies the options for joints: their order, their number and a new root. If `sorts_joints`,
// parents are moved before their children, even if no option edits the joints.
static bool edit_joints(repair_job *job, bool sorts_joints, md5_doc *doc, md5_error *error)
{
    const md5_joint_edit *const edit = &job->arguments->joint_edit;
    const bool is_edited = sorts_joints || edit->root || edit->drops_unused;
    if (doc->kind != MD5_DOC_CAMERA && is_edited
        && !report_edit(job, md5_edit_joints(doc, edit, error), "joint", "joints",
                        "reordered, added or removed"))
        return false;
    return !edit->root || is_unique(doc, edit->root, "--add-root", edit->root, error);
}

// Applies the edits that must be the same for a mesh and its clips, because they must match
// afterwards. These edits change names, the order and the number of joints, and the space.
static bool edit_pair(repair_job *job, bool sorts_joints, md5_doc *doc, md5_error *error)
{
    if (!report_edit(job, rename_all(job, doc, error), "joint, mesh or shader",
                     "joints, meshes or shaders", "renamed"))
        return false;
    if (!edit_joints(job, sorts_joints, doc, error))
        return false;

    uint32_t *const partners = create_mirror(doc);
    md5_space_edit space = job->arguments->space_edit;
    space.scale = (float)job->arguments->scale;
    space.partners = partners;
    const uint32_t count = md5_edit_space(doc, &space, error);
    free(partners);
    return report_edit(job, count, "joint or view", "joints or views",
                       "scaled, rotated or mirrored");
}

// Converts a document to a model, because only a model contains the positions of vertices. Returns
// NULL on failure.
static md5_model *load_doc(const md5_doc *doc, md5_error *error)
{
    size_t size = 0;
    char *text = NULL;
    md5_model *model = NULL;
    if (convert_print_doc(doc, &text, &size, error))
        model = md5_parse_model(text, size, NULL, error);
    free(text);
    return model;
}

// Flips the triangles of closed meshes whose front faces point inwards. Open meshes are unchanged,
// because they have no inside.
static bool flip_inverted(repair_job *job, md5_doc *doc, md5_error *error)
{
    md5_model *const model = load_doc(doc, error);
    if (!model)
        return false;
    bool *const flipped = common_alloc(doc->num_meshes, sizeof *flipped);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        flipped[m] = md5_is_inside_out(&model->meshes[m]);
    md5_free_model(model);

    const md5_mesh_edit edit = {.flipped = flipped};
    const uint32_t count = md5_edit_meshes(doc, &edit, error);
    free(flipped);
    if (count == 0)
        puts("  --winding: no closed mesh faces inwards; open meshes are not checked");
    return report_edit(job, count, "triangle", "triangles", "flipped to face outwards");
}

// Repairs a mesh and applies the options for meshes. Each edit prints how much it changed.
// Returns false and fills `error` if an edit fails.
static bool repair_model(repair_job *job, md5_doc *doc, md5_check *before, md5_error *error)
{
    // Larger errors of the sum of a vertex's weights are repaired.
    static const float max_sum_error = 1e-3f;
    const uint32_t max_weights = job->arguments->influences;
    float max_shift = 0;
    if (!report_edit(job, md5_fix_rotations(doc, error), "rotation", "rotations", "normalized"))
        return false;
    if (!report_edit(job, md5_fix_weights(doc, max_weights, max_sum_error, &max_shift, error),
                     "vertex", "vertices", "with weights reduced or normalized"))
        return false;

    if (job->arguments->fills_weights
        && !report_edit(job, md5_fill_weights(doc, max_weights, error), "vertex", "vertices",
                        "without weights got the weights of the nearest surface point"))
        return false;
    if (job->arguments->flips_inverted && !flip_inverted(job, doc, error))
        return false;
    if (!report_edit(job, md5_edit_meshes(doc, &job->arguments->mesh_edit, error),
                     "mesh merged or split, or unused element",
                     "meshes merged or split, or unused elements", "removed"))
        return false;

    if (max_weights > 0 && max_shift > 0)
        printf("  this moves vertices by at most %g units\n", max_shift);
    return edit_pair(job, find_rule(before, "parent-order") != NULL, doc, error);
}

// Exchanges left and right of a pose. It is a callback for md5_frame_edit.change, and `user` is the
// model with the mesh of the clip.
static void swap_sides(void *user, md5_xform *pose)
{
    const md5_model *const model = user;
    const uint32_t count = model->skeleton.num_joints;
    uint32_t *const partners = common_alloc(count, sizeof *partners);
    md5_xform *const mirrored = common_alloc(count, sizeof *mirrored);
    md5_build_mirror(&model->skeleton, partners);
    md5_mirror_pose(model, partners, pose, mirrored);
    memcpy(pose, mirrored, count * sizeof *pose);
    free(mirrored);
    free(partners);
}

// Parses a frame number at *text and advances *text past it. Returns false if there are no digits
// or the number is too large.
static bool read_frame(const char **text, uint32_t *frame)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**text))
        return false;
    const unsigned long number = strtoul(*text, &end, 10);
    if (number >= INT32_MAX)
        return false;
    *frame = (uint32_t)number;
    *text = end;
    return true;
}

// Parses FIRST-LAST and stores the frames in an edit. The text ends at a comma or at the 0 byte. If
// the first frame is after the last frame, the edit reverses the frames.
static bool read_frames(const char *text, md5_frame_edit *edit)
{
    const char *at = text;
    uint32_t first = 0;
    uint32_t last = 0;
    if (!read_frame(&at, &first) || *at != '-')
        return false;
    at++;
    if (!read_frame(&at, &last))
        return false;
    if (*at != '\0' && *at != ',')
        return false;

    const bool is_reversed = last < first;
    const uint32_t lowest = is_reversed ? last : first;
    const uint32_t highest = is_reversed ? first : last;
    edit->is_reversed = is_reversed;
    edit->first = lowest;
    edit->num_frames = highest - lowest + 1;
    return true;
}

// Prints what --close-loop has changed, depending on how the clip ended.
static void print_loop(const md5_loop *loop)
{
    switch (loop->end) {
    case MD5_LOOP_WITHOUT_LAST_FRAME:
        puts("  --close-loop: the cycle ended one frame before frame 0; a copy of frame 0 was "
             "appended");
        break;
    case MD5_LOOP_CLOSED:
        puts("  --close-loop: the last frame already equals the first");
        break;
    default:
        printf("  --close-loop: blended the last %u %s towards frame 0\n", loop->num_blended,
               common_noun(loop->num_blended, "frame", "frames"));
        break;
    }
}

// Prints a hint for --in-place if the motion along the ground is not carried by the root but by
// another joint. The option then has no effect without --root-motion.
static bool suggest_root_motion(const md5_doc *doc, md5_error *error)
{
    md5_root_motion motion;
    if (!convert_find_root_motion(doc, &motion, error))
        return false;
    if (motion.joint != MD5_NONE) {
        const char *const joint_name = doc->joints[motion.joint].name;
        common_print(stdout,
                     "  --in-place: the root does not move; joint '%s' carries the motion; use "
                     "--root-motion '%s'\n",
                     joint_name, joint_name);
    }
    return true;
}

// Applies --root-motion. If only --in-place is given, calls suggest_root_motion() instead.
static bool edit_root(repair_job *job, md5_doc *doc, md5_error *error)
{
    const md5_root_edit *const edit = &job->arguments->root_edit;
    uint32_t count = 0;
    if (!edit->joint && job->arguments->frame_edit.is_in_place)
        return suggest_root_motion(doc, error);
    return convert_move_root_motion(doc, edit, &count, error)
           && report_edit(job, count, "joint", "joints",
                          "changed to move the root motion to the first joint");
}

// Removes frame 0 of a clip if frame 1 repeats it because of a mistake of the exporter.
static bool drop_doubled_frame(repair_job *job, md5_doc *doc, md5_error *error)
{
    md5_anim *const anim = md5_parse_anim(job->text, job->size, NULL, error);
    const bool is_read = anim != NULL;
    const bool is_doubled = is_read && tool_has_doubled_frame(anim);
    md5_free_anim(anim);
    if (!is_doubled)
        return is_read;
    if (md5_edit_frames(doc, &(md5_frame_edit){.first = 1}, error) == MD5_NONE)
        return false;
    return report_edit(job, 1, "first frame", "", "removed, which the second frame repeats");
}

// Returns the edit that the options for frames request, without its model and callback.
static md5_frame_edit read_frame_options(const repair_job *job)
{
    md5_frame_edit edit = job->arguments->frame_edit;
    edit.frame_rate = job->arguments->rate;
    if (job->part)
        read_frames(strchr(job->part, '=') + 1, &edit);
    else if (job->arguments->frames)
        read_frames(job->arguments->frames, &edit);
    return edit;
}

// Adds the model to an edit that needs it. --swap-sides mirrors poses with its skeleton, and
// --reduce measures how far its skin moves. Fails only if --swap-sides has no model.
static bool add_frame_edit_mesh(const repair_job *job, md5_frame_edit *edit, md5_error *error)
{
    const bool swaps_sides = job->arguments->swaps_sides;
    if (swaps_sides && !job->mesh)
        return convert_fail(error, MD5_ERROR_MISSING, job->path, mesh_not_read);
    if (swaps_sides || edit->tolerance > 0)
        edit->model = job->mesh;
    if (swaps_sides) {
        edit->change = swap_sides;
        edit->user = job->mesh;
    }
    return true;
}

// Applies an edit of frames to the clip, and prints its effects. Returns false and fills `error`
// on failure.
static bool apply_frame_edit(repair_job *job, md5_doc *doc, const md5_frame_edit *edit,
                             md5_error *error)
{
    md5_loop loop = {.end = MD5_LOOP_OPEN};
    md5_frame_edit complete_edit = *edit;
    complete_edit.loop = &loop;
    if (!add_frame_edit_mesh(job, &complete_edit, error))
        return false;

    const uint32_t num_comments = doc->num_comments;
    const uint32_t count = md5_edit_frames(doc, &complete_edit, error);
    if (!report_edit(job, count, "frame or joint", "frames or joints", "changed"))
        return false;
    const uint32_t num_removed = num_comments - doc->num_comments;
    if (num_removed > 0)
        printf("  removed %u %s of the removed frames\n", num_removed,
               common_noun(num_removed, "comment", "comments"));
    if (edit->is_closed)
        print_loop(&loop);
    return true;
}

// Returns true if an edit changes poses or their times, in contrast to an edit that only selects
// frames.
static bool changes_motion(const repair_job *job, const md5_frame_edit *edit)
{
    const bool changes_cycle = edit->is_closed || edit->is_in_place;
    return edit->frame_rate > 0 || changes_cycle || job->arguments->swaps_sides;
}

// Prints how many bounding boxes of a clip were computed. Returns false if `count` is MD5_NONE.
static bool report_bounds(repair_job *job, uint32_t count)
{
    return report_edit(job, count, "bounding box", "bounding boxes", "computed from the skin");
}

// Applies the options for frames, and removes a doubled first frame. If the edit changes poses, the
// bounds are computed again from the skin, because the old bounds belong to the old poses.
static bool edit_frames(repair_job *job, md5_doc *doc, md5_error *error)
{
    const bool selects_frames = job->part || job->arguments->frames;
    if (!selects_frames && !drop_doubled_frame(job, doc, error))
        return false;
    if (!edit_root(job, doc, error))
        return false;

    const md5_frame_edit edit = read_frame_options(job);
    const bool has_new_motion = changes_motion(job, &edit);
    const bool is_needed = has_new_motion || selects_frames || edit.tolerance != 0;
    if (!is_needed)
        return true;
    if (!apply_frame_edit(job, doc, &edit, error))
        return false;
    if (!has_new_motion || !job->mesh)
        return true;

    // A failure is ignored. The clip then keeps the bounds from its file.
    const uint32_t num_bounds = md5_fix_bounds(doc, job->mesh, NULL);
    return report_bounds(job, num_bounds == MD5_NONE ? 0 : num_bounds);
}

// Returns true if the joints of a clip differ from the joints of its mesh.
static bool has_different_joints(const repair_job *job, md5_check *before)
{
    static const char *const rules[] = {"clip-joint-count", "clip-joint-name", "clip-joint-order",
                                        "clip-joint-parent"};
    for (size_t i = 0; i < COMMON_LENGTH(rules); i++) {
        if (find_rule(before, rules[i]))
            return true;
    }
    return job->arguments->joint_edit.drops_unused && job->mesh;
}

// Replaces the joints of a clip by the joints of its mesh, if they differ. Returns false and fills
// `error` on failure. Some engines ignore base frames, which contain the components that frames do
// not store. For these engines, all six components of each joint are stored in the frames.
static bool match_joints(repair_job *job, md5_doc *doc, md5_check *before, md5_error *error)
{
    const bool is_different = has_different_joints(job, before);
    bool needs_all = find_rule(before, "base-frame-needed");
    // Joints that are added have their values only in the base frame.
    if (!needs_all && is_different)
        needs_all = tool_has_rule(tool_engines(job->arguments->requested, NULL, job->path),
                                  "base-frame-needed");
    if (!is_different && !needs_all)
        return true;
    if (is_different && !job->mesh)
        return convert_fail(error, MD5_ERROR_MISSING, job->path, mesh_not_read);

    const md5_model *const mesh = is_different ? job->mesh : NULL;
    const char *const change =
        is_different ? "changed to match the mesh" : "extended to all components";
    return report_edit(job, md5_fix_joints(doc, mesh, needs_all, error), "joint", "joints", change);
}

// Returns true if the bounds of a clip are missing or wrong. Bounds that are too large are
// accepted, because engines never cull a visible model with them.
static bool needs_bounds(const md5_doc *doc, md5_check *before)
{
    return !doc->bounds || find_rule(before, "bounds") || find_rule(before, "bounds-count");
}

// Rotates the axes of a clip's joints to the axes that the joints have in the mesh. Call it before
// the mesh is edited, because it compares with the original mesh. *num_rotated receives the number
// of rotated joints.
static bool rotate_axes(repair_job *job, md5_doc *doc, uint32_t *num_rotated, md5_error *error)
{
    if (!job->mesh_text)
        return true;
    md5_error ignored = {0};
    md5_model *const mesh = md5_parse_model(job->mesh_text, job->mesh_size, NULL, &ignored);
    if (!mesh)
        return true;
    *num_rotated = md5_fix_axes(doc, mesh, NULL, error);
    md5_free_model(mesh);
    return report_edit(job, *num_rotated, "joint", "joints", "rotated to the axes of the mesh");
}

// If --mesh is given, changes the scale, the orientation and the joints' axes of a clip to match
// this mesh. *has_moved_joints receives true if a joint was changed.
static bool match_space(repair_job *job, md5_doc *doc, const md5_check *before,
                        bool *has_moved_joints, md5_error *error)
{
    uint32_t num_scaled = 0;
    uint32_t num_rotated = 0;
    if (job->arguments->mesh && before)
        num_scaled = md5_edit_space(doc, &before->space, error);
    if (!report_edit(job, num_scaled, "joint", "joints",
                     "changed to the mesh's scale and orientation"))
        return false;
    if (job->arguments->mesh && !rotate_axes(job, doc, &num_rotated, error))
        return false;
    *has_moved_joints = num_scaled > 0 || num_rotated > 0;
    return true;
}

// Repairs a clip and changes it to match its mesh, if the mesh is known. The bounds are last,
// because they depend on the space, the joints and the frames.
static bool repair_anim(repair_job *job, md5_doc *doc, md5_check *before, md5_error *error)
{
    bool has_moved_joints = false;
    if (!match_space(job, doc, before, &has_moved_joints, error))
        return false;
    if (!edit_pair(job, find_rule(before, "parent-order") != NULL, doc, error))
        return false;
    if (!match_joints(job, doc, before, error))
        return false;
    if (!edit_frames(job, doc, error))
        return false;

    const bool is_outdated = has_moved_joints || needs_bounds(doc, before);
    if (!job->mesh || !is_outdated)
        return true;
    return report_bounds(job, md5_fix_bounds(doc, job->mesh, error));
}

// Returns the only mesh of the command's operands, or NULL.
static const char *find_only_mesh(const tool_arguments *arguments)
{
    const char *mesh = NULL;
    for (int i = 0; i < arguments->num_operands; i++) {
        if (tool_file_kind(arguments->operands[i]) != TOOL_MODEL)
            continue;
        if (mesh)
            return NULL;
        mesh = arguments->operands[i];
    }
    return mesh;
}

// Finds the mesh of a clip: the argument of --mesh, the mesh in the clip's folder, or the only mesh
// of the command. Returns NULL if there is no mesh. The caller frees the path.
static char *find_mesh_path(const repair_job *job)
{
    const tool_arguments *const arguments = job->arguments;
    if (arguments->mesh)
        return common_copy(arguments->mesh);
    char *const path = tool_find_sibling_mesh(job->path);
    if (path)
        return path;
    const char *const only_mesh = find_only_mesh(arguments);
    return only_mesh ? common_copy(only_mesh) : NULL;
}

// Applies to the mesh of a clip the edits that `md5tool fix` would apply to the mesh file with the
// same options. Sets `mesh_written` and `mesh`. If the edits fail, `mesh` is the unedited mesh. If
// the mesh is invalid, `mesh` is NULL.
static void edit_mesh_of_clip(repair_job *job, md5_error *problem)
{
    md5_doc *const doc =
        md5_parse_doc(MD5_DOC_MODEL, job->mesh_text, job->mesh_size, NULL, problem);
    job->is_silent = true;
    if (doc && edit_pair(job, false, doc, problem))
        convert_print_doc(doc, &job->mesh_written, &job->mesh_written_size, problem);
    job->is_silent = false;
    md5_free_doc(doc);

    if (job->mesh_written)
        job->mesh = md5_parse_model(job->mesh_written, job->mesh_written_size, NULL, problem);
    else
        job->mesh = md5_parse_model(job->mesh_text, job->mesh_size, NULL, problem);
}

// Reads the mesh of a clip and edits it. An unreadable mesh is an error only if --mesh names it.
static bool load_mesh(repair_job *job, md5_error *error)
{
    const char *const named_mesh = job->arguments->mesh;
    const char *reason = NULL;
    job->mesh_path = find_mesh_path(job);
    if (job->mesh_path)
        job->mesh_text = common_read_stream(job->mesh_path, &job->mesh_size, &reason);
    if (!job->mesh_text && named_mesh)
        return convert_fail(error, MD5_ERROR_IO, named_mesh, "cannot read the file: %s", reason);
    if (!job->mesh_text)
        return true;

    md5_error problem = {0};
    edit_mesh_of_clip(job, &problem);
    if (job->mesh || !named_mesh)
        return true;
    *error = problem;
    convert_name_file(error, named_mesh);
    return false;
}

// Warnings of the library. Warnings about problems that a rule reports as well are not stored.
typedef struct warning_list {
    const md5_check *file_check; // NULL: all warnings
    common_list list;
} warning_list;

// For md5_load_opts.warn: adds a warning to a list, unless a rule of the check reports it.
static void store_warning(void *user, const md5_error *warning)
{
    warning_list *const warnings = user;
    if (!tool_is_reported_by_rule(warnings->file_check, warning))
        common_add(&warnings->list, common_format("line %u: %s", warning->line, warning->message));
}

// Returns true if a list contains a warning with the same message. The numbers of lines may differ,
// because repairs move lines. Each warning begins with "line N:", so the comparison begins at the
// colon.
static bool has_message(const common_list *warnings, const char *warning)
{
    const char *const message = strchr(warning, ':');
    for (size_t i = 0; i < warnings->count; i++) {
        if (strcmp(strchr(warnings->names[i], ':'), message) == 0)
            return true;
    }
    return false;
}

// Prints the warnings of the library about the original text. A problem counts as repaired if the
// repaired text does not cause the same warning.
static void compare_warnings(repair_job *job, const common_list *before)
{
    warning_list after = {0};
    const md5_load_opts opts = {.warn = store_warning, .warn_user = &after};
    md5_free_doc(md5_parse_doc(job->kind, job->written, job->written_size, &opts, NULL));
    for (size_t i = 0; i < before->count; i++)
        print_repair(job, !has_message(&after.list, before->names[i]), before->names[i]);
    common_free_list(&after.list);
}

// Applies all repairs and options to a document. `before` is the check of the original text.
static bool repair_doc(repair_job *job, md5_doc *doc, md5_check *before, md5_error *error)
{
    if (!set_parents(job, doc, error))
        return false;
    if (job->kind == MD5_DOC_MODEL)
        return repair_model(job, doc, before, error);
    if (job->kind == MD5_DOC_ANIM)
        return repair_anim(job, doc, before, error);
    return edit_pair(job, false, doc, error);
}

// Prints a hint about --bad-triangles if a text is invalid only because of its triangles. The text
// could then be read with this option.
static void suggest_dropping_triangles(const repair_job *job)
{
    const md5_load_opts opts = {.drop_invalid_triangles = true};
    md5_doc *const doc = md5_parse_doc(job->kind, job->text, job->size, &opts, NULL);
    if (doc)
        puts("  use --bad-triangles to read the file without the invalid triangles");
    md5_free_doc(doc);
}

// Parses the original text, and stores the warnings of the library. Returns NULL on failure.
static md5_doc *parse_original(const repair_job *job, warning_list *warnings, md5_error *error)
{
    const md5_load_opts opts = {
        .file_name = job->path,
        .warn = store_warning,
        .warn_user = warnings,
        .drop_invalid_triangles = job->arguments->drops_invalid_triangles,
    };
    md5_doc *const doc = md5_parse_doc(job->kind, job->text, job->size, &opts, error);
    if (!doc && !opts.drop_invalid_triangles)
        suggest_dropping_triangles(job);
    return doc;
}

// Prints which problems of the original text the repaired text still has.
static void print_repairs(repair_job *job, md5_check *before, const common_list *warnings_before)
{
    md5_check *const after = check_repaired(job);
    compare_checks(job, before, after);
    compare_warnings(job, warnings_before);
    md5_free_check(after);
}

// Repairs a file in memory and prints the changes. On success, `written` is the repaired text.
static bool repair_file(repair_job *job, md5_error *error)
{
    if (job->kind == MD5_DOC_ANIM && !load_mesh(job, error))
        return false;

    md5_check *const before = check_original(job);
    warning_list warnings = {.file_check = before};
    md5_doc *const doc = parse_original(job, &warnings, error);
    const bool is_repaired = doc && repair_doc(job, doc, before, error);
    if (is_repaired && convert_print_doc(doc, &job->written, &job->written_size, error))
        print_repairs(job, before, &warnings.list);

    common_free_list(&warnings.list);
    md5_free_check(before);
    md5_free_doc(doc);
    return job->written;
}

// -- The command ----------------------------------------------------------------------------------

// Returns true if --output is a folder, or if a folder with this path will be created for several
// files or parts.
static bool is_output_folder(const tool_arguments *arguments)
{
    const char *const output = arguments->output;
    if (common_is_folder(output))
        return true;
    const bool has_parts = arguments->num_operands > 1 || arguments->cuts.count > 0;
    return has_parts && !common_is_file(output);
}

// Returns the path of the output. It is the path of --output, a file in the folder of --output, or
// the input file itself. The text of a binary file of Doom 3 BFG gets the extension of a text file.
// With --cut, the file gets the name of the part.
static char *name_output(const repair_job *job)
{
    static const char *const extensions[] = {
        [MD5_DOC_MODEL] = ".md5mesh",
        [MD5_DOC_ANIM] = ".md5anim",
        [MD5_DOC_CAMERA] = ".md5camera",
    };
    const char *const output = job->arguments->output;
    if (output && !is_output_folder(job->arguments))
        return common_copy(output);

    char *stem = NULL;
    if (job->part)
        stem = common_format("%.*s", (int)strcspn(job->part, "="), job->part);
    else
        stem = common_stem(job->path);
    char *const folder = output ? common_copy(output) : common_folder(job->path);
    char *const name = common_format("%s%s", stem, extensions[job->kind]);
    char *const path = common_join(folder, name);
    free(name);
    free(folder);
    free(stem);
    return path;
}

// Returns true if an earlier output has the same path or is the same file under another path.
static bool is_duplicate_output(const common_list *outputs, const char *path)
{
    const bool exists = common_is_file(path);
    for (size_t i = 0; i < outputs->count; i++) {
        if (strcmp(path, outputs->names[i]) == 0)
            return true;
        if (exists && common_same_file(path, outputs->names[i]))
            return true;
    }
    return false;
}

// Checks that the repaired text can be written to a path. Returns false and sets `error` if another
// output has the path, or if the file exists and --force is not given. Also returns false if
// `error` is already set, for example because the mesh of a clip of version 6 is invalid.
static bool check_output(const repair_job *job, const char *path, md5_error *error)
{
    if (error->status != MD5_OK)
        return false;
    if (is_duplicate_output(job->outputs, path))
        return convert_fail(
            error, MD5_ERROR_IO, job->path,
            "duplicate output file %s: expected different names for all files and parts", path);
    if (common_is_file(path) && !job->arguments->is_forced)
        return convert_fail(error, MD5_ERROR_IO, path,
                            "the file already exists; use --force to overwrite it");
    return true;
}

// Stores the repaired text and its path until all files are repaired.
static bool store_text(repair_job *job, md5_error *error)
{
    char *const path = name_output(job);
    if (!check_output(job, path, error)) {
        free(path);
        return false;
    }
    common_add(job->outputs, path);
    common_add(job->texts, job->written);
    job->written = NULL;
    return true;
}

// Frees all data of a job except the original text.
static void free_job(repair_job *job)
{
    md5_free_model(job->mesh);
    free(job->mesh_path);
    free(job->mesh_text);
    free(job->mesh_written);
    free(job->written);
}

// Repairs a file and prints the changes. Stores the repaired text if there are changes or the user
// requested a file. Returns false and sets `error` on failure.
static bool repair_and_store(repair_job *job, md5_error *error)
{
    if (!repair_file(job, error))
        return false;
    if (job->num_changes == 0)
        puts("  no changes");
    const bool has_output = job->num_changes > 0 || job->arguments->output || job->part;
    if (!has_output || job->arguments->is_dry)
        return true;
    return store_text(job, error);
}

// Repairs a file whose text was read, or cuts one part from it. `job` is a copy, so that each part
// begins with the original text and mesh. Returns an exit status.
static int fix_part(repair_job job, const char *part)
{
    md5_error error = {0};
    common_print(stdout, "%s\n", job.path);
    if (part)
        printf("  part %.*s\n", (int)strcspn(part, ","), part);
    job.part = part;
    job.mesh_path = NULL;
    job.mesh_text = NULL;
    job.mesh_written = NULL;

    const bool is_done = repair_and_store(&job, &error);
    if (!is_done && error.file[0] == '\0')
        convert_name_file(&error, job.path);
    free_job(&job);
    const int status = tool_end(is_done, &error);
    const bool would_change = job.arguments->is_dry && job.num_changes > 0;
    return would_change ? TOOL_BAD_FILE : status;
}

// Returns the kind of document that a file contains.
static md5_doc_kind doc_kind(tool_kind kind)
{
    if (kind == TOOL_MODEL || kind == TOOL_BFG_MODEL)
        return MD5_DOC_MODEL;
    return kind == TOOL_CAMERA ? MD5_DOC_CAMERA : MD5_DOC_ANIM;
}

// Reads the text of a file. Returns NULL and sets the error if it cannot be repaired. The caller
// frees the text.
static char *read_text(const char *path, size_t *size, md5_error *error)
{
    const tool_kind kind = tool_file_kind(path);
    const char *reason = NULL;
    if (kind == TOOL_UNKNOWN || kind == TOOL_MACHINE || kind == TOOL_CUBE) {
        convert_fail(error, MD5_ERROR_IO, path,
                     "unsupported file type: expected .md5mesh, .md5anim or .md5camera%s",
                     convert_can_read(path) ? "; run md5tool convert first" : "");
        return NULL;
    }

    char *const text = common_read_stream(path, size, &reason);
    if (!text) {
        convert_fail(error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
        return NULL;
    }
    if (convert_is_compressed_clip(text, *size)) {
        convert_fail(
            error, MD5_ERROR_VERSION, path,
            "compressed clip is not supported: expected an .md5anim; run md5tool decompress first");
        free(text);
        return NULL;
    }
    return text;
}

// Returns the next part in a list of parts NAME=FIRST-LAST, which commas separate. Returns NULL
// after the last part.
static const char *next_part(const char *part)
{
    const char *const separator = strchr(part, ',');
    return separator ? separator + 1 : NULL;
}

// Cuts each part from a clip and stores it as an output. A part may replace the clip itself.
// Returns an exit status.
static int fix_parts(const repair_job *job)
{
    int status = TOOL_OK;
    const common_texts *const cuts = &job->arguments->cuts;
    for (size_t i = 0; i < cuts->count; i++) {
        for (const char *part = cuts->names[i]; part; part = next_part(part)) {
            if (fix_part(*job, part) != TOOL_OK)
                status = TOOL_BAD_FILE;
        }
    }
    return status;
}

// Repairs a file, or cuts it with --cut. Returns an exit status.
static int fix_file(const repair_job *common_job, const char *path)
{
    repair_job job = *common_job;
    md5_error error = {0};
    job.path = path;
    job.kind = doc_kind(tool_file_kind(path));
    job.text = read_text(path, &job.size, &error);
    if (!job.text)
        return tool_end(false, &error);
    const bool is_cut = job.arguments->cuts.count > 0 && job.kind == MD5_DOC_ANIM;
    const int status = is_cut ? fix_parts(&job) : fix_part(job, NULL);
    free(job.text);
    return status;
}

// Parses up to three numbers that commas separate. Returns their number, or 0 if the text contains
// anything else.
static int read_numbers(const char *text, float numbers[3])
{
    const char *next = text;
    for (int count = 0; count < 3; count++) {
        char *end = NULL;
        numbers[count] = strtof(next, &end);
        if (end == next)
            return 0;
        if (*end == '\0')
            return count + 1;
        if (*end != ',')
            return 0;
        next = end + 1;
    }
    return 0;
}

// Reads YAW or PITCH,YAW,ROLL in degrees. Returns false for another number of angles, for angles
// that are not finite, and for text after them.
static bool read_angles(const char *text, md5_euler *rotation)
{
    float angles[3] = {0};
    const int count = read_numbers(text, angles);
    if (!isfinite(angles[0] + angles[1] + angles[2]))
        return false;
    if (count == 1)
        *rotation = (md5_euler){.yaw = angles[0]};
    else if (count == 3)
        *rotation = (md5_euler){.pitch = angles[0], .yaw = angles[1], .roll = angles[2]};
    return count == 1 || count == 3;
}

// Returns the first part of --cut that is invalid, or NULL.
static const char *find_invalid_part(const char *cut)
{
    md5_frame_edit ignored;
    for (const char *part = cut; part; part = next_part(part)) {
        const size_t length = strcspn(part, "=,");
        const bool has_name = length > 0 && part[length] == '=';
        if (!has_name || !read_frames(part + length + 1, &ignored))
            return part;
    }
    return NULL;
}

// Checks the options whose values are texts, such as ranges of frames, before any file is read.
// Stores the angles of --rotate. Returns an exit status.
static int read_text_options(tool_arguments *arguments)
{
    md5_frame_edit ignored;
    if (arguments->rotate && !read_angles(arguments->rotate, &arguments->space_edit.rotation))
        return tool_usage("fix", "--rotate: expected YAW or PITCH,YAW,ROLL in degrees, found '%s'",
                          arguments->rotate);
    const char *const frames = arguments->frames;
    if (frames && (!read_frames(frames, &ignored) || strchr(frames, ',')))
        return tool_usage("fix", "--frames: expected FIRST-LAST, found '%s'", frames);
    for (size_t i = 0; i < arguments->cuts.count; i++) {
        const char *const invalid = find_invalid_part(arguments->cuts.names[i]);
        if (invalid)
            return tool_usage("fix", "--cut: expected NAME=FIRST-LAST,..., found '%s'", invalid);
    }
    return TOOL_OK;
}

// Checks the combination of options and the texts of their values. Returns an exit status, and
// prints an error if the arguments are invalid.
static int check_fix_arguments(tool_arguments *arguments)
{
    const bool is_cut = arguments->cuts.count > 0;
    const bool has_target = arguments->output || arguments->is_forced || is_cut;
    if (!has_target && !arguments->is_dry)
        return tool_usage("fix",
                          "option is missing: expected --output, --cut, --force or --dry-run");

    const bool needs_folder = arguments->num_operands > 1 || is_cut;
    if (arguments->output && needs_folder && !is_output_folder(arguments))
        return tool_usage("fix",
                          "--output: expected a folder for several files or parts, found the file "
                          "'%s'",
                          arguments->output);
    if (arguments->frames && is_cut)
        return tool_usage(
            "fix", "--frames cannot be combined with --cut, which selects the frames of each part");
    if (tool_lacks_root_motion(arguments, "fix"))
        return TOOL_BAD_USAGE;
    return read_text_options(arguments);
}

// Repairs all files in memory: adds the paths and texts of the results to the lists. Returns an
// exit status.
static int fix_files(const tool_arguments *arguments, common_list *paths, common_list *texts)
{
    int status = TOOL_OK;
    bool *const renames = common_alloc(arguments->renames.count + 1, sizeof *renames);
    const repair_job job = {
        .arguments = arguments, .outputs = paths, .texts = texts, .renames = renames};
    for (int i = 0; i < arguments->num_operands; i++) {
        if (fix_file(&job, arguments->operands[i]) != TOOL_OK)
            status = TOOL_BAD_FILE;
    }

    for (size_t i = 0; i < arguments->renames.count && status == TOOL_OK; i++) {
        if (!renames[i])
            status = tool_usage(
                "fix",
                "--rename %s: old name not found: expected the name of a joint, mesh or shader",
                arguments->renames.names[i]);
    }
    free(renames);
    return status;
}

// Writes the repaired texts to their paths. Returns the exit status of the first failure.
static int write_outputs(const tool_arguments *arguments, const common_list *outputs,
                         const common_list *texts)
{
    md5_error error = {0};
    for (size_t i = 0; i < outputs->count; i++) {
        const char *const text = texts->names[i];
        if (arguments->output && is_output_folder(arguments))
            common_create_folders(outputs->names[i], 0777);
        const bool is_written = tool_write_text(outputs->names[i], text, strlen(text), &error);
        const int status = tool_end(is_written, &error);
        if (status != TOOL_OK)
            return status;
    }
    return TOOL_OK;
}

// The command `md5tool fix`. All files are repaired in memory before any file is written. Clips are
// therefore compared with the original meshes, and an error never leaves a mesh without its changed
// clips. Returns an exit status.
static int fix(tool_arguments *arguments)
{
    const int checked = check_fix_arguments(arguments);
    if (checked != TOOL_OK)
        return checked;
    common_list outputs = {NULL, 0};
    common_list texts = {NULL, 0};
    int status = fix_files(arguments, &outputs, &texts);
    if (status == TOOL_OK)
        status = write_outputs(arguments, &outputs, &texts);
    else if (outputs.count > 0)
        fputs("md5tool: error: no file was written, because of the errors above\n", stderr);
    common_free_list(&outputs);
    common_free_list(&texts);
    return status;
}

const tool_command tool_fix = {
    "fix",
    fix,
    1,
    INT_MAX,
    "files",
    "usage: md5tool fix FILE... --output FILE|FOLDER | --force | --dry-run\n"
    "\n"
    "Repairs and edits .md5mesh, .md5anim and .md5camera files by the rules of \"md5tool check\" "
    "and\n"
    "prints each repair and each remaining problem. Files are written in the layout of id's\n"
    "exporter, and numbers keep their exact values. Rotations are normalized, weights get a sum "
    "of\n"
    "1, and parents are moved before their children. A clip whose joints an engine would reject\n"
    "gets the joints of its mesh, and all components if an engine ignores the base frame. Empty\n"
    "bounds are computed from the skin. A first frame that the exporter wrote twice is removed.\n"
    "Files without errors are unchanged. If one file cannot be repaired, no file is written.\n"
    "\n"
    "  --output NAME    the file to write; a folder for several files, which is created; -o is\n"
    "                   short for it\n"
    "  --force          overwrite files; without --output, overwrite the input files\n"
    "  --dry-run        print the repairs without writing; the exit status is 1 if there are any\n"
    "  --mesh MESH      for clips: the mesh whose scale, orientation and joint axes the clips "
    "get;\n"
    "                   default the mesh of the same name in the folder, or the only one of the\n"
    "                   folder or of the command, whose joints and bounds the clips get\n"
    "  --rename OLD=NEW rename a joint, mesh or shader; may be repeated\n"
    "  --influences N   for meshes: keep the N largest weights of each vertex, 1 to 16\n"
    "  --for ENGINE     for meshes and clips: repair for this engine (see md5tool check); may be\n"
    "                   repeated\n"
    "\n"
    "Options that edit a mesh and its clips alike; give all of them in one command:\n"
    "\n"
    "  --scale N        scale by N; 0.0254 converts inches to meters\n"
    "  --rotate ANGLES  rotate around the origin by YAW degrees to the left, or by\n"
    "                   PITCH,YAW,ROLL; 0,-90,90 converts y up to z up\n"
    "  --mirror         exchange left and right, including the joints of both sides\n"
    "  --add-root NAME  for meshes and clips: add a root joint above all others\n"
    "  --unused-joints  for meshes and clips: remove joints without weights and descendants\n"
    "\n"
    "For meshes:\n"
    "\n"
    "  --weights        give vertices without weights the mean position of their neighbors and "
    "the\n"
    "                   weights of the nearest surface point; --influences limits their number\n"
    "  --unused         remove unused vertices and weights, and triangles without area\n"
    "  --bad-triangles  remove triangles whose vertex index is numverts or more\n"
    "  --merge          merge meshes with the same shader\n"
    "  --max-vertices N   split meshes with more vertices\n"
    "  --max-triangles N  split meshes with more triangles\n"
    "  --winding        flip the triangles of closed meshes that face inwards\n"
    "\n"
    "For clips:\n"
    "\n"
    "  --frames FIRST-LAST  keep only these frames, from 0; 12-0 reverses frames 0 to 12\n"
    "  --cut PARTS      write parts as separate files: walk=0-30,run=31-60; may be repeated\n"
    "  --rate N         resample at N frames per second\n"
    "  --close-loop     make the last frame equal to the first: append it to a cycle that ends "
    "one\n"
    "                   frame before it, otherwise blend the last frames towards it\n"
    "  --in-place       keep the root at its first position\n"
    "  --root-motion JOINT  move the displacement of JOINT along the ground to the first joint, "
    "by\n"
    "                   which games move a character; all other joints keep their poses. If JOINT "
    "is\n"
    "                   the first joint, add a root with --add-root to the mesh and its clips\n"
    "  --root-height    with --root-motion: also move the displacement along z\n"
    "  --root-heading   with --root-motion: also move the rotation around z\n"
    "  --swap-sides     mirror the animation; the mesh is unchanged\n"
    "  --reduce UNITS   remove components that move the skin by less than this\n"};
