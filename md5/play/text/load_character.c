// Loads characters: a machine file, the models and animations that it names, their bindings, and
// the machine.
//
// The machine copies its tables, so the machine file is freed afterwards. The arena with the
// character's arrays becomes its memory. On one thread each file is read when it is needed. With
// threads all files are read first, and their warnings and errors are stored and reported in the
// order of one thread.
#include "md5/play/schema.h"
#include "md5/core/file.h"
#include "md5/core/names.h"

// The objects that a character frees, in memory that begins with the public part. Clips that share
// a file have one entry.
typedef struct owned_parts {
    md5_character character; // must be first
    md5_machine *machine;
    md5_model *model;
    md5_model *attached[MD5_MAX_ATTACHED];
    uint32_t num_anims;
    md5_anim **anims;       // [num_anims]
    md5_binding **bindings; // [num_anims], NULL if binding failed
} owned_parts;

typedef struct stored_warning {
    md5_error warning;
    struct stored_warning *next;
} stored_warning;

// A model or animation file that the machine file names.
typedef struct named_file {
    const char *path;
    md5_model *model;    // read and not used yet, or NULL
    md5_anim *anim;      // read and not used yet, or NULL
    md5_error error;     // error of the file
    md5_context context; // with threads: memory for warnings
    md5_arena arena;
    stored_warning *warnings;
    stored_warning **last_warning;
} named_file;

// The load of one character.
typedef struct loading {
    md5_context context;
    md5_arena arena;           // becomes the memory of the character
    md5_arena scratch;         // contains `parts`
    const md5_load_opts *opts; // not NULL
    const char *path;
    md5_machine_file *file;
    owned_parts *owned;
    uint32_t num_parts;
    named_file *parts; // [num_parts]: the machine's model, attached models, animations
    uint32_t num_models;
    const uint32_t *shared; // [clips] first clip with the same file
    bool are_read;          // all parts were read in advance, with threads
} loading;

// -- Paths ----------------------------------------------------------------------------------------

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

// Returns the path of a file that the machine file names, in the arena. Returns NULL if memory runs
// out. If the name begins with two separators, all leading separators are removed, because such a
// path would refer to another computer.
static const char *resolve_path(loading *load, const char *name)
{
    const bool is_remote = is_separator(name[0]) && is_separator(name[1]);
    if (is_remote) {
        while (is_separator(name[0]))
            name++;
    }

    // The name is relative to the folder of the machine file, unless it is an absolute path.
    const bool is_absolute = is_separator(name[0]) || (name[0] != '\0' && name[1] == ':');
    size_t folder_length = is_absolute ? 0 : strlen(load->path); // including the last separator
    while (folder_length > 0 && !is_separator(load->path[folder_length - 1]))
        folder_length--;

    const size_t name_size = strlen(name) + 1;
    char *const path = MD5_ALLOC_ZEROED(&load->arena, char, folder_length + name_size);
    if (path) {
        memcpy(path, load->path, folder_length);
        memcpy(path + folder_length, name, name_size);
    }
    return path;
}

// -- Errors ---------------------------------------------------------------------------------------

// Reports an error of a file that the machine file names. If the file cannot be read, the error is
// at the location of `member`, which names the file.
static bool fail_with(loading *load, const md5_error *error, const char *const *member)
{
    if (error->status == MD5_ERROR_IO) {
        const md5_location location = md5i_find_location(load->file->desc.locations, member);
        return md5i_fail(&load->context, MD5_ERROR_IO, location.line, location.column, "%s: %s",
                         MD5_QUOTED(*member), error->message);
    }
    return md5i_fail_as(&load->context, error);
}

// Adds the name of a clip to the message of an error.
static void name_clip(const char *clip, md5_error *error)
{
    const md5_error before = *error;
    snprintf(error->message, sizeof error->message, "clip %s: %.170s", MD5_QUOTED(clip),
             before.message);
}

// The clip whose name is added to warnings about its binding.
typedef struct clip_warnings {
    const char *clip;
    const md5_load_opts *opts;
} clip_warnings;

// Passes a warning about a clip to the application, with the name of the clip.
static void warn_about_clip(void *user, const md5_error *warning)
{
    const clip_warnings *const warnings = (const clip_warnings *)user;
    md5_error named = *warning;
    name_clip(warnings->clip, &named);
    warnings->opts->warn(warnings->opts->warn_user, &named);
}

