import { expect, test } from '@playwright/test';
import { parseTargetFile } from './target-file.ts';

const LEAST = {
  name: 'mine',
  command: ['./autoscaler'],
  constants: { emptyAfter: '1m', termination: '35s' },
  pools: { as: 'karpenter' },
  ready: { delay: '0s' },
};

function parse(change: object): ReturnType<typeof parseTargetFile> {
  return parseTargetFile('target.yaml', JSON.stringify({ ...LEAST, ...change }));
}

test('omitted fields have defaults', () => {
  expect(parse({})).toEqual({
    ...LEAST,
    environment: {},
    features: [],
    constants: {
      batchMaxMs: 10_000,
      retryPeriodMs: 10_000,
      launchTimeoutMs: 300_000,
      registrationTimeoutMs: 900_000,
      collectionMs: 150_000,
      emptyAfterMs: 60_000,
      terminationMs: 35_000,
      unavailableOfferingMs: 180_000,
      offeringsPerLaunch: 60,
      consolidationMs: 110_000,
      driftMs: 300_000,
    },
    ready: { delay: 0 },
  });
});

test('durations are milliseconds or Go durations; scalars of an environment become strings', () => {
  const file = parse({
    constants: { ...LEAST.constants, emptyAfter: 1500, collection: '1h30m', batchMax: '1.5s', termination: '0' },
    environment: { A: 1, B: true, C: '${PORT}', D: '' },
    ready: { http: 'http://127.0.0.1:${PORT}/readyz' },
  });
  expect(file).toMatchObject({
    constants: { emptyAfterMs: 1_500, collectionMs: 5_400_000, batchMaxMs: 1_500, terminationMs: 0 },
    environment: { A: '1', B: 'true', C: '${PORT}', D: '' },
    ready: { http: 'http://127.0.0.1:${PORT}/readyz', within: 120_000 },
  });
});

for (const { change, says } of [
  { change: { nmae: 'x' }, says: 'the file has no field nmae; did you mean name?' },
  { change: { livenessProbe: {} }, says: 'the file has no field livenessProbe; known fields: name, command, ' },
  { change: { name: undefined }, says: 'name is missing' },
  { change: { command: undefined }, says: "command is missing: it is a list of the program and its arguments, such as ['./autoscaler'" },
  { change: { name: '' }, says: 'name must not be empty' },
  { change: { command: './autoscaler' }, says: 'command must be a list' },
  { change: { command: [] }, says: 'command must name a program' },
  { change: { command: ['x', '--kubeconfig=${KUBECONFG}'] }, says: 'command.1 refers to ${KUBECONFG}; known variables: KUBECONFIG, ' },
  { change: { environment: ['A=b'] }, says: 'environment must be a map of variables' },
  { change: { environment: { A: '${HOME}' } }, says: 'environment.A refers to ${HOME}; known variables: KUBECONFIG, ' },
  { change: { environment: { A: { b: 1 } } }, says: 'environment.A must be a string' },
  { change: { environment: { 'a-b': 'c' } }, says: 'is not a valid variable name' },
  { change: { features: ['sopt'] }, says: 'features.0 must be one of spot, interruption' },
  {
    change: { constants: undefined },
    says: 'constants is missing: it needs emptyAfter and termination, such as {emptyAfter: 1m, termination: 35s}',
  },
  { change: { constants: { emptyAfter: '1m' } }, says: 'constants.termination is missing: a duration such as 90s, 15m or 1h30m' },
  {
    change: { constants: { ...LEAST.constants, emptyAfter: '1 minute' } },
    says: 'constants.emptyAfter must be a duration such as 90s, 15m or 1h30m (units h, m, s, ms), or a number of milliseconds, not "1 minute"',
  },
  { change: { constants: { ...LEAST.constants, emptyAfter: -1 } }, says: 'or a number of milliseconds, not -1' },
  {
    change: { constants: { ...LEAST.constants, retryPeriod: 0 } },
    says: 'or a number of milliseconds, more than 0, not 0',
  },
  {
    change: { constants: { ...LEAST.constants, offeringsPerLaunch: 0 } },
    says: 'constants.offeringsPerLaunch must be a positive whole number',
  },
  { change: { constants: { ...LEAST.constants, batchMaxMs: 1 } }, says: 'constants has no field batchMaxMs; did you mean batchMax?' },
  { change: { resources: 'nodeclaims' }, says: 'resources must be a list' },
  { change: { install: 'crds.yaml' }, says: 'install must be a list' },
  { change: { pools: undefined }, says: 'pools is missing: it is {as: karpenter}, {as: groups} or {command: [...]}' },
  { change: { pools: 'karpenter' }, says: 'pools must be {as: karpenter}, {as: groups} or {command: [...]}' },
  { change: { pools: { as: 'nodes' } }, says: 'pools.as must be karpenter or groups' },
  { change: { pools: { as: 'groups', nodeClass: {} } }, says: 'pools has no field nodeClass' },
  { change: { pools: { as: 'karpenter', nodeClas: {} } }, says: 'pools has no field nodeClas; did you mean nodeClass?' },
  { change: { pools: { command: [] } }, says: 'pools.command must name a program' },
  { change: { ready: undefined }, says: 'ready must be one of {http: URL}, {log: TEXT} and {delay: DURATION}' },
  { change: { ready: { htpp: 'x' } }, says: 'ready must be one of {http: URL}, {log: TEXT} and {delay: DURATION}' },
]) {
  test(`refused: ${JSON.stringify(change, (_key, value: unknown) => value ?? null)}`, () => {
    expect(() => parse(change)).toThrow(says);
    expect(() => parse(change)).toThrow(/^target\.yaml: /);
  });
}

test('every invalid field is named, and invalid YAML is an error', () => {
  expect(() => parse({ name: 1, command: [] })).toThrow('target.yaml: name must be a string; command must name a program');
  expect(() => parseTargetFile('target.yaml', 'a: [')).toThrow('target.yaml is not YAML: ');
  expect(() => parseTargetFile('target.yaml', '')).toThrow('target.yaml: the file must be a map of fields');
});
