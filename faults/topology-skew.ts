import { z } from 'zod';
import type { TopologySpreadConstraint } from '../model/kube.ts';
import type { ObjectRewrite } from '../wire/effects.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  labels: z
    .record(z.string(), z.string())
    .refine((labels) => Object.keys(labels).length > 0, 'at least one label')
    .meta({ description: 'pods with these labels are rewritten', examples: [{ app: 'web' }] }),
  maxSkew: z
    .number()
    .int()
    .max(0, 'maxSkew must be 0 or less: a positive value is legal')
    .meta({ description: 'the maxSkew that the target reads in every constraint', examples: [-1] }),
});

/**
 * The target reads pods with a maxSkew that no API server would have accepted, consistently in get, list and watch. Not legal:
 * a real API server refuses maxSkew <= 0, so this tests robustness, never the core.
 */
export const topologySkew = defineFault({
  name: 'topology-skew',
  summary: 'the target reads pods with a maxSkew that a real API server would have refused',
  params,
  legal: false,
  capabilities: () => ['wire.kube'],
  color: '#be185d',
  describe: ({ labels, maxSkew }) => {
    const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    return `pods with ${selector.join(', ')} are delivered with maxSkew ${maxSkew}`;
  },
  inject: ({ labels, maxSkew }, { arm, fired }) =>
    arm({
      match: { operations: ['get pods', 'list pods', 'watch pods'] },
      rewrite: (object) => withSkew(object, labels, maxSkew),
      fired: (span) => fired(span),
    }),
});

/** The fields that the rewrite needs from an object that may be a pod. */
interface Rewritable {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[] };
}

function withSkew(
  object: Parameters<ObjectRewrite>[0],
  labels: Readonly<Record<string, string>>,
  maxSkew: number,
): ReturnType<ObjectRewrite> {
  const { metadata, spec } = object as Rewritable;
  const constraints = spec?.topologySpreadConstraints;
  if (constraints === undefined || constraints.length === 0) return object;
  if (!Object.entries(labels).every(([key, value]) => metadata?.labels?.[key] === value)) return object;
  return { ...object, spec: { ...spec, topologySpreadConstraints: constraints.map((constraint) => ({ ...constraint, maxSkew })) } };
}
