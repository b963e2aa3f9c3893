// md5tool fix: writes files anew, without what engines refuse or show wrong.
#include "demo/tool/tool.h"

#include <errno.h>

// A file as it was and as it is written.
typedef struct mended {
    const tool_arguments *arguments;
    common_list *made, *texts; // paths, and what is written there when all files are mended
    bool *renames;             // [arguments->renames] those whose old name was found
    const char *path;
    const char *part; // of a clip that is cut: NAME=FIRST-LAST; else NULL
    md5_doc_kind kind;
    char *mesh_path; // of the mesh that a clip is compared with; NULL: none is known
    md5_model *mesh; // as the options edit it
    char *text, *written, *mesh_text, *mesh_written;
    size_t size, written_size, mesh_size, mesh_written_size;
    uint32_t num_changes;
    bool is_mesh; // that of the clip is edited
} mended;

// Prints what a repair did, unless it was to the mesh of a clip. Returns false if it failed.
static bool note(mended *file, uint32_t count, const char *what)
{
    if (count == MD5_NONE)
        return false;
    if (file->is_mesh)
        return true;
    if (count > 0)
        printf("  %u %s\n", count, what);
    file->num_changes += count;
    return true;
}

// -- What engines say -----------------------------------------------------------------------------

// Returns the facts of the file as it was or is written, a clip's with its mesh.
static md5_check *judge(const mended *file, bool is_written)
{
    const md5_engines asked = tool_engines(file->arguments->asked, NULL, file->path);
    const md5_load_opts opts = {.without = MD5_PART_GEOMETRY, .partial = true};
    const char *const text = is_written ? file->written : file->text;
    const size_t size = is_written ? file->written_size : file->size;
    const bool is_edited = is_written && file->mesh_written;
    const char *const mesh_text = is_edited ? file->mesh_written : file->mesh_text;
    const size_t mesh_size = is_edited ? file->mesh_written_size : file->mesh_size;
    md5_check *const facts = tool_check_text(file->path, text, size, asked);
    md5_check *const mesh =
        facts && mesh_text ? tool_check_text(file->mesh_path, mesh_text, mesh_size, asked) : NULL;
    if (mesh)
        md5_check_pair(mesh, facts);
    md5_model *const model = mesh ? md5_parse_model(mesh_text, mesh_size, &opts, NULL) : NULL;
    md5_anim *const anim = model ? md5_parse_anim(text, size, &opts, NULL) : NULL;
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, NULL) : NULL;
    if (binding)
        md5_check_binding(facts, binding);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    md5_free_check(mesh);
    return facts;
}

// The finding of a rule, if an engine that was asked minds; or NULL.
static const md5_finding *find_rule(md5_check *facts, const char *rule)
{
    size_t count = 0;
    const md5_finding *const found = facts ? tool_findings(facts, &count) : NULL;
    COMMON_FOR (i, count)
        if (!found[i].is_silent && strcmp(found[i].rule, rule) == 0)
            return &found[i];
    return NULL;
}

// Prints which rules the written text no longer breaks, and those that it still does.
static void compare(mended *file, md5_check *before, md5_check *after)
{
    size_t count = 0;
    const md5_finding *const found = before ? tool_findings(before, &count) : NULL;
    COMMON_FOR (i, count) {
        if (found[i].is_silent)
            continue;
        const bool is_mended = !find_rule(after, found[i].rule);
        common_print(stdout, "  %s: %s [%s] %s\n", is_mended ? "mended" : "stays",
                     found[i].error.message, found[i].rule, found[i].engines);
        file->num_changes += is_mended;
    }
}

// -- Repairs --------------------------------------------------------------------------------------

// Gives a clip of version 6 the hierarchy of its mesh, as that was read.
static bool give_parents(mended *file, md5_doc *doc, md5_error *error)
{
    md5_model *const model = doc->parents_unknown && file->mesh_text
                                 ? md5_parse_model(file->mesh_text, file->mesh_size, NULL, error)
                                 : NULL;
    const bool is_done = !model
                         || note(file, md5_fix_joints(doc, model, false, error),
                                 "joints get the parents of the mesh");
    md5_free_model(model);
    return is_done;
}

