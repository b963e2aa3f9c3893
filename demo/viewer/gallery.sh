#!/bin/sh
# gallery.sh VIEWER FOLDER: draws images of all our models and, with MD5_CORPUS, of real models, without a window, for
# manual review. Draws contact sheets of every clip from three sides, which clips.html shows below the table of
# models/check_clips.py. Fails if an image cannot be drawn.
set -u
viewer=$PWD/$1
mkdir -p "$2"
folder=$PWD/$2
status=0
unset DISPLAY WAYLAND_DISPLAY

# picture NAME ARGUMENTS...
picture() {
    name=$1
    shift
    if "$viewer" --verbose error --resolution 1280,800 "$@" --output "$folder/$name.png"; then
        echo "  $name.png"
    else
        echo "  $name: FAILED"
        status=1
    fi
}

for model in models/*/*.md5mesh; do
    name=$(basename "$model" .md5mesh)
    case $model in
    *_parts/* | */kit/* | */zoo/*) continue ;;
    esac
    picture "$name" "$model" --animation-time 0.4
done

bobbin=models/bobbin/bobbin.md5mesh
picture bobbin-walk "$bobbin" models/bobbin/walk.md5anim --animation-time 0.3
picture bobbin-classic "$bobbin" models/bobbin/attack.md5anim --animation-time 0.3 --light classic
picture bobbin-joints "$bobbin" models/bobbin/dance.md5anim --animation-time 1 --armature
picture bobbin-edges "$bobbin" models/bobbin/idle.md5anim --edges --untextured
picture bobbin-weights "$bobbin" models/bobbin/idle.md5anim --joint head
picture bobbin-sheet "$bobbin" models/bobbin/walk.md5anim --resolution 1800,900 --sheet 6x2
picture bobbin-panel "$bobbin" models/bobbin/run.md5anim --panel --statistics --hierarchy
for skinning in linear dual; do
    picture twist-$skinning models/zoo/twist.md5mesh --skinning $skinning --animation-time 0.5 --edges
done
picture crowd --crowd 400 --animation-time 6

# Contact sheets of every clip, from front, side and three-quarter view, and a page that shows them.
page=$folder/clips.html
mkdir -p "$folder/clips"
echo '<!DOCTYPE html><meta charset="utf-8"><title>Clips</title><pre>' >"$page"
python3 models/check_clips.py 2>&1 | sed 's/&/\&amp;/g; s/</\&lt;/g' >>"$page"
echo '</pre>' >>"$page"
for clip in models/bobbin/*.md5anim models/thimble/*.md5anim models/tendril/*.md5anim models/lantern/*.md5anim; do
    model=$(basename "$(dirname "$clip")")
    sheet=$model-$(basename "$clip" .md5anim)
    echo "<h2>$sheet</h2>" >>"$page"
    for view in front:0 side:90 three-quarter:40; do
        picture "clips/$sheet-${view%:*}" "models/$model/$model.md5mesh" "$clip" --resolution 1600,200 \
            --sheet 8x1 --root in_place --camera-elevation-angle 10 --camera-azimuth-angle "${view#*:}"
        echo "<img src=\"clips/$sheet-${view%:*}.png\" alt=\"${view%:*}\"><br>" >>"$page"
    done
done

# Models of the corpus, if it exists. The viewer does not find their textures automatically.
if [ -n "${MD5_CORPUS:-}" ]; then
    cd "$MD5_CORPUS/corpus" || exit 1
    skin=frankie/flyingsquirrel_skin
    [ -d frankie ] && picture frankie frankie/Frankie.md5mesh frankie/Frankie_Run.md5anim \
        --texture ${skin}_col.jpg --normal-map ${skin}_nor.jpg --specular-map ${skin}_spec.png \
        --animation-time 0.4
    [ -d stromar ] && picture stromar stromar/stromar.md5mesh stromar/s_melee_attack.md5anim \
        --texture stromar/upper_attacker_01_a.jpg --texture 0=stromar/lower_attacker_01_a.jpg \
        --normal-map stromar/upper_norm.jpg --normal-map 0=stromar/lower_norm.jpg \
        --animation-time 0.4
    [ -d terasology ] && picture queen terasology/lasr/queen.md5mesh \
        terasology/lasr/queenWalk.md5anim --animation-time 0.4
    if [ -d redeclipse ]; then
        drone=redeclipse/drone
        set -- "$drone/mesh.md5mesh" "$drone/forward.md5anim" --texture "$drone/skin.jpg" \
            --normal-map "$drone/normals.png"
        picture drone "$@" --animation-time 0.4
        picture drone-crowd "$@" --crowd 400 --animation-time 2
    fi
fi
exit $status
