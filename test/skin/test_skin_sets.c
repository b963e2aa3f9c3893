// md5_skin() and skinning by dual quaternions with every instruction set that this machine has: the
// same bits as plain C.
#include "test/scoped.h"
#include "test/skin/generated_mesh.h"

#include "md5/skin/kernels.h"

enum { JOINTS = 23, MAX_INFLUENCES = 20 }; // a prime number: any step reaches all

static const char *const level_names[MD5_CPU_COUNT] = {
    [MD5_CPU_SCALAR] = "scalar",  [MD5_CPU_SSE2] = "SSE2", [MD5_CPU_AVX2] = "AVX2",
    [MD5_CPU_AVX512] = "AVX-512", [MD5_CPU_NEON] = "NEON",
};

// -- Comparing --------------------------------------------------------------------------------

// Each array is a separate allocation, so that the sanitizer detects accesses outside of it.
typedef struct skinned {
    md5_vec3 *positions;
    md5_vec3 *normals;
    md5_vec4 *tangents;
} skinned;

static skinned make_skinned(const md5_mesh *mesh, bool normals, bool tangents)
{
    const size_t count = mesh->num_vertices;
    skinned result = {.positions = malloc(count * sizeof *result.positions + 1)};
    memset(result.positions, 0xee, count * sizeof *result.positions);
    if (normals)
        memset(result.normals = malloc(count * sizeof *result.normals + 1), 0xee,
               count * sizeof *result.normals);
    if (tangents)
        memset(result.tangents = malloc(count * sizeof *result.tangents + 1), 0xee,
               count * sizeof *result.tangents);
    return result;
}

// Skins a mesh by dual quaternions if `duals` is not NULL, otherwise by linear blending with
// `palette`.
static skinned skin(const md5_mesh *mesh, const md5_mat34 *palette, const md5_dual_quat *duals,
                    md5_cpu level, bool normals, bool tangents)
{
    const skinned result = make_skinned(mesh, normals, tangents);
    const md5i_skin_job job = {.mesh = mesh,
                               .palette = palette,
                               .duals = duals,
                               .blend_duals = md5i_blend_duals,
                               .positions = result.positions,
                               .normals = result.normals,
                               .tangents = result.tangents};
    md5i_skin_with(level, &job);
    return result;
}

static void free_skinned(skinned *result)
{
    free(result->positions);
    free(result->normals);
    free(result->tangents);
}

#define SCOPED_SKINNED __attribute__((cleanup(free_skinned))) skinned

static bool is_equal(const void *a, const void *b, size_t count, size_t size)
{
    return (!a && !b) || memcmp(a, b, count * size) == 0;
}

static bool is_same(const skinned *a, const skinned *b, size_t count)
{
    return is_equal(a->positions, b->positions, count, sizeof(md5_vec3))
           && is_equal(a->normals, b->normals, count, sizeof(md5_vec3))
           && is_equal(a->tangents, b->tangents, count, sizeof(md5_vec4));
}

