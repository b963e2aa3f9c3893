// Measuring for bench.c: rows, their variants, the table.
//
// All variants of a row (plain C, each instruction set, another library) alternate in many short
// runs, so that other load on the machine affects all of them equally. The figure is the median of
// the runs; the quartiles next to it show their spread.
//
// Another library runs in its own process, because it may crash.
#ifndef TEST_BENCH_BENCH_MEASURE_H
#define TEST_BENCH_BENCH_MEASURE_H

#include "test/bench/bench_table.h"

#include "md5/core/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_SECONDS 0.0004
#define VARIANT_SECONDS 0.12
#define MIN_RUNS 15
#define MAX_RUNS 301
#define MAX_VARIANTS 6

// Returns a value that depends on the results, so that no work is optimized away.
typedef uint64_t bench_work(void *fixture, md5_cpu level);

typedef enum bench_kind {
    BENCH_TIME, // nanoseconds per unit
    BENCH_RATE, // million units per second
} bench_kind;

typedef struct bench_row {
    const char *name, *unit;
    bench_kind kind;
    bench_work *work;
    void *fixture;
    double units;              // per call
    md5_cpu best;              // the instruction set that the public function uses
    bool levels;               // also measure each instruction set separately
    bool no_twin;              // the work has no separate plain C version
    bench_work *other_library; // the same work by another library; NULL: none
    double goal;               // maximum, for rates minimum; 0: none
} bench_row;

typedef struct bench_variant {
    const char *name;
    bench_work *work;
    md5_cpu level;
    unsigned calls; // per run
    pid_t process;  // the process that runs the work; 0: this one
    int socket;     // to `process`: sends the number of calls, receives their seconds
    bool ended;
    int num_runs;
    double runs[MAX_RUNS];
    double median;
    double quarter;
    double three_quarters;
} bench_variant;

// -- Whether the machine is quiet -----------------------------------------------------------------

static double bench_processor_seconds(void)
{
    double seconds = 0;
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whose[i], &usage);
        seconds += (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
        seconds += (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    }
    return seconds;
}

// Returns the seconds of a chain of multiplications: the minimum of several runs. This time depends
// only on the clock of the processor.
static double bench_pace(bench_table *table)
{
    double shortest = HUGE_VAL;
    for (int run = 0; run < 9; run++) {
        float value = 1.0f + (float)(table->checksum & 1) * 1e-7f;
        const double start = bench_now();
        for (int i = 0; i < 20000; i++)
            value *= 1.0000001f;
        shortest = fmin(shortest, bench_now() - start);
        table->checksum += value > 0.5f;
    }
    return shortest;
}

// The times at which the measurement of a row began.
typedef struct bench_watch {
    double start, processor_start;
} bench_watch;

static bench_watch bench_begin_watch(void)
{
    return (bench_watch){bench_now(), bench_processor_seconds()};
}

// Returns true if the measurement since `watch` can be judged: other programs took less than 5 % of
// its time, and the processor's clock is within 5 % of the fastest so far.
static bool bench_was_quiet(bench_table *table, const bench_watch *watch)
{
    const double processor_share =
        (bench_processor_seconds() - watch->processor_start) / (bench_now() - watch->start);
    const double pace = bench_pace(table);
    table->pace = table->pace > 0.0 ? fmin(table->pace, pace) : pace;
    return processor_share > 0.95 && pace < 1.05 * table->pace;
}

static double bench_time_run(bench_table *table, const bench_row *row, const bench_variant *variant,
                             unsigned calls)
{
    const double start = bench_now();
    for (unsigned i = 0; i < calls; i++)
        table->checksum += variant->work(row->fixture, variant->level);
    return bench_now() - start;
}

static void bench_start_process(bench_table *table, const bench_row *row, bench_variant *variant)
{
    int ends[2];
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0 || (variant->process = fork()) < 0)
        abort();
    if (variant->process > 0) {
        close(ends[1]);
        variant->socket = ends[0];
        return;
    }
    close(ends[0]);
    unsigned calls;
    while (read(ends[1], &calls, sizeof calls) == sizeof calls) {
        const double seconds = bench_time_run(table, row, variant, calls);
        if (write(ends[1], &seconds, sizeof seconds) != sizeof seconds)
            break;
    }
    _exit(0);
}

static void bench_end_process(bench_variant *variant)
{
    close(variant->socket);
    waitpid(variant->process, NULL, 0);
}

// Returns the seconds of one call, or infinity if the process of another library ended instead.
static double bench_run(bench_table *table, const bench_row *row, bench_variant *variant)
{
    double seconds;
    if (variant->process == 0)
        return bench_time_run(table, row, variant, variant->calls) / variant->calls;
    variant->ended =
        send(variant->socket, &variant->calls, sizeof variant->calls, MSG_NOSIGNAL) <= 0
        || read(variant->socket, &seconds, sizeof seconds) != sizeof seconds;
    return variant->ended ? HUGE_VAL : seconds / variant->calls;
}

