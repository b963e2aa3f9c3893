// Loads every valid file of the project cut short, altered, and with too little memory. A load must
// never crash, leak, or return an asset that differs from the whole file's asset without a warning.
//
// Small files are cut and altered at every byte, large files at evenly spaced positions, so that
// each kind of abuse reads about MD5_ABUSE_MB million bytes of every file (default 6). If both
// MD5_ABUSE_MB and MD5_CORPUS are set, the files in corpus/ are included: see test/long/abuse.sh.
#include "test/load/test_asset.h"
#include "test/scoped.h"

#include <dirent.h>
#include <sys/stat.h>

enum { DEFAULT_MEGABYTES = 6 };

// -- Models, animations and cameras ---------------------------------------------------------

typedef enum asset_kind { NO_KIND, MODEL, ANIM, CAMERA } asset_kind;

typedef struct asset {
    md5_model *model;
    md5_anim *anim;
    md5_camera *camera; // at most one of the three is set
} asset;

static asset_kind kind_from_path(const char *path)
{
    const char *const dot = strrchr(path, '.');
    if (!dot)
        return NO_KIND;
    if (strcmp(dot, ".md5mesh") == 0)
        return MODEL;
    if (strcmp(dot, ".md5anim") == 0)
        return ANIM;
    return strcmp(dot, ".md5camera") == 0 ? CAMERA : NO_KIND;
}

static asset parse(asset_kind kind, const char *text, size_t size, const md5_load_opts *opts,
                   md5_error *error)
{
    asset loaded = {NULL, NULL, NULL};
    if (kind == MODEL)
        loaded.model = md5_parse_model(text, size, opts, error);
    else if (kind == ANIM)
        loaded.anim = md5_parse_anim(text, size, opts, error);
    else
        loaded.camera = md5_parse_camera(text, size, opts, error);
    return loaded;
}

static const void *asset_pointer(asset loaded)
{
    if (loaded.model)
        return loaded.model;
    return loaded.anim ? (const void *)loaded.anim : loaded.camera;
}

static uint32_t count_asset_warnings(asset loaded)
{
    if (loaded.model)
        return loaded.model->num_warnings;
    if (loaded.anim)
        return loaded.anim->num_warnings;
    return loaded.camera ? loaded.camera->num_warnings : 0;
}

static const char *find_fault(asset loaded)
{
    if (loaded.model)
        return asset_model_fault(loaded.model);
    if (loaded.anim)
        return asset_anim_fault(loaded.anim);
    return loaded.camera ? asset_camera_fault(loaded.camera) : NULL;
}

static bool are_equal(asset a, asset b)
{
    if (a.model)
        return asset_models_equal(a.model, b.model);
    if (a.anim)
        return asset_anims_equal(a.anim, b.anim);
    return asset_cameras_equal(a.camera, b.camera);
}

static void free_asset(asset loaded)
{
    md5_free_model(loaded.model);
    md5_free_anim(loaded.anim);
    md5_free_camera(loaded.camera);
}

// -- One file -------------------------------------------------------------------------------

typedef struct valid_file {
    const char *path;
    asset_kind kind;
    char *text;
    size_t size;
    asset original;
    asset_warnings warnings; // warnings about the whole file
    size_t num_allocs, peak_bytes;
    size_t budget; // limit for the bytes that one kind of abuse reads
} valid_file;

// Returns the distance between the positions of a file at which it is cut or altered. It is large
// enough that all attempts together read at most file->budget bytes, if each of them reads `cost`
// bytes. The file has `num_positions` positions.
static size_t stride_for(const valid_file *file, size_t num_positions, size_t cost)
{
    const size_t affordable = file->budget / (cost + 1) + 1;
    return num_positions / affordable + 1;
}

typedef struct trial {
    asset loaded;
    asset_heap *heap;
    size_t limit; // 0 = none
    asset_warnings warnings;
    md5_error error;
} trial;
typedef const char *asset_check(const valid_file *file, const trial *tried);

