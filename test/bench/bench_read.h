// Reading for bench.c: texts from files, with this library and, if installed, assimp.
#ifndef TEST_BENCH_BENCH_READ_H
#define TEST_BENCH_BENCH_READ_H

#include "test/bench/bench_measure.h"

#include "md5/md5model.h"

#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef BENCH_ASSIMP
#include <assimp/cimport.h>
#include <assimp/scene.h>
#endif

enum { MAX_TEXTS = 256 };

typedef struct bench_text {
    char *bytes;
    size_t size;
    bool is_anim;
} bench_text;

typedef struct bench_texts {
    bench_text texts[MAX_TEXTS];
    size_t count;
    size_t mesh_bytes;
    size_t anim_bytes;
} bench_texts;

#ifdef BENCH_ASSIMP
static bool read_with_assimp(const bench_text *text)
{
    const struct aiScene *const scene = aiImportFileFromMemory(
        text->bytes, (unsigned)text->size, 0, text->is_anim ? "md5anim" : "md5mesh");
    aiReleaseImport(scene);
    return scene != NULL;
}
#endif

static bool read_with_us(const bench_text *text)
{
    if (text->is_anim) {
        md5_anim *const anim = md5_parse_anim(text->bytes, text->size, NULL, NULL);
        md5_free_anim(anim);
        return anim != NULL;
    }
    md5_model *const model = md5_parse_model(text->bytes, text->size, NULL, NULL);
    md5_free_model(model);
    return model != NULL;
}

// Tries assimp in a separate process, because it crashes on some valid files.
#ifdef BENCH_ASSIMP
static bool survives_assimp(const bench_text *text)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        _exit(read_with_assimp(text) ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
#else
static bool survives_assimp(const bench_text *text)
{
    (void)text;
    return true;
}
#endif

// Adds a file if both libraries can read it.
static void add_file(bench_texts *all, const char *path)
{
    FILE *const file = all->count < MAX_TEXTS ? fopen(path, "rb") : NULL;
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    bench_text text = {.size = size > 0 ? (size_t)size : 0,
                       .is_anim = strstr(path, ".md5anim") != NULL};
    text.bytes = malloc(text.size + 1);
    if (text.bytes && fread(text.bytes, 1, text.size, file) == text.size && read_with_us(&text)
        && survives_assimp(&text)) {
        *(text.is_anim ? &all->anim_bytes : &all->mesh_bytes) += text.size;
        all->texts[all->count++] = text;
    } else {
        free(text.bytes);
    }
    fclose(file);
}

static void free_texts(bench_texts *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->texts[i].bytes);
    all->count = 0;
}

// Returns the same text, in which numbers have ten decimals instead of six, as id's exporter writes
// them.
static bench_text with_ten_decimals(const bench_text *text)
{
    bench_text longer = {.bytes = malloc(2 * text->size + 1), .is_anim = text->is_anim};
    size_t decimals = 0;
    bool after_point = false;
    if (longer.bytes) {
        for (size_t i = 0; i < text->size; i++) {
            const char c = text->bytes[i];
            const bool is_digit = c >= '0' && c <= '9';
            if (after_point && decimals == 6 && (c == ' ' || c == '\n')) {
                memcpy(longer.bytes + longer.size, "3597", 4);
                longer.size += 4;
            }
            after_point = c == '.' || (after_point && is_digit);
            decimals = after_point && is_digit ? decimals + 1 : 0;
            longer.bytes[longer.size++] = c;
        }
    }
    return longer;
}

static void add_with_ten_decimals(bench_texts *all, const bench_texts *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const bench_text text = with_ten_decimals(&from->texts[i]);
        if (text.bytes && read_with_us(&text)) {
            *(text.is_anim ? &all->anim_bytes : &all->mesh_bytes) += text.size;
            all->texts[all->count++] = text;
        } else {
            free(text.bytes);
        }
    }
}

// nftw() passes no user pointer to its callback.
static bench_texts *found_texts;

static int add_found(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)walk;
    if (kind == FTW_F && (strstr(path, ".md5mesh") || strstr(path, ".md5anim")))
        add_file(found_texts, path);
    return 0;
}

