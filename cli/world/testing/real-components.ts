import { openSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { withParent } from '../../testing/processes.ts';
import { withRunningWorld } from './running-world.ts';
import type { RunningWorld } from './running-world.ts';

/** A folder with the programs of Kubernetes, of any version that knows the API of 1.34. */
export const KUBERNETES_BIN = process.env['KUBERNETES_BIN'];

/** What the programs log as errors, each with its reason. */
const EXPECTED = [
  // How a scheduler logs that it was told to end.
  'finished without leader elect',
  // A real API server keeps this ConfigMap of its own; docs/fidelity.md lists it.
  'kube-apiserver-legacy-service-account-token-tracking',
  // A real 1.34.4 logs it, too, when two hundred pods get ready within ten seconds: the controller's cache lags behind its own writes.
  'Error syncing PodDisruptionBudget, requeuing" err="Operation cannot be fulfilled',
];

type Environment = RunningWorld['operator'];

/** Starts a program of Kubernetes whose log goes to a file. */
function startComponent(name: string, args: readonly string[], operator: Environment, log: string): ChildProcess {
  const file = openSync(log, 'w');
  const common = [`--kubeconfig=${operator['KUBECONFIG']}`, '--leader-elect=false', '--secure-port=0'];
  return spawn(...withParent(join(KUBERNETES_BIN ?? '', name), [...common, ...args]), { stdio: ['ignore', file, file] });
}

/** Requests to the API server. @throws Error with the answer if it is not 2xx */
export function requester({
  CLUSTER_ENDPOINT,
}: Environment): <T>(method: string, path: string, body?: object, type?: string) => Promise<T> {
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

/** Launches instances that become nodes, spread over the zones. */
export async function launch(operator: Environment, instances: number): Promise<void> {
  const ec2 = new EC2Client({
    region: operator['AWS_REGION'] ?? '',
    endpoint: operator['AWS_ENDPOINT_URL'] ?? '',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const cluster = { name: operator['CLUSTER_NAME'], apiServerEndpoint: operator['CLUSTER_ENDPOINT'] };
  const userData = JSON.stringify({ apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec: { cluster } });
  const subnets = (operator['SUBNETS'] ?? '').split(',').map((pair) => pair.split('=')[1] ?? '');
  const image = /x86_64=([^,]+)/.exec(operator['IMAGE_IDS'] ?? '')?.[1] ?? '';
  for (let index = 0; index < instances; index += 1) {
    const input = {
      ImageId: image,
      InstanceType: 'm5.large',
      MinCount: 1,
      MaxCount: 1,
      SubnetId: subnets[index % subnets.length] ?? '',
    } as const;
    await ec2.send(
      new RunInstancesCommand({
        ...input,
        SecurityGroupIds: [operator['SECURITY_GROUP_ID'] ?? ''],
        UserData: Buffer.from(userData).toString('base64'),
      }),
    );
  }
  ec2.destroy();
}

/** Runs a quick world with a real scheduler and a real controller manager with all controllers, and expects them to log no errors. */
export async function withRealComponents(testInfo: TestInfo, work: (world: RunningWorld) => Promise<void>): Promise<void> {
  const logs = ['scheduler', 'controllers'].map((name) => testInfo.outputPath(`${name}.log`));
  const [schedulerLog = '', controllersLog = ''] = logs;
  const started: ChildProcess[] = [];
  await withRunningWorld(
    testInfo,
    async (world) => {
      try {
        started.push(startComponent('kube-scheduler', ['--authentication-kubeconfig='], world.operator, schedulerLog));
        started.push(startComponent('kube-controller-manager', ['--controllers=*'], world.operator, controllersLog));
        await work(world);
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
}
