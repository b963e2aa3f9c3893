// The page of the element. The text field defines the first model; tests read the list of events.
import "./element/md5-model.js";

const [field, message, event_list] = ["snippet", "message", "log"].map((id) => document.getElementById(id));
const models = [...document.querySelectorAll("md5-model")], [edited_model] = models, known_attributes = customElements.get("md5-model").observedAttributes;
const state = document.documentElement.dataset, counts = {};
let num_dressed = 0;
for (const model of models)
    for (const kind of ["load", "dressed", "error", "loop", "machine-event"])
        model.addEventListener(kind, (event) => {
            const name = model.id + " " + kind;
            counts[name] = (counts[name] ?? 0) + 1;
            num_dressed += kind === "dressed";
            if (num_dressed >= models.length || kind === "error")
                state.state ??= kind === "error" ? "failed" : "started";
            event_list.textContent = Object.entries(counts).map((pair) => pair.join(": ")).join(", ")
                + (kind === "error" ? "\n" + event.detail.sourceError.message : "");
        });

// Copies only known attributes from the text, so that nothing else in the text is executed or loaded.
function show() {
    const typed_element = new DOMParser().parseFromString(field.value, "text/html").querySelector("md5-model");
    const unknown = [...typed_element?.attributes ?? []].map((attribute) => attribute.name).filter((name) => !known_attributes.includes(name));
    for (const name of typed_element ? known_attributes : []) {
        const value = typed_element.getAttribute(name);
        if (value === null)
            edited_model.removeAttribute(name);
        else if (value !== edited_model.getAttribute(name))
            edited_model.setAttribute(name, value);
    }
    message.textContent = !typed_element ? "The text does not contain <md5-model …></md5-model>"
        : unknown.length > 0 ? "Unknown attributes: " + unknown.join(", ") + ". Known attributes: " + known_attributes.join(", ") : "";
}
let timer;
field.addEventListener("input", () => { // after a pause in typing
    clearTimeout(timer);
    timer = setTimeout(show, 400);
});
document.getElementById("copy").addEventListener("click", () => {
    field.select(); // so that Ctrl+C works if the browser forbids scripts to copy
    navigator.clipboard?.writeText(field.value).then(() => message.textContent = "Copied", () => {});
});
show();
// The other models are loaded after the first one is shown, so that it appears earlier.
const load_others = () => models.forEach((model) => model.src ??= model.dataset.src ?? null);
for (const kind of ["dressed", "error"])
    edited_model.addEventListener(kind, load_others, {once: true});
