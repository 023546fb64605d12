import { z } from 'zod';
import { CAPABILITY_NAMES } from '../history/capabilities.ts';
import { LATENCY_STEPS, PROFILES, truthSchema } from '../history/events.ts';
import { isQuantity } from '../model/quantity.ts';
import { labelKeySchema, labelValueSchema, reservationSchema, thresholdSchema } from '../world/nodes/kubelet-rules.ts';
import { BOUND_NAMES } from './bounds.ts';
import { parseCron } from '../model/cron.ts';
import { DISRUPTION_REASONS } from '../model/disruption-budget.ts';
import { LABEL } from '../model/kube.ts';
import type { TaintEffect, NodeSelectorRequirement } from '../model/kube.ts';
import { FEATURES } from '../targets/target.ts';
import type { TargetConstants } from '../targets/target.ts';

/**
 * What a user's module must export: the shapes of scenario and target, read through getters and prototypes too, so that
 * instances of classes are accepted. Every message continues a sentence that starts with the field's name.
 */

const OPERATORS: readonly NodeSelectorRequirement['operator'][] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];
const EFFECTS: readonly TaintEffect[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const method = z.custom<() => unknown>((value) => typeof value === 'function', 'must be a function');
const text = z.string('must be a string').min(1, 'must not be empty');
const texts = listOf(text);

const requirement = z
  .object({ key: text, operator: oneOf(OPERATORS), values: texts.optional() }, 'must be a requirement { key, operator, values }')
  .superRefine(({ operator, values = [] }, { addIssue }) => {
    const problem = valuesProblem(operator, values);
    if (problem !== undefined) addIssue({ code: 'custom', path: ['values'], message: problem });
  });

/** What a term of a pod's node affinity asks for. */
export const requirementSchema = requirement;

const taint = z.object(
  { key: text, value: z.string('must be a string').optional(), effect: oneOf(EFFECTS) },
  'must be a taint { key, effect }',
);

const limits = z.object(
  {
    cpu: amount('cores').optional(),
    memoryMiB: amount('MiB').optional(),
    nodes: z.int('must be a whole number').min(0, 'must be at least 0').optional(),
  },
  'must be limits { cpu, memoryMiB, nodes }, each of them optional',
);

const disruptionBudget = z.object(
  {
    nodes: z
      .string('must be a number or a percentage, such as 3 or 20%')
      .regex(/^\d+%?$/, 'must be a number or a percentage, such as 3 or 20%'),
    reasons: listOf(oneOf(DISRUPTION_REASONS)).optional(),
    schedule: z
      .string('must be cron')
      .refine((value) => parseCron(value) !== undefined, 'must be cron, such as 0 9 * * mon-fri')
      .optional(),
    durationMs: amount('milliseconds').optional(),
  },
  'must be a budget { nodes, reasons, schedule, durationMs }',
);

const disruption = z.object(
  {
    consolidation: oneOf(['when-empty', 'when-empty-or-underutilized']),
    consolidateAfterMs: z.union([amount('milliseconds'), z.literal('never')], 'must be a number of milliseconds or never').optional(),
    budgets: listOf(disruptionBudget).optional(),
  },
  'must be { consolidation, consolidateAfterMs, budgets }',
);

const dnsName = z
  .string('must be a string')
  .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/, 'must consist of at most 63 of a-z, 0-9, - and ., as a DNS name');

const labels = z.record(z.string(), z.string('must be a string'), 'must be labels { key: value }');
// Karpenter's range, with 0 for none.
const weight = z.int('must be a whole number from 0 to 100').min(0, 'must be at least 0').max(100, 'must be at most 100');

const pool = z.object(
  {
    name: dnsName,
    requirements: listOf(requirement),
    labels,
    taints: listOf(taint),
    startupTaints: listOf(taint),
    limits: limits.optional(),
    disruption: disruption.optional(),
    weight,
  },
  'must be a pool; create it with pool(name)',
);

const whole = z.int('must be a whole number, 0 or more').min(0, 'must be a whole number, 0 or more');
/** Some scenarios give the API objects that it refuses: what is inside is for the API to judge. */
const anything = z.looseObject({}, 'must be an object');

const quantity = z
  .string('must be a quantity as a string, such as 500m or 2Gi')
  .refine(isQuantity, 'must be a quantity, such as 500m or 2Gi');
const reserved = z.partialRecord(
  oneOf(['cpu', 'memory', 'ephemeral-storage']),
  reservationSchema,
  wrongType('must be { resource: quantity }'),
);
const thresholds = z.partialRecord(
  oneOf(['memory.available', 'nodefs.available']),
  thresholdSchema,
  wrongType('must be { signal: quantity or percentage }'),
);
/** What a node says of itself; the same value on all nodes would be wrong, and targets plan with others. */
const OWN_LABELS: readonly string[] = Object.values(LABEL);
const userDataLabels = z.record(
  labelKeySchema.refine((key) => !OWN_LABELS.includes(key), `must not be one that each node has: ${OWN_LABELS.join(', ')}`),
  labelValueSchema,
  wrongType('must be labels { key: value }'),
);

