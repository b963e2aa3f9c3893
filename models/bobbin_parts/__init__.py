"""Bobbin, a small dragon: shape, skeleton, face, paint and motion."""
