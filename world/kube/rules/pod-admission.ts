import { defined } from '../../../model/defined.ts';
import type { LabelSelector, ObjectMeta, PodAffinity, PodAffinityTerm, Toleration } from '../../../model/kube.ts';
import { refused } from '../../../protocols/kube/status.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { Admission, ApiObject } from '../resource.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';

/** The DefaultTolerationSeconds admission plugin. */
const DEFAULT_TOLERATION_SECONDS = 300;
const DEFAULT_TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

interface PriorityClass extends ApiObject {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: FullPodSpec['preemptionPolicy'];
}

/**
 * A pod's spec after the default admission plugins: Priority, RuntimeClass (overhead and scheduling) and
 * DefaultTolerationSeconds. ServiceAccount sets the default account's name, and looks the account up; no token is mounted.
 * LimitRanger comes before (`limit-ranges.ts`). ResourceQuota comes last (`quotas.ts`).
 * @param old the spec before an update
 * @throws StatusError 403
 */
export function admitPodSpec(
  { name = '', namespace }: ObjectMeta,
  spec: FullPodSpec,
  admission: Admission,
  old: FullPodSpec | undefined,
): FullPodSpec {
  const refuse = (why: string): never => {
    throw refused({ group: '', resource: 'pods' }, name, why);
  };
  const prioritised = old === undefined ? withPriority(spec, admission, refuse) : keepPriority(spec, old);
  const running = old === undefined ? withRuntimeClass(prioritised, admission, refuse) : prioritised;
  const account = running.serviceAccountName ?? DEFAULT_ACCOUNT;
  if (old === undefined && !mayExist(account, namespace, admission)) {
    refuse(`error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`);
  }
  return {
    ...running,
    serviceAccountName: account,
    serviceAccount: account,
    tolerations: withDefaultTolerations(running.tolerations ?? []),
  };
}

const DEFAULT_ACCOUNT = 'default';

/** In virtual time, namespaces get no account `default`: where there is none, nobody looks after accounts, and any may be named. */
function mayExist(account: string, namespace: string | undefined, { find }: Admission): boolean {
  return find('serviceaccounts', namespace, account) !== undefined || find('serviceaccounts', namespace, DEFAULT_ACCOUNT) === undefined;
}

function keepPriority(spec: FullPodSpec, { priority, preemptionPolicy }: FullPodSpec): FullPodSpec {
  return {
    ...spec,
    ...(spec.priority === undefined && priority !== undefined ? { priority } : {}),
    ...(spec.preemptionPolicy === undefined && preemptionPolicy !== undefined ? { preemptionPolicy } : {}),
  };
}

