// md5tool list: prints the contents of a game folder or a folder of models.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_list_help[] =
    "usage: md5tool list DIR [KIND...]\n"
    "\n"
    "Lists the contents of a game folder: models, entities, skins, clips and materials, or only\n"
    "the given KINDs. Models and clips include .md5mesh and .md5anim files that no declaration\n"
    "names, so folders without declarations can be listed too. Each line has the kind, the name\n"
    "(of clips: model and clip) and file:line of the declaration.\n"
    "\n"
    "  --base DIR          the base game folder, if DIR adds to another one\n"
    "  --mod DIR           a mod, whose files hide those of DIR\n"
    "  --json              print one JSON object per line\n";

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
        if (owner) {
            fputs(",\"model\":", stdout);
            tool_print_json(owner);
        }
        fputs(",\"name\":", stdout);
        tool_print_json(name);
        if (file) {
            fputs(",\"file\":", stdout);
            tool_print_json(file);
        }
        if (line > 0)
            printf(",\"line\":%u", line);
        puts("}");
        return;
    }
    printf("%-8s  ", kind);
    if (owner) {
        common_print_text(stdout, owner);
        putchar(' ');
    }
    common_print_text(stdout, name);
    if (file) {
        fputs("  ", stdout);
        common_print_text(stdout, file);
    }
    printf(line > 0 ? ":%u\n" : "\n", line);
}

static bool list_decls(lister *list, const char *kind, md5_decl_type type)
{
    const uint32_t count = md5_game_num_decls(list->opened->game, type);
    for (uint32_t i = 0; i < count; i++) {
        const md5_decl *const decl = md5_game_decl(list->opened->game, type, i);
        if (decl->file)
            print_line(list, kind, NULL, decl->name, decl->file, tool_decl_line(decl));
    }
    return true;
}

// -- Files ----------------------------------------------------------------------------------------

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

// -- Kinds ----------------------------------------------------------------------------------------

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
    fputs("md5tool: error: too many clips: those from ", stderr);
    common_print_text(stderr, model->decl->name);
    fputs(" on are not listed\n", stderr);
}

// Reads all models, with their animations.
static bool list_clips(lister *list, const char *kind, md5_decl_type type)
{
    const uint32_t count = md5_game_num_decls(list->opened->game, type);
    md5_error error;
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

static const struct list_kind {
    const char *word, *kind;
    md5_decl_type type;
    bool (*list)(lister *list, const char *kind, md5_decl_type type);
} kinds[] = {
    {"models", "model", MD5_DECL_MODEL, list_models},
    {"entities", "entity", MD5_DECL_ENTITY, list_decls},
    {"skins", "skin", MD5_DECL_SKIN, list_decls},
    {"clips", "clip", MD5_DECL_MODEL, list_clips},
    {"materials", "material", MD5_DECL_MATERIAL, list_decls},
};
enum { NUM_KINDS = sizeof kinds / sizeof kinds[0] };

// Marks the kinds that are named, or all if none is. Returns an exit status.
static int choose_kinds(const tool_game_arguments *arguments, bool chosen[NUM_KINDS])
{
    for (int i = 0; i < NUM_KINDS; i++)
        chosen[i] = arguments->num_rest == 0;
    for (int i = 0; i < arguments->num_rest; i++) {
        int kind = 0;
        while (kind < NUM_KINDS && strcmp(arguments->rest[i], kinds[kind].word) != 0)
            kind++;
        if (kind == NUM_KINDS)
            return tool_usage("list",
                              "list: unknown kind '%s': expected models, entities, skins, clips or "
                              "materials",
                              arguments->rest[i]);
        chosen[kind] = true;
    }
    return TOOL_OK;
}

static bool is_kind(const char *word)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        if (strcmp(word, kinds[i].word) == 0)
            return true;
    }
    return false;
}

int tool_list(int count, char **arguments)
{
    tool_game_arguments read;
    tool_game game;
    bool chosen[NUM_KINDS];
    int status = tool_read_game_arguments("list", count, arguments, NUM_KINDS, &read);
    if (status != TOOL_OK)
        return status;
    // With --base the first word may be a folder or a kind.
    if (!read.folder && read.num_rest > 0 && !is_kind(read.rest[0])) {
        read.folder = *read.rest++;
        read.num_rest--;
    }
    status = choose_kinds(&read, chosen);
    if (status != TOOL_OK)
        return status;
    status = tool_open_game(&read, &game);
    if (status == TOOL_OK) {
        if (md5_game_num_unread(game.game) > 0)
            fprintf(stderr, "md5tool: %u files of declarations are not read: see md5tool check\n",
                    (unsigned)md5_game_num_unread(game.game));
        lister list = {.opened = &game, .is_json = read.is_json};
        bool is_listed = true;
        for (int i = 0; i < NUM_KINDS && is_listed; i++)
            is_listed = !chosen[i] || kinds[i].list(&list, kinds[i].kind, kinds[i].type);
        status = is_listed && !list.is_cut ? TOOL_OK : TOOL_BAD_FILE;
    }
    tool_close_game(&game);
    return status;
}