static bool is_at(md5_vec3 a, md5_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Skins with and without normals and tangents, with all instruction sets, by a palette or by dual
// quaternions. Dual quaternions can have any finite values.
static void check_written(const md5_mesh *mesh, const md5_mat34 *palette,
                          const md5_dual_quat *duals, const char *description)
{
    for (int wanted = 0; wanted < 4; wanted++) {
        const bool normals = wanted & 1;
        const bool tangents = wanted & 2;
        SCOPED_SKINNED expected = skin(mesh, palette, duals, MD5_CPU_SCALAR, normals, tangents);
        for (md5_cpu level = MD5_CPU_SCALAR + 1; level < MD5_CPU_COUNT; level++) {
            if (!md5i_cpu_has(level))
                continue;
            SCOPED_SKINNED actual = skin(mesh, palette, duals, level, normals, tangents);
            CHECK_THAT(is_same(&expected, &actual, mesh->num_vertices),
                       "%s, %s%s differs, normals %d, tangents %d", description, level_names[level],
                       duals ? ": dual" : "", normals, tangents);
        }
    }
}

static void check_sets(const md5_mesh *mesh, const md5_mat34 *palette, const char *description)
{
    check_written(mesh, palette, NULL, description);

    // The bounds are computed without storing positions. All instruction sets must compute the
    // bounds of the positions.
    const md5_model model = {.num_meshes = 1, .meshes = mesh};
    const md5_bounds expected = md5i_skin_bounds_with(MD5_CPU_SCALAR, &model, palette);
    SCOPED_SKINNED positions = skin(mesh, palette, NULL, MD5_CPU_SCALAR, false, false);
    const md5_bounds held = md5_bounds_from_points(positions.positions, mesh->num_vertices);
    CHECK_THAT(is_at(expected.min, held.min) && is_at(expected.max, held.max),
               "%s: bounds do not fit", description);
    for (md5_cpu level = MD5_CPU_SCALAR + 1; level < MD5_CPU_COUNT; level++) {
        if (!md5i_cpu_has(level))
            continue;
        const md5_bounds actual = md5i_skin_bounds_with(level, &model, palette);
        CHECK_THAT(memcmp(&expected, &actual, sizeof actual) == 0, "%s, %s: other bounds",
                   description, level_names[level]);
    }
}

// -- Random meshes ------------------------------------------------------------------------------

// Arrays of an md5_mesh, of exactly the size they need.
typedef struct random_mesh {
    md5_mesh mesh;
    md5_vec3 *positions;
    md5_vec3 *normals;
    md5_vec4 *tangents;
    md5_vec4 *influences;
    uint32_t *first_influence;
    uint32_t *influence_joints;
    md5_context context;
    test_heap heap;
} random_mesh;

static md5_vec3 random_vec3(uint64_t *random)
{
    return (md5_vec3){test_betweenf(-10, 10, random), test_betweenf(-10, 10, random),
                      test_betweenf(-10, 10, random)};
}

// Consecutive vertices with the same joints. Influence i is on joint + i * step, or on a random
// joint if step is 0. Each vertex begins with a different influence, and the weights of its
// influences decrease slightly.
typedef struct streak {
    uint32_t length;
    uint32_t num_influences;
    uint32_t joint;
    uint32_t step;
    enum { RIGID, MEETING, APART, CANCELLING } form;
} streak;

static void begin_random_mesh(random_mesh *builder, size_t num_vertices)
{
    const size_t max_vertices = num_vertices + 1;
    const size_t max_influences = max_vertices * MAX_INFLUENCES * 2;
    *builder = (random_mesh){
        .positions = malloc(max_vertices * sizeof(md5_vec3)),
        .normals = malloc(max_vertices * sizeof(md5_vec3)),
        .tangents = malloc(max_vertices * sizeof(md5_vec4)),
        .influences = malloc(max_influences * sizeof(md5_vec4)),
        .first_influence = malloc((max_vertices + 1) * sizeof(uint32_t)),
        .influence_joints = malloc(max_influences * sizeof(uint32_t)),
    };
    builder->first_influence[0] = 0;
}

static void add_streak(random_mesh *builder, const streak *fixture, uint64_t *random)
{
    for (uint32_t i = 0; i < fixture->length; i++) {
        // Adds a vertex of the streak, or occasionally a vertex of another kind that interrupts the
        // streak.
        const uint32_t vertex = builder->mesh.num_vertices++;
        const bool is_odd = test_random_u32(random) % 12 == 0;
        const uint32_t more = is_odd ? test_random_u32(random) % 3 : 0;
        const bool is_rigid = fixture->form == RIGID && !is_odd;
        const uint32_t count = is_rigid ? 1 : fixture->num_influences + more;
        const md5_vec3 p = random_vec3(random);
        const uint32_t step =
            fixture->step > 0 ? fixture->step : 1 + test_random_u32(random) % (JOINTS - 1);
        uint32_t next = builder->first_influence[vertex];
        builder->positions[vertex] = p;
        builder->normals[vertex] = random_vec3(random);
        const md5_vec3 t = random_vec3(random);
        builder->tangents[vertex] = (md5_vec4){t.x, t.y, t.z, test_random_u32(random) % 2 ? 1 : -1};
        for (uint32_t j = 0; j < count; j++, next++) {
            const float sign = fixture->form == CANCELLING && j % 2 ? -1 : 1;
            const float decrease = 1 - 1e-5f * (float)j;
            const float bias = is_rigid ? 1 : sign * decrease / (float)count;
            const uint32_t rank = (j + (uint32_t)i) % count;
            const md5_vec3 q = fixture->form == APART ? random_vec3(random) : p;
            builder->influences[next] = (md5_vec4){bias * q.x, bias * q.y, bias * q.z, bias};
            builder->influence_joints[next] = (fixture->joint + rank * step) % JOINTS;
        }
        builder->first_influence[vertex + 1] = next;
    }
}

static void end_random_mesh(random_mesh *builder)
{
    const size_t count = builder->mesh.num_vertices;
    const size_t num_influences = builder->first_influence[count];
#define FIT(array, number) \
    builder->array = realloc(builder->array, (number) * sizeof *builder->array + 1)
    FIT(positions, count);
    FIT(normals, count);
    FIT(tangents, count);
    FIT(influences, num_influences);
    FIT(first_influence, count + 1);
    FIT(influence_joints, num_influences);
#undef FIT
    md5_mesh *const mesh = &builder->mesh;
    mesh->positions = builder->positions;
    mesh->normals = builder->normals;
    mesh->tangents = builder->tangents;
    mesh->influences = builder->influences;
    mesh->first_influence = builder->first_influence;
    mesh->influence_joints = builder->influence_joints;
    mesh->bounds = md5_bounds_from_points(builder->positions, count);
    const md5_load_opts opts = heap_opts(&builder->heap, 0);
    md5i_context_begin(&builder->context, &opts, NULL, NULL);
    CHECK(md5i_skin_plan_build(&builder->context, mesh, &mesh->skin_plan));
}

static void make_random_mesh(random_mesh *builder, uint32_t num_streaks, uint64_t *random)
{
    begin_random_mesh(builder, 41 * (size_t)num_streaks);
    for (uint32_t i = 0; i < num_streaks; i++) {
        streak fixture = {
            .length = test_random_u32(random) % 41,
            .num_influences = test_random_u32(random) % (MAX_INFLUENCES + 1),
            .joint = test_random_u32(random) % JOINTS,
            .step = test_random_u32(random) % 3,
            .form = test_random_u32(random) % 4,
        };
        if (test_random_u32(random) % 2 == 0)
            fixture.num_influences %= 5; // most real vertices have few influences

        add_streak(builder, &fixture, random);
    }
    end_random_mesh(builder);
}

static void free_random_mesh(random_mesh *builder)
{
    free(builder->positions);
    free(builder->normals);
    free(builder->tangents);
    free(builder->influences);
    free(builder->first_influence);
    free(builder->influence_joints);
    md5i_skin_plan_free(&builder->context.allocator, builder->mesh.skin_plan);
    CHECK_UINT(builder->heap.live, 0);
}
#define SCOPED_RANDOM_MESH __attribute__((cleanup(free_random_mesh))) random_mesh

// Returns the name of a round for messages.
static const char *round_name(uint32_t round)
{
    static char name[40];
    snprintf(name, sizeof name, "random mesh %u", round);
    return name;
}

// The kinds of runs that have occurred. The test fails if a kind did not occur.
typedef struct run_counts {
    uint32_t count[MD5_SKIN_ORDERS][MD5_SKIN_KINDS];
} run_counts;

static void note_runs(const md5_skin_plan *plan, run_counts *counts)
{
    if (plan) {
        for (uint32_t i = 0; i < plan->num_runs; i++)
            counts->count[plan->runs[i].order][plan->runs[i].kind]++;
    }
}

TEST (skin_gives_the_same_bits_with_every_instruction_set) {
    uint64_t random = 41;
    run_counts counts = {{{0}}};
    md5_mat34 palette[JOINTS];
    for (uint32_t round = 0; round < 200; round++) {
        SCOPED_RANDOM_MESH builder;
        make_random_mesh(&builder, round % 20, &random);
        random_joints(palette, JOINTS, 20, &random);
        check_sets(&builder.mesh, palette, round_name(round));
        note_runs(builder.mesh.skin_plan, &counts);
    }
    for (md5_skin_kind kind = MD5_SKIN_RIGID; kind < MD5_SKIN_KINDS; kind++) {
        for (md5_skin_order order = MD5_SKIN_CONTIGUOUS; order < MD5_SKIN_ORDERS; order++)
            CHECK((counts.count[order][kind] > 0)
                  == (order != MD5_SKIN_SINGLES || kind != MD5_SKIN_RIGID)); // these are blended
    }
    CHECK(counts.count[MD5_SKIN_SINGLES][MD5_SKIN_NONE] > 0);
}

// Joints are equal in pairs, so that biases can cancel out, and some dual quaternions are negated.
TEST (dual_skinning_gives_the_same_bits_with_every_instruction_set) {
    uint64_t random = 61;
    md5_mat34 palette[JOINTS];
    md5_dual_quat dual[JOINTS];
    for (uint32_t round = 0; round < 100; round++) {
        SCOPED_RANDOM_MESH builder;
        make_random_mesh(&builder, round % 20, &random);
        random_joints(palette, JOINTS, 20, &random);
        for (uint32_t i = 1; i < JOINTS; i += 2)
            palette[i] = palette[i - 1];
        md5_build_dual_palette(palette, JOINTS, dual);
        for (uint32_t i = round % 3; i < JOINTS; i += 3) {
            const md5_quat r = dual[i].real;
            const md5_quat d = dual[i].dual;
            dual[i] = (md5_dual_quat){{-r.x, -r.y, -r.z, -r.w}, {-d.x, -d.y, -d.z, -d.w}};
        }
        check_written(&builder.mesh, NULL, dual, round_name(round));

        // Rotations about an axis along the normals give zeros. Their signs are compared, too.
        for (int i = 0; i < JOINTS; i++)
            dual[i] = (md5_dual_quat){
                .real = {0, 0, test_betweenf(-1, 1, &random), test_betweenf(-1, 1, &random)}};
        for (uint32_t vertex = 0; vertex < builder.mesh.num_vertices; vertex++)
            builder.normals[vertex] = (md5_vec3){0, 0, 1};
        check_written(&builder.mesh, NULL, dual, round_name(round));
    }
}

// Directions that vanish, infinite numbers and NaN give the same bits, too.
TEST (skin_gives_the_same_bits_for_invalid_palettes) {
    static const float odd[] = {0, -0.0f, 1e-38f, 1e30f, -1e-20f, INFINITY};
    uint64_t random = 43;
    md5_mat34 palette[JOINTS];
    for (uint32_t round = 0; round < 60; round++) {
        SCOPED_RANDOM_MESH builder;
        make_random_mesh(&builder, round % 10, &random);
        random_joints(palette, JOINTS, 20, &random);
        for (uint32_t i = 0; i < 12; i++) {
            const uint32_t entry = test_random_u32(&random) % (12 * JOINTS);
            const uint32_t value = test_random_u32(&random) % (COUNT_OF(odd));
            palette[entry / 12].m[entry % 12] = odd[value];
        }
        memset(&palette[round % JOINTS], 0, sizeof palette[0]);
        check_sets(&builder.mesh, palette, round_name(round));
    }
}

// -- Contents of plans ---------------------------------------------------------------------------

static uint32_t count_influences(const md5_mesh *mesh, uint32_t vertex)
{
    return mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
}

// Returns true if a vertex has the kind of its run, and the plan contains its joints, ascending,
// and its floats, which are `step` floats apart.
static bool is_planned(const md5_mesh *mesh, const md5_skin_run *run, const uint32_t *words,
                       uint32_t vertex, uint32_t lane, size_t step)
{
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t count = count_influences(mesh, vertex);
    const md5_skin_kind kind = md5i_skin_vertex_kind(mesh, vertex);
    const bool is_exact = run->kind == MD5_SKIN_EXACT;
    bool is_right =
        kind == MD5_SKIN_RIGID && step == 1 ? run->kind == MD5_SKIN_BLEND : run->kind == kind;
    const uint32_t *const joints = mesh->influence_joints + first;
    const float *floats = (const float *)(const void *)(words + count) + lane;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = 0;
        while (from < count - 1 && joints[from] != words[i])
            from++;
        const md5_vec4 q = mesh->influences[first + from];
        const float expected[4] = {q.x, q.y, q.z, q.w};
        bool is_in_order = i == 0 || words[i] > words[i - 1];
        if (count > 16)
            is_in_order = from == i;
        is_right = is_right && words[i] == joints[from] && is_in_order;
        if (run->kind != MD5_SKIN_RIGID) {
            for (uint32_t k = is_exact ? 0 : 3; k < 4; k++) {
                is_right = is_right && *floats == expected[k];
                floats += step;
            }
        }
    }
    if (run->order == MD5_SKIN_GATHERED && !is_exact) {
        const md5_vec3 p = mesh->positions[vertex];
        const bool is_position = floats[0] == p.x && floats[8] == p.y && floats[16] == p.z;
        is_right = is_right && is_position;
    }
    return is_right;
}

