import { expect, test } from '@playwright/test';
import { unknownKind } from './unknown-kinds.ts';

const SERVED = [
  ['v1', 'Pod'],
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['batch/v1', 'Job'],
  ['batch/v1', 'CronJob'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['karpenter.sh/v1', 'NodePool'],
  ['karpenter.k8s.aws/v1', 'EC2NodeClass'],
].map(([apiVersion = '', kind = '']) => ({ apiVersion, kind }));

for (const [apiVersion, kind, meant] of [
  ['apps/v1', 'Deploymnet', 'did you mean Deployment of apps/v1?'],
  ['apps/v1', 'deployment', 'did you mean Deployment of apps/v1?'],
  ['v1', 'Deployment', 'did you mean Deployment of apps/v1?'],
  ['apps/v1', 'Job', 'did you mean Job of batch/v1?'],
  ['extensions/v1beta1', 'Deployment', 'did you mean Deployment of apps/v1?'],
  ['app/v1', 'StatefulSets', 'did you mean StatefulSet of apps/v1?'],
  ['apps/v1beta2', 'Deployment', 'did you mean Deployment of apps/v1?'],
  ['policy/v1beta1', 'PodDisruptionBudget', 'did you mean PodDisruptionBudget of policy/v1?'],
  ['policy/v1', 'PodSecurityPolicy', 'policy/v1 has: PodDisruptionBudget'],
  ['karpenter.sh/v1', 'Nodepool', 'did you mean NodePool of karpenter.sh/v1?'],
  ['karpenter.sh/v1beta1', 'NodePool', 'did you mean NodePool of karpenter.sh/v1?'],
  ['karpener.sh/v1', 'NodePool', 'did you mean NodePool of karpenter.sh/v1?'],
  ['karpenter.k8s.aws/v1', 'EC2NodeClasss', 'did you mean EC2NodeClass of karpenter.k8s.aws/v1?'],
  ['batch/v2alpha1', 'Whatever', 'check its apiVersion and kind'],
] as const) {
  test(`a mistake: ${kind} of ${apiVersion}`, () => {
    expect(unknownKind({ apiVersion, kind }, SERVED)).toBe(
      `no API of Kubernetes 1.34 or Karpenter v1 serves a ${kind} of ${apiVersion}; ${meant}`,
    );
  });
}

for (const [apiVersion, kind] of [
  ['apps/v1', 'Deployment'],
  ['autoscaling/v1', 'HorizontalPodAutoscaler'],
  ['karpenter.sh/v1', 'NodeClaim'],
  ['monitoring.coreos.com/v1', 'ServiceMonitor'],
  ['argoproj.io/v1alpha1', 'Rollout'],
  ['apps.kruise.io/v1beta1', 'StatefulSet'],
  ['autoscaling.k8s.io/v1', 'VerticalPodAutoscaler'],
  ['certificates.k8s.io/v1', 'CertificateSigningRequest'],
] as const) {
  test(`no mistake: ${kind} of ${apiVersion}`, () => {
    expect(unknownKind({ apiVersion, kind }, SERVED)).toBeUndefined();
  });
}
