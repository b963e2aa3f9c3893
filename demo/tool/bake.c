// md5tool bake: models and clips as asset files, which programs map or load instead of
// text.
#include "demo/tool/tool.h"

static bool write_assets(const char *path, const md5_assets *assets, size_t *size, md5_error *error)
{
    *size = md5_write_assets(assets, NULL, 0);
    char *const bytes = common_alloc(*size, 1);
    md5_write_assets(assets, bytes, *size);
    const bool is_written = tool_write_text(path, bytes, *size, error);
    free(bytes);
    return is_written;
}

// -- Characters -----------------------------------------------------------------------------------

// A file to bake: where it is, and where its asset file is to be.
typedef struct baked_file {
    char *path, *place;
} baked_file;

// Of a name in a machine file. False, and an error, if it leads out of the folder of the machine.
static bool find_file(const tool_arguments *arguments, const char *name, baked_file *file,
                      md5_error *error)
{
    const char *const machine = arguments->words[0];
    const bool is_absolute = common_is_absolute(name);
    const int length = is_absolute ? 0 : (int)(common_base(machine) - machine);
    *file = (baked_file){common_format("%.*s%s", length, machine, name),
                         common_join(arguments->output, name)};
    return (!is_absolute && !common_leads_up(name))
           || convert_fail(
               error, MD5_ERROR_MISMATCH, file->path,
               "the file is not below the folder of the machine: expected a name without"
               " '..' that is not absolute");
}

// No file that is read may be written, not even one that is baked to elsewhere.
static bool check_places(const baked_file *files, size_t count, md5_error *error)
{
    COMMON_FOR (i, count)
        for (size_t j = 0; j < count && common_is_file(files[i].place); j++)
            if (common_same_file(files[i].place, files[j].path))
                return convert_fail(error, MD5_ERROR_MISMATCH, files[j].path,
                                    "the file would be overwritten");
    return true;
}

// Copies a machine file, and bakes what it names, each under its own name: clips, the model, and
// what that holds.
static bool bake_character(const tool_arguments *arguments, const md5_character *from,
                           md5_error *error)
{
    const char *const machine = arguments->words[0], *reason = NULL;
    size_t size = 0, sum = 0;
    char *const text = common_read_stream(machine, &size, &reason);
    if (!text)
        return convert_fail(error, MD5_ERROR_IO, machine, "cannot read the file: %s", reason);
    md5_machine_file *const named =
        md5_parse_machine_file(text, size, &(md5_load_opts){.file_name = machine}, error);
    const uint32_t num_clips = named ? named->desc.num_clips : 0;
    const uint32_t num_attached = named ? named->desc.num_attached : 0;
    const size_t num_files = 2 + (size_t)num_attached + num_clips; // the machine, its model first
    const md5_machine_desc *const desc = md5_machine_tables(from->machine);
    baked_file *const files = common_alloc(num_files, sizeof *files);
    bool is_done = named && num_clips == from->num_clips && num_attached == desc->num_attached;
    if (named && !is_done)
        convert_fail(error, MD5_ERROR_IO, machine, "the file changed while it was read");
    COMMON_FOR_WHILE (i, num_files, is_done)
        is_done = find_file(arguments,
                            i == 0                 ? common_base(machine)
                            : i == 1               ? named->model_file
                            : i < 2 + num_attached ? named->attached[i - 2].file
                                                   : named->clips[i - 2 - num_attached].file,
                            &files[i], error);
    is_done = is_done && check_places(files, num_files, error);
    uint32_t num_models = 0, num_written = 0; // num_written: clips
    COMMON_FOR_WHILE (i, num_files, is_done) {
        const bool is_clip = i >= 2 + num_attached;
        const md5_anim *const anim = is_clip ? from->anims[i - 2 - num_attached] : NULL;
        size_t first = 1; // of the same name
        while (first < i && strcmp(files[first].place, files[i].place) != 0)
            first++;
        if (i > 1 && first < i)
            continue;
        common_make_folders(files[i].place, 0777);
        if (i == 0) {
            is_done = tool_write_text(files[i].place, text, size, error);
            continue;
        }
        const md5_assets assets = {.num_models = !is_clip,
                                   .models = i == 1    ? from->model
                                             : is_clip ? NULL
                                                       : desc->attached[i - 2].model,
                                   .num_anims = is_clip,
                                   .anims = anim};
        size_t written = 0;
        is_done = write_assets(files[i].place, &assets, &written, error);
        sum += written;
        num_models += !is_clip;
        num_written += is_clip;
    }
    COMMON_FOR (i, num_files) {
        free(files[i].path);
        free(files[i].place);
    }
    free(files);
    md5_free_machine_file(named);
    free(text);
    if (is_done)
        printf("%u models, %u clips, %zu bytes\n", num_models, num_written, sum);
    return is_done;
}

// -- The command ----------------------------------------------------------------------------------

static int bake(tool_arguments *arguments)
{
    if (!arguments->output || arguments->output[0] == '\0')
        return tool_usage("bake", "missing -o FILE");
    const size_t room = (size_t)arguments->num_words;
    tool_asset *const loaded = common_alloc(room, sizeof *loaded);
    md5_model *const models = common_alloc(room, sizeof *models); // copies, side by side
    md5_anim *const anims = common_alloc(room, sizeof *anims);
    md5_assets assets = {.models = models, .anims = anims};
    md5_error error = {0};
    bool is_done = true;
    COMMON_FOR_WHILE (i, room, is_done) {
        const char *const path = arguments->words[i];
        const md5_load_opts opts = {.warn = tool_print_error};
        is_done = tool_load(path, &opts, &loaded[i], &error);
        if (loaded[i].model)
            models[assets.num_models++] = *loaded[i].model;
        else if (loaded[i].anim)
            anims[assets.num_anims++] = *loaded[i].anim;
        else if (is_done && (!loaded[i].character || room > 1))
            is_done = convert_fail(&error, MD5_ERROR_MISMATCH, path,
                                   "expected models and clips, or one machine file alone");
    }
    size_t size = 0;
    if (is_done && loaded[0].character) {
        is_done = bake_character(arguments, loaded[0].character, &error);
    } else if (is_done) {
        is_done = write_assets(arguments->output, &assets, &size, &error);
        if (is_done)
            printf("%u models, %u clips, %zu bytes\n", assets.num_models, assets.num_anims, size);
    }
    COMMON_FOR (i, room)
        tool_free(&loaded[i]);
    free(loaded);
    free(models);
    free(anims);
    return tool_end(is_done, &error);
}

const tool_command tool_bake = {
    "bake",
    bake,
    1,
    INT_MAX,
    "models and clips, or a machine file",
    "usage: md5tool bake FILE...|MACHINE -o ASSETS|FOLDER\n"
    "\n"
    "Writes models and clips as an asset file: as they are in memory, for md5_map_assets(). In it\n"
    "they have the order of the arguments, models and clips for themselves. A file of one "
    "model,\n"
    "or of one clip, is also loaded as the text that it is made of.\n"
    "\n"
    "Of a machine file, copies it to a folder and writes each model and clip that it names as an\n"
    "asset file of the same name beside it. Pictures and morph targets are not copied.\n"
    "\n"
    "  --output ASSETS  the file, or the folder, to write; -o is short for it\n"};
