import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { gateOutcomeSchema } from '../../gate/outcome.ts';
import type { GateOutcome, GateSide } from '../../gate/outcome.ts';
import { keyOf } from '../../gate/sides.ts';
import { SIDES } from '../../reports/gate.ts';
import { renderGate } from '../../reports/html/gate.ts';
import type { GateLinks } from '../../reports/html/gate.ts';
import { trialId } from '../../reports/html/scenario.ts';
import { versionText } from '../../reports/program.ts';
import type { RunFacts } from '../../reports/report-input.ts';
import { GATE_FILE } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';

/** The files of a gate's outcome, beside its runs. */
export interface GateFiles {
  readonly json: string;
  readonly page: string;
}

/** A gate that was decided, and its directory. */
export interface DecidedGate {
  readonly outcome: GateOutcome;
  readonly directory: string;
  /** The names of its sides, as the user gave them. */
  readonly names: { readonly baseline: string; readonly candidate: string };
}

/** Writes the decision and its page beside the gate's runs. */
export function writeDecision(directory: string, outcome: GateOutcome): GateFiles {
  const json = join(directory, GATE_FILE);
  writeFileSync(json, `${JSON.stringify(outcome, undefined, 2)}\n`);
  return { json, page: writeGatePage(directory, outcome) };
}

/** Writes report.html. It links to the reports of the gate's runs that exist. @returns its path */
export function writeGatePage(directory: string, outcome: GateOutcome): string {
  const page = join(directory, 'report.html');
  writeFileSync(page, renderGate(outcome, linksOf(directory, outcome)));
  return page;
}

/** Whether a directory is that of a gate. */
export function isGateDirectory(directory: string): boolean {
  return existsSync(join(directory, GATE_FILE));
}

/** @throws UsageError if gate.json can't be read */
export function readGateOutcome(directory: string): GateOutcome {
  const path = join(directory, GATE_FILE);
  try {
    return gateOutcomeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new UsageError(`${path} can't be read: it is damaged, or of another version of Scaleproof; run the gate again`);
  }
}

/** What of a run's report.json tells where its page shows a trial. */
const reportSchema = z.object({
  scenarios: z.array(z.object({ id: z.string(), results: z.array(z.object({ seed: z.number() })) })),
});

/** Where the reports of the gate's runs show trials, as far as they exist. */
function linksOf(directory: string, { directories, sides }: GateOutcome): GateLinks {
  const places = new Map<string, string>();
  for (const side of SIDES) {
    const own = sides[side].directory;
    for (const run of own === undefined ? directories.map((one) => join(one, side)) : [own]) {
      const page = relative(resolve(directory), resolve(run, 'report.html')).split(sep).map(encodeURIComponent).join('/');
      for (const [index, { id, results }] of scenariosReportedIn(run).entries())
        for (const { seed } of results) places.set(`${side} ${keyOf({ scenario: id, seed })}`, `${page}#${trialId(index, seed)}`);
    }
  }
  return (side, trial) => places.get(`${side} ${keyOf(trial)}`);
}

/** In the order of the page; none without a page, or with one of another version. */
function scenariosReportedIn(run: string): z.infer<typeof reportSchema>['scenarios'] {
  const path = join(run, 'report.json');
  if (!existsSync(join(run, 'report.html')) || !existsSync(path)) return [];
  try {
    return reportSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).scenarios;
  } catch {
    return [];
  }
}

/** A target as a run's facts describe it. @param given its version, if the user named it */
export function sideOf(run: RunFacts, given?: string): GateSide {
  return { target: run.target.name, version: given === undefined ? versionText(run) : namedVersion(given) };
}

/** A version that the user named, as {@link versionText} writes others. */
export function namedVersion(given: string): string {
  return `version ${given}`;
}
