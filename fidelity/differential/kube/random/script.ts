/**
 * A random case: a sequence of requests for objects whose names include the case's id. Values that the server generates are
 * referenced by step: `<<2.metadata.uid>>` in a path or body is that field of the answer to step 2, counted from 0.
 */
export interface Script {
  readonly id: string;
  readonly steps: readonly Step[];
}

/** The operations that the grid counts. */
export const OPERATIONS = [
  'create',
  'get',
  'list',
  'pages',
  'watch',
  'put',
  'put-stale',
  'json',
  'merge',
  'strategic',
  'apply',
  'apply-force',
  'status',
  'scale',
  'bind',
  'evict',
  'finalizers',
  'delete',
  'delete-all',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Operations that only read. */
export const READS: ReadonlySet<Operation> = new Set(['get', 'list', 'pages', 'watch']);

export interface Step {
  readonly operation: Operation;
  /** Plural, for classes of differences. */
  readonly resource: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** The body is the answer to this step, with `body` applied to it as a merge patch. */
  readonly basis?: number;
  readonly contentType?: string;
  readonly accept?: string;
  /** Repeated (bounded) until the answer has this value: controllers need some time. */
  readonly until?: { readonly path: string; readonly value: unknown };
  /** A watch is read up to the event of the object with this name. */
  readonly upTo?: string;
}

/** The namespaces of all cases. Cases share them, with different object names. */
export const NAMESPACES: readonly string[] = Array.from({ length: 8 }, (_, index) => `differential-${index}`);

/** The label of every object of a case; its value is the case's id. */
export const CASE_LABEL = 'differential';

/** A definition that scripts use, created before them. */
export const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.differential.example.com' },
  spec: {
    group: 'differential.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 9 },
                  color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
                  parts: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['id'],
                      properties: { id: { type: 'string' }, weight: { type: 'integer', default: 1 } },
                    },
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['id'],
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' }, size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
} as const;
