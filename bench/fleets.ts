import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { createRealTimeline } from '../runtime/timeline.ts';
import { startWorld } from './servers.ts';
import { anchorFolder } from './site.ts';
import type { BenchSite } from './site.ts';
import { freePort } from './toxiproxy.ts';
import type { Row } from './table.ts';
import { lastLine, usageOf } from './usage.ts';

const VERSION = '5.2.5';
const MOTO = `moto ${VERSION}`;
const INSTALL_TIMEOUT_MS = 600_000;
const START_ATTEMPTS = 300;
const ATTEMPT_PERIOD_MS = 200;

const REQUESTS = 100;
/** Others before them warm up. */
const WARM_UP = 20;
const OVERRIDES = 60;
/** Of common families in all zones: twenty types in three zones. */
const FAMILIES = ['m5', 'm5a', 'm6i', 'm6a', 'c5', 'c5a', 'c6i', 'c6a', 'r5', 'r6i'];
const TYPES = FAMILIES.flatMap((family) => [`${family}.large`, `${family}.xlarge`]);

/** An EC2 at an address. */
interface Ec2Server {
  readonly url: string;
  readonly cpuMs: () => Promise<number>;
}

/** CreateFleet as Karpenter sends it, with 60 overrides for one instance, beside moto. */
export async function measureFleets({ scale, say }: BenchSite): Promise<Row[]> {
  const requests = Math.max(1, Math.round(REQUESTS * scale));
  const world = await startWorld();
  const moto = await startMoto(say);
  try {
    say('fleets: ours');
    const ours = await measure({ url: world.awsUrl, cpuMs: world.cpuMs }, requests);
    say('fleets: moto');
    const value = 'absent' in moto ? moto : await measure(moto, requests);
    return [{ what: `CreateFleet with ${OVERRIDES} overrides: CPU, ms`, ours, anchor: { name: MOTO, value } }];
  } finally {
    await world.stop();
    if (!('absent' in moto)) moto.child.kill();
  }
}

/** @returns processor time of a request in ms */
async function measure({ url, cpuMs }: Ec2Server, requests: number): Promise<number> {
  const subnets = await ask(url, 'DescribeSubnets', {});
  const images = await ask(url, 'DescribeImages', { 'Filter.1.Name': 'architecture', 'Filter.1.Value.1': 'x86_64' });
  const name = 'bench';
  const image = valuesOf(images, 'imageId')[0] ?? '';
  await ask(url, 'CreateLaunchTemplate', { LaunchTemplateName: name, 'LaunchTemplateData.ImageId': image });
  const zones = valuesOf(subnets, 'subnetId').slice(0, OVERRIDES / TYPES.length);
  const overrides = zones.flatMap((SubnetId) => TYPES.map((InstanceType) => ({ InstanceType, SubnetId })));
  if (overrides.length !== OVERRIDES) throw new Error(`there are ${overrides.length} overrides`);
  const config = 'LaunchTemplateConfigs.1';
  const fleet: Record<string, string> = {
    Type: 'instant',
    'TargetCapacitySpecification.TotalTargetCapacity': '1',
    'TargetCapacitySpecification.DefaultTargetCapacityType': 'on-demand',
    'OnDemandOptions.AllocationStrategy': 'lowest-price',
    [`${config}.LaunchTemplateSpecification.LaunchTemplateName`]: name,
    [`${config}.LaunchTemplateSpecification.Version`]: '$Latest',
  };
  for (const [index, override] of overrides.entries()) {
    for (const [key, value] of Object.entries(override)) fleet[`${config}.Overrides.${index + 1}.${key}`] = value;
  }
  const launch = async (): Promise<void> => {
    const answer = await ask(url, 'CreateFleet', fleet);
    if (!/>i-[0-9a-f]+</.test(answer)) throw new Error(`nothing was launched: ${answer}`);
  };
  for (let request = 0; request < WARM_UP; request += 1) await launch();
  const before = await cpuMs();
  for (let request = 0; request < requests; request += 1) await launch();
  return ((await cpuMs()) - before) / requests;
}

/** Tells moto which service is asked. */
const AUTHORIZATION = 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';

/** @returns the answer's XML @throws Error if the request is refused */
async function ask(url: string, action: string, input: Readonly<Record<string, string>>): Promise<string> {
  const body = new URLSearchParams({ Action: action, Version: '2016-11-15', ...input });
  const answer = await fetch(url, { method: 'POST', headers: { authorization: AUTHORIZATION }, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${action}: ${text}`);
  return text;
}

/** The different texts of all elements with a name. */
function valuesOf(xml: string, element: string): string[] {
  return [...new Set([...xml.matchAll(new RegExp(`<${element}>([^<]+)<`, 'g'))].map(([, value = '']) => value))];
}

/** Starts moto's server, which is installed into the user's cache unless an earlier run did. */
async function startMoto(
  say: (line: string) => void,
): Promise<(Ec2Server & { readonly child: ChildProcess }) | { readonly absent: string }> {
  const folder = anchorFolder(`moto-${VERSION}`);
  const program = join(folder, 'bin/moto_server');
  if (!existsSync(program)) {
    say(`fleets: installing ${MOTO}`);
    const problem = await install(folder);
    if (problem !== undefined) {
      await rm(folder, { recursive: true, force: true });
      return { absent: problem };
    }
  }
  const port = await freePort();
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const problem: unknown = await once(child, 'spawn').then(
    () => undefined,
    (error: unknown) => error,
  );
  // E.g. because the Python that it was installed with is gone.
  if (problem instanceof Error) return { absent: `it does not start (${problem.message}); remove ${folder}` };
  const url = `http://127.0.0.1:${port}`;
  const clock = createRealTimeline().scope('moto');
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    await clock.sleep(ATTEMPT_PERIOD_MS);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) return { url, child, cpuMs: async () => (await usageOf(child.pid ?? 0)).cpuMs };
  }
  child.kill();
  return { absent: `it did not listen within ${(START_ATTEMPTS * ATTEMPT_PERIOD_MS) / 1_000} s` };
}

/** @returns why it failed, if it did */
async function install(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  const options = { reject: false, timeout: INSTALL_TIMEOUT_MS } as const;
  const made = await execa('python3', ['-m', 'venv', folder], options);
  if (made.failed) return made.code === 'ENOENT' ? 'Python is not installed' : `no virtual environment: ${lastLine(made.stderr)}`;
  const installed = await execa(join(folder, 'bin/pip'), ['install', '--quiet', `moto[server,ec2]==${VERSION}`], options);
  return installed.failed ? `it can't be installed: ${lastLine(installed.stderr)}` : undefined;
}
