// manifest.mjs ELEMENT.js: prints the element's manifest for editors (custom-elements.json), from its table of attributes.
const {attributes, property_of} = await import(process.argv[2]);
const rows = Object.entries(attributes).map(([name, [kind, usual]]) => ({attribute: name, name: property_of(name),
    type: {text: kind === "text" ? "string" : kind.replaceAll(" ", " | ")}, default: JSON.stringify(usual)}));
console.log(JSON.stringify({schemaVersion: "1.0.0", modules: [{kind: "javascript-module", path: "md5-model.js",
    declarations: [{kind: "class", name: "Md5ModelElement", tagName: "md5-model", customElement: true,
        attributes: rows.map(({attribute, name, ...its}) => ({name: attribute, fieldName: name, ...its})),
        members: rows.map((row) => ({kind: "field", reflects: true, ...row}))}],
    exports: [{kind: "custom-element-definition", name: "md5-model", declaration: {name: "Md5ModelElement", module: "md5-model.js"}}]}]}));
