import type { ProgramFacts, RunFacts } from './report-input.ts';

/** Digits of a digest that identify it. */
const DIGITS = 12;

/** What a compiled program was built from: `example.com/autoscaler v1.2.3`. */
export function sourceOf({ module, moduleVersion, sources }: ProgramFacts): string {
  if (sources !== undefined) return `a checkout of ${module} (${sources.slice(0, DIGITS)})`;
  return moduleVersion === undefined ? module : `${module} ${moduleVersion}`;
}

/**
 * The version of a run's target: a compiled program has its own, a user's file its digest, and a bundled target the version of
 * Scaleproof.
 */
export function versionText({ target: { program, digest }, versions }: Pick<RunFacts, 'target' | 'versions'>): string {
  if (program !== undefined) return `version ${program.version}`;
  return digest === undefined ? `scaleproof ${versions.scaleproof}` : `file ${digest.slice(0, DIGITS)}`;
}
