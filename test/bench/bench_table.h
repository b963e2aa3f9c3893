// The table that the bench programs write, on the screen and as CSV; a clock.
#ifndef TEST_BENCH_BENCH_TABLE_H
#define TEST_BENCH_BENCH_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

typedef struct bench_table {
    FILE *csv;
    uint64_t seen;
    int num_goals, num_met, num_busy; // the last: not judged
    double pace;                      // the fastest bench_pace() so far
} bench_table;

static double bench_now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench_heading(const char *title)
{
    printf("\n%-44s %8s %8s %10s\n", title, ": C", ": assimp", "median");
}

// -- Whether the machine is quiet -----------------------------------------------------------------

static double bench_processor_seconds(void)
{
    double seconds = 0.0;
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whose[i], &usage);
        seconds += (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
        seconds += (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    }
    return seconds;
}

// Seconds of a chain of multiplications, the least of several: nothing but the clock of the
// processor changes them.
static double bench_pace(bench_table *table)
{
    double least = HUGE_VAL;
    for (int run = 0; run < 9; run++) {
        float value = 1.0f + (float)(table->seen & 1) * 1e-7f;
        const double start = bench_now();
        for (int i = 0; i < 20000; i++)
            value *= 1.0000001f;
        least = fmin(least, bench_now() - start);
        table->seen += value > 0.5f;
    }
    return least;
}

// Taken before a row is measured.
typedef struct bench_watch {
    double start, processor_start;
} bench_watch;

static bench_watch bench_begin_watch(void)
{
    return (bench_watch){bench_now(), bench_processor_seconds()};
}

// Whether the row since `watch` can be judged: other programs took less than 5 % of its time, and
// the processor's clock is within 5 % of the fastest so far.
static bool bench_was_quiet(bench_table *table, const bench_watch *watch)
{
    const double share =
        (bench_processor_seconds() - watch->processor_start) / (bench_now() - watch->start);
    const double pace = bench_pace(table);
    table->pace = table->pace > 0.0 ? fmin(table->pace, pace) : pace;
    return share > 0.95 && pace < 1.05 * table->pace;
}

// A row with a figure that is not a time.
static void bench_figure(bench_table *table, const char *name, const char *unit, double value,
                         double goal)
{
    printf("  %-42s %8s %8s %10.4g %-10s %-17s", name, "", "", value, unit, "");
    if (goal > 0.0) {
        table->num_goals++;
        table->num_met += value <= goal;
        printf(" <= %-6g %s", goal, value <= goal ? "met" : "MISSED");
    }
    printf("\n");
    fprintf(table->csv, "\"%s\",,%s,%.6g,,,1\n", name, unit, value);
}

#endif