static void add_folder(bench_texts *all, const char *path)
{
    found_texts = all;
    nftw(path, add_found, 16, FTW_PHYS);
}

static uint64_t read_all(const bench_texts *all, bool anims, bool (*read)(const bench_text *))
{
    uint64_t checksum = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->texts[i].is_anim == anims)
            checksum += read(&all->texts[i]);
    }
    return checksum;
}

static uint64_t read_meshes(void *fixture, md5_cpu level)
{
    (void)level;
    return read_all(fixture, false, read_with_us);
}

static uint64_t read_meshes_as(const bench_texts *all, const md5_load_opts *opts)
{
    uint64_t checksum = 0;
    for (size_t i = 0; i < all->count; i++) {
        const bench_text *const text = &all->texts[i];
        md5_model *const model =
            text->is_anim ? NULL : md5_parse_model(text->bytes, text->size, opts, NULL);
        checksum += model != NULL;
        md5_free_model(model);
    }
    return checksum;
}

static uint64_t read_drawn_by_shaders(void *fixture, md5_cpu level)
{
    (void)level;
    return read_meshes_as(
        fixture, &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES});
}

static uint64_t read_without_parts(void *fixture, md5_cpu level)
{
    (void)level;
    return read_meshes_as(fixture, &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_TANGENTS
                                                                     | MD5_GEOMETRY_SKIN_PLANS
                                                                     | MD5_GEOMETRY_LOSSES});
}

static uint64_t read_to_pose(void *fixture, md5_cpu level)
{
    (void)level;
    return read_meshes_as(fixture, &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_ALL});
}

static uint64_t read_anims(void *fixture, md5_cpu level)
{
    (void)level;
    return read_all(fixture, true, read_with_us);
}

#ifdef BENCH_ASSIMP
static uint64_t read_meshes_with_assimp(void *fixture, md5_cpu level)
{
    (void)level;
    return read_all(fixture, false, read_with_assimp);
}

static uint64_t read_anims_with_assimp(void *fixture, md5_cpu level)
{
    (void)level;
    return read_all(fixture, true, read_with_assimp);
}
#else
#define read_meshes_with_assimp NULL
#define read_anims_with_assimp NULL
#endif

// Measures loads of models that skip the parts that can be derived later.
static void measure_parts(bench_table *table, bench_texts *all, const char *whose)
{
    static const struct {
        const char *name;
        bench_work *work;
        double goal;
    } rows[] = {{"no plans, losses", read_drawn_by_shaders, 0},
                {"no tangents, plans, losses", read_without_parts, 0},
                {"posing only", read_to_pose, 1500}};
    if (all->mesh_bytes > 0) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s: %s", whose, rows[i].name);
            bench_measure(table, &(bench_row){.name = name,
                                              .unit = "MB/s",
                                              .kind = BENCH_RATE,
                                              .work = rows[i].work,
                                              .fixture = all,
                                              .units = (double)all->mesh_bytes,
                                              .no_twin = true,
                                              .goal = rows[i].goal});
        }
    }
}

// Measures reading of all meshes and of all clips in `all`, in MB/s.
static void measure_texts(bench_table *table, bench_texts *all, const char *whose)
{
    char name[64];
    if (all->mesh_bytes > 0) {
        snprintf(name, sizeof name, ".md5mesh of %s, %.1f MB", whose,
                 (double)all->mesh_bytes * 1e-6);
        bench_measure(table, &(bench_row){.name = name,
                                          .unit = "MB/s",
                                          .kind = BENCH_RATE,
                                          .work = read_meshes,
                                          .fixture = all,
                                          .units = (double)all->mesh_bytes,
                                          .no_twin = true,
                                          .other_library = read_meshes_with_assimp,
                                          .goal = 1000});
    }
    if (all->anim_bytes > 0) {
        snprintf(name, sizeof name, ".md5anim of %s, %.1f MB", whose,
                 (double)all->anim_bytes * 1e-6);
        bench_measure(table, &(bench_row){.name = name,
                                          .unit = "MB/s",
                                          .kind = BENCH_RATE,
                                          .work = read_anims,
                                          .fixture = all,
                                          .units = (double)all->anim_bytes,
                                          .no_twin = true,
                                          .other_library = read_anims_with_assimp,
                                          .goal = 1000});
    }
}

