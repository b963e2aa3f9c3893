// Game folders. The command list prints the names in a game, explain prints the files and
// declarations of one name and which of them are missing, parse prints how Doom 3 interprets
// declarations, and check prints the errors in them. The table `kinds` has the functions for each
// type of declaration, and walk_decls() visits all declarations of a type.
#include "demo/looks/image.h"
#include "demo/tool/tool.h"

// == Games ========================================================================================

// A checked model or clip.
typedef struct judged_file {
    md5_check *check;
    bool is_seen; // the clip was checked with the mesh of a model
} judged_file;

// A model that the engine replaces with the default.
typedef struct refused_model {
    bool is_refused;
    uint32_t parent; // the inherited model with the cause, MD5_NONE if the cause is in this model
    size_t num_heirs;
    size_t num_alike; // models that name the same missing mesh, and their heirs
    bool is_counted;  // num_alike of another model with the same missing mesh counts this model
    text_place at;
    char *reason;
} refused_model;

typedef struct tool_game {
    tool_places places;
    md5_game *game; // of `places`; NULL if it could not be opened, after which an error is printed
    bool keeps_notes; // store warnings instead of printing them
    md5_error *notes; // [num_notes] warnings, in the order in which the game reported them
    size_t num_notes;
    size_t num_left_out; // warnings beyond a limit, so that a hostile file does not fill the memory
    size_t memory;       // bytes that the game used when it was opened
    int num_renewals;
    md5_parse_mode mode; // the mode of the game
    const char *kind;    // the kind of the printed items

    bool is_json;     // list, explain: print as JSON
    size_t num_bytes; // the size of the listed clips
    bool is_cut;      // some clips were not listed
    common_list used; // animation files of models

    bool is_found; // list, explain
    bool has_missing;

    bool is_of_gui; // parse: the materials are used in a GUI
    size_t left;    // parse: see print_model_result()

    tool_game_check *check;
    judged_file *files; // [num_files] all models and clips, sorted by path
    size_t num_files;
    common_list images;            // image files of materials, some of them several times
    common_list seen;              // image files of materials on surfaces
    size_t num_keys;               // checked keys, including inherited keys
    size_t num_characters;         // entities that were loaded with their figures and joints
    common_list objects;           // script objects that were checked
    size_t work;                   // how many comparisons may still be made to find similar names
    bool *is_on_surface;           // [materials] true if a mesh uses the material
    refused_model *refused_models; // [num_refused_models] by index of their declarations
    size_t num_refused_models;
    common_text_index missing_texts; // messages about missing files
    md5_diagnostic *missing; // [missing_texts.count] the first warning with each of these messages
    common_list refusals;    // locations of errors in engine mode, "file:line:column"
    bool hides_refusals;     // the list is sorted: warnings at these locations are not printed
} tool_game;

// -- Opening --------------------------------------------------------------------------------------

// Stores or prints a warning of the game.
static void store_note(void *user, const md5_error *note)
{
    enum { MAX_NOTES = 1000 };
    tool_game *const game = user;
    if (!game->keeps_notes) {
        tool_print_error(NULL, note);
        return;
    }
    if (game->num_notes == MAX_NOTES) { // the last warning has the reason for which reading ended
        game->num_left_out++;
        game->num_notes--;
    }
    game->notes = common_grow(game->notes, game->num_notes, sizeof *game->notes);
    game->notes[game->num_notes++] = *note;
}

static void clear_notes(tool_game *game)
{
    game->num_notes = game->num_left_out = 0;
}

// Returns options that report warnings when they are found, without a limit of the library.
static md5_load_opts load_options(tool_game *opened)
{
    return (md5_load_opts){.warn = store_note, .warn_user = opened, .max_warnings = UINT32_MAX};
}

// Opens the game of the arguments. The order of the folders is the mod, DIR, the base: a file hides
// those with the same name in later folders. Returns an exit status, and prints the reason if the
// game cannot be opened.
static int open_game(const tool_arguments *arguments, bool keeps_notes, tool_game *result)
{
    md5_error error = {0};
    *result = (tool_game){
        .places.list.goes_on = tool_show_search, .keeps_notes = keeps_notes, .work = 400000000};
    const md5_load_opts opts = load_options(result);
    const bool is_open = tool_open_places(arguments, &opts, &result->places, &error);
    tool_show_progress(0, 0);
    result->game = result->places.game;
    result->memory = is_open ? md5_game_memory(result->game) : 0;
    return tool_end(is_open, &error);
}

static void close_game(tool_game *game)
{
    tool_close_places(&game->places);
    common_free_list(&game->used);
    common_free_list(&game->images);
    common_free_list(&game->seen);
    common_free_list(&game->refusals);
    common_free_list(&game->objects);
    for (size_t i = 0; i < game->num_refused_models; i++)
        free(game->refused_models[i].reason);
    free(game->refused_models);
    free(game->notes);
    for (size_t i = 0; i < game->num_files; i++)
        md5_free_check(game->files[i].check);
    free(game->files);
    free(game->is_on_surface);
    common_free_text_index(&game->missing_texts);
    free(game->missing);
}

// -- Walking --------------------------------------------------------------------------------------

// Opens the game again, in the same mode and without warnings, if the files parsed since it was
// opened take much memory. Pointers that the game returned before are then invalid. Returns false
// if the game cannot be opened, or if this function has opened it very often.
static bool renew_game(tool_game *opened, md5_error *error)
{
    enum { MUCH = 24 << 20, OFTEN = 64 };
    if (md5_game_memory(opened->game) < opened->memory + MUCH)
        return true;
    if (opened->num_renewals++ == OFTEN)
        return convert_fail(error, MD5_ERROR_MEMORY, "",
                            "too many declarations for the memory limit: the rest was skipped");
    const common_game_paths *const list = &opened->places.list;
    const md5_load_opts opts = load_options(opened);
    md5_destroy_game(opened->game);
    opened->game = opened->places.game = md5_create_game(list->paths, list->count, &opts, error);
    opened->memory = opened->game ? md5_game_memory(opened->game) : 0;
    clear_notes(opened);
    return opened->game && md5_game_set_parse_mode(opened->game, opened->mode, error);
}

// Processes a declaration for a command. If the declaration has only a type and a name, the game is
// asked for the rest. Returns false to end the walk.
typedef bool visit_fn(tool_game *opened, const md5_decl *decl, md5_error *error);

// Visits the declarations of a type. Implicit declarations, which others refer to, come last and
// are not visited.
static bool walk_decls(tool_game *opened, md5_decl_type type, visit_fn *visit, md5_error *error)
{
    for (uint32_t i = 0; i < md5_game_num_decls(opened->game, type); i++) {
        // Warnings that are printed would be printed again by another game.
        if (opened->keeps_notes && !renew_game(opened, error))
            return false;
        const md5_decl *const decl = md5_game_decl(opened->game, type, i);
        if (!decl->file)
            break;
        if (!visit(opened, decl, error))
            return false;
        if (opened->keeps_notes)
            tool_show_progress(i + 1, md5_game_num_decls(opened->game, type));
    }
    return true;
}

// Parses a declaration, without the keys that an entity inherits. Returns false if memory runs out.
static bool parse_decl(md5_game *game, const md5_decl *decl, md5_error *error)
{
    if (decl->type == MD5_DECL_TABLE)
        md5_game_table(game, decl->name, error);
    else if (decl->type == MD5_DECL_MATERIAL)
        md5_game_material(game, decl->name, error);
    else if (decl->type == MD5_DECL_SKIN)
        md5_game_skin_def(game, decl->name, error);
    else if (decl->type == MD5_DECL_ENTITY)
        md5_game_check_entity_def(game, decl->name, error);
    else if (decl->type == MD5_DECL_ARTICULATED_FIGURE)
        md5_game_figure_def(game, decl->name, error);
    else
        md5_game_model_def(game, decl->name, error);
    return error->status == MD5_OK;
}

// == list =========================================================================================

// Prints an item. `file` is NULL or the file that declares it. `owner` is NULL or the model of a
// clip.
static void print_line(tool_game *opened, const char *owner, const char *name, const char *file,
                       uint32_t line)
{
    opened->is_found = true;
    if (opened->is_json) {
        common_print_json("{\"kind\":%s", opened->kind);
        if (owner)
            common_print_json(",\"model\":%s", owner);
        common_print_json(",\"name\":%s", name);
        if (file)
            common_print_json(",\"file\":%s", file);
        printf(line > 0 ? ",\"line\":%u}\n" : "}\n", line);
    } else {
        printf("%-8s  ", opened->kind);
        if (owner)
            common_print(stdout, "%s ", owner);
        common_print(stdout, "%s", name);
        if (file)
            common_print(stdout, "  %s", file);
        printf(line > 0 ? ":%u\n" : "\n", line);
    }
}

// Prints the location of a declaration, which is not parsed.
static bool list_decl(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    (void)error;
    print_line(opened, NULL, decl->name, decl->file, decl->keyword_line);
    return true;
}

// Prints the clips of a model. Models that inherit clips have these too, so a long chain of models
// would print very many lines.
static bool list_clips(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    enum { MAX_BYTES = 32 << 20, BYTES_PER_LINE = 32 };
    if (opened->is_cut)
        return true;
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, error);
    for (uint32_t i = 0; model && !opened->is_cut && i < model->num_anims; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        opened->num_bytes += strlen(decl->name) + strlen(anim->name);
        for (uint32_t j = 0; j < anim->num_files; j++) {
            common_add(&opened->used, common_copy(anim->files[j]));
            opened->num_bytes += strlen(anim->files[j]) + BYTES_PER_LINE;
        }
        print_line(opened, decl->name, anim->name, anim->files[0], 0);
        opened->is_cut = opened->num_bytes > MAX_BYTES;
    }
    if (opened->is_cut)
        common_print(stderr,
                     "md5tool: error: too many clips: clips from model %s on are not listed\n",
                     decl->name);
    return model;
}

// Returns the name of a declaration that is similar to a missing one; NULL if there is none.
static const char *find_near_decl(tool_game *opened, md5_decl_type type, const char *name)
{
    tool_nearest nearest = {.work = opened->work};
    for (uint32_t i = 0; i < md5_game_num_decls(opened->game, type); i++) {
        const md5_decl *const other = md5_game_decl(opened->game, type, i);
        if (other->file)
            tool_compare_name(&nearest, name, other->name);
    }
    opened->work = nearest.work;
    return nearest.name;
}

// == explain ======================================================================================

// Prints a line, or a JSON object.
#define SAY(game, ...) common_print_either((game)->is_json, __VA_ARGS__)

