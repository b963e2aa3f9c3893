// How fast the library is: `bench CSV FILE...` reads the given .md5mesh and .md5anim files and
// times reading, posing and skinning. Writes a table to the terminal and the same figures to CSV.
//
// Each row is measured in many runs, short ones, so that most of them meet no other program, but
// long enough for the clock; the figures are the median, the fastest and the slowest run. The first
// rows measure the machine itself, so that tables from different machines can be read together.
#include "test/bench_pose.h"
#include "test/bench_skin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUN_SECONDS 0.0005
#define ROW_SECONDS 0.2
#define MIN_RUNS 15
#define MAX_RUNS 401
#define MEMCPY_SIZE (128u * 1024u) // source and target fit into a second-level cache together

typedef struct text_file {
    const char *path;
    char *bytes;
    size_t size;
} text_file;

// What the rows work on: all files, and the first pair of model and animation that bind.
typedef struct workload {
    text_file *texts;
    size_t num_texts, mesh_bytes, anim_bytes;
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_transform *pose;
    md5_mat34 *palette;
    const md5_mesh *mesh; // of the model, the one with the most vertices
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents;
    unsigned char *from, *to;
    double time;
    posing posing;     // a made character of the number of joints that is being measured
    skinning skinning; // a model that is being measured
    uint64_t seen;     // results go in here, so that no work can be left out
} workload;

typedef struct bench_row {
    const char *name, *unit;
    void (*work)(workload *load);
    double units;   // of one call of work()
    bool is_a_rate; // units a second instead of seconds a unit
} bench_row;

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// -- The work of each row -------------------------------------------------------------------

// Every multiplication waits for the one before it.
static void multiply(workload *load)
{
    float value = 1.0f + (float)(load->seen & 1) * 1e-7f;
    for (int i = 0; i < 100000; i++)
        value *= 1.0000001f;
    load->seen += value > 0.5f;
}

static void copy(workload *load)
{
    load->from[load->seen % MEMCPY_SIZE]++;
    memcpy(load->to, load->from, MEMCPY_SIZE);
    load->seen += load->to[MEMCPY_SIZE / 2];
}

static bool is_anim(const text_file *text)
{
    return strstr(text->path, ".md5anim") != NULL;
}

static void read_meshes(workload *load)
{
    for (size_t i = 0; i < load->num_texts; i++) {
        const text_file *const text = &load->texts[i];
        if (is_anim(text))
            continue;
        md5_model *const model = md5_parse_model(text->bytes, text->size, NULL, NULL);
        load->seen += model->num_meshes;
        md5_free_model(model);
    }
}

static void read_anims(workload *load)
{
    for (size_t i = 0; i < load->num_texts; i++) {
        const text_file *const text = &load->texts[i];
        if (!is_anim(text))
            continue;
        md5_anim *const anim = md5_parse_anim(text->bytes, text->size, NULL, NULL);
        load->seen += anim->num_frames;
        md5_free_anim(anim);
    }
}

// A frame of a display after the other, as a game would.
static void pose_in_steps(workload *load)
{
    load->time += 1.0 / 60.0;
    const md5_moment moment = md5_moment_at(load->anim, load->time, MD5_WRAP_LOOP);
    md5_sample(load->binding, &moment, MD5_ROOT_FILE, load->pose);
    md5_local_to_model(&load->model->skeleton, load->pose, load->palette);
    md5_build_palette(load->model, load->palette, load->palette);
    load->seen += load->palette[0].m[0] > 0.0f;
}

// -- Posing of made characters ----------------------------------------------------------------

static void note_palette(workload *load)
{
    load->seen += load->posing.palette[0].m[0] > 0.0f;
}

static void play(workload *load)
{
    posing *const made = &load->posing;
    const md5_moment moment = play_on(made);
    md5_pose_palette(made->binding, &moment, MD5_ROOT_FILE, made->pose, made->joints,
                     made->palette);
    note_palette(load);
}

static void seek(workload *load)
{
    posing *const made = &load->posing;
    const md5_moment moment = seek_on(made);
    md5_pose_palette(made->binding, &moment, MD5_ROOT_FILE, made->pose, made->joints,
                     made->palette);
    note_palette(load);
}

static void play_with_level(workload *load)
{
    posing *const made = &load->posing;
    const md5_moment moment = play_on(made);
    md5_pose_palette_with(md5_pose_kernels_of(made->level), made->binding, &moment, MD5_ROOT_FILE,
                          made->pose, made->joints, made->palette);
    note_palette(load);
}

