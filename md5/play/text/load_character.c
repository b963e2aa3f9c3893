// Characters: a machine file, the model and animations that it names, their bindings, the machine.
// The machine copies its tables, so the file's own are freed again; the arena that holds the
// character's arrays stays.
//
// On one thread each file is read when it is its turn. With threads all are read first, and what
// they say is kept until it is their turn: so warnings and errors are those of one thread.
#include "md5/play/schema.h"
#include "md5/core/file.h"
#include "md5/core/names.h"

// What a character frees. Clips that share a file have one entry here.
typedef struct owned_parts {
    md5_character character; // first: the public part
    md5_machine *machine;
    md5_model *model;
    md5_model *attached[MD5_MAX_ATTACHED];
    uint32_t num_anims;
    md5_anim **anims;       // [num_anims]
    md5_binding **bindings; // [num_anims], NULL if binding failed
} owned_parts;

typedef struct kept_warning {
    md5_error warning;
    struct kept_warning *next;
} kept_warning;

// A file that the machine file names.
typedef struct named_file {
    const char *path;
    // Read on any thread, and not taken yet.
    md5_model *model;
    md5_anim *anim;
    md5_error error;
    // With threads.
    md5_context context; // of the memory for warnings
    md5_arena arena;
    kept_warning *warnings;
    kept_warning **last_warning;
} named_file;

// The load of one character.
typedef struct loading {
    md5_context context;
    md5_arena arena;           // becomes the character's
    md5_arena scratch;         // of `parts`
    const md5_load_opts *opts; // not NULL
    const char *path;
    md5_machine_file *file;
    owned_parts *owned;
    uint32_t num_parts;
    named_file *parts; // [num_parts]: the model, what is attached, the animations
    uint32_t num_models;
    const uint32_t *shared; // [clips]: the first clip that names the same file
    bool are_read;          // all parts, before the first is taken
} loading;

// -- Paths ----------------------------------------------------------------------------------------

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

// Returns the path of a file that the machine file names, in the arena; NULL without memory. A name
// that begins with two separators would be that of a file on another machine.
static const char *path_of(loading *load, const char *name)
{
    const bool is_remote = is_separator(name[0]) && is_separator(name[1]);
    while (is_remote && is_separator(name[0]))
        name++;
    const bool is_absolute = is_separator(name[0]) || (name[0] != '\0' && name[1] == ':');
    size_t folder = is_absolute ? 0 : strlen(load->path); // up to its last separator, with it
    while (folder > 0 && !is_separator(load->path[folder - 1]))
        folder--;
    const size_t size = strlen(name) + 1;
    char *const path = MD5_NEW(&load->arena, char, folder + size);
    if (path) {
        memcpy(path, load->path, folder);
        memcpy(path + folder, name, size);
    }
    return path;
}

// -- Errors ---------------------------------------------------------------------------------------

// Passes on an error of another file. That a file cannot be read is an error in the machine file,
// at `member`, which names it.
static bool fail_with(loading *load, const md5_error *error, const char *const *member)
{
    if (error->status == MD5_ERROR_IO) {
        const md5_location place = md5i_find_location(load->file->desc.locations, member);
        return md5i_fail(&load->context, MD5_ERROR_IO, place.line, place.column, "%s: %s",
                         MD5_QUOTED(*member), error->message);
    }
    return md5i_fail_as(&load->context, error);
}

static void name_clip(const char *clip, md5_error *error)
{
    const md5_error before = *error;
    snprintf(error->message, sizeof error->message, "clip %s: %.170s", MD5_QUOTED(clip),
             before.message);
}

// Adds the name of a clip to the warnings about its binding.
typedef struct clip_warnings {
    const char *clip;
    const md5_load_opts *opts;
} clip_warnings;

static void warn_of_clip(void *user, const md5_error *warning)
{
    const clip_warnings *const to = (const clip_warnings *)user;
    md5_error named = *warning;
    name_clip(to->clip, &named);
    to->opts->warn(to->opts->warn_user, &named);
}

// -- Parts ----------------------------------------------------------------------------------------

static bool add_part(loading *load, const char *name)
{
    named_file *const to = &load->parts[load->num_parts++];
    to->path = path_of(load, name);
    return to->path != NULL;
}

static void read_part(const loading *load, uint32_t number, const md5_load_opts *opts)
{
    named_file *const to = &load->parts[number];
    if (number < load->num_models)
        to->model = md5_load_model(to->path, opts, &to->error);
    else
        to->anim = md5_load_anim(to->path, opts, &to->error);
}

