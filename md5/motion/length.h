// Lengths along the pieces of a curve: a table of arcs so short that one quadrature measures each.
#ifndef MD5_CURVE_LENGTH_H
#define MD5_CURVE_LENGTH_H

#include "md5/motion/pieces.h"

// A part of one piece.
typedef struct md5_arc {
    double distance; // of its start from that of the curve, units
    double from, to; // shares of the piece
    uint32_t piece;
} md5_arc;

// Returns the number of arcs, and sets *length. Writes arcs[that number] unless it is NULL.
uint32_t md5i_measure_pieces(const md5_pieces *pieces, md5_arc *arcs, double *length);

// Length of a part of an arc: from its start to the share `to` of its piece.
double md5i_length_of_arc(const md5_pieces *pieces, const md5_arc *arc, double to);

// The share of its piece at which an arc is `length` long; its end if it is shorter.
double md5i_share_of_arc(const md5_pieces *pieces, const md5_arc *arc, double length);

#endif
