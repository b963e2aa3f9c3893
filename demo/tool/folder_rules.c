// Checks a file together with other files of its folder, because engines use them together. They
// are the Quake model that it replaces, its clip, and its images.
#include "demo/common/text_index.h"
#include "demo/tool/tool.h"

// The formats of Quake and Quake II whose files an MD5 model can replace.
static const struct {
    const char *folder;
    const char *extension;
    const char *magic;
    size_t offset; // offset of the number of frames in the header, bytes
} replaced[] = {{"", ".mdl", "IDPO", 68}, {"", ".md2", "IDP2", 40}, {"../", ".md2", "IDP2", 40}};
enum { NUM_REPLACED = COMMON_LENGTH(replaced) };

char *tool_find_replaced(const md5_game *game, const char *path)
{
    char *found = NULL;
    for (int i = 0; i < NUM_REPLACED && !found; i++)
        found = tool_find_sibling(game, path, replaced[i].folder, replaced[i].extension);
    return found;
}

// Reads the lower 24 bits of a little-endian integer, which is enough for the number of frames of
// every model.
static int32_t read_u24(const char *bytes)
{
    const unsigned char *const b = (const unsigned char *)bytes;
    return b[0] | b[1] << 8 | b[2] << 16;
}

// Returns the number of frames of the Quake model that a clip's model replaces. Returns 0 if it
// does not replace one.
static int32_t count_replaced_frames(md5_game *game, const char *path)
{
    size_t size = 0;
    int32_t num_frames = 0;
    char *const file = tool_find_replaced(game, path);
    char *const bytes = file ? tool_read_file(game, file, &size) : NULL;
    if (bytes) {
        for (int i = 0; i < NUM_REPLACED; i++) {
            const size_t offset = replaced[i].offset;
            if (size >= offset + 4 && memcmp(bytes, replaced[i].magic, 4) == 0)
                num_frames = read_u24(bytes + offset);
        }
    }
    free(bytes);
    free(file);
    return num_frames;
}

// Returns the image that Quake's engines use for a shader of a mesh: the file SHADER_00_00 next to
// the mesh. Returns NULL if it does not exist.
static char *find_quake_skin(const md5_game *game, const char *mesh, const char *shader)
{
    static const char *const extensions[] = {"png", "tga", "jpg", "pcx", "lmp"};
    char *found = NULL;
    for (size_t i = 0; i < COMMON_LENGTH(extensions) && !found; i++) {
        char *const name = common_format("%s_00_00.%s", common_base(shader), extensions[i]);
        found = tool_find_sibling(game, mesh, name, NULL);
        free(name);
    }
    return found;
}

// Reports a missing skin of a Quake model, with a similar image as a suggestion.
static void report_missing_skin(const md5_game *game, md5_check *mesh,
                                const md5_check_shader *shader, size_t *work)
{
    char *const folder = common_folder(mesh->file);
    char *const path = common_format("%s/%s_00_00", folder, common_base(shader->name));
    char *const similar = tool_near_image(game, path, work);
    if (similar)
        tool_add_violation(mesh, "no-skin", shader->line,
                           "image not found: %.100s_00_00: did you mean '%.150s'?", shader->name,
                           similar);
    else
        tool_add_violation(mesh, "no-skin", shader->line, "image not found: %.100s_00_00",
                           shader->name);
    free(similar);
    free(path);
    free(folder);
}

// Reports a clip with fewer frames than the replaced model. The game selects frames by the numbers
// of that model, so all of them must exist.
static void check_num_frames(md5_game *game, md5_check *clip)
{
    const int32_t num_replaced = count_replaced_frames(game, clip->file);
    if (num_replaced > clip->num_frames)
        tool_add_violation(
            clip, "fewer-frames", 1,
            "clip has too few frames: found %d, but the model that it replaces has %d",
            clip->num_frames, num_replaced);
}

// Reports a model of Quake without a clip. The clip must have the name of the mesh.
static void check_quake_clip(const md5_game *game, md5_check *mesh)
{
    char *const stem = common_stem(mesh->file);
    if (!tool_has_sibling(game, mesh->file, "", ".md5anim"))
        tool_add_violation(
            mesh, "no-clip", 1,
            "file %.100s.md5anim not found: expected a clip with the name of the mesh", stem);
    free(stem);
}

// Returns true if a file is in the folder of Quake's models.
static bool is_quake_model(const char *path)
{
    char *const folder = common_folder(path);
    const bool is_in_progs = strcmp(common_base(folder), "progs") == 0;
    free(folder);
    return is_in_progs;
}

// Counts a missing skin in the diagnostic of an earlier mesh with the same shader.
static void count_missing_skin(md5_check *file, uint32_t diagnostic)
{
    if (diagnostic < file->num_diagnostics)
        file->diagnostics[diagnostic].count++;
}

// Checks the images of all meshes. Meshes with the same shader have the same image, which is
// checked once. If it is missing, the diagnostic counts these meshes.
static void check_images(md5_game *game, md5_check *file, bool is_quake)
{
    common_text_index names = {0};
    // [num_shaders] by the index of the name: the diagnostic about the missing skin, or MD5_NONE
    uint32_t *const diagnostics = common_alloc(file->num_shaders + (size_t)1, sizeof *diagnostics);
    size_t work = 1 << 24; // remaining comparisons for suggestions of images

    for (uint32_t i = 0; i < file->num_shaders; i++) {
        const md5_check_shader *const shader = &file->shaders[i];
        const size_t num_names = names.count;
        const size_t index = common_index_text(&names, shader->name, strlen(shader->name));
        if (index < num_names) {
            count_missing_skin(file, diagnostics[index]);
            continue;
        }

        diagnostics[index] = MD5_NONE;
        char *image = NULL;
        if (is_quake)
            image = find_quake_skin(game, file->file, shader->name);
        else
            image = tool_find_texture(game, file->file, shader->name);
        if (image) {
            tool_check_image(game, file, shader->line, image);
        } else if (is_quake) {
            diagnostics[index] = file->num_diagnostics;
            report_missing_skin(game, file, shader, &work);
        }
        free(image);
    }
    free(diagnostics);
    common_free_text_index(&names);
}

// Checks a file together with the other files of its folder. A clip is compared with the Quake
// model that it replaces. A mesh must have its images, whose contents are checked, and for Quake's
// engines also its clip.
void tool_check_folder(md5_game *game, md5_check *file)
{
    if (file->kind == MD5_DOC_ANIM) {
        check_num_frames(game, file);
        return;
    }
    const bool is_quake = is_quake_model(file->file);
    if (is_quake)
        check_quake_clip(game, file);
    check_images(game, file, is_quake);
}