static void sample_with_level(workload *load)
{
    posing *const made = &load->posing;
    const md5_moment moment = play_on(made);
    md5_sample_with(md5_pose_kernels_of(made->level), made->binding, &moment, MD5_ROOT_FILE,
                    made->pose);
    load->seen += made->pose[0].rotation.x > 0.0f;
}

static void compose_with_level(workload *load)
{
    posing *const made = &load->posing;
    md5_pose_kernels_of(made->level)->compose(&made->model->skeleton, made->pose, made->joints);
    load->seen += made->joints[0].m[0] > 0.0f;
}

static void multiply_with_level(workload *load)
{
    posing *const made = &load->posing;
    md5_pose_kernels_of(made->level)
        ->multiply(made->model->skeleton.num_joints, made->joints, made->model->inverse_bind,
                   made->palette);
    note_palette(load);
}

static void pose_crowd(workload *load)
{
    posing *const made = &load->posing;
    md5_pose_batch(made->jobs, POSING_CROWD, made->scratch);
    load->seen += made->palettes[0].m[0] > 0.0f;
}

static void crowd_with_level(workload *load)
{
    posing *const made = &load->posing;
    md5_pose_batch_with(md5_pose_kernels_of(made->level), made->jobs, POSING_CROWD, made->scratch);
    load->seen += made->palettes[0].m[0] > 0.0f;
}

static void skin_positions(workload *load)
{
    md5_skin(load->mesh, load->palette, load->positions, NULL, NULL);
    load->seen += load->positions[0].x > 0.0f;
}

static void skin_normals(workload *load)
{
    md5_skin(load->mesh, load->palette, load->positions, load->normals, NULL);
    load->seen += load->normals[0].x > 0.0f;
}

static void skin_tangents(workload *load)
{
    md5_skin(load->mesh, load->palette, load->positions, load->normals, load->tangents);
    load->seen += load->tangents[0].x > 0.0f;
}

// -- Measuring ------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Seconds of one call, over as many calls as a run holds.
static double run(workload *load, const bench_row *row, unsigned calls)
{
    const double start = now();
    for (unsigned i = 0; i < calls; i++)
        row->work(load);
    return (now() - start) / calls;
}

static void measure(workload *load, const bench_row *row, FILE *csv)
{
    if (row->units <= 0.0)
        return;
    unsigned calls = 1;
    while (run(load, row, calls) * calls < RUN_SECONDS)
        calls *= 2;
    double figures[MAX_RUNS];
    int runs = 0;
    const double start = now();
    while (runs < MIN_RUNS || (runs < MAX_RUNS && now() - start < ROW_SECONDS)) {
        const double seconds = run(load, row, calls);
        figures[runs++] = row->is_a_rate ? row->units / seconds * 1e-6 : seconds / row->units * 1e9;
    }
    qsort(figures, (size_t)runs, sizeof figures[0], compare);
    const double median = figures[runs / 2], lowest = figures[0], most = figures[3 * runs / 4];
    printf("%-44s %10.2f %-10s %10.2f ..%10.2f\n", row->name, median, row->unit, lowest, most);
    fprintf(csv, "\"%s\",%s,%.4f,%.4f,%.4f,%d\n", row->name, row->unit, median, lowest, most, runs);
}

static void measure_named(workload *load, void (*work)(workload *), double units, FILE *csv,
                          const char *format, ...)
{
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    measure(load, &(bench_row){name, "ns/joint", work, units, false}, csv);
}

// One set of instructions, each step of its own and together.
static void measure_posing_level(workload *load, double joints, FILE *csv)
{
    static const char *const names[MD5_CPU_COUNT] = {"scalar", "SSE2", "AVX2", "AVX-512", "NEON"};
    const char *const level = names[load->posing.level];
    measure_named(load, sample_with_level, joints, csv, "    sample, %s", level);
    measure_named(load, compose_with_level, joints, csv, "    local to model, %s", level);
    measure_named(load, multiply_with_level, joints, csv, "    palette, %s", level);
    measure_named(load, play_with_level, joints, csv, "    one character, %s", level);
    measure_named(load, crowd_with_level, joints * POSING_CROWD, csv, "    crowd, %s", level);
}

