// The texts of shaders/, embedded at build time: skin4.glsl is md5gl_shader_skin4_glsl.
#ifndef MD5GL_SHADERS_H
#define MD5GL_SHADERS_H

// Shared by several programs.
extern const char md5gl_shader_frame_glsl[];
extern const char md5gl_shader_colour_glsl[];
extern const char md5gl_shader_shadow_glsl[];
extern const char md5gl_shader_light_glsl[];
extern const char md5gl_shader_sky_studio_glsl[];
extern const char md5gl_shader_sky_environment_glsl[];
extern const char md5gl_shader_environment_glsl[];
extern const char md5gl_shader_classic_glsl[];
extern const char md5gl_shader_surface_glsl[];
extern const char md5gl_shader_shade_glsl[];
extern const char md5gl_shader_dissolve_glsl[];

// Skinned models.
extern const char md5gl_shader_table_buffer_glsl[];
extern const char md5gl_shader_table_texture_glsl[];
extern const char md5gl_shader_palette_glsl[];
extern const char md5gl_shader_blend_linear_glsl[];
extern const char md5gl_shader_blend_dual_glsl[];
extern const char md5gl_shader_bind_plain_glsl[];
extern const char md5gl_shader_bind_morphed_glsl[];
extern const char md5gl_shader_skin4_glsl[];
extern const char md5gl_shader_skin8_glsl[];
extern const char md5gl_shader_skin_exact_glsl[];
extern const char md5gl_shader_skin_posed_glsl[];
extern const char md5gl_shader_skin_baked_glsl[];
extern const char md5gl_shader_preskin_glsl[];
extern const char md5gl_shader_preskin_comp[];
extern const char md5gl_shader_draw_vert[];
extern const char md5gl_shader_capture_vert[];
extern const char md5gl_shader_lit_frag[];
extern const char md5gl_shader_depth_frag[];
extern const char md5gl_shader_flat_frag[];
extern const char md5gl_shader_stage_frag[];

// Impostors.
extern const char md5gl_shader_picture_frag[];
extern const char md5gl_shader_impostor_views_glsl[];
extern const char md5gl_shader_impostor_glsl[];
extern const char md5gl_shader_impostor_vert[];
extern const char md5gl_shader_impostor_frag[];
extern const char md5gl_shader_impostor_depth_frag[];

// Overlays.
extern const char md5gl_shader_line_vert[];
extern const char md5gl_shader_line_frag[];
extern const char md5gl_shader_grid_vert[];
extern const char md5gl_shader_grid_frag[];
extern const char md5gl_shader_ground_vert[];
extern const char md5gl_shader_ground_frag[];
extern const char md5gl_shader_panel_vert[];
extern const char md5gl_shader_panel_frag[];
extern const char md5gl_shader_image_frag[];
extern const char md5gl_shader_environment_vert[];
extern const char md5gl_shader_environment_frag[];

#endif
