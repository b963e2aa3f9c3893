// md5tool fix: writes files anew, without what engines refuse or show wrong.
#include "md5/md5edit.h"
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/common/write.h"
#include "demo/tool/tool.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file as it was and as it is written.
typedef struct mended {
    const tool_arguments *arguments;
    const char *path;
    md5_doc_kind kind;
    char *mesh_path; // of the mesh that a clip is compared with; NULL: none is known
    md5_model *mesh;
    char *text, *written;
    size_t size, written_size;
    uint32_t num_changes;
} mended;

// Prints what a repair did. Returns false if it failed.
static bool note(mended *file, uint32_t count, const char *what)
{
    if (count == MD5_NONE)
        return false;
    if (count > 0)
        printf("  %u %s\n", count, what);
    file->num_changes += count;
    return true;
}

// -- What engines say -----------------------------------------------------------------------------

static tool_engines engines_of(const tool_arguments *arguments, const char *path)
{
    tool_engines asked = {0};
    for (int i = 0; i < arguments->engines.count; i++)
        asked.sure = asked.all |= tool_find_engines(arguments->engines.names[i]);
    return asked.all != 0 ? asked : tool_guess_engines(path);
}

// Returns the facts of a text of the file, a clip's with its mesh.
static tool_facts *judge(const mended *file, const char *text, size_t size)
{
    const tool_engines asked = engines_of(file->arguments, file->path);
    tool_facts *const facts = tool_read_facts(file->path, text, size, false, asked);
    const char *reason = NULL;
    size_t mesh_size = 0, count = 0;
    char *const of_mesh =
        facts && file->mesh_path ? common_read_stream(file->mesh_path, &mesh_size, &reason) : NULL;
    tool_facts *const mesh =
        of_mesh ? tool_read_facts(file->mesh_path, of_mesh, mesh_size, false, asked) : NULL;
    if (mesh)
        (void)tool_judge_pair(mesh, facts, &count);
    tool_free_facts(mesh);
    free(of_mesh);
    return facts;
}

