// md5tool parse: prints materials, skins and models as JSON, as the engine of Doom 3 interprets
// their declarations. Tests compare this output with results of the original engine. `kinds` is the
// table of the declarations that can be printed.
#include "demo/tool/game.h"

// Prints the start of a JSON object: the name, location and state of a declaration. The caller adds
// members and the closing brace.
static void print_decl(const tool_game *game, const md5_decl *decl)
{
    const char *const file = decl->file ? decl->file : "<implicit file>";
    const char *const state = decl->state == MD5_DECL_PARSED ? "parsed" : "default";
    common_print_json("{%s:%s,\"file\":%s,\"line\":%u,\"state\":%s", game->kind, decl->name, file,
                      decl->line, state);
}

// -- Materials ------------------------------------------------------------------------------------

// The sort order that a GUI gives to each material with which it draws.
static const double GUI_SORT = -2;

// Two sets of inputs for the expressions of stages. Readers can compare the two results to find
// values that depend on the time or on parameters of the entity.
static const struct {
    const char *key;
    md5_material_input input;
} samples[] = {
    {"t0", {.time = 1, .parms = {1, 1, 1, 1}}},
    {"t1", {.time = 1.375f, .parms = {1, 1, 1, 1, 0.25f, 0.5f, 0, 0.75f}}},
};

// Prints the values of a stage for one input: its condition, color, alpha test and texture matrix.
static void print_stage_values(const md5_material *material, const md5_stage *stage,
                               const char *key, const md5_material_input *input)
{
    static float registers[MD5_MAX_REGISTERS];
    const uint32_t *const rgba = stage->color;
    md5_evaluate_material(material, input, registers);
    common_print_json(",%s:{\"if\":%g,\"rgba\":[%g,%g,%g,%g]", key, registers[stage->condition],
                      registers[rgba[0]], registers[rgba[1]], registers[rgba[2]],
                      registers[rgba[3]]);
    if (stage->has_alpha_test)
        common_print_json(",\"alphatest\":%g", registers[stage->alpha_test]);
    if (stage->has_matrix) {
        const uint32_t *const u = stage->matrix[0];
        const uint32_t *const v = stage->matrix[1];
        common_print_json(",\"m\":[%g,%g,%g,%g,%g,%g]", registers[u[0]], registers[u[1]],
                          registers[u[2]], registers[v[0]], registers[v[1]], registers[v[2]]);
    }
    putchar('}');
}

// Returns true if the engine finds all files of an image. Built-in images always exist.
static bool has_image_files(const tool_game *game, const md5_image_program *image)
{
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_step *const step = &image->steps[i];
        const bool is_file = step->kind == MD5_IMAGE_FILE && step->file[0] != '_';
        if (is_file && !md5_game_image_file(game->md5, step->file))
            return false;
    }
    return image->num_steps > 0;
}

// Prints a stage as a JSON object: its constant properties, and its values for each of the samples.
static void print_stage(const tool_game *game, const md5_material *material, const md5_stage *stage)
{
    // The engine replaces an image with missing files by its default image, which repeats.
    const int repeat = has_image_files(game, &stage->image) ? (int)stage->repeat : 0;
    const bool has_program = stage->program.vertex || stage->program.fragment;
    common_print_json("{\"light\":%d,\"bits\":%g,\"image\":%s,\"repeat\":%d,\"texgen\":%d,"
                      "\"vcol\":%d,\"program\":%d,\"dyn\":%d",
                      (int)stage->light, (double)stage->bits, stage->image.text, repeat,
                      (int)stage->texgen, (int)stage->vertex_color, has_program,
                      (int)stage->dynamic);
    for (size_t i = 0; i < COMMON_LENGTH(samples); i++)
        print_stage_values(material, stage, samples[i].key, &samples[i].input);
    putchar('}');
}

// Parses a material, and prints it with its stages as one line of JSON. Returns false and sets
// `error` if memory runs out.
static bool print_material(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_material *const material = md5_game_material(game->md5, decl->name, error);
    if (!material)
        return false;

    const double sort = game->is_of_gui ? GUI_SORT : (double)material->sort;
    print_decl(game, material->decl);
    common_print_json(",\"coverage\":%d,\"sort\":%g,\"cull\":%d,\"backsides\":%d,\"deform\":%d,"
                      "\"noshadows\":%d,\"noselfshadow\":%d,\"unsmoothed\":%d,\"polyoff\":%g,"
                      "\"stages\":[",
                      (int)material->coverage, sort, (int)material->cull,
                      material->creates_back_sides, (int)material->deform, material->no_shadows,
                      material->no_self_shadow, material->unsmoothed_tangents,
                      material->polygon_offset);

    for (uint32_t i = 0; i < material->num_stages; i++) {
        if (i > 0)
            putchar(',');
        print_stage(game, material, &material->stages[i]);
    }
    puts("]}");
    return true;
}

