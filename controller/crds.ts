import { RESOURCES } from '../clients/resources.ts';
import type { ResourceType } from '../clients/kube-client.ts';
import type { KubeObject } from '../model/kube.ts';

/**
 * The CustomResourceDefinitions of Karpenter's APIs, as data. The schemas contain the fields that this autoscaler reads; other
 * fields are preserved. Karpenter's own definitions add CEL rules.
 */

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const textMap: Schema = { type: 'object', additionalProperties: text };
const quantities: Schema = {
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
};

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

function list(items: Schema): Schema {
  return { type: 'array', items };
}

const requirements = list(
  object(
    {
      key: text,
      operator: { type: 'string', enum: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] },
      values: texts,
      minValues: { type: 'integer', minimum: 1, maximum: 50 },
    },
    ['key', 'operator'],
  ),
);
const taints = list(
  object({ key: text, value: text, effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] } }, ['key', 'effect']),
);
const expireAfter: Schema = { type: 'string', pattern: '^(([0-9]+(s|m|h))+|Never)$' };
const nodeClassRef = object({ group: text, kind: text, name: text }, ['group', 'kind', 'name']);
const conditions = list(object({ type: text, status: text, reason: text, message: text, lastTransitionTime: text }, ['type', 'status']));

const nodePool = object(
  {
    template: object(
      {
        metadata: object({ labels: textMap, annotations: textMap }),
        spec: object({ requirements, taints, startupTaints: taints, nodeClassRef, expireAfter, terminationGracePeriod: text }, [
          'requirements',
          'nodeClassRef',
        ]),
      },
      ['spec'],
    ),
    disruption: object({
      consolidateAfter: { type: 'string', pattern: '^(([0-9]+(s|m|h))+|Never)$' },
      consolidationPolicy: { type: 'string', enum: ['WhenEmpty', 'WhenEmptyOrUnderutilized'] },
      budgets: list(
        object(
          {
            nodes: { type: 'string', pattern: '^((100|[0-9]{1,2})%|[0-9]+)$' },
            reasons: { type: 'array', items: { type: 'string', enum: ['Underutilized', 'Empty', 'Drifted'] } },
            schedule: {
              type: 'string',
              pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
            },
            duration: { type: 'string', pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$' },
          },
          ['nodes'],
        ),
      ),
    }),
    limits: quantities,
    weight: { type: 'integer', minimum: 1, maximum: 100 },
    replicas: { type: 'integer', minimum: 0 },
  },
  ['template'],
);

const nodeClaim = object(
  {
    requirements,
    resources: object({ requests: quantities }),
    taints,
    startupTaints: taints,
    nodeClassRef,
    expireAfter,
    terminationGracePeriod: text,
  },
  ['requirements', 'nodeClassRef'],
);
const nodeClaimStatus = object({
  providerID: text,
  nodeName: text,
  imageID: text,
  capacity: quantities,
  allocatable: quantities,
  conditions,
});

const terms = list(object({ id: text, name: text, alias: text, tags: textMap }));
const ec2NodeClass = object(
  {
    amiSelectorTerms: terms,
    subnetSelectorTerms: terms,
    securityGroupSelectorTerms: terms,
    instanceProfile: text,
    role: text,
    tags: textMap,
    kubelet: object({
      maxPods: { type: 'integer', minimum: 0 },
      kubeReserved: textMap,
      systemReserved: textMap,
      evictionHard: textMap,
    }),
    userData: text,
  },
  ['amiSelectorTerms', 'subnetSelectorTerms', 'securityGroupSelectorTerms'],
);

/** To be installed, in this order, before the autoscaler starts. */
export const CRDS: readonly KubeObject[] = [
  definition(RESOURCES.nodepools, nodePool, object({ conditions, resources: quantities })),
  definition(RESOURCES.nodeclaims, nodeClaim, nodeClaimStatus),
  definition(RESOURCES.ec2nodeclasses, ec2NodeClass, object({ conditions })),
];

function definition(type: ResourceType, spec: Schema, status: Schema): KubeObject {
  const { group, version, plural, kind } = type;
  const singular = kind.toLowerCase();
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular, kind, listKind: `${kind}List`, categories: ['karpenter'] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status },
              required: ['spec'],
            },
          },
        },
      ],
    },
  };
  return crd;
}
