import { expect, test } from '@playwright/test';
import { buildReport } from './build-report.ts';
import { formatJunit } from './junit.ts';
import { formatRun } from './terminal.ts';
import { HOSTILE_NAMES, sampleRun } from './testing/sample-run.ts';

/** The fields of a scenario besides its id, title and suite. */
const EXTENDED = { profile: 'extended' as const, requirements: [], digest: 'd'.repeat(64) };
const ESCAPE = String.fromCharCode(27);
const plain = (columns: number, { trials = 2, verbose = false } = {}): string =>
  formatRun(buildReport(sampleRun({ trials })), { color: false, columns, verbose });
/** Scenarios of the sample that pass. */
const PASSING = ['provisioning/scale-out-and-back', 'capacity/spot-runs-out', 'scheduling/spot-spread'];

test('a wide terminal gets tables of all scenarios, failures first, and of latencies with --verbose', () => {
  expect(plain(160, { verbose: true }).split('\n').slice(0, 20).join('\n')).toBe(`\
SCENARIO                         VERDICT    PASSED         SERVED  LAUNCHED  ENDED  LIVE  LEAKED  FAULTS  SEEDS

core: required of every autoscaler
crashes/killed-after-launch      ✗ fail        1/2    10/10 100 %        12     11     1       1     2/2    1-2
api-pressure/lost-launch-answer  ? unknown     0/2              -         2      0     2       0       -    1-2
provisioning/scale-out-and-back  ✓ pass        2/2    20/20 100 %        20     20     0       0       -    1-2
capacity/spot-runs-out           ✓ pass        2/2    40/40 100 %        20     20     0       0     2/4    1-2

extended: required if the autoscaler declares the feature; also tests of a SHOULD
scheduling/spot-spread           ✓ pass        2/2  100/100 100 %        34     34     0       0       -    1-2

robustness: faults that no correct API causes; a failure here fails the run, too
scheduling/negative-max-skew     ✗ fail        0/2       0/20 0 %         0      0     0       0     2/2    1-2

LATENCY                                  REQUEST         INSTANCE       REGISTERED             READY           RUNNING               TOTAL
provisioning/scale-out-and-back  12s / 13s / 13s  12s / 15s / 16s  23s / 32s / 32s  9.8s / 13s / 14s   22s / 28s / 28s     77s / 79s / 79s
capacity/spot-runs-out           54s / 55s / 55s  12s / 15s / 16s  21s / 32s / 32s  8.3s / 13s / 13s   11s / 18s / 19s  109s / 111s / 111s
crashes/killed-after-launch      29s / 29s / 29s  12s / 16s / 16s  26s / 30s / 30s  8.6s / 13s / 13s   21s / 28s / 28s     95s / 97s / 97s
scheduling/spot-spread           12s / 13s / 13s  13s / 16s / 16s  24s / 30s / 31s  9.8s / 13s / 14s  4.8s / 15s / 17s     64s / 67s / 67s
p50 / p95 / p99 from the previous step; pods that waited for a new node`);
});

for (const [columns, verbose] of [60, 80, 100, 120, 160].flatMap((width) => [[width, false] as const, [width, true] as const])) {
  test(`no line is longer than ${columns} columns${verbose ? ' with --verbose' : ''}, except for replay lines, which must be easy to copy`, () => {
    const long = plain(columns, { verbose })
      .split('\n')
      .filter((line) => line.length > columns && !line.trim().startsWith('scaleproof replay '));
    expect(long).toEqual([]);
  });
}

test('findings have evidence and replay lines, followed by what was not run, and totals', () => {
  const text = plain(160);
  const marks = [
    '✗ FAIL crashes/killed-after-launch seed 1',
    'leaked-instance',
    'scaleproof replay sp1,scenario=crashes/killed-after-launch@d1d1d1d1d1d1,target=reference,seed=1,catalogue=c4c4c4c4c4c4',
    'NEAREST BOUNDS',
    'vacuous: 1 fault never fired (slow-answer)',
    'not run: capacity/reserved-capacity: the target does not declare the feature "capacity-reservations"\n',
    'reference in embedded: 3 passed, 2 failed, 1 unknown, 1 not run\n12 trials, 11 distinct interleavings\n',
    'of virtual time in 4.2 s (×',
    'core: fail, 2 passed, 1 failed, 1 unknown\nextended: partial, 1 passed, 1 not run\nrobustness: fail, 1 failed\n',
    '✗ FAIL\n',
  ];
  let place = 0;
  for (const mark of marks) {
    expect(text.slice(place)).toContain(mark);
    place = text.indexOf(mark, place);
  }
  expect(text.slice(place)).toBe('✗ FAIL\n');
});