const nodeSettings = z.strictObject(
  {
    kubelet: z
      .strictObject(
        {
          maxPods: count().optional(),
          kubeReserved: reserved.optional(),
          systemReserved: reserved.optional(),
          evictionHard: thresholds.optional(),
        },
        wrongType('must be { maxPods, kubeReserved, systemReserved, evictionHard }, each of them optional'),
      )
      .optional(),
    userDataLabels: userDataLabels.optional(),
  },
  wrongType('must be { kubelet, userDataLabels }, each of them optional'),
);

/** What `pool(name, options)` takes. */
export const poolNameSchema = dnsName;
export const poolOptionsSchema = z.strictObject({
  capacityTypes: listOf(oneOf(['spot', 'on-demand'])).optional(),
  instanceTypes: texts.optional(),
  zones: texts.optional(),
  architectures: listOf(oneOf(['amd64', 'arm64'])).optional(),
  requirements: listOf(requirement).optional(),
  labels: labels.optional(),
  taints: listOf(taint).optional(),
  startupTaints: listOf(taint).optional(),
  limits: limits.optional(),
  weight: weight.optional(),
  expireAfterMs: amount('milliseconds').optional(),
  terminationGracePeriodMs: amount('milliseconds').optional(),
  minimumValues: z.record(z.string(), count(), 'must be { label: number }').optional(),
  replicas: whole.optional(),
  disruption: disruption.optional(),
  nodeSettings: nodeSettings.optional(),
});

const fault = z.custom(
  (value) => typeof value === 'object' && value !== null && 'inject' in value && 'capabilities' in value,
  'must be a fault with its parameters, as faults.lostAnswer({ ... })',
);

/** What `scenario()` takes and returns. */
const head = {
  id: z.string('must be area/name').regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'must be area/name, of a-z, 0-9 and -'),
  title: text,
  crashPoints: z.boolean('must be true or false').optional(),
  module: z.url({ protocol: /^file$/, error: 'must be import.meta.url of its module' }).optional(),
  origin: text.optional(),
  run: method,
};
const pools = listOf(pool).refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must be pools of different names');

/** What `scenario({ ... })` takes. */
export const definitionSchema = z.strictObject({
  ...head,
  profile: oneOf(PROFILES).optional(),
  requirements: texts.optional(),
  features: listOf(oneOf(FEATURES)).optional(),
  capabilities: listOf(oneOf(CAPABILITY_NAMES)).optional(),
  pools: pools.optional(),
  mostNodes: whole.optional(),
  leastNodes: whole.optional(),
  podStopMs: whole.optional(),
  under: listOf(fault).optional(),
  faults: z
    .record(z.string(), z.union([fault, listOf(fault)], 'must be a fault with its parameters, or a list'), 'must be faults by name')
    .optional(),
});

/** A limit of a PodDisruptionBudget. */
export const budgetSchema = z.union(
  [z.strictObject({ minAvailable: whole }), z.strictObject({ maxUnavailable: whole })],
  'must be { minAvailable } or { maxUnavailable }, a whole number, 0 or more',
);

/** Port numbers have 16 bits. */
const MAX_PORT = 65_535;

/** What `t.deploy(...)` takes. */
export const workloadSchema = z.strictObject({
  name: dnsName.optional(),
  replicas: whole,
  kind: oneOf(['ReplicaSet', 'Deployment', 'StatefulSet', 'Job']).optional(),
  runSeconds: whole.optional(),
  cpu: quantity.optional(),
  memory: quantity.optional(),
  gpus: whole.optional(),
  ephemeralStorage: quantity.optional(),
  hostPort: z.int('must be a port').min(1, 'must be a port').max(MAX_PORT, 'must be a port').optional(),
  priorityClassName: text.optional(),
  nodeSelector: labels.optional(),
  nodeAffinity: listOf(anything).optional(),
  nodeAffinityTerms: listOf(listOf(anything)).optional(),
  preferredAffinity: listOf(anything).optional(),
  tolerations: listOf(anything).optional(),
  apartOver: text.optional(),
  near: z.strictObject({ workload: text, over: text }).optional(),
  schedulingGates: texts.optional(),
  schedulerName: text.optional(),
  spread: listOf(anything).optional(),
  volumes: listOf(anything).optional(),
  claimTemplates: listOf(anything).optional(),
  graceSeconds: whole.optional(),
  budget: budgetSchema.optional(),
  annotations: z.record(z.string(), z.string('must be a string'), 'must be annotations { key: value }').optional(),
  truth: z
    .custom((value) => truthSchema.safeParse(value).success, 'must be a truth, as impossible(why) or servedAfterHeal(why)')
    .optional(),
});

