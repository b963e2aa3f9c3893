// Rejects files of other known formats. The message names the format.
#include "md5/read/header.h"
#include "md5/read/tables.h"

static const struct {
    const char *begin;  // first bytes of the file
    const char *name;   // name of the format
    const char *advice; // how the user can proceed
} foreign[] = {
    {"MD5RVersion", "a Quake 4 model (.md5r)", "use the .md5mesh of the game's assets"},
    {"INTERQUAKEMODEL", "an IQM model", "convert it with 'md5tool convert'"},
    {"IDP3", "a Quake III model (.md3)", "convert it with 'md5tool convert'"},
    {"IDP2", "a Quake II model (.md2)", "convert it with 'md5tool convert'"},
    {"IDPO", "a Quake model (.mdl)", "convert it with 'md5tool convert'"},
    {"IDST", "a Half-Life model (.mdl)", "export it as MD5 from Blender"},
    {"glTF", "a binary glTF file", "convert it with 'md5tool convert'"},
    {"{\"asset\"", "a glTF file", "convert it with 'md5tool convert'"},
    {"Kaydara FBX", "an FBX file", "convert it with 'md5tool convert'"},
    {"; FBX", "an FBX file", "convert it with 'md5tool convert'"},
    {"BLENDER", "a Blender file", "export MD5 from Blender with an add-on"},
    {"M5AI", "an asset file of version 0.3", "load the MD5 files that it was created from"},
    {"PK\3\4", "an archive (.pk4, .pk3, .zip)", "open it as a game folder"},
    {"PACK", "an archive (.pak)", "open it as a game folder"},
};

// Reports an error with advice, and returns false, if a text begins like a file of another known
// format.
bool md5i_reject_foreign(md5_arena *arena, md5_span text)
{
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text.bytes, text.size);
    const char *const first = md5_first_visible(&lex);
    for (size_t i = 0; i < MD5_COUNT(foreign); i++) {
        const size_t size = strlen(foreign[i].begin);
        if ((size_t)(lex.end - first) >= size && memcmp(first, foreign[i].begin, size) == 0)
            return md5i_lex_fail(&lex, first, MD5_ERROR_SYNTAX, "not an MD5 file: found %s; %s",
                                 foreign[i].name, foreign[i].advice);
    }
    return true;
}
