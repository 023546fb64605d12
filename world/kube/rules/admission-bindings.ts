import { defined } from '../../../model/defined.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsSubdomain, checkPathSegment } from '../../../protocols/kube/names.ts';
import type { BindingSpec, ParamRef } from '../policies/policy.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { admissionBindingShape } from '../validation/shapes.ts';
import { matchDefaults, validateMatchResources } from './admission-matches.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

/** ValidatingAdmissionPolicyBindings (`pkg/apis/admissionregistration/validation`). Their policy need not exist. */
export const bindingRules: ResourceRules = {
  shape: admissionBindingShape,
  defaults: (object) => {
    const spec = specOf(object);
    const { matchResources } = spec;
    return { ...object, spec: { ...spec, ...defined({ matchResources: matchResources && matchDefaults(matchResources) }) } };
  },
  validate: (object) => {
    const { policyName = '', paramRef, matchResources, validationActions = [] } = specOf(object);
    return [
      ...(policyName === ''
        ? [required('spec.policyName')]
        : checkDnsSubdomain(policyName).map((problem) => invalid('spec.policyName', policyName, problem))),
      ...(paramRef === undefined ? [] : validateParamRef(paramRef, 'spec.paramRef')),
      ...(matchResources === undefined ? [] : validateMatchResources(matchResources, 'spec.matchResources')),
      ...validateActions(validationActions, 'spec.validationActions'),
    ];
  },
};

function specOf(object: ApiObject): BindingSpec {
  return object.spec ?? {};
}

function validateParamRef({ name = '', selector, parameterNotFoundAction = '' }: ParamRef, at: string): FieldError[] {
  const both = 'name and selector are mutually exclusive';
  const errors = name === '' ? [] : checkPathSegment(name).map((problem) => invalid(`${at}.name`, name, problem));
  if (name !== '' && selector !== undefined) errors.push(forbidden(`${at}.name`, both));
  errors.push(...validateLabelSelector(selector, `${at}.selector`));
  if (name !== '' && selector !== undefined) errors.push(forbidden(`${at}.selector`, both));
  if (name === '' && selector === undefined) errors.push(required(at, 'one of name or selector must be specified'));
  if (parameterNotFoundAction === '') errors.push(required(`${at}.parameterNotFoundAction`));
  else if (!NOT_FOUND_ACTIONS.includes(parameterNotFoundAction)) {
    errors.push(notSupported(`${at}.parameterNotFoundAction`, parameterNotFoundAction, NOT_FOUND_ACTIONS));
  }
  return errors;
}

function validateActions(actions: readonly string[], at: string): FieldError[] {
  const errors = actions.flatMap((action, index) => [
    ...(ACTIONS.includes(action) ? [] : [notSupported(`${at}[${index}]`, action, ACTIONS)]),
    ...(actions.indexOf(action) < index ? [duplicate(`${at}[${index}]`, action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    errors.push(invalid(at, actions, `must not contain both Deny and Warn (${why})`));
  }
  if (actions.length === 0) errors.push(required(at, 'at least one validation action is required'));
  return errors;
}
