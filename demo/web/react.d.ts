// <md5-model> in JSX of React 19.
import type {DetailedHTMLProps, HTMLAttributes} from "react";
import type {Md5ModelElement, Md5ModelEventMap} from "./md5-model.js";

type Listeners = {[Kind in keyof Md5ModelEventMap as `on${Kind}`]?: (event: Md5ModelEventMap[Kind]) => void};
type Attributes = Omit<DetailedHTMLProps<HTMLAttributes<Md5ModelElement>, Md5ModelElement>, keyof Listeners>;
declare module "react" {
    namespace JSX {
        interface IntrinsicElements { "md5-model": Attributes & Listeners & {[attribute: string]: unknown} }
    }
}
