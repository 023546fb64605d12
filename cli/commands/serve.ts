import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { notesOnLaxer } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import { counted } from '../../gate/wording.ts';
import { artefactOf, scenarioDigestOf } from '../../harness/load.ts';
import { LoadError } from '../../harness/load-error.ts';
import type { Profile } from '../../history/events.ts';
import { defined } from '../../model/defined.ts';
import { formatDuration } from '../../reports/format.ts';
import { printable } from '../../reports/paint.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { chooseTarget } from '../choose.ts';
import type { ChosenScenario, ChosenTarget } from '../choose.ts';
import type { Console } from '../console.ts';
import { runGate } from '../gate/run-gate.ts';
import { writeDecision } from '../gate/outcome.ts';
import { sourcesDigest } from '../gate/sources.ts';
import { summarizeGate } from '../gate/terminal.ts';
import { interruption } from '../interruption.ts';
import { selectScenarios } from '../manifests.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { createDirectory } from '../run-directory.ts';
import { chooserOf, fromBefore } from '../serve/chooser.ts';
import { GateJobs } from '../serve/jobs.ts';
import type { GateJob, Judge } from '../serve/jobs.ts';
import { openKeptGates } from '../serve/kept-gates.ts';
import type { KeptGates } from '../serve/kept-gates.ts';
import { isLoopback } from '../serve/loopback.ts';
import { createGateMetrics, profileLabel } from '../serve/metrics.ts';
import { serveGates } from '../serve/server.ts';
import type { Site } from '../serve/server.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { readPolicy, refuseGaps } from './gate.ts';

/** Holds the token that clients must send. It is not a flag, since everybody on the machine can see flags. */
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
  /** Versions of the baseline and of the only target. */
  readonly baselineVersion: string | undefined;
  readonly candidateVersion: string | undefined;
  readonly policy: string | undefined;
  readonly state: string | undefined;
  readonly suites: readonly string[];
  readonly scenarios: readonly string[];
  /** A directory with the user's manifests: only the scenarios made from them run. */
  readonly manifests: string | undefined;
  /** It does not start over manifests with workloads that can't be shown to be served. */
  readonly strict: boolean;
  readonly grep: RegExp | undefined;
  readonly grepInvert: RegExp | undefined;
  /** All by default. */
  readonly profiles: readonly Profile[];
  readonly workers: number | undefined;
  readonly out: string | undefined;
}

/** `scaleproof serve`: gates for rollout controllers, until Ctrl-C or SIGTERM. @returns the exit code */
export async function serve(flags: ServeFlags, console: Console): Promise<number> {
  const token = tokenFor(flags.host);
  const policy = readPolicy(flags.policy);
  const { suites, scenarios, profiles, manifests, strict, grep, grepInvert } = flags;
  const onCommandLine = [flags.baseline, ...flags.targets].map(chooseTarget);
  const selection = await selectScenarios({ suites, scenarios, profiles, manifests, grep, grepInvert }, onCommandLine, console);
  if (strict) refuseGaps(selection.manifests);
  const { chosen } = selection;
  const choose = chooserOf(flags);
  const prepared = new Map<string, ChosenTarget>();
  for (const target of onCommandLine) prepared.set(target.label, await preparedOrNot(target, console));
  const programs = await programsDigest([...prepared.values()]);
  const clock = createRealTimeline().scope('serve');
  // A new directory at each start: an earlier server may have been killed in the middle of a gate.
  const name = `serve-${new Date(clock.nowMs()).toISOString().replaceAll(/[:.]/g, '-')}`;
  const directory = createDirectory(join(flags.out ?? 'runs', name), { startedAt: '' });
  const kept =
    flags.state === undefined
      ? undefined
      : openKeptGates(join(resolve(flags.state), 'serve'), await settingsDigest(policy, chosen, programs));
  const interrupted = interruption();
  let count = 0;
  const judge: Judge = async ({ baseline, candidate, baselineVersion, candidateVersion }, signal) => {
    const startedAt = new Date(clock.nowMs()).toISOString();
    const at = { directory: createDirectory(join(directory, `gate-${(count += 1)}`), { startedAt }), startedAt };
    const targetOf = (name: string): ChosenTarget => prepared.get(name) ?? chooseTarget(name);
    const targets = { baseline: targetOf(baseline), candidate: targetOf(candidate) };
    const versions = { baseline: baselineVersion, candidate: candidateVersion };
    const { workers, state } = flags;
    if (count > MAX_GATES_KEPT) rmSync(join(directory, `gate-${count - MAX_GATES_KEPT}`), { recursive: true, force: true });
    const outcome = await runGate(
      { kind: 'targets', ...targets, versions, selection, seed: 1, workers, state, signal },
      policy,
      at,
      console,
    );
    const tookMs = clock.nowMs() - Date.parse(startedAt);
    const { json: path } = writeDecision(at.directory, outcome);
    const sides = printable(`${baseline} -> ${candidate}`);
    console.err(`${sides}: ${summarizeGate(outcome.decision)} (${formatDuration(tookMs)}, ${path})\n${notesText(outcome.notes)}`);
    return outcome;
  };
  const metrics = createGateMetrics(profileLabel(flags));
  const onChange = (job: GateJob): void => {
    if (job.status === 'done') metrics.ended(job);
    keep(kept, job, console);
  };
  const before = kept?.before.map((job) => fromBefore(job, choose)) ?? [];
  const jobs = new GateJobs(judge, { clock, signal: interrupted.signal, before, onChange });
  const site: Site = { jobs, choose, metrics: () => metrics.text(jobs), token, isReady: () => !interrupted.signal.aborted };
  try {
    const server = await listen(site, flags);
    console.out(`${server.url}\n`);
    const { seeds, first, max } = policy.episodes;
    const least = seeds * chosen.length;
    const scenarioCount = counted(chosen.length, 'scenario');
    console.err(
      `each gate: ${scenarioCount} with the same seeds for both sides; about ${Math.max(least, first)} episodes of each at first, ${Math.max(least, max)} at most\n`,
    );
    console.err(notesText(notesOnLaxer(policy)));
    await stopped(interrupted.signal);
    await server.close();
    await jobs.idle();
    return EXIT.pass;
  } finally {
    interrupted.release();
    kept?.close();
  }
}

