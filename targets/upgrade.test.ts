import { expect, test } from '@playwright/test';
import { createKubeClient } from '../clients/kube.ts';
import { RESOURCES } from '../clients/resources.ts';
import { crash } from '../faults/crash.ts';
import { ofType } from '../history/lives.ts';
import { crashPointsOf, sideEffectsOf, specifyCrash } from '../harness/crash-points.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { runInProcess } from '../harness/testing/in-process.ts';
import { quietTarget } from '../harness/testing/quiet-target.ts';
import type { KubeObject } from '../model/kube.ts';
import { targetNamed } from './catalogue.ts';
import { inMemoryLaunches } from './mutants/provisioning/in-memory-launches.ts';
import { plain } from './plain.ts';
import { createReferenceTarget, reference } from './reference.ts';
import type { Target, TargetSite } from './target.ts';
import { handedOver, upgraded } from './upgrade.ts';

test('FROM..TO is the first, with what both can do and the slower constants', () => {
  const both = targetNamed('reference..plain');
  expect(both.name).toBe('reference..plain');
  expect(both.upgradesTo?.name).toBe('plain');
  expect(both.features).toEqual(reference.features.filter((feature) => plain.features.includes(feature)));
  expect(both.constants.collectionMs).toBe(Math.max(reference.constants.collectionMs, plain.constants.collectionMs));
  expect(targetNamed('mutant:no-drain..reference').upgradesTo?.name).toBe('reference');
});

test('what has no upgrade is refused', () => {
  expect(() => targetNamed('reference..nothing')).toThrow('no target is named "nothing"');
  expect(() => targetNamed('reference..plain..reference')).toThrow('one upgrade');
  const external = { kube: { host: '127.0.0.1', port: 1 }, aws: { host: '127.0.0.1', port: 2 }, withinMs: 1 };
  expect(() => upgraded(reference, { ...plain, external })).toThrow("plain can't take part in an upgrade");
  expect(() => upgraded(reference, { ...plain, time: 'real' })).toThrow('one of them runs in real time');
});

const slow = scenario({
  id: 'test/slow',
  title: 'lasts longer than the time in which the upgrade begins',
  pools: [pool('default')],
  run: (t) => t.pass('provision'),
});

test('definitions come first, then the first is told to stop, then the second starts', async () => {
  const told: string[] = [];
  const first = { ...quietTarget(), name: 'first' };
  const second = { ...quietTarget(), name: 'second', install: () => Promise.resolve(void told.push('install')) };
  const { events, judgement } = await runInProcess(slow, upgraded(first, second));
  expect(told).toEqual(['install']);
  expect(ofType(events, 'target.start').map(({ target }) => target)).toEqual([undefined, 'second']);
  const [stop] = ofType(events, 'target.stop');
  expect(stop?.incarnation).toBe(1);
  expect(stop?.i).toBeLessThan(ofType(events, 'target.start')[1]?.i ?? 0);
  expect(judgement.verdict).toBe('pass');
});

test('a restart beside the upgrade starts one incarnation, and each that starts is stopped', async () => {
  const restarts = scenario({
    id: 'test/restarts',
    title: 'restarts the target while it is upgraded',
    async run(t) {
      for (let times = 0; times < 20; times += 1) await t.restartTarget();
      await t.pass('provision');
    },
  });
  const slowToStop: Parameters<typeof quietTarget>[0] = ({ runtime }) => ({
    ready: Promise.resolve(),
    done: runtime.clock.sleep(3_600_000, runtime.signal).catch(() => runtime.clock.sleep(5_000)),
  });
  const { events } = await runInProcess(restarts, upgraded(quietTarget(slowToStop), { ...quietTarget(slowToStop), name: 'second' }));
  const lives = events.filter(({ type }) => type === 'target.start' || type === 'target.stop');
  expect(lives.filter(({ type }) => type === 'target.start')).toHaveLength(22);
  expect(lives.every(({ type }, index) => type === (index % 2 === 0 ? 'target.start' : 'target.stop'))).toBe(true);
});

test('a short scenario is upgraded at its end', async () => {
  const short = scenario({ id: 'test/short', title: 'does nothing', run: () => Promise.resolve() });
  const { events } = await runInProcess(short, upgraded(quietTarget(), { ...quietTarget(), name: 'second' }));
  const upgrade = ofType(events, 'target.start')[1];
  expect(upgrade?.i).toBeLessThan(ofType(events, 'phase').find(({ phase }) => phase === 'heal')?.i ?? 0);
});

test('what only the second does wrong is found', async () => {
  const asks = scenario({
    id: 'test/asks',
    title: 'pods come after the upgrade',
    pools: [pool('default')],
    async run(t) {
      await t.pass('provision');
      const web = await t.deploy({ name: 'web', replicas: 1, cpu: '1', memory: '1Gi' });
      await t.served(web, 'provision');
    },
  });
  expect((await runInProcess(asks, targetNamed('reference..reference'))).judgement.verdict).toBe('pass');
  expect((await runInProcess(asks, upgraded(reference, quietTarget()))).judgement.verdict).toBe('fail');
});

