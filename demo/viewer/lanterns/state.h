// The state of the game, which its rules (game.c) and its picture (picture.c) share.
#ifndef DEMO_VIEWER_LANTERNS_STATE_H
#define DEMO_VIEWER_LANTERNS_STATE_H

#include "demo/viewer/lanterns/game.h"

enum { NUM_WATCHERS = 14, NUM_PRINTS = 48, LAMP_JOINTS = 8 };

// Somebody in the crowd: Bobbin's character with a player of its own.
typedef struct watcher {
    view_machine machine;
    const view_terrain *terrain;
    float scale;
} watcher;

typedef struct post {
    md5_mat34 placement;
    md5_vec3 foot, lamp; // in the world
    bool is_lit;
} post;

struct view_game {
    view_document *document, *lantern; // lantern: the model; its machine is in his hand
    view_machine *hero, *carried;
    uint32_t hand, feet[2], lamp;
    view_game_facts facts, heard; // heard: whose sounds were played
    double pictured; // time of the round that `extra` is of; below 0: it is not written
    double begun;                 // time of view_play when the round began
    bool has_stick;
    md5_vec2 stick, stick_at; // how far it is pushed, -1 to 1; pixels of its middle
    float stick_reach;        // pixels
    post posts[VIEW_GAME_LANTERNS];
    watcher watchers[NUM_WATCHERS];
    float yaw, height; // of the camera: degrees, units
    md5gl_blob prints[NUM_PRINTS];
    uint32_t num_prints;

    // What is drawn besides the document: see view_extra.
    view_extra extra;
    md5gl_model *crowd; // his model once more: a model has one set of instances
    md5_mat34 *palettes, placements[NUM_WATCHERS];
    md5_vec4 tints[NUM_WATCHERS];
    float *weights;    // of morph targets
    md5_xform *pose;   // scratch memory, as `joints`
    md5_mat34 *joints; // [num_joints]
    md5_mat34 lamp_joints[LAMP_JOINTS];
    md5_mat34 lamp_palettes[(1 + VIEW_GAME_LANTERNS) * LAMP_JOINTS];
    md5_mat34 lamp_placements[1 + VIEW_GAME_LANTERNS];
    uint32_t lamp_skins[1 + VIEW_GAME_LANTERNS]; // 0: lit
};

// The posts' pose at a time, into palette[LAMP_JOINTS]; their lanterns swing in the wind.
void view_pose_post(const view_game *game, double time, md5_mat34 *joints, md5_mat34 *palette);

// Writes view_game.extra, with everybody's pose.
void view_picture_game(view_game *game);

#endif
