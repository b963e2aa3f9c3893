// Game folders: list prints the names in one, explain where the items of one name come from and
// what is missing, verdicts how Doom 3 interprets declarations, check what is wrong with them. One
// table (kinds) says what is done with a type of declaration, and one walk visits all of a type.
#include "demo/looks/image.h"
#include "demo/tool/tool.h"

// == Games ========================================================================================

// A model or clip that was checked, perhaps at the skin of its mesh.
typedef struct judged_file {
    md5_check *check;
    bool is_seen;
} judged_file;

typedef struct tool_game {
    tool_places places;
    md5_game *game;   // of these; NULL if they could not be opened, which is printed
    bool keeps_notes; // warnings; else they are printed
    md5_error *notes; // [num_notes] in the order in which the game gave them
    size_t num_notes;
    size_t num_left_out; // beyond a limit, so that a hostile file does not fill the memory
    size_t memory;       // of the game when it was opened
    int num_renewals;
    md5_verdict verdict; // that the game has
    const char *kind;    // of what is printed

    bool is_json;     // list, explain: print as JSON
    size_t num_bytes; // of clips that were listed
    bool is_cut;      // not all clips were
    common_list used; // animation files that a model has

    bool is_found, has_missing; // list, explain

    bool is_of_gui; // verdicts: of materials of a GUI
    size_t left;    // see print_model_verdict()

    tool_game_check *check;
    judged_file *files; // [num_files] all models and clips, by path
    size_t num_files;
    common_list images, seen; // files of materials, some of them often; seen: on surfaces
    size_t num_keys;          // of entities whose keys were checked, with what they inherit
    size_t work;              // left to look for nearest names
    bool *is_on_surface;      // [materials] whether a mesh has it
} tool_game;

// -- Opening --------------------------------------------------------------------------------------