function notesText(notes: readonly string[]): string {
  return notes.map((note) => `note: ${printable(note)}\n`).join('');
}

/** A digest of everything that a gate's result depends on, besides its targets' names. */
async function settingsDigest(policy: Policy, chosen: readonly ChosenScenario[], programs: readonly string[]): Promise<string> {
  const scenarios = await Promise.all(chosen.map(async ({ scenario: { id }, ref }) => [id, await scenarioDigestOf(ref)]));
  return createHash('sha256')
    .update(
      JSON.stringify({
        policy,
        scenarios,
        sources: sourcesDigest(),
        ...defined({ programs: programs.length === 0 ? undefined : programs }),
      }),
    )
    .digest('hex');
}

/** A file that can't be loaded now may be fixed before a gate needs it. If not, the gate reports the error. */
async function preparedOrNot(target: ChosenTarget, console: Console): Promise<ChosenTarget> {
  try {
    return await prepareTarget(target, console);
  } catch (error) {
    if (error instanceof LoadError) return target;
    throw error;
  }
}

/** The compiled programs of the targets: another build is another target, even with the same name. */
async function programsDigest(targets: readonly ChosenTarget[]): Promise<string[]> {
  const tied = targets.filter(({ ref }) => 'artefact' in ref);
  const artefacts = await Promise.all(tied.map(async ({ ref, label }) => ({ label, artefact: await artefactOf(ref) })));
  return artefacts.flatMap(({ label, artefact }) => (artefact === undefined ? [] : [`${label}=${artefact.manifest.wasm.sha256}`])).sort();
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

/** A verdict that can't be written is still served until this server stops. */
function keep(kept: KeptGates | undefined, job: GateJob, console: Console): void {
  try {
    kept?.keep(job);
  } catch (error) {
    console.err(`the verdict of ${job.id} can't be written: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/** Characters that are safe in a header. White space is refused: it usually comes from a file with a line feed at its end. */
const TOKEN = /^[\x21-\x7e]+$/;

/** @throws UsageError if other machines could connect without a token, or the token can't be sent in a header */
function tokenFor(host: string): string | undefined {
  const token = process.env[TOKEN_VARIABLE];
  // Targets run in child processes, and must not be able to request their own verdict.
  delete process.env[TOKEN_VARIABLE];
  if (token !== undefined && token !== '') {
    if (TOKEN.test(token)) return token;
    throw new UsageError(
      `${TOKEN_VARIABLE} has white space (a line feed at its end?) or a character beyond ASCII: create one with openssl rand -hex 32`,
    );
  }
  if (isLoopback(host)) return undefined;
  throw new UsageError(`--host ${host} can be reached from other machines: set ${TOKEN_VARIABLE} to a token that clients have to send`);
}
