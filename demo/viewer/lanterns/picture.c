// The game's picture: what view_extra adds to that of the document, and the panel over it.
#include "demo/viewer/lanterns/state.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/pages/page.h"

#include <stdio.h>
#include <string.h>

// == The world ====================================================================================

static const float light_range = 300.0f;
static const float far_off = 330.0f; // the camera
static const float lamp_light[3] = {7.0f, 3.6f, 1.2f};

// His lantern and the lit ones are in skin 0, which come first; the dark ones hang still.
static void list_lanterns(view_game *game)
{
    const view_scene *const scene = &game->lantern->scene;
    view_extra *const extra = &game->extra;
    const uint32_t num_joints = scene->num_joints;
    md5_mat34 joints[LAMP_JOINTS];
    uint32_t count = 0;
    extra->num_points = 0;
    for (int skin = 0; skin < 2; skin++)
        for (int i = -1; i < VIEW_GAME_LANTERNS; i++) {
            const bool is_his = i < 0;
            const bool is_lit = is_his || game->posts[i].is_lit;
            if (is_lit != (skin == 0))
                continue;
            md5_mat34 *const palette = game->lamp_palettes + count * num_joints;
            if (is_his)
                memcpy(palette, scene->palette, num_joints * sizeof *palette);
            else
                view_pose_post(game, is_lit ? game->hero->time + 0.37 * (double)i : 0.0, joints,
                               palette);
            game->lamp_placements[count] =
                is_his ? md5_mat34_from_xform((md5_xform){.rotation = {.w = 1.0f}})
                       : game->posts[i].placement;
            game->lamp_skins[count++] = (uint32_t)skin;
            if (!is_lit)
                continue;
            // His flame gets smaller with the oil, and flickers at its end.
            const float oil = is_his ? game->facts.oil : 1.0f;
            const float flicker = 1.0f + 0.06f * sinf(23.0f * (float)game->hero->time + (float)i);
            md5gl_point_light *const light = &extra->points[extra->num_points++];
            *light = (md5gl_point_light){
                .position =
                    is_his ? md5_mat34_translation(scene->joints[game->lamp]) : game->posts[i].lamp,
                .range = light_range * (is_his ? 0.45f + 0.4f * oil : 1.0f)};
            for (int c = 0; c < 3; c++)
                light->color[c] = lamp_light[c] * flicker * (is_his ? 0.3f + 0.5f * oil : 1.0f);
        }
    extra->bodies[0] = (view_body){
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .textures = &game->lantern->textures,
        .drawn = game->lantern->drawn,
        .instances = {.count = count,
                      .palettes = game->lamp_palettes,
                      .placements = game->lamp_placements,
                      .skins = game->lamp_skins},
    };
}

static void list_crowd(view_game *game)
{
    view_scene *const scene = &game->document->scene;
    const view_morphs *const morphs = &game->document->morphs;
    const uint32_t num_joints = scene->num_joints;
    const uint32_t num_targets = morphs->morph != NULL ? morphs->morph->num_targets : 0;
    for (uint32_t i = 0; i < NUM_WATCHERS; i++) {
        watcher *const who = &game->watchers[i];
        const md5_vec3 foot = who->machine.place.translation;
        const md5_xform middle = {.rotation = {.w = 1.0f},
                                  .translation = md5_vec3_scale(foot, 1.0f - who->scale)};
        view_pose_machine(&who->machine, num_joints, game->pose, game->joints,
                          game->palettes + (size_t)i * num_joints);
        if (num_targets > 0)
            view_drive_morphs(morphs, who->machine.player, morphs->reported,
                              game->weights + (size_t)i * num_targets);
        game->placements[i] = md5_mat34_from_xform(middle); // his palette is in the world
        for (int k = 0; k < 12; k++)
            game->placements[i].m[k] *= k % 4 < 3 ? who->scale : 1.0f;
    }
    game->extra.bodies[1] = (view_body){
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .textures = &game->document->textures,
        .drawn = game->crowd,
        .instances = {.count = NUM_WATCHERS,
                      .palettes = game->palettes,
                      .placements = game->placements,
                      .tints = game->tints,
                      .morph = morphs->drawn,
                      .weights = game->weights},
    };
}

