import { invalidParameterValue, sqsRefusal } from './errors.ts';

/** The attributes that a queue can be created with: default and limits. Source: CreateQueue in the API reference. */
const SETTABLE = {
  DelaySeconds: { byDefault: 0, min: 0, max: 900 },
  MaximumMessageSize: { byDefault: 1_048_576, min: 1_024, max: 1_048_576 },
  MessageRetentionPeriod: { byDefault: 345_600, min: 60, max: 1_209_600 },
  ReceiveMessageWaitTimeSeconds: { byDefault: 0, min: 0, max: 20 },
  VisibilityTimeout: { byDefault: 30, min: 0, max: 43_200 },
} as const;

export type QueueSetting = keyof typeof SETTABLE;
/** In seconds, except the size, which is in bytes. */
export type QueueSettings = Readonly<Record<QueueSetting, number>>;

/**
 * Reads the attributes of a new queue.
 * @throws JsonRefusal for an attribute that SQS does not know or this world does not emulate, and for a bad value
 */
export function settingsOf(given: Readonly<Record<string, string>>): QueueSettings {
  const settings = Object.fromEntries(Object.entries(SETTABLE).map(([name, { byDefault }]) => [name, byDefault])) as Record<
    QueueSetting,
    number
  >;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(SETTABLE, name)) throw sqsRefusal('InvalidAttributeName', `Unknown Attribute ${name}.`);
    const { min, max } = SETTABLE[name as QueueSetting];
    if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max) {
      throw sqsRefusal('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
    }
    settings[name as QueueSetting] = Number(value);
  }
  return settings;
}

/** @throws JsonRefusal for an invalid name of a standard queue */
export function checkQueueName(name: string): void {
  if (/^[A-Za-z0-9_-]{1,80}$/.test(name)) return;
  throw invalidParameterValue('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
}
