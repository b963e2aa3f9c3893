#include "demo/viewer/assets/words.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void make_room(view_words *words, size_t more)
{
    if (words->room - words->size >= more)
        return;
    words->room = 2 * (words->room + more);
    words->text = common_realloc(words->text, words->room, 1);
}

void view_say(view_words *words, const char *format, ...)
{
    enum { MOST = 200 };
    va_list values;
    make_room(words, MOST + 1);
    va_start(values, format);
    const int size = vsnprintf(words->text + words->size, MOST + 1, format, values);
    va_end(values);
    words->size += size < 0 ? 0 : size < MOST ? (size_t)size : MOST;
}

void view_say_name(view_words *words, const char *name)
{
    make_room(words, strlen(name) + 2);
    words->text[words->size++] = '"';
    for (; *name != '\0'; name++) {
        const bool is_plain = (unsigned char)*name >= ' ' && *name != '"' && *name != '\\';
        words->text[words->size++] = is_plain ? *name : '_';
    }
    words->text[words->size++] = '"';
}

// -- Joints and meshes ---------------------------------------------------------------------------

// A rotation as an MD5 file stores it: without w, which is negative there.
static md5_quat with_negative_w(md5_quat q)
{
    const float sign = q.w > 0.0f ? -1.0f : 1.0f;
    return (md5_quat){sign * q.x, sign * q.y, sign * q.z, sign * q.w};
}

void view_say_joint(view_words *words, const char *name, int32_t parent, md5_xform bind)
{
    const md5_quat q = with_negative_w(bind.rotation);
    const md5_vec3 at = bind.translation;
    view_say_name(words, name);
    view_say(words, " %d ( %.9g %.9g %.9g ) ", (int)parent, (double)at.x, (double)at.y,
             (double)at.z);
    view_say(words, "( %.9g %.9g %.9g )\n", (double)q.x, (double)q.y, (double)q.z);
}

void view_say_mesh(view_words *words, const view_said_mesh *said)
{
    const md5_mesh *const mesh = said->mesh;
    view_say(words, "mesh {\nname ");
    view_say_name(words, mesh->name);
    view_say(words, "\nshader ");
    view_say_name(words, said->material);
    view_say(words, "\nnumverts %u\n", (unsigned)mesh->num_file_vertices);
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++)
        view_say(words, "vert %u ( %.9g %.9g ) %u %u\n", (unsigned)i, (double)mesh->texcoords[i].x,
                 (double)mesh->texcoords[i].y, (unsigned)mesh->file_vertices[i].first_weight,
                 (unsigned)mesh->file_vertices[i].num_weights);
    view_say(words, "numtris %u\n", (unsigned)mesh->num_triangles);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corner = &mesh->indices[3 * (size_t)i];
        view_say(words, "tri %u %u %u %u\n", (unsigned)i, (unsigned)mesh->sources[corner[0]],
                 (unsigned)mesh->sources[corner[1]], (unsigned)mesh->sources[corner[2]]);
    }
    view_say(words, "numweights %u\n", (unsigned)mesh->num_weights);
    for (uint32_t i = 0; i < mesh->num_weights; i++) {
        const md5_weight *const weight = &mesh->weights[i];
        const uint32_t joint =
            said->joints ? said->joints[weight->joint] : said->first_joint + weight->joint;
        const md5_vec3 at = md5_vec3_scale(weight->offset, said->scale);
        view_say(words, "weight %u %u %.9g ( %.9g %.9g %.9g )\n", (unsigned)i, (unsigned)joint,
                 (double)weight->bias, (double)at.x, (double)at.y, (double)at.z);
    }
    view_say(words, "}\n");
}
