import { LEAKED, TAKEN, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const registration: Area = {
  prefix: 'REG',
  name: 'registration and initialization',
  summary: 'minutes pass between the launch of an instance and a node that accepts pods, and much can go wrong in between',
  requirements: [
    requirement({
      id: 'REG-01',
      title:
        'The autoscaler waits for a node that registers within the timeout: it does not give up on it, and launches nothing in its place.',
      rationale: 'Giving up early terminates an instance that was about to help. With a slow image this repeats for ever.',
      observed: 'every kubelet needs two thirds of the timeout; no more is launched than pods need, and each of them runs within the bound',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'registration',
      incidents: ['karpenter#2920'],
    }),
    requirement({
      id: 'REG-02',
      title: 'An instance whose node never registers is terminated within the bound, counted from its launch.',
      rationale:
        'It costs as much as any other and serves no pods. Giving up on it without terminating it is not enough, because it may still register minutes later.',
      observed: 'kubelets never register; the time from each launch to the end of its instance is at most the bound',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['autoscaler#6810', 'autoscaler#369', 'autoscaler#803'],
    }),
    requirement({
      id: 'REG-03',
      title: 'The pods of a node that never registers get another node.',
      rationale: 'The pod still waits, and the node that was launched for it will not come.',
      observed: 'some kubelets never register, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'replacement',
    }),
    requirement({
      id: 'REG-04',
      title: 'A node that is registered but not Ready does not keep other pods from being served, and serves its own once it is Ready.',
      rationale: 'In public incidents, one broken node, or one broken node group, has stopped every scale-out of a cluster.',
      observed:
        'a node does not become Ready; meanwhile pods for another zone run within the bound, and its own pods run once it is repaired',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['autoscaler#5959'],
    }),
    requirement({
      id: 'REG-05',
      title: 'A node that keeps changing between Ready and NotReady is neither forgotten nor replaced again and again.',
      rationale: 'Networks have brief outages. A single change of a condition is no reason to act.',
      observed:
        'a node changes its readiness several times; its pods run within the bound, no more is launched than they need, and its instance ends when it is no longer needed',
      breaches: { ...UNSERVED, ...LEAKED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'REG-06',
      title: 'An instance is not lost when another component creates its Node object before the kubelet registers.',
      rationale:
        'The kubelet, the cloud controller and the autoscaler all write Nodes. The second writer finds an object without its own labels and without a provider id.',
      observed:
        'a bare Node with the right name exists before the kubelet registers; pods run within the bound and every instance is accounted for',
      breaches: { ...UNSERVED, ...LEAKED },
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#2734', 'karpenter-provider-aws#1111'],
    }),
    requirement({
      id: 'REG-07',
      title: 'Instances are identified by their ids, even when a later one gets the address and node name of an earlier one.',
      rationale:
        'Node names based on addresses are reused as soon as the address is free. The Node of a dead instance then belongs to a live one.',
      observed: 'a subnet has one address; an instance dies and the next gets its address; each is ended and accounted for separately',
      breaches: { ...LEAKED, 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#2734'],
    }),
    requirement({
      id: 'REG-08',
      profile: 'extended',
      features: ['taints'],
      title:
        'The autoscaler waits for a node that still has its startup taints: it does not give up on it, and launches nothing in its place.',
      rationale:
        'An agent removes the taints when the node is ready for pods. Until then the scheduler cannot use the node, but the autoscaler has to count it.',
      observed: 'startup taints are removed some time after registration; pods run within the bound and no more is launched than they need',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
      incidents: ['autoscaler#7956', 'autoscaler#7268'],
    }),
    requirement({
      id: 'REG-09',
      profile: 'extended',
      features: ['taints'],
      title: 'A startup taint that was removed is not put back.',
      rationale:
        'The list of taints has several writers. A write based on an old copy restores a taint that another has just removed, and no agent looks again.',
      observed:
        'startup taints are removed while the autoscaler writes to the same Nodes; pods that do not tolerate the taints run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter#1772'],
    }),
    requirement({
      id: 'REG-10',
      profile: 'extended',
      features: ['node-settings'],
      title: "Labels that are set only by a node's user data are left alone: they stay, and are not taken for drift.",
      rationale:
        'Not all labels of a node come from its pool. A registration that replaces labels, or a comparison with the expected ones, breaks what users rely on.',
      observed: 'no node is replaced because of such a label, and pods that select it run on nodes that have it',
      breaches: { ...UNSERVED, ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: 'drift',
      incidents: ['karpenter-provider-aws#1681'],
    }),
    requirement({
      id: 'REG-11',
      title: 'Nodes that are named by instance id are handled like those that are named by address.',
      rationale:
        'The names follow the setting of the subnet. An autoscaler that computes the name of a node from its address looks for Nodes that do not exist.',
      observed:
        'subnets name instances by id; pods run within the bound, deleted, dead and interrupted nodes are replaced once, and every instance is accounted for',
      breaches: { ...UNSERVED, ...LEAKED, 'no-orphaned-nodes': ['orphaned-node'], 'runaway-capacity': ['launched-twice'] },
      bound: 'replacement',
      incidents: ['karpenter-provider-aws#927', 'karpenter-provider-aws#2872'],
    }),
    requirement({
      id: 'REG-12',
      profile: 'extended',
      features: ['gpus'],
      title:
        'The autoscaler waits for a Ready node that does not offer its GPUs yet: it does not remove it, and launches nothing in its place.',
      rationale:
        'The device plugin is a pod that starts on the new node. Until it has registered, the node looks empty and has no GPU: if it is removed or replaced at that point, it never helps.',
      observed:
        'device plugins register seconds or minutes after nodes are Ready; the nodes stay, no more is launched than pods need, and each of them runs within the bound',
      breaches: { ...UNSERVED, ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: 'registration',
      incidents: ['autoscaler#1949', 'autoscaler#3164', 'karpenter-provider-aws#1459', 'karpenter-provider-aws#1914'],
    }),
    requirement({
      id: 'REG-13',
      title: 'While no node becomes Ready, the number of nodes does not grow without limit, and pods are served once nodes become Ready.',
      rationale:
        'Nodes that all fail have one cause, such as a broken image or network plugin. Each further one costs money and fails as well.',
      observed:
        'nodes register but none becomes Ready for longer than the timeout of registration; the number of live instances stays in proportion to the pods, and these run within the bound after the repair',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#1391'],
    }),
    requirement({
      id: 'REG-14',
      profile: 'extended',
      features: ['taints'],
      title:
        'While nodes come up with a taint that nobody declared, they are not launched one after the other, and pods are served once new nodes have no such taint.',
      rationale:
        'No pod can use such a node. An autoscaler that counts on a node only until it registers then launches the next one, which gets the same taint.',
      observed:
        'another component creates each Node for a while, with a taint that no pod tolerates; no more is launched than pods and the replacement of these nodes need, and pods run within the bound after that',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'replacement',
      incidents: ['karpenter-provider-aws#6355'],
    }),
  ],
};