// -- Parts ----------------------------------------------------------------------------------------

// Adds a file to the parts.
static bool add_part(loading *load, const char *name)
{
    named_file *const part = &load->parts[load->num_parts++];
    part->path = resolve_path(load, name);
    return part->path != NULL;
}

// Reads the file of a part: a model or an animation.
static void read_part(const loading *load, uint32_t part_index, const md5_load_opts *opts)
{
    named_file *const part = &load->parts[part_index];
    if (part_index < load->num_models)
        part->model = md5_load_model(part->path, opts, &part->error);
    else
        part->anim = md5_load_anim(part->path, opts, &part->error);
}

// Appends a warning to the list of a part, `user`. If memory runs out, the context of the part
// receives an error.
static void store_warning(void *user, const md5_error *warning)
{
    named_file *const part = (named_file *)user;
    stored_warning *const entry = MD5_ALLOC_ARRAY(&part->arena, stored_warning, 1);
    if (!entry)
        return;
    entry->warning = *warning;
    entry->next = NULL;
    *part->last_warning = entry;
    part->last_warning = &entry->next;
}

// Reads a range of parts on one of several threads. Warnings and errors are stored in the parts,
// and reported later by finish_part().
static void read_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const loading *const load = (const loading *)user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        named_file *const part = &load->parts[i];
        md5_load_opts opts = *load->opts;
        md5i_context_begin(&part->context, &opts, part->path, NULL);
        part->arena.context = &part->context;
        part->last_warning = &part->warnings;
        opts.warn = opts.warn ? store_warning : NULL;
        opts.warn_user = part;
        read_part(load, (uint32_t)i, &opts);
    }
}

// Completes the reading of a part. Reads the part, or reports the warnings that were stored when a
// thread read it. Sets the error and returns false if the part could not be read. `member` is the
// member of the machine file that names the part.
static bool finish_part(loading *load, uint32_t part_index, const char *const *member)
{
    named_file *const part = &load->parts[part_index];
    if (!load->are_read)
        read_part(load, part_index, load->opts);

    for (const stored_warning *entry = part->warnings; entry; entry = entry->next)
        load->opts->warn(load->opts->warn_user, &entry->warning);
    if (part->context.error.status != MD5_OK)
        return md5i_fail_as(&load->context, &part->context.error);
    if (part->error.status != MD5_OK)
        return fail_with(load, &part->error, member);
    return true;
}

// Loads the machine's model or an attached model. The caller then owns the model.
static bool load_model(loading *load, uint32_t part_index, const char *const *member,
                       md5_model **model)
{
    TRY(finish_part(load, part_index, member));
    *model = load->parts[part_index].model;
    load->parts[part_index].model = NULL;
    load->context.num_warnings += (*model)->num_warnings;
    return true;
}

// Binds an animation to the model. Warnings and errors contain the name of the clip.
static md5_binding *bind_clip(loading *load, const md5_clip_desc *clip, const char *path,
                              const md5_anim *anim)
{
    md5_load_opts opts = *load->opts;
    opts.file_name = path;
    clip_warnings warnings = {clip->name, load->opts};
    if (opts.warn) {
        opts.warn = warn_about_clip;
        opts.warn_user = &warnings;
    }

    md5_error error = {.status = MD5_OK};
    md5_binding *const binding = md5_bind(load->owned->model, anim, &opts, &error);
    if (!binding) {
        name_clip(clip->name, &error);
        fail_with(load, &error, &clip->file);
    }
    return binding;
}

// Loads the animation of a clip and binds it. `clip` is the first clip that uses the file.
static bool load_clip(loading *load, uint32_t clip)
{
    owned_parts *const owned = load->owned;
    const md5_clip_desc *const desc = &load->file->clips[clip];
    const uint32_t anim_index = owned->num_anims;
    const uint32_t part_index = load->num_models + anim_index;
    named_file *const part = &load->parts[part_index];
    TRY(finish_part(load, part_index, &desc->file));

    // The animation now belongs to the character.
    md5_anim *const anim = part->anim;
    part->anim = NULL;
    owned->anims[owned->num_anims++] = anim;
    load->context.num_warnings += anim->num_warnings;
    owned->character.anims_size += anim->size;

    owned->bindings[anim_index] = bind_clip(load, desc, part->path, anim);
    return owned->bindings[anim_index] != NULL;
}

