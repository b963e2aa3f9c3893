#!/bin/sh
# In a browser: the library's bits and its speed in node, the viewer in headless Chromium, which has to look as here.
# WEB_TEST=node leaves the browser out.
. test/build/report.sh
web=build/web/site

for needed in emcc node; do
    command -v $needed >/dev/null || {
        skip "web" "there is no $needed"
        finish
    }
done
made() {
    make --no-print-directory DEPS=no "$@" || return
}

# -- The library --------------------------------------------------------------------------------

# One hash of all poses and vertices of our models: that of x86-64, in test/data/same_bits.txt.
same_bits() { # KIND
    MD5_ROOT=. node "build/web/$1/bits.js" poses_and_vertices_have_the_same_bits_everywhere
}
skin_time() { # KIND
    node "build/web/$1/skin.js" models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
}
# Both in turn, so that other work slows both; the median of five shares.
speed() {
    for _ in 1 2 3 4 5; do
        echo "$(skin_time scalar) $(skin_time simd)"
    done | awk '{ print $1 / $2, $1, $2 }' | sort -n | sed -n 3p >"$scratch/speed"
    read -r share scalar simd <"$scratch/speed"
    echo "note: skinning with vectors is $share times as fast: $simd instead of $scalar ns a vertex"
    holds '$1 >= 2.5' "$share"
}
check "the library and its tests are compiled" made web-test
for kind in scalar simd; do
    check "$kind: the bits are those of x86-64" same_bits $kind
done
check "vectors skin at least 2.5 times as fast" speed
grep '^note' "$scratch/said"
[ "${WEB_TEST:-}" != node ] || finish

# -- The viewer ---------------------------------------------------------------------------------

check "the pages are made" made web
command -v chromium >/dev/null || {
    skip "the pages" "there is no chromium"
    finish
}
shown() {
    python3 test/web/browser.py "$web" "$@"
    status=$?
    return $status
}
bobbin="model=models/bobbin/bobbin.md5mesh"
# The picture that --output writes in the page, and that of this machine's viewer.
same_picture() { # KIND
    # With the compressed clip of the site.
    "$products/md5view" --no-config --animation-time 0.5 --output "$scratch/here.png" $web/models/bobbin/bobbin.md5mesh \
        $web/models/bobbin/walk.md5anim &&
        shown open "index.html?kind=$1#no-config&animation-time=0.5&output=out.png&$bobbin&model=models/bobbin/walk.md5anim" \
            take /saved/out.png "$scratch/there.png" same "$scratch/here.png" "$scratch/there.png" 0.003
}
for kind in simd scalar; do
    check "$kind: the picture is the one of here, and the console is empty" same_picture $kind
    grep '^note' "$scratch/said"
done
check "without a model ours is shown" shown open index.html is "document.title.startsWith('bobbin')"
# The first picture, as a multiple of what an empty picture takes in a browser that has just begun; the median of three.
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
        shown open test/blank.html mark "$scratch/blank" && shown open "index.html#no-config" mark "$scratch/ours" || return
    done
    paste "$scratch/blank" "$scratch/ours" | awk '{ print $2 / $1, $2, $1 }' | sort -n | sed -n 2p >"$scratch/speed"
    read -r share ours blank <"$scratch/speed"
    echo "note: the first picture after $ours ms, an empty one after $blank: $share times"
    holds '$1 <= 7' "$share"
}
mkdir -p $web/test
check "the first picture comes in 7 times of an empty one" first_picture
grep '^note: the first' "$scratch/said"
# A model of the page, then one that is dropped on it, which is another one.
check "a dropped file is shown" shown open "index.html#model=models/thimble/thimble.md5mesh" \
    is "document.title.startsWith('thimble')" drop models/lantern/lantern.md5mesh is "document.title.startsWith('lantern')"
check "a host that cannot be read is named" shown fails "index.html#model=http://127.0.0.1:9/x.md5mesh" "drop it here instead"

link="document.getElementById('link').click()"
# The game: it plays itself until a key is pressed, and a link opens it.
check "the game is played" shown size 640 360 open "index.html#no-config&game-demo" is "document.title.startsWith('bobbin')" \
    save "$scratch/demo.png" key w is "new Promise(done => setTimeout(() => done(true), 3000))" save "$scratch/game.png" \
    is "$link, /[#&]game-demo/.test(location.hash)"