// Counts how often each vertex is skinned. A gathered group may repeat its first vertex.
static bool check_group(const md5_mesh *mesh, const md5_skin_run *run, uint32_t group,
                        uint32_t *times)
{
    const md5_skin_plan *const plan = mesh->skin_plan;
    const uint32_t *const words =
        plan->words + run->words
        + group * md5_skin_num_words(run->kind, run->order, run->num_influences);
    const uint32_t *const vertices =
        plan->vertices + run->vertices + group * md5_skin_num_vertices(run->order);
    const bool is_gathered = run->order == MD5_SKIN_GATHERED;
    bool is_right = true;
    for (uint32_t lane = 0; lane < MD5_SKIN_GROUP; lane++) {
        const uint32_t vertex = is_gathered ? vertices[lane] / 3 : vertices[0] + lane;
        const bool again = is_gathered && lane > 0 && vertices[lane] == vertices[lane - 1];
        is_right = is_right && (!is_gathered || vertices[lane] % 3 == 0);
        is_right = is_right && (!again || vertices[lane] == vertices[0]);
        is_right = is_right && (!is_gathered || lane == 0 || vertices[lane] >= vertices[lane - 1]);
        is_right = is_right && count_influences(mesh, vertex) == run->num_influences
                   && is_planned(mesh, run, words, vertex, lane, MD5_SKIN_GROUP);
        times[vertex] += !again;
    }
    return is_right;
}