// Parses a text, checks the conditions that every text must meet, calls `is_right` to check the
// asset, and frees the asset.
static bool attempt(const valid_file *file, const char *text, size_t size, asset_heap *heap,
                    size_t limit, asset_check *is_right, const char *description, size_t at)
{
    trial tried = {.heap = heap, .limit = limit};
    md5_load_opts opts = asset_opts(heap, &tried.warnings);
    opts.allocator.limit = limit;
    tried.loaded = parse(file->kind, text, size, &opts, &tried.error);
    const char *fault =
        asset_answer_fault(asset_pointer(tried.loaded), count_asset_warnings(tried.loaded), &opts,
                           &tried.error, text, size);
    if (!fault)
        fault = find_fault(tried.loaded);
    if (!fault)
        fault = is_right(file, &tried);
    free_asset(tried.loaded);
    if (!fault)
        fault = asset_heap_fault(heap);
    return CHECK_THAT(!fault, "%s, %s %zu: %s", file->path, description, at, fault ? fault : "");
}

static const char *judge_cut(const valid_file *file, const trial *tried)
{
    if (!asset_pointer(tried->loaded))
        return tried->error.status == MD5_ERROR_MEMORY ? "out of memory" : NULL;
    if (!asset_warnings_have_new(&tried->warnings, &file->warnings)
        && !are_equal(tried->loaded, file->original))
        return "data is lost without a warning";
    return NULL;
}

static void cut_everywhere(const valid_file *file)
{
    const size_t stride = stride_for(file, file->size, file->size / 2);
    for (size_t cut = 0; cut < file->size; cut += stride) {
        char *const part = malloc(cut ? cut : 1); // exact size: a read past the end is detected
        asset_heap heap = {0};
        if (!part)
            abort();
        memcpy(part, file->text, cut);
        const bool held = attempt(file, part, cut, &heap, 0, judge_cut, "cut at", cut);
        free(part);
        if (!held)
            return;
    }
}

static const char *judge_nothing(const valid_file *file, const trial *tried)
{
    (void)file;
    const bool is_loaded = asset_pointer(tried->loaded) != NULL;
    return !is_loaded && tried->error.status == MD5_ERROR_MEMORY ? "out of memory" : NULL;
}

static void alter_everywhere(const valid_file *file)
{
    static const char replacements[] = "9\"} -/\0.(\n{a)e\xE9";
    enum { NUM_REPLACEMENTS = sizeof replacements - 1, ROUNDS = 4 };
    const size_t stride = stride_for(file, file->size, ROUNDS * file->size);
    size_t next = 0;
    for (size_t at = 0; at < file->size; at += stride) {
        const char original = file->text[at];
        bool held = true;
        for (int i = 0; i < ROUNDS && held; i++) {
            asset_heap heap = {0};
            file->text[at] = replacements[next++ % NUM_REPLACEMENTS];
            held = attempt(file, file->text, file->size, &heap, 0, judge_nothing, "altered at", at);
        }
        file->text[at] = original;
        if (!held)
            return;
    }
}

static const char *judge_memory(const valid_file *file, const trial *tried)
{
    const asset_heap *const heap = tried->heap;
    if (tried->limit > 0 && heap->peak_bytes > tried->limit)
        return "the memory limit is exceeded";
    if (!asset_pointer(tried->loaded))
        return tried->error.status == MD5_ERROR_MEMORY ? NULL : "an error other than out of memory";
    if (heap->fail_at > 0 && heap->num_allocs >= heap->fail_at)
        return "an asset although an allocation failed";
    return are_equal(tried->loaded, file->original)
               ? NULL
               : "the asset differs from that of the whole file";
}

static const char *judge_success(const valid_file *file, const trial *tried)
{
    return asset_pointer(tried->loaded) ? judge_memory(file, tried)
                                        : "not read with just enough memory";
}

static void fail_every_allocation(const valid_file *file)
{
    const size_t stride = stride_for(file, file->num_allocs, file->size);
    for (size_t n = 1; n <= file->num_allocs + 1; n += stride) {
        asset_heap heap = {.fail_at = n};
        if (!attempt(file, file->text, file->size, &heap, 0, judge_memory, "allocation", n))
            return;
    }
}