for (const [strict, verdict, consequence] of [
  [false, '✓ PASS', '; with --strict, such a run does not pass'],
  [true, '✗ FAIL', ', which --strict does not accept'],
] as const) {
  test(`workloads that are not served stand beside the verdict, the first few with what they need${strict ? ', with --strict' : ''}`, () => {
    const input = sampleRun({ trials: 1, only: PASSING });
    const gaps = ['api', 'batch', 'cache', 'db', 'etl'].map((name) => ({
      workload: `Deployment shop/${name}${ESCAPE}[31m`,
      where: `${name}.yaml, document 1`,
      kind: 'unservable' as const,
      why: 'pool general: it is too large: it requests 20 cpu, and a m6i.4xlarge has 15500m cpu for it, 500m cpu taken by DaemonSets',
    }));
    const run = { ...input.run, manifests: { directory: './shop', workloads: 7, gaps, strict } };
    const text = formatRun(buildReport({ ...input, run }), { color: false, columns: 80 });
    expect(text).not.toContain(ESCAPE);
    const end = text.slice(text.indexOf('5 of 7 workloads')).replaceAll(/\s+/g, ' ');
    const gap = (name: string): string =>
      `Deployment shop/${name} it CANNOT BE SERVED by these pools, even without faults: ` +
      'pool general: it is too large: it requests 20 cpu, and a m6i.4xlarge has 15500m cpu for it, 500m cpu taken by DaemonSets';
    expect(end.replaceAll(/(shop\/[a-z]+)\S* it/g, '$1 it')).toBe(
      `5 of 7 workloads in ./shop are not shown to be served${consequence} ` +
        `${['api', 'batch', 'cache'].map(gap).join(' ')} and 2 more workloads ${verdict} `,
    );
  });
}

test('a pass has only a few lines: nearest bounds, what is missing, totals and verdict', () => {
  const text = formatRun(buildReport(sampleRun({ trials: 2, only: PASSING })), { color: false, columns: 80 });
  expect(text.split('\n').length).toBeLessThanOrEqual(22);
  expect(text).toMatch(/^NEAREST BOUNDS +WORST +LIMIT +OF LIMIT/);
  for (const left of ['SCENARIO', 'LATENCY', 'replay']) expect(text).not.toContain(left);
  expect(text.endsWith('\n✓ PASS\n')).toBe(true);
});

test('without --verbose the table has only what did not pass', () => {
  const [table = ''] = plain(120).split('\n\n✗ FAIL');
  expect(table).toContain('scheduling/negative-max-skew');
  for (const id of PASSING) expect(table).not.toContain(id);
  for (const id of PASSING) expect(plain(120, { verbose: true })).toContain(`scaleproof replay sp1,scenario=${id}@`);
});

test('what was not run is listed by reason, the most frequent first', () => {
  const input = sampleRun({ trials: 1, only: PASSING });
  const notRun = Array.from({ length: 9 }, (_, index) => ({
    scenario: `extra/${index}`,
    title: 'a scenario',
    suite: 'extra',
    seed: 1,
    reason: index < 3 ? 'no spot' : `no feature ${index}`,
  }));
  const added = notRun.map(({ scenario, title, suite }) => ({ id: scenario, title, suite, ...EXTENDED }));
  const run = { ...input.run, scenarios: [...input.run.scenarios, ...added] };
  const text = formatRun(buildReport({ ...input, run, notRun }), { color: false, columns: 80 });
  expect(text.split('\n').filter((line) => line.startsWith('not run'))).toEqual([
    'not run: 3 scenarios: no spot',
    'not run: extra/3: no feature 3',
    'not run: extra/4: no feature 4',
    'not run: extra/5: no feature 5',
    'not run: 3 more scenarios, for other reasons',
  ]);
});

