// Loads characters. A machine file contains the names of a model, attached models and animations.
// The loader reads these files, binds each animation to the model, and creates the machine.
//
// Without threads, each file is read when it is needed. With threads, all files are read first, and
// their warnings and errors are stored. They are reported later in the order of a load without
// threads. Therefore the messages do not depend on the number of threads.
//
// The machine copies its tables, so the machine file is freed afterwards. The arena with the
// character's arrays becomes the memory of the character.
#include "md5/play/schema.h"
#include "md5/core/file.h"
#include "md5/core/names.h"

// A character and the objects that it frees. The public structure must be the first member, because
// md5_free_character() converts its address back. Clips that share a file have one entry.
typedef struct owned_objects {
    md5_character character; // must be first
    md5_machine *machine;
    md5_model *model;
    md5_model *attached[MD5_MAX_ATTACHED];
    uint32_t num_anims;
    md5_anim **anims;       // [num_anims]
    md5_binding **bindings; // [num_anims], NULL if binding failed
} owned_objects;

// An entry of a list of warnings about a file, which are reported later.
typedef struct stored_warning {
    md5_error warning;
    struct stored_warning *next;
} stored_warning;

// A model or animation file that the machine file refers to. After the file was read, `model` or
// `anim` is set until the character takes it over.
typedef struct named_file {
    const char *path;
    md5_model *model;
    md5_anim *anim;
    md5_error error; // reason why the file could not be read
    // Only with threads: the warnings of the file, until they are reported.
    md5_context context;
    md5_arena arena; // memory of the list of warnings
    stored_warning *warnings;
    stored_warning **last_warning; // end of the list: the pointer to set to the next warning
} named_file;

// The load of one character.
typedef struct loading {
    md5_context context;
    md5_arena arena;           // becomes the memory of the character
    md5_arena scratch;         // contains `files` and `shared`
    const md5_load_opts *opts; // not NULL
    const char *path;
    md5_machine_file *machine_file;
    owned_objects *owned;
    uint32_t num_files;
    named_file *files; // [num_files] the machine's model, attached models, animations
    uint32_t num_models;
    const uint32_t *shared; // [clips] first clip with the same file
    bool are_read;          // all files were read in advance, with threads
} loading;

// -- Paths ----------------------------------------------------------------------------------------

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

// Removes the leading separators of a name if it begins with two of them. Such a path refers to
// another computer, but loading a file must not access the network.
static const char *skip_remote_prefix(const char *name)
{
    const bool is_remote = is_separator(name[0]) && is_separator(name[1]);
    if (!is_remote)
        return name;
    while (is_separator(name[0]))
        name++;
    return name;
}

// Returns the length of the folder in a path, including the last separator.
static size_t measure_folder(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && !is_separator(path[length - 1]))
        length--;
    return length;
}

// Returns the path of a file that the machine file names, in the arena. The name is relative to the
// folder of the machine file, unless it is an absolute path, which may begin with a drive letter.
// Returns NULL if memory runs out.
static const char *resolve_path(loading *load, const char *file_name)
{
    const char *const name = skip_remote_prefix(file_name);
    const bool has_drive = name[0] != '\0' && name[1] == ':';
    const bool is_absolute = is_separator(name[0]) || has_drive;
    const size_t folder_length = is_absolute ? 0 : measure_folder(load->path);
    const size_t name_size = strlen(name) + 1;

    char *const path = MD5_ALLOC_ZEROED(&load->arena, char, folder_length + name_size);
    if (!path)
        return NULL;
    memcpy(path, load->path, folder_length);
    memcpy(path + folder_length, name, name_size);
    return path;
}

// -- Errors ---------------------------------------------------------------------------------------

