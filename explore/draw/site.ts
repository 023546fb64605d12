import type { Capability } from '../../history/capabilities.ts';
import type { Feature } from '../../targets/target.ts';

/** What scenarios may ask of the target and its world, and what has been seen of the target's traffic. */
export interface DrawSite {
  readonly features: readonly Feature[];
  readonly capabilities: readonly Capability[];
  /** Operations that the target was seen to send, as histories name them. */
  readonly operations: readonly string[];
}

/** What any autoscaler sends: used until its own traffic is known. */
export const USUAL_OPERATIONS: readonly string[] = [
  'ec2:CreateFleet',
  'ec2:DescribeInstances',
  'ec2:TerminateInstances',
  'list pods',
  'patch nodes',
];

export function has(site: DrawSite, feature: Feature): boolean {
  return site.features.includes(feature);
}
