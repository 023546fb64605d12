import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../../../model/kube.ts';
import { SOURCE, inPlugin, node, on, pod, refused } from './case.ts';
import type { SchedulerCase } from './case.ts';

const UNMATCHED = "node(s) didn't match Pod's node affinity/selector";
const DISKS = [node('n1', { labels: { disk: 'ssd', cores: '8' } }), node('n2', { labels: { disk: 'hdd', cores: '16' } }), node('n3')];
const NONE = refused({ [UNMATCHED]: 3 }, { unhelpful: 3 });

function required(...nodeSelectorTerms: NodeSelectorTerm[]): PodSpec['affinity'] {
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

function preferred(...terms: { weight: number; preference: NodeSelectorTerm }[]): PodSpec['affinity'] {
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } };
}

const where = (key: string, operator: NodeSelectorRequirement['operator'], ...values: string[]): NodeSelectorRequirement => {
  return values.length === 0 ? { key, operator } : { key, operator, values };
};
const all = (...matchExpressions: NodeSelectorRequirement[]): NodeSelectorTerm => ({ matchExpressions });

const cased = (
  id: string,
  spec: Partial<PodSpec>,
  expected: SchedulerCase['expected'],
  source: string = SOURCE.assigning,
): SchedulerCase => {
  return { id, source, nodes: DISKS, pod: pod('p', spec), expected };
};
const TEST = inPlugin('nodeaffinity/node_affinity_test.go');

/** Node selectors, required and preferred node affinity. */
export const NODE_AFFINITY_CASES: readonly SchedulerCase[] = [
  cased('selector', { nodeSelector: { disk: 'ssd' } }, on('n1')),
  cased('selector-of-two-labels', { nodeSelector: { disk: 'ssd', cores: '8' } }, on('n1')),
  cased('selector-half-met', { nodeSelector: { disk: 'ssd', cores: '16' } }, NONE),
  cased('selector-missing-label', { nodeSelector: { gpu: 'yes' } }, NONE),
  cased('selector-hostname', { nodeSelector: { 'kubernetes.io/hostname': 'n3' } }, on('n3')),
  cased('in', { affinity: required(all(where('disk', 'In', 'ssd', 'nvme'))) }, on('n1')),
  cased('in-two-values', { affinity: required(all(where('disk', 'In', 'ssd', 'hdd'))) }, on('n1', 'n2')),
  cased('in-none', { affinity: required(all(where('disk', 'In', 'tape'))) }, NONE),
  cased('not-in', { affinity: required(all(where('disk', 'NotIn', 'ssd'))) }, on('n2', 'n3')),
  cased('exists', { affinity: required(all(where('disk', 'Exists'))) }, on('n1', 'n2')),
  cased('does-not-exist', { affinity: required(all(where('disk', 'DoesNotExist'))) }, on('n3')),
  cased('greater', { affinity: required(all(where('cores', 'Gt', '8'))) }, on('n2')),
  cased('less', { affinity: required(all(where('cores', 'Lt', '16'))) }, on('n1')),
  cased('greater-than-any', { affinity: required(all(where('cores', 'Gt', '16'))) }, NONE),
  cased('greater-needs-the-label', { affinity: required(all(where('cores', 'Gt', '0'))) }, on('n1', 'n2')),
  cased('not-a-number', { affinity: required(all(where('disk', 'Gt', '1'))) }, NONE, TEST),
  cased('expressions-are-anded', { affinity: required(all(where('disk', 'Exists'), where('cores', 'Gt', '10'))) }, on('n2')),
  cased('expressions-contradict', { affinity: required(all(where('disk', 'In', 'ssd'), where('disk', 'NotIn', 'ssd'))) }, NONE, TEST),
  cased('terms-are-ored', { affinity: required(all(where('disk', 'In', 'ssd')), all(where('disk', 'DoesNotExist'))) }, on('n1', 'n3')),
  cased('selector-and-affinity', { nodeSelector: { disk: 'ssd' }, affinity: required(all(where('cores', 'Exists'))) }, on('n1')),
  cased('selector-against-affinity', { nodeSelector: { disk: 'ssd' }, affinity: required(all(where('disk', 'In', 'hdd'))) }, NONE),
  cased('empty-term-matches-nothing', { affinity: required({}, all(where('disk', 'In', 'hdd'))) }, on('n2'), TEST),
  cased('field-name', { affinity: required({ matchFields: [where('metadata.name', 'In', 'n2')] }) }, on('n2'), TEST),
  cased('field-name-not', { affinity: required({ matchFields: [where('metadata.name', 'NotIn', 'n2')] }) }, on('n1', 'n3'), TEST),
  cased(
    'field-name-and-label',
    { affinity: required({ matchFields: [where('metadata.name', 'In', 'n1')], matchExpressions: [where('disk', 'In', 'ssd')] }) },
    on('n1'),
    TEST,
  ),
  cased(
    'field-name-and-other-label',
    { affinity: required({ matchFields: [where('metadata.name', 'In', 'n1')], matchExpressions: [where('disk', 'In', 'hdd')] }) },
    refused({ [UNMATCHED]: 1, "node(s) didn't satisfy plugin(s) [NodeAffinity]": 2 }, { unhelpful: 3 }),
    TEST,
  ),
  cased(
    'field-name-or-label',
    { affinity: required({ matchFields: [where('metadata.name', 'In', 'n3')] }, all(where('disk', 'In', 'ssd'))) },
    on('n1', 'n3'),
    TEST,
  ),
  cased('preferred', { affinity: preferred({ weight: 1, preference: all(where('disk', 'In', 'hdd')) }) }, on('n2')),
  cased('preferred-by-none', { affinity: preferred({ weight: 1, preference: all(where('disk', 'In', 'tape')) }) }, on('n1', 'n2', 'n3')),
  cased(
    'preferred-heavier-wins',
    {
      affinity: preferred(
        { weight: 20, preference: all(where('disk', 'In', 'hdd')) },
        { weight: 80, preference: all(where('disk', 'In', 'ssd')) },
      ),
    },
    on('n1'),
  ),
  cased(
    'preferred-weights-add-up',
    {
      affinity: preferred(
        { weight: 40, preference: all(where('disk', 'In', 'hdd')) },
        { weight: 40, preference: all(where('cores', 'In', '16')) },
        { weight: 60, preference: all(where('disk', 'In', 'ssd')) },
      ),
    },
    on('n2'),
  ),
  cased('preferred-empty-term', { affinity: preferred({ weight: 100, preference: {} }) }, on('n1', 'n2', 'n3'), TEST),
  cased(
    'preferred-among-required',
    {
      affinity: {
        nodeAffinity: {
          ...required(all(where('disk', 'Exists')))?.nodeAffinity,
          ...preferred(
            { weight: 1, preference: all(where('disk', 'DoesNotExist')) },
            { weight: 1, preference: all(where('cores', 'Lt', '10')) },
          )?.nodeAffinity,
        },
      },
    },
    on('n1'),
  ),
  cased(
    'preferred-by-field',
    { affinity: preferred({ weight: 5, preference: { matchFields: [where('metadata.name', 'In', 'n3')] } }) },
    on('n3'),
    TEST,
  ),
  {
    id: 'preferred-outweighs-load',
    source: SOURCE.assigning,
    nodes: DISKS,
    pods: [pod('busy', { on: 'n1', cpu: '2', memory: '4Gi' })],
    pod: pod('p', { cpu: '500m', memory: '1Gi', affinity: preferred({ weight: 1, preference: all(where('disk', 'In', 'ssd')) }) }),
    expected: on('n1'),
  },
];
