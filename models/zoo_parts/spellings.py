"""Models that show alternative spellings."""

_PLAIN = '''MD5Version 10
commandline "make_zoo.py"
numJoints 1
numMeshes 1
joints {
	"root" -1 ( 0 0 0 ) ( 0 0 0 )
}
mesh {
	shader "models/zoo/zoo"
	numverts 3
	vert 0 ( 0 1 ) 0 1
	vert 1 ( 1 1 ) 1 1
	vert 2 ( 0.5 0 ) 2 1
	numtris 1
	tri 0 0 2 1
	numweights 3
	weight 0 0 1 ( 0 0 0 )
	weight 1 0 1 ( 0 8 0 )
	weight 2 0 1 ( 0 4 8 )
}
'''

_NUMBERS = _PLAIN.replace("( 0.5 0 )", "( .5 0. )").replace("( 0 8 0 )", "( 0.0 8e0 - 0 )") \
    .replace("( 0 4 8 )", "( 0e0 400e-2 0.8e+1 )") \
    .replace('"root" -1', '"root" - 1')

_COMMENTS = "// before everything\n" + _PLAIN.replace(
    "numMeshes 1", "numMeshes /* between a word\n   and its number */ 1").replace(
    "joints {", "joints // and the brace on the next line\n{").replace(
    "\tshader", "\t// meshes: told by id's exporter in a comment\n\tshader").replace(
    "\tnumtris", "/*/ not closed yet */\n\tnumtris")

_ONE_LINE = " ".join(_PLAIN.split()) + "\n"

_TIGHT = _PLAIN.replace("( ", "(").replace(" )", ")").replace("\t", "").replace(" {", "{")

_CARRIAGE = _PLAIN.replace("\n", "\r\n")

_NAMES = _PLAIN.replace('"root"', '"Left Hand/../root.001 (copy)"').replace(
    '"models/zoo/zoo"', '"models\\\\ZOO\\\\zoo.tga"'.replace("\\\\", "\\"))

_BARE = _PLAIN.replace('"models/zoo/zoo"', "models/zoo/zoo").replace('"root"', "root")

_MESH_NAME = _PLAIN.replace("\tshader", '\tname "plate"\n\tshader')

ANIMALS = [
    ("numbers",
     "numbers in unusual notation: `.5`, `0.`, `8e0`, `400e-2`, and a minus sign followed by "
     "a space (`- 1`)",
     [(".md5mesh", _NUMBERS)]),
    ("comments",
     "comments with `//` and `/* */` at unusual positions, for example between a keyword and "
     "its number",
     [(".md5mesh", _COMMENTS)]),
    ("one_line", "the complete file is one line", [(".md5mesh", _ONE_LINE)]),
    ("tight",
     "white space only where it is necessary: `(0 1)` instead of `( 0 1 )`",
     [(".md5mesh", _TIGHT)]),
    ("carriage_returns", "lines end with CR LF", [(".md5mesh", _CARRIAGE)]),
    ("names",
     "a joint name with spaces, and a shader with backslashes, capital letters and a file "
     "extension",
     [(".md5mesh", _NAMES)]),
    ("bare_words", "names without quotes", [(".md5mesh", _BARE)]),
    ("mesh_name", "a mesh with the optional keyword `name`", [(".md5mesh", _MESH_NAME)]),
]
