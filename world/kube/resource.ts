import type { ZodType } from 'zod';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { GroupResource } from '../../protocols/kube/status.ts';
import type { KubeObject, ObjectMeta } from '../../model/kube.ts';
import type { Attributes } from '../../model/denial.ts';
import type { PolicyRule } from './rbac/rules.ts';
import type { User } from './rbac/users.ts';

/** An object as the API server stores it: with its type and any other fields. Read-only once stored. */
export interface ApiObject extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

/** Parts of an object that are read and written on their own, besides its status. */
export type PartName = 'ephemeralcontainers' | 'resize' | 'finalize';
export type Subresource = 'status' | PartName | 'binding' | 'eviction' | 'token';
/** A subresource that is a part of the object. */
export type WrittenPart = 'status' | PartName;

/** The rules of a part of an object. */
export interface PartRules {
  /** The old object with the part of the sent one. */
  readonly take: (sent: ApiObject, old: ApiObject) => ApiObject;
  /** What counts of an applied configuration. Absent: nothing can be applied to it. */
  readonly applied?: (configuration: JsonObject) => JsonObject;
  /** What the built-in admission plugins refuse, after webhooks. @throws StatusError to refuse */
  readonly validateAdmission?: (object: ApiObject, admission: Admission, old: ApiObject) => void;
  /** The errors besides those of the whole object, or the only ones. */
  readonly validate: (
    object: ApiObject,
    old: ApiObject,
  ) => { readonly more: readonly FieldError[] } | { readonly only: readonly FieldError[] };
}

/** What admission may look up besides the object. */
export interface Admission {
  /** An object of a built-in resource by the resource's id. */
  find(id: string, namespace: string | undefined, name: string): ApiObject | undefined;
  /** All objects of a built-in resource, sorted by name. */
  list(id: string): readonly ApiObject[];
}

/** The rules of one resource. Pure functions; objects are never changed in place. */
export interface ResourceRules {
  /** The types of the fields that this world uses. Absent: only metadata is checked. */
  readonly shape?: ZodType;
  /** Sets the API's defaults, on creation and update. @throws StatusError 400 for values that the real decoder refuses */
  readonly defaults?: (object: ApiObject) => ApiObject;
  /**
   * The changes of the built-in admission plugins, after the defaults and before webhooks. Not called for the status subresource.
   * @param old the object before an update; undefined on creation
   * @throws StatusError to refuse
   */
  readonly admit?: (object: ApiObject, admission: Admission, old: ApiObject | undefined) => ApiObject;
  /**
   * What the same plugins refuse in their second phase: after webhooks, and after the object was found valid.
   * @throws StatusError to refuse
   */
  readonly validateAdmission?: (object: ApiObject, admission: Admission, old: ApiObject | undefined) => void;
  /** The paths of unknown fields in an object as sent. Absent: can't be determined. */
  readonly unknownFields?: (object: ApiObject) => readonly string[];
  /** The initial status of a new object, regardless of what was sent. Absent: dropped if `status` is a subresource. */
  readonly initialStatus?: (object: ApiObject) => unknown;
  /** @param old the object before an update; undefined on creation */
  readonly validate?: (object: ApiObject, old: ApiObject | undefined) => readonly FieldError[];
  /** Whether a change raises the generation. Absent: any change except of metadata and status does. */
  readonly raisesGeneration?: (object: ApiObject, old: ApiObject) => boolean;
  /** Sets the API's defaults in a status that is sent to its subresource, and in its metadata. */
  readonly defaultStatus?: (object: ApiObject) => ApiObject;
  /** Validates an update of the status subresource. */
  readonly validateStatus?: (object: ApiObject, old: ApiObject) => readonly FieldError[];
  /** Checks immutable fields. Not called for the status subresource. */
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => readonly FieldError[];
  readonly parts?: Readonly<Partial<Record<PartName, PartRules>>>;
  /**
   * For resources with graceful deletion: the period that a deletion gets.
   * @param requested seconds that the caller requested, if any
   */
  readonly gracePeriodSeconds?: (object: ApiObject, requested: number | undefined) => number;
  /** For resources whose deletion has a phase of its own: namespaces and definitions. It sets no grace period. */
  readonly termination?: {
    /** The object with the changes of a deletion other than its deletion timestamp. */
    begin(object: ApiObject, nowMs: number): ApiObject;
    /** Whether anything except finalizers in the metadata keeps the object. */
    isHeld(object: ApiObject): boolean;
  };
  /** Values for field selectors beyond `metadata.name` and `metadata.namespace`, by field. */
  readonly fields?: Readonly<Record<string, (object: ApiObject) => string | undefined>>;
}

