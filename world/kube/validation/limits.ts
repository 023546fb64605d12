import type { ResourceList } from '../../../model/kube.ts';
import { formatQuantity, parseQuantity } from '../../../model/quantity.ts';
import { duplicate, forbidden, invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkQualifiedName } from '../../../protocols/kube/names.ts';
import { mayOvercommit, validateAnyResourceName, validateResourceName } from './resources.ts';

/** One entry of a LimitRange. */
export interface Limit {
  readonly type?: string;
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const PARTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
const ONE = 1_000_000_000n;

/** Validates a LimitRange as `ValidateLimitRange` of `pkg/apis/core/validation` does; Go checks the resources in random order. */
export function validateLimits(limits: readonly Limit[], field: string): FieldError[] {
  return limits.flatMap((limit, index) => {
    const path = `${field}[${index}]`;
    const { type = '' } = limit;
    const isTwice = limits.slice(0, index).some((other) => (other.type ?? '') === type);
    const checked = PARTS.filter((part) => type !== 'Pod' || (part !== 'default' && part !== 'defaultRequest'));
    const checkName =
      type === 'PersistentVolumeClaim' ? validateAnyResourceName : TYPES.includes(type) ? validateResourceName : validateAnyResourceName;
    const namesOf = (parts: readonly (typeof PARTS)[number][]): FieldError[] =>
      parts.flatMap((part) => Object.keys(limit[part] ?? {}).flatMap((name) => checkName(name, `${path}.${part}[${name}]`)));
    const keys = new Set(checked.flatMap((part) => Object.keys(limit[part] ?? {})));
    return [
      ...validateType(type, `${path}.type`),
      ...(isTwice ? [duplicate(`${path}.type`, type)] : []),
      ...namesOf(['max', 'min']),
      ...(['default', 'defaultRequest'] as const)
        .filter((part) => !checked.includes(part) && Object.keys(limit[part] ?? {}).length > 0)
        .map((part) => forbidden(`${path}.${part}`, "may not be specified when `type` is 'Pod'")),
      ...namesOf(checked.filter((part) => part === 'default' || part === 'defaultRequest')),
      ...(type === 'PersistentVolumeClaim' && limit.min?.storage === undefined && limit.max?.storage === undefined
        ? [required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided')]
        : []),
      ...namesOf(['maxLimitRequestRatio']),
      ...[...keys].flatMap((name) => validateAmounts(limit, name, path, type === 'Pod')),
    ];
  });
}

function validateType(type: string, field: string): FieldError[] {
  const problems = checkQualifiedName(type);
  const isUnknown = problems.length === 0 && !type.includes('/') && !TYPES.includes(type);
  return [...problems, ...(isUnknown ? ['must be a standard limit type or fully qualified'] : [])].map((problem) =>
    invalid(field, type, problem),
  );
}

/** An amount with the words for it in messages. */
interface Amount {
  readonly nanos: bigint;
  readonly text: string;
}

/** The amounts of one resource must not contradict each other. */
function validateAmounts(limit: Limit, name: string, path: string, isPod: boolean): FieldError[] {
  const amount = (part: (typeof PARTS)[number]): Amount | undefined => {
    const text = limit[part]?.[name];
    return text === undefined ? undefined : { nanos: parseQuantity(text).nanos, text: formatQuantity(parseQuantity(text)) };
  };
  const [min, max, ratio] = [amount('min'), amount('max'), amount('maxLimitRequestRatio')];
  const [preset, request] = isPod ? [] : [amount('default'), amount('defaultRequest')];
  const exceeds = (
    low: Amount | undefined,
    high: Amount | undefined,
    part: string,
    value: Amount | undefined,
    what: string,
  ): FieldError[] => {
    if (low === undefined || high === undefined || low.nanos <= high.nanos) return [];
    const [first, second = ''] = what.split('|');
    return [invalid(`${path}.${part}[${name}]`, value?.text, `${first} ${low.text} is greater than ${second} ${high.text}`)];
  };
  const at = `${path}.maxLimitRequestRatio[${name}]`;
  const differs = preset !== undefined && request !== undefined && preset.nanos !== request.nanos && !mayOvercommit(name);
  const most = min === undefined || max === undefined ? Infinity : Number(max.nanos) / Number(min.nanos);
  return [
    ...exceeds(min, max, 'min', min, 'min value|max value'),
    ...exceeds(min, request, 'defaultRequest', request, 'min value|default request value'),
    ...exceeds(request, max, 'defaultRequest', request, 'default request value|max value'),
    ...exceeds(request, preset, 'defaultRequest', request, 'default request value|default limit value'),
    ...exceeds(min, preset, 'default', min, 'min value|default value'),
    ...exceeds(preset, max, 'default', max, 'default value|max value'),
    ...(ratio !== undefined && ratio.nanos < ONE ? [invalid(at, ratio.text, `ratio ${ratio.text} is less than 1`)] : []),
    ...(ratio !== undefined && Number(ratio.nanos) / Number(ONE) > most
      ? [invalid(at, ratio.text, `ratio ${ratio.text} is greater than max/min = ${most.toFixed(6)}`)]
      : []),
    ...(differs
      ? [
          invalid(
            `${path}.default[${name}]`,
            preset.text,
            `default value ${preset.text} must equal to defaultRequest value ${request.text} in ${name}`,
          ),
        ]
      : []),
  ];
}