// -- Memory ---------------------------------------------------------------------------------------

typedef struct bench_heap {
    size_t num_allocs;
    size_t live;
    size_t peak;
} bench_heap;

static void *bench_alloc(void *user, size_t size)
{
    bench_heap *const heap = user;
    heap->num_allocs++;
    heap->live += size;
    heap->peak = heap->live > heap->peak ? heap->live : heap->peak;
    return malloc(size);
}

static void bench_free(void *user, void *memory, size_t size)
{
    ((bench_heap *)user)->live -= size;
    free(memory);
}

// Blocks of skinning plans, one for each mesh that has vertices, are not counted.
static size_t num_plans(const md5_model *model)
{
    size_t count = 0;
    if (model) {
        for (uint32_t m = 0; m < model->num_meshes; m++)
            count += model->meshes[m].skin_plan != NULL;
    }
    return count;
}

// Prints the maxima over all texts: the number of allocations, and the peak memory per byte of text
// for texts over 16 KB.
static void show_memory(bench_table *table, const bench_texts *all)
{
    double max_allocs[2] = {0, 0};
    double max_memory[2] = {0, 0};
    for (size_t i = 0; i < all->count; i++) {
        const bench_text *const text = &all->texts[i];
        bench_heap heap = {0};
        const md5_load_opts opts = {.allocator = {bench_alloc, bench_free, &heap, 0}};
        md5_anim *const anim =
            text->is_anim ? md5_parse_anim(text->bytes, text->size, &opts, NULL) : NULL;
        md5_model *const model =
            text->is_anim ? NULL : md5_parse_model(text->bytes, text->size, &opts, NULL);
        const double allocs = (double)(heap.num_allocs - num_plans(model));
        md5_free_anim(anim);
        md5_free_model(model);
        const double memory = (double)heap.peak / (double)text->size;
        if (allocs > max_allocs[text->is_anim])
            max_allocs[text->is_anim] = allocs;
        if (text->size > 16384 && memory > max_memory[text->is_anim])
            max_memory[text->is_anim] = memory;
    }
    bench_figure(table, "allocations to read a .md5mesh, at most", "", max_allocs[0], 6);
    bench_figure(table, "allocations to read a .md5anim, at most", "", max_allocs[1], 2);
    bench_figure(table, "peak memory of a .md5mesh over 16 KB", "x text", max_memory[0], 1.5);
    bench_figure(table, "peak memory of a .md5anim over 16 KB", "x text", max_memory[1], 1.5);
}

// Prints the memory from which clips are sampled, including the base frame of joint 0, per joint
// and frame: as a percentage of the 28 bytes of a rotation and a translation.
static void show_clip_memory(bench_table *table, const bench_texts *clips, const char *whose)
{
    double bytes = 0;
    double joint_frames = 0;
    for (size_t i = 0; i < clips->count; i++) {
        const bench_text *const text = &clips->texts[i];
        md5_anim *const anim =
            text->is_anim ? md5_parse_anim(text->bytes, text->size, NULL, NULL) : NULL;
        if (!anim)
            continue;
        const double joints = anim->skeleton.num_joints;
        const double rotations = anim->num_rotations;
        const double moves = anim->num_translations;
        bytes += (joints + 1.0) * sizeof(md5_xform) + (rotations + moves) * sizeof(uint32_t);
        bytes += anim->num_frames * (rotations * sizeof(md5_quat) + moves * sizeof(md5_vec3));
        joint_frames += joints * anim->num_frames;
        md5_free_anim(anim);
    }
    char name[64];
    snprintf(name, sizeof name, "clips of %s, of 28 bytes a joint-frame", whose);
    if (joint_frames > 0.0)
        bench_figure(table, name, "%", bytes / joint_frames / 28.0 * 100.0, 60);
}

#endif