// Returns the size in bytes of a plan and its arrays, each of which is rounded up to a multiple of
// 16. Checks that the runs have no gaps between them.
static size_t runs_size(const md5_mesh *mesh)
{
    const md5_skin_plan *const plan = mesh->skin_plan;
    size_t num_vertices = 0;
    size_t num_words = 0;
    for (uint32_t i = 0; i < plan->num_runs; i++) {
        const md5_skin_run *const run = &plan->runs[i];
        CHECK_UINT(run->vertices, num_vertices);
        num_vertices += (size_t)run->count * (run->order == MD5_SKIN_GATHERED ? 8 : 1);
        CHECK_UINT(run->words, num_words);
        for (uint32_t k = 0; k < run->count; k++) {
            const bool is_single = run->order == MD5_SKIN_SINGLES;
            num_words += md5_skin_num_words(
                run->kind, run->order,
                is_single ? count_influences(mesh, plan->vertices[run->vertices + k])
                          : run->num_influences);
        }
    }
    const size_t sizes[] = {sizeof *plan, plan->num_runs * sizeof *plan->runs,
                            num_vertices * sizeof *plan->vertices, num_words * sizeof *plan->words};
    size_t size = 0;
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        size += (sizes[i] + 15) / 16 * 16;
    return size;
}

