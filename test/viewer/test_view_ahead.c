// Prefetching: a thread decodes the images of a model while the window opens.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/assets/ahead.h"

// Writes an image of one texel.
static void write_image(const char *folder, const char *name, uint8_t gray)
{
    uint8_t texel[4] = {gray, gray, gray, 255};
    size_t size = 0;
    uint8_t *const png = view_encode_png(&(view_image){texel, 1, 1}, true, &size);
    folder_write(folder, name, png, size);
    free(png);
}

static bool take_prefetched_image(view_prefetch *ahead, const char *folder, const char *name,
                                  view_image *image)
{
    SCOPED_STRING path = common_join(folder, name);
    return view_get_prefetched(ahead, path, image);
}

// Each image is prefetched once. An image that is named differently, or is damaged, is not
// prefetched; the code that uses it reads it.
TEST (view_prefetch_has_the_images_of_the_model) {
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING model = common_join(folder, "imp.md5mesh");
    view_image image = {NULL, 0, 0};
    view_prefetch ahead = {.count = 0};
    write_image(folder, "imp.png", 10);
    write_image(folder, "imp_s.png", 20);
    write_image(folder, "other.png", 30);
    folder_write_text(folder, "imp_local.png", "no picture");
    view_begin_prefetch(&ahead, model);
    if (CHECK(take_prefetched_image(&ahead, folder, "imp_s.png", &image)))
        CHECK(image.width == 1 && image.height == 1 && image.rgba[0] == 20);
    free(image.rgba);
    CHECK(!take_prefetched_image(&ahead, folder, "imp_s.png", &image));
    CHECK(!take_prefetched_image(&ahead, folder, "other.png", &image));
    CHECK(!take_prefetched_image(&ahead, folder, "imp_local.png", &image));
    view_end_prefetch(&ahead); // frees the first image
    CHECK(!take_prefetched_image(&ahead, folder, "imp.png", &image));
    view_begin_prefetch(&ahead, model);
    view_end_prefetch(&ahead);
}
