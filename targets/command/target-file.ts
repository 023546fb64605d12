import { z } from 'zod';
import { parse } from 'yaml';
import { STANDARD } from '../../controller/periods.ts';
import { defined } from '../../model/defined.ts';
import { objectErrorOf } from '../../model/field-errors.ts';
import { CLUSTER_VARIABLES } from '../../model/program-environment.ts';
import { parseServiceAccount } from '../../model/service-account.ts';
import { FEATURES } from '../target.ts';
import type { TargetConstants } from '../target.ts';
import { parseDurationMs } from '../../model/go-duration.ts';
import { PROGRAM_VARIABLE_NAMES, unknownVariable } from './variables.ts';

/** A target's file can't be used: the message gives the file, the field, and what it takes. */
export class TargetFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetFileError';
  }
}

/** A program that is not ready by then has failed, like with a startup probe. */
const READY_WITHIN_MS = 120_000;

/** A non-empty string. */
export const text = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') })
  .min(1, 'must not be empty');

/** A program and its arguments. */
const A_COMMAND = "a list of the program and its arguments, such as ['./autoscaler', '--port', '${PORT}']";

/** A string in which `${NAME}` is replaced by a value that is known when the program starts. */
export const template = (names: readonly string[]): z.ZodType<string, string> =>
  text.superRefine((value, { addIssue }) => {
    const unknown = unknownVariable(value, names);
    if (unknown !== undefined) addIssue({ code: 'custom', message: `refers to \${${unknown}}; known variables: ${names.join(', ')}` });
  });

const programText = template(PROGRAM_VARIABLE_NAMES);

const commandList = z
  .array(programText, { error: ({ input }) => `${input === undefined ? 'is missing: it is' : 'must be'} ${A_COMMAND}` })
  .nonempty(`must name a program: ${A_COMMAND}`);

/** YAML parses `1` as a number and `true` as a boolean: in an environment they are strings. */
const scalar = z.union([z.string(), z.number(), z.boolean()], 'must be a string').transform(String);

/** In Go's notation. */
const A_DURATION = 'a duration such as 90s, 15m or 1h30m (units h, m, s, ms), or a number of milliseconds';

const duration = (minMs = 0): z.ZodType<number> =>
  z
    .union([z.string(), z.number()], {
      error: ({ input }) => (input === undefined ? `is missing: ${A_DURATION}` : `must be ${A_DURATION}`),
    })
    .transform((value, { addIssue }) => {
      const ms = parseDurationMs(value);
      if (ms !== undefined && ms >= minMs) return ms;
      addIssue({ code: 'custom', message: `must be ${A_DURATION}${minMs > 0 ? ', more than 0' : ''}, not ${JSON.stringify(value)}` });
      return z.NEVER;
    });

/** The fields without a default, as an example. */
const CONSTANTS_EXAMPLE = 'it needs emptyAfter and termination, such as {emptyAfter: 1m, termination: 35s}; the others have defaults';

const constantFields = {
  batchMax: duration(),
  retryPeriod: duration(1),
  launchFailure: duration(),
  launchTimeout: duration(),
  registrationTimeout: duration(),
  collection: duration(),
  emptyAfter: duration(),
  termination: duration(),
  unavailableOffering: duration(),
  offeringsPerLaunch: z.int('must be a positive whole number').positive('must be a positive whole number'),
  consolidation: duration(),
  drift: duration(),
};

/** By their names in a target's constants. */
const CONSTANT_NAMES = {
  batchMax: 'batchMaxMs',
  retryPeriod: 'retryPeriodMs',
  launchFailure: 'launchFailureMs',
  launchTimeout: 'launchTimeoutMs',
  registrationTimeout: 'registrationTimeoutMs',
  collection: 'collectionMs',
  emptyAfter: 'emptyAfterMs',
  termination: 'terminationMs',
  unavailableOffering: 'unavailableOfferingMs',
  offeringsPerLaunch: 'offeringsPerLaunch',
  consolidation: 'consolidationMs',
  drift: 'driftMs',
} as const satisfies Readonly<Record<keyof typeof constantFields, keyof TargetConstants>>;

