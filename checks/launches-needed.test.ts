import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { launchesNeeded } from './launches-needed.ts';

/** Pods wait from 10 ms on; bound launch-lag is 20 ms. */
function waiting(...names: readonly string[]): HistoryBuilder {
  const history = new HistoryBuilder().act().pool('default').workload('web').at(10);
  for (const name of names) history.pod(name, 'created').pod(name, 'unschedulable');
  return history;
}

/** The target decides at once to launch an instance. */
function launched(history: HistoryBuilder, ...numbers: readonly number[]): HistoryBuilder {
  for (const number of numbers)
    history.claim(`c-${number}`, 'created').launch(number, `i-${number}`).claim(`c-${number}`, 'launched', `i-${number}`);
  return history;
}

/** The target asks for an instance. */
const asked = (history: HistoryBuilder): HistoryBuilder => history.claim('c-1', 'created').request(70, 'ec2:CreateFleet');

/** Its node becomes Ready, and a pod is bound to it. */
const serve = (history: HistoryBuilder, number: number, pod: string): HistoryBuilder =>
  history.node(`n-${number}`, 'created', `i-${number}`).node(`n-${number}`, 'ready', `i-${number}`).pod(pod, 'scheduled', `n-${number}`);

for (const { name, history, objects } of [
  { name: 'one for each pod', history: launched(waiting('web-1', 'web-2'), 1, 2), objects: [] },
  { name: 'one for both pods', history: launched(waiting('web-1', 'web-2'), 1), objects: [] },
  { name: 'two for one pod', history: launched(waiting('web-1'), 1, 2), objects: ['instance/i-2'] },
  { name: 'one for no pod', history: launched(waiting(), 1), objects: ['instance/i-1'] },
  {
    name: 'one just after the pod got a place elsewhere',
    history: launched(
      serve(launched(waiting('web-1', 'web-2'), 1), 1, 'web-1')
        .pod('web-2', 'scheduled', 'n-1')
        .at(30),
      2,
    ),
    objects: [],
  },
  {
    name: 'one long after the pod got a place elsewhere',
    history: launched(
      serve(launched(waiting('web-1', 'web-2'), 1), 1, 'web-1')
        .pod('web-2', 'scheduled', 'n-1')
        .at(31),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one when a pod took the place that was meant for one that still waits',
    history: launched(serve(launched(waiting('web-1', 'web-2'), 1, 2), 1, 'web-1').at(50), 3),
    objects: [],
  },
  {
    name: 'two more when one pod took a place',
    history: launched(serve(launched(waiting('web-1', 'web-2'), 1, 2), 1, 'web-1').at(50), 3, 4),
    objects: ['instance/i-4'],
  },
  {
    name: 'another one when somebody else ended the first before its node was ready',
    history: launched(launched(waiting('web-1'), 1).at(50).instance('i-1', 'shutting-down'), 2),
    objects: [],
  },
  {
    name: 'another one when the first was lost, for a pod that need not be served',
    history: launched(
      launched(
        waiting()
          .workload('shared', 1, { kind: 'impossible', why: 'a limit', mayBeSilent: true })
          .pod('shared-1', 'created')
          .pod('shared-1', 'unschedulable'),
        1,
      )
        .at(50)
        .instance('i-1', 'shutting-down'),
      2,
    ),
    objects: [],
  },
  {
    name: 'another one when the target ended the first itself',
    history: launched(
      launched(waiting('web-1'), 1)
        .at(50)
        .request(90, 'ec2:TerminateInstances', { object: 'instance/i-1' })
        .instance('i-1', 'shutting-down', { span: 90 }),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one when the target ended the first itself since its pool had changed',
    history: launched(
      launched(waiting('web-1'), 1)
        .at(50)
        .pool('default', { weight: 1 })
        .request(90, 'ec2:TerminateInstances', { object: 'instance/i-1' })
        .instance('i-1', 'shutting-down', { span: 90 }),
      2,
    ),
    objects: [],
  },
  {
    name: 'one for the pod of a node that is closed',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .at(500)
        .node('n-1', 'cordoned', 'i-1'),
      2,
    ),
    objects: [],
  },
  {
    name: 'two for the pod of a node that is closed',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .at(500)
        .node('n-1', 'cordoned', 'i-1'),
      2,
      3,
    ),
    objects: ['instance/i-3'],
  },
  {
    name: 'one in place of a node without pods',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .pod('web-1', 'gone')
        .at(500)
        .node('n-1', 'cordoned', 'i-1'),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'three more after a pod had to leave one node',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .at(500)
        .node('n-1', 'cordoned', 'i-1')
        .node('n-1', 'terminating', 'i-1')
        .pod('web-1', 'gone')
        .node('n-1', 'not-ready', 'i-1')
        .node('n-1', 'gone', 'i-1')
        .at(510),
      2,
      3,
    ),
    objects: ['instance/i-3'],
  },
  {
    name: 'one long after its pod had to leave',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .at(500)
        .node('n-1', 'cordoned', 'i-1')
        .pod('web-1', 'gone')
        .at(600),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'a replacement before its node is closed',
    history: launched(serve(launched(waiting('web-1'), 1), 1, 'web-1').at(500), 2)
      .at(590)
      .node('n-1', 'cordoned', 'i-1'),
    objects: [],
  },
  {
    name: 'another one when a notice came before the pod was bound',
    history: launched(
      launched(waiting('web-1'), 1)
        .node('n-1', 'created', 'i-1')
        .node('n-1', 'ready', 'i-1')
        .at(50)
        .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 120 }),
      2,
    ),
    objects: [],
  },
  {
    name: 'another one after a restart',
    history: launched(launched(waiting('web-1'), 1).add({ type: 'target.start', incarnation: 2 }), 2),
    objects: ['instance/i-2'],
  },
  ...(['lost', 'ok'] as const).map((answer) => ({
    name: `another one since the target was killed before it could record the first, ${answer === 'ok' ? 'whose answer it got' : 'whose answer was lost'}`,
    history: (answer === 'ok'
      ? asked(waiting('web-1')).at(12).instance('i-1', 'pending', { span: 70 }).answer(70, 'ok')
      : asked(waiting('web-1')).at(12).instance('i-1', 'pending', { span: 70 })
    )
      .add({ type: 'target.start', incarnation: 2 })
      .at(20)
      .launch(2, 'i-2')
      .claim('c-1', 'launched', 'i-2'),
    objects: [],
  })),
  {
    name: 'another one since the target was killed after it had recorded the first',
    history: launched(
      asked(waiting('web-1'))
        .instance('i-1', 'pending', { span: 70 })
        .answer(70, 'ok')
        .claim('c-1', 'launched', 'i-1')
        .add({ type: 'target.start', incarnation: 2 })
        .at(20),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one when the answer was lost',
    history: launched(
      waiting('web-1')
        .arm('f')
        .claim('c-1', 'created')
        .request(70, 'ec2:CreateFleet')
        .instance('i-1', 'pending', { span: 70 })
        .fire('f', 70)
        .answer(70, 'info')
        .at(20),
      2,
    ),
    objects: [],
  },
  {
    name: 'two for one pod after another request was refused',
    history: launched(waiting('web-1').arm('f').request(70, 'ec2:CreateFleet').fire('f', 70).answer(70, 'fail'), 1, 2),
    objects: ['instance/i-2'],
  },
  {
    name: 'two for one pod after pods could not be read',
    history: launched(waiting('web-1').arm('f').request(70, 'list pods', { mutating: false }).fire('f', 70).answer(70, 'fail'), 1, 2),
    objects: [],
  },
  {
    name: 'two for one pod after something that the target may not see',
    history: launched(waiting('web-1').arm('f').fire('f'), 1, 2),
    objects: [],
  },
  {
    name: 'two for one pod after something that can be seen on instances and Nodes',
    history: launched(waiting('web-1').arm('f', 'must-fire', { visible: true }).fire('f'), 1, 2),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one while the node of the first takes long to become Ready',
    history: launched(launched(waiting('web-1'), 1).node('n-1', 'created', 'i-1').at(30), 2),
    objects: [],
  },
  {
    name: 'another one before the node of the first took long to become Ready',
    history: launched(launched(waiting('web-1'), 1).node('n-1', 'created', 'i-1').at(29), 2),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one long after the node of the first had become Ready late',
    history: launched(
      serve(launched(waiting('web-1', 'web-2'), 1).node('n-1', 'created', 'i-1').at(50), 1, 'web-1')
        .pod('web-2', 'scheduled', 'n-1')
        .at(80),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'a replacement whose node is closed late, since that was refused',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .at(500)
        .arm('f')
        .request(80, 'patch nodes')
        .fire('f', 80)
        .answer(80, 'fail'),
      2,
    )
      .at(900)
      .node('n-1', 'cordoned', 'i-1'),
    objects: [],
  },
  {
    name: 'another one when the target thought too early that the first was lost',
    history: launched(
      waiting('web-1')
        .arm('f')
        .claim('c-1', 'created')
        .request(70, 'ec2:CreateFleet')
        .instance('i-1', 'pending', { span: 70 })
        .fire('f', 70)
        .request(90, 'ec2:TerminateInstances')
        .instance('i-1', 'shutting-down', { span: 90 })
        .answer(70, 'ok')
        .at(20),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one when a newcomer took the replacement of a node that a pod has not left yet',
    history: launched(
      serve(launched(waiting('web-1'), 1), 1, 'web-1')
        .at(500)
        .node('n-1', 'cordoned', 'i-1'),
      2,
    )
      .at(560)
      .pod('web-2', 'created')
      .node('n-2', 'created', 'i-2')
      .node('n-2', 'ready', 'i-2')
      .pod('web-2', 'scheduled', 'n-2')
      .claim('c-3', 'created')
      .launch(3, 'i-3')
      .claim('c-3', 'launched', 'i-3'),
    objects: [],
  },
  {
    name: 'another one when the first ended by itself, and its claim was removed then',
    history: launched(
      launched(waiting('web-1'), 1)
        .at(50)
        .instance('i-1', 'shutting-down')
        .request(90, 'delete nodeclaims', { object: 'nodeclaims/c-1' })
        .claim('c-1', 'terminating', 'i-1')
        .effect(90, { kind: 'applied', ids: ['nodeclaims/c-1'] }),
      2,
    ),
    objects: [],
  },
  {
    name: 'two for one pod, shortly before everything is removed',
    history: launched(serve(launched(waiting('web-1'), 1), 1, 'web-1').at(60), 2)
      .at(90)
      .phase('remove')
      .node('n-1', 'terminating', 'i-1')
      .pod('web-1', 'gone'),
    objects: ['instance/i-2'],
  },
  {
    name: 'another one when a DaemonSet was deployed meanwhile',
    history: launched(launched(waiting('web-1'), 1).at(50).workload('agent', 0, { kind: 'daemon' }), 2),
    objects: [],
  },
  {
    name: 'one for each pod that is served beside one that never is, and one more',
    history: launched(
      serve(
        launched(
          waiting('web-1')
            .workload('stuck', 1, { kind: 'impossible', why: 'no pool allows it' })
            .pod('stuck-1', 'created')
            .pod('stuck-1', 'gone'),
          1,
        ),
        1,
        'web-1',
      ).at(50),
      2,
    ),
    objects: ['instance/i-2'],
  },
  {
    name: 'pods that no pool can serve explain nothing',
    history: launched(
      waiting()
        .workload('stuck', 1, { kind: 'impossible', why: 'no pool allows it' })
        .pod('stuck-1', 'created')
        .pod('stuck-1', 'unschedulable'),
      1,
    ),
    objects: ['instance/i-1'],
  },
  {
    name: 'one for a pod of those that reach a limit together',
    history: launched(
      waiting()
        .pool('limited', { limits: { nodes: 1 } })
        .workload('many', 2, { kind: 'impossible', why: 'the limit leaves room for one' })
        .pod('many-1', 'created')
        .pod('many-1', 'unschedulable'),
      1,
    ),
    objects: [],
  },
  {
    name: 'pods of DaemonSets explain nothing',
    history: launched(waiting().workload('agent', 0, { kind: 'daemon' }).pod('agent-1', 'created').pod('agent-1', 'unschedulable'), 1),
    objects: ['instance/i-1'],
  },
]) {
  test(`launches that pods explain: ${name}`, () => {
    const result = launchesNeeded.judge(createView(history.finish().events));
    expect(result?.findings.map(({ object }) => object) ?? []).toEqual(objects);
  });
}

test('nothing is judged where a pool has a fixed size', () => {
  expect(launchesNeeded.judge(createView(launched(waiting().pool('fixed', { replicas: 1 }), 1).finish().events))).toBeUndefined();
});