# What mouse and fingers do is in the link. The first of two fingers makes no click, and the picture follows the window.
distance="+location.hash.match(/camera-distance=([0-9.]+)/)?.[1]"
check "a drag turns, the wheel and two fingers come nearer" shown size 1280 720 \
    open "index.html#no-config&model=models/lantern/lantern.md5mesh" drag 600 300 700 300 \
    is "$link, /camera-azimuth-angle=5&/.test(location.hash)" wheel 640 300 -3 is "$link, window.far = $distance" \
    pinch 600 300 100 200 is "$link, $distance < 0.8 * far && !/joint=/.test(location.hash)" \
    size 500 900 is "document.getElementById('canvas').width === 500"
check "a phone's stick drives, and the device is known" shown phone 390 844 open "index.html#no-config&verbose=debug" \
    is "/quality: step 1 on .*SwiftShader/.test(told.textContent)" tap 200 100 0.1 \
    is "new Promise(done => setTimeout(() => done(!/^drive:/m.test(told.textContent)), 2000))" push 94 704 94 640 \
    is "/^drive:/m.test(told.textContent)"
check "a long press is the right button" shown phone 390 844 open "index.html#no-config&verbose=debug" tap 200 400 0.7 \
    is "/^context:/m.test(told.textContent)"
soon="new Promise(done => setTimeout(() => done(true), 2500))"
# A tap on the handle: then the middle one of the pixels of a row is that of the sheet, which is dark, and no longer the ground.
sheet() {
    middle='import sys
sys.path.insert(0, "test/viewer")
import png
for name in sys.argv[1:]:
    width, _, rows, step = png.read(name)
    print(sorted(max(rows[1200][i * step:i * step + 3]) for i in range(width))[width // 2])'
    shown phone 390 844 open "index.html#no-config" tap 200 100 0.1 is "$soon" save "$scratch/bar.png" tap 195 790 0.1 \
        is "$soon" save "$scratch/half.png" &&
        python3 -c "$middle" "$scratch/bar.png" "$scratch/half.png" >"$scratch/levels" || return
    # shellcheck disable=SC2046,SC2016 # two numbers
    holds '$1 > 100 && $2 < 60' "$(echo $(cat "$scratch/levels"))"
}
check "a phone's panels come from below" sheet
check "a phone's clips are tapped" shown phone 390 844 open "index.html#no-config&verbose=debug&$bobbin" tap 195 778 0.1 \
    is "$soon" tap 70 800 0.1 is "/ clip=bow /.test(told.textContent)"

# A model of the page, saved as glTF by Ctrl+E: the user gets what md5tool writes, but for how its pictures are packed.
exported() {
    shown size 1280 720 open "index.html#no-config&$bobbin&model=models/bobbin/walk.md5anim" key Control+e \
        is "$soon" click 1020 168 is "$soon" click 866 198 is "$soon" is "HTMLAnchorElement.prototype.click = function () {
        fetch(this.href).then(its => its.arrayBuffer()).then(its => window.got = [this.download, new Uint8Array(its)]); }, true" \
        click 1048 611 is "window.got && got[0] === 'bobbin_walk.glb' && (md5.FS.writeFile('/saved/.got', got[1]), true)" \
        take /saved/.got "$scratch/there.glb" &&
        "$products/md5tool" convert $web/models/bobbin/bobbin.md5mesh $web/models/bobbin/walk.md5anim --output "$scratch/here.glb" || return
    for side in here there; do
        "$products/md5tool" convert "$scratch/$side.glb" --output "$scratch/$side/bobbin.md5mesh" || return
    done
    cmp "$scratch/here/bobbin.md5mesh" "$scratch/there/bobbin.md5mesh" && cmp "$scratch/here/walk.md5anim" "$scratch/there/walk.md5anim"
}
check "a model is saved as glTF" exported

# The link says what is seen; a context that was lost, as a phone's driver does, begins anew with all files.
walk="index.html#no-config&camera-azimuth-angle=60&model=models/thimble/thimble.md5mesh&model=models/thimble/walk.md5anim"
lose() { # CANVAS: a condition that loses its context, and restores it a second later
    echo "(c => (c.lost ??= c.getContext('webgl2').getExtension('WEBGL_lose_context'), c.lost.loseContext(),
        new Promise(done => setTimeout(() => done(c.lost.restoreContext() === undefined), 1000))))($1)"
}
check "a link says what is seen" shown open "$walk" is "$link,
    /[#&]camera-azimuth-angle=60&/.test(location.hash) && /animation-time=[0-9.]+&.*thimble.md5mesh&.*walk.md5anim$/.test(location.hash)"
# A page of techniques with a slider; the last one needs a model that the others do not.
check "a page's link has its sliders" shown open "index.html#no-config&page=follow&set=damping%3D1.5" is "$link,
    /^#(.*&)?page=follow&(.*&)?set=damping%3D1.5$/.test(location.hash)" open "index.html#no-config&page=walk" \
    is "$link, /page=walk/.test(location.hash) && !/model=|set=/.test(location.hash)"
check "a lost context begins anew" shown open "$walk" drop models/lantern/lantern.md5mesh \
    is "document.title.startsWith('lantern')" is "$(lose "document.getElementById('canvas')")" \
    is "document.documentElement.dataset.restarts === '1' && document.title.startsWith('lantern')"
(cd models && python3 -m zipfile -c "$scratch/ours.pk4" lantern)
cp models/lantern/lantern.md5mesh "$scratch/ours.md5mesh"
head -c 900 "$scratch/ours.pk4" >"$scratch/cut.pk4"
check "an archive is a folder" shown open "$walk" drop "$scratch/ours.pk4" \
    is "md5.FS.analyzePath('/dropped/0/ours/lantern/lantern.md5mesh').object?.usedBytes === $(wc -c <models/lantern/lantern.md5mesh)" \
    drop "$scratch/cut.pk4" is "/cut.pk4: error: its list of files is damaged/.test(document.getElementById('note').textContent)"
# What no folder of the program can hold as it is: a file and a folder of one name, names of JavaScript's objects, links out.
mkdir -p "$scratch/odd/hasOwnProperty" && cp models/lantern/lantern.md5mesh "$scratch/odd/hasOwnProperty"
odd_archive() {
    python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as it:
    for name in "a", "a/b", "hasOwnProperty", "__proto__/c", "../d":
        it.writestr(name, "x")' "$scratch/odd.zip" &&
        shown open "$walk" drop "$scratch/odd.zip" is "(text => /odd\/a: skipped: a folder has its name/.test(text) &&
            /odd.zip: warning: ..\/d: skipped: its name leaves the archive/.test(text))(document.getElementById('note').textContent)" \
            is "md5.FS.readdir('/dropped/0/odd').sort().join() === '.,..,__proto___,a,hasOwnProperty_'" \
            drop "$scratch/odd/hasOwnProperty" is "document.title.startsWith('lantern')"
}
check "odd names in an archive are kept or said" odd_archive
# Its picture is dropped before it, and not on what is shown then.
mkdir "$scratch/apart" && cp models/lantern/lantern.md5mesh "$scratch/apart"
check "a texture may be dropped before its model" shown open "$walk" drop models/lantern/lantern.png is "md5.FS.analyzePath('/dropped/0/lantern.png').exists" \
    drop "$scratch/apart/lantern.md5mesh" is "document.title.startsWith('lantern') && md5.FS.analyzePath('/dropped/1/lantern.png').exists"
