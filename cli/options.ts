import { parseServiceAccount } from '../model/service-account.ts';
import type { ServiceAccountName } from '../model/service-account.ts';
import { DEFAULT_NODES } from '../harness/trial-spec.ts';
import { z } from 'zod';
import { PROFILES } from '../history/events.ts';
import type { Profile } from '../history/events.ts';
import type { Shard } from '../reports/report-input.ts';
import { REPLACEABLE_PARTS } from '../world/replaceable.ts';
import type { ReplaceablePart } from '../world/replaceable.ts';
import { UsageError } from './usage-error.ts';

/** The default target, and the same with short periods, for real time. */
export const REFERENCE = 'reference';
export const QUICK_REFERENCE = 'reference:quick';
/** Of `mutants`: enough for a race that one in three seeds shows. */
export const DEFAULT_SEEDS = 8;
/** Of `serve`. */
export const DEFAULT_PORT = 9797;
/** The output formats of `compare`. */
export const COMPARISON_FORMATS = ['terminal', 'json', 'markdown'] as const;

/** The shells that there are completion scripts for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Most trials of a scenario, and most processes, in one run. */
const MAX_TRIALS = 100_000;
const MAX_WORKERS = 256;

const whole = (what: string, min: number, max: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d+$/, `${what} must be a whole number`)
    .transform(Number)
    .pipe(z.number().min(min, `${what} must be at least ${min}`).max(max, `${what} must be at most ${max}`));

const seed = whole('--seed', 0, Number.MAX_SAFE_INTEGER - MAX_TRIALS);
const trials = whole('--trials', 1, MAX_TRIALS);
/** Trials of one search. */
const MAX_SEARCH_TRIALS = 100_000_000;
const searchTrials = whole('--trials', 1, MAX_SEARCH_TRIALS);
/** Findings of one search. */
const MAX_FINDINGS = 10_000;
const maxFindings = whole('--max-findings', 1, MAX_FINDINGS);
/** Scenarios of one corpus. More of them would take hours before a search begins. */
const MAX_CORPUS = 10_000;
const maxCorpus = whole('--max-corpus', 1, MAX_CORPUS);
const maxFailures = whole('--max-failures', 1, MAX_TRIALS);
/** Seeds of one matrix of mutants and scenarios. */
const MAX_SEEDS = 1_000;
const seeds = whole('--seeds', 1, MAX_SEEDS);
/** What a trial may use grows with its nodes, so the supervisor's limits hold for any number. */
const nodes = whole('--nodes', 1, Number.MAX_SAFE_INTEGER);
/** Clusters that one run creates: each needs half a GiB and a core while its trial runs. */
const MAX_CLUSTERS = 8;
const clusters = whole('--clusters', 1, MAX_CLUSTERS);
/** Instances of one trial in a cluster that is not the run's own. */
const MAX_INSTANCES = 1_000;
const maxInstances = whole('--max-instances', 1, MAX_INSTANCES);
const profile = z.enum(PROFILES, { error: `--profile must be one of ${PROFILES.join(', ')}` });
const workers = whole('--workers', 1, MAX_WORKERS);

/** Parsers of numeric flags. @throws UsageError that names the flag and the valid values */
export const parseSeed = (text: string): number => parse(seed, text);
export const parseTrials = (text: string): number => parse(trials, text);
export const parseSearchTrials = (text: string): number => parse(searchTrials, text);
export const parseMaxFailures = (text: string): number => parse(maxFailures, text);
export const parseMaxFindings = (text: string): number => parse(maxFindings, text);
export const parseMaxCorpus = (text: string): number => parse(maxCorpus, text);
export const parseSeeds = (text: string): number => parse(seeds, text);

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** A search that lasts longer is started again with its corpus. */
const MAX_FOR_MS = 7 * 24 * UNIT_MS.h;

/** `--for 20m`, in milliseconds. @throws UsageError */
export function parseFor(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const ms = Number(number) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? NaN);
  if (!(ms > 0 && ms <= MAX_FOR_MS)) throw new UsageError(`--for is a duration such as 90s, 20m or 2h, at most a week, not "${text}"`);
  return ms;
}

/** `--profile`, which may be repeated. */
export const parseProfile = (text: string, before: readonly Profile[]): readonly Profile[] => [...before, parse(profile, text)];

/** The kinds of nodes: simulated kubelets, which are clients of the API server, or containers with real kubelets. */
export const NODE_KINDS = ['simulated', 'real'] as const;