static void set_every_limit(const valid_file *file)
{
    enum { MAX_LIMITS = 2000 };
    const size_t max_limit = file->peak_bytes < MAX_LIMITS ? file->peak_bytes : MAX_LIMITS;
    const size_t count = max_limit / stride_for(file, max_limit, file->size) + 1;
    for (size_t i = 0; i <= count; i++) {
        const size_t limit = 1 + file->peak_bytes / count * i;
        asset_heap heap = {0};
        if (!attempt(file, file->text, file->size, &heap, limit, judge_memory, "limit", limit))
            return;
    }
    asset_heap heap = {0};
    attempt(file, file->text, file->size, &heap, file->peak_bytes, judge_success, "limit",
            file->peak_bytes);
}

// Returns false if the file is not a valid asset.
static bool open_valid_file(valid_file *file, const char *path)
{
    const char *const megabytes = getenv("MD5_ABUSE_MB");
    asset_heap heap = {0};
    const md5_load_opts opts = asset_opts(&heap, &file->warnings);
    md5_error error = {0};
    *file = (valid_file){.path = path, .kind = kind_from_path(path)};
    file->budget =
        1000000 * (megabytes ? (size_t)strtoul(megabytes, NULL, 10) : (size_t)DEFAULT_MEGABYTES);
    file->text = test_read_file(path, &file->size);
    if (!file->text)
        return false;
    const asset first = parse(file->kind, file->text, file->size, &opts, &error);
    const bool is_good = asset_pointer(first) != NULL;
    free_asset(first);
    file->num_allocs = heap.num_allocs;
    file->peak_bytes = heap.peak_bytes;
    file->original = parse(file->kind, file->text, file->size, NULL, &error);
    if (is_good)
        return true;
    free(file->text);
    return false;
}

// -- Folders --------------------------------------------------------------------------------

enum { PATH_CAPACITY = 1024, MAX_FOLDERS = 512 };

// Folders that are still to be visited.
typedef struct folder_list {
    size_t count;
    char *paths[MAX_FOLDERS];
} folder_list;

static void add_folder(folder_list *list, const char *path)
{
    char *const copy = malloc(strlen(path) + 1);
    if (!copy || !CHECK(list->count < MAX_FOLDERS))
        abort();
    strcpy(copy, path);
    list->paths[list->count++] = copy;
}

// Adds a folder to the list, or calls `use` for a valid model, animation or camera. Returns true if
// it called `use`.
static bool use_entry(folder_list *list, const char *path, void (*use)(const valid_file *file))
{
    struct stat status;
    valid_file file;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        add_folder(list, path);
        return false;
    }
    if (kind_from_path(path) == NO_KIND || !open_valid_file(&file, path))
        return false;
    use(&file);
    free_asset(file.original);
    free(file.text);
    return true;
}

// Calls `use` for every valid file in a folder and its subfolders. Returns their number.
static size_t for_each_file(const char *folder, void (*use)(const valid_file *file))
{
    folder_list list = {0};
    size_t count = 0;
    add_folder(&list, folder);
    while (list.count > 0) {
        SCOPED_STRING current = list.paths[--list.count];
        DIR *const entries = opendir(current);
        const struct dirent *entry;
        while (entries && (entry = readdir(entries)) != NULL) {
            char path[PATH_CAPACITY];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", current, entry->d_name);
            count += use_entry(&list, path, use);
        }
        if (entries)
            closedir(entries);
    }
    return count;
}

static void for_each_good_file(void (*use)(const valid_file *file))
{
    enum { MIN_FILES = 10 };
    size_t count = for_each_file(test_path("test/reference/data"), use);
    // All models of the project if MD5_ABUSE_MB is set; otherwise the small and unusual models, and
    // one model whose mirror seams need more memory than estimated.
    const bool has_time = getenv("MD5_ABUSE_MB") != NULL;
    count += for_each_file(test_path(has_time ? "models" : "models/zoo"), use);
    count += has_time ? 0 : for_each_file(test_path("models/lantern"), use);
    count += for_each_file(test_path("test/fuzz/seeds"), use);
    CHECK(count >= MIN_FILES);
    if (test_corpus() && has_time)
        CHECK(for_each_file(test_path("corpus"), use) > 0);
}