void view_picture_game(view_game *game)
{
    const md5_vec3 at = game->hero->place.translation;
    const bool has_ended = game->facts.phase != VIEW_GAME_PLAYS;
    const float around = 450.0f;
    game->extra.camera = (view_camera){
        .azimuth = game->yaw + 180.0f,
        .elevation = has_ended ? 22.0f : 12.0f,
        .distance = has_ended ? 1.3f * far_off : far_off,
        .scene_radius = 60.0f,
        .target = {0.0f, 0.0f, 45.0f + game->height - at.z},
    };
    game->extra.light_direction = (md5_vec3){-0.6f, 0.7f, 0.42f};
    for (int c = 0; c < 3; c++) {
        game->extra.light[c] = (float[]){0.16f, 0.20f, 0.34f}[c];
        game->extra.ambient[c] = (float[]){0.035f, 0.05f, 0.10f}[c];
    }
    game->extra.casters = (md5_bounds){{at.x - around, at.y - around, -30.0f},
                                       {at.x + around, at.y + around, 110.0f}};
    game->extra.sky[0] = 0x070B1EFF;
    game->extra.sky[1] = 0x2B3A66FF;
    game->extra.blobs = game->prints;
    game->extra.num_blobs = NUM_PRINTS;
    game->extra.num_bodies = 2;
    list_lanterns(game);
    list_crowd(game);
}

// == The panel ====================================================================================

static const view_color amber = 0xFFC65CFF, dark = 0x6B7788FF, box_color = 0x0B0F1AB8;

// A line of text in the middle of a picture, on a dark box. Returns the y below it.
static float draw_line(view_canvas *canvas, view_text_size size, float middle, float y,
                       view_color color, const char *words)
{
    const float padding = 8.0f * canvas->font->scale, line = canvas->font->line[size];
    const float width = view_text_width(canvas->font, size, words);
    view_draw_round_rect(
        canvas,
        (view_rect){middle - 0.5f * width - padding, y, width + 2.0f * padding, line + padding},
        padding, box_color);
    view_draw_text(canvas, size, middle - 0.5f * width, y + 0.5f * padding, 0.0f, color, words);
    return y + line + 1.4f * padding;
}

// Lanterns as discs, oil as a bar, time.
static void draw_score(view_canvas *canvas, const view_game_facts *facts)
{
    const float em = 14.0f * canvas->font->scale, left = 2.0f * em, top = 1.2f * em;
    char words[64];
    view_draw_round_rect(canvas, (view_rect){em, 0.6f * em, 15.0f * em, 5.0f * em}, 0.5f * em,
                         box_color);
    for (uint32_t i = 0; i < VIEW_GAME_LANTERNS; i++) {
        const float x = left + 0.5f * em + 1.4f * em * (float)i;
        view_draw_disc(canvas, x, top + 0.5f * em, 0.5f * em, i < facts->num_lit ? amber : dark);
        if (i >= facts->num_lit)
            view_draw_disc(canvas, x, top + 0.5f * em, 0.38f * em, 0x0B0F1AFF);
    }
    (void)snprintf(words, sizeof words, "%u of %d", (unsigned)facts->num_lit, VIEW_GAME_LANTERNS);
    view_draw_text(canvas, VIEW_TEXT, left + 10.2f * em, top - 0.1f * em, 0.0f, VIEW_BRIGHT, words);
    const bool is_low = facts->oil < 0.25f;
    view_draw_text(canvas, VIEW_TEXT, left, top + 1.8f * em, 0.0f, is_low ? VIEW_AMBER : VIEW_PLAIN,
                   is_low ? "Oil is low" : "Oil");
    view_draw_rect(canvas, (view_rect){left + 5.5f * em, top + 2.2f * em, 7.4f * em, 0.5f * em},
                   dark);
    view_draw_rect(
        canvas, (view_rect){left + 5.5f * em, top + 2.2f * em, 7.4f * em * facts->oil, 0.5f * em},
        amber);
    (void)snprintf(words, sizeof words, "Time %u:%02u", (unsigned)facts->seconds / 60,
                   (unsigned)facts->seconds % 60);
    view_draw_text(canvas, VIEW_TEXT, left, top + 3.1f * em, 0.0f, VIEW_PLAIN, words);
}