// Prints the location of a file, and the files in other places that it hides. `line` may be 0.
static void print_file(tool_game *opened, const char *what, const char *file, uint32_t line)
{
    const common_game_paths *const places = &opened->places.list;
    uint32_t place = md5_game_find_file(opened->game, file, 0);
    what += opened->is_json ? strspn(what, " ") : 0; // skip the indentation of a line
    if (place >= places->count) {
        opened->has_missing = true;
        SAY(opened, "  %s: %s: missing\n", "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", what,
            file);
        return;
    }
    if (line > 0)
        SAY(opened, "  %s: %s:%u in %s\n",
            "{\"kind\":\"file\",\"what\":%s,\"name\":%s,\"line\":%u,\"location\":%s}\n", what, file,
            line, places->titles[place]);
    else
        SAY(opened, "  %s: %s in %s\n",
            "{\"kind\":\"file\",\"what\":%s,\"name\":%s,\"location\":%s}\n", what, file,
            places->titles[place]);
    while ((place = md5_game_find_file(opened->game, file, place + 1)) < places->count)
        SAY(opened, "    hides: %s in %s\n", "{\"kind\":\"hidden\",\"name\":%s,\"location\":%s}\n",
            file, places->titles[place]);
}

// Prints which model of Quake or Quake II a mesh replaces. An .mdl in a folder with a higher
// priority is not replaced.
static void print_replaced(tool_game *opened, const char *mesh)
{
    const tool_places *const places = &opened->places;
    char *const old = tool_find_replaced(places->game, mesh);
    const uint32_t first = md5_game_find_file(places->game, mesh, 0);
    const uint32_t second = old ? md5_game_find_file(places->game, old, 0) : MD5_NONE;
    if (first != MD5_NONE && second != MD5_NONE) {
        bool is_shown = first <= second || common_has_suffix(old, ".md2");
        for (int i = 0; i < 3; i++) // in one folder or its archives
            is_shown |= first < places->ends[i] && (i == 0 || second >= places->ends[i - 1]);
        SAY(opened, "  %s in %s %s %s in %s\n",
            "{\"kind\":\"replaces\",\"name\":%s,\"location\":%s,\"how\":%s,\"other\":%s,"
            "\"other_location\":%s}\n",
            mesh, places->list.titles[first], is_shown ? "replaces" : "has lower priority than",
            old, places->list.titles[second]);
    }
    free(old);
}

typedef struct placed_file {
    const char *name;
    size_t place;
} placed_file;

static int compare_placed(const void *a, const void *b)
{
    const placed_file *const x = a;
    const placed_file *const y = b;
    const int order = common_compare_case(x->name, y->name);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

// Prints the mounted folders and archives, the hidden files, and the models that meshes replace.
static void print_mounted(tool_game *opened)
{
    const common_game_paths *const list = &opened->places.list;
    placed_file *files = NULL;
    size_t count = 0;
    fputs(opened->is_json ? "" : "search order:\n", stdout);
    for (size_t i = 0; i < list->count; i++) {
        SAY(opened, "  %s\n", "{\"kind\":\"mounted\",\"location\":%s}\n", list->titles[i]);
        for (size_t k = 0; k < list->paths[i].num_files; k++) {
            files = common_grow(files, count, sizeof *files);
            files[count++] = (placed_file){list->paths[i].name(list->paths[i].user, k), i};
        }
    }
    common_sort(files, count, sizeof *files, compare_placed);
    for (size_t i = 1, best = 0; i < count; i++) {
        if (common_compare_case(files[i].name, files[best].name) != 0)
            best = i;
        else if (files[i].place != files[i - 1].place && !common_is_archive(files[i].name))
            SAY(opened, "hidden: %s in %s, by the file in %s\n",
                "{\"kind\":\"hidden\",\"name\":%s,\"location\":%s,\"by\":%s}\n", files[i].name,
                list->titles[files[i].place], list->titles[files[best].place]);
    }
    free(files);
    for (size_t i = 0; i < md5_game_num_files(opened->game); i++)
        if (common_has_suffix(md5_game_file(opened->game, i), ".md5mesh"))
            print_replaced(opened, md5_game_file(opened->game, i));
}

// Prints the warnings that the game has reported since the last call.
static void print_problems(tool_game *opened)
{
    char text[TOOL_MESSAGE];
    for (size_t i = 0; i < opened->num_notes; i++) {
        md5_format_error(&opened->notes[i], text, sizeof text);
        SAY(opened, "    %s\n", "{\"kind\":\"warning\",\"message\":%s}\n", text);
    }
    clear_notes(opened);
}

// Prints the result in engine mode and then in lenient mode, which stays selected. An entity is
// parsed with all that it inherits.
static bool print_modes(tool_game *opened, const md5_decl *named, md5_error *error)
{
    static const char *const titles[] = {
        [MD5_PARSE_LENIENT] = "lenient mode", [MD5_PARSE_ENGINE] = "engine mode"};
    for (int i = MD5_PARSE_ENGINE; i >= MD5_PARSE_LENIENT; i--) {
        clear_notes(opened);
        if (!md5_game_set_parse_mode(opened->game, (md5_parse_mode)i, error))
            return false;
        const md5_decl *const decl = md5_find_decl(opened->game, named->type, named->name);
        bool is_parsed = false;
        if (named->type == MD5_DECL_ENTITY)
            is_parsed = md5_game_entity_def(opened->game, named->name, error);
        else
            is_parsed = parse_decl(opened->game, decl, error);
        if (!is_parsed)
            return false;
        const bool is_default = decl->state == MD5_DECL_DEFAULTED;
        SAY(opened, "  %s: %s\n", "{\"kind\":\"result\",\"by\":%s,\"result\":%s}\n", titles[i],
            is_default ? "replaced with the default" : "parsed as declared");
        print_problems(opened);
    }
    return true;
}

// -- Needs of a declaration -----------------------------------------------------------------------

// Returns true if the engine finds an image. Built-in images always exist, and some images are
// compressed.
static bool has_image(const tool_game *opened, const char *name)
{
    char *const packed = common_format("dds/%s.dds", name);
    const bool is_found = name[0] == '_' || md5_game_image_file(opened->game, name)
                          || md5_game_find_file(opened->game, packed, 0) != MD5_NONE;
    free(packed);
    return is_found;
}

// Prints the file of an image, found as the engine finds it, or that the image is missing.
static void print_image(tool_game *opened, const char *name)
{
    const char *const file = md5_game_image_file(opened->game, name);
    if (file) {
        print_file(opened, "image", file, 0);
    } else if (!has_image(opened, name)) {
        SAY(opened,
            strrchr(name, '.') ? "  %s: %s: missing\n"
                               : "  %s: %s: missing (searched .tga and .jpg)\n",
            "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", "image", name);
        opened->has_missing = true;
    }
}

// Prints the declaration that another one needs, and the image of an undeclared material.
static void print_needed_decl(tool_game *opened, const char *what, md5_decl_type type,
                              const char *name)
{
    const md5_decl *const decl = md5_find_decl(opened->game, type, name);
    what += opened->is_json ? strspn(what, " ") : 0;
    if (decl && decl->file)
        SAY(opened, "  %s: %s, declared %s:%u\n",
            "{\"kind\":\"needs\",\"what\":%s,\"name\":%s,\"file\":%s,\"line\":%u}\n", what, name,
            decl->file, decl->keyword_line);
    else
        SAY(opened,
            type == MD5_DECL_MATERIAL ? "  %s: %s: not declared; used as an image name\n"
                                      : "  %s: %s: not declared\n",
            "{\"kind\":\"needs\",\"what\":%s,\"name\":%s}\n", what, name);
    if (type == MD5_DECL_MATERIAL && !(decl && decl->file))
        print_image(opened, name);
}

// Returns true if a stage is drawn. Bump stages, which the engine adds, show nothing alone.
static bool is_stage_drawn(const md5_stage *stage, const float *registers)
{
    return stage->light != MD5_STAGE_BUMP && registers[stage->condition] != 0;
}

// Returns why the engine draws no image of a material, or NULL if it draws one.
static const char *find_undrawn_reason(const md5_material *material)
{
    static const md5_material_input plain = {.parms = {1, 1, 1, 1}};
    static float registers[MD5_MAX_REGISTERS];
    if (material->gui)
        return "the surface shows a GUI (guisurf)";
    if (material->num_stages == 0)
        return "the material has no stages";
    md5_evaluate_material(material, &plain, registers);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        if (is_stage_drawn(&material->stages[i], registers))
            return NULL;
    }
    return "the condition of every stage is 0";
}

// Prints why the engine draws no image of a material.
static void print_undrawn(tool_game *opened, const char *name)
{
    md5_game_set_parse_mode(opened->game, MD5_PARSE_ENGINE, NULL);
    const md5_material *const material = md5_game_material(opened->game, name, NULL);
    md5_game_set_parse_mode(opened->game, MD5_PARSE_LENIENT, NULL);
    const char *const reason = material ? find_undrawn_reason(material) : NULL;
    if (reason)
        SAY(opened, "  black or invisible: %s: %s\n",
            "{\"kind\":\"unseen\",\"name\":%s,\"reason\":%s}\n", name, reason);
}

static void explain_surfaces(tool_game *opened, const char *file);

// Prints the materials of a mesh, and the problems of their images.
static void print_mesh_materials(tool_game *opened, const char *file)
{
    const md5_load_opts opts = {
        .files = md5_game_files(opened->game),
        .skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS,
    };
    md5_error error = {0};
    md5_model *const model = md5_load_model(file, &opts, &error);
    if (!model) {
        store_note(opened, &error);
        print_problems(opened);
        return;
    }
    // Other engines do not use the shader as a material.
    const bool is_material =
        tool_minds(tool_engines(opened->check->asked, opened->game, file), "no-material");
    if (is_material) {
        for (uint32_t i = 0; i < model->num_meshes; i++)
            if (model->meshes[i].shader[0])
                print_needed_decl(opened, "material", MD5_DECL_MATERIAL, model->meshes[i].shader);
            else
                SAY(opened, "  material: mesh %u has no shader\n",
                    "{\"kind\":\"unnamed\",\"mesh\":%u}\n", i);
    }
    md5_free_model(model);
    explain_surfaces(opened, file);
}

// Prints the mesh of a model with its materials, and the files of all clips.
static bool explain_model(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, error);
    if (!model)
        return false;
    if (model->mesh[0]) {
        print_file(opened, "mesh", model->mesh, 0);
        print_mesh_materials(opened, model->mesh);
    }
    if (model->skin)
        print_needed_decl(opened, "skin", MD5_DECL_SKIN, model->skin);
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        SAY(opened, "  clip: %s, %u frames, %u frame commands\n",
            "{\"kind\":\"clip\",\"name\":%s,\"frames\":%u,\"commands\":%u}\n", anim->name,
            anim->num_frames, anim->num_commands);
        for (uint32_t j = 0; j < anim->num_files; j++)
            print_file(opened, "  file", anim->files[j], 0);
    }
    return true;
}

