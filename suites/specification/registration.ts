import { LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const registration: Area = {
  prefix: 'REG',
  name: 'registration and initialization',
  summary: 'between an instance and a node that takes pods lie minutes in which much can happen',
  requirements: [
    requirement({
      id: 'REG-01',
      title: 'A node that registers within the time-out is waited for: it is not given up, and nothing is launched in its place.',
      rationale: 'Who gives up early ends what was about to help and begins anew, and with a slow image it never ends.',
      observed:
        'every kubelet needs two thirds of the time-out; no more is launched than pods need, and each of them runs within the bound',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'registration',
      incidents: ['karpenter#2920'],
    }),
    requirement({
      id: 'REG-02',
      title: 'An instance whose node never registers is ended within the bound, counted from its launch.',
      rationale: 'It costs like any other and serves nobody. That it is given up is not enough: it may yet register, minutes later.',
      observed: 'kubelets never register; from each launch to the end of its instance no more time passes than the bound',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['autoscaler#6810', 'autoscaler#369', 'autoscaler#803'],
    }),
    requirement({
      id: 'REG-03',
      title: 'The pods of a node that never registers get another.',
      rationale: 'The pod still waits, and what was launched for it is gone.',
      observed: 'some kubelets never register, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'replacement',
    }),
    requirement({
      id: 'REG-04',
      title: 'A node that is registered and not Ready keeps no other pods from being served, and serves its own once it is.',
      rationale: 'One broken node, or one broken group, has stopped every scale-up of a cluster.',
      observed: 'a node does not get Ready; pods for another zone run within the bound meanwhile, its own when it is mended',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['autoscaler#5959'],
    }),
    requirement({
      id: 'REG-05',
      title: 'A node that stops and starts being Ready is neither forgotten nor launched for again and again.',
      rationale: 'Networks hiccup. Each change of a condition is news, and none of them is a decision.',
      observed:
        'a node changes its readiness several times; its pods run within the bound, no more is launched than they need, and its instance ends when it is not needed',
      breaches: { ...UNSERVED, ...LEAKED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'REG-06',
      title: 'An instance is not lost where another party writes the object of its Node before its kubelet does.',
      rationale:
        'Kubelet, cloud controller and autoscaler all write Nodes. Whoever comes second adopts what is there, without its labels and its provider id.',
      observed: 'a bare Node of the right name is there before the kubelet; pods run within the bound and every instance is accounted for',
      breaches: { ...UNSERVED, ...LEAKED },
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#2734', 'karpenter-provider-aws#1111'],
    }),
    requirement({
      id: 'REG-07',
      title: 'Instances are told apart by their ids, also where a later one gets the address and the node name of an earlier one.',
      rationale: 'Names made of addresses come again as soon as the address is free. The Node of the dead then belongs to the living.',
      observed: 'a subnet has one address; an instance dies, the next gets its address, and each is ended and accounted for by itself',
      breaches: { ...LEAKED, 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#2734'],
    }),
    requirement({
      id: 'REG-08',
      profile: 'extended',
      features: ['taints'],
      title: 'A node that still has its start-up taints is waited for: it is not given up, and nothing is launched in its place.',
      rationale:
        'An agent takes them away when the node is fit for pods. Until then it is full for the scheduler, and on its way for an autoscaler.',
      observed: 'start-up taints go some time after the registration; pods run within the bound and no more is launched than they need',
      breaches: { ...UNSERVED, 'runaway-capacity': ['launched-twice'] },
      bound: 'provision',
      incidents: ['autoscaler#7956', 'autoscaler#7268'],
    }),
    requirement({
      id: 'REG-09',
      profile: 'extended',
      features: ['taints'],
      title: 'A start-up taint that was taken away is not put back.',
      rationale:
        'Lists of taints have several writers. A write from an old copy brings back what another has just removed, and no agent looks again.',
      observed: 'start-up taints go while the autoscaler writes the same Nodes; pods that do not tolerate them run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter#1772'],
    }),
  ],
};
