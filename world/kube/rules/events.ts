import type { KubeEvent } from '../../../model/kube.ts';
import { invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkQualifiedName } from '../../../protocols/kube/names.ts';
import type { ApiObject, Resource, ResourceRules } from '../resource.ts';
import { eventShape, newEventShape } from '../validation/shapes.ts';

/** Most characters of an event's texts (`pkg/apis/core/validation/events.go`). */
const LIMITS = { reportingInstance: 128, action: 128, reason: 128, message: 1_024 } as const;

/** An event as it is stored, with the fields of `v1`. Unset times are null. */
interface StoredEvent extends Partial<KubeEvent> {
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null } | null;
}

/** Fields of `events.k8s.io/v1` and their names in `v1`; all others have the same name (`pkg/apis/events/v1/conversion.go`). */
const STORED_NAMES: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const NEW_NAMES = Object.fromEntries(Object.entries(STORED_NAMES).map(([name, stored]) => [stored, name]));

/** Events of `events.k8s.io/v1` are those of `v1` under other names. Converting one that is already converted changes nothing. */
export const eventConversion: NonNullable<Resource['conversion']> = {
  toStored: (event) => renamed(event, STORED_NAMES, 'v1'),
  fromStored: (event) => renamed(event, NEW_NAMES, 'events.k8s.io/v1'),
};

function renamed(event: ApiObject, names: Readonly<Record<string, string>>, apiVersion: string): ApiObject {
  const fields = Object.fromEntries(Object.entries(event).map(([name, value]) => [names[name] ?? name, value]));
  return { ...fields, kind: event.kind, metadata: event.metadata, apiVersion };
}

/** Events of `v1`. */
export const eventRules: ResourceRules = {
  shape: eventShape,
  validate: (object) => legacyErrors(object, 'reportingComponent'),
  fields: selectable('involvedObject'),
};

/** Events of `events.k8s.io/v1`: the same events, checked more strictly when they are created. */
export const newEventRules: ResourceRules = {
  shape: newEventShape,
  validate: (object, old) => {
    const event = eventConversion.toStored(object);
    return [...legacyErrors(event, 'reportingController'), ...(old === undefined ? strictErrors(event) : [])];
  },
  fields: selectable('regarding'),
};

/** What an event is selected by, of either version. @param subject the name of the field with the object that it is about */
function selectable(subject: 'involvedObject' | 'regarding'): NonNullable<ResourceRules['fields']> {
  const stored = (object: ApiObject): StoredEvent => eventConversion.toStored(object);
  return {
    [`${subject}.kind`]: (object) => stored(object).involvedObject?.kind,
    [`${subject}.namespace`]: (object) => stored(object).involvedObject?.namespace,
    [`${subject}.name`]: (object) => stored(object).involvedObject?.name,
    [`${subject}.uid`]: (object) => stored(object).involvedObject?.uid,
    reason: (object) => stored(object).reason,
    type: (object) => stored(object).type,
  };
}

/** `legacyValidateEvent`: only events with a time of their own are checked for what newer recorders write. */
function legacyErrors(object: ApiObject, reporter: 'reportingComponent' | 'reportingController'): FieldError[] {
  const event: StoredEvent = object;
  const about = event.involvedObject?.namespace ?? '';
  const { namespace = '' } = object.metadata;
  const mismatch = invalid('involvedObject.namespace', about, 'does not match event.namespace');
  if ((event.eventTime ?? '') === '') {
    const agrees = about === '' ? namespace === 'default' : namespace === about;
    return agrees ? [] : [mismatch];
  }
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '' } = event;
  return [
    ...(about === '' && namespace !== 'default' && namespace !== 'kube-system' ? [mismatch] : []),
    ...missing(reporter, reportingComponent),
    ...checkQualifiedName(reportingComponent).map((problem) => invalid(reporter, reportingComponent, problem)),
    ...missing('reportingInstance', reportingInstance),
    ...tooManyCharacters('reportingInstance', reportingInstance),
    ...missing('action', action),
    ...tooManyCharacters('action', action),
    ...missing('reason', reason),
    ...tooManyCharacters('reason', reason),
    ...tooManyCharacters('message', message),
  ];
}

function missing(field: string, value: string): FieldError[] {
  return value === '' ? [required(field)] : [];
}

function tooManyCharacters(field: keyof typeof LIMITS, value: string): FieldError[] {
  return value.length > LIMITS[field] ? [invalid(field, '', `can have at most ${LIMITS[field]} characters`)] : [];
}

/** What `ValidateEventCreate` checks in addition for the new version; the names of fields are those of the stored one. */
function strictErrors(object: ApiObject): FieldError[] {
  const event: StoredEvent & Record<string, unknown> = object;
  const { series, type = '', source } = event;
  const errors: FieldError[] = [];
  if (series !== undefined && series !== null) {
    if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
    if ((series.lastObservedTime ?? '') === '') errors.push(required('series.lastObservedTime'));
  }
  if ((event.eventTime ?? '') === '') errors.push(required('eventTime'));
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  for (const field of ['firstTimestamp', 'lastTimestamp'] as const) {
    if ((event[field] ?? '') !== '') errors.push(invalid(field, '', 'needs to be unset'));
  }
  if ((event.count ?? 0) !== 0) errors.push(invalid('count', '', 'needs to be unset'));
  if (isSet(source, 'component') || isSet(source, 'host')) errors.push(invalid('source', '', 'needs to be unset'));
  return errors;
}

function isSet(value: object | undefined, field: string): boolean {
  return value !== undefined && ((value as Record<string, unknown>)[field] ?? '') !== '';
}
