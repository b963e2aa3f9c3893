// For motion vectors: tables that also hold what was in the previous frame, behind what is now.
#define HAS_PREVIOUS

uniform ivec3 previous; // where that begins: texel of palettes (or jobs of baked clips), placements,
                        // morph weights; 0: there is none, it was as it is now

// Added to texels: 0, or `previous` for where a vertex was.
ivec3 shift = ivec3(0);
