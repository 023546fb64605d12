import { createRandom } from '../../../runtime/random.ts';
import type { Random } from '../../../runtime/random.ts';
import { TEMPLATE } from './script.ts';
import type { Operation, Script, Step } from './script.ts';

/** The seed of the recorded scripts. */
export const SEED = 'autoscaling-1';
export const SCRIPTS = 160;

const STEPS = { min: 4, max: 10 } as const;
const NAMES = ['g1', 'g2'] as const;
const KEYS = ['team', 'env', 'k8s.io/cluster-autoscaler/enabled'] as const;
const VALUES = ['a', 'b', 'a longer value', ''] as const;
/** Processes without which nothing that is compared changes. */
const PROCESSES = ['AlarmNotification', 'ScheduledActions', 'AddToLoadBalancer', 'InstanceRefresh'] as const;
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** What a script knows about one of its groups. */
interface Known {
  readonly name: string;
  min: number;
  max: number;
  desired: number;
}

/** The first `count` scripts of a seed. */
export function scripts(seed: string = SEED, count: number = SCRIPTS): Script[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const id = `a${index}`;
    const draft = new Draft(random.fork(id));
    const length = random.fork(`length of ${id}`).int(STEPS.min, STEPS.max);
    while (draft.steps.length < length) draft.addStep();
    return { id, steps: draft.steps };
  });
}

/** A script under construction. */
class Draft {
  readonly #random: Random;
  readonly steps: Step[] = [];
  readonly #groups = new Map<string, Known>();

  constructor(random: Random) {
    this.#random = random;
  }

