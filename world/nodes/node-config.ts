import { parse } from 'yaml';
import { z } from 'zod';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { defined } from '../../model/defined.ts';
import type { Taint } from '../../model/kube.ts';
import { labelKeySchema, labelValueSchema, mayLabel, reservationSchema, thresholdSchema } from './kubelet-rules.ts';
import type { KubeletLimits, NodeDisks } from './node-resources.ts';
import type { ShutdownPeriods } from './pod-workers.ts';

/** What an instance's user data says about its node. */
export interface NodeConfig {
  readonly clusterName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly settings: KubeletLimits;
  /** What becomes of the machine's local disks; absent: they are left alone. */
  readonly localDisks?: NodeDisks['localDisks'];
  readonly shutdown: ShutdownPeriods;
}

/**
 * Since 1.34 nodes of AL2023 shut down gracefully: of the three minutes that EC2 waits, they use two and a half, of which the
 * last 30 s are for critical pods (awslabs/amazon-eks-ami#2390). On AL2 and Bottlerocket both are 0 by default.
 */
export const AL2023_SHUTDOWN: ShutdownPeriods = { totalMs: 150_000, criticalMs: 30_000 };

/** User data that can't become a node, with the reason. */
export class NodeConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeConfigError';
  }
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

const taintSchema = z.object({ key: z.string().min(1), value: z.string().optional(), effect: z.enum(EFFECTS) });

/** A duration in Go's format, without fractions: `2m30s`. */
const durationSchema = z
  .string()
  .regex(/^(?=.)(\d+h)?(\d+m)?(\d+s)?$|^0$/)
  .transform((text) => {
    const [, hours = '0', minutes = '0', seconds = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
    return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  });

const quantitiesSchema = z.record(z.string(), reservationSchema);

/** The part of a KubeletConfiguration that is read here. */
export const kubeletConfigSchema = z
  .object({
    registerWithTaints: z.array(taintSchema).nullable(),
    maxPods: z.number().int().positive(),
    podsPerCore: z.number().int().nonnegative(),
    kubeReserved: quantitiesSchema,
    systemReserved: quantitiesSchema,
    evictionHard: z.record(z.string(), thresholdSchema),
    shutdownGracePeriod: durationSchema,
    shutdownGracePeriodCriticalPods: durationSchema,
  })
  .partial();

const nodeConfigSchema = z.object({
  apiVersion: z.literal('node.eks.aws/v1alpha1'),
  kind: z.literal('NodeConfig'),
  spec: z.object({
    cluster: z
      .object({ name: z.string().min(1) })
      .partial()
      .optional(),
    instance: z
      .object({ localStorage: z.object({ strategy: z.string() }).partial() })
      .partial()
      .optional(),
    kubelet: z
      .object({
        config: kubeletConfigSchema,
        flags: z.array(z.string()),
      })
      .partial()
      .optional(),
  }),
});
type Document = z.infer<typeof nodeConfigSchema>;

/**
 * Parses the user data of an AL2023 image: one NodeConfig of nodeadm as plain YAML, or MIME multi-part with NodeConfig
 * parts, which are merged in order (flags are appended, maps are merged, everything else is overridden); parts of other types are
 * scripts, which are not run here. Labels and taints come from the kubelet's `--node-labels`, `--register-with-taints` and
 * `registerWithTaints`; as with the kubelet, the taints of a flag replace those of its configuration. nodeadm also requires
 * the cluster's endpoint, authority and CIDR; here its name is enough.
 * @param parts the user data; several are merged in order, as if they were parts of one
 * @throws NodeConfigError
 */
export function parseNodeConfig(...parts: readonly string[]): NodeConfig {
  const texts = parts.flatMap(configTexts);
  if (!texts.some((text) => NODE_CONFIG.test(text)))
    throw new NodeConfigError(
      parts.every((part) => part.trim() === '') ? `it has no user data. ${ADVICE}` : `its user data has no NodeConfig. ${ADVICE}`,
    );
  const documents = texts.map(parseDocument);
  const clusterName = documents.map(({ spec }) => spec.cluster?.name).findLast((name) => name !== undefined);
  if (clusterName === undefined) throw new NodeConfigError('no NodeConfig names its cluster (spec.cluster.name)');
  const kubelets = documents.map(({ spec }) => spec.kubelet ?? {});
  const flags = parseFlags(kubelets.flatMap((kubelet) => kubelet.flags ?? []));
  const config = kubelets.map((kubelet) => kubelet.config ?? {}).reduce(mergeConfigs, {});
  const { registerWithTaints, shutdownGracePeriod, shutdownGracePeriodCriticalPods, ...settings } = config;
  const shutdown = {
    totalMs: shutdownGracePeriod ?? AL2023_SHUTDOWN.totalMs,
    criticalMs: shutdownGracePeriodCriticalPods ?? Math.min(AL2023_SHUTDOWN.criticalMs, shutdownGracePeriod ?? Infinity),
  };
  if (shutdown.criticalMs > shutdown.totalMs) {
    throw new NodeConfigError('the kubelet refuses to start: shutdownGracePeriodCriticalPods must be <= shutdownGracePeriod');
  }
  const disks = documents.map(({ spec }) => spec.instance?.localStorage?.strategy).findLast((strategy) => strategy !== undefined);
  return {
    clusterName,
    labels: labelsOf(flags),
    taints: taintsOf(flags) ?? registerWithTaints ?? [],
    settings,
    ...(disks === 'RAID0' ? { localDisks: disks } : {}),
    shutdown,
  };
}

/** User data that was read, at most: a class of nodes has the same one, also in the next trial. */
const KEPT_MAX = 1_000;
const kept = new Map<string, NodeConfig>();

/** The same for one text, read once. @throws NodeConfigError as `parseNodeConfig` */
export function readNodeConfig(userData: string): NodeConfig {
  const known = kept.get(userData);
  if (known !== undefined) return known;
  const config = deepFreeze(parseNodeConfig(userData));
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(userData, config);
  return config;
}

type KubeletConfig = z.infer<typeof kubeletConfigSchema>;

/** As nodeadm merges them: maps key by key (awslabs/amazon-eks-ami, nodeadm/internal/api/merge.go). */
function mergeConfigs(earlier: KubeletConfig, later: KubeletConfig): KubeletConfig {
  const merged = (name: 'kubeReserved' | 'systemReserved' | 'evictionHard'): Pick<KubeletConfig, typeof name> =>
    earlier[name] === undefined && later[name] === undefined ? {} : { [name]: { ...earlier[name], ...later[name] } };
  return { ...earlier, ...later, ...merged('kubeReserved'), ...merged('systemReserved'), ...merged('evictionHard') };
}

/** Whether a text is meant to be a NodeConfig: then errors in it are worth reporting. */
const NODE_CONFIG = /node\.eks\.aws|^\s*kind:\s*NodeConfig/m;
const ADVICE =
  'Machines of this world boot like Amazon Linux 2023: choose its images by an alias, or put a NodeConfig (node.eks.aws/v1alpha1) into the user data';

const MIME_BOUNDARY = /^content-type:\s*multipart\/[^;]+;[^\n]*boundary="?([^"\s;]+)"?/im;
const CONFIG_TYPE = /^content-type:\s*application\/node\.eks\.aws/im;

