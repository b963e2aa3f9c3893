#include "test/scoped.h"
#include "test/read/read_case.h"

char *read_case_text(const char *text, const char *old, const char *new, size_t *size)
{
    const char *const found = old ? strstr(text, old) : text;
    const bool replaces_all = !old || !old[0];
    CHECK_THAT(found != NULL, "'%s' is not in the text", old ? old : "");
    const size_t before = found && !replaces_all ? (size_t)(found - text) : 0;
    const char *behind = text;
    if (replaces_all)
        behind = "";
    else if (found)
        behind = found + strlen(old);
    *size = before + strlen(new) + strlen(behind);
    SCOPED_STRING text_copy = test_alloc(*size + 1);
    memcpy(text_copy, text, before);
    memcpy(text_copy + before, new, strlen(new));
    memcpy(text_copy + before + strlen(new), behind, strlen(behind));
    // Memory of exactly its size, so that a read beyond the end is detected.
    char *const exact = test_copy(text_copy, *size);
    return exact;
}

void read_case_add(read_case_log *log, const md5_error *error)
{
    char line[600];
    md5_error placed = *error;
    placed.file[0] = '\0';
    md5_format_error(&placed, line, sizeof line);
    const int length = snprintf(log->text + log->used, sizeof log->text - log->used, "%s%s",
                                log->used ? "\n" : "", line);
    if (length > 0)
        log->used += (size_t)length;
    if (log->used >= sizeof log->text)
        log->used = sizeof log->text - 1;
}

void read_case_warn(void *log, const md5_error *warning)
{
    CHECK_THAT(warning->status == MD5_WARNING, "a warning is none");
    read_case_add(log, warning);
}

void read_cases_check(const char *good, const read_case *cases, size_t num_cases,
                      read_case_load *load, const char *file, int line)
{
    for (size_t i = 0; i < num_cases; i++) {
        size_t size;
        SCOPED_STRING text = read_case_text(good, cases[i].old, cases[i].new, &size);
        read_case_log log = {0};
        const md5_load_opts opts = {.warn = read_case_warn, .warn_user = &log};
        md5_error error = {0};
        const bool loaded = load(text, size, &opts, &error);
        if (!loaded)
            read_case_add(&log, &error);
        test_check(strcmp(log.text, cases[i].report) == 0, file, line,
                   "'%.40s' for '%.40s' says\n  %s\nexpected\n  %s", cases[i].new, cases[i].old,
                   log.text, cases[i].report);
        test_check(loaded == (error.status == MD5_OK), file, line, "status against result");
    }
}

// -- Either kind of asset -------------------------------------------------------------------

static bool is_anim_path(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && strcmp(dot, ".md5anim") == 0;
}

read_asset read_asset_parse(bool is_anim, const char *text, size_t size, const md5_load_opts *opts,
                            md5_error *error)
{
    read_asset asset = {0};
    if (is_anim)
        asset.anim = md5_parse_anim(text, size, opts, error);
    else
        asset.model = md5_parse_model(text, size, opts, error);
    return asset;
}

read_asset read_asset_load(const char *path, const md5_load_opts *opts, md5_error *error)
{
    read_asset asset = {0};
    if (is_anim_path(path))
        asset.anim = md5_load_anim(path, opts, error);
    else
        asset.model = md5_load_model(path, opts, error);
    return asset;
}

bool read_asset_is_loaded(read_asset asset)
{
    return asset.model || asset.anim;
}

uint32_t read_asset_warnings(read_asset asset)
{
    return asset.model ? asset.model->num_warnings : asset.anim->num_warnings;
}

void read_asset_free(read_asset asset)
{
    md5_free_model(asset.model);
    md5_free_anim(asset.anim);
}

// -- Whether every index of an asset is inside its table ------------------------------------

static bool skeleton_holds(const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_joint *const joint = &skeleton->joints[i];
        if ((joint->parent != MD5_NONE && joint->parent >= skeleton->num_joints) || !joint->name
            || skeleton->order[i] >= skeleton->num_joints)
            return false;
    }
    return skeleton->num_joints > 0;
}

bool read_asset_is_valid(read_asset asset)
{
    if (asset.model) {
        for (uint32_t j = 0; j < asset.model->num_meshes; j++) {
            const md5_mesh *const mesh = &asset.model->meshes[j];
            for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
                const md5_vertex *const vertex = &mesh->file_vertices[i];
                if ((uint64_t)vertex->first_weight + vertex->num_weights > mesh->num_weights)
                    return false;
            }
            for (uint32_t i = 0; i < mesh->num_weights; i++) {
                const md5_weight *const weight = &mesh->weights[i];
                if (weight->joint >= asset.model->skeleton.num_joints)
                    return false;
            }
            for (uint32_t i = 0; i < 3 * mesh->num_triangles; i++) {
                if (mesh->indices[i] >= mesh->num_vertices)
                    return false;
            }
            for (uint32_t v = 0; v < mesh->num_vertices; v++) {
                if (mesh->sources[v] >= mesh->num_file_vertices
                    || mesh->first_influence[v] > mesh->first_influence[v + 1])
                    return false;
            }
            if (!(mesh->first_influence[mesh->num_vertices] == mesh->num_influences && mesh->name
                  && mesh->shader))
                return false;
        }
        return skeleton_holds(&asset.model->skeleton);
    }
    const md5_anim *const anim = asset.anim;
    for (uint32_t j = 0; j < anim->skeleton.num_joints; j++) {
        if (anim->tracks[j].first > anim->num_components || anim->tracks[j].flags > 63)
            return false;
    }
    return skeleton_holds(&anim->skeleton) && anim->num_frames > 0 && anim->frame_rate > 0;
}