// Prints the number of bodies of an articulated figure.
static bool explain_figure(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_figure_def *const figure = md5_game_figure_def(opened->game, decl->name, error);
    if (figure)
        SAY(opened, "  bodies: %u\n", "{\"kind\":\"bodies\",\"count\":%u}\n", figure->num_bodies);
    return figure;
}

// Returns the last articulated figure that the keys of an entity name; `is_any` is set if the
// entity has a key for a figure, for looking at things or for legs that stand on the ground by IK.
static const md5_figure_def *explain_figure_keys(tool_game *opened, const md5_entity_def *def,
                                                 bool *is_any, md5_error *problem)
{
    static const char *const keys[] = {"look_joint", "ik_numLegs", "articulatedFigure", "ragdoll"};
    const md5_figure_def *figure = NULL;
    for (size_t i = 0; i < COMMON_LENGTH(keys); i++) {
        const md5_entity_key *const key = md5_entity_def_next_key(def, keys[i], NULL);
        *is_any |= key != NULL;
        if (i < 2 || !key || !key->value[0])
            continue;
        print_needed_decl(opened, "figure", MD5_DECL_ARTICULATED_FIGURE, key->value);
        figure = md5_game_figure_def(opened->game, key->value, problem);
    }
    return figure;
}

// Properties of a character that the engine creates from an entity.
typedef struct character_info {
    float mass;        // of its articulated figure
    uint32_t num_legs; // legs with IK
} character_info;

// Creates the character that the engine creates from an entity: its parts, its figure, which may be
// NULL, and what its keys for looking and IK describe. Stores the problems as warnings of the game.
static character_info evaluate_character(tool_game *opened, const md5_entity_def *def,
                                         const md5_figure_def *figure, md5_error problem)
{
    const md5_load_opts opts = load_options(opened);
    character_info info = {0};
    md5_entity *const entity = md5_load_entity(opened->game, def->decl->name, &opts, &problem);
    md5_monster_desc desc = {.entity = entity};
    if (entity)
        desc.body = md5_create_actor(entity, NULL, &problem);
    if (entity && entity->num_parts > 0 && strcmp(entity->parts[0].key, "def_head") == 0)
        desc.head = md5_create_actor(entity->parts[0].entity, NULL, &problem);
    md5_figure *const made =
        entity && figure ? md5_create_figure(figure, entity, &opts, &problem) : NULL;
    md5_monster *const monster = desc.body ? md5_create_monster(&desc, &opts, &problem) : NULL;
    for (uint32_t i = 0; made && i < made->num_bodies; i++)
        info.mass += made->bodies[i].mass;
    info.num_legs = monster ? md5_monster_state(monster).num_legs : 0;
    if (problem.status != MD5_OK)
        store_note(opened, &problem);
    md5_free_figure(made);
    md5_destroy_monster(monster);
    md5_destroy_actor(desc.head);
    md5_destroy_actor(desc.body);
    md5_free_entity(entity);
    return info;
}

// Counts the functions of a script that only return 0; md5_load_opts.warn. `user` is the counter.
static void count_stub(void *user, const md5_error *warning)
{
    *(size_t *)user += common_has_suffix(warning->message, "it returns 0");
}

// Returns false if the scripts of the game do not have an object, and writes the reason. Games
// without scripts are not checked. `num_stubs` receives the number of functions that the object
// calls and that only return 0.
static bool has_script_object(tool_game *opened, const char *object, size_t *num_stubs,
                              md5_error *reason)
{
    static const char path[] = "script/doom_main.script";
    *num_stubs = 0;
    if (md5_game_find_file(opened->game, path, 0) == MD5_NONE)
        return true;
    const md5_load_opts opts = {.files = md5_game_files(opened->game),
                                .warn = count_stub,
                                .warn_user = num_stubs,
                                .max_warnings = UINT32_MAX};
    md5_script *const script = md5_load_script(path, object, NULL, &opts, reason);
    md5_free_script(script);
    return script;
}

// Prints the script object of an entity, and the number of its functions that do nothing.
static void explain_script(tool_game *opened, const md5_entity_def *def)
{
    const char *const object = md5_entity_def_value(def, "scriptobject");
    size_t num_stubs = 0;
    md5_error reason = {0};
    if (!object || !object[0])
        return;
    if (!has_script_object(opened, object, &num_stubs, &reason)) {
        store_note(opened, &reason);
        SAY(opened, "  %s: %s: missing or invalid\n",
            "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", "script object", object);
        print_problems(opened);
        opened->has_missing = true;
    } else {
        SAY(opened, "  script object: %s, %zu functions of the game's world return 0\n",
            "{\"kind\":\"script\",\"name\":%s,\"stubs\":%zu}\n", object, num_stubs);
    }
}

// Prints the figure, the mass and the legs of an entity, and the problems in their keys.
static void explain_character(tool_game *opened, const md5_entity_def *def)
{
    md5_error problem = {0};
    bool is_any = false;
    const md5_figure_def *const figure = explain_figure_keys(opened, def, &is_any, &problem);
    if (!is_any)
        return;
    const character_info info = evaluate_character(opened, def, figure, problem);
    SAY(opened, "  mass: %g, legs with IK: %u\n", "{\"kind\":\"mass\",\"value\":%g,\"legs\":%u}\n",
        info.mass, info.num_legs);
    print_problems(opened);
}

// Prints all keys of an entity, and the declarations and files that they name.
static bool explain_entity(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    static const struct {
        const char *key;
        md5_decl_type type;
    } parts[] = {{"def_head", MD5_DECL_MODEL}, {"def_attach", MD5_DECL_ENTITY}};
    const md5_entity_def *const entity = md5_game_entity_def(opened->game, decl->name, error);
    if (!entity)
        return false;
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        const md5_entity_key *const key = &entity->keys[i];
        const bool is_inherited = key->decl != entity->decl;
        if (is_inherited)
            SAY(opened, "  key: %s = %s, inherited from %s\n",
                "{\"kind\":\"key\",\"name\":%s,\"value\":%s,\"from\":%s}\n", key->name, key->value,
                key->decl->name);
        else
            SAY(opened, "  key: %s = %s\n", "{\"kind\":\"key\",\"name\":%s,\"value\":%s}\n",
                key->name, key->value);
    }
    // The model is a declaration or a file.
    const char *const model = md5_entity_def_value(entity, "model");
    const char *const skin = md5_entity_def_value(entity, "skin");
    if (model && md5_find_decl(opened->game, MD5_DECL_MODEL, model))
        print_needed_decl(opened, "model", MD5_DECL_MODEL, model);
    else if (model && model[0])
        print_file(opened, "model", model, 0);
    if (skin)
        print_needed_decl(opened, "skin", MD5_DECL_SKIN, skin);
    for (size_t i = 0; i < COMMON_LENGTH(parts); i++)
        for (const md5_entity_key *key = NULL;
             (key = md5_entity_def_next_key(entity, parts[i].key, key)) != NULL;)
            print_needed_decl(opened, key->name, parts[i].type, key->value);
    explain_character(opened, entity);
    explain_script(opened, entity);
    return true;
}

// Prints the replacements of a skin.
static bool explain_skin(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(opened->game, decl->name, error);
    for (uint32_t i = 0; skin && i < skin->num_replacements; i++) {
        SAY(opened, "  replaces: %s\n", "{\"kind\":\"replaces\",\"name\":%s}\n",
            skin->replacements[i].from ? skin->replacements[i].from : "every material");
        print_needed_decl(opened, "  by", MD5_DECL_MATERIAL, skin->replacements[i].to);
        print_undrawn(opened, skin->replacements[i].to);
    }
    return true;
}

// Prints the images of a material.
static bool explain_material(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_material *const material = md5_game_material(opened->game, decl->name, error);
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_image_program *const image = &material->stages[i].image;
        for (uint32_t k = 0; k < image->num_steps; k++) {
            if (image->steps[k].kind == MD5_IMAGE_FILE && !material->stages[i].cube)
                print_image(opened, image->steps[k].file);
        }
    }
    print_undrawn(opened, decl->name);
    return true;
}

// Prints the number of values of a table.
static bool explain_table(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_table *const table = md5_game_table(opened->game, decl->name, error);
    if (table)
        SAY(opened, "  values: %u\n", "{\"kind\":\"values\",\"count\":%u}\n", table->num_values);
    return true;
}

// == parse ========================================================================================

// Prints the start of an object: the name, location and state of a declaration.
static void print_decl(const tool_game *opened, const md5_decl *decl)
{
    const char *const file = decl->file ? decl->file : "<implicit file>";
    const char *const state = decl->state == MD5_DECL_PARSED ? "parsed" : "default";
    common_print_json("{%s:%s,\"file\":%s,\"line\":%u,\"state\":%s", opened->kind, decl->name, file,
                      decl->line, state);
}

// -- Materials ------------------------------------------------------------------------------------

// Prints the registers of a stage at one time: its condition, color, alpha test and matrix.
static void print_stage_at(const md5_material *material, const md5_stage *stage, const char *key,
                           const md5_material_input *input)
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
        for (int i = 0; i < 6; i++) {
            const float value = registers[stage->matrix[i / 3][i % 3]];
            common_print_json(i == 0 ? ",\"m\":[%g" : ",%g", value);
        }
        putchar(']');
    }
    putchar('}');
}

// Returns true if the engine finds all files of an image. Built-in images always exist.
static bool has_image_files(const tool_game *opened, const md5_image_program *image)
{
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_step *const step = &image->steps[i];
        const bool is_file = step->kind == MD5_IMAGE_FILE && step->file[0] != '_';
        if (is_file && !md5_game_image_file(opened->game, step->file))
            return false;
    }
    return image->num_steps > 0;
}

// Prints a material as the engine interprets it. A GUI sets the sort of each material that it draws
// with, including those of the cursor and the scroll bars, whatever the material says.
static bool print_material_result(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_material *const material = md5_game_material(opened->game, decl->name, error);
    if (!material)
        return false;
    print_decl(opened, material->decl);
    common_print_json(",\"coverage\":%d,\"sort\":%g,\"cull\":%d,\"backsides\":%d,\"deform\":%d,"
                      "\"noshadows\":%d,\"noselfshadow\":%d,\"unsmoothed\":%d,\"polyoff\":%g,"
                      "\"stages\":[",
                      (int)material->coverage, opened->is_of_gui ? -2 : material->sort,
                      (int)material->cull, material->creates_back_sides, (int)material->deform,
                      material->no_shadows, material->no_self_shadow, material->unsmoothed_tangents,
                      material->polygon_offset);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        static const md5_material_input t0 = {.time = 1, .parms = {1, 1, 1, 1}};
        static const md5_material_input t1 = {
            .time = 1.375f,
            .parms = {1, 1, 1, 1, 0.25f, 0.5f, 0, 0.75f},
        };
        // An image without all of its files is replaced with one that repeats.
        const bool is_found = has_image_files(opened, &stage->image);
        fputs(i > 0 ? "," : "", stdout);
        common_print_json("{\"light\":%d,\"bits\":%g,\"image\":%s,\"repeat\":%d,\"texgen\":%d,"
                          "\"vcol\":%d,\"program\":%d,\"dyn\":%d",
                          (int)stage->light, (double)stage->bits, stage->image.text,
                          is_found ? (int)stage->repeat : 0, (int)stage->texgen,
                          (int)stage->vertex_color,
                          stage->program.vertex || stage->program.fragment, (int)stage->dynamic);
        print_stage_at(material, stage, "t0", &t0);
        print_stage_at(material, stage, "t1", &t1);
        putchar('}');
    }
    puts("]}");
    return true;
}

