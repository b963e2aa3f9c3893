// md5tool explain: prints the search order of a game folder, or the files and declarations of one
// name, their dependencies, and the missing files. It answers why a game shows another file or
// declaration than a modder expects. `kinds` is the table of the declarations that can be
// explained.
#include "demo/tool/game.h"

// Prints a line of text, or a JSON object with the same values. The arguments are the format of the
// text, the format of the object, and the values, which both formats use in the same order.
#define PRINT(game, ...) common_print_either((game)->is_json, __VA_ARGS__)

// Returns the label of a line. Labels of subordinate lines are indented in text, but not in JSON.
static const char *label(const tool_game *game, const char *indented)
{
    return game->is_json ? indented + strspn(indented, " ") : indented;
}

// == Search order =================================================================================

// Prints the location of a file. `line` is the line of a declaration in the file, or 0.
static void print_location(const tool_game *game, const char *kind, const char *file, uint32_t line,
                           const char *location)
{
    if (line > 0)
        PRINT(game, "  %s: %s:%u in %s\n",
              "{\"kind\":\"file\",\"what\":%s,\"name\":%s,\"line\":%u,\"location\":%s}\n", kind,
              file, line, location);
    else
        PRINT(game, "  %s: %s in %s\n",
              "{\"kind\":\"file\",\"what\":%s,\"name\":%s,\"location\":%s}\n", kind, file,
              location);
}

// Prints the location of a file, and the files in later locations that it hides. `indented_label`
// is the label of the line, such as "mesh". `line` is the line of a declaration in the file, or 0.
// If the file does not exist, prints that it is missing.
static void print_file(tool_game *game, const char *indented_label, const char *file, uint32_t line)
{
    const common_game_paths *const list = &game->search_paths.list;
    const char *const kind = label(game, indented_label);
    const uint32_t location = md5_game_find_file(game->md5, file, 0);
    if (location >= list->count) {
        game->has_missing = true;
        PRINT(game, "  %s: %s: missing\n", "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", kind,
              file);
        return;
    }

    print_location(game, kind, file, line, list->titles[location]);
    uint32_t hidden = md5_game_find_file(game->md5, file, location + 1);
    while (hidden < list->count) {
        PRINT(game, "    hides: %s in %s\n", "{\"kind\":\"hidden\",\"name\":%s,\"location\":%s}\n",
              file, list->titles[hidden]);
        hidden = md5_game_find_file(game->md5, file, hidden + 1);
    }
}

// Returns true if two locations belong to the same argument: the mod, DIR or the base. An argument
// can have several locations, because its archives are separate locations.
static bool are_in_one_root(const tool_search_paths *paths, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < COMMON_LENGTH(paths->ends); i++) {
        const bool contains_a = a < paths->ends[i];
        const bool contains_b = b < paths->ends[i];
        if (contains_a || contains_b) // the first argument that contains one of the two locations
                                      // must contain both
            return contains_a && contains_b;
    }
    return false;
}

// Returns true if the engine uses a mesh and not the Quake model that it replaces. Quake's engines
// use the .mdl file if its location has a higher priority. Quake II's engines always use the mesh.
static bool is_mesh_used(const tool_search_paths *paths, uint32_t mesh_location,
                         uint32_t replaced_location, const char *replaced)
{
    if (common_has_suffix(replaced, ".md2") || mesh_location <= replaced_location)
        return true;
    return are_in_one_root(paths, mesh_location, replaced_location);
}

