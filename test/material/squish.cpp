// Compares DXT blocks that libsquish decodes with md5_parse_image(): random blocks, and blocks whose end colors are equal or in reverse order. Prints the number of compared blocks.
#include <md5model/md5image.h>

#include <squish.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace
{

// 37 by 29 texels: the last blocks of rows and columns are cut off.
constexpr uint32_t width = 37, height = 29, columns = 10, rows = 8, num_files = 400;

uint32_t random_bits(uint64_t &state)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 32);
}

void put(std::vector<uint8_t> &file, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        file[at + i] = static_cast<uint8_t>(value >> 8 * i);
}

std::vector<uint8_t> make_file(const char *name, size_t block_size, uint64_t &state)
{
    std::vector<uint8_t> file(128 + columns * rows * block_size);
    std::memcpy(file.data(), "DDS ", 4);
    put(file, 4, 124);
    put(file, 12, height);
    put(file, 16, width);
    put(file, 76, 32);
    put(file, 80, 4);
    std::memcpy(file.data() + 84, name, 4);
    for (size_t i = 128; i < file.size(); i++)
        file[i] = static_cast<uint8_t>(random_bits(state));
    // Every fourth block has equal ends.
    for (size_t at = 128; at < file.size(); at += 4 * block_size) {
        std::memcpy(file.data() + at + block_size - 6, file.data() + at + block_size - 8, 2);
        file[at + 1] = file[at];
    }
    return file;
}

bool is_equal(const char *name, int flags, size_t block_size, uint64_t &state)
{
    const std::vector<uint8_t> file = make_file(name, block_size, state);
    std::vector<uint8_t> expected(4 * width * height);
    squish::DecompressImage(expected.data(), width, height, file.data() + 128, flags);
    for (size_t i = 0; i < expected.size() && std::strcmp(name, "RXGB") == 0; i += 4) {
        expected[i] = expected[i + 3];
        expected[i + 3] = 255;
    }
    md5_error error = {};
    md5_image *const image = md5_parse_image(file.data(), file.size(), nullptr, &error);
    const bool held = image && std::memcmp(image->pixels, expected.data(), expected.size()) == 0;
    if (!held)
        std::printf("%s differs %s\n", name, image ? "" : error.message);
    md5_free_image(image);
    return held;
}

} // namespace

int main()
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < num_files; i++) {
        if (!is_equal("DXT1", squish::kDxt1, 8, state)
            || !is_equal("DXT3", squish::kDxt3, 16, state)
            || !is_equal("DXT5", squish::kDxt5, 16, state)
            || !is_equal("RXGB", squish::kDxt5, 16, state))
            return 1;
    }
    std::printf("note: %u DXT blocks are equal to libsquish's\n", num_files * 4 * columns * rows);
    return 0;
}
