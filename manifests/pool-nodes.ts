import { parse } from 'yaml';
import { z } from 'zod';
import { archOf } from '../model/catalogue.ts';
import type { InstanceType, Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { problemOf } from '../model/mistake.ts';
import { isQuantity, toWhole } from '../model/quantity.ts';
import type { Resources } from '../model/resources.ts';
import { ROOT_VOLUME } from '../model/root-volume.ts';
import { NodeConfigError, kubeletConfigSchema, parseNodeConfig } from '../world/nodes/node-config.ts';
import type { NodeConfig } from '../world/nodes/node-config.ts';
import { nodeResources } from '../world/nodes/node-resources.ts';
import type { BlockDevice, NodeClassSpec } from './node-classes.ts';

/** What the nodes of a pool are like. */
export interface PoolNodes {
  /** What all pods together may request on a node of this type; devices only where scenarios wait for their plugins. */
  readonly allocatable: (type: InstanceType) => Resources;
  /** Why there are none. */
  readonly problem?: string;
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** Karpenter's default for `vmMemoryOverheadPercent`. */
const PLANNED_OVERHEAD = 0.075;
/** Memory of arm64 machines that Karpenter leaves out of its plans. */
const ARM_RESERVE_MIB = 64;
/** Karpenter's nodes start with it, and are registered when it is removed. */
const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

/**
 * The nodes of a pool without any fault. With a class, pods have to fit what Karpenter plans with (aws/karpenter-provider-aws,
 * pkg/providers/instancetype/types.go) and what the node then has: user data changes only the latter.
 */
export function poolNodes({ nodeClass, nodeSettings }: Pool): PoolNodes {
  if (nodeClass === undefined) return { allocatable: (type) => nodeResources(type, nodeSettings?.kubelet).allocatable };
  const spec: NodeClassSpec = nodeClass.spec;
  const none = (why: string): PoolNodes => ({ allocatable: () => ({}), problem: `its EC2NodeClass ${nodeClass.name}: ${why}` });
  const size = (spec.blockDeviceMappings ?? []).map(volumeSizeOf).find((text) => text !== undefined && !isQuantity(text));
  if (size !== undefined) return none(`volumeSize ${JSON.stringify(size)} is no quantity`);
  const rootVolumeGiB = rootVolumeOf(spec);
  if (rootVolumeGiB !== undefined && rootVolumeGiB < ROOT_VOLUME.sizeGiB)
    return none(`the root volume has ${rootVolumeGiB} GiB, and the image needs ${ROOT_VOLUME.sizeGiB}`);
  const problem = kubeletProblem(spec);
  if (problem !== undefined) return none(problem);
  try {
    const { settings, localDisks, taints } = configOf(spec);
    if (!taints.some(({ key }) => key === UNREGISTERED.key))
      return none(`--register-with-taints in its user data replaces the taint ${UNREGISTERED.key}, without which Karpenter takes no node`);
    const disks = defined({ rootVolumeGiB, localDisks });
    return { allocatable: (type) => lower(planned(type, spec), nodeResources(type, settings, disks).allocatable) };
  } catch (error) {
    if (error instanceof NodeConfigError) return none(`nodes with its user data never register: ${error.message}`);
    throw error;
  }
}

/** Why the class's own settings of the kubelet leave nothing for pods. */
function kubeletProblem({ kubelet = {} }: NodeClassSpec): string | undefined {
  if (kubelet.maxPods === 0) return 'kubelet.maxPods is 0: no pod fits';
  const problem = problemOf(z.object({ kubelet: kubeletConfigSchema }), { kubelet }, 'its spec');
  return problem === undefined ? undefined : `no kubelet starts with its settings: ${problem}`;
}

/** What the user data makes of the node: Karpenter appends its own NodeConfig to the user's. @throws NodeConfigError */
function configOf({ userData = '', kubelet = {}, instanceStorePolicy }: NodeClassSpec): NodeConfig {
  const instance = instanceStorePolicy === undefined ? {} : { instance: { localStorage: { strategy: instanceStorePolicy } } };
  const spec = { cluster: { name: 'any' }, kubelet: { config: { ...kubelet, registerWithTaints: [UNREGISTERED] } }, ...instance };
  const own = JSON.stringify({ apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec });
  return parseNodeConfig(...(isConfig(userData) ? [userData] : []), own);
}

/** Whether Karpenter takes it for more than a script: MIME, or a YAML map. */
function isConfig(userData: string): boolean {
  if (/^\s*(MIME-Version|Content-Type):/.test(userData)) return true;
  try {
    const value: unknown = parse(userData);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** EC2 takes whole GiB. */
function rootVolumeOf({ blockDeviceMappings = [] }: NodeClassSpec): number | undefined {
  const bytes = sizeOf(blockDeviceMappings.find(({ deviceName }) => deviceName === ROOT_VOLUME.device));
  return bytes === undefined ? undefined : Math.ceil(bytes / GIB);
}

/** What Karpenter assumes that a node will have: by the class's settings, without its user data. */
function planned(type: InstanceType, { kubelet, blockDeviceMappings = [], instanceStorePolicy }: NodeClassSpec): Resources {
  const root = blockDeviceMappings.find(({ rootVolume }) => rootVolume === true);
  const bytes = sizeOf(root) ?? sizeOf(blockDeviceMappings.find(({ deviceName }) => deviceName === ROOT_VOLUME.device));
  const disks = defined({ rootVolumeGiB: bytes === undefined ? undefined : bytes / GIB, localDisks: instanceStorePolicy });
  const { capacity, allocatable } = nodeResources(type, kubelet, disks);
  const missing = Math.max(0, (capacity['memory'] ?? 0) - plannedMemory(type));
  return { ...allocatable, memory: Math.max(0, (allocatable['memory'] ?? 0) - missing) };
}

function plannedMemory(type: InstanceType): number {
  const usableMiB = type.memoryMiB - (archOf(type) === 'arm64' ? ARM_RESERVE_MIB : 0);
  return (usableMiB - Math.ceil(usableMiB * PLANNED_OVERHEAD)) * MIB;
}

function sizeOf(device: BlockDevice | undefined): number | undefined {
  const size = device === undefined ? undefined : volumeSizeOf(device);
  return size === undefined ? undefined : toWhole(size);
}

function volumeSizeOf({ ebs }: BlockDevice): string | undefined {
  return ebs?.volumeSize === undefined ? undefined : String(ebs.volumeSize);
}

/** Of each resource, the lower amount. */
function lower(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.keys({ ...a, ...b }).map((name) => [name, Math.min(a[name] ?? 0, b[name] ?? 0)]));
}
