import { matchesSelector } from '../../../model/selector.ts';
import { defined } from '../../../model/defined.ts';
import { StatusError, refused } from '../../../protocols/kube/status.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import type { ResourceTable } from '../resource-table.ts';
import { groupResource, objectKey } from '../resource.ts';
import type { ApiObject, Resource } from '../resource.ts';
import type { Store } from '../store.ts';
import { Evaluation } from './evaluation.ts';
import type { Denial } from './evaluation.ts';
import { inForm, matchedResource } from './matching.ts';
import type { Attributes, Cluster } from './matching.ts';
import type { BindingSpec, ParamKind, ParamRef, PolicySpec } from './policy.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `validatingadmissionpolicies.${GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;
/** Never judged, so that a policy can always be removed (`plugin/policy/validating`, `kubeapiserver/admission/exclusion`). */
const EXEMPT_GROUPS = [GROUP, 'authentication.k8s.io', 'authorization.k8s.io'];
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };
const DEFAULT_CODE = 422;
const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** Parameters can't be found: the message of a configuration error. */
class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** A denial, by a policy and a binding of it. */
interface Decision extends Denial {
  readonly policy: string;
  readonly binding?: string;
}

/**
 * The admission plugin ValidatingAdmissionPolicy (`apiserver/pkg/admission/plugin/policy`), which comes after validation and before
 * ResourceQuota. A policy is in force as soon as it and a binding are stored. Policies are asked in the order of their names, and so
 * are bindings: the real server's order is random.
 */
export class PolicyAdmission {
  readonly #store: Store;
  readonly #table: ResourceTable;
  readonly #policies: Resource;
  readonly #bindings: Resource;
  readonly #compiled = new WeakMap<ApiObject, Evaluation>();
  readonly #cluster: Cluster;

  constructor({ store, table }: { store: Store; table: ResourceTable }) {
    this.#store = store;
    this.#table = table;
    this.#policies = table.byId(POLICIES);
    this.#bindings = table.byId(BINDINGS);
    this.#cluster = clusterOf(store, table);
  }

  /**
   * @param describe the request; not called if there are no policies
   * @param warn shows a warning to the client
   * @throws StatusError if a policy denies the request: 422, or as the policy says
   */
  check(describe: () => Attributes, warn: (text: string) => void): void {
    const bindings = this.#store.list(this.#bindings);
    if (bindings.length === 0) return;
    const request = describe();
    if (EXEMPT_GROUPS.includes(request.resource.group)) return;
    const byPolicy = Map.groupBy(bindings, ({ object }) => (object.spec as BindingSpec).policyName ?? '');
    const denied = [...byPolicy.keys()].sort().flatMap((name) => {
      const policy = this.#store.get(this.#policies, name)?.object;
      const bound = (byPolicy.get(name) ?? []).map(({ object }) => object);
      return policy === undefined ? [] : this.#judge(policy, bound, request, warn);
    });
    const [first] = denied;
    if (first !== undefined) throw denial(first, request);
  }