// Prints which model of Quake (.mdl) or Quake II (.md2) a mesh replaces, if there is one.
static void print_replaced(tool_game *game, const char *mesh)
{
    const tool_search_paths *const paths = &game->search_paths;
    char *const replaced = tool_find_replaced(game->md5, mesh);
    if (!replaced)
        return;

    const uint32_t mesh_location = md5_game_find_file(game->md5, mesh, 0);
    const uint32_t replaced_location = md5_game_find_file(game->md5, replaced, 0);
    if (mesh_location != MD5_NONE && replaced_location != MD5_NONE) {
        const bool is_used = is_mesh_used(paths, mesh_location, replaced_location, replaced);
        PRINT(game, "  %s in %s %s %s in %s\n",
              "{\"kind\":\"replaces\",\"name\":%s,\"location\":%s,\"how\":%s,\"other\":%s,"
              "\"other_location\":%s}\n",
              mesh, paths->list.titles[mesh_location],
              is_used ? "replaces" : "has lower priority than", replaced,
              paths->list.titles[replaced_location]);
    }
    free(replaced);
}

// A file in one of the search paths.
typedef struct located_file {
    const char *name;
    size_t location; // index of the search path
} located_file;

// Orders files by name, and files with the same name by the priority of their locations.
static int compare_located(const void *a, const void *b)
{
    const located_file *const x = a;
    const located_file *const y = b;
    const int order = common_compare_case(x->name, y->name);
    return order != 0 ? order : (x->location > y->location) - (x->location < y->location);
}

// Returns the sorted files of all search paths. The caller frees them.
static located_file *list_located_files(const common_game_paths *list, size_t *count)
{
    located_file *files = NULL;
    *count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const md5_game_path *const path = &list->paths[i];
        for (size_t k = 0; k < path->num_files; k++) {
            files = common_grow(files, *count, sizeof *files);
            files[(*count)++] = (located_file){path->name(path->user, k), i};
        }
    }
    common_sort(files, *count, sizeof *files, compare_located);
    return files;
}

// Prints the files that are hidden by a file with the same name in an earlier search path. Archives
// are not printed, because all archives are mounted, even with equal names.
static void print_hidden_files(tool_game *game)
{
    const common_game_paths *const list = &game->search_paths.list;
    size_t count = 0;
    located_file *const files = list_located_files(list, &count);
    // Files with the same name are adjacent. The first of them is the file that the game uses.
    size_t used = 0;
    for (size_t i = 1; i < count; i++) {
        if (common_compare_case(files[i].name, files[used].name) != 0) {
            used = i;
            continue;
        }
        const bool is_repeated = files[i].location == files[i - 1].location;
        if (!is_repeated && !common_is_archive(files[i].name))
            PRINT(game, "hidden: %s in %s, because the file in %s has priority\n",
                  "{\"kind\":\"hidden\",\"name\":%s,\"location\":%s,\"by\":%s}\n", files[i].name,
                  list->titles[files[i].location], list->titles[files[used].location]);
    }
    free(files);
}

// Prints the mounted folders and archives, the hidden files, and the models that meshes replace.
static void print_search_order(tool_game *game)
{
    const common_game_paths *const list = &game->search_paths.list;
    if (!game->is_json)
        puts("search order:");
    for (size_t i = 0; i < list->count; i++)
        PRINT(game, "  %s\n", "{\"kind\":\"mounted\",\"location\":%s}\n", list->titles[i]);
    print_hidden_files(game);
    for (size_t i = 0; i < md5_game_num_files(game->md5); i++) {
        const char *const name = md5_game_file(game->md5, i);
        if (common_has_suffix(name, ".md5mesh"))
            print_replaced(game, name);
    }
}

// == Dependencies of declarations =================================================================

// Prints the warnings that the game has reported since the last call.
static void print_warnings(tool_game *game)
{
    char text[TOOL_MESSAGE];
    for (size_t i = 0; i < game->num_warnings; i++) {
        md5_format_error(&game->warnings[i], text, sizeof text);
        PRINT(game, "    %s\n", "{\"kind\":\"warning\",\"message\":%s}\n", text);
    }
    tool_clear_game_warnings(game);
}