// Reports the error of a file that the machine file names. Errors in the contents of the file are
// reported as they are. If the file cannot be read, the error is at the location of `member`, the
// member of the machine file that contains the name. Returns false.
static bool fail_with(loading *load, const md5_error *error, const char *const *member)
{
    if (error->status == MD5_ERROR_IO) {
        const md5_location location =
            md5i_find_location(load->machine_file->desc.locations, member);
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

// -- Files ----------------------------------------------------------------------------------------

// Appends a file to the list of files. Returns false if memory runs out.
static bool add_named_file(loading *load, const char *name)
{
    named_file *const file = &load->files[load->num_files++];
    file->path = resolve_path(load, name);
    return file->path != NULL;
}

// Reads a file: a model or an animation, depending on its index. On failure sets the error of the
// file.
static void read_named_file(const loading *load, uint32_t file_index, const md5_load_opts *opts)
{
    named_file *const file = &load->files[file_index];
    if (file_index < load->num_models)
        file->model = md5_load_model(file->path, opts, &file->error);
    else
        file->anim = md5_load_anim(file->path, opts, &file->error);
}

// Appends a warning to the list of a file; `user` is the named_file. If memory runs out, the
// context of the file receives an error.
static void store_warning(void *user, const md5_error *warning)
{
    named_file *const file = (named_file *)user;
    stored_warning *const entry = MD5_ALLOC_ARRAY(&file->arena, stored_warning, 1);
    if (!entry)
        return;
    entry->warning = *warning;
    entry->next = NULL;
    *file->last_warning = entry;
    file->last_warning = &entry->next;
}

// Reads the files begin..end - 1 on one of several threads; `user` is the load. Warnings and errors
// are stored in the files. finish_file() reports them later, on the thread of the caller.
static void read_file_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const loading *const load = (const loading *)user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        named_file *const file = &load->files[i];
        md5_load_opts opts = *load->opts;
        md5i_context_begin(&file->context, &opts, file->path, NULL);
        file->arena.context = &file->context;
        file->last_warning = &file->warnings;
        opts.warn = opts.warn ? store_warning : NULL;
        opts.warn_user = file;
        read_named_file(load, (uint32_t)i, &opts);
    }
}

// Reads a file, unless a thread has read it already; then reports the warnings that were stored.
// Sets the error and returns false if the file could not be read. `member` is the member of the
// machine file that contains the name of the file.
static bool finish_file(loading *load, uint32_t file_index, const char *const *member)
{
    named_file *const file = &load->files[file_index];
    if (!load->are_read)
        read_named_file(load, file_index, load->opts);

    for (const stored_warning *entry = file->warnings; entry; entry = entry->next)
        load->opts->warn(load->opts->warn_user, &entry->warning);
    if (file->context.error.status != MD5_OK)
        return md5i_fail_as(&load->context, &file->context.error);
    if (file->error.status != MD5_OK)
        return fail_with(load, &file->error, member);
    return true;
}