// Without memory the context has an error.
static void keep_warning(void *user, const md5_error *warning)
{
    named_file *const to = (named_file *)user;
    kept_warning *const entry = MD5_ROOM(&to->arena, kept_warning, 1);
    if (!entry)
        return;
    entry->warning = *warning;
    entry->next = NULL;
    *to->last_warning = entry;
    to->last_warning = &entry->next;
}

static void read_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const loading *const load = (const loading *)user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        named_file *const to = &load->parts[i];
        md5_load_opts opts = *load->opts;
        md5i_context_begin(&to->context, &opts, to->path, NULL);
        to->arena.context = &to->context;
        to->last_warning = &to->warnings;
        opts.warn = opts.warn ? keep_warning : NULL;
        opts.warn_user = to;
        read_part(load, (uint32_t)i, &opts);
    }
}

// Reads a part whose turn it is, or reports what was found when it was read. `member` names it in
// the machine file.
static bool take_part(loading *load, uint32_t number, const char *const *member)
{
    named_file *const from = &load->parts[number];
    if (!load->are_read)
        read_part(load, number, load->opts);
    for (const kept_warning *entry = from->warnings; entry; entry = entry->next)
        load->opts->warn(load->opts->warn_user, &entry->warning);
    if (from->context.error.status != MD5_OK)
        return md5i_fail_as(&load->context, &from->context.error);
    return from->error.status == MD5_OK || fail_with(load, &from->error, member);
}

// The machine's, or an attached one.
static bool take_model(loading *load, uint32_t number, const char *const *member, md5_model **model)
{
    TRY(take_part(load, number, member));
    *model = load->parts[number].model;
    load->parts[number].model = NULL;
    load->context.num_warnings += (*model)->num_warnings;
    return true;
}

static bool take_clips(loading *load)
{
    const uint32_t num_clips = load->file->desc.num_clips;
    md5_arena *const arena = &load->arena;
    owned_parts *const owned = load->owned;
    md5_character *const character = &owned->character;
    owned->anims = MD5_NEW(arena, md5_anim *, num_clips);
    owned->bindings = MD5_NEW(arena, md5_binding *, num_clips);
    const md5_anim **const anims = MD5_NEW(arena, const md5_anim *, num_clips);
    const md5_binding **const bindings = MD5_NEW(arena, const md5_binding *, num_clips);
    const char **const paths = MD5_NEW(arena, const char *, num_clips);
    TRY(owned->anims && owned->bindings && anims && bindings && paths);
    character->num_clips = num_clips;
    character->anims = anims;
    character->bindings = (const md5_binding *const *)bindings;
    character->anim_paths = paths;
    for (uint32_t clip = 0; clip < num_clips; clip++) {
        const uint32_t shared = load->shared[clip];
        if (shared == clip) {
            const uint32_t number = owned->num_anims;
            named_file *const from = &load->parts[load->num_models + number];
            TRY(take_part(load, load->num_models + number, &load->file->clips[clip].file));
            md5_anim *const anim = from->anim;
            from->anim = NULL;
            owned->anims[owned->num_anims++] = anim;
            load->context.num_warnings += anim->num_warnings;
            character->anims_size += anim->size;
            clip_warnings named = {load->file->clips[clip].name, load->opts};
            md5_load_opts opts = *load->opts;
            md5_error error = {.status = MD5_OK};
            opts.file_name = from->path;
            if (opts.warn) {
                opts.warn = warn_of_clip;
                opts.warn_user = &named;
            }
            owned->bindings[number] = md5_bind(owned->model, anim, &opts, &error);
            if (!owned->bindings[number]) {
                name_clip(named.clip, &error);
                return fail_with(load, &error, &load->file->clips[clip].file);
            }
            paths[clip] = from->path;
            anims[clip] = anim;
            bindings[clip] = owned->bindings[number];
        }
        paths[clip] = paths[shared];
        anims[clip] = anims[shared];
        bindings[clip] = load->file->clips[clip].binding = bindings[shared];
    }
    return true;
}

