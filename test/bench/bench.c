// Measures the library's speed: `bench CSV FILE...` times reading, posing and skinning of the given
// .md5mesh and .md5anim files, and of the corpus if $MD5_CORPUS names one. Prints a table and
// writes the same figures, with more columns, to CSV.
//
// The first columns are speedups: over plain C, and over assimp if it is installed. Rows that
// measure the machine itself make tables from different machines comparable.

// For nftw(). NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#define _XOPEN_SOURCE 700

#include "test/bench/bench_blend.h"
#include "test/bench/bench_compress.h"
#include "test/bench/bench_lexer.h"
#include "test/bench/bench_monster.h"
#include "test/bench/bench_peer.h"
#include "test/bench/bench_play.h"
#include "test/bench/bench_ragdoll.h"

#include <math.h>
#include <unistd.h>

#define MEMCPY_SIZE (128u * 1024u) // source and target together fit into a second-level cache
#define SLERP_PAIRS 10000000u

static _Noreturn void fail(const char *subject, const char *detail)
{
    fprintf(stderr, "bench: %s: %s\n", subject, detail);
    exit(1);
}

static const char *corpus_path(const char *folder)
{
    static char path[1024];
    const char *const corpus = getenv("MD5_CORPUS");
    if (!corpus)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    return path;
}

// -- The machine ----------------------------------------------------------------------------------

// Measures the latency of a multiplication: each multiplication needs the result of the previous
// one.
static uint64_t multiply_on(void *fixture, md5_cpu level)
{
    float value = 1.0f + (float)(*(uint64_t *)fixture & 1) * 1e-7f;
    (void)level;
    for (int i = 0; i < 100000; i++)
        value *= 1.0000001f;
    return value > 0.5f;
}

typedef struct copying {
    unsigned char from[MEMCPY_SIZE], to[MEMCPY_SIZE];
} copying;

static uint64_t copy(void *fixture, md5_cpu level)
{
    copying *const copied = fixture;
    (void)level;
    copied->from[copied->to[1] % MEMCPY_SIZE]++;
    memcpy(copied->to, copied->from, MEMCPY_SIZE);
    return copied->to[MEMCPY_SIZE / 2];
}

static void measure_machine(bench_table *table)
{
    static copying copied;
    bench_heading("the machine");
    bench_measure(table, &(bench_row){.name = "float multiply, each on the last",
                                      .unit = "ns",
                                      .work = multiply_on,
                                      .fixture = &table->checksum,
                                      .units = 100000,
                                      .no_twin = true});
    bench_measure(table, &(bench_row){.name = "memcpy within the L2 cache",
                                      .unit = "MB/s",
                                      .kind = BENCH_RATE,
                                      .work = copy,
                                      .fixture = &copied,
                                      .units = MEMCPY_SIZE,
                                      .no_twin = true});
}

// -- Reading --------------------------------------------------------------------------------------

static void measure_clip_memory(bench_table *table)
{
    static const char *const clips[][2] = {{"the drone", "corpus/redeclipse/drone"},
                                           {"Stromar", "corpus/stromar"}};
    for (size_t i = 0; i < sizeof clips / sizeof clips[0]; i++) {
        static bench_texts texts;
        const char *const path = corpus_path(clips[i][1]);
        if (path)
            add_folder(&texts, path);
        show_clip_memory(table, &texts, clips[i][0]);
        free_texts(&texts);
    }
}

// Measures how fast files are read: the given files, the same files with longer numbers, and the
// files of the corpus.
static void measure_reading(bench_table *table, int count, char **paths)
{
    static bench_texts ours;
    static bench_texts longer;
    static bench_texts corpus_texts;
    for (int i = 0; i < count; i++)
        add_file(&ours, paths[i]);
    const char *const corpus = corpus_path("corpus");
    if (corpus)
        add_folder(&corpus_texts, corpus);
    if (ours.mesh_bytes == 0 || ours.anim_bytes == 0)
        fail("no files", "give at least one .md5mesh and one .md5anim");
    bench_heading("reading, everything derived");
    measure_texts(table, &ours, "ours");
    add_with_ten_decimals(&longer, &ours);
    measure_texts(table, &longer, "ours with ten decimals");
    measure_texts(table, &corpus_texts, "the corpus");
    compare_with_lexer(table, &ours, "ours");
    compare_with_lexer(table, &longer, "with ten decimals");
    compare_with_lexer(table, &corpus_texts, "the corpus");
    bench_heading("reading parts, others on request");
    measure_parts(table, &ours, "ours");
    measure_parts(table, &longer, "ten decimals");
    measure_parts(table, &corpus_texts, "the corpus");
    show_memory(table, corpus_texts.count > 0 ? &corpus_texts : &ours);
    measure_clip_memory(table);
    free_texts(&ours);
    free_texts(&longer);
    free_texts(&corpus_texts);
}