check "what is dropped before the program is there is opened" shown begin "index.html#no-config" drop models/lantern/lantern.md5mesh \
    is "document.title.startsWith('lantern')"
# Losses are said in the words of md5tool.
gltf() {
    for ending in glb gltf; do
        "$products/md5tool" convert models/thimble/thimble.md5mesh models/thimble/walk.md5anim --output "$scratch/its/gift.$ending" &&
            "$products/md5tool" convert "$scratch/its/gift.$ending" --output "$scratch/back/" --force 2>"$scratch/notes" &&
            note=$(sed -n 's/^note: //p' "$scratch/notes" | head -n 1) && [ -n "$note" ] || return
        if [ $ending = glb ]; then set -- "$scratch/its/gift.glb"; else rm "$scratch/its/gift.glb" && set -- "$scratch/its/"*; fi
        shown open "$walk" drop "$@" is "document.title.startsWith('gift') && told.textContent.includes('$note')" || return
    done
}
mkdir "$scratch/its"
check "glTF is opened, alone and with its files, and its losses are said" gltf
cp models/lantern/lantern.md5mesh $web/test/alone.md5mesh
check "pictures that are missing are named" shown open "index.html#no-config&model=test/alone.md5mesh" \
    is "/lantern. Drop the folder/.test(document.getElementById('note').textContent)" forgive

