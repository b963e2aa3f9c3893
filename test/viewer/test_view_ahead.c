// Images that are read on a second core: the same ones as those that are read in turn.
#include "test/test.h"

#include "demo/common/memory.h"
#include "demo/viewer/scene/ahead.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER "models/bobbin/"

static md5_model *load_bobbin(void)
{
    md5_error error;
    md5_model *const model = md5_load_model(test_path(FOLDER "bobbin.md5mesh"), NULL, &error);
    CHECK(model != NULL);
    return model;
}

// The search of a model that is in no game folder, and reading by it.
static view_ahead *begin(const md5_model *model, view_package **package)
{
    const char *const path = test_path(FOLDER "bobbin.md5mesh");
    *package = view_open_package(path);
    const view_texture_search search = {.model_path = path, .package = *package};
    view_ahead *const ahead = model != NULL ? view_begin_ahead(model, &search) : NULL;
    CHECK(ahead != NULL);
    return ahead;
}

static void check_image(view_ahead *ahead, const char *path)
{
    view_image image, expected;
    view_image_fault fault;
    const bool is_read = view_read_ahead(ahead, path, &image, &fault);
    if (CHECK(is_read) && CHECK(view_read_image(path, &expected, &fault))) {
        CHECK_UINT(image.width, expected.width);
        CHECK_UINT(image.height, expected.height);
        CHECK(memcmp(image.rgba, expected.rgba, (size_t)4 * image.width * image.height) == 0);
        free(expected.rgba);
    }
    if (is_read)
        free(image.rgba);
}

// In any order, some twice, and one that was not found.
TEST (view_images_read_ahead_are_the_same) {
    static const char *const names[] = {"bobbin.png",      "bobbin_s.png", "bobbin_local.png",
                                        "bobbin_eye.png",  "bobbin.png",   "bobbin_s.png",
                                        "bobbin_eye_s.png"};
    md5_model *const model = load_bobbin();
    view_package *package;
    view_ahead *const ahead = begin(model, &package);
    for (size_t i = 0; ahead != NULL && i < sizeof names / sizeof *names; i++) {
        char *const path = common_format("%s%s", test_path(FOLDER), names[i]);
        check_image(ahead, path);
        free(path);
    }
    check_image(ahead, test_path("models/thimble/thimble.png"));
    check_image(NULL, test_path("models/bobbin/bobbin.png"));
    view_end_ahead(ahead);
    view_close_package(package);
    md5_free_model(model);
}

// What fails does so as without; images that nobody takes are freed.
TEST (view_images_read_ahead_may_fail) {
    view_image image;
    view_image_fault fault;
    md5_model *const model = load_bobbin();
    view_package *package;
    view_ahead *const ahead = begin(model, &package);
    CHECK(!view_read_ahead(ahead, "no such file.png", &image, &fault));
    CHECK(fault.message[0] != '\0');
    view_end_ahead(ahead);
    view_close_package(package);
    view_end_ahead(NULL);
    md5_free_model(model);
}
