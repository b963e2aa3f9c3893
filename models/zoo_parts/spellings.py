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
    ("numbers", "`.5`, `0.`, `8e0`, `400e-2`, a sign with a space before its number",
     [(".md5mesh", _NUMBERS)]),
    ("comments", "comments of both kinds at every allowed position", [(".md5mesh", _COMMENTS)]),
    ("one_line", "a whole file on one line", [(".md5mesh", _ONE_LINE)]),
    ("tight", "no unnecessary white space", [(".md5mesh", _TIGHT)]),
    ("carriage_returns", "lines that end in CR LF", [(".md5mesh", _CARRIAGE)]),
    ("names", "a joint name with spaces, a shader with backslashes, capitals and an extension",
     [(".md5mesh", _NAMES)]),
    ("bare_words", "names without quotes", [(".md5mesh", _BARE)]),
    ("mesh_name", "a mesh with a name", [(".md5mesh", _MESH_NAME)]),
]
