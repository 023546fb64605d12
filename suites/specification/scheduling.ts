import { AT_EVERY_MOMENT, TAKEN, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const LAUNCHED_IN_VAIN = { 'no-launch-for-impossible-pods': ['launch-for-impossible-pod'] };

export const scheduling: Area = {
  prefix: 'SCH',
  name: 'scheduling constraints',
  summary: 'launched nodes meet the constraints of the pods, as kube-scheduler evaluates them; when no node can help, nothing is launched',
  requirements: [
    requirement({
      id: 'SCH-01',
      title: 'A pod with a node selector or a required node affinity gets a node that matches it.',
      rationale: 'Nodes that the scheduler does not accept for the pod cost money for nothing, and the pod stays pending.',
      observed:
        'pods ask for a zone or a type, or exclude a zone; they choose between pools by node label, with each affinity operator; some have several terms, only one of which can be met: all run within the bound, and the scheduler decides what fits',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter#2230'],
    }),
    requirement({
      id: 'SCH-02',
      title: 'Pods for different architectures that arrive together each get nodes of their architecture.',
      rationale: 'A batch is planned as a whole; the choice for one pod must not become the choice for all.',
      observed: 'one pool allows both architectures, one batch needs both, and all of its pods run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'SCH-03',
      title: 'Pods that a required anti-affinity keeps apart get as many nodes, or zones, as they need.',
      rationale:
        'Each of these pods keeps the next one off its node: an autoscaler that only counts resources sees room where there is none.',
      observed: 'pods that must not share a host, and pods that must not share a zone, run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'SCH-04',
      title:
        'Pods with a hard topology spread constraint are all served: nodes are launched in the domains that the constraint needs next.',
      rationale:
        'With a maxSkew of one, nodes in the wrong zone help no pod. Only pods of the same namespace count. Autoscalers have launched one node per round, or forty nodes, or none.',
      observed: 'each pod runs within the bound; the scheduler decides at each bind what counts as a domain',
      breaches: { ...UNSERVED, latency: ['too-slow'] },
      bound: 'provision',
      incidents: ['karpenter-provider-aws#2545', 'autoscaler#4129', 'autoscaler#9150', 'karpenter#2227'],
    }),
    requirement({
      id: 'SCH-05',
      title: 'Pods whose spread constraint has minDomains get nodes in as many domains as it needs, or in all that exist.',
      rationale: 'While minDomains is not met, the smallest domain counts as empty, so zones without nodes matter too.',
      observed: 'a constraint with minDomains starts with too few domains, and each of its pods runs within the bound',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter-provider-azure#1384'],
    }),
    requirement({
      id: 'SCH-06',
      title: 'A legal but unusual spread constraint, such as one without a selector, does no harm to its pods.',
      rationale: 'An empty or missing selector matches no pods and so forbids nothing. It has crashed controllers.',
      observed: 'pods with such constraints run within the bound, and the autoscaler stays alive',
      breaches: { ...UNSERVED, 'target-alive': ['exited', 'panicked', 'recovered-panic'] },
      bound: 'provision',
      incidents: ['karpenter-provider-aws#8496', 'karpenter#160'],
    }),
    requirement({
      id: 'SCH-07',
      title: 'A pod that cannot be served does not delay other pods of its batch.',
      rationale: 'Every cluster has a misconfigured pod somewhere. If it stops planning for all pods, anyone can cause an outage.',
      observed: 'healthy pods arrive together with pods that nothing can serve, and run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter-provider-aws#2189', 'karpenter-provider-aws#1021', 'karpenter#160', 'autoscaler#8097'],
    }),
    requirement({
      id: 'SCH-08',
      title: 'Nothing is launched for a pod that no offering of any pool can serve.',
      rationale:
        'The pod stays pending, so the autoscaler finds it again each time it looks: this is how a single pod caused hundreds of launches.',
      observed:
        'while every waiting pod is one that could not be served in any state the autoscaler could have seen, no instance is launched',
      breaches: LAUNCHED_IN_VAIN,
      bound: 'launch-lag',
      incidents: ['karpenter-provider-aws#1905'],
    }),
    requirement({
      id: 'SCH-09',
      title: 'A preference that cannot be met does not keep a pod from being served.',
      rationale: 'Preferred affinity and soft spread are optional. Waiting for them, or launching for them without end, misreads them.',
      observed: 'pods with a soft spread over a label that no node has, and pods with a preference for such a label, run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['autoscaler#4129'],
    }),
    requirement({
      id: 'SCH-10',
      profile: 'extended',
      features: ['volumes'],
      title: 'A pod whose volume exists in some zones only gets its node in one of them that the pod allows.',
      rationale: 'A volume cannot move. A node in another zone does not help, and the pod, often a database, stays pending.',
      observed:
        'pods that use bound volumes run within the bound: of some the volume exists in one zone, of others in two, of which the pod allows one',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter#2742'],
    }),
    requirement({
      id: 'SCH-11',
      profile: 'robustness',
      title: 'A constraint that no correct API server would accept delays only its own pod.',
      rationale: 'When an error on one pod is swallowed, the rest of the batch may be dropped silently with it.',
      observed: 'the autoscaler reads a negative maxSkew in one pod; the healthy pods beside it run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'SCH-12',
      profile: 'robustness',
      title: 'Nothing is launched for a pod whose constraint is invalid.',
      rationale: 'It is not known where the pod may run, so a node for it is an expensive guess.',
      observed: 'a pod with a negative maxSkew waits alone, and no instance is launched',
      breaches: LAUNCHED_IN_VAIN,
      bound: 'launch-lag',
    }),
    requirement({
      id: 'SCH-13',
      title: 'A pod that the scheduler has not evaluated, because it has a scheduling gate or names another scheduler, causes no launch.',
      rationale: 'No scheduler has said that the pod does not fit. Quota systems hold thousands of pods back with gates, on purpose.',
      observed: 'gated pods wait beside others that are served, and nothing is launched that could only be for them',
      breaches: LAUNCHED_IN_VAIN,
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'SCH-14',
      title: 'Pods that a required affinity keeps together get nodes in one domain.',
      rationale: 'The first pod decides where the others have to run; planning each pod alone puts them where they are not allowed.',
      observed: 'pods with a required zone affinity to each other run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'SCH-15',
      title: 'Pods that use the same port of their node get as many nodes as they need.',
      rationale: 'One node looks large enough for all of them, but the scheduler places only one of them there.',
      observed:
        'small pods with the same host port arrive together; each runs within the bound, and no more nodes are launched than there are pods',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
      incidents: ['karpenter#2083', 'karpenter#3022'],
    }),
    requirement({
      id: 'SCH-16',
      title: "Requests of ephemeral storage count: a node's disk limits its pods like its CPU and memory.",
      rationale: 'Builds and caches fill disks, and a node that has CPU left is of no use to them.',
      observed: 'small pods that each request more than half of a disk arrive together; each runs within the bound, on a node of its own',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
      incidents: ['karpenter-provider-aws#1563'],
    }),
    requirement({
      id: 'SCH-17',
      profile: 'extended',
      features: ['open-labels'],
      title: 'A label whose value a pool leaves open gets one that both the pool and the pods allow.',
      rationale: 'A node whose label its pool excludes is outdated from the start: it is replaced by one with the same label, without end.',
      observed:
        'a pool excludes the numbers that are nearest to what pods ask for; each pod runs within the bound, and its node is not replaced',
      breaches: { ...UNSERVED, ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
    }),
  ],
};
