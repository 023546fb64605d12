import type { ClusterConfig } from '../../model/cluster.ts';
import { KUBERNETES_MINOR } from './kubernetes-version.ts';

/** As DescribeImages dates them. */
const IMAGE_VERSION = 'v20260105';

const PATHS: readonly RegExp[] = [
  // "Retrieve recommended Amazon Linux AMI IDs" of the EKS user guide. The standard variant alone, as here are no GPUs.
  new RegExp(
    `^/aws/service/eks/optimized-ami/${KUBERNETES_MINOR}/amazon-linux-2023/(?<architecture>x86_64|arm64)/standard/` +
      `(recommended|amazon-eks-node-al2023-\\k<architecture>-standard-${KUBERNETES_MINOR}-${IMAGE_VERSION})/image_id$`,
  ),
  // "Retrieve recommended Bottlerocket AMI IDs" of the EKS user guide.
  new RegExp(`^/aws/service/bottlerocket/aws-k8s-${KUBERNETES_MINOR}/(?<architecture>x86_64|arm64)/latest/image_id$`),
];

/**
 * The image that a public parameter names; undefined for parameters that there are not. There is one image an architecture,
 * whatever the family that is asked for; Amazon Linux 2 has none for this version of Kubernetes, and neither have GPUs and
 * Windows here.
 */
export function imageOfParameter(name: string, { imageIds }: Pick<ClusterConfig, 'imageIds'>): string | undefined {
  for (const path of PATHS) {
    const architecture = path.exec(name)?.groups?.['architecture'];
    if (architecture === 'x86_64' || architecture === 'arm64') return imageIds[architecture];
  }
  return undefined;
}
