import type { Clock } from '../../../runtime/clock.ts';
import type { Artefact } from '../artefacts/cache.ts';
import type { Replacement } from '../artefacts/manifest.ts';
import type { MemorySize } from './memory-size.ts';

/** A Go program that is to be built. */
export interface GoProgramSpec {
  /** Its artefact's name: `karpenter` and `1.14.1`. */
  readonly program: string;
  readonly version: string;
  readonly module: string;
  /** Its main package: a path, or `./cmd/controller` within the module. */
  readonly package: string;
  /** What the module proxy is asked for: a version, or a commit. Not needed with `source`. */
  readonly moduleVersion?: string | undefined;
  /** The folder of a checkout of the module, instead of the module proxy. */
  readonly source?: string | undefined;
  /** What takes the place of modules: `module@version`, or a folder. */
  readonly replace?: Readonly<Record<string, string>> | undefined;
  /** The folder of CustomResourceDefinitions within the module. */
  readonly crds?: string | undefined;
  /** A variable that the linker sets to `version`. */
  readonly versionVariable?: string | undefined;
  /** Whether all requests go to `fetch` (see `overlay.ts`); by default they do. */
  readonly overlay?: boolean | undefined;
  /** By default `DEFAULT_MEMORY`. */
  readonly memory?: MemorySize | undefined;
  /** Which Go builds it, for who has none: `Go 1.26.10 or later`. */
  readonly goHint?: string | undefined;
}

/** What a build is at. */
export type BuildProgress =
  /** Another process builds. */
  | { readonly step: 'wait' }
  /** Which Go it is. */
  | { readonly step: 'go'; readonly version: string }
  | { readonly step: 'fetch'; readonly what: string }
  | { readonly step: 'replace'; readonly replacement: Replacement }
  | { readonly step: 'resolve' }
  /** So many of all packages are compiled by now, and this was the last; those that Go has compiled before are not counted. */
  | { readonly step: 'compile'; readonly compiled: number; readonly packages: number; readonly last: string }
  | { readonly step: 'finish' };

/** What a build runs with. */
export interface BuildOptions {
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Aborted: the build ends with its reason, and nothing half-made stays. */
  readonly signal?: AbortSignal | undefined;
  /** Where artefacts are kept. */
  readonly folder?: string | undefined;
}

/** What a build made, or found. */
export interface BuildResult {
  readonly artefact: Artefact;
  /** It was there already. */
  readonly isFound: boolean;
}

/** What all steps of a build share. */
export interface BuildSite {
  readonly spec: GoProgramSpec;
  /** A folder of its own, which goes when it ends. */
  readonly work: string;
  readonly folder: string;
  readonly clock: Clock;
  readonly onProgress: (progress: BuildProgress) => void;
  readonly signal: AbortSignal | undefined;
  readonly startedMs: number;
}