// -- Skins and models -----------------------------------------------------------------------------

// Prints the rows of a skin in their order, which decides; "*" stands for every material.
static bool print_skin_result(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(opened->game, decl->name, error);
    if (!skin)
        return false;
    print_decl(opened, skin->decl);
    fputs(",\"models\":[", stdout);
    for (uint32_t i = 0; i < skin->num_models; i++)
        common_print_json(i > 0 ? ",%s" : "%s", skin->models[i]);
    fputs("],\"map\":[", stdout);
    for (uint32_t i = 0; i < skin->num_replacements; i++) {
        const char *const from = skin->replacements[i].from ? skin->replacements[i].from : "*";
        common_print_json(i > 0 ? ",[%s,%s]" : "[%s,%s]", from, skin->replacements[i].to);
    }
    puts("]}");
    return true;
}

// Prints a model as the engine interprets it. Models print what they inherit too, so a long chain
// of models would print very many animations: opened->left is the number of animations and commands
// that may still be printed.
static bool print_model_result(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, error);
    if (!model && error->status != MD5_OK && error->status != MD5_ERROR_RANGE) {
        error->file[0] = '\0';
        return false;
    }
    if (!model) // without an error there is no such model
        return convert_fail(error, MD5_ERROR_RANGE, "", "unknown model '%.100s'", decl->name);
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const size_t size = 1 + (size_t)md5_model_def_anim(model, i)->num_commands;
        if (size > opened->left)
            return convert_fail(
                error, MD5_ERROR_RANGE, "",
                "too many animations and frame commands: models from '%.100s' on are not printed",
                decl->name);
        opened->left -= size;
    }
    print_decl(opened, model->decl);
    common_print_json(",\"mesh\":%s,\"skin\":%s,\"offset\":[%g,%g,%g],\"joints\":%u", model->mesh,
                      model->skin, model->offset.x, model->offset.y, model->offset.z,
                      model->num_joints);
    static const char *const names[MD5_NUM_CHANNELS] = {"all", "torso", "legs", "head", "eyelids"};
    for (int i = MD5_CHANNEL_TORSO; i < MD5_NUM_CHANNELS; i++) {
        const md5_model_channel *const channel = &model->channels[i];
        printf("%s\"%s\":[", i > MD5_CHANNEL_TORSO ? "," : ",\"channels\":{", names[i]);
        for (uint32_t j = 0; j < channel->num_joints; j++)
            printf("%s%u", j > 0 ? "," : "", channel->joints[j]);
        putchar(']');
    }
    fputs("},\"anims\":[", stdout);
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        fputs(i > 0 ? "," : "", stdout);
        common_print_json("{\"name\":%s,\"alias\":%s,\"files\":[", anim->name, anim->alias);
        for (uint32_t k = 0; k < anim->num_files; k++)
            common_print_json(k > 0 ? ",%s" : "%s", anim->files[k]);
        printf("],\"ms\":%u,\"frames\":%u,\"flags\":%u,\"cmds\":[", anim->milliseconds,
               anim->num_frames, anim->flags);
        for (uint32_t k = 0; k < anim->num_commands; k++) {
            const md5_frame_command *const command = &anim->commands[k];
            common_print_json(k > 0 ? ",[%u,%d,%s]" : "[%u,%d,%s]", command->frame,
                              (int)command->code, command->text);
        }
        fputs("]}", stdout);
    }
    puts("]}");
    return true;
}

// == Commands =====================================================================================

// The functions for each type of declaration and for the clips of models, in the order of lists.
static const struct decl_kind {
    const char *name;
    const char *plural;
    md5_decl_type type;
    visit_fn *list;
    const char *ending; // the extension of files that are listed too
    visit_fn *explain;
    visit_fn *print_result;
    bool is_of_gui;
} kinds[] = {
    {
        .name = "model",
        .plural = "models",
        .type = MD5_DECL_MODEL,
        .list = list_decl,
        .ending = ".md5mesh",
        .explain = explain_model,
        .print_result = print_model_result,
    },
    {
        .name = "entity",
        .plural = "entities",
        .type = MD5_DECL_ENTITY,
        .list = list_decl,
        .explain = explain_entity,
    },
    {
        .name = "skin",
        .plural = "skins",
        .type = MD5_DECL_SKIN,
        .list = list_decl,
        .explain = explain_skin,
        .print_result = print_skin_result,
    },
    {
        .name = "clip",
        .plural = "clips",
        .type = MD5_DECL_MODEL,
        .list = list_clips,
        .ending = ".md5anim",
    },
    {
        .name = "material",
        .plural = "materials",
        .type = MD5_DECL_MATERIAL,
        .list = list_decl,
        .explain = explain_material,
        .print_result = print_material_result,
    },
    {
        .name = "material",
        .plural = "gui-materials",
        .type = MD5_DECL_MATERIAL,
        .print_result = print_material_result,
        .is_of_gui = true,
    },
    {
        .name = "table",
        .plural = "tables",
        .type = MD5_DECL_TABLE,
        .explain = explain_table,
    },
    {
        .name = "figure",
        .plural = "figures",
        .type = MD5_DECL_ARTICULATED_FIGURE,
        .explain = explain_figure,
    },
};
enum { NUM_KINDS = COMMON_LENGTH(kinds) };

// Returns the index of the kind with a name, or NUM_KINDS.
static int find_kind(const char *word)
{
    int kind = 0;
    while (kind < NUM_KINDS && strcmp(word, kinds[kind].plural) != 0)
        kind++;
    return kind;
}

// Moves DIR from the words to the folder. Without --base the first word is DIR; with it, DIR is
// given if there are more than `max_others` words. Returns an exit status, and prints an error if
// there is no folder.
static int read_folder(tool_arguments *arguments, int max_others)
{
    if (arguments->num_words > 0 && (!arguments->base || arguments->num_words > max_others)) {
        arguments->folder = *arguments->words++;
        arguments->num_words--;
    }
    if (!arguments->folder && !arguments->base)
        return tool_usage(arguments->command, "missing folder");
    return TOOL_OK;
}

// Prints the files with the ending of a kind that no model names.
static void list_unused_files(tool_game *game, const char *ending)
{
    const common_list *const used = &game->used;
    common_sort(used->names, used->count, sizeof *used->names, common_order_by_case);
    const size_t count = md5_game_num_files(game->game);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(game->game, i);
        if (!common_has_suffix(name, ending))
            continue;
        const bool is_used =
            used->count > 0
            && bsearch(&name, used->names, used->count, sizeof name, common_order_by_case);
        if (!is_used)
            print_line(game, NULL, name, NULL, 0);
    }
}

// Prints the names of all files.
static void list_files(tool_game *game)
{
    const size_t count = md5_game_num_files(game->game);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(game->game, i);
        game->is_found = true;
        if (game->is_json)
            common_print_json(i == 0 ? "[%s" : ",\n%s", name);
        else
            common_print(stdout, "%s\n", name);
    }
    if (game->is_json)
        puts(count > 0 ? "]" : "[]");
}

// The words of the command list.
typedef struct list_choice {
    bool selected[NUM_KINDS];
    bool is_all; // no kind was given
    bool has_files;
} list_choice;

// Reads the kinds. Returns an exit status, and prints an error for an unknown kind.
static int read_list_choice(tool_arguments *arguments, list_choice *choice)
{
    for (int i = 0; i < arguments->num_words; i++) {
        const char *const word = arguments->words[i];
        const int kind = find_kind(word);
        const bool is_file = strcmp(word, "files") == 0;
        if (is_file) {
            choice->has_files = true;
            choice->is_all = false;
        } else if (kind < NUM_KINDS && kinds[kind].list) {
            choice->selected[kind] = true;
            choice->is_all = false;
        } else if (i == 0 && !arguments->folder) { // with --base the first word may be DIR
            arguments->folder = word;
        } else {
            return tool_usage("list",
                              "unknown kind '%s': expected models, entities, skins, clips, "
                              "materials or files",
                              word);
        }
    }
    return TOOL_OK;
}

// Prints the selected kinds of an opened game. Returns an exit status. The command fails if clips
// were left out or a model cannot be read.
static int list_game(tool_game *game, const list_choice *choice)
{
    md5_error error = {0};
    int status = TOOL_OK;
    const uint32_t num_unread = md5_game_num_unread(game->game);
    if (num_unread > 0)
        fprintf(stderr,
                "md5tool: %u declaration files cannot be read; use md5tool check to list the "
                "errors\n",
                num_unread);
    for (int i = 0; i < NUM_KINDS && status == TOOL_OK; i++) {
        const bool is_selected = choice->selected[i] || choice->is_all;
        if (!kinds[i].list || !is_selected)
            continue;
        game->kind = kinds[i].name;
        status = tool_end(walk_decls(game, kinds[i].type, kinds[i].list, &error), &error);
        if (status == TOOL_OK && kinds[i].ending && !game->is_cut)
            list_unused_files(game, kinds[i].ending);
    }
    if (choice->has_files)
        list_files(game);
    if (!game->is_found)
        tool_name_other(&game->places);
    if (game->is_cut || (game->places.num_unread > 0 && !game->is_found))
        status = TOOL_BAD_FILE;
    return status;
}

// Runs the command list.
static int list(tool_arguments *arguments)
{
    tool_game game;
    list_choice choice = {.is_all = true};
    int status = read_folder(arguments, NUM_KINDS + 1);
    if (status == TOOL_OK)
        status = read_list_choice(arguments, &choice);
    if (status != TOOL_OK)
        return status;
    status = open_game(arguments, true, &game);
    game.is_json = arguments->is_json;
    if (status == TOOL_OK)
        status = list_game(&game, &choice);
    close_game(&game);
    return status;
}

const tool_command tool_list = {
    "list",
    list,
    0,
    INT_MAX,
    "folder",
    "usage: md5tool list DIR [KIND...]\n"
    "\n"
    "Lists the contents of a game folder: models, entities, skins, clips and materials, or only\n"
    "the given KINDs. Models and clips include .md5mesh and .md5anim files that no declaration\n"
    "uses, so folders without declarations can be listed, too. Each line has the kind, the name\n"
    "(of clips: model and clip) and file:line of the declaration. KIND files lists the names of\n"
    "all files; with --json as one array, as the element <md5-model> reads it.\n"
    "\n"
    "  --base DIR          the base game folder that DIR extends\n"
    "  --mod DIR           a mod folder, whose files override those of DIR\n"
    "  --json              print one JSON object per line\n"};