function configTexts(userData: string): string[] {
  const text = userData.replaceAll('\r\n', '\n');
  const boundary = MIME_BOUNDARY.exec(text)?.[1];
  if (boundary === undefined) return [text];
  const parts = `\n${text}`.split(`\n--${boundary}`).slice(1);
  return parts.flatMap((part) => {
    const headerEnd = part.indexOf('\n\n');
    return headerEnd >= 0 && CONFIG_TYPE.test(part.slice(0, headerEnd)) ? [part.slice(headerEnd + 2)] : [];
  });
}

function parseDocument(text: string): Document {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new NodeConfigError(`the NodeConfig is not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const result = nodeConfigSchema.safeParse(value);
  if (!result.success) throw new NodeConfigError(`no NodeConfig: ${z.prettifyError(result.error)}`);
  return result.data;
}

function labelsOf(flags: readonly Flag[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of valuesOf(flags, 'node-labels').flatMap(splitList)) {
    const [, key = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(pair)?.map((part) => part.trim()) ?? [];
    if (!mayLabel(key))
      throw new NodeConfigError(`the kubelet refuses to start: unknown 'kubernetes.io' or 'k8s.io' label ${key} in --node-labels`);
    if (!labelKeySchema.safeParse(key).success || !labelValueSchema.safeParse(value).success)
      throw new NodeConfigError(`the kubelet refuses to start: invalid label ${pair} in --node-labels`);
    labels[key] = value;
  }
  return labels;
}

/** Undefined if no flag sets taints. If several do, the last one counts, as in the kubelet. */
function taintsOf(flags: readonly Flag[]): Taint[] | undefined {
  const list = valuesOf(flags, 'register-with-taints').at(-1);
  if (list === undefined) return undefined;
  return splitList(list).map((text) => {
    const [, key = '', value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
    const taint = taintSchema.safeParse({ key, ...defined({ value }), effect });
    if (!taint.success) throw new NodeConfigError(`the kubelet refuses to start: invalid taint ${text} in --register-with-taints`);
    return taint.data;
  });
}

/** One command-line flag of the kubelet. */
interface Flag {
  readonly name: string;
  /** Undefined for a flag without a value. */
  readonly value: string | undefined;
}

/** One word of a systemd command line: quotes may be anywhere in it, and a backslash outside single quotes escapes. */
const WORD = /(?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\])+/g;
const WORD_PART = /"((?:[^"\\]|\\[^])*)"|'([^']*)'|((?:\\[^]|[^"'\\])+)/g;

/**
 * The kubelet's flags as it gets them. nodeadm puts them in an environment variable of the kubelet's unit, which systemd
 * splits into words and unquotes: Karpenter writes `--node-labels="a=b,c=d"`. A value may also be the next word.
 */
function parseFlags(texts: readonly string[]): Flag[] {
  const words = (texts.join(' ').match(WORD) ?? []).map((word) =>
    word.replace(
      WORD_PART,
      (_all, double?: string, single?: string, plain?: string) => single ?? (double ?? plain ?? '').replace(/\\([^])/g, '$1'),
    ),
  );
  return words.flatMap((word, index) => {
    const [, name, value] = /^--([^=]+)(?:=([^]*))?$/.exec(word) ?? [];
    if (name === undefined) return [];
    const next = words[index + 1];
    return [{ name, value: value ?? (next?.startsWith('-') === false ? next : undefined) }];
  });
}

function valuesOf(flags: readonly Flag[], name: string): string[] {
  return flags.flatMap((flag) => (flag.name === name && flag.value !== undefined ? [flag.value] : []));
}

function splitList(list: string): string[] {
  return list.split(',').filter((item) => item !== '');
}