/** What `t.daemonSet(...)` takes. */
export const daemonSetSchema = z.strictObject({
  name: dnsName,
  cpu: quantity,
  memory: quantity,
  nodeSelector: labels.optional(),
  tolerations: listOf(anything).optional(),
  priorityClassName: text.optional(),
});

/** The other arguments of a trial's methods. */
export const argumentSchemas = {
  bound: oneOf(BOUND_NAMES),
  step: oneOf(LATENCY_STEPS),
  fault,
  firing: oneOf(['must-fire', 'may-fire']).optional(),
  active: z.custom(
    (value) => typeof value === 'object' && value !== null && 'firings' in value,
    'must be an injected fault, as `await t.inject(...)` returns it',
  ),
  ratio: z.number('must be a number from 0 to 1').min(0, 'must be a number from 0 to 1').max(1, 'must be a number from 0 to 1').optional(),
  part: z.number('must be a number, more than 0').positive('must be a number, more than 0').optional(),
  count: whole,
  pool,
  texts,
  range: z
    .strictObject({ minMs: amount('milliseconds'), maxMs: amount('milliseconds') })
    .refine(({ minMs, maxMs }) => minMs <= maxMs, 'must have a minMs that is at most maxMs'),
} as const;

/** A scenario, as `scenario()` creates it. */
export const scenarioSchema = z.object(
  {
    ...head,
    profile: oneOf(PROFILES),
    requirements: texts,
    needs: z.object(
      { features: listOf(oneOf(FEATURES)), capabilities: listOf(oneOf(CAPABILITY_NAMES)) },
      'must be { features, capabilities }',
    ),
    pools,
  },
  'must be an object',
);

const constants: Record<keyof TargetConstants, z.ZodType> = {
  batchMaxMs: amount('milliseconds'),
  retryPeriodMs: amount('milliseconds'),
  launchFailureMs: amount('milliseconds').optional(),
  launchTimeoutMs: amount('milliseconds'),
  registrationTimeoutMs: amount('milliseconds'),
  collectionMs: amount('milliseconds'),
  emptyAfterMs: amount('milliseconds'),
  consolidateAfterMs: amount('milliseconds').optional(),
  terminationMs: amount('milliseconds'),
  unavailableOfferingMs: amount('milliseconds'),
  offeringsPerLaunch: count(),
  consolidationMs: amount('milliseconds').optional(),
  driftMs: amount('milliseconds').optional(),
};

/** The Target interface. */
export const targetSchema = z.object(
  {
    name: text,
    summary: text,
    time: oneOf(['virtual', 'real']).optional(),
    serviceAccount: z.object({ namespace: text, name: text }, 'must be a service account { namespace, name }').optional(),
    features: listOf(oneOf(FEATURES)),
    constants: z.object(constants, 'must be the constants of the Target interface'),
    memoryMiB: z.int('must be a whole number of MiB').positive('must be a positive number of MiB').optional(),
    resources: texts,
    install: method,
    start: method,
    applyPools: method,
    removePools: method,
    countGroups: method.optional(),
  },
  'must be an object',
);

/** A check. */
export const checkSchema = z.object(
  {
    name: z.string('must be a string').regex(/^[a-z0-9-]+$/, 'must be of a-z, 0-9 and -'),
    summary: text,
    codes: z.record(z.string(), text, 'must be codes { code: what it means }'),
    judge: method,
  },
  'must be an object',
);

/** The first problem of a value, starting with the field's name; undefined if it is valid. */
export function shapeProblem(schema: z.ZodType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return undefined;
  const field = issue.path.length === 0 ? 'it' : issue.path.map(String).join('.');
  const others = (error?.issues.length ?? 1) - 1;
  return `${field} ${issue.message}${others === 0 ? '' : ` (and ${others} more)`}`;
}

function listOf<T extends z.ZodType>(item: T): z.ZodArray<T> {
  return z.array(item, 'must be a list');
}

function oneOf<T extends string>(names: readonly T[]) {
  return z.enum(names, `must be ${names.length === 1 ? '' : 'one of '}${names.join(', ')}`);
}

/** A message for a value of another type only: it does not replace those for unknown fields and keys, which name them. */
function wrongType(message: string): { readonly error: z.core.$ZodErrorMap } {
  return { error: ({ code }) => (code === 'invalid_type' ? message : undefined) };
}

function amount(unit: string): z.ZodNumber {
  const message = `must be a number of ${unit}, 0 or more`;
  return z.number(message).min(0, message);
}

function count(): z.ZodNumber {
  const message = 'must be a positive whole number';
  return z.int(message).positive(message);
}

function valuesProblem(operator: NodeSelectorRequirement['operator'], values: readonly string[]): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? undefined : `must have at least one value for ${operator}`;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? undefined : `must be absent for ${operator}`;
    case 'Gt':
    case 'Lt':
      return values.length === 1 && /^[+-]?\d{1,19}$/.test(values[0] ?? '') ? undefined : `must be one whole number for ${operator}`;
  }
}
