// Fuzz target for glTF files, as md5tool reads them: .gltf, .glb, or JSON, a NUL byte and the
// binary chunk, which mutations do not separate.
#include "test/fuzz/target.h"

#include "demo/convert/budget.h"

static void write_u32(char *bytes, size_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(value >> 8 * i & 0xff);
}

// Returns a .glb of two chunks.
static char *make_glb(const uint8_t *text, size_t length, const uint8_t *binary, size_t binary_size,
                      size_t *size)
{
    *size = 28 + length + binary_size;
    char *const bytes = malloc(*size);
    if (!bytes)
        abort();
    memcpy(bytes, "glTF\2\0\0", 8);
    write_u32(bytes + 8, *size);
    write_u32(bytes + 12, length);
    memcpy(bytes + 16, "JSON", 4);
    memcpy(bytes + 20, text, length);
    write_u32(bytes + 20 + length, binary_size);
    memcpy(bytes + 24 + length, "BIN", 4);
    memcpy(bytes + 28 + length, binary, binary_size);
    return bytes;
}

static void look_at_note(void *user, const char *text)
{
    *(bool *)user |= text[0] == '\0' || strchr(text, '\n') != NULL;
}

// Returns true if the library can read the converted file.
static bool is_readable(const convert_part *part)
{
    md5_error error;
    if (part->kind == CONVERT_CAMERA) {
        md5_camera *const camera = md5_parse_camera(part->bytes, part->size, NULL, &error);
        md5_free_camera(camera);
        return camera != NULL;
    }
    if (part->kind == CONVERT_CLIP) {
        md5_anim *const anim = md5_parse_anim(part->bytes, part->size, NULL, &error);
        md5_free_anim(anim);
        return anim != NULL;
    }
    md5_model *const model = md5_parse_model(part->bytes, part->size, NULL, &error);
    md5_free_model(model);
    return model != NULL;
}

const char *fuzz_gltf(const uint8_t *data, size_t size)
{
    const bool is_glb = size >= 4 && memcmp(data, "glTF", 4) == 0;
    const uint8_t *const end = size == 0 || is_glb ? NULL : memchr(data, '\0', size);
    bool is_wrong = false;
    convert_budget budget;
    convert_begin_budget(&budget, size);
    const convert_job job = {
        .note = look_at_note, .user = &is_wrong, .is_forced = size % 2 == 1, .budget = &budget};
    convert_input input = {.path = "/nonexistent/fuzz.gltf"};
    if (end) {
        const size_t length = (size_t)(end - data);
        input.bytes = make_glb(data, length, end + 1, size - length - 1, &input.size);
    } else {
        input.bytes = malloc(size + 1);
        if (!input.bytes)
            abort();
        memcpy(input.bytes, data, size);
        input.size = size;
    }
    convert_scene scene = {.name = NULL};
    md5_error error = {.message = ""};
    const char *wrong = NULL;
    if (!convert_read_gltf(&job, &input, &scene, &error))
        wrong = error.message[0] ? NULL : "rejected without an error message";
    else
        for (size_t i = 0; i < scene.num_parts && !wrong; i++)
            wrong = is_readable(&scene.parts[i]) ? NULL : "a converted part cannot be read";
    convert_end_budget(&budget, &job);
    convert_free_scene(&scene);
    free(input.bytes);
    return is_wrong ? "a note without text" : wrong;
}
