import { z } from 'zod';
import type { Capability } from '../history/capabilities.ts';
import type { Pool } from '../model/catalogue.ts';
import { Mistake, hint, refuseUnless, shown } from '../model/mistake.ts';
import type { Feature } from '../targets/target.ts';
import { argumentSchemas, budgetSchema, daemonSetSchema, workloadSchema } from './schemas.ts';
import type { Expectations, Scenario, Trial, UserObject, Workload, WorkloadRequest } from './scenario.ts';

/** What an argument must be, and its name in messages. */
type Argument = readonly [noun: string, check: z.ZodType | 'workload'];

const { active, bound, count, fault, firing, part, pool, range, ratio, step, texts } = argumentSchemas;
const WORKLOAD: Argument = ['its workload', 'workload'];
const BOUND: Argument = ['its bound', bound];
const RATIO: Argument = ['its ratio', ratio];
const COUNT: Argument = ['its number of instances', count];
const OPTIONAL_BOUND: Argument = ['its bound', bound.optional()];
const SERVED = [WORKLOAD, BOUND, RATIO] as const;

/** The arguments of each method of `t` that takes some. */
const METHODS: Readonly<Partial<Record<keyof Trial, readonly Argument[]>>> = {
  lengthMs: [BOUND],
  deploy: [['a workload', workloadSchema]],
  scale: [WORKLOAD, ['its number of replicas', count]],
  remove: [WORKLOAD],
  daemonSet: [['a DaemonSet', daemonSetSchema]],
  protect: [WORKLOAD, ['its budget', budgetSchema]],
  changePool: [['its pool', pool]],
  rollOut: [WORKLOAD],
  inject: [
    ['its fault', fault],
    ['its firing', firing],
  ],
  injectUntilFired: [['its fault', fault], BOUND],
  served: SERVED,
  emptied: [BOUND],
  kept: [BOUND],
  consolidated: [COUNT, BOUND],
  untilServed: [WORKLOAD, BOUND],
  untilFinished: [WORKLOAD, BOUND],
  untilEmpty: [BOUND],
  untilLaunched: [COUNT, BOUND],
  untilLeft: [COUNT, BOUND],
  untilFired: [['its fault', active], BOUND],
  pass: [BOUND, ['its part of the bound', part]],
  pause: [['its range', range]],
};

/** The same for `t.expect`. */
const EXPECTATIONS: Readonly<Record<keyof Expectations, readonly Argument[]>> = {
  served: SERVED,
  servedUntilNow: [WORKLOAD],
  emptied: [BOUND],
  idleRemoved: [BOUND],
  noLaunchFor: [WORKLOAD],
  launchedAtMost: [COUNT],
  launchedFrom: [['its pool', z.string('must be the name of a pool')]],
  explained: [WORKLOAD, ['its words', texts], OPTIONAL_BOUND],
  consolidated: [COUNT, BOUND],
  kept: [BOUND],
  neverWithoutNode: [WORKLOAD],
  latency: [WORKLOAD, ['its first step', step], ['its last step', step], BOUND],
  steadyMemory: [],
};

/** A trial whose calls are checked. */
export interface CheckedTrial {
  readonly trial: Trial;
  /** To be called when the scenario's code has ended. @throws Mistake for a workload that another one needs, and that never was deployed */
  finish(): void;
}

/** Names that are looked up on any object, for example by `await` and by printing it. */
const COMMON = ['then', 'toJSON', 'constructor', 'asymmetricMatch', 'nodeType', '$$typeof', 'inspect'];

/**
 * The same trial, for a user's scenario: calls with wrong arguments throw a Mistake, which names the user's file, line and field,
 * before anything is recorded. Two workloads of one name, workloads that were never deployed, unknown pools and methods, and what needs
 * something that the scenario does not declare are mistakes, too.
 */
