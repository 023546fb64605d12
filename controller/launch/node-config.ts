import { stringify } from 'yaml';
import type { Taint } from '../../model/kube.ts';

/** The kubelet configuration of an instance. */
export interface NodeConfigInput {
  readonly clusterName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/**
 * User data for nodeadm, which starts the kubelet on EKS images: a NodeConfig as YAML.
 * Source: https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/. The API server's address and certificate are left
 * to the image.
 */
export function formatNodeConfig({ clusterName, labels, taints }: NodeConfigInput): string {
  const nodeLabels = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return stringify({
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name: clusterName },
      kubelet: {
        config: { registerWithTaints: taints },
        flags: [`--node-labels=${nodeLabels.join(',')}`],
      },
    },
  });
}
