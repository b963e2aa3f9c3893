// The texts of the files of shaders/. embed.py embeds them at build time. For example, the text of
// skin4.glsl is md5gli_shader_skin4_glsl.
#ifndef MD5GL_SHADERS_H
#define MD5GL_SHADERS_H

// Shared by several programs.
extern const char md5gli_shader_frame_glsl[], md5gli_shader_color_glsl[],
    md5gli_shader_shadow_glsl[], md5gli_shader_falloff_glsl[], md5gli_shader_light_glsl[],
    md5gli_shader_sky_studio_glsl[], md5gli_shader_sky_environment_glsl[],
    md5gli_shader_environment_glsl[], md5gli_shader_classic_glsl[], md5gli_shader_surface_glsl[],
    md5gli_shader_shade_glsl[], md5gli_shader_dissolve_glsl[], md5gli_shader_sky_host_glsl[],
    md5gli_shader_spot_glsl[];

// Skinned models.
extern const char md5gli_shader_table_buffer_glsl[], md5gli_shader_table_texture_glsl[],
    md5gli_shader_palette_glsl[], md5gli_shader_blend_linear_glsl[],
    md5gli_shader_blend_dual_glsl[], md5gli_shader_bind_plain_glsl[],
    md5gli_shader_bind_morphed_glsl[], md5gli_shader_skin4_glsl[], md5gli_shader_skin8_glsl[],
    md5gli_shader_skin_exact_glsl[], md5gli_shader_skin_posed_glsl[],
    md5gli_shader_skin_baked_glsl[], md5gli_shader_preskin_glsl[], md5gli_shader_preskin_comp[],
    md5gli_shader_draw_vert[], md5gli_shader_capture_vert[], md5gli_shader_lit_frag[],
    md5gli_shader_depth_frag[], md5gli_shader_flat_frag[], md5gli_shader_stage_frag[],
    md5gli_shader_previous_glsl[], md5gli_shader_outputs_frag[];

// Impostors.
extern const char md5gli_shader_picture_frag[], md5gli_shader_impostor_views_glsl[],
    md5gli_shader_impostor_glsl[], md5gli_shader_impostor_vert[], md5gli_shader_impostor_frag[],
    md5gli_shader_impostor_depth_frag[];

// Overlays.
extern const char md5gli_shader_line_vert[], md5gli_shader_line_frag[], md5gli_shader_grid_vert[],
    md5gli_shader_dither_glsl[], md5gli_shader_grid_frag[], md5gli_shader_ground_vert[],
    md5gli_shader_ground_frag[], md5gli_shader_panel_vert[], md5gli_shader_panel_frag[],
    md5gli_shader_image_frag[], md5gli_shader_environment_vert[], md5gli_shader_environment_frag[],
    md5gli_shader_blob_vert[], md5gli_shader_blob_frag[], md5gli_shader_smooth_frag[],
    md5gli_shader_resolve_frag[];

#endif
