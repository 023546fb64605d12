import { AT_EVERY_MOMENT, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const provisioning: Area = {
  prefix: 'PRV',
  name: 'provisioning',
  summary: 'nodes are launched for pods that need them, as many as they need, from the pools that users defined',
  requirements: [
    requirement({
      id: 'PRV-01',
      title: 'A pod that some pool can serve runs within the bound, counted from its creation.',
      rationale:
        'This is the purpose of a node autoscaler. Averages hide the pod that was never served, so each pod counts, and the slowest of a hundred is measured.',
      observed: 'every pod of a workload that can be served is followed from its creation until it runs',
      breaches: { ...UNSERVED, latency: ['too-slow'] },
      bound: 'provision',
      incidents: ['karpenter#3176', 'karpenter-provider-aws#5850'],
    }),
    requirement({
      id: 'PRV-02',
      title: 'After everything has been scaled in, the same pods are served again, as fast as the first time.',
      rationale:
        'What an autoscaler remembers of the first round (launches in progress, refused offerings, nodes that ended) must not delay the second.',
      observed: 'a workload is scaled to its full size and to zero, twice; the pods of both rounds have the same bound',
      breaches: { ...UNSERVED, latency: ['too-slow'] },
      bound: 'provision',
      incidents: ['karpenter#3176', 'autoscaler#9120'],
    }),
    requirement({
      id: 'PRV-03',
      title: 'A new node is large enough for the pods that it was launched for and for the DaemonSet pods that will run on it.',
      rationale: 'Agents use part of every node. An autoscaler that ignores them launches nodes that are too small, again and again.',
      observed:
        'a type that can hold the pod alone cannot hold it together with the agent, so pods run only where both fit, or where the agent does not run',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
      incidents: ['karpenter-provider-aws#1959', 'karpenter#715', 'karpenter#919', 'karpenter#2838'],
    }),
    requirement({
      id: 'PRV-04',
      title: 'Nothing is launched for a DaemonSet pod that does not fit.',
      rationale: 'The pod is tied to one existing node; another node does not help it and needs one more DaemonSet pod.',
      observed: 'a DaemonSet is deployed to full nodes, and from then on no instance is launched',
      breaches: { 'no-launch-for-impossible-pods': ['launch-for-impossible-pod'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'PRV-05',
      title: 'No more pods are planned onto a node than its type can hold, however little they request.',
      rationale:
        'A node has a limited number of addresses and pods. An autoscaler that plans by CPU and memory alone leaves pods pending for ever.',
      observed: 'there are far more pods that request almost nothing than one node can hold, and all of them run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'PRV-06',
      title: 'A pod for which a node is on its way causes no other launch.',
      rationale:
        'A node takes minutes to become ready, and the autoscaler looks at the pod many times meanwhile. If it forgets launches in progress, it launches again each time it looks.',
      observed: 'each pod needs a node of its own and nothing is lost, so every instance beyond the number of pods is one too many',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#2821', 'karpenter-provider-aws#3725', 'autoscaler#2232', 'autoscaler#10149'],
    }),
    requirement({
      id: 'PRV-07',
      title: 'Whatever goes wrong, no more instances are live at once than the bound allows for each pod.',
      rationale:
        'The bound is generous, because replacements that are launched first, fleets that return more than requested and lost launches are all acceptable. Instances whose node died do not count for half an hour, the patience of node repair: no pod can use them, and they have to be replaced. A launch loop has no upper limit, and is the most expensive failure of all.',
      observed: 'at every launch the number of live instances is compared with the peak number of pods so far',
      breaches: { 'runaway-capacity': ['runaway-launches'] },
      bound: 'runaway',
      incidents: ['karpenter-provider-aws#1905', 'karpenter-provider-aws#7800', 'autoscaler#5019'],
    }),
    requirement({
      id: 'PRV-08',
      title: 'Every launched instance is one that some pool allows, by type, zone, capacity type and architecture.',
      rationale: 'Pools define what may run and be paid for. Anything else may not be audited, budgeted or reachable.',
      observed: 'every instance that was launched by a request from the autoscaler is compared with the pools at that time',
      breaches: { 'launches-within-pools': ['launch-outside-pools'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#1540', 'karpenter-provider-aws#8696'],
    }),
    requirement({
      id: 'PRV-09',
      profile: 'extended',
      features: ['weights'],
      title: 'When several pools could serve a pod, the one with the highest weight is chosen.',
      rationale: 'Weights express which capacity is already paid for, cheaper, or safer: they are an order, not a hint.',
      observed: 'while the preferred pool has capacity, only what that pool allows is launched',
      breaches: { 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'PRV-10',
      profile: 'extended',
      features: ['taints'],
      title: 'Nodes of a tainted pool serve pods that tolerate the taints, and are not launched for other pods.',
      rationale: 'Taints reserve expensive or special nodes; a node that its pod cannot use helps no one.',
      observed: 'pods with and without the toleration arrive together, and all run within the bound, each on nodes that it can use',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'PRV-11',
      title: 'A pod that several pools could serve gets a node from exactly one of them.',
      rationale: 'Overlapping pools are common. If each pool were evaluated alone, every pool would launch a node for the same pod.',
      observed: 'two pools could both serve the pods, and no more is launched than one of them would have needed',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#3121', 'karpenter-provider-aws#6355'],
    }),
    requirement({
      id: 'PRV-12',
      profile: 'extended',
      features: ['consolidation'],
      title:
        'The surge of a rolling update is served like any other pod, and the nodes that only the surge needed are removed after the update.',
      rationale:
        'An update runs old and new pods side by side for a while. Without room for the surge it stalls; if that room stays, it costs money for ever.',
      observed:
        'the template of a Deployment with a surge changes: its pods run within the bound, and end up on no more nodes than they need',
      breaches: { ...UNSERVED, consolidation: ['not-consolidated'], 'runaway-capacity': ['launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'PRV-13',
      profile: 'extended',
      features: ['minimum-values'],
      title: 'When a pool requires a minimum number of different values, such as types or zones, no launch offers fewer.',
      rationale:
        'The more capacity pools a request names, the less often it is refused and the less capacity is reclaimed at once. Users set a minimum so that they can rely on that.',
      observed:
        'the offerings that each launch names are counted; when the constraints of the pods leave too few, nothing is launched and the reason is given',
      breaches: { 'launches-within-pools': ['launch-outside-pools'], 'no-launch-for-impossible-pods': ['launch-for-impossible-pod'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'PRV-14',
      profile: 'extended',
      features: ['static-capacity'],
      title:
        'A pool with a fixed number of nodes keeps that number, whatever pods there are: empty nodes stay, and a lost node is replaced.',
      rationale: 'Such a pool holds capacity for pods that cannot wait for a node, and for times when no capacity is available.',
      observed:
        'pods arrive when no capacity is left, and run on the nodes that were kept; a node is lost, and exactly one replacement is launched',
      breaches: { ...UNSERVED, latency: ['too-slow'], 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
    }),
    requirement({
      id: 'PRV-15',
      profile: 'extended',
      features: ['node-settings'],
      title: "Nodes are planned with their kubelet's settings: its maximum number of pods, its reservations and its eviction thresholds.",
      rationale:
        'These settings decide what a node offers. If planning ignores them, nodes are too small for the pods they were launched for, or half empty.',
      observed:
        'pools allow more or fewer pods per node than the network does, or reserve a lot of memory: pods run within the bound, on no more nodes than they need',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
      incidents: ['karpenter-provider-aws#6890'],
    }),
    requirement({
      id: 'PRV-16',
      profile: 'extended',
      features: ['gpus'],
      title: 'Pods that request GPUs get nodes with enough GPUs, even from a pool that also allows types without GPUs.',
      rationale: 'CPU and memory say nothing about GPUs. If planning ignores them, pods get nodes that they can never use.',
      observed:
        'a pool allows types with and without GPUs; pods with and without a GPU request arrive together, and all run within the bound, one node each',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'devices',
      incidents: ['autoscaler#929'],
    }),
    requirement({
      id: 'PRV-17',
      profile: 'extended',
      features: ['static-capacity'],
      title: 'A pool whose fixed number of nodes is reduced loses as many nodes, those without pods first.',
      rationale: 'The size was reduced to save money, and the pods on the nodes that are left must not notice.',
      observed: 'half of the nodes of such a pool have pods, and its size is halved: the others are removed, and no pod has to move',
      breaches: { consolidation: ['not-consolidated'], undisturbed: ['pod-without-node'], 'runaway-capacity': ['launched-twice'] },
      bound: 'consolidation',
    }),
  ],
};