/** The constants that a file sets. */
function someConstants(given: Readonly<Partial<Record<keyof typeof CONSTANT_NAMES, number>>>): Partial<TargetConstants> {
  return Object.fromEntries(
    Object.entries(CONSTANT_NAMES).flatMap(([name, declared]) => {
      const value = given[name as keyof typeof CONSTANT_NAMES];
      return value === undefined ? [] : [[declared, value]];
    }),
  );
}

/** Where Karpenter has an equivalent constant, its value is the default. Those that depend on configuration have none. */
const constants = z
  .strictObject(
    {
      batchMax: constantFields.batchMax.default(10_000),
      retryPeriod: constantFields.retryPeriod.default(10_000),
      launchFailure: constantFields.launchFailure.optional(),
      launchTimeout: constantFields.launchTimeout.default(300_000),
      registrationTimeout: constantFields.registrationTimeout.default(900_000),
      collection: constantFields.collection.default(150_000),
      emptyAfter: constantFields.emptyAfter,
      termination: constantFields.termination,
      unavailableOffering: constantFields.unavailableOffering.default(180_000),
      offeringsPerLaunch: constantFields.offeringsPerLaunch.default(60),
      // A NodePool's consolidateAfter of 30 s plus Karpenter's own delays, and how often it compares nodes.
      consolidation: constantFields.consolidation.default(110_000),
      drift: constantFields.drift.default(300_000),
    },
    { error: objectErrorOf('must be a map of the constants', CONSTANTS_EXAMPLE) },
  )
  .transform((given): TargetConstants => ({
    batchMaxMs: given.batchMax,
    retryPeriodMs: given.retryPeriod,
    ...defined({ launchFailureMs: given.launchFailure }),
    launchTimeoutMs: given.launchTimeout,
    registrationTimeoutMs: given.registrationTimeout,
    collectionMs: given.collection,
    emptyAfterMs: given.emptyAfter,
    terminationMs: given.termination,
    unavailableOfferingMs: given.unavailableOffering,
    offeringsPerLaunch: given.offeringsPerLaunch,
    consolidationMs: given.consolidation,
    driftMs: given.drift,
  }));

const POOLS_FORMS = '{as: karpenter}, {as: groups} or {command: [...]}';
const poolsError = { error: objectErrorOf(`must be ${POOLS_FORMS}`, `it is ${POOLS_FORMS}`) };
const karpenterPools = z.strictObject(
  {
    as: z.literal('karpenter', 'must be karpenter or groups'),
    /** The EC2NodeClass of all pools, or the path of a file with it; by default one for the whole cluster. */
    nodeClass: z.union([text, z.record(z.string(), z.json())], 'must be an object or the path of a file').optional(),
    /** How long a node may be empty before it is removed; by default 30 s. Whole seconds. */
    consolidateAfter: duration(1_000)
      .refine((ms) => ms % 1_000 === 0, 'must be whole seconds')
      .optional(),
  },
  poolsError,
);
const groupPools = z.strictObject({ as: z.literal('groups') }, poolsError);
const commandPools = z.strictObject({ command: commandList }, poolsError);

/** Which form is meant. */
function formOf(pools: unknown): typeof karpenterPools | typeof groupPools | typeof commandPools {
  if (typeof pools !== 'object' || pools === null) return karpenterPools;
  if ('command' in pools) return commandPools;
  return 'as' in pools && pools.as === 'groups' ? groupPools : karpenterPools;
}

const within = duration(1).default(READY_WITHIN_MS);
const ready = z.union(
  [z.strictObject({ http: programText, within }), z.strictObject({ log: text, within }), z.strictObject({ delay: duration() })],
  'must be one of {http: URL}, {log: TEXT} and {delay: DURATION}; with http and log, {within: DURATION}',
);

