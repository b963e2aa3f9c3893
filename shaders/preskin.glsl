// What skin_exact.glsl and palette.glsl read of a vertex, for a compute shader, which has no
// attributes: preskin.comp fetches it.
#define BINDS_BY_HAND
#define INSTANCE instance

// With values, for Mesa looks for them before it comes to preskin.comp.
int instance = 0;
vec3 bind_position = vec3(0.0), bind_normal = vec3(0.0);
vec4 bind_tangent = vec4(0.0);
uint first_influence = 0u, end_influence = 0u;
