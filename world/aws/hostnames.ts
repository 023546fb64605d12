import type { Heal, HostnamePort, Instance } from '../ports.ts';
import type { HostnameType } from './addresses.ts';
import type { TemplateData } from './launch-templates.ts';

type Naming = Parameters<HostnamePort['nameByInstance']>[0];

/** What the hostnames of new instances are based on. An instance keeps its name for life. */
export class Hostnames implements HostnamePort {
  readonly #namings = new Set<Naming>();

  /** The setting of a zone's subnet (`PrivateDnsNameOptionsOnLaunch`). */
  ofSubnet(zone: string): HostnameType {
    return [...this.#namings].some(({ zones }) => zones?.includes(zone) ?? true) ? 'resource-name' : 'ip-name';
  }

  /** For a launch: the launch template's own choice, else the subnet's. */
  ofLaunch({ PrivateDnsNameOptions }: TemplateData, zone: string): HostnameType {
    return PrivateDnsNameOptions?.HostnameType ?? this.ofSubnet(zone);
  }

  nameByInstance(naming: Naming): Heal {
    this.#namings.add(naming);
    return () => void this.#namings.delete(naming);
  }

  /** Reports new instances to the subnets' settings. */
  observe(instance: Instance): void {
    if (instance.state !== 'pending' || hostnameTypeOf(instance) !== 'resource-name') return;
    for (const { zones, fired } of this.#namings) if (zones?.includes(instance.zone) ?? true) fired(instance.id);
  }
}

/** What an instance's own name is based on. */
export function hostnameTypeOf({ id, privateDnsName }: Pick<Instance, 'id' | 'privateDnsName'>): HostnameType {
  return privateDnsName.startsWith(`${id}.`) ? 'resource-name' : 'ip-name';
}

/** As descriptions of subnets and instances show it. Names by id have no records of their own here. */
export function dnsNameOptions(type: HostnameType) {
  return { HostnameType: type, EnableResourceNameDnsARecord: false, EnableResourceNameDnsAAAARecord: false };
}
