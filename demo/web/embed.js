// The element's page: one of its models is what its field says; tests read what all of them report.
import "./element/md5-model.js";

const [field, said, told] = ["snippet", "said", "told"].map((id) => document.getElementById(id));
const models = [...document.querySelectorAll("md5-model")], [shown] = models, known = customElements.get("md5-model").observedAttributes;
const state = document.documentElement.dataset, counts = {dressed: 0};
for (const model of models)
    for (const kind of ["load", "dressed", "error", "loop", "machine-event"])
        model.addEventListener(kind, (event) => {
            const name = model.id + " " + kind;
            counts[name] = (counts[name] ?? 0) + 1;
            counts.dressed += kind === "dressed";
            if (counts.dressed >= models.length || kind === "error")
                state.state ??= kind === "error" ? "failed" : "started";
            told.textContent = Object.entries(counts).map((pair) => pair.join(": ")).join(", ")
                + (kind === "error" ? "\n" + event.detail.sourceError.message : "");
        });

// Of the text only what the element knows is taken: nothing else in it is run or loaded.
function show() {
    const typed = new DOMParser().parseFromString(field.value, "text/html").querySelector("md5-model");
    const other = [...typed?.attributes ?? []].map((its) => its.name).filter((name) => !known.includes(name));
    for (const name of typed ? known : []) {
        const value = typed.getAttribute(name);
        if (value === null)
            shown.removeAttribute(name);
        else if (value !== shown.getAttribute(name))
            shown.setAttribute(name, value);
    }
    said.textContent = !typed ? "There is no <md5-model …></md5-model> in these lines"
        : other.length > 0 ? other.join(", ") + ": not of the element, which has " + known.join(", ") : "";
}
let later;
field.addEventListener("input", () => { // when one has paused
    clearTimeout(later);
    later = setTimeout(show, 400);
});
document.getElementById("copy").addEventListener("click", () => {
    field.select(); // for the key, where the browser forbids more
    navigator.clipboard?.writeText(field.value).then(() => said.textContent = "Copied", () => {});
});
show();
