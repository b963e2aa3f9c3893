// The caller's mistakes in loading: builds with assertions abort with a message that names function
// and argument; release builds report an error.
#include "test/mistake.h"
#include "test/test.h"

#include "md5/md5model.h"
#include "md5/md5play.h"

#include <string.h>

#if defined(NDEBUG)

TEST (load_without_a_path_is_an_error) {
    md5_error error;
    CHECK(!md5_load_model(NULL, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK_STRING(error.message, "no path is given");
    CHECK(!md5_load_anim(NULL, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK(!md5_load_camera(NULL, NULL, NULL));
    CHECK(!md5_load_machine_file(NULL, NULL, NULL));
}

TEST (parse_reads_a_null_text_as_empty) {
    md5_error error;
    CHECK(!md5_parse_model(NULL, 5, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK(!md5_parse_anim(NULL, 5, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK(!md5_parse_camera(NULL, 5, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK(!md5_parse_machine_file(NULL, 5, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
}

#elif defined(__unix__) || defined(__APPLE__)

static void *alloc_nothing(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

static const md5_load_opts half_an_allocator = {.allocator = {.alloc = alloc_nothing}};

static void load_model(const void *context)
{
    (void)context;
    (void)md5_load_model(NULL, NULL, NULL);
}

static void load_anim(const void *context)
{
    (void)context;
    (void)md5_load_anim(NULL, NULL, NULL);
}

static void load_camera(const void *context)
{
    (void)context;
    (void)md5_load_camera(NULL, NULL, NULL);
}

static void load_machine_file(const void *context)
{
    (void)context;
    (void)md5_load_machine_file(NULL, NULL, NULL);
}

static void parse_model(const void *context)
{
    (void)context;
    (void)md5_parse_model(NULL, 5, NULL, NULL);
}

static void parse_anim(const void *context)
{
    (void)context;
    (void)md5_parse_anim(NULL, 5, NULL, NULL);
}

static void parse_camera(const void *context)
{
    (void)context;
    (void)md5_parse_camera("x", 1, &half_an_allocator, NULL);
}

static void parse_machine_file(const void *context)
{
    (void)context;
    (void)md5_parse_machine_file(NULL, 5, NULL, NULL);
}

static void load_with_a_reserved_member(const void *context)
{
    (void)context;
    (void)md5_load_model("", &(md5_load_opts){.reserved = {1}}, NULL);
}

TEST (load_reports_a_mistake_with_function_and_argument) {
    static const struct {
        void (*make)(const void *context);
        const char *function, *argument;
    } mistakes[] = {
        {load_model, "md5_load_model()", "path: not NULL"},
        {load_anim, "md5_load_anim()", "path: not NULL"},
        {load_camera, "md5_load_camera()", "path: not NULL"},
        {load_machine_file, "md5_load_machine_file()", "path: not NULL"},
        {parse_model, "md5_parse_model()", "text: not NULL unless size is 0"},
        {parse_anim, "md5_parse_anim()", "text: not NULL unless size is 0"},
        {parse_camera, "md5_parse_camera()", "opts: the allocator"},
        {load_with_a_reserved_member, "md5_load_model()", "opts: reserved members must be 0"},
        {parse_machine_file, "md5_parse_machine_file()", "text: not NULL unless size is 0"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const char *const message = test_message_of(mistakes[i].make, NULL);
        CHECK(strstr(message, mistakes[i].function) != NULL);
        CHECK(strstr(message, mistakes[i].argument) != NULL);
    }
}

#endif
