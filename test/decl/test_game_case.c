// Implements game_case.h.
#include "test/decl/game_case.h"

#include "test/test.h"

// Returns the name of a file. `user` of the search path is its array of texts.
static const char *text_name(void *user, size_t file)
{
    return ((const game_text *)user)[file].name;
}

static const void *open_text(void *user, size_t file, size_t *size, md5_error *error)
{
    const char *const text = ((const game_text *)user)[file].text;
    if (!text) {
        snprintf(error->message, sizeof error->message, "it is on the moon");
        return NULL;
    }
    *size = strlen(text);
    // A block of the exact size, so that a read past the end is detected.
    char *const copy = test_copy(text, *size);
    return copy;
}

static void close_text(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

md5_game_path make_game_path(const game_text *texts, size_t count, bool is_archive)
{
    return (md5_game_path){
        .num_files = count,
        .name = text_name,
        .open = open_text,
        .close = close_text,
        .user = (void *)(uintptr_t)texts,
        .is_archive = is_archive,
    };
}

char *read_golden(const char *name, size_t *size)
{
    return test_read_file(test_pathf("golden/%s", name), size);
}

static const char *golden_name(void *user, size_t file)
{
    return ((const golden_folder *)user)->names[file];
}

static const void *open_golden(void *user, size_t file, size_t *size, md5_error *error)
{
    char name[256];
    (void)error;
    snprintf(name, sizeof name, "%s/%s", ((const golden_folder *)user)->path,
             golden_name(user, file));
    return read_golden(name, size);
}

md5_game *open_golden_game(const golden_folder *folder, const md5_load_opts *opts)
{
    const md5_game_path search_path = {.num_files = folder->count,
                                       .name = golden_name,
                                       .open = open_golden,
                                       .close = close_text,
                                       .user = (void *)(uintptr_t)folder};
    return md5_create_game(&search_path, 1, opts, NULL);
}

void log_warning(void *user, const md5_error *warning)
{
    game_log *const log = user;
    const size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s:%u: %s\n", warning->file, warning->line,
             warning->message);
    log->count++;
}

md5_game *open_texts(const game_text *texts, size_t count, game_log *log)
{
    const md5_game_path search_path = make_game_path(texts, count, false);
    const md5_load_opts opts = {.warn = log ? log_warning : NULL, .warn_user = log};
    if (log)
        *log = (game_log){.count = 0};
    md5_game *const game = md5_create_game(&search_path, 1, &opts, NULL);
    CHECK(game);
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, NULL));
    return game;
}

md5_game *open_materials(const char *text, game_log *log)
{
    const game_text texts[] = {{"materials/all.mtr", text}};
    return open_texts(texts, 1, log);
}

// root; its children a (with the child b) and c
const char game_mesh[] = "MD5Version 10\ncommandline \"\"\nnumJoints 4\nnumMeshes 0\njoints {\n"
                         "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"a\" 0 ( 0 0 0 ) ( 0 0 0 )\n"
                         "\"b\" 1 ( 0 0 0 ) ( 0 0 0 )\n\"c\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n";

#define ANIM_HEAD(frames)                                                                \
    "MD5Version 10\ncommandline \"\"\nnumFrames " frames "\nnumJoints 4\nframeRate 24\n" \
    "numAnimatedComponents 0\nhierarchy {\n"                                             \
    "\"root\" -1 0 0\n\"a\" 0 0 0\n\"b\" 1 0 0\n\"c\" 0 0 0\n}\nbounds {\n"
#define ANIM_BOUNDS "( 0 0 0 ) ( 0 0 0 )\n"
#define ANIM_BASE "}\nbaseframe {\n" ANIM_BOUNDS ANIM_BOUNDS ANIM_BOUNDS ANIM_BOUNDS "}\n"

const char game_anim3[] = ANIM_HEAD("3") ANIM_BOUNDS ANIM_BOUNDS ANIM_BOUNDS ANIM_BASE
    "frame 0 {\n}\nframe 1 {\n}\nframe 2 {\n}\n";
const char game_anim2[] =
    ANIM_HEAD("2") ANIM_BOUNDS ANIM_BOUNDS ANIM_BASE "frame 0 {\n}\nframe 1 {\n}\n";

md5_game *open_models(const char *text, game_log *log)
{
    static game_text texts[4];
    texts[0] = (game_text){"def/all.def", text};
    texts[1] = (game_text){"x.md5mesh", game_mesh};
    texts[2] = (game_text){"two.md5anim", game_anim2};
    texts[3] = (game_text){"three.md5anim", game_anim3};
    return open_texts(texts, 4, log);
}

bool has_logged(const game_log *log, const char *line)
{
    const char *const found = strstr(log->text, line);
    const bool begins_line = found && (found == log->text || found[-1] == '\n');
    const bool is_line = begins_line && found[strlen(line)] == '\n';
    return CHECK_THAT(is_line, "'%s' is not among the warnings:\n%s", line, log->text);
}

double color_at(const md5_material *material, uint32_t stage, uint32_t channel, float time)
{
    static float registers[MD5_MAX_REGISTERS];
    const md5_material_input input = {.time = time, .parms = {[4] = 0.25f}};
    if (!material || stage >= material->num_stages)
        return -1e30;
    md5_evaluate_material(material, &input, registers);
    return registers[material->stages[stage].color[channel]];
}
