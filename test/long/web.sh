#!/bin/sh
# Tests in browsers: the library's bits and its speed in node, and the pages in Chromium and Firefox, also compared with the viewer of
# this machine. WEB_TEST=node tests only the library with SIMD, in node. WEB_BROWSERS=firefox selects one browser. MD5_TEST_FROM=TEXT
# starts with the first check whose title contains TEXT, such as "firefox: ". Firefox needs a display, because headless Firefox has
# no WebGL without a GPU.
if [ -z "${DISPLAY:-}" ] && [ "${WEB_TEST:-}" != node ] && command -v xvfb-run >/dev/null; then
    exec xvfb-run -a sh "$0"
fi
. test/build/report.sh
web=build/web/site

# The modules that read files do not need a compiler.
texts() {
    node test/web/texts.mjs ${MD5_CORPUS:+"$MD5_CORPUS/golden/found2"}
}
if command -v node >/dev/null; then
    check "modules read texts, compressed bytes and archives" texts
fi
for needed in emcc node; do
    command -v $needed >/dev/null || {
        skip "web" "$needed is not installed"
        finish
    }
done
compiles() {
    make --no-print-directory DEPS=no "$@" || return
}

# -- The library --------------------------------------------------------------------------------

# Checks that the hash of all poses and vertices of our models is the hash of x86-64 in
# test/data/same_bits.txt.
same_bits() { # KIND
    MD5_ROOT=. node "build/web/$1/bits.js" poses_and_vertices_have_the_same_bits_everywhere
}
# Prints the time of skinning in ns per vertex. V8's baseline compiler is off, because the time until the
# optimized code is ready varies between runs.
skin_time() { # KIND
    node --no-liftoff "build/web/$1/skin.js" models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
}
# Compares the times with and without SIMD. Measures both in turn, so that other work slows both, and uses the
# median of five ratios.
speed() {
    for _ in 1 2 3 4 5; do
        echo "$(skin_time scalar) $(skin_time simd)"
    done | awk '{ print $1 / $2, $1, $2 }' | sort -n | sed -n 3p >"$scratch/speed"
    read -r ratio scalar simd <"$scratch/speed"
    echo "note: skinning with SIMD is $ratio times as fast: $simd instead of $scalar ns per vertex"
    numbers_satisfy '$1 >= 2.5' "$ratio"
}
kinds='simd scalar'
[ "${WEB_TEST:-}" != node ] || kinds=simd
check "the library and its tests are compiled" compiles web-test WEB_KINDS="$kinds"
for kind in $kinds; do
    check "$kind: the results have the same bits as on x86-64" same_bits $kind
done
check "the page's fonts contain the viewer's letters" compiles build/web/font.c
[ "${WEB_TEST:-}" != node ] || finish
check "skinning with SIMD is at least 2.5 times as fast" speed
grep '^note' "$scratch/check_output"

# -- The pages ----------------------------------------------------------------------------------

check "the pages are made" compiles web
(cd "$scratch" && npm install --no-audit --no-fund --ignore-scripts puppeteer-core pngjs axe-core >npm 2>&1) || {
    skip "the pages" "npm cannot install puppeteer-core: $(tail -n 1 "$scratch/npm")"
    finish
}
cp test/web/browser.mjs "$scratch" # next to its packages
root=$PWD
# Runs tasks of test/web/browser.mjs in the browser $browser. Without the settings of test/build/run_tests.sh, which shorten the
# compilation of shaders, Firefox draws twice as many frames.
shown() {
    env -u GALLIVM_PERF -u LP_NUM_THREADS BROWSER=$browser node "$scratch/browser.mjs" "$web" "$@"
}
shown_in_each_browser() {
    for browser in $browsers; do
        shown "$@" || return
    done
}
# Returns success if the browser is installed. Firefox needs a display.
has_browser() {
    case $1 in
    chromium) command -v chromium || command -v chromium-browser ;;
    firefox) [ -n "${DISPLAY:-}" ] && { command -v firefox-esr || command -v firefox; } ;;
    esac >"$scratch/programs"
}
browsers=
for browser in ${WEB_BROWSERS:-chromium firefox}; do
    has_browser $browser || {
        skip "pages in $browser" "$browser or xvfb-run is not installed"
        continue
    }
    browsers="$browsers $browser"
    folder=$scratch/$browser
    rm -rf $web/test
    mkdir -p "$folder" $web/test
    . test/web/pages.sh
done

# -- The package --------------------------------------------------------------------------------

