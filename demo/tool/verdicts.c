// md5tool verdicts: prints how Doom 3 interprets the declarations of a game folder.
#include "demo/tool/game.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_verdicts_help[] =
    "usage: md5tool verdicts --base DIR [--mod DIR] KIND [NAME...]\n"
    "\n"
    "Parses the declarations of a Doom 3 game folder as the original engine does, and prints the\n"
    "result for each, or for the given NAMEs, as one JSON object per line; numbers that are not\n"
    "finite are null. Warnings are printed to standard error in the engine's words, as\n"
    "file:line:column: warning: text.\n"
    "\n"
    "KIND is materials, skins, models, or gui-materials: materials after a GUI has set their "
    "sort.\n"
    "\n"
    "  --base DIR          the game folder, with its .pk4 archives\n"
    "  --mod DIR           a mod, whose files hide those of the base\n";

// -- JSON -----------------------------------------------------------------------------------------

static void print_key(const char *key)
{
    printf(",\"%s\":", key);
}

static void print_text(const char *key, const char *text)
{
    print_key(key);
    tool_print_json(text);
}

// JSON has no word for what is not finite, such as 1 / 0 in an expression.
static void print_value(double number)
{
    if (isfinite(number))
        printf("%g", number);
    else
        fputs("null", stdout);
}

static void print_number(const char *key, double number)
{
    print_key(key);
    print_value(number);
}

static void print_numbers(const char *key, const float *numbers, size_t count)
{
    print_key(key);
    for (size_t i = 0; i < count; i++) {
        putchar(i > 0 ? ',' : '[');
        print_value((double)numbers[i]);
    }
    putchar(']');
}

static void print_decl(const char *type, const md5_decl *decl)
{
    printf("{\"%s\":", type);
    tool_print_json(decl->name);
    print_text("file", decl->file ? decl->file : "<implicit file>");
    printf(",\"line\":%u", decl->line);
    print_text("state", decl->state == MD5_DECL_PARSED ? "parsed" : "default");
}

// -- Materials ------------------------------------------------------------------------------------

// Whether the engine finds an image: all files of its program. Built-in images always exist.
static bool has_image(const md5_game *game, const md5_image_program *image)
{
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_step *const step = &image->steps[i];
        if (step->kind == MD5_IMAGE_FILE && step->file[0] != '_'
            && !md5_game_image_file(game, step->file))
            return false;
    }
    return image->num_steps > 0;
}

// The registers of a stage at one time: whether it is drawn, its color, alpha test and matrix.
static void print_stage_at(const md5_material *material, const md5_stage *stage, const char *key,
                           const md5_material_input *input)
{
    static float registers[MD5_MAX_REGISTERS];
    float color[4], matrix[6];
    md5_evaluate_material(material, input, registers);
    for (int i = 0; i < 4; i++)
        color[i] = registers[stage->color[i]];
    for (int i = 0; i < 6; i++)
        matrix[i] = registers[stage->matrix[i / 3][i % 3]];
    printf(",\"%s\":{\"if\":", key);
    print_value((double)registers[stage->condition]);
    print_numbers("rgba", color, 4);
    if (stage->has_alpha_test)
        print_number("alphatest", (double)registers[stage->alpha_test]);
    if (stage->has_matrix)
        print_numbers("m", matrix, 6);
    putchar('}');
}

static bool print_sorted(md5_game *game, const char *name, const float *sort, md5_error *error)
{
    const md5_material *const material = md5_game_material(game, name, error);
    if (!material)
        return false;
    print_decl("material", material->decl);
    print_number("coverage", (double)material->coverage);
    print_number("sort", (double)(sort ? *sort : material->sort));
    print_number("cull", (double)material->cull);
    print_number("backsides", material->creates_back_sides);
    print_number("deform", (double)material->deform);
    print_number("noshadows", material->no_shadows);
    print_number("noselfshadow", material->no_self_shadow);
    print_number("unsmoothed", material->unsmoothed_tangents);
    print_number("polyoff", (double)material->polygon_offset);
    fputs(",\"stages\":[", stdout);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        fputs(i > 0 ? "," : "", stdout);
        const md5_stage *const stage = &material->stages[i];
        static const md5_material_input t0 = {.time = 1.0f, .parms = {1.0f, 1.0f, 1.0f, 1.0f}};
        static const md5_material_input t1 = {
            .time = 1.375f,
            .parms = {1.0f, 1.0f, 1.0f, 1.0f, 0.25f, 0.5f, 0.0f, 0.75f},
        };
        // A missing image is replaced by one that repeats.
        const bool is_there = has_image(game, &stage->image);
        printf("{\"light\":%d", (int)stage->light);
        print_number("bits", stage->bits);
        print_text("image", stage->image.text);
        print_number("repeat", is_there ? (double)stage->repeat : 0.0);
        print_number("texgen", (double)stage->texgen);
        print_number("vcol", (double)stage->vertex_color);
        print_number("program", stage->program.vertex || stage->program.fragment);
        print_number("dyn", (double)stage->dynamic);
        print_stage_at(material, stage, "t0", &t0);
        print_stage_at(material, stage, "t1", &t1);
        putchar('}');
    }
    puts("]}");
    return true;
}

