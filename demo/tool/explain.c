// md5tool explain: prints where the items of one name come from, what they hide, and what is
// missing.
#include "demo/common/text.h"
#include "demo/tool/game.h"
#include "md5/md5game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_explain_help[] =
    "usage: md5tool explain DIR NAME\n"
    "\n"
    "Prints all items of one name in a game folder: entity, model, skin, material, table or file.\n"
    "For each: file and line of the declaration, and the folder or archive of that file; what it\n"
    "hides; the files it needs, their locations, and the search path of missing ones; the results\n"
    "of the engine's and of the lenient parser, with their warnings. The exit status is 1 if "
    "there\n"
    "is no item of this name.\n"
    "\n"
    "  --base DIR          the base game folder, if DIR adds to another one\n"
    "  --mod DIR           a mod, whose files hide those of DIR\n";

typedef struct explainer {
    tool_game *opened;
    md5_game *game;
    const char *name;
    bool is_found, has_missing;
} explainer;

// -- Lines ----------------------------------------------------------------------------------------

static const char *title_of(const explainer *explain, size_t place)
{
    return explain->opened->places.titles[place];
}

// Prints "  WHAT: NAME".
static void print_item(const char *what, const char *name)
{
    printf("  %s: ", what);
    common_print_text(stdout, name);
}

static void end_with_place(const explainer *explain, size_t place)
{
    fputs(" in ", stdout);
    common_print_text(stdout, title_of(explain, place));
    putchar('\n');
}

// Prints where a file is, and which files of other places it hides. `line` may be 0.
static void print_file(explainer *explain, const char *what, const char *file, uint32_t line)
{
    uint32_t place = md5_game_find_file(explain->game, file, 0);
    print_item(what, file);
    if (place == MD5_NONE) {
        puts(": missing");
        explain->has_missing = true;
        return;
    }
    if (line > 0)
        printf(":%u", line);
    end_with_place(explain, place);
    for (;;) {
        place = md5_game_find_file(explain->game, file, place + 1);
        if (place == MD5_NONE)
            return;
        print_item("  hides", file);
        end_with_place(explain, place);
    }
}

// Prints an image file, found as by the engine.
static void print_image(explainer *explain, const char *name)
{
    const char *const file = md5_game_image_file(explain->game, name);
    if (name[0] == '_')
        return;
    if (file) {
        print_file(explain, "image", file, 0);
        return;
    }
    print_item("image", name);
    puts(strrchr(name, '.') ? ": missing" : ": missing, as .tga and .jpg");
    explain->has_missing = true;
}

// -- Both verdicts --------------------------------------------------------------------------------

// Parses a declaration; of an entity with all that it inherits.
static bool parse(const explainer *explain, md5_decl_type type, md5_error *error)
{
    if (type == MD5_DECL_ENTITY)
        return md5_game_entity_def(explain->game, explain->name, error) != NULL;
    return tool_parse_decl(explain->game, type, explain->name, error);
}

// Prints the engine's verdict and then the lenient one, which stays.
static bool print_verdicts(explainer *explain, md5_decl_type type, md5_error *error)
{
    static const char *const titles[] = {
        [MD5_VERDICT_LENIENT] = "lenient verdict", [MD5_VERDICT_ENGINE] = "engine's verdict"};
    for (int i = MD5_VERDICT_ENGINE; i >= MD5_VERDICT_LENIENT; i--) {
        tool_clear_notes(&explain->opened->notes);
        if (!md5_game_set_verdict(explain->game, (md5_verdict)i, error)
            || !parse(explain, type, error))
            return false;
        const md5_decl *const decl = md5_find_decl(explain->game, type, explain->name);
        const bool is_default = decl && decl->state == MD5_DECL_DEFAULTED;
        printf("  %s: %s\n", titles[i], is_default ? "the default of its type" : "as declared");
        char text[TOOL_MESSAGE];
        for (size_t k = 0; k < explain->opened->notes.count; k++) {
            md5_format_error(&explain->opened->notes.notes[k], text, sizeof text);
            printf("    %s\n", text);
        }
    }
    return true;
}

