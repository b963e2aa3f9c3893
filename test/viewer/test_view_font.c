// Text of the viewer: letters of any language from its own fonts, from system fonts, or as boxes;
// invalid text; figures.
#define _XOPEN_SOURCE 700 // setenv()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include <stdlib.h>
#include <string.h>

extern const unsigned char md5view_font[];
extern const size_t md5view_font_size;

typedef struct letters {
    gl_scene gl;
    view_font font;
} letters;

static bool open_letters(letters *fixture)
{
    md5_error error;
    *fixture = (letters){0};
    return scene_share(&fixture->gl)
           && CHECK(view_make_font(&fixture->font, fixture->gl.renderer, 1.0f, &error));
}

static void close_letters(letters *fixture)
{
    view_free_font(&fixture->font, fixture->gl.renderer);
    scene_close(&fixture->gl);
}

#define TEST_HERE(title) TEST_IF (title, letters, s, open_letters(s), close_letters(s))

// Encodes a code point as UTF-8, including invalid code points.
static const char *encode(char text[5], uint32_t code)
{
    int length = 1;
    if (code >= 0x10000)
        length = 4;
    else if (code >= 0x800)
        length = 3;
    else if (code >= 0x80)
        length = 2;
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (int i = length; i-- > 0; code >>= 6)
        text[i] = (char)(i > 0 ? 0x80 | (code & 0x3F) : first[length] | code);
    text[length] = '\0';
    return text;
}

static view_letter find_letter(const view_font *font, view_text_size size, uint32_t code)
{
    char bytes[5];
    const char *text = encode(bytes, code);
    const view_letter *const letter = view_next_letter(font, size, &text);
    CHECK(*text == '\0');
    return *letter;
}

static bool is_same(view_letter a, view_letter b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Returns the box that is drawn for a code that is not a character.
static view_letter find_box(const view_font *font)
{
    return find_letter(font, VIEW_TEXT, 0x10FFFF);
}

// -- Built-in fonts -------------------------------------------------------------------------------

TEST_HERE (font_shows_letters_beyond_latin) {
    static const uint32_t codes[] = {0x0416, 0x03A9, 0x05D0, 0x0627, 0x2264, 0x1D538};
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        CHECK(!is_same(find_letter(&s->font, VIEW_TEXT, codes[i]), find_box(&s->font)));
}

TEST_HERE (font_shows_a_letter_in_the_texture_after_an_update) {
    const md5gl_texture before = s->font.mask;
    CHECK(!view_update_font(&s->font, s->gl.renderer));
    (void)find_letter(&s->font, VIEW_TEXT, 'A');
    CHECK(!view_update_font(&s->font, s->gl.renderer));
    (void)find_letter(&s->font, VIEW_TEXT, 0x0416);
    CHECK(view_update_font(&s->font, s->gl.renderer));
    CHECK(s->font.mask != before);
    (void)find_letter(&s->font, VIEW_TEXT, 0x0416);
    CHECK(!view_update_font(&s->font, s->gl.renderer));
}

TEST_HERE (font_keeps_letters_apart_by_size) {
    const view_letter text = find_letter(&s->font, VIEW_TEXT, 0x0416);
    CHECK(find_letter(&s->font, VIEW_TITLE, 0x0416).advance > 1.2f * text.advance);
    CHECK(is_same(text, find_letter(&s->font, VIEW_TEXT, 0x0416)));
}

TEST_HERE (font_code_style_falls_back_to_text_letters) {
    CHECK(!is_same(find_letter(&s->font, VIEW_CODE, 0x1D538),
                   find_letter(&s->font, VIEW_CODE, 0x10FFFF)));
}

// -- Invalid text ---------------------------------------------------------------------------------

TEST_HERE (font_shows_a_sign_for_each_byte_of_invalid_text) {
    static const struct {
        const char *text;
        int signs; // number of signs before an 'x'
    } cases[] = {
        {"\x80x", 1},
        {"\xFFx", 1},
        {"\xC3x", 1},
        {"\xE2\x82x", 2},
        {"\xC0\xAFx", 2},
        {"\xE0\x80\xAFx", 3},
        {"\xED\xA0\x80x", 3},
        {"\xF4\x90\x80\x80x", 4},
        {"\xF0\x80\x80\x80x", 4},
        {"\xF8\x88\x80\x80x", 4},
    };
    const view_letter sign = find_letter(&s->font, VIEW_TEXT, 0xFFFD);
    CHECK(!is_same(sign, find_box(&s->font)));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *text = cases[i].text;
        for (int j = 0; j < cases[i].signs; j++)
            CHECK(is_same(*view_next_letter(&s->font, VIEW_TEXT, &text), sign));
        CHECK_STRING(text, "x");
    }
}

TEST_HERE (font_does_not_read_past_truncated_text) {
    STRINGS(cases) = {"\xC3", "\xE2", "\xE2\x82", "\xF0\x9F\x98"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t length = strlen(cases[i]);
        SCOPED_STRING copy = common_copy(cases[i]); // an exact copy, for AddressSanitizer
        const char *text = copy;
        for (size_t j = 0; j < length; j++)
            CHECK(view_next_letter(&s->font, VIEW_TEXT, &text));
        CHECK(view_next_letter(&s->font, VIEW_TEXT, &text) == NULL);
    }
}

// -- Limits of the texture ------------------------------------------------------------------------