  #judge(policy: ApiObject, bindings: readonly ApiObject[], request: Attributes, warn: (text: string) => void): Decision[] {
    const spec = policy.spec as PolicySpec;
    const { name = '' } = policy.metadata;
    const resource = matchedResource(spec.matchConstraints ?? {}, request, this.#cluster);
    if (resource === undefined) return [];
    const broken = (why: string, binding?: string): Decision[] => {
      if (spec.failurePolicy === 'Ignore') return [];
      return [
        { policy: name, ...defined({ binding }), message: `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${why}` },
      ];
    };
    const { paramKind } = spec;
    const kind = paramKind === undefined ? undefined : this.#table.all().find((one) => isOfKind(one, paramKind));
    if (paramKind !== undefined && kind === undefined) {
      return broken(`failed to find resource referenced by paramKind: '${shownKind(paramKind)}'`);
    }
    return bindings.flatMap((bound): Decision[] => {
      const { matchResources, paramRef, validationActions = [] } = bound.spec as BindingSpec;
      const { name: binding = '' } = bound.metadata;
      if (matchResources !== undefined && matchedResource(matchResources, request, this.#cluster) === undefined) return [];
      let params: readonly (ApiObject | null)[];
      try {
        params = kind === undefined || paramRef === undefined ? [null] : this.#params(kind, paramRef, request.namespace);
      } catch (error) {
        if (error instanceof ConfigurationError) return broken(error.message, binding);
        throw error;
      }
      const denials = params.flatMap((param) => this.#evaluate(policy, spec, resource, request, param));
      if (validationActions.includes('Warn')) {
        for (const { message } of denials.filter(({ always }) => always !== true)) {
          warn(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${binding}': ${message}`);
        }
      }
      const counted = denials.filter(({ always }) => always === true || validationActions.includes('Deny'));
      return counted.map((one) => ({ ...one, policy: name, binding }));
    });
  }

  #evaluate(policy: ApiObject, spec: PolicySpec, resource: Resource, request: Attributes, params: ApiObject | null): Denial[] {
    let evaluation = this.#compiled.get(policy);
    if (evaluation === undefined) {
      evaluation = new Evaluation(spec);
      this.#compiled.set(policy, evaluation);
    }
    const { object, old, namespace } = request;
    const seen = (one: ApiObject | undefined): ApiObject | null => {
      if (one === undefined) return null;
      return request.kind === undefined ? inForm(one, request.resource, resource) : one;
    };
    const isNamespace = request.resource.id === 'namespaces';
    const found = namespace === undefined || isNamespace ? undefined : this.#store.get(this.#table.byId('namespaces'), namespace);
    return evaluation.denials({
      object: seen(object),
      oldObject: seen(old),
      params,
      request: admissionRequest(request, resource),
      namespaceObject: found?.object,
    });
  }

  /** `CollectParams`. @throws ConfigurationError */
  #params(kind: Resource, ref: ParamRef, requestNamespace: string | undefined): ApiObject[] {
    const { name = '', namespace: own = '', selector, parameterNotFoundAction } = ref;
    if (own !== '' && !kind.namespaced) {
      throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    }
    const namespace = !kind.namespaced ? undefined : own === '' ? requestNamespace : own;
    if (kind.namespaced && namespace === undefined) {
      throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
    }
    const found =
      name === ''
        ? this.#store.list(kind, namespace).filter(({ object }) => matchesSelector(selector, object.metadata.labels))
        : [this.#store.get(kind, objectKey(namespace, name))].filter((one) => one !== undefined);
    if (found.length === 0 && parameterNotFoundAction === 'Deny') {
      throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
    }
    return found.map(({ object }) => object);
  }
}

/** What matching looks up in a store. */
export function clusterOf(store: Store, table: ResourceTable): Cluster {
  const namespaces = table.byId('namespaces');
  return {
    labelsOf: (namespace) => {
      const found = store.get(namespaces, namespace);
      return found === undefined ? undefined : (found.object.metadata.labels ?? {});
    },
    equivalents: (resource) => table.all().filter((one) => one.id === resource.id && one !== resource),
  };
}

function isOfKind({ group, version, kind }: Resource, wanted: ParamKind): boolean {
  return kind === wanted.kind && (group === '' ? version : `${group}/${version}`) === wanted.apiVersion;
}

/** A kind as Go prints it. */
function shownKind({ apiVersion = '', kind = '' }: ParamKind): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
}

/** A request as policies and webhooks see it (`CreateAdmissionRequest`). */
export function admissionRequest(request: Attributes, matched: Resource): JsonObject {
  const { operation, resource, subresource, name, namespace, dryRun, options, user } = request;
  const kindOf = ({ group, version, kind }: Pick<Resource, 'group' | 'version' | 'kind'>): JsonObject => ({ group, version, kind });
  const resourceOf = ({ group, version, plural }: Resource): JsonObject => ({ group, version, resource: plural });
  return {
    kind: kindOf(request.kind ?? matched),
    resource: resourceOf(matched),
    requestKind: kindOf(request.kind ?? resource),
    requestResource: resourceOf(resource),
    ...defined({ subResource: subresource, requestSubResource: subresource, name, namespace }),
    operation,
    userInfo: { username: user.name, groups: [...user.groups], ...defined({ uid: user.uid, extra: user.extra }) },
    dryRun,
    options: { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1', ...options, ...(dryRun ? { dryRun: ['All'] } : {}) },
  };
}

/** `admission.NewForbidden` with the code of the policy's reason. */
function denial({ policy, binding, message, reason = 'Invalid' }: Decision, { resource, object, name }: Attributes): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status, message: text } = refused(groupResource(resource), object?.metadata.name ?? name ?? 'Unknown', why);
  return new StatusError(CODES[reason] ?? DEFAULT_CODE, reason, text, { ...status.details, causes: [{ message: why }] });
}
