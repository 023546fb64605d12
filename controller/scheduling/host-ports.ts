import type { PodSpec } from '../../model/kube.ts';

/** A port of the node that a pod uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY_ADDRESS = '0.0.0.0';

/** The host ports of a pod. With host networking every container port is one, as in the API server's defaulting. */
export function hostPortsOf(spec: PodSpec): HostPort[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')];
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ containerPort, hostPort, hostIP = '', protocol = 'TCP' }) => {
      const port = hostPort ?? (spec.hostNetwork === true ? containerPort : 0);
      return port > 0 ? [{ ip: hostIP === '' ? ANY_ADDRESS : hostIP, protocol, port }] : [];
    }),
  );
}

/** Whether two pods with these ports can't share a node, as in the scheduler's `HostPortInfo`. */
export function conflicts(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  return wanted.some((want) =>
    taken.some(
      (one) =>
        want.port === one.port &&
        want.protocol === one.protocol &&
        (want.ip === one.ip || want.ip === ANY_ADDRESS || one.ip === ANY_ADDRESS),
    ),
  );
}
