import { z } from 'zod';
import type { Schema } from './custom/schema.ts';

/**
 * The types of the fields that this world uses, so that a body of another shape is refused as the API server's decoder
 * refuses it. Unknown fields pass (the real server drops them).
 */
const text = z.string().optional();
const flag = z.boolean().optional();
const whole = z.number().int().optional();
const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();
/** Kubernetes also accepts numbers as quantities. */
const quantities = z.record(z.string(), z.union([z.string(), z.number()])).optional();
const countOrShare = z.union([z.number().int(), z.string()]).optional();
const conditions = z.array(z.looseObject({ type: z.string(), status: z.string() })).optional();

const owner = z.looseObject({ apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag });

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

const resources = z.looseObject({ requests: quantities, limits: quantities }).optional();
const record = z.looseObject({}).optional();

const container = z.looseObject({
  name: text,
  image: text,
  imagePullPolicy: text,
  restartPolicy: text,
  terminationMessagePath: text,
  terminationMessagePolicy: text,
  ports: z.array(z.looseObject({ name: text, containerPort: whole, hostPort: whole, hostIP: text, protocol: text })).optional(),
  volumeMounts: z.array(z.looseObject({ name: text, mountPath: text })).optional(),
  livenessProbe: z.looseObject({ httpGet: record, grpc: record }).optional(),
  readinessProbe: z.looseObject({ httpGet: record, grpc: record }).optional(),
  startupProbe: z.looseObject({ httpGet: record, grpc: record }).optional(),
  lifecycle: record,
  resources,
});

const podAffinityTerm = z.looseObject({
  topologyKey: text,
  labelSelector: selector,
  namespaceSelector: selector,
  namespaces: texts,
  matchLabelKeys: texts,
  mismatchLabelKeys: texts,
});
const podAffinity = z
  .looseObject({
    requiredDuringSchedulingIgnoredDuringExecution: z.array(podAffinityTerm).optional(),
    preferredDuringSchedulingIgnoredDuringExecution: z
      .array(z.looseObject({ weight: whole, podAffinityTerm: podAffinityTerm.optional() }))
      .optional(),
  })
  .optional();

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
          preferredDuringSchedulingIgnoredDuringExecution: z
            .array(z.looseObject({ weight: whole, preference: term.optional() }))
            .optional(),
        })
        .optional(),
      podAffinity,
      podAntiAffinity: podAffinity,
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
  dnsPolicy: text,
  priorityClassName: text,
  priority: whole,
  preemptionPolicy: text,
  runtimeClassName: text,
  serviceAccountName: text,
  serviceAccount: text,
  hostname: text,
  subdomain: text,
  hostNetwork: flag,
  enableServiceLinks: flag,
  securityContext: record,
  activeDeadlineSeconds: whole,
  resources,
  schedulingGates: z.array(z.looseObject({ name: text })).optional(),
  volumes: z.array(z.object({ name: text }).catchall(z.looseObject({}))).optional(),
});

/** Any object: only metadata is checked. */
export const objectShape = z.looseObject({ apiVersion: text, kind: text, metadata: meta.optional() });

export const podShape = objectShape.extend({
  spec: podSpec.optional(),
  status: z.looseObject({ phase: text, conditions }).optional(),
});

export const nodeShape = objectShape.extend({
  spec: z.looseObject({ providerID: text, unschedulable: flag, taints: z.array(taint).optional() }).optional(),
  status: z.looseObject({ capacity: quantities, allocatable: quantities, conditions }).optional(),
});

const template = z.looseObject({ metadata: meta.optional(), spec: podSpec.optional() }).optional();
const rollingUpdate = z
  .looseObject({
    type: text,
    rollingUpdate: z.looseObject({ maxSurge: countOrShare, maxUnavailable: countOrShare, partition: whole }).optional(),
  })
  .optional();

