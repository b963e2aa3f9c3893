# shellcheck shell=sh
# shellcheck disable=SC2154 # variables of web.sh
# Checks of the pages in one browser, which test/long/web.sh includes once for each browser. `browser` is chromium or firefox,
# `folder` an empty folder for files of these checks, `web` the folder of the site.

# check_page TITLE COMMAND...: like `check`, with the name of the browser.
check_page() {
    page_title=$1
    shift
    check "$browser: $page_title" "$@"
}

# -- The viewer ---------------------------------------------------------------------------------

bobbin="model=models/bobbin/bobbin.md5mesh"
# Compares the image that --output writes in the page with an image that md5view renders on this machine.
same_picture() { # KIND SHARE [OPTION]
    # The page and this machine draw the compressed clip of the site.
    "$products/md5view" --no-config ${3:+--$3} --animation-time 0.5 --output "$folder/here.png" $web/models/bobbin/bobbin.md5mesh \
        $web/models/bobbin/walk.md5anim &&
        shown open "view.html?kind=$1#no-config${3:+&$3}&animation-time=0.5&output=out.png&$bobbin&model=models/bobbin/walk.md5anim" \
            take /saved/out.png "$folder/there.png" same "$folder/here.png" "$folder/there.png" "$2"
}
for kind in simd scalar; do
    check_page "$kind: the image equals this machine's, and the console is empty" same_picture $kind 0.003 no-shadow
    grep '^note' "$scratch/check_output"
    check_page "$kind: the image with shadows equals this machine's" same_picture $kind 0.003
    grep '^note' "$scratch/check_output"
done
check_page "our model is shown by default, and a first visit reports no new version" shown open view.html is "document.title.startsWith('bobbin')" \
    is "navigator.serviceWorker.ready.then(() => !/new version/.test(note.textContent))"
check_page "an address of earlier versions leads to the viewer" shown begin "index.html?kind=scalar#no-config&model=models/thimble/thimble.md5mesh" \
    is "location.pathname === '/view.html' && location.search === '?kind=scalar'" started is "document.title.startsWith('thimble')"
# Measures the time of the first frame relative to the time of an empty page, in a browser that has just
# started. Uses the median of three measurements.
first_picture() {
    cat >$web/test/blank.html <<-END
	<!doctype html><link rel="icon" href="data:,"><canvas id="canvas"></canvas><script>
	const gl = canvas.getContext("webgl2"), pixel = new Uint8Array(4);
	gl.clear(gl.COLOR_BUFFER_BIT);
	requestAnimationFrame(() => requestAnimationFrame(() => {
	    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
	    performance.mark("picture");
	    document.documentElement.dataset.state = "started"; }));
	</script>
	END
    for _ in 1 2 3; do
        shown open test/blank.html mark "$folder/blank" && shown open "view.html#no-config" mark "$folder/ours" || return
    done
    paste "$folder/blank" "$folder/ours" | awk '{ print $2 / $1, $2, $1 }' | sort -n | sed -n 2p >"$folder/speed"
    read -r ratio ours blank <"$folder/speed"
    echo "note: the first picture after $ours ms, an empty one after $blank: $ratio times"
    numbers_satisfy '$1 <= 7' "$ratio"
}
check_page "the first frame takes at most 7 times as long as an empty page" first_picture
grep '^note: the first' "$scratch/check_output"
# The address names one model, and another model is dropped on the page.
check_page "a dropped file is shown" shown open "view.html#model=models/thimble/thimble.md5mesh" \
    is "document.title.startsWith('thimble')" drop models/lantern/lantern.md5mesh is "document.title.startsWith('lantern')"
check_page "a host that cannot be read is reported" shown fails "view.html#model=http://127.0.0.1:9/x.md5mesh" "open it here instead"
check_page "a missing model offers a link to the viewer" shown phone 360 740 \
    fails "view.html#no-config&model=absent/folder_with_a_long_name/none.md5mesh" "Open the viewer with the model Bobbin" \
    is "log.scrollWidth <= log.clientWidth && log.getBoundingClientRect().top === 0" \
    is "document.querySelector('#log a').click(), true" is "document.title.startsWith('bobbin') && location.hash === ''" forgive

# pause SECONDS: prints a condition that holds after this time and ten frames per second: a busy machine draws few frames.
pause() {
    echo "new Promise(done => (next => next($1 * 10, performance.now() + $1 * 1000))(function next(left, end) {
        left > 0 || performance.now() < end ? requestAnimationFrame(() => next(left - 1, end)) : done(true); }))"
}
link="document.getElementById('link').click()"
# The link contains the effect of mouse and fingers. The first of two fingers does not click, and the canvas follows the window.
distance="+location.hash.match(/camera-distance=([0-9.]+)/)?.[1]"
check_page "a drag rotates, and the wheel and two fingers zoom" shown size 1280 720 \
    open "view.html#no-config&model=models/lantern/lantern.md5mesh" drag 600 300 700 300 \
    is "$link, /camera-azimuth-angle=5&/.test(location.hash)" wheel 640 300 -3 is "$link, window.far = $distance" \
    pinch 600 300 100 200 is "$link, $distance < 0.8 * far && !/joint=/.test(location.hash)" \
    size 500 900 is "document.getElementById('canvas').width === 500"
soon=$(pause 2.5)
# The stick appears when the remaining files of the machine have arrived. On a busy machine, the demo may end before that: the second tap
# closes the card about its end, or postpones the end by 20 seconds. The demo does not end while a finger holds the stick.
check_page "the stick on a phone drives, and the device is recognized" shown phone 390 844 open "view.html#no-config&verbose=debug" \
    is "/quality: step 1 on .*(SwiftShader|llvmpipe)/.test(log.textContent)" tap 200 100 0.1 \
    is "new Promise(done => setTimeout(() => done(!/^drive:/m.test(log.textContent)), 2000))" \
    is "/^drop machine: .*states=idle,[^ ]*ready/m.test(log.textContent)" tap 200 100 0.1 push 94 664 94 600 \
    is "/^drive:/m.test(log.textContent)" is "window.count_ends = () => (log.textContent.match(/^end:/gm) ?? []).length, window.num_ends = count_ends(), true" \
    is "$(pause 22)" is "count_ends() === num_ends"
check_page "a long press acts as the right button" shown phone 390 844 open "view.html#no-config&verbose=debug" tap 200 400 0.7 \
    is "/^context:/m.test(log.textContent)"
