import type { Draft } from './draft.ts';
import { CLUSTER } from './embedded.ts';

/** Types that all zones have, on-demand and spot. */
export const TYPES = ['c5.large', 'm5.large', 'm5.xlarge', 'r5.large'] as const;
/** A filter in a request. */
interface Filter {
  readonly Name: string;
  readonly Values: readonly string[];
}

const ZONES = Object.keys(CLUSTER.subnets);

/** Adds a call about instances. The first ones launch some. */
export function addInstanceCall(draft: Draft): void {
  const { random, launches } = draft;
  if (launches.length === 0 && random.chance(0.85)) return run(draft);
  const times = (count: number, one: (draft: Draft) => void): ((draft: Draft) => void)[] => Array<typeof one>(count).fill(one);
  random.pick([
    ...times(5, run),
    ...times(5, terminate),
    ...times(8, describe),
    ...(launches.length > 0 ? [...times(4, createTags), ...times(3, deleteTags)] : []),
    ...times(3, describeTags),
    ...times(2, describeSubnets),
  ])(draft);
}

function run(draft: Draft): void {
  const { random } = draft;
  const isKnown = random.chance(0.93);
  const isDry = random.chance(0.06);
  const input = {
    MinCount: 1,
    MaxCount: 1,
    ImageId: CLUSTER.imageIds.x86_64,
    InstanceType: random.pick(TYPES),
    SubnetId: isKnown ? subnet(draft) : 'subnet-0123456789abcdef0',
    ...draft.some(0.45, () => ({ InstanceMarketOptions: { MarketType: 'spot' } })),
    ...draft.some(0.7, () => ({ TagSpecifications: [{ ResourceType: 'instance', Tags: draft.tags() }] })),
    ...(isDry ? { DryRun: true } : {}),
  };
  const step = draft.add('RunInstances', input);
  if (isKnown && !isDry) draft.launches.push(step);
}

function subnet({ random }: Draft): string {
  return `<<subnet ${random.pick(ZONES)}>>`;
}

function terminate(draft: Draft): void {
  const { random } = draft;
  const ids = random.chance(0.7) ? [draft.instance()] : [draft.instance(), draft.instance()];
  draft.add('TerminateInstances', { InstanceIds: [...new Set(ids)], ...draft.some(0.08, () => ({ DryRun: true })) });
}

function describe(draft: Draft): void {
  const { random } = draft;
  const filters = (): object => ({ Filters: Array.from({ length: random.pick([1, 1, 2]) }, () => filter(draft)) });
  const input = random.pick([
    () => ({}),
    () => ({ InstanceIds: [draft.instance()] }),
    () => ({ InstanceIds: [...new Set([draft.instance(), draft.instance()])] }),
    () => ({ InstanceIds: [draft.instance()], ...filters() }),
    filters,
    filters,
    filters,
    filters,
  ])();
  draft.add('DescribeInstances', { ...input, ...draft.some(0.04, () => ({ DryRun: true })) });
}

function filter(draft: Draft): Filter {
  const { random } = draft;
  return random.pick<() => Filter>([
    () => ({ Name: `tag:${draft.key()}`, Values: [draft.value()] }),
    () => ({ Name: `tag:${draft.key()}`, Values: ['*'] }),
    () => ({ Name: 'tag-key', Values: [draft.key()] }),
    () => ({ Name: 'instance-id', Values: [draft.instance(), draft.instance()] }),
    () => ({ Name: 'instance-state-name', Values: random.pick([['running'], ['pending', 'running'], ['terminated'], ['stopped']]) }),
    () => ({ Name: 'instance-type', Values: [random.pick(TYPES), 'r5.large'] }),
  ])();
}

function createTags(draft: Draft): void {
  const { random } = draft;
  const resources = random.chance(0.8) ? [launched(draft)] : [launched(draft), launched(draft)];
  draft.add('CreateTags', { Resources: [...new Set(resources)], Tags: draft.tags() });
}

/** An existing one: LocalStack also tags instances that don't exist. */
function launched({ random, launches }: Draft): string {
  return `<<${random.pick(launches)}>>`;
}

function deleteTags(draft: Draft): void {
  const { random } = draft;
  const tags = random.pick([
    () => [{ Key: draft.key() }],
    () => [{ Key: draft.key() }, { Key: draft.key(), Value: draft.value() }],
    () => draft.tags(2),
  ])();
  draft.add('DeleteTags', {
    Resources: [launched(draft)],
    Tags: tags.filter(({ Key }, index) => tags.findIndex((one) => one.Key === Key) === index),
  });
}

export function describeTags(draft: Draft): void {
  const { random } = draft;
  const about = random.chance(0.6)
    ? { Name: 'resource-id', Values: [draft.instance(), draft.instance()] }
    : { Name: 'resource-type', Values: [random.pick(['instance', 'instance', 'launch-template', 'subnet'])] };
  const more = random.pick([
    () => [],
    () => [{ Name: 'key', Values: [draft.key()] }],
    () => [{ Name: 'value', Values: [draft.value()] }],
    () => [{ Name: 'key', Values: ['t*', 'N?me'] }],
  ])();
  draft.add('DescribeTags', { Filters: [about, ...more] });
}

function describeSubnets(draft: Draft): void {
  const { random } = draft;
  const inVpc = { Name: 'vpc-id', Values: ['<<vpc>>'] };
  const input = random.pick<() => object>([
    () => ({ Filters: [inVpc] }),
    () => ({ SubnetIds: [subnet(draft)] }),
    () => ({ SubnetIds: [subnet(draft), 'subnet-0123456789abcdef0'] }),
    () => ({ Filters: [inVpc, { Name: 'availability-zone', Values: [random.pick(ZONES), 'us-east-1f'] }] }),
    () => ({ Filters: [{ Name: 'tag:karpenter.sh/discovery', Values: [random.pick([CLUSTER.name, 'another', 'diff*'])] }] }),
    () => ({ Filters: [inVpc, { Name: 'cidr-block', Values: ['10.0.0.0/20'] }] }),
  ])();
  draft.add('DescribeSubnets', { ...input });
}