# Bytes that are no model, and a model with counts that no file can have: the viewer says so, and goes on.
python3 -c 'import random; open("'"$scratch"'/noise.md5mesh", "wb").write(random.Random(1).randbytes(100000))'
printf 'MD5Version 10\ncommandline ""\nnumJoints 4000000000\nnumMeshes 1\n' >"$scratch/hostile.md5mesh"
says() { # WORDS: of the file, in what the program has printed
    echo "/$1/.test(document.getElementById('told').textContent)"
}
check "random bytes and a hostile file are named" shown open "$walk" drop "$scratch/noise.md5mesh" is "$(says noise.md5mesh)" \
    drop "$scratch/hostile.md5mesh" is "$(says hostile.md5mesh)" key Escape \
    drop models/lantern/lantern.md5mesh is "document.title.startsWith('lantern')"

# -- The site -----------------------------------------------------------------------------------

# What a server that compresses by gzip sends until there is a picture, and what the page that the site begins with needs.
gzipped() { # MOST FILE...
    most=$1 && shift
    total=$(for file in "$@"; do case $file in *.gz | *.png) cat "$file" ;; *) gzip -9c "$file" ;; esac; done | wc -c)
    echo "note: $total bytes"
    holds "\$1 <= $most" "$total"
}
early="performance.getEntriesByType('resource').filter(its => its.responseEnd < performance.getEntriesByName('picture')[0].startTime)
    .map(its => its.name.replace(/.*\//, '')).sort().join(' ')"
check "the first picture needs these files" shown open "index.html#no-config" is "performance.getEntriesByName('picture').length > 0" \
    is "$early === 'bobbin.1.gz files.js md5view-simd.js md5view-simd.wasm models.json page.css style.css view.js'"
check "the first picture needs 2 MB" gzipped 2000000 $web/index.html $web/models/bobbin.1.gz $web/files.js $web/md5view-simd.js \
    $web/md5view-simd.wasm $web/models.json $web/page.css $web/style.css $web/view.js
grep '^note' "$scratch/said"
# What a reader has opened, here the list of techniques, stays when the rest of our machine comes, late.
slow="(() => { const f = fetch; window.fetch = (url, ...its) => /bobbin.2/.test(url.url ?? url)
    ? new Promise(done => setTimeout(done, 6000)).then(() => f(url, ...its)) : f(url, ...its); return true; })()"
check "what comes later replaces nothing that was opened" shown begin "index.html#no-config" is "$slow" \
    is "performance.getEntriesByName('picture').length > 0" key Control+p key t key e key c key h key Enter is "$soon" \
    save "$scratch/opened.png" is "performance.getEntriesByType('resource').some(its => /bobbin.2/.test(its.name))" is "$soon" is "$soon" \
    save "$scratch/later.png" same "$scratch/opened.png" "$scratch/later.png" 0.02
