import type { InstanceType } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { Condition, KubeEvent, KubeObject, Node, Pod, PodSpec, Taint } from '../../model/kube.ts';
import type { Principal } from '../../model/operation.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRandom } from '../../runtime/random.ts';
import type { Random } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { createApiServer } from '../kube/api-server.ts';
import { apiVersionOf } from '../kube/resource.ts';
import type { Commit } from '../kube/store.ts';
import { unmarshalError } from '../../protocols/kube/unmarshal.ts';
import { loadKubeTypes } from '../../protocols/kube/types.ts';
import { unknownFields } from '../../protocols/kube/unknown-fields.ts';
import { FakeInstances, userData } from './fake-instances.ts';
import type { CountingPort } from '../ports.ts';
import type { WorldPart } from '../tasks.ts';

export { FakeInstances, userData };

/** A cluster in which some of the world's parts run. */
export interface Bench {
  readonly port: CountingPort;
  readonly clock: Clock;
  readonly instances: FakeInstances;
  pod(name: string): Promise<Pod | undefined>;
  pods(): Promise<Pod[]>;
  node(name: string): Promise<Node | undefined>;
  /** Reason and message of the Events about an object, in chronological order. */
  eventsAbout(name: string): Promise<string[]>;
  /** Polls until it holds. @throws Error naming what did not happen */
  until(what: string, holds: () => Promise<boolean>, maxMs: number): Promise<void>;
}

/** The dependencies of parts. */
export interface PartSite {
  readonly port: (principal: Principal) => CountingPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly instances: FakeInstances;
}

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const POLL_MS = 10;

/** Runs `work` under virtual time beside some parts, and stops them; they must then end by themselves. */
export async function withParts(
  parts: (site: PartSite) => readonly WorldPart[],
  work: (bench: Bench) => Promise<void>,
  seed: number | string = 1,
): Promise<void> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const server = createApiServer({ clock: timeline.scope('api'), random: random.fork('api') });
  const mistyped = new Set<string>();
  server.onCommit((commit) => typeProblems(commit).forEach((problem) => mistyped.add(problem)));
  const clock = timeline.scope('parts');
  const instances = new FakeInstances(() => clock.nowMs());
  const site: PartSite = { port: (principal) => server.port(principal), clock, random: random.fork('parts'), instances };
  const stopping = new AbortController();
  const running = parts(site).map((part) => part.run(stopping.signal));
  const failed = Promise.race([...running, new Promise<void>(() => undefined)]);
  const trial = async (): Promise<void> => {
    await Promise.race([work(benchOf(server.port('scenario'), timeline.scope('test'), instances)), failed]);
    stopping.abort(new Error('the test is over'));
    await Promise.all(running);
  };
  try {
    await timeline.run(trial());
  } finally {
    server.stop();
  }
  if (mistyped.size > 0) throw new Error(`parts of the world have written what a client may not:\n${[...mistyped].join('\n')}`);
}

const TYPES = loadKubeTypes();

/** The API server trusts the world's own parts to write fields that exist, with their types. Here nobody is trusted. */
function typeProblems({ resource, version: { text } }: Commit): string[] {
  const object: unknown = JSON.parse(text);
  const type = TYPES.nameOf(apiVersionOf(resource), resource.kind);
  if (type === undefined) return [];
  const mistyped = unmarshalError(object, type, TYPES);
  const problems = [...(mistyped === undefined ? [] : [mistyped]), ...unknownFields(object, type, TYPES)];
  return problems.map((problem) => `${resource.kind}: ${problem}`);
}

function benchOf(port: CountingPort, clock: Clock, instances: FakeInstances): Bench {
  return {
    port,
    clock,
    instances,
    pod: (name) => port.get<Pod>({ resource: 'pods', namespace: 'default', name }),
    pods: () => port.list<Pod>('pods'),
    node: (name) => port.get<Node>({ resource: 'nodes', name }),
    eventsAbout: async (name) => {
      const events = (await port.list<KubeEvent>('events')).filter((event) => event.involvedObject.name === name);
      return events
        .sort((a, b) => ((a.firstTimestamp ?? '') < (b.firstTimestamp ?? '') ? -1 : 1))
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    until: async (what, holds, maxMs) => {
      const endMs = clock.nowMs() + maxMs;
      while (!(await holds())) {
        if (clock.nowMs() >= endMs) throw new Error(`not within ${maxMs} ms: ${what}`);
        await clock.sleep(POLL_MS);
      }
    },
  };
}

export const M6I_LARGE: InstanceType = {
  type: 'm6i.large',
  vcpu: 2,
  memoryMiB: 8192,
  architecture: 'x86_64',
  hypervisor: 'nitro',
  bareMetal: false,
  currentGeneration: true,
  usageClasses: ['on-demand', 'spot'],
  networkInterfaces: 3,
  ipv4PerInterface: 10,
  zones: ['us-east-1a'],
  onDemandUsdPerHour: 0.096,
};

/** Eight cores and one GPU. */
export const G4DN_2XLARGE: InstanceType = {
  ...M6I_LARGE,
  type: 'g4dn.2xlarge',
  vcpu: 8,
  memoryMiB: 32_768,
  onDemandUsdPerHour: 0.752,
  gpu: { count: 1, name: 'T4', manufacturer: 'NVIDIA', memoryMiB: 16_384, workloads: ['ml-ai'] },
};

/** The specification of a test's node. */
export interface NodeSpec {
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cpu?: string;
  readonly pods?: string;
  readonly taints?: Taint[];
  readonly unschedulable?: boolean;
}

/** A ready node with 4 cores, 8 GiB and room for 20 pods, by default. */
export function makeNode(
  name: string,
  { zone, labels = {}, cpu = '4', pods = '20', taints = [], unschedulable = false }: NodeSpec = {},
): Node {
  const resources = { cpu, memory: '8Gi', pods };
  return {
    metadata: { name, labels: { [LABEL.hostname]: name, ...defined({ [LABEL.zone]: zone }), ...labels } },
    spec: { taints, unschedulable },
    status: { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** Creates a ready node as the controllers leave it: the API server taints new nodes until they are ready. */
export async function addNode(port: CountingPort, name: string, spec: NodeSpec = {}): Promise<void> {
  await port.create<Node>('nodes', makeNode(name, spec));
  const taints = spec.taints ?? [];
  await port.patch({ resource: 'nodes', name }, { spec: { taints: taints.length === 0 ? null : taints } });
}

/** A pod that requests 1 core, by default. */
export function makePod(
  name: string,
  { cpu = '1', labels, ...spec }: Partial<PodSpec> & { cpu?: string; labels?: Record<string, string> } = {},
): Pod {
  return {
    metadata: { name, namespace: 'default', ...defined({ labels }) },
    spec: { containers: [{ name: 'main', image: 'app', resources: { requests: { cpu } } }], ...spec },
  };
}

export async function addPod(port: CountingPort, ...args: Parameters<typeof makePod>): Promise<void> {
  await port.create<Pod>('pods', makePod(...args));
}

export function conditionIn(
  object: (KubeObject & { status?: { conditions?: Condition[] } }) | undefined,
  type: string,
): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}