// Whether at most one joint has a name, which an option gave it: engines find the first.
static bool is_alone(const md5_doc *doc, const char *name, const char *option, const char *text,
                     md5_error *error)
{
    uint32_t count = 0;
    COMMON_FOR (j, doc->num_joints)
        count += strcmp(doc->joints[j].name, name) == 0;
    return count < 2
           || convert_fail(error, MD5_ERROR_MISMATCH, "", "%s %.100s: %u joints get one name",
                           option, text, count);
}

// Gives joints, meshes and shaders the names of --rename OLD=NEW. Returns how many, or MD5_NONE.
static uint32_t rename_all(const mended *file, md5_doc *doc, md5_error *error)
{
    const tool_arguments *const arguments = file->arguments;
    const size_t num_names = (size_t)doc->num_joints + 2 * (size_t)doc->num_meshes;
    uint32_t count = 0;
    COMMON_FOR (i, arguments->renames.count) {
        const char *const name = arguments->renames.names[i], *const to = strchr(name, '=');
        const size_t length = to ? (size_t)(to - name) : 0;
        if (length == 0 || to[1] == '\0') {
            convert_fail(error, MD5_ERROR_SYNTAX, "", "expected --rename OLD=NEW, found '%.100s'",
                         name);
            return MD5_NONE;
        }
        COMMON_FOR (k, num_names) {
            const size_t m = k < doc->num_joints ? 0 : (k - doc->num_joints) / 2;
            const char **const of = k < doc->num_joints         ? &doc->joints[k].name
                                    : (k - doc->num_joints) % 2 ? &doc->meshes[m].shader
                                                                : &doc->meshes[m].name;
            if (strlen(*of) != length || strncmp(*of, name, length) != 0)
                continue;
            *of = to + 1;
            file->renames[i] = true;
            count++;
        }
        bool is_joint = false;
        COMMON_FOR (j, doc->num_joints)
            is_joint |= doc->joints[j].name == to + 1;
        if (is_joint && !is_alone(doc, to + 1, "--rename", name, error))
            return MD5_NONE;
    }
    return count;
}

// What a mesh and its clips share: names, joints that are ordered or added, and space. Joints of
// both sides are found by their names.
static bool edit_pair(mended *file, bool orders, md5_doc *doc, md5_error *error)
{
    const tool_arguments *const arguments = file->arguments;
    const md5_joint_edit *const edit = &arguments->joint_edit;
    md5_space_edit space = arguments->space_edit;
    space.scale = (float)arguments->scale;
    if (!note(file, rename_all(file, doc, error), "joints, meshes or shaders renamed"))
        return false;
    if (doc->kind != MD5_DOC_CAMERA && (orders || edit->root || edit->drops_unused)
        && !note(file, md5_edit_joints(doc, edit, error), "joints ordered, added or left out"))
        return false;
    if (edit->root && !is_alone(doc, edit->root, "--add-root", edit->root, error))
        return false;
    uint32_t *const partners = common_alloc(doc->num_joints, sizeof *partners);
    md5_joint *const joints = common_alloc(doc->num_joints, sizeof *joints);
    COMMON_FOR (j, doc->num_joints)
        joints[j] = (md5_joint){doc->joints[j].name, doc->joints[j].parent};
    const md5_skeleton skeleton = {.num_joints = doc->num_joints, .joints = joints};
    md5_build_mirror(&skeleton, partners);
    space.partners = partners;
    const uint32_t count = md5_edit_space(doc, &space, error);
    free(joints);
    free(partners);
    return note(file, count, "joints or views brought to another space");
}

// Turns the triangles of meshes that face inwards, as the rule says it.
static bool turn_inward(mended *file, md5_doc *doc, md5_error *error)
{
    bool *const turned = common_alloc(doc->num_meshes, sizeof *turned);
    size_t size = 0;
    char *text = NULL;
    md5_model *const model = convert_print_doc(doc, &text, &size, error)
                                 ? md5_parse_model(text, size, NULL, error)
                                 : NULL;
    for (uint32_t m = 0; model && m < model->num_meshes; m++)
        turned[m] = md5_is_inside_out(&model->meshes[m]);
    const md5_mesh_edit edit = {.turned = turned};
    const uint32_t count = model ? md5_edit_meshes(doc, &edit, error) : MD5_NONE;
    if (count == 0)
        puts("  no closed mesh faces inwards, and of open ones it cannot be told");
    md5_free_model(model);
    free(text);
    free(turned);
    return note(file, count, "triangles turned outwards");
}