# Prints the middle pixel of a row of images.
middle() { # ROW FILE...
    python3 -c 'import sys
sys.path.insert(0, "test/viewer")
import png
for name in sys.argv[2:]:
    width, _, rows, step = png.read(name)
    print(sorted(max(rows[int(sys.argv[1])][i * step:i * step + 3]) for i in range(width))[width // 2])' "$@"
}
# A machine that is named in the address is shown without the demo, whose end would cover it with a card.
machine="view.html#no-config&model=models/bobbin/bobbin.md5machine"
# After a tap on the handle, the pixel belongs to the sheet, which is dark, and no longer to the ground.
sheet() {
    shown phone 390 844 open "$machine" tap 200 100 0.1 is "$soon" save "$folder/bar.png" tap 195 790 0.1 \
        is "$soon" save "$folder/half.png" &&
        middle 1200 "$folder/bar.png" "$folder/half.png" >"$folder/levels" || return
    # shellcheck disable=SC2046,SC2016 # two numbers
    numbers_satisfy '$1 > 100 && $2 < 60' "$(echo $(cat "$folder/levels"))"
}
check_page "panels on a phone appear at the bottom" sheet
# The note about driving keys is one dark line above the buttons, whose upper edge is at 94 points; the note's middle is at 73.
note_is_above_buttons() {
    shown phone 360 740 open "$machine" key w is "$soon" is "$soon" save "$folder/keys.png" &&
        for row in 160 200; do middle $row "$folder/keys.png" || return; done >"$folder/levels"
    # shellcheck disable=SC2046,SC2016 # two numbers
    numbers_satisfy '$1 < 60 && $2 > 100' "$(echo $(cat "$folder/levels"))"
}
check_page "the note about driving keys is above a phone's buttons" note_is_above_buttons
check_page "clips on a phone are selected by taps" shown phone 390 844 open "view.html#no-config&verbose=debug&$bobbin" tap 195 778 0.1 \
    is "$soon" tap 195 800 0.1 is "/ clip=bow /.test(log.textContent)"

# A model of the page, saved as glTF by the command "Export glb", equals the output of md5tool, except for the compression of its
# images.
exported() {
    shown size 1280 720 open "view.html#no-config&$bobbin&model=models/bobbin/walk.md5anim" \
        is "HTMLAnchorElement.prototype.click = function () {
        fetch(this.href).then(response => response.arrayBuffer()).then(bytes => window.download = [this.download, new Uint8Array(bytes)]); }, true" \
        key Control+p keys "export glb" key Enter is "$soon" key Enter is "window.download && download[0] === 'bobbin_walk.glb' && (md5.FS.writeFile('/saved/.got', download[1]), true)" \
        take /saved/.got "$folder/there.glb" &&
        "$products/md5tool" convert $web/models/bobbin/bobbin.md5mesh $web/models/bobbin/walk.md5anim --output "$folder/here.glb" || return
    for side in here there; do
        "$products/md5tool" convert "$folder/$side.glb" --output "$folder/$side/bobbin.md5mesh" || return
    done
    cmp "$folder/here/bobbin.md5mesh" "$folder/there/bobbin.md5mesh" && cmp "$folder/here/walk.md5anim" "$folder/there/walk.md5anim"
}
check_page "a model is saved as glTF" exported

# The link contains the current view. If the driver removes the WebGL context, as drivers of phones do, the viewer
# restarts with all files.
walk="view.html#no-config&camera-azimuth-angle=60&model=models/thimble/thimble.md5mesh&model=models/thimble/walk.md5anim"
lose() { # CANVAS: a condition that loses its context, and restores it a second later
    echo "(c => (c.lost ??= c.getContext('webgl2').getExtension('WEBGL_lose_context'), c.lost.loseContext(),
        new Promise(done => setTimeout(() => done(c.lost.restoreContext() === undefined), 1000))))($1)"
}
check_page "a link contains the current view" shown open "$walk" is "$link,
    /[#&]camera-azimuth-angle=60&/.test(location.hash) && /animation-time=[0-9.]+&.*thimble.md5mesh&.*walk.md5anim$/.test(location.hash)"
# The first lesson has a slider. The last lesson needs a model that the other lessons do not need.
check_page "the link of a lesson contains its sliders" shown open "view.html#no-config&lesson=additive&set=weight%3D0.5" is "$link,
    /^#(.*&)?lesson=additive&(.*&)?set=weight%3D0.5$/.test(location.hash)" open "view.html#no-config&lesson=walk" \
    is "$link, /lesson=walk/.test(location.hash) && !/model=|set=/.test(location.hash)"
check_page "the viewer restarts after a lost context" shown open "$walk" drop models/lantern/lantern.md5mesh \
    is "document.title.startsWith('lantern')" is "$(lose "document.getElementById('canvas')")" \
    is "document.documentElement.dataset.restarts === '1' && document.title.startsWith('lantern')"
(cd models && python3 -m zipfile -c "$folder/ours.pk4" lantern)
cp models/lantern/lantern.md5mesh "$folder/ours.md5mesh"
head -c 900 "$folder/ours.pk4" >"$folder/cut.pk4"
check_page "an archive opens as a folder" shown open "$walk" drop "$folder/ours.pk4" \
    is "md5.FS.analyzePath('/dropped/0/ours/lantern/lantern.md5mesh').object?.usedBytes === $(wc -c <models/lantern/lantern.md5mesh)" \
    drop "$folder/cut.pk4" is "/cut.pk4: error: damaged archive: invalid or truncated file list/.test(document.getElementById('note').textContent)"
# Names that the program's folders cannot contain: a file and a folder of one name, names of JavaScript's objects, paths
# outside.
mkdir -p "$folder/odd/hasOwnProperty" && cp models/lantern/lantern.md5mesh "$folder/odd/hasOwnProperty"
odd_archive() {
    python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name in "a", "a/b", "hasOwnProperty", "__proto__/c", "../d":
        archive.writestr(name, "x")' "$folder/odd.zip" &&
        shown open "$walk" drop "$folder/odd.zip" is "(text => /odd\/a: skipped: a folder has the same name/.test(text) &&
            /odd.zip: warning: ..\/d: skipped: the path leads outside the archive/.test(text))(document.getElementById('note').textContent)" \
            is "md5.FS.readdir('/dropped/0/odd').sort().join() === '.,..,__proto___,a,hasOwnProperty_'" \
            drop "$folder/odd/hasOwnProperty" is "document.title.startsWith('lantern')"
}
check_page "unusual names in an archive are preserved or reported" odd_archive
# A texture is dropped before its model, and is not applied to the model that is shown at that time.
mkdir "$folder/apart" && cp models/lantern/lantern.md5mesh "$folder/apart"
check_page "a texture may be dropped before its model" shown open "$walk" drop models/lantern/lantern.png is "md5.FS.analyzePath('/dropped/0/lantern.png').exists" \
    drop "$folder/apart/lantern.md5mesh" is "document.title.startsWith('lantern') && md5.FS.analyzePath('/dropped/1/lantern.png').exists"
# The program is delayed until the page has received the drop.
held="(compile => { WebAssembly.compileStreaming = (...args) => new Promise(resolve => window.go = resolve).then(() => compile.call(WebAssembly, ...args)); })
    (WebAssembly.compileStreaming)"
check_page "files that are dropped before the program is loaded are opened" shown before "$held" begin "view.html#no-config" drop models/lantern/lantern.md5mesh \
    is "note.textContent === 'The files open when the viewer is loaded'" is "go(), true" started is "document.title.startsWith('lantern')"
# Checks that the losses of a conversion are reported with the messages of md5tool.
gltf() {
    for ending in glb gltf; do
        "$products/md5tool" convert models/thimble/thimble.md5mesh models/thimble/walk.md5anim --output "$folder/its/gift.$ending" &&
            "$products/md5tool" convert "$folder/its/gift.$ending" --output "$folder/back/" --force 2>"$folder/notes" &&
            note=$(sed -n 's/^note: //p' "$folder/notes" | head -n 1) && [ -n "$note" ] || return
        if [ $ending = glb ]; then set -- "$folder/its/gift.glb"; else rm "$folder/its/gift.glb" && set -- "$folder/its/"*; fi
        shown open "$walk" drop "$@" is "document.title.startsWith('gift') && log.textContent.includes('$note')" || return
    done
    shown open "$walk" drop "$folder/its" is "document.title.startsWith('gift')" drop "$folder/its/gift.gltf" \
        is "log.textContent.includes('gift.gltf: error: buffers/0: cannot read gift.bin: No such file')"
}
mkdir "$folder/its"
check_page "glTF opens as one file, with its files and as a folder, and losses are reported" gltf
mkdir "$folder/void"
check_page "an empty folder and an empty archive open as folders" shown open "$walk" drop "$folder/void" is "md5.FS.analyzePath('/dropped/0/void').exists" \
    is "$soon" is "log.textContent === ''"
cp models/lantern/lantern.md5mesh $web/test/alone.md5mesh
check_page "missing images are reported" shown open "view.html#no-config&model=test/alone.md5mesh" \
    is "/lantern. Open the model's folder/.test(document.getElementById('note').textContent)" forgive

# Random bytes, and a model with impossible counts: the viewer reports them and continues.
python3 -c 'import random; open("'"$folder"'/noise.md5mesh", "wb").write(random.Random(1).randbytes(100000))'
printf 'MD5Version 10\ncommandline ""\nnumJoints 4000000000\nnumMeshes 1\n' >"$folder/hostile.md5mesh"
tool_message_is_printed() { # NAME: prints a condition that the program has printed md5tool's line
    (cd "$folder" && "$root/$products/md5tool" info "$1" 2>&1) | sed -n '/: error: /{s/.*/`&`/;s/^/log.textContent.split("\\n").includes(String.raw/;s/$/)/;p;q;}'
}
: >"$folder/empty.md5mesh"
check_page "random bytes, a hostile file and an empty file are reported with md5tool's messages" shown open "$walk" drop "$folder/noise.md5mesh" is "$(tool_message_is_printed noise.md5mesh)" \
    drop "$folder/hostile.md5mesh" is "$(tool_message_is_printed hostile.md5mesh)" key Escape drop "$folder/empty.md5mesh" is "$(tool_message_is_printed empty.md5mesh)" key Escape \
    drop models/lantern/lantern.md5mesh is "document.title.startsWith('lantern')"

# -- The site -----------------------------------------------------------------------------------

early="performance.getEntriesByType('resource').filter(entry => entry.responseEnd < performance.getEntriesByName('picture')[0].startTime)
    .map(entry => entry.name.replace(/.*\//, '')).sort().join(' ')"
check_page "the first frame needs these files" shown open "view.html#no-config" is "performance.getEntriesByName('picture').length > 0" \
    is "$early === 'bobbin.1.gz files.js md5view-simd.js md5view-simd.wasm models.json page.css style.css unpack.js view.js'"
# Our machine continues when its remaining files arrive late: it is not opened again, does not restart, and can then be driven.
delay_files="(f => { const arrival = new Promise(resolve => window.deliver = resolve); window.fetch = (url, ...args) =>
    /bobbin.2/.test(url.url ?? url) ? arrival.then(() => f(url, ...args)) : f(url, ...args); return true; })(fetch)"
