#include "demo/common/answers.h"

#include <ctype.h>
#include <string.h>

const common_answer common_answers[] = {
    {"why is it black, black model, black texture, white model, pink, untextured, missing texture",
     "md5tool explain DIR NAME follows each surface to its picture and says what is missing",
     "game_folders.md#the-tool"},
    {"textures, skin, material, shader, png, tga, paint",
     "a mesh names a material; pictures of its name beside the model are found",
     "engine.md#textures-png-jpeg-tga"},
    {"upside down texture, flipped texture, mirrored texture, wrong UV",
     "v = 0 is the top row: md5_load_opts.flip_v, or load the picture top row first",
     "blender.md#frequent-mistakes"},
    {"inside out, inverted normals, flipped faces, backfaces, see through",
     "front faces are clockwise: glFrontFace(GL_CW); md5tool fix --winding turns what is inward",
     "blender.md#frequent-mistakes"},
    {"invisible, does not show, disappears, vanishes, pops out of view",
     "md5tool check --for ENGINE says what an engine refuses; wrong bounds are culled",
     "accepted_files.md#what-engines-say"},
    {"seams, cracks, hard edges, shading, faceted, smooth",
     "normals are computed from the triangles, in the ways of id's and of Quake's engines",
     "engine.md#normals-and-tangents"},
    {"explodes, spikes, stretched, torn apart, mangled, distorted, collapses, deformed",
     "the clip is of another model, or in other units: md5tool fix CLIP --mesh MESH mends units",
     "accepted_files.md#animations-of-other-models"},
    {"T pose, A pose, bind pose, stuck, does not move, animation not playing, frozen",
     "no clip plays, or it is of other joints: md5tool info MESH says which clips beside it fit",
     "first_model.md#posing"},
    {"lying down, on its side, sideways, face down, rotated, wrong axis, y up, z up",
     "MD5 has z up, many games y: md5_load_opts.axes, or md5tool fix --turn",
     "engine.md#axes-and-units"},
    {"too small, tiny, too big, huge, giant, wrong scale, units, inches, metres",
     "files are in inches, mostly: md5_load_opts.scale, or md5tool fix --scale 0.0254",
     "engine.md#axes-and-units"},
    {"hitbox, hurtbox, hit test, headshot, shoot, collision",
     "md5_raycast_joints() hits zones without skinning, md5_raycast_model() triangles; no volumes "
     "collide",
     "crowds.md#hits"},
    {"picking, mouse, click, select",
     "md5_ray_from_pixel() and md5_raycast_model(): mesh, triangle and joint below the mouse",
     "engine.md#picking"},
    {"ragdoll, physics, rigid body, death, fall over",
     "of an articulated figure (.af): Delete in md5view, md5ragdoll.h in programs; of your "
     "engine's bodies, put their places into the pose",
     "inverse_kinematics.md#own-solvers"},
    {"springs, jiggle, tail, cape, cloth physics, hair physics, dangle",
     "joints may swing as springs; cloth that collides is not there",
     "inverse_kinematics.md#springs"},
    {"clothes, hair, armour, armor, hat, outfit, equipment, modular character",
     "md5tool convert body.md5mesh hat.md5mesh --output out joins models with joints of one name",
     "converting.md#clothes"},
    {"weapon in hand, attach, prop, sword, gun, socket, tag, hold",
     "md5_attach_to_joint() puts a model into a hand; md5view --attach hand_r=MODEL",
     "engine.md#static-props-weapons-and-attachments"},
    {"feet slide, foot sliding, skating, moonwalk",
     "hold of a feet modifier keeps standing feet; a clip of another body is transferred by its "
     "legs",
     "inverse_kinematics.md#feet"},
    {"floating, hovering, sinks into ground, stairs, slope, lift, uneven ground, terrain",
     "a feet modifier with the height of the ground below each foot", "inverse_kinematics.md#feet"},
    {"look at, aim, head turn, eyes, gaze",
     "a gaze turns spine, head and eyes to a point, within limits", "inverse_kinematics.md#gaze"},
    {"hitch, jerk, stutter, loop, cycle, jumps at the end",
     "the last frame does not repeat the first: md5tool fix --close-loop, or MD5_WRAP_CYCLE",
     "blender.md#frequent-mistakes"},
    {"root motion, slides back, snaps back, walks in place, walks away",
     "turn at the clip takes the path out of the pose; md5_player_root_motion() gives it",
     "blending.md#root-motion"},
    {"blend, crossfade, transition, walk to run, state machine, idle, crouch, strafe",
     "a machine file says states, transitions and layers; md5view plays it",
     "blending.md#machine-files"},
    {"footsteps, sound, events, notify, muzzle flash",
     "events lie on frames of clips and come out of md5_player_advance()", "blending.md#events"},
    {"attack, shot, reload, wave, upper body, one-shot",
     "a one-shot plays over part of the body and ends by itself", "blending.md#one-shots"},
    {"face, lip sync, expression, blend shape, shape keys, morph",
     "md5mesh files of the same vertices are morph targets: --morph, and morph rows of machine "
     "files",
     "blending.md#machine-files"},
    {"slow, fps, lag, performance, many characters, crowd, threads",
     "batches, levels of detail, culling and threads, with measured times", "crowds.md"},
    {"LOD, level of detail, too many polygons, reduce",
     "characters far away are posed more rarely and drawn with fewer triangles",
     "crowds.md#level-of-detail"},
    {"blender, add-on, rig, armature, export",
     "make addon builds the add-on; the page leads from a rig to a character in the game",
     "blender.md"},
    {"mixamo, fbx, maya, 3ds max, collada, dae, iqm, assimp",
     "md5tool convert reads them, FBX if libassimp is installed when the tool is built",
     "converting.md"},
    {"gltf, glb, godot, unity, unreal, three.js, sketchfab",
     "md5tool convert hero.md5mesh walk.md5anim --output hero.glb, and back",
     "converting.md#gltf-out"},
    {"retarget, other skeleton, share animations, motion capture, mocap, bvh",
     "md5tool convert CLIP --mesh OTHER carries a clip over to another body",
     "converting.md#clips-for-another-body"},
    {"quake, ironwail, mdl, md2, md3, remaster, darkplaces",
     "md5tool convert reads and writes mdl, md2 and md3; --for ENGINE keeps its limits and names",
     "converting.md#quakes-frames-out"},
    {"archive, pk4, pak, zip, doom 3, dhewm3, dark mod, game folder",
     "folders and archives of a game are opened as the engine mounts them",
     "game_folders.md#opening-a-game"},
    {"too many bones, bone limit, too many weights, influences",
     "md5tool check --for ENGINE prints limits; convert --influences 4 fits weights to them",
     "accepted_files.md#what-engines-say"},
    {"file too big, compression, size, memory",
     "md5tool compress writes a clip in a fraction of its size, with the error that you allow",
     "viewer.md#md5tool"},
    {"save, load, network, replay", "md5_player_save() keeps what a player does in a few bytes",
     "blending.md#saving"},
};
const size_t common_num_answers = sizeof common_answers / sizeof common_answers[0];

