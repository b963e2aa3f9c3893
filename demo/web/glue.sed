# Removes code of emscripten from md5core.js that the element never runs. terser then removes the functions that this code called.
# A pattern that another version of emscripten does not contain only makes the file larger.

# The element runs in pages, not in workers or node.
s/var ENVIRONMENT_IS_[A-Z]*=[a-z]*;//g
s/ENVIRONMENT_IS_WEB/true/g
s/ENVIRONMENT_IS_WORKER/false/g
# core.js fetches and compiles the program, so its URL is not needed.
s/instantiateAsync()[.]catch(readyPromiseReject);return{}//
s/wasmBinaryFile="md5core[.]wasm";if(!isDataURI(wasmBinaryFile)){wasmBinaryFile=locateFile(wasmBinaryFile)}//
s/if(scriptDirectory[.]indexOf("blob:")!==0){[^}]*}else{scriptDirectory=""}//
s/typeof document *!==* *['"]undefined['"] *&& *document[.]currentScript/false/g
# All browsers with the required instructions support WebAssembly.
s/if(typeof WebAssembly!="object"){abort("[^"]*")}//
# Tables of images and sounds that emscripten could decode.
s/Module\["preloaded[A-Z][a-z]*"\]={};//g
# Errors of WebGL are not recorded (GL_TRACK_ERRORS=0).
s/GL[.]recordError([0-9]*)/0/g
