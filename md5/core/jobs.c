// Runs batches of jobs on several threads.
#include "md5/core/jobs.h"

// Threads take pieces of this many consecutive jobs. The number is a multiple of every SIMD width.
// It is large enough that the cost of taking a piece is small.
enum { PIECE = 32 };

// Returns the distance in bytes between the scratch memories of two workers. It ensures that two
// workers never write to the same cache line, for any alignment of the memory.
static size_t scratch_step(size_t size)
{
    enum { CACHE_LINE = 64 };
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

size_t md5i_batch_scratch_size(const md5_threads *threads, size_t size)
{
    return threads ? threads->num_workers * scratch_step(size) : size;
}

// Runs a range of pieces on one thread. Each thread has its own part of the scratch memory, which
// `worker` selects.
static void run_pieces(void *user, uint32_t worker, size_t begin, size_t end)
{
    const md5_batch *const batch = (const md5_batch *)user;
    if (begin >= end)
        return;
    const size_t last = batch->count / PIECE < end ? batch->count : end * PIECE;
    unsigned char *const scratch = (unsigned char *)batch->scratch;
    batch->run(batch->user, begin * PIECE, last, scratch + worker * scratch_step(batch->size));
}

// Runs the jobs of a batch on several threads, which take pieces of PIECE consecutive jobs.
void md5i_run_batch(const md5_threads *threads, const md5_batch *batch)
{
    md5_batch shared = *batch;
    const size_t num_pieces = batch->count / PIECE + (batch->count % PIECE > 0);
    md5_threads_run(threads, num_pieces, run_pieces, &shared);
}
