import type { Manifest } from './documents.ts';
import { groupOf } from './kinds.ts';
import { editDistance, nearest } from './nearest.ts';

/** A kind that an API serves. */
type ServedKind = Pick<Manifest, 'apiVersion' | 'kind'>;

/**
 * Kinds in groups that this world serves, which it does not serve itself, but the user's cluster may: of Kubernetes 1.34 (the
 * `register.go` of its API groups; alphas and betas only if enabled) and of Karpenter.
 */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'autoscaling/v1': ['HorizontalPodAutoscaler'],
  'admissionregistration.k8s.io/v1': ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  'admissionregistration.k8s.io/v1beta1': ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'],
  'coordination.k8s.io/v1beta1': ['LeaseCandidate'],
  'networking.k8s.io/v1': ['IPAddress', 'ServiceCIDR'],
  'networking.k8s.io/v1beta1': ['IPAddress', 'ServiceCIDR'],
  'resource.k8s.io/v1alpha3': ['DeviceTaintRule'],
  'resource.k8s.io/v1beta1': ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  'resource.k8s.io/v1beta2': ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  'storage.k8s.io/v1beta1': ['VolumeAttributesClass'],
  'karpenter.sh/v1': ['NodeClaim'],
  'karpenter.sh/v1alpha1': ['NodeOverlay'],
};

/** A group that differs from a served one by at most this many letters is a misspelling, not a custom group. */
const MISTAKES_IN_GROUP = 2;

/**
 * Why a manifest's kind can only be a mistake, and what was probably meant: this world serves its API group, which has no such kind or
 * version. Undefined for kinds in other groups, which may be custom.
 */
export function unknownKind({ apiVersion, kind }: ServedKind, served: readonly ServedKind[]): string | undefined {
  const known = [
    ...served,
    ...Object.entries(ELSEWHERE).flatMap(([version, kinds]) => kinds.map((one) => ({ apiVersion: version, kind: one }))),
  ];
  if (known.some((one) => one.apiVersion === apiVersion && one.kind === kind)) return undefined;
  const group = groupOf(apiVersion);
  const groups = [...new Set(served.map((one) => groupOf(one.apiVersion)))];
  // A custom group has a dot (validation of CustomResourceDefinitions): one without can only be Kubernetes' own.
  const isOurs = groups.includes(group) || !group.includes('.');
  if (!isOurs && !groups.some((one) => one !== '' && editDistance(one, group) <= MISTAKES_IN_GROUP)) return undefined;
  return `no API of Kubernetes 1.34 or Karpenter v1 serves a ${kind} of ${apiVersion}; ${hint({ apiVersion, kind }, known)}`;
}

/** Suggests the same kind in another version, a similar kind in this or any version, or lists the kinds of this version. */
function hint({ apiVersion, kind }: ServedKind, known: readonly ServedKind[]): string {
  const here = known.filter((one) => one.apiVersion === apiVersion);
  const inOrder = [...here, ...known.filter((one) => !here.includes(one))];
  const name = inOrder.some((one) => one.kind === kind) ? kind : (nearestKind(kind, here) ?? nearestKind(kind, inOrder));
  const meant = inOrder.find((one) => one.kind === name);
  if (meant !== undefined) return `did you mean ${meant.kind} of ${meant.apiVersion}?`;
  if (here.length > 0) return `${apiVersion} has: ${here.map((one) => one.kind).join(', ')}`;
  return 'check its apiVersion and kind';
}

function nearestKind(kind: string, among: readonly ServedKind[]): string | undefined {
  return nearest(
    kind,
    among.map((one) => one.kind),
  );
}
