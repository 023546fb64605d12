import { loadTarget, scenarioDigestOf, targetDigestOf } from '../../harness/load.ts';
import { catalogueFor } from '../../harness/world-for.ts';
import { DIGEST_DIGITS, parseReplayLine } from '../../harness/replay-line.ts';
import { defined } from '../../model/defined.ts';
import { chooseTarget } from '../choose.ts';
import { chooseRecorded } from '../choose-recorded.ts';
import { isPath } from '../../model/paths.ts';
import type { Console } from '../console.ts';
import { MACHINES, WORLDS } from '../choose-world.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { provideWorld } from '../provide-world.ts';
import type { WorldFlags } from '../provide-world.ts';
import { UsageError } from '../usage-error.ts';
import { runChosen } from './run.ts';

/**
 * `scaleproof replay LINE`: runs one trial again, in the world of the line unless flags name another, and warns about each digest
 * that has changed since.
 */
export async function replay(
  text: string,
  { out, json, ...where }: { readonly out: string | undefined; readonly json: boolean } & WorldFlags,
  console: Console,
): Promise<number> {
  const line = parse(text);
  const [kind, how] = (line.world ?? 'embedded').split(':');
  const name = WORLDS.find((known) => known === kind);
  const machines = MACHINES.find((known) => known === how);
  const nodes = how === 'real-nodes' ? ({ kind: 'real' } as const) : undefined;
  if (name === undefined || (how !== undefined && machines === undefined && nodes === undefined))
    throw new UsageError(`the replay line names an unknown world "${line.world}"`);
  const { ec2 = where.awsEndpoint === undefined ? line.ec2 : undefined, mode = line.mode } = where;
  const fromLine = { ec2, mode, maxInstances: line.maxInstances };
  const world = provideWorld(name, { ...where, ...fromLine, machines, ...defined({ nodes }) }, console);
  const named = chooseTarget(line.target);
  const chosen = await chooseRecorded(line.scenario);
  const target = await prepareTarget(named, console);
  const found = {
    scenario: await scenarioDigestOf(chosen.ref),
    catalogue: catalogueFor(await loadTarget(target.ref), world.world, chosen.scenario.pools).digest,
  };
  warnIfChanged(console, `the source of ${line.scenario}`, line.scenarioDigest, found.scenario);
  warnIfChanged(console, 'the instance catalogue', line.catalogueDigest, found.catalogue);
  const targetDigest = await targetDigestOf(target.ref);
  if (line.targetDigest !== undefined && targetDigest !== undefined) {
    warnIfChanged(console, `the ${isPath(line.target) ? 'file' : 'program'} of target ${line.target}`, line.targetDigest, targetDigest);
  }
  // The trial without the crash runs first: it shows which request has the side effect.
  const crashPoints = line.crash === undefined ? {} : { crashPoints: { of: 'all', only: line.crash } as const };
  const withoutUpgrade = line.upgrade === 'none';
  const what = { chosen: [chosen], target, seed: line.seed, nodes: line.nodes, trials: 1, withoutUpgrade, ...crashPoints };
  return runChosen({ ...what, workers: 1, out, json, ...world }, console);
}

function parse(text: string): ReturnType<typeof parseReplayLine> {
  try {
    return parseReplayLine(text);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function warnIfChanged(console: Console, what: string, before: string, now: string): void {
  const digits = now.slice(0, DIGEST_DIGITS);
  if (digits !== before) console.err(`warning: ${what} has changed (digest ${before} then, ${digits} now): the replay may differ\n`);
}
