import type { FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../../model/catalogue.ts';
import type { LaunchTemplate, TemplateVersion } from '../launch-templates.ts';
import type { Subnet } from '../network.ts';

/** A launch specification that a fleet may choose: one type in one subnet, from one template. */
export interface FleetPool {
  readonly type: InstanceType;
  readonly subnet: Subnet;
  readonly template: LaunchTemplate;
  readonly version: TemplateVersion;
  /** As requested. */
  readonly override: FleetLaunchTemplateOverridesRequest;
  /** Target units that one instance fulfils. */
  readonly weight: number;
}