static bool load_parts(loading *load)
{
    load->owned = MD5_NEW(&load->arena, owned_parts, 1);
    TRY(load->owned);
    md5_error error = {.status = MD5_OK};
    load->file = md5_load_machine_file(load->path, load->opts, &error);
    if (!load->file)
        return md5i_fail_as(&load->context, &error);
    load->context.num_warnings = load->file->num_warnings;
    if (load->file->model_file[0] == '\0') {
        const md5_location place =
            md5i_find_location(load->file->desc.locations, &load->file->desc.name);
        return md5i_fail(&load->context, MD5_ERROR_SYNTAX, place.line, place.column,
                         "machine has no model file: expected 'model' and a file name");
    }

    const md5_clip_desc *const clips = load->file->clips;
    const uint32_t count = load->file->desc.num_clips;
    // Clips that share a file: sorted, so that many clips take no square of the time.
    md5_ordered_name *names = MD5_NEW(&load->scratch, md5_ordered_name, (size_t)count + 1);
    uint32_t *const shared = MD5_NEW(&load->scratch, uint32_t, (size_t)count + 1);
    TRY(names && shared);
    for (uint32_t i = 0; i < count; i++) {
        names[i].name.bytes = clips[i].file;
        names[i].name.size = strlen(clips[i].file);
        names[i].number = i;
    }
    TRY(names = md5i_order_names(&load->scratch, names, count));
    for (uint32_t i = 0, first = 0; i < count; i++) {
        const uint32_t clip = names[i].number;
        if (i == 0 || strcmp(clips[first].file, clips[clip].file) != 0)
            first = clip;
        shared[clip] = first;
    }
    load->shared = shared;
    // More are an error when the machine is created.
    md5_attached_desc *const attached = load->file->attached;
    uint32_t num_attached = load->file->desc.num_attached;
    num_attached = num_attached < MD5_MAX_ATTACHED ? num_attached : MD5_MAX_ATTACHED;
    load->num_models = 1 + num_attached;
    load->parts = MD5_NEW(&load->scratch, named_file, (size_t)count + load->num_models);
    TRY(load->parts && add_part(load, load->file->model_file));
    for (uint32_t i = 0; i < num_attached; i++)
        TRY(add_part(load, attached[i].file));
    for (uint32_t clip = 0; clip < count; clip++)
        TRY(shared[clip] != clip || add_part(load, clips[clip].file));

    const md5_threads *const threads = load->opts->threads;
    load->are_read = threads && threads->num_workers > 1;
    if (load->are_read)
        md5_threads_run(threads, load->num_parts, read_range, load);
    TRY(take_model(load, 0, &load->file->model_file, &load->owned->model));
    load->owned->character.model_path = load->parts[0].path;
    load->file->desc.model = load->owned->model;
    for (uint32_t i = 0; i < num_attached; i++) {
        TRY(take_model(load, 1 + i, &attached[i].file, &load->owned->attached[i]));
        attached[i].model = load->owned->attached[i];
    }
    TRY(take_clips(load));
    md5_load_opts opts = *load->opts;
    opts.file_name = load->path;
    load->owned->machine = md5_create_machine(&load->file->desc, &opts, &error);
    return load->owned->machine || md5i_fail_as(&load->context, &error);
}

// -- Characters -----------------------------------------------------------------------------------

static void free_parts(const owned_parts *owned)
{
    md5_destroy_machine(owned->machine);
    for (uint32_t i = 0; i < owned->num_anims; i++) {
        md5_free_binding(owned->bindings[i]);
        md5_free_anim(owned->anims[i]);
    }
    for (uint32_t i = 0; i < MD5_MAX_ATTACHED; i++)
        md5_free_model(owned->attached[i]);
    md5_free_model(owned->model);
}

md5_character *md5_load_character(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    static const md5_load_opts defaults = {0};
    md5_character *character = NULL;
    loading load = {.opts = opts ? opts : &defaults, .path = path ? path : ""};
    md5i_context_begin(&load.context, load.opts, path, error);
    load.arena.context = load.scratch.context = &load.context;
    const bool is_loaded = load_parts(&load);
    for (uint32_t i = 0; i < load.num_parts; i++) {
        md5_free_model(load.parts[i].model); // unless it was taken
        md5_free_anim(load.parts[i].anim);
        if (load.are_read)
            md5i_arena_free(&load.parts[i].arena);
    }
    md5i_arena_free(&load.scratch);
    if (is_loaded) {
        character = &load.owned->character;
        character->machine = load.owned->machine;
        character->model = load.owned->model;
        character->num_warnings = load.context.num_warnings;
        character->internal.allocator = load.context.allocator;
        character->internal.tag = MD5_TAG_CHARACTER;
        character->internal.memory = load.arena.chunks;
    } else {
        if (load.owned)
            free_parts(load.owned);
        md5i_arena_free(&load.arena);
    }
    md5_free_machine_file(load.file);
    return character;
}

void md5_free_character(md5_character *character)
{
    MD5_ASSERT_NULL_OR_ALIVE(character, MD5_TAG_CHARACTER);
    if (!character)
        return;
    free_parts((const owned_parts *)character);
    md5i_free_memory(&character->internal);
}