static void measure_posing(workload *load, FILE *csv)
{
    const uint32_t sizes[3] = {33, 71, 110};
    for (int i = 0; i < 3; i++) {
        const double joints = sizes[i];
        make_posing(&load->posing, sizes[i]);
        measure_named(load, play, joints, csv, "pose %u joints", sizes[i]);
        measure_named(load, seek, joints, csv, "pose %u joints, random seek", sizes[i]);
        measure_named(load, pose_crowd, joints * POSING_CROWD, csv, "pose a crowd of %d, %u joints",
                      POSING_CROWD, sizes[i]);
        for (int level = 0; level < MD5_CPU_COUNT; level++) {
            load->posing.level = (md5_cpu)level;
            if (md5_cpu_has(load->posing.level))
                measure_posing_level(load, joints, csv);
        }
        free_posing(&load->posing);
    }
}

static void skin_places(workload *load)
{
    load->seen += skin_all(&load->skinning, false, false);
}

static void skin_with_normals(workload *load)
{
    load->seen += skin_all(&load->skinning, true, false);
}

static void skin_with_tangents(workload *load)
{
    load->seen += skin_all(&load->skinning, true, true);
}

// With every set of instructions: one row each.
static void measure_skin_levels(workload *load, void (*work)(workload *), const char *what,
                                FILE *csv)
{
    static const char *const names[MD5_CPU_COUNT] = {"scalar", "SSE2", "AVX2", NULL, "NEON"};
    for (int level = 0; level < MD5_CPU_COUNT; level++) {
        load->skinning.level = (md5_cpu)level;
        if (!names[level] || !md5_cpu_has(load->skinning.level))
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s, %s", what, names[level]);
        measure(load, &(bench_row){name, "ns/vertex", work, load->skinning.num_vertices, false},
                csv);
    }
}

static void measure_made_skin(workload *load, int num_influences, FILE *csv)
{
    md5_model *const model = made_model(num_influences);
    if (!model)
        return;
    make_skinning(&load->skinning, model);
    char what[48];
    snprintf(what, sizeof what, "skin %d influences: positions", num_influences);
    measure_skin_levels(load, skin_places, what, csv);
    snprintf(what, sizeof what, "skin %d: + normals", num_influences);
    measure_skin_levels(load, skin_with_normals, what, csv);
    snprintf(what, sizeof what, "skin %d: + normals, tangents", num_influences);
    measure_skin_levels(load, skin_with_tangents, what, csv);
    free_skinning(&load->skinning);
}

// Those of the corpus where there is one ($MD5_CORPUS).
static void measure_real_skin(workload *load, FILE *csv)
{
    static const char *const paths[][2] = {
        {"drone", "redeclipse/drone/mesh.md5mesh"},
        {"Frankie", "frankie/Frankie.md5mesh"},
        {"Stromar", "stromar/stromar.md5mesh"},
        {"queen", "terasology/lasr/queen.md5mesh"},
    };
    const char *const corpus = getenv("MD5_CORPUS");
    for (size_t i = 0; corpus && i < sizeof paths / sizeof paths[0]; i++) {
        char path[1024], what[48];
        snprintf(path, sizeof path, "%s/corpus/%s", corpus, paths[i][1]);
        md5_model *const model = md5_load_model(path, NULL, NULL);
        if (!model)
            continue;
        make_skinning(&load->skinning, model);
        snprintf(what, sizeof what, "skin %s: positions", paths[i][0]);
        measure_skin_levels(load, skin_places, what, csv);
        free_skinning(&load->skinning);
    }
}

static void measure_skinning(workload *load, FILE *csv)
{
    static const int counts[] = {1, 2, 4, 8};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        measure_made_skin(load, counts[i], csv);
    measure_real_skin(load, csv);
}

// -- Preparing ------------------------------------------------------------------------------

static _Noreturn void fail(const char *what, const char *detail)
{
    fprintf(stderr, "bench: %s: %s\n", what, detail);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *const memory = calloc(count ? count : 1, size);
    if (!memory)
        fail("out of memory", "calloc");
    return memory;
}

static text_file read_text(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail("cannot read", path);
    const long size = ftell(file);
    rewind(file);
    text_file result = {.path = path, .size = size > 0 ? (size_t)size : 0};
    result.bytes = allocate(result.size, 1);
    if (fread(result.bytes, 1, result.size, file) != result.size)
        fail("cannot read", path);
    fclose(file);
    return result;
}

