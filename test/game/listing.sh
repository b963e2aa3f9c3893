#!/bin/sh
# md5tool list, explain and check over a small game folder with an archive and a mod, and over a plain folder of models.
. test/build/report.sh
tool=$products/md5tool
base=$scratch/base
mod=$scratch/mod
plain=$scratch/plain
data=test/reference/data
mkdir -p "$base/materials" "$base/skins" "$base/def" "$base/models/a" "$mod/materials" "$mod/models/a" "$plain/sub"
cp "$data/flags.md5mesh" "$base/models/a/a.md5mesh"
cp "$data/flags.md5mesh" "$base/models/a/lonely.md5mesh"
cp "$data/flags.md5anim" "$base/models/a/walk.md5anim"
cp "$data/flags.md5anim" "$base/models/a/lonely.md5anim"
cp "$data/flags.md5anim" "$mod/models/a/walk.md5anim"
cp "$data/flags.md5mesh" "$plain/sub/x.md5mesh"
cp "$data/flags.md5anim" "$plain/x.md5anim"
echo notes >"$plain/skin.png"
: >"$base/there.tga"
cat >"$base/materials/a.mtr" <<'END'
table t { { 0, 1 } }
good { { map there } }
good { { map hidden } }
bad { diffusemap gone unlit }
END
echo 'late { { map gone.jpg } }' >"$mod/materials/b.mtr"
cat >"$base/skins/a.skin" <<'END'
skin coat { * good }
END
cat >"$base/def/a.def" <<'END'
model walker { mesh models/a/a.md5mesh skin coat
    anim walk models/a/walk.md5anim { frame 1 jump }
    anim run models/a/gone.md5anim
}
entityDef thing { "model" "walker" "inherit" "parent" "def_attach_hat" "hat" }
entityDef parent { "health" "7" "skin" "coat" "model" "other" "def_head" "head" }
END
python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as file:
    file.writestr("materials/b.mtr", "// one line\n/* another */\npacked { { map there } }")
    file.writestr("models/packed.md5mesh", "broken")' "$base/pak000.pk4"

list_prints() { # EXPECTED, ARGUMENT...
    expected=$1
    shift
    "$tool" list "$@" 2>"$scratch/err" | tr -s ' ' >"$scratch/out"
    printf '%b' "$expected" | diff - "$scratch/out" && [ ! -s "$scratch/err" ]
}
# tool_prints STATUS TEXT ARGUMENT...: checks status and output of md5tool.
tool_prints() {
    status=$1 text=$2
    shift 2
    "$tool" "$@" >"$scratch/out" 2>"$scratch/err"
    [ $? -eq "$status" ] || { cat "$scratch/out" "$scratch/err"; return 1; }
    grep -qF -- "$text" "$scratch/out" "$scratch/err" || { cat "$scratch/out" "$scratch/err"; return 1; }
}

models='model walker def/a.def:1\nmodel models/a/a.md5mesh\nmodel models/a/lonely.md5mesh\nmodel models/packed.md5mesh\n'
check "list prints declared models and model files" list_prints "$models" "$base" models
check "the clips of models are listed with their model" \
    list_prints 'clip walker walk models/a/walk.md5anim\nclip models/a/lonely.md5anim\n' "$base" clips
check "materials, skins and entities are listed with their locations" \
    list_prints 'entity thing def/a.def:5\nentity parent def/a.def:6\nskin coat skins/a.skin:1\nmaterial good materials/a.mtr:2\nmaterial bad materials/a.mtr:4\nmaterial packed materials/b.mtr:3\n' \
    "$base" materials skins entities
check "a mod overrides files of its base" \
    list_prints 'material good materials/a.mtr:2\nmaterial bad materials/a.mtr:4\nmaterial late materials/b.mtr:1\n' \
    "$base" materials --mod "$mod"
check "a folder over a base is a mod" \
    list_prints 'material good materials/a.mtr:2\nmaterial bad materials/a.mtr:4\nmaterial late materials/b.mtr:1\n' \
    --base "$base" "$mod" materials