// Prints the file of an image, with the extension that the engine selects. Prints that the image is
// missing if the engine finds neither a file nor a built-in image.
static void print_image(tool_game *game, const char *name)
{
    const char *const file = md5_game_image_file(game->md5, name);
    if (file) {
        print_file(game, "image", file, 0);
        return;
    }
    if (tool_has_image(game, name))
        return;
    PRINT(game,
          strrchr(name, '.') ? "  %s: %s: missing\n"
                             : "  %s: %s: image not found (searched .tga and .jpg)\n",
          "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", "image", name);
    game->has_missing = true;
}

// Prints the location of a declaration that another declaration names. A material that is not
// declared is an image name, so its image is printed.
static void print_needed_decl(tool_game *game, const char *indented_label, md5_decl_type type,
                              const char *name)
{
    const md5_decl *const decl = md5_find_decl(game->md5, type, name);
    const char *const kind = label(game, indented_label);
    if (decl && decl->file) {
        PRINT(game, "  %s: %s, declared %s:%u\n",
              "{\"kind\":\"needs\",\"what\":%s,\"name\":%s,\"file\":%s,\"line\":%u}\n", kind, name,
              decl->file, decl->keyword_line);
        return;
    }

    const bool is_image = type == MD5_DECL_MATERIAL;
    PRINT(game,
          is_image ? "  %s: %s: not declared; used as an image name\n" : "  %s: %s: not declared\n",
          "{\"kind\":\"needs\",\"what\":%s,\"name\":%s}\n", kind, name);
    if (is_image)
        print_image(game, name);
}

// Returns true if a stage draws something. A stage whose condition is 0 draws nothing. A bump stage
// draws nothing either, because it only changes the lighting of other stages. The engine adds a
// bump stage to each lit material.
static bool is_stage_drawn(const md5_stage *stage, const float *registers)
{
    return stage->light != MD5_STAGE_BUMP && registers[stage->condition] != 0;
}

// Returns the reason why the engine draws no image of a material. Returns NULL if the engine draws
// one. Conditions of stages are evaluated at time 0 with the default parameters of entities.
static const char *find_undrawn_reason(const md5_material *material)
{
    static const md5_material_input defaults = {.parms = {1, 1, 1, 1}};
    static float registers[MD5_MAX_REGISTERS];
    if (material->gui)
        return "the surface shows a GUI (guisurf)";
    if (material->num_stages == 0)
        return "the material has no stages";
    md5_evaluate_material(material, &defaults, registers);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        if (is_stage_drawn(&material->stages[i], registers))
            return NULL;
    }
    return "the condition of every stage is 0";
}

// Prints why the engine draws no image of a material, if this is the case. Parses the material in
// engine mode for this, and then selects lenient mode again.
static void print_undrawn(tool_game *game, const char *name)
{
    md5_game_set_parse_mode(game->md5, MD5_PARSE_ENGINE, NULL);
    const md5_material *const material = md5_game_material(game->md5, name, NULL);
    md5_game_set_parse_mode(game->md5, MD5_PARSE_LENIENT, NULL);
    const char *const reason = material ? find_undrawn_reason(material) : NULL;
    if (reason)
        PRINT(game, "  black or invisible: %s: %s\n",
              "{\"kind\":\"unseen\",\"name\":%s,\"reason\":%s}\n", name, reason);
}

// == Types of declarations ========================================================================
//
// Each function prints the content of a declaration, and the declarations and files that it names.

// -- Models ---------------------------------------------------------------------------------------

// Prints the material of each mesh.
static void print_shaders(tool_game *game, const md5_model *model)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const char *const shader = model->meshes[i].shader;
        if (shader[0])
            print_needed_decl(game, "material", MD5_DECL_MATERIAL, shader);
        else
            PRINT(game, "  material: mesh %u has no shader\n",
                  "{\"kind\":\"unnamed\",\"mesh\":%u}\n", i);
    }
}

