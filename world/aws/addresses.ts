/**
 * What the private DNS names of a subnet's instances, and so their node names, are based on: `ip-name` (the address; addresses are
 * reused, so names are too) or `resource-name` (the instance id). Source: "Amazon EC2 instance hostname types".
 */
export type HostnameType = 'ip-name' | 'resource-name';

/**
 * The private DNS name of an instance, which is the name of its node: `ip-10-0-1-12.ec2.internal` or `i-0abc.ec2.internal`
 * in us-east-1, `....eu-west-1.compute.internal` elsewhere.
 */
export function privateDnsName(
  { id, privateIp, zone }: { readonly id: string; readonly privateIp: string; readonly zone: string },
  hostnameType: HostnameType = 'ip-name',
): string {
  const region = regionOf(zone);
  const domain = region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
  return `${hostnameType === 'ip-name' ? `ip-${privateIp.replaceAll('.', '-')}` : id}.${domain}`;
}

/** The region of a zone: `us-east-1` of `us-east-1a`. */
export function regionOf(zone: string): string {
  return zone.replace(/[a-z]$/, '');
}