// Checks that every vertex is skinned once, by the method of its kind, and that the plan has no
// unused memory.
static void check_plan(const md5_mesh *mesh, const char *description)
{
    const md5_skin_plan *const plan = mesh->skin_plan;
    if (!plan) {
        CHECK_UINT(mesh->num_vertices, 0);
        return;
    }
    SCOPED_ARRAY(uint32_t, times, mesh->num_vertices + 1);
    bool is_right = true;
    for (uint32_t i = 0; i < plan->num_runs; i++) {
        const md5_skin_run *const run = &plan->runs[i];
        const uint32_t *words = plan->words + run->words;
        for (uint32_t k = 0; k < run->count; k++) {
            const uint32_t vertex = plan->vertices[run->vertices + k];
            if (run->order != MD5_SKIN_SINGLES) {
                is_right = is_right && check_group(mesh, run, k, times);
                continue;
            }
            const uint32_t count = count_influences(mesh, vertex);
            is_right =
                is_right && *words == count && is_planned(mesh, run, words + 1, vertex, 0, 1);
            words += md5_skin_num_words(run->kind, run->order, count);
            times[vertex]++;
        }
    }
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++)
        is_right = is_right && times[vertex] == 1;
    CHECK_THAT(is_right, "%s: a vertex is not done as it should be", description);
    CHECK_UINT(plan->size, runs_size(mesh));
}

