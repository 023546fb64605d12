import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import { formatProviderId } from '../../model/provider-id.ts';
import { CONDITION, nameOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { kubeletOf } from '../capacity/kubelet-of.ts';
import { patchClaim, patchConditions } from '../claims.ts';
import type { Context } from '../context.ts';
import type { FleetRequest } from './attempt.ts';
import type { FleetInstance } from './fleet-outcome.ts';
import { formatResources } from '../../model/resources.ts';

/**
 * Records the claim's instance in the claim. Until the provider id is in its status, the launch counts as in progress and is
 * replayed, so the labels are written first.
 */
export async function recordInstance(
  context: Context,
  claim: NodeClaim,
  request: FleetRequest,
  instance: FleetInstance,
): Promise<NodeClaim> {
  const { cluster, runtime } = context;
  const { instanceType, zone } = await complete(context, instance);
  const type = context.instanceTypes.get(instanceType, kubeletOf(context.state.classes, claim.spec.nodeClassRef));
  const capacityType = request.TargetCapacitySpecification?.DefaultTargetCapacityType ?? 'on-demand';
  const labels = {
    ...type?.labels,
    [LABEL.instanceType]: instanceType,
    [LABEL.zone]: zone,
    [LABEL.region]: cluster.region,
    [LABEL.capacityType]: capacityType,
  };
  const labelled = await patchClaim(context, claim, { metadata: { labels } });
  const launched = await patchConditions(
    context,
    labelled,
    [
      { type: CONDITION.launched, status: 'True', reason: 'Launched', message: `${instanceType} in ${zone}, ${capacityType}` },
      { type: CONDITION.registered, status: 'Unknown', reason: 'NodeNotFound', message: 'the Node has not registered yet' },
    ],
    {
      providerID: formatProviderId({ zone, id: instance.id }),
      ...defined({
        imageID: type && cluster.imageIds[type.architecture],
        capacity: type && formatResources(type.capacity),
        allocatable: type && formatResources(type.allocatable),
      }),
    },
  );
  runtime.log('info', `launched ${instance.id}`, { claim: nameOf(claim), instanceType, zone, capacityType });
  return launched;
}

/** Type and zone of an instance, read from EC2 if the fleet's response lacks them. Throws if they are unknown. */
async function complete(context: Context, instance: FleetInstance): Promise<{ instanceType: string; zone: string }> {
  const { instanceType, zone } = instance;
  if (instanceType !== undefined && zone !== undefined) return { instanceType, zone };
  const described = await context.instances.find(instance.id);
  const found = {
    instanceType: instanceType ?? described?.InstanceType,
    zone: zone ?? described?.Placement?.AvailabilityZone,
  };
  if (found.instanceType === undefined || found.zone === undefined) {
    throw new Error(`EC2 does not describe ${instance.id} yet`);
  }
  return { instanceType: found.instanceType, zone: found.zone };
}