// The largest model and its longest clip: small ones would only measure the calls.
static void choose(workload *load)
{
    md5_error error;
    for (size_t i = 0; i < load->num_texts; i++) {
        const text_file *const text = &load->texts[i];
        if (is_anim(text))
            continue;
        md5_model *const model = md5_parse_model(text->bytes, text->size, NULL, &error);
        if (!model)
            fail(text->path, error.message);
        if (load->model && model->skeleton.num_joints <= load->model->skeleton.num_joints) {
            md5_free_model(model);
        } else {
            md5_free_model(load->model);
            load->model = model;
        }
    }
    if (!load->model)
        fail("no model", "give at least one .md5mesh");
    for (size_t i = 0; i < load->num_texts; i++) {
        const text_file *const text = &load->texts[i];
        if (!is_anim(text))
            continue;
        md5_anim *const anim = md5_parse_anim(text->bytes, text->size, NULL, &error);
        if (!anim)
            fail(text->path, error.message);
        md5_binding *const binding = md5_bind(load->model, anim, NULL, &error);
        if (!binding || (load->anim && anim->num_frames <= load->anim->num_frames)) {
            md5_free_binding(binding);
            md5_free_anim(anim);
            continue;
        }
        md5_free_binding(load->binding);
        md5_free_anim(load->anim);
        load->binding = binding;
        load->anim = anim;
    }
    if (!load->binding)
        fail("no animation", "none of the .md5anim files fits the largest model");
}

static void prepare(workload *load, int count, char **paths)
{
    load->texts = allocate((size_t)count, sizeof load->texts[0]);
    load->num_texts = (size_t)count;
    for (int i = 0; i < count; i++) {
        load->texts[i] = read_text(paths[i]);
        *(is_anim(&load->texts[i]) ? &load->anim_bytes : &load->mesh_bytes) += load->texts[i].size;
    }
    choose(load);
    const uint32_t num_joints = load->model->skeleton.num_joints;
    load->pose = allocate(num_joints, sizeof load->pose[0]);
    load->palette = allocate(num_joints, sizeof load->palette[0]);
    for (uint32_t i = 0; i < load->model->num_meshes; i++) {
        const md5_mesh *const mesh = &load->model->meshes[i];
        if (!load->mesh || mesh->num_vertices > load->mesh->num_vertices)
            load->mesh = mesh;
    }
    if (!load->mesh)
        fail("no mesh", "the largest model has none");
    load->positions = allocate(load->mesh->num_vertices, sizeof load->positions[0]);
    load->normals = allocate(load->mesh->num_vertices, sizeof load->normals[0]);
    load->tangents = allocate(load->mesh->num_vertices, sizeof load->tangents[0]);
    load->from = allocate(MEMCPY_SIZE, 1);
    load->to = allocate(MEMCPY_SIZE, 1);
}

static void release(workload *load)
{
    for (size_t i = 0; i < load->num_texts; i++)
        free(load->texts[i].bytes);
    free(load->texts);
    md5_free_binding(load->binding);
    md5_free_anim(load->anim);
    md5_free_model(load->model);
    free(load->pose);
    free(load->palette);
    free(load->positions);
    free(load->normals);
    free(load->tangents);
    free(load->from);
    free(load->to);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage", "bench CSV FILE...");
    workload load = {0};
    prepare(&load, argc - 2, argv + 2);
    FILE *const csv = fopen(argv[1], "w");
    if (!csv)
        fail("cannot write", argv[1]);

    const md5_mesh *const mesh = load.mesh;
    const double joints = load.model->skeleton.num_joints, vertices = mesh->num_vertices;
    printf("%zu files; posing %u joints, %u frames; skinning %u vertices, %.2f influences each\n",
           load.num_texts, load.model->skeleton.num_joints, load.anim->num_frames,
           mesh->num_vertices, vertices > 0 ? mesh->num_influences / vertices : 0.0);
    printf("%-44s %10s %-10s %10s ..%10s\n", "", "median", "", "lowest", "3/4 below");
    fputs("row,unit,median,lowest,three_quarters,runs\n", csv);
    const bench_row rows[] = {
        {"machine: float multiply, each on the last", "ns", multiply, 100000, false},
        {"machine: memcpy within the L2 cache", "MB/s", copy, MEMCPY_SIZE, true},
        {"read .md5mesh, geometry derived", "MB/s", read_meshes, (double)load.mesh_bytes, true},
        {"read .md5anim", "MB/s", read_anims, (double)load.anim_bytes, true},
        {"sample, local to model, palette: our model", "ns/joint", pose_in_steps, joints, false},
        {"skin positions", "ns/vertex", skin_positions, vertices, false},
        {"skin positions, normals", "ns/vertex", skin_normals, vertices, false},
        {"skin positions, normals, tangents", "ns/vertex", skin_tangents, vertices, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        measure(&load, &rows[i], csv);
    measure_posing(&load, csv);
    measure_skinning(&load, csv);

    const bool written = fclose(csv) == 0;
    release(&load);
    if (!written)
        fail("cannot write", argv[1]);
    return 0;
}