// Loads the clips. Clips with the same file share an animation and a binding.
static bool load_clips(loading *load)
{
    const uint32_t num_clips = load->file->desc.num_clips;
    md5_arena *const arena = &load->arena;
    owned_parts *const owned = load->owned;
    owned->anims = MD5_ALLOC_ZEROED(arena, md5_anim *, num_clips);
    owned->bindings = MD5_ALLOC_ZEROED(arena, md5_binding *, num_clips);
    const md5_anim **const anims = MD5_ALLOC_ZEROED(arena, const md5_anim *, num_clips);
    const md5_binding **const bindings = MD5_ALLOC_ZEROED(arena, const md5_binding *, num_clips);
    const char **const paths = MD5_ALLOC_ZEROED(arena, const char *, num_clips);
    TRY(owned->anims && owned->bindings && anims && bindings && paths);

    md5_character *const character = &owned->character;
    character->num_clips = num_clips;
    character->anims = anims;
    character->bindings = (const md5_binding *const *)bindings;
    character->anim_paths = paths;

    for (uint32_t clip = 0; clip < num_clips; clip++) {
        const uint32_t shared = load->shared[clip]; // the first clip with the file, already loaded
        if (shared == clip) {
            const uint32_t anim_index = owned->num_anims;
            TRY(load_clip(load, clip));
            paths[clip] = load->parts[load->num_models + anim_index].path;
            anims[clip] = owned->anims[anim_index];
            bindings[clip] = owned->bindings[anim_index];
        }
        paths[clip] = paths[shared];
        anims[clip] = anims[shared];
        bindings[clip] = bindings[shared];
        load->file->clips[clip].binding = bindings[shared];
    }
    return true;
}

// Reads the machine file.
static bool read_machine_file(loading *load)
{
    md5_error error = {.status = MD5_OK};
    load->file = md5_load_machine_file(load->path, load->opts, &error);
    if (!load->file)
        return md5i_fail_as(&load->context, &error);
    load->context.num_warnings = load->file->num_warnings;
    if (load->file->model_file[0] == '\0') {
        const md5_location location =
            md5i_find_location(load->file->desc.locations, &load->file->desc.name);
        return md5i_fail(&load->context, MD5_ERROR_SYNTAX, location.line, location.column,
                         "machine has no model file: expected 'model' and a file name");
    }
    return true;
}

// Finds the first clip with the same file for each clip. The names are sorted, so that the time is
// not quadratic in the number of clips.
static bool find_shared_files(loading *load)
{
    const md5_clip_desc *const clips = load->file->clips;
    const uint32_t count = load->file->desc.num_clips;
    md5_sorted_name *names = MD5_ALLOC_ZEROED(&load->scratch, md5_sorted_name, (size_t)count + 1);
    uint32_t *const shared = MD5_ALLOC_ZEROED(&load->scratch, uint32_t, (size_t)count + 1);
    TRY(names && shared);

    for (uint32_t i = 0; i < count; i++) {
        names[i].name.bytes = clips[i].file;
        names[i].name.size = strlen(clips[i].file);
        names[i].number = i;
    }
    TRY(names = md5i_sort_names(&load->scratch, names, count));

    // Equal names are adjacent, in the order of the clips.
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t clip = names[i].number;
        if (i == 0 || strcmp(clips[first].file, clips[clip].file) != 0)
            first = clip;
        shared[clip] = first;
    }
    load->shared = shared;
    return true;
}

// Lists the files of the machine's model, of attached models and of animations.
static bool list_parts(loading *load, uint32_t num_attached)
{
    const md5_clip_desc *const clips = load->file->clips;
    const uint32_t count = load->file->desc.num_clips;
    load->num_models = 1 + num_attached;
    load->parts = MD5_ALLOC_ZEROED(&load->scratch, named_file, (size_t)count + load->num_models);
    TRY(load->parts && add_part(load, load->file->model_file));
    for (uint32_t i = 0; i < num_attached; i++)
        TRY(add_part(load, load->file->attached[i].file));
    for (uint32_t clip = 0; clip < count; clip++) {
        if (load->shared[clip] == clip)
            TRY(add_part(load, clips[clip].file));
    }
    return true;
}