check "the start page needs 300 KB" gzipped 307200 $web/start.html $web/style.css $web/page.css $web/pictures/*
grep '^note' "$scratch/said"
here="document.activeElement.id || document.activeElement.tagName"
check "Tab leaves the viewer, at once and after Escape" shown open "index.html#no-config" is "($here) === 'canvas'" key Tab is "($here) !== 'canvas'" \
    is "canvas.focus(), true" key w key Tab is "($here) === 'canvas'" key Escape key Tab is "($here) !== 'canvas'"

# A cache of a version before is removed; those of other sites of the host stay. What was read is kept.
active="navigator.serviceWorker.ready.then(its => its.active.state === 'activated')"
check "what was read works without a network" shown open "index.html#no-config" is "caches.open('of another').then(() => true)" \
    is "$active" open "index.html#no-config" is "document.title.startsWith('bobbin')" is "$soon" open docs/guide-viewer.html open start.html \
    is "caches.keys().then(names => names.length === 2 && names.includes('of another'))" \
    stop open "index.html#no-config" is "document.title.startsWith('bobbin')" open docs/guide-viewer.html open start.html forgive
# A version in which one page differs: sw.js, the list, and that page. The reader is told, and gets it at the second visit.
new_version() {
    cp $web/start.html "$scratch/start.html" && cp $web/files.json "$scratch/files.json" && cp $web/sw.js "$scratch/sw.js" || return
    cat >"$scratch/change" <<-END
	printf '<!-- new -->' >>$web/start.html
	sed 's/"start.html":"......../"start.html":"01234567/' "$scratch/files.json" >$web/files.json
	sed 's/^const prefix/const is_new = true, prefix/; s/ + "\([0-9a-f]*\)"/ + "new"/' "$scratch/sw.js" >$web/sw.js
	END
    shown open "index.html#no-config" is "$active" open "index.html#no-config" \
        is "performance.getEntriesByType('resource').some(its => /tendril.gz/.test(its.name))" is "$soon" run "$scratch/change" \
        asks 3 "navigator.serviceWorker.ready.then(its => (window.asked ??= its.update()).then(() => its)).then(its => !!its.waiting && !document.getElementById('update').hidden)" \
        is "document.getElementById('update').click(), true" is "$soon" \
        is "fetch('start.html').then(its => its.text()).then(text => text.endsWith('<!-- new -->'))"
    status=$?
    for file in start.html files.json sw.js; do cp "$scratch/$file" $web/$file; done
    return $status
}
check "a new version is three requests, and told" new_version
pages="start.html embed.html index.html docs/index.html docs/guide-converting.html docs/md5math_8h.html docs/globals.html"
if (cd "$scratch" && npm install --no-audit --no-fund --ignore-scripts axe-core >npm 2>&1); then
    for page in $pages; do
        check "$page: axe-core finds nothing" shown open "$page" audit "$scratch/node_modules/axe-core/axe.min.js"
    done
else
    skip "accessibility" "npm cannot get axe-core: $(tail -n 1 "$scratch/npm")"
fi
if (command -v firefox-esr || command -v firefox) >"$scratch/npm" && command -v xvfb-run >"$scratch/npm"; then
    # shellcheck disable=SC2086 # words
    check "Firefox opens all pages, and its console is empty" xvfb-run -a python3 test/web/firefox.py $web $pages \
        "index.html#no-config&page=follow"
else
    skip "Firefox" "there is no firefox-esr, or no xvfb-run"
fi

# -- The element --------------------------------------------------------------------------------

element() { # TASK...
    shown size 1000 700 open embed.html "$@"
}
dance="document.getElementById('dance')"
check "elements play a clip and a machine, and report events" element \
    is "/dance clipend: .*/.test(told.textContent) && /machine machineevent: /.test(told.textContent)" \
    save "$scratch/page.png" same "$scratch/page.png" "$scratch/page.png" 0
check "a camera path is followed" element is "new Promise(done => {
    $dance.addEventListener('load', () => done(true), {once: true});
    $dance.setAttribute('camera', 'models/bobbin/flight.md5camera'); })" save "$scratch/page.png" same "$scratch/page.png" "$scratch/page.png" 0
still="document.querySelectorAll('md5-model').forEach(its => its.pause()), told.style.display = 'none', new Promise(done => setTimeout(() => done(true), 2000))"
check "an element whose context was lost looks as before" element is "$still" save "$scratch/before.png" \
    is "$(lose "$dance.shadowRoot.querySelector('canvas')")" is "new Promise(done => setTimeout(() => done(true), 3000))" \
    save "$scratch/after.png" same "$scratch/before.png" "$scratch/after.png" 0
check "elements that nobody sees cost nothing" element \
    is "document.body.style.paddingTop = '3000px', new Promise(done => setTimeout(() => {
        let calls = 0; const ask = requestAnimationFrame; window.requestAnimationFrame = f => (calls++, ask(f));
        setTimeout(() => done(calls === 0), 1000); }, 1500))"