// -- Posing ---------------------------------------------------------------------------------------

static void measure_pose(bench_table *table, posing *posed, bench_work *work, const char *name,
                         bool levels, double characters, double goal)
{
    bench_measure(table, &(bench_row){.name = name,
                                      .unit = "ns/joint",
                                      .work = work,
                                      .fixture = posed,
                                      .units = characters * posed->model->skeleton.num_joints,
                                      .best = md5i_cpu_best(MD5_CPU_AVX512),
                                      .levels = levels,
                                      .goal = goal});
}

static void measure_threads(bench_table *table, posing *posed)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned num_cores = cores < 1 ? 1 : (unsigned)cores;
    const unsigned max_threads = num_cores > MAX_THREADS ? MAX_THREADS : num_cores;
    const double single_thread = time_threads(posed, POSING_CROWD, 1);
    for (unsigned threads = 2; threads <= max_threads; threads *= 2) {
        char name[64];
        snprintf(name, sizeof name, "a crowd on %u threads, speedup over 1", threads);
        bench_figure(table, name, "x", single_thread / time_threads(posed, POSING_CROWD, threads),
                     0);
    }
    if (max_threads < 2)
        return;
    const double many = time_threads(posed, POSING_MANY, 1);
    const double many_on_two = time_threads(posed, POSING_MANY, 2);
    bench_figure(table, "10000 on 2 threads, speedup over 1", "x", many / many_on_two, 0);
    // The goal is an update of all characters in 5 ms, which is 200 updates per second.
    bench_figure(table, "the same, an update", "ms", 1e3 * many_on_two, 5);
}

// Measures all rows for 71 joints, and only the main rows for other numbers of joints.
static void measure_posing(bench_table *table, uint32_t num_joints)
{
    static posing posed;
    char title[96];
    const bool all = num_joints == 71;
    make_posing(&posed, num_joints);
    snprintf(title, sizeof title, "posing, %u joints, %d frames, all animated",
             (unsigned)num_joints, POSING_FRAMES);
    bench_heading(title);
    measure_pose(table, &posed, work_play, "time to palette", all, 1, all ? 5.0 : 0.0);
    measure_pose(table, &posed, work_seek, "the same at random times", false, 1, all ? 5.0 : 0.0);
    measure_pose(table, &posed, work_crowd, "a crowd of 1000, any times", all, POSING_CROWD,
                 all ? 3.0 : 0.0);
    if (all) {
        // The goal of 3.38 ns per joint is 2.4 ms for the whole crowd.
        measure_pose(table, &posed, work_many_straight, "a crowd of 10000, straight to memory",
                     true, POSING_MANY, 3.38);
        measure_pose(table, &posed, work_many, "the same 32 at a time, then copied", false,
                     POSING_MANY, 0);
        measure_pose(table, &posed, work_fill, "their memory set, nothing posed", false,
                     POSING_MANY, 0);
        measure_threads(table, &posed);
        measure_pose(table, &posed, work_sample, "sample", true, 1, 0);
        measure_pose(table, &posed, work_finish, "local to palette", true, 1, 0);
        measure_pose(table, &posed, work_multiply, "palette", false, 1, 0);
        bench_measure(table, &(bench_row){.name = "local to model",
                                          .unit = "ns/joint",
                                          .work = work_compose,
                                          .fixture = &posed,
                                          .units = num_joints,
                                          .best = md5i_cpu_best(MD5_CPU_AVX2)});
        bench_measure(table, &(bench_row){.name = "sample along curves",
                                          .unit = "ns/joint",
                                          .work = work_sample_cubic,
                                          .fixture = &posed,
                                          .units = num_joints,
                                          .no_twin = true});
        measure_pose(table, &posed, work_blend, "blend 2 layers", true, 1, 1);
        measure_pose(table, &posed, work_blend_nlerp, "the same by nlerp", true, 1, 0);
        measure_pose(table, &posed, work_blend_masked, "the same with a mask", true, 1, 1.2);
        measure_pose(table, &posed, work_add, "add a difference", true, 1, 1.2);
        measure_against_blend_peer(table, &posed);
    }
    free_posing(&posed);
}