static bool print_material(md5_game *game, const char *name, md5_error *error)
{
    return print_sorted(game, name, NULL, error);
}

// A gui sets the sort of each material that it draws with, also of the cursor and the scroll bars,
// whatever the material says.
static bool print_gui_material(md5_game *game, const char *name, md5_error *error)
{
    const float gui = -2.0f;
    return print_sorted(game, name, &gui, error);
}

// -- Skins ----------------------------------------------------------------------------------------

static bool print_skin(md5_game *game, const char *name, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(game, name, error);
    if (!skin)
        return false;
    print_decl("skin", skin->decl);
    fputs(",\"models\":[", stdout);
    for (uint32_t i = 0; i < skin->num_models; i++) {
        fputs(i > 0 ? "," : "", stdout);
        tool_print_json(skin->models[i]);
    }
    fputs("],\"map\":[", stdout);
    for (uint32_t i = 0; i < skin->num_rows; i++) {
        fputs(i > 0 ? ",[" : "[", stdout);
        tool_print_json(skin->rows[i].from ? skin->rows[i].from : "*");
        putchar(',');
        tool_print_json(skin->rows[i].to);
        putchar(']');
    }
    puts("]}");
    return true;
}

// -- Models ---------------------------------------------------------------------------------------

static bool print_model(md5_game *game, const char *name, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(game, name, error);
    if (!model) {
        // Without an error there is no such model.
        error->file[0] = '\0';
        if (error->status == MD5_OK)
            error->status = MD5_ERROR_RANGE;
        if (error->status == MD5_ERROR_RANGE)
            (void)snprintf(error->message, sizeof error->message, "no model is called '%.100s'",
                           name);
        return false;
    }
    const float offset[3] = {model->offset.x, model->offset.y, model->offset.z};
    print_decl("model", model->decl);
    print_text("mesh", model->mesh);
    print_text("skin", model->skin ? model->skin : "");
    print_numbers("offset", offset, 3);
    print_number("joints", model->num_joints);
    static const char *const names[MD5_NUM_CHANNELS] = {"all", "torso", "legs", "head", "eyelids"};
    for (int i = MD5_CHANNEL_TORSO; i < MD5_NUM_CHANNELS; i++) {
        const md5_model_channel *const channel = &model->channels[i];
        printf("%s\"%s\":[", i > MD5_CHANNEL_TORSO ? "," : ",\"channels\":{", names[i]);
        for (uint32_t j = 0; j < channel->num_joints; j++)
            printf("%s%u", j > 0 ? "," : "", channel->joints[j]);
        putchar(']');
    }
    putchar('}');
    print_key("anims");
    putchar('[');
    for (uint32_t i = 0; i < model->num_anims; i++) {
        fputs(i > 0 ? "," : "", stdout);
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        fputs("{\"name\":", stdout);
        tool_print_json(anim->name);
        print_text("alias", anim->alias);
        print_key("files");
        for (uint32_t k = 0; k < anim->num_files; k++) {
            putchar(k > 0 ? ',' : '[');
            tool_print_json(anim->files[k]);
        }
        printf("],\"ms\":%u,\"frames\":%u,\"flags\":%u,\"cmds\":[", anim->milliseconds,
               anim->num_frames, anim->flags);
        for (uint32_t k = 0; k < anim->num_commands; k++) {
            const md5_frame_command *const command = &anim->commands[k];
            printf("%s[%u,%d,", k > 0 ? "," : "", command->frame, (int)command->code);
            tool_print_json(command->text);
            putchar(']');
        }
        fputs("]}", stdout);
    }
    puts("]}");
    return true;
}

// -- Command --------------------------------------------------------------------------------------

// What can be printed. Implicit declarations, which others refer to, are printed only by name.
static const struct verdict_kind {
    const char *word;
    md5_decl_type type;
    bool (*print)(md5_game *game, const char *name, md5_error *error);
} kinds[] = {
    {"materials", MD5_DECL_MATERIAL, print_material},
    {"gui-materials", MD5_DECL_MATERIAL, print_gui_material},
    {"skins", MD5_DECL_SKIN, print_skin},
    {"models", MD5_DECL_MODEL, print_model},
};

