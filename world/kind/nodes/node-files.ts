import { stringify } from 'yaml';
import type { Instance } from '../../ports.ts';
import { formatProviderId } from '../../../model/provider-id.ts';
import type { NodeConfig } from '../../nodes/node-config.ts';
import type { NodeResources } from '../../nodes/node-resources.ts';
import type { ControlPlaneFacts } from './control-plane.ts';

/** File contents by path; undefined stands for an empty folder. */
export type NodeFiles = Readonly<Record<string, string | undefined>>;

/** The image of workload containers: no node pulls anything. */
const WORKLOAD_IMAGE = 'registry.k8s.io/pause:3.10';
/** kind's kubelet.service does not start without this file. */
const CONFIG_PATH = '/var/lib/kubelet/config.yaml';
export const NETWORK_PATH = '/etc/cni/net.d/10-scaleproof.conflist';
const SIZE_FOLDER = '/var/lib/scaleproof';
const SIZE_UNIT = 'scaleproof-size.service';

/** The input of a kubelet's configuration. */
export interface KubeletSite {
  readonly instance: Instance;
  readonly config: NodeConfig;
  readonly resources: NodeResources;
  readonly facts: ControlPlaneFacts;
}

/**
 * The kubelet's configuration: the cluster's own, as kubeadm wrote it, with what nodeadm would read from the user data. All
 * reservations are one sum in `systemReserved`, so that allocatable equals that of a node of the type.
 */
export function kubeletConfig({ instance, config, resources, facts }: KubeletSite): NodeFiles {
  const { capacity, allocatable } = resources;
  const kept = (name: string): number => (capacity[name] ?? 0) - (allocatable[name] ?? 0);
  const document = {
    ...facts.kubeletConfig,
    providerID: formatProviderId(instance),
    registerWithTaints: config.taints,
    maxPods: capacity['pods'] ?? 0,
    systemReserved: { cpu: `${kept('cpu')}m`, memory: String(kept('memory')) },
  };
  return { [CONFIG_PATH]: stringify(document) };
}

/** Flags, bootstrap credentials, and the workloads' image. */
export function kubeletFiles({ instance, config, facts }: KubeletSite): NodeFiles {
  const labels = Object.entries(config.labels).map(([key, value]) => `${key}=${value}`);
  const flags = [`--hostname-override=${instance.privateDnsName}`, '--cloud-provider=external', `--node-labels=${labels.join(',')}`];
  const bootstrap = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'cluster', cluster: { server: facts.server, 'certificate-authority-data': Buffer.from(facts.authority).toString('base64') } },
    ],
    users: [{ name: 'bootstrap', user: { token: facts.token } }],
    contexts: [{ name: 'bootstrap', context: { cluster: 'cluster', user: 'bootstrap' } }],
    'current-context': 'bootstrap',
  };
  const tag = ['/usr/local/bin/ctr', '--namespace', 'k8s.io', 'images', 'tag', facts.pauseImage, WORKLOAD_IMAGE];
  return {
    // Read by kubeadm's unit; kubeadm itself is not needed.
    '/var/lib/kubelet/kubeadm-flags.env': `KUBELET_KUBEADM_ARGS="${flags.join(' ')}"\n`,
    '/etc/kubernetes/bootstrap-kubelet.conf': stringify(bootstrap),
    '/etc/kubernetes/pki/ca.crt': facts.authority,
    '/etc/systemd/system/kubelet.service.d/20-scaleproof.conf': unit({
      Unit: [`Requires=${SIZE_UNIT}`, `After=${SIZE_UNIT} containerd.service`],
      Service: facts.pauseImage === WORKLOAD_IMAGE ? [] : [`ExecStartPre=-${tag.join(' ')}`],
    }),
  };
}

/**
 * The size of the machine, shown in the way LXCFS does it: other files replace those from which the kubelet reads it
 * (cadvisor `machine/machine.go`, `utils/sysinfo/sysinfo.go`). Processors have no topology here: with one, the kubelet would
 * ask the kernel for processors that don't exist. Mounted once, before the kubelet starts.
 */
export function sizeFiles({ capacity }: NodeResources): NodeFiles {
  const memoryKib = Math.floor((capacity['memory'] ?? 0) / 1024);
  const processors = Math.round((capacity['cpu'] ?? 0) / 1000);
  const meminfo = { MemTotal: memoryKib, MemFree: memoryKib, MemAvailable: memoryKib, SwapTotal: 0, SwapFree: 0 };
  const mounts = { '/proc/meminfo': 'meminfo', '/sys/devices/system/cpu': 'cpu', '/sys/devices/system/node': 'node' };
  return {
    [`${SIZE_FOLDER}/meminfo`]: Object.entries(meminfo)
      .map(([name, kib]) => `${name}: ${kib} kB\n`)
      .join(''),
    ...Object.fromEntries(Array.from({ length: processors }, (_, index) => [`${SIZE_FOLDER}/cpu/cpu${index}`, undefined])),
    [`${SIZE_FOLDER}/node`]: undefined,
    [`/etc/systemd/system/${SIZE_UNIT}`]: unit({
      Unit: ['Description=The size of the machine'],
      Service: [
        'Type=oneshot',
        'RemainAfterExit=yes',
        ...Object.entries(mounts).map(([path, file]) => `ExecStart=/bin/mount --bind ${SIZE_FOLDER}/${file} ${path}`),
      ],
    }),
  };
}

/** The network plugin's configuration, which makes a node Ready. Pods on all nodes have the same addresses: nothing connects to them. */
export function networkFiles(): NodeFiles {
  const plugin = {
    type: 'ptp',
    ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.0.0/16' }]], routes: [{ dst: '0.0.0.0/0' }] },
  };
  return { [NETWORK_PATH]: JSON.stringify({ cniVersion: '0.4.0', name: 'scaleproof', plugins: [plugin] }) };
}

function unit(sections: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(sections)
    .map(([name, lines]) => [`[${name}]`, ...lines, ''].join('\n'))
    .join('\n');
}
