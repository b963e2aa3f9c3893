// md5tool list: prints the names of the models, entities, skins, clips, materials and files of a
// game folder. `kinds` is the table of these kinds of items. For each kind, declared items are
// listed first, then the files that no declaration uses.
#include "demo/tool/game.h"

// An item that is listed, for example a material or a clip of a model.
typedef struct list_item {
    const char *model; // the model of a clip, or NULL
    const char *name;
    const char *file; // the file that declares the item, or NULL
    uint32_t line;    // line of the declaration, or 0
} list_item;

// Prints an item as a JSON object.
static void print_json_item(const char *kind, const list_item *item)
{
    common_print_json("{\"kind\":%s", kind);
    if (item->model)
        common_print_json(",\"model\":%s", item->model);
    common_print_json(",\"name\":%s", item->name);
    if (item->file)
        common_print_json(",\"file\":%s", item->file);
    if (item->line > 0)
        printf(",\"line\":%u", item->line);
    puts("}");
}

// Prints an item as a line of text.
static void print_text_item(const char *kind, const list_item *item)
{
    printf("%-8s  ", kind);
    if (item->model)
        common_print(stdout, "%s ", item->model);
    common_print(stdout, "%s", item->name);
    if (item->file)
        common_print(stdout, "  %s", item->file);
    if (item->line > 0)
        printf(":%u", item->line);
    putchar('\n');
}

// Prints an item of the kind that is being listed.
static void print_item(tool_game *game, list_item item)
{
    game->has_output = true;
    if (game->is_json)
        print_json_item(game->kind, &item);
    else
        print_text_item(game->kind, &item);
}

// Prints the name and the location of a declaration, which is not parsed for this.
static bool list_decl(tool_game *game, const md5_decl *decl, md5_error *error)
{
    (void)error;
    const list_item item = {
        .name = decl->name,
        .file = decl->file,
        .line = decl->keyword_line,
    };
    print_item(game, item);
    return true;
}

// Marks the files of a clip as used by a model, for list_unused_files(). Returns the estimated size
// of the lines about these files, which the limit of the list counts.
static size_t add_used_files(tool_game *game, const md5_model_anim *anim)
{
    enum { BYTES_PER_LINE = 32 };
    size_t size = 0;
    for (uint32_t i = 0; i < anim->num_files; i++) {
        common_add(&game->used, common_copy(anim->files[i]));
        size += strlen(anim->files[i]) + BYTES_PER_LINE;
    }
    return size;
}

// Prints the clips of a model, including inherited clips. The size of the list is limited: in a
// long chain of models, each model inherits the clips of all models before it.
static bool list_clips(tool_game *game, const md5_decl *decl, md5_error *error)
{
    enum { MAX_BYTES = 32 << 20 };
    if (game->is_clip_list_full)
        return true;

    const md5_model_def *const model = md5_game_model_def(game->md5, decl->name, error);
    if (!model)
        return false;
    for (uint32_t i = 0; i < model->num_anims && !game->is_clip_list_full; i++) {
        const md5_model_anim *const anim = md5_model_def_anim(model, i);
        game->num_bytes += strlen(decl->name) + strlen(anim->name) + add_used_files(game, anim);
        const list_item item = {
            .model = decl->name,
            .name = anim->name,
            .file = anim->files[0],
        };
        print_item(game, item);
        game->is_clip_list_full = game->num_bytes > MAX_BYTES;
    }

    if (game->is_clip_list_full)
        common_print(stderr,
                     "md5tool: error: too many clips: the clips of model %s and of later models "
                     "are not listed\n",
                     decl->name);
    return true;
}

// Prints the files with an extension that no declared model uses, for example meshes that were
// forgotten.
static void list_unused_files(tool_game *game, const char *extension)
{
    const common_list *const used = &game->used;
    common_sort(used->names, used->count, sizeof *used->names, common_order_by_case);
    const size_t count = md5_game_num_files(game->md5);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(game->md5, i);
        if (!common_has_suffix(name, extension))
            continue;
        const bool is_used =
            used->count > 0
            && bsearch(&name, used->names, used->count, sizeof name, common_order_by_case);
        if (!is_used)
            print_item(game, (list_item){.name = name});
    }
}

// Prints the names of all files of the game, one per line or as a JSON array.
static void list_files(tool_game *game)
{
    const size_t count = md5_game_num_files(game->md5);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(game->md5, i);
        game->has_output = true;
        if (game->is_json)
            common_print_json(i == 0 ? "[%s" : ",\n%s", name);
        else
            common_print(stdout, "%s\n", name);
    }
    if (game->is_json)
        puts(count > 0 ? "]" : "[]");
}

// -- Command --------------------------------------------------------------------------------------

