// Game folders: opening one, and the commands that print what is in it. list prints the names,
// explain where the items of one name come from and what is missing, verdicts how Doom 3 interprets
// declarations. One table (kinds) says what each of them does with a type of declaration.
#include "demo/tool/game.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/common/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Notes ----------------------------------------------------------------------------------------

void tool_take_note(void *user, const md5_error *note)
{
    enum { FIRST = 64, MOST = 1000 };
    tool_notes *const notes = user;
    if (notes->count == MOST) { // the last one says why reading ended
        notes->num_left_out++;
        notes->count--;
    }
    if (notes->count == notes->room) {
        notes->room = notes->room ? 2 * notes->room : FIRST;
        notes->notes = common_realloc(notes->notes, notes->room, sizeof *notes->notes);
    }
    notes->notes[notes->count++] = *note;
}

void tool_clear_notes(tool_notes *notes)
{
    notes->count = notes->num_left_out = 0;
}

static void free_notes(tool_notes *notes)
{
    free(notes->notes);
    *notes = (tool_notes){0};
}

// -- Arguments ------------------------------------------------------------------------------------

int tool_read_game_arguments(const char *command, int count, char **arguments, bool *is_json,
                             int max_rest, tool_game_arguments *result)
{
    *result = (tool_game_arguments){0};
    const tool_option options[] = {
        {"--base", "a folder", tool_read_name, &result->base},
        {"--mod", "a folder", tool_read_name, &result->mod},
        {"--json", NULL, NULL, is_json},
    };
    const int num_words = tool_read_arguments(command, count, arguments, options, is_json ? 3 : 2,
                                              0, count, "folder");
    if (num_words < 0)
        return TOOL_BAD_USAGE;
    const bool has_folder = num_words > 0 && (!result->base || num_words > max_rest);
    if (has_folder)
        result->folder = arguments[0];
    else if (!result->base)
        return tool_usage(command, "missing folder");
    result->rest = arguments + has_folder;
    result->num_rest = num_words - has_folder;
    return TOOL_OK;
}

// -- Games ----------------------------------------------------------------------------------------

static int refuse(const char *folder)
{
    md5_error error = {.status = MD5_ERROR_IO, .message = "not a folder"};
    (void)snprintf(error.file, sizeof error.file, "%s", folder);
    tool_print_error(&error);
    return TOOL_BAD_FILE;
}

static bool show_search(void *user, size_t num_files)
{
    (void)user;
    if (common_is_terminal(2) && num_files > 0)
        fprintf(stderr, "\r%zu files\r", num_files);
    return true;
}

static bool open_game(tool_game *opened, md5_error *error)
{
    const md5_load_opts opts = {
        .warn = opened->warn,
        .warn_user = &opened->notes,
        .max_warnings = UINT32_MAX,
    };
    opened->game = md5_create_game(opened->places.paths, opened->places.count, &opts, error);
    opened->memory = opened->game ? md5_game_memory(opened->game) : 0;
    return opened->game != NULL;
}

int tool_open_game(const tool_game_arguments *arguments, md5_warn_fn *warn, tool_game *result)
{
    const char *const folders[] = {arguments->mod, arguments->folder, arguments->base};
    md5_error error = {0};
    *result = (tool_game){.places = {.goes_on = show_search}, .warn = warn};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (folders[i] && !common_add_game_folder(&result->places, folders[i]))
            return refuse(folders[i]);
    }
    if (common_is_terminal(2))
        fputs("\r                              \r", stderr);
    if (!open_game(result, &error))
        tool_print_error(&error);
    return result->game ? TOOL_OK : TOOL_BAD_FILE;
}

bool tool_renew_game(tool_game *opened, md5_error *error)
{
    enum { MUCH = 24 << 20, OFTEN = 64 };
    if (md5_game_memory(opened->game) < opened->memory + MUCH)
        return true;
    if (opened->num_renewals++ == OFTEN) {
        *error = (md5_error){.status = MD5_ERROR_MEMORY};
        (void)snprintf(error->message, sizeof error->message,
                       "the declarations take too much memory: the rest of them is left out");
        return false;
    }
    md5_destroy_game(opened->game);
    const bool is_open =
        open_game(opened, error) && md5_game_set_verdict(opened->game, opened->verdict, error);
    tool_clear_notes(&opened->notes);
    return is_open;
}

