// md5tool bake-image: models and clips as asset images, which programs map or load instead of
// text.
#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/tool/tool.h"

#include "md5/md5model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_image(const char *path, const md5_assets *assets, size_t *size, md5_error *error)
{
    *size = md5_write_image(assets, NULL, 0);
    char *const bytes = common_alloc(*size, 1);
    (void)md5_write_image(assets, bytes, *size);
    const bool is_written = tool_write_text(path, bytes, *size, error);
    free(bytes);
    return is_written;
}

// -- Characters -----------------------------------------------------------------------------------

// Returns the path in the output folder of a file of a machine, whose name is relative to that.
// NULL, and an error, if that leads elsewhere, or the file would be overwritten.
static char *place_of(const tool_arguments *arguments, const char *path, md5_error *error)
{
    const char *const machine = arguments->words[0];
    const size_t length = (size_t)(common_base(machine) - machine);
    const bool is_below = strncmp(path, machine, length) == 0 && !common_is_absolute(path + length)
                          && strncmp(path + length, "../", 3) != 0
                          && !strstr(path + length, "/../");
    char *const place =
        common_join(arguments->output, is_below ? path + length : common_base(path));
    if (is_below && !(common_is_file(place) && common_same_file(place, path))) {
        common_make_folders(place, 0777);
        return place;
    }
    tool_fail(error, MD5_ERROR_MISMATCH, path, "%s",
              is_below ? "the file would be overwritten"
                       : "the file is not below the folder of the machine");
    free(place);
    return NULL;
}

// Copies a machine file, and bakes what it names, each under its own name: clips, the model, and
// what that holds.
static bool bake_character(const tool_arguments *arguments, const md5_character *from,
                           md5_error *error)
{
    const char *const machine = arguments->words[0], *reason = NULL;
    const md5_machine_desc *const desc = md5_machine_tables(from->machine);
    const uint32_t num_clips = from->num_clips, num_files = num_clips + 1 + desc->num_attached;
    size_t size = 0, sum = 0;
    uint32_t num_written = 0; // clips
    char *const text = common_read_stream(machine, &size, &reason);
    char *const folder = common_folder(machine);
    char *place = text ? place_of(arguments, machine, error) : NULL;
    bool is_done = text ? place && tool_write_text(place, text, size, error)
                        : tool_fail(error, MD5_ERROR_IO, machine, "cannot read: %s", reason);
    for (uint32_t i = 0; i < num_files && is_done; i++) {
        const bool is_clip = i < num_clips;
        const md5_attached_desc *const held =
            i > num_clips ? &desc->attached[i - num_clips - 1] : NULL;
        uint32_t first = 0; // clip of the same file
        while (is_clip && from->anims[first] != from->anims[i])
            first++;
        if (is_clip && first < i)
            continue;
        const md5_assets assets = {.num_models = !is_clip,
                                   .models = held ? held->model : from->model,
                                   .num_anims = is_clip,
                                   .anims = is_clip ? from->anims[i] : NULL};
        char *const path = held ? common_join(folder, held->file)
                                : common_copy(is_clip ? from->anim_paths[i] : from->model_path);
        free(place);
        place = place_of(arguments, path, error);
        is_done = place && write_image(place, &assets, &size, error);
        sum += size;
        num_written += is_clip;
        free(path);
    }
    free(place);
    free(folder);
    free(text);
    if (is_done)
        printf("%u models, %u clips, %zu bytes\n", (unsigned)(1 + desc->num_attached),
               (unsigned)num_written, sum);
    return is_done;
}

// -- The command ----------------------------------------------------------------------------------

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
        else if (loaded[i].anim)
            anims[assets.num_anims++] = *loaded[i].anim;
        else if (is_done && (!loaded[i].character || room > 1))
            is_done = tool_fail(&error, MD5_ERROR_MISMATCH, path,
                                "expected models and clips, or one machine file alone");
    }
    size_t size = 0;
    if (is_done && loaded[0].character) {
        is_done = bake_character(arguments, loaded[0].character, &error);
    } else if (is_done) {
        is_done = write_image(arguments->output, &assets, &size, &error);
        if (is_done)
            printf("%u models, %u clips, %zu bytes\n", (unsigned)assets.num_models,
                   (unsigned)assets.num_anims, size);
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
    "models and clips, or a machine file",
    "usage: md5tool bake-image FILE...|MACHINE -o IMAGE|FOLDER\n"
    "\n"
    "Writes models and clips as an asset image: as they are in memory, for md5_map_image(). In it\n"
    "they have the order of the arguments, models and clips for themselves. An image of one "
    "model,\n"
    "or of one clip, is also loaded as the text that it is made of.\n"
    "\n"
    "Of a machine file, copies it to a folder and writes each model and clip that it names as an\n"
    "image of the same name beside it. Pictures are not copied.\n"
    "\n"
    "  --output IMAGE   the file, or the folder, to write; -o is short for it\n"};
