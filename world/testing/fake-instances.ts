import type { Taint } from '../../model/kube.ts';
import { InstanceBook } from '../instance-book.ts';
import { privateDnsName } from '../aws/addresses.ts';
import type { Instance, InstancePort } from '../ports.ts';

/** Instances that a test starts and terminates. */
export class FakeInstances extends InstanceBook implements InstancePort {
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    super();
    this.#nowMs = nowMs;
  }

  end(id: string): void {
    this.set(id, { state: 'terminated' });
  }

  /** Creates or changes an instance. */
  set(id: string, change: Partial<Instance>): void {
    const before: Instance = this.get(id) ?? {
      id,
      instanceType: 'm6i.large',
      zone: 'us-east-1a',
      capacityType: 'on-demand',
      state: 'running',
      privateIp: '10.0.1.12',
      privateDnsName: '',
      launchedAtMs: this.#nowMs(),
      tags: {},
      userData: userData({}),
      usdPerHour: 0.1,
    };
    const changed = { ...before, ...change };
    this.note({ ...changed, privateDnsName: change.privateDnsName ?? privateDnsName(changed) });
  }
}

/** A NodeConfig as plain YAML (JSON is YAML). */
export function userData(options: { cluster?: string; flags?: string[]; taints?: Taint[] }): string {
  const { cluster = 'test', flags = [], taints = [] } = options;
  return JSON.stringify({
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: { cluster: { name: cluster }, kubelet: { flags, config: { registerWithTaints: taints } } },
  });
}