# Twelve models, one after the other, and a thousand, each opened and drawn with the renderer of the one before: the memory of
# the program is what it was after the first two, and the objects of WebGL are those after the first one.
check "memory stays as it is over many models" element is "(async () => {
    const make = md5element, it = document.createElement('md5-model'), sizes = [];
    window.md5element = (parts) => make(parts).then(its => window.its = its);
    it.setAttribute('textures', '');
    document.body.prepend(it);
    for (let i = 0; i < 12; i++) {
        const name = ['lantern', 'thimble'][i % 2];
        const loaded = new Promise(done => it.addEventListener('load', done, {once: true}));
        it.setAttribute('src', 'models/' + name + '/' + name + '.md5mesh');
        await loaded;
        sizes.push(its.HEAPU8.length);
    }
    its.files.set('one', await md5files.fetch('models/lantern/lantern.md5mesh'));
    const live = () => ['buffers', 'textures', 'programs', 'shaders', 'vaos', 'framebuffers'].map(
        name => its.GL[name].filter(Boolean).length).join();
    let objects, one = 0;
    for (let i = 0; i < 1000; i++) {
        one = its._web_begin(one);
        const run = (name, ...values) => its.ccall(name, 'boolean',
            [one, ...values].map(value => typeof value), [one, ...values]);
        if (!run('web_load', 'one', '', '', '')
            || !(run('web_show') && run('web_look', 'one') && run('web_draw', 64, 64, 25, 12, 2.4)))
            return 'not drawn';
        objects ??= live();
    }
    sizes.push(its.HEAPU8.length);
    return sizes[11] === sizes[1] && sizes[12] === sizes[1] && live() === objects || [sizes, objects, live()].join(' ');
})().then(same => same === true || Promise.reject(new Error(same)))"
# Bobbin stands still, but for a parameter that drives a morph target alone.
smiles() {
    smile="new Promise(done => setTimeout(() => done(true), 2000))"
    element is "$still" is "talk.setAttribute('set', 'smile=0'), $smile" save "$scratch/before.png" \
        is "talk.setAttribute('set', 'smile=0.0'), $smile" save "$scratch/again.png" \
        is "talk.setAttribute('set', 'smile=1'), $smile" save "$scratch/after.png" &&
        cmp "$scratch/before.png" "$scratch/again.png" && ! cmp -s "$scratch/before.png" "$scratch/after.png"
}
check "a machine drives morph targets" smiles
# A binary model and a compressed clip look as the texts that they are made from, beside other elements that stand still.
shown_as() { # MODEL CLIP
    echo "new Promise((done, failed) => {
        $dance.addEventListener('error', event => failed(new Error(event.detail.message)), {once: true});
        $dance.addEventListener('load', () => setTimeout(() => done(true), 1000, $dance.time = 0.5), {once: true});
        for (const [name, value] of [['textures', ''], ['src', '$1'], ['clip', '$2']])
            $dance.setAttribute(name, value); })"
}
other_forms() {
    lantern=models/lantern/lantern.md5mesh swing=models/lantern/swing.md5anim forms=test/forms
    mkdir -p "$web/$forms" && "$products/md5tool" convert $lantern --output "$web/$forms/lantern.bmd5mesh" --force &&
        "$products/md5tool" compress $swing --output "$web/$forms/swing.md5anim" && ! cmp -s $swing "$web/$forms/swing.md5anim" &&
        element is "$still" save "$scratch/dance.png" is "$(shown_as $lantern $swing)" save "$scratch/text.png" \
            is "$(shown_as $forms/lantern.bmd5mesh $forms/swing.md5anim)" save "$scratch/binary.png" \
            same "$scratch/text.png" "$scratch/binary.png" 0.002 && ! cmp -s "$scratch/dance.png" "$scratch/text.png"
}
check "an element shows a binary model and a compressed clip" other_forms
printf 'noise' >$web/test/noise.md5mesh
check "a file that is no model is an event and a text" element is "new Promise(done => {
    $dance.addEventListener('error', event => done(/noise.md5mesh/.test(event.detail.message)));
    $dance.setAttribute('src', 'test/noise.md5mesh'); })"
check "a file that is not there is an event and a text" element is "new Promise(done => {
    $dance.addEventListener('error', event => done(/none.md5mesh: the host answers 404/.test(event.detail.message)));
    $dance.setAttribute('src', 'none.md5mesh'); })" forgive
small_element() { # KIND
    size=$(size_of "$web/md5element-$1.js" "$web/md5element-$1.wasm" $web/md5-model.js)
    echo "note: the element, $1, is $size bytes"
    holds '$1 <= 184320' "$size"
}

# Compressed as servers send it; without brotli, gzip, which is larger.
size_of() { # FILE...
    if command -v brotli >/dev/null; then
        cat "$@" | brotli -c -q 11 | wc -c
    else
        cat "$@" | gzip -9 | wc -c
    fi
}
small() {
    size=$(size_of $web/md5view-simd.js $web/md5view-simd.wasm)
    echo "note: the viewer is $size bytes"
    holds '$1 <= 921600' "$size"
}
check "the viewer is at most 900 KB" small
grep '^note' "$scratch/said"
for kind in simd scalar; do
    check "$kind: the element is at most 180 KB" small_element $kind
    grep '^note' "$scratch/said"
done
finish