/** Whose rights the program has. */
const serviceAccount = z.string('must be NAMESPACE/NAME').transform((value, { addIssue }) => {
  const account = parseServiceAccount(value);
  if (account !== undefined) return account;
  addIssue({ code: 'custom', message: `must be NAMESPACE/NAME, such as kube-system/karpenter, not ${JSON.stringify(value)}` });
  return z.NEVER;
});

const schema = z.strictObject(
  {
    name: text,
    command: commandList,
    directory: text.optional(),
    environment: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), scalar.pipe(z.union([z.literal(''), programText])), {
        error: ({ code }) => (code === 'invalid_key' ? 'is not a valid variable name' : 'must be a map of variables'),
      })
      .default({}),
    features: z.array(z.enum(FEATURES, `must be one of ${FEATURES.join(', ')}`), 'must be a list').default([]),
    constants,
    resources: z.array(text, 'must be a list').optional(),
    install: z.array(text, 'must be a list').optional(),
    serviceAccount: serviceAccount.optional(),
    rbac: text.optional(),
    pools: z.unknown().transform((value, { addIssue }) => {
      const parsed = formOf(value).safeParse(value);
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) addIssue({ ...issue, code: 'custom' });
      return z.NEVER;
    }),
    ready,
  },
  { error: objectErrorOf('must be a map of fields') },
);

/** How long to wait for the first request of an externally run target. */
const EXTERNAL_WITHIN_MS = 300_000;

/** `8443` on loopback, or `HOST:PORT`. */
const address = z.union([z.string(), z.int()], 'must be PORT or HOST:PORT').transform((value, { addIssue }) => {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(String(value)) ?? [];
  if (port !== '' && Number(port) > 0 && Number(port) < 65_536) return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
  addIssue({ code: 'custom', message: `must be PORT or HOST:PORT, not ${JSON.stringify(value)}` });
  return z.NEVER;
});

const A_GO_MODULE = 'a Go module, such as {module: example.com/autoscaler, version: v1.2.3, package: ./cmd/controller}';

/** A Go program that is compiled for the wasm host (`targets/go/build/`). */
const goSource = z
  .strictObject(
    {
      module: text,
      version: text.optional(),
      package: text,
      /** Modules and their replacements: `module@version`, or a folder. */
      replace: z.record(text, text, 'must be a map of modules').default({}),
      /** A checkout, instead of a version. */
      source: text.optional(),
      overlay: z.boolean('must be true or false').default(true),
      /** Patterns of packages that count which of their code has run. */
      coverage: z.array(text, 'must be a list of packages').min(1, 'must name a package').optional(),
      arguments: z.array(programText, 'must be a list').default([]),
    },
    { error: objectErrorOf(`must be ${A_GO_MODULE}`, A_GO_MODULE) },
  )
  .refine(({ version, source }) => (version === undefined) !== (source === undefined), 'needs a version or a source, and not both');

const A_VERSION = 'a version of a program, such as karpenter@1.14.1 or cluster-autoscaler@1.36.1';

const partialConstants = z
  .strictObject(constantFields, { error: objectErrorOf('must be a map of the constants') })
  .partial()
  .transform(someConstants)
  .optional();

/** A version of Karpenter, with what differs from `karpenter@VERSION`. */
const karpenterSchema = z.strictObject(
  {
    name: text.optional(),
    go: text.startsWith('karpenter@', `must be ${A_VERSION}, or a Go module`),
    environment: schema.shape.environment,
    features: z.array(z.enum(FEATURES, `must be one of ${FEATURES.join(', ')}`), 'must be a list').optional(),
    constants: partialConstants,
    pools: karpenterPools.optional(),
    install: schema.shape.install,
    serviceAccount: schema.shape.serviceAccount,
    rbac: schema.shape.rbac,
  },
  { error: objectErrorOf('must be a map of fields') },
);

