/**
 * The private DNS name of an address, which is the name of its node: `ip-10-0-1-12.ec2.internal` in us-east-1,
 * `ip-10-0-1-12.eu-west-1.compute.internal` elsewhere (IP naming; addresses, and so names, are used again).
 */
export function privateDnsName(privateIp: string, region: string): string {
  const domain = region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
  return `ip-${privateIp.replaceAll('.', '-')}.${domain}`;
}

/** The region of a zone: `us-east-1` of `us-east-1a`. */
export function regionOf(zone: string): string {
  return zone.replace(/[a-z]$/, '');
}