void tool_close_game(tool_game *game)
{
    md5_destroy_game(game->game);
    common_free_game_places(&game->places);
    free_notes(&game->notes);
}

bool tool_parse_decl(md5_game *game, md5_decl_type type, const char *name, md5_error *error)
{
    if (type == MD5_DECL_TABLE)
        (void)md5_game_table(game, name, error);
    else if (type == MD5_DECL_MATERIAL)
        (void)md5_game_material(game, name, error);
    else if (type == MD5_DECL_SKIN)
        (void)md5_game_skin_def(game, name, error);
    else if (type == MD5_DECL_ENTITY)
        (void)md5_game_check_entity_def(game, name, error);
    else
        (void)md5_game_model_def(game, name, error);
    return error->status == MD5_OK;
}

// Returns the line of the first word of a declaration. The engine's, decl->line, is where the
// declaration before it ends.
static uint32_t line_of_decl(const md5_decl *decl)
{
    const char *at = decl->text, *const end = decl->text + decl->size;
    const char *comment = NULL; // what ends the comment that `at` is in
    uint32_t line = decl->line;
    for (; at < end; at++) {
        const bool has_next = end - at > 1;
        if (comment && strncmp(at, comment, strlen(comment)) == 0) {
            at += strlen(comment) - 1;
            comment = NULL;
        } else if (!comment && has_next && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            comment = at[1] == '/' ? "\n" : "*/";
            at++;
        } else if (!comment && (unsigned char)*at > ' ' && (unsigned char)*at < 0x80) {
            break;
        }
        line += *at == '\n';
    }
    return line;
}

// -- Output ---------------------------------------------------------------------------------------

void tool_show_progress(size_t done, size_t count)
{
    enum { FEW = 200, STEP = 50 };
    if (count < FEW || !common_is_terminal(2))
        return;
    if (done == count)
        fputs("\r                              \r", stderr);
    else if (done % STEP == 1)
        fprintf(stderr, "\r%zu of %zu", done, count);
}

