import type { TemplateData } from './launch-templates.ts';

/** Ids of the security groups that a launch names; none for the default group of the VPC. */
export function namedGroupIds({ SecurityGroupIds, NetworkInterfaces }: TemplateData): readonly string[] {
  return SecurityGroupIds ?? NetworkInterfaces?.[0]?.Groups ?? [];
}