check "a plain folder has models and clips" list_prints 'model sub/x.md5mesh\nclip x.md5anim\n' "$plain"
check "JSON" list_prints '{"kind":"skin","name":"coat","file":"skins/a.skin","line":1}\n{"kind":"clip","model":"walker","name":"walk","file":"models/a/walk.md5anim"}\n{"kind":"clip","name":"models/a/lonely.md5anim"}\n' \
    --json "$base" skins clips
everything_is_json() {
    "$tool" list --json "$base" --mod "$mod" | python3 -c '
import json, sys
kinds = [json.loads(line)["kind"] for line in sys.stdin]
sys.exit(sorted(set(kinds)) != ["clip", "entity", "material", "model", "skin"])'
}
check "every line is JSON" everything_is_json
check "all files are listed in one array" list_prints '["skin.png",\n"sub/x.md5mesh",\n"x.md5anim"]\n' --json "$plain" files
check "an unknown kind is rejected" tool_prints 2 "unknown kind 'sounds'" list "$base" sounds
check "a missing folder is an error" tool_prints 1 'nowhere: error: cannot open the folder or archive: No such file' list "$scratch/nowhere"
check "an option needs its folder" tool_prints 2 'option --mod has no value: expected DIR' list "$base" --mod

explain_prints() { # TEXT, ARGUMENT...
    text=$1
    shift
    tool_prints 0 "$text" explain "$base" "$@"
}
check "explain prints file, line and folder" explain_prints "  declared: materials/a.mtr:2 in $base" good
check "explain prints overridden declarations" explain_prints '  overrides declaration: materials/a.mtr:3' good
check "explain prints images" explain_prints "  image: there.tga in $base" good
check "explain prints the result in engine mode" explain_prints "  engine mode: replaced with the default" bad
check "explain prints the result in lenient mode" explain_prints '  lenient mode: parsed as declared' bad
check "explain prints warnings" explain_prints "is a keyword of RBDOOM, skipped" bad
check "explain prints missing images" explain_prints '  image: gone: image not found (searched .tga and .jpg)' bad
check "explain prints the searched locations" explain_prints "  $base/pak000.pk4" bad
check "explain prints archives" explain_prints "materials/b.mtr:3 in $base/pak000.pk4" packed
check "explain prints meshes" explain_prints "  mesh: models/a/a.md5mesh in $base" walker
check "explain prints the materials of a mesh" explain_prints '  material: ' walker
check "explain prints skins" explain_prints '  skin: coat, declared skins/a.skin:1' walker
check "explain prints clips" explain_prints '  clip: walk, ' walker
check "explain prints files that a mod overrides" explain_prints "    hides: models/a/walk.md5anim in $base" walker --mod "$mod"
check "explain prints a missing clip" explain_prints "Couldn't load anim 'models/a/gone.md5anim'" walker
check "explain follows skins" explain_prints '    by: good, declared materials/a.mtr:2' coat
check "explain prints inherited keys" explain_prints '  key: health = 7, inherited from parent' thing
check "explain prints the model of an entity" explain_prints '  model: walker, declared def/a.def:1' thing
check "explain prints undeclared references of an entity" explain_prints '  def_attach_hat: hat: not declared' thing
check "explain prints a missing file of an entity" explain_prints '  model: other: missing' parent
check "explain counts values of tables" explain_prints '  values: 2' t
check "explain finds files" explain_prints "  is: models/a/lonely.md5mesh in $base" models/a/lonely.md5mesh
check "explain shows why a mesh cannot be read" explain_prints 'error: ' models/packed.md5mesh
check "an unknown name is an error" tool_prints 1 'asset nobody not found' explain "$base" nobody
check "explain without a name prints the mounted folders" tool_prints 0 "  $base/pak000.pk4" explain "$base"
check "explain without a name prints overridden files" tool_prints 0 "hidden: models/a/walk.md5anim in $base, because the file in $mod has priority" explain --base "$base" "$mod"
check "more than one name is an error" tool_prints 2 'too many arguments: expected at most one name' explain "$base" a b
check "explain prints JSON" tool_prints 0 '{"kind":"values","count":2}' explain "$base" t --json

