"""The animals of the zoo, and what their files are written with."""