static bool mend_model(mended *file, md5_doc *doc, md5_check *before, md5_error *error)
{
    const uint32_t most = file->arguments->influences;
    float loss = 0;
    if (!note(file, md5_fix_rotations(doc, error), "rotations brought to unit length")
        || !note(file, md5_fix_weights(doc, most, 1e-3f, &loss, error),
                 "vertices whose weights are cut or made to sum to 1")
        || (file->arguments->turns_inward && !turn_inward(file, doc, error))
        || !note(file, md5_edit_meshes(doc, &file->arguments->mesh_edit, error),
                 "meshes merged or cut, or rows left out"))
        return false;
    if (most > 0 && loss > 0)
        printf("  which can move a vertex by at most %g units\n", loss);
    return edit_pair(file, find_rule(before, "parent-order") != NULL, doc, error);
}

static void swap_sides(void *user, md5_xform *pose)
{
    const md5_model *const model = (const md5_model *)user;
    const uint32_t count = model->skeleton.num_joints;
    uint32_t *const partners = common_alloc(count, sizeof *partners);
    md5_xform *const mirrored = common_alloc(count, sizeof *mirrored);
    md5_build_mirror(&model->skeleton, partners);
    md5_mirror_pose(model, partners, pose, mirrored);
    memcpy(pose, mirrored, count * sizeof *pose);
    free(mirrored);
    free(partners);
}

// Reads FIRST-LAST, up to the end or a comma.
static bool read_frames(const char *text, md5_frame_edit *edit)
{
    char *end = NULL;
    const unsigned long first = strtoul(text, &end, 10);
    const char *const dash = end;
    const unsigned long last = *dash == '-' ? strtoul(dash + 1, &end, 10) : 0;
    if (text[0] < '0' || text[0] > '9' || dash[0] != '-' || dash[1] < '0' || dash[1] > '9'
        || (*end != '\0' && *end != ',') || last < first || last >= INT32_MAX)
        return false;
    edit->first = (uint32_t)first;
    edit->num_frames = (uint32_t)(last - first) + 1;
    return true;
}

// Frames, as the options say; boxes follow if others would hold what they show.
static bool edit_frames(mended *file, md5_doc *doc, md5_error *error)
{
    md5_frame_edit edit = file->arguments->frame_edit;
    edit.frame_rate = file->arguments->rate;
    const bool swaps = file->arguments->swaps_sides;
    const bool is_other = edit.frame_rate > 0 || edit.is_closed || edit.is_in_place || swaps;
    if (file->part)
        read_frames(strchr(file->part, '=') + 1, &edit);
    else if (file->arguments->frames)
        read_frames(file->arguments->frames, &edit);
    if (!is_other && edit.num_frames == 0 && edit.tolerance == 0)
        return true;
    if (swaps && !file->mesh)
        return convert_fail(error, MD5_ERROR_MISSING, file->path, "its mesh cannot be read");
    edit.model = swaps || edit.tolerance > 0 ? file->mesh : NULL;
    edit.change = swaps ? swap_sides : NULL;
    edit.user = file->mesh;
    md5_loop loop = {.end = MD5_LOOP_ELSEWHERE};
    edit.loop = &loop;
    const uint32_t num_comments = doc->num_comments;
    if (!note(file, md5_edit_frames(doc, &edit, error), "frames, or joints in them, changed"))
        return false;
    if (doc->num_comments < num_comments)
        printf("  %u comments are left out with their frames\n", num_comments - doc->num_comments);
    if (edit.is_closed && loop.end == MD5_LOOP_LACKS_LAST)
        puts("  which were an open cycle, one step before frame 0: that is added as the last");
    else if (edit.is_closed && loop.end == MD5_LOOP_CLOSED)
        puts("  --close-loop: the last frame is the first again");
    else if (edit.is_closed)
        printf("  which ended elsewhere: blended towards frame 0 over the last %u\n",
               loop.num_blended);
    const uint32_t count = is_other && file->mesh ? md5_fix_bounds(doc, file->mesh, NULL) : 0;
    return note(file, count == MD5_NONE ? 0 : count, "boxes computed from the skin");
}

