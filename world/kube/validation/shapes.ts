import { z } from 'zod';

/**
 * The types of the fields that something in this world reads, so that a body of another shape is refused as the API
 * server's decoder refuses it. Unknown fields pass (the real one drops them).
 */
const text = z.string().optional();
const flag = z.boolean().optional();
const whole = z.number().int().optional();
const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();
/** Kubernetes reads numbers as quantities too. */
const quantities = z.record(z.string(), z.union([z.string(), z.number()])).optional();
const conditions = z.array(z.looseObject({ type: z.string(), status: z.string() })).optional();

const owner = z.looseObject({ apiVersion: text, kind: text, name: text, uid: text, controller: flag });

const meta = z.looseObject({
  name: text,
  generateName: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  finalizers: texts,
  labels: textMap,
  annotations: textMap,
  ownerReferences: z.array(owner).optional(),
});

const requirement = z.looseObject({ key: text, operator: text, values: texts });
const selector = z.looseObject({ matchLabels: textMap, matchExpressions: z.array(requirement).optional() }).optional();
const term = z.looseObject({ matchExpressions: z.array(requirement).optional(), matchFields: z.array(requirement).optional() });

const container = z.looseObject({
  name: text,
  image: text,
  resources: z.looseObject({ requests: quantities, limits: quantities }).optional(),
});

const taint = z.looseObject({ key: text, value: text, effect: text });

const podSpec = z.looseObject({
  containers: z.array(container).optional(),
  initContainers: z.array(container).optional(),
  overhead: quantities,
  nodeName: text,
  nodeSelector: textMap,
  affinity: z
    .looseObject({
      nodeAffinity: z
        .looseObject({
          requiredDuringSchedulingIgnoredDuringExecution: z.looseObject({ nodeSelectorTerms: z.array(term).optional() }).optional(),
        })
        .optional(),
    })
    .optional(),
  tolerations: z.array(z.looseObject({ key: text, operator: text, value: text, effect: text, tolerationSeconds: whole })).optional(),
  topologySpreadConstraints: z
    .array(
      z.looseObject({
        maxSkew: whole,
        topologyKey: text,
        whenUnsatisfiable: text,
        labelSelector: selector,
        minDomains: whole,
        nodeAffinityPolicy: text,
        nodeTaintsPolicy: text,
        matchLabelKeys: texts,
      }),
    )
    .optional(),
  terminationGracePeriodSeconds: whole,
  schedulerName: text,
  restartPolicy: text,
  priorityClassName: text,
});

/** Any object: metadata alone. */
export const objectShape = z.looseObject({ apiVersion: text, kind: text, metadata: meta.optional() });

export const podShape = objectShape.extend({
  spec: podSpec.optional(),
  status: z.looseObject({ phase: text, conditions }).optional(),
});

export const nodeShape = objectShape.extend({
  spec: z.looseObject({ providerID: text, unschedulable: flag, taints: z.array(taint).optional() }).optional(),
  status: z.looseObject({ capacity: quantities, allocatable: quantities, conditions }).optional(),
});

/** ReplicaSets, Deployments and DaemonSets. */
export const workloadShape = objectShape.extend({
  spec: z
    .looseObject({
      replicas: whole,
      selector,
      template: z.looseObject({ metadata: meta.optional(), spec: podSpec.optional() }).optional(),
    })
    .optional(),
  status: z.looseObject({ conditions }).optional(),
});

export const eventShape = objectShape.extend({
  involvedObject: z.looseObject({ kind: text, namespace: text, name: text, uid: text }).optional(),
  reason: text,
  message: text,
  type: text,
});

export const priorityClassShape = objectShape.extend({ value: whole });

export const crdShape = objectShape.extend({
  spec: z.looseObject({
    group: z.string(),
    scope: z.string(),
    names: z.looseObject({
      plural: z.string(),
      singular: text,
      kind: z.string(),
      listKind: text,
      shortNames: texts,
    }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        served: z.boolean(),
        storage: z.boolean(),
        subresources: z.looseObject({ status: z.looseObject({}).optional() }).optional(),
      }),
    ),
  }),
});
export type Crd = z.infer<typeof crdShape>;

export const deleteOptionsShape = z.looseObject({
  gracePeriodSeconds: whole,
  propagationPolicy: text,
  preconditions: z.looseObject({ uid: text, resourceVersion: text }).optional(),
  dryRun: texts,
});
export type DeleteOptions = z.infer<typeof deleteOptionsShape>;

export const evictionShape = objectShape.extend({ deleteOptions: deleteOptionsShape.optional() });

export const bindingShape = objectShape.extend({
  target: z.looseObject({ kind: text, name: text }).optional(),
});