// Boxes replace letters that do not fit into the texture. In the next frame the texture has space
// again.
TEST_HERE (font_survives_all_code_points) {
    const view_letter letter = find_letter(&s->font, VIEW_TEXT, 0x0416);
    for (uint32_t code = 0x100; code < 0x110000; code += code < 0x3000 ? 1 : 97) {
        if (code >> 11 != 0xD800 >> 11)
            (void)find_letter(&s->font, VIEW_TITLE, code);
    }
    CHECK(is_same(find_letter(&s->font, VIEW_TITLE, 0x10F0),
                  find_letter(&s->font, VIEW_TITLE, 0x10FFFF)));
    // All letters were used in one frame, so none is evicted.
    view_update_font(&s->font, s->gl.renderer);
    CHECK(is_same(find_letter(&s->font, VIEW_TEXT, 0x0416), letter));
    (void)find_letter(&s->font, VIEW_TITLE, 0x10F0);
    CHECK(view_update_font(&s->font, s->gl.renderer));
    CHECK(!is_same(find_letter(&s->font, VIEW_TITLE, 0x10F0),
                   find_letter(&s->font, VIEW_TITLE, 0x10FFFF)));
    CHECK(view_update_font(&s->font, s->gl.renderer));
}

TEST_HERE (font_shows_large_letters_too) {
    md5_error error;
    for (float scale = 2.0f; scale <= 8.0f; scale *= 2.0f) {
        view_font large;
        REQUIRE(view_make_font(&large, s->gl.renderer, scale, &error));
        const bool is_box = is_same(find_letter(&large, VIEW_TITLE, 0x0416),
                                    find_letter(&large, VIEW_TITLE, 0x10FFFF));
        CHECK(!is_box || scale > 4.0f); // only if the texture is full
        view_update_font(&large, s->gl.renderer);
        view_free_font(&large, s->gl.renderer);
    }
}

// -- System fonts ---------------------------------------------------------------------------------

#ifdef VIEW_HAS_FONTCONFIG

static uint32_t read_big(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

static void write_big(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

// Writes DejaVu Sans, whose last letter gets another code point.
static void write_font(const char *folder, const char *name, uint32_t code)
{
    uint8_t *const bytes = common_alloc(md5view_font_size, 1);
    memcpy(bytes, md5view_font, md5view_font_size);
    for (uint32_t i = 0; i < read_big(bytes + 4, 2); i++) {
        uint8_t *const table = bytes + 12 + 16 * (size_t)i;
        if (memcmp(table, "cmap", 4) != 0)
            continue;
        uint8_t *const map = bytes + read_big(table + 8, 4);
        for (uint32_t j = 0; j < read_big(map + 2, 2); j++) {
            uint8_t *const part = map + read_big(map + 8 + 8 * (size_t)j, 4);
            if (read_big(part, 2) != 12)
                continue;
            uint8_t *const last = part + 16 + 12 * (size_t)(read_big(part + 12, 4) - 1);
            write_big(last, code);
            write_big(last + 4, code);
        }
    }
    folder_write(folder, name, bytes, md5view_font_size);
    free(bytes);
}

enum { FIRST = 0x10FFFC, SECOND = 0x10FFFD }; // code points for private use

// A configuration with two system fonts and no others.
typedef struct private_fonts {
    letters letters;
    char *folder;
} private_fonts;

static bool open_fonts(private_fonts *fixture)
{
    fixture->folder = folder_make();
    SCOPED_STRING config = common_join(fixture->folder, "fonts.conf");
    SCOPED_STRING text = common_format("<fontconfig><dir>%s</dir><cachedir>%s/cache</cachedir>"
                                       "</fontconfig>",
                                       fixture->folder, fixture->folder);
    folder_write_text(fixture->folder, "fonts.conf", text);
    write_font(fixture->folder, "first.ttf", FIRST);
    write_font(fixture->folder, "second.ttf", SECOND);
    CHECK(setenv("FONTCONFIG_FILE", config, 1) == 0);
    return open_letters(&fixture->letters);
}

static void close_fonts(private_fonts *fixture)
{
    close_letters(&fixture->letters);
    CHECK(unsetenv("FONTCONFIG_FILE") == 0);
    folder_remove(fixture->folder);
}

TEST_IF (font_uses_system_fonts, private_fonts, s, open_fonts(s), close_fonts(s)) {
    const view_font *const font = &s->letters.font;
    CHECK(!is_same(find_letter(font, VIEW_TEXT, FIRST), find_box(font)));
    CHECK(!is_same(find_letter(font, VIEW_TEXT, SECOND), find_box(font)));
    CHECK(is_same(find_letter(font, VIEW_TEXT, 0x10FFF0), find_box(font)));
}

TEST_IF (font_omits_files_of_the_system_that_are_broken, private_fonts, s, open_fonts(s),
         close_fonts(s)) {
    const view_font *const font = &s->letters.font;
    (void)find_letter(font, VIEW_TEXT, 0x10FFF0); // lists the fonts
    folder_write(s->folder, "first.ttf", md5view_font, md5view_font_size / 2);
    CHECK(is_same(find_letter(font, VIEW_TEXT, FIRST), find_box(font)));
    folder_write_text(s->folder, "second.ttf", "");
    CHECK(is_same(find_letter(font, VIEW_TEXT, SECOND), find_box(font)));
}

#endif

// -- Figures --------------------------------------------------------------------------------------

TEST_HERE (font_has_digits_of_one_width) {
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES; size++) {
        for (uint32_t digit = '1'; digit <= '9'; digit++)
            CHECK_EXACT(find_letter(&s->font, size, digit).advance,
                        find_letter(&s->font, size, '0').advance);
    }
}

TEST_HERE (font_has_a_space_as_wide_as_the_minus) {
    char text[2][32];
    view_format_number(text[0], sizeof text[0], -1.25, 3, true);
    view_format_number(text[1], sizeof text[1], 7.89, 3, true);
    CHECK_NEAR(view_text_width(&s->font, VIEW_TEXT, text[0]),
               view_text_width(&s->font, VIEW_TEXT, text[1]), 1e-4);
}
