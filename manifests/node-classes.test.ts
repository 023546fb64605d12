import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { LoadError } from '../harness/load-error.ts';
import type { Mix } from './mix.ts';
import { mixOf, poolManifest } from './testing/mix.ts';

const POOL = poolManifest(
  '{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}',
  '{key: node.kubernetes.io/instance-type, operator: In, values: [m6i.large, m5d.large]}',
);

/** @param family as in the alias of its images */
function classWith(spec: string, family = 'al2023', name = 'default'): string {
  return `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: ${name}}
spec:
  amiSelectorTerms: [{alias: ${family}@latest}]
  role: KarpenterNodeRole-shop
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
${spec}
`;
}

function deployment(requests: string, replicas = 1): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: web, resources: {requests: {${requests}}}}]
`;
}

const SERVABLE = deployment('cpu: 100m').replace('name: web', 'name: servable');

interface Setting {
  readonly nodeClass: string;
  readonly requests?: string;
  readonly replicas?: number;
  readonly pool?: string;
  readonly appliesClasses?: boolean;
}

/** Reads a pool with a class, a workload, and one that anything can serve on a pool of its own. */
function mixWith(testInfo: TestInfo, setting: Setting): Promise<Mix> {
  const { nodeClass, requests = 'cpu: 100m', replicas, pool = POOL, appliesClasses = true } = setting;
  const other = POOL.replace('name: general', 'name: other').replace('name: default', 'name: other');
  const tainted = other.replace('      requirements:', '      taints: [{key: other, effect: NoSchedule}]\n      requirements:');
  const tolerant = SERVABLE.replace('      containers:', '      tolerations: [{operator: Exists}]\n      containers:');
  const files = {
    'pool.yaml': [pool, tainted].join('\n---\n'),
    'class.yaml': [nodeClass, classWith('', 'al2023', 'other')].join('\n---\n'),
    'web.yaml': [deployment(requests, replicas), tolerant].join('\n---\n'),
  };
  return mixOf(testInfo, files, { appliesClasses });
}

/** What is found for the workload: its kind, and why. */
async function found(testInfo: TestInfo, setting: Setting): Promise<string> {
  const { workloads } = await mixWith(testInfo, setting);
  const web = workloads.find(({ title }) => title === 'Deployment default/web')?.feasibility;
  return web === undefined ? 'no such workload' : `${web.kind}${'why' in web ? `: ${web.why}` : ''}`;
}

const ALL = `
  kubelet: {maxPods: 8, evictionSoft: {memory.available: 5%}, evictionSoftGracePeriod: {memory.available: 1m}}
  userData: echo hello
  tags: {team: shop}
  detailedMonitoring: true
  placementGroupSelector: {name: near}