static void take_note(void *user, const md5_error *note)
{
    enum { MOST = 1000 };
    tool_game *const game = user;
    if (!game->keeps_notes) {
        tool_print_error(NULL, note);
        return;
    }
    if (game->num_notes == MOST) { // the last one says why reading ended
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

// Warnings come as they are found, without a limit of the library's own.
static md5_load_opts options_of(tool_game *opened)
{
    return (md5_load_opts){.warn = take_note, .warn_user = opened, .max_warnings = UINT32_MAX};
}

// Opens the game of the arguments; a folder hides those behind it: the mod, then DIR, then the
// base. Returns an exit status, and prints why it cannot be opened.
static int open_game(const tool_arguments *arguments, bool keeps_notes, tool_game *result)
{
    md5_error error = {0};
    *result = (tool_game){
        .places.list.goes_on = tool_show_search, .keeps_notes = keeps_notes, .work = 400000000};
    const md5_load_opts opts = options_of(result);
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
    free(game->notes);
    COMMON_FOR (i, game->num_files)
        md5_free_check(game->files[i].check);
    free(game->files);
    free(game->is_on_surface);
}

// -- Walking --------------------------------------------------------------------------------------

// Opens the game again, for the same verdict and without warnings, if what was parsed since then
// takes much memory. What the game returned before is gone then. Returns false if that fails, or if
// it has been necessary very often.
static bool renew_game(tool_game *opened, md5_error *error)
{
    enum { MUCH = 24 << 20, OFTEN = 64 };
    if (md5_game_memory(opened->game) < opened->memory + MUCH)
        return true;
    if (opened->num_renewals++ == OFTEN)
        return convert_fail(error, MD5_ERROR_MEMORY, "",
                            "the declarations take too much memory: the rest of them is left out");
    const common_game_places *const list = &opened->places.list;
    const md5_load_opts opts = options_of(opened);
    md5_destroy_game(opened->game);
    opened->game = opened->places.game = md5_create_game(list->paths, list->count, &opts, error);
    opened->memory = opened->game ? md5_game_memory(opened->game) : 0;
    clear_notes(opened);
    return opened->game && md5_game_set_verdict(opened->game, opened->verdict, error);
}

// What a command does with a declaration, or, for its name alone, with what md5_game finds. Returns
// false to end the walk.
typedef bool visit_fn(tool_game *opened, const md5_decl *decl, md5_error *error);

// Visits the declarations of a type. Implicit ones, which others refer to and which come last, are
// not visited.
static bool walk_decls(tool_game *opened, md5_decl_type type, visit_fn *visit, md5_error *error)
{
    COMMON_FOR (i, md5_game_num_decls(opened->game, type)) {
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

// Parses a declaration, of an entity without what it inherits. Returns false if memory runs out.
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

// Returns the line of the first word of a declaration. The engine's, decl->line, is where the
// declaration before it ends.
static uint32_t line_of_decl(const md5_decl *decl)
{
    const char *byte = decl->text, *const end = decl->text + decl->size;
    const char *comment = NULL; // what ends the comment that `byte` is in
    uint32_t line = decl->line;
    for (; byte < end; byte++) {
        const bool has_next = end - byte > 1;
        if (comment && strncmp(byte, comment, strlen(comment)) == 0) {
            byte += strlen(comment) - 1;
            comment = NULL;
        } else if (!comment && has_next && byte[0] == '/' && (byte[1] == '/' || byte[1] == '*')) {
            comment = byte[1] == '/' ? "\n" : "*/";
            byte++;
        } else if (!comment && (unsigned char)*byte > ' ' && (unsigned char)*byte < 0x80) {
            break;
        }
        line += *byte == '\n';
    }
    return line;
}

// == list =========================================================================================

// Prints one thing; `file` is NULL, or where it is declared. `owner` is NULL or the model of a
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
        common_print(stdout, "%s%s%s%s%s", owner ? owner : "", owner ? " " : "", name,
                     file ? "  " : "", file ? file : "");
        printf(line > 0 ? ":%u\n" : "\n", line);
    }
}

// Prints where a declaration is; nothing has to be parsed for that.
static bool list_decl(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    (void)error;
    print_line(opened, NULL, decl->name, decl->file, line_of_decl(decl));
    return true;
}

// Models that inherit clips have them too, so that a long chain of them would print very many
// lines.
static bool list_clips(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    enum { MAX_BYTES = 32 << 20, A_LINE = 32 };
    if (opened->is_cut)
        return true;
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, error);
    for (uint32_t i = 0; model && !opened->is_cut && i < model->num_anims; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        opened->num_bytes += strlen(decl->name) + strlen(anim->name);
        COMMON_FOR (j, anim->num_files) {
            common_add(&opened->used, common_copy(anim->files[j]));
            opened->num_bytes += strlen(anim->files[j]) + A_LINE;
        }
        print_line(opened, decl->name, anim->name, anim->files[0], 0);
        opened->is_cut = opened->num_bytes > MAX_BYTES;
    }
    if (opened->is_cut)
        common_print(stderr, "md5tool: error: too many clips: those from %s on are not listed\n",
                     decl->name);
    return model;
}

// Returns the nearest name of a declaration to one that is missing; NULL: none is near.
static const char *find_near_decl(tool_game *opened, md5_decl_type type, const char *name)
{
    tool_nearest nearest = {.work = opened->work};
    COMMON_FOR (i, md5_game_num_decls(opened->game, type)) {
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

// Prints where a file is, and which files of other places it hides. `line` may be 0.
static void print_file(tool_game *opened, const char *what, const char *file, uint32_t line)
{
    const common_game_places *const places = &opened->places.list;
    uint32_t place = md5_game_find_file(opened->game, file, 0);
    what += opened->is_json ? strspn(what, " ") : 0; // what indents a line
    if (place >= places->count) {
        opened->has_missing = true;
        SAY(opened, "  %s: %s: missing\n", "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", what,
            file);
        return;
    }
    if (line > 0)
        SAY(opened, "  %s: %s:%u in %s\n",
            "{\"kind\":\"file\",\"what\":%s,\"name\":%s,\"line\":%u,\"place\":%s}\n", what, file,
            line, places->titles[place]);
    else
        SAY(opened, "  %s: %s in %s\n",
            "{\"kind\":\"file\",\"what\":%s,\"name\":%s,\"place\":%s}\n", what, file,
            places->titles[place]);
    while ((place = md5_game_find_file(opened->game, file, place + 1)) < places->count)
        SAY(opened, "    hides: %s in %s\n", "{\"kind\":\"hidden\",\"name\":%s,\"place\":%s}\n",
            file, places->titles[place]);
}

// Prints which model of Quake or Quake II a mesh replaces. An .mdl of a folder that is mounted
// later stays.
static void print_replaced(tool_game *opened, const char *mesh)
{
    const tool_places *const places = &opened->places;
    char *const old = tool_find_replaced(places->game, mesh);
    const uint32_t first = md5_game_find_file(places->game, mesh, 0);
    const uint32_t second = old ? md5_game_find_file(places->game, old, 0) : MD5_NONE;
    if (first != MD5_NONE && second != MD5_NONE) {
        bool is_shown = first <= second || common_has_ending(old, ".md2");
        COMMON_FOR (i, 3) // in one folder or its archives
            is_shown |= first < places->ends[i] && (i == 0 || second >= places->ends[i - 1]);
        SAY(opened, "  %s in %s %s %s in %s\n",
            "{\"kind\":\"replaces\",\"name\":%s,\"place\":%s,\"how\":%s,\"other\":%s,"
            "\"other_place\":%s}\n",
            mesh, places->list.titles[first],
            is_shown ? "replaces" : "is mounted before, and yields to", old,
            places->list.titles[second]);
    }
    free(old);
}

typedef struct placed_file {
    const char *name;
    size_t place;
} placed_file;

static int compare_placed(const void *a, const void *b)
{
    const placed_file *const x = a, *const y = b;
    const int order = common_compare_case(x->name, y->name);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

// Prints what is mounted, which file hides which, and what meshes replace.
static void print_mounted(tool_game *opened)
{
    const common_game_places *const list = &opened->places.list;
    placed_file *files = NULL;
    size_t count = 0;
    fputs(opened->is_json ? "" : "mounted, best first:\n", stdout);
    COMMON_FOR (i, list->count) {
        SAY(opened, "  %s\n", "{\"kind\":\"mounted\",\"place\":%s}\n", list->titles[i]);
        COMMON_FOR (k, list->paths[i].num_files) {
            files = common_grow(files, count, sizeof *files);
            files[count++] = (placed_file){list->paths[i].name(list->paths[i].user, k), i};
        }
    }
    common_sort(files, count, sizeof *files, compare_placed);
    for (size_t i = 1, best = 0; i < count; i++) {
        if (common_compare_case(files[i].name, files[best].name) != 0)
            best = i;
        else if (files[i].place != files[i - 1].place && !common_is_archive(files[i].name))
            SAY(opened, "hidden: %s in %s, by that in %s\n",
                "{\"kind\":\"hidden\",\"name\":%s,\"place\":%s,\"by\":%s}\n", files[i].name,
                list->titles[files[i].place], list->titles[files[best].place]);
    }
    free(files);
    COMMON_FOR (i, md5_game_num_files(opened->game))
        if (common_has_ending(md5_game_file(opened->game, i), ".md5mesh"))
            print_replaced(opened, md5_game_file(opened->game, i));
}

// What the game has said since the last time.
static void print_problems(tool_game *opened)
{
    char text[TOOL_MESSAGE];
    COMMON_FOR (i, opened->num_notes) {
        md5_format_error(&opened->notes[i], text, sizeof text);
        SAY(opened, "    %s\n", "{\"kind\":\"warning\",\"message\":%s}\n", text);
    }
    clear_notes(opened);
}

// Prints the engine's verdict and then the lenient one, which stays; of an entity with all that it
// inherits.
static bool print_verdicts(tool_game *opened, const md5_decl *named, md5_error *error)
{
    static const char *const titles[] = {
        [MD5_VERDICT_LENIENT] = "lenient verdict", [MD5_VERDICT_ENGINE] = "engine's verdict"};
    for (int i = MD5_VERDICT_ENGINE; i >= MD5_VERDICT_LENIENT; i--) {
        clear_notes(opened);
        if (!md5_game_set_verdict(opened->game, (md5_verdict)i, error))
            return false;
        const md5_decl *const decl = md5_find_decl(opened->game, named->type, named->name);
        if (named->type == MD5_DECL_ENTITY ? !md5_game_entity_def(opened->game, named->name, error)
                                           : !parse_decl(opened->game, decl, error))
            return false;
        const bool is_default = decl->state == MD5_DECL_DEFAULTED;
        SAY(opened, "  %s: %s\n", "{\"kind\":\"verdict\",\"by\":%s,\"result\":%s}\n", titles[i],
            is_default ? "the default of its type" : "as declared");
        print_problems(opened);
    }
    return true;
}

// -- What a declaration needs ---------------------------------------------------------------------

// Whether the engine finds an image: built-in ones are always there, and some are compressed.
static bool has_image(const tool_game *opened, const char *name)
{
    char *const packed = common_format("dds/%s.dds", name);
    const bool is_there = name[0] == '_' || md5_game_image_file(opened->game, name)
                          || md5_game_find_file(opened->game, packed, 0) != MD5_NONE;
    free(packed);
    return is_there;
}

static void print_image(tool_game *opened, const char *name)
{
    const char *const file = md5_game_image_file(opened->game, name); // found as by the engine
    if (file) {
        print_file(opened, "image", file, 0);
    } else if (!has_image(opened, name)) {
        SAY(opened,
            strrchr(name, '.') ? "  %s: %s: missing\n" : "  %s: %s: missing, as .tga and .jpg\n",
            "{\"kind\":\"missing\",\"what\":%s,\"name\":%s}\n", "image", name);
        opened->has_missing = true;
    }
}

static void print_needed_decl(tool_game *opened, const char *what, md5_decl_type type,
                              const char *name)
{
    const md5_decl *const decl = md5_find_decl(opened->game, type, name);
    what += opened->is_json ? strspn(what, " ") : 0;
    if (decl && decl->file)
        SAY(opened, "  %s: %s, declared %s:%u\n",
            "{\"kind\":\"needs\",\"what\":%s,\"name\":%s,\"file\":%s,\"line\":%u}\n", what, name,
            decl->file, line_of_decl(decl));
    else
        SAY(opened,
            type == MD5_DECL_MATERIAL ? "  %s: %s: declared nowhere, taken for an image\n"
                                      : "  %s: %s: declared nowhere\n",
            "{\"kind\":\"needs\",\"what\":%s,\"name\":%s}\n", what, name);
    if (type == MD5_DECL_MATERIAL && !(decl && decl->file))
        print_image(opened, name);
}

// Prints why the engine draws no image of a material, whatever its stages name.
static void print_undrawn(tool_game *opened, const char *name)
{
    static const md5_material_input plain = {.parms = {1, 1, 1, 1}};
    static float registers[MD5_MAX_REGISTERS];
    bool is_drawn = false;
    md5_game_set_verdict(opened->game, MD5_VERDICT_ENGINE, NULL);
    const md5_material *const material = md5_game_material(opened->game, name, NULL);
    md5_game_set_verdict(opened->game, MD5_VERDICT_LENIENT, NULL);
    if (!material)
        return;
    md5_evaluate_material(material, &plain, registers);
    COMMON_FOR (i, material->num_stages) // bumps, which the engine adds, show nothing alone
        is_drawn |= material->stages[i].light != MD5_STAGE_BUMP
                    && registers[material->stages[i].condition] != 0;
    const char *const reason = material->gui               ? "a guisurf: what a gui draws is on it"
                               : material->num_stages == 0 ? "it has no stages"
                               : is_drawn                  ? NULL
                                                           : "no stage is drawn: all are if 0";
    if (reason)
        SAY(opened, "  black or unseen: %s: %s\n",
            "{\"kind\":\"unseen\",\"name\":%s,\"reason\":%s}\n", name, reason);
}

static void explain_surfaces(tool_game *opened, const char *file);

// The materials that a mesh names, and what is wrong with them.
static void print_mesh_materials(tool_game *opened, const char *file)
{
    const md5_load_opts opts = {
        .files = md5_game_files(opened->game),
        .without = MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS,
    };
    md5_error error = {0};
    md5_model *const model = md5_load_model(file, &opts, &error);
    if (!model) {
        take_note(opened, &error);
        print_problems(opened);
        return;
    }
    // Other engines take no shader for a material.
    const bool is_material =
        tool_minds(tool_engines(opened->check->asked, opened->game, file), "no-material");
    COMMON_FOR_WHILE (i, model->num_meshes, is_material)
        if (model->meshes[i].shader[0])
            print_needed_decl(opened, "material", MD5_DECL_MATERIAL, model->meshes[i].shader);
        else
            SAY(opened, "  material: mesh %u names none\n", "{\"kind\":\"unnamed\",\"mesh\":%u}\n",
                i);
    md5_free_model(model);
    explain_surfaces(opened, file);
}

// The mesh with its materials, and the files of all clips.
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
    COMMON_FOR (i, model->num_anims) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        SAY(opened, "  clip: %s, %u frames, %u frame commands\n",
            "{\"kind\":\"clip\",\"name\":%s,\"frames\":%u,\"commands\":%u}\n", anim->name,
            anim->num_frames, anim->num_commands);
        COMMON_FOR (j, anim->num_files)
            print_file(opened, "  file", anim->files[j], 0);
    }
    return true;
}

static bool explain_figure(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_figure_def *const figure = md5_game_figure_def(opened->game, decl->name, error);
    if (figure)
        SAY(opened, "  bodies: %u\n", "{\"kind\":\"bodies\",\"count\":%u}\n", figure->num_bodies);
    return figure;
}

// What keys make of an entity beside its clips, and what is wrong in them: its figure, looking,
// legs that stand on the ground by IK.
static void explain_character(tool_game *opened, const md5_entity_def *def)
{
    static const char *const keys[] = {"look_joint", "ik_numLegs", "articulatedFigure", "ragdoll"};
    const md5_load_opts opts = options_of(opened);
    const md5_figure_def *figure = NULL;
    md5_error problem = {0};
    bool is_any = false;
    COMMON_FOR (i, COMMON_LENGTH(keys)) {
        const md5_entity_key *const key = md5_entity_def_next_key(def, keys[i], NULL);
        is_any |= key != NULL;
        if (i < 2 || !key || !key->value[0])
            continue;
        print_needed_decl(opened, "figure", MD5_DECL_ARTICULATED_FIGURE, key->value);
        figure = md5_game_figure_def(opened->game, key->value, &problem);
    }
    if (!is_any)
        return;
    md5_entity *const entity = md5_load_entity(opened->game, def->decl->name, &opts, &problem);
    md5_monster_desc desc = {.entity = entity};
    if (entity)
        desc.body = md5_create_actor(entity, NULL, &problem);
    if (entity && entity->num_parts > 0 && strcmp(entity->parts[0].key, "def_head") == 0)
        desc.head = md5_create_actor(entity->parts[0].entity, NULL, &problem);
    md5_figure *const made =
        entity && figure ? md5_create_figure(figure, entity, &opts, &problem) : NULL;
    md5_monster *const monster = desc.body ? md5_create_monster(&desc, &opts, &problem) : NULL;
    float mass = 0;
    for (uint32_t i = 0; made && i < made->num_bodies; i++)
        mass += made->bodies[i].mass;
    SAY(opened, "  mass: %g, legs by IK: %u\n", "{\"kind\":\"mass\",\"value\":%g,\"legs\":%u}\n",
        mass, monster ? md5_monster_state(monster).num_legs : 0);
    if (problem.status != MD5_OK)
        take_note(opened, &problem);
    print_problems(opened);
    md5_free_figure(made);
    md5_destroy_monster(monster);
    md5_destroy_actor(desc.head);
    md5_destroy_actor(desc.body);
    md5_free_entity(entity);
}

// All keys, and what they make of the entity.
static bool explain_entity(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    static const struct {
        const char *key;
        md5_decl_type type;
    } parts[] = {{"def_head", MD5_DECL_MODEL}, {"def_attach", MD5_DECL_ENTITY}};
    const md5_entity_def *const entity = md5_game_entity_def(opened->game, decl->name, error);
    if (!entity)
        return false;
    COMMON_EACH (key, entity->keys, entity->num_keys) {
        const bool is_inherited = key->decl != entity->decl;
        if (is_inherited)
            SAY(opened, "  key: %s = %s, inherited from %s\n",
                "{\"kind\":\"key\",\"name\":%s,\"value\":%s,\"from\":%s}\n", key->name, key->value,
                key->decl->name);
        else
            SAY(opened, "  key: %s = %s\n", "{\"kind\":\"key\",\"name\":%s,\"value\":%s}\n",
                key->name, key->value);
    }
    // What it looks like: a model is a modelDef or else a file.
    const char *const model = md5_entity_def_value(entity, "model");
    const char *const skin = md5_entity_def_value(entity, "skin");
    if (model && md5_find_decl(opened->game, MD5_DECL_MODEL, model))
        print_needed_decl(opened, "model", MD5_DECL_MODEL, model);
    else if (model && model[0])
        print_file(opened, "model", model, 0);
    if (skin)
        print_needed_decl(opened, "skin", MD5_DECL_SKIN, skin);
    COMMON_FOR (i, COMMON_LENGTH(parts))
        for (const md5_entity_key *key = NULL;
             (key = md5_entity_def_next_key(entity, parts[i].key, key)) != NULL;)
            print_needed_decl(opened, key->name, parts[i].type, key->value);
    explain_character(opened, entity);
    return true;
}

static bool explain_skin(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(opened->game, decl->name, error);
    for (uint32_t i = 0; skin && i < skin->num_rows; i++) {
        SAY(opened, "  replaces: %s\n", "{\"kind\":\"replaces\",\"name\":%s}\n",
            skin->rows[i].from ? skin->rows[i].from : "every material");
        print_needed_decl(opened, "  by", MD5_DECL_MATERIAL, skin->rows[i].to);
        print_undrawn(opened, skin->rows[i].to);
    }
    return true;
}

static bool explain_material(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_material *const material = md5_game_material(opened->game, decl->name, error);
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_image_program *const image = &material->stages[i].image;
        COMMON_FOR (k, image->num_steps) {
            if (image->steps[k].kind == MD5_IMAGE_FILE && !material->stages[i].cube)
                print_image(opened, image->steps[k].file);
        }
    }
    print_undrawn(opened, decl->name);
    return true;
}

static bool explain_table(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_table *const table = md5_game_table(opened->game, decl->name, error);
    if (table)
        SAY(opened, "  values: %u\n", "{\"kind\":\"values\",\"count\":%u}\n", table->num_values);
    return true;
}

// == verdicts =====================================================================================

static void print_decl(const tool_game *opened, const md5_decl *decl)
{
    common_print_json("{%s:%s,\"file\":%s,\"line\":%u,\"state\":%s", opened->kind, decl->name,
                      decl->file ? decl->file : "<implicit file>", decl->line,
                      decl->state == MD5_DECL_PARSED ? "parsed" : "default");
}

// -- Materials ------------------------------------------------------------------------------------

// The registers of a stage at one time: whether it is drawn, its color, alpha test and matrix.
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
    COMMON_FOR_WHILE (i, 6, stage->has_matrix)
        common_print_json(i == 0  ? ",\"m\":[%g"
                          : i < 5 ? ",%g"
                                  : ",%g]",
                          registers[stage->matrix[i / 3][i % 3]]);
    putchar('}');
}

