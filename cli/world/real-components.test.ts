import { existsSync, openSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import type { KubeObject, Node, Pod } from '../../model/kube.ts';
import { withRunningWorld } from './testing/running-world.ts';
import type { RunningWorld } from './testing/running-world.ts';

/** A folder with the programs of Kubernetes, of any version that knows the API of 1.34. */
const FOLDER = process.env['KUBERNETES_BIN'];
const PODS = 9;
const INSTANCES = 3;
/** Boot, registration, schedule and start, in a quick world on a busy machine. */
const SERVED = { timeout: 120_000 };
/** A kubelet looks at its status every ten seconds. */
const HEALED = { timeout: 20_000 };

/** What the programs log as errors, each with its reason. */
const EXPECTED = [
  // How a scheduler logs that it was told to end.
  'finished without leader elect',
  // A real API server keeps this ConfigMap of its own; docs/fidelity.md lists it.
  'kube-apiserver-legacy-service-account-token-tracking',
];

type Environment = RunningWorld['operator'];

/** Starts a program of Kubernetes whose log goes to a file. */
function startComponent(name: string, args: readonly string[], operator: Environment, log: string): ChildProcess {
  const file = openSync(log, 'w');
  const common = [`--kubeconfig=${operator['KUBECONFIG']}`, '--leader-elect=false', '--secure-port=0'];
  return spawn(join(FOLDER ?? '', name), [...common, ...args], { stdio: ['ignore', file, file] });
}

function requester({ CLUSTER_ENDPOINT }: Environment): <T>(method: string, path: string, body?: object, type?: string) => Promise<T> {
  return async <T>(method: string, path: string, body?: object, type = 'application/json') => {
    const headers = { 'content-type': type };
    const answer = await fetch(`${CLUSTER_ENDPOINT}${path}`, {
      method,
      headers,
      ...defined({ body: body && JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
}

async function launch(operator: Environment): Promise<void> {
  const ec2 = new EC2Client({
    region: operator['AWS_REGION'] ?? '',
    endpoint: operator['AWS_ENDPOINT_URL'] ?? '',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const cluster = { name: operator['CLUSTER_NAME'], apiServerEndpoint: operator['CLUSTER_ENDPOINT'] };
  const userData = JSON.stringify({ apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec: { cluster } });
  const subnets = (operator['SUBNETS'] ?? '').split(',').map((pair) => pair.split('=')[1] ?? '');
  const image = /x86_64=([^,]+)/.exec(operator['IMAGE_IDS'] ?? '')?.[1] ?? '';
  for (let index = 0; index < INSTANCES; index += 1) {
    const input = { ImageId: image, InstanceType: 'm5.large', MinCount: 1, MaxCount: 1, SubnetId: subnets[index] ?? '' } as const;
    await ec2.send(new RunInstancesCommand({ ...input, UserData: Buffer.from(userData).toString('base64') }));
  }
  ec2.destroy();
}

test('a real scheduler and a real controller manager with all controllers take the places of the own ones', async ({}, testInfo) => {
  test.skip(FOLDER === undefined, 'KUBERNETES_BIN does not name a folder with kube-scheduler and kube-controller-manager');
  for (const name of ['kube-scheduler', 'kube-controller-manager']) expect(existsSync(join(FOLDER ?? '', name)), name).toBe(true);
  test.setTimeout(300_000);
  const logs = ['scheduler', 'controllers'].map((name) => testInfo.outputPath(`${name}.log`));
  const [schedulerLog = '', controllersLog = ''] = logs;
  const started: ChildProcess[] = [];
  await withRunningWorld(
    testInfo,
    async ({ operator }) => {
      try {
        started.push(startComponent('kube-scheduler', ['--authentication-kubeconfig='], operator, schedulerLog));
        started.push(startComponent('kube-controller-manager', ['--controllers=*'], operator, controllersLog));
        await launch(operator);
        const request = requester(operator);
        const labels = { app: 'web' };
        const containers = [{ name: 'web', image: 'web', resources: { requests: { cpu: '300m' } } }];
        await request('POST', '/apis/apps/v1/namespaces/default/deployments', {
          metadata: { name: 'web' },
          spec: { replicas: PODS, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
        });
        const running = async (): Promise<number> => {
          const { items } = await request<{ items: Pod[] }>('GET', '/api/v1/namespaces/default/pods');
          return items.filter(({ status }) => status?.phase === 'Running').length;
        };
        await expect.poll(running, SERVED).toBe(PODS);

        const [node] = (await request<{ items: Node[] }>('GET', '/api/v1/nodes')).items;
        const at = `/api/v1/nodes/${node?.metadata.name}`;
        const lost = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } };
        await request('PATCH', `${at}/status`, lost, 'application/strategic-merge-patch+json');
        const ready = async (): Promise<string | undefined> => {
          const { status } = await request<Node>('GET', at);
          return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
        };
        await expect.poll(ready, HEALED).toBe('True');
        const events = await request<{ items: KubeObject[] }>('GET', '/apis/events.k8s.io/v1/events?fieldSelector=reason%3DScheduled');
        expect(events.items.length).toBe(PODS);
      } finally {
        for (const child of started) child.kill('SIGTERM');
      }
    },
    ['--without', 'scheduler,controllers'],
  );
  const errors = logs.flatMap((log) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => /^[EF]\d{4} /.test(line) && !EXPECTED.some((text) => line.includes(text))),
  );
  expect(errors).toEqual([]);
});