// Prints a reason; tool_game_check.print. `user` is the game.
static void print_reason(void *user, const md5_diagnostic *found)
{
    char text[TOOL_MESSAGE];
    md5_format_error(&found->error, text, sizeof text);
    if (!found->is_silent)
        SAY((const tool_game *)user, found->rule[0] ? "    %s [%s] %s\n" : "    %s\n",
            "{\"kind\":\"warning\",\"message\":%s,\"rule\":%s,\"engines\":%s}\n", text, found->rule,
            found->engines);
}

static void begin_check(tool_game *opened, tool_game_check *check);

// Prints all declarations of a name, of all types. Returns an exit status.
static int explain_decls(tool_game *game, const char *name)
{
    md5_error error = {0};
    int status = TOOL_OK;
    for (int i = 0; i < NUM_KINDS && status == TOOL_OK; i++) {
        const md5_decl *const decl = md5_find_decl(game->game, kinds[i].type, name);
        if (!kinds[i].explain || !decl || !decl->file)
            continue;
        game->is_found = true;
        SAY(game, "%s %s\n", "{\"kind\":%s,\"name\":%s}\n", kinds[i].name, decl->name);
        print_file(game, "declared", decl->file, decl->keyword_line);
        for (const md5_decl *hidden = decl->hidden; hidden; hidden = hidden->hidden)
            print_file(game, "overrides declaration", hidden->file, hidden->keyword_line);
        const md5_decl named = {.type = kinds[i].type, .name = name};
        if (print_modes(game, &named, &error))
            kinds[i].explain(game, &named, &error);
        status = tool_end(error.status == MD5_OK, &error);
    }
    return status;
}

// Prints the file with a name, or the image file of an image name.
static void explain_file(tool_game *game, const char *name)
{
    const bool is_file = md5_game_find_file(game->game, name, 0) != MD5_NONE;
    const char *const file = is_file ? name : md5_game_image_file(game->game, name);
    if (!file)
        return;
    game->is_found = true;
    SAY(game, "file\n", "{\"kind\":\"path\"}\n");
    print_file(game, "is", file, 0);
    for (int i = 0; i < 2; i++) { // first next to the file, then in its folder md5
        char *const mesh = tool_find_beside(game->game, file, i ? "md5/" : "", ".md5mesh");
        if (mesh)
            print_replaced(game, mesh);
        free(mesh);
    }
    if (common_has_suffix(file, ".md5mesh"))
        print_mesh_materials(game, file);
}

// Prints that no asset has a name, and a similar name.
static void print_not_found(tool_game *game, const char *name)
{
    const char *near = NULL;
    for (int i = 0; i < NUM_KINDS && !near; i++)
        near = find_near_decl(game, kinds[i].type, name);
    if (near)
        SAY(game, "no asset has the name %s: did you mean '%s'?\n",
            "{\"kind\":\"nothing\",\"name\":%s,\"near\":%s}\n", name, near);
    else
        SAY(game, "no asset has the name %s\n", "{\"kind\":\"nothing\",\"name\":%s}\n", name);
}

// Prints all assets with a name. Returns an exit status.
static int explain_name(tool_game *game, const char *name)
{
    const int status = explain_decls(game, name);
    if (status != TOOL_OK)
        return status;
    explain_file(game, name);
    if (!game->is_found)
        print_not_found(game, name);
    if (!game->is_found || game->has_missing) {
        fputs(game->is_json ? "" : "searched locations, in order:\n", stdout);
        for (size_t i = 0; i < game->places.list.count; i++)
            SAY(game, "  %s\n", "{\"kind\":\"searched\",\"location\":%s}\n",
                game->places.list.titles[i]);
    }
    return game->is_found ? TOOL_OK : TOOL_BAD_FILE;
}

// Runs the command explain.
static int explain(tool_arguments *arguments)
{
    tool_game game;
    tool_game_check check = {.print = print_reason, .user = &game, .asked = arguments->asked};
    int status = read_folder(arguments, 1);
    if (status != TOOL_OK)
        return status;
    if (arguments->num_words > 1)
        return tool_usage("explain", "too many arguments: expected one name");
    const char *name = arguments->num_words > 0 ? arguments->words[0] : NULL;
    if (name && !arguments->folder && common_contains_files(name)) { // a folder with --base
        arguments->folder = name;
        name = NULL;
    }
    status = open_game(arguments, true, &game);
    game.is_json = arguments->is_json;
    if (status == TOOL_OK)
        begin_check(&game, &check);
    if (status == TOOL_OK && name)
        status = explain_name(&game, name);
    else if (status == TOOL_OK)
        print_mounted(&game);
    close_game(&game);
    return status;
}

const tool_command tool_explain = {
    "explain",
    explain,
    0,
    INT_MAX,
    "folder",
    "usage: md5tool explain DIR [NAME] [OPTION...]\n"
    "\n"
    "Without NAME, prints the folders and archives of a game in search order, as the engine uses\n"
    "them (Quake: numbered .pak files before the folder; Doom 3: the folder before its .pk4\n"
    "archives by name), which files override others, and which meshes replace an .mdl or .md2.\n"
    "With NAME, prints every asset of this name: entity, model, skin, material, table, figure or\n"
    "file. For each: file and line of the declaration and its folder or archive; the declarations\n"
    "that it overrides; the files that it uses, and the search order if one is missing; the "
    "results\n"
    "of the engine's and of the lenient parser, with their warnings; for meshes, problems that\n"
    "prevent images from being shown. The exit status is 1 if no asset has this name.\n"
    "\n"
    "  --for ENGINE        for meshes: report the problems in this engine; may be repeated\n"
    "  --base DIR          the base game folder that DIR extends\n"
    "  --mod DIR           a mod folder, whose files override those of DIR\n"
    "  --json              print one JSON object per line, with its kind: the asset's type, file,\n"
    "                      hidden, missing, needs, result, warning, clip, key, searched, ...\n"};

// Runs the command parse.
static int parse_declarations(tool_arguments *arguments)
{
    tool_game opened;
    int status = read_folder(arguments, INT_MAX);
    if (status != TOOL_OK)
        return status;
    if (!arguments->base)
        return tool_usage("parse", "missing --base DIR");
    const char expected[] = "expected materials, gui-materials, skins or models";
    if (arguments->num_words == 0)
        return tool_usage("parse", "missing kind: %s", expected);
    const int kind = find_kind(arguments->words[0]);
    if (kind == NUM_KINDS || !kinds[kind].print_result)
        return tool_usage("parse", "unknown kind '%s': %s", arguments->words[0], expected);
    status = open_game(arguments, false, &opened);
    if (status == TOOL_OK) {
        md5_error error = {0};
        opened.kind = kinds[kind].name;
        opened.is_of_gui = kinds[kind].is_of_gui;
        opened.left = 1 << 18;
        bool is_printed = md5_game_set_parse_mode(opened.game, MD5_PARSE_ENGINE, &error);
        for (int i = 1; i < arguments->num_words && is_printed; i++)
            is_printed =
                kinds[kind].print_result(&opened, &(md5_decl){.name = arguments->words[i]}, &error);
        if (arguments->num_words == 1 && is_printed)
            is_printed = walk_decls(&opened, kinds[kind].type, kinds[kind].print_result, &error);
        status = tool_end(is_printed, &error);
    }
    close_game(&opened);
    return status;
}

