// The table that the bench programs write, on the screen and as CSV; a clock.
#ifndef TEST_BENCH_BENCH_TABLE_H
#define TEST_BENCH_BENCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef struct bench_table {
    FILE *csv;
    uint64_t checksum;
    int num_goals;
    int num_met;
    int num_busy; // not judged, because the machine was busy
    double pace;  // the fastest bench_pace() so far
} bench_table;

static double bench_now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench_heading(const char *title)
{
    printf("\n%-44s %8s %8s %10s\n", title, ": C", ": assimp", "median");
}

// Ends a row: prints and counts whether its goal is met, unless the goal is 0.
static void bench_judge(bench_table *table, const char *sign, double goal, bool is_met,
                        bool is_quiet)
{
    if (goal > 0.0) {
        table->num_goals++;
        table->num_met += is_met && is_quiet;
        table->num_busy += !is_quiet;
        const char *const result = is_met ? "met" : "MISSED";
        printf(" %s %-6g %s", sign, goal, is_quiet ? result : "not judged: busy");
    }
    printf("\n");
}

// Prints a row with a value that is not a time. The goal is an upper limit.
static void bench_figure(bench_table *table, const char *name, const char *unit, double value,
                         double goal)
{
    printf("  %-42s %8s %8s %10.4g %-10s %-17s", name, "", "", value, unit, "");
    bench_judge(table, "<=", goal, value <= goal, true);
    fprintf(table->csv, "\"%s\",,%s,%.6g,,,1\n", name, unit, value);
}

#endif
