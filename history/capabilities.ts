/**
 * What a world can do or show: a fault, a check or a scenario that needs one that the world lacks is *not run*, with
 * the reason below. Names are stable, they stand in run directories.
 */
export const CAPABILITIES = {
  'time.virtual': 'time is virtual: a seed reproduces the run to the byte',
  'wire.kube': 'requests of the target on the Kubernetes wire can be seen and broken',
  'wire.aws': 'requests of the target on the AWS wire can be seen and broken',
  'capacity.set': 'the capacity of offerings can be set',
  'capacity.quota': 'quotas of the account and free addresses of subnets can be set',
  'api.throttle': 'the request buckets of EC2 can be changed',
  'reads.stale': 'reads of EC2 can be made stale',
  'spot.interrupt': 'spot instances can be interrupted, with notices on the interruption queue',
  'queue.perturb': 'messages on the interruption queue can be doubled, delayed and lost',
  'boot.delay': 'instances can be made to boot and their kubelets to register late, never or wrongly',
  'nodes.arm64': 'instances of arm64 become nodes of arm64',
  'instance.end': 'instances can be ended behind the back of the target',
  'cloud.hold': 'the cloud controller manager can be made slow, and be down',
  'templates.delete': 'launch templates can be deleted behind the back of the target',
  'watch.perturb': "the API server's watches and its lists from the cache can be made late, closed and expired",
  'target.kill': 'the target can be killed at any request',
  'target.pause': 'the target can be stopped and go on, as by SIGSTOP and SIGCONT',
  'target.clock': 'the clock of the target can be set wrong',
  'instances.observe': 'every state of every instance is seen',
  'objects.observe': 'every change of pods, nodes and claims is seen',
} as const satisfies Record<string, string>;

export type Capability = keyof typeof CAPABILITIES;

export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as Capability[];
