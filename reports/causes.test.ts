import { expect, test } from '@playwright/test';
import { causesFirst } from './causes.ts';

const check = (name: string, ...codes: string[]) => ({
  check: name,
  findings: codes.map((code) => ({ code, object: 'target', events: [], message: '' })),
});

for (const { what, codes, order } of [
  { what: 'a target that exited comes before what it did not do', codes: ['exited'], order: ['target-alive', 'success-rate', 'latency'] },
  { what: 'a target that never became ready, too', codes: ['not-ready'], order: ['target-alive', 'success-rate', 'latency'] },
  { what: 'an error that it survived keeps its place', codes: ['recovered-panic'], order: ['success-rate', 'target-alive', 'latency'] },
  { what: 'a target that lived keeps its place', codes: [], order: ['success-rate', 'target-alive', 'latency'] },
]) {
  test(what, () => {
    const checks = [check('success-rate', 'pod-not-served'), check('target-alive', ...codes), check('latency')];
    expect(causesFirst(checks).map((one) => one.check)).toEqual(order);
  });
}
