"""Thimble, a six-legged machine: skeleton, parts, paint and motion."""