TEST (skin_plan_covers_every_vertex) {
    uint64_t random = 47;
    for (uint32_t round = 0; round < 100; round++) {
        SCOPED_RANDOM_MESH builder;
        make_random_mesh(&builder, round % 20, &random);
        check_plan(&builder.mesh, "random mesh");
        CHECK_UINT(builder.heap.live_bytes,
                   builder.mesh.skin_plan ? builder.mesh.skin_plan->size : 0);
    }
}

// In each vertex of a streak, a different joint has the largest weight: see streak.
TEST (skin_plan_groups_joints_in_any_order) {
    uint64_t random = 67;
    for (int count = 2; count < 17; count++) {
        run_counts counts = {{{0}}};
        SCOPED_RANDOM_MESH builder;
        begin_random_mesh(&builder, 200);
        add_streak(&builder, &(streak){200, (uint32_t)count, 3, 1, APART}, &random);
        end_random_mesh(&builder);
        note_runs(builder.mesh.skin_plan, &counts);
        CHECK(counts.count[MD5_SKIN_CONTIGUOUS][MD5_SKIN_EXACT] > 0);
    }
}

// Streaks of three vertices on many sets of joints use the most memory. Streaks of eight vertices
// fill groups.
TEST (skin_plan_groups_threes) {
    uint64_t random = 59;
    md5_mat34 palette[JOINTS];
    random_joints(palette, JOINTS, 20, &random);
    for (uint32_t num_influences = 1; num_influences <= 8; num_influences++) {
        SCOPED_RANDOM_MESH builder;
        begin_random_mesh(&builder, 3 * 60 + 800);
        for (uint32_t i = 0; i < 60 + 100; i++) {
            const streak fixture = {i < 60 ? 3 : 8, num_influences, i % JOINTS, 1 + i / JOINTS,
                                    APART};
            add_streak(&builder, &fixture, &random);
        }
        end_random_mesh(&builder);
        run_counts counts = {{{0}}};
        note_runs(builder.mesh.skin_plan, &counts);
        CHECK(counts.count[MD5_SKIN_GATHERED][MD5_SKIN_EXACT] > 0);
        check_plan(&builder.mesh, "mesh of threes");
        check_sets(&builder.mesh, palette, "mesh of threes");
    }
}

// Real models, in a pose that moves every joint.
static void check_model(const char *path)
{
    md5_error error = {0};
    SCOPED_MODEL model = md5_load_model(path, NULL, &error);
    if (!CHECK_THAT(model != NULL, "%s: %s", path, error.message))
        return;
    const uint32_t num_joints = model->skeleton.num_joints;
    SCOPED_ARRAY(md5_mat34, palette, num_joints);
    SCOPED_ARRAY(md5_dual_quat, dual, num_joints);
    uint64_t random = 53;
    random_joints(palette, num_joints, 50, &random);
    md5_build_palette(model, palette, palette);
    md5_build_dual_palette(palette, num_joints, dual);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        check_plan(mesh, path);
        check_sets(mesh, palette, path);
        check_written(mesh, NULL, dual, path);
    }
}

