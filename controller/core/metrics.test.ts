import { expect, test } from '@playwright/test';
import { Counter, Gauge, Histogram, expose } from './metrics.ts';

test('metrics in the text exposition format, in a defined order', () => {
  const counter = new Counter('b_total', 'Counts.');
  counter.inc({ reason: 'two' }, 2);
  counter.inc({ reason: 'a "quoted"\nline\\' });
  const histogram = new Histogram('c_seconds', 'Takes.', [1, 5]);
  for (const value of [0.5, 3, 7]) histogram.observe(value, { kind: 'x' });
  const gauge = new Gauge('a', 'Is.', () => [[{}, 3]]);
  expect(expose([counter, histogram, gauge])).toBe(
    [
      '# HELP a Is.',
      '# TYPE a gauge',
      'a 3',
      '# HELP b_total Counts.',
      '# TYPE b_total counter',
      'b_total{reason="a \\"quoted\\"\\nline\\\\"} 1',
      'b_total{reason="two"} 2',
      '# HELP c_seconds Takes.',
      '# TYPE c_seconds histogram',
      'c_seconds_bucket{kind="x",le="1"} 1',
      'c_seconds_bucket{kind="x",le="5"} 2',
      'c_seconds_bucket{kind="x",le="+Inf"} 3',
      'c_seconds_sum{kind="x"} 10.5',
      'c_seconds_count{kind="x"} 3',
      '',
    ].join('\n'),
  );
});

test('series are bounded', () => {
  const counter = new Counter('many_total', 'Counts.');
  for (let index = 0; index < 3_000; index += 1) counter.inc({ name: String(index) });
  expect(counter.lines()).toHaveLength(2_000);
  expect(counter.value({ name: '7' })).toBe(1);
});