first="performance.getEntriesByName('picture').length > 0"
has_model="performance.getEntriesByType('resource').some(entry => /tendril.gz/.test(entry.name))"
check_page "late files do not restart the animation" shown begin "view.html#no-config&verbose=debug" is "$delay_files" is "$first" is "$soon" \
    is "deliver(), true" is "$has_model" is "$soon" is "/^drop machine: .*states=idle,[^ ]*ready/m.test(log.textContent)" is "log.textContent.match(/^opened: /gm).length === 1"
# A lesson that is requested before its files have arrived shows a note, and then opens without missing files.
check_page "a lesson waits for its files, and the note shows the progress" shown begin "view.html#no-config" is "$delay_files" is "$first" \
    key y key y is "/^Loading the lesson: [0-9]+ %$/.test(note.textContent)" \
    is "deliver(), true" is "$link, /[#&]lesson=/.test(location.hash) && log.textContent === '' && note.textContent.startsWith('Copied')"
# If the reader has opened the list of lessons, it remains open when the remaining files of Bobbin's machine arrive.
check_page "late files do not replace the opened view" shown begin "view.html#no-config&verbose=debug" is "$delay_files" is "$first" \
    key Control+p keys tech key Enter is "/^set: /m.test(log.textContent)" is "$soon" save "$folder/opened.png" is "deliver(), true" \
    is "performance.getEntriesByType('resource').some(entry => /bobbin.2/.test(entry.name))" is "$soon" is "$soon" \
    save "$folder/later.png" same "$folder/opened.png" "$folder/later.png" 0.02
focused="document.activeElement.id || document.activeElement.tagName"
# These are two checks, because loading a page moves the focus to the window of the browser.
check_page "Tab leaves the viewer immediately" shown open "view.html#no-config" is "($focused) === 'canvas'" key Tab is "($focused) !== 'canvas'"
check_page "Tab leaves the viewer after Escape" shown open "view.html#no-config" key w key Tab is "($focused) === 'canvas'" \
    key Escape key Tab is "($focused) !== 'canvas'"
check_page "F6 leaves the viewer and returns to it, and pressing Escape twice leaves it" shown open "view.html#no-config" key w key F6 \
    is "($focused) === 'A' && document.activeElement.getBoundingClientRect().height >= 44" key F6 is "($focused) === 'canvas'" \
    key Escape is "$soon" is "($focused) === 'canvas'" key "Escape Escape" is "($focused) === 'A'" key Escape is "($focused) === 'canvas'"
# Local files are opened from the viewer's own menu; no element of the page covers it.
check_page "the viewer's menu opens files, and copies the link" shown size 1280 720 open "view.html#no-config" \
    is "HTMLInputElement.prototype.click = function () { window.is_multiple = this.multiple; }, true" key Control+o is "window.is_multiple === true" \
    key Control+p keys folder key Enter is "window.is_multiple === false" \
    key Control+p keys link key Enter is "/no-config/.test(location.hash) && note.textContent.startsWith('Copied')" \
    is "[100, 400, 700].every(y => [100, 640, 1200].every(x => document.elementFromPoint(x, y) === canvas || note.contains(document.elementFromPoint(x, y))))"

# A lesson on a phone: drawing, text, sliders and code belong to the page; all are readable and can be operated.
texts="[...document.querySelectorAll('p, label, code, a, select')].filter(element => element.textContent.trim() !== '')"
check_page "a lesson is readable on a phone" shown phone 360 740 open "techniques/additive.html" is "'drawn' in document.documentElement.dataset" \
    is "document.documentElement.scrollWidth === 360" is "$texts.every(element => parseFloat(getComputedStyle(element).fontSize) >= 14)" \
    is "[...document.querySelectorAll('a, select, input')].every(element => element.getBoundingClientRect().height >= 44)" \
    is "canvas.getBoundingClientRect().height <= 370 && document.querySelector('code').textContent.includes('md5_quat_conjugate')" \
    is "(input => (input.value = 0.2, input.dispatchEvent(new Event('input', {bubbles: true}))))(document.querySelector('[name=weight]'))" \
    is "document.querySelector('[name=weight]').previousElementSibling.value === '0.2' && /set=weight%3D0.2/.test(location.hash)"
# The sliders have the values of the address, and change the drawing and the measured number, with its displayed digits.
check_page "a lesson reports its sliders and numbers" shown open "techniques/crossfade.html#set=seconds%3D3" \
    is "document.querySelector('[name=seconds]').value === '3'" is "/^weight of the wave: [0-9.]+ /m.test(facts.textContent)" \
    is "(input => (input.value = 0.05, input.dispatchEvent(new Event('input', {bubbles: true}))))(document.querySelector('[name=seconds]'))" \
    is "/^weight of the wave: (1|0) /m.test(facts.textContent)"
check_page "a lesson with another model is drawn" shown open "techniques/walk.html" is "'drawn' in document.documentElement.dataset" \
    is "/^a step takes: /m.test(facts.textContent)"
# The page shows the element that the user types, with its attributes, and ignores all other content of the text. This is also
# tested with the keyboard and on a phone.
snippet="(text => (snippet.value = text, snippet.dispatchEvent(new Event('input'))))"
check_page "the element's page shows the typed element" shown size 1000 700 open embed.html \
    is "dance.alt === 'Bobbin dances' && dance.cameraControls && dance.animationName === null" \
    is "snippet.focus(), snippet.setSelectionRange(...Array(2).fill(snippet.value.indexOf('autoplay'))), true" type "animation-name=walk " \
    is "dance.animationName === 'walk' && message.textContent === ''" key Tab is "document.activeElement.id === 'copy'" \
    is "$snippet('<img src=x onerror=\"window.bad = 1\"><md5-model src=models/lantern/lantern.md5mesh onclick=\"bad\" camera-orbt=1><script>window.bad = 1</script>'), true" \
    is "dance.src === 'models/lantern/lantern.md5mesh' && dance.animationName === null && /^Unknown attributes: onclick, camera-orbt[.] .*camera-orbit/.test(message.textContent)" \
    is "!dance.hasAttribute('onclick') && !window.bad" is "dance.loaded.then(() => dance.isLoaded)" \
    is "$snippet('nothing'), true" is "/not contain <md5-model/.test(message.textContent) && dance.isLoaded" \
    size 360 740 is "document.documentElement.scrollWidth === 360 && parseFloat(getComputedStyle(snippet).fontSize) >= 16" \
    is "[snippet, copy].every(element => element.getBoundingClientRect().height >= 44)" forgive
# The bytes of all files, without compression by the server, until the first model of the page is drawn.
sum="new MutationObserver((_, observer) => window.dance && (observer.disconnect(), dance.addEventListener('load', () => window.sum =
    performance.getEntriesByType('resource').reduce((sum, entry) => sum + entry.encodedBodySize, 0)))).observe(document, {childList: true, subtree: true})"
check_page "the element's page loads at most 3 MB before its first model" shown before "$sum" open embed.html is "sum > 1e5 && sum <= 3e6"
check_page "on a phone the model is above its code" shown phone 390 844 open embed.html \
    is "dance.getBoundingClientRect().bottom <= snippet.getBoundingClientRect().top && dance.getBoundingClientRect().height >= 400" \
    is "getComputedStyle(document.querySelector('.with-keys')).display === 'none'"
check_page "the site contains the package" shown open index.html is "fetch('embed.html').then(response => response.text())
    .then(text => fetch(/element\/md5model-[0-9.]*tgz/.exec(text)[0], {method: 'HEAD'})).then(response => response.ok)"
check_page "the start page runs no program" shown open index.html is "!performance.getEntriesByType('resource').some(entry => /wasm|md5view/.test(entry.name))"

# Caches of earlier versions are removed; caches of other sites of the host remain. Visited pages are stored.
active="navigator.serviceWorker.ready.then(registration => registration.active.state === 'activated')"
check_page "visited pages work without a network" shown open "view.html#no-config" is "caches.open('of another').then(() => true)" \
    is "$active" open "view.html#no-config" is "document.title.startsWith('bobbin')" is "$soon" open docs/guide-viewer.html open index.html \
    is "caches.keys().then(names => names.length === 2 && names.includes('of another'))" \
    stop open "view.html#no-config" is "document.title.startsWith('bobbin')" open docs/guide-viewer.html open index.html forgive
