import type { WorldPart } from '../tasks.ts';
import type { Heartbeats } from '../nodes/kubelets.ts';
import { DaemonSets } from './daemon-sets.ts';
import { Deployments } from './deployments.ts';
import { DisruptionBudgets } from './disruption-budgets.ts';
import { Jobs } from './jobs.ts';
import type { CountingPort } from '../ports.ts';
import { NodeLifecycle } from './node-lifecycle.ts';
import type { ControllerOptions } from './pod-control.ts';
import { PodGarbageCollector } from './pod-garbage-collector.ts';
import { ReplicaSets } from './replica-sets.ts';
import { shareWatches } from './shared-watches.ts';
import { StatefulSets } from './stateful-sets.ts';
import { TaintEviction } from './taint-eviction.ts';
import { TtlAfterFinished } from './ttl-after-finished.ts';

/**
 * kube-controller-manager: the controllers that keep a cluster alive, on one set of shared watches. The garbage collector
 * of owner references works inside the API server instead (`kube/garbage-collector.ts`).
 */
export function createControllerManager({
  port,
  clock,
  random,
  heartbeats,
}: ControllerOptions & { readonly port: CountingPort; readonly heartbeats: Heartbeats }): WorldPart {
  const shared = shareWatches(port);
  const optionsOf = (name: string): ControllerOptions & { readonly port: CountingPort } => ({
    port: shared,
    clock,
    random: random.fork(name),
  });
  const controllers: readonly WorldPart[] = [
    new Deployments(optionsOf('deployments')),
    new ReplicaSets(optionsOf('replica-sets')),
    new DaemonSets(optionsOf('daemon-sets')),
    new StatefulSets(optionsOf('stateful-sets')),
    new Jobs(optionsOf('jobs')),
    new TtlAfterFinished(optionsOf('ttl-after-finished')),
    new DisruptionBudgets(optionsOf('disruption-budgets')),
    new NodeLifecycle({ ...optionsOf('node-lifecycle'), heartbeats }),
    new TaintEviction(optionsOf('taint-eviction')),
    new PodGarbageCollector({ port: shared, clock }),
  ];
  return {
    run: async (signal) => {
      await Promise.all(controllers.map((controller) => controller.run(signal)));
    },
  };
}
