// What skin_exact.glsl and palette.glsl read of a vertex, for a compute shader, which has no
// attributes: preskin.comp fetches it.
#define BINDS_BY_HAND
#define INSTANCE instance

int instance;
vec3 bind_normal;
vec4 bind_tangent;
uint first_influence, end_influence;