/** A column of `kubectl get` besides the name, as in CustomResourceDefinitions. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** The paths of the scale subresource's fields, e.g. `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The path of a selector: text, or a LabelSelector in built-in types. */
  readonly labelSelectorPath?: string;
}

/** What a review may look up. */
interface ReviewSite {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly nowMs: number;
  /** Who asks. */
  readonly user: User;
  readonly find: Admission['find'];
  readonly access: {
    decide(user: User, request: Attributes): { readonly allowed: boolean; readonly reason: string };
    rules(user: User, namespace: string): { readonly rules: readonly PolicyRule[]; readonly problem?: string };
  };
}

/** A resource as data. */
export interface Resource {
  /** Key in tables, and the name that its CustomResourceDefinition would have: `pods`, `nodeclaims.karpenter.sh`. */
  readonly id: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The version in which objects are stored; `version` is the one that this entry serves. */
  readonly storageVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  /** Names for groups of resources in clients, e.g. `all`. */
  readonly categories: readonly string[];
  /** Columns of a custom resource; those of built-in ones are in code. */
  readonly columns?: readonly PrinterColumn[];
  /** Present if the resource has a scale subresource. */
  readonly scale?: ScalePaths;
  readonly namespaced: boolean;
  readonly subresources: readonly Subresource[];
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean;
  /** Whether the answer to a deletion is the removed object (`ReturnDeletedObject`), not a Status. */
  readonly returnsDeleted: boolean;
  /** Whether `metadata.generation` counts changes of anything but metadata and status. */
  readonly generation: boolean;
  /** Whether all of its objects can be deleted with one request. */
  readonly deletesCollection: boolean;
  /** Whether a PUT may create an object (`AllowCreateOnUpdate`). */
  readonly createsOnPut: boolean;
  /** Whether an update without a resource version is accepted. */
  readonly unconditionalUpdate: boolean;
  /** `path`: any valid path segment. */
  readonly nameRule: 'subdomain' | 'label' | 'dns-1035' | 'path';
  readonly rules: ResourceRules;
  /** Answers an object that is created: it is never stored, and can only be created. */
  readonly review?: (object: ApiObject, site: ReviewSite) => ApiObject;
  /** The revision at which its definition last changed: what was stored before is read by the new schema. Absent if it never did. */
  readonly redefinedAt?: number;
  /** To and from the form in which its objects are stored, if that is another resource's. By default only the type differs. */
  readonly conversion?: {
    readonly toStored: (object: ApiObject) => ApiObject;
    readonly fromStored: (object: ApiObject) => ApiObject;
    /** Present if both may have to wait for a webhook: notes the form of an object that has been stored. */
    readonly remember?: (stored: ApiObject, shown: ApiObject) => void;
  };
}

/** The parts of a resource, or of a subresource with a type of its own, that decide what its bodies may be. */
export type BodyType = Pick<Resource, 'group' | 'version' | 'kind' | 'custom' | 'rules'>;

/** `v1`, `apps/v1` */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The resource, as named in messages. */
export function groupResource(resource: Resource): GroupResource {
  return { group: resource.group, resource: resource.plural };
}

/** The kind, as named in messages. */
export function groupKind(resource: Resource): GroupResource {
  return { group: resource.group, resource: resource.kind };
}

/** The location of an object. */
export interface Location {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** An object's key within its resource: `namespace/name`, or the name alone for cluster-scoped ones. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
