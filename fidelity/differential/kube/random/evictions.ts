import type { Random } from '../../../../runtime/random.ts';
import { POD_SPEC } from './kinds/pod-spec.ts';
import { FINALIZER, MEDIA } from './draft.ts';
import { CASE_LABEL } from './script.ts';
import type { Step } from './script.ts';

/** A budget for some ready pods, then evictions. */
export function evictions(random: Random, id: string, namespace: string): Step[] {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const labels = { [CASE_LABEL]: id, app: id };
  const count = random.int(1, 2);
  const names = Array.from({ length: count }, (_, index) => `${id}-${index}`);
  const ready = random.int(0, count);
  const budget = random.pick<object | undefined>([
    undefined,
    { minAvailable: 1 },
    { minAvailable: 2 },
    { minAvailable: 0 },
    { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  ]);
  const steps: Step[] = [];
  for (const [index, name] of names.entries()) {
    const finalizers = random.chance(0.2) ? { finalizers: [FINALIZER] } : {};
    const spec = { ...POD_SPEC, ...(random.chance(0.7) ? { nodeName: `${id}-nowhere` } : {}) };
    steps.push({
      operation: 'create',
      resource: 'pods',
      method: 'POST',
      path: pods,
      body: { metadata: { name, labels, ...finalizers }, spec },
    });
    if (index < ready) {
      const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
      steps.push({
        operation: 'status',
        resource: 'pods',
        method: 'PATCH',
        path: `${pods}/${name}/status`,
        body,
        contentType: MEDIA.strategic,
      });
    }
  }
  if (budget !== undefined) {
    const body = { metadata: { name: id, labels }, spec: { ...budget, selector: { matchLabels: { app: id } } } };
    steps.push({ operation: 'create', resource: 'poddisruptionbudgets', method: 'POST', path: budgets, body });
    steps.push({
      operation: 'get',
      resource: 'poddisruptionbudgets',
      method: 'GET',
      path: `${budgets}/${id}`,
      until: { path: 'status.currentHealthy', value: ready },
    });
  }
  for (const name of random.chance(0.5) ? names : [names[0] ?? '']) {
    const options = random.pick<object>([
      {},
      {},
      {},
      { deleteOptions: { gracePeriodSeconds: 0 } },
      { deleteOptions: { dryRun: ['All'] } },
      { deleteOptions: { preconditions: { uid: 'another' } } },
    ]);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...options };
    steps.push({
      operation: 'evict',
      resource: 'pods',
      method: 'POST',
      path: `${pods}/${random.chance(0.95) ? name : 'missing'}/eviction`,
      body,
    });
  }
  const [first = ''] = names;
  if (random.chance(0.7)) steps.push({ operation: 'get', resource: 'pods', method: 'GET', path: `${pods}/${first}` });
  return steps;
}
