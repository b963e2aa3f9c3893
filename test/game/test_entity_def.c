// entityDefs, rule by rule.
#include "test/game/game_case.h"
#include "test/mistake.h"
#include "test/test.h"

#include "md5/md5game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static md5_game *open_entities(const char *text, game_log *log)
{
    static game_text file;
    file = (game_text){"def/all.def", text};
    return open_texts(&file, 1, log);
}

static const md5_entity_def *entity_of(md5_game *game, const char *name)
{
    md5_error error = {0};
    const md5_entity_def *const def = md5_game_entity_def(game, name, &error);
    CHECK(def);
    CHECK_UINT(error.status, MD5_OK);
    return def;
}

// All keys in order, as "name=value ".
static void check_keys(const md5_entity_def *def, const char *expected)
{
    char keys[512] = "";
    for (uint32_t i = 0; i < def->num_keys; i++) {
        const size_t used = strlen(keys);
        (void)snprintf(keys + used, sizeof keys - used, "%s=%s ", def->keys[i].name,
                       def->keys[i].value);
    }
    CHECK_STRING(keys, expected);
}

TEST (entities_have_keys_in_order) {
    md5_game *const game =
        open_entities("entityDef Imp { \"model\" \"m\" \"health\" 75 \"Bones\" \"a b\" }", NULL);
    const md5_entity_def *const imp = entity_of(game, "IMP");
    check_keys(imp, "model=m health=75 Bones=a b classname=imp ");
    CHECK_STRING(md5_entity_def_value(imp, "MODEL"), "m");
    CHECK(!md5_entity_def_value(imp, "mode") && !md5_entity_def_value(imp, "modell"));
    CHECK_UINT(imp->decl->state, MD5_DECL_PARSED);
    CHECK(md5_game_entity_def(game, "imp", NULL) == imp);
    CHECK(!md5_game_entity_def(game, "nobody", NULL));
    md5_destroy_game(game);
}

TEST (entities_list_keys_of_a_prefix) {
    md5_game *const game = open_entities(
        "entityDef e { \"def_attach2\" b \"x\" \"0\" \"Def_Attach\" a \"def_attac\" c }", NULL);
    const md5_entity_def *const def = entity_of(game, "e");
    const md5_entity_key *const first = md5_entity_def_next_key(def, "def_attach", NULL);
    const md5_entity_key *const second = md5_entity_def_next_key(def, "def_attach", first);
    CHECK_STRING(first->value, "b");
    CHECK_STRING(second->value, "a");
    CHECK(!md5_entity_def_next_key(def, "def_attach", second));
    md5_destroy_game(game);
}

TEST (the_last_of_two_keys_counts) {
    game_log log;
    md5_game *const game =
        open_entities("entityDef e { \"A\" \"1\"\n\"b\" \"2\"\n\"a\" \"3\" }", &log);
    check_keys(entity_of(game, "e"), "A=3 b=2 classname=e ");
    has_logged(&log, "def/all.def:3: 'a' already defined");
    CHECK_UINT(log.count, 1);
    md5_destroy_game(game);
}

TEST (own_keys_come_before_those_of_parents_in_order) {
    md5_game *const game =
        open_entities("entityDef child { \"inherit\" \"first\" \"own\" \"1\" \"Inherit2\" "
                      "\"second\" \"x\" \"c\" }\n"
                      "entityDef first { \"x\" \"f\" \"y\" \"f\" \"inherit\" \"old\" }\n"
                      "entityDef second { \"y\" \"s\" \"z\" \"s\" \"v\" \"s\" }\n"
                      "entityDef old { \"X\" \"o\" \"z\" \"o\" }\n",
                      NULL);
    const md5_entity_def *const child = entity_of(game, "child");
    check_keys(child, "own=1 x=c classname=child y=f z=o v=s ");
    CHECK_STRING(child->keys[4].decl->name, "old");
    check_keys(entity_of(game, "first"), "x=f y=f classname=first z=o ");
    check_keys(entity_of(game, "second"), "y=s z=s v=s classname=second ");
    md5_destroy_game(game);
}

// "classname" is the entity's own name, whatever its text says.
TEST (entities_are_of_their_own_class) {
    md5_game *const game =
        open_entities("entityDef e { \"ClassName\" \"other\" \"k\" \"v\" }", NULL);
    check_keys(entity_of(game, "e"), "ClassName=e k=v ");
    md5_destroy_game(game);
}

