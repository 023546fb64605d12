import { ROOT_VOLUME } from '../../model/root-volume.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { TemplateData } from './launch-templates.ts';

/** The size that a launch sets for its root volume; undefined if it sets none. Other volumes are not part of this world. */
export function rootVolumeGiB({ BlockDeviceMappings: mappings = [] }: TemplateData): number | undefined {
  return mappings.find(({ DeviceName }) => DeviceName === ROOT_VOLUME.device)?.Ebs?.VolumeSize;
}

/** Why a launch's root volume is refused: it must be as large as the image's snapshot. */
export function rootVolumeProblem(data: TemplateData, imageId: string | undefined): Ec2Refusal | undefined {
  const size = rootVolumeGiB(data) ?? ROOT_VOLUME.sizeGiB;
  if (size >= ROOT_VOLUME.sizeGiB) return undefined;
  const snapshot = (imageId ?? '').replace(/^ami-/, 'snap-');
  const message = `Volume of size ${size}GB is smaller than snapshot '${snapshot}', expect size>= ${ROOT_VOLUME.sizeGiB}GB`;
  return new Ec2Refusal('InvalidBlockDeviceMapping', message);
}
