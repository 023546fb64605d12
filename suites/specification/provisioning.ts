import { AT_EVERY_MOMENT, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const provisioning: Area = {
  prefix: 'PRV',
  name: 'provisioning',
  summary: 'nodes come for pods that need them, as many as they need, from the pools that were given',
  requirements: [
    requirement({
      id: 'PRV-01',
      title: 'A pod that some pool can serve runs within the bound, counted from its creation.',
      rationale:
        'It is what a node autoscaler is for. Averages hide the pod that nobody came for, so each one counts, and the slowest of a hundred is measured.',
      observed: 'every pod of a workload that can be served is followed from its creation to the moment at which it runs',
      breaches: { ...UNSERVED, latency: ['too-slow'] },
      bound: 'provision',
      incidents: ['karpenter#3176', 'karpenter-provider-aws#5850'],
    }),
    requirement({
      id: 'PRV-02',
      title: 'After everything was scaled in, the same pods are served once more, as fast as the first time.',
      rationale:
        'What an autoscaler remembers of a first round (launches under way, offerings that were refused, nodes that ended) must not stand in the way of the second.',
      observed: 'a workload goes to its full size and to nothing twice; the pods of both rounds have the same bound',
      breaches: { ...UNSERVED, latency: ['too-slow'] },
      bound: 'provision',
      incidents: ['karpenter#3176', 'autoscaler#9120'],
    }),
    requirement({
      id: 'PRV-03',
      title: 'A new node is large enough for the pods that it was launched for and for the DaemonSet pods that will run there.',
      rationale:
        'Agents take their share of every node. Who forgets them launches nodes that are too small, and then the next, and the next.',
      observed: 'a type that holds the pod alone does not hold it together with the agent: pods run only where both have room',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter-provider-aws#1959'],
    }),
    requirement({
      id: 'PRV-04',
      title: 'Nothing is launched for a DaemonSet pod that finds no room.',
      rationale: 'It belongs to one node that is there already; another node does not help it and brings one more of its kind.',
      observed: 'a DaemonSet is deployed to full nodes, and from then on no instance is launched',
      breaches: { 'no-launch-for-impossible-pods': ['launch-for-impossible-pod'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'PRV-05',
      title: 'No more pods are planned onto a node than its type can hold, however little they request.',
      rationale: 'A node has a limited number of addresses or pods. Who plans by processor and memory alone leaves pods waiting for ever.',
      observed: 'pods that request next to nothing are far more than one node holds, and all of them run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'PRV-06',
      title: 'A pod for which a node is on its way is no reason for another launch.',
      rationale:
        'A node takes minutes to come, and the pod is looked at many times meanwhile. Who forgets what is under way launches once a look.',
      observed: 'each pod needs a node of its own and nothing is lost, so every instance beyond the number of pods has no reason',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#2821', 'karpenter-provider-aws#3725', 'autoscaler#2232', 'autoscaler#10149'],
    }),
    requirement({
      id: 'PRV-07',
      title: 'Whatever goes wrong, no more instances live at once than the bound allows for each pod.',
      rationale:
        'Replacements that are launched first, fleets that give more than was asked and launches that were lost are legal, so the number is generous. A loop has no number, and it is the dearest failure of all.',
      observed: 'at every launch the live instances are compared with the most pods that were there at once until then',
      breaches: { 'runaway-capacity': ['runaway-launches'] },
      bound: 'runaway',
      incidents: ['karpenter-provider-aws#1905', 'karpenter-provider-aws#7800', 'autoscaler#5019'],
    }),
    requirement({
      id: 'PRV-08',
      title: 'What is launched is what some pool allows: its types, zones, capacity types and architectures.',
      rationale: 'Pools are how users say what may run and be paid for. Something else is neither audited nor budgeted nor reachable.',
      observed: 'every instance that came of a request of the autoscaler is compared with the pools that were there then',
      breaches: { 'launches-within-pools': ['launch-outside-pools'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#1540', 'karpenter-provider-aws#8696'],
    }),
    requirement({
      id: 'PRV-09',
      profile: 'extended',
      features: ['weights'],
      title: 'Of several pools that could serve a pod the one of the most weight is chosen.',
      rationale: 'A weight says what is paid for already, or cheaper, or safer: it is an order and no hint.',
      observed: 'what is launched while the preferred pool has capacity is what that pool allows',
      breaches: { 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'PRV-10',
      profile: 'extended',
      features: ['taints'],
      title: 'Nodes of a tainted pool serve the pods that tolerate its taints, and are launched for no others.',
      rationale: 'Taints keep costly or special nodes for those who need them; a node that its pod can not go to helps nobody.',
      observed: 'pods with and without the toleration come together, and both run within the bound: each on nodes that it can use',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'PRV-11',
      title: 'A pod that several pools could serve gets a node of one of them.',
      rationale:
        'Pools that overlap are common. If each of them answered for itself, everything would be launched and paid for as often as there are pools.',
      observed: 'two pools would both do, and no more is launched than one of them would have had to',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#3121', 'karpenter-provider-aws#6355'],
    }),
    requirement({
      id: 'PRV-12',
      profile: 'extended',
      features: ['consolidation'],
      title: 'The surge of a rolling update is served like any other pod, and the nodes that only it needed go when the update is over.',
      rationale:
        'An update runs old and new pods side by side for a while. Without room for the surge it stands still; with room that stays it costs for ever.',
      observed:
        'the template of a Deployment with a surge changes: its pods run within the bound, and are then on no more nodes than they need',
      breaches: { ...UNSERVED, consolidation: ['not-consolidated'], 'runaway-capacity': ['launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'PRV-13',
      profile: 'extended',
      features: ['minimum-values'],
      title: 'Where a pool asks for a least number of different values, as of types or zones, no launch leaves fewer to choose from.',
      rationale:
        'The more pools of capacity a request names, the less often it is refused and the less of it is taken back at once: users ask for it to sleep.',
      observed: 'the offerings that each launch names are counted; where the pods leave too few, nothing is launched and it is said why',
      breaches: { 'launches-within-pools': ['launch-outside-pools'], 'no-launch-for-impossible-pods': ['launch-for-impossible-pod'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'PRV-14',
      profile: 'extended',
      features: ['static-capacity'],
      title: 'A pool of a fixed number of nodes has that many, whatever pods there are: empty ones stay, and one that is lost is replaced.',
      rationale: 'It is capacity for what can not wait for a node, kept for the moment at which there is none to be had.',
      observed:
        'pods come when no capacity is left anywhere, and run on the nodes that were kept; a node is lost, and no more than one comes for it',
      breaches: { ...UNSERVED, latency: ['too-slow'], 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
    }),
  ],
};