# Adds a version in which one page differs: sw.js, the list of files, and that page. The reader is informed,
# and gets the new page at the second visit.
new_version() {
    cp $web/index.html "$folder/index.html" && cp $web/files.json "$folder/files.json" && cp $web/sw.js "$folder/sw.js" || return
    cat >"$folder/change" <<-END
	printf '<!-- new -->' >>$web/index.html
	sed 's/"index.html":"......../"index.html":"01234567/' "$folder/files.json" >$web/files.json
	sed 's/^const prefix/const is_new = true, prefix/; s/ + "\([0-9a-f]*\)"/ + "new"/' "$folder/sw.js" >$web/sw.js
	END
    shown open "view.html#no-config" is "$active" open "view.html#no-config" \
        is "performance.getEntriesByType('resource').some(entry => /tendril.gz/.test(entry.name))" is "$soon" run "$folder/change" \
        asks 3 "navigator.serviceWorker.ready.then(registration => (window.update ??= registration.update()).then(() => registration)).then(registration => !!registration.waiting && /new version/.test(note.textContent))" \
        is "fetch('index.html').then(response => response.text()).then(text => !text.endsWith('<!-- new -->'))" \
        open "view.html#no-config" is "fetch('index.html').then(response => response.text()).then(text => text.endsWith('<!-- new -->'))"
    status=$?
    for file in index.html files.json sw.js; do cp "$folder/$file" $web/$file; done
    return $status
}
check_page "a new version takes three requests, and is reported" new_version
check_page "all files are stored, and work without a network" shown open index.html is "document.getElementById('store').click(), true" \
    is "new Promise(done => new MutationObserver(() => /^All files are stored/.test(message.textContent) && done(true)).observe(message, {childList: true}))" \
    stop open techniques/walk.html is "'drawn' in document.documentElement.dataset" open docs/guide-viewer.html open "view.html#lesson=walk" \
    is "document.title.startsWith('thimble')" forgive
pages="index.html techniques/index.html techniques/additive.html embed.html view.html docs/index.html docs/guide-converting.html docs/md5math_8h.html docs/globals.html"
for page in $pages; do
    check_page "$page: axe-core reports no problems" shown open "$page" audit "$scratch/node_modules/axe-core/axe.min.js"
done

# -- The element --------------------------------------------------------------------------------

element() { # TASK...
    shown size 1000 700 open embed.html "$@"
}
dance="document.getElementById('dance')"
check_page "elements play a clip and a machine, and report events" element \
    is "/dance loop: .*/.test(log.textContent) && /machine machine-event: /.test(log.textContent)" \
    is "document.documentElement.scrollWidth <= innerWidth" save "$folder/page.png" same "$folder/page.png" "$folder/page.png" 0
once="(kind, change) => new Promise(done => { $dance.addEventListener(kind, event => done(event.detail), {once: true}); change(); })"
check_page "a camera path is followed" element is "($once)('load', () => $dance.cameraPath = 'models/bobbin/flight.md5camera').then(() => true)"
check_page "clips fade, time can be set, and the last repetition is reported" element is "($once)('finished', () => {
    $dance.animationName = 'walk'; $dance.timeScale = 4; $dance.play({repetitions: 1}); }).then(detail => detail.name === 'walk' && $dance.paused)" \
    is "$dance.currentTime = 0.5, Math.abs($dance.currentTime - 0.5) < 1e-3 && $dance.getAttribute('animation-name') === 'walk'" \
    is "Math.abs($dance.duration - ($(sed -n 's/^numFrames //p' models/bobbin/walk.md5anim) - 1) / $(sed -n 's/^frameRate //p' models/bobbin/walk.md5anim)) < 1e-3"
check_page "invisible elements take no time" element \
    is "document.body.style.paddingTop = '3000px', new Promise(done => setTimeout(() => {
        let calls = 0; const ask = requestAnimationFrame; window.requestAnimationFrame = f => (calls++, ask(f));
        setTimeout(() => done(calls === 0), 1000); }, 1500))"
still="document.querySelectorAll('md5-model').forEach(model => model.pause()), log.style.display = 'none', $(pause 2)"
# Bobbin stands still, except for a parameter that drives only a morph target.
smiles() {
    smile=$(pause 2)
    element is "$still" is "talk.setParameter('smile', 0), $smile" save "$folder/before.png" \
        is "talk.parameters = 'smile=0.0', $smile" save "$folder/again.png" \
        is "talk.parameters = 'smile=1', $smile" save "$folder/after.png" &&
        cmp "$folder/before.png" "$folder/again.png" && ! cmp -s "$folder/before.png" "$folder/after.png"
}
check_page "a machine drives morph targets" smiles
printf 'noise' >$web/test/noise.md5mesh
sentence='This model could not be shown.'
check_page "invalid and missing files cause events and messages, and are not stored" element \
    is "($once)('error', () => $dance.src = 'test/noise.md5mesh').then(detail => detail.sourceError.code === 'parse'
        && /noise.md5mesh/.test(detail.sourceError.message) && $dance.shadowRoot.querySelector('[role=alert]').textContent === '$sentence')" \
    is "(style => { const light = text => text.match(/[0-9]+/g).reduce((sum, value, i) => sum + [0.2126, 0.7152, 0.0722, 0][i] * (value / 255) ** 2.2, 0.05);
        return Math.abs(Math.log(light(style.color) / light(style.backgroundColor))) >= Math.log(4.5); })(getComputedStyle($dance.shadowRoot.querySelector('.error')))" \
    is "($once)('error', () => $dance.src = 'none.md5mesh').then(detail => detail.sourceError.code === 'http' && detail.sourceError.status === 404)" \
    is "($once)('dressed', () => { $dance.clips = null; $dance.textures = 'lantern.png'; $dance.src = 'models/lantern/lantern.md5mesh'; }).then(() => $dance.loadError === null)" forgive

# Draws thirty models in boxes of three shapes from all sides. The page has a strict policy, and sets
# properties before the element is defined. All models must be drawn, in one context and with one request per
# file, and no model may touch an edge of its box. A second page has another policy.
many() {
    for policy in "'self' 'wasm-unsafe-eval'" "'self'"; do
        cat <<-END
	<!doctype html><html lang="en"><meta charset="utf-8"><title>Many</title><link rel="icon" href="data:,">
	<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src $policy; style-src 'self';
	    connect-src 'self'; img-src data:; require-trusted-types-for 'script'">
	<body><script src="many.js"></script><script type="module" src="../element/md5-model.js"></script></body>
	END
    done | awk -v web=$web '/doctype/ { n++ } { print > (web "/test/many" n ".html") }'
    cat >$web/test/many.js <<-END
	const contexts = [], get = HTMLCanvasElement.prototype.getContext;
	HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
	    const context = get.call(this, kind, ...more);
	    if (kind === "webgl2" && !contexts.includes(context))
	        contexts.push(context);
	    return context;
	};
	const names = ["lantern", "thimble", "spindle", "tendril"], all = [];
	// Texts that would be HTML or scripts are asked about where the browser knows trusted types: this page's alone.
	let texts = 0;
	const note = (text) => (texts++, text);
	globalThis.trustedTypes?.createPolicy("default", {createHTML: note, createScript: note, createScriptURL: note});
	document.createElement("p").innerHTML = "text";
	for (let i = 0; i < 30; i++) {
	    const model = document.createElement("md5-model"), name = names[i % 4];
	    Object.assign(model, {src: "../models/" + name + "/" + name + ".md5mesh", textures: "*=../models/" + name + "/" + name + ".png",
	        shadowIntensity: 0, cameraOrbit: 47 * i + "deg " + (5 + 23 * i % 95) + "deg 100%", loading: "eager"});
	    [model.style.inlineSize, model.style.blockSize] = [["120px", "120px"], ["60px", "120px"], ["200px", "50px"]][i % 3];
	    model.style.display = "inline-block";
	    document.body.append(model);
	    all.push(model);
	    for (const kind of ["dressed", "error"])
	        model.addEventListener(kind, () => model.dataset.result = kind);
	}
	const wait = setInterval(() => {
	    if (all.some((model) => !model.dataset.result))
	        return;
	    clearInterval(wait);
	    document.documentElement.dataset.state = texts !== (globalThis.trustedTypes ? 1 : 0)
	        || all.some((model) => model.dataset.result === "error") ? "failed" : "started";
	}, 100);
	// Opaque pixels of a picture, and those at its edges.
	function count_opaque(model) {
	    const {width, height} = model.shadowRoot.querySelector("canvas"), {data} = model.shadowRoot.querySelector("canvas").getContext("2d")
	        .getImageData(0, 0, width, height), counts = [0, 0];
	    for (let i = 0; i < width * height; i++) {
	        const x = i % width, y = (i - x) / width, edge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
	        counts[0] += data[4 * i + 3] > 0;
	        counts[1] += edge && data[4 * i + 3] > 0;
	    }
	    return counts;
	}
	END
    fetched="ending => performance.getEntriesByType('resource').filter(entry => entry.name.endsWith(ending)).length"
    shown size 1100 700 open test/many1.html is "all.every(model => count_opaque(model)[0] > 150 && count_opaque(model)[1] === 0)" \
        is "contexts.length === 1 && ($fetched)('.md5mesh') === 4 && ($fetched)('.wasm') === 1" \
        is "all[0].getAttribute('loading') === 'eager' && all[0].shadowIntensity === 0 && all[0].textureReport[0].missing === false" \
        is "window.before = all.map(model => model.toDataURL()), window.lost = contexts[0].getExtension('WEBGL_lose_context'),
            lost.loseContext(), new Promise(done => setTimeout(() => done(all.every((model, i) => model.toDataURL() === before[i])), 700))" \
        is "(async (later) => { for (let i = 0; i < 3; i++) { lost.restoreContext(); await later(5000); i < 2 && await later(700, lost.loseContext()); }
            return true; })(time => new Promise(done => setTimeout(done, time)))" \
        is "all.every((model, i) => model.toDataURL() === before[i]) && contexts.length === 1" \
        is "all.slice(1).forEach(model => model.remove()), all[0].textures = 'thimble.png', all[0].src = '../models/thimble/thimble.md5mesh', true" \
        is "/thimble/.test(all[0].textureReport[0]?.pictures.color)" forgive || return # messages about reading of pixels by the test, and about missing images
    shown fails test/many2.html "" is "all.every(model => model.loadError.code === 'csp' && /wasm-unsafe-eval/.test(model.loadError.message))" forgive
}
check_page "thirty elements share one context under a strict policy, and survive its losses" many

