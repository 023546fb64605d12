import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import { duplicate, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsSubdomain } from '../../../protocols/kube/names.ts';
import { PolicyExpressions } from '../policies/expressions.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { webhookConfigurationShape } from '../validation/shapes.ts';
import type { Webhook } from '../webhooks/configuration.ts';
import { validateConditions } from './admission-conditions.ts';
import { FAILURE_POLICIES, MATCH_POLICIES, scoped, validateRule } from './admission-matches.ts';
import { clientDefaults, validateClientConfig, validateReviewVersions } from './client-configs.ts';

const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const MAX_TIMEOUT_SECONDS = 30;
const DEFAULT_TIMEOUT_SECONDS = 10;
const MIN_NAME_SEGMENTS = 3;

/** ValidatingWebhookConfigurations (`pkg/apis/admissionregistration/validation`). */
export const validatingWebhookRules: ResourceRules = {
  shape: webhookConfigurationShape,
  defaults: (object) => withWebhooks(object, withDefaults),
  validate: (object, old) => validateWebhooks(object, old),
};

/** MutatingWebhookConfigurations. */
export const mutatingWebhookRules: ResourceRules = {
  ...validatingWebhookRules,
  defaults: (object) =>
    withWebhooks(object, (webhook) => ({ ...withDefaults(webhook), reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never' })),
};

/** The webhooks of a configuration. */
export function webhooksOf(object: ApiObject): readonly Webhook[] {
  return (object['webhooks'] as readonly Webhook[] | undefined) ?? [];
}

function withWebhooks(object: ApiObject, change: (webhook: Webhook) => Webhook): ApiObject {
  return object['webhooks'] === undefined ? object : { ...object, webhooks: webhooksOf(object).map(change) };
}

function withDefaults({ clientConfig = {}, rules, ...webhook }: Webhook): Webhook {
  return {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
    ...webhook,
    clientConfig: clientDefaults(clientConfig),
    ...defined({ rules: rules && scoped(rules) }),
  };
}

function validateWebhooks(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const webhooks = webhooksOf(object);
  const conditionsOf = (one: ApiObject): unknown[] => webhooksOf(one).map(({ matchConditions = [] }) => matchConditions);
  // Conditions that were accepted once are not compiled again.
  const hasNewConditions = old === undefined || !isDeepStrictEqual(conditionsOf(object), conditionsOf(old));
  return webhooks.flatMap((webhook, index) => {
    const at = `webhooks[${index}]`;
    const { name = '', admissionReviewVersions = [], matchConditions = [] } = webhook;
    const isRepeated = name !== '' && webhooks.findIndex((one) => one.name === name) < index;
    return [
      ...validateWebhook(webhook, at),
      ...(hasNewConditions && matchConditions.length > 0
        ? validateConditions(matchConditions, new PolicyExpressions({ hasParams: false, composed: false }), `${at}.matchConditions`)
        : []),
      ...validateReviewVersions(admissionReviewVersions, `${at}.admissionReviewVersions`, 'must specify one of v1, v1beta1'),
      ...(isRepeated ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
}

function validateWebhook(webhook: Webhook, at: string): FieldError[] {
  const { name = '', rules = [], failurePolicy = '', matchPolicy = '', sideEffects, timeoutSeconds = 0, reinvocationPolicy } = webhook;
  const oneOf = (field: string, value: string, known: readonly string[]): FieldError[] => {
    return known.includes(value) ? [] : [notSupported(`${at}.${field}`, value, known)];
  };
  const isInTime = timeoutSeconds >= 1 && timeoutSeconds <= MAX_TIMEOUT_SECONDS;
  const limits = `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`;
  return [
    ...validateName(name, `${at}.name`),
    ...rules.flatMap((rule, index) => validateRule(rule, `${at}.rules[${index}]`)),
    ...oneOf('failurePolicy', failurePolicy, FAILURE_POLICIES),
    ...oneOf('matchPolicy', matchPolicy, MATCH_POLICIES),
    ...(sideEffects === undefined
      ? [required(`${at}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`)]
      : oneOf('sideEffects', sideEffects, SIDE_EFFECTS)),
    ...(isInTime ? [] : [invalid(`${at}.timeoutSeconds`, timeoutSeconds, limits)]),
    ...validateLabelSelector(webhook.namespaceSelector, `${at}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${at}.objectSelector`),
    ...(reinvocationPolicy === undefined ? [] : oneOf('reinvocationPolicy', reinvocationPolicy, REINVOCATION_POLICIES)),
    ...validateClientConfig(webhook.clientConfig ?? {}, `${at}.clientConfig`),
  ];
}

/** `IsFullyQualifiedName` */
function validateName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const problems = checkDnsSubdomain(name);
  if (problems.length > 0) return problems.map((problem) => invalid(field, name, problem));
  const isQualified = name.split('.').length >= MIN_NAME_SEGMENTS;
  return isQualified ? [] : [invalid(field, name, 'should be a domain with at least three segments separated by dots')];
}
