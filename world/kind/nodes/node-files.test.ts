import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import type { Instance } from '../../ports.ts';
import { parseNodeConfig } from '../../nodes/node-config.ts';
import { nodeResources } from '../../nodes/node-resources.ts';
import { M6I_LARGE, userData } from '../../testing/world-parts.ts';
import { createArguments } from './containers.ts';
import { kubeletConfig, kubeletFiles, networkFiles, sizeFiles } from './node-files.ts';
import type { KubeletSite } from './node-files.ts';

const INSTANCE: Instance = {
  id: 'i-0a',
  instanceType: 'm6i.large',
  zone: 'us-east-1a',
  capacityType: 'on-demand',
  state: 'running',
  privateIp: '10.0.1.12',
  privateDnsName: 'ip-10-0-1-12.ec2.internal',
  launchedAtMs: 0,
  tags: {},
  userData: userData({}),
  usdPerHour: 0.1,
};
const SITE: KubeletSite = {
  instance: INSTANCE,
  config: parseNodeConfig(INSTANCE.userData),
  resources: nodeResources(M6I_LARGE),
  facts: {
    image: 'sha256:node',
    server: 'https://one-control-plane:6443',
    authority: 'PEM\n',
    token: 'abcdef.0123456789abcdef',
    kubeletConfig: { kind: 'KubeletConfiguration', maxPods: 110, staticPodPath: '/etc/kubernetes/manifests' },
    pauseImage: 'example.com/pause:3.10.1',
    maxNodes: 9,
  },
};
const DROP_IN = '/etc/systemd/system/kubelet.service.d/20-scaleproof.conf';

test('a kubelet reserves what its type does not give to pods, to the byte', () => {
  const config = parse(kubeletConfig(SITE)['/var/lib/kubelet/config.yaml'] ?? '') as Record<string, unknown>;
  expect(config).toMatchObject({ staticPodPath: '/etc/kubernetes/manifests', maxPods: 29 });
  const { capacity, allocatable } = SITE.resources;
  expect(config['systemReserved']).toEqual({ cpu: '70m', memory: String((capacity['memory'] ?? 0) - (allocatable['memory'] ?? 0)) });
});

test('a kubelet requests its credentials with the token', () => {
  const files = kubeletFiles(SITE);
  expect(parse(files['/etc/kubernetes/bootstrap-kubelet.conf'] ?? '')).toMatchObject({
    kind: 'Config',
    clusters: [
      { cluster: { server: 'https://one-control-plane:6443', 'certificate-authority-data': Buffer.from('PEM\n').toString('base64') } },
    ],
    users: [{ user: { token: 'abcdef.0123456789abcdef' } }],
    'current-context': 'bootstrap',
  });
  expect(files['/etc/kubernetes/pki/ca.crt']).toBe('PEM\n');
});

test("the workloads' image is a tag of the sandbox image, unless they are the same", () => {
  expect(kubeletFiles(SITE)[DROP_IN]).toContain(
    'ExecStartPre=-/usr/local/bin/ctr --namespace k8s.io images tag example.com/pause:3.10.1 registry.k8s.io/pause:3.10',
  );
  const same = kubeletFiles({ ...SITE, facts: { ...SITE.facts, pauseImage: 'registry.k8s.io/pause:3.10' } })[DROP_IN];
  expect(same).not.toContain('ExecStartPre');
  expect(same).toContain('Requires=scaleproof-size.service');
});

test('a machine shows the processors and memory of its type, mounted once', () => {
  const files = sizeFiles(SITE.resources);
  expect(files['/var/lib/scaleproof/meminfo']).toMatch(new RegExp(`^MemTotal: ${(SITE.resources.capacity['memory'] ?? 0) / 1024} kB\n`));
  const processors = Object.keys(files).filter((path) => path.startsWith('/var/lib/scaleproof/cpu/'));
  expect(processors).toEqual(['/var/lib/scaleproof/cpu/cpu0', '/var/lib/scaleproof/cpu/cpu1']);
  // Mounted again on top of itself, a shared mount would double with each start.
  expect(files['/etc/systemd/system/scaleproof-size.service']).toContain('Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/mount --bind');
});

test('the network needs only plugins from kind’s image', () => {
  const [text = ''] = Object.values(networkFiles());
  expect(JSON.parse(text)).toMatchObject({ plugins: [{ type: 'ptp', ipam: { type: 'host-local' } }] });
});

test("a container is created like kind's workers, and never restarted by the engine", () => {
  const args = createArguments({ cluster: 'one', run: 'r1' }, { name: 'one-i-0a', image: 'sha256:node' });
  expect(args.slice(0, 5)).toEqual(['create', '--name', 'one-i-0a', '--hostname', 'one-i-0a']);
  expect(args).toEqual(expect.arrayContaining(['--privileged', '--cgroupns=private', '--restart=no', 'scaleproof.run=r1']));
  expect(args.at(-1)).toBe('sha256:node');
});
