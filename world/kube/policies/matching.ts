import type { LabelSelector } from '../../../model/kube.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { matchesSelector } from '../../../model/selector.ts';
import { apiVersionOf } from '../resource.ts';
import type { User } from '../rbac/users.ts';
import type { ApiObject, Resource } from '../resource.ts';
import type { MatchResources, ResourceRule } from './policy.ts';

/** A request to judge. */
export interface Attributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Resource;
  readonly subresource?: string | undefined;
  /** The type of the objects, if it is not that of the resource: of a Scale, an Eviction. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  /** That of a Namespace is its own name. */
  readonly namespace: string | undefined;
  /** Undefined for a deletion of many. */
  readonly name: string | undefined;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  /** The other options of the request. */
  readonly options: JsonObject;
  readonly user: User;
}

/** What matching may look up. */
export interface Cluster {
  /** The labels of a namespace; undefined if there is none. */
  labelsOf(namespace: string): Readonly<Record<string, string>> | undefined;
  /** The other versions and groups in which a resource is served. */
  equivalents(resource: Resource): readonly Resource[];
}

/**
 * Whether constraints apply to a request (`apiserver/pkg/admission/plugin/policy/matching`).
 * @returns the resource that they name: that of the request or, with the policy `Equivalent`, another form of it
 */
export function matchedResource(constraints: MatchResources, request: Attributes, cluster: Cluster): Resource | undefined {
  const { namespaceSelector = {}, objectSelector = {}, resourceRules = [], excludeResourceRules = [], matchPolicy } = constraints;
  if (!isEmpty(namespaceSelector) && !namespaceMatches(namespaceSelector, request, cluster)) return undefined;
  const labelled = [request.object, request.old].some(
    (object) => object !== undefined && matchesSelector(objectSelector, object.metadata.labels),
  );
  if (!isEmpty(objectSelector) && !labelled) return undefined;
  const find = (rules: readonly ResourceRule[]): Resource | undefined => {
    const matches = (resource: Resource): boolean => rules.some((rule) => ruleMatches(rule, request, resource));
    if (matches(request.resource)) return request.resource;
    return matchPolicy === 'Exact' ? undefined : cluster.equivalents(request.resource).find(matches);
  };
  if (find(excludeResourceRules) !== undefined) return undefined;
  return resourceRules.length === 0 ? request.resource : find(resourceRules);
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Cluster-scoped objects other than namespaces always match. */
function namespaceMatches(selector: LabelSelector, request: Attributes, cluster: Cluster): boolean {
  const { resource, subresource, operation, namespace, object } = request;
  if (namespace === undefined) return true;
  const itself = isNamespace(resource) && subresource === undefined && operation !== 'DELETE';
  return matchesSelector(selector, itself ? object?.metadata.labels : cluster.labelsOf(namespace));
}

function isNamespace({ group, plural }: Resource): boolean {
  return group === '' && plural === 'namespaces';
}

function ruleMatches(rule: ResourceRule, request: Attributes, { group, version, plural }: Resource): boolean {
  const { operations, apiGroups, apiVersions, resources = [], scope = '*', resourceNames = [] } = rule;
  const namespaced = !isNamespace(request.resource) && request.namespace !== undefined;
  return (
    (scope === '*' || namespaced === (scope === 'Namespaced')) &&
    isOneOf(operations, request.operation) &&
    isOneOf(apiGroups, group) &&
    isOneOf(apiVersions, version) &&
    resources.some((one) => {
      const [resource, subresource = ''] = one.split('/', 2);
      return (resource === '*' || resource === plural) && (subresource === '*' || subresource === (request.subresource ?? ''));
    }) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name ?? ''))
  );
}

function isOneOf(items: readonly string[] = [], value: string): boolean {
  return items.includes('*') || items.includes(value);
}

/** An object of one form of a resource, in another. */
export function inForm(object: ApiObject, from: Resource, to: Resource): ApiObject {
  if (from === to) return object;
  const stored = from.conversion?.toStored(object) ?? object;
  return to.conversion?.fromStored(stored) ?? { ...stored, apiVersion: apiVersionOf(to) };
}
