import { invalidParameterValue, sqsRefusal } from './errors.ts';

/** The numbers that a queue can be set to: default and limits. Source: SetQueueAttributes in the API reference. */
const NUMBERS = {
  DelaySeconds: { byDefault: 0, min: 0, max: 900 },
  MaximumMessageSize: { byDefault: 1_048_576, min: 1_024, max: 1_048_576 },
  MessageRetentionPeriod: { byDefault: 345_600, min: 60, max: 1_209_600 },
  ReceiveMessageWaitTimeSeconds: { byDefault: 0, min: 0, max: 20 },
  VisibilityTimeout: { byDefault: 30, min: 0, max: 43_200 },
} as const;

export type QueueSetting = keyof typeof NUMBERS;
/** In seconds, except the size, which is in bytes. */
export type QueueSettings = Readonly<Record<QueueSetting, number>>;

/** Attributes that are kept and shown, and change nothing: there are no permissions and no encryption here. */
const TEXTS: Readonly<Record<string, (value: string) => boolean>> = {
  KmsDataKeyReusePeriodSeconds: (value) => /^\d{1,5}$/.test(value) && Number(value) >= 60 && Number(value) <= 86_400,
  KmsMasterKeyId: () => true,
  Policy: (value) => value === '' || isJson(value),
  SqsManagedSseEnabled: (value) => value === 'true' || value === 'false',
};
/** Attributes of dead-letter queues, which this world does not emulate. */
const DEAD_LETTER: readonly string[] = ['RedriveAllowPolicy', 'RedrivePolicy'];
/** Attributes that only SQS sets. */
const SET_BY_SQS: readonly string[] = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'CreatedTimestamp',
  'LastModifiedTimestamp',
  'QueueArn',
];

/** What a queue is set to. */
export interface QueueAttributes {
  readonly settings: QueueSettings;
  /** Others, as text. An empty one is not set. */
  readonly texts: Readonly<Record<string, string>>;
}

export const DEFAULT_ATTRIBUTES: QueueAttributes = {
  settings: Object.fromEntries(Object.entries(NUMBERS).map(([name, { byDefault }]) => [name, byDefault])) as QueueSettings,
  texts: { SqsManagedSseEnabled: 'true' },
};

/**
 * A queue's attributes after a request set some.
 * @throws JsonRefusal for an attribute that a standard queue does not have or this world does not emulate, and for a bad value
 */
export function withAttributes(before: QueueAttributes, given: Readonly<Record<string, string>>): QueueAttributes {
  const settings: Record<string, number> = { ...before.settings };
  let { texts } = before;
  for (const [name, value] of Object.entries(given)) {
    if (DEAD_LETTER.includes(name)) {
      if (value === '') continue;
      throw sqsRefusal('UnsupportedOperation', `This world emulates no dead-letter queues: ${name}.`);
    }
    const isText = Object.hasOwn(TEXTS, name);
    if (!isText && !Object.hasOwn(NUMBERS, name)) throw sqsRefusal('InvalidAttributeName', `Unknown Attribute ${name}.`);
    if (!(isText ? TEXTS[name]?.(value) === true : isNumberOf(name as QueueSetting, value))) {
      throw sqsRefusal('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
    }
    if (isText) texts = { ...texts, [name]: value };
    else settings[name] = Number(value);
  }
  // A key of the caller replaces SQS's own.
  const isOwnKey = (texts['KmsMasterKeyId'] ?? '') !== '' && given['SqsManagedSseEnabled'] === undefined;
  return { settings: settings as QueueSettings, texts: isOwnKey ? { ...texts, SqsManagedSseEnabled: 'false' } : texts };
}

/** @throws JsonRefusal for a name that no standard queue can have a value of */
export function checkAttributeNames(names: readonly string[]): void {
  const known = ['All', ...Object.keys(NUMBERS), ...Object.keys(TEXTS), ...DEAD_LETTER, ...SET_BY_SQS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw sqsRefusal('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
}

function isNumberOf(name: QueueSetting, value: string): boolean {
  const { min, max } = NUMBERS[name];
  return /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** @throws JsonRefusal for an invalid name of a standard queue */
export function checkQueueName(name: string): void {
  if (/^[A-Za-z0-9_-]{1,80}$/.test(name)) return;
  throw invalidParameterValue('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
}