// -- Skins and models -----------------------------------------------------------------------------

// Prints a skin. The order of its replacements matters: the first that matches a material is used.
static bool print_skin(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(game->md5, decl->name, error);
    if (!skin)
        return false;
    print_decl(game, skin->decl);
    fputs(",\"models\":[", stdout);
    for (uint32_t i = 0; i < skin->num_models; i++)
        common_print_json(i > 0 ? ",%s" : "%s", skin->models[i]);
    fputs("],\"map\":[", stdout);
    for (uint32_t i = 0; i < skin->num_replacements; i++) {
        const md5_skin_replacement *const replacement = &skin->replacements[i];
        const char *const from = replacement->from ? replacement->from : "*"; // every material
        common_print_json(i > 0 ? ",[%s,%s]" : "[%s,%s]", from, replacement->to);
    }
    puts("]}");
    return true;
}

// Charges the animations and frame commands of a model to the limit of the output. Fails if the
// limit is reached. Without a limit, a long chain of models would print very much, because each
// model prints the animations that it inherits, too.
static bool charge_anims(tool_game *game, const md5_model_def *model, const char *name,
                         md5_error *error)
{
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const size_t count = 1 + (size_t)md5_model_def_anim(model, i)->num_commands;
        if (count > game->num_printable_anims)
            return convert_fail(error, MD5_ERROR_RANGE, "",
                                "too many animations and frame commands: model '%.100s' and later "
                                "models are not printed",
                                name);
        game->num_printable_anims -= count;
    }
    return true;
}

// Prints the joints of the channels, which frames of several animations can move independently.
static void print_channels(const md5_model_def *model)
{
    static const char *const names[MD5_NUM_CHANNELS] = {"all", "torso", "legs", "head", "eyelids"};
    fputs(",\"channels\":{", stdout);
    for (int i = MD5_CHANNEL_TORSO; i < MD5_NUM_CHANNELS; i++) {
        const md5_model_channel *const channel = &model->channels[i];
        printf("%s\"%s\":[", i > MD5_CHANNEL_TORSO ? "," : "", names[i]);
        for (uint32_t k = 0; k < channel->num_joints; k++)
            printf("%s%u", k > 0 ? "," : "", channel->joints[k]);
        putchar(']');
    }
    putchar('}');
}

// Prints an animation as a JSON object. A frame command is an array: frame, code and text.
static void print_anim(const md5_model_anim *anim)
{
    common_print_json("{\"name\":%s,\"alias\":%s,\"files\":[", anim->name, anim->alias);
    for (uint32_t i = 0; i < anim->num_files; i++)
        common_print_json(i > 0 ? ",%s" : "%s", anim->files[i]);
    printf("],\"ms\":%u,\"frames\":%u,\"flags\":%u,\"cmds\":[", anim->milliseconds,
           anim->num_frames, anim->flags);
    for (uint32_t i = 0; i < anim->num_commands; i++) {
        const md5_frame_command *const command = &anim->commands[i];
        common_print_json(i > 0 ? ",[%u,%d,%s]" : "[%u,%d,%s]", command->frame, (int)command->code,
                          command->text);
    }
    fputs("]}", stdout);
}

// Parses a model, and prints it with its channels and animations as one line of JSON. Returns false
// and sets `error` if the model cannot be parsed.
static bool print_model(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(game->md5, decl->name, error);
    const bool is_unknown = error->status == MD5_OK || error->status == MD5_ERROR_RANGE;
    if (!model && !is_unknown) {
        error->file[0] = '\0'; // the message is not about one file
        return false;
    }
    if (!model)
        return convert_fail(
            error, MD5_ERROR_RANGE, "",
            "unknown model '%.100s': expected a modelDef; run md5tool list to list the models",
            decl->name);
    if (!charge_anims(game, model, decl->name, error))
        return false;

    print_decl(game, model->decl);
    common_print_json(",\"mesh\":%s,\"skin\":%s,\"offset\":[%g,%g,%g],\"joints\":%u", model->mesh,
                      model->skin, model->offset.x, model->offset.y, model->offset.z,
                      model->num_joints);
    print_channels(model);
    fputs(",\"anims\":[", stdout);
    for (uint32_t i = 0; i < model->num_anims; i++) {
        if (i > 0)
            putchar(',');
        print_anim(md5_model_def_anim(model, i));
    }
    puts("]}");
    return true;
}