// Prints the materials of a mesh file, the diagnostics of md5tool check for them, and the materials
// that the engine does not draw.
static void explain_mesh_file(tool_game *game, const char *file)
{
    const md5_load_opts opts = {
        .files = md5_game_files(game->md5),
        .skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS,
    };
    md5_error error = {0};
    md5_model *const model = md5_load_model(file, &opts, &error);
    if (!model) {
        tool_store_game_warning(game, &error);
        print_warnings(game);
        return;
    }

    // The shader of a mesh is the name of a material only in engines with this rule.
    const md5_engines engines = tool_engines(game->check->requested, game->md5, file);
    if (tool_has_rule(engines, "no-material"))
        print_shaders(game, model);
    md5_free_model(model);

    // The check marks the materials of this mesh in is_on_surface. Remove the marks afterwards, so
    // that the next mesh begins without them.
    tool_check_mesh_materials(game, file);
    const uint32_t num_materials = md5_game_num_decls(game->md5, MD5_DECL_MATERIAL);
    for (uint32_t i = 0; i < num_materials; i++) {
        if (game->is_on_surface[i])
            print_undrawn(game, md5_game_decl(game->md5, MD5_DECL_MATERIAL, i)->name);
        game->is_on_surface[i] = false;
    }
}

// Prints the mesh of a model with its materials, the skin, and the clips with their files.
static bool explain_model(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(game->md5, decl->name, error);
    if (!model)
        return false;

    if (model->mesh[0]) {
        print_file(game, "mesh", model->mesh, 0);
        explain_mesh_file(game, model->mesh);
    }
    if (model->skin)
        print_needed_decl(game, "skin", MD5_DECL_SKIN, model->skin);

    for (uint32_t i = 0; i < model->num_anims; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        PRINT(game, "  clip: %s, frames: %u, frame commands: %u\n",
              "{\"kind\":\"clip\",\"name\":%s,\"frames\":%u,\"commands\":%u}\n", anim->name,
              anim->num_frames, anim->num_commands);
        for (uint32_t j = 0; j < anim->num_files; j++)
            print_file(game, "  file", anim->files[j], 0);
    }
    return true;
}

// -- Entities -------------------------------------------------------------------------------------

// Prints the script object of an entity. Some functions of the game's world are not available to
// the script, so that they only return 0; prints their number.
static void explain_script(tool_game *game, const md5_entity_def *entity)
{
    const md5_entity_key *const key = md5_entity_def_next_key(entity, "scriptobject", NULL);
    if (!key || !key->value[0])
        return;
    const char *const object = key->value;
    size_t num_stubs = 0;
    md5_error reason = {0};
    if (tool_has_script_object(game, object, &num_stubs, &reason)) {
        PRINT(game, "  script object: %s, functions of the game's world that return 0: %zu\n",
              "{\"kind\":\"script\",\"name\":%s,\"stubs\":%zu}\n", object, num_stubs);
        return;
    }
    tool_report_script_object(game, key, &reason);
    PRINT(game, "  %s: %s: missing or invalid\n",
          "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", "script object", object);
    print_warnings(game);
    game->has_missing = true;
}

// Prints the figures that the keys of an entity name. Then prints the mass and the number of legs
// of the character, and the problems in these keys. Entities without such keys are not characters.
static void explain_character(tool_game *game, const md5_entity_def *entity)
{
    if (!tool_has_character_keys(entity))
        return;
    const md5_figure_def *figure = NULL; // figure of the last key, which the engine uses
    md5_error problem = {0};
    for (size_t i = 0; i < COMMON_LENGTH(tool_figure_keys); i++) {
        const md5_entity_key *const key =
            md5_entity_def_next_key(entity, tool_figure_keys[i], NULL);
        if (!key || !key->value[0])
            continue;
        print_needed_decl(game, "figure", MD5_DECL_ARTICULATED_FIGURE, key->value);
        figure = md5_game_figure_def(game->md5, key->value, &problem);
    }
    const tool_character_info info = tool_evaluate_character(game, entity, figure, problem);
    PRINT(game, "  mass: %g, legs with IK: %u\n", "{\"kind\":\"mass\",\"value\":%g,\"legs\":%u}\n",
          info.mass, info.num_legs);
    print_warnings(game);
}