# Tests one element at a time on an empty page, whose requests the test can answer: add(PROPERTIES) creates an
# element of a model, next_event(MODEL, KIND) is the detail of its next event, MODEL.events lists the events,
# answers(URL, COUNT) can answer requests, count_requests(URL) counts them.
cat >$web/test/plain.html <<-END
	<!doctype html><html lang="en"><meta charset="utf-8"><title>Plain</title><link rel="icon" href="data:,">
	<style>md5-model { inline-size: 160px; block-size: 160px; }</style>
	<body><script>
	const requests = [], original_fetch = fetch, sizes = {}, counts = {}, call = WebGL2RenderingContext.prototype;
	let answers = () => {}, memory;
	const count_requests = (part) => requests.filter((request) => request.url.includes(part)).length;
	fetch = (url, more) => {
	    requests.push({url: String(url), signal: more?.signal});
	    return Promise.resolve(answers(String(url), count_requests(url), more)).then((response) => response ?? original_fetch(url, more)).then((response) => (requests.findLast(
	        (request) => request.url === String(url)).status = response.status, response));
	};
	const make = WebAssembly.instantiate;
	WebAssembly.instantiate = (...parts) => make(...parts).then((result) => (memory = Object.values((result.instance ?? result).exports).find(
	    (value) => value instanceof WebAssembly.Memory), result));
	for (const kind of ["Buffer", "Texture", "Program", "Shader", "VertexArray", "Framebuffer"])
	    for (const [verb, by] of [["create", 1], ["delete", -1]]) {
	        const before = call[verb + kind];
	        call[verb + kind] = function (...parts) {
	            counts[kind] = (counts[kind] ?? 0) + (by > 0 || parts[0] ? by : 0);
	            return before.apply(this, parts);
	        };
	    }
	const next_event = (model, kind) => new Promise((done, fail) => {
	    model.addEventListener(kind, (event) => done(event.detail), {once: true});
	    setTimeout(() => fail(new Error("no " + kind + ", but " + model.events + ": " + model.loadError)), 20000);
	});
	const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds, true));
	const get_canvas = (model) => model.shadowRoot.querySelector("canvas");
	function add(more) {
	    const model = document.createElement("md5-model");
	    model.events = [];
	    model.progress_values = [];
	    for (const kind of ["progress", "load", "poster-dismissed", "model-visibility", "dressed", "error", "play", "pause", "loop", "finished"])
	        model.addEventListener(kind, (event) => kind === "progress" ? model.progress_values.push(event.detail.totalProgress) : model.events.push(kind));
	    Object.assign(model, {src: "../models/lantern/lantern.md5mesh", textures: "lantern.png", ...more});
	    document.body.append(model);
	    return model;
	}
	</script><script type="module" src="../element/md5-model.js"></script></body>
END
plain() {
    shown size 1000 700 open test/plain.html "$@"
}
check_page "an element below is fetched when it is near, an eager element immediately" plain \
    is "document.body.style.paddingTop = '3000px', window.model = add(), sleep(700).then(() => requests.length === 0)" \
    is "scrollTo(0, 3000), next_event(model, 'dressed').then(() => count_requests('.wasm') === 1 && count_requests('.md5mesh') === 1)" \
    is "scrollTo(0, 0), next_event(add({loading: 'eager', src: '../models/thimble/thimble.md5mesh', textures: 'thimble.png'}), 'dressed').then(() => true)" forgive
check_page "failed requests are repeated, and missing files are not stored" plain \
    is "answers = (url, count) => /md5mesh/.test(url) && count < 3 ? new Response('', {status: 503}) : null, window.model = add(),
        next_event(model, 'load').then(() => count_requests('.md5mesh') === 3 && model.loadError === null)" forgive \
    is "answers = (url) => /none/.test(url) ? new Response('', {status: 404}) : null, window.model = add({src: 'none.md5mesh'}),
        next_event(model, 'error').then(detail => detail.sourceError.code === 'http' && detail.sourceError.status === 404 && count_requests('none') === 1)" \
    is "answers = (url) => /none/.test(url) ? original_fetch('../models/lantern/lantern.md5mesh') : null, model.reload(),
        next_event(model, 'load').then(() => model.loadError === null && model.isLoaded)" \
    is "answers = (url) => /gone/.test(url) ? Promise.reject(new Error()) : null, window.model = add({src: 'gone.md5mesh'}),
        next_event(model, 'error').then(detail => detail.sourceError.code === 'network' && count_requests('gone') === 3)" \
    is "answers = (url) => /gone/.test(url) ? original_fetch('../models/lantern/lantern.md5mesh') : null, dispatchEvent(new Event('online')),
        model.loaded.catch(() => next_event(model, 'dressed')).then(() => model.isLoaded)" forgive
check_page "the last of many sources is loaded, the others are aborted" plain is "(async () => {
    answers = (url, count, more) => /[?]/.test(url) ? new Promise((done, fail) => more.signal.addEventListener('abort', () => fail(more.signal.reason))) : null;
    window.model = add({loading: 'eager', src: '../models/lantern/lantern.md5mesh?0'});
    for (let i = 1; i < 20; await sleep(20), i++)
        model.src = '../models/lantern/lantern.md5mesh?' + i;
    model.src = '../models/thimble/thimble.md5mesh';
    return /thimble/.test((await next_event(model, 'load')).url) && requests.filter((request) => request.signal?.aborted).length >= 15 && !model.events.includes('error');
})()" is "sleep(500).then(() => model.events.filter(kind => kind === 'load').length === 1)" forgive
check_page "a poster is shown until it is dismissed, and then the model" plain \
    is "window.model = add({poster: '../models/lantern/lantern.png', reveal: 'manual'}), sleep(500).then(() => requests.length === 0
        && !model.shadowRoot.querySelector('[part=poster] img').hidden && !model.modelIsVisible)" \
    is "model.shadowRoot.querySelector('[part=poster]').click(), next_event(model, 'dressed').then(() => model.modelIsVisible
        && model.events.join() === 'load,poster-dismissed,model-visibility,dressed')" \
    is "model.showPoster(), !model.modelIsVisible" is "model.dismissPoster(), model.modelIsVisible" \
    is "document.body.style.paddingTop = '900px', next_event(model, 'model-visibility').then(detail => !detail.visible && !model.modelIsVisible)" \
    is "scrollTo(0, 900), next_event(model, 'model-visibility').then(detail => detail.visible && model.modelIsVisible)"
check_page "progress begins with 0, never decreases, and ends with 1" plain is "window.model = add({src: '../models/bobbin/bobbin.md5machine'}),
    next_event(model, 'dressed').then(() => model.progress_values[0] === 0 && model.progress_values.at(-1) === 1 && model.progress_values.length > 3
        && model.progress_values.every((value, i) => i === 0 || value > model.progress_values[i - 1]))" forgive
check_page "each property reflects its attribute, and has its default" plain is "import('./../element/element.js').then(({attributes, property_name}) => {
    const model = document.createElement('md5-model');
    return Object.entries(attributes).every(([name, [kind, usual]]) => {
        const key = property_name(name), some = kind === 'boolean' ? true : kind === 'number' ? 7 : kind === 'text' ? 'x y' : kind.split(' ')[1];
        const before = model[key] === usual;
        model[key] = some;
        const is_there = model.getAttribute(name) === (some === true ? '' : String(some)) && model[key] === some;
        model.removeAttribute(name);
        return before && is_there && model[key] === usual;
    }) || Promise.reject(new Error(document.title)); })"
check_page "parameters that are set with another model apply to that model" plain is "window.model = add(), next_event(model, 'dressed').then(() => {
    Object.assign(model, {src: '../models/thimble/thimble.md5machine', textures: 'thimble.png', parameters: 'speed=16'});
    return next_event(model, 'dressed'); }).then(() => model.getParameter('speed') === 16)"
