// The types of md5-model.js.
export type Loading = "auto" | "lazy" | "eager";
export type Reveal = "auto" | "manual";
export type InteractionPrompt = "auto" | "none";
export type TouchAction = "pan-y" | "pan-x" | "none";
export type Md5ModelErrorCode =
  | "no-webgl2" | "csp" | "program"           // no element of this page can show a model
  | "network" | "http" | "parse" | "mismatch" // problem of this model, clip or machine
  | "gpu" | "memory";
/** Error of the event `error` and of the property `loadError`. */
export declare class Md5ModelError extends Error {
  readonly code: Md5ModelErrorCode;
  readonly url?: string;
  readonly status?: number; // HTTP status, for the code "http"
  readonly line?: number;   // location in the file, for the code "parse"
  readonly column?: number;
}
export interface SphericalPosition { theta: number; phi: number; radius: number; toString(): string } // radians, units
export interface Vector3D { x: number; y: number; z: number; toString(): string }
export interface Dimensions { min: Vector3D; max: Vector3D }
export interface TextureReport {
  shader: string;
  pictures: { color?: string; normals?: string; heights?: string; specular?: string; glow?: string }; // URLs
  missing: boolean; // true if there is no color texture: a gray checkered pattern is drawn
}
export interface LoadDetail { url: string; missing: string[] } // shaders without an image, morph targets without a file
export interface ProgressDetail { totalProgress: number; reason: "program" | "model" | "textures" | "targets" }
export interface ErrorDetail { type: "loadfailure" | "webglcontextlost"; sourceError: Md5ModelError }
export interface CameraChangeDetail { source: "user-interaction" | "none" }
export interface MachineEventDetail { name: string; text: string }
/** The texts for visitors; the attribute `a11y` contains those that differ, as JSON. */
export interface A11yTexts {
  error: string; partial: string; loading: string; role: string; poster: string; turn: string; zoom: string; play: string; prompt: string;
  front: string; back: string; left: string; right: string; above: string; below: string;
}
export interface PlayOptions { repetitions?: number; pingpong?: boolean } // defaults: Infinity, false

export interface Md5ModelEventMap {
  "load": CustomEvent<LoadDetail>;
  "dressed": CustomEvent<LoadDetail>;
  "progress": CustomEvent<ProgressDetail>;
  "error": CustomEvent<ErrorDetail>;
  "model-visibility": CustomEvent<{ visible: boolean }>;
  "poster-dismissed": CustomEvent<void>;
  "play": CustomEvent<void>;
  "pause": CustomEvent<void>;
  "loop": CustomEvent<{ count: number; name: string }>;
  "finished": CustomEvent<{ name: string }>;
  "camera-change": CustomEvent<CameraChangeDetail>;
  "machine-event": CustomEvent<MachineEventDetail>;
}

export declare class Md5ModelElement extends HTMLElement {
  /** URL of md5core.wasm. Set it before the first element loads. */
  static wasmURL: string | URL | undefined;
  /** Sets a function that maps each URL before it is fetched, for archives, signed URLs or dropped files (blob:). */
  static mapURLs(map: ((url: string) => string | Promise<string>) | null): void;
  /** Size of the cache of fetched files for later elements, in bytes. The default is 32 MiB. */
  static cacheSize: number;
  static readonly version: string;

  src: string | null;
  clips: string | null;
  textures: string | null;
  files: string | null;
  cameraPath: string | null;
  alt: string | null;
  poster: string | null;
  loading: Loading;
  reveal: Reveal;
  fetchPriority: "high" | "low" | "auto";
  withCredentials: boolean;
  up: "z" | "y";

  autoplay: boolean;
  animationName: string | null;
  animationCrossfadeDuration: number; // milliseconds
  readonly availableAnimations: string[];
  readonly paused: boolean;
  readonly duration: number; // seconds; 0 if there is no clip
  currentTime: number; // seconds; before a clip is loaded, the time at which it will begin
  timeScale: number;
  play(options?: PlayOptions): void;
  pause(): void;

  parameters: string | null;
  readonly availableParameters: string[];
  setParameter(name: string, value?: number): boolean;
  getParameter(name: string): number | undefined;

  cameraControls: boolean;
  cameraOrbit: string;
  cameraTarget: string;
  fieldOfView: string;
  minCameraOrbit: string;
  maxCameraOrbit: string;
  minFieldOfView: string;
  maxFieldOfView: string;
  disableZoom: boolean;
  disablePan: boolean;
  touchAction: TouchAction;
  autoRotate: boolean;
  autoRotateDelay: number;
  rotationPerSecond: string;
  interpolationDecay: number;
  interactionPrompt: InteractionPrompt;
  getCameraOrbit(): SphericalPosition;
  getCameraTarget(): Vector3D;
  jumpCameraToGoal(): void;
  updateFraming(): Promise<void>;

  /** JSON text with translations of the texts for visitors: an object of the type A11yTexts. */
  a11y: string | null;

  shadowIntensity: number;
  shadowSoftness: number;
  exposure: number;

  /** Resolves when the model and its textures are loaded, or rejects with loadError. Each new model has a new promise, and so has a
   *  failure after loading, such as that of another clip. */
  readonly loaded: Promise<void>;
  readonly isLoaded: boolean; // the first image has been drawn
  readonly modelIsVisible: boolean;
  readonly loadError: Md5ModelError | null;
  readonly textureReport: TextureReport[];
  reload(): void;
  dismissPoster(): void;
  showPoster(): void;
  getDimensions(): Vector3D;
  getBounds(): Dimensions;
  toBlob(options?: { mimeType?: string; qualityArgument?: number }): Promise<Blob>;
  toDataURL(type?: string, quality?: number): string;

  addEventListener<K extends keyof Md5ModelEventMap>(type: K,
    listener: (this: Md5ModelElement, event: Md5ModelEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof Md5ModelEventMap>(type: K,
    listener: (this: Md5ModelElement, event: Md5ModelEventMap[K]) => void, options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}
declare global { interface HTMLElementTagNameMap { "md5-model": Md5ModelElement } }