  addStep(): void {
    const random = this.#random;
    if (this.#groups.size === 0 && random.chance(0.85)) return this.#create();
    const known = [...this.#groups.values()];
    if (known.length === 0) return random.pick([() => this.#refused(), () => this.#describe()])();
    const group = random.pick(known);
    const weighted: readonly [number, () => void][] = [
      [this.#groups.size < NAMES.length ? 2 : 0, () => this.#create()],
      [4, () => this.#resize(group)],
      [2, () => this.#update(group)],
      [1, () => this.#delete(group)],
      [5, () => this.#describe()],
      [2, () => this.#add('DescribeAutoScalingInstances', {})],
      [group.desired > 0 ? 4 : 0, () => this.#terminate(group)],
      [group.desired > 0 ? 2 : 0, () => this.#protect(group)],
      [2, () => this.#processes(group)],
      [3, () => this.#tag(group)],
      [3, () => this.#describeTags()],
      [2, () => this.#refused()],
    ];
    random.pick(weighted.flatMap(([weight, add]) => Array<() => void>(weight).fill(add)))();
  }

  #add(operation: Operation, input: Step['input']): void {
    this.steps.push({ operation, input });
  }

  #create(): void {
    const random = this.#random;
    const name = NAMES.find((one) => !this.#groups.has(one));
    if (name === undefined) return;
    const min = random.int(0, 2);
    const max = min + random.int(1, 5);
    const desired = random.int(min, max);
    const isMixed = random.chance(0.3);
    const template = {
      LaunchTemplateName: TEMPLATE,
      ...(isMixed || random.chance(0.5) ? { Version: random.pick(['1', '$Latest', '$Default']) } : {}),
    };
    this.#groups.set(name, { name, min, max, desired });
    this.#add('CreateAutoScalingGroup', {
      AutoScalingGroupName: name,
      MinSize: min,
      MaxSize: max,
      ...(desired === min && random.chance(0.5) ? {} : { DesiredCapacity: desired }),
      VPCZoneIdentifier: random
        .shuffle(ZONES)
        .slice(0, random.int(1, 3))
        .map((zone) => `<<${zone}>>`)
        .join(','),
      // The service and moto have different defaults.
      HealthCheckGracePeriod: random.pick([60, 300]),
      ...(random.chance(0.3) ? { DefaultCooldown: random.pick([0, 60]) } : {}),
      ...(random.chance(0.3) ? { NewInstancesProtectedFromScaleIn: random.chance(0.5) } : {}),
      ...(random.chance(0.2) ? { TerminationPolicies: random.pick([['OldestInstance'], ['NewestInstance', 'Default']]) } : {}),
      ...(random.chance(0.2) ? { CapacityRebalance: true } : {}),
      ...(isMixed
        ? {
            MixedInstancesPolicy: {
              LaunchTemplate: { LaunchTemplateSpecification: template, Overrides: [{ InstanceType: 'm5.large' }] },
            },
          }
        : { LaunchTemplate: template }),
      ...(random.chance(0.6) ? { Tags: this.#tags(name) } : {}),
    });
  }

  #tags(name: string): object[] {
    const random = this.#random;
    return random
      .shuffle(KEYS)
      .slice(0, random.int(1, 2))
      .map((Key) => ({
        ResourceId: name,
        ResourceType: 'auto-scaling-group',
        Key,
        Value: random.pick(VALUES),
        PropagateAtLaunch: random.chance(0.5),
      }));
  }

  #resize(group: Known): void {
    group.desired = this.#random.int(group.min, group.max);
    this.#add('SetDesiredCapacity', { AutoScalingGroupName: group.name, DesiredCapacity: group.desired });
  }

  #update(group: Known): void {
    const random = this.#random;
    const { name } = group;
    if (random.chance(0.3))
      return this.#add('UpdateAutoScalingGroup', { AutoScalingGroupName: name, HealthCheckGracePeriod: random.pick([60, 300]) });
    group.min = random.int(0, 3);
    group.max = group.min + random.int(0, 4);
    const isResized = random.chance(0.3);
    group.desired = isResized ? random.int(group.min, group.max) : Math.min(Math.max(group.desired, group.min), group.max);
    const sizes = { MinSize: group.min, MaxSize: group.max, ...(isResized ? { DesiredCapacity: group.desired } : {}) };
    this.#add('UpdateAutoScalingGroup', { AutoScalingGroupName: name, ...sizes });
  }

  #delete({ name }: Known): void {
    this.#groups.delete(name);
    this.#add('DeleteAutoScalingGroup', { AutoScalingGroupName: name, ForceDelete: true });
  }

  #describe(): void {
    const random = this.#random;
    const filter = (): object => random.pick([{ Name: 'tag-key', Values: [random.pick(KEYS)] }, this.#tagFilter()]);
    const input = random.pick([
      () => ({}),
      () => ({ AutoScalingGroupNames: [random.pick([...NAMES, 'nobody-made-it'])] }),
      () => ({ Filters: [filter()] }),
    ])();
    this.#add('DescribeAutoScalingGroups', input);
  }

  #tagFilter(): object {
    return { Name: `tag:${this.#random.pick(KEYS)}`, Values: [this.#random.pick(VALUES.slice(0, 3)), 'b'] };
  }

  #terminate(group: Known): void {
    const isSmaller = group.desired > group.min && this.#random.chance(0.6);
    if (isSmaller) group.desired -= 1;
    this.#add('TerminateInstanceInAutoScalingGroup', { InstanceId: `<<${group.name} 0>>`, ShouldDecrementDesiredCapacity: isSmaller });
  }

  #protect({ name, desired }: Known): void {
    const InstanceIds = Array.from({ length: this.#random.int(1, desired) }, (_, index) => `<<${name} ${index}>>`);
    this.#add('SetInstanceProtection', { AutoScalingGroupName: name, InstanceIds, ProtectedFromScaleIn: this.#random.chance(0.6) });
  }

  #processes({ name }: Known): void {
    const random = this.#random;
    const ScalingProcesses = random.shuffle(PROCESSES).slice(0, random.int(1, 3));
    this.#add(random.chance(0.6) ? 'SuspendProcesses' : 'ResumeProcesses', { AutoScalingGroupName: name, ScalingProcesses });
  }

  #tag({ name }: Known): void {
    this.#add(this.#random.chance(0.6) ? 'CreateOrUpdateTags' : 'DeleteTags', { Tags: this.#tags(name) });
  }

  #describeTags(): void {
    const random = this.#random;
    const filter = random.pick([
      () => ({ Name: 'auto-scaling-group', Values: [random.pick(NAMES)] }),
      () => ({ Name: 'key', Values: [random.pick(KEYS), 'env'] }),
      () => ({ Name: 'value', Values: [random.pick(VALUES.slice(0, 3))] }),
    ]);
    this.#add('DescribeTags', random.chance(0.2) ? {} : { Filters: Array.from({ length: random.int(1, 2) }, () => filter()) });
  }

  /** What is refused. */
  #refused(): void {
    const random = this.#random;
    const group = { AutoScalingGroupName: 'nobody-made-it' };
    const sizes = { ...group, MinSize: 0, MaxSize: 1 };
    const LaunchTemplate = { LaunchTemplateName: TEMPLATE };
    const MixedInstancesPolicy = { LaunchTemplate: { LaunchTemplateSpecification: LaunchTemplate, Overrides: [] } };
    random.pick([
      () => this.#add('UpdateAutoScalingGroup', { ...group, MaxSize: random.int(1, 5) }),
      () => this.#add('DeleteAutoScalingGroup', group),
      () => this.#add('CreateAutoScalingGroup', { ...sizes, LaunchTemplate }),
      () => this.#add('CreateAutoScalingGroup', { ...sizes, VPCZoneIdentifier: '<<us-east-1a>>' }),
      () => this.#add('CreateAutoScalingGroup', { ...sizes, VPCZoneIdentifier: '<<us-east-1a>>', LaunchTemplate, MixedInstancesPolicy }),
    ])();
  }
}
