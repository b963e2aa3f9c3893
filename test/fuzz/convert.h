// Checks for the formats that md5tool converts. A file is read, or rejected with a message. The
// result must be MD5 text that the library loads, and a writer must accept it.
#ifndef FUZZ_CONVERT_H
#define FUZZ_CONVERT_H

#include "demo/convert/budget.h"
#include "test/fuzz/target.h"

static inline void fuzz_count_note(void *user, const char *text)
{
    *(bool *)user |= text[0] == '\0';
}

static inline const char *fuzz_part_fault(const convert_part *part)
{
    md5_error error = {0};
    const bool is_model = part->kind == CONVERT_MODEL || part->kind == CONVERT_TARGET;
    md5_model *const model =
        is_model ? md5_parse_model(part->bytes, part->size, NULL, &error) : NULL;
    md5_anim *const anim = is_model ? NULL : md5_parse_anim(part->bytes, part->size, NULL, &error);
    md5_free_model(model);
    md5_free_anim(anim);
    if (strpbrk(part->name, "/\\:\"\n") != NULL || part->name[0] == '\0' || part->name[0] == '.')
        return "a part has an invalid file name";
    return model || anim ? NULL : "a written part cannot be read as MD5";
}

// Converts the data of a format to a model, and writes the model with `write`, which may be NULL.
// Returns a fault or NULL. `model` is the text of an existing model, or NULL.
static inline const char *fuzz_convert(convert_read_fn *read, convert_write_fn *write,
                                       const char *model, const uint8_t *data, size_t size)
{
    bool is_wrong = false;
    convert_budget budget;
    convert_begin_budget(&budget, size);
    const convert_job job = {.output = "/dev/null",
                             .is_forced = true,
                             .rate = size % 3 == 0 ? 10.0 : 0.0,
                             .yaw = size % 5 == 0 ? 90.0 : 0.0,
                             .note = fuzz_count_note,
                             .user = &is_wrong,
                             .budget = &budget};
    convert_scene scene = {.name = common_copy("fuzzed")};
    if (model)
        convert_add_part(&scene, CONVERT_MODEL, "model", NULL, common_copy(model), strlen(model));
    // A block of the exact size, so that a read past its end is detected.
    convert_input input = {.path = "fuzzed", .bytes = common_alloc(size, 1), .size = size};
    if (size > 0)
        memcpy(input.bytes, data, size);
    md5_error error = {0};
    const char *fault = NULL;
    const bool is_read = read(&job, &input, &scene, &error);
    if (!is_read && error.message[0] == '\0')
        fault = "rejected without an error message";
    if (is_read) {
        for (uint32_t i = 0; i < scene.num_parts && !fault; i++)
            fault = fuzz_part_fault(&scene.parts[i]);
    }
    error = (md5_error){0};
    const bool can_write = is_read && write && scene.num_parts > 0;
    if (can_write && !fault && !write(&job, &scene, &error) && error.message[0] == '\0')
        fault = "not written, without an error message";
    convert_end_budget(&budget, &job);
    free(input.bytes);
    convert_free_scene(&scene);
    if (fault)
        return fault;
    return is_wrong ? "a note without a text" : NULL;
}

#endif