const web = scenario({
  id: 'test/web',
  title: 'two pods that each fill a node',
  pools: [pool('default', { instanceTypes: ['m6i.large'] })],
  async run(t) {
    const pods = await t.deploy({ name: 'web', replicas: 2, cpu: '1500m', memory: '2Gi' });
    t.expect.launchedAtMost(2);
    await t.served(pods, 'provision');
  },
});

test('upgraded at a side effect: the same up to there, definitions first, told to stop before the answer, and nothing is lost', async () => {
  const both = targetNamed('reference..reference');
  const { events: counted, judgement: alone } = await runInProcess(web, both, 1, undefined, true);
  expect(alone.verdict).toBe('pass');
  expect(ofType(counted, 'target.start')).toHaveLength(1);
  const effects = sideEffectsOf(counted);
  expect(crashPointsOf(effects, { isUpgrade: true })).toHaveLength(effects.length);
  const launch = effects.findIndex(({ operation }) => operation === 'ec2:CreateFleet') + 1;
  for (const nth of [1, launch, effects.length]) {
    const { events, judgement } = await runInProcess(web, both, 1, specifyCrash({ moment: 'upgrade', nth }, effects));
    expect(judgement.verdict, `upgraded at ${nth}`).toBe('pass');
    const fired = events.findIndex(({ type }) => type === 'fault.fired');
    const before = events.slice(0, fired).flatMap(({ i: _place, ...event }) => (event.type === 'fault.armed' ? [] : [event]));
    expect(before).toEqual(counted.slice(0, before.length).map(({ i: _place, ...event }) => event));
    const span = effects[nth - 1]?.span;
    const told = ofType(events, 'target.stop')[0];
    expect(told?.incarnation).toBe(1);
    expect(ofType(events, 'request.end').find((end) => end.span === span)?.i).toBeGreaterThan(told?.i ?? Infinity);
    expect(ofType(events, 'target.start').map(({ target }) => target)).toEqual([undefined, 'reference']);
  }
});

test('an upgrade to an autoscaler that forgets launches in progress is found at the side effects of a launch, and not at others', async () => {
  const both = upgraded(reference, inMemoryLaunches.target);
  const { events } = await runInProcess(web, both, 1, undefined, true);
  const effects = sideEffectsOf(events);
  const codesAt = async (operation: string): Promise<string[]> => {
    const nth = effects.findIndex((effect) => effect.operation === operation) + 1;
    const { judgement } = await runInProcess(web, both, 1, specifyCrash({ moment: 'upgrade', nth }, effects));
    return judgement.checks.flatMap(({ findings }) => findings.map(({ code }) => code));
  };
  expect(await codesAt('ec2:CreateFleet')).toContain('launched-twice');
  expect(await codesAt('ec2:TerminateInstances')).toEqual([]);
});

test('a handover: the second starts and waits for the lease, the first is told to stop and releases it, then the second acts', async () => {
  const both = targetNamed('handover:reference..reference');
  expect(both.name).toBe('handover:reference..reference');
  const { events, judgement } = await runInProcess(web, both);
  expect(judgement.verdict).toBe('pass');
  expect(judgement.checks.find(({ check }) => check === 'leadership')?.verdict).toBe('pass');
  const lives = events
    .filter(({ type }) => type.startsWith('target.'))
    .map((event) => [event.type, 'incarnation' in event ? event.incarnation : 0]);
  expect(lives).toEqual([
    ['target.start', 1],
    ['target.ready', 1],
    ['target.start', 2],
    ['target.stop', 1],
    ['target.ready', 2],
    ['target.stop', 2],
  ]);
  const told = ofType(events, 'target.stop')[0];
  const ready = ofType(events, 'target.ready')[1];
  // It releases the lease: the second does not have to wait until it runs out.
  expect((ready?.t ?? Infinity) - (told?.t ?? 0)).toBeLessThan(10_000);
});

test('a handover at each of some side effects of the first: nothing is launched twice, and nobody acts beside the leader', async () => {
  const both = targetNamed('handover:reference..reference');
  const { events } = await runInProcess(web, both, 1, undefined, true);
  const effects = sideEffectsOf(events);
  const launch = effects.findIndex(({ operation }) => operation === 'ec2:CreateFleet') + 1;
  for (const nth of [1, launch, launch + 4, effects.length]) {
    const { judgement } = await runInProcess(web, both, 1, specifyCrash({ moment: 'upgrade', nth }, effects));
    expect(
      judgement.checks.flatMap(({ findings }) => findings),
      `at ${nth}`,
    ).toEqual([]);
    expect(judgement.verdict).toBe('pass');
  }
});

