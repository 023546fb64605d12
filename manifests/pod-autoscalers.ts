import type { KubeObject } from '../model/kube.ts';
import type { Manifest } from './documents.ts';
import { POD_AUTOSCALER, typeOf } from './kinds.ts';

/** How far and how fast a HorizontalPodAutoscaler scales its workload. */
export interface Scaling {
  readonly min: number;
  readonly max: number;
  readonly up: ScalingRules;
  readonly down: ScalingRules;
}

interface ScalingRules {
  /** It may always get this many pods at once. */
  readonly least?: number;
  readonly stabilizationMs: number;
  readonly select: 'Max' | 'Min' | 'Disabled';
  readonly policies: readonly { readonly type: 'Pods' | 'Percent'; readonly value: number; readonly periodMs: number }[];
}

/** The used part of an autoscaling/v2 HorizontalPodAutoscaler; the API has validated the types. */
interface PodAutoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly behavior?: { readonly scaleUp?: WrittenRules; readonly scaleDown?: WrittenRules };
  };
}

interface WrittenRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: ScalingRules['select'];
  readonly policies?: readonly { readonly type: 'Pods' | 'Percent'; readonly value: number; readonly periodSeconds: number }[];
}

/** Without any `behavior`: `calculateScaleUpLimit`. */
const PLAIN_UP: ScalingRules = {
  stabilizationMs: 0,
  select: 'Max',
  least: 4,
  policies: [{ type: 'Percent', value: 100, periodMs: 15_000 }],
};
/** The API's defaults for a `behavior` (`pkg/apis/autoscaling/v2/defaults.go`). */
const DEFAULT_UP: ScalingRules = {
  stabilizationMs: 0,
  select: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodMs: 15_000 },
    { type: 'Percent', value: 100, periodMs: 15_000 },
  ],
};
const DEFAULT_DOWN: ScalingRules = {
  stabilizationMs: 300_000,
  select: 'Max',
  policies: [{ type: 'Percent', value: 100, periodMs: 15_000 }],
};

/** The autoscalers among the manifests, by the workload that they scale: `Deployment shop/web`. */
export function podAutoscalersOf(manifests: readonly Manifest[]): ReadonlyMap<string, Scaling> {
  const found = manifests.filter((manifest) => typeOf(manifest) === POD_AUTOSCALER).map(({ object }) => object as PodAutoscaler);
  return new Map(
    found.map(({ metadata: { namespace = '' }, spec }) => [
      `${spec.scaleTargetRef.kind} ${namespace}/${spec.scaleTargetRef.name}`,
      {
        min: spec.minReplicas ?? 1,
        max: spec.maxReplicas,
        up: spec.behavior === undefined ? PLAIN_UP : rulesOf(spec.behavior.scaleUp, DEFAULT_UP),
        down: rulesOf(spec.behavior?.scaleDown, DEFAULT_DOWN),
      },
    ]),
  );
}

function rulesOf({ stabilizationWindowSeconds, selectPolicy, policies }: WrittenRules = {}, byDefault: ScalingRules): ScalingRules {
  return {
    stabilizationMs: stabilizationWindowSeconds === undefined ? byDefault.stabilizationMs : stabilizationWindowSeconds * 1_000,
    select: selectPolicy ?? byDefault.select,
    policies: policies?.map(({ type, value, periodSeconds }) => ({ type, value, periodMs: periodSeconds * 1_000 })) ?? byDefault.policies,
  };
}

/** How often the controller looks (`--horizontal-pod-autoscaler-sync-period`). */
const SYNC_MS = 15_000;
/** A slower autoscaler is not followed to the end: a trial should last minutes. */
export const LONGEST_SCALING_MS = 1_800_000;

/** A change of the number of replicas. */
export interface ScalingStep {
  /** Since the load changed. */
  readonly atMs: number;
  readonly replicas: number;
}

/**
 * What the controller does from the moment when the load asks for another number of replicas, for as long as it asks for it, or for
 * LONGEST_SCALING_MS. Source: `k8s.io/kubernetes/pkg/controller/podautoscaler/horizontal.go`, `stabilizeRecommendationWithBehaviors`
 * and `convertDesiredReplicasWithBehaviorRate`.
 */
export function scalingSteps(from: number, to: number, { min, up, down }: Omit<Scaling, 'max'>): ScalingStep[] {
  const rules = to > from ? up : down;
  const sign = Math.sign(to - from);
  const steps: ScalingStep[] = [];
  if (rules.select === 'Disabled') return steps;
  let replicas = from;
  const first = Math.max(SYNC_MS, Math.ceil(rules.stabilizationMs / SYNC_MS) * SYNC_MS);
  for (let atMs = first; atMs <= LONGEST_SCALING_MS && replicas !== to; atMs += SYNC_MS) {
    const limits = rules.policies.map(({ type, value, periodMs }) => {
      const before = steps.findLast((step) => step.atMs <= atMs - periodMs)?.replicas ?? from;
      if (type === 'Pods') return before + sign * value;
      const scaled = before * (1 + (sign * value) / 100);
      return sign > 0 ? Math.ceil(scaled) : Math.floor(scaled);
    });
    const isFurthest = (rules.select === 'Max') === sign > 0;
    const limit = isFurthest ? Math.max(...limits) : Math.min(...limits);
    // Below its minimum it goes there at once.
    const next = sign > 0 ? Math.min(to, Math.max(replicas, limit, rules.least ?? 0, min)) : Math.max(to, Math.min(replicas, limit));
    if (next !== replicas) steps.push({ atMs, replicas: next });
    replicas = next;
  }
  return steps;
}

/** The most pods that it gets while the load asks for `max`. */
export function peakOf(replicas: number, scaling: Scaling): number {
  return scalingSteps(replicas, scaling.max, scaling).at(-1)?.replicas ?? replicas;
}
