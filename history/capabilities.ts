/**
 * What a world can do or show. A fault, check or scenario that needs a missing one is *not run*, for the reason below. Names
 * are stable, because run directories contain them.
 */
export const CAPABILITIES = {
  'time.virtual': 'time is virtual: a seed reproduces the run to the byte',
  'wire.kube': 'requests of the target to the Kubernetes API can be observed and disturbed',
  'wire.aws': 'requests of the target to AWS can be observed and disturbed',
  'capacity.set': 'the capacity of offerings can be set',
  'capacity.quota': 'account quotas and free subnet addresses can be set',
  'hostnames.set': 'subnets can name instances by their ids',
  'api.throttle': 'the request buckets of EC2 can be changed',
  'reads.stale': 'reads of EC2 can be made stale',
  'spot.interrupt': 'spot instances can be interrupted, with notices on the interruption queue',
  'queue.perturb': 'messages on the interruption queue can be duplicated, delayed and lost',
  'boot.delay': 'instances can boot, and their kubelets register, late, never or incorrectly',
  'nodes.arm64': 'arm64 instances become arm64 nodes',
  'nodes.devices': 'nodes of types with NVIDIA GPUs offer them, some time after they are Ready',
  'volumes.create': 'volumes are created for claims, in the zone of their node',
  'pods.finish': 'pods of Jobs finish after as long as the scenario says',
  'instance.end': 'instances can be terminated without the target',
  'cloud.hold': 'the cloud controller manager can be slowed down or stopped',
  'templates.delete': 'launch templates can be deleted without the target',
  'groups.create': 'Auto Scaling groups can be created, and launch and terminate instances',
  'watch.perturb': 'watches and cached lists of the API server can be delayed, closed and expired',
  'target.kill': 'the target can be killed at any request',
  'target.pause': 'the target can be paused and resumed, as with SIGSTOP and SIGCONT',
  'target.clock': 'the clock of the target can be set wrong',
  'instances.observe': 'every state of every instance is observed',
  'objects.observe': 'every change of pods, nodes and claims is observed',
} as const satisfies Record<string, string>;

export type Capability = keyof typeof CAPABILITIES;

export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as Capability[];
