// Loading an md5.cfg: folders, the script, and the result.
#include "md5/core/assert.h"
#include "md5/game/cube.h"

#include <string.h>

// The result with the memory that it is in.
typedef struct cube_block {
    md5_cube cube;
    md5_context context;
    md5_arena arena;
} cube_block;

// -- Folders --------------------------------------------------------------------------------------

// Returns where the last `part` of path[length] ends, or 0 if there is none. A part begins the path
// or comes after a /.
static size_t end_of_part(const char *path, size_t length, const char *part)
{
    const size_t size = strlen(part);
    for (size_t at = length; at-- > 0;) {
        const bool begins = at == 0 || path[at - 1] == '/';
        if (begins && length - at >= size && memcmp(path + at, part, size) == 0)
            return at + size;
    }
    return 0;
}

static const char *copy_start(md5_arena *arena, const char *path, size_t length)
{
    char *const copy = (char *)md5i_arena_alloc(arena, length + 1, 1);
    if (copy && length > 0)
        memcpy(copy, path, length);
    return copy;
}

// Sets the folders that paths in the script are relative to.
static bool find_folders(md5_cube_reader *reader, const char *path, const char *root)
{
    static const char models[] = "packages/models/";
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t after_models = end_of_part(path, length, models);
    const size_t before_models = after_models ? after_models - strlen(models) : 0;
    size_t root_length = before_models;
    if (!after_models)
        root_length = end_of_part(path, length, "data/");
    reader->folder = copy_start(reader->arena, path, length);
    reader->script.root = root ? md5i_cube_join(reader->arena, root, root[0] ? "/" : "")
                               : copy_start(reader->arena, path, root_length);
    TRY(reader->folder && reader->script.root);
    reader->models = md5i_cube_join(reader->arena, reader->script.root, after_models ? models : "");
    return reader->models != NULL;
}

// -- Models without an md5.cfg --------------------------------------------------------------------

static bool can_open(md5_context *context, const char *file)
{
    md5_file_text text = {0};
    const bool is_open = md5i_read_file_text(context, file, &text);
    md5i_free_file_text(context, &text);
    if (!is_open && context->error->status != MD5_ERROR_MEMORY)
        context->error->status = MD5_OK;
    return is_open;
}

// FOLDER/FOLDER and an extension.
static const char *default_file(md5_arena *arena, const char *folder, const char *extension)
{
    const size_t length = strlen(folder);
    size_t start = length > 0 ? length - 1 : 0;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    const size_t size = length > 0 ? length - 1 - start : 0;
    const char *const name = copy_start(arena, folder + start, size);
    const char *const file = name ? md5i_cube_join(arena, folder, name) : NULL;
    return file ? md5i_cube_join(arena, file, extension) : NULL;
}

// Keeps the error of the md5.cfg if its folder has no default model either.
static bool read_default(md5_cube_reader *reader)
{
    md5_context *const context = reader->arena->context;
    const md5_error missing = *context->error;
    if (missing.status != MD5_ERROR_IO)
        return false;
    context->error->status = MD5_OK;
    const char *const mesh = default_file(reader->arena, reader->folder, ".md5mesh");
    const char *const file = default_file(reader->arena, reader->folder, ".md5anim");
    TRY(mesh && file);
    if (!can_open(context, mesh)) {
        if (context->error->status == MD5_OK)
            *context->error = missing;
        return false;
    }
    md5i_warn(context, 0, 0, "there is no such file: the model is %s",
              md5i_quote(mesh, strlen(mesh)).text);
    md5_cube_part_reader *const part = md5i_cube_add_part(reader, mesh);
    TRY(part);
    if (!can_open(context, file))
        return context->error->status == MD5_OK;
    md5_cube_anim *const anim =
        (md5_cube_anim *)md5i_cube_add(reader->arena, &part->anims, sizeof *anim);
    TRY(anim);
    anim->names = "mapmodel";
    anim->file = file;
    anim->frame_rate = 10.0f;
    return true;
}