// The finding of a rule, if an engine that was asked minds; or NULL.
static const tool_finding *find_rule(tool_facts *facts, const char *rule)
{
    size_t count = 0;
    const tool_finding *const found = facts ? tool_findings(facts, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (!found[i].is_silent && strcmp(found[i].rule, rule) == 0)
            return &found[i];
    return NULL;
}

// Prints which rules the written text no longer breaks, and those that it still does.
static void compare(mended *file, tool_facts *before, tool_facts *after)
{
    size_t count = 0;
    const tool_finding *const found = before ? tool_findings(before, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (found[i].is_silent)
            continue;
        const bool is_mended = !find_rule(after, found[i].rule);
        common_print(stdout, "  %s: %s [%s] %s\n", is_mended ? "mended" : "stays",
                     found[i].error.message, found[i].rule, found[i].engines);
        file->num_changes += is_mended;
    }
}

// -- Repairs --------------------------------------------------------------------------------------

// The mesh of a clip: that of --mesh, or of its name beside it, or the only one of its folder.
static char *find_mesh(const tool_arguments *arguments, const char *path)
{
    if (arguments->mesh)
        return common_copy(arguments->mesh);
    char *const folder = common_folder(path), *const stem = common_stem(path);
    char *const name = common_format("%s.md5mesh", stem);
    char *found = common_join(folder, name);
    if (!common_is_file(found)) {
        common_list meshes = common_list_folder(folder, ".md5mesh");
        free(found);
        found = meshes.count == 1 ? common_copy(meshes.names[0]) : NULL;
        common_free_list(&meshes);
    }
    free(name);
    free(stem);
    free(folder);
    return found;
}

static bool mend_model(mended *file, md5_doc *doc, md5_error *error)
{
    const uint32_t most = file->arguments->influences;
    float loss = 0.0f;
    if (!note(file, md5_fix_rotations(doc, error), "rotations brought to unit length")
        || !note(file, md5_fix_weights(doc, most, 1e-3f, &loss, error),
                 "vertices whose weights are cut or made to sum to 1"))
        return false;
    if (most > 0 && loss > 0.0f)
        printf("  which can move a vertex by at most %g units\n", (double)loss);
    return true;
}

// Gives joints the names of --rename OLD=NEW.
static bool rename_joints(mended *file, md5_doc *doc, md5_error *error)
{
    const tool_names *const renames = &file->arguments->renames;
    uint32_t count = 0;
    for (int i = 0; i < renames->count; i++) {
        const char *const name = renames->names[i], *const to = strchr(name, '=');
        const size_t length = to ? (size_t)(to - name) : 0;
        if (length == 0 || to[1] == '\0')
            return tool_fail(error, MD5_ERROR_SYNTAX, file->path,
                             "expected --rename OLD=NEW, found '%.100s'", name);
        for (uint32_t k = 0; k < doc->num_joints; k++) {
            if (strlen(doc->joints[k].name) != length
                || strncmp(doc->joints[k].name, name, length) != 0)
                continue;
            doc->joints[k].name = to + 1;
            count++;
        }
    }
    return note(file, count, "joints renamed");
}

// A clip is made to fit its mesh, if one is known.
static bool mend_anim(mended *file, md5_doc *doc, tool_facts *before, md5_error *error)
{
    const bool is_other =
        find_rule(before, "clip-joint-count") || find_rule(before, "clip-joint-name")
        || find_rule(before, "clip-joint-order") || find_rule(before, "clip-joint-parent");
    // Joints that the clip lacks stay as in the base frame.
    const bool needs_all =
        find_rule(before, "base-frame-needed")
        || (is_other && tool_minds(engines_of(file->arguments, file->path), "base-frame-needed"));
    if (is_other || needs_all) {
        if (is_other && !file->mesh)
            return tool_fail(error, MD5_ERROR_MISSING, file->path, "its mesh cannot be read");
        if (!note(file, md5_fix_joints(doc, is_other ? file->mesh : NULL, needs_all, error),
                  is_other ? "joints made to fit the mesh" : "joints given all components"))
            return false;
    }
    // Boxes that hold more than the skin hide nothing: only wrong ones are computed anew.
    if (file->mesh
        && (!doc->bounds || find_rule(before, "bounds") || find_rule(before, "bounds-count")))
        return note(file, md5_fix_bounds(doc, file->mesh, error), "boxes computed from the skin");
    return true;
}

// Writes the document's text to memory, and says what became of it.
static bool mend(mended *file, md5_error *error)
{
    const md5_load_opts opts = {.file_name = file->path};
    md5_doc *const doc = md5_parse_doc(file->kind, file->text, file->size, &opts, error);
    if (!doc)
        return false;
    if (file->kind == MD5_DOC_ANIM)
        file->mesh_path = find_mesh(file->arguments, file->path);
    if (file->mesh_path) {
        md5_error reason = {0};
        file->mesh = md5_load_model(file->mesh_path, NULL, &reason);
    }
    tool_facts *const before = judge(file, file->text, file->size);
    bool is_mended = rename_joints(file, doc, error);
    if (is_mended)
        is_mended = file->kind == MD5_DOC_MODEL  ? mend_model(file, doc, error)
                    : file->kind == MD5_DOC_ANIM ? mend_anim(file, doc, before, error)
                                                 : true;
    file->written_size = is_mended ? md5_write_doc(doc, NULL, 0, error) : 0;
    if (file->written_size > 0) {
        file->written = common_alloc(file->written_size + 1, 1);
        (void)md5_write_doc(doc, file->written, file->written_size + 1, error);
        tool_facts *const after = judge(file, file->written, file->written_size);
        compare(file, before, after);
        tool_free_facts(after);
    }
    tool_free_facts(before);
    md5_free_doc(doc);
    return file->written_size > 0;
}

// -- The command ----------------------------------------------------------------------------------

// The name of the text: that of --output, in it if it is a folder, or of the file itself. Binary
// files of Doom 3 BFG become text files.
static char *output_of(const mended *file)
{
    static const char *const endings[] = {".md5mesh", ".md5anim", ".md5camera"}; // by kind
    const char *const output = file->arguments->output;
    if (output && !common_is_folder(output))
        return common_copy(output);
    char *const stem = common_stem(file->path);
    char *const folder = output ? common_copy(output) : common_folder(file->path);
    char *const name = common_format("%s%s", stem, endings[file->kind]);
    char *const found = common_join(folder, name);
    free(name);
    free(folder);
    free(stem);
    return found;
}

static bool write_text(const mended *file, md5_error *error)
{
    char *const output = output_of(file);
    common_writer writer;
    bool is_written = false;
    if (common_is_file(output) && !file->arguments->is_forced) {
        tool_fail(error, MD5_ERROR_IO, output, "the file exists: --force writes over it");
    } else {
        is_written = common_begin_file(&writer, output, false);
        if (is_written)
            is_written =
                common_end_file(&writer, fwrite(file->written, 1, file->written_size, writer.file)
                                             == file->written_size);
        if (!is_written)
            tool_fail_to_write(output, error);
    }
    free(output);
    return is_written;
}

// Returns an exit status.
static int fix_file(const tool_arguments *arguments, const char *path)
{
    const tool_kind kind = tool_kind_of(path);
    mended file = {.arguments = arguments,
                   .path = path,
                   .kind = kind == TOOL_MODEL || kind == TOOL_BFG_MODEL ? MD5_DOC_MODEL
                           : kind == TOOL_CAMERA                        ? MD5_DOC_CAMERA
                                                                        : MD5_DOC_ANIM};
    const char *reason = NULL;
    md5_error error = {0};
    bool is_done = false;
    if (kind == TOOL_UNKNOWN || kind == TOOL_MACHINE || kind == TOOL_CUBE)
        tool_fail(&error, MD5_ERROR_IO, path, "expected a .md5mesh, .md5anim or .md5camera file");
    else if ((file.text = common_read_stream(path, &file.size, &reason)) == NULL)
        tool_fail(&error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
    else {
        common_print(stdout, "%s\n", path);
        is_done = mend(&file, &error);
    }
    const bool has_work = file.num_changes > 0 || arguments->output;
    if (is_done && file.num_changes == 0)
        puts("  nothing to do");
    if (is_done && has_work && !arguments->is_dry)
        is_done = write_text(&file, &error);
    md5_free_model(file.mesh);
    free(file.mesh_path);
    free(file.written);
    free(file.text);
    const int status = tool_end(is_done, &error);
    return arguments->is_dry && file.num_changes > 0 ? TOOL_BAD_FILE : status;
}

static int fix(tool_arguments *arguments)
{
    if (!arguments->output && !arguments->is_forced && !arguments->is_dry)
        return tool_usage("fix", "expected --output, --force or --dry-run");
    if (arguments->output && arguments->num_words > 1 && !common_is_folder(arguments->output))
        return tool_usage("fix", "of several files --output is a folder");
    for (int i = 0; i < arguments->engines.count; i++)
        if (tool_find_engines(arguments->engines.names[i]) == 0)
            return tool_usage("fix", "unknown engine '%s': see md5tool check --rules",
                              arguments->engines.names[i]);
    int status = TOOL_OK;
    for (int i = 0; i < arguments->num_words; i++)
        if (fix_file(arguments, arguments->words[i]) != TOOL_OK)
            status = TOOL_BAD_FILE;
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
    "bits. Rotations come to unit length, weights to the sum 1; a clip whose joints an engine "
    "would\n"
    "refuse gets those of its mesh, and all components if an engine ignores the base frame; boxes\n"
    "that hold nothing are computed from the skin. A file without a mistake is left alone.\n"
    "\n"
    "  --output NAME    write there; a folder for several files; -o is short for it\n"
    "  --force          write over files; without --output over those that are read\n"
    "  --dry-run        only say what would be done; the exit status is 1 if something would\n"
    "  --mesh MESH      the mesh of clips: by default that of their name beside them, or the only\n"
    "                   one of their folder\n"
    "  --rename OLD=NEW give a joint another name; may be repeated\n"
    "  --influences N   keep the N largest weights of each vertex, 1 to 16\n"
    "  --for ENGINE     mend for this engine, as in \"md5tool check\"; may be repeated\n"};