const tool_command tool_parse = {
    "parse",
    parse_declarations,
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

// == check ========================================================================================

// Prepares a check. If there are declarations and no engines are asked, the engines with such games
// are.
static void begin_check(tool_game *opened, tool_game_check *check)
{
    static const char *const engines[] = {"doom3", "darkmod", "quake4"};
    const uint32_t num_materials = md5_game_num_decls(opened->game, MD5_DECL_MATERIAL);
    opened->check = check;
    opened->is_on_surface = common_alloc(num_materials + (size_t)1, sizeof *opened->is_on_surface);
    opened->num_refused_models = md5_game_num_decls(opened->game, MD5_DECL_MODEL);
    opened->refused_models =
        common_alloc(opened->num_refused_models + 1, sizeof *opened->refused_models);
    for (int i = 0; i < MD5_NUM_DECL_TYPES; i++)
        check->has_decls |= md5_game_num_decls(opened->game, (md5_decl_type)i) > 0;
    const bool is_asked = check->asked.all != 0 || !check->has_decls;
    if (!is_asked) {
        for (int i = 0; i < 3; i++)
            check->asked.sure = check->asked.all |= md5_find_engines(engines[i]);
    }
}

// Prints an error or warning.
static void print_diagnostic(tool_game *opened, const md5_diagnostic *found)
{
    opened->check->places = opened->places; // the game may have been opened again
    opened->check->print(opened->check->user, found);
}

// Returns true if a warning is about a keyword of another engine, which is the only asked engine.
static bool is_own_word(md5_engines asked, const char *note)
{
    static const struct {
        const char *ending;
        const char *engine;
    } words[] = {{"a keyword of The Dark Mod, skipped", "darkmod"},
                 {"a keyword of Quake 4, skipped", "quake4"},
                 {"a keyword of RBDOOM, skipped", "rbdoom"}};
    bool is_own = false;
    for (size_t i = 0; i < COMMON_LENGTH(words); i++)
        is_own |= asked.all == md5_find_engines(words[i].engine)
                  && common_has_suffix(note, words[i].ending);
    return is_own;
}

// Prints the errors and warnings of a file, sorted by location, and clears them.
static void print_diagnostics(tool_game *opened, md5_check *facts)
{
    size_t count = 0;
    const md5_diagnostic *const found = facts ? tool_diagnostics(facts, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        print_diagnostic(opened, &found[i]);
    if (facts)
        facts->num_diagnostics = 0;
}

// Returns the location of a warning.
static char *format_location(const char *file, uint32_t line, uint32_t column)
{
    return common_format("%s:%u:%u", file, line, column);
}

// Returns true if an error at the location of a warning was printed, which has the same cause.
static bool is_refusal(const tool_game *opened, const md5_error *note)
{
    if (!opened->hides_refusals || opened->refusals.count == 0)
        return false;
    char *const location = format_location(note->file, note->line, note->column);
    const bool is_found = bsearch(&location, opened->refusals.names, opened->refusals.count,
                                  sizeof location, common_order_by_text)
                          != NULL;
    free(location);
    return is_found;
}

// Counts a warning about a missing model or clip if it was stored before, and otherwise stores it,
// because hundreds of entities of a mod may name the same file. Returns false for other warnings.
static bool count_missing_file(tool_game *opened, const md5_error *note)
{
    enum { MAX_MISSING = 10000 };
    const bool is_missing = strstr(note->message, "unknown model ")
                            || common_has_suffix(note->message, "expected a readable file");
    const bool is_full = opened->missing_texts.count == MAX_MISSING;
    if (!is_missing || (is_full && !common_has_text(&opened->missing_texts, note->message)))
        return false;
    const size_t count = opened->missing_texts.count;
    const size_t index =
        common_index_text(&opened->missing_texts, note->message, strlen(note->message));
    if (index == count) {
        opened->missing = common_grow(opened->missing, count, sizeof *opened->missing);
        opened->missing[index] = (md5_diagnostic){.error = *note};
    }
    opened->missing[index].count++;
    return true;
}

static void print_missing_files(tool_game *opened)
{
    for (size_t i = 0; i < opened->missing_texts.count; i++)
        print_diagnostic(opened, &opened->missing[i]);
}

// Prints the stored warnings and clears them.
static void print_notes(tool_game *opened)
{
    for (size_t i = 0; i < opened->num_notes; i++) {
        const md5_error *const note = &opened->notes[i];
        const bool is_hidden =
            is_own_word(opened->check->asked, note->message) || is_refusal(opened, note);
        if (!is_hidden && !count_missing_file(opened, note))
            print_diagnostic(opened, &(md5_diagnostic){.error = *note, .count = 1});
    }
    if (opened->num_left_out > 0) {
        md5_diagnostic more = {.error = {.status = MD5_WARNING}, .count = 1};
        snprintf(more.error.message, sizeof more.error.message, "%zu further warnings suppressed",
                 opened->num_left_out);
        print_diagnostic(opened, &more);
    }
    clear_notes(opened);
}

// Prints that a file breaks a rule.
static void print_broken(tool_game *opened, const char *file, text_place at, const char *rule,
                         const char *format, ...)
{
    va_list values;
    va_start(values, format);
    md5_check *const check = tool_check_text(file, NULL, 0, opened->check->asked);
    tool_add_diagnostic(check, rule, at, format, values);
    print_diagnostic(opened, check->diagnostics);
    md5_free_check(check);
    va_end(values);
}

// Returns true if a name is declared. A material may also be an image, which is drawn as it is.
static bool exists(const tool_game *opened, md5_decl_type type, const char *name)
{
    const md5_decl *const decl = md5_find_decl(opened->game, type, name);
    if (decl && decl->file)
        return true;
    return type == MD5_DECL_MATERIAL && has_image(opened, name);
}

// Prints that a material does not exist, and the most similar material or else the most similar
// image. After many comparisons no similar name is searched.
static void print_no_material(tool_game *opened, const char *file, text_place at, const char *name)
{
    const char *const decl = find_near_decl(opened, MD5_DECL_MATERIAL, name);
    char *const nearest =
        decl ? common_copy(decl) : tool_near_image(opened->game, name, &opened->work);
    print_broken(opened, file, at, "no-material",
                 nearest ? "no material '%.150s': did you mean '%.150s'?" : "no material '%.150s'",
                 name, nearest);
    free(nearest);
}

// Prints which materials of the meshes in a file do not exist, marks the others, and stores the
// images that are used as materials.
static void judge_surfaces(tool_game *opened, const md5_check *facts)
{
    for (uint32_t i = 0; i < facts->num_shaders; i++) {
        md5_check_shader *const shader = &facts->shaders[i];
        const md5_decl *const decl = md5_find_decl(opened->game, MD5_DECL_MATERIAL, shader->name);
        const char *const image = md5_game_image_file(opened->game, shader->name);
        if (decl && decl->file)
            opened->is_on_surface[decl->index] = true;
        else if (image)
            common_add(&opened->seen, common_copy(image));
        else if (shader->name[0] && !common_is_absolute(shader->name)
                 && !exists(opened, MD5_DECL_MATERIAL, shader->name))
            print_no_material(opened, facts->file, (text_place){shader->line, shader->column},
                              shader->name);
    }
}

// Checks a model or clip of the game and stores the results for comparisons. Prints the warnings
// and the error of reading it, and then the results.
static void judge_file(tool_game *opened, const char *name, const md5_model *model,
                       const md5_error *reason)
{
    md5_check *const facts = tool_check_file(opened->game, name, opened->check->asked);
    if (facts && model)
        md5_check_model(facts, model);
    const size_t num_notes = opened->num_notes;
    opened->num_notes = 0;
    for (size_t i = 0; i < num_notes; i++)
        if (!tool_is_judged(facts, &opened->notes[i]))
            opened->notes[opened->num_notes++] = opened->notes[i];
    print_notes(opened);
    if (reason->status != MD5_OK && !tool_is_judged(facts, reason))
        print_diagnostic(opened, &(md5_diagnostic){.error = *reason, .count = 1});
    print_diagnostics(opened, facts);
    if (facts) {
        judge_surfaces(opened, facts);
        opened->files = common_grow(opened->files, opened->num_files, sizeof *opened->files);
        opened->files[opened->num_files++] = (judged_file){.check = facts};
    }
}

static int compare_files(const void *a, const void *b)
{
    return common_compare_case(((const judged_file *)a)->check->file,
                               ((const judged_file *)b)->check->file);
}

// Returns the results of a file, or NULL if the game has no such file.
static judged_file *find_file(const tool_game *opened, const char *name)
{
    md5_check check = {.file = name};
    const judged_file key = {.check = &check};
    return opened->num_files > 0 ? bsearch(&key, opened->files, opened->num_files,
                                           sizeof *opened->files, compare_files)
                                 : NULL;
}

// Loads a clip that has not been checked with a mesh, and checks its motion. The mesh is loaded for
// the first such clip. Returns false if the clip was checked before or cannot be loaded.
static bool judge_clip(judged_file *file, const char *name, const char *mesh, md5_model **model,
                       const md5_load_opts *opts)
{
    md5_error error = {0};
    if (file->is_seen)
        return false;
    if (!*model)
        *model = md5_load_model(mesh, opts, &error);
    md5_anim *const anim = *model ? md5_load_anim(name, opts, &error) : NULL;
    if (anim)
        tool_judge_motion(file->check, *model, anim);
    file->is_seen = anim != NULL;
    md5_free_anim(anim);
    return file->is_seen;
}

// Prints the results of engines for the clips of a model with its mesh. Each clip is loaded once,
// with the mesh of the first model that uses it.
static void judge_clips(tool_game *opened, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_load_opts opts = {.files = md5_game_files(opened->game),
                                .skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS
                                                 | MD5_GEOMETRY_LOSSES};
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, &error);
    const judged_file *const mesh = model && model->mesh ? find_file(opened, model->mesh) : NULL;
    md5_model *shape = NULL;
    md5_check **clips = NULL; // [num_clips] the results of the loaded clips
    size_t num_clips = 0;
    if (mesh) {
        for (uint32_t i = 0; i < model->num_anims; i++) {
            const md5_model_anim *const anims = md5_model_def_anim(model, i);
            for (uint32_t k = 0; k < anims->num_files; k++) {
                judged_file *const file = find_file(opened, anims->files[k]);
                if (!file)
                    continue;
                md5_check_pair(mesh->check, file->check);
                if (judge_clip(file, anims->files[k], model->mesh, &shape, &opts)) {
                    clips = common_grow(clips, num_clips, sizeof(md5_check *));
                    clips[num_clips++] = file->check;
                }
                print_diagnostics(opened, file->check);
            }
        }
    }
    md5_check_turns(clips, num_clips);
    for (size_t i = 0; i < num_clips; i++)
        print_diagnostics(opened, clips[i]);
    free(clips);
    md5_free_model(shape);
}

// Prints that an image of a material is missing, and a similar image.
static void print_no_image(tool_game *opened, const md5_decl *decl, const char *name)
{
    const text_place at = {decl->keyword_line, decl->keyword_column};
    char *const near = tool_near_image(opened->game, name, &opened->work);
    print_broken(opened, decl->file, at, "no-image",
                 near ? "'%.100s': no image '%.150s': did you mean '%.150s'?"
                      : "'%.100s': no image '%.150s'",
                 decl->name, name, near);
    free(near);
}

// Prints which images of a material are missing, and stores the others.
static void store_images(tool_game *opened, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_material *const material = md5_game_material(opened->game, decl->name, &error);
    const bool is_seen = opened->is_on_surface[decl->index];
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_image_program *const image = &material->stages[i].image;
        for (uint32_t k = 0; k < image->num_steps; k++) {
            if (image->steps[k].kind != MD5_IMAGE_FILE)
                continue;
            const char *const name = image->steps[k].file;
            const char *const file = md5_game_image_file(opened->game, name);
            if (!material->stages[i].cube && !has_image(opened, name))
                print_no_image(opened, decl, name);
            if (file)
                common_add(is_seen ? &opened->seen : &opened->images, common_copy(file));
        }
    }
}

// Decodes an image of a surface and adds an error if that fails. Images in .bmp files and in
// formats that this build does not read are skipped.
static void decode_surface_image(tool_game *opened, const char *name, md5_check *facts)
{
    md5_error error = {0};
    view_image image = {.rgba = NULL};
    size_t size = 0;
    char *const bytes = tool_read_file(opened->game, name, &size);
    if (bytes && !common_has_suffix(name, ".bmp")) {
        const bool is_decoded =
            view_decode_image((uint8_t *)bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error);
        if (!is_decoded && error.status != MD5_ERROR_IO)
            tool_found(facts, "no-image/unreadable", 0, "cannot read the image: %.250s",
                       error.message);
    }
    free(image.rgba);
    free(bytes);
}

// Checks each image of a list once, and decodes the images of surfaces.
static void judge_images(tool_game *opened, common_list *images)
{
    common_sort(images->names, images->count, sizeof *images->names, common_order_by_case);
    for (size_t i = 0; i < images->count; i++) {
        const char *const name = images->names[i];
        if (i > 0 && strcmp(name, images->names[i - 1]) == 0)
            continue;
        md5_check *const facts = tool_check_text(name, NULL, 0, opened->check->asked);
        tool_judge_image(opened->game, facts, name);
        if (images == &opened->seen)
            decode_surface_image(opened, name, facts);
        print_diagnostics(opened, facts);
        md5_free_check(facts);
    }
    common_free_list(images);
}

// Returns true if the name of a key begins with a text. Names are not case-sensitive.
static bool has_begin(const char *name, const char *begin)
{
    size_t same = 0;
    while (begin[same] && tolower((unsigned char)name[same]) == tolower((unsigned char)begin[same]))
        same++;
    return begin[same] == '\0';
}