// A clip is made to fit its mesh, if one is known.
static bool mend_anim(mended *file, md5_doc *doc, md5_check *before, md5_error *error)
{
    const tool_arguments *const arguments = file->arguments;
    const bool is_other =
        find_rule(before, "clip-joint-count") || find_rule(before, "clip-joint-name")
        || find_rule(before, "clip-joint-order") || find_rule(before, "clip-joint-parent")
        || (arguments->joint_edit.drops_unused && file->mesh);
    // Joints that the clip lacks stay as in the base frame.
    const bool needs_all =
        find_rule(before, "base-frame-needed")
        || (is_other
            && tool_minds(tool_engines(arguments->asked, NULL, file->path), "base-frame-needed"));
    const uint32_t num_brought =
        arguments->mesh && before ? md5_edit_space(doc, &before->space, error) : 0;
    if (!note(file, num_brought, "joints brought to the scale and turn of the mesh"))
        return false;
    if (!edit_pair(file, find_rule(before, "parent-order") != NULL, doc, error))
        return false;
    if (is_other || needs_all) {
        if (is_other && !file->mesh)
            return convert_fail(error, MD5_ERROR_MISSING, file->path, "its mesh cannot be read");
        if (!note(file, md5_fix_joints(doc, is_other ? file->mesh : NULL, needs_all, error),
                  is_other ? "joints made to fit the mesh" : "joints given all components"))
            return false;
    }
    if (!edit_frames(file, doc, error))
        return false;
    // Boxes that hold more than the skin hide nothing: only wrong ones are computed anew.
    if (file->mesh
        && (!doc->bounds || num_brought > 0 || find_rule(before, "bounds")
            || find_rule(before, "bounds-count")))
        return note(file, md5_fix_bounds(doc, file->mesh, error), "boxes computed from the skin");
    return true;
}

// Reads the mesh of a clip and edits it as the options edit it where it is a file of its own. Only
// of one that was asked for it is an error that it cannot be read.
static bool load_mesh(mended *file, md5_error *error)
{
    const char *reason = NULL;
    md5_error ignored = {0};
    const char *const mesh = file->arguments->mesh;
    file->mesh_path = mesh ? common_copy(mesh) : tool_mesh_beside(file->path);
    size_t num_meshes = 0; // the only one of the command, if none is beside the clip
    const char *named = NULL;
    COMMON_FOR (i, file->arguments->num_words)
        if (tool_kind_of(file->arguments->words[i]) == TOOL_MODEL)
            num_meshes++, named = file->arguments->words[i];
    if (!file->mesh_path && num_meshes == 1)
        file->mesh_path = common_copy(named);
    file->mesh_text =
        file->mesh_path ? common_read_stream(file->mesh_path, &file->mesh_size, &reason) : NULL;
    if (!file->mesh_text)
        return !mesh || convert_fail(error, MD5_ERROR_IO, mesh, "cannot read the file: %s", reason);
    md5_doc *const doc =
        md5_parse_doc(MD5_DOC_MODEL, file->mesh_text, file->mesh_size, NULL, &ignored);
    file->is_mesh = true;
    if (doc && edit_pair(file, false, doc, &ignored))
        convert_print_doc(doc, &file->mesh_written, &file->mesh_written_size, &ignored);
    file->is_mesh = false;
    file->mesh = file->mesh_written
                     ? md5_parse_model(file->mesh_written, file->mesh_written_size, NULL, &ignored)
                     : md5_parse_model(file->mesh_text, file->mesh_size, NULL, &ignored);
    md5_free_doc(doc);
    if (file->mesh || !mesh)
        return true;
    *error = ignored;
    convert_name_file(error, mesh);
    return false;
}

// What the library says to a text, where no rule does.
typedef struct warnings {
    const md5_check *facts; // NULL: everything
    common_list list;
} warnings;

static void keep_warning(void *user, const md5_error *warning)
{
    warnings *const to = user;
    if (!tool_is_judged(to->facts, warning))
        common_add(&to->list, common_format("line %u: %s", warning->line, warning->message));
}

// Prints what the library said to the text, and perhaps says to the one that is written.
static void compare_warnings(mended *file, const common_list *before)
{
    warnings after = {0};
    const md5_load_opts opts = {.warn = keep_warning, .warn_user = &after};
    md5_free_doc(md5_parse_doc(file->kind, file->written, file->written_size, &opts, NULL));
    COMMON_FOR (i, before->count) {
        const char *const message = strchr(before->names[i], ':');
        bool is_mended = true;
        COMMON_FOR (k, after.list.count)
            is_mended &= strcmp(strchr(after.list.names[k], ':'), message) != 0;
        common_print(stdout, "  %s: %s\n", is_mended ? "mended" : "stays", before->names[i]);
        file->num_changes += is_mended;
    }
    common_free_list(&after.list);
}