TEST (abuse_truncated_files_are_reported) {
    for_each_good_file(cut_everywhere);
}

TEST (abuse_altered_bytes_give_an_error_or_valid_data) {
    for_each_good_file(alter_everywhere);
}

TEST (abuse_failed_allocations_are_reported) {
    for_each_good_file(fail_every_allocation);
}

TEST (abuse_memory_limits_are_kept) {
    for_each_good_file(set_every_limit);
}

// -- Memory ---------------------------------------------------------------------------------

// Limits for the memory in use while reading: 1.5 times the text for all files over 16 KB, except
// for these, whose numbers have few digits. Their finished assets are larger than that.
static const struct {
    const char *name;
    size_t percent; // limit, % of the size that NOTES.md of the benchmark defines
} heavy_files[] = {
    {"/zoo/flags.md5mesh", 187},
    {"/zoo/chain.md5mesh", 184},
    {"/flame/flame.md5mesh", 171},
    {"/lantern/lantern.md5mesh", 163},
};

static void check_peak(const valid_file *file)
{
    enum { SMALL = 16384 };
    size_t percent = file->size > SMALL ? 150 : SIZE_MAX / file->size;
    for (size_t i = 0; i < COUNT_OF(heavy_files); i++)
        percent = strstr(file->path, heavy_files[i].name) ? heavy_files[i].percent : percent;
    CHECK_THAT(100 * file->peak_bytes <= percent * file->size,
               "%s: %zu bytes of memory, %zu of text", file->path, file->peak_bytes, file->size);
}

TEST (files_need_at_most_one_and_a_half_times_their_text) {
    enum { NUM_FILES = 150 };
    CHECK(for_each_file(test_path("models"), check_peak) >= NUM_FILES);
    CHECK(!test_corpus() || for_each_file(test_path("corpus"), check_peak) > 0);
}

// -- Binding --------------------------------------------------------------------------------

static md5_binding *bind_with(const md5_model *model, const md5_anim *anim, asset_heap *heap,
                              size_t limit, md5_error *error)
{
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(heap, &warnings);
    opts.allocator.limit = limit;
    md5_binding *const binding = md5_bind(model, anim, &opts, error);
    if (binding)
        CHECK_STRING(asset_binding_fault(binding) ? asset_binding_fault(binding) : "", "");
    else
        CHECK_UINT(error->status, MD5_ERROR_MEMORY);
    return binding;
}

TEST (abuse_bindings_survive_failed_allocations_and_limits) {
    // Joints differ in order, names and parents, so that every step of binding allocates memory.
    SCOPED_MODEL model = our_model("test/reference/data/roots.md5mesh");
    SCOPED_ANIM anim = our_anim("test/reference/data/travel.md5anim");
    md5_error error = {0};
    REQUIRE(model && anim);
    bool is_bound = false;
    for (size_t n = 1; !is_bound && n < 100; n++) {
        asset_heap heap = {.fail_at = n};
        md5_binding *const binding = bind_with(model, anim, &heap, 0, &error);
        is_bound = binding != NULL;
        CHECK(is_bound == (heap.num_allocs < n));
        md5_free_binding(binding);
        CHECK(!asset_heap_fault(&heap));
    }
    CHECK(is_bound);
    is_bound = false;
    for (size_t limit = 1; !is_bound && limit < 1 << 20; limit += 97) {
        asset_heap heap = {0};
        md5_binding *const binding = bind_with(model, anim, &heap, limit, &error);
        is_bound = binding != NULL;
        CHECK(heap.peak_bytes <= limit);
        md5_free_binding(binding);
        CHECK(!asset_heap_fault(&heap));
    }
    CHECK(is_bound);
}
