// The words and endings of pictures' names: apart from look.c, since programs that draw nothing
// find pictures by them, too.
#include "render/md5gl_look.h"

const char *md5gl_picture_words(md5gl_picture kind)
{
    static const char diffuse[] = " d diffuse diff dif color colour col albedo basecolor cc skin "
                                  "skins texture textures tex images img maps ";
    static const char *const words[MD5GL_NUM_PICTURES] = {
        diffuse,
        " local n nor norm normal normals nrm bmp nm nrml nrmls ",
        " h height bump ",
        " s spec specular gloss specc sc ",
        " add glow emit luma glo ",
    };
    return (unsigned)kind < MD5GL_NUM_PICTURES ? words[kind] : " ";
}

const char *const *md5gl_picture_endings(void)
{
    static const char *const endings[] = {".tga", ".png", ".jpg", ".jpeg", ".dds", NULL};
    return endings;
}