// Prints the keys and values of an entity, and for inherited keys the entity that contains them.
static void print_keys(tool_game *game, const md5_entity_def *entity)
{
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        const md5_entity_key *const key = &entity->keys[i];
        const bool is_inherited = key->decl != entity->decl;
        if (is_inherited)
            PRINT(game, "  key: %s = %s, inherited from %s\n",
                  "{\"kind\":\"key\",\"name\":%s,\"value\":%s,\"from\":%s}\n", key->name,
                  key->value, key->decl->name);
        else
            PRINT(game, "  key: %s = %s\n", "{\"kind\":\"key\",\"name\":%s,\"value\":%s}\n",
                  key->name, key->value);
    }
}

// Prints the declarations that the values of all keys with this prefix name, such as "def_attach",
// "def_attach2".
static void print_attached_decls(tool_game *game, const md5_entity_def *entity, const char *prefix,
                                 md5_decl_type type)
{
    const md5_entity_key *key = md5_entity_def_next_key(entity, prefix, NULL);
    while (key) {
        print_needed_decl(game, key->name, type, key->value);
        key = md5_entity_def_next_key(entity, prefix, key);
    }
}

// Prints the keys of an entity, then the items that they name. These are the model, the skin,
// attached declarations, the character with its figures, and the script object.
static bool explain_entity(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_entity_def *const entity = md5_game_entity_def(game->md5, decl->name, error);
    if (!entity)
        return false;

    print_keys(game, entity);

    // The key "model" contains the name of a declaration or the path of a file.
    const char *const model = md5_entity_def_value(entity, "model");
    const char *const skin = md5_entity_def_value(entity, "skin");
    if (model && md5_find_decl(game->md5, MD5_DECL_MODEL, model))
        print_needed_decl(game, "model", MD5_DECL_MODEL, model);
    else if (model && model[0])
        print_file(game, "model", model, 0);
    if (skin)
        print_needed_decl(game, "skin", MD5_DECL_SKIN, skin);
    print_attached_decls(game, entity, "def_head", MD5_DECL_MODEL);
    print_attached_decls(game, entity, "def_attach", MD5_DECL_ENTITY);
    explain_character(game, entity);
    explain_script(game, entity);
    return true;
}

// -- Others ---------------------------------------------------------------------------------------

// Prints the materials that a skin replaces and their replacements.
static bool explain_skin(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(game->md5, decl->name, error);
    const uint32_t num_replacements = skin ? skin->num_replacements : 0;
    for (uint32_t i = 0; i < num_replacements; i++) {
        const char *const from = skin->replacements[i].from;
        PRINT(game, "  replaces: %s\n", "{\"kind\":\"replaces\",\"name\":%s}\n",
              from ? from : "every material");
        print_needed_decl(game, "  by", MD5_DECL_MATERIAL, skin->replacements[i].to);
        print_undrawn(game, skin->replacements[i].to);
    }
    return true;
}

// Prints the image files of all stages of a material. Cube maps are skipped, because they consist
// of six files with other names.
static bool explain_material(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_material *const material = md5_game_material(game->md5, decl->name, error);
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        for (uint32_t k = 0; k < stage->image.num_steps; k++) {
            if (stage->image.steps[k].kind == MD5_IMAGE_FILE && !stage->cube)
                print_image(game, stage->image.steps[k].file);
        }
    }
    print_undrawn(game, decl->name);
    return true;
}

static bool explain_table(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_table *const table = md5_game_table(game->md5, decl->name, error);
    if (table)
        PRINT(game, "  values: %u\n", "{\"kind\":\"values\",\"count\":%u}\n", table->num_values);
    return true;
}

