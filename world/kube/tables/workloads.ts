import type { ApiObject } from '../resource.ts';
import { AGE, NAME, column, wide } from './columns.ts';
import type { Cell, Column, Printer } from './columns.ts';
import { formatDuration } from './duration.ts';
import { ageOf, at, countAt, formatLabels, formatSelector, hasCondition, listAt, textAt } from './read.ts';

const TEMPLATE_COLUMNS = wide('Containers', 'Images', 'Selector');

/** A printer of a workload: its own columns and cells, between name and age, and what `-o wide` shows of its template. */
function workload(columns: readonly Column[], cells: (object: ApiObject, nowMs: number) => Cell[], withSelector = true): Printer {
  return {
    columns: [NAME, ...columns, AGE, ...(withSelector ? TEMPLATE_COLUMNS : TEMPLATE_COLUMNS.slice(0, 2))],
    row: (object, nowMs) => [
      object.metadata.name ?? '',
      ...cells(object, nowMs),
      ageOf(object.metadata.creationTimestamp, nowMs),
      ...templateCells(object, ['spec', 'template']),
      ...(withSelector ? [selectorOf(object)] : []),
    ],
  };
}

/** Replication controllers have a map, all others a LabelSelector. */
function selectorOf(object: ApiObject): string {
  const selector = at(object, 'spec', 'selector');
  return object.kind === 'ReplicationController' ? formatLabels(selector) : formatSelector(selector);
}

function templateCells(object: unknown, path: readonly string[]): Cell[] {
  const containers = listAt(object, ...path, 'spec', 'containers');
  return [containers.map((one) => textAt(one, ['name'])).join(','), containers.map((one) => textAt(one, ['image'])).join(',')];
}

const integer = (name: string): Column => column(name, 'integer');
const status = (object: ApiObject, field: string): number => countAt(object, 'status', field);

export const podTemplatePrinter: Printer = {
  columns: [NAME, ...['Containers', 'Images', 'Pod Labels'].map((name) => column(name))],
  row: (object) => [
    object.metadata.name ?? '',
    ...templateCells(object, ['template']),
    formatLabels(at(object, 'template', 'metadata', 'labels')),
  ],
};

export const deploymentPrinter = workload([column('Ready'), column('Up-to-date'), column('Available')], (object) => [
  `${status(object, 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
  status(object, 'updatedReplicas'),
  status(object, 'availableReplicas'),
]);

export const replicaSetPrinter = workload([integer('Desired'), integer('Current'), integer('Ready')], (object) => [
  countAt(object, 'spec', 'replicas'),
  status(object, 'replicas'),
  status(object, 'readyReplicas'),
]);

export const statefulSetPrinter = workload(
  [column('Ready')],
  (object) => [`${status(object, 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`],
  false,
);

export const daemonSetPrinter = workload(
  [...['Desired', 'Current', 'Ready', 'Up-to-date', 'Available'].map(integer), column('Node Selector')],
  (object) => [
    status(object, 'desiredNumberScheduled'),
    status(object, 'currentNumberScheduled'),
    status(object, 'numberReady'),
    status(object, 'updatedNumberScheduled'),
    status(object, 'numberAvailable'),
    formatLabels(at(object, 'spec', 'template', 'spec', 'nodeSelector')),
  ],
);

export const jobPrinter = workload([column('Status'), column('Completions'), column('Duration')], (job, nowMs) => [
  jobStatus(job),
  completions(job),
  jobDuration(job, nowMs),
]);

function jobStatus(job: ApiObject): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(job, type)) ?? 'Running';
}

function completions(job: ApiObject): string {
  const succeeded = status(job, 'succeeded');
  const wanted = at(job, 'spec', 'completions');
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  const parallelism = countAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: ApiObject, nowMs: number): string {
  const start = textAt(job, ['status', 'startTime']);
  if (start === '') return '';
  const end = textAt(job, ['status', 'completionTime']);
  return formatDuration((end === '' ? nowMs : Date.parse(end)) - Date.parse(start));
}

export const cronJobPrinter: Printer = {
  columns: [
    NAME,
    column('Schedule'),
    column('Timezone'),
    column('Suspend', 'boolean'),
    integer('Active'),
    column('Last Schedule'),
    AGE,
    ...TEMPLATE_COLUMNS,
  ],
  row: (object, nowMs) => {
    const last = at(object, 'status', 'lastScheduleTime');
    return [
      object.metadata.name ?? '',
      textAt(object, ['spec', 'schedule']),
      textAt(object, ['spec', 'timeZone'], '<none>'),
      at(object, 'spec', 'suspend') === true ? 'True' : 'False',
      listAt(object, 'status', 'active').length,
      last === undefined ? '<none>' : ageOf(last, nowMs),
      ageOf(object.metadata.creationTimestamp, nowMs),
      ...templateCells(object, ['spec', 'jobTemplate', 'spec', 'template']),
      formatSelector(at(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    ];
  },
};