// Prints a text as a JSON string; bytes that are not ASCII as Latin-1.
static void print_json(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ' || c >= 0x7F)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_key(const char *key)
{
    printf(",\"%s\":", key);
}

static void print_text(const char *key, const char *text)
{
    print_key(key);
    print_json(text);
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

// == Listing ======================================================================================

typedef struct lister {
    tool_game *opened;
    bool is_json;
    size_t num_bytes; // of clips that were listed
    bool is_cut;      // not all clips were
    char **used;      // [num_used] names of animation files that a model has, in lower case
    size_t num_used, used_room;
} lister;

// -- Lines ----------------------------------------------------------------------------------------

// Prints one thing; `file` is NULL, or where it is declared. `owner` is NULL or the model of a
// clip.
static void print_line(const lister *list, const char *kind, const char *owner, const char *name,
                       const char *file, uint32_t line)
{
    if (list->is_json) {
        printf("{\"kind\":\"%s\"", kind);
        if (owner)
            print_text("model", owner);
        print_text("name", name);
        if (file)
            print_text("file", file);
        if (line > 0)
            printf(",\"line\":%u", line);
        puts("}");
        return;
    }
    printf("%-8s  ", kind);
    if (owner)
        common_print_between(stdout, "", owner, " ");
    common_print_between(stdout, "", name, "");
    if (file)
        common_print_between(stdout, "  ", file, "");
    printf(line > 0 ? ":%u\n" : "\n", line);
}

static bool list_decls(lister *list, const char *kind, md5_decl_type type)
{
    const uint32_t count = md5_game_num_decls(list->opened->game, type);
    for (uint32_t i = 0; i < count; i++) {
        const md5_decl *const decl = md5_game_decl(list->opened->game, type, i);
        if (decl->file)
            print_line(list, kind, NULL, decl->name, decl->file, line_of_decl(decl));
    }
    return true;
}

// -- Files
// ----------------------------------------------------------------------------------------

static char *lower_case(const char *name)
{
    char *const copy = common_copy(name);
    for (char *c = copy; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c == '\\' ? '/' : *c;
    return copy;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists the files with an ending that no model has named; `used` is sorted.
static void list_files(const lister *list, const char *kind, const char *ending)
{
    const size_t count = md5_game_num_files(list->opened->game);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(list->opened->game, i);
        if (!common_has_ending(name, ending))
            continue;
        char *const key = lower_case(name);
        const bool is_used =
            list->num_used > 0
            && bsearch(&key, list->used, list->num_used, sizeof *list->used, compare_names);
        if (!is_used)
            print_line(list, kind, NULL, name, NULL, 0);
        free(key);
    }
}

// -- Kinds
// ----------------------------------------------------------------------------------------

static bool list_models(lister *list, const char *kind, md5_decl_type type)
{
    (void)list_decls(list, kind, type);
    list_files(list, kind, ".md5mesh");
    return true;
}

// Models that inherit clips have them too, so that a long chain of them would print very many
// lines.
static void list_clips_of(lister *list, const char *kind, const md5_model_def *model)
{
    enum { MOST_BYTES = 32 << 20, A_LINE = 32 };
    for (uint32_t i = 0; i < model->num_anims && !list->is_cut; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        list->num_bytes += strlen(model->decl->name) + strlen(anim->name);
        for (uint32_t j = 0; j < anim->num_files; j++) {
            enum { FIRST = 256 };
            if (list->num_used == list->used_room) {
                list->used_room = list->used_room ? 2 * list->used_room : FIRST;
                list->used = common_realloc(list->used, list->used_room, sizeof *list->used);
            }
            list->used[list->num_used++] = lower_case(anim->files[j]);
            list->num_bytes += strlen(anim->files[j]) + A_LINE;
        }
        print_line(list, kind, model->decl->name, anim->name, anim->files[0], 0);
        list->is_cut = list->num_bytes > MOST_BYTES;
    }
    if (!list->is_cut)
        return;
    common_print_between(stderr, "md5tool: error: too many clips: those from ", model->decl->name,
                         " on are not listed\n");
}

// Reads all models, with their animations.
static bool list_clips(lister *list, const char *kind, md5_decl_type type)
{
    const uint32_t count = md5_game_num_decls(list->opened->game, type);
    md5_error error = {0};
    for (uint32_t i = 0; i < count && !list->is_cut; i++) {
        const bool is_open = tool_renew_game(list->opened, &error);
        const md5_decl *const decl = is_open ? md5_game_decl(list->opened->game, type, i) : NULL;
        const md5_model_def *const model =
            decl ? md5_game_model_def(list->opened->game, decl->name, &error) : NULL;
        tool_show_progress(i + 1, count);
        if (!model) {
            tool_print_error(&error);
            return false;
        }
        list_clips_of(list, kind, model);
    }
    if (list->num_used > 0)
        qsort(list->used, list->num_used, sizeof *list->used, compare_names);
    if (!list->is_cut)
        list_files(list, kind, ".md5anim");
    for (size_t i = 0; i < list->num_used; i++)
        free(list->used[i]);
    free(list->used);
    list->used = NULL;
    list->num_used = list->used_room = 0;
    return true;
}

// == Explaining
// ===================================================================================

typedef struct explainer {
    tool_game *opened;
    md5_game *game;
    const char *name;
    bool is_found, has_missing;
} explainer;

// -- Lines
// ----------------------------------------------------------------------------------------

// Prints "  WHAT: NAME", and what follows.
static void print_item(const char *what, const char *name, const char *after)
{
    printf("  %s: ", what);
    common_print_between(stdout, "", name, after);
}

static void end_with_place(const explainer *explain, size_t place)
{
    common_print_between(stdout, " in ", explain->opened->places.titles[place], "\n");
}

// Prints where a file is, and which files of other places it hides. `line` may be 0.
static void print_file(explainer *explain, const char *what, const char *file, uint32_t line)
{
    uint32_t place = md5_game_find_file(explain->game, file, 0);
    print_item(what, file, place == MD5_NONE ? ": missing\n" : "");
    if (place == MD5_NONE) {
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
        print_item("  hides", file, "");
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
    print_item("image", name, strrchr(name, '.') ? ": missing\n" : ": missing, as .tga and .jpg\n");
    explain->has_missing = true;
}

// -- Both verdicts
// --------------------------------------------------------------------------------

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

// -- What a declaration needs
// ---------------------------------------------------------------------

static void print_needed_decl(explainer *explain, const char *what, md5_decl_type type,
                              const char *name)
{
    const md5_decl *const decl = md5_find_decl(explain->game, type, name);
    if (decl && decl->file) {
        print_item(what, name, ", declared ");
        common_print_between(stdout, "", decl->file, "");
        printf(":%u\n", line_of_decl(decl));
    } else {
        print_item(what, name,
                   type == MD5_DECL_MATERIAL ? ": declared nowhere, taken for an image\n"
                                             : ": declared nowhere\n");
    }
}

// The materials that a mesh names.
static void print_mesh_materials(explainer *explain, const char *file)
{
    const md5_load_opts opts = {
        .files = md5_game_files(explain->game),
        .without = MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS,
    };
    md5_error error = {0};
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

static void explain_model(explainer *explain, md5_error *error)
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
        print_item("clip", anim->name, "");
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

static void explain_entity(explainer *explain, md5_error *error)
{
    const md5_entity_def *const entity = md5_game_entity_def(explain->game, explain->name, error);
    if (!entity)
        return;
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        const md5_entity_key *const key = &entity->keys[i];
        print_item("key", key->name, " = ");
        common_print_between(stdout, "", key->value, "");
        if (key->decl != entity->decl)
            common_print_between(stdout, ", inherited from ", key->decl->name, "");
        putchar('\n');
    }
    print_looks(explain, entity);
}

static void explain_skin(explainer *explain, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(explain->game, explain->name, error);
    for (uint32_t i = 0; skin && i < skin->num_rows; i++) {
        print_item("replaces", skin->rows[i].from ? skin->rows[i].from : "every material", "\n");
        print_needed_decl(explain, "  by", MD5_DECL_MATERIAL, skin->rows[i].to);
    }
}

static void explain_material(explainer *explain, md5_error *error)
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

static void explain_table(explainer *explain, md5_error *error)
{
    const md5_table *const table = md5_game_table(explain->game, explain->name, error);
    if (table)
        printf("  values: %u\n", table->num_values);
}

// == Verdicts
// =====================================================================================

static void print_decl(const char *type, const md5_decl *decl)
{
    printf("{\"%s\":", type);
    print_json(decl->name);
    print_text("file", decl->file ? decl->file : "<implicit file>");
    printf(",\"line\":%u", decl->line);
    print_text("state", decl->state == MD5_DECL_PARSED ? "parsed" : "default");
}

// -- Materials
// ------------------------------------------------------------------------------------

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

static bool print_material_verdict(md5_game *game, const char *name, md5_error *error)
{
    return print_sorted(game, name, NULL, error);
}

// A gui sets the sort of each material that it draws with, also of the cursor and the scroll
// bars, whatever the material says.
static bool print_gui_verdict(md5_game *game, const char *name, md5_error *error)
{
    const float gui = -2.0f;
    return print_sorted(game, name, &gui, error);
}

// -- Skins
// ----------------------------------------------------------------------------------------

static bool print_skin_verdict(md5_game *game, const char *name, md5_error *error)
{
    const md5_skin_def *const skin = md5_game_skin_def(game, name, error);
    if (!skin)
        return false;
    print_decl("skin", skin->decl);
    fputs(",\"models\":[", stdout);
    for (uint32_t i = 0; i < skin->num_models; i++) {
        fputs(i > 0 ? "," : "", stdout);
        print_json(skin->models[i]);
    }
    fputs("],\"map\":[", stdout);
    for (uint32_t i = 0; i < skin->num_rows; i++) {
        fputs(i > 0 ? ",[" : "[", stdout);
        print_json(skin->rows[i].from ? skin->rows[i].from : "*");
        putchar(',');
        print_json(skin->rows[i].to);
        putchar(']');
    }
    puts("]}");
    return true;
}

// -- Models
// ---------------------------------------------------------------------------------------

static bool print_model_verdict(md5_game *game, const char *name, md5_error *error)
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
        print_json(anim->name);
        print_text("alias", anim->alias);
        print_key("files");
        for (uint32_t k = 0; k < anim->num_files; k++) {
            putchar(k > 0 ? ',' : '[');
            print_json(anim->files[k]);
        }
        printf("],\"ms\":%u,\"frames\":%u,\"flags\":%u,\"cmds\":[", anim->milliseconds,
               anim->num_frames, anim->flags);
        for (uint32_t k = 0; k < anim->num_commands; k++) {
            const md5_frame_command *const command = &anim->commands[k];
            printf("%s[%u,%d,", k > 0 ? "," : "", command->frame, (int)command->code);
            print_json(command->text);
            putchar(']');
        }
        fputs("]}", stdout);
    }
    puts("]}");
    return true;
}

// == Commands
// =====================================================================================

// What can be done with declarations, and with the clips of models. Lists come in this order.
static const struct decl_kind {
    const char *name, *plural;
    md5_decl_type type;
    bool (*list)(lister *list, const char *kind, md5_decl_type type);
    void (*explain)(explainer *explain, md5_error *error);
    bool (*print_verdict)(md5_game *game, const char *name, md5_error *error);
} kinds[] = {
    {"model", "models", MD5_DECL_MODEL, list_models, explain_model, print_model_verdict},
    {"entity", "entities", MD5_DECL_ENTITY, list_decls, explain_entity, NULL},
    {"skin", "skins", MD5_DECL_SKIN, list_decls, explain_skin, print_skin_verdict},
    {"clip", "clips", MD5_DECL_MODEL, list_clips, NULL, NULL},
    {"material", "materials", MD5_DECL_MATERIAL, list_decls, explain_material,
     print_material_verdict},
    {"material", "gui-materials", MD5_DECL_MATERIAL, NULL, NULL, print_gui_verdict},
    {"table", "tables", MD5_DECL_TABLE, NULL, explain_table, NULL},
};
enum { NUM_KINDS = sizeof kinds / sizeof kinds[0] };

// Returns NUM_KINDS if there is no such word.
static int kind_of(const char *word)
{
    int kind = 0;
    while (kind < NUM_KINDS && strcmp(word, kinds[kind].plural) != 0)
        kind++;
    return kind;
}

// -- list
// -----------------------------------------------------------------------------------------

const char tool_list_help[] =
    "usage: md5tool list DIR [KIND...]\n"
    "\n"
    "Lists the contents of a game folder: models, entities, skins, clips and materials, or "
    "only\n"
    "the given KINDs. Models and clips include .md5mesh and .md5anim files that no "
    "declaration\n"
    "names, so folders without declarations can be listed too. Each line has the kind, the "
    "name\n"
    "(of clips: model and clip) and file:line of the declaration.\n"
    "\n"
    "  --base DIR          the base game folder, if DIR adds to another one\n"
    "  --mod DIR           a mod, whose files hide those of DIR\n"
    "  --json              print one JSON object per line\n";

static bool is_listed(int kind)
{
    return kind < NUM_KINDS && kinds[kind].list;
}

int tool_list(int count, char **arguments)
{
    tool_game_arguments read;
    tool_game game;
    lister list = {.opened = &game};
    bool chosen[NUM_KINDS] = {false};
    int status =
        tool_read_game_arguments("list", count, arguments, &list.is_json, NUM_KINDS, &read);
    if (status != TOOL_OK)
        return status;
    // With --base the first word may be a folder or a kind.
    if (!read.folder && read.num_rest > 0 && !is_listed(kind_of(read.rest[0]))) {
        read.folder = *read.rest++;
        read.num_rest--;
    }
    for (int i = 0; i < read.num_rest; i++) {
        const int kind = kind_of(read.rest[i]);
        if (!is_listed(kind))
            return tool_usage("list",
                              "unknown kind '%s': expected models, entities, skins, clips or "
                              "materials",
                              read.rest[i]);
        chosen[kind] = true;
    }
    status = tool_open_game(&read, tool_take_note, &game);
    if (status == TOOL_OK) {
        if (md5_game_num_unread(game.game) > 0)
            fprintf(stderr, "md5tool: %u files of declarations are not read: see md5tool check\n",
                    (unsigned)md5_game_num_unread(game.game));
        bool is_done = true;
        for (int i = 0; i < NUM_KINDS && is_done; i++) {
            if (is_listed(i) && (chosen[i] || read.num_rest == 0))
                is_done = kinds[i].list(&list, kinds[i].name, kinds[i].type);
        }
        status = is_done && !list.is_cut ? TOOL_OK : TOOL_BAD_FILE;
    }
    tool_close_game(&game);
    return status;
}

// -- explain
// --------------------------------------------------------------------------------------

const char tool_explain_help[] =
    "usage: md5tool explain DIR NAME\n"
    "\n"
    "Prints all items of one name in a game folder: entity, model, skin, material, table or "
    "file.\n"
    "For each: file and line of the declaration, and the folder or archive of that file; what "
    "it\n"
    "hides; the files it needs, their locations, and the search path of missing ones; the "
    "results\n"
    "of the engine's and of the lenient parser, with their warnings. The exit status is 1 if "
    "there\n"
    "is no item of this name.\n"
    "\n"
    "  --base DIR          the base game folder, if DIR adds to another one\n"
    "  --mod DIR           a mod, whose files hide those of DIR\n";

static bool explain_decls(explainer *explain, md5_error *error)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        const md5_decl *const decl = md5_find_decl(explain->game, kinds[i].type, explain->name);
        if (!kinds[i].explain || !decl || !decl->file)
            continue;
        explain->is_found = true;
        printf("%s ", kinds[i].name);
        common_print_between(stdout, "", decl->name, "\n");
        print_file(explain, "declared", decl->file, line_of_decl(decl));
        for (const md5_decl *hidden = decl->hidden; hidden; hidden = hidden->hidden)
            print_file(explain, "hides declaration", hidden->file, line_of_decl(hidden));
        if (!print_verdicts(explain, kinds[i].type, error))
            return false;
        kinds[i].explain(explain, error);
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
    if (common_has_ending(file, ".md5mesh"))
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
    if (!explain.is_found)
        common_print_between(stdout, "nothing is named ", name, "\n");
    if (!explain.is_found || explain.has_missing) {
        puts("searched, best first:");
        for (size_t i = 0; i < opened->places.count; i++)
            common_print_between(stdout, "  ", opened->places.titles[i], "\n");
    }
    return explain.is_found ? TOOL_OK : TOOL_BAD_FILE;
}

int tool_explain(int count, char **arguments)
{
    tool_game_arguments read;
    tool_game game;
    int status = tool_read_game_arguments("explain", count, arguments, NULL, 1, &read);
    if (status != TOOL_OK)
        return status;
    if (read.num_rest != 1)
        return tool_usage("explain", read.num_rest == 0 ? "missing name" : "expected one name");
    status = tool_open_game(&read, tool_take_note, &game);
    if (status == TOOL_OK)
        status = explain_name(&game, read.rest[0]);
    tool_close_game(&game);
    return status;
}

// -- verdicts
// -------------------------------------------------------------------------------------

const char tool_verdicts_help[] =
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
    "  --mod DIR           a mod, whose files hide those of the base\n";

static void warn(void *user, const md5_error *warning)
{
    (void)user;
    tool_print_error(warning);
}

// Prints one of the verdicts. Models print what they inherit too, so that a long chain of them
// would print very many animations: `left` is how many, with their commands, may still be.
static bool print_verdict(const struct decl_kind *kind, md5_game *game, const char *name,
                          size_t *left, md5_error *error)
{
    const bool is_model = kind->type == MD5_DECL_MODEL;
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
    return kind->print_verdict(game, name, error);
}

// Implicit declarations, which others refer to, are printed only by name.
int tool_verdicts(int count, char **arguments)
{
    tool_game_arguments read;
    tool_game opened;
    int status = tool_read_game_arguments("verdicts", count, arguments, NULL, INT_MAX, &read);
    if (status != TOOL_OK)
        return status;
    if (!read.base)
        return tool_usage("verdicts", "missing --base DIR");
    const char expected[] = "expected materials, gui-materials, skins or models";
    if (read.num_rest == 0)
        return tool_usage("verdicts", "missing kind: %s", expected);
    const int index = kind_of(read.rest[0]);
    if (index == NUM_KINDS || !kinds[index].print_verdict)
        return tool_usage("verdicts", "unknown kind '%s': %s", read.rest[0], expected);
    const struct decl_kind *const kind = &kinds[index];
    status = tool_open_game(&read, warn, &opened);
    if (status == TOOL_OK) {
        md5_game *const game = opened.game;
        md5_error error = {0};
        size_t left = 1 << 18;
        bool is_printed = md5_game_set_verdict(game, MD5_VERDICT_ENGINE, &error);
        for (int i = 1; i < read.num_rest && is_printed; i++)
            is_printed = print_verdict(kind, game, read.rest[i], &left, &error);
        const uint32_t num_decls = read.num_rest > 1 ? 0 : md5_game_num_decls(game, kind->type);
        for (uint32_t i = 0; i < num_decls && is_printed; i++) {
            const md5_decl *const decl = md5_game_decl(game, kind->type, i);
            is_printed = !decl->file || print_verdict(kind, game, decl->name, &left, &error);
        }
        if (!is_printed)
            tool_print_error(&error);
        status = is_printed ? TOOL_OK : TOOL_BAD_FILE;
    }
    tool_close_game(&opened);
    return status;
}
