// Updates a crowd on several threads through md5_threads, the interface between the library and the
// thread pool of an engine. The poses are bit-identical for any number of threads.
//
//   cc crowd_threads.c $(pkg-config --cflags --libs md5play) -pthread -o crowd_threads
//   ./crowd_threads models/bobbin/bobbin.md5machine 1000 4
#include <md5model/md5play.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 64 };

// A thread and the range of indices that it processes.
typedef struct part {
    pthread_t thread;
    md5_range_fn *range;
    void *user;
    uint32_t worker;
    size_t begin;
    size_t end;
} part;

// The main function of a thread: processes its range of indices.
static void *run_part(void *argument)
{
    const part *job = argument;
    job->range(job->user, job->worker, job->begin, job->end);
    return NULL;
}

// Calls `range` on several threads, each with a part of the indices from 0 to count - 1, and waits
// for all of them. It is the callback md5_threads.run. A game would use the threads of its pool.
// This program creates threads for each call.
static void run(void *pool, size_t count, md5_range_fn *range, void *user)
{
    const uint32_t num_threads = *(const uint32_t *)pool;
    part parts[MAX_THREADS];
    for (uint32_t i = 0; i < num_threads; i++) {
        parts[i] = (part){.range = range, .user = user, .worker = i};
        parts[i].begin = count * i / num_threads;
        parts[i].end = count * (i + 1) / num_threads;
        if (pthread_create(&parts[i].thread, NULL, run_part, &parts[i]) != 0)
            exit(1);
    }
    for (uint32_t i = 0; i < num_threads; i++)
        pthread_join(parts[i].thread, NULL);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size + 1);
    if (!memory)
        exit(1);
    return memory;
}

// Creates a job for each character: a player, the time to advance, and the memory for its palette.
// All players share the machine and the clips. Each has its own speed.
static md5_play_job *create_jobs(const md5_character *character, int count, md5_mat34 *palettes)
{
    const size_t num_joints = character->model->skeleton.num_joints;
    const uint32_t speed = md5_require_parameter(character->machine, "speed");
    md5_play_job *jobs = allocate((size_t)count * sizeof *jobs);
    for (int i = 0; i < count; i++) {
        jobs[i].player = md5_create_player(character->machine, NULL, NULL);
        jobs[i].seconds = 1.0 / 60;
        jobs[i].palette = palettes + (size_t)i * num_joints;
        if (!jobs[i].player)
            exit(1);
        md5_player_set(jobs[i].player, speed, (float)(i % 40));
    }
    return jobs;
}

// Updates all characters on several threads for 60 frames. Prints a sum over all results, which is
// the same for any number of threads.
int main(int argc, char **argv)
{
    const int count = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0;
    uint32_t num_threads = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    if (count < 1 || num_threads < 1 || num_threads > MAX_THREADS) {
        fprintf(stderr, "usage: crowd_threads CHARACTER.md5machine CHARACTERS THREADS\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_character *character = md5_load_character(argv[1], NULL, &error);
    if (!character) {
        fprintf(stderr, "%s:%u: %s\n", error.file, (unsigned)error.line, error.message);
        return 1;
    }

    const size_t num_matrices = (size_t)count * character->model->skeleton.num_joints;
    md5_mat34 *palettes = allocate(num_matrices * sizeof *palettes);
    md5_play_job *jobs = create_jobs(character, count, palettes);

    // Play. The scratch memory is allocated once for all frames.
    const md5_threads threads = {.run = run, .pool = &num_threads, .num_workers = num_threads};
    void *scratch = allocate(md5_play_batch_scratch(jobs, (size_t)count, &threads));
    for (int frame = 0; frame < 60; frame++)
        md5_play_batch(jobs, (size_t)count, &threads, scratch); // allocates and locks nothing

    double sum = 0;
    for (size_t i = 0; i < num_matrices; i++)
        sum += (double)palettes[i].m[11]; // z of the translation
    printf("%d characters, %u threads: sum of heights %.17g\n", count, (unsigned)num_threads, sum);

    for (int i = 0; i < count; i++)
        md5_destroy_player(jobs[i].player);
    free(scratch);
    free(jobs);
    free(palettes);
    md5_free_character(character);
    return 0;
}
