"""The models of the zoo, and writers for their files."""