# Features of a monster other than its clips, and keys whose names do not exist.
mkdir -p "$scratch/beast/def" "$scratch/beast/af" "$scratch/beast/models"
for name in flags.md5mesh flags.md5anim; do
    sed 's/"joint0"/"origin"/' "$data/$name" >"$scratch/beast/models/$name"
done
cat >"$scratch/beast/def/a.def" <<'END'
model beast { mesh models/flags.md5mesh
    anim ik_pose models/flags.md5anim
    anim af_pose models/flags.md5anim
}
entityDef beast { "model" "beast"
    "look_joint joint1" "1 1 0"
    "look_joint tail" "1 1 0"
    "ik_numLegs" "1" "ik_waist" "origin" "ik_hip1" "joint1" "ik_knee1" "joint3" "ik_ankle1" "joint6"
    "ik_foot1" "joint8" "ragdoll" "limp" }
entityDef lame { "inherit" "beast"
    "ik_foot1" "hoof" "ragdoll" "lost" }
entityDef ghost { "inherit" "beast" "ragdoll" "" "articulatedFigure" "gone" "ik_numLegs" "0" }
entityDef torn { "inherit" "beast" "ragdoll" "torn" }
END
cat >"$scratch/beast/af/a.af" <<'END'
articulatedFigure limp { settings { totalMass 12 }
    body "b" { joint "origin" model box( ( 0, 0, 0 ), ( 1, 1, 1 ) ) mod orientation }
    body "c" { joint "joint1" model box( ( 0, 0, 0 ), ( 1, 1, 1 ) ) origin ( 9, 0, 0 ) mod orientation }
    fixed "f" { body1 "b" body2 "c" }
}
articulatedFigure lost { settings { }
    body "b" { joint "origin" model box( ( 0, 0, 0 ), ( 1, 1, 1 ) )
    color red }
}

// the engine counts this line as part of the figure
  articulatedFigure torn { settings { }
    body "a" { joint "origin" model box( ( 0, 0, 0 ), ( 1, 1, 1 ) ) }
    body "b" { joint "tail" model box( ( 0, 0, 0 ), ( 1, 1, 1 ) ) }
}
END
explain_prints_for_beast() { # TEXT, NAME
    tool_prints 0 "$1" explain "$scratch/beast" "$2"
}
check "explain prints the figure of an entity" explain_prints_for_beast '  figure: limp, declared af/a.af:1' beast
check "explain prints the mass and the legs of an entity" explain_prints_for_beast '  mass: 12, legs with IK: 1' beast
check "a leg without a joint is not counted" explain_prints_for_beast ', legs with IK: 0' lame
check "explain reports an unknown joint of a look-at key" explain_prints_for_beast "def/a.def:7:5: warning: key 'look_joint tail': joint 'tail' not found" beast
check "explain reports an unknown joint of a leg" explain_prints_for_beast "def/a.def:11:5: warning: key 'ik_foot1': joint 'hoof' not found" lame
check "explain prints the location of a fault in a figure" explain_prints_for_beast 'af/a.af:8:5: warning: unknown token' lame
check "errors of figures have the location of the declaration" \
    explain_prints_for_beast "af/a.af:12:3: error: figure 'torn': body 'b' refers to unknown joint 'tail': expected a joint of the model" torn
check "explain reports an undeclared figure" explain_prints_for_beast '  figure: gone: not declared' ghost
check "explain prints figures" explain_prints_for_beast '  bodies: 2' limp
check "check reads figures" tool_prints 1 'af/a.af:8' check "$scratch/beast"

