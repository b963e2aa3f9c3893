// Updates a crowd on several threads: each has a part of the array and scratch memory of its own.
// The poses are the same, bit for bit, with any number of threads.
//
//   cc crowd_threads.c $(pkg-config --cflags --libs md5model) -pthread -o crowd_threads
//   ./crowd_threads models/bobbin/bobbin.md5machine 1000 4
#include <md5model/md5character.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct part {
    pthread_t thread;
    md5_play_job *jobs;
    size_t count;
    void *scratch;
} part;

static void *update_part(void *argument)
{
    const part *mine = argument;
    md5_play_batch(mine->jobs, mine->count, mine->scratch); // allocates and locks nothing
    return NULL;
}

// A game keeps its threads; here they live for one update.
static void update(part *parts, int num_parts)
{
    for (int i = 0; i < num_parts; i++)
        if (pthread_create(&parts[i].thread, NULL, update_part, &parts[i]) != 0)
            exit(1);
    for (int i = 0; i < num_parts; i++)
        pthread_join(parts[i].thread, NULL);
}

static void *reserve(size_t size)
{
    void *memory = calloc(1, size + 1);
    if (!memory)
        exit(1);
    return memory;
}

int main(int argc, char **argv)
{
    const int count = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0;
    const int num_parts = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
    if (count < 1 || num_parts < 1) {
        fprintf(stderr, "usage: crowd_threads CHARACTER.md5machine CHARACTERS THREADS\n");
        return 2;
    }
    md5_error error;
    md5_character *character = md5_load_character(argv[1], NULL, &error);
    if (!character) {
        fprintf(stderr, "%s:%u: %s\n", error.file, (unsigned)error.line, error.message);
        return 1;
    }
    const size_t num_joints = character->model->skeleton.num_joints;
    const int32_t speed = md5_find_parameter(character->machine, "speed");
    md5_mat34 *palettes = reserve((size_t)count * num_joints * sizeof *palettes);
    md5_play_job *jobs = reserve((size_t)count * sizeof *jobs);
    for (int i = 0; i < count; i++) {
        jobs[i].player = md5_create_player(character->machine, NULL, &error);
        jobs[i].seconds = 1.0 / 60;
        jobs[i].palette = palettes + (size_t)i * num_joints;
        if (!jobs[i].player)
            exit(1);
        if (speed >= 0)
            md5_player_set(jobs[i].player, (uint32_t)speed, (float)(i % 40));
    }
    const size_t size = md5_play_batch_scratch(jobs, (size_t)count);
    part *parts = reserve((size_t)num_parts * sizeof *parts);
    for (int i = 0; i < num_parts; i++) {
        const size_t begin = (size_t)count * (size_t)i / (size_t)num_parts;
        const size_t end = (size_t)count * ((size_t)i + 1) / (size_t)num_parts;
        parts[i] = (part){.jobs = jobs + begin, .count = end - begin, .scratch = reserve(size)};
    }
    for (int frame = 0; frame < 60; frame++)
        update(parts, num_parts);

    double sum = 0;
    for (size_t i = 0; i < (size_t)count * num_joints; i++)
        sum += (double)palettes[i].m[11];
    printf("%d characters, %d threads: sum of heights %.17g\n", count, num_parts, sum);
    for (int i = 0; i < num_parts; i++)
        free(parts[i].scratch);
    for (int i = 0; i < count; i++)
        md5_free_player(jobs[i].player);
    free(parts);
    free(jobs);
    free(palettes);
    md5_free_character(character);
    return 0;
}
