import { expect, test } from '@playwright/test';
import { chooseEc2 } from './choose-ec2.ts';
import type { Ec2Choice, Ec2Flags } from './choose-ec2.ts';

const URL = 'http://127.0.0.1:4566';
const NONE: Ec2Flags = { awsEndpoint: undefined };

const CHOICES: readonly [what: string, world: 'kind' | 'existing', flags: Ec2Flags, environment: NodeJS.ProcessEnv, choice: Ec2Choice][] = [
  ['kind starts its own LocalStack', 'kind', NONE, {}, { kind: 'localstack' }],
  ['kind uses the one in the environment', 'kind', NONE, { LOCALSTACK_ENDPOINT: `${URL}/` }, { kind: 'localstack', endpoint: URL }],
  [
    'a flag overrides the variable',
    'kind',
    { awsEndpoint: 'http://x:1' },
    { LOCALSTACK_ENDPOINT: URL },
    { kind: 'localstack', endpoint: 'http://x:1' },
  ],
  ['kind without it', 'kind', { ...NONE, ec2: 'embedded' }, { LOCALSTACK_ENDPOINT: URL }, { kind: 'embedded' }],
  ['an empty variable is ignored', 'kind', NONE, { LOCALSTACK_ENDPOINT: '' }, { kind: 'localstack' }],
  ['an existing cluster ignores the variable without a flag', 'existing', NONE, { LOCALSTACK_ENDPOINT: URL }, { kind: 'embedded' }],
  ['an existing cluster, by flag', 'existing', { awsEndpoint: URL }, {}, { kind: 'localstack', endpoint: URL }],
  [
    'an existing cluster, by variable',
    'existing',
    { ...NONE, ec2: 'localstack' },
    { LOCALSTACK_ENDPOINT: URL },
    { kind: 'localstack', endpoint: URL },
  ],
];

for (const [what, world, flags, environment, choice] of CHOICES) {
  test(`where machines are: ${what}`, () => {
    expect(chooseEc2(world, flags, environment)).toEqual(choice);
  });
}

for (const [what, world, flags, environment, message] of [
  ['both', 'kind', { ec2: 'embedded', awsEndpoint: URL }, {}, '--aws-endpoint names a LocalStack'],
  ['a missing address', 'existing', { ...NONE, ec2: 'localstack' }, {}, 'needs --aws-endpoint'],
  ['a wrong flag', 'kind', { awsEndpoint: 'localhost' }, {}, '--aws-endpoint localhost: not the URL'],
  ['a wrong variable', 'kind', NONE, { LOCALSTACK_ENDPOINT: 'ftp://x' }, 'LOCALSTACK_ENDPOINT ftp://x: not the URL'],
] as const) {
  test(`where machines are, refused: ${what}`, () => {
    expect(() => chooseEc2(world, flags, environment)).toThrow(message);
  });
}
