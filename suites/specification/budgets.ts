import { AT_EVERY_MOMENT, TAKEN, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const TOO_MANY = { 'node-budgets': ['node-budget-exceeded'] };

export const budgets: Area = {
  prefix: 'BUD',
  name: 'disruption budgets and opt-outs',
  summary: 'which pods and nodes users protect from disruption, and how many nodes may be disrupted at once',
  requirements: [
    requirement({
      id: 'BUD-01',
      title: 'A pod protected by a PodDisruptionBudget leaves its node only by eviction.',
      rationale: 'The API server checks budgets only for evictions. A deletion bypasses them.',
      observed: 'nodes with protected pods must be removed; each deletion of such a pod by the autoscaler is a finding',
      breaches: { 'budgets-respected': ['protected-pod-deleted'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#1928'],
    }),
    requirement({
      id: 'BUD-02',
      title: 'No instance is terminated while a protected pod that may not be evicted runs on it.',
      rationale: 'Terminating the instance kills the pod even if its eviction was refused. Instances that the cloud reclaims are exempt.',
      observed: 'each request that ends an instance is compared with the protected pods that ran on it at that moment',
      breaches: { 'budgets-respected': ['protected-pod-killed'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#1928'],
    }),
    requirement({
      id: 'BUD-03',
      profile: 'extended',
      features: ['disruption-budgets'],
      title: 'At any moment, no more nodes of a pool are disrupted voluntarily than its budget allows, by number or by percentage.',
      rationale:
        'For pods without a PodDisruptionBudget, the pace of node disruption is the only protection. Expiry, interruption and deletions by users are exempt.',
      observed:
        'at each moment the nodes of a pool that are not Ready are counted together with those that are being disrupted voluntarily; a disrupted node counts until it is empty and its instance has been terminated',
      breaches: { ...TOO_MANY, 'runaway-capacity': ['launched-twice'], consolidation: ['not-consolidated'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-04',
      profile: 'extended',
      features: ['disruption-budgets'],
      title: 'No node is disrupted voluntarily while the schedule of a budget forbids it.',
      rationale: 'Users keep business hours, backups and change freezes free of restarts.',
      observed: 'nodes are surplus while the schedule allows no disruption; they are removed when that time is over',
      breaches: TOO_MANY,
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-05',
      profile: 'extended',
      features: ['do-not-disrupt'],
      title: 'A node is not disrupted voluntarily while a pod marked as do-not-disrupt runs on it.',
      rationale: 'A job that runs for hours has no budget and no second replica; the mark is its only protection.',
      observed:
        'marked pods run on nodes that would otherwise be removed, and each voluntary removal is checked against them, starting with its first eviction, unless the pool has changed and sets a deadline for drains',
      breaches: { 'opt-outs': ['opted-out-pod-disturbed'], ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-06',
      profile: 'extended',
      features: ['drift', 'disruption-budgets'],
      title: 'Drifted nodes are replaced no faster than the budget of their pool allows.',
      rationale: 'A change to a pool makes all its nodes outdated at once, and only the budget prevents an outage.',
      observed: 'a pool with many nodes changes; at each moment no more of them are being disrupted than its budget allows',
      breaches: TOO_MANY,
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-07',
      profile: 'extended',
      features: ['do-not-disrupt'],
      title: 'A node that a user marked as do-not-disrupt is not disrupted voluntarily.',
      rationale: 'Someone is debugging a node, and needs it to be there tomorrow.',
      observed: 'a node that would otherwise be removed is marked, and is watched for longer than a removal could take: it stays',
      breaches: { ...TAKEN, 'opt-outs': ['opted-out-node-disturbed'], 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-08',
      profile: 'extended',
      features: ['consolidation'],
      title: 'A node with pods is not removed to save costs if its pool allows that for empty nodes only, or for none.',
      rationale: 'Some pods are expensive to move: they warm up for an hour, or hold connections that nobody wants to lose.',
      observed:
        'pools that keep nodes with pods have underused nodes: their pods would fit on fewer nodes, or on cheaper ones, and each node stays',
      breaches: { 'opt-outs': ['used-node-consolidated'], ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#7864'],
    }),
    requirement({
      id: 'BUD-09',
      profile: 'extended',
      features: ['consolidation'],
      title: 'A node is not chosen for consolidation while a PodDisruptionBudget lets none of its pods go.',
      rationale:
        'Its drain would not end: the node takes no pods any more, its replacement is paid for as well, and nothing is saved until somebody notices.',
      observed:
        'the only pod of a node that is too large may not be evicted; the node is watched for longer than a consolidation could take: it stays, and nothing is launched',
      breaches: { ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
    }),
  ],
};
