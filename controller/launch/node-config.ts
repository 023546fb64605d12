import { stringify } from 'yaml';
import type { Taint } from '../../model/kube.ts';
import type { KubeletSettings } from '../../model/node-settings.ts';

/** The kubelet configuration of an instance. */
export interface NodeConfigInput {
  readonly clusterName: string;
  readonly kubelet?: KubeletSettings;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/**
 * User data for nodeadm, which starts the kubelet on EKS images: a NodeConfig as YAML.
 * Source: https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/. The API server's address and certificate are left
 * to the image.
 */
export function formatNodeConfig({ clusterName, kubelet, labels, taints }: NodeConfigInput): string {
  const nodeLabels = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return stringify({
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name: clusterName },
      kubelet: {
        config: { ...kubelet, registerWithTaints: taints },
        flags: [`--node-labels=${nodeLabels.join(',')}`],
      },
    },
  });
}

const BOUNDARY = '//';

/**
 * Several NodeConfigs as one MIME multi-part document. nodeadm merges them in this order: a later one overrides an earlier one,
 * and flags are added up.
 */
export function joinNodeConfigs(configs: readonly string[]): string {
  const parts = configs.map((config) => `--${BOUNDARY}\nContent-Type: application/node.eks.aws\n\n${config.trimEnd()}\n`);
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\n\n${parts.join('\n')}\n--${BOUNDARY}--\n`;
}
