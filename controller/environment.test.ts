import { expect, test } from '@playwright/test';
import { ConfigError, readProcessConfig } from './environment.ts';
import { QUICK, STANDARD } from './periods.ts';

const COMPLETE = {
  KUBECONFIG: '/etc/kubeconfig',
  AWS_REGION: 'us-east-1',
  CLUSTER_NAME: 'test',
  SUBNETS: 'us-east-1a=subnet-a, us-east-1b=subnet-b',
  SECURITY_GROUP_ID: 'sg-1',
  IMAGE_IDS: 'x86_64=ami-x,arm64=ami-a',
};

test('a complete environment', () => {
  expect(readProcessConfig([], COMPLETE)).toEqual({
    kubeconfig: '/etc/kubeconfig',
    ec2Endpoint: 'https://ec2.us-east-1.amazonaws.com',
    sqsEndpoint: 'https://sqs.us-east-1.amazonaws.com',
    metrics: undefined,
    leaderElection: false,
    credentials: undefined,
    periods: STANDARD,
    cluster: {
      name: 'test',
      region: 'us-east-1',
      subnets: { 'us-east-1a': 'subnet-a', 'us-east-1b': 'subnet-b' },
      securityGroupId: 'sg-1',
      imageIds: { x86_64: 'ami-x', arm64: 'ami-a' },
    },
  });
});

test('the flag and the more specific endpoint take precedence', () => {
  const endpoints = { AWS_ENDPOINT_URL: 'http://localhost:1', AWS_ENDPOINT_URL_EC2: 'http://localhost:2' };
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };
  expect(readProcessConfig(['--kubeconfig', '/mine'], { ...COMPLETE, ...endpoints, ...keys })).toMatchObject({
    kubeconfig: '/mine',
    ec2Endpoint: 'http://localhost:2',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
  });
});

for (const [name, change, message] of [
  ['a missing variable', { CLUSTER_NAME: undefined }, 'CLUSTER_NAME'],
  ['an empty one', { CLUSTER_NAME: '' }, 'CLUSTER_NAME'],
  ['subnets that are not pairs', { SUBNETS: 'subnet-a' }, 'SUBNETS: must be KEY=VALUE pairs'],
  ['a missing image', { IMAGE_IDS: 'x86_64=ami-x' }, 'IMAGE_IDS.arm64'],
  ['an endpoint that is not a URL', { AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL'],
  ['an unknown name of periods', { PERIODS: 'fast' }, 'PERIODS'],
  ['no pools', { POOLS: '' }, 'POOLS: "" is not a NodePool name'],
  ['pools with an invalid name', { POOLS: 'a,B' }, 'POOLS: "B" is not a NodePool name'],
  ['half of a key', { AWS_ACCESS_KEY_ID: 'id' }, 'AWS_SECRET_ACCESS_KEY'],
] as const) {
  test(`refused with its name: ${name}`, () => {
    expect(() => readProcessConfig([], { ...COMPLETE, ...change })).toThrow(ConfigError);
    expect(() => readProcessConfig([], { ...COMPLETE, ...change })).toThrow(message);
  });
}

test('periods for real time are chosen by name', () => {
  expect(readProcessConfig([], { ...COMPLETE, PERIODS: 'quick' }).periods).toBe(QUICK);
});

test('it can be confined to some pools', () => {
  expect(readProcessConfig([], COMPLETE).pools).toBeUndefined();
  const { pools } = readProcessConfig([], { ...COMPLETE, POOLS: 'default, batch-*,!batch-2' });
  expect(['default', 'batch-1', 'batch-2', 'other', ''].filter((name) => pools?.owns(name))).toEqual(['default', 'batch-1']);
});

test('an unknown option is refused', () => {
  expect(() => readProcessConfig(['--verbose'], COMPLETE)).toThrow('the only option is --kubeconfig PATH');
});
