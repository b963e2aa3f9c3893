"""Generators of MD5 models in plain Python: shapes, skin, textures, files."""