// Returns true if an entity contains a key, without inherited keys, from which the engine creates a
// character. Its heirs have the same problems.
static bool changes_character(const md5_entity_def *def)
{
    static const char *const begins[] = {"model", "def_head",          "look_joint",
                                         "ik_",   "articulatedFigure", "ragdoll"};
    for (uint32_t i = 0; i < def->num_keys; i++) {
        if (def->keys[i].decl != def->decl)
            continue;
        for (size_t k = 0; k < COMMON_LENGTH(begins); k++)
            if (has_begin(def->keys[i].name, begins[k]))
                return true;
    }
    return false;
}

// Stores a warning about the value of a key. `reason` follows.
static void note_key(tool_game *opened, const md5_entity_key *key, md5_status status,
                     const char *reason)
{
    md5_error note = {.status = status, .line = key->line, .column = key->column};
    snprintf(note.message, sizeof note.message, "'%.60s': %.180s", key->name, reason);
    convert_name_file(&note, key->decl->file);
    store_note(opened, &note);
}

// Stores a warning if a joint in a key does not exist; name[length] is its name.
static void check_key_joint(tool_game *opened, const md5_model_def *model,
                            const md5_entity_key *key, const char *name, size_t length)
{
    const size_t num_joints = model ? model->num_joints : 0;
    bool is_found = num_joints == 0 || length == 0 || opened->work < num_joints;
    opened->work -= is_found ? 0 : num_joints;
    for (uint32_t j = 0; !is_found && j < model->num_joints; j++) {
        const char *const joint = model->joints[j].name;
        is_found = strlen(joint) == length && has_begin(name, joint);
    }
    if (is_found)
        return;
    char *const reason = common_format("joint '%.*s' not found in the model", (int)length, name);
    note_key(opened, key, MD5_WARNING, reason);
    free(reason);
}

// Checks the joints of a damage zone: names, each with the prefixes * (and all descendants) or -.
static void check_zone(tool_game *opened, const md5_model_def *model, const md5_entity_key *key)
{
    for (const char *at = key->value; *at;) {
        at += strspn(at, " \t*-");
        const size_t length = strcspn(at, " \t");
        check_key_joint(opened, model, key, at, length);
        at += length;
    }
}

// Checks that the declaration exists that a key names; name[length] is its name.
static void check_key_decl(tool_game *opened, const md5_entity_key *key, md5_decl_type type,
                           const char *kind, size_t length)
{
    char *const name = common_format("%.*s", (int)length, key->value);
    if (name[0] && !exists(opened, type, name)) {
        const char *const near = find_near_decl(opened, type, name);
        char *const reason =
            near ? common_format("no %s '%.60s': did you mean '%.60s'?", kind, name, near)
                 : common_format("no %s '%.100s'", kind, name);
        note_key(opened, key, MD5_WARNING, reason);
        free(reason);
    }
    free(name);
}

// Checks the keys of an entity, without inherited keys, that name dropped items, particles and the
// joints of damage zones.
static void check_other_keys(tool_game *opened, const md5_entity_def *def,
                             const md5_model_def *model)
{
    const bool has_particles = md5_game_num_decls(opened->game, MD5_DECL_PARTICLE) > 0;
    for (uint32_t i = 0; i < def->num_keys; i++) {
        const md5_entity_key *const key = &def->keys[i];
        if (key->decl != def->decl)
            continue;
        const size_t length = strlen(key->value);
        if (has_begin(key->name, "damage_zone")) {
            check_zone(opened, model, key);
        } else if (has_begin(key->name, "def_drop")) {
            check_key_decl(opened, key, MD5_DECL_ENTITY, "entityDef", length);
        } else if (has_begin(key->name, "smoke_") && has_particles) {
            const char *const dash = strrchr(key->value, '-'); // PARTICLE-JOINT
            const size_t end = dash ? (size_t)(dash - key->value) : length;
            check_key_decl(opened, key, MD5_DECL_PARTICLE, "particle", end);
            if (dash)
                check_key_joint(opened, model, key, dash + 1, strlen(dash + 1));
        }
    }
}

// Checks that the script object of an entity exists. Each object is compiled once. Inherited keys
// are reported at the parent.
static void check_script(tool_game *opened, const md5_entity_def *def)
{
    const md5_entity_key *const key = md5_entity_def_next_key(def, "scriptobject", NULL);
    size_t num_stubs = 0;
    md5_error reason = {0};
    if (!key || key->decl != def->decl || !key->value[0])
        return;
    for (size_t i = 0; i < opened->objects.count; i++)
        if (strcmp(opened->objects.names[i], key->value) == 0)
            return;
    common_add(&opened->objects, common_copy(key->value));
    if (!has_script_object(opened, key->value, &num_stubs, &reason))
        note_key(opened, key, MD5_ERROR_MISMATCH, reason.message);
}

// Returns true if a warning is about an inherited key. Such a warning is reported at the parent,
// unless the entity has another model.
static bool is_of_parent(tool_game *opened, const md5_entity_def *def, const md5_error *note)
{
    const md5_entity_key *const model = md5_entity_def_next_key(def, "model", NULL);
    if (!model || model->decl == def->decl || opened->work < def->num_keys)
        return false;
    opened->work -= def->num_keys;
    for (uint32_t i = 0; i < def->num_keys; i++) {
        const md5_entity_key *const key = &def->keys[i];
        const bool is_here = key->line == note->line && key->column == note->column;
        if (is_here && key->decl != def->decl && key->decl->file
            && strcmp(key->decl->file, note->file) == 0)
            return true;
    }
    return false;
}

// Removes the warnings from index `first` on that are reported at a parent, or whose location has
// another warning already.
static void drop_repeated_notes(tool_game *opened, const md5_entity_def *def, size_t first)
{
    size_t count = first < opened->num_notes ? first : opened->num_notes;
    for (size_t i = count; i < opened->num_notes; i++) {
        const md5_error *const note = &opened->notes[i];
        bool is_new = !is_of_parent(opened, def, note);
        for (size_t k = 0; k < first && is_new; k++)
            is_new = opened->notes[k].line != note->line || opened->notes[k].column != note->column
                     || strcmp(opened->notes[k].file, note->file) != 0;
        if (is_new)
            opened->notes[count++] = *note;
    }
    opened->num_notes = count;
}

// Returns true if the model of an entity was already reported as replaced by the default.
static bool has_refused_model(const tool_game *opened, const md5_entity_def *def)
{
    const char *const name = md5_entity_def_value(def, "model");
    const md5_decl *const decl = name ? md5_find_decl(opened->game, MD5_DECL_MODEL, name) : NULL;
    return decl && decl->file && opened->refused_models[decl->index].is_refused;
}

// Checks the figure, the legs, the joints and the script of an entity, as explain prints them.
static void check_character(tool_game *opened, const md5_entity_def *def)
{
    enum { MAX_CHARACTERS = 2000 };
    static const char *const keys[] = {"articulatedFigure", "ragdoll", "look_joint", "ik_numLegs"};
    const md5_figure_def *figure = NULL;
    bool is_character = false;
    md5_error problem = {0};
    check_script(opened, def);
    if (!changes_character(def))
        return;
    for (size_t i = 0; i < COMMON_LENGTH(keys); i++) {
        const md5_entity_key *const key = md5_entity_def_next_key(def, keys[i], NULL);
        is_character |= key != NULL;
        if (i >= 2 || !key || !key->value[0])
            continue;
        figure = md5_game_figure_def(opened->game, key->value, &problem);
        if (!exists(opened, MD5_DECL_ARTICULATED_FIGURE, key->value) && key->decl == def->decl) {
            char *const reason =
                common_format("no articulatedFigure '%.150s' is declared", key->value);
            note_key(opened, key, MD5_WARNING, reason);
            free(reason);
        }
    }
    const size_t num_notes = opened->num_notes;
    if (has_refused_model(opened, def)) // reported at the model
        return;
    if (is_character && opened->num_characters++ < MAX_CHARACTERS)
        evaluate_character(opened, def, figure, problem);
    drop_repeated_notes(opened, def, num_notes);
}

// Checks the names in the keys of an entity. In a long chain of entities each one has the keys of
// all others, and each key is compared with the joints and clips of its model.
static bool check_keys(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    enum { MAX_KEYS = 4 << 20 };
    if (opened->num_keys > MAX_KEYS)
        return true;
    const md5_entity_def *const entity = md5_game_entity_def(opened->game, decl->name, error);
    const char *const name = entity ? md5_entity_def_value(entity, "model") : NULL;
    const md5_model_def *const model = name ? md5_game_model_def(opened->game, name, error) : NULL;
    if (entity)
        opened->num_keys += entity->num_keys;
    if (model)
        opened->num_keys += (size_t)model->num_joints + model->num_anims;
    if (opened->num_keys > MAX_KEYS)
        print_diagnostic(
            opened,
            &(md5_diagnostic){
                .error = {MD5_WARNING,
                          .message = "too many inherited keys: the remaining keys are not checked"},
                .count = 1});
    if (!entity || !md5_game_check_entity_keys(opened->game, decl->name, error))
        return false;
    check_other_keys(opened, entity, model);
    check_character(opened, entity);
    return true;
}

// Prints the skin of a model or the materials of a skin that do not exist.
static void check_names(tool_game *opened, const md5_decl *decl)
{
    md5_error error = {0};
    const text_place at = {decl->keyword_line, decl->keyword_column};
    if (decl->type == MD5_DECL_MODEL) {
        const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, &error);
        if (model && model->skin && !exists(opened, MD5_DECL_SKIN, model->skin))
            print_broken(opened, decl->file, at, "no-skin-decl", "'%.100s': no skin '%.150s'",
                         decl->name, model->skin);
    } else if (decl->type == MD5_DECL_SKIN) {
        const md5_skin_def *const skin = md5_game_skin_def(opened->game, decl->name, &error);
        for (uint32_t i = 0; skin && i < skin->num_replacements; i++)
            if (!exists(opened, MD5_DECL_MATERIAL, skin->replacements[i].to))
                print_no_material(opened, decl->file, at, skin->replacements[i].to);
    }
}

// Prints why the engine replaces a declaration with the default. `reason` is NULL or the warning
// with the reason; `others` is "" or the number of declarations that are replaced for it.
static void print_refusal(tool_game *opened, const md5_decl *decl, const char *rule,
                          const char *others, text_place at, const char *reason)
{
    if (reason && tool_minds(opened->check->asked, rule))
        common_add(&opened->refusals, format_location(decl->file, at.line, at.column));
    print_broken(opened, decl->file, at, rule, "'%.100s'%s the default: %.250s", decl->name, others,
                 reason ? reason : "see the warnings of its lines");
}

// Prints why the engine replaces a material. The reason is its last warning.
static void print_refused_material(tool_game *opened, const md5_decl *decl)
{
    text_place at = {decl->keyword_line, decl->keyword_column};
    const char *reason = NULL;
    if (opened->num_notes > 0) {
        const md5_error *const note = &opened->notes[opened->num_notes - 1];
        at = (text_place){note->line, note->column};
        reason = note->message;
    }
    print_refusal(opened, decl, "defaulted/material", " becomes", at, reason);
}