/** ReplicaSets, Deployments, DaemonSets, StatefulSets and Jobs. */
export const workloadShape = objectShape.extend({
  spec: z
    .looseObject({
      replicas: whole,
      minReadySeconds: whole,
      revisionHistoryLimit: whole,
      progressDeadlineSeconds: whole,
      strategy: rollingUpdate,
      updateStrategy: rollingUpdate,
      podManagementPolicy: text,
      serviceName: text,
      ordinals: z.looseObject({ start: whole }).optional(),
      volumeClaimTemplates: z.array(z.looseObject({ metadata: meta.optional() })).optional(),
      persistentVolumeClaimRetentionPolicy: record,
      parallelism: whole,
      completions: whole,
      activeDeadlineSeconds: whole,
      backoffLimit: whole,
      ttlSecondsAfterFinished: whole,
      completionMode: text,
      suspend: flag,
      manualSelector: flag,
      podReplacementPolicy: text,
      podFailurePolicy: record,
      selector,
      template,
    })
    .optional(),
  status: z.looseObject({ conditions }).optional(),
});

export const replicationControllerShape = objectShape.extend({
  spec: z.looseObject({ replicas: whole, selector: textMap, template }).optional(),
  status: z.looseObject({ conditions }).optional(),
});

export const cronJobShape = objectShape.extend({
  spec: z
    .looseObject({
      schedule: text,
      timeZone: text,
      concurrencyPolicy: text,
      suspend: flag,
      startingDeadlineSeconds: whole,
      successfulJobsHistoryLimit: whole,
      failedJobsHistoryLimit: whole,
      jobTemplate: z.looseObject({ metadata: meta.optional(), spec: workloadShape.shape.spec }).optional(),
    })
    .optional(),
});

export const budgetShape = objectShape.extend({
  spec: z
    .looseObject({
      selector,
      minAvailable: countOrShare,
      maxUnavailable: countOrShare,
      unhealthyPodEvictionPolicy: text,
    })
    .optional(),
  status: z
    .looseObject({
      disruptionsAllowed: whole,
      currentHealthy: whole,
      desiredHealthy: whole,
      expectedPods: whole,
      observedGeneration: whole,
      disruptedPods: textMap,
      conditions,
    })
    .optional(),
});

export const claimShape = objectShape.extend({
  spec: z
    .looseObject({
      accessModes: texts,
      storageClassName: text,
      volumeName: text,
      volumeMode: text,
      resources,
      selector,
    })
    .optional(),
  status: z.looseObject({ phase: text }).optional(),
});

export const volumeShape = objectShape.extend({
  spec: z
    .looseObject({
      capacity: quantities,
      accessModes: texts,
      persistentVolumeReclaimPolicy: text,
      storageClassName: text,
      volumeMode: text,
      nodeAffinity: z.looseObject({ required: z.looseObject({ nodeSelectorTerms: z.array(term).optional() }).optional() }).optional(),
    })
    .optional(),
  status: z.looseObject({ phase: text }).optional(),
});

export const storageClassShape = objectShape.extend({
  provisioner: text,
  reclaimPolicy: text,
  volumeBindingMode: text,
  parameters: textMap,
});

export const serviceShape = objectShape.extend({
  spec: z
    .looseObject({
      type: text,
      clusterIP: text,
      externalName: text,
      selector: textMap,
      ports: z
        .array(z.looseObject({ name: text, port: whole, protocol: text, targetPort: z.union([z.number(), z.string()]).optional() }))
        .optional(),
    })
    .optional(),
});

/** ConfigMaps and Secrets. */
export const configShape = objectShape.extend({
  data: textMap,
  binaryData: textMap,
  stringData: textMap,
  type: text,
  immutable: flag,
});

export const leaseShape = objectShape.extend({
  spec: z.looseObject({ holderIdentity: text, leaseDurationSeconds: whole, leaseTransitions: whole, renewTime: text }).optional(),
});

export const namespaceShape = objectShape.extend({
  spec: z.looseObject({ finalizers: texts }).optional(),
  status: z.looseObject({ phase: text }).optional(),
});

export const eventShape = objectShape.extend({
  involvedObject: z.looseObject({ kind: text, namespace: text, name: text, uid: text }).optional(),
  reason: text,
  message: text,
  type: text,
});

/** The same in `events.k8s.io/v1`. */
export const newEventShape = objectShape.extend({
  regarding: z.looseObject({ kind: text, namespace: text, name: text, uid: text }).optional(),
  reason: text,
  note: text,
  type: text,
});

export const priorityClassShape = objectShape.extend({ value: whole });