// Runs the variants of a row in turn, so that other load on the machine affects all of them. Each
// run takes at least RUN_SECONDS.
static void bench_alternate(bench_table *table, const bench_row *row, bench_variant *variants,
                            int count)
{
    double seconds[MAX_VARIANTS] = {0};
    for (int i = 0; i < count; i++) {
        variants[i].calls = 1;
        if (variants[i].work == row->other_library)
            bench_start_process(table, row, &variants[i]);
        while (bench_run(table, row, &variants[i]) * variants[i].calls < RUN_SECONDS)
            variants[i].calls *= 2;
    }
    for (int round = 0; round < MAX_RUNS; round++) {
        bool any = false;
        for (int i = 0; i < count; i++) {
            if (round >= MIN_RUNS && seconds[i] > VARIANT_SECONDS)
                continue;
            any = true;
            const double seconds_per_call = bench_run(table, row, &variants[i]);
            seconds[i] += seconds_per_call * variants[i].calls;
            if (variants[i].ended)
                continue;
            variants[i].runs[variants[i].num_runs++] = row->kind == BENCH_RATE
                                                           ? row->units / seconds_per_call * 1e-6
                                                           : seconds_per_call / row->units * 1e9;
        }
        if (!any)
            break;
    }
    for (int i = 0; i < count; i++) {
        bench_variant *const variant = &variants[i];
        const int runs = variant->num_runs;
        if (variant->process > 0)
            bench_end_process(variant);
        if (runs == 0)
            continue;
        qsort(variant->runs, (size_t)runs, sizeof variant->runs[0], bench_compare);
        variant->median = variant->runs[runs / 2];
        variant->quarter = variant->runs[runs / 4];
        variant->three_quarters = variant->runs[3 * runs / 4];
    }
}

// Prints a row with a ratio that was measured since `watch`. The ratio must be at least `goal`,
// unless `goal` is 0.
static void bench_minimum(bench_table *table, const bench_watch *watch, const char *name,
                          double ratio, double goal)
{
    printf("  %-42s %8s %8s %10.4g %-10s %-17s", name, "", "", ratio, "x", "");
    bench_judge(table, ">=", goal, ratio >= goal, bench_was_quiet(table, watch));
    fprintf(table->csv, "\"%s\",,x,%.6g,,,1\n", name, ratio);
}

static const char *bench_level_name(md5_cpu level)
{
    static const char *const names[MD5_CPU_COUNT] = {"plain C", "SSE2", "AVX2", "AVX-512", "NEON"};
    return names[level];
}

static int bench_select(const bench_row *row, bench_variant *variants)
{
    int count = 0;
    variants[count++] =
        (bench_variant){.name = bench_level_name(row->best), .work = row->work, .level = row->best};
    for (int level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT && !row->no_twin; level++) {
        if ((md5_cpu)level == row->best || !md5i_cpu_has((md5_cpu)level))
            continue;
        if (level == MD5_CPU_SCALAR || (row->levels && (md5_cpu)level < row->best))
            variants[count++] = (bench_variant){.name = bench_level_name((md5_cpu)level),
                                                .work = row->work,
                                                .level = (md5_cpu)level};
    }
    if (row->other_library)
        variants[count++] = (bench_variant){.name = "assimp", .work = row->other_library};
    return count;
}

static void bench_show_ratio(const bench_row *row, const bench_variant *first,
                             const bench_variant *other_variant)
{
    if (!other_variant || other_variant->num_runs == 0) {
        printf(" %8s", other_variant ? "died" : "");
        return;
    }
    const double ratio = row->kind == BENCH_RATE ? first->median / other_variant->median
                                                 : other_variant->median / first->median;
    printf(" %7.1fx", ratio);
}

// Measures all variants of a row, and writes them to the table and to its CSV file.
static void bench_measure(bench_table *table, const bench_row *row)
{
    static bench_variant variants[MAX_VARIANTS];
    memset(variants, 0, sizeof variants);
    const int count = bench_select(row, variants);
    const bench_watch watch = bench_begin_watch();
    bench_alternate(table, row, variants, count);
    const bool is_quiet = bench_was_quiet(table, &watch);
    const bench_variant *plain = NULL;
    const bench_variant *other_variant = NULL;
    for (int i = 0; i < count; i++) {
        if (variants[i].work == row->other_library)
            other_variant = &variants[i];
        else if (variants[i].level == MD5_CPU_SCALAR && !row->no_twin)
            plain = &variants[i];
        fprintf(table->csv, "\"%s\",%s,%s,%.5g,%.5g,%.5g,%d\n", row->name, variants[i].name,
                row->unit, variants[i].median, variants[i].quarter, variants[i].three_quarters,
                variants[i].num_runs);
    }
    printf("  %-42s", row->name);
    bench_show_ratio(row, &variants[0], plain);
    bench_show_ratio(row, &variants[0], other_variant);
    printf(" %10.4g %-10s %7.4g ..%8.4g", variants[0].median, row->unit, variants[0].quarter,
           variants[0].three_quarters);
    const double median = variants[0].median;
    const bool rate = row->kind == BENCH_RATE;
    const bool is_met = rate ? median >= row->goal : median <= row->goal;
    bench_judge(table, rate ? ">=" : "<=", row->goal, is_met, is_quiet);
    if (row->levels) {
        printf("    ");
        for (int i = 0; i < count; i++)
            printf("%s%s %.4g", i ? ", " : "", variants[i].name, variants[i].median);
        printf("\n");
    }
    fflush(stdout);
}

#endif
