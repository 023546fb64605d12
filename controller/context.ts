import type { Ec2Client } from '../clients/ec2-client.ts';
import type { KubeClient } from '../clients/kube-client.ts';
import { createKubeClient } from '../clients/kube.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Wire } from '../wire/wire.ts';
import { kubeletOf } from './capacity/kubelet-of.ts';
import { createInstanceTypes } from './capacity/instance-types.ts';
import type { InstanceTypes } from './capacity/instance-types.ts';
import { createInstances } from './capacity/instances.ts';
import type { Instances } from './capacity/instances.ts';
import { createMarkets } from './capacity/markets.ts';
import type { Markets } from './capacity/markets.ts';
import { createUnavailableOfferings } from './capacity/unavailable-offerings.ts';
import type { UnavailableOfferings } from './capacity/unavailable-offerings.ts';
import { measuredEc2 } from './capacity/measured-ec2.ts';
import { patientKube } from './core/patient-kube.ts';
import { createReservations } from './disruption/reservations.ts';
import type { Reservations } from './disruption/reservations.ts';
import { createClaimOfferings } from './launch/claim-offerings.ts';
import type { ClaimOfferings } from './launch/claim-offerings.ts';
import { createLaunchTemplates } from './launch/launch-templates.ts';
import type { LaunchTemplates } from './launch/launch-templates.ts';
import { Metrics } from './metrics.ts';
import { STANDARD } from './periods.ts';
import type { Periods } from './periods.ts';
import { createNominations } from './provisioning/nominations.ts';
import type { Nominations } from './provisioning/nominations.ts';
import { allowsSpot } from './provisioning/pool-spec.ts';
import { PodClock } from './provisioning/pod-times.ts';
import { createReporter } from './provisioning/reporter.ts';
import type { Reporter } from './provisioning/reporter.ts';
import { EVERY_POOL } from './scope.ts';
import type { PoolScope } from './scope.ts';
import { createClusterState } from './state.ts';
import type { ClusterState } from './state.ts';

/** What every part of the autoscaler works with. */
export interface Context {
  readonly runtime: Runtime;
  readonly cluster: ClusterConfig;
  readonly periods: Periods;
  readonly scope: PoolScope;
  readonly kube: KubeClient;
  readonly ec2: Ec2Client;
  readonly state: ClusterState;
  readonly instances: Instances;
  readonly instanceTypes: InstanceTypes;
  readonly claimOfferings: ClaimOfferings;
  readonly unavailable: UnavailableOfferings;
  readonly markets: Markets;
  readonly templates: LaunchTemplates;
  readonly nominations: Nominations;
  readonly reservations: Reservations;
  readonly reporter: Reporter;
  readonly metrics: Metrics;
  readonly podClock: PodClock;
}

/** The inputs of a context. */
interface ContextSite {
  readonly runtime: Runtime;
  readonly kube: Wire;
  readonly ec2: Ec2Client;
  readonly cluster: ClusterConfig;
  /** By default the standard ones. */
  readonly periods?: Periods;
  /** By default every pool. */
  readonly pools?: PoolScope;
}

/** Creates a context; its caches start to fill at once. */
export function createContext(site: ContextSite): Context {
  const { runtime, kube: wire, ec2: plainEc2, cluster, periods = STANDARD, pools: scope = EVERY_POOL } = site;
  const { clock } = runtime;
  const kube = patientKube(createKubeClient({ wire, clock }), clock);
  const state = createClusterState(runtime, wire, kube, scope);
  const metrics = new Metrics();
  const podClock = new PodClock(clock, metrics);
  state.pods.onChange((type, pod) => podClock.observe(type, pod));
  const ec2 = measuredEc2(plainEc2, clock, metrics);
  const instanceTypes = createInstanceTypes(clock, ec2, cluster, () => state.pools.list().some(allowsSpot));
  return {
    runtime,
    cluster,
    periods,
    scope,
    kube,
    ec2,
    state,
    metrics,
    podClock,
    instances: createInstances(clock, ec2, cluster.name, metrics, scope),
    instanceTypes,
    claimOfferings: createClaimOfferings(instanceTypes, ({ spec }) => kubeletOf(state.classes, spec.nodeClassRef)),
    unavailable: createUnavailableOfferings(clock),
    markets: createMarkets(clock, (name) => instanceTypes.get(name), periods.unavailableOfferingMs),
    templates: createLaunchTemplates(clock, ec2, cluster),
    nominations: createNominations(clock, periods.nominationMs),
    reservations: createReservations(),
    reporter: createReporter(runtime, kube),
  };
}
