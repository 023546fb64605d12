import type { Draft } from './draft.ts';
import { CLUSTER } from './embedded.ts';
import { TYPES, describeTags } from './instances.ts';

const NAMES = ['first', 'second/of(two)', 'third'] as const;

/** Adds a call about launch templates or instances that are launched from them. */
export function addTemplateCall(draft: Draft): void {
  const { random, templates } = draft;
  if (templates.size === 0 && random.chance(0.9)) return create(draft);
  const times = (count: number, one: (draft: Draft) => void): ((draft: Draft) => void)[] => Array<typeof one>(count).fill(one);
  random.pick([
    ...times(3, create),
    ...times(2, createVersion),
    ...times(4, describe),
    ...times(3, describeVersions),
    ...times(3, remove),
    ...times(4, run),
    ...times(1, describeTags),
    ...times(2, listInstances),
  ])(draft);
}

function create(draft: Draft): void {
  const { random } = draft;
  const name = random.chance(0.95) ? random.pick(NAMES) : 'a name with blanks';
  const input = {
    LaunchTemplateName: name,
    LaunchTemplateData: data(draft),
    ...draft.some(0.3, () => ({ VersionDescription: 'one of a few' })),
    ...draft.some(0.5, () => ({ TagSpecifications: [{ ResourceType: 'launch-template', Tags: draft.tags() }] })),
  };
  const step = draft.add('CreateLaunchTemplate', input);
  if (!name.includes(' ') && !draft.templates.has(name)) draft.templates.set(name, step);
}

function data(draft: Draft): object {
  const { random } = draft;
  return {
    ImageId: CLUSTER.imageIds.x86_64,
    InstanceType: random.pick(TYPES),
    ...draft.some(0.4, () => ({ UserData: 'aGVsbG8=' })),
    ...draft.some(0.3, () => ({ EbsOptimized: random.chance(0.5) })),
    ...draft.some(0.5, () => ({ TagSpecifications: [{ ResourceType: 'instance', Tags: draft.tags() }] })),
  };
}

function createVersion(draft: Draft): void {
  const more = draft.some(0.3, () => ({ VersionDescription: 'another' }));
  draft.add('CreateLaunchTemplateVersion', { ...draft.template(), LaunchTemplateData: data(draft), ...more });
}

function describeVersions(draft: Draft): void {
  const { random } = draft;
  const versions = random.pick<object>([
    {},
    {},
    { Versions: ['1'] },
    { Versions: ['$Latest'] },
    { Versions: ['$Default'] },
    { Versions: ['2'] },
  ]);
  draft.add('DescribeLaunchTemplateVersions', { ...draft.template(), ...versions });
}

function describe(draft: Draft): void {
  const { random } = draft;
  const input = random.pick<() => object>([
    () => ({}),
    () => ({ LaunchTemplateNames: [draft.templateName()] }),
    () => ({ LaunchTemplateIds: [draft.templateId()] }),
    () => ({ Filters: [{ Name: 'launch-template-name', Values: [draft.templateName()] }] }),
    () => ({ Filters: [{ Name: `tag:${draft.key()}`, Values: [draft.value()] }] }),
    () => ({ Filters: [{ Name: 'tag-key', Values: [draft.key()] }] }),
  ])();
  draft.add('DescribeLaunchTemplates', { ...input });
}

function remove(draft: Draft): void {
  const template = draft.existingTemplate();
  if (template === undefined) return create(draft);
  draft.add('DeleteLaunchTemplate', { ...template.named });
  draft.templates.delete(template.name);
}

function run(draft: Draft): void {
  const { random } = draft;
  const template = draft.existingTemplate();
  if (template === undefined) return create(draft);
  const input = {
    MinCount: 1,
    MaxCount: 1,
    SubnetId: `<<subnet ${random.pick(Object.keys(CLUSTER.subnets))}>>`,
    LaunchTemplate: { ...template.named, ...draft.some(0.6, () => ({ Version: random.pick(['1', '$Latest', '$Default']) })) },
    InstanceType: random.pick(TYPES),
    ...draft.some(0.1, () => ({ TagSpecifications: [{ ResourceType: 'instance', Tags: draft.tags() }] })),
  };
  draft.launches.push(draft.add('RunInstances', input));
}

function listInstances(draft: Draft): void {
  const name = draft.random.pick(['tag-key', 'instance-state-name']);
  draft.add('DescribeInstances', draft.random.chance(0.5) ? {} : { Filters: [{ Name: name, Values: ['team', 'running'] }] });
}