/** A version of Cluster Autoscaler, with what differs from `cluster-autoscaler@VERSION`. */
const clusterAutoscalerSchema = karpenterSchema
  .pick({ name: true, features: true, constants: true, serviceAccount: true, rbac: true })
  .extend({
    go: text.startsWith('cluster-autoscaler@', `must be ${A_VERSION}, or a Go module`),
    flags: z.array(programText, 'must be a list').default([]),
  });

/** A target that is compiled from Go. */
const goTargetSchema = schema.omit({ command: true, directory: true }).extend({ go: goSource });

const AN_EXTERNAL = 'where its requests are taken, such as {kube: 8443, aws: 8444}';

/** An externally run target. */
const externalSchema = schema.omit({ command: true, directory: true, environment: true, ready: true }).extend({
  external: z.strictObject(
    { kube: address, aws: address, host: text.optional(), within: duration(1).default(EXTERNAL_WITHIN_MS) },
    { error: objectErrorOf(`must be ${AN_EXTERNAL}`, AN_EXTERNAL) },
  ),
});

/** A validated target file. Paths are unresolved. */
export type TargetFile = z.infer<typeof schema>;
/** The file of an externally run target. */
export type ExternalTargetFile = z.infer<typeof externalSchema>;

/** The file of a target compiled from Go. */
export type GoTargetFile = z.infer<typeof goTargetSchema>;
/** The file of a version of Karpenter with its own settings. */
export type KarpenterTargetFile = z.infer<typeof karpenterSchema>;

/** The file of a version of Cluster Autoscaler with its own flags. */
export type ClusterAutoscalerTargetFile = z.infer<typeof clusterAutoscalerSchema>;

export type AnyTargetFile = TargetFile | ExternalTargetFile | GoTargetFile | KarpenterTargetFile | ClusterAutoscalerTargetFile;

/** Whether pools become NodePools. */
export function isKarpenters(pools: TargetFile['pools']): pools is Extract<TargetFile['pools'], { as: 'karpenter' }> {
  return 'as' in pools && pools.as === 'karpenter';
}

/** What the file declares, and what follows from its pools. */
export function constantsOf({ constants: declared, pools }: Pick<TargetFile, 'constants' | 'pools'>): TargetConstants {
  // A command sets its own default, and groups have none: then it is part of what the file declares.
  if (!isKarpenters(pools)) return declared;
  return { ...declared, consolidateAfterMs: pools.consolidateAfter ?? STANDARD.consolidateAfterMs };
}

/** Whether it names a version of a program that has a target of its own. */
export function isOfVersion(file: AnyTargetFile): file is KarpenterTargetFile | ClusterAutoscalerTargetFile {
  return 'go' in file && typeof file.go === 'string';
}

export function isOfClusterAutoscaler(file: KarpenterTargetFile | ClusterAutoscalerTargetFile): file is ClusterAutoscalerTargetFile {
  return 'flags' in file;
}

/** The variables that a node class may refer to: it is applied before any program runs. */
export const NODE_CLASS_VARIABLES: readonly string[] = CLUSTER_VARIABLES;

/** @throws TargetFileError that names the file, each invalid field, and what it takes */
export function parseTargetFile(path: string, source: string): AnyTargetFile {
  let value: unknown;
  try {
    value = parse(source);
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new TargetFileError(`${path} is not YAML: ${line}`);
  }
  const has = (field: string): boolean => typeof value === 'object' && value !== null && field in value;
  const go = has('go') ? (value as { readonly go: unknown }).go : undefined;
  const short = typeof go === 'string' && go.startsWith('cluster-autoscaler@') ? clusterAutoscalerSchema : karpenterSchema;
  const kind = has('external') ? externalSchema : typeof go === 'string' ? short : has('go') ? goTargetSchema : schema;
  const parsed = kind.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path: field, message }) => `${field.length === 0 ? 'the file' : field.map(String).join('.')} ${message}`,
  );
  throw new TargetFileError(`${path}: ${problems.join('; ')}`);
}