TEST (skin_gives_the_same_bits_for_our_models) {
    check_model(test_path("models/bobbin/bobbin.md5mesh"));
}

TEST (skin_gives_the_same_bits_for_real_models) {
    STRINGS(paths) = {
        "frankie/Frankie.md5mesh",
        "redeclipse/drone/mesh.md5mesh",
        "stromar/stromar.md5mesh",
        "terasology/lasr/queen.md5mesh",
        "terasology/redElephantrook.md5mesh",
        "terasology/gooeysquests/skeleton.md5mesh",
        "cube2/ffflag/ffflag.md5mesh",
    };
    REQUIRE_CORPUS();
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        check_model(test_pathf("corpus/%s", paths[i]));
}

// -- Memory of plans ------------------------------------------------------------------------------

// The memory of a loaded model is exactly the sum of its arrays and plans, and of the headers of
// its two chunks, which have three words each.

// Every array starts at a multiple of 16 bytes.
static size_t room(size_t count, size_t size)
{
    return (count * size + 15) / 16 * 16;
}

static size_t arrays_size(const md5_mesh *mesh)
{
    const size_t num_vertices = mesh->num_vertices;
    const size_t num_influences = mesh->num_influences;
    size_t size = room(mesh->num_file_vertices, sizeof *mesh->file_vertices)
                  + room(mesh->num_weights, sizeof *mesh->weights)
                  + room(mesh->num_triangles, 3 * sizeof *mesh->indices);
    size += room(num_vertices, sizeof *mesh->sources) + room(num_vertices, sizeof *mesh->texcoords)
            + room(num_vertices, sizeof *mesh->positions)
            + room(num_vertices, sizeof *mesh->normals);
    size += mesh->tangents ? room(num_vertices, sizeof *mesh->tangents) : 0;
    size += mesh->colors ? room(mesh->num_file_vertices, sizeof *mesh->colors) : 0;
    return size + room(num_vertices + 1, sizeof *mesh->first_influence)
           + room(num_influences, sizeof *mesh->influence_joints)
           + room(num_influences, sizeof *mesh->influences);
}

// Returns the size of the plan of a mesh, which another test in this file compares with the arrays
// of the plan.
static size_t plan_size(const md5_mesh *mesh)
{
    return mesh->skin_plan ? mesh->skin_plan->size : 0;
}

// Checks the memory of a model; its geometry may have up to `slack` bytes more than its arrays
// fill.
static void check_memory(const char *name, const char *text, size_t text_size,
                         const md5_load_opts *options, size_t slack)
{
    test_heap heap = {0};
    md5_load_opts opts = *options;
    opts.allocator = (md5_allocator){test_heap_alloc, test_heap_free, &heap, 0};
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text, text_size, &opts, &error);
    if (!CHECK_THAT(model != NULL, "%s: %s", name, error.message))
        return;
    size_t arrays = 0;
    size_t plans = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        arrays += arrays_size(mesh);
        plans += plan_size(mesh);
    }
    CHECK(arrays <= model->geometry_size);
    const size_t heads = 2 * room(3, sizeof(size_t));
    CHECK_THAT(model->geometry_size - arrays <= heads + slack, "%s: arrays of %zu bytes in %zu",
               name, arrays, model->geometry_size);
    CHECK_UINT(heap.live_bytes, model->size + model->geometry_size + plans);
    CHECK(opts.skip_geometry & MD5_GEOMETRY_SKIN_PLANS ? plans == 0 : plans > 0);
    md5_release_geometry(model);
    CHECK_UINT(heap.live_bytes, model->size);
    md5_free_model(model);
    CHECK_UINT(heap.live, 0);
}

static void check_file(const char *path)
{
    static const md5_load_opts options[] = {{.max_warnings = 0},
                                            {.skip_geometry = MD5_GEOMETRY_TANGENTS},
                                            {.skip_geometry = MD5_GEOMETRY_SKIN_PLANS}};
    size_t size = 0;
    SCOPED_STRING text = test_read_file(path, &size);
    if (!CHECK_THAT(text != NULL, "%s cannot be read", path))
        return;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        const md5_load_opts *const option = &options[i];
        check_memory(path, text, size, option, 0);
    }
}