// -- Models that inherit a replaced one -----------------------------------------------------------

// Returns the index of the inherited model that a warning names as its cause, or MD5_NONE if it has
// another cause.
static uint32_t find_cause(const tool_game *opened, const char *warning)
{
    static const char inherited[] = "inherited model definition '";
    const size_t length = sizeof inherited - 1;
    if (strncmp(warning, inherited, length) != 0)
        return MD5_NONE;
    char *const name = common_copy(warning + length);
    name[strcspn(name, "'")] = '\0';
    const md5_decl *const parent = md5_find_decl(opened->game, MD5_DECL_MODEL, name);
    free(name);
    return parent && parent->file ? parent->index : MD5_NONE;
}

// Returns the first of adjacent warnings with the location of warning `index`. It has the cause of
// the others, such as a limit that prevents the use of a mesh.
static const md5_error *find_first_note(const tool_game *opened, size_t index)
{
    const md5_error *note = &opened->notes[index];
    while (note > opened->notes && note[-1].line == note->line && note[-1].column == note->column)
        note--;
    return note;
}

// Stores why the engine replaces a model, and the models that it inherits. The last warning is the
// reason. An inherited model that was parsed with this one has the warning before.
static void store_refused_model(tool_game *opened, const md5_decl *decl)
{
    size_t num_notes = opened->num_notes;
    while (decl && !opened->refused_models[decl->index].is_refused) {
        refused_model *const model = &opened->refused_models[decl->index];
        *model = (refused_model){.is_refused = true,
                                 .parent = MD5_NONE,
                                 .at = {decl->keyword_line, decl->keyword_column}};
        if (num_notes == 0)
            return;
        const md5_error *const note = find_first_note(opened, --num_notes);
        num_notes = (size_t)(note - opened->notes);
        model->at = (text_place){note->line, note->column};
        model->reason = common_copy(note->message);
        model->parent = find_cause(opened, note->message);
        decl = model->parent == MD5_NONE
                   ? NULL
                   : md5_game_decl(opened->game, MD5_DECL_MODEL, model->parent);
    }
}

// Returns the model with the cause. All models on the way get it as their parent, so that a chain
// is followed once.
static uint32_t find_root(refused_model *models, size_t count, uint32_t index)
{
    uint32_t root = index;
    for (size_t steps = 0; models[root].parent != MD5_NONE; steps++) {
        if (steps == count) { // a circle
            models[root].parent = MD5_NONE;
            break;
        }
        root = models[root].parent;
    }
    while (index != root) {
        const uint32_t next = models[index].parent;
        models[index].parent = root;
        index = next;
    }
    return root;
}

static int compare_reasons(const void *a, const void *b)
{
    const refused_model *const first = *(refused_model *const *)a;
    const refused_model *const second = *(refused_model *const *)b;
    const int order = strcmp(first->reason, second->reason);
    return order != 0 ? order : (first > second) - (first < second);
}

// Groups the models that name the same missing mesh: num_alike of the first model of a group, which
// is reported, counts the others.
static void group_missing_meshes(refused_model *models, size_t count)
{
    refused_model **const sorted = common_alloc(count + 1, sizeof(refused_model *));
    size_t num_sorted = 0;
    for (size_t i = 0; i < count; i++) {
        const bool has_cause = models[i].is_refused && models[i].parent == MD5_NONE;
        const char *const reason = models[i].reason;
        if (has_cause && reason && strncmp(reason, "Model '", strlen("Model '")) == 0)
            sorted[num_sorted++] = &models[i];
    }
    common_sort(sorted, num_sorted, sizeof(refused_model *), compare_reasons);
    for (size_t i = 1, first = 0; i < num_sorted; i++) {
        if (strcmp(sorted[i]->reason, sorted[first]->reason) != 0) {
            first = i;
            continue;
        }
        sorted[first]->num_alike += 1 + sorted[i]->num_heirs;
        sorted[i]->is_counted = true;
    }
    free(sorted);
}

// Prints each model with a cause, and how many models inherit it or name the same missing mesh.
static void print_refused_models(tool_game *opened)
{
    refused_model *const models = opened->refused_models;
    const size_t count = opened->num_refused_models;
    for (uint32_t i = 0; i < count; i++) {
        if (models[i].parent != MD5_NONE && models[i].is_refused)
            models[find_root(models, count, i)].num_heirs++;
    }
    group_missing_meshes(models, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!models[i].is_refused || models[i].parent != MD5_NONE)
            continue;
        const md5_decl *const decl = md5_game_decl(opened->game, MD5_DECL_MODEL, i);
        if (models[i].is_counted) { // the lenient parser warns at the same location
            if (tool_minds(opened->check->asked, "defaulted"))
                common_add(&opened->refusals,
                           format_location(decl->file, models[i].at.line, models[i].at.column));
            continue;
        }
        char others[120] = " becomes";
        if (models[i].num_alike > 0)
            snprintf(others, sizeof others,
                     " and %zu models that inherit it or name the same mesh become",
                     models[i].num_heirs + models[i].num_alike);
        else if (models[i].num_heirs == 1)
            snprintf(others, sizeof others, " and 1 model that inherits it become");
        else if (models[i].num_heirs > 1)
            snprintf(others, sizeof others, " and %zu models that inherit it become",
                     models[i].num_heirs);
        print_refusal(opened, decl, "defaulted", others, models[i].at, models[i].reason);
    }
}

// Parses a declaration. In lenient mode prints its warnings. In engine mode counts it and prints
// why a material is replaced with the default; models are printed after the last one.
static bool check_decl(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const bool is_lenient = opened->mode == MD5_PARSE_LENIENT;
    if (!is_lenient)
        clear_notes(opened);
    if (!parse_decl(opened->game, decl, error))
        return false;
    opened->check->num_decls += is_lenient;
    opened->check->num_defaulted += !is_lenient && decl->state == MD5_DECL_DEFAULTED;
    if (is_lenient && decl->type == MD5_DECL_ENTITY && !check_keys(opened, decl, error))
        return false;
    if (!is_lenient && decl->state == MD5_DECL_DEFAULTED) {
        if (decl->type == MD5_DECL_MODEL)
            store_refused_model(opened, decl);
        else if (decl->type == MD5_DECL_MATERIAL && opened->is_on_surface[decl->index])
            print_refused_material(opened, decl);
    }
    if (is_lenient)
        print_notes(opened);
    if (is_lenient && decl->type == MD5_DECL_MODEL)
        judge_clips(opened, decl);
    if (is_lenient && decl->type == MD5_DECL_MATERIAL)
        store_images(opened, decl);
    if (is_lenient)
        check_names(opened, decl);
    return true;
}

// Prints the results of check for the surfaces of a mesh, in lenient mode and then in engine mode.
static void explain_surfaces(tool_game *opened, const char *file)
{
    md5_error error = {0};
    const md5_engines asked = opened->check->asked;
    const uint32_t num_materials = md5_game_num_decls(opened->game, MD5_DECL_MATERIAL);
    opened->check->asked = tool_engines(asked, opened->game, file);
    md5_check *const facts = tool_check_file(opened->game, file, opened->check->asked);
    if (facts) {
        facts->num_diagnostics = 0;
        tool_judge_place(opened->game, facts);
        print_diagnostics(opened, facts);
        if (opened->check->has_decls)
            judge_surfaces(opened, facts);
    }
    clear_notes(opened);
    for (int i = 0; i < 2; i++) {
        opened->mode = i == 0 ? MD5_PARSE_LENIENT : MD5_PARSE_ENGINE;
        for (uint32_t k = 0; k < num_materials; k++)
            if (opened->is_on_surface[k]
                && md5_game_set_parse_mode(opened->game, opened->mode, &error))
                check_decl(opened, md5_game_decl(opened->game, MD5_DECL_MATERIAL, k), &error);
    }
    judge_images(opened, &opened->images);
    judge_images(opened, &opened->seen);
    md5_game_set_parse_mode(opened->game, MD5_PARSE_LENIENT, &error);
    for (uint32_t i = 0; i < num_materials; i++)
        if (opened->is_on_surface[i])
            print_undrawn(opened, md5_game_decl(opened->game, MD5_DECL_MATERIAL, i)->name);
    memset(opened->is_on_surface, 0, num_materials);
    opened->check->asked = asked;
    md5_free_check(facts);
}

int tool_check_game(const tool_arguments *arguments, tool_game_check *check)
{
    static const md5_decl_type types[] = {MD5_DECL_TABLE,  MD5_DECL_MATERIAL,
                                          MD5_DECL_SKIN,   MD5_DECL_MODEL,
                                          MD5_DECL_ENTITY, MD5_DECL_ARTICULATED_FIGURE};
    static const md5_parse_mode modes[] = {MD5_PARSE_ENGINE, MD5_PARSE_LENIENT};
    tool_game game;
    md5_error error = {0};
    int status = open_game(arguments, true, &game);
    game.check = check;
    print_notes(&game);
    if (status == TOOL_OK)
        begin_check(&game, check);
    if (check->has_decls) {
        const size_t count = md5_game_num_files(game.game);
        for (size_t i = 0; i < count; i++) {
            const char *const name = md5_game_file(game.game, i);
            const tool_kind kind = tool_kind_of(name);
            tool_show_progress(i + 1, count);
            if (kind != TOOL_MODEL && kind != TOOL_ANIM && kind != TOOL_CAMERA)
                continue;
            const md5_load_opts opts = {
                .files = md5_game_files(game.game), .warn = store_note, .warn_user = &game};
            tool_asset asset;
            md5_error reason = {0};
            tool_load(name, &opts, &asset, &reason);
            judge_file(&game, name, asset.model, &reason);
            tool_free(&asset);
            check->num_files++;
        }
        common_sort(game.files, game.num_files, sizeof *game.files, compare_files);
        // First in engine mode, which stops at the first error of a declaration. Then in lenient
        // mode, which finds further errors; errors that were already printed are skipped.
        bool is_checked = true;
        for (int i = 0; i < 2 && is_checked; i++) {
            game.mode = modes[i];
            is_checked = md5_game_set_parse_mode(game.game, game.mode, &error);
            for (size_t k = 0; k < COMMON_LENGTH(types) && is_checked; k++)
                is_checked = walk_decls(&game, types[k], check_decl, &error);
            if (game.mode == MD5_PARSE_ENGINE)
                print_refused_models(&game);
            clear_notes(&game);
            common_sort(game.refusals.names, game.refusals.count, sizeof *game.refusals.names,
                        common_order_by_text);
            game.hides_refusals = true;
        }
        print_missing_files(&game);
        judge_images(&game, &game.images);
        judge_images(&game, &game.seen);
        status = tool_end(is_checked, &error);
    }
    check->places = game.places;
    game.places = (tool_places){.game = NULL}; // the caller closes them
    close_game(&game);
    return status;
}
