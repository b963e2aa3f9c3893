// Files of declarations: bytes up to a NUL are materials, up to the next one skins, the rest
// models and entities. Everything that they declare is asked for, and evaluated.
#include "test/fuzz/target.h"

#include "md5/md5actor.h"

#include <string.h>

enum { MOST_FILES = 3 };

typedef struct fuzz_file {
    const char *name, *bytes;
    size_t size;
} fuzz_file;

static const char *fuzz_file_name(void *user, size_t file)
{
    return ((const fuzz_file *)user)[file].name;
}

static const void *open_fuzz_file(void *user, size_t file, size_t *size, md5_error *error)
{
    (void)error;
    *size = ((const fuzz_file *)user)[file].size;
    return ((const fuzz_file *)user)[file].bytes;
}

static void close_fuzz_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
}

static void split_files(fuzz_file files[MOST_FILES], const char *bytes, size_t size)
{
    static const char *const names[MOST_FILES] = {"materials/a.mtr", "skins/b.skin", "def/c.def"};
    for (int i = 0; i < MOST_FILES; i++) {
        const char *const end = memchr(bytes, '\0', size);
        const size_t length = end && i < MOST_FILES - 1 ? (size_t)(end - bytes) : size;
        files[i] = (fuzz_file){names[i], bytes, length};
        bytes += length < size ? length + 1 : length;
        size -= length < size ? length + 1 : length;
    }
}

static const char *image_fault(const md5_image_program *image)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_kind kind = image->steps[i].kind;
        const bool is_pair = kind == MD5_IMAGE_ADD || kind == MD5_IMAGE_ADD_NORMALS;
        if (depth < (kind == MD5_IMAGE_FILE ? 0u : is_pair ? 2u : 1u))
            return "an image operation without its images";
        depth = kind == MD5_IMAGE_FILE ? depth + 1 : is_pair ? depth - 1 : depth;
    }
    return depth == (image->text[0] ? 1u : 0u) ? NULL : "an image program that gives no image";
}

static const char *game_stage_fault(const md5_material *material, const md5_stage *stage)
{
    for (int i = 0; i < 4; i++) {
        if (stage->color[i] >= material->num_registers)
            return "a color without a register";
    }
    for (int i = 0; i < 6; i++) {
        if (stage->matrix[i / 3][i % 3] >= material->num_registers)
            return "a matrix without a register";
    }
    if (stage->condition >= material->num_registers || stage->alpha_test >= material->num_registers)
        return "a condition without a register";
    return image_fault(&stage->image);
}

static const char *game_material_fault(const md5_material *material)
{
    static float registers[MD5_MAX_REGISTERS];
    const md5_material_input input = {.time = 1.5f, .parms = {1.0f, 1.0f, 1.0f, 1.0f, -3.0f}};
    float matrix[2][3];
    const char *fault = NULL;
    if (material->decl->state == MD5_DECL_UNPARSED)
        return "a material that is not parsed";
    md5_evaluate_material(material, &input, registers);
    for (uint32_t i = 0; i < material->num_stages && !fault; i++) {
        fault = game_stage_fault(material, &material->stages[i]);
        if (!fault)
            md5_stage_matrix(&material->stages[i], registers, matrix);
    }
    return fault;
}

static const char *ask_for_materials(md5_game *game)
{
    const char *fault = NULL;
    md5_error error;
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MATERIAL) && !fault; i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_MATERIAL, i)->name;
        const md5_material *const material = md5_game_material(game, name, &error);
        fault = material                           ? game_material_fault(material)
                : error.status == MD5_ERROR_MEMORY ? NULL
                                                   : "no material, and no reason";
    }
    return fault;
}

static const char *ask_for_entities(md5_game *game)
{
    md5_error error;
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_ENTITY); i++) {
        const md5_decl *const decl = md5_game_decl(game, MD5_DECL_ENTITY, i);
        const md5_entity_def *const def = md5_game_entity_def(game, decl->name, &error);
        if (!def && error.status != MD5_ERROR_MEMORY)
            return "no entity, and no reason";
        const char *const class_name = def ? md5_entity_value(def, "CLASSNAME") : decl->name;
        if (!class_name || strcmp(class_name, decl->name) != 0)
            return "an entity of another class";
        if (def && md5_next_entity_key(def, "inherit", NULL))
            return "an entity whose parents are keys";
    }
    return NULL;
}

static const char *ask_for_rest(md5_game *game)
{
    md5_error error;
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_SKIN); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_SKIN, i)->name;
        const md5_game_skin *const skin = md5_game_find_skin(game, name, &error);
        if (!skin && error.status != MD5_ERROR_MEMORY)
            return "no skin, and no reason";
        if (skin)
            (void)md5_skin_material(game, skin, "a");
    }
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_TABLE); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_TABLE, i)->name;
        const md5_table *const table = md5_game_table(game, name, &error);
        if (table)
            (void)md5_table_at(table, -0.3f);
    }
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MODEL); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_MODEL, i)->name;
        const md5_model_def *const model = md5_game_model(game, name, &error);
        if (!model && error.status != MD5_ERROR_MEMORY)
            return "no model, and no reason";
        if (model && (model->num_joints > 0) != (model->mesh[0] != '\0'))
            return "a model whose joints have no mesh";
    }
    return NULL;
}

const char *fuzz_game(const uint8_t *data, size_t size)
{
    fuzz_file files[MOST_FILES];
    md5_error error;
    const md5_load_opts opts = {.memory_limit = FUZZ_MEMORY_LIMIT};
    split_files(files, (const char *)data, size);
    const md5_game_path path = {
        .num_files = MOST_FILES,
        .name = fuzz_file_name,
        .open = open_fuzz_file,
        .close = close_fuzz_file,
        .user = files,
    };
    md5_game *const game = md5_open_game(&path, 1, &opts, &error);
    if (!game)
        return error.status == MD5_ERROR_MEMORY ? NULL : "no game, and no reason";
    const char *fault = ask_for_rest(game);
    if (!fault)
        fault = ask_for_entities(game);
    if (!fault)
        fault = ask_for_materials(game);
    md5_free_game(game);
    return fault;
}