function withPriority(spec: FullPodSpec, admission: Admission, refuse: (why: string) => never): FullPodSpec {
  const named = (spec.priorityClassName ?? '') === '' ? undefined : spec.priorityClassName;
  const found: PriorityClass | undefined =
    named === undefined ? defaultClass(admission) : admission.find('priorityclasses.scheduling.k8s.io', undefined, named);
  if (named !== undefined && found === undefined) return refuse(`no PriorityClass with name ${named} was found`);
  const priority = found?.value ?? 0;
  const policy = found === undefined ? 'PreemptLowerPriority' : found.preemptionPolicy;
  if (spec.priority !== undefined && spec.priority !== priority) {
    refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  const className = found?.metadata.name;
  return {
    ...spec,
    ...defined({ priorityClassName: className }),
    priority,
    ...defined({ preemptionPolicy: policy }),
  };
}

/** If a race created several defaults, the lowest counts. */
function defaultClass(admission: Admission): PriorityClass | undefined {
  const classes: readonly PriorityClass[] = admission.list('priorityclasses.scheduling.k8s.io');
  const [lowest] = classes.filter((one) => one.globalDefault === true).sort((a, b) => (a.value ?? 0) - (b.value ?? 0));
  return lowest;
}

interface RuntimeClass extends ApiObject {
  readonly overhead?: { podFixed?: Record<string, string> };
  readonly scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

/** The RuntimeClass admission plugin (`plugin/pkg/admission/runtimeclass`). */
function withRuntimeClass(spec: FullPodSpec, admission: Admission, refuse: (why: string) => never): FullPodSpec {
  const { runtimeClassName, overhead } = spec;
  if (runtimeClassName === undefined) {
    if (overhead !== undefined) refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    return spec;
  }
  const found: RuntimeClass | undefined = admission.find('runtimeclasses.node.k8s.io', undefined, runtimeClassName);
  if (found === undefined) return refuse(`pod rejected: RuntimeClass "${runtimeClassName}" not found`);
  const { podFixed } = found.overhead ?? {};
  if (podFixed === undefined && overhead !== undefined) {
    refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
  const { nodeSelector = {}, tolerations = [] } = found.scheduling ?? {};
  const clash = Object.entries(nodeSelector).find(([key, value]) => (spec.nodeSelector?.[key] ?? value) !== value);
  if (clash !== undefined) {
    refuse(
      `conflict: runtimeClass.scheduling.nodeSelector[${clash[0]}] = ${clash[1]}; pod.spec.nodeSelector[${clash[0]}] = ${spec.nodeSelector?.[clash[0]]}`,
    );
  }
  const fixed = canonicalQuantities(podFixed, 'RuntimeClass');
  return {
    ...spec,
    ...defined({ overhead: fixed }),
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector: { ...spec.nodeSelector, ...nodeSelector } }),
    ...(tolerations.length === 0 ? {} : { tolerations: [...(spec.tolerations ?? []), ...tolerations] }),
  };
}

function withDefaultTolerations(tolerations: readonly Toleration[]): Toleration[] {
  const missing = DEFAULT_TOLERATED.filter(
    (taint) =>
      !tolerations.some(({ key = '', effect }) => (key === taint || key === '') && (effect === undefined || effect === 'NoExecute')),
  );
  const added = missing.map((key): Toleration => {
    return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: DEFAULT_TOLERATION_SECONDS };
  });
  return [...tolerations, ...added];
}

/**
 * The spec of a new pod with matchLabelKeys and mismatchLabelKeys merged into the selectors that they belong to
 * (`pkg/registry/core/pod/strategy.go`; for spread since Kubernetes 1.34). A missing selector stays missing.
 */
export function mergeLabelKeys(spec: FullPodSpec, labels: Readonly<Record<string, string>>): FullPodSpec {
  const { affinity, topologySpreadConstraints } = spec;
  const merged = <T extends { labelSelector?: LabelSelector; matchLabelKeys?: string[]; mismatchLabelKeys?: string[] }>(term: T): T => {
    const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
    const requirements = [
      ...matchLabelKeys.map((key) => ({ key, operator: 'In' as const })),
      ...mismatchLabelKeys.map((key) => ({ key, operator: 'NotIn' as const })),
    ].flatMap((one) => (labels[one.key] === undefined ? [] : [{ ...one, values: [labels[one.key] ?? ''] }]));
    if (labelSelector === undefined || requirements.length === 0) return term;
    const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...requirements];
    return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
  };
  const mergeTerms = (terms: PodAffinity): PodAffinity => {
    const { requiredDuringSchedulingIgnoredDuringExecution: hard, preferredDuringSchedulingIgnoredDuringExecution: soft } = terms;
    return {
      ...terms,
      ...defined({
        requiredDuringSchedulingIgnoredDuringExecution: hard?.map((term): PodAffinityTerm => merged(term)),
        preferredDuringSchedulingIgnoredDuringExecution: soft?.map((one) =>
          one.podAffinityTerm === undefined ? one : { ...one, podAffinityTerm: merged(one.podAffinityTerm) },
        ),
      }),
    };
  };
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  return {
    ...spec,
    ...defined({
      affinity: affinity && {
        ...affinity,
        ...defined({
          podAffinity: podAffinity && mergeTerms(podAffinity),
          podAntiAffinity: podAntiAffinity && mergeTerms(podAntiAffinity),
        }),
      },
      topologySpreadConstraints: topologySpreadConstraints?.map(merged),
    }),
  };
}