// -- Command --------------------------------------------------------------------------------------

static const struct parsed_kind {
    const char *argument; // selects the kind
    const char *name;     // key of the declaration's name in the output
    md5_decl_type type;
    tool_visit_decl_fn *print;
    bool is_of_gui;
} kinds[] = {
    {
        .argument = "models",
        .name = "model",
        .type = MD5_DECL_MODEL,
        .print = print_model,
    },
    {
        .argument = "skins",
        .name = "skin",
        .type = MD5_DECL_SKIN,
        .print = print_skin,
    },
    {
        .argument = "materials",
        .name = "material",
        .type = MD5_DECL_MATERIAL,
        .print = print_material,
    },
    {
        .argument = "gui-materials",
        .name = "material",
        .type = MD5_DECL_MATERIAL,
        .print = print_material,
        .is_of_gui = true,
    },
};

// Returns the kind of declaration with this name on the command line, or NULL.
static const struct parsed_kind *find_kind(const char *argument)
{
    for (size_t i = 0; i < COMMON_LENGTH(kinds); i++) {
        if (strcmp(argument, kinds[i].argument) == 0)
            return &kinds[i];
    }
    return NULL;
}

// Prints the declarations with the given names. If no names are given, prints all declarations of
// the kind. Declarations are parsed as the original engine does.
static bool print_decls(tool_game *game, const struct parsed_kind *kind, char *const *names,
                        int num_names, md5_error *error)
{
    if (!md5_game_set_parse_mode(game->md5, MD5_PARSE_ENGINE, error))
        return false;
    if (num_names == 0)
        return tool_walk_decls(game, kind->type, kind->print, error);
    for (int i = 0; i < num_names; i++) {
        const md5_decl decl = {.name = names[i]};
        if (!kind->print(game, &decl, error))
            return false;
    }
    return true;
}

// md5tool parse: reads the kind and the names, opens the game and prints the declarations. The
// warnings of the parser are printed immediately, on standard error. Returns an exit status.
static int run_parse(tool_arguments *arguments)
{
    static const char expected[] = "expected materials, gui-materials, skins or models";
    enum { MAX_ANIMS = 1 << 18 };
    tool_game game;
    if (!arguments->base)
        return tool_usage("parse", "option --base DIR is missing: expected the game folder");
    if (arguments->num_operands == 0)
        return tool_usage("parse", "missing kind: %s", expected);
    const struct parsed_kind *const kind = find_kind(arguments->operands[0]);
    if (!kind)
        return tool_usage("parse", "unknown kind '%s': %s", arguments->operands[0], expected);

    int status = tool_open_game(arguments, false, &game);
    if (status == TOOL_OK) {
        md5_error error = {0};
        game.kind = kind->name;
        game.is_of_gui = kind->is_of_gui;
        game.num_printable_anims = MAX_ANIMS;
        const bool is_printed =
            print_decls(&game, kind, arguments->operands + 1, arguments->num_operands - 1, &error);
        status = tool_end(is_printed, &error);
    }
    tool_close_game(&game);
    return status;
}

const tool_command tool_parse = {
    "parse",
    run_parse,
    0,
    INT_MAX,
    "folder",
    "usage: md5tool parse --base DIR [--mod DIR] KIND [NAME...]\n"
    "\n"
    "Parses the declarations of a Doom 3 game folder as the original engine does and prints the\n"
    "result for each, or for the given NAMEs, as one JSON object per line; numbers that are not\n"
    "finite are null. Warnings are printed to standard error in the engine's wording, as\n"
    "file:line:column: warning: text.\n"
    "\n"
    "KIND is materials, skins, models, or gui-materials: materials after a GUI has set their "
    "sort.\n"
    "\n"
    "  --base DIR          the game folder, with its .pk4 archives\n"
    "  --mod DIR           a mod folder, whose files override those of the base\n"};