check_page "reduced motion disables animation until the reader starts it" plain \
    is "window.matchMedia = () => ({matches: true}), window.model = add({clips: '../models/lantern/swing.md5anim', autoplay: true}),
        next_event(model, 'dressed').then(() => sleep(500)).then(() => model.paused && model.currentTime === 0)" \
    is "model.play(), sleep(1000).then(() => !model.paused && model.currentTime > 0)"
check_page "the wheel scrolls the page, or zooms with focus; keys rotate; Tab moves on" plain \
    is "window.model = add({cameraControls: true}), window.send = (kind, more) => get_canvas(model).dispatchEvent(new (kind === 'wheel' ? WheelEvent : KeyboardEvent)(
        kind, {cancelable: true, bubbles: true, ...more})), next_event(model, 'dressed').then(() => send('wheel', {deltaY: 100}))" \
    is "window.far = model.getCameraOrbit().radius, get_canvas(model).focus(), !send('wheel', {deltaY: -100})" \
    is "sleep(500).then(() => model.getCameraOrbit().radius < 0.9 * far)" \
    is "window.theta = model.getCameraOrbit().theta, !send('keydown', {key: 'ArrowLeft'}) && sleep(500).then(
        () => Math.abs(model.getCameraOrbit().theta - theta - Math.PI / 18) < 1e-3)" \
    is "send('keydown', {key: 'Tab'}) && send('keydown', {key: 'ArrowLeft', ctrlKey: true}) && send('keydown', {key: 'a'})" \
    is "model.cameraControls = false, !get_canvas(model).hasAttribute('tabindex')"
check_page "a moved element continues, and a removed element is silent" plain is "window.model = add({src: '../models/bobbin/bobbin.md5machine', textures: 'bobbin.png bobbin_eye.png'}), next_event(model, 'load').then(() => {
    window.before = requests.length; document.body.prepend(document.createElement('div')); document.body.firstChild.append(model); return sleep(300); })
    .then(() => model.isLoaded && count_requests('.md5machine') === 1 && model.events.filter(kind => kind === 'load').length === 1)" \
    is "window.other = add({src: '../models/spindle/spindle.md5mesh'}), sleep(0).then(() => other.remove()), sleep(2000).then(() => !other.events.includes('load'))" forgive
partial='Parts of this model could not be loaded.' # instead of $sentence if the model is visible
check_page "a corrected clip clears the error" plain \
    is "window.model = add({clips: '../models/lantern/swing.md5anim', animationName: 'swnig'}), window.text = () => model.shadowRoot.querySelector('.error').textContent,
        next_event(model, 'error').then(detail => /unknown clip \"swnig\"/.test(detail.sourceError.message))" \
    is "sleep(1000).then(() => model.isLoaded && text() === '$partial' && model.matches(':state(failed)') && model.loaded.then(() => false, () => true))" \
    is "model.animationName = 'swing', model.loaded.then(() => model.loadError === null && text() === '' && model.matches(':state(loaded)')
        && !('code' in model.dataset))" \
    is "model.animationName = 'none', model.clips = 'gone.md5anim', model.animationName = null, next_event(model, 'error').then(detail => detail.sourceError.status === 404)" \
    is "model.loaded.then(() => false, error => error.status === 404)" is "sleep(500).then(() => model.isLoaded && model.modelIsVisible && text() === '$partial')" \
    is "model.removeAttribute('src'), next_event(model, 'model-visibility').then(detail => !detail.visible && model.loadError === null && text() === '')" forgive
check_page "a model without its clip is shown in its bind pose" plain \
    is "window.model = add({clips: 'gone.md5anim', autoplay: true}), next_event(model, 'load').then(() => model.loadError?.status === 404 && model.duration === 0
        && model.shadowRoot.querySelector('.error').textContent === '$partial')" \
    is "model.a11y = '{\"partial\": \"Ohne Bewegung\"}', model.shadowRoot.querySelector('.error').textContent === 'Ohne Bewegung'" forgive
check_page "texts for visitors can be translated" plain \
    is "window.model = add({src: 'none.md5mesh', a11y: '{\"error\": \"Nichts zu sehen.\", \"role\": \"Modell\"}'}), next_event(model, 'error').then(() =>
        model.shadowRoot.querySelector('.error').textContent === 'Nichts zu sehen.')" \
    is "model.a11y = null, model.shadowRoot.querySelector('.error').textContent === '$sentence'" forgive
# Servers of single-page applications answer requests for missing files with an HTML page and status 200.
page_error="next_event(model, 'error').then(detail => detail.sourceError.code === 'http' && /HTML page instead of a file/.test(detail.sourceError.message))"
check_page "an HTML page instead of a model, clip or list is reported" plain \
    is "answers = url => /page/.test(url) ? new Response('<!doctype html>') : null, window.model = add({src: 'page.md5mesh'}), $page_error" \
    is "window.model = add({clips: 'page.md5anim'}), $page_error" is "window.model = add({files: 'page.json'}), $page_error" forgive
check_page "an invalid URL and an invalid list of files are reported, and can be corrected" plain \
    is "window.model = add({src: 'http://['}), next_event(model, 'error').then(detail => detail.sourceError.code === 'network' &&
        detail.sourceError.message === 'http://[: invalid URL')" \
    is "model.src = '../models/lantern/lantern.md5mesh', model.loaded.then(() => model.loadError === null)" \
    is "answers = url => /names.json/.test(url) ? new Response(url.endsWith('?1') ? '{\"files\": \"a.png\"}' : '{') : null, model.files = 'names.json?1',
        next_event(model, 'error').then(detail => detail.sourceError.code === 'parse' && /names.json.1: expected a list of file names/.test(detail.sourceError.message))" \
    is "model.files = 'names.json?2', next_event(model, 'error').then(detail => detail.sourceError.code === 'parse' && /names.json.2: /.test(detail.sourceError.message))" \
    is "model.files = null, model.loaded.then(() => model.loadError === null)" forgive
check_page "an HTML page instead of an image is not a texture, and other extensions are tried" plain \
    is "answers = url => /lantern.png/.test(url) ? new Response('<!doctype html>') : /lantern.jpg/.test(url) ? original_fetch('../models/lantern/lantern.png') : null,
        window.model = add({textures: null}), model.loaded.then(() => /lantern.jpg/.test(model.textureReport[0].pictures.color) && !model.textureReport[0].missing)"
check_page "a time that is set before the clip is loaded is applied" plain \
    is "window.model = add({clips: '../models/lantern/swing.md5anim', currentTime: 0.25}), model.currentTime === 0.25" \
    is "model.loaded.then(() => Math.abs(model.currentTime - 0.25) < 1e-3)"
check_page "a poster that loads the model is a button" plain \
    is "window.model = add({reveal: 'manual', poster: '../models/lantern/lantern.png', alt: 'Lamp', cameraControls: true}), window.poster =
        model.shadowRoot.querySelector('.poster'), poster.focus(), poster.role === 'button' && poster.ariaLabel === 'Show the model: Lamp' && !get_canvas(model).role" \
    key Enter is "model.loaded.then(() => model.modelIsVisible && model.shadowRoot.activeElement === get_canvas(model) && !poster.role)"
check_page "the label names only keys that have an effect" plain \
    is "window.model = add({cameraControls: true, alt: 'Lamp'}), model.loaded.then(() => get_canvas(model).ariaLabel === 'Lamp. Arrow keys turn, plus and minus zoom')" \
    is "model.disableZoom = true, get_canvas(model).ariaLabel === 'Lamp. Arrow keys turn'" \
    is "model.clips = '../models/lantern/swing.md5anim', get_canvas(model).ariaLabel === 'Lamp. Arrow keys turn, Space plays'" \
    is "sleep(600).then(() => (get_canvas(model).focus(), true))" key ArrowLeft key ArrowLeft key ArrowLeft \
    is "sleep(600).then(() => model.shadowRoot.querySelector('[role=status]').textContent === 'View from the left')"
check_page "a drag that ends outside ends" plain \
    is "window.model = add({cameraControls: true}), model.style.margin = '100px', document.body.style.margin = 0, model.loaded.then(() => model.getBoundingClientRect().left === 100)" \
    drag 102 180 40 180 is "sleep(500).then(() => (window.theta = model.getCameraOrbit().theta) > 0.9)" \
    wheel 180 180 0 is "sleep(300).then(() => model.getCameraOrbit().theta === theta)" \
    is "get_canvas(model).dispatchEvent(new PointerEvent('pointerdown', {pointerId: 9, clientX: 150, clientY: 150})),
        get_canvas(model).dispatchEvent(new PointerEvent('pointermove', {pointerId: 9, clientX: 180, clientY: 150, buttons: 0})),
        sleep(300).then(() => model.getCameraOrbit().theta === theta)"
