import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { scaleproof } from './testing/command.ts';
import type { Finished } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

/** The line on which `head` of the scenario begins. */
const HEAD_LINE = 6;
/** The line of the body, after one line of `head`. */
const BODY_LINE = 8;

/** A scenario of a user's, with one line in its head and one in its body. */
function scenarioWith({ head = '  pools: [pool("default")],', body = '' }: { readonly head?: string; readonly body?: string }): string {
  return [
    "import { faults, pool, scenario, serve } from 'scaleproof';",
    '',
    'export const mine = scenario({',
    "  id: 'mine/mistake',",
    "  title: 'a mistake',",
    head,
    '  async run(t) {',
    body,
    '  },',
    '});',
    '',
  ].join('\n');
}

/** Runs a user's file. */
function runFile(testInfo: TestInfo, text: string, flags: readonly string[] = []): Promise<Finished> {
  const folder = folderWith(testInfo, { 'mine.ts': text });
  return scaleproof(['run', '--scenario', './mine.ts', '--out', 'out', ...flags], folder);
}

const IN_HEAD: readonly (readonly [what: string, head: string, message: string])[] = [
  ['an unknown field of a scenario', '  pool: [],', 'scenario: `pool` is no field of a scenario; did you mean `pools`?'],
  [
    'an unknown field of a pool',
    "  pools: [pool('a', { instanceType: ['m5.large'] })],",
    'pool "a": `instanceType` is no field of a pool; did you mean `instanceTypes`?',
  ],
  [
    'a wrong type in a pool',
    "  pools: [pool('a', { instanceTypes: 'm5.large' })],",
    'pool "a": `instanceTypes` must be a list, and is "m5.large"',
  ],
  [
    'an unknown field of a fault',
    "  under: [faults.lostAnswer({ operation: ['ec2:CreateFleet'] })],",
    'fault lost-answer: `operation` is no field of its parameters; did you mean `operations`?',
  ],
  [
    'a duration as a text',
    "  under: [faults.slowRegistration({ delayMs: '2m' })],",
    'fault slow-registration: `delayMs` must be a number, and is "2m"',
  ],
  [
    'a fault that was not called',
    '  under: [faults.lostAnswer],',
    'scenario: `under.0` must be a fault with its parameters, as faults.lostAnswer({ ... }), and is a function',
  ],
  ['a feature that does not exist', "  features: ['spt'],", 'scenario: `features.0` is "spt"; did you mean `spot`?'],
  ...(
    [
      [
        'an unknown setting of a kubelet',
        '{ kubelet: { maxPod: 3 } }',
        '`maxPod` is no field of `nodeSettings.kubelet`; did you mean `maxPods`?',
      ],
      ['an unknown setting of nodes', '{ kubele: {} }', '`kubele` is no field of `nodeSettings`; did you mean `kubelet`?'],
      [
        'an unknown signal',
        "{ kubelet: { evictionHard: { 'memory.availble': '5%' } } }",
        '`memory.availble` is no field of `nodeSettings.kubelet.evictionHard`; did you mean `memory.available`?',
      ],
      [
        'an unknown resource',
        "{ kubelet: { kubeReserved: { memry: '1Gi' } } }",
        '`memry` is no field of `nodeSettings.kubelet.kubeReserved`; did you mean `memory`?',
      ],
      [
        'no map of reservations',
        "{ kubelet: { systemReserved: '1Gi' } }",
        '`nodeSettings.kubelet.systemReserved` must be { resource: quantity }, and is "1Gi"',
      ],
    ] as const
  ).map(([what, settings, message]) => [what, `  pools: [pool('a', { nodeSettings: ${settings} })],`, `pool "a": ${message}`] as const),
  ['two pools of one name', "  pools: [pool('a'), pool('a')],", 'scenario: `pools` must be pools of different names'],
];

/** Each takes a process; the first shows the way, and the others are more of the same. */
const tagOf = (index: number): string[] => (index === 0 ? [] : ['@long']);

for (const [index, [what, head, message]] of IN_HEAD.entries()) {
  test(`${what} is a usage error, and names file, line and field`, { tag: tagOf(index) }, async ({}, testInfo) => {
    const { code, stdout, stderr } = await runFile(testInfo, scenarioWith({ head }));
    // A call that spans lines is where it begins.
    const line = message.startsWith('scenario:') ? 3 : HEAD_LINE;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`scaleproof: mine.ts:${line}: ${message}`);
  });
}

