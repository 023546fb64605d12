import { parseDurationMs } from '../../model/go-duration.ts';

/** Flags whose values the target itself decides. */
const FIXED: readonly string[] = [
  'cloud-provider',
  'namespace',
  'node-group-auto-discovery',
  'nodes',
  'kubeconfig',
  'leader-elect',
  'cloud-config',
];

/** Without these, there is nothing to test: every scenario removes nodes. */
const NEEDED: readonly string[] = ['scale-down-enabled'];

/** Flags with durations that decide about its constants. Source: cluster-autoscaler/config/flags/flags.go and config/const.go */
export const PERIODS = {
  'scan-interval': 10_000,
  'max-node-provision-time': 900_000,
  'new-pod-scale-up-delay': 0,
  'scale-down-unneeded-time': 600_000,
  'scale-down-unready-time': 1_200_000,
  'scale-down-delay-after-add': 600_000,
  'scale-down-delay-after-delete': 0,
  'scale-down-delay-after-failure': 180_000,
  'unremovable-node-recheck-timeout': 300_000,
  'node-deletion-batcher-interval': 0,
  'node-delete-delay-after-taint': 5_000,
  'max-pod-eviction-time': 120_000,
  'initial-node-group-backoff-duration': 300_000,
} as const satisfies Readonly<Record<string, number>>;

type Period = keyof typeof PERIODS;

/** A user's flags that can't be used. */
export class FlagError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FlagError';
  }
}

/** `--name=value` or `--name`: anything else is refused, since Go would take the next argument for a value. @throws FlagError */
function nameOf(flag: string): string {
  const [, name] = /^--?([a-z][a-z0-9-]*)(=.*)?$/.exec(flag) ?? [];
  if (name === undefined) throw new FlagError(`${JSON.stringify(flag)} must be written as --NAME=VALUE`);
  return name;
}

/**
 * The target's own flags with a user's: those replace the ones of the same name, and may be repeated.
 * @throws FlagError for a flag that the target decides, one that turns off what every scenario needs, or a period that is no duration
 */
export function withFlags(own: readonly string[], users: readonly string[]): string[] {
  const names = new Set(users.map(nameOf));
  for (const name of names) if (FIXED.includes(name)) throw new FlagError(`--${name} is decided by the world that it runs in`);
  for (const name of NEEDED)
    if (isOff(users, name)) throw new FlagError(`--${name} can't be turned off: no node would be removed, and every scenario removes some`);
  periodsOf(users);
  return [...own.filter((flag) => !names.has(nameOf(flag))), ...users];
}

/** Whether a user's flag, the last of its name, turns something off, as Go reads it. */
export function isOff(users: readonly string[], name: string): boolean {
  return /=(0|f|F|false|False|FALSE)$/.test(users.findLast((flag) => nameOf(flag) === name) ?? '');
}

/** The periods that flags set, or their defaults, in milliseconds. @throws FlagError */
export function periodsOf(users: readonly string[]): Readonly<Record<Period, number>> {
  const periods: Record<Period, number> = { ...PERIODS };
  for (const flag of users) {
    const name = nameOf(flag);
    if (!isPeriod(name)) continue;
    const text = flag.slice(flag.indexOf('=') + 1);
    const ms = flag.includes('=') ? parseDurationMs(text) : undefined;
    if (ms === undefined) throw new FlagError(`--${name} must be a duration such as 10s or 1m30s, not "${text}"`);
    periods[name] = ms;
  }
  return periods;
}

function isPeriod(name: string): name is Period {
  return Object.hasOwn(PERIODS, name);
}
