import { RunInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { Instance, _InstanceType } from '@aws-sdk/client-ec2';
import type { Ec2Commands } from '../../../clients/aws-commands.ts';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Random } from '../../../runtime/random.ts';
import type { InstanceStore, Machine, MachineSpec } from '../../aws/instance-store.ts';
import { AddressPool } from '../../aws/network.ts';
import type { Subnet } from '../../aws/network.ts';
import { LocalStackError } from './endpoint.ts';
import { createNetwork, removeNetwork } from './network.ts';
import type { CreatedNetwork } from './network.ts';

/** Maximum instances to terminate in one request. Source: TerminateInstances in the API reference. */
const MAX_BATCH = 1_000;
/** Prefix of tags that only AWS's own services may set. Source: "Tag restrictions". */
const RESERVED_TAGS = 'aws:';

/** What is kept about an instance. */
interface Launched {
  readonly subnetId: string;
  readonly privateIp: string;
}

/**
 * Machines that are instances of a LocalStack account, launched one per request into subnets created for them. They stay as
 * they were launched: LocalStack learns no later tags, and no states other than termination.
 *
 * LocalStack would give each instance an address that was never in use, and never free one. So requests set the address, as
 * RunInstances allows, and say that the interface is deleted with the instance, which is the default in EC2.
 * This is how `holdAddresses` works: addresses held by others are never requested.
 */
export class LocalStackStore implements InstanceStore {
  readonly #ec2: Ec2Commands;
  readonly #subnets: readonly Subnet[];
  readonly #tokens: Random;
  readonly #addresses: ReadonlyMap<string, AddressPool>;
  readonly #onFailure: (error: Error) => void;
  readonly #machines = new Map<string, Launched>();
  /** Requests in progress: what they launch must be terminated too. */
  readonly #launching = new Set<Promise<Instance>>();
  #network: CreatedNetwork | undefined;

  /** @param parts.onFailure called when LocalStack fails to do what EC2 always does */
  constructor(parts: { ec2: Ec2Commands; subnets: readonly Subnet[]; random: Random; onFailure: (error: Error) => void }) {
    this.#ec2 = parts.ec2;
    this.#subnets = parts.subnets;
    this.#tokens = parts.random.fork('tokens');
    this.#addresses = new Map(parts.subnets.map((subnet) => [subnet.id, new AddressPool(subnet, parts.random.fork(subnet.id))]));
    this.#onFailure = parts.onFailure;
  }

  /** Creates the network. Nothing can be launched before. */
  async start(): Promise<void> {
    this.#network = await createNetwork(this.#ec2, this.#subnets);
  }

  async launch(spec: MachineSpec): Promise<Machine> {
    const { subnetId } = spec;
    const pool = this.#poolOf(subnetId);
    const privateIp = pool.take();
    const launching = this.#run(spec, privateIp);
    this.#launching.add(launching);
    try {
      const { InstanceId: id, PrivateIpAddress: given } = await launching;
      if (id === undefined || given !== privateIp) {
        throw new LocalStackError(
          `LocalStack launched ${id ?? 'no instance'} at ${given ?? 'no address'} where ${privateIp} was requested`,
        );
      }
      this.#machines.set(id, { subnetId, privateIp });
      return { id, privateIp };
    } catch (error) {
      pool.release(privateIp);
      throw error;
    } finally {
      this.#launching.delete(launching);
    }
  }

  async terminate(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine === undefined) return;
    this.#machines.delete(id);
    try {
      await this.#ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    } catch (error) {
      this.#onFailure(failure(`instance ${id} could not be terminated`, error));
      return;
    }
    this.#poolOf(machine.subnetId).release(machine.privateIp);
  }

  freeAddresses(subnetId: string): number {
    return this.#poolOf(subnetId).free;
  }

  holdAddresses(subnetId: string, count: number): () => void {
    return this.#poolOf(subnetId).hold(count);
  }

  /** Terminates what still runs, and removes the network. */
  async stop(): Promise<void> {
    while (this.#launching.size > 0) await Promise.allSettled([...this.#launching]);
    const ids = [...this.#machines.keys()];
    this.#machines.clear();
    for (let start = 0; start < ids.length; start += MAX_BATCH) {
      await this.#ec2.send(new TerminateInstancesCommand({ InstanceIds: ids.slice(start, start + MAX_BATCH) }));
    }
    if (this.#network !== undefined) await removeNetwork(this.#ec2, this.#network);
    this.#network = undefined;
  }

  async #run({ instanceType, imageId, subnetId, capacityType, tags, userData }: MachineSpec, address: string): Promise<Instance> {
    const subnet = this.#network?.subnets.get(subnetId);
    if (subnet === undefined) throw new LocalStackError(`subnet ${subnetId} does not exist in LocalStack: start the store first`);
    const own = Object.entries(tags).filter(([key]) => !key.startsWith(RESERVED_TAGS));
    const command = new RunInstancesCommand({
      MinCount: 1,
      MaxCount: 1,
      // Otherwise the SDK would generate one.
      ClientToken: this.#tokens.hex(32),
      InstanceType: instanceType as _InstanceType,
      ImageId: imageId,
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnet, PrivateIpAddress: address, DeleteOnTermination: true }],
      ...(userData === '' ? {} : { UserData: Buffer.from(userData).toString('base64') }),
      ...(capacityType === 'spot' ? { InstanceMarketOptions: { MarketType: 'spot' } } : {}),
      ...(own.length === 0 ? {} : { TagSpecifications: [{ ResourceType: 'instance', Tags: own.map(([Key, Value]) => ({ Key, Value })) }] }),
    });
    try {
      const { Instances: [instance] = [] } = await this.#ec2.send(command);
      return instance ?? {};
    } catch (error) {
      if (error instanceof Ec2Error && error.status >= 400 && error.status < 500) {
        throw new Ec2Refusal(error.code, error.message, error.status);
      }
      throw failure('an instance could not be launched', error);
    }
  }

  #poolOf(subnetId: string): AddressPool {
    const pool = this.#addresses.get(subnetId);
    if (pool === undefined) throw new RangeError(`unknown subnet ${subnetId}`);
    return pool;
  }
}

function failure(what: string, error: unknown): Error {
  return new LocalStackError(`LocalStack: ${what}: ${error instanceof Error ? error.message : String(error)}`);
}