# Each entity breaks one key of a character; check reports each at the key, as explain does.
keyed="$scratch/keyed"
checks_character_keys() {
    rm -rf "$keyed" && cp -r models/game/base "$keyed" && mkdir "$keyed/particles" &&
        echo 'particle there.prt { }' >"$keyed/particles/a.prt" && cat >"$keyed/af/z.af" <<'END' && cat >"$keyed/def/z.def" <<'END2'
articulatedFigure t_bad {
    body "a" { joint "origin" mod orientation model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) containedJoints "*origin" }
    body "b" { joint "no_such_joint" mod orientation model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) containedJoints "*head" }
}
END
entityDef t1 { "inherit" "monster_bobbin" "ragdoll" "no_such_figure" }
entityDef t2 { "inherit" "monster_bobbin" "scriptobject" "no_such_object" }
entityDef t3 { "inherit" "monster_bobbin" "ik_foot1" "no_such_joint" }
entityDef t4 { "inherit" "monster_bobbin" "ik_numLegs" "9" }
entityDef t5 { "inherit" "monster_bobbin" "look_joint no_such_joint" "1 1 0" }
entityDef t6 { "inherit" "monster_bobbin" "def_head" "no_such_head" }
entityDef t7 { "inherit" "monster_bobbin" "ragdoll" "t_bad" }
entityDef t8 { "inherit" "monster_bobbin" "damage_zone head" "*head no_such_joint" }
entityDef t9 { "inherit" "monster_bobbin" "def_dropDeathItem" "monster_bobbim" }
entityDef t10 { "inherit" "monster_bobbin" "smoke_burnParticle" "ther.prt-head" }
entityDef t11 { "inherit" "monster_bobbin" "smoke_burnParticle" "there.prt-no_such_joint" }
END2
        tool_prints 0 ' 0 errors, ' check models/game/base && ! grep "def/\|af/" "$scratch/out" &&
        tool_prints 1 "z.def:1:43: warning: 'ragdoll': articulatedFigure 'no_such_figure' not found: expected its declaration in the game" check "$keyed" --all || return 1
    while read -r line; do
        grep -qF "$line" "$scratch/out" || { echo "missing: $line" && cat "$scratch/out" && return 1; }
    done <<'END'
z.def:2:43: error: 'scriptobject': unknown script object 'no_such_object'
z.def:3:43: warning: key 'ik_foot1': joint 'no_such_joint' not found in entity 't3'
z.def:4:43: warning: walk IK is disabled
z.def:5:43: warning: key 'look_joint no_such_joint': joint 'no_such_joint' not found in entity 't5'
z.def:6:43: warning: key 'def_head': unknown model 'no_such_head'
z.af:1:1: error: figure 't_bad': body 'b' refers to unknown joint 'no_such_joint': expected a joint of the model
z.def:8:43: warning: 'damage_zone head': joint 'no_such_joint' not found in the model
z.def:9:43: warning: 'def_dropDeathItem': entityDef 'monster_bobbim' not found: did you mean 'monster_bobbin'?
z.def:10:44: warning: 'smoke_burnParticle': particle 'ther.prt' not found
z.def:11:44: warning: 'smoke_burnParticle': joint 'no_such_joint' not found in the model
END
    [ "$(grep -c 'z.def:6:' "$scratch/out")" -eq 1 ] && ! grep 'bobbin.def:' "$scratch/out" && tool_prints 0 "z.def:2:43: error: 'scriptobject': unknown script object 'no_such_object'" explain "$keyed" t2 &&
        tool_prints 0 "  script object: monster_bobbin, functions of the game's world that return 0: 0" explain "$keyed" t1 &&
        sed '0,/idleAnim( CHANNEL_TORSO, "idle" );/s//unknown_a( 1 ); sys.unknown_b(); &/' models/game/base/script/ai_bobbin.script >"$keyed/script/ai_bobbin.script" &&
        tool_prints 0 "  script object: monster_bobbin, functions of the game's world that return 0: 2" explain "$keyed" t1 &&
        echo 'object {' >>"$keyed/script/ai_bobbin.script" &&
        tool_prints 1 "z.def:2:43: error: 'scriptobject': script/ai_bobbin.script:" check "$keyed" --all
}
check "check reports the keys of characters" checks_character_keys