TEST (unknown_parents_are_warnings) {
    game_log log;
    md5_game *const game = open_entities(
        "entityDef e {\n\"inherit\" \"Nobody\"\n\"k\" \"v\" }\nentityDef f { }", &log);
    check_keys(entity_of(game, "e"), "k=v classname=e ");
    has_logged(&log, "def/all.def:3: Unknown entityDef 'Nobody' inherited by 'e'");
    md5_destroy_game(game);
}

static void check_defaulted(const char *text, const char *line)
{
    game_log log;
    md5_game *const game = open_entities(text, &log);
    const md5_entity_def *const def = entity_of(game, "e");
    CHECK_UINT(def->decl->state, MD5_DECL_DEFAULTED);
    check_keys(def, "DEFAULTED=1 classname=e ");
    has_logged(&log, line);
    md5_destroy_game(game);
}

TEST (mistakes_default_an_entity) {
    check_defaulted("entityDef e { \"a\" \"1\"\nmodel \"m\" }",
                    "def/all.def:2: Expected quoted string, but found 'model'");
    check_defaulted("entityDef e { 'a' \"1\" }",
                    "def/all.def:1: Expected quoted string, but found 'a'");
    check_defaulted("entityDef e { 5 \"1\" }",
                    "def/all.def:1: Expected quoted string, but found '5'");
    check_defaulted("entityDef e { \"inherit\" \"f\" \"a\"",
                    "def/all.def:1: Unexpected end of file");
}

// An entity that inherits a defaulted one inherits the key that marks it.
TEST (defaulted_parents_leave_a_mark) {
    md5_game *const game =
        open_entities("entityDef e { \"inherit\" \"bad\" } entityDef bad { wrong }", NULL);
    check_keys(entity_of(game, "e"), "classname=e DEFAULTED=1 ");
    CHECK_UINT(entity_of(game, "e")->decl->state, MD5_DECL_PARSED);
    md5_destroy_game(game);
}

TEST (entities_that_inherit_themselves_end) {
    game_log log;
    md5_game *const game =
        open_entities("entityDef a { \"inherit\" \"b\" \"k\" \"a\" } entityDef b { \"inherit\" "
                      "\"a\" \"l\" \"b\" }\n"
                      "entityDef c { \"inherit\" \"c\" \"inherit2\" \"a\" \"inherit3\" \"b\" }",
                      &log);
    check_keys(entity_of(game, "c"), "classname=c k=a l=b ");
    check_keys(entity_of(game, "a"), "k=a classname=a l=b ");
    check_keys(entity_of(game, "b"), "l=b classname=b k=a ");
    CHECK_UINT(log.count, 0);
    md5_destroy_game(game);
}

// A long chain of ancestors: each entity inherits the two before it, and with them all others.
TEST (long_lines_of_ancestors_take_linear_time) {
    enum { COUNT = 50000, ROOM = 80 };
    char *const text = malloc((size_t)COUNT * ROOM);
    char *end = text;
    for (int i = COUNT; i > 0; i--)
        end += sprintf(end,
                       "entityDef e%d { \"inherit\" \"e%d\" \"inherit2\" \"e%d\" \"k%d\" \"1\" }\n",
                       i, i - 1, i > 1 ? i - 2 : 0, i);
    strcpy(end, "entityDef e0 { \"last\" \"7\" }");
    md5_game *const game = open_entities(text, NULL);
    const md5_entity_def *const def = entity_of(game, "e50000");
    CHECK_UINT(def->num_keys, COUNT + 2);
    CHECK_STRING(md5_entity_def_value(def, "last"), "7");
    md5_destroy_game(game);
    free(text);
}

