import { join } from 'node:path';
import { artefactsFolder } from '../targets/go/artefacts/cache.ts';

/** What the parts of the benchmark get. */
export interface BenchSite {
  /** Of a real API server, if there is one. */
  readonly kubeconfig: string | undefined;
  /** Share of the sizes: 1 for those that the page has. */
  readonly scale: number;
  /** Says what is done, on standard error. */
  readonly say: (line: string) => void;
}

/** Where an anchor is kept once it was built or installed, in the user's cache. @param name with its version */
export function anchorFolder(name: string): string {
  return join(artefactsFolder(), '..', 'bench', name);
}
