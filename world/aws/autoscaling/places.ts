import type { Account } from '../operation.ts';
import type { Group } from './group.ts';

/** The zones of a group's subnets. */
export function zonesOf({ network }: Account, { subnets }: Group): readonly string[] {
  return network.subnets.filter(({ id }) => subnets.includes(id)).map(({ zone }) => zone);
}

/** A group's subnet in one of its zones. */
export function subnetOf({ network }: Account, { subnets }: Group, zone: string): string {
  return network.subnets.find((subnet) => subnet.zone === zone && subnets.includes(subnet.id))?.id ?? '';
}

/** The id of a group's launch template. */
export function templateIdOf({ templates }: Account, { template }: Group): string | undefined {
  return template.LaunchTemplateId ?? templates.list().find(({ name }) => name === template.LaunchTemplateName)?.id;
}
