#include "md5/game/model_assets.h"

#include "md5/game/game.h"

#include <math.h>
#include <string.h>

// What stands for a file that cannot be read.
static void *broken_asset(void)
{
    static const char broken = 0;
    return (void *)(uintptr_t)&broken;
}

static md5_load_opts opts_of(md5_game *game)
{
    const md5_load_opts opts = {
        .allocator = game->context.allocator,
        .without = MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS,
    };
    return opts;
}

// Passes on the error if memory has run out. Other errors are reported by the caller, in the
// engine's words.
static void *pass_on(md5_game *game, const md5_error *error)
{
    if (error->status != MD5_ERROR_MEMORY)
        return broken_asset();
    (void)md5i_fail(&game->context, MD5_ERROR_MEMORY, 0, 0, "%s", error->message);
    return NULL;
}

static md5_mesh_asset *copy_joints(md5_game *game, const char *file, const md5_skeleton *skeleton)
{
    md5_arena *const arena = &game->arena;
    md5_mesh_asset *const asset = MD5_NEW(arena, md5_mesh_asset, 1);
    md5_joint *const joints = MD5_NEW(arena, md5_joint, skeleton->num_joints);
    uint32_t *const numbers = MD5_NEW(arena, uint32_t, skeleton->num_joints);
    if (!asset || !joints || !numbers)
        return NULL;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        numbers[i] = i;
        const char *const name = skeleton->joints[i].name;
        joints[i].name = md5_game_copy(arena, name, strlen(name));
        joints[i].parent = skeleton->joints[i].parent;
        if (!joints[i].name)
            return NULL;
    }
    asset->file = file;
    asset->num_joints = skeleton->num_joints;
    asset->joints = joints;
    asset->numbers = numbers;
    return asset;
}

static void *load_mesh(md5_game *game, const char *file, const char *text, size_t size)
{
    const md5_load_opts opts = opts_of(game);
    md5_error error = {.status = MD5_OK};
    md5_model *const model = md5_parse_model(text, size, &opts, &error);
    if (!model)
        return pass_on(game, &error);
    md5_mesh_asset *const asset = copy_joints(game, file, &model->skeleton);
    md5_free_model(model);
    return asset;
}

static void *load_anim(md5_game *game, const char *file, const char *text, size_t size)
{
    const md5_load_opts opts = opts_of(game);
    md5_error error = {.status = MD5_OK};
    md5_anim *const anim = md5_parse_anim(text, size, &opts, &error);
    if (!anim)
        return pass_on(game, &error);
    md5_anim_asset *const asset = MD5_NEW(&game->arena, md5_anim_asset, 1);
    if (asset) {
        asset->file = file;
        asset->num_frames = anim->num_frames;
        // The engine's length: whole milliseconds, rounded up, at a whole frame rate.
        const double rate = floor(anim->frame_rate);
        const double length = rate >= 1.0 ? ceil((anim->num_frames - 1) * 1000.0 / rate) : 0.0;
        asset->milliseconds = length < (double)INT32_MAX ? (uint32_t)length : INT32_MAX;
    }
    md5_free_anim(anim);
    return asset;
}

typedef void *load_asset(md5_game *game, const char *file, const char *text, size_t size);

// Returns what a file is loaded to, broken_asset(), or NULL if memory runs out.
static void *load_file(md5_game *game, const char *file, load_asset *load)
{
    md5_error reason = {.status = MD5_OK};
    size_t size = 0;
    const md5_game_entry *const entry = md5i_game_find_file(game, file);
    const char *const text = entry ? md5i_game_open_file(game, entry, 0, &size, &reason) : NULL;
    if (!text)
        return broken_asset();
    void *const asset = load(game, file, text, size);
    md5i_game_close_file(game, entry, text, size);
    return asset;
}

// Returns what a file was loaded to, loading it first if need be.
static const void *find_asset(md5_game *game, const char *file, const char *extension,
                              load_asset *load)
{
    if (!md5_has_extension(file, extension))
        return NULL;
    void **const found = md5i_name_map_find(&game->assets, file);
    if (found && *found)
        return *found == broken_asset() ? NULL : *found;
    const char *const copy = md5_game_copy(&game->arena, file, strlen(file));
    void *const asset = copy ? load_file(game, copy, load) : NULL;
    void **const added = asset ? md5i_name_map_add(&game->assets, &game->arena, copy) : NULL;
    if (!added)
        return NULL;
    *added = asset;
    return asset == broken_asset() ? NULL : asset;
}

const md5_mesh_asset *md5i_find_mesh_asset(md5_game *game, const char *file)
{
    return (const md5_mesh_asset *)find_asset(game, file, ".md5mesh", load_mesh);
}

const md5_anim_asset *md5i_find_anim_asset(md5_game *game, const char *file)
{
    return (const md5_anim_asset *)find_asset(game, file, ".md5anim", load_anim);
}