const schema: z.ZodType<Schema> = z.custom<Schema>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));

export const crdShape = objectShape.extend({
  spec: z.looseObject({
    group: z.string(),
    scope: text,
    names: z.looseObject({
      plural: z.string(),
      singular: text,
      kind: z.string(),
      listKind: text,
      shortNames: texts,
      categories: texts,
    }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        served: z.boolean(),
        storage: z.boolean(),
        schema: z.looseObject({ openAPIV3Schema: schema.optional() }).optional(),
        subresources: z
          .looseObject({
            status: z.looseObject({}).optional(),
            scale: z.looseObject({ specReplicasPath: z.string(), statusReplicasPath: z.string(), labelSelectorPath: text }).optional(),
          })
          .optional(),
        selectableFields: z.array(z.looseObject({ jsonPath: z.string() })).optional(),
        additionalPrinterColumns: z
          .array(
            z.looseObject({
              name: z.string(),
              type: z.string(),
              jsonPath: z.string(),
              format: text,
              description: text,
              priority: whole,
            }),
          )
          .optional(),
      }),
    ),
  }),
});
export type Crd = z.infer<typeof crdShape>;

export const deleteOptionsShape = z.looseObject({
  gracePeriodSeconds: whole,
  propagationPolicy: text,
  orphanDependents: flag,
  preconditions: z.looseObject({ uid: text, resourceVersion: text }).optional(),
  dryRun: texts,
});
export type DeleteOptions = z.infer<typeof deleteOptionsShape>;

const policyRule = z.looseObject({
  verbs: texts.nullable(),
  apiGroups: texts,
  resources: texts,
  resourceNames: texts,
  nonResourceURLs: texts,
});

export const roleShape = objectShape.extend({
  rules: z.array(policyRule).nullable().optional(),
  aggregationRule: z.looseObject({ clusterRoleSelectors: z.array(selector.unwrap()).optional() }).optional(),
});

export const roleBindingShape = objectShape.extend({
  subjects: z
    .array(z.looseObject({ kind: text, name: text, apiGroup: text, namespace: text }))
    .nullable()
    .optional(),
  roleRef: z.looseObject({ kind: text, name: text, apiGroup: text }).optional(),
});

const resourceRules = z
  .array(z.looseObject({ operations: texts, apiGroups: texts, apiVersions: texts, resources: texts, scope: text, resourceNames: texts }))
  .optional();
const matchResources = z.looseObject({
  resourceRules,
  excludeResourceRules: resourceRules,
  namespaceSelector: selector,
  objectSelector: selector,
  matchPolicy: text,
});
const namedExpressions = z.array(z.looseObject({ name: text, expression: text })).optional();

export const admissionPolicyShape = objectShape.extend({
  spec: z
    .looseObject({
      failurePolicy: text,
      paramKind: z.looseObject({ apiVersion: text, kind: text }).optional(),
      matchConstraints: matchResources.optional(),
      matchConditions: namedExpressions,
      variables: namedExpressions,
      validations: z.array(z.looseObject({ expression: text, message: text, messageExpression: text, reason: text })).optional(),
      auditAnnotations: z.array(z.looseObject({ key: text, valueExpression: text })).optional(),
    })
    .optional(),
});

export const admissionBindingShape = objectShape.extend({
  spec: z
    .looseObject({
      policyName: text,
      paramRef: z.looseObject({ name: text, namespace: text, selector, parameterNotFoundAction: text }).optional(),
      matchResources: matchResources.optional(),
      validationActions: texts,
    })
    .optional(),
});

export const webhookConfigurationShape = objectShape.extend({
  webhooks: z
    .array(
      z.looseObject({
        name: text,
        clientConfig: z
          .looseObject({
            url: text,
            service: z.looseObject({ namespace: text, name: text, path: text, port: whole }).optional(),
            caBundle: text,
          })
          .optional(),
        rules: resourceRules,
        failurePolicy: text,
        matchPolicy: text,
        namespaceSelector: selector,
        objectSelector: selector,
        sideEffects: text,
        timeoutSeconds: whole,
        admissionReviewVersions: texts,
        matchConditions: namedExpressions,
        reinvocationPolicy: text,
      }),
    )
    .optional(),
});
