// <md5-model> in JSX of React 19.
import type {DetailedHTMLProps, HTMLAttributes} from "react";
import type {InteractionPrompt, Loading, Md5ModelElement, Md5ModelEventMap, Reveal, TouchAction} from "./md5-model.js";

type Listeners = {[Kind in keyof Md5ModelEventMap as `on${Kind}`]?: (event: Md5ModelEventMap[Kind]) => void};
// Not named `Attributes`, because `declare module "react"` below would find React's own type of this name.
type HostAttributes = Omit<DetailedHTMLProps<HTMLAttributes<Md5ModelElement>, Md5ModelElement>, keyof Listeners>;
type Flag = boolean | "";
// The attributes of <md5-model>, in the order of element.js.
interface ModelAttributes {
    "src"?: string; "clips"?: string; "textures"?: string; "files"?: string; "camera-path"?: string; "alt"?: string; "poster"?: string;
    "loading"?: Loading; "reveal"?: Reveal; "fetchpriority"?: "auto" | "high" | "low"; "with-credentials"?: Flag; "up"?: "z" | "y";
    "autoplay"?: Flag; "animation-name"?: string; "animation-crossfade-duration"?: number | string; "parameters"?: string;
    "camera-controls"?: Flag; "camera-orbit"?: string; "camera-target"?: string; "field-of-view"?: string; "min-camera-orbit"?: string;
    "max-camera-orbit"?: string; "min-field-of-view"?: string; "max-field-of-view"?: string; "disable-zoom"?: Flag; "disable-pan"?: Flag;
    "touch-action"?: TouchAction; "auto-rotate"?: Flag; "auto-rotate-delay"?: number | string; "rotation-per-second"?: string;
    "interpolation-decay"?: number | string; "interaction-prompt"?: InteractionPrompt; "a11y"?: string;
    "shadow-intensity"?: number | string; "shadow-softness"?: number | string; "exposure"?: number | string;
    [data: `data-${string}`]: unknown;
}
declare module "react" {
    namespace JSX {
        interface IntrinsicElements { "md5-model": HostAttributes & Listeners & ModelAttributes }
    }
}
