import type { LabelSelector } from '../../../model/kube.ts';

/** A rule about requests: which operations on which resources. */
export interface ResourceRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** `pods`, `pods/status`, `*`, `*\/scale` */
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** `matchConstraints` of a policy, `matchResources` of a binding. */
export interface MatchResources {
  readonly resourceRules?: readonly ResourceRule[];
  readonly excludeResourceRules?: readonly ResourceRule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: string;
}

export interface Validation {
  readonly expression?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** An expression with a name: a variable, a match condition. */
export interface NamedExpression {
  readonly name?: string;
  readonly expression?: string;
}

export interface AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** The spec of a ValidatingAdmissionPolicy. */
export interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly AuditAnnotation[];
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** The spec of a ValidatingAdmissionPolicyBinding. */
export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}