# Declarations that depend on a missing mesh. "early" is declared before the model that it inherits.
mkdir -p "$scratch/broken/def" "$scratch/broken/models"
cp "$scratch/beast/models/flags.md5anim" "$scratch/broken/models"
{
    echo 'model early { inherit late anim more models/flags.md5anim { frame 1 sound_body x } }'
    echo 'model root { mesh models/gone.md5mesh channel legs ( *joint1 )'
    for clip in 1 2 3 4 5 6 7 8 9; do
        echo "anim clip$clip models/flags.md5anim { frame 1 launch_missile joint1 frame 1 muzzle_flash joint2 }"
    done
    echo '}'
    echo 'model late { inherit root anim again models/flags.md5anim { frame 1 launch_missile joint3 } }'
    echo 'entityDef user { "model" "early" "anim" "more" "look_joint joint1" "1 1 0" "ik_numLegs" "1" "ik_waist" "origin"
        "ik_hip1" "joint1" "ik_knee1" "joint3" "ik_ankle1" "joint6" "ik_foot1" "joint8" }'
} >"$scratch/broken/def/a.def"
check_prints_one_message() { # TEXT, ARGUMENT... (and a warning of the clip, two remedies, and the two lines of the summary)
    text=$1
    shift
    tool_prints 1 "$text" check "$@" && [ "$(wc -l <"$scratch/out")" -eq 6 ] || { cat "$scratch/out" && return 1; }
}
check "a missing mesh is one diagnostic" check_prints_one_message \
    "def/a.def:2:19: error: 'root' and 2 models that inherit it become the default: Model 'models/gone.md5mesh' defaulted" \
    "$scratch/broken"
# Forty models that name the same missing mesh, and entities that use them.
mkdir -p "$scratch/forty/def"
i=0
while [ $i -lt 40 ]; do
    i=$((i + 1))
    echo "model m$i { mesh models/gone.md5mesh } entityDef e$i { \"model\" \"m$i\" \"look_joint head\" \"1 1 1\" \"ik_numLegs\" \"2\" }"
done >"$scratch/forty/def/a.def"
groups_forty_models() {
    tool_prints 1 "error: 'm1' and 39 models that inherit it or name the same mesh become the default: Model 'models/gone.md5mesh' defaulted" check "$scratch/forty" &&
        grep -q ' 1 error, 0 warnings' "$scratch/out"
}
check "forty models without their mesh are one diagnostic" groups_forty_models
sed -i 's/^model early/model unused/; s/inherit late anim more/inherit unused anim more/' "$scratch/broken/def/a.def"
check "a diagnostic counts one inheriting model" tool_prints 1 "'root' and 1 model that inherits it become the default: " check "$scratch/broken"
sed -i '/^model late/d' "$scratch/broken/def/a.def"
check "a diagnostic without inheriting models has no count" tool_prints 1 "'root' becomes the default: " check "$scratch/broken"
if [ -n "${MD5_CORPUS-}" ]; then # masses as the engine computed them
    check "a figure has the engine's mass" tool_prints 0 '  mass: 282.255' \
        explain "$MD5_CORPUS/golden/d3char/game/base" probe_trestle
fi

check "list rejects a device" tool_prints 1 '/dev/null: error: unknown file type: expected a folder or an archive' list /dev/null
check "check reads archives" tool_prints 1 "$base/pak000.pk4/models/packed.md5mesh:1:1: error: " check "$base"
check "check reads declarations" tool_prints 1 "$base/materials/a.mtr:4:" check "$base"
check "check counts declarations that the engine replaces" tool_prints 1 '8 declarations, of which Doom 3 replaces 2 with defaults' check "$base"
check "check counts files" tool_prints 1 '5 files, 2 errors, 12 warnings' check "$base"
check "check accepts a mod" tool_prints 1 "$base/def/a.def:3:" check --mod "$mod" "$base"
check "check accepts a base" tool_prints 1 "$base/def/a.def:3:" check --base "$base" "$mod"
check "check takes a base  without a mod" tool_prints 1 "$base/def/a.def:3:" check --base "$base"
# The folder of an engine contains the game in its folder base, and other files.
mkdir -p "$scratch/engine" && cp -r "$base" "$scratch/engine/base" && cp "$plain/x.md5anim" "$scratch/engine"
check "check finds the game below the folder of an engine" tool_prints 1 '8 declarations, of which Doom 3 replaces 2 with defaults' check "$scratch/engine"
check "check also reads the other files of that folder" tool_prints 1 '6 files, 2 errors, ' check "$scratch/engine"
mkdir -p "$scratch/dark/materials"
printf 'm { { mirrorRenderMap } }\nx { { xrayRenderMap inclusive\n } }\nv { { videoMap withAudio video/a.roq } }\nw { { videoMap loop withAudio video/a.roq } }\n' \
    >"$scratch/dark/materials/a.mtr"
