// Functions of a single appearance (view_look), and of the messages about it.
#include "demo/looks/search.h"

#include "demo/common/memory.h"

// Returns true if text[length] is the name, the shader or the index of a mesh. The index is
// compared as a decimal number.
bool view_is_mesh(const md5_model *model, uint32_t number, const char *text, size_t length)
{
    char digits[16];
    const char *const names[] = {model->meshes[number].name, model->meshes[number].shader, digits};
    COMMON_TEXT(digits, "%u", number);
    for (size_t i = 0; i < COMMON_LENGTH(names); i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return true;
    }
    return false;
}

// Frees the members of a look, which may all be 0. The structure is zeroed afterwards and can be
// freed again.
void view_free_look(view_look *look)
{
    free(look->diffuse);
    free(look->normals);
    free(look->masks);
    free(look->why);
    for (uint32_t i = 0; i < look->num_later_images; i++)
        free(look->later_images[i]);
    common_free_list(&look->tried);
    common_free_list(&look->searched_locations);
    *look = (view_look){0};
}

// NOLINTNEXTLINE(readability-non-const-parameter): `text` is freed
void view_add_searched_name(view_look *look, bool is_found, char *text)
{
    common_add(&look->searched_locations, common_format("%c%s", is_found ? '+' : '-', text));
    free(text);
}

// Reports a warning and frees its text.
void view_report_warning(view_listener warnings, char *text)
{
    warnings.warn(warnings.user, text);
    free(text);
}