// Kinds of items, in the order in which they are printed.
static const struct listed_kind {
    const char *name;
    const char *argument; // selects the kind
    md5_decl_type type;
    tool_visit_decl_fn *list;
    const char *extension; // NULL or the extension of files that are listed if no model uses them
} kinds[] = {
    {
        .name = "model",
        .argument = "models",
        .type = MD5_DECL_MODEL,
        .list = list_decl,
        .extension = ".md5mesh",
    },
    {
        .name = "entity",
        .argument = "entities",
        .type = MD5_DECL_ENTITY,
        .list = list_decl,
    },
    {
        .name = "skin",
        .argument = "skins",
        .type = MD5_DECL_SKIN,
        .list = list_decl,
    },
    {
        .name = "clip",
        .argument = "clips",
        .type = MD5_DECL_MODEL,
        .list = list_clips,
        .extension = ".md5anim",
    },
    {
        .name = "material",
        .argument = "materials",
        .type = MD5_DECL_MATERIAL,
        .list = list_decl,
    },
};
enum { NUM_KINDS = COMMON_LENGTH(kinds) };

// Returns the index of the kind that an argument selects, or NUM_KINDS.
static int find_kind(const char *argument)
{
    int kind = 0;
    while (kind < NUM_KINDS && strcmp(argument, kinds[kind].argument) != 0)
        kind++;
    return kind;
}

// The kinds of items that the operands select.
typedef struct list_choice {
    bool is_all;                 // no kind was given
    bool is_selected[NUM_KINDS]; // elements of kinds[]
    bool has_files;              // the kind "files", whose items are not declared
} list_choice;

// Reads the kinds from the operands. With --base, the folder may be the first operand; it is then
// moved to arguments->folder. Returns an exit status, and prints an error for an unknown kind.
static int read_list_choice(tool_arguments *arguments, list_choice *choice)
{
    for (int i = 0; i < arguments->num_operands; i++) {
        const char *const operand = arguments->operands[i];
        const int kind = find_kind(operand);
        if (strcmp(operand, "files") == 0) {
            choice->has_files = true;
            choice->is_all = false;
        } else if (kind < NUM_KINDS) {
            choice->is_selected[kind] = true;
            choice->is_all = false;
        } else if (i == 0 && !arguments->folder) { // DIR, which is optional with --base
            arguments->folder = operand;
        } else {
            return tool_usage("list",
                              "unknown kind '%s': expected models, entities, skins, clips, "
                              "materials or files",
                              operand);
        }
    }
    return TOOL_OK;
}

// Prints the items of a kind. Returns an exit status.
static int list_kind(tool_game *game, const struct listed_kind *kind)
{
    md5_error error = {0};
    game->kind = kind->name;
    const bool is_listed = tool_walk_decls(game, kind->type, kind->list, &error);
    if (is_listed && kind->extension && !game->is_clip_list_full)
        list_unused_files(game, kind->extension);
    return tool_end(is_listed, &error);
}

// Prints how many declaration files cannot be read, because the list does not contain their items.
static void warn_of_unread_files(const tool_game *game)
{
    const uint32_t num_unread = md5_game_num_unread(game->md5);
    if (num_unread > 0)
        fprintf(stderr,
                "md5tool: error: cannot read %u declaration %s; run md5tool check to list the "
                "errors\n",
                num_unread, common_noun(num_unread, "file", "files"));
}

// Prints the selected kinds of an opened game. Returns an exit status.
static int list_kinds(tool_game *game, const list_choice *choice)
{
    int status = TOOL_OK;
    for (int i = 0; i < NUM_KINDS && status == TOOL_OK; i++) {
        if (choice->is_all || choice->is_selected[i])
            status = list_kind(game, &kinds[i]);
    }
    return status;
}

// Prints the selected items of an opened game. Returns an exit status: the command fails if clips
// were skipped or nothing can be read.
static int list_game(tool_game *game, const list_choice *choice)
{
    warn_of_unread_files(game);
    const int status = list_kinds(game, choice);
    if (choice->has_files)
        list_files(game);
    if (!game->has_output)
        tool_suggest_convert(&game->search_paths);

    // If everything could be read, an empty list is a valid result. Otherwise an empty list is an
    // error.
    const bool is_unreadable = game->search_paths.num_unread > 0 && !game->has_output;
    if (game->is_clip_list_full || is_unreadable)
        return TOOL_BAD_FILE;
    return status;
}

// md5tool list: reads the arguments, opens the game and prints its items. Returns an exit status.
static int run_list(tool_arguments *arguments)
{
    list_choice choice = {.is_all = true};
    // read_list_choice() finds DIR if --base is given, so allow any number of other operands here.
    int status = tool_read_game_folder(arguments, INT_MAX);
    if (status == TOOL_OK)
        status = read_list_choice(arguments, &choice);
    if (status != TOOL_OK)
        return status;

    tool_game game;
    status = tool_open_game(arguments, true, &game);
    game.is_json = arguments->is_json;
    if (status == TOOL_OK)
        status = list_game(&game, &choice);
    tool_close_game(&game);
    return status;
}

const tool_command tool_list = {
    "list",
    run_list,
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
