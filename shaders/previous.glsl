// Included in programs that need the previous frame for motion vectors. Their tables contain the
// data of the current frame, followed by the data of the previous frame.
#define HAS_PREVIOUS

uniform ivec3 previous; // first texel of the previous frame in palettes (or jobs of baked clips),
                        // placements, morph weights; 0 if there is no change

// Offset that is added to texel indices: 0, or `previous` to read the previous frame.
ivec3 shift = ivec3(0);
