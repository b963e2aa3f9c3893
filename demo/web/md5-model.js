// Defines the element <md5-model>, unless it is defined already, and exports its class and its error.
import {Md5ModelElement} from "./element.js";
export {Md5ModelElement, Md5ModelError} from "./element.js";

const defined = globalThis.customElements?.get("md5-model");
if (defined)
    console.warn("md5-model " + Md5ModelElement.version + ": " + (defined.version ?? "another version") + " is already defined");
else
    globalThis.customElements?.define("md5-model", Md5ModelElement);