// A ring over each dark lantern; of one beside the picture an arrow at its border.
static void draw_marks(view_canvas *canvas, const view_game *game, const view_stage *stage)
{
    const view_lens lens = view_stage_lens(stage);
    const float em = 14.0f * canvas->font->scale, half_x = 0.5f * stage->width,
                half_y = 0.5f * stage->height;
    for (int i = 0; i < VIEW_GAME_LANTERNS; i++) {
        const md5_vec3 above = {0, 0, 26.0f};
        const md5_vec3 way = md5_vec3_sub(md5_vec3_add(game->posts[i].lamp, above), lens.eye);
        const float depth = -md5_vec3_dot(way, lens.axes.back);
        float x = md5_vec3_dot(way, lens.axes.right) / lens.half_x,
              y = -md5_vec3_dot(way, lens.axes.up) / lens.half_y;
        if (game->posts[i].is_lit)
            continue;
        if (depth > 1.0f && fabsf(x) < 0.95f * depth && fabsf(y) < 0.95f * depth) {
            const float px = half_x * (1.0f + x / depth), py = half_y * (1.0f + y / depth);
            view_draw_triangle(canvas,
                               (const float[6]){px - 0.5f * em, py - 0.8f * em, px + 0.5f * em,
                                                py - 0.8f * em, px, py},
                               amber);
            continue;
        }
        // At the border, on the side to which he has to turn.
        const float side = x < 0.0f ? -1.0f : 1.0f, px = half_x + side * (half_x - 0.6f * em);
        const float low = depth > 1.0f ? half_y * (1.0f + view_clamp(y / depth, -0.6f, 0.6f))
                                       : 1.5f * half_y + 0.8f * em * (float)(i % 3);
        view_draw_triangle(canvas,
                           (const float[6]){px, low, px - side * 0.8f * em, low - 0.5f * em,
                                            px - side * 0.8f * em, low + 0.5f * em},
                           amber);
    }
}

static void draw_panel(view_ui *ui, const view_stage *stage)
{
    view_canvas *const canvas = stage->canvas;
    const view_game *const game = stage->pages->game;
    const view_game_facts *const facts = &game->facts;
    const float middle = 0.5f * stage->width, em = 14.0f * canvas->font->scale;
    const bool is_wide = stage->width > 46.0f * em;
    char words[64];
    (void)ui;
    draw_marks(canvas, game, stage);
    draw_score(canvas, facts);
    float y = is_wide ? 0.6f * em : 6.4f * em;
    if (facts->phase == VIEW_GAME_WON) {
        (void)snprintf(words, sizeof words, "All seven lanterns burn!  %u:%02u",
                       (unsigned)facts->seconds / 60, (unsigned)facts->seconds % 60);
        y = draw_line(canvas, VIEW_TITLE, middle, y, amber, words);
    } else if (facts->phase == VIEW_GAME_LOST) {
        (void)snprintf(words, sizeof words, "The oil is used up: %u of %d lit",
                       (unsigned)facts->num_lit, VIEW_GAME_LANTERNS);
        y = draw_line(canvas, VIEW_TITLE, middle, y, amber, words);
    } else if (facts->is_demo || facts->seconds < 6.0) {
        y = draw_line(canvas, VIEW_TITLE, middle, y, amber, "Light the seven lanterns");
        y = draw_line(canvas, VIEW_TEXT, middle, y, VIEW_BRIGHT, "before your oil is used up");
    }
    if (facts->phase != VIEW_GAME_PLAYS && !facts->is_demo)
        (void)draw_line(canvas, VIEW_TEXT, middle, y, VIEW_BRIGHT, "Enter or a tap: again");
    y = stage->height - 6.5f * em;
    if (facts->is_demo) {
        y = draw_line(canvas, VIEW_TEXT, middle, y, amber, "Press a key or touch to play");
        y = draw_line(canvas, VIEW_TEXT, middle, y, VIEW_BRIGHT,
                      is_wide ? "W A S D or arrows, a drag, a gamepad: walk and turn"
                              : "Drag: walk and turn; far up: run");
        if (is_wide)
            (void)draw_line(canvas, VIEW_TEXT, middle, y, VIEW_BRIGHT,
                            "Shift or a far drag: run  \xE2\x80\xA2  Space: jump");
    }
    if (!game->has_stick)
        return;
    view_draw_disc(canvas, game->stick_at.x, game->stick_at.y, game->stick_reach, 0xFFFFFF28);
    view_draw_disc(canvas, game->stick_at.x + game->stick.x * game->stick_reach,
                   game->stick_at.y + game->stick.y * game->stick_reach, 0.4f * game->stick_reach,
                   0xFFC65CB0);
}

void view_stage_game(view_game *game, view_stage *stage)
{
    if (stage->width < stage->height) // as much to the sides
        game->extra.camera.distance = 1.35f * far_off;
    stage->extra = &game->extra;
    stage->camera = &game->extra.camera;
    stage->following = false;
    stage->page_panel = draw_panel;
}