`;

test('a pool has its class, without what belongs to the cluster, and notes say what has no effect', async ({}, testInfo) => {
  const { pools, notes } = await mixWith(testInfo, { nodeClass: classWith(ALL) });
  expect(pools.map(({ name, nodeClass }) => [name, nodeClass])).toEqual([
    [
      'general',
      {
        name: 'default',
        spec: {
          kubelet: { maxPods: 8, evictionSoft: { 'memory.available': '5%' }, evictionSoftGracePeriod: { 'memory.available': '1m' } },
          userData: 'echo hello',
          tags: { team: 'shop' },
          detailedMonitoring: true,
        },
      },
    ],
    ['other', { name: 'other', spec: {} }],
  ]);
  expect(notes[0]).toBe(
    "EC2NodeClass default: amiSelectorTerms, role, subnetSelectorTerms, securityGroupSelectorTerms are replaced by the world's own, " +
      'which has a subnet in every zone; applied: kubelet.maxPods, userData (its NodeConfig; scripts are not run), tags; ' +
      'applied, but without effect in this world: kubelet.evictionSoft, kubelet.evictionSoftGracePeriod, detailedMonitoring; ' +
      'left out, since this world has none: placementGroupSelector',
  );
});

test('for a target that does not apply classes, pools have none, and everything in them is ignored', async ({}, testInfo) => {
  const { pools, notes, ignoresClasses } = await mixWith(testInfo, { nodeClass: classWith(ALL), appliesClasses: false });
  expect(ignoresClasses).toBe(true);
  expect(pools.some(({ nodeClass }) => nodeClass !== undefined)).toBe(false);
  expect(notes[0]).toMatch(
    /; ignored: kubelet\.maxPods, kubelet\.evictionSoft, .*userData, tags, detailedMonitoring, placementGroupSelector$/,
  );
});

test('what only Karpenter has in a NodePool is applied as written, with its defaults, or named as ignored', async ({}, testInfo) => {
  const written = POOL.replace(
    'spec:\n  template:\n    spec:',
    `spec:
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: Never
    budgets: [{nodes: "0", schedule: "@daily", duration: 8h30m}, {nodes: 20%, reasons: [Drifted]}]
  template:
    spec:
      expireAfter: 720h
      terminationGracePeriod: 1h`,
  )
    .replace('key: node.kubernetes.io/instance-type,', 'key: node.kubernetes.io/instance-type, minValues: 2,')
    .concat(
      '        - {key: node.kubernetes.io/instance-type, operator: Exists, minValues: 1}\n',
      '        - {key: karpenter.k8s.aws/instance-ebs-bandwidth, operator: Exists, minValues: 2}\n',
    );
  const { pools, notes } = await mixWith(testInfo, { nodeClass: classWith(''), pool: written });
  expect(pools[0]).toMatchObject({
    expireAfterMs: 2_592_000_000,
    terminationGracePeriodMs: 3_600_000,
    minimumValues: { 'node.kubernetes.io/instance-type': 2 },
  });
  expect(pools[1]).toMatchObject({
    disruption: { consolidation: 'when-empty-or-underutilized' },
  });
  expect(pools[0]?.disruption).toEqual({
    consolidation: 'when-empty',
    consolidateAfterMs: 'never',
    budgets: [
      { nodes: '0', schedule: '@daily', durationMs: 30_600_000 },
      { nodes: '20%', reasons: ['drifted'] },
    ],
  });
  expect(notes.filter((note) => note.startsWith('NodePool'))).toEqual([
    'NodePool general: ignored: the requirement on karpenter.k8s.aws/instance-ebs-bandwidth',
    'NodePool general: its consolidateAfter is Never, so its idle nodes may stay',
  ]);

  const ignoring = await mixWith(testInfo, { nodeClass: classWith(''), pool: written, appliesClasses: false });
  expect(ignoring.pools[0]).not.toHaveProperty('disruption');
  expect(ignoring.notes).toContain(
    'NodePool general: ignored: the requirement on karpenter.k8s.aws/instance-ebs-bandwidth, minValues, expireAfter, terminationGracePeriod, disruption (the target removes empty nodes as configured in its adapter)',
  );
});

test('another image family is replaced: its data volume becomes the root volume, its user data is left out', async ({}, testInfo) => {
  const devices =
    '  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 4Gi}}, {deviceName: /dev/xvdb, ebs: {volumeSize: 80Gi}}]';
  const nodeClass = classWith(`${devices}\n  userData: "[settings.kubernetes]"`, 'bottlerocket');
  const { pools, notes } = await mixWith(testInfo, { nodeClass });
  expect(pools[0]?.nodeClass?.spec).toEqual({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '80Gi' } }] });
  expect(notes[0]).toMatch(
    /^EC2NodeClass default: Bottlerocket does not boot in this world: its nodes have AL2023; its userData is left out/,
  );
});

test('a pool whose class no manifest defines has defaults under a name of its own', async ({}, testInfo) => {
  const pool = POOL.replace('kind: EC2NodeClass, name: default', 'kind: Other, name: default');
  const { pools, notes, workloads } = await mixWith(testInfo, { nodeClass: classWith('  tags: {team: shop}'), pool });
  expect(pools[0]?.nodeClass).toEqual({ name: 'other-default', spec: {} });
  const why = "NodePool general: no manifest defines its class Other default: its nodes have the target's defaults";
  expect(notes.at(-1)).toBe(why);
  expect(workloads.map(({ title, doubt }) => [title, doubt])).toEqual([
    ['Deployment default/web', { kind: 'untestable', why }],
    // It tolerates both pools.
    ['Deployment default/servable', { kind: 'untestable', why }],
  ]);
  const ignored = await mixWith(testInfo, { nodeClass: classWith(''), pool, appliesClasses: false });
  expect(ignored.workloads.flatMap(({ doubt }) => doubt ?? [])).toEqual([]);
});

for (const appliesClasses of [true, false]) {
  test(`a pool whose class has no spec is one that Karpenter never uses, with classes ${appliesClasses ? 'applied' : 'ignored'}`, async ({}, testInfo) => {
    const nodeClass = classWith('').replace(/\nspec:[^]*/, '\n');
    const { notes, workloads } = await mixWith(testInfo, { nodeClass, appliesClasses });
    const why =
      'NodePool general: its class EC2NodeClass default has no spec: Karpenter never finds it ready, and here its nodes have the ' +
      "target's defaults";
    expect(notes).toContain(why);
    expect(workloads.map(({ title, doubt }) => [title, doubt])).toEqual([
      ['Deployment default/web', { kind: 'unservable', why }],
      ['Deployment default/servable', { kind: 'partly', why }],
    ]);
    expect((await mixWith(testInfo, { nodeClass: classWith(''), appliesClasses })).workloads.flatMap(({ doubt }) => doubt ?? [])).toEqual(
      [],
    );
  });
}

test('limits and the number of nodes follow the pods that a node can have', async ({}, testInfo) => {
  const pool = POOL.replace('spec:\n', 'spec:\n  limits: {cpu: 40}\n');
  const setting = { nodeClass: classWith('  kubelet: {maxPods: 2}'), requests: 'cpu: 10m', replicas: 30, pool };
  expect(await found(testInfo, setting)).toMatch(/^partly: the limits of pool general may be reached/);
  expect((await mixWith(testInfo, setting)).nodes).toBe(16);
  expect(await found(testInfo, { ...setting, appliesClasses: false })).toBe('servable');
  const perCore = { ...setting, nodeClass: classWith('  kubelet: {podsPerCore: 1}') };
  expect((await mixWith(testInfo, perCore)).nodes).toBe(16);
});

for (const { what, spec, says } of [
  { what: 'an unknown field', spec: '  kubelet: {maxPod: 8}', says: /class\.yaml, document 1 .*unknown field "spec\.kubelet\.maxPod"/ },
  { what: 'an invalid value', spec: '  instanceStorePolicy: RAID1', says: /spec\.instanceStorePolicy: Unsupported value: "RAID1"/ },
  { what: 'a broken rule', spec: '  kubelet: {evictionSoft: {memory.available: 5%}}', says: /evictionSoft/ },
]) {
  test(`a class is refused for ${what}`, async ({}, testInfo) => {
    const reading = mixWith(testInfo, { nodeClass: classWith(spec), appliesClasses: false });
    await expect(reading).rejects.toThrow(LoadError);
    await expect(reading).rejects.toThrow(says);
  });
}