// -- Reading --------------------------------------------------------------------------------------

static bool read_script(md5_cube_reader *reader, const char *path)
{
    md5_cube_command command;
    md5_context *const context = reader->arena->context;
    if (!md5i_cube_script_open(&reader->script, path))
        return read_default(reader);
    while (md5i_cube_script_next(&reader->script, &command)) {
        if (!md5i_cube_run(reader, &command))
            break;
    }
    md5i_cube_script_close(&reader->script);
    md5i_context_set_file(context, path);
    TRY(context->error->status == MD5_OK);
    if (reader->parts.count == 0)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "no mesh is loaded: expected a line 'md5load FILE'");
    return true;
}

static bool build_parts(md5_cube_reader *reader)
{
    md5_cube_part *const parts =
        (md5_cube_part *)md5i_arena_alloc(reader->arena, reader->parts.count, sizeof *parts);
    TRY(parts);
    for (uint32_t i = 0; i < reader->parts.count; i++) {
        const md5_cube_part_reader *const from =
            &((const md5_cube_part_reader *)reader->parts.items)[i];
        parts[i] = (md5_cube_part){
            .mesh = from->mesh,
            .skeleton = from->skeleton,
            .smooth = from->smooth,
            .num_tags = from->tags.count,
            .num_pitches = from->pitches.count,
            .num_adjustments = from->adjustments.count,
            .num_anims = from->anims.count,
            .num_masks = from->masks.count,
            .num_rows = from->rows.count,
            .tags = (const md5_cube_tag *)from->tags.items,
            .pitches = (const md5_cube_pitch *)from->pitches.items,
            .adjustments = (const md5_cube_adjustment *)from->adjustments.items,
            .anims = (const md5_cube_anim *)from->anims.items,
            .masks = (const md5_cube_mask *)from->masks.items,
            .rows = (const md5_cube_row *)from->rows.items,
        };
    }
    reader->cube.parts = parts;
    reader->cube.num_parts = reader->parts.count;
    return true;
}

static bool read_cube(cube_block *block, const char *path, const char *root)
{
    md5_cube_reader *const reader =
        (md5_cube_reader *)md5i_arena_alloc(&block->arena, 1, sizeof *reader);
    TRY(reader);
    reader->arena = reader->script.arena = &block->arena;
    reader->script.context = &block->context;
    reader->cube.scale = 0.25f;
    TRY(find_folders(reader, path, root) && read_script(reader, path) && build_parts(reader));
    reader->cube.links = (const md5_cube_link *)reader->links.items;
    reader->cube.num_links = reader->links.count;
    reader->cube.settings = (const md5_cube_setting *)reader->settings.items;
    reader->cube.num_settings = reader->settings.count;
    reader->cube.num_warnings = block->context.num_warnings;
    block->cube = reader->cube;
    return true;
}

md5_cube *md5_load_cube2(const char *path, const char *root, const md5_load_opts *opts,
                         md5_error *error)
{
    MD5_ASSERT(path != NULL, "path: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, path, error);
    cube_block *const block = (cube_block *)md5i_alloc(&context, sizeof *block);
    if (!block)
        return NULL;
    memset(block, 0, sizeof *block);
    block->context = context;
    if (!error)
        block->context.error = &block->context.unseen;
    block->arena.context = &block->context;
    const bool is_read = read_cube(block, path ? path : "", root);
    block->context.error = &block->context.unseen; // the caller's may not live as long
    if (is_read)
        return &block->cube;
    md5_free_cube2(&block->cube);
    return NULL;
}

void md5_free_cube2(md5_cube *cube)
{
    if (!cube)
        return;
    cube_block *const block = (cube_block *)cube; // its first member
    md5i_arena_free(&block->arena);
    const md5_allocator allocator = block->context.allocator;
    allocator.free(allocator.user, block, sizeof *block);
}
