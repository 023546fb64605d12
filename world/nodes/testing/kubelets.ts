import { defined } from '../../../model/defined.ts';
import type { Node, Pod } from '../../../model/kube.ts';
import { conditionIn, withParts, G4DN_2XLARGE, M6I_LARGE } from '../../testing/world-parts.ts';
import type { Bench, PartSite } from '../../testing/world-parts.ts';
import type { WorldPart } from '../../tasks.ts';
import { KUBELET_DELAYS } from '../kubelet.ts';
import { Kubelets } from '../kubelets.ts';
import { NodeFaults } from '../node-faults.ts';

/** The node of instances of `FakeInstances`. */
export const NODE = 'ip-10-0-1-12.ec2.internal';
export const NODE_AT = { resource: 'nodes', name: NODE };
export const REGISTERED_MS = KUBELET_DELAYS.start.maxMs + KUBELET_DELAYS.register.maxMs;
export const READY_MS = KUBELET_DELAYS.ready.maxMs;

/** A cluster named `test` with kubelets. */
export interface KubeletBench extends Bench {
  readonly kubelets: Kubelets;
  readonly faults: NodeFaults;
  /** Log lines so far. */
  readonly lines: readonly string[];
  /** Reboots an instance. */
  reboot(id: string): void;
  ready(): Promise<void>;
  /** Status of the Ready condition of NODE. */
  readiness(): Promise<string | undefined>;
  phase(pod: string): Promise<string | undefined>;
}

/** Runs `work` with kubelets, and other parts if given. */
export async function withKubelets(
  work: (bench: KubeletBench) => Promise<void>,
  {
    seed = 1,
    more = () => [],
    statusReportPeriodMs,
  }: {
    seed?: number;
    more?: (site: PartSite & { readonly faults: NodeFaults; readonly kubelets: Kubelets }) => readonly WorldPart[];
    statusReportPeriodMs?: number;
  } = {},
): Promise<void> {
  let kubelets: Kubelets | undefined;
  const lines: string[] = [];
  const faults = new NodeFaults();
  const rebootListeners = new Set<(id: string) => void>();
  const parts = (site: PartSite): readonly WorldPart[] => {
    const { port, clock, random, instances } = site;
    kubelets = new Kubelets({
      port: port('node'),
      instances,
      clock,
      random,
      onNeverRegisters: (id, why) => void lines.push(`${id} will never register: ${why}`),
      clusterName: 'test',
      securityGroupId: 'sg-test',
      instanceType: (type) => [M6I_LARGE, G4DN_2XLARGE].find((one) => one.type === type),
      faults,
      onReboot: (listener) => {
        rebootListeners.add(listener);
        return () => rebootListeners.delete(listener);
      },
      ...defined({ statusReportPeriodMs }),
    });
    return [kubelets, ...more({ ...site, faults, kubelets })];
  };
  await withParts(
    parts,
    async (bench) => {
      if (kubelets === undefined) return;
      const readiness = async (): Promise<string | undefined> => conditionIn(await bench.node(NODE), 'Ready')?.status;
      await work({
        ...bench,
        kubelets,
        faults,
        lines,
        reboot: (id) => rebootListeners.forEach((listener) => listener(id)),
        readiness,
        ready: () => bench.until('the node is ready', async () => (await readiness()) === 'True', REGISTERED_MS + READY_MS),
        phase: async (name) => (await bench.port.get<Pod>(podRef(name)))?.status?.phase,
      });
    },
    seed,
  );
}

export function podRef(name: string): { resource: string; namespace: string; name: string } {
  return { resource: 'pods', namespace: 'default', name };
}

/** Keys of the taints of NODE. */
export function taintKeys(node: Node | undefined): string[] {
  return (node?.spec?.taints ?? []).map(({ key }) => key).sort();
}