static bool explain_figure(tool_game *game, const md5_decl *decl, md5_error *error)
{
    const md5_figure_def *const figure = md5_game_figure_def(game->md5, decl->name, error);
    if (figure)
        PRINT(game, "  bodies: %u\n", "{\"kind\":\"bodies\",\"count\":%u}\n", figure->num_bodies);
    return figure;
}

static const struct explained_kind {
    const char *name;
    md5_decl_type type;
    tool_visit_decl_fn *explain;
} kinds[] = {
    {"model", MD5_DECL_MODEL, explain_model},
    {"entity", MD5_DECL_ENTITY, explain_entity},
    {"skin", MD5_DECL_SKIN, explain_skin},
    {"material", MD5_DECL_MATERIAL, explain_material},
    {"table", MD5_DECL_TABLE, explain_table},
    {"figure", MD5_DECL_ARTICULATED_FIGURE, explain_figure},
};
enum { NUM_KINDS = COMMON_LENGTH(kinds) };

// == Command ======================================================================================

// Parses a declaration in a mode, and prints whether this parser accepts it, with its warnings. An
// entity is parsed with all inherited keys. Returns false and sets `error` if the parser fails.
static bool print_parse_result(tool_game *game, md5_parse_mode mode, md5_decl_type type,
                               const char *name, md5_error *error)
{
    tool_clear_game_warnings(game);
    if (!md5_game_set_parse_mode(game->md5, mode, error))
        return false;

    const md5_decl *const decl = md5_find_decl(game->md5, type, name);
    bool is_parsed = false;
    if (type == MD5_DECL_ENTITY)
        is_parsed = md5_game_entity_def(game->md5, name, error);
    else
        is_parsed = tool_parse_decl(game->md5, decl, error);
    if (!is_parsed)
        return false;

    const char *const title = mode == MD5_PARSE_ENGINE ? "engine mode" : "lenient mode";
    const bool is_default = decl->state == MD5_DECL_DEFAULTED;
    PRINT(game, "  %s: %s\n", "{\"kind\":\"result\",\"by\":%s,\"result\":%s}\n", title,
          is_default ? "replaced with the default" : "parsed as declared");
    print_warnings(game);
    return true;
}

// Prints the declaration with a type and a name, if it exists. Prints its location, the
// declarations that it overrides, the results of both parsers, and its content. Returns an exit
// status.
static int explain_decl(tool_game *game, const struct explained_kind *kind, const char *name)
{
    const md5_decl *const decl = md5_find_decl(game->md5, kind->type, name);
    if (!decl || !decl->file)
        return TOOL_OK;
    game->has_output = true;
    PRINT(game, "%s %s\n", "{\"kind\":%s,\"name\":%s}\n", kind->name, decl->name);
    print_file(game, "declared", decl->file, decl->keyword_line);
    for (const md5_decl *hidden = decl->hidden; hidden; hidden = hidden->hidden)
        print_file(game, "overrides declaration", hidden->file, hidden->keyword_line);

    // Print the results of both modes, lenient mode last: this mode then remains selected, and
    // explain() prints the content as parsed in it.
    md5_error error = {0};
    if (print_parse_result(game, MD5_PARSE_ENGINE, kind->type, name, &error)
        && print_parse_result(game, MD5_PARSE_LENIENT, kind->type, name, &error))
        kind->explain(game, &(md5_decl){.type = kind->type, .name = name}, &error);
    return tool_end(error.status == MD5_OK, &error);
}

// Prints the file with this path. If it does not exist, prints the file of the image with this
// name. Prints its location, the meshes that replace it and, if it is a mesh, its content.
static void explain_file(tool_game *game, const char *name)
{
    static const char *const mesh_folders[] = {"", "md5/"}; // relative to the file's folder
    const bool is_file = md5_game_find_file(game->md5, name, 0) != MD5_NONE;
    const char *const file = is_file ? name : md5_game_image_file(game->md5, name);
    if (!file)
        return;
    game->has_output = true;
    PRINT(game, "file\n", "{\"kind\":\"path\"}\n");
    print_file(game, "is", file, 0);

    for (size_t i = 0; i < COMMON_LENGTH(mesh_folders); i++) {
        char *const mesh = tool_find_sibling(game->md5, file, mesh_folders[i], ".md5mesh");
        if (mesh)
            print_replaced(game, mesh);
        free(mesh);
    }

    if (common_has_suffix(file, ".md5mesh"))
        explain_mesh_file(game, file);
}