typedef struct verdict_job {
    const char *base, *mod;
    const struct verdict_kind *kind;
    char **names;
    int num_names;
} verdict_job;

static const struct verdict_kind *kind_of(const char *word)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word, kinds[i].word) == 0)
            return &kinds[i];
    }
    return NULL;
}

// Reads the options, up to the kind. Returns an exit status.
static int read_arguments(int count, char **arguments, verdict_job *job)
{
    int i = 0;
    for (; i < count && strncmp(arguments[i], "--", 2) == 0; i += 2) {
        const bool is_base = strcmp(arguments[i], "--base") == 0;
        if (!is_base && strcmp(arguments[i], "--mod") != 0)
            return tool_usage("verdicts", "unknown option '%s'", arguments[i]);
        if (i + 1 == count)
            return tool_usage("verdicts", "missing folder after %s", arguments[i]);
        *(is_base ? &job->base : &job->mod) = arguments[i + 1];
    }
    if (!job->base)
        return tool_usage("verdicts", "missing --base DIR");
    if (i == count)
        return tool_usage("verdicts",
                          "missing kind: expected materials, gui-materials, skins or models");
    job->kind = kind_of(arguments[i]);
    if (!job->kind)
        return tool_usage("verdicts",
                          "unknown kind '%s': expected materials, gui-materials, skins or models",
                          arguments[i]);
    job->names = arguments + i + 1;
    job->num_names = count - i - 1;
    return TOOL_OK;
}

static void warn(void *user, const md5_error *warning)
{
    (void)user;
    tool_print_error(warning);
}

// Prints one of the verdicts. Models print what they inherit too, so that a long chain of them
// would print very many animations: `left` is how many, with their commands, may still be.
static bool print_verdict(const verdict_job *job, md5_game *game, const char *name, size_t *left,
                          md5_error *error)
{
    const bool is_model = job->kind->type == MD5_DECL_MODEL;
    const md5_model_def *const model = is_model ? md5_game_model_def(game, name, error) : NULL;
    for (uint32_t i = 0; model && i < model->num_anims; i++) {
        const size_t size = 1 + (size_t)md5_model_def_anim(model, i)->num_commands;
        if (size > *left) {
            *error = (md5_error){.status = MD5_ERROR_RANGE};
            (void)snprintf(error->message, sizeof error->message,
                           "too many animations and frame commands: those from model '%.100s' on "
                           "are not printed",
                           name);
            return false;
        }
        *left -= size;
    }
    return job->kind->print(game, name, error);
}

static bool print_verdicts(const verdict_job *job, md5_game *game, md5_error *error)
{
    size_t left = 1 << 18;
    for (int i = 0; i < job->num_names; i++) {
        if (!print_verdict(job, game, job->names[i], &left, error))
            return false;
    }
    const uint32_t count = job->num_names > 0 ? 0 : md5_game_num_decls(game, job->kind->type);
    for (uint32_t i = 0; i < count; i++) {
        const md5_decl *const decl = md5_game_decl(game, job->kind->type, i);
        if (decl->file && !print_verdict(job, game, decl->name, &left, error))
            return false;
    }
    return true;
}

static int open_and_print(const verdict_job *job, const common_game_places *places)
{
    const md5_load_opts opts = {.warn = warn, .max_warnings = UINT32_MAX};
    md5_error error;
    md5_game *const game = md5_create_game(places->paths, places->count, &opts, &error);
    const bool is_printed = game && md5_game_set_verdict(game, MD5_VERDICT_ENGINE, &error)
                            && print_verdicts(job, game, &error);
    if (!is_printed)
        tool_print_error(&error);
    md5_destroy_game(game);
    return is_printed ? TOOL_OK : TOOL_BAD_FILE;
}

int tool_verdicts(int count, char **arguments)
{
    verdict_job job = {0};
    common_game_places places = {0};
    const int status = read_arguments(count, arguments, &job);
    if (status != TOOL_OK || !job.kind)
        return status;
    const char *const missing = job.mod && !common_add_game_folder(&places, job.mod) ? job.mod
                                : !common_add_game_folder(&places, job.base)         ? job.base
                                                                                     : NULL;
    if (missing) {
        md5_error error = {.status = MD5_ERROR_IO, .message = "not a folder"};
        (void)snprintf(error.file, sizeof error.file, "%s", missing);
        tool_print_error(&error);
    }
    const int result = missing ? TOOL_BAD_FILE : open_and_print(&job, &places);
    common_free_game_places(&places);
    return result;
}