// Loads the machine's model or an attached model and sets *model, which the caller then owns.
static bool load_model(loading *load, uint32_t file_index, const char *const *member,
                       md5_model **model)
{
    TRY(finish_file(load, file_index, member));
    *model = load->files[file_index].model;
    load->files[file_index].model = NULL;
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

// Loads the animation of a clip and binds it to the model. `clip` is the first clip that uses the
// file. Both objects are appended to the objects of the character.
static bool load_clip(loading *load, uint32_t clip)
{
    owned_objects *const owned = load->owned;
    const md5_clip_desc *const desc = &load->machine_file->clips[clip];
    const uint32_t anim_index = owned->num_anims;
    const uint32_t file_index = load->num_models + anim_index;
    named_file *const file = &load->files[file_index];
    TRY(finish_file(load, file_index, &desc->file));

    // The animation now belongs to the character.
    md5_anim *const anim = file->anim;
    file->anim = NULL;
    owned->anims[owned->num_anims++] = anim;
    load->context.num_warnings += anim->num_warnings;
    owned->character.anims_size += anim->size;

    owned->bindings[anim_index] = bind_clip(load, desc, file->path, anim);
    return owned->bindings[anim_index] != NULL;
}

// The arrays of a character with one element for each clip. The public structure contains const
// pointers to them, which the loader cannot write through.
typedef struct clip_arrays {
    const char **paths;
    const md5_anim **anims;
    const md5_binding **bindings;
} clip_arrays;

// Allocates the arrays of a character for its clips. Returns false if memory runs out.
static bool alloc_clip_arrays(loading *load, clip_arrays *arrays)
{
    md5_arena *const arena = &load->arena;
    const uint32_t num_clips = load->machine_file->desc.num_clips;
    owned_objects *const owned = load->owned;
    owned->anims = MD5_ALLOC_ZEROED(arena, md5_anim *, num_clips);
    owned->bindings = MD5_ALLOC_ZEROED(arena, md5_binding *, num_clips);
    arrays->anims = MD5_ALLOC_ZEROED(arena, const md5_anim *, num_clips);
    arrays->bindings = MD5_ALLOC_ZEROED(arena, const md5_binding *, num_clips);
    arrays->paths = MD5_ALLOC_ZEROED(arena, const char *, num_clips);
    TRY(owned->anims && owned->bindings);
    TRY(arrays->anims && arrays->bindings && arrays->paths);

    md5_character *const character = &owned->character;
    character->num_clips = num_clips;
    character->anims = arrays->anims;
    character->bindings = (const md5_binding *const *)arrays->bindings;
    character->anim_paths = arrays->paths;
    return true;
}

// Loads the clips. Clips with the same file share an animation and a binding.
static bool load_clips(loading *load)
{
    clip_arrays arrays;
    TRY(alloc_clip_arrays(load, &arrays));

    const owned_objects *const owned = load->owned;
    for (uint32_t clip = 0; clip < load->machine_file->desc.num_clips; clip++) {
        const uint32_t first = load->shared[clip]; // the first clip with the file
        if (first == clip) {
            const uint32_t anim_index = owned->num_anims;
            TRY(load_clip(load, clip));
            arrays.paths[clip] = load->files[load->num_models + anim_index].path;
            arrays.anims[clip] = owned->anims[anim_index];
            arrays.bindings[clip] = owned->bindings[anim_index];
        } else {
            arrays.paths[clip] = arrays.paths[first];
            arrays.anims[clip] = arrays.anims[first];
            arrays.bindings[clip] = arrays.bindings[first];
        }
        load->machine_file->clips[clip].binding = arrays.bindings[clip];
    }
    return true;
}

// Reads the machine file. Fails if it does not name a model, because a character cannot be loaded
// without one.
static bool read_machine_file(loading *load)
{
    md5_error error = {.status = MD5_OK};
    load->machine_file = md5_load_machine_file(load->path, load->opts, &error);
    if (!load->machine_file)
        return md5i_fail_as(&load->context, &error);
    load->context.num_warnings = load->machine_file->num_warnings;
    if (load->machine_file->model_file[0] == '\0') {
        const md5_location location =
            md5i_find_location(load->machine_file->desc.locations, &load->machine_file->desc.name);
        return md5i_fail(&load->context, MD5_ERROR_SYNTAX, location.line, location.column,
                         "machine has no model file: expected 'model' and a file name");
    }
    return true;
}

// Finds the first clip with the same file for each clip, so that each file is read only once. Sorts
// the names, so that the time is not quadratic in the number of clips.
static bool find_shared_files(loading *load)
{
    const md5_clip_desc *const clips = load->machine_file->clips;
    const uint32_t count = load->machine_file->desc.num_clips;
    md5_sorted_name *const names =
        MD5_ALLOC_ZEROED(&load->scratch, md5_sorted_name, (size_t)count + 1);
    uint32_t *const shared = MD5_ALLOC_ZEROED(&load->scratch, uint32_t, (size_t)count + 1);
    TRY(names && shared);

    for (uint32_t clip = 0; clip < count; clip++) {
        names[clip].name.bytes = clips[clip].file;
        names[clip].name.size = strlen(clips[clip].file);
        names[clip].number = clip;
    }
    const md5_sorted_name *const sorted = md5i_sort_names(&load->scratch, names, count);
    TRY(sorted);

    // Equal names are adjacent now, in the order of the clips.
    uint32_t first = 0; // the first clip with the current name
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t clip = sorted[i].number;
        if (i == 0 || strcmp(clips[first].file, clips[clip].file) != 0)
            first = clip;
        shared[clip] = first;
    }
    load->shared = shared;
    return true;
}