// All entities of a circle are checked in linear memory: with the keys that they inherit they would
// need 24 bytes times the square of their number.
TEST (checking_entities_takes_linear_memory) {
    enum { COUNT = 20000, ROOM = 60, MOST_BYTES = 1000 };
    char *const text = malloc((size_t)COUNT * ROOM);
    char *end = text, name[16];
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "entityDef e%d { \"inherit\" \"e%d\" \"k%d\" \"1\" }\n", i,
                       (i + 1) % COUNT, i);
    const game_text file = {"def/all.def", text};
    const md5_game_path place = game_place(&file, 1, false);
    const md5_load_opts opts = {.allocator = {.limit = (size_t)COUNT * MOST_BYTES}};
    md5_error error = {0};
    md5_game *const game = md5_create_game(&place, 1, &opts, &error);
    for (int i = 0; i < COUNT && game; i++) {
        (void)snprintf(name, sizeof name, "e%d", i);
        if (!md5_game_check_entity_def(game, name, &error))
            break;
    }
    CHECK_UINT(error.status, MD5_OK);
    const md5_decl *const decl = game ? md5_find_decl(game, MD5_DECL_ENTITY, name) : NULL;
    CHECK(decl && decl->state == MD5_DECL_PARSED);
    CHECK(md5_game_check_entity_def(game, "nobody", NULL));
    md5_destroy_game(game);
    free(text);
}

TEST (entities_survive_failure_of_every_allocation) {
    static const game_text texts[] = {
        {"def/all.def", "entityDef e { \"inherit\" \"f\" \"a\" \"b\" \"a\" \"c\" }\n"
                        "entityDef f { \"inherit\" \"g\" \"d\" \"e\" } entityDef g { bad }"},
    };
    const md5_game_path place = game_place(texts, 1, false);
    for (size_t i = 1;; i++) {
        test_heap heap = {.fail_at = i};
        const md5_load_opts opts = {
            .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap}};
        md5_error error = {0};
        md5_game *const game = md5_create_game(&place, 1, &opts, &error);
        const bool is_strict = game && md5_game_set_verdict(game, MD5_VERDICT_ENGINE, &error);
        const md5_entity_def *const def = is_strict ? md5_game_entity_def(game, "e", &error) : NULL;
        CHECK(def ? def->num_keys == 4 : error.status == MD5_ERROR_MEMORY);
        // A failure leaves nothing half done: once there is memory again, the entity is complete.
        if (is_strict && !def)
            check_keys(entity_of(game, "e"), "a=c classname=e d=e DEFAULTED=1 ");
        md5_destroy_game(game);
        CHECK_UINT(heap.live, 0);
        if (heap.num_allocs < i)
            break;
    }
}

// The declarations of the golden folder, which the original engine has parsed.
TEST (entities_of_the_golden_folder_inherit) {
    md5_game *const game =
        open_entities("entityDef base_thing { \"spawnclass\" \"idAnimated\" \"health\" \"10\" "
                      "\"model\" \"m_base\" }\n"
                      "entityDef thing { \"inherit\" \"base_thing\" \"health\" \"20\" \"inherit2\" "
                      "\"other_thing\" }\n"
                      "entityDef other_thing { \"skin\" \"s/simple\" \"health\" \"99\" }\n",
                      NULL);
    const md5_entity_def *const thing = entity_of(game, "thing");
    CHECK_STRING(md5_entity_def_value(thing, "health"), "20");
    CHECK_STRING(md5_entity_def_value(thing, "model"), "m_base");
    CHECK_STRING(md5_entity_def_value(thing, "skin"), "s/simple");
    CHECK_STRING(md5_entity_def_value(thing, "classname"), "thing");
    CHECK(!md5_entity_def_next_key(thing, "inherit", NULL));
    md5_destroy_game(game);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static void ask_nobody(const void *context)
{
    (void)context;
    (void)md5_game_entity_def(test_null(), "a", NULL);
}

static void ask_for_nothing(const void *context)
{
    (void)context;
    md5_game *const game = md5_create_game(NULL, 0, NULL, NULL);
    (void)md5_game_entity_def(game, test_null(), NULL);
}

static void ask_for_value(const void *context)
{
    (void)context;
    (void)md5_entity_def_value(test_null(), "a");
}

static void ask_for_key(const void *context)
{
    const md5_entity_key other = {.name = "a"};
    (void)md5_entity_def_next_key(context, "a", &other);
}

TEST (entity_functions_assert_their_arguments) {
    const md5_entity_def none = {.num_keys = 0};
    CHECK(strstr(test_message_of(ask_nobody, NULL), "md5_game_entity_def(): game: not NULL"));
    CHECK(strstr(test_message_of(ask_for_nothing, NULL), "md5_game_entity_def(): name: not NULL"));
    CHECK(strstr(test_message_of(ask_for_value, NULL), "md5_entity_def_value(): def: not NULL"));
    CHECK(strstr(test_message_of(ask_for_key, &none),
                 "md5_entity_def_next_key(): key: one of these"));
}

#endif