check "the package is made" compiles npm
package=$PWD/$(sed -n 's/\.sha256$//p' "$scratch/check_output")
packed() {
    (cd build && sha256sum -c "${package##*/}.sha256") && tar -tzf "$package" | tr '\n' ' ' >"$scratch/packed" && cat "$scratch/packed"
    [ "$(cat "$scratch/packed")" = "$(for file in LICENSE README.md core.js custom-elements.json element.js machine_text.js md5-model.d.ts \
        md5-model.js md5core.js md5core.wasm package.json react.d.ts unpack.js; do printf 'package/%s ' $file; done)" ]
}
check "the package contains these files, and has a checksum" packed
mkdir "$scratch/app" && cat >"$scratch/app/main.js" <<-END
	import "md5model";
	const model = document.createElement("md5-model");
	model.src = "../../models/lantern/lantern.md5mesh";
	model.textures = "lantern.png";
	for (const [kind, state] of [["dressed", "started"], ["error", "failed"]])
	    model.addEventListener(kind, () => document.documentElement.dataset.state = state);
	document.body.append(model);
END
echo '<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><body><script type="module" src="./main.js"></script></body></html>' \
    >"$scratch/app/index.html"
cat >"$scratch/app/good.ts" <<-END
	import {Md5ModelElement, Md5ModelError} from "md5model";
	const model = document.createElement("md5-model"), other: Md5ModelElement = model;
	model.addEventListener("error", (event) => { const error: Md5ModelError = event.detail.sourceError; console.log(error.code, error.line); });
	model.play({repetitions: 2}); model.currentTime = 1; other.cameraOrbit = "0deg 90deg 110%";
	model.loaded.then(() => model.textureReport.some((entry) => entry.missing));
END
echo 'import "md5model"; document.createElement("md5-model").timeScale = "fast";' >"$scratch/app/bad.ts"
cat >"$scratch/app/react.js" <<-END
	import "md5model";
	import {createElement, useState} from "react";
	import {createRoot} from "react-dom/client";
	const heard = [];
	function App() {
	    const [name, set] = useState("lantern");
	    return name && createElement("md5-model", {src: "../../models/" + name + "/" + name + ".md5mesh", textures: name + ".png", cameraControls: true,
	        interpolationDecay: 7, "shadow-intensity": 0, onload: () => heard.push(name), onerror: () => document.documentElement.dataset.state = "failed",
	        ondressed(event) {
	            const model = event.target, is_so = model.cameraControls && model.hasAttribute("camera-controls") && model.interpolationDecay === 7 && model.shadowIntensity === 0;
	            heard.push(is_so && !model.textureReport[0].missing && event.detail.url.endsWith(name + ".md5mesh"));
	            if (name === "lantern")
	                return set("thimble");
	            set("");
	            setTimeout(() => document.documentElement.dataset.state = !model.isConnected && heard.join() === "lantern,true,thimble,true" ? "started" : "failed", 500);
	        }});
	}
	const root = document.createElement("main");
	document.body.append(root, document.createElement("canvas")); // which says that the page has more to come
	createRoot(root).render(createElement(App));
END
cat >"$scratch/app/good.tsx" <<-END
	import type {Md5ModelElement} from "md5model";
	import type {} from "md5model/react";
	import {useRef} from "react";
	export function App() {
	    const model = useRef<Md5ModelElement>(null);
	    return <md5-model ref={model} key="a" id="a" className="a" style={{height: 9}} src="a.md5mesh" autoplay camera-controls
	        onClick={() => model.current?.pause()} onload={(event) => console.log(event.detail.missing[0])}>
	        <button slot="hotspot-head" data-joint="head">Head</button>
	    </md5-model>;
	}