// Lists the files to read: the machine's model, the attached models, and each animation once.
static bool list_files(loading *load, uint32_t num_attached)
{
    const md5_clip_desc *const clips = load->machine_file->clips;
    const uint32_t count = load->machine_file->desc.num_clips;
    load->num_models = 1 + num_attached;
    load->files = MD5_ALLOC_ZEROED(&load->scratch, named_file, (size_t)count + load->num_models);
    TRY(load->files && add_named_file(load, load->machine_file->model_file));
    for (uint32_t i = 0; i < num_attached; i++)
        TRY(add_named_file(load, load->machine_file->attached[i].file));
    for (uint32_t clip = 0; clip < count; clip++) {
        if (load->shared[clip] == clip)
            TRY(add_named_file(load, clips[clip].file));
    }
    return true;
}

// Loads the machine's model and the attached models.
static bool load_models(loading *load, uint32_t num_attached)
{
    TRY(load_model(load, 0, &load->machine_file->model_file, &load->owned->model));
    load->owned->character.model_path = load->files[0].path;
    load->machine_file->desc.model = load->owned->model;

    md5_attached_desc *const attached = load->machine_file->attached;
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
    load->owned->machine = md5_create_machine(&load->machine_file->desc, &opts, &error);
    if (!load->owned->machine)
        return md5i_fail_as(&load->context, &error);
    return true;
}

// Reads the machine file and all files that it names, and creates the machine. Returns false and
// sets the error on failure; load->owned then contains the objects that were created before.
static bool load_objects(loading *load)
{
    load->owned = MD5_ALLOC_ZEROED(&load->arena, owned_objects, 1);
    TRY(load->owned);
    TRY(read_machine_file(load));
    TRY(find_shared_files(load));

    // If there are more attached models, the creation of the machine reports an error.
    uint32_t num_attached = load->machine_file->desc.num_attached;
    if (num_attached > MD5_MAX_ATTACHED)
        num_attached = MD5_MAX_ATTACHED;
    TRY(list_files(load, num_attached));

    const md5_threads *const threads = load->opts->threads;
    load->are_read = threads && threads->num_workers > 1;
    if (load->are_read)
        md5_threads_run(threads, load->num_files, read_file_range, load);

    TRY(load_models(load, num_attached));
    TRY(load_clips(load));
    return create_machine(load);
}

// -- Characters -----------------------------------------------------------------------------------

// Frees the machine, models, animations and bindings of a character. Each object is freed before
// the objects that it uses.
static void free_objects(const owned_objects *owned)
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
    for (uint32_t i = 0; i < load->num_files; i++) {
        md5_free_model(load->files[i].model); // NULL if it was used
        md5_free_anim(load->files[i].anim);
        if (load->are_read)
            md5i_arena_free(&load->files[i].arena);
    }
    md5i_arena_free(&load->scratch);
}

// Completes the public structure of a loaded character. The character owns the arena from now on.
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
    const bool is_loaded = load_objects(&load);
    free_scratch(&load);

    md5_character *character = NULL;
    if (is_loaded) {
        character = finish_character(&load);
    } else {
        if (load.owned)
            free_objects(load.owned);
        md5i_arena_free(&load.arena);
    }
    md5_free_machine_file(load.machine_file);
    return character;
}

// Frees a character with its model, clips and machine. NULL has no effect.
void md5_free_character(md5_character *character)
{
    MD5_ASSERT_NULL_OR_ALIVE(character, MD5_TAG_CHARACTER);
    if (!character)
        return;
    free_objects((const owned_objects *)character);
    md5i_free_memory(&character->internal);
}