test('in a handover, a fault kills the replica that it strikes, and only that', async () => {
  const killed = scenario({
    id: 'test/killed',
    title: 'killed after a launch',
    pools: web.pools,
    capabilities: ['target.kill'],
    async run(t) {
      await t.inject(crash({ operations: ['ec2:CreateFleet'], moment: 'after', when: { kind: 'first', count: 1 } }));
      await web.run(t);
    },
  });
  const both = targetNamed('handover:reference..reference');
  const { events, judgement } = await runInProcess(killed, both);
  expect(judgement.checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(ofType(events, 'target.exit').map(({ incarnation }) => incarnation)).toEqual([1]);
});

test('who does not wait for the lease is found', async () => {
  const eager = createReferenceTarget({ name: 'eager', summary: 'does not wait for the lease' });
  const start: Target['start'] = (site) => {
    // The planted bug: it works without leader election. Its readiness probe passes late.
    const { done } = eager.start(site);
    return { done, ready: site.runtime.clock.sleep(20_000) };
  };
  const both = handedOver(reference, { ...eager, electing: { ...eager, start } });
  const { events } = await runInProcess(web, both, 1, undefined, true);
  const { judgement } = await runInProcess(web, both, 1, specifyCrash({ moment: 'upgrade', nth: 1 }, sideEffectsOf(events)));
  expect(judgement.checks.flatMap(({ check, findings }) => findings.map(({ code }) => `${check}: ${code}`))).toContain(
    'leadership: two-leaders',
  );
});

test('who elects no leader hands nothing over', () => {
  expect(() => targetNamed('handover:reference..plain')).toThrow("plain can't take part in a handover");
  expect(() => targetNamed('handover:reference')).toThrow('two autoscalers take part in a handover');
});

type Schema = Record<string, unknown>;

interface Definition extends KubeObject {
  spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Schema } } } }[] };
}

/** The definition of pools with a change: what TO installs. */
async function withPoolSchema(site: TargetSite, change: (spec: Schema) => void): Promise<void> {
  const kube = createKubeClient({ wire: site.kube, clock: site.runtime.clock });
  const ref = { type: RESOURCES.customresourcedefinitions, name: 'nodepools.karpenter.sh' };
  const found = structuredClone(await kube.get<Definition>(ref));
  const [version] = found?.spec.versions ?? [];
  if (found === undefined || version === undefined) throw new Error('pools have no definition');
  change(version.schema.openAPIV3Schema.properties.spec);
  await kube.patch(ref, { spec: { versions: [version] } });
}

test('an object that is lost as a whole is found', async () => {
  const install: Target['install'] = async (site) => {
    const kube = createKubeClient({ wire: site.kube, clock: site.runtime.clock });
    await kube.delete({ type: RESOURCES.customresourcedefinitions, name: 'nodepools.karpenter.sh' });
    await site.runtime.clock.sleep(5_000);
    await reference.install(site);
  };
  const { judgement } = await runInProcess(slow, upgraded(reference, { ...reference, name: 'to', install }));
  const check = judgement.checks.find(({ check: name }) => name === 'stored-objects');
  expect(check?.findings.map(({ message }) => message)).toContain(
    'nodepools/default was stored before the upgrade and is gone after it, although nobody deleted it.',
  );
});

for (const { what, change, found } of [
  {
    what: 'a rule that stored pools break is found',
    change: (spec: Schema) => {
      spec['x-kubernetes-validations'] = [{ rule: "self.disruption.consolidationPolicy != 'WhenEmpty'", message: 'WhenEmpty is gone' }];
    },
    found: ['invalid-after-upgrade: nodepools/default'],
  },
  {
    what: 'a field that is gone is found',
    change: (spec: Schema) => {
      delete (spec['properties'] as Schema)['disruption'];
      delete spec['x-kubernetes-preserve-unknown-fields'];
    },
    found: ['altered-by-upgrade: nodepools/default'],
  },
  {
    what: 'a new field with a default is no finding',
    change: (spec: Schema) => {
      (spec['properties'] as Schema)['mood'] = { type: 'string', default: 'calm' };
    },
    found: [],
  },
]) {
  test(`definitions of the new version: ${what}`, async () => {
    const to: Target = { ...reference, name: 'to', install: (site) => withPoolSchema(site, change) };
    const { judgement, events } = await runInProcess(slow, upgraded(reference, to));
    expect(ofType(events, 'target.panic')).toEqual([]);
    const check = judgement.checks.find(({ check: name }) => name === 'stored-objects');
    expect(check?.findings.map(({ code, object }) => `${code}: ${object}`)).toEqual(found);
    expect(ofType(events, 'upgrade')[0]?.objects).toBeGreaterThan(0);
  });
}
