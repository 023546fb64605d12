import type { DescribeAccountAttributesRequest, DescribeAccountAttributesResult } from '@aws-sdk/client-ec2';
import { invalidValue } from '../../../protocols/ec2/refusal.ts';
import type { Account } from '../operation.ts';

/**
 * A new account's values. Limits of instances have been quotas of vCPUs since 2019, so the old one means little. Source of names
 * and defaults: DescribeAccountAttributes, "Amazon VPC quotas". Without a default VPC, its name is `none`.
 */
const VALUES: Readonly<Record<string, string>> = {
  'default-vpc': 'none',
  'max-elastic-ips': '5',
  'max-instances': '20',
  'supported-platforms': 'VPC',
  'vpc-max-elastic-ips': '5',
  'vpc-max-security-groups-per-interface': '5',
};

/** Lists attributes of the account. */
export function describeAccountAttributes(
  _account: Account,
  { AttributeNames: names = [] }: DescribeAccountAttributesRequest,
): DescribeAccountAttributesResult {
  const unknown = names.find((name) => !Object.hasOwn(VALUES, name));
  if (unknown !== undefined) throw invalidValue(`Value (${unknown}) for parameter attributeName is invalid. Unknown attribute.`);
  const asked = Object.entries(VALUES).filter(([name]) => names.length === 0 || names.some((one) => one === name));
  return {
    AccountAttributes: asked.map(([name, value]) => ({ AttributeName: name, AttributeValues: [{ AttributeValue: value }] })),
  };
}
