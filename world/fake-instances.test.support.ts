import type { Taint } from '../model/kube.ts';
import { privateDnsName } from './nodes/addresses.ts';
import type { Instance, InstancePort } from './ports.ts';

/** Instances that a test starts and ends. */
export class FakeInstances implements InstancePort {
  readonly #nowMs: () => number;
  readonly #instances = new Map<string, Instance>();
  readonly #listeners = new Set<(instance: Instance) => void>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  onChange(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(id: string): void {
    this.set(id, { state: 'terminated' });
  }

  /** Creates or changes an instance. */
  set(id: string, change: Partial<Instance>): void {
    const before: Instance = this.#instances.get(id) ?? {
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
    const instance = { ...changed, privateDnsName: change.privateDnsName ?? privateDnsName(changed) };
    this.#instances.set(id, instance);
    for (const listener of this.#listeners) listener(instance);
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