int common_title_length(const common_answer *answer)
{
    return (int)strcspn(answer->words, ",");
}

// The length of the next word of a text, from *c on, up to `end`; 0: there is none.
static size_t next_word(const char **c, const char *end)
{
    size_t length = 0;
    while (*c < end && !isalnum((unsigned char)**c))
        ++*c;
    while (*c + length < end && isalnum((unsigned char)(*c)[length]))
        length++;
    return length;
}

static bool is_same(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    while (i < length && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))
        i++;
    return i == length;
}

// Whether each word of a text is one of another text, or `begins` one.
static bool has_words(const char *text, const char *text_end, const char *sought,
                      const char *sought_end, bool begins)
{
    for (size_t n; (n = next_word(&sought, sought_end)) > 0; sought += n) {
        const char *c = text;
        size_t length;
        while ((length = next_word(&c, text_end)) > 0
               && ((begins ? length < n : length != n) || !is_same(c, sought, n)))
            c += length;
        if (length == 0)
            return false;
    }
    return true;
}

bool common_is_asked(const common_answer *answer, const char *question)
{
    const char *const last = question + strlen(question);
    for (const char *c = answer->words; *c != '\0'; c += *c == ',') {
        const char *const after = c + strcspn(c, ",");
        if (has_words(question, last, c, after, false) || has_words(c, after, question, last, true))
            return true;
        c = after;
    }
    return false;
}
