import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { reading } from '../operation.ts';
import type { Ec2Operation } from '../operation.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Lists that an autoscaler requests and that are empty in this account. The volumes and network interfaces of instances are
 * omitted too.
 * @param answer the output's list member
 * @param ids the input's member that names ids
 * @param code of the refusal if an id is named
 */
function emptyList(answer: string, ids: string, code: string): Ec2Operation {
  return reading((_account, input: Input) => {
    const named = input[ids];
    const [first] = Array.isArray(named) ? (named as readonly string[]) : [];
    if (first !== undefined) throw new Ec2Refusal(code, `The ID '${first}' does not exist`);
    return { [answer]: [] };
  });
}

export const EMPTY_LISTS = {
  DescribeCapacityReservations: emptyList('CapacityReservations', 'CapacityReservationIds', 'InvalidCapacityReservationId.NotFound'),
  DescribeNetworkInterfaces: emptyList('NetworkInterfaces', 'NetworkInterfaceIds', 'InvalidNetworkInterfaceID.NotFound'),
  DescribePlacementGroups: emptyList('PlacementGroups', 'GroupNames', 'InvalidPlacementGroup.Unknown'),
  DescribeSnapshots: emptyList('Snapshots', 'SnapshotIds', 'InvalidSnapshot.NotFound'),
  DescribeVolumes: emptyList('Volumes', 'VolumeIds', 'InvalidVolume.NotFound'),
} as const satisfies Readonly<Record<string, Ec2Operation>>;