test('a trial that failed like an earlier one has three lines, with its own replay line', () => {
  const text = plain(120);
  const at = text.indexOf('✗ FAIL scheduling/negative-max-skew seed 2');
  expect(text.slice(at).split('\n').slice(1, 4)).toEqual([
    '  as above: pod-not-served, recovered-panic, unexplained',
    '  scaleproof replay sp1,scenario=scheduling/negative-max-skew@d1d1d1d1d1d1,target=reference,seed=2,catalogue=c4c4c4c4c4c4',
    '',
  ]);
});

test('colours are optional, and change nothing else', () => {
  const report = buildReport(sampleRun());
  const colored = formatRun(report, { color: true, columns: 120, verbose: true });
  const uncolored = formatRun(report, { color: false, columns: 120, verbose: true });
  expect(uncolored).not.toContain(ESCAPE);
  expect(colored).toContain(`${ESCAPE}[31m✗ fail${ESCAPE}[39m`);
  expect(colored.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')).toBe(uncolored);
});

test('control characters from a cluster are escaped', () => {
  const rewrite: Parameters<typeof sampleRun>[0] = {
    trials: 1,
    only: ['scheduling/negative-max-skew'],
    rewrite: (events) =>
      events.map((event) => (event.type === 'target.panic' ? { ...event, message: `${ESCAPE}[2J${HOSTILE_NAMES.image}` } : event)),
  };
  const text = formatRun(buildReport(sampleRun(rewrite)), { color: false, columns: 120 });
  expect(text).not.toContain(ESCAPE);
  expect(text).toContain('\\x1b[2J<img');
});

test('a run in real time says so, and no ratio', () => {
  const input = sampleRun({ trials: 1 });
  const world = { ...input.run.world, capabilities: input.run.world.capabilities.filter((one) => one !== 'time.virtual') };
  const report = buildReport({ ...input, run: { ...input.run, world } });
  const text = formatRun(report, { color: false, columns: 120 });
  expect(text).toMatch(/ of real time in 4\.2 s\n/);
  expect(text).not.toContain('virtual');
  expect(formatJunit(report)).toContain('<property name="time" value="real time"/>');
  expect(report.run.ratio).toBe(undefined);
});

test('latencies from the heal have their own row', () => {
  const rewrite: Parameters<typeof sampleRun>[0] = {
    trials: 1,
    only: ['capacity/spot-runs-out'],
    rewrite: (events) =>
      events.map((event) =>
        event.type === 'workload' ? { ...event, truth: { kind: 'schedulable-after-heal' as const, why: 'no capacity' } } : event,
      ),
  };
  const input = sampleRun(rewrite);
  const early = input.trials.map((trial) => ({
    ...trial,
    events: trial.events.map((event) => (event.type === 'fault.healed' ? { ...event, t: 50_000 } : event)),
  }));
  const lines = formatRun(buildReport({ ...input, trials: early }), { color: false, columns: 160, verbose: true }).split('\n');
  const at = lines.findIndex((line) => line.startsWith('LATENCY'));
  expect(lines.slice(at + 1, at + 3).map((line) => line.split(/ {2,}/)[line.startsWith(' ') ? 1 : 0])).toEqual([
    'capacity/spot-runs-out',
    'from the heal',
  ]);
});

test('bounds have worst value, limit and ratio with their units, the nearest first', () => {
  const lines = plain(160, { verbose: true }).split('\n');
  const at = lines.findIndex((line) => line.startsWith('BOUND'));
  expect(lines.slice(at, at + 3).map((line) => line.split(/ {2,}/))).toEqual([
    ['BOUND', 'WORST', 'LIMIT', 'OF LIMIT', 'CHECK', 'IN'],
    ['explain', '3 min 17 s', 'at most 31 s', '635.2 %', 'unserved-explained', 'scheduling/negative-max-skew seed 1'],
    ['provision', '3 min 12 s', 'at most 2 min 33 s', '125.6 %', 'success-rate', 'scheduling/negative-max-skew seed 1'],
  ]);
  expect(lines.find((line) => line.startsWith('repeats-a-minute'))).toMatch(/ 6 \(count\) +at most 60 \(count\) +10 % /);
});
