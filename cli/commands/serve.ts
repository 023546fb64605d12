import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Profile } from '../../history/events.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { chooseScenarios, chooseTarget } from '../choose.ts';
import { isPath } from '../../model/paths.ts';
import type { Console } from '../console.ts';
import { runGate, writeDecision } from '../gate/run-gate.ts';
import { summarizeGate } from '../gate/terminal.ts';
import { interruption } from '../interruption.ts';
import { GateJobs } from '../serve/jobs.ts';
import type { GateQuestion, Judge } from '../serve/jobs.ts';
import { isLoopback } from '../serve/loopback.ts';
import { createGateMetrics } from '../serve/metrics.ts';
import { serveGates } from '../serve/server.ts';
import type { Site } from '../serve/server.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { readPolicy } from './gate.ts';

/** Holds the token that clients have to send. Not a flag: those are seen by everybody on the machine. */
export const TOKEN_VARIABLE = 'SCALEPROOF_TOKEN';

/** Gates whose runs are kept on disk: some 30 MB each. */
const MAX_GATES_KEPT = 20;

/** The flags of `serve`, parsed. */
export interface ServeFlags {
  readonly host: string;
  readonly port: number;
  readonly baseline: string;
  /** Files of targets that requests may name, beside the bundled ones. */
  readonly targets: readonly string[];
  readonly policy: string | undefined;
  readonly state: string | undefined;
  readonly scenarios: readonly string[];
  /** All if nothing is said. */
  readonly profiles: readonly Profile[];
  readonly workers: number | undefined;
  readonly out: string | undefined;
}

/** `scaleproof serve`: gates for rollout controllers, until Ctrl-C or SIGTERM. @returns the exit code */
export async function serve(flags: ServeFlags, console: Console): Promise<number> {
  const token = tokenFor(flags.host);
  const policy = readPolicy(flags.policy);
  const { scenarios, profiles } = flags;
  const chosen = await chooseScenarios({ suites: [], scenarios, profiles });
  if (chosen.length === 0) throw new UsageError('no scenario is left by these flags');
  const choose = chooserOf(flags);
  const clock = createRealTimeline().scope('serve');
  // A directory of its own at each start: the one before may have ended in the middle.
  const directory = join(resolve(flags.out ?? 'runs'), `serve-${new Date(clock.nowMs()).toISOString().replaceAll(/[:.]/g, '-')}`);
  const interrupted = interruption();
  let count = 0;
  const judge: Judge = async ({ baseline, candidate }, signal) => {
    const at = { directory: join(directory, `gate-${(count += 1)}`), startedAt: new Date(clock.nowMs()).toISOString() };
    mkdirSync(at.directory, { recursive: true });
    const targets = { baseline: chooseTarget(baseline), candidate: chooseTarget(candidate) };
    const { workers, state } = flags;
    if (count > MAX_GATES_KEPT) rmSync(join(directory, `gate-${count - MAX_GATES_KEPT}`), { recursive: true, force: true });
    const outcome = await runGate({ kind: 'targets', ...targets, chosen, seed: 1, workers, state, signal }, policy, at, console);
    console.err(`${baseline} -> ${candidate}: ${summarizeGate(outcome.decision)} (${writeDecision(at.directory, outcome)})\n`);
    return outcome.decision;
  };
  const metrics = createGateMetrics(profiles.length === 0 ? 'all' : profiles.join(','));
  const jobs = new GateJobs(judge, { clock, signal: interrupted.signal, onEnd: (job) => metrics.ended(job) });
  const site: Site = { jobs, choose, metrics: () => metrics.text(jobs), token, isReady: () => !interrupted.signal.aborted };
  try {
    const server = await listen(site, flags);
    console.out(`${server.url}\n`);
    await stopped(interrupted.signal);
    await server.close();
    await jobs.idle();
    return EXIT.pass;
  } finally {
    interrupted.release();
  }
}

async function listen(site: Site, { host, port }: Pick<ServeFlags, 'host' | 'port'>): ReturnType<typeof serveGates> {
  try {
    return await serveGates(site, { host, port });
  } catch (error) {
    throw new UsageError(`--host ${host} --port ${port}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** @throws UsageError where others could ask without one */
function tokenFor(host: string): string | undefined {
  const token = process.env[TOKEN_VARIABLE];
  // What is judged runs in processes of ours, and must not be able to ask for its own verdict.
  delete process.env[TOKEN_VARIABLE];
  if (token !== undefined && token !== '') return token;
  if (isLoopback(host)) return undefined;
  throw new UsageError(`--host ${host} can be reached by others: set ${TOKEN_VARIABLE} to a token that they have to send`);
}

/** Which targets requests may name: a file is code that is run, so only the command line says which. */
function chooserOf({ baseline, targets }: ServeFlags): Site['choose'] {
  for (const name of [baseline, ...targets]) chooseTarget(name);
  const files = new Set([baseline, ...targets].filter(isPath));
  const refusalOf = (name: string): string | undefined => {
    if (isPath(name))
      return files.has(name) ? undefined : `the server was not started with --target ${name}; it takes files from its command line only`;
    try {
      chooseTarget(name);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  };
  return (names) => {
    const candidate = names.candidate ?? (targets.length === 1 ? targets[0] : undefined);
    if (candidate === undefined) return { refused: 'name a candidate' };
    const question: GateQuestion = { baseline: names.baseline ?? baseline, candidate };
    const refused = refusalOf(question.baseline) ?? refusalOf(question.candidate);
    return refused === undefined ? question : { refused };
  };
}