// -- What a declaration needs ---------------------------------------------------------------------

static void print_needed_decl(explainer *explain, const char *what, md5_decl_type type,
                              const char *name)
{
    const md5_decl *const decl = md5_find_decl(explain->game, type, name);
    if (decl && decl->file) {
        print_item(what, name);
        fputs(", declared ", stdout);
        common_print_text(stdout, decl->file);
        printf(":%u\n", tool_decl_line(decl));
    } else {
        print_item(what, name);
        puts(type == MD5_DECL_MATERIAL ? ": declared nowhere, taken for an image"
                                       : ": declared nowhere");
    }
}

// The materials that a mesh names.
static void print_mesh_materials(explainer *explain, const char *file)
{
    const md5_load_opts opts = {
        .files = md5_game_files(explain->game),
        .without = MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS,
    };
    md5_error error;
    md5_model *const model = md5_load_model(file, &opts, &error);
    if (!model) {
        char text[TOOL_MESSAGE];
        md5_format_error(&error, text, sizeof text);
        printf("    %s\n", text);
        return;
    }
    for (uint32_t i = 0; i < model->num_meshes; i++)
        print_needed_decl(explain, "material", MD5_DECL_MATERIAL, model->meshes[i].shader);
    md5_free_model(model);
}

static void print_model(explainer *explain, md5_error *error)
{
    const md5_model_def *const model = md5_game_model_def(explain->game, explain->name, error);
    if (!model)
        return;
    if (model->mesh[0]) {
        print_file(explain, "mesh", model->mesh, 0);
        print_mesh_materials(explain, model->mesh);
    }
    if (model->skin)
        print_needed_decl(explain, "skin", MD5_DECL_SKIN, model->skin);
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        print_item("clip", anim->name);
        printf(", %u frames, %u frame commands\n", anim->num_frames, anim->num_commands);
        for (uint32_t j = 0; j < anim->num_files; j++)
            print_file(explain, "  file", anim->files[j], 0);
    }
}

// The looks of an entity: a model is a modelDef or else a file.
static void print_looks(explainer *explain, const md5_entity_def *entity)
{
    const char *const model = md5_entity_def_value(entity, "model");
    const char *const skin = md5_entity_def_value(entity, "skin");
    if (model && md5_find_decl(explain->game, MD5_DECL_MODEL, model))
        print_needed_decl(explain, "model", MD5_DECL_MODEL, model);
    else if (model && model[0])
        print_file(explain, "model", model, 0);
    if (skin)
        print_needed_decl(explain, "skin", MD5_DECL_SKIN, skin);
    for (const md5_entity_key *key = NULL;
         (key = md5_entity_def_next_key(entity, "def_head", key)) != NULL;)
        print_needed_decl(explain, key->name, MD5_DECL_MODEL, key->value);
    for (const md5_entity_key *key = NULL;
         (key = md5_entity_def_next_key(entity, "def_attach", key)) != NULL;)
        print_needed_decl(explain, key->name, MD5_DECL_ENTITY, key->value);
}

static void print_entity(explainer *explain, md5_error *error)
{
    const md5_entity_def *const entity = md5_game_entity_def(explain->game, explain->name, error);
    if (!entity)
        return;
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        const md5_entity_key *const key = &entity->keys[i];
        print_item("key", key->name);
        fputs(" = ", stdout);
        common_print_text(stdout, key->value);
        if (key->decl != entity->decl) {
            fputs(", inherited from ", stdout);
            common_print_text(stdout, key->decl->name);
        }
        putchar('\n');
    }
    print_looks(explain, entity);
}

static void print_skin(explainer *explain, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(explain->game, explain->name, error);
    for (uint32_t i = 0; skin && i < skin->num_rows; i++) {
        print_item("replaces", skin->rows[i].from ? skin->rows[i].from : "every material");
        putchar('\n');
        print_needed_decl(explain, "  by", MD5_DECL_MATERIAL, skin->rows[i].to);
    }
}

