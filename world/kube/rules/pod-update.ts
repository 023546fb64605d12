import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import type { NodeSelectorTerm, PodSpec } from '../../../model/kube.ts';
import { forbidden, invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { FullContainer } from '../validation/containers.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';

const IMMUTABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/**
 * Which fields of a pod's spec may change, as in `ValidatePodUpdate` of `pkg/apis/core/validation`; pods with scheduling
 * gates may get more node requirements. The real message about immutable fields ends with a diff of both specs, this one doesn't.
 */
export function validatePodUpdate(next: FullPodSpec, before: FullPodSpec): FieldError[] {
  if (isDeepStrictEqual(next, before)) return [];
  for (const part of ['containers', 'initContainers'] as const) {
    if ((next[part] ?? []).length === (before[part] ?? []).length) continue;
    return [forbidden(`spec.${part}`, 'pod updates may not add or remove containers')];
  }
  const errors = validateDeadline(next.activeDeadlineSeconds, before.activeDeadlineSeconds);
  const kept = (before.tolerations ?? []).every((one) =>
    next.tolerations?.some((other) => isDeepStrictEqual({ ...one, tolerationSeconds: 0 }, { ...other, tolerationSeconds: 0 })),
  );
  if (!kept) errors.push(forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
  for (const [index, { name }] of (next.schedulingGates ?? []).entries()) {
    if (before.schedulingGates?.some((gate) => gate.name === name) === true) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbidden(`spec.schedulingGates[${index}].name`, detail));
  }
  const gated = (before.schedulingGates ?? []).length > 0;
  if (gated) errors.push(...validateNarrowing(next, before));
  if (!isDeepStrictEqual(frozenPart(next, gated), frozenPart(before, gated)) && !isRepairOfPeriod(next, before, gated)) {
    errors.push(forbidden('spec', IMMUTABLE));
  }
  return errors;
}

function validateDeadline(next: number | undefined, before: number | undefined): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  if (before === undefined) return [];
  if (next === undefined) return [invalid(field, null, 'must not update from a positive integer to nil value')];
  return next > before ? [invalid(field, next, 'must be less than or equal to previous value')] : [];
}

/** A pod with gates may gain node selectors, and requirements in the terms of its node affinity. */
function validateNarrowing(next: PodSpec, before: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const lost = Object.entries(before.nodeSelector ?? {}).some(([key, value]) => next.nodeSelector?.[key] !== value);
  if (lost) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalid('spec.nodeSelector', next.nodeSelector ?? null, detail));
  }
  const terms = (spec: PodSpec): NodeSelectorTerm[] =>
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const [now, then] = [terms(next), terms(before)];
  if (then.length === 0) return errors;
  const field = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  if (now.length !== then.length)
    return [...errors, invalid(field, now, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  for (const [index, term] of then.entries()) {
    for (const part of ['matchExpressions', 'matchFields'] as const) {
      const begins = isDeepStrictEqual((now[index]?.[part] ?? []).slice(0, term[part]?.length ?? 0), term[part] ?? []);
      const empty = (term.matchExpressions ?? []).length + (term.matchFields ?? []).length === 0;
      if (begins && !empty) continue;
      if (empty && isDeepStrictEqual(now[index], term)) continue;
      errors.push(invalid(`${field}[${index}]`, now[index], 'only additions are allowed (no mutations or deletions)'));
      break;
    }
  }
  return errors;
}

function isRepairOfPeriod(next: FullPodSpec, before: FullPodSpec, gated: boolean): boolean {
  if ((before.terminationGracePeriodSeconds ?? 0) >= 0 || next.terminationGracePeriodSeconds !== 1) return false;
  const { terminationGracePeriodSeconds } = before;
  const repaired = { ...next, ...defined({ terminationGracePeriodSeconds }) };
  return isDeepStrictEqual(frozenPart(repaired, gated), frozenPart(before, gated));
}

function frozenPart(spec: FullPodSpec, gated: boolean): object {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  const withoutImage = ({ image: _image, ...container }: FullContainer): object => container;
  const frozen = { ...rest, containers: spec.containers.map(withoutImage), initContainers: (spec.initContainers ?? []).map(withoutImage) };
  if (!gated) return frozen;
  const { nodeSelector: _selector, affinity, ...others } = frozen;
  const { nodeAffinity: _node, ...pods } = affinity ?? {};
  return { ...others, ...(Object.keys(pods).length === 0 ? {} : { affinity: pods }) };
}
