import { DUMMY_ACCOUNT, clusterVariables } from '../../model/program-environment.ts';
import type { ProgramEnvironment } from '../../model/program-environment.ts';
import type { Wire } from '../../wire/wire.ts';
import type { TargetSite } from '../target.ts';

/** Host names in a Go program's configuration: its network consists of the two wires. */
export const HOST = { kube: 'kubernetes.default.svc', aws: 'aws.scaleproof' } as const;
const KUBECONFIG = '/etc/scaleproof/kubeconfig';
/** It has its own network, where every port is free. */
const PORTS = { PORT: '8081', METRICS_PORT: '8080' } as const;

/** Where programs serve their metrics that take `METRICS_PORT`. */
export const METRICS = `http://127.0.0.1:${PORTS.METRICS_PORT}/metrics`;

/** What the images of programs set, which are based on distroless. */
export const IMAGE_ENVIRONMENT = {
  HOME: '/home/nonroot',
  // Only affects how often Go collects garbage: a third of the collections, for a little more memory.
  GOGC: '400',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
} as const;

/** Where a Go program's requests go. */
export function wireTo(host: string, { kube, aws }: Pick<TargetSite, 'kube' | 'aws'>): Wire | undefined {
  if (host === HOST.kube) return kube;
  return host === HOST.aws ? aws : undefined;
}

/** A Go program's environment, with the same names as for programs in real time (docs/targets.md). */
export function programVariables({ cluster }: Pick<TargetSite, 'cluster'>): ProgramEnvironment & typeof PORTS {
  return {
    KUBECONFIG,
    CLUSTER_ENDPOINT: `http://${HOST.kube}`,
    AWS_ENDPOINT_URL: `http://${HOST.aws}`,
    ...clusterVariables(cluster),
    ...DUMMY_ACCOUNT,
    ...PORTS,
  };
}

/** The files of a Go program: its kubeconfig. */
export function programFiles(): ReadonlyMap<string, Uint8Array> {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'scaleproof', cluster: { server: `http://${HOST.kube}` } }],
    users: [{ name: 'scaleproof', user: {} }],
    contexts: [{ name: 'scaleproof', context: { cluster: 'scaleproof', user: 'scaleproof' } }],
    'current-context': 'scaleproof',
  };
  return new Map([[KUBECONFIG, new TextEncoder().encode(JSON.stringify(kubeconfig))]]);
}