// Loads the machine's model and the attached models.
static bool load_models(loading *load, uint32_t num_attached)
{
    TRY(load_model(load, 0, &load->file->model_file, &load->owned->model));
    load->owned->character.model_path = load->parts[0].path;
    load->file->desc.model = load->owned->model;

    md5_attached_desc *const attached = load->file->attached;
    for (uint32_t i = 0; i < num_attached; i++) {
        TRY(load_model(load, 1 + i, &attached[i].file, &load->owned->attached[i]));
        attached[i].model = load->owned->attached[i];
    }
    return true;
}

// Creates the machine from the tables of the machine file, whose models and bindings are set.
static bool create_machine(loading *load)
{
    md5_error error = {.status = MD5_OK};
    md5_load_opts opts = *load->opts;
    opts.file_name = load->path;
    load->owned->machine = md5_create_machine(&load->file->desc, &opts, &error);
    if (!load->owned->machine)
        return md5i_fail_as(&load->context, &error);
    return true;
}

// Reads the machine file and all files that it names, and creates the machine. The objects that
// were created belong to load->owned, also after an error. Returns false and sets the error on
// failure.
static bool load_parts(loading *load)
{
    load->owned = MD5_ALLOC_ZEROED(&load->arena, owned_parts, 1);
    TRY(load->owned);
    TRY(read_machine_file(load));
    TRY(find_shared_files(load));

    // If there are more attached models, the creation of the machine reports an error.
    uint32_t num_attached = load->file->desc.num_attached;
    if (num_attached > MD5_MAX_ATTACHED)
        num_attached = MD5_MAX_ATTACHED;
    TRY(list_parts(load, num_attached));

    const md5_threads *const threads = load->opts->threads;
    load->are_read = threads && threads->num_workers > 1;
    if (load->are_read)
        md5_threads_run(threads, load->num_parts, read_range, load);

    TRY(load_models(load, num_attached));
    TRY(load_clips(load));
    return create_machine(load);
}

// -- Characters -----------------------------------------------------------------------------------

// Frees the machine, model, animations and bindings of a character, in an order in which nothing is
// freed before its users.
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

// Frees the scratch memory of a load, and files that were read but not used.
static void free_scratch(loading *load)
{
    for (uint32_t i = 0; i < load->num_parts; i++) {
        md5_free_model(load->parts[i].model); // NULL if it was used
        md5_free_anim(load->parts[i].anim);
        if (load->are_read)
            md5i_arena_free(&load->parts[i].arena);
    }
    md5i_arena_free(&load->scratch);
}

// Completes the public part of a loaded character, which owns the arena.
static md5_character *finish_character(const loading *load)
{
    md5_character *const character = &load->owned->character;
    character->machine = load->owned->machine;
    character->model = load->owned->model;
    character->num_warnings = load->context.num_warnings;
    character->internal.allocator = load->context.allocator;
    character->internal.tag = MD5_TAG_CHARACTER;
    character->internal.memory = load->arena.chunks;
    return character;
}

// Loads a character: reads its machine file, loads the model and animations that the file names,
// and creates the machine. Returns NULL on failure.
md5_character *md5_load_character(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);

    static const md5_load_opts defaults = {0};
    loading load = {.opts = opts ? opts : &defaults, .path = path ? path : ""};
    md5i_context_begin(&load.context, load.opts, path, error);
    load.arena.context = &load.context;
    load.scratch.context = &load.context;
    const bool is_loaded = load_parts(&load);
    free_scratch(&load);

    md5_character *character = NULL;
    if (is_loaded) {
        character = finish_character(&load);
    } else {
        if (load.owned)
            free_parts(load.owned);
        md5i_arena_free(&load.arena);
    }
    md5_free_machine_file(load.file);
    return character;
}

// Frees a character with its model, clips and machine. NULL has no effect.
void md5_free_character(md5_character *character)
{
    MD5_ASSERT_NULL_OR_ALIVE(character, MD5_TAG_CHARACTER);
    if (!character)
        return;
    free_parts((const owned_parts *)character);
    md5i_free_memory(&character->internal);
}
