import type { Verdict } from '../history/verdict.ts';
import { SERVABILITY_WORDS } from '../model/servability.ts';
import { formatCount } from './format.ts';
import type { ManifestsFacts } from './report-input.ts';

type Gap = ManifestsFacts['gaps'][number];

/** What workloads that can't be served mean for the verdict: nothing unless `--strict` is given. What can't be tested is unknown. */
export function gapVerdicts(manifests: ManifestsFacts | undefined): Verdict[] {
  return manifests?.strict === true ? manifests.gaps.map(verdictOf) : [];
}

export function verdictOf({ kind }: Gap): Verdict {
  return kind === 'untestable' ? 'unknown' : 'fail';
}

/** `2 of 5 workloads in ./shop are not shown to be served`; undefined without gaps. */
export function describeGaps({ directory, workloads, gaps }: Omit<ManifestsFacts, 'strict'>): string | undefined {
  if (gaps.length === 0) return undefined;
  return `${gaps.length} of ${formatCount(workloads, 'workload')} in ${directory} ${gaps.length === 1 ? 'is' : 'are'} not shown to be served`;
}

/** What no trial shows to be served, in words: how many workloads, and each with its reason. */
export interface Unserved {
  readonly summary: string;
  readonly gaps: string[];
}

/** Undefined without manifests, and if all of their workloads are shown to be served. */
export function unservedOf(manifests: Omit<ManifestsFacts, 'strict'> | undefined): Unserved | undefined {
  const summary = manifests && describeGaps(manifests);
  return manifests === undefined || summary === undefined ? undefined : { summary, gaps: manifests.gaps.map(describeGap) };
}

/** `Deployment shop/gpu: it CANNOT BE SERVED by these pools, even without faults: ...` */
export function describeGap({ workload, kind, why }: Gap): string {
  return `${workload}: ${SERVABILITY_WORDS[kind]}: ${why}`;
}
