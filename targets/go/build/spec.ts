import type { Clock } from '../../../runtime/clock.ts';
import type { Artefact } from '../artefacts/cache.ts';
import type { Replacement } from '../artefacts/manifest.ts';
import type { Additions } from './additions.ts';
import type { MemorySize } from './memory-size.ts';

/** A Go program to build. */
export interface GoProgramSpec {
  /** The name of its artefact: `karpenter` and `1.14.1`. */
  readonly program: string;
  readonly version: string;
  readonly module: string;
  /** Its main package: a path, or `./cmd/controller` within the module. */
  readonly package: string;
  /** What to request from the module proxy: a version, or a commit. Not needed with `source`. */
  readonly moduleVersion?: string | undefined;
  /** The folder of a checkout of the module, instead of the module proxy. */
  readonly source?: string | undefined;
  /** Replacements of modules: `module@version`, or a folder. */
  readonly replace?: Readonly<Record<string, string>> | undefined;
  /** The folder of CustomResourceDefinitions within the module. */
  readonly crds?: string | undefined;
  /** Files that its modules lack for js. */
  readonly additions?: Additions | undefined;
  /** Build tags. */
  readonly tags?: readonly string[] | undefined;
  /** Variables that the linker sets, by their names. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Whether all requests go to `fetch` (see `overlay.ts`); by default they do. */
  readonly overlay?: boolean | undefined;
  /** Patterns of packages that count which of their code has run (`go build -cover`); needs the overlay. By default none. */
  readonly coverage?: readonly string[] | undefined;
  /** By default `DEFAULT_MEMORY`. */
  readonly memory?: MemorySize | undefined;
  /** The required Go, for users without one: `Go 1.26.10 or later`. */
  readonly goHint?: string | undefined;
}

/** The current step of a build. */
export type BuildProgress =
  /** Waiting for another process's build. */
  | { readonly step: 'wait' }
  /** The version of Go. */
  | { readonly step: 'go'; readonly version: string }
  | { readonly step: 'fetch'; readonly what: string }
  | { readonly step: 'replace'; readonly replacement: Replacement }
  | { readonly step: 'resolve' }
  /** Number of packages compiled so far, of all packages, and the last one; those in Go's build cache are not counted. */
  | { readonly step: 'compile'; readonly compiled: number; readonly packages: number; readonly last: string }
  | { readonly step: 'finish' };

/** Options of a build. */
export interface BuildOptions {
  readonly onProgress?: (progress: BuildProgress) => void;
  /** When aborted, the build ends with its reason and leaves nothing incomplete. */
  readonly signal?: AbortSignal | undefined;
  /** Where artefacts are stored. */
  readonly folder?: string | undefined;
}

/** The result of a build. */
export interface BuildResult {
  readonly artefact: Artefact;
  /** It already existed. */
  readonly isFound: boolean;
}

/** What all steps of a build share. */
export interface BuildSite {
  readonly spec: GoProgramSpec;
  /** The build's own folder, removed when it ends. */
  readonly work: string;
  readonly folder: string;
  readonly clock: Clock;
  readonly onProgress: (progress: BuildProgress) => void;
  readonly signal: AbortSignal | undefined;
  readonly startedMs: number;
}
