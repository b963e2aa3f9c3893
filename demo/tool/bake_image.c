// md5tool bake-image: models and clips as an asset image, which programs map instead of reading.
#include "demo/tool/tool.h"

#include "md5/md5model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int bake_image(tool_arguments *arguments)
{
    if (!arguments->output)
        return tool_usage("bake-image", "missing -o FILE");
    const size_t room = (size_t)arguments->num_words;
    tool_asset *const loaded = common_alloc(room, sizeof *loaded);
    md5_model *const models = common_alloc(room, sizeof *models); // copies, side by side
    md5_anim *const anims = common_alloc(room, sizeof *anims);
    md5_assets assets = {.models = models, .anims = anims};
    md5_error error = {0};
    bool is_done = true;
    for (size_t i = 0; i < room && is_done; i++) {
        const char *const path = arguments->words[i];
        const md5_load_opts opts = {.warn = tool_print_error};
        is_done = tool_load(path, &opts, &loaded[i], &error);
        if (loaded[i].model)
            models[assets.num_models++] = *loaded[i].model;
        else if (loaded[i].anim && !loaded[i].anim->packed)
            anims[assets.num_anims++] = *loaded[i].anim;
        else if (is_done)
            is_done = tool_fail(&error, MD5_ERROR_MISMATCH, path,
                                "expected a model or a clip that is not compressed");
    }
    const size_t size = is_done ? md5_write_image(&assets, NULL, 0) : 0;
    if (size > 0) {
        char *const bytes = common_alloc(size, 1);
        (void)md5_write_image(&assets, bytes, size);
        is_done = tool_write_text(arguments->output, bytes, size, &error);
        if (is_done)
            printf("%u models, %u clips, %zu bytes\n", (unsigned)assets.num_models,
                   (unsigned)assets.num_anims, size);
        free(bytes);
    }
    for (size_t i = 0; i < room; i++)
        tool_free(&loaded[i]);
    free(loaded);
    free(models);
    free(anims);
    return tool_end(is_done, &error);
}

const tool_command tool_bake_image = {
    "bake-image",
    bake_image,
    1,
    INT_MAX,
    "models and clips",
    "usage: md5tool bake-image FILE... -o IMAGE\n"
    "\n"
    "Writes models and clips as an asset image: as they are in memory, for md5_map_image(). In it\n"
    "they have the order of the arguments, models and clips for themselves.\n"
    "\n"
    "  --output IMAGE   the file to write; -o is short for it\n"};