END
bad_tag() { # NAME ATTRIBUTES: a page with a wrong attribute
    printf 'import type {} from "md5model/react";\nexport const App = () => <md5-model %s />;\n' "$2" >"$scratch/app/$1"
}
bad_tag bad_event.tsx 'onload={(event) => event.detail.none}'
bad_tag bad_name.tsx 'srcs="a"'
bad_tag bad_value.tsx 'loading="sometimes"'
built() { # NAME COMMAND...: builds the page into test/NAME, which then shows the model
    page=test/$1
    shift
    mkdir -p "$web/$page" && (cd "$scratch/app" && "$@") && shown_in_each_browser open "$page/index.html" \
        is "document.querySelector('md5-model').isLoaded && document.querySelector('md5-model').textureReport[0].missing === false"
}
with_esbuild() {
    npx esbuild main.js --bundle --format=esm --outfile="$root/$web/test/esbuild/main.js" &&
        cp index.html node_modules/md5model/md5core.wasm "$root/$web/test/esbuild"
}
with_webpack() {
    npx webpack --mode production --entry ./main.js -o "$root/$web/test/webpack" --output-filename main.js &&
        cp index.html "$root/$web/test/webpack"
}
with_react() {
    mkdir -p "$web/test/react" && (cd "$scratch/app" && npx esbuild react.js --bundle --format=esm --define:process.env.NODE_ENV='"production"' \
        --outfile="$root/$web/test/react/main.js" && cp index.html node_modules/md5model/md5core.wasm "$root/$web/test/react") &&
        shown_in_each_browser open test/react/index.html
}
typed() {
    for file in good.ts bad.ts good.tsx bad_event.tsx bad_name.tsx bad_value.tsx; do
        (cd "$scratch/app" && npx tsc --strict --noEmit --skipLibCheck --target es2022 --module nodenext --lib es2022,dom --jsx react-jsx $file >../tsc) && echo $file || cat "$scratch/tsc"
    done >"$scratch/typed"
    cat "$scratch/typed"
    [ "$(grep -x '[a-z_]*[.]tsx*' "$scratch/typed" | tr '\n' ' ')" = "good.ts good.tsx " ]
}
if (cd "$scratch/app" && echo '{"type": "module", "private": true}' >package.json &&
    npm install --no-audit --no-fund vite webpack webpack-cli esbuild typescript react@19 react-dom@19 @types/react@19 "$package" >../npm 2>&1); then
    check "node imports the package" sh -c "cd '$scratch/app' && node -e 'import(\"md5model\").then(module => process.exit(module.Md5ModelElement.version ? 0 : 1))'"
    check "types are correct, and a wrong use is rejected" typed
    check "vite builds a page with it" built vite npx vite build --base ./ --outDir "$root/$web/test/vite" --emptyOutDir
    check "webpack builds a page with it" built webpack with_webpack
    check "esbuild builds a page with it" built esbuild with_esbuild
    check "React 19 sets properties and receives events" with_react
else
    skip "bundlers" "npm cannot install: $(tail -n 1 "$scratch/npm")"
fi
manifest() {
    node -e 'import("./build/web/npm/element.js").then(({attributes, Md5ModelElement}) => {
        const names = require("./build/web/npm/custom-elements.json").modules[0].declarations[0].attributes.map((attribute) => attribute.name).join();
        process.exit(names === Object.keys(attributes).join() && Object.keys(attributes).every((name) => Md5ModelElement.observedAttributes.includes(name)) ? 0 : 1); })'
}
check "the manifest contains all attributes" manifest
# Prints the total size of files that are compressed separately, as servers send them. If brotli is missing, uses
# gzip, whose files are larger.
print_total_size() { # FILE...
    for file in "$@"; do
        if command -v brotli >/dev/null; then
            brotli -c -q 11 "$file" | wc -c
        else
            gzip -9c "$file" | wc -c
        fi
    done | awk '{ sum += $1 } END { print sum }'
}
small_element() {
    size=$(print_total_size build/web/npm/*.js build/web/npm/md5core.wasm)
    echo "note: the element is $size bytes"
    numbers_satisfy '$1 <= 180000' "$size"
}
small() {
    size=$(print_total_size $web/md5view-simd.js $web/md5view-simd.wasm)
    echo "note: the viewer is $size bytes"
    numbers_satisfy '$1 <= 921600' "$size"
}
# The bytes that a server with gzip sends until the first frame is drawn, and the bytes of the start page.
gzipped() { # LIMIT FILE...
    limit=$1 && shift
    total=$(for file in "$@"; do case $file in *.gz | *.png | *.jpg) cat "$file" ;; *) gzip -9c "$file" ;; esac; done | wc -c)
    echo "note: $total bytes"
    numbers_satisfy "\$1 <= $limit" "$total"
}
check "the first frame needs at most 2 MB" gzipped 2000000 $web/view.html $web/models/bobbin.1.gz $web/files.js $web/md5view-simd.js \
    $web/md5view-simd.wasm $web/models.json $web/page.css $web/style.css $web/unpack.js $web/view.js
grep '^note' "$scratch/check_output"
check "the start page needs at most 300 KB" gzipped 307200 $web/index.html $web/style.css $web/page.css $web/pictures/*
grep '^note' "$scratch/check_output"
check "the viewer is at most 900 KB" small
grep '^note' "$scratch/check_output"
check "the element is at most 180 KB" small_element
grep '^note: the element' "$scratch/check_output"
finish
