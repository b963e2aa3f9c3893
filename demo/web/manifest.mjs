// manifest.mjs ELEMENT.js: prints the element's manifest for editors (custom-elements.json), from its table of attributes.
const {attributes, property_name} = await import(process.argv[2]);
const fields = Object.entries(attributes).map(([name, [kind, default_value]]) => ({attribute: name, name: property_name(name),
    type: {text: kind === "text" ? "string" : kind.replaceAll(" ", " | ")}, default: JSON.stringify(default_value)}));
console.log(JSON.stringify({schemaVersion: "1.0.0", modules: [{kind: "javascript-module", path: "md5-model.js",
    declarations: [{kind: "class", name: "Md5ModelElement", tagName: "md5-model", customElement: true,
        attributes: fields.map(({attribute, name, ...field}) => ({name: attribute, fieldName: name, ...field})),
        members: fields.map((field) => ({kind: "field", reflects: true, ...field}))}],
    exports: [{kind: "custom-element-definition", name: "md5-model", declaration: {name: "Md5ModelElement", module: "md5-model.js"}}]}]}));