// -- Slerp ----------------------------------------------------------------------------------------

static double next_random(uint64_t *state)
{
    return random_number(state) * 2.0 - 1.0;
}

static md5_quat random_quat(uint64_t *state)
{
    for (;;) {
        const double x = next_random(state);
        const double y = next_random(state);
        const double z = next_random(state);
        const double w = next_random(state);
        const double square = x * x + y * y + z * z + w * w;
        if (square > 1.0 || square < 0.01)
            continue;
        const double scale = 1.0 / sqrt(square);
        return (md5_quat){(float)(x * scale), (float)(y * scale), (float)(z * scale),
                          (float)(w * scale)};
    }
}

static void normalize(md5_quat q, double out[4])
{
    const double c[4] = {q.x, q.y, q.z, q.w};
    const double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
    for (int i = 0; i < 4; i++)
        out[i] = c[i] / length;
}

// Returns the angle, in radians, between the rotations of two unit quaternions.
static double angle_between(const double a[4], const double b[4])
{
    double near = 0;
    double far = 0;
    for (int i = 0; i < 4; i++) {
        near += (a[i] - b[i]) * (a[i] - b[i]);
        far += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4.0 * atan2(sqrt(fmin(near, far)), sqrt(fmax(near, far)));
}

// Returns the error of md5_quat_slerp() in radians.
static double slerp_error(md5_quat a, md5_quat b, float t)
{
    double p[4];
    double q[4];
    double exact[4];
    double found[4];
    normalize(a, p);
    normalize(b, q);
    const double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    if (fabs(cosine) < 1e-6) // both arcs are equally long
        return 0.0;
    const double angle = 0.5 * angle_between(p, q);
    const double sine = sin(angle);
    const double weight_a = sine > 0.0 ? sin((1.0 - t) * angle) / sine : 1.0 - t;
    const double sign = cosine < 0.0 ? -1.0 : 1.0;
    const double weight_b = sign * (sine > 0.0 ? sin(t * angle) / sine : t);
    for (int i = 0; i < 4; i++)
        exact[i] = p[i] * weight_a + q[i] * weight_b;
    normalize(md5_quat_slerp(a, b, t), found);
    return angle_between(exact, found);
}

// Returns the largest error of slerp in a file with rows "s q0 q1 t ...": the letter s, two
// quaternions and the fraction.
static double table_error(const char *path)
{
    FILE *const file = fopen(path, "r");
    char line[2048];
    double max_error = -1;
    while (file && fgets(line, sizeof line, file)) {
        float n[9];
        char *at = line + 1;
        if (line[0] != 's')
            continue;
        for (int i = 0; i < 9; i++)
            n[i] = strtof(at, &at);
        const float t = fminf(1.0f, fmaxf(0.0f, n[8]));
        max_error = fmax(max_error, slerp_error((md5_quat){n[0], n[1], n[2], n[3]},
                                                (md5_quat){n[4], n[5], n[6], n[7]}, t));
    }
    if (file)
        fclose(file);
    return max_error;
}

static void measure_accuracy(bench_table *table)
{
    uint64_t random = 1;
    double max_error = 0;
    bench_heading("accuracy, against exact slerp in double");
    for (uint32_t i = 0; i < SLERP_PAIRS; i++) {
        const md5_quat a = random_quat(&random);
        const md5_quat b = random_quat(&random);
        max_error = fmax(max_error, slerp_error(a, b, (float)random_number(&random)));
    }
    bench_figure(table, "slerp of 10 million random pairs, at most", "rad", max_error, 1e-5);
    const char *const path = corpus_path("golden/slerptable.txt");
    const double off = path ? table_error(path) : -1.0;
    if (off >= 0.0)
        bench_figure(table, "slerp of slerptable.txt, at most", "rad", off, 1e-5);
}

// -- Skinning -------------------------------------------------------------------------------------

static uint64_t work_positions(void *fixture, md5_cpu level)
{
    ((skinning *)fixture)->level = level;
    return skin_all(fixture, false, false);
}

static uint64_t work_normals(void *fixture, md5_cpu level)
{
    ((skinning *)fixture)->level = level;
    return skin_all(fixture, true, false);
}

static uint64_t work_tangents(void *fixture, md5_cpu level)
{
    ((skinning *)fixture)->level = level;
    return skin_all(fixture, true, true);
}

static uint64_t work_dual(void *fixture, md5_cpu level)
{
    ((skinning *)fixture)->level = level;
    return skin_all_dual(fixture);
}

static void measure_skin(bench_table *table, skinning *fixture, bench_work *work, double goal,
                         const char *format, const char *subject, int number)
{
    char name[64];
    snprintf(name, sizeof name, format, number, subject);
    bench_measure(table, &(bench_row){.name = name,
                                      .unit = "ns/vertex",
                                      .work = work,
                                      .fixture = fixture,
                                      .units = fixture->num_vertices,
                                      .best = md5i_cpu_best(MD5_CPU_AVX512),
                                      .levels = true,
                                      .goal = goal});
}

static void measure_generated_meshes(bench_table *table)
{
    static const int counts[] = {1, 2, 4, 8};
    static skinning fixture;
    bench_heading("skinning, 5000 vertices, 71 joints");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        md5_model *const model = generate_model(counts[i], false);
        if (!model)
            fail("cannot make a mesh", "generate_model");
        const int n = counts[i];
        make_skinning(&fixture, model);
        measure_skin(table, &fixture, work_positions, n == 1 ? 0.8 : 0.0, "%d influences%s", "", n);
        measure_skin(table, &fixture, work_normals, n == 4 ? 2.6 : 0.0, "%d, %s", "+ normals", n);
        measure_skin(table, &fixture, work_tangents, n == 4 ? 3.0 : 0.0, "%d, %s", "+ tangents", n);
        measure_skin(table, &fixture, work_dual, 0, "%d, %s", "+ normals, dual", n);
        free_skinning(&fixture);
    }
}