static void print_material(explainer *explain, md5_error *error)
{
    const md5_material *const material = md5_game_material(explain->game, explain->name, error);
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_image_program *const image = &material->stages[i].image;
        for (uint32_t k = 0; k < image->num_steps; k++) {
            if (image->steps[k].kind == MD5_IMAGE_FILE)
                print_image(explain, image->steps[k].file);
        }
    }
}

static void print_table(explainer *explain, md5_error *error)
{
    const md5_table *const table = md5_game_table(explain->game, explain->name, error);
    if (table)
        printf("  values: %u\n", table->num_values);
}

// -- Command --------------------------------------------------------------------------------------

static const struct explained_kind {
    const char *kind;
    md5_decl_type type;
    void (*print)(explainer *explain, md5_error *error);
} kinds[] = {
    {"entity", MD5_DECL_ENTITY, print_entity}, {"model", MD5_DECL_MODEL, print_model},
    {"skin", MD5_DECL_SKIN, print_skin},       {"material", MD5_DECL_MATERIAL, print_material},
    {"table", MD5_DECL_TABLE, print_table},
};

static bool explain_decls(explainer *explain, md5_error *error)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const md5_decl *const decl = md5_find_decl(explain->game, kinds[i].type, explain->name);
        if (!decl || !decl->file)
            continue;
        explain->is_found = true;
        printf("%s ", kinds[i].kind);
        common_print_text(stdout, decl->name);
        putchar('\n');
        print_file(explain, "declared", decl->file, tool_decl_line(decl));
        for (const md5_decl *hidden = decl->hidden; hidden; hidden = hidden->hidden)
            print_file(explain, "hides declaration", hidden->file, tool_decl_line(hidden));
        if (!print_verdicts(explain, kinds[i].type, error))
            return false;
        error->status = MD5_OK;
        kinds[i].print(explain, error);
        if (error->status != MD5_OK)
            return false;
    }
    return true;
}

static void explain_file(explainer *explain)
{
    const char *const image = md5_game_image_file(explain->game, explain->name);
    const char *const file =
        md5_game_find_file(explain->game, explain->name, 0) != MD5_NONE ? explain->name : image;
    if (!file)
        return;
    explain->is_found = true;
    puts("file");
    print_file(explain, "is", file, 0);
    const size_t length = strlen(file);
    static const char mesh[] = ".md5mesh";
    if (length > strlen(mesh) && strcmp(file + length - strlen(mesh), mesh) == 0)
        print_mesh_materials(explain, file);
}

static int explain_name(tool_game *opened, const char *name)
{
    md5_error error = {.status = MD5_OK};
    explainer explain = {.opened = opened, .game = opened->game, .name = name};
    if (!explain_decls(&explain, &error)) {
        tool_print_error(&error);
        return TOOL_BAD_FILE;
    }
    explain_file(&explain);
    if (!explain.is_found) {
        fputs("nothing is named ", stdout);
        common_print_text(stdout, name);
        putchar('\n');
    }
    if (!explain.is_found || explain.has_missing) {
        puts("searched, best first:");
        for (size_t i = 0; i < explain.opened->places.count; i++) {
            fputs("  ", stdout);
            common_print_text(stdout, title_of(&explain, i));
            putchar('\n');
        }
    }
    return explain.is_found ? TOOL_OK : TOOL_BAD_FILE;
}

int tool_explain(int count, char **arguments)
{
    tool_game_arguments read;
    tool_game game;
    int status = tool_read_game_arguments("explain", count, arguments, 1, &read);
    if (status != TOOL_OK)
        return status;
    if (read.num_rest != 1)
        return tool_usage("explain", "explain: %s",
                          read.num_rest == 0 ? "missing name" : "expected one name");
    if (read.is_json)
        return tool_usage("explain", "explain: unknown option '--json'");
    status = tool_open_game(&read, &game);
    if (status == TOOL_OK)
        status = explain_name(&game, read.rest[0]);
    tool_close_game(&game);
    return status;
}
