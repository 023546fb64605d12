import { scheduleProblem } from '../validation/cron-schedule.ts';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import type { LabelSelector } from '../../../model/kube.ts';
import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { validateNonNegative } from '../validation/numbers.ts';
import { cronJobShape, workloadShape } from '../validation/shapes.ts';
import { defaultTemplate, validateSelects, validateTemplate } from './templates.ts';
import type { Template } from './templates.ts';

interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  manualSelector?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: { rules?: { onPodConditions?: object[] }[] };
  selector?: LabelSelector;
  template?: Template;
}

const BACKOFF_LIMIT = 6;
/** Without a limit: the limit per index counts. */
const MAX_INT_32 = 2_147_483_647;
const MODES = ['NonIndexed', 'Indexed'];
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** Jobs, as in `pkg/apis/batch` and `pkg/registry/batch/job`: the selector is generated from the uid. */
export const jobRules: ResourceRules = {
  shape: workloadShape,
  defaults: (object) => {
    const spec = defaultJobSpec(specOf(object), object);
    const { labels } = spec.template?.metadata ?? {};
    const bare = Object.keys(object.metadata.labels ?? {}).length === 0;
    const metadata = bare && labels !== undefined ? { ...object.metadata, labels } : object.metadata;
    return { ...object, metadata, spec };
  },
  admit: (object, _admission, old) => (old === undefined ? withSelector(object) : object),
  initialStatus: () => ({}),
  validate: (object) => {
    const { selector, template } = specOf(object);
    return [
      ...validateGeneratedSelector(object),
      ...validateJobSpec(specOf(object), 'spec'),
      ...(selector === undefined ? [required('spec.selector')] : validateLabelSelector(selector, 'spec.selector')),
      ...validateSelects(selector, template, 'spec.template'),
    ];
  },
  validateUpdate: (object, old) => {
    const [next, before] = [specOf(object), specOf(old)];
    const frozen = before.suspend === true ? next.template : before.template;
    return [
      ...immutable('spec.completions', next.completions, next.completionMode === 'Indexed' ? next.completions : before.completions),
      ...immutable('spec.selector', next.selector, before.selector),
      ...immutable('spec.template', next.template, frozen),
      ...immutable('spec.completionMode', next.completionMode, before.completionMode),
      ...immutable('spec.podFailurePolicy', next.podFailurePolicy, before.podFailurePolicy),
    ];
  },
  fields: { 'status.successful': (object) => String((object.status as { succeeded?: number } | undefined)?.succeeded ?? 0) },
};

function specOf(object: ApiObject): JobSpec {
  return object.spec ?? {};
}

function defaultJobSpec(spec: JobSpec, owner: ApiObject): JobSpec {
  const single = spec.completions === undefined && spec.parallelism === undefined;
  return {
    ...spec,
    ...(single ? { completions: 1 } : {}),
    parallelism: spec.parallelism ?? 1,
    backoffLimit: spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : MAX_INT_32),
    completionMode: spec.completionMode ?? 'NonIndexed',
    suspend: spec.suspend ?? false,
    podReplacementPolicy: spec.podReplacementPolicy ?? (spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'),
    manualSelector: spec.manualSelector ?? false,
    ...defined({ podFailurePolicy: spec.podFailurePolicy && defaultFailurePolicy(spec.podFailurePolicy) }),
    template: defaultTemplate(spec.template, owner),
  };
}

/** Conditions must be true by default. */
function defaultFailurePolicy({ rules, ...policy }: NonNullable<JobSpec['podFailurePolicy']>): NonNullable<JobSpec['podFailurePolicy']> {
  const complete = rules?.map(({ onPodConditions, ...rule }) => ({
    ...rule,
    ...defined({ onPodConditions: onPodConditions?.map((one) => ({ status: 'True', ...one })) }),
  }));
  return { ...policy, ...defined({ rules: complete }) };
}

/** The labels that select a job's pods, with and without a prefix. */
function ownLabels({ metadata: { name = '', uid = '' } }: ApiObject): Record<string, string> {
  return { 'job-name': name, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, [CONTROLLER_UID]: uid };
}

function withSelector(object: ApiObject): ApiObject {
  const spec = specOf(object);
  if (spec.manualSelector === true) return object;
  const labels = { ...ownLabels(object), ...spec.template?.metadata?.labels };
  const template = { ...spec.template, metadata: { ...spec.template?.metadata, labels } };
  const matchLabels = { [CONTROLLER_UID]: object.metadata.uid ?? '', ...spec.selector?.matchLabels };
  // A job without labels has those of its pods: the real server fills them in on each read.
  const bare = Object.keys(object.metadata.labels ?? {}).length === 0;
  const metadata = bare ? { ...object.metadata, labels } : object.metadata;
  return { ...object, metadata, spec: { ...spec, selector: { ...spec.selector, matchLabels }, template } };
}