// Measures skinning of the given models and of four models of the corpus.
static void measure_real_meshes(bench_table *table, int count, char **paths)
{
    static const char *const names[] = {"redeclipse/drone/mesh.md5mesh", "frankie/Frankie.md5mesh",
                                        "stromar/stromar.md5mesh", "terasology/lasr/queen.md5mesh"};
    static skinning fixture;
    bench_heading("skinning real models, positions");
    for (int i = 0; i < count; i++) {
        md5_model *const model =
            strstr(paths[i], ".md5mesh") ? md5_load_model(paths[i], NULL, NULL) : NULL;
        if (!model)
            continue;
        const char *const slash = strrchr(paths[i], '/');
        make_skinning(&fixture, model);
        if (fixture.num_vertices >= 1000.0) // smaller ones would only measure call overhead
            measure_skin(table, &fixture, work_positions, 0, "%.0d%.40s",
                         slash ? slash + 1 : paths[i], 0);
        free_skinning(&fixture);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char folder[256];
        snprintf(folder, sizeof folder, "corpus/%s", names[i]);
        const char *const path = corpus_path(folder);
        md5_model *const model = path ? md5_load_model(path, NULL, NULL) : NULL;
        if (!model)
            continue;
        make_skinning(&fixture, model);
        measure_skin(table, &fixture, work_positions, 0.9, "%.0d%.40s", names[i], 0);
        free_skinning(&fixture);
    }
}

#ifdef BENCH_HAS_PEER
// Measures skinning of each model in `texts`, and adds the ratios to `ratios`. The texts are in the
// order of the folders.
static void add_against_peer(peer_ratios *ratios, const bench_texts *texts, uint64_t *checksum)
{
    for (size_t i = 0; i < texts->count; i++) {
        const bench_text *const text = &texts->texts[i];
        md5_model *const model =
            text->is_anim ? NULL : md5_parse_model(text->bytes, text->size, NULL, NULL);
        if (model)
            peer_add(ratios, model, md5i_cpu_best(MD5_CPU_AVX512), checksum);
    }
}

