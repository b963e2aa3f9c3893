// Runs inputs through a target without a fuzzer: `replay TARGET FILE...`. Reproduces a fuzzer's
// findings with any compiler and debugger.
#include "test/fuzz/target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    fuzz_target *run;
} targets[] = {
    {"mesh", fuzz_mesh},
    {"anim", fuzz_anim},
    {"camera", fuzz_camera},
    {"machine", fuzz_machine},
    {"scene", fuzz_scene},
    {"save", fuzz_save},
    {"game", fuzz_game},
    {"texture", fuzz_texture},
    {"cube", fuzz_cube},
    {"scale", fuzz_scale},
    {"compressed", fuzz_compressed},
    {"assets", fuzz_assets},
};
enum { NUM_TARGETS = sizeof targets / sizeof targets[0] };

static fuzz_target *find_target(const char *name)
{
    for (size_t i = 0; i < NUM_TARGETS; i++) {
        if (strcmp(name, targets[i].name) == 0)
            return targets[i].run;
    }
    return NULL;
}

// The block has the size of the file, so that a read beyond its end is detected.
static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    const long end = ftell(file);
    rewind(file);
    *size = end > 0 ? (size_t)end : 0;
    uint8_t *const data = malloc(*size ? *size : 1);
    const bool is_read = data && fread(data, 1, *size, file) == *size;
    fclose(file);
    if (is_read)
        return data;
    free(data);
    return NULL;
}

int main(int argc, char **argv)
{
    fuzz_target *const run = argc > 1 ? find_target(argv[1]) : NULL;
    int num_faults = 0;
    if (!run) {
        fprintf(
            stderr,
            "usage: replay mesh|anim|camera|machine|scene|save|game|texture|cube|scale|compressed|"
            "assets FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        size_t size = 0;
        uint8_t *const data = read_whole(argv[i], &size);
        const char *const fault = data ? run(data, size) : "cannot be read";
        if (fault)
            printf("%s: %s\n", argv[i], fault);
        num_faults += fault != NULL;
        free(data);
    }
    printf("%d files, %d faults\n", argc - 2, num_faults);
    return num_faults > 0;
}