function validateGeneratedSelector(object: ApiObject): FieldError[] {
  const { manualSelector, selector, template } = specOf(object);
  if (manualSelector === true || selector === undefined) return [];
  const expected = ownLabels(object);
  const labels = template?.metadata?.labels ?? {};
  const field = 'spec.template.metadata.labels';
  const wrong = ['controller-uid', 'job-name', CONTROLLER_UID, 'batch.kubernetes.io/job-name'].flatMap((key) => {
    const actual = labels[key];
    if (actual === undefined) return [required(`${field}[${key}]`, `must be '${expected[key]}'`)];
    return actual === expected[key] ? [] : [invalid(`${field}[${key}]`, labels, `must be '${expected[key]}'`)];
  });
  const foreign = Object.entries(selector.matchLabels ?? {}).some(([key, value]) => expected[key] !== value);
  return [...wrong, ...(foreign ? [invalid('spec.selector', selector, '`selector` not auto-generated')] : [])];
}

function validateJobSpec(spec: JobSpec, field: string): FieldError[] {
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'] as const;
  const { completionMode = 'NonIndexed', completions, template, backoffLimitPerIndex } = spec;
  const errors = counts.flatMap((part) => validateNonNegative(spec[part], `${field}.${part}`));
  if (!MODES.includes(completionMode)) errors.push(notSupported(`${field}.completionMode`, completionMode, MODES));
  if (completionMode === 'Indexed' && completions === undefined) {
    errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  }
  if (backoffLimitPerIndex !== undefined && completionMode !== 'Indexed') {
    errors.push(invalid(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, 'requires indexed completion mode'));
  }
  errors.push(...validateTemplate(template, `${field}.template`));
  const policy = template?.spec?.restartPolicy ?? 'Always';
  const path = `${field}.template.spec.restartPolicy`;
  if (policy === 'Always') errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupported(path, policy, ['OnFailure', 'Never']));
  else if (spec.podFailurePolicy !== undefined && policy !== 'Never') {
    errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
  return errors;
}

function immutable(field: string, next: unknown, before: unknown): FieldError[] {
  return isDeepStrictEqual(next, before) ? [] : [invalid(field, next, 'field is immutable')];
}

interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  concurrencyPolicy?: string;
  suspend?: boolean;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
  jobTemplate?: { metadata?: object; spec?: JobSpec };
}

/** Source: `validateTimeZone` of `pkg/apis/batch/validation`. Unlike there, case does not matter. */
function timeZoneProblem(timeZone: string): string | undefined {
  if (timeZone === '') return 'timeZone must be nil or non-empty string';
  if (timeZone.toLowerCase() === 'local') return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  const unknown = `unknown time zone ${timeZone}`;
  // Here an offset would be one, too.
  if (/^[+-]/.test(timeZone)) return unknown;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return undefined;
  } catch {
    return unknown;
  }
}

const CONCURRENCY = ['Allow', 'Forbid', 'Replace'];

/** CronJobs: stored and validated, not run. */
export const cronJobRules: ResourceRules = {
  shape: cronJobShape,
  defaults: (object) => {
    const spec = (object.spec ?? {}) as CronJobSpec;
    const jobTemplate = { metadata: {}, ...spec.jobTemplate };
    const filled = {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...spec,
      // Only the pod template gets defaults here; those of the job are set when it is created.
      jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template: defaultTemplate(jobTemplate.spec?.template, object) } },
    };
    return { ...object, spec: filled };
  },
  initialStatus: () => ({}),
  validate: (object) => {
    const spec = object.spec as CronJobSpec;
    const { schedule = '', timeZone, concurrencyPolicy = '', jobTemplate } = spec;
    const path = 'spec.jobTemplate.spec';
    const errors: FieldError[] = schedule === '' ? [required('spec.schedule')] : [];
    const problem = schedule === '' ? undefined : scheduleProblem(schedule);
    if (problem !== undefined) errors.push(invalid('spec.schedule', schedule, problem));
    const zoneProblem = timeZone === undefined ? undefined : timeZoneProblem(timeZone);
    if (zoneProblem !== undefined) errors.push(invalid('spec.timeZone', timeZone, zoneProblem));
    errors.push(...validateNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'));
    if (!CONCURRENCY.includes(concurrencyPolicy)) {
      errors.push(notSupported('spec.concurrencyPolicy', concurrencyPolicy, CONCURRENCY));
    }
    errors.push(...validateJobSpec(jobTemplate?.spec ?? {}, path));
    if (jobTemplate?.spec?.selector !== undefined) {
      errors.push(invalid(`${path}.selector`, jobTemplate.spec.selector, '`selector` will be auto-generated'));
    }
    errors.push(...validateNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'));
    return [...errors, ...validateNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit')];
  },
};
