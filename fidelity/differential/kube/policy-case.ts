import type { ApiCase, Step } from './case.ts';

/*
 * ValidatingAdmissionPolicies in force. Each case has a namespace, and policies that apply only to it. A policy works a moment after it
 * was written, and all that were written before a policy that works do too: so each case has one more, the last, and asks until that
 * one denies.
 */

export const post = (path: string, body: unknown, look: readonly string[] = []): Step => ({ method: 'POST', path, body, look });
export const patch = (path: string, body: unknown, more: Partial<Step> = {}): Step => {
  return { method: 'PATCH', path, body, contentType: 'application/merge-patch+json', ...more };
};
export const remove = (path: string): Step => ({ method: 'DELETE', path });

export const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
export const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';

export type Spec = Readonly<Record<string, unknown>>;

/** A policy, and its binding. */
interface Policy {
  readonly spec: Spec;
  /** What it applies to: new and changed ConfigMaps by default. */
  readonly rules?: readonly Spec[];
  /** The rest of `matchConstraints`. */
  readonly constraints?: Spec;
  readonly binding?: Spec;
}

export function rule(resource: string, operations: readonly string[] = ['CREATE', 'UPDATE'], group = '', more: Spec = {}): Spec {
  return { apiGroups: [group], apiVersions: ['*'], resources: [resource], operations, ...more };
}

/** The path of a case's own namespace. */
export const namespacePath = (id: string): string => `/api/v1/namespaces/${id}`;

/** The namespace of a case, with an account: a real cluster has none there for some moments. */
export function newNamespace(id: string): Step[] {
  return [
    post('/api/v1/namespaces', { metadata: { name: id, labels: { team: 'blue' } } }),
    post(`${namespacePath(id)}/serviceaccounts`, { metadata: { name: 'mine' } }),
  ];
}

/** Steps whose paths name the case's namespace as `NAMESPACE`, or `namespaces/OWN`. */
export function within(id: string): (step: Step) => Step {
  return (step) => ({ ...step, path: step.path.replace('NAMESPACE', namespacePath(id)).replace('namespaces/OWN', `namespaces/${id}`) });
}

/** @param before what is created before the policies, such as parameters */
export function policyCase(id: string, policies: readonly Policy[], steps: readonly Step[], before: readonly Step[] = []): ApiCase {
  const own = { matchLabels: { 'kubernetes.io/metadata.name': id } };
  const last: Policy = { rules: [rule('secrets')], spec: { validations: [{ expression: 'false', message: 'in force' }] } };
  const named = [...policies, last].map((policy, index) => ({
    policy,
    name: policies[index] === undefined ? `${id}-last` : `${id}-${index + 1}`,
  }));
  const defined = named.map(({ policy: { spec, rules = [rule('configmaps')], constraints }, name }): Step => {
    const matchConstraints = { namespaceSelector: own, resourceRules: rules, ...constraints };
    return post(POLICIES, { metadata: { name }, spec: { matchConstraints, ...spec } }, ['spec']);
  });
  const bound = named.map(({ policy: { binding }, name }): Step => {
    return post(BINDINGS, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'], ...binding } }, ['spec']);
  });
  const inNamespace = within(id);
  return {
    id,
    steps: [
      ...newNamespace(id),
      ...before.map(inNamespace),
      ...defined,
      ...bound,
      { ...post(`${namespacePath(id)}/secrets?dryRun=All`, { metadata: { name: 'probe' } }), until: 422 },
      ...steps.map(inNamespace),
    ],
  };
}

/** One policy about ConfigMaps with these expressions. */
export const checks = (...expressions: readonly string[]): Policy => ({
  spec: { validations: expressions.map((expression) => ({ expression })) },
});

export const configMap = (name: string, data: Spec = {}, labels: Spec = {}): Step =>
  post('NAMESPACE/configmaps', { metadata: { name, labels }, data });
export const pod = (name: string, resources: object = {}, spec: object = {}): Step => {
  const containers = [{ name: 'c', image: 'pause', resources }];
  return post('NAMESPACE/pods', {
    metadata: { name },
    spec: { serviceAccountName: 'mine', automountServiceAccountToken: false, nodeSelector: { no: 'such-node' }, containers, ...spec },
  });
};
export const served = (name: string, containerPort: number, port: number | string): Step => {
  const container = { name: 'c', image: 'pause', ports: [{ containerPort }], readinessProbe: { httpGet: { port } } };
  return pod(name, {}, { containers: [container] });
};
export const deployment = (name: string, replicas: number): Step =>
  post('/apis/apps/v1/namespaces/OWN/deployments', {
    metadata: { name },
    spec: {
      replicas,
      paused: true,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'pause' }] } },
    },
  });