// Prints that no asset has a name, with a similar name as a suggestion.
static void print_not_found(tool_game *game, const char *name)
{
    const char *similar = NULL;
    for (int i = 0; i < NUM_KINDS && !similar; i++)
        similar = tool_find_similar_decl(game, kinds[i].type, name);
    if (similar)
        PRINT(game, "asset %s not found: did you mean '%s'?\n",
              "{\"kind\":\"nothing\",\"name\":%s,\"near\":%s}\n", name, similar);
    else
        PRINT(game, "asset %s not found in the game\n", "{\"kind\":\"nothing\",\"name\":%s}\n",
              name);
}

// Lists the folders and archives of the game in the order in which files are searched, for a
// name that was not found.
static void print_searched_locations(tool_game *game)
{
    const common_game_paths *const list = &game->search_paths.list;
    if (!game->is_json)
        puts("searched locations, in order:");
    for (size_t i = 0; i < list->count; i++)
        PRINT(game, "  %s\n", "{\"kind\":\"searched\",\"location\":%s}\n", list->titles[i]);
}

// Prints all assets with a name: declarations of every type, and the file. If nothing is found,
// suggests a similar name. Lists the searched locations if something is missing. Returns an exit
// status.
static int explain_name(tool_game *game, const char *name)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        const int status = explain_decl(game, &kinds[i], name);
        if (status != TOOL_OK)
            return status;
    }
    explain_file(game, name);
    if (!game->has_output)
        print_not_found(game, name);
    if (!game->has_output || game->has_missing)
        print_searched_locations(game);
    return game->has_output ? TOOL_OK : TOOL_BAD_FILE;
}

// Prints a diagnostic of a mesh or a material; tool_game_check.print. `user` is the game.
static void print_diagnostic(void *user, const md5_diagnostic *found)
{
    const tool_game *const game = user;
    char text[TOOL_MESSAGE];
    if (found->is_silent)
        return;
    md5_format_error(&found->error, text, sizeof text);
    PRINT(game, found->rule[0] ? "    %s [%s] %s\n" : "    %s\n",
          "{\"kind\":\"warning\",\"message\":%s,\"rule\":%s,\"engines\":%s}\n", text, found->rule,
          found->engines);
}

// md5tool explain: reads the operands DIR and NAME, opens the game, and prints the search order or
// all assets with the name. Returns an exit status.
static int run_explain(tool_arguments *arguments)
{
    tool_game game;
    tool_game_check check = {
        .print = print_diagnostic, .user = &game, .requested = arguments->requested};
    int status = tool_read_game_folder(arguments, 1);
    if (status != TOOL_OK)
        return status;
    if (arguments->num_operands > 1)
        return tool_usage("explain", "too many arguments: expected at most one name");

    // A single operand is ambiguous. It is the game folder if it contains files. Otherwise it is
    // the name to explain in the folder of --base.
    const char *name = arguments->num_operands > 0 ? arguments->operands[0] : NULL;
    if (name && !arguments->folder && common_contains_files(name)) {
        arguments->folder = name;
        name = NULL;
    }

    status = tool_open_game(arguments, true, &game);
    game.is_json = arguments->is_json;
    if (status == TOOL_OK) {
        tool_begin_game_check(&game, &check);
        if (name)
            status = explain_name(&game, name);
        else
            print_search_order(&game);
    }
    tool_close_game(&game);
    return status;
}

const tool_command tool_explain = {
    "explain",
    run_explain,
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