swipes="swipe 150 300 150 150 swipe 150 300 150 150 swipe 150 300 150 150"
# Firefox does not scroll when it receives the touches of WebDriver BiDi, so only the rotation is checked there.
scrolled='scrollY > 200'
[ "$browser" != firefox ] || scrolled=true
# shellcheck disable=SC2086 # tasks
check_page "a vertical swipe scrolls, a horizontal swipe rotates" shown phone 360 740 open test/plain.html \
    is "document.body.style.height = '9000px', window.model = add({cameraControls: true}), model.style.inlineSize = '300px', model.style.blockSize = '1200px',
        model.loaded.then(() => (window.phi = model.getCameraOrbit().phi, true))" \
    $swipes is "sleep(800).then(() => $scrolled && model.getCameraOrbit().phi === phi)" \
    is "scrollTo(0, 0), true" swipe 100 200 250 210 is "sleep(500).then(() => scrollY === 0 && Math.abs(model.getCameraOrbit().theta - 0.4363) > 0.3)"
check_page "hotspots follow joints" plain \
    is "window.model = add({src: '../models/bobbin/bobbin.md5mesh', textures: 'bobbin.png', cameraControls: true}),
        model.innerHTML = '<b slot=hotspot-a data-joint=head>x</b><b slot=hotspot-b data-joint=none>y</b>', model.loaded.then(() =>
            [...model.shadowRoot.querySelectorAll('.hotspot')].map(box => box.hidden).join() === 'false,true')" \
    is "window.at = () => model.shadowRoot.querySelector('.hotspot').getBoundingClientRect(), window.bounds = model.getBoundingClientRect(),
        at().left > bounds.left + 40 && at().left < bounds.right - 40 && at().top > bounds.top && at().top < bounds.top + 100" \
    is "model.cameraOrbit = '25deg 78deg 400%', sleep(900).then(() => at().top > bounds.top + 60)" \
    is "model.firstChild.remove(), sleep(100).then(() => model.shadowRoot.querySelectorAll('.hotspot').length === 1)" forgive
check_page "the field of view changes if the distance is limited" plain \
    is "window.model = add({cameraControls: true, minCameraOrbit: 'auto auto 100%', minFieldOfView: '10deg'}), model.loaded.then(() => (get_canvas(model).focus(),
        window.before = model.toDataURL(), true))" key + key + key + \
    is "sleep(900).then(() => model.toDataURL() !== before)"
check_page "shaders with spaces can be named, and maps are not guessed" plain \
    is "original_fetch('../models/lantern/lantern.md5mesh').then(response => response.text()).then(text => {
        answers = url => /spaces.md5mesh/.test(url) ? new Response(text.replace(/shader *\"[^\"]*/, 'shader \"two words')) : null;
        return next_event(window.model = add({src: 'spaces.md5mesh', textures: 'two%20words=../models/lantern/lantern.png'}), 'dressed'); })
        .then(() => !model.textureReport[0].missing && requests.every(request => request.status !== 404))"
check_page "programs that cannot run are reported with their codes" plain \
    is "answers = (url) => /wasm/.test(url) ? new Response('', {status: 404}) : null, window.model = add(),
        next_event(model, 'error').then(detail => detail.sourceError.code === 'program' && /404/.test(detail.sourceError.message))" \
    is "answers = (url) => /wasm/.test(url) ? original_fetch(url).then(response => response.arrayBuffer()).then(bytes => new Response(bytes, {headers: {'Content-Type': 'text/plain'}})) : null,
        model.reload(), next_event(model, 'load').then(() => true)" forgive
check_page "a browser without WebGL 2 is reported" plain is "HTMLCanvasElement.prototype.getContext = (get => function (kind, ...more) {
    return kind === 'webgl2' ? null : get.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext),
    window.model = add(), next_event(model, 'error').then(detail => detail.sourceError.code === 'no-webgl2'
        && /WebGL 2/.test(detail.sourceError.message) && model.shadowRoot.querySelector('[role=alert]').textContent === '$sentence')" forgive
# The number of requests for missing names is as small as documented: none with a list or a manifest.
absent="requests.filter(request => request.status === 404).length"
check_page "textures are found by name, list, manifest and guess" plain \
    is "original_fetch('../models/lantern/lantern.md5mesh').then(response => response.text()).then(text => (window.shader = /shader *\"([^\"]*)/.exec(text)[1], true))" \
    is "window.model = add({textures: shader + '=../models/thimble/thimble.png ' + shader + '.normals='}), next_event(model, 'dressed').then(() =>
        /thimble.png/.test(model.textureReport[0].pictures.color) && !model.textureReport[0].pictures.normals)" \
    is "window.model = add({textures: '*=../models/thimble/thimble.png'}), next_event(model, 'dressed').then(() => /thimble.png/.test(model.textureReport[0].pictures.color))" \
    is "answers = (url) => /list.json/.test(url) ? new Response('{\"base\": \"../models/lantern/\", \"files\": [\"Lantern.PNG\"]}') : /Lantern.PNG/.test(url)
            ? original_fetch('../models/lantern/lantern.png') : null,
        window.model = add({textures: null, files: 'list.json'}), next_event(model, 'dressed').then(() => !model.textureReport[0].missing && $absent === 0)" \
    is "window.model = add({textures: null}), next_event(model, 'dressed').then(() => !model.textureReport[0].missing && $absent <= 6)" \
    is "original_fetch('../models/lantern/lantern.md5mesh').then(response => response.text()).then(text => {
        answers = (url) => /alone.md5mesh/.test(url) ? new Response(text) : null;
        return next_event(window.model = add({textures: null, src: 'alone.md5mesh'}), 'dressed'); }).then(() => model.textureReport[0].missing && $absent <= 12)" forgive
# Two models are opened, uploaded, textured and drawn in turn. Memory and the number of WebGL objects must not
# change after the first turns. There are a thousand turns with MD5_TEST_LONG.
check_page "memory does not grow over many models" plain is "(async () => {
    const model = add({loading: 'eager'}), states_seen = [];
    Md5ModelElement = customElements.get('md5-model');
    for (let i = 0; i < $(if is_long; then echo 1000; else echo 120; fi); i++) {
        await next_event(model, 'dressed');
        states_seen.push(memory.buffer.byteLength + ' ' + JSON.stringify(counts));
        const name = ['thimble', 'lantern'][i % 2];
        [model.src, model.textures] = ['../models/' + name + '/' + name + '.md5mesh', name + '.png'];
    }
    const results = [0, 1].map((odd) => new Set(states_seen.filter((text, i) => i >= 20 && i % 2 === odd)));
    return results.every((states) => states.size === 1) || Promise.reject(new Error([...results[0], ...results[1]].join('; ')));
})()"
# The page has a thousand elements, fifty of each of twenty models. Nothing is fetched for distant elements.
# All elements that were scrolled past have drawn. Only elements near the visible area have WebGL objects. An
# element that returns is drawn as before.
check_page "only visible elements of a thousand are drawn" plain is "(async () => {
    const name = (i) => ({src: '../models/lantern/lantern.md5mesh?' + i, textures: '*=../models/lantern/lantern.png', interpolationDecay: 0});
    const until = async (condition) => { for (let i = 0; i < 400 && !condition(); i++) await sleep(50); return condition() || Promise.reject(new Error('not ' + condition)); };
    await next_event(add(name(98)), 'dressed');
    const one = counts.Buffer;
    await next_event(add(name(99)), 'dressed');
    const each = counts.Buffer - one, all = [];
    document.body.replaceChildren();
    for (let i = 0; i < 1000; all.push(add(name(i++ / 50 | 0))))
        document.body.lastChild?.style.setProperty('display', 'inline-block');
    await next_event(all[0], 'dressed');
    const first = all[0].toDataURL(), begun = count_requests('.md5mesh'), end = document.documentElement.scrollHeight;
    for (let y = 0; y < end; y += 600) {
        scrollTo(0, y);
        await until(() => all.every((model) => model.isLoaded || !((box) => box.bottom > 0 && box.top < innerHeight)(model.getBoundingClientRect())));
    }
    await until(() => counts.Buffer <= one + 6 * each);
    scrollTo(0, 0);
    all[0].cameraOrbit = '90deg 78deg 105%';
    await until(() => all[0].toDataURL() !== first);
    all[0].cameraOrbit = null;
    await until(() => all[0].toDataURL() === first);
    document.title = JSON.stringify([begun, count_requests('.md5mesh'), each, counts, memory.buffer.byteLength, all.filter((model) => model.isLoaded).length]);
    return begun < 8 && count_requests('.md5mesh') === 22 && all.every((model) => model.isLoaded) || Promise.reject(new Error(document.title));
})()" forgive
# Checks that a binary model and a compressed clip look like their text forms, and that a later time looks
# different. With the default error of a compressed clip, 0.01 units, 0.6 % of the values differ at the edges of the lantern.
forms() {
    lantern=models/lantern/lantern.md5mesh swing=models/lantern/swing.md5anim forms=$web/test/forms
    mkdir -p $forms && cp $lantern $swing $forms && "$products/md5tool" convert $lantern --output $forms/lantern.bmd5mesh --force &&
        "$products/md5tool" compress $swing --error 0.002 --output $forms/small.md5anim && ! cmp -s $swing $forms/small.md5anim && gzip -9nc $lantern >$forms/packed &&
        plain is "(async () => {
            const shown = await Promise.all([['lantern.md5mesh', 'swing'], ['lantern.bmd5mesh', 'small'], ['packed', 'swing'], ['lantern.md5mesh', 'swing']].map(async ([file, clip], i) => {
                const model = add({loading: 'eager', src: 'forms/' + file, textures: '*=../models/lantern/lantern.png', clips: 'forms/' + clip + '.md5anim'});
                await next_event(model, 'dressed');
                model.currentTime = i < 3 ? 0.5 : 0.9;
                await sleep(1000);
                return get_canvas(model).getContext('2d').getImageData(0, 0, 160, 160).data;
            }));
            const differ = shown.slice(1).map((pixels) => pixels.filter((value, i) => Math.abs(value - shown[0][i]) > 2).length / pixels.length);
            return differ[0] < 0.002 && differ[1] === 0 && differ[2] > 0.01 || Promise.reject(new Error(differ.join()));
        })()" forgive
}
check_page "an element shows a binary model, a gzip file, and a compressed clip" forms
# Playing backwards, alternately and past the ends shows the images of the clip at these times.
check_page "clips play backwards and alternately" plain \
    is "window.model = add({clips: '../models/lantern/swing.md5anim'}), next_event(model, 'dressed').then(() => (model.timeScale = -8, model.play({repetitions: 2}),
        next_event(model, 'finished'))).then(() => model.paused && model.currentTime < 1e-3 && model.events.filter(kind => kind === 'loop').length === 1)" \
    is "model.currentTime = -0.25, Math.abs(model.currentTime - model.duration + 0.25) < 1e-3 && (model.currentTime = model.duration + 0.25,
        Math.abs(model.currentTime - 0.25) < 1e-3)" \
    is "model.timeScale = 8, model.play({repetitions: 2, pingpong: true}), next_event(model, 'finished').then(() => model.paused && model.currentTime < 0.01)" \
    is "(() => { try { model.timeScale = 'fast'; } catch (error) { return error instanceof TypeError; } })()"
