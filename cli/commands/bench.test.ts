import { expect, test } from '@playwright/test';
import { scaleproofHere } from '../testing/command.ts';
import { benchReportSchema, formatBench, reportOf } from './bench.ts';

test('median and worst are reported for each scenario and for all trials', () => {
  const sample = { scenario: 'a/a', cpuMs: 100, virtualMs: 60_000, events: 200, readyMs: 40, peakMemoryMiB: 300 };
  const report = reportOf(
    [sample, { ...sample, cpuMs: 300, peakMemoryMiB: 400 }, { ...sample, scenario: 'a/b', cpuMs: 200, readyMs: undefined }],
    {
      target: 'reference',
    },
  );
  expect(benchReportSchema.parse(report)).toMatchObject({
    isWithin: true,
    all: { trials: 3, medianCpuMs: 200, worstCpuMs: 300, eventsPerCpuS: 1_000, ratio: 300, readyMs: 40, peakMemoryMiB: 400 },
    scenarios: [
      { scenario: 'a/a', trials: 2, medianCpuMs: 100, worstCpuMs: 300, eventsPerCpuS: 1_000 },
      { scenario: 'a/b', trials: 1, medianCpuMs: 200 },
    ],
  });
  const slow = reportOf([{ ...sample, cpuMs: 251 }], { target: 'reference' });
  expect(slow.isWithin).toBe(false);
  expect(formatBench(slow, { color: false, columns: 120 })).toContain('the median trial takes 251ms of processor time, more than 250ms\n');
  const heavy = reportOf([{ ...sample, cpuMs: 9_000 }], { target: 'karpenter@1.14.1', cost: 'heavy' });
  expect(heavy).not.toHaveProperty('medianLimitMs');
  expect(formatBench(heavy, { color: false, columns: 120 })).toContain('the median trial takes 9.0s of processor time\n');
});

test('trials are measured in the processes that run them', { tag: '@long' }, async () => {
  const { code, stdout } = await scaleproofHere(['bench', '--scenario', 'scheduling/node-selectors', '--trials', '2', '--json']);
  expect(code).toBe(0);
  const { all } = benchReportSchema.parse(JSON.parse(stdout));
  expect(all.trials).toBe(2);
  expect(all.medianCpuMs).toBeGreaterThan(10);
  expect(all.worstCpuMs).toBeGreaterThanOrEqual(all.medianCpuMs);
  expect(all.ratio).toBeGreaterThan(1);
});