TEST (our_models_allocate_only_used_memory) {
    check_file(test_path("models/bobbin/bobbin.md5mesh"));
    check_file(test_path("models/thimble/thimble.md5mesh")); // many mirror seams
    check_file(test_path("models/zoo/version_12.md5mesh"));
}

TEST (real_models_allocate_only_used_memory) {
    STRINGS(files) = {
        "frankie/Frankie.md5mesh",
        "libprimis/pulserifle.md5mesh", // has biases of 0
        "redeclipse/drone/mesh.md5mesh",
        "stromar/stromar.md5mesh",
        "terasology/character.md5mesh", // has biases of 0
        "terasology/gooeysquests/skeleton.md5mesh",
        "terasology/lasr/queen.md5mesh",
        "terasology/redElephantrook.md5mesh",
    };
    REQUIRE_CORPUS();
    for (size_t i = 0; i < COUNT_OF(files); i++)
        check_file(test_pathf("corpus/%s", files[i]));
}

// -- Random models --------------------------------------------------------------------------------

enum { PLAN_JOINTS = 6, MAX_VERTICES = 150, MAX_WEIGHTS = 12 };

TEST (random_models_allocate_only_used_memory) {
    static const md5_load_opts options = {.max_warnings = 0};
    uint64_t random = 67;
    for (uint32_t round = 0; round < 50; round++) {
        SCOPED_TEXT text = {0};
        test_append(&text, "MD5Version 10 commandline \"\" numJoints %u numMeshes 3 joints {\n",
                    PLAN_JOINTS);
        for (int i = 0; i < PLAN_JOINTS; i++)
            test_append(&text, "\"%u\" -1 ( 0 %u 1 ) ( 0 0 0 )\n", i, i);
        test_append(&text, "}\n");
        for (int i = 0; i < 3; i++) {
            const uint32_t num_vertices = test_random_u32(&random) % MAX_VERTICES;
            uint32_t num_weights = 0;
            test_append(&text, "mesh { shader \"\" numverts %u\n", num_vertices);
            for (uint32_t j = 0; j < num_vertices; j++) {
                const uint32_t vertex_weights = test_random_u32(&random) % MAX_WEIGHTS;
                test_append(&text, "vert %u ( %u %u ) %u %u\n", j, j % 3, j % 2, num_weights,
                            vertex_weights);
                num_weights += vertex_weights;
            }
            const uint32_t num_triangles = num_vertices > 2 ? num_vertices - 2 : 0;
            test_append(&text, "numtris %u\n", num_triangles);
            for (uint32_t j = 0; j < num_triangles; j++)
                test_append(&text, "tri %u %u %u %u\n", j, j, j + 1, j + 2);

            // Biases of 0, and several weights of a vertex on one joint.
            STRINGS(biases) = {"0", "0.25", "0.5", "1", "1", "0.125"};
            test_append(&text, "numweights %u\n", num_weights);
            for (uint32_t j = 0; j < num_weights; j++)
                test_append(&text, "weight %u %u %s ( %u 2 %u )\n", j,
                            test_random_u32(&random) % PLAN_JOINTS,
                            biases[test_random_u32(&random) % 6], test_random_u32(&random) % 9, j);

            test_append(&text, "}\n");
        }
        check_memory("random model", text.bytes, text.used, &options, 0);
    }
}

// For two weights that cancel out, an influence and its joint are allocated but not used: 16 bytes
// each, rounded up.
TEST (weights_that_cancel_out_allocate_an_influence) {
    static const md5_load_opts options = {.max_warnings = 0};
    static const char text[] =
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1 joints { \"a\" -1 ( 0 0 0 ) ( 0 0 "
        "0 ) "
        "} mesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 2 numtris 0 numweights 2 "
        "weight 0 0 0.5 ( 1 2 3 ) weight 1 0 -0.5 ( 1 2 3 ) }";
    check_memory("weights that cancel out", text, strlen(text), &options, 32);
}