export function checkedTrial(trial: Trial, { pools, needs }: Pick<Scenario, 'pools' | 'needs'>): CheckedTrial {
  const poolNames = pools.map(({ name }) => name);
  /** Workloads that others have to be near to, which may be deployed later. */
  const missing = new Map<string, Error>();
  /** All workloads so far, and those that were not removed. */
  const deployed = new Set<string>();
  const present = new Set<string>();
  /** Those whose pods finish. */
  const finishing = new Set<string>();

  function check(call: string, args: readonly unknown[], expected: readonly Argument[]): void {
    for (const [index, [noun, schema]] of expected.entries()) {
      if (schema === 'workload') refuseUnknownWorkload(call, args[index]);
      else refuseUnless(schema, args[index], { call, noun });
    }
  }

  function refuseUnknownWorkload(call: string, value: unknown): void {
    const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
    if (typeof name !== 'string') throw new Mistake(`${call}: its workload must be one that t.deploy returned, and is ${shown(value)}`);
    if (!deployed.has(name)) throw new Mistake(`${call}: no workload "${name}" was deployed${hint(name, [...deployed])}`);
  }

  function refuseUnknownPools(call: string, names: readonly string[]): void {
    for (const name of names)
      if (!poolNames.includes(name)) throw new Mistake(`${call}: the scenario has no pool "${name}"${hint(name, poolNames)}`);
  }

  function add(call: string, name: string): void {
    if (present.has(name))
      throw new Mistake(`${call}: there is a workload named "${name}" already; give this one another \`name\` (the default is web)`);
    present.add(name);
    deployed.add(name);
    finishing.delete(name);
  }

  /** A pod that can't be scheduled may need what never comes. */
  function remember({ near, truth }: WorkloadRequest): void {
    if (near !== undefined && truth?.kind !== 'impossible' && !deployed.has(near.workload))
      missing.set(near.workload, new Error('deployed here'));
  }

  /** Without it, a target without the feature would be judged by what it can't do. */
  function refuseUndeclared(call: string, field: string, { feature, capability }: { feature?: Feature; capability?: Capability }): void {
    const missing = [
      ...(feature === undefined || needs.features.includes(feature) ? [] : [`\`features: ['${feature}']\``]),
      ...(capability === undefined || needs.capabilities.includes(capability) ? [] : [`\`capabilities: ['${capability}']\``]),
    ];
    if (missing.length > 0) throw new Mistake(`${call}: \`${field}\` needs ${missing.join(' and ')} in the scenario`);
  }

  /** What changes which workloads there are, and what depends on the pools. */
  function follow(call: string, args: readonly unknown[]): void {
    const [first] = args;
    if (call === 't.deploy') add(call, (first as { readonly name?: string }).name ?? 'web');
    if (call === 't.deploy') remember(first as WorkloadRequest);
    if (call === 't.scale' && finishing.has((first as Workload).name))
      throw new Mistake(`${call}: its Job has as many pods as have to finish (\`runSeconds\`), and can't be scaled`);
    if (call === 't.rollOut' && (first as Workload).kind === 'Job') throw new Mistake(`${call}: the template of a Job can't be changed`);
    if (call === 't.untilFinished' && !finishing.has((first as Workload).name))
      throw new Mistake(`${call}: its pods never finish; deploy it with \`kind: 'Job'\` and \`runSeconds\``);
    if (call === 't.deploy') refuseOtherKinds(call, first as WorkloadRequest);
    if (call === 't.deploy' && requestsGpus(first as WorkloadRequest))
      refuseUndeclared(call, 'gpus', { feature: 'gpus', capability: 'nodes.devices' });
    if (call === 't.deploy' && (first as WorkloadRequest).runSeconds !== undefined) {
      refuseUndeclared(call, 'runSeconds', { capability: 'pods.finish' });
      finishing.add((first as WorkloadRequest).name ?? 'web');
    }
    if (call === 't.daemonSet') add(call, (first as { readonly name: string }).name);
    if (call === 't.apply') for (const { workload } of first as UserObject[]) if (workload !== undefined) add(call, workload.name);
    if (call === 't.remove') present.delete((first as Workload).name);
    if (call === 't.changePool') refuseUnknownPools(call, [(first as Pool).name]);
    if (call === 't.changePool' && (first as Pool).nodeSettings !== undefined)
      refuseUndeclared(call, 'nodeSettings', { feature: 'node-settings' });
    if (call === 't.withdrawPools') refuseUnknownPools(call, args as string[]);
    if (call === 't.expect.launchedFrom') refuseUnknownPools(call, [first as string]);
  }

  function wrap<T extends object>(inner: T, prefix: string, methods: Readonly<Partial<Record<string, readonly Argument[]>>>): T {
    return new Proxy(inner, {
      get(_target, key) {
        const value: unknown = Reflect.get(inner, key, inner);
        if (typeof key === 'symbol') return value;
        if (value === undefined && !(key in inner) && !COMMON.includes(key))
          throw new Mistake(`\`${prefix}.${key}\` does not exist${suggestion(prefix, key, inner)}`);
        if (typeof value !== 'function') return value;
        const call = `${prefix}.${key}`;
        return (...args: readonly unknown[]): unknown => {
          check(call, args, methods[key] ?? []);
          follow(call, args);
          return Reflect.apply(value, inner, args) as unknown;
        };
      },
    });
  }

  const expect = wrap(trial.expect, 't.expect', EXPECTATIONS);
  const checked = wrap(trial, 't', METHODS);
  return {
    trial: new Proxy(checked, { get: (inner, key) => (key === 'expect' ? expect : (Reflect.get(inner, key) as unknown)) }),
    finish() {
      for (const [name, at] of missing)
        if (!deployed.has(name))
          throw new Mistake(`t.deploy: \`near.workload\`: no workload "${name}" was deployed${hint(name, [...deployed])}`, at);
    },
  };
}

/** Only StatefulSets give claims to their pods, and only pods of Jobs finish. */
function refuseOtherKinds(call: string, { kind, claimTemplates = [], runSeconds }: WorkloadRequest): void {
  if (claimTemplates.length > 0 && kind !== 'StatefulSet') throw new Mistake(`${call}: \`claimTemplates\` needs \`kind: 'StatefulSet'\``);
  if (runSeconds !== undefined && kind !== 'Job') throw new Mistake(`${call}: \`runSeconds\` needs \`kind: 'Job'\``);
}

/** Pods that can't be scheduled need no GPUs. */
function requestsGpus({ gpus = 0, truth }: WorkloadRequest): boolean {
  return gpus > 0 && truth?.kind !== 'impossible';
}

function suggestion(prefix: string, key: string, inner: object): string {
  if (prefix === 't' && key in EXPECTATIONS) return `; did you mean \`t.expect.${key}\`?`;
  return hint(key, [...new Set([...Object.keys(METHODS), ...Object.keys(EXPECTATIONS), ...Object.keys(inner)])]);
}
