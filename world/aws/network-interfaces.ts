import type { InstanceNetworkInterface } from '@aws-sdk/client-ec2';
import { defined } from '../../model/defined.ts';
import { derivedId, digestOf } from './ids.ts';
import type { InstanceRecord } from './instances.ts';
import { ACCOUNT_ID } from './operation.ts';
import type { Account } from './operation.ts';
import { groupsOf } from './security-groups.ts';
import { wholeSecond } from './times.ts';

type Specification = NonNullable<InstanceRecord['template']['NetworkInterfaces']>[number];

/** An address with its description, as interfaces without one lack both. */
type Addresses = Pick<InstanceNetworkInterface, 'PrivateDnsName' | 'PrivateIpAddress' | 'PrivateIpAddresses'>;

/**
 * The network interfaces of an instance, as its description shows them: the first, with its address, and those of type
 * `efa-only`, which have none. Others of the launch are missing, since an instance has one address here. Ids and hardware
 * addresses follow from the instance's id. A terminated instance has none.
 */
export function interfacesOf(account: Pick<Account, 'cluster' | 'network'>, record: InstanceRecord): InstanceNetworkInterface[] {
  if (record.state === 'terminated') return [];
  const [first = {}, ...others] = record.template.NetworkInterfaces ?? [];
  const { privateIp: PrivateIpAddress, privateDnsName: PrivateDnsName } = record;
  const address: Addresses = {
    PrivateDnsName,
    PrivateIpAddress,
    PrivateIpAddresses: [{ Primary: true, PrivateDnsName, PrivateIpAddress }],
  };
  return [
    write(account, record, first, 0, address),
    ...others.flatMap((one, index) =>
      one.InterfaceType === 'efa-only' ? [write(account, record, one, index + 1, { PrivateIpAddresses: [] })] : [],
    ),
  ];
}

function write(
  account: Pick<Account, 'cluster' | 'network'>,
  record: InstanceRecord,
  specification: Specification,
  index: number,
  addresses: Addresses,
): InstanceNetworkInterface {
  const name = `${record.id} ${index}`;
  return {
    Attachment: {
      AttachTime: wholeSecond(record.launchedAtMs),
      AttachmentId: derivedId('eni-attach', name),
      DeleteOnTermination: specification.DeleteOnTermination ?? true,
      DeviceIndex: specification.DeviceIndex ?? index,
      Status: record.state === 'pending' ? 'attaching' : 'attached',
      NetworkCardIndex: specification.NetworkCardIndex ?? 0,
    },
    Description: specification.Description ?? '',
    Groups:
      specification.Groups === undefined || index === 0 ? groupsOf(account, record) : specification.Groups.map((GroupId) => ({ GroupId })),
    Ipv6Addresses: [],
    MacAddress: macOf(name),
    NetworkInterfaceId: derivedId('eni', name),
    OwnerId: ACCOUNT_ID,
    ...addresses,
    SourceDestCheck: true,
    Status: 'in-use',
    SubnetId: record.subnetId,
    VpcId: account.network.vpcId,
    InterfaceType: specification.InterfaceType ?? 'interface',
    ...defined({ ConnectionTrackingConfiguration: specification.ConnectionTrackingSpecification }),
    Operator: { Managed: false },
  };
}

/** `0e:4f:...`: locally administered, and no group address. */
function macOf(name: string): string {
  const digits = digestOf(`mac ${name}`).slice(0, 10);
  return `0e:${digits.replace(/(..)(?=.)/g, '$1:')}`;
}