// Compares skinning with ozz-animation, for the given models, models of the corpus and generated
// meshes.
static void measure_against_peer(bench_table *table, int count, char **paths)
{
    static bench_texts ours, corpus_texts;
    static peer_ratios project_ratios;
    static peer_ratios corpus_ratios;
    static peer_ratios scattered_ratios;
    if (!md5i_cpu_has(MD5_CPU_AVX2))
        return;
    for (int influences = 1; influences <= 8; influences *= 2)
        peer_add(&scattered_ratios, generate_model(influences, true), md5i_cpu_best(MD5_CPU_AVX512),
                 &table->checksum);
    for (int i = 0; i < count; i++)
        add_file(&ours, paths[i]);
    const char *const corpus = corpus_path("corpus");
    if (corpus)
        add_folder(&corpus_texts, corpus);
    bench_heading("skinning real models, over ozz-animation");
    bench_watch watch = bench_begin_watch();
    add_against_peer(&project_ratios, &ours, &table->checksum);
    peer_show(table, &watch, &project_ratios, "models of ours", 1);
    watch = bench_begin_watch();
    add_against_peer(&corpus_ratios, &corpus_texts, &table->checksum);
    peer_show(table, &watch, &corpus_ratios, "models of the corpus", 1);
    peer_show(table, &watch, &scattered_ratios, "meshes, joints at random", 0);
    free_texts(&ours);
    free_texts(&corpus_texts);
}
#else
static void measure_against_peer(bench_table *table, int count, char **paths)
{
    (void)table;
    (void)count;
    (void)paths;
}
#endif

// Does the named work `count` times and nothing else, for test/long/instructions.sh. bench_steps.c
// contains the works that the library of release 0.3.0 can do too.
static int count_steps(const char *name, unsigned long count)
{
    static playing play;
    static posing pose;
    static standing stand;
    static falling fall;
    // The game folder is read only for the works that need it. Without libzip it cannot be read,
    // and these works do nothing.
    const bool is_standing = strcmp(name, "actor") == 0 || strcmp(name, "monster") == 0;
    standing *const stander = is_standing && make_standing(&stand) ? &stand : NULL;
    const bool is_falling = strcmp(name, "ragdoll") == 0;
    falling *const faller = is_falling && make_falling(&fall) ? &fall : NULL;
    const struct {
        const char *name;
        bench_work *work;
        void *fixture;
    } rows[] = {
        {"advance", work_advance, &play},
        {"character", work_character, &play},
        {"crowd", work_played_crowd, &play},
        {"save", work_saved_player, &play},
        {"space", work_space, &play},
        {"palette", work_play, &pose},
        {"blend-nlerp", work_blend_nlerp, &pose},
        {"actor", work_actor, stander},
        {"monster", work_monster, stander},
        {"ragdoll", work_ragdoll, faller},
    };
    uint64_t checksum = 0;
    if (!make_playing(&play))
        fail("no model", "models/bobbin");
    make_posing(&pose, 71);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0 || !rows[i].fixture)
            continue;
        for (unsigned long step = 0; step < count; step++)
            checksum += rows[i].work(rows[i].fixture, md5i_cpu_best(MD5_CPU_AVX512));
    }
    free_playing(&play);
    free_posing(&pose);
    free_standing(&stand);
    free_falling(&fall);
    return checksum == 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--steps") == 0)
        return count_steps(argv[2], strtoul(argv[3], NULL, 10));
    if (argc < 3)
        fail("usage", "bench CSV FILE...");
    bench_table table = {.csv = fopen(argv[1], "w")};
    if (!table.csv)
        fail("cannot write", argv[1]);
    fputs("row,variant,unit,median,quarter,three_quarters,runs\n", table.csv);
    const double start = bench_now();
    find_real_peers();
    measure_machine(&table);
    measure_reading(&table, argc - 2, argv + 2);
    static const uint32_t sizes[] = {71, 33, 110};
    for (int i = 0; i < 3; i++)
        measure_posing(&table, sizes[i]);
    bench_heading("sampling compressed clips, over plain ones");
    measure_compressed(&table, argc - 2, argv + 2, 0.01);
    measure_compressed(&table, argc - 2, argv + 2, 0.1);
    measure_play(&table);
    measure_monsters(&table);
    measure_accuracy(&table);
    measure_generated_meshes(&table);
    measure_real_meshes(&table, argc - 2, argv + 2);
    measure_against_peer(&table, argc - 2, argv + 2);
    printf("\n%d of %d goals met, %d not judged because the machine was busy; %.0f seconds; widest "
           "instruction set: %s\n",
           table.num_met, table.num_goals, table.num_busy, bench_now() - start,
           bench_level_name(md5i_cpu_best(MD5_CPU_AVX512)));
    if (table.num_busy
        > 0) // asks `make bench` for instructions, which other programs do not change
        fprintf(table.csv, "\"goals not judged\",,,%d,,,1\n", table.num_busy);
    if (fclose(table.csv) != 0)
        fail("cannot write", argv[1]);
    return 0;
}
