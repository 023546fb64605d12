import { isJsonObject } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import type { ApiObject } from '../resource.ts';
import { column, columns, simple, wide } from './columns.ts';
import type { Printer } from './columns.ts';
import { formatDuration } from './duration.ts';
import { at, countAt, listAt, shortList, textAt, textsAt } from './read.ts';

export const quotaPrinter = simple(columns('Request', 'Limit'), (object) => {
  const hard = at(object, 'status', 'hard');
  const entries = Object.entries(isJsonObject(hard) ? hard : {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = (isLimit: boolean): string =>
    entries
      .filter(([name]) => name.startsWith('limits.') === isLimit)
      .map(([name, amount]) => `${name}: ${textAt(object, ['status', 'used', name], '0')}/${String(amount)}`)
      .join(', ');
  return [shown(false), shown(true)];
});

/** Most metrics in a cell. */
const MOST_METRICS = 2;

export const horizontalAutoscalerPrinter = simple(columns('Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas'), (object) => [
  `${textAt(object, ['spec', 'scaleTargetRef', 'kind'])}/${textAt(object, ['spec', 'scaleTargetRef', 'name'])}`,
  formatMetrics(object),
  at(object, 'spec', 'minReplicas') === undefined ? '<unset>' : String(countAt(object, 'spec', 'minReplicas')),
  countAt(object, 'spec', 'maxReplicas'),
  countAt(object, 'status', 'currentReplicas'),
]);

/** As `formatHPAMetrics`. */
function formatMetrics(autoscaler: ApiObject): string {
  const statuses = listAt(autoscaler, 'status', 'currentMetrics');
  const metrics = listAt(autoscaler, 'spec', 'metrics').map((metric, index) => formatMetric(metric, statuses[index]));
  return metrics.length === 0 ? '<none>' : shortList(metrics, MOST_METRICS, ', ');
}

function formatMetric(metric: JsonObject, status: JsonObject | undefined): string {
  const type = textAt(metric, ['type']);
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const target = at(metric, field, 'target');
  const current = at(status, field, 'current');
  const amount = (part: unknown, name: string, otherwise: string): string => textAt(part, [name], otherwise);
  const average = at(target, 'averageValue') === undefined ? undefined : amount(target, 'averageValue', '');
  switch (type) {
    case 'External':
    case 'Object':
      if (average !== undefined) return `${amount(current, 'averageValue', '<unknown>')}/${average} (avg)`;
      return `${amount(current, 'value', '<unknown>')}/${amount(target, 'value', '')}`;
    case 'Pods':
      return `${amount(current, 'averageValue', '<unknown>')}/${average ?? ''}`;
    case 'Resource':
    case 'ContainerResource': {
      const name = textAt(metric, [field, 'name']);
      if (average !== undefined) return `${name}: ${amount(current, 'averageValue', '<unknown>')}/${average}`;
      return `${name}: ${share(current, '<unknown>')}/${share(target, '<auto>')}`;
    }
    default:
      return '<unknown type>';
  }
}

function share(part: unknown, otherwise: string): string {
  const percent = at(part, 'averageUtilization');
  return typeof percent === 'number' ? `${percent}%` : otherwise;
}

export const roleBindingPrinter = simple(
  columns('Role'),
  (object) => {
    const subjects = (kind: string): string =>
      listAt(object, 'subjects')
        .filter((one) => one['kind'] === kind)
        .map((one) => (kind === 'ServiceAccount' ? `${textAt(one, ['namespace'])}/` : '') + textAt(one, ['name']))
        .join(', ');
    const role = `${textAt(object, ['roleRef', 'kind'])}/${textAt(object, ['roleRef', 'name'])}`;
    return [role, subjects('User'), subjects('Group'), subjects('ServiceAccount')];
  },
  wide('Users', 'Groups', 'ServiceAccounts'),
);

export const signingRequestPrinter: Printer = simple(
  [],
  (object) => {
    const seconds = at(object, 'spec', 'expirationSeconds');
    return [
      textAt(object, ['spec', 'signerName'], '<none>'),
      textAt(object, ['spec', 'username']),
      typeof seconds === 'number' ? formatDuration(seconds * 1000) : '<none>',
      requestState(object),
    ];
  },
  columns('SignerName', 'Requestor', 'RequestedDuration', 'Condition'),
);

function requestState(request: ApiObject): string {
  const decision = hasType(request, 'Denied') ? 'Denied' : hasType(request, 'Approved') ? 'Approved' : 'Pending';
  const failed = hasType(request, 'Failed') ? ',Failed' : '';
  return `${decision}${failed}${textAt(request, ['status', 'certificate']) === '' ? '' : ',Issued'}`;
}

function hasType(object: ApiObject, type: string): boolean {
  return listAt(object, 'status', 'conditions').some((condition) => condition['type'] === type);
}

export const webhookPrinter = simple([column('Webhooks', 'integer')], (object) => [listAt(object, 'webhooks').length]);

export const admissionPolicyPrinter = simple([column('Validations', 'integer'), column('ParamKind')], (object) => {
  const kind = at(object, 'spec', 'paramKind');
  const shown = kind === undefined ? '<unset>' : `${textAt(kind, ['apiVersion'])}/${textAt(kind, ['kind'])}`;
  return [listAt(object, 'spec', 'validations').length, shown];
});

export const admissionBindingPrinter = simple(columns('PolicyName', 'ParamRef'), (object) => {
  const name = textAt(object, ['spec', 'paramRef', 'name']);
  const selector = at(object, 'spec', 'paramRef', 'selector');
  const selected = isJsonObject(selector) ? formatGoSelector(selector) : '<unset>';
  const parameter = name === '' ? selected : `${textAt(object, ['spec', 'paramRef', 'namespace'], '*')}/${name}`;
  return [textAt(object, ['spec', 'policyName']), parameter];
});

/** A selector as its generated Go method `String` writes it. */
function formatGoSelector(selector: JsonObject): string {
  const { matchLabels } = selector;
  const labels = isJsonObject(matchLabels) ? Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  const pairs = labels.map(([key, value]) => `${key}: ${String(value)},`).join('');
  const terms = listAt(selector, 'matchExpressions').map((term) => {
    const [key, operator] = [textAt(term, ['key']), textAt(term, ['operator'])];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${textsAt(term, 'values').join(' ')}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${terms.join('')}},}`;
}

export const runtimeClassPrinter = simple(columns('Handler'), (object) => [textAt(object, ['handler'])]);

export const resourceClaimPrinter = simple(columns('State'), (object) => {
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const isAllocated = at(object, 'status', 'allocation') !== undefined;
  const states = isAllocated ? ['allocated', ...(listAt(object, 'status', 'reservedFor').length > 0 ? ['reserved'] : [])] : [];
  if (!isAllocated && !isDeleted) states.push('pending');
  return [[...(isDeleted ? ['deleted'] : []), ...states].join(',')];
});