check_page "a clip that is set later plays; a missing clip is reported and changes nothing" plain \
    is "window.model = add({clips: 'rest=../models/lantern/idle.md5anim ../models/lantern/swing.md5anim'}), sleep(20).then(() => (model.animationName = 'swing',
        next_event(model, 'load'))).then(() => sleep(200)).then(() => Math.abs(model.duration - ($(sed -n 's/^numFrames //p' models/lantern/swing.md5anim) - 1)
        / $(sed -n 's/^frameRate //p' models/lantern/swing.md5anim)) < 1e-3)" \
    is "window.before = model.duration, model.animationName = 'none such', next_event(model, 'error').then(detail => detail.sourceError.code === 'mismatch'
        && model.isLoaded && model.duration === before)" is "model.animationName = 'swing', sleep(100).then(() => model.duration === before)" forgive
# A pinch from 60 to 100 pixels moves the camera to 60 % of its distance; one finger rotates by 180 degrees per canvas height.
check_page "two fingers zoom, one finger rotates" shown phone 390 844 open test/plain.html \
    is "window.model = add({cameraControls: true, interpolationDecay: 0}), next_event(model, 'dressed').then(() => (window.far = model.getCameraOrbit().radius) > 0)" \
    pinch 88 88 60 100 is "Math.abs(model.getCameraOrbit().radius / far - 0.6) < 0.02" is "window.theta = model.getCameraOrbit().theta, true" \
    push 60 88 100 88 is "Math.abs(model.getCameraOrbit().theta - theta + Math.PI / 4) < 0.02"
# From 24 sides in three boxes no model touches an edge, and from the side with its largest extent it fills the image.
check_page "the model fits into the element" plain is "(async () => {
    const boxes = [[160, 160], [80, 160], [320, 80]], all = ['lantern', 'spindle', 'thimble', 'tendril'].flatMap((name) => boxes.map((box) => {
        const model = add({loading: 'eager', src: '../models/' + name + '/' + name + '.md5mesh', textures: name + '.png', shadowIntensity: 0, cameraOrbit: '0deg 90deg 100%', interpolationDecay: 0});
        [model.style.inlineSize, model.style.blockSize, model.style.display, model.fill] = [box[0] + 'px', box[1] + 'px', 'inline-block', 0];
        return model;
    }));
    await Promise.all(all.map((model) => next_event(model, 'dressed')));
    for (let i = 0; i < 24; i++) {
        all.forEach((model) => model.cameraOrbit = 15 * i + 'deg ' + (5 + 19 * i % 96) + 'deg 100%');
        await sleep(400);
        for (const model of all) {
            const {width, height} = get_canvas(model), {data} = get_canvas(model).getContext('2d').getImageData(0, 0, width, height);
            for (let k = 0; k < width * height; k++) {
                const x = Math.abs(2 * (k % width) + 1 - width) + 1, y = Math.abs(2 * Math.floor(k / width) + 1 - height) + 1;
                if (data[4 * k + 3] > 0)
                    model.fill = Math.max(model.fill, x / width, y / height);
            }
        }
    }
    const fills = all.map((model) => model.fill);
    return fills.every((fill) => fill >= 0.7 && fill < 1) || Promise.reject(new Error(fills.join()));
})()" forgive
# A page shows twelve third-party models. A model whose folder contains an image must not be gray, although no file
# assigns the image to the model. The list of files in the turret's folder contains only one image.
real() {
    corpus=test/corpus
    ln -sfn "$MD5_CORPUS/corpus" $web/$corpus
    echo '{"base": "corpus/redeclipse/turret/", "files": ["turret.md5mesh", "md5.cfg", "skin1.png"]}' >$web/test/turret.json
    {
        printf '%s\n' '<!doctype html><html lang="en"><meta charset="utf-8"><title>Twelve</title><link rel="icon" href="data:,">' \
            '<style>body { display: grid; grid: auto / repeat(4, 240px); } md5-model { inline-size: 240px; block-size: 220px; }</style>' \
            '<body><script>const all = document.getElementsByTagName("md5-model");' \
            'let left = 12; addEventListener("dressed", () => --left || (document.documentElement.dataset.state = "started"), true);' \
            'addEventListener("error", () => document.documentElement.dataset.state = "failed", true);</script>' \
            '<script type="module" src="../element/md5-model.js"></script>'
        while read -r model clip pictures; do
            echo "<md5-model loading=eager alt='$model' src='corpus/$model' ${clip#-} $pictures></md5-model>"
        done <<-END
	redeclipse/drone/mesh.md5mesh clips=corpus/redeclipse/drone/idle.md5anim textures="*=corpus/redeclipse/drone/skin.jpg *.normals=corpus/redeclipse/drone/normals.png"
	redeclipse/turret/turret.md5mesh - files=turret.json
	frankie/Frankie.md5mesh clips=corpus/frankie/Frankie_Idle1.md5anim textures="Body=corpus/frankie/flyingsquirrel_skin_col.jpg Body.normals=corpus/frankie/flyingsquirrel_skin_nor.jpg Tail=corpus/frankie/frankie_tail2.png"
	stromar/stromar.md5mesh clips=corpus/stromar/s_idle.md5anim textures="lower_defender=corpus/stromar/lower_attacker_01_a.jpg upper_defender=corpus/stromar/upper_attacker_01_a.jpg upper_norm7="
	terasology/redElephantrook.md5mesh clips=corpus/terasology/redElephantrookWalk.md5anim textures=""
	terasology/lasr/queen.md5mesh - textures=""
	terasology/gooeysquests/skeleton.md5mesh - textures=""
	libprimis/pulserifle.md5mesh - textures=""
	cube2/ffflag/ffflag.md5mesh clips=corpus/cube2/ffflag/ffflag.md5anim textures=""
	redeclipse/weapons/zapper/item.md5mesh - textures=""
	redeclipse/props/flag/mesh.md5mesh - textures=""
	redeclipse/mikeplus64/grenade/grenade.md5mesh - textures=""
	END
    } >$web/test/twelve.html
    shown size 1000 700 open test/twelve.html save "${MD5_TWELVE:-$folder/twelve.png}" is "all.length === 12 && [...all].slice(0, 4).flatMap(
        model => model.textureReport.filter(entry => entry.missing).map(entry => entry.shader)).join() === '/home/john/Desktop/upper_norm7.png'" \
        is "[...all].every(model => { const {data} = model.shadowRoot.querySelector('canvas').getContext('2d').getImageData(0, 0, 240, 220);
            return data.filter((value, i) => i % 4 === 3 && value > 0).length > 2000; })" forgive
}
if [ -d "${MD5_CORPUS:-}/corpus" ]; then
    check_page "twelve third-party models are textured if they have images" real
else
    skip "third-party models" "MD5_CORPUS has no folder corpus"
fi