printf 'f { { if ( max( parm0, time ) > min( 1, 2, parm1 ) ) map _white red max( 0.25, parm2 ) } }\n' >>"$scratch/dark/materials/a.mtr"
check "check reads keywords of The Dark Mod" tool_prints 0 '0 files, 0 errors, 0 warnings, for darkmod' check --for darkmod "$scratch/dark"
# check prints one message for all entities and models that name the same missing file.
mkdir -p "$scratch/lost/def"
for i in 1 2 3; do
    printf 'model m%s { mesh no.md5mesh anim idle no.md5anim }\nentityDef e%s { "spawnclass" "idAnimated" "model" "models/none.md5mesh" }\n' "$i" "$i"
done >"$scratch/lost/def/a.def"
check "check prints a missing clip once" tool_prints 1 "Couldn't load anim 'no.md5anim': expected a readable file (and 2 more)" check "$scratch/lost"
check "check prints a missing model once" tool_prints 1 "expected a modelDef or an .md5mesh file (and 2 more)" check "$scratch/lost"
check "check prints no further messages about missing files" tool_prints 1 "0 files, 1 error, 2 warnings" check "$scratch/lost"
check "check reads the files of a plain folder" tool_prints 0 '2 files, 0 errors' check "$plain"
mkdir -p "$scratch/loose/Materials"
echo "odd { wrong }" >"$scratch/loose/Materials/a.mtr"
check "check recognizes a game folder without archives" tool_prints 0 "1 declaration, of which Doom 3 replaces 1 with defaults" check "$scratch/loose"
check "check names a replaced material that no mesh uses" tool_prints 0 \
    "replaced: $scratch/loose/Materials/a.mtr:1:1: material 'odd', which no mesh uses" check "$scratch/loose"
for i in 1 2 3 4 5 6; do
    echo "odd$i { wrong }" >>"$scratch/loose/Materials/a.mtr"
done
check "check names the first replaced materials" tool_prints 0 "replaced: 2 more; use --all to list them" check "$scratch/loose"
check "check --all names all replaced materials" tool_prints 0 \
    "replaced: $scratch/loose/Materials/a.mtr:7:1: material 'odd6', which no mesh uses" check --all "$scratch/loose"
check "check prints no summary with --json" tool_prints 0 "" check --json "$plain"

# Numbers that are not finite: infinities of both signs and NaN, in all printed numbers; an infinite offset.
mkdir -p "$scratch/odd/materials" "$scratch/odd/def"
cp "$data/flags.md5mesh" "$scratch/odd/a.md5mesh"
cat >"$scratch/odd/materials/a.mtr" <<'END'
odd { polygonOffset 1e39 sort 1e39
    { if ( 1 / 0 ) map _white rgb 0 / 0 alpha 0 - 1 / 0 alphaTest 1 / 0 scale 1 / 0, 1 }
}
END
echo 'model odd { mesh a.md5mesh offset ( 1e39 0 0 ) }' >"$scratch/odd/def/a.def"
verdicts_are_json() { # KIND, NULLS
    "$tool" parse --base "$scratch/odd" "$1" | python3 -c '
import json, sys
def refuse(word):
    sys.exit("not JSON: " + word)
nulls = 0
def count(value):
    global nulls
    nulls += value is None
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        count(item)
for line in sys.stdin:
    count(json.loads(line, parse_constant=refuse))
sys.exit(0 if nulls == int(sys.argv[1]) else "%d nulls" % nulls)' "$2"
}
check "results of materials are valid JSON" verdicts_are_json materials 16
check "results of models are valid JSON" verdicts_are_json models 1
finish