// Writes the document's text to memory, and says what became of it.
static bool mend(mended *file, md5_error *error)
{
    if (file->kind == MD5_DOC_ANIM && !load_mesh(file, error))
        return false;
    md5_check *const before = judge(file, false);
    warnings said = {.facts = before};
    const bool drops = file->arguments->drops_triangles;
    md5_load_opts opts = {.file_name = file->path,
                          .warn = keep_warning,
                          .warn_user = &said,
                          .drops_triangles = drops};
    md5_doc *const doc = md5_parse_doc(file->kind, file->text, file->size, &opts, error);
    const bool is_mended = doc && give_parents(file, doc, error)
                           && (file->kind == MD5_DOC_MODEL  ? mend_model(file, doc, before, error)
                               : file->kind == MD5_DOC_ANIM ? mend_anim(file, doc, before, error)
                                                            : edit_pair(file, false, doc, error));
    if (is_mended && convert_print_doc(doc, &file->written, &file->written_size, error)) {
        md5_check *const after = judge(file, true);
        compare(file, before, after);
        compare_warnings(file, &said.list);
        md5_free_check(after);
    }
    opts.drops_triangles = true;
    md5_doc *const dropped =
        !doc && !drops ? md5_parse_doc(file->kind, file->text, file->size, &opts, NULL) : NULL;
    if (dropped)
        puts("  with --bad-triangles it can be read");
    md5_free_doc(dropped);
    common_free_list(&said.list);
    md5_free_check(before);
    md5_free_doc(doc);
    return file->written;
}

// -- The command ----------------------------------------------------------------------------------

// The name of the text: that of --output, in it if it is a folder, or of the file itself. Binary
// files of Doom 3 BFG become text files. A part of a clip has a name of its own.
static char *output_of(const mended *file)
{
    static const char *const endings[] = {".md5mesh", ".md5anim", ".md5camera"}; // by kind
    const char *const output = file->arguments->output;
    if (output && !common_is_folder(output))
        return common_copy(output);
    char *const stem = file->part ? common_format("%.*s", (int)strcspn(file->part, "="), file->part)
                                  : common_stem(file->path);
    char *const folder = output ? common_copy(output) : common_folder(file->path);
    char *const name = common_format("%s%s", stem, endings[file->kind]);
    char *const found = common_join(folder, name);
    free(name);
    free(folder);
    free(stem);
    return found;
}

// Keeps the text for its path.
static bool keep_text(mended *file, md5_error *error)
{
    char *const output = output_of(file);
    const bool exists = common_is_file(output);
    COMMON_FOR_WHILE (i, file->made->count, error->status == MD5_OK)
        if (strcmp(output, file->made->names[i]) == 0
            || (exists && common_same_file(output, file->made->names[i])))
            convert_fail(error, MD5_ERROR_IO, file->path,
                         "%s is written for another file or part: expected other names", output);
    if (error->status == MD5_OK && exists && !file->arguments->is_forced)
        convert_fail(error, MD5_ERROR_IO, output, "the file exists: --force writes over it");
    if (error->status != MD5_OK) {
        free(output);
        return false;
    }
    common_add(file->made, output);
    common_add(file->texts, file->written);
    file->written = NULL;
    return true;
}

// Fixes a file, or a part of it, whose text was read. Returns an exit status.
static int fix_part(mended file, const char *part)
{
    const tool_arguments *const arguments = file.arguments;
    md5_error error = {0};
    common_print(stdout, "%s\n", file.path);
    if (part)
        printf("  part %.*s\n", (int)strcspn(part, ","), part);
    file.part = part;
    file.mesh_path = file.mesh_text = file.mesh_written = NULL; // read for it alone
    bool is_done = mend(&file, &error);
    const bool has_work = file.num_changes > 0 || arguments->output || part;
    if (is_done && file.num_changes == 0)
        puts("  nothing to do");
    if (is_done && has_work && !arguments->is_dry)
        is_done = keep_text(&file, &error);
    if (!is_done && error.file[0] == '\0')
        convert_name_file(&error, file.path);
    md5_free_model(file.mesh);
    free(file.mesh_path);
    free(file.mesh_text);
    free(file.mesh_written);
    free(file.written);
    const int status = tool_end(is_done, &error);
    return arguments->is_dry && file.num_changes > 0 ? TOOL_BAD_FILE : status;
}