// A gui sets the sort of each material that it draws with, also of the cursor and the scroll
// bars, whatever the material says.
static bool print_material_verdict(tool_game *opened, const md5_decl *decl, md5_error *error)
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
    COMMON_FOR (i, material->num_stages) {
        const md5_stage *const stage = &material->stages[i];
        static const md5_material_input t0 = {.time = 1, .parms = {1, 1, 1, 1}};
        static const md5_material_input t1 = {
            .time = 1.375f,
            .parms = {1, 1, 1, 1, 0.25f, 0.5f, 0, 0.75f},
        };
        // An image of which the engine does not find all files is replaced by one that repeats.
        // Built-in images always exist.
        bool is_there = stage->image.num_steps > 0;
        COMMON_EACH (step, stage->image.steps, stage->image.num_steps) {
            is_there = is_there
                       && (step->kind != MD5_IMAGE_FILE || step->file[0] == '_'
                           || md5_game_image_file(opened->game, step->file));
        }
        fputs(i > 0 ? "," : "", stdout);
        common_print_json("{\"light\":%d,\"bits\":%g,\"image\":%s,\"repeat\":%d,\"texgen\":%d,"
                          "\"vcol\":%d,\"program\":%d,\"dyn\":%d",
                          (int)stage->light, (double)stage->bits, stage->image.text,
                          is_there ? (int)stage->repeat : 0, (int)stage->texgen,
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

// The rows in their order, which decides: "*" stands for every material.
static bool print_skin_verdict(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(opened->game, decl->name, error);
    if (!skin)
        return false;
    print_decl(opened, skin->decl);
    fputs(",\"models\":[", stdout);
    COMMON_FOR (i, skin->num_models)
        common_print_json(i > 0 ? ",%s" : "%s", skin->models[i]);
    fputs("],\"map\":[", stdout);
    COMMON_FOR (i, skin->num_rows)
        common_print_json(i > 0 ? ",[%s,%s]" : "[%s,%s]",
                          skin->rows[i].from ? skin->rows[i].from : "*", skin->rows[i].to);
    puts("]}");
    return true;
}

// Models print what they inherit too, so that a long chain of them would print very many
// animations: opened->left is how many, with their commands, may still be.
static bool print_model_verdict(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, error);
    if (!model && error->status != MD5_OK && error->status != MD5_ERROR_RANGE) {
        error->file[0] = '\0';
        return false;
    }
    if (!model) // without an error there is no such model
        return convert_fail(error, MD5_ERROR_RANGE, "", "no model is called '%.100s'", decl->name);
    COMMON_FOR (i, model->num_anims) {
        const size_t size = 1 + (size_t)md5_model_def_anim(model, i)->num_commands;
        if (size > opened->left)
            return convert_fail(
                error, MD5_ERROR_RANGE, "",
                "too many animations and frame commands: those from model '%.100s' on "
                "are not printed",
                decl->name);
        opened->left -= size;
    }
    print_decl(opened, model->decl);
    common_print_json(",\"mesh\":%s,\"skin\":%s,\"offset\":[%g,%g,%g],\"joints\":%u", model->mesh,
                      model->skin, model->offset.x, model->offset.y, model->offset.z,
                      model->num_joints);
    static const char *const names[MD5_NUM_CHANNELS] = {"all", "torso", "legs", "head", "eyelids"};
    COMMON_FOR_FROM (i, MD5_CHANNEL_TORSO, MD5_NUM_CHANNELS) {
        const md5_model_channel *const channel = &model->channels[i];
        printf("%s\"%s\":[", i > MD5_CHANNEL_TORSO ? "," : ",\"channels\":{", names[i]);
        COMMON_FOR (j, channel->num_joints)
            printf("%s%u", j > 0 ? "," : "", channel->joints[j]);
        putchar(']');
    }
    fputs("},\"anims\":[", stdout);
    COMMON_FOR (i, model->num_anims) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        fputs(i > 0 ? "," : "", stdout);
        common_print_json("{\"name\":%s,\"alias\":%s,\"files\":[", anim->name, anim->alias);
        COMMON_FOR (k, anim->num_files)
            common_print_json(k > 0 ? ",%s" : "%s", anim->files[k]);
        printf("],\"ms\":%u,\"frames\":%u,\"flags\":%u,\"cmds\":[", anim->milliseconds,
               anim->num_frames, anim->flags);
        COMMON_FOR (k, anim->num_commands) {
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

// What can be done with declarations, and with the clips of models. Lists come in this order.
static const struct decl_kind {
    const char *name, *plural;
    md5_decl_type type;
    visit_fn *list;
    const char *ending; // of files that are listed too
    visit_fn *explain, *print_verdict;
    bool is_of_gui;
} kinds[] = {
    {"model", "models", MD5_DECL_MODEL, list_decl, ".md5mesh", explain_model, print_model_verdict,
     false},
    {"entity", "entities", MD5_DECL_ENTITY, list_decl, NULL, explain_entity, NULL, false},
    {"skin", "skins", MD5_DECL_SKIN, list_decl, NULL, explain_skin, print_skin_verdict, false},
    {"clip", "clips", MD5_DECL_MODEL, list_clips, ".md5anim", NULL, NULL, false},
    {"material", "materials", MD5_DECL_MATERIAL, list_decl, NULL, explain_material,
     print_material_verdict, false},
    {"material", "gui-materials", MD5_DECL_MATERIAL, NULL, NULL, NULL, print_material_verdict,
     true},
    {"table", "tables", MD5_DECL_TABLE, NULL, NULL, explain_table, NULL, false},
    {"figure", "figures", MD5_DECL_ARTICULATED_FIGURE, NULL, NULL, explain_figure, NULL, false},
};
enum { NUM_KINDS = COMMON_LENGTH(kinds) };

// Returns NUM_KINDS if there is no such word.
static int kind_of(const char *word)
{
    int kind = 0;
    while (kind < NUM_KINDS && strcmp(word, kinds[kind].plural) != 0)
        kind++;
    return kind;
}

// Takes DIR from the words. Without --base the first one is DIR; with it, DIR is there if there are
// more than `max_others` words. Returns an exit status, and prints what is wrong.
static int take_folder(tool_arguments *arguments, int max_others)
{
    if (arguments->num_words > 0 && (!arguments->base || arguments->num_words > max_others)) {
        arguments->folder = *arguments->words++;
        arguments->num_words--;
    }
    return arguments->folder || arguments->base ? TOOL_OK
                                                : tool_usage(arguments->command, "missing folder");
}

// Clips that were cut off, or a model that cannot be read, make the list a failure.
static int list(tool_arguments *arguments)
{
    tool_game game;
    bool selected[NUM_KINDS] = {false}, is_all = true, has_files = false;
    int status = take_folder(arguments, NUM_KINDS + 1);
    if (status != TOOL_OK)
        return status;
    COMMON_FOR (i, arguments->num_words) {
        const char *const word = arguments->words[i];
        const int kind = kind_of(word);
        const bool is_file = strcmp(word, "files") == 0;
        if (is_file || (kind < NUM_KINDS && kinds[kind].list)) {
            *(is_file ? &has_files : &selected[kind]) = true;
            is_all = false;
        } else if (i == 0 && !arguments->folder) { // with --base the first word may be one
            arguments->folder = word;
        } else {
            return tool_usage("list",
                              "unknown kind '%s': expected models, entities, skins, clips, "
                              "materials or files",
                              word);
        }
    }
    status = open_game(arguments, true, &game);
    if (status == TOOL_OK) {
        if (md5_game_num_unread(game.game) > 0)
            fprintf(stderr, "md5tool: %u files of declarations are not read: see md5tool check\n",
                    md5_game_num_unread(game.game));
        md5_error error = {0};
        game.is_json = arguments->is_json;
        COMMON_FOR_WHILE (i, NUM_KINDS, status == TOOL_OK) {
            if (!kinds[i].list || !(selected[i] || is_all))
                continue;
            game.kind = kinds[i].name;
            status = tool_end(walk_decls(&game, kinds[i].type, kinds[i].list, &error), &error);
            if (status == TOOL_OK && kinds[i].ending && !game.is_cut) {
                // Files with the ending that no model has named.
                const common_list *const used = &game.used;
                common_sort(used->names, used->count, sizeof *used->names, common_by_case);
                const size_t count = md5_game_num_files(game.game);
                COMMON_FOR (j, count) {
                    const char *const name = md5_game_file(game.game, j);
                    if (common_has_ending(name, kinds[i].ending)
                        && !(used->count > 0
                             && bsearch(&name, used->names, used->count, sizeof name,
                                        common_by_case)))
                        print_line(&game, NULL, name, NULL, 0);
                }
            }
        }
        const size_t num_files = has_files ? md5_game_num_files(game.game) : 0;
        COMMON_FOR (i, num_files) {
            const char *const name = md5_game_file(game.game, i);
            game.is_found = true;
            if (arguments->is_json)
                common_print_json(i == 0 ? "[%s" : ",\n%s", name);
            else
                common_print(stdout, "%s\n", name);
        }
        if (has_files && arguments->is_json)
            puts(num_files > 0 ? "]" : "[]");
        if (!game.is_found)
            tool_name_other(&game.places);
        if (game.is_cut || (game.places.num_unread > 0 && !game.is_found))
            status = TOOL_BAD_FILE;
    }
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
    "Lists the contents of a game folder: models, entities, skins, clips and materials, or "
    "only\n"
    "the given KINDs. Models and clips include .md5mesh and .md5anim files that no "
    "declaration\n"
    "names, so folders without declarations can be listed too. Each line has the kind, the "
    "name\n"
    "(of clips: model and clip) and file:line of the declaration. The KIND files is all files,\n"
    "names alone; with --json one array, as the element <md5-model> reads it.\n"
    "\n"
    "  --base DIR          the base game folder, if DIR adds to another one\n"
    "  --mod DIR           a mod, whose files hide those of DIR\n"
    "  --json              print one JSON object per line\n"};

// Of tool_game_check: prints a reason; user: the game.
static void print_reason(void *user, const md5_finding *found)
{
    char text[TOOL_MESSAGE];
    md5_format_error(&found->error, text, sizeof text);
    if (!found->is_silent)
        SAY((const tool_game *)user, found->rule[0] ? "    %s [%s] %s\n" : "    %s\n",
            "{\"kind\":\"warning\",\"message\":%s,\"rule\":%s,\"engines\":%s}\n", text, found->rule,
            found->engines);
}

static void begin_check(tool_game *opened, tool_game_check *check);

static int explain(tool_arguments *arguments)
{
    tool_game game;
    tool_game_check check = {.print = print_reason, .user = &game, .asked = arguments->asked};
    int status = take_folder(arguments, 1);
    if (status != TOOL_OK)
        return status;
    if (arguments->num_words > 1)
        return tool_usage("explain", "expected one name");
    const char *name = arguments->num_words > 0 ? arguments->words[0] : NULL;
    if (name && !arguments->folder && common_holds_files(name)) { // beside --base
        arguments->folder = name;
        name = NULL;
    }
    md5_error error = {0};
    status = open_game(arguments, true, &game);
    game.is_json = arguments->is_json;
    if (status == TOOL_OK)
        begin_check(&game, &check);
    if (status == TOOL_OK && !name)
        print_mounted(&game);
    if (status != TOOL_OK || !name) {
        close_game(&game);
        return status;
    }
    // All declarations of the name, of whatever type, and then the file of that name.
    COMMON_FOR_WHILE (i, NUM_KINDS, status == TOOL_OK) {
        const md5_decl *const decl = md5_find_decl(game.game, kinds[i].type, name);
        if (!kinds[i].explain || !decl || !decl->file)
            continue;
        game.is_found = true;
        SAY(&game, "%s %s\n", "{\"kind\":%s,\"name\":%s}\n", kinds[i].name, decl->name);
        print_file(&game, "declared", decl->file, line_of_decl(decl));
        for (const md5_decl *hidden = decl->hidden; hidden; hidden = hidden->hidden)
            print_file(&game, "hides declaration", hidden->file, line_of_decl(hidden));
        const md5_decl named = {.type = kinds[i].type, .name = name};
        (void)(print_verdicts(&game, &named, &error) && kinds[i].explain(&game, &named, &error));
        status = tool_end(error.status == MD5_OK, &error);
    }
    if (status == TOOL_OK) {
        const bool is_file = md5_game_find_file(game.game, name, 0) != MD5_NONE;
        const char *const file = is_file ? name : md5_game_image_file(game.game, name);
        if (file) {
            game.is_found = true;
            SAY(&game, "file\n", "{\"kind\":\"path\"}\n");
            print_file(&game, "is", file, 0);
            COMMON_FOR (i, 2) { // the mesh itself, or that of an .mdl or .md2
                char *const mesh = tool_find_beside(game.game, file, i ? "md5/" : "", ".md5mesh");
                if (mesh)
                    print_replaced(&game, mesh);
                free(mesh);
            }
            if (common_has_ending(file, ".md5mesh"))
                print_mesh_materials(&game, file);
        }
        const char *near = NULL;
        COMMON_FOR_WHILE (i, NUM_KINDS, !game.is_found && !near)
            near = find_near_decl(&game, kinds[i].type, name);
        if (!game.is_found)
            SAY(&game, near ? "nothing is named %s: did you mean '%s'?\n" : "nothing is named %s\n",
                near ? "{\"kind\":\"nothing\",\"name\":%s,\"near\":%s}\n"
                     : "{\"kind\":\"nothing\",\"name\":%s}\n",
                name, near);
        if (!game.is_found || game.has_missing) {
            fputs(game.is_json ? "" : "searched, best first:\n", stdout);
            COMMON_FOR (i, game.places.list.count)
                SAY(&game, "  %s\n", "{\"kind\":\"searched\",\"place\":%s}\n",
                    game.places.list.titles[i]);
        }
        status = game.is_found ? TOOL_OK : TOOL_BAD_FILE;
    }
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
    "Prints what is mounted of a game folder or an archive, best first, as its engine does: in\n"
    "Quake .pak files over the folder, by their numbers; in Doom 3 the folder over its .pk4, by\n"
    "name; which file hides which, and which mesh replaces an .mdl or .md2. Or, of one NAME, all\n"
    "items: entity, model, skin, material, table, figure or file.\n"
    "For each: file and line of the declaration, and the folder or archive of that file; what "
    "it\n"
    "hides; the files it needs, their locations, and the search path of missing ones; the "
    "results\n"
    "of the engine's and of the lenient parser, with their warnings; of a mesh what keeps its\n"
    "surfaces from their images, as check says it. The exit status is 1 if there is no item of\n"
    "this name.\n"
    "\n"
    "  --for ENGINE        of meshes: what keeps them in this engine; may be repeated\n"
    "  --base DIR          the base game folder, if DIR adds to another one\n"
    "  --mod DIR           a mod, whose files hide those of DIR\n"
    "  --json              print one JSON object per line, with its kind: the item's type, file,\n"
    "                      hidden, missing, needs, verdict, warning, clip, key, searched, ...\n"};

static int verdicts(tool_arguments *arguments)
{
    tool_game opened;
    int status = take_folder(arguments, INT_MAX);
    if (status != TOOL_OK)
        return status;
    if (!arguments->base)
        return tool_usage("verdicts", "missing --base DIR");
    const char expected[] = "expected materials, gui-materials, skins or models";
    if (arguments->num_words == 0)
        return tool_usage("verdicts", "missing kind: %s", expected);
    const int kind = kind_of(arguments->words[0]);
    if (kind == NUM_KINDS || !kinds[kind].print_verdict)
        return tool_usage("verdicts", "unknown kind '%s': %s", arguments->words[0], expected);
    status = open_game(arguments, false, &opened);
    if (status == TOOL_OK) {
        md5_error error = {0};
        opened.kind = kinds[kind].name;
        opened.is_of_gui = kinds[kind].is_of_gui;
        opened.left = 1 << 18;
        bool is_printed = md5_game_set_verdict(opened.game, MD5_VERDICT_ENGINE, &error);
        for (int i = 1; i < arguments->num_words && is_printed; i++)
            is_printed = kinds[kind].print_verdict(
                &opened, &(md5_decl){.name = arguments->words[i]}, &error);
        if (arguments->num_words == 1 && is_printed)
            is_printed = walk_decls(&opened, kinds[kind].type, kinds[kind].print_verdict, &error);
        status = tool_end(is_printed, &error);
    }
    close_game(&opened);
    return status;
}

const tool_command tool_verdicts = {
    "verdicts",
    verdicts,
    0,
    INT_MAX,
    "folder",
    "usage: md5tool verdicts --base DIR [--mod DIR] KIND [NAME...]\n"
    "\n"
    "Parses the declarations of a Doom 3 game folder as the original engine does, and prints "
    "the\n"
    "result for each, or for the given NAMEs, as one JSON object per line; numbers that are "
    "not\n"
    "finite are null. Warnings are printed to standard error in the engine's words, as\n"
    "file:line:column: warning: text.\n"
    "\n"
    "KIND is materials, skins, models, or gui-materials: materials after a GUI has set their "
    "sort.\n"
    "\n"
    "  --base DIR          the game folder, with its .pk4 archives\n"
    "  --mod DIR           a mod, whose files hide those of the base\n"};

// == check ========================================================================================

// Finds out whether there are declarations; if so, and no engines are asked, those are that have
// such games.
static void begin_check(tool_game *opened, tool_game_check *check)
{
    static const char *const engines[] = {"doom3", "darkmod", "quake4"};
    const uint32_t num_materials = md5_game_num_decls(opened->game, MD5_DECL_MATERIAL);
    opened->check = check;
    opened->is_on_surface = common_alloc(num_materials + (size_t)1, sizeof *opened->is_on_surface);
    COMMON_FOR (i, MD5_NUM_DECL_TYPES)
        check->has_decls |= md5_game_num_decls(opened->game, (md5_decl_type)i) > 0;
    const bool is_asked = check->asked.all != 0 || !check->has_decls;
    COMMON_FOR_WHILE (i, 3, !is_asked)
        check->asked.sure = check->asked.all |= md5_find_engines(engines[i]);
}

static void print_finding(tool_game *opened, const md5_finding *found)
{
    opened->check->places = opened->places; // the game may be another one by now
    opened->check->print(opened->check->user, found);
}

// Whether a note says that a word is one of the only engine that was asked, which reads it.
static bool is_own_word(md5_engines asked, const char *note)
{
    static const struct {
        const char *ending, *engine;
    } words[] = {{"a word of The Dark Mod, skipped", "darkmod"},
                 {"a word of Quake 4, skipped", "quake4"},
                 {"a word of RBDOOM, skipped", "rbdoom"}};
    bool is_own = false;
    COMMON_FOR (i, COMMON_LENGTH(words))
        is_own |= asked.all == md5_find_engines(words[i].engine)
                  && common_has_ending(note, words[i].ending);
    return is_own;
}

// Prints them by their places; then there are none.
static void print_findings(tool_game *opened, md5_check *facts)
{
    size_t count = 0;
    const md5_finding *const found = facts ? tool_findings(facts, &count) : NULL;
    COMMON_FOR (i, count)
        print_finding(opened, &found[i]);
    if (facts)
        facts->num_findings = 0;
}

static void print_notes(tool_game *opened)
{
    COMMON_FOR (i, opened->num_notes)
        if (!is_own_word(opened->check->asked, opened->notes[i].message))
            print_finding(opened, &(md5_finding){.error = opened->notes[i], .count = 1});
    if (opened->num_left_out > 0) {
        md5_finding more = {.error = {.status = MD5_WARNING}, .count = 1};
        snprintf(more.error.message, sizeof more.error.message, "%zu further warnings suppressed",
                 opened->num_left_out);
        print_finding(opened, &more);
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
    tool_add_finding(check, rule, at, format, values);
    print_finding(opened, check->findings);
    md5_free_check(check);
    va_end(values);
}

// Whether a thing is declared or, of a material, is an image, which is drawn as it is.
static bool is_there(const tool_game *opened, md5_decl_type type, const char *name)
{
    const md5_decl *const decl = md5_find_decl(opened->game, type, name);
    return (decl && decl->file) || (type == MD5_DECL_MATERIAL && has_image(opened, name));
}

// Prints that a material is nowhere, and the nearest one or, without one, the nearest image. If
// there are many such, beyond some work none is looked for.
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

// Prints which materials of a file's meshes are nowhere; marks the others, and keeps images that
// are taken for one.
static void judge_surfaces(tool_game *opened, const md5_check *facts)
{
    COMMON_EACH (shader, facts->shaders, facts->num_shaders) {
        const md5_decl *const decl = md5_find_decl(opened->game, MD5_DECL_MATERIAL, shader->name);
        const char *const image = md5_game_image_file(opened->game, shader->name);
        if (decl && decl->file)
            opened->is_on_surface[decl->index] = true;
        else if (image)
            common_add(&opened->seen, common_copy(image));
        else if (shader->name[0] && !common_is_absolute(shader->name)
                 && !is_there(opened, MD5_DECL_MATERIAL, shader->name))
            print_no_material(opened, facts->file, (text_place){shader->line, shader->column},
                              shader->name);
    }
}

// Reads what engines say to a file of the game, keeps what it is compared with, and prints it
// behind the notes of reading it and the reason why it cannot be read, if there is one.
static void judge_file(tool_game *opened, const char *name, const md5_model *model,
                       const md5_error *reason)
{
    md5_check *const facts = tool_check_file(opened->game, name, opened->check->asked);
    if (facts && model)
        md5_check_model(facts, model);
    const size_t num_notes = opened->num_notes;
    opened->num_notes = 0;
    COMMON_FOR (i, num_notes)
        if (!tool_is_judged(facts, &opened->notes[i]))
            opened->notes[opened->num_notes++] = opened->notes[i];
    print_notes(opened);
    if (reason->status != MD5_OK && !tool_is_judged(facts, reason))
        print_finding(opened, &(md5_finding){.error = *reason, .count = 1});
    print_findings(opened, facts);
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

// Returns NULL if the game has no such file.
static judged_file *find_file(const tool_game *opened, const char *name)
{
    md5_check check = {.file = name};
    const judged_file key = {.check = &check};
    return opened->num_files > 0 ? bsearch(&key, opened->files, opened->num_files,
                                           sizeof *opened->files, compare_files)
                                 : NULL;
}

// Prints what engines say to the clips of a model with its mesh. A clip is read again, and the mesh
// if there is such a clip, to look at it once, with the mesh of the first model that has it.
static void judge_clips(tool_game *opened, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_load_opts opts = {.files = md5_game_files(opened->game),
                                .without =
                                    MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES};
    const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, &error);
    const judged_file *const mesh = model && model->mesh ? find_file(opened, model->mesh) : NULL;
    md5_model *shape = NULL;
    md5_check **clips = NULL; // that are looked at
    size_t num_clips = 0;
    COMMON_FOR_WHILE (i, model->num_anims, mesh) {
        const md5_model_anim *const anims = md5_model_def_anim(model, i);
        COMMON_FOR (k, anims->num_files) {
            judged_file *const file = find_file(opened, anims->files[k]);
            if (!file)
                continue;
            md5_check *const clip = file->check;
            const bool is_seen = file->is_seen;
            md5_check_pair(mesh->check, clip);
            shape = is_seen || shape ? shape : md5_load_model(model->mesh, &opts, &error);
            md5_anim *const anim =
                is_seen || !shape ? NULL : md5_load_anim(anims->files[k], &opts, &error);
            if (anim) {
                tool_judge_motion(clip, shape, anim);
                clips = common_grow(clips, num_clips, sizeof(md5_check *));
                clips[num_clips++] = clip;
            }
            file->is_seen |= anim != NULL;
            md5_free_anim(anim);
            print_findings(opened, clip);
        }
    }
    md5_check_turns(clips, num_clips);
    COMMON_FOR (i, num_clips)
        print_findings(opened, clips[i]);
    free(clips);
    md5_free_model(shape);
}

// Prints which images of a material are missing, and keeps the others.
static void keep_images(tool_game *opened, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_material *const material = md5_game_material(opened->game, decl->name, &error);
    const bool is_seen = opened->is_on_surface[decl->index];
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_image_program *const image = &material->stages[i].image;
        COMMON_FOR (k, image->num_steps) {
            const char *const file = image->steps[k].kind == MD5_IMAGE_FILE
                                         ? md5_game_image_file(opened->game, image->steps[k].file)
                                         : NULL;
            if (image->steps[k].kind == MD5_IMAGE_FILE && !material->stages[i].cube
                && !has_image(opened, image->steps[k].file)) {
                char *const near =
                    tool_near_image(opened->game, image->steps[k].file, &opened->work);
                print_broken(opened, decl->file, (text_place){line_of_decl(decl), 1}, "no-image",
                             near ? "'%.100s': no image '%.150s': did you mean '%.150s'?"
                                  : "'%.100s': no image '%.150s'",
                             decl->name, image->steps[k].file, near);
                free(near);
            }
            if (file)
                common_add(is_seen ? &opened->seen : &opened->images, common_copy(file));
        }
    }
}

// Looks at each image of a list once, and decodes those of surfaces.
static void judge_images(tool_game *opened, common_list *images)
{
    common_sort(images->names, images->count, sizeof *images->names, common_by_case);
    COMMON_FOR (i, images->count) {
        const char *const name = images->names[i];
        if (i > 0 && strcmp(name, images->names[i - 1]) == 0)
            continue;
        size_t size = 0;
        md5_check *const facts = tool_check_text(name, NULL, 0, opened->check->asked);
        char *const bytes =
            images == &opened->seen ? tool_read_file(opened->game, name, &size) : NULL;
        md5_error error = {0};
        view_image image = {.rgba = NULL};
        tool_judge_image(opened->game, facts, name);
        if (bytes && !common_has_ending(name, ".bmp")
            && !view_decode_image((uint8_t *)bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error)
            && error.status != MD5_ERROR_IO) // which is a format that this build does not read
            tool_found(facts, "no-image/unreadable", 0, "the image cannot be read: %.250s",
                       error.message);
        free(image.rgba);
        free(bytes);
        print_findings(opened, facts);
        md5_free_check(facts);
    }
    common_free_list(images);
}

// Checks what the keys of an entity name. In a long line of heirs each has the keys of all others,
// and each is compared with the joints and clips of its model.
static bool check_keys(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    enum { MAX_KEYS = 4 << 20 };
    if (opened->num_keys > MAX_KEYS)
        return true;
    const md5_entity_def *const entity = md5_game_entity_def(opened->game, decl->name, error);
    const char *const name = entity ? md5_entity_def_value(entity, "model") : NULL;
    const md5_model_def *const model = name ? md5_game_model_def(opened->game, name, error) : NULL;
    opened->num_keys += (entity ? entity->num_keys : 0)
                        + (model ? (size_t)model->num_joints + model->num_anims : 0);
    if (opened->num_keys > MAX_KEYS)
        print_finding(
            opened, &(md5_finding){.error = {MD5_WARNING, .message = "too many keys are inherited: "
                                                                     "the others are not checked"},
                                   .count = 1});
    return entity && md5_game_check_entity_keys(opened->game, decl->name, error);
}

// Prints which skin of a model, and which materials of a skin, are declared nowhere.
static void check_names(tool_game *opened, const md5_decl *decl)
{
    md5_error error = {0};
    const text_place at = {line_of_decl(decl), 1};
    if (decl->type == MD5_DECL_MODEL) {
        const md5_model_def *const model = md5_game_model_def(opened->game, decl->name, &error);
        if (model && model->skin && !is_there(opened, MD5_DECL_SKIN, model->skin))
            print_broken(opened, decl->file, at, "no-skin-decl", "'%.100s': no skin '%.150s'",
                         decl->name, model->skin);
    } else if (decl->type == MD5_DECL_SKIN) {
        const md5_skin_def *const skin = md5_game_skin_def(opened->game, decl->name, &error);
        for (uint32_t i = 0; skin && i < skin->num_rows; i++)
            if (!is_there(opened, MD5_DECL_MATERIAL, skin->rows[i].to))
                print_no_material(opened, decl->file, at, skin->rows[i].to);
    }
}

// Parses a declaration and prints its warnings; in the engine's verdict it is counted, and of a
// model that is replaced by a default the last warning is the reason.
static bool check_decl(tool_game *opened, const md5_decl *decl, md5_error *error)
{
    const bool is_lenient = opened->verdict == MD5_VERDICT_LENIENT;
    if (!is_lenient)
        clear_notes(opened);
    if (!parse_decl(opened->game, decl, error))
        return false;
    opened->check->num_decls += is_lenient;
    opened->check->num_defaulted += !is_lenient && decl->state == MD5_DECL_DEFAULTED;
    if (is_lenient && decl->type == MD5_DECL_ENTITY && !check_keys(opened, decl, error))
        return false;
    const bool is_seen = decl->type == MD5_DECL_MATERIAL && opened->is_on_surface[decl->index];
    if (!is_lenient && decl->state == MD5_DECL_DEFAULTED
        && (is_seen || decl->type == MD5_DECL_MODEL)) {
        // None if a model that inherits this one has been parsed before it.
        const md5_error *const why =
            opened->num_notes > 0 ? &opened->notes[opened->num_notes - 1] : NULL;
        print_broken(
            opened, decl->file,
            why ? (text_place){why->line, why->column} : (text_place){line_of_decl(decl), 1},
            is_seen ? "defaulted/material" : "defaulted", "'%.100s' becomes the default: %.250s",
            decl->name, why ? why->message : "see the warnings of its lines");
    }
    if (is_lenient)
        print_notes(opened);
    if (is_lenient && decl->type == MD5_DECL_MODEL)
        judge_clips(opened, decl);
    if (is_lenient && decl->type == MD5_DECL_MATERIAL)
        keep_images(opened, decl);
    if (is_lenient)
        check_names(opened, decl);
    return true;
}

// What check says of the surfaces of a mesh: first leniently, then as the engine does.
static void explain_surfaces(tool_game *opened, const char *file)
{
    md5_error error = {0};
    const md5_engines asked = opened->check->asked;
    const uint32_t num_materials = md5_game_num_decls(opened->game, MD5_DECL_MATERIAL);
    opened->check->asked = tool_engines(asked, opened->game, file);
    md5_check *const facts = tool_check_file(opened->game, file, opened->check->asked);
    if (facts) {
        facts->num_findings = 0;
        tool_judge_place(opened->game, facts);
        print_findings(opened, facts);
        if (opened->check->has_decls)
            judge_surfaces(opened, facts);
    }
    clear_notes(opened);
    COMMON_FOR (i, 2) {
        opened->verdict = i == 0 ? MD5_VERDICT_LENIENT : MD5_VERDICT_ENGINE;
        COMMON_FOR (k, num_materials)
            if (opened->is_on_surface[k]
                && md5_game_set_verdict(opened->game, opened->verdict, &error))
                check_decl(opened, md5_game_decl(opened->game, MD5_DECL_MATERIAL, k), &error);
    }
    judge_images(opened, &opened->images);
    judge_images(opened, &opened->seen);
    md5_game_set_verdict(opened->game, MD5_VERDICT_LENIENT, &error);
    COMMON_FOR (i, num_materials)
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
    static const md5_verdict verdicts[] = {MD5_VERDICT_LENIENT, MD5_VERDICT_ENGINE};
    tool_game game;
    md5_error error = {0};
    int status = open_game(arguments, true, &game);
    game.check = check;
    print_notes(&game);
    if (status == TOOL_OK)
        begin_check(&game, check);
    if (check->has_decls) {
        const size_t count = md5_game_num_files(game.game);
        COMMON_FOR (i, count) {
            const char *const name = md5_game_file(game.game, i);
            const tool_kind kind = tool_kind_of(name);
            tool_show_progress(i + 1, count);
            if (kind != TOOL_MODEL && kind != TOOL_ANIM && kind != TOOL_CAMERA)
                continue;
            const md5_load_opts opts = {
                .files = md5_game_files(game.game), .warn = take_note, .warn_user = &game};
            tool_asset asset;
            md5_error reason = {0};
            tool_load(name, &opts, &asset, &reason);
            judge_file(&game, name, asset.model, &reason);
            tool_free(&asset);
            check->num_files++;
        }
        common_sort(game.files, game.num_files, sizeof *game.files, compare_files);
        // First leniently, and then as the engine does, which stops at the first error of a
        // declaration: its warnings are among the lenient ones.
        bool is_checked = true;
        COMMON_FOR_WHILE (i, 2, is_checked) {
            game.verdict = verdicts[i];
            is_checked = md5_game_set_verdict(game.game, game.verdict, &error);
            COMMON_FOR_WHILE (k, COMMON_LENGTH(types), is_checked)
                is_checked = walk_decls(&game, types[k], check_decl, &error);
            clear_notes(&game);
        }
        judge_images(&game, &game.images);
        judge_images(&game, &game.seen);
        status = tool_end(is_checked, &error);
    }
    check->places = game.places;
    game.places = (tool_places){.game = NULL}; // they stay open
    close_game(&game);
    return status;
}
