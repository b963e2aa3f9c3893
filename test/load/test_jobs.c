// Tests of batches that the caller's threads divide. With any number of workers and any division,
// the results must have the same bits as with a single thread. test/long/threads.sh runs this test
// under ThreadSanitizer.
#include "test/scoped.h"

#if !defined(__EMSCRIPTEN__) // has no threads

#include <pthread.h>

// -- Pools ----------------------------------------------------------------------------------------

enum { MAX_WORKERS = 5 };

typedef struct test_pool {
    uint32_t num_workers;
    size_t num_ranges; // number of ranges that ran
} test_pool;

typedef struct part {
    pthread_t thread;
    md5_range_fn *range;
    void *user;
    uint32_t worker;
    size_t begin, end;
} part;

static void *run_part(void *argument)
{
    const part *const first = argument;
    first->range(first->user, first->worker, first->begin, first->end);
    return NULL;
}

// Starts a thread for each worker, with equal parts.
static void run_threads(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    test_pool *const pool = user;
    part parts[MAX_WORKERS];
    for (uint32_t i = 0; i < pool->num_workers; i++) {
        parts[i] = (part){.range = range,
                          .user = range_user,
                          .worker = i,
                          .begin = count * i / pool->num_workers,
                          .end = count * (i + 1) / pool->num_workers};
        if (pthread_create(&parts[i].thread, NULL, run_part, &parts[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < pool->num_workers; i++)
        pthread_join(parts[i].thread, NULL);
    pool->num_ranges += pool->num_workers;
}

// Runs all items on this thread: one item per call, the last item first, with empty ranges between
// them.
static void run_backwards(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    test_pool *const pool = user;
    for (size_t i = count; i-- > 0;) {
        range(range_user, (uint32_t)(i % pool->num_workers), i + 1, i + 1);
        range(range_user, (uint32_t)(i % pool->num_workers), i, i + 1);
        pool->num_ranges++;
    }
}

// -- The crowd ------------------------------------------------------------------------------------

enum { CROWD = 170, NUM_STEPS = 3 };

// Palettes of players and of clips; both are compared byte by byte.
typedef struct jobs_crowd {
    const md5_character *character;
    size_t num_joints;
    md5_mat34 *palettes; // [CROWD * num_joints]
} jobs_crowd;

static void *reserve(size_t size)
{
    void *const memory = test_alloc(size + 1);
    return memory;
}

enum { PLAYED, POSED, POSED_NLERP, NUM_KINDS };

// Computes the palettes of a crowd by jobs of one kind, on `threads`. The caller frees the result.
static md5_mat34 *compute_results(jobs_crowd *fixture, int kind, const md5_threads *threads,
                                  size_t count)
{
    const size_t size = CROWD * fixture->num_joints * sizeof *fixture->palettes;
    fixture->palettes = reserve(size);
    memset(fixture->palettes, 0x5a, size);
    if (kind == PLAYED) {
        md5_play_job jobs[CROWD];
        for (size_t i = 0; i < count; i++) {
            jobs[i] =
                (md5_play_job){.player = md5_create_player(fixture->character->machine, NULL, NULL),
                               .palette = fixture->palettes + i * fixture->num_joints};
            if (!jobs[i].player)
                abort();
            md5_player_set(jobs[i].player, 0, (float)(i % 50));
        }
        void *const scratch = reserve(md5_play_batch_scratch(jobs, count, threads));
        for (int step = 0; step < NUM_STEPS; step++) {
            for (size_t i = 0; i < count; i++)
                jobs[i].seconds = 0.05 + 0.001 * (double)i;
            md5_play_batch(jobs, count, threads, scratch);
        }
        free(scratch);
        for (size_t i = 0; i < count; i++)
            md5_destroy_player(jobs[i].player);
    } else {
        bool is_nlerp = kind == POSED_NLERP;
        md5_pose_job jobs[CROWD];
        for (size_t i = 0; i < count; i++) {
            const md5_binding *const binding = fixture->character->bindings[i * 3 / CROWD];
            jobs[i] = (md5_pose_job){
                .binding = binding,
                .sample = md5_sample_position_at(binding->anim, 0.37 * (double)i, MD5_WRAP_LOOP),
                .palette = fixture->palettes + i * fixture->num_joints,
            };
            if (is_nlerp)
                jobs[i].sample.interpolation = MD5_INTERPOLATE_NLERP;
        }
        SCOPED void *const scratch = reserve(md5_pose_batch_scratch(jobs, count, threads));
        md5_pose_batch(jobs, count, threads, scratch);
    }
    return fixture->palettes;
}

static void check_counts(jobs_crowd *fixture, int kind, const md5_threads *threads)
{
    static const size_t counts[] = {0, 1, 32, 33, CROWD};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        SCOPED md5_mat34 *const expected = compute_results(fixture, kind, NULL, counts[i]);
        SCOPED md5_mat34 *const found = compute_results(fixture, kind, threads, counts[i]);
        CHECK_THAT(memcmp(expected, found, CROWD * fixture->num_joints * sizeof *found) == 0,
                   "kind %d, %u workers, %u jobs", kind, (unsigned)threads->num_workers,
                   (unsigned)counts[i]);
    }
}

TEST (jobs_give_the_bits_of_one_thread) {
    SCOPED_CHARACTER character =
        md5_load_character(test_path("models/thimble/thimble.md5machine"), NULL, NULL);
    REQUIRE(character && character->num_clips >= 3);
    jobs_crowd fixture = {.character = character,
                          .num_joints = character->model->skeleton.num_joints};
    static const uint32_t workers[] = {1, 2, MAX_WORKERS};
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        test_pool pool = {.num_workers = workers[i]};
        const md5_threads threads = {run_threads, &pool, workers[i]};
        const md5_threads backwards = {run_backwards, &pool, workers[i]};
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            check_counts(&fixture, kind, &threads);
            check_counts(&fixture, kind, &backwards);
        }
        CHECK((pool.num_ranges > 0) == (workers[i] > 1));
    }
}

