"""Tools to make MD5 models from nothing but plain Python: shapes, skin, texture, files."""
