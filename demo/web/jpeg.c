// Converts an image for the web site. Reads any format of stb_image from standard input and writes
// a JPEG file. Images of the viewer have dithered backgrounds, so their PNG files would be large.
//
// jpeg FILE.jpg
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <stdio.h>

// Converts an image from standard input to a JPEG file. Returns 0 on success, 1 if the image
// cannot be read or written, and 2 if the argument is missing.
int main(int argc, char **argv)
{
    const int channels = 3;
    const int quality = 88; // up to 90, stb stores the colors at half the resolution
    int width = 0;
    int height = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: jpeg FILE.jpg < IMAGE\n");
        return 2;
    }
    stbi_uc *const pixels = stbi_load_from_file(stdin, &width, &height, NULL, channels);
    if (pixels == NULL) {
        fprintf(stderr, "jpeg: error: cannot read the image: %s\n", stbi_failure_reason());
        return 1;
    }
    const int is_written = stbi_write_jpg(argv[1], width, height, channels, pixels, quality);
    stbi_image_free(pixels);
    if (!is_written)
        fprintf(stderr, "%s: error: cannot be written\n", argv[1]);
    return is_written ? 0 : 1;
}
