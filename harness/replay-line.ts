import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { formatCrashPoint, parseCrashPoint } from './crash-points.ts';
import type { CrashName } from './crash-points.ts';
import { currentScenarioId, currentTargetName } from '../model/former-names.ts';

/** All that is needed to repeat a failure. */
export interface ReplayLine {
  /** A scenario's id, or the path of a user's file as it was given. */
  readonly scenario: string;
  /** First digits of the SHA-256 of the scenario's source. */
  readonly scenarioDigest: string;
  /** A target's name, or the path of a user's file as it was given. */
  readonly target: string;
  /** First digits of the SHA-256 of that file. */
  readonly targetDigest?: string | undefined;
  readonly seed: number;
  readonly nodes: number;
  /** The kind of world, with the machines of an embedded one unless they are the default; absent for the embedded world. */
  readonly world?: string | undefined;
  /** Where the machines of a real cluster are; absent for the embedded world, and in older lines. */
  readonly ec2?: 'localstack' | 'embedded' | undefined;
  /** How the target reaches a shared cluster; absent for `routed`. */
  readonly mode?: 'routed' | 'observed' | undefined;
  /** Most instances of the trial, in a shared cluster. */
  readonly maxInstances?: number | undefined;
  /** Where the target is killed or upgraded; absent if it is nowhere. */
  readonly crash?: CrashName | undefined;
  /** `none`: a target that is an upgrade is not upgraded. */
  readonly upgrade?: 'none' | undefined;
  /** First digits of the SHA-256 of the instance catalogue. */
  readonly catalogueDigest: string;
}

const FORMAT = 'sp1';

/** The name of the flag. */
const MAX_INSTANCES = 'max-instances';

/** Digits of a digest that a line carries. */
export const DIGEST_DIGITS = 12;

/** Formats one token that needs no shell quoting. */
export function formatReplayLine(line: ReplayLine): string {
  return [
    FORMAT,
    `scenario=${encode(line.scenario)}@${line.scenarioDigest.slice(0, DIGEST_DIGITS)}`,
    `target=${encode(line.target)}${line.targetDigest === undefined ? '' : `@${line.targetDigest.slice(0, DIGEST_DIGITS)}`}`,
    `seed=${line.seed}`,
    `nodes=${line.nodes}`,
    ...(line.world === undefined ? [] : [`world=${encode(line.world)}`]),
    ...(line.ec2 === undefined ? [] : [`ec2=${line.ec2}`]),
    ...(line.mode === undefined ? [] : [`mode=${line.mode}`]),
    ...(line.maxInstances === undefined ? [] : [`${MAX_INSTANCES}=${line.maxInstances}`]),
    ...(line.crash === undefined ? [] : [`crash=${formatCrashPoint(line.crash)}`]),
    ...(line.upgrade === undefined ? [] : [`upgrade=${line.upgrade}`]),
    `catalogue=${line.catalogueDigest.slice(0, DIGEST_DIGITS)}`,
  ].join(',');
}

/** Percent-encodes everything except what ids and paths consist of and no shell interprets. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll(/[!'()*~]/g, (character) => {
      return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    });
}

const digest = z.string().regex(/^[0-9a-f]{12}$/, 'must be 12 hexadecimal digits');
const whole = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);
const fields = z.strictObject({
  scenario: z.string().regex(/^[^@]+@[0-9a-f]{12}$/, 'must be an id or path, @ and 12 hexadecimal digits'),
  target: z.string().regex(/^[^@]+(@[0-9a-f]{12})?$/, 'must be a name, or a path, @ and 12 hexadecimal digits'),
  seed: whole,
  nodes: whole,
  world: z.string().min(1).optional(),
  ec2: z.enum(['localstack', 'embedded']).optional(),
  mode: z.enum(['routed', 'observed']).optional(),
  [MAX_INSTANCES]: whole.optional(),
  crash: z
    .string()
    .regex(/^(before|after|upgrade):[1-9]\d{0,8}$/, 'must be before, after or upgrade, a colon and the number of a side effect')
    .transform(parseCrashPoint)
    .optional(),
  upgrade: z.literal('none', 'must be none').optional(),
  catalogue: digest,
});

/** @throws Error that says what is wrong with the line */
export function parseReplayLine(text: string): ReplayLine {
  const [format, ...parts] = text.trim().split(',');
  if (format !== FORMAT) throw new Error(`a replay line begins with "${FORMAT},", this one with "${String(format).slice(0, 20)}"`);
  const entries = parts.map((part) => {
    const at = part.indexOf('=');
    if (at < 1) throw new Error(`"${part}" in the replay line is not of the form name=value`);
    return [part.slice(0, at), part.slice(at + 1)] as const;
  });
  const parsed = fields.safeParse(Object.fromEntries(entries));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`replay line: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`);
  }
  const [scenario = '', scenarioDigest = ''] = parsed.data.scenario.split('@');
  const [target = '', targetDigest] = parsed.data.target.split('@');
  const { world, ec2, mode, crash, upgrade, [MAX_INSTANCES]: maxInstances } = parsed.data;
  return {
    scenario: currentScenarioId(decode(scenario)),
    scenarioDigest,
    target: currentTargetName(decode(target)),
    ...defined({ targetDigest }),
    seed: parsed.data.seed,
    nodes: parsed.data.nodes,
    ...defined({ world: world === undefined ? undefined : decode(world), ec2, mode, maxInstances, crash, upgrade }),
    catalogueDigest: parsed.data.catalogue,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`"${text}" in the replay line is not percent-encoded correctly`);
  }
}