test('an instance type that does not exist is named, with the one that was meant', async ({}, testInfo) => {
  const { code, stderr } = await runFile(
    testInfo,
    scenarioWith({ head: "  pools: [pool('a', { instanceTypes: ['m5.large', 'm5.lagre'] })]," }),
  );
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/: mine\.ts:3: .*pool "a": there is no instance type m5\.lagre in us-east-1; did you mean `m5\.large`\?/),
  });
});

const IN_BODY: readonly (readonly [what: string, body: string, message: string])[] = [
  [
    'an unknown field of a workload',
    '    await t.deploy({ replica: 3 });',
    't.deploy: `replica` is no field of a workload; did you mean `replicas`?',
  ],
  [
    'an unknown field of a part of a workload',
    "    await t.deploy({ replicas: 2, near: { workloud: 'a', over: 'b' } });",
    't.deploy: `workloud` is no field of `near`; did you mean `workload`?',
  ],
  [
    'GPUs that the scenario does not declare',
    '    await t.deploy({ replicas: 1, gpus: 1 });',
    "t.deploy: `gpus` needs `features: ['gpus']` and `capabilities: ['nodes.devices']` in the scenario",
  ],
  [
    'pods that finish, which the scenario does not declare',
    "    await t.deploy({ replicas: 1, kind: 'Job', runSeconds: 60 });",
    "t.deploy: `runSeconds` needs `capabilities: ['pods.finish']` in the scenario",
  ],
  [
    'waiting for pods that never finish',
    "    await t.untilFinished(await t.deploy({ replicas: 1, kind: 'Job' }), 'recover');",
    "t.untilFinished: its pods never finish; deploy it with `kind: 'Job'` and `runSeconds`",
  ],
  [
    'claims for each pod of anything but a StatefulSet',
    "    await t.deploy({ replicas: 1, claimTemplates: [{ metadata: { name: 'data' } }] });",
    "t.deploy: `claimTemplates` needs `kind: 'StatefulSet'`",
  ],
  [
    "a changed pool's settings that the scenario does not declare",
    "    await t.changePool(pool('default', { nodeSettings: { kubelet: { maxPods: 8 } } }));",
    "t.changePool: `nodeSettings` needs `features: ['node-settings']` in the scenario",
  ],
  ['a missing field', "    await t.deploy({ name: 'web' });", 't.deploy: `replicas` is missing: it must be a whole number, 0 or more'],
  ['a wrong type', "    await t.deploy({ replicas: '3' });", 't.deploy: `replicas` must be a whole number, 0 or more, and is "3"'],
  ['a negative count', '    await t.deploy({ replicas: -3 });', 't.deploy: `replicas` must be a whole number, 0 or more, and is -3'],
  [
    'what is not a quantity',
    "    await t.deploy({ replicas: 3, cpu: '500 milli' });",
    't.deploy: `cpu` must be a quantity, such as 500m or 2Gi, and is "500 milli"',
  ],
  [
    'a name used twice',
    '    await t.deploy({ replicas: 3 }); await t.deploy({ replicas: 2 });',
    't.deploy: there is a workload named "web" already',
  ],
  [
    'a workload that is not there',
    "    await t.deploy({ replicas: 1 }); await t.served({ name: 'wab', kind: 'ReplicaSet' }, 'provision');",
    't.served: no workload "wab" was deployed; did you mean `web`?',
  ],
  [
    'a neighbour that is never deployed',
    "    await t.deploy({ replicas: 1, near: { workload: 'wab', over: 'zone' } });",
    't.deploy: `near.workload`: no workload "wab" was deployed; did you mean `web`?',
  ],
  [
    'a bound that does not exist',
    "    t.expect.served(await t.deploy({ replicas: 1 }), 'provison');",
    't.expect.served: its bound is "provison"; did you mean `provision`?',
  ],
  [
    'a pause with a text',
    "    await t.pause({ minMs: '1s', maxMs: 2 });",
    't.pause: `minMs` must be a number of milliseconds, 0 or more, and is "1s"',
  ],
  [
    'a pool that is not there',
    "    await t.withdrawPools('defalt');",
    't.withdrawPools: the scenario has no pool "defalt"; did you mean `default`?',
  ],
  ['a method that does not exist', '    await t.deplyo({ replicas: 1 });', '`t.deplyo` does not exist; did you mean `deploy`?'],
  ['a wrong fault in a trial', "    await t.inject(faults.lostAnswer({ operations: 'all' }));", 'fault lost-answer: `operations` must be'],
  [
    'a mistake in a call of a helper',
    "    await serve(t, 'provision', { replica: 3 });",
    't.deploy: `replica` is no field of a workload; did you mean `replicas`?',
  ],
];