TEST (jobs_read_the_parts_of_a_character) {
    const char *const path = test_path("models/thimble/thimble.md5machine");
    test_pool pool = {.num_workers = 3};
    const md5_threads threads = {run_threads, &pool, 3};
    const md5_load_opts opts = {.threads = &threads};
    SCOPED_CHARACTER sequential = md5_load_character(path, NULL, NULL);
    SCOPED_CHARACTER parallel = md5_load_character(path, &opts, NULL);
    REQUIRE(sequential && parallel);
    CHECK_UINT(pool.num_ranges, 3);
    CHECK_UINT(parallel->num_clips, sequential->num_clips);
    for (uint32_t i = 0; i < sequential->num_clips; i++) {
        CHECK_STRING(parallel->anim_paths[i], sequential->anim_paths[i]);
        CHECK_UINT(parallel->anims[i]->num_frames, sequential->anims[i]->num_frames);
    }
    CHECK_UINT(parallel->anims_size, sequential->anims_size);
    CHECK_UINT(parallel->model->size, sequential->model->size);
}

// -- Ranges ---------------------------------------------------------------------------------------

static void count_items(void *user, uint32_t worker, size_t begin, size_t end)
{
    size_t *const counts = user;
    for (size_t i = begin; i < end; i++)
        counts[i] += 1 + 100 * (size_t)worker;
}

// md5_threads_run() calls the function directly if there is only one item, one worker or no
// pool. The last call uses the pool.
TEST (jobs_of_one_item_or_one_worker_need_no_pool) {
    test_pool pool = {.num_workers = 3};
    const md5_threads threads = {run_backwards, &pool, 3};
    const md5_threads single_worker = {run_backwards, &pool, 1};
    size_t counts[5] = {0};
    md5_threads_run(&threads, 0, count_items, counts);
    md5_threads_run(&threads, 1, count_items, counts);
    md5_threads_run(&single_worker, 5, count_items, counts);
    md5_threads_run(NULL, 5, count_items, counts);
    CHECK_UINT(pool.num_ranges, 0);
    CHECK_UINT(counts[0], 3);
    CHECK_UINT(counts[4], 2);
    md5_threads_run(&threads, 5, count_items, counts);
    CHECK_UINT(pool.num_ranges, 5);
    CHECK_UINT(counts[0], 4);
    CHECK_UINT(counts[4], 2 + 101);
}

#endif