// Fixes a file, or makes all parts of one that is cut, which may take its place.
static int fix_file(const mended *begun, const char *path)
{
    const tool_arguments *const arguments = begun->arguments;
    const tool_kind kind = tool_kind_of(path);
    mended file = *begun;
    file.path = path;
    file.kind = kind == TOOL_MODEL || kind == TOOL_BFG_MODEL ? MD5_DOC_MODEL
                : kind == TOOL_CAMERA                        ? MD5_DOC_CAMERA
                                                             : MD5_DOC_ANIM;
    const bool is_cut = arguments->cuts.count > 0 && file.kind == MD5_DOC_ANIM;
    const char *reason = NULL;
    md5_error error = {0};
    if (kind == TOOL_UNKNOWN || kind == TOOL_MACHINE || kind == TOOL_CUBE)
        convert_fail(&error, MD5_ERROR_IO, path,
                     "expected a .md5mesh, .md5anim or .md5camera file");
    else if ((file.text = common_read_stream(path, &file.size, &reason)) == NULL)
        convert_fail(&error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
    else if (tool_baked_kind(file.text, file.size))
        convert_fail(&error, MD5_ERROR_VERSION, path,
                     "this is %s, not an MD5 file: expected the text that it was made from",
                     tool_baked_kind(file.text, file.size));
    if (error.file[0] != '\0') {
        free(file.text);
        return tool_end(false, &error);
    }
    int status = is_cut ? TOOL_OK : fix_part(file, NULL);
    COMMON_FOR_WHILE (i, arguments->cuts.count, is_cut)
        for (const char *part = arguments->cuts.names[i]; part; part = strchr(part, ',')) {
            part += *part == ',';
            if (fix_part(file, part) != TOOL_OK)
                status = TOOL_BAD_FILE;
        }
    free(file.text);
    return status;
}

// Reads YAW or PITCH,YAW,ROLL.
static bool read_angles(const char *text, md5_euler *turn)
{
    float angles[3] = {0};
    int count = 0;
    char *end = NULL;
    for (const char *at = text; count < 3; at = end + 1) {
        angles[count++] = strtof(at, &end);
        if (end == at || *end != ',')
            break;
    }
    *turn = (md5_euler){.pitch = angles[0], .yaw = angles[1], .roll = angles[2]};
    if (count == 1)
        *turn = (md5_euler){.yaw = angles[0]};
    return text[0] != '\0' && count != 2 && *end == '\0' && end[-1] != ','
           && isfinite(angles[0] + angles[1] + angles[2]);
}

// Checks options that are texts, and reads --turn.
static int read_texts(tool_arguments *arguments)
{
    md5_frame_edit ignored;
    if (arguments->turn && !read_angles(arguments->turn, &arguments->space_edit.turn))
        return tool_usage("fix", "--turn takes YAW or PITCH,YAW,ROLL, in degrees");
    if (arguments->frames
        && (!read_frames(arguments->frames, &ignored) || strchr(arguments->frames, ',')))
        return tool_usage("fix", "--frames takes FIRST-LAST, found '%s'", arguments->frames);
    COMMON_FOR (i, arguments->cuts.count)
        for (const char *part = arguments->cuts.names[i]; part; part = strchr(part, ',')) {
            part += *part == ',';
            const size_t length = strcspn(part, "=,");
            if (length == 0 || part[length] != '=' || !read_frames(part + length + 1, &ignored))
                return tool_usage("fix", "--cut takes NAME=FIRST-LAST,..., found '%s'", part);
        }
    return TOOL_OK;
}

// Writes nothing before all files are mended: a mesh and its clips remain a pair, and clips are
// fitted to their meshes as these were.
static int fix(tool_arguments *arguments)
{
    const bool is_cut = arguments->cuts.count > 0;
    if (!arguments->output && !arguments->is_forced && !arguments->is_dry && !is_cut)
        return tool_usage("fix", "expected --output, --cut, --force or --dry-run");
    if (arguments->output && (arguments->num_words > 1 || is_cut)
        && !common_is_folder(arguments->output))
        return tool_usage("fix", "of several files --output is a folder");
    if (arguments->frames && is_cut)
        return tool_usage("fix", "--frames has no effect: --cut says the frames of each part");
    int status = read_texts(arguments);
    common_list made = {NULL, 0}, texts = {NULL, 0};
    bool *const renames = common_alloc(arguments->renames.count + 1, sizeof *renames);
    const mended begun = {
        .arguments = arguments, .made = &made, .texts = &texts, .renames = renames};
    COMMON_FOR_WHILE (i, arguments->num_words, status != TOOL_BAD_USAGE)
        if (fix_file(&begun, arguments->words[i]) != TOOL_OK)
            status = TOOL_BAD_FILE;
    COMMON_FOR_WHILE (i, arguments->renames.count, status == TOOL_OK)
        if (!renames[i])
            status = tool_usage("fix", "--rename %s: no joint, mesh or shader has the first name",
                                arguments->renames.names[i]);
    if (status != TOOL_OK && made.count > 0)
        fputs("md5tool: nothing is written, as not all can be mended\n", stderr);
    md5_error error = {0};
    COMMON_FOR_WHILE (i, made.count, status == TOOL_OK)
        status = tool_end(
            tool_write_text(made.names[i], texts.names[i], strlen(texts.names[i]), &error), &error);
    free(renames);
    common_free_list(&made);
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
    "Writes .md5mesh, .md5anim and .md5camera files anew, as id's exporter lays them out, and "
    "says\n"
    "what was mended and what stays, by the rules of \"md5tool check\". Numbers are read as the "
    "same\n"
    "bits. Rotations come to unit length, weights to the sum 1, parents before their children; a\n"
    "clip whose joints an engine would refuse gets those of its mesh, and all components if an\n"
    "engine ignores the base frame; boxes that hold nothing are computed from the skin. A file\n"
    "without an error is left alone. Nothing is written if one file cannot be mended.\n"
    "\n"
    "  --output NAME    write there; a folder for several files; -o is short for it\n"
    "  --force          write over files; without --output over those that are read\n"
    "  --dry-run        only say what would be done; the exit status is 1 if something would\n"
    "  --mesh MESH      of clips: their mesh, to whose scale and turn they are brought; by "
    "default\n"
    "                   that of their name beside them, or the only one of their folder or of\n"
    "                   the command\n"
    "  --rename OLD=NEW give a joint, mesh or shader another name; may be repeated\n"
    "  --influences N   of meshes: keep the N largest weights of each vertex, 1 to 16\n"
    "  --for ENGINE     of meshes and clips: mend for this engine, as in \"md5tool check\"; may "
    "be\n"
    "                   repeated\n"
    "\n"
    "Of a mesh and all of its clips, which remain a pair if one command has them all:\n"
    "\n"
    "  --scale N        make it N times as large; 0.0254 of inches makes metres\n"
    "  --turn ANGLES    turn it about the origin, by YAW degrees to the left or PITCH,YAW,ROLL:\n"
    "                   0,-90,90 raises what was made with y up\n"
    "  --mirror         exchange left and right, joints of both sides too\n"
    "  --add-root NAME  of meshes and clips: add a joint above all others\n"
    "  --unused-joints  of meshes and clips: leave out joints without weights, and none below\n"
    "\n"
    "Of meshes:\n"
    "\n"
    "  --unused         leave out vertices, weights and triangles that nothing shows\n"
    "  --bad-triangles  leave out triangles with a corner beyond numverts\n"
    "  --merge          make one mesh of those with the same shader\n"
    "  --max-vertices N   cut meshes that have more vertices\n"
    "  --max-triangles N  cut meshes that have more triangles\n"
    "  --winding        turn the triangles of closed meshes that face inwards\n"
    "\n"
    "Of clips:\n"
    "\n"
    "  --frames FIRST-LAST  keep these frames, from 0\n"
    "  --cut PARTS      write parts as files of their own: walk=0-30,run=31-60; may be repeated\n"
    "  --rate N         sample N frames a second\n"
    "  --close-loop     make the last frame the first one: add it to a cycle that is one step "
    "before\n"
    "                   it, and blend the last frames of any other towards it\n"
    "  --in-place       keep the root where it begins\n"
    "  --swap-sides     mirror what the clip does, on its mesh as it is\n"
    "  --reduce UNITS   leave out components that move the skin by less\n"};
