// Repairs a file that has problems in id's engine, into a new file in the same folder.
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/view.h"

// Adds the line "COUNT NOUN DESCRIPTION" about a repair, if it has changed anything. Returns false
// if the repair failed: `count` is MD5_NONE.
static bool note_repair(char **lines, uint32_t count, const char *singular, const char *plural,
                        const char *description)
{
    if (count == MD5_NONE)
        return false;
    if (count > 0)
        common_extend(lines, "%u %s %s\n", count, common_noun(count, singular, plural),
                      description);
    return true;
}

// Returns true if bounding boxes of a clip are missing or do not contain the model. Adds the
// diagnostics of the clip, if it is in the scene, to its check.
static bool has_wrong_bounds(const md5_doc *doc, const view_scene *scene, md5_check *check)
{
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        if (clip->binding != NULL && common_same_file(clip->path, check->file))
            (void)md5_check_binding(check, clip->binding);
    }
    for (uint32_t i = 0; i < check->num_diagnostics; i++) {
        if (strncmp(check->diagnostics[i].rule, "bounds", strlen("bounds")) == 0)
            return true;
    }
    return doc->bounds == NULL;
}

// Converts a clip to the space and the skeleton of the model. Recomputes bounding boxes that are
// missing or wrong, but not boxes that are only larger than necessary.
static bool repair_clip(md5_doc *doc, const view_scene *scene, md5_check *check, char **lines,
                        md5_error *error)
{
    const bool is_wrong = has_wrong_bounds(doc, scene, check);
    const uint32_t moved = md5_edit_space(doc, &check->space, error);
    if (!note_repair(lines, moved, "joint", "joints",
                     "converted to the scale and orientation of the model"))
        return false;
    if (!note_repair(lines, md5_fix_joints(doc, scene->model, false, error), "joint", "joints",
                     "adapted to the skeleton of the model"))
        return false;
    if (moved == 0 && !is_wrong)
        return true;
    return note_repair(lines, md5_fix_bounds(doc, scene->model, error), "bounding box",
                       "bounding boxes", "recomputed from the mesh");
}

// Repairs a document of a model, and appends a line to `lines` for each kind of repair that has
// changed anything. Returns false after an error.
static bool repair_model(md5_doc *doc, char **lines, md5_error *error)
{
    const md5_joint_edit order = {.root = NULL};
    return note_repair(lines, md5_fix_rotations(doc, error), "rotation", "rotations", "normalized")
           && note_repair(lines, md5_fix_weights(doc, 0, 1e-3f, NULL, error), "vertex", "vertices",
                          "with weights scaled to a sum of 1")
           && note_repair(lines, md5_edit_joints(doc, &order, error), "joint", "joints",
                          "sorted so that parents come first");
}

// Repairs the document of a model or a clip. Appends a line to `lines` for each kind of repair that
// has changed anything. A clip is adapted to the model of the scene; without a model it is not
// changed. Returns false and sets the error on failure.
static bool repair_doc(md5_doc *doc, md5_check *check, bool is_clip, const view_scene *scene,
                       char **lines, md5_error *error)
{
    if (!is_clip)
        return repair_model(doc, lines, error);
    if (scene->model == NULL)
        return true;
    return repair_clip(doc, scene, check, lines, error);
}

// Repairs everything in a file that id's engine rejects or shows wrong and that can be repaired
// automatically. Returns the new text, and adds the changes to the lines. The caller frees the
// text. Returns NULL and sets the error on failure.
static char *repair_file(const char *path, const view_scene *scene, size_t *size, char **lines,
                         md5_error *error)
{
    const uint32_t engine = md5_find_engines("doom3");
    const bool is_clip = common_has_suffix(path, ".md5anim");
    const md5_doc_kind kind = is_clip ? MD5_DOC_ANIM : MD5_DOC_MODEL;
    const md5_load_opts opts = {.file_name = path};
    char *const text = convert_read_file(path, size, error);
    if (text == NULL)
        return NULL;

    md5_doc *const doc = md5_parse_doc(kind, text, *size, &opts, error);
    md5_check *check = NULL;
    if (doc != NULL)
        check = md5_check_doc(kind, text, *size, (md5_engines){engine, engine}, &opts, error);
    char *repaired = NULL;
    if (check != NULL && repair_doc(doc, check, is_clip, scene, lines, error))
        (void)convert_print_doc(doc, &repaired, size, error);
    md5_free_check(check);
    md5_free_doc(doc);
    free(text);
    return repaired;
}

// Shows the changes of a repair in the dialog of problems, with the path of the new file. Takes
// ownership of the lines.
static void show_repair(view_problems *list, const char *path, char *lines)
{
    char *const folder = common_folder(path);
    char *const stem = common_stem(path);
    char *const fixed = common_format("%s-fixed", stem);
    list->repair = lines;
    list->broken = common_copy(path);
    list->repaired = view_find_unused_path(folder, fixed, strrchr(path, '.') + 1);
    free(fixed);
    free(stem);
    free(folder);
}

void view_repair_or_preview(view_state *viewer, const view_command *command)
{
    view_problems *const list = &viewer->panels.problems;
    const char *const path = command->path;
    const bool is_trial = command->number == 0;
    md5_error error = {.status = MD5_OK};
    size_t size = 0;
    char *lines = common_copy("");
    char *const repaired = repair_file(path, &viewer->document->scene, &size, &lines, &error);
    char *const output = is_trial ? NULL : common_copy(list->repaired);
    view_clear_repair(list); // frees list->repaired

    const convert_job job = {.inputs = &path};
    bool is_done = repaired != NULL;
    if (is_done && !is_trial)
        is_done = convert_write_file(&job, output, repaired, size, &error);

    if (!is_done) {
        view_log_error(&viewer->log, &error);
    } else if (is_trial && lines[0] == '\0') {
        view_notice(viewer, "Nothing in %s can be repaired automatically", common_base(path));
    } else if (is_trial) {
        show_repair(list, path, lines);
        lines = NULL;
    } else {
        view_notice(viewer, "Saved %s", output);
        if (command->item != 0)
            view_drop(viewer, output);
    }
    free(repaired);
    free(output);
    free(lines);
}
