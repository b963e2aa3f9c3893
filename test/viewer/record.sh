#!/bin/sh
# Recording in md5view: series of images, contact sheets, turntables, and movies.
. test/build/report.sh
view=$products/md5view
model=test/reference/data/still.md5mesh
anim=test/reference/data/travel.md5anim
bobbin_mesh=$models/bobbin/bobbin.md5mesh
clip=$models/bobbin/walk.md5anim
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

record() { # ARGUMENTS...
    "$view" --verbose error --resolution 96,72 --samples 1 "$@"
}
run_frames_py() {
    python3 test/viewer/frames.py "$@"
}
# refuses WORD ARGUMENTS...: checks that wrong usage gives status 2 and one line with that word.
refuses() {
    word=$1
    shift
    record "$@" 2>"$scratch/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qF -- "$word" "$scratch/err"
}

writes_numbered_images() {
    record "$bobbin_mesh" "$clip" --frames 5 --frame-rate 8 --output "$scratch/one-{n}.png" &&
        [ "$(find "$scratch" -name 'one-*.png' | wc -l)" -eq 5 ] &&
        ! cmp -s "$scratch/one-1.png" "$scratch/one-2.png"
}
movie_matches_images() { # FILE CONDITION
    record "$bobbin_mesh" "$clip" --frames 5 --frame-rate 8 --output "$1" || return 1
    # shellcheck disable=SC2046
    numbers_satisfy "$2" $(run_frames_py "$1" "$scratch"/one-?.png)
}
# Writes one image for each given time.
writes_images_at_times() {
    record "$bobbin_mesh" "$clip" --animation-time 0,0.125,0.25,0.375,0.5 --output "$scratch/at-{n}.png" &&
        for n in 1 2 3 4 5; do cmp "$scratch/at-$n.png" "$scratch/one-$n.png" || return 1; done
}
# The first image of a turntable equals the image without it; the middle image is from behind.
turntable_rotates() {
    record "$bobbin_mesh" --turntable --frames 4 --no-auto --output "$scratch/turn-{n}.png" &&
        record "$bobbin_mesh" --no-auto --output "$scratch/front.png" &&
        record "$bobbin_mesh" --no-auto --camera-azimuth-angle 220 --output "$scratch/back.png" &&
        cmp "$scratch/turn-1.png" "$scratch/front.png" &&
        ! cmp -s "$scratch/turn-1.png" "$scratch/turn-3.png" &&
        [ "$(find "$scratch" -name 'turn-*.png' | wc -l)" -eq 4 ]
}
# The first and last image on a sheet of a closed clip are equal; images in between differ.
sheet_shows_clip() {
    record "$bobbin_mesh" "$models/bobbin/idle.md5anim" --sheet 3x1 --resolution 150,40 --output "$scratch/sheet.png" &&
        python3 - "$scratch/sheet.png" <<END
import sys
sys.argv, path = ["png.py"], sys.argv[1]
sys.path.insert(0, "test/viewer")
import png
width, height, rows, step = png.read(path)
tile = [[row[step * 50 * i:step * 50 * (i + 1)] for row in rows] for i in range(3)]
off = sum(abs(a - b) for x, y in zip(tile[0], tile[2]) for a, b in zip(x, y)) / (50 * 40 * step)
assert (width, height) == (150, 40), (width, height)
assert off < 1.0, off
assert tile[0] != tile[1]
END
}
# The last cell of a range shows its last frame, also if the range ends at the last frame of a loop, where playback would
# show frame 0. A clip that plays once stops at this frame.
sheet_of_range() {
    set -- "$bobbin_mesh" "$models/bobbin/fall.md5anim" --range 4-45 --sheet 3x1 --resolution 150,40
    record "$@" --loop once --output "$scratch/once.png" &&
        record "$@" --loop loop --output "$scratch/loop.png" && cmp "$scratch/once.png" "$scratch/loop.png"
}
# Installs a substitute for ffmpeg, which stores its arguments and writes the number of input bytes.
stub_ffmpeg() {
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/ffmpeg" <<'END'
#!/bin/sh
for last; do :; done
printf '%s\n' "$@" >"$WORDS"
wc -c >"${last#file:}"
END
    chmod +x "$scratch/bin/ffmpeg"
    export WORDS="$scratch/words"
}
# arguments_contain WORD...: the arguments contain these words in a row.
arguments_contain() {
    tr '\n' ' ' <"$WORDS" | grep -qF -- " $* "
}
movie_by_ffmpeg() {
    stub_ffmpeg
    PATH=$scratch/bin:$PATH record "$model" "$anim" --frames 3 --frame-rate 12 --output "$scratch/it's.mp4" &&
        [ "$(cat "$scratch/it's.mp4")" -eq $((3 * 96 * 72 * 4)) ] &&
        arguments_contain -f rawvideo -pix_fmt rgba -s 96x72 -r 12 -i - && arguments_contain -colorspace bt709 &&
        arguments_contain -preset veryfast && arguments_contain -f mp4
}
# Checks that the viewer passes options to ffmpeg that encode fast and without storing the whole movie in
# memory.
webm_by_ffmpeg() {
    stub_ffmpeg
    PATH=$scratch/bin:$PATH record "$model" "$anim" --frames 2 --output "$scratch/m.webm" &&
        [ "$(cat "$scratch/m.webm")" -eq $((2 * 96 * 72 * 4)) ] && arguments_contain -f webm && arguments_contain -deadline realtime
}
# Checks that each image has its own palette. A common palette would need all images first.
gif_by_ffmpeg() {
    stub_ffmpeg
    PATH=$scratch/bin:$PATH record "$model" "$anim" --frames 2 --output "$scratch/m.gif" &&
        [ "$(cat "$scratch/m.gif")" -eq $((2 * 96 * 72 * 4)) ] && arguments_contain -f gif && grep -q 'palettegen=stats_mode=single' "$WORDS"
}
# Checks movies of the installed ffmpeg: they have all images, an even size, and a color matrix.
real_ffmpeg() {
    for ending in mp4 webm; do
        "$view" --verbose error --resolution 97,73 --samples 1 "$model" "$anim" --frames 4 --frame-rate 10 \
            --output "$scratch/real.$ending" || return 1
        stream_info=$(ffprobe -v error -count_frames -select_streams v -of csv=p=0 \
            -show_entries stream=width,height,color_space,nb_read_frames "$scratch/real.$ending")
        echo "$ending: $stream_info"
        [ "$stream_info" = 98,74,bt709,4 ] || return 1
    done
}
# Compares the colors of opaque pixels. In a GIF, each pixel is either opaque or transparent.
real_gif() {
    set -- "$bobbin_mesh" "$clip" --frames 5 --frame-rate 8 --no-background --output
    record "$@" "$scratch/real.gif" && record "$@" "$scratch/clear.apng" &&
        ffmpeg -loglevel error -y -i "$scratch/real.gif" -f rawvideo -pix_fmt rgba "$scratch/real.rgba" &&
        python3 - "$scratch/real.rgba" "$scratch/clear.apng" <<END
import sys
paths = sys.argv[1:]
sys.argv = ["frames.py"]
sys.path.insert(0, "test/viewer")
import frames
(width, height), expected = frames.read(paths[1])
data = open(paths[0], "rb").read()
size = 4 * width * height
assert len(data) == size * len(expected), (len(data), size)
total, count = 0, 0
for n, (_, rows) in enumerate(expected):
    gif, apng = data[size * n:size * (n + 1)], b"".join(rows)
    for i in range(0, size, 4):
        assert gif[i + 3] == (255 if apng[i + 3] >= 128 else 0), (n, i)
        if gif[i + 3]:
            total, count = total + sum(abs(gif[i + c] - apng[i + c]) for c in range(3)), count + 3
print(count, total / count)
assert count > 1000 and total / count < 6
END
}
without_ffmpeg() {
    mkdir "$scratch/none"
    ln -s "$(command -v sh)" "$scratch/none/sh"
    PATH=$scratch/none "$view" "$model" --frames 2 --output "$scratch/no.mp4" 2>"$scratch/err"
    [ $? -eq 1 ] && grep -q 'ffmpeg is not installed' "$scratch/err"
}
full_disk() {
    [ -w /dev/full ] || return 0
    ln -s /dev/full "$scratch/full.$1"
    ! record "$model" "$anim" --frames 2 --output "$scratch/full.$1" 2>"$scratch/err" &&
        grep -q "cannot write $scratch/full.$1 completely" "$scratch/err"
}

# A sheet of the models of a folder: one cell per file, even for a file that cannot be read.
sheet_of_folder() {
    mkdir -p "$scratch/folder/in" && cp models/zoo/triangle.md5mesh "$scratch/folder/a.md5mesh" &&
        cp models/zoo/chain.md5mesh "$scratch/folder/in/b.md5mesh" && echo text >"$scratch/folder/in/c.md5mesh" &&
        ln -s .. "$scratch/folder/in/again" || return 1
    "$view" --verbose error --resolution 300,100 --samples 1 "$scratch/folder" --output "$scratch/folder.png" \
        2>"$scratch/err"
    [ $? -eq 0 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -q 'c.md5mesh:1:1: error' "$scratch/err" &&
        [ "$(png size "$scratch/folder.png")" = "300 100" ] && python3 - "$scratch/folder.png" <<END
import sys
sys.argv, path = ["png.py"], sys.argv[1]
sys.path.insert(0, "test/viewer")
import png
width, height, rows, step = png.read(path)
cells = [[bytes(row[step * 100 * i:step * 100 * (i + 1)]) for row in rows] for i in range(3)]
def bright(rows): # letters of a name
    return sum(min(row[x:x + 3]) > 180 for row in rows for x in range(0, len(row), step))
assert all(bright(cell[-20:]) > 5 for cell in cells), [bright(cell[-20:]) for cell in cells]
assert len({b"".join(cell) for cell in cells}) == 3
def red(rows): # the error
    return sum(row[x] > 180 and row[x + 2] < row[x] - 60 for row in rows for x in range(0, len(row), step))
assert red(cells[2][:40]) > 50, red(cells[2][:40])
END
}
# The names of the folders distinguish two models of the same name, if they fit.
labels_distinguish_same_names() {
    mkdir -p "$scratch/alike/boba" "$scratch/alike/kyle" && cp models/zoo/triangle.md5mesh "$scratch/alike/boba/model.md5mesh" &&
        cp models/zoo/triangle.md5mesh "$scratch/alike/kyle/model.md5mesh" || return 1
    "$view" --verbose error --resolution 180,60 --samples 1 "$scratch/alike" --output "$scratch/alike.png" && python3 - "$scratch/alike.png" <<END
import sys
sys.argv, path = ["png.py"], sys.argv[1]
sys.path.insert(0, "test/viewer")
import png
width, height, rows, step = png.read(path)
names = [b"".join(bytes(row[step * 90 * i:step * 90 * (i + 1)]) for row in rows[-18:]) for i in range(2)]
assert names[0] != names[1]
END
}
rejects_folder_without_models() {
    mkdir "$scratch/bare" && record "$scratch/bare" --output "$scratch/bare.png" 2>"$scratch/err"
    [ $? -eq 1 ] && grep -q '.md5mesh file not found' "$scratch/err" && [ ! -e "$scratch/bare.png" ]
}
reports_models_that_do_not_fit() {
    "$view" --verbose warning --resolution 100,90 --samples 1 "$scratch/folder" --output "$scratch/small.png" 2>"$scratch/err"
    [ $? -eq 0 ] && grep -q 'only 1 of 3 models fit; use a larger --resolution' "$scratch/err"
}
# A file manager chooses any file name, and requests thumbnails of files that cannot be shown.
thumbnail_accepts_any_name() {
    name="$scratch/{n} .gif"
    record "$bobbin_mesh" --thumbnail 64 --output "$name" && python3 test/viewer/png.py size "$name" | grep -x '64 64' || return 1
    record "$scratch" --thumbnail 64 --output "$name.not" && return 1
    [ ! -e "$name.not" ]
}
# Each movie has the length of its clip, 3.5 seconds for wave, and equals the movie of that clip alone.
writes_movie_per_clip() {
    set -- "$bobbin_mesh" "$models/bobbin/walk.md5anim" "$models/bobbin/wave.md5anim" --frame-rate 8
    record "$@" --clips all --output "$scratch/{anim}.apng" &&
        record "$@" --animation-index 1 --frames 28 --output "$scratch/alone.apng" || return 1
    cmp "$scratch/wave.apng" "$scratch/alone.apng" && [ -s "$scratch/walk.apng" ] &&
        ! cmp -s "$scratch/walk.apng" "$scratch/wave.apng"
}
# The clip has 2 frames, so that the 5 cells are at frames 0, 0.25, ... 1. Each number is drawn with a decimal, and no two
# are equal. The clip with more frames than cells has the same number as a single image, without a decimal.
sheet_of_a_short_clip() {
    set -- --labels --background-color 0,0,0
    record "$bobbin_mesh" "$models/bobbin/look_up.md5anim" --sheet 5x1 --resolution 500,100 "$@" --output "$scratch/short.png" &&
        record "$bobbin_mesh" "$models/bobbin/idle.md5anim" --sheet 5x1 --resolution 500,100 "$@" --output "$scratch/long.png" &&
        record "$bobbin_mesh" "$models/bobbin/idle.md5anim" --resolution 100,100 --animation-time 0 "$@" --output "$scratch/one.png" &&
        python3 - "$scratch/short.png" "$scratch/long.png" "$scratch/one.png" <<END
import sys
paths = sys.argv[1:]
sys.argv = ["png.py"]
sys.path.insert(0, "test/viewer")
import png
(_, _, short, step), (_, _, long, _), (_, _, one, _) = [png.read(path) for path in paths]
def letters(rows, cell): # pixels of the text below an image
    return [[min(row[x:x + 3]) > 180 for x in range(step * 100 * cell, step * 100 * (cell + 1), step)] for row in rows[-18:]]
labels = [letters(short, cell) for cell in range(5)]
assert all(labels[a] != labels[b] for a in range(5) for b in range(a)), labels
assert letters(long, 0) == letters(one, 0)
END
}
# Checks a sheet of two clips, which has two cells for each clip.
sheet_of_clips() {
    set -- "$bobbin_mesh" "$models/bobbin/walk.md5anim" "$models/bobbin/wave.md5anim" --sheet 4x1 --resolution 400,100 --clips all
    record "$@" --output "$scratch/clips.png" && record "$@" --background-color 1,1,1 --output "$scratch/white.png" &&
        python3 - "$scratch/clips.png" "$scratch/white.png" <<END
import sys
paths = sys.argv[1:]
sys.argv = ["png.py"]
sys.path.insert(0, "test/viewer")
import png
(_, _, named, step), (_, _, white, _) = [png.read(path) for path in paths]
cells = [b"".join(bytes(row[step * 100 * i:step * 100 * (i + 1)]) for row in named) for i in range(4)]
assert len(set(cells)) == 4
def bright(rows, i): # letters of a name
    return sum(min(row[x:x + 3]) > 180 for row in rows[-18:] for x in range(step * 100 * i, step * 100 * (i + 1), step))
assert all(bright(named, i) > 20 for i in range(4)), [bright(named, i) for i in range(4)]
# The model fills most of its cell above the name, and its shadow does not reach the edge.
for i in range(4):
    cell = [row[step * 100 * i:step * 100 * (i + 1)] for row in white[:78]]
    drawn = [(x // step, y) for y, row in enumerate(cell) for x in range(0, len(row), step) if min(row[x:x + 3]) < 230]
    left, right = min(x for x, _ in drawn), max(x for x, _ in drawn)
    high = max(y for _, y in drawn) - min(y for _, y in drawn) + 1
    assert 0 < left and right < 99 and max(high / 78, (right - left + 1) / 100) >= 0.7, (i, left, right, high)
END
}
too_many_clips() {
    "$view" --verbose warning --resolution 40,40 --samples 1 "$bobbin_mesh" --sheet 2x1 --clips all --output "$scratch/few.png" 2>"$scratch/err" &&
        grep -q 'warning: only 2 of [0-9]* clips fit; use a larger --sheet' "$scratch/err"
}
folder_usage="a folder can only be drawn to one image, FILE.png, without --sheet, --turntable, --clips, --frames and --animation-time"
check "--clips all writes a movie for each clip" writes_movie_per_clip
check "a sheet shows positions between frames if it has more cells than the clip has frames" sheet_of_a_short_clip
check "a sheet shows all clips with their names" sheet_of_clips
check "a sheet reports clips that do not fit" too_many_clips
check "the file name of all clips must contain {anim}" refuses "{anim}" "$model" --clips all --output "$scratch/x.png"
check "all clips need --output" refuses --output "$model" --clips all
check "labels need --output" refuses --output "$model" --labels
check "a folder has no clips" refuses "$folder_usage" models --clips all --output "$scratch/x-{anim}.png"
check "a thumbnail can have any file name" thumbnail_accepts_any_name
check "--frames writes a series of images" writes_numbered_images
check_long "--animation-time writes the same series" writes_images_at_times
check "an APNG contains the same images" movie_matches_images "$scratch/m.apng" '$1 == 96 && $2 == 72 && $3 == 0.625 && $4 == 0'
check_long "a turntable shows the model from all sides" turntable_rotates
check "a sheet shows the frames of a clip" sheet_shows_clip
check "a sheet of a range shows its last frame" sheet_of_range
check "the models of a folder are drawn on a sheet" sheet_of_folder
check "models of the same name are labeled with their folders" labels_distinguish_same_names
check "models of a folder that do not fit are reported" reports_models_that_do_not_fit
check "MP4 is written through ffmpeg" movie_by_ffmpeg
check "WebM is written through ffmpeg" webm_by_ffmpeg
check "GIF is written through ffmpeg" gif_by_ffmpeg
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    check_long "the installed ffmpeg writes movies" real_ffmpeg
    check_long "the installed ffmpeg writes GIF files" real_gif
fi
check "a movie without ffmpeg is an error" without_ffmpeg
check "an APNG on a full disk is an error" full_disk apng
check "a sheet needs --output" refuses --output "$model" --sheet 3x3
check "a turntable needs --output" refuses --output "$model" --turntable
check "a thumbnail needs --output" refuses "--thumbnail requires --output and at most one --animation-time" "$model" --thumbnail 64
check "a thumbnail is a single image" refuses "--thumbnail cannot be combined with --turntable" "$model" --thumbnail 64 --turntable --output "$scratch/x.png"
check "a folder is drawn on a single sheet" refuses "$folder_usage" "$scratch/folder" --sheet 2x2 --output "$scratch/x.png"
check "a folder without models is an error" rejects_folder_without_models
check "a sheet cannot be a movie" refuses --sheet "$model" --sheet 3x3 --output "$scratch/x.gif"
check "a sheet needs at least one pixel per cell" refuses --sheet "$model" --sheet 64x64 --resolution 50,50 --output "$scratch/x.png"
check "a sheet needs rows" refuses --sheet "$model" --sheet 3 --output "$scratch/x.png"
check "standard output accepts only one image" refuses "--output - writes only one image; use one --animation-time" "$model" --turntable --output -
check "an unsupported suffix is rejected" refuses .apng "$model" --output "$scratch/x.avi"
finish
