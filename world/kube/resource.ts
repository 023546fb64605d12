import type { ZodType } from 'zod';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import type { GroupResource } from '../../protocols/kube/status.ts';
import type { KubeObject, ObjectMeta } from '../../model/kube.ts';

/** An object as the API server keeps it: with its type, and whatever fields it was given. Read-only once stored. */
export interface ApiObject extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

export type Subresource = 'status' | 'binding' | 'eviction';

/** What admission may look up beyond the object. */
export interface Admission {
  /** An object of a built-in resource by the resource's id. */
  find(id: string, namespace: string | undefined, name: string): ApiObject | undefined;
  /** All objects of a built-in resource, in the order of their names. */
  list(id: string): readonly ApiObject[];
}

/** What one resource does differently from all others. Pure functions; objects are never changed in place. */
export interface ResourceRules {
  /** The types of the fields that are read. Absent: metadata alone is looked at. */
  readonly shape?: ZodType;
  /** Fills in what the API defaults, on creation and update. @throws StatusError 400 for what the real decoder can't read */
  readonly defaults?: (object: ApiObject) => ApiObject;
  /**
   * What the built-in admission plugins do, after the defaults.
   * @param old what an update replaces; undefined on creation. Not asked for the status subresource.
   * @throws StatusError to refuse
   */
  readonly admit?: (object: ApiObject, admission: Admission, old: ApiObject | undefined) => ApiObject;
  /** Fields of an object as it was sent that the resource doesn't have, by path. Absent: not known. */
  readonly unknownFields?: (object: ApiObject) => readonly string[];
  /** The status that a new object begins with, whatever was sent. Absent: it is dropped where `status` is a subresource. */
  readonly initialStatus?: (object: ApiObject) => unknown;
  /** @param old what an update replaces; undefined on creation */
  readonly validate?: (object: ApiObject, old: ApiObject | undefined) => readonly FieldError[];
  /** Whether a change raises the generation, where it is not any change of anything but metadata and status. */
  readonly raisesGeneration?: (object: ApiObject, old: ApiObject) => boolean;
  /** Fills in what the API defaults of a status that is sent to its subresource. */
  readonly defaultStatus?: (object: ApiObject) => ApiObject;
  /** Of an update of the status subresource. */
  readonly validateStatus?: (object: ApiObject, old: ApiObject) => readonly FieldError[];
  /** What may not change. Not asked for the status subresource. */
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => readonly FieldError[];
  /**
   * For resources with graceful deletion: the period that a deletion gets.
   * @param asked seconds that the caller asked for, if it did
   */
  readonly gracePeriodSeconds?: (object: ApiObject, asked: number | undefined) => number;
  /** For resources whose deletion has a phase of its own: namespaces and definitions. It sets no grace period. */
  readonly termination?: {
    /** What the deletion changes of the object besides its deletion timestamp. */
    begin(object: ApiObject, nowMs: number): ApiObject;
    /** Whether something else than finalizers in the metadata keeps the object. */
    isHeld(object: ApiObject): boolean;
  };
  /** Values for field selectors beyond `metadata.name` and `metadata.namespace`, by field. */
  readonly fields?: Readonly<Record<string, (object: ApiObject) => string | undefined>>;
}

/** What `kubectl get` shows of an object besides its name, as CustomResourceDefinitions say it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** Where the scale subresource finds its fields, e.g. `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Of a selector as text, or as a LabelSelector in built-in types. */
  readonly labelSelectorPath?: string;
}

/** A resource as data. */
export interface Resource {
  /** Key in tables, and the name that its CustomResourceDefinition would have: `pods`, `nodeclaims.karpenter.sh`. */
  readonly id: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The version in which objects are stored; `version` is the one in which this resource shows them. */
  readonly storageVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  /** Groups of resources that clients ask for by one name, e.g. `all`. */
  readonly categories: readonly string[];
  /** Columns of a custom resource; those of built-in ones are in code. */
  readonly columns?: readonly PrinterColumn[];
  /** Present if the resource has a scale subresource. */
  readonly scale?: ScalePaths;
  readonly namespaced: boolean;
  readonly subresources: readonly Subresource[];
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean;
  /** Whether a deletion that removes an object answers with it (`ReturnDeletedObject`), not with a Status. */
  readonly returnsDeleted: boolean;
  /** Whether `metadata.generation` counts changes of anything but metadata and status. */
  readonly generation: boolean;
  /** Whether a replacement may make an object (`AllowCreateOnUpdate`). Here it never does; it only refuses in other words. */
  readonly createsOnPut: boolean;
  /** Whether an update without a resource version is taken. */
  readonly unconditionalUpdate: boolean;
  /** `path`: whatever fits into a path. */
  readonly nameRule: 'subdomain' | 'label' | 'dns-1035' | 'path';
  readonly rules: ResourceRules;
}

/** `v1`, `apps/v1` */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** As messages name the resource. */
export function groupResource(resource: Resource): GroupResource {
  return { group: resource.group, resource: resource.plural };
}

/** As messages name the kind. */
export function groupKind(resource: Resource): GroupResource {
  return { group: resource.group, resource: resource.kind };
}

/** Where an object lies. */
export interface Location {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Where an object lies below its resource: `namespace/name`, or the name alone for cluster-scoped ones. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