for (const [index, [what, body, message]] of IN_BODY.entries()) {
  test(`${what} is found before the first trial, and names file, line and field`, { tag: tagOf(index) }, async ({}, testInfo) => {
    const { code, stdout, stderr } = await runFile(testInfo, scenarioWith({ body }));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`scaleproof: mine.ts:${BODY_LINE}: ${message}`);
  });
}

test('a requirement that does not exist is named, with the one that was meant', async ({}, testInfo) => {
  const { code, stderr } = await runFile(testInfo, scenarioWith({ head: "  requirements: ['PRV-99']," }));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/mine\.ts:3: .*no requirement PRV-99; did you mean `PRV-\d\d`\?/),
  });
});

test('a fault that does not exist is named, with the one that was meant', async ({}, testInfo) => {
  const { code, stderr } = await runFile(testInfo, scenarioWith({ head: '  under: [faults.lostAnswers({})],' }));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/mine\.ts:6 can't be loaded: .*faults\.lostAnswers is not a function; did you mean `lostAnswer`\?/),
  });
});

test('a scenario that is not exported is named by its line', async ({}, testInfo) => {
  const { code, stderr } = await runFile(testInfo, scenarioWith({}).replace('export const', 'const'));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/mine\.ts:3 exports no scenario; put `export const NAME = `/),
  });
});

test('an error of the scenario itself shows in its trial, first, with file and line', async ({}, testInfo) => {
  const { code, stdout } = await runFile(testInfo, scenarioWith({ body: "    throw new Error('boom');" }));
  expect(code).toBe(3);
  const unknown = stdout.split('\n').filter((line) => line.includes('unknown: '));
  expect(unknown[0]).toContain(`unknown: harness: the scenario failed: mine.ts:${BODY_LINE}: Error: boom`);
});

test('a rehearsal refuses nothing that may be right: sizes of its own, and what never comes', { tag: '@long' }, async ({}, testInfo) => {
  const body =
    "    await t.deploy({ replicas: t.nodes / 4, near: { workload: 'absent', over: 'topology.kubernetes.io/zone' }, truth: { kind: 'impossible', why: 'nothing is near' } });";
  const { code, stderr } = await runFile(testInfo, scenarioWith({ body }), ['--nodes', '8']);
  expect(code, stderr).not.toBe(2);
});

test('a mistake that only shows in a trial names file and line', { tag: '@long' }, async ({}, testInfo) => {
  const body = '    const nodes = t.nodes === 7 ? -1 : 1; await t.deploy({ replicas: nodes });';
  const { code, stdout } = await runFile(testInfo, scenarioWith({ body }), ['--nodes', '7']);
  expect(code).toBe(3);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `the scenario failed: mine.ts:${BODY_LINE}: t.deploy: \`replicas\` must be a whole number, 0 or more, and is -1`,
  );
});

test(
  'a rehearsal of code that never ends, ends its process or fails without a world changes nothing',
  { tag: '@long' },
  async ({}, testInfo) => {
    test.setTimeout(120_000);
    for (const body of [
      "    for (;;) await t.pass('explain');",
      '    console.log(1); process.exit(0);',
      "    if ((await t.deploy({ replicas: 1 })).kind !== 'x') throw new Error('no');",
    ]) {
      const info = { ...testInfo, outputPath: (...path: string[]) => testInfo.outputPath(String(body.length), ...path) };
      const { code, stdout } = await runFile(info, scenarioWith({ body }), ['--list']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 trial of 1 scenario') });
    }
  },
);
