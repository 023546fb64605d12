import { AT_EVERY_MOMENT, TAKEN, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const TOO_MANY = { 'node-budgets': ['node-budget-exceeded'] };

export const budgets: Area = {
  prefix: 'BUD',
  name: 'disruption budgets and opt-outs',
  summary: 'what users have said must not be disturbed, and how much of it at once',
  requirements: [
    requirement({
      id: 'BUD-01',
      title: 'A pod under a PodDisruptionBudget leaves its node by eviction or not at all.',
      rationale: 'An eviction is where the API server counts. A deletion goes past it.',
      observed: 'nodes of protected pods have to go; each deletion of such a pod by the autoscaler is a finding',
      breaches: { 'budgets-respected': ['protected-pod-deleted'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#1928'],
    }),
    requirement({
      id: 'BUD-02',
      title: 'No instance is ended while a protected pod that may not be evicted runs on it.',
      rationale: 'The end of the machine is the end of the pod, whatever the eviction was told. Instances that the cloud takes are exempt.',
      observed: 'each request that ends an instance is compared with the protected pods that ran there at that moment',
      breaches: { 'budgets-respected': ['protected-pod-killed'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#1928'],
    }),
    requirement({
      id: 'BUD-03',
      profile: 'extended',
      features: ['disruption-budgets'],
      title: 'No more nodes of a pool are disrupted at once, by will, than its budget allows at that moment, by number or by share.',
      rationale:
        "Pods without a budget of their own are protected by the pace of the nodes. Expiry, interruption and the user's own deletions are exempt.",
      observed:
        'at each moment the nodes of a pool that are going by will are counted beside those that are not Ready, until they are empty and their machines have been ended',
      breaches: { ...TOO_MANY, 'runaway-capacity': ['launched-twice'], consolidation: ['not-consolidated'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-04',
      profile: 'extended',
      features: ['disruption-budgets'],
      title: 'While the schedule of a budget forbids it, no node is disrupted by will.',
      rationale: 'Users keep business hours, backups and freezes free of restarts.',
      observed: 'nodes are surplus while the schedule allows none to go; they go when its time is over',
      breaches: TOO_MANY,
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-05',
      profile: 'extended',
      features: ['do-not-disrupt'],
      title: 'A node with a pod that is marked as not to be disrupted is not disrupted by will as long as the pod runs.',
      rationale: 'A job of many hours has no budget and no second copy; the mark is all that it has.',
      observed:
        'marked pods run on nodes that would otherwise be removed, and each removal by will, from its first eviction on, is compared with them',
      breaches: { 'opt-outs': ['opted-out-pod-disturbed'], ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-06',
      profile: 'extended',
      features: ['drift', 'disruption-budgets'],
      title: 'Nodes that have drifted are replaced at the pace that the budget of their pool allows.',
      rationale: 'A change of a pool makes all its nodes outdated in one moment, and the budget is what stands between that and an outage.',
      observed: 'a pool with many nodes changes; at each moment no more of them are going than its budget allows',
      breaches: TOO_MANY,
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'BUD-07',
      profile: 'extended',
      features: ['do-not-disrupt'],
      title: 'A node that its user has marked as not to be disrupted is not disrupted by will.',
      rationale: 'Somebody looks into a node that behaves strangely, and wants to find it there tomorrow.',
      observed: 'a node is marked and would otherwise be removed: it stays for as long as the bound says',
      breaches: { ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
    }),
  ],
};