/** The values of `--nodes`, which may be given twice: a number and a kind. */
export interface NodesFlag {
  readonly count: number;
  readonly kind: (typeof NODE_KINDS)[number];
}

export const DEFAULT_NODES_FLAG: NodesFlag = { count: DEFAULT_NODES, kind: 'simulated' };

/** `--nodes` where only a number makes sense. @throws UsageError */
export const parseNodeCount = (text: string): number => parse(nodes, text);

/** @param before the values so far */
export function parseNodes(text: string, before: NodesFlag): NodesFlag {
  const kind = NODE_KINDS.find((known) => known === text);
  if (kind !== undefined) return { ...before, kind };
  if (!/^\d+$/.test(text)) throw new UsageError(`--nodes is a whole number, ${NODE_KINDS.join(' or ')}, not "${text}"`);
  return { ...before, count: parse(nodes, text) };
}

/** `--without scheduler,controllers`. @throws UsageError */
export function parseWithout(text: string): readonly ReplaceablePart[] {
  return text.split(',').map((name) => {
    const part = REPLACEABLE_PARTS.find((known) => known === name.trim());
    if (part === undefined)
      throw new UsageError(`--without is one or more of ${REPLACEABLE_PARTS.join(', ')}, separated by commas, not "${text}"`);
    return part;
  });
}

/** `--rbac kube-system/karpenter`. @throws UsageError */
export function parseRbac(text: string): ServiceAccountName {
  const account = parseServiceAccount(text);
  if (account === undefined) throw new UsageError(`--rbac is a service account such as kube-system/karpenter, not "${text}"`);
  return account;
}

/** Port numbers have 16 bits. */
const MAX_PORT = 65_535;
const SERVICE = /^([a-z0-9.-]+\/[a-z0-9.-]+)=([^\s/=]+:(\d+))$/;

/** `--service kube-system/webhook=127.0.0.1:9443`, added to those before it. @throws UsageError */
export function parseService(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, service, address, portText] = SERVICE.exec(text) ?? [];
  if (service === undefined || address === undefined)
    throw new UsageError(`--service is NAMESPACE/NAME=HOST:PORT, as in kube-system/webhook=127.0.0.1:9443, not "${text}"`);
  if (!(Number(portText) > 0 && Number(portText) <= MAX_PORT))
    throw new UsageError(`--service: the port must be 1 to ${MAX_PORT}, not ${portText}`);
  return new Map([...before, [service, address]]);
}

/** The largest on Linux: PID_MAX_LIMIT of linux/threads.h. */
const MAX_PID = 4_194_304;
const pid = whole('--while', 1, MAX_PID);
export const parsePid = (text: string): number => parse(pid, text);

const port = whole('--port', 0, MAX_PORT);
export const parsePort = (text: string): number => parse(port, text);
export const parseClusters = (text: string): number => parse(clusters, text);
export const parseMaxInstances = (text: string): number => parse(maxInstances, text);
/** Machines that share one run. */
const MAX_SHARDS = 1_000;
const shards = whole('--shard I/N: N', 1, MAX_SHARDS);

/** `--shard 2/4`. @throws UsageError */
export function parseShard(text: string): Shard {
  const [number, of, ...more] = text.split('/');
  if (number === undefined || of === undefined || more.length > 0) throw new UsageError(`--shard is I/N, as in 2/4, not "${text}"`);
  const shard = { number: parse(whole('--shard I/N: I', 1, MAX_SHARDS), number), of: parse(shards, of) };
  if (shard.number > shard.of) throw new UsageError(`--shard ${text}: there are ${shard.of} shards, counted from 1`);
  return shard;
}

/**
 * The parser of a flag whose value is a regular expression.
 * @param flag its name
 * @returns a function that throws a UsageError which names the flag and the pattern
 */
export function parsePattern(flag: string): (text: string) => RegExp {
  return (text) => {
    try {
      return new RegExp(text);
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: \/.*\/\w*: /s, '') : String(error);
      throw new UsageError(`${flag} "${text}" is not a JavaScript regular expression: ${why}`);
    }
  };
}

export const parseWorkers = (text: string): number => parse(workers, text);

function parse<T>(schema: z.ZodType<T, string>, text: string): T {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${parsed.error.issues[0]?.message ?? 'a flag is not valid'}, not "${text}"`);
}
