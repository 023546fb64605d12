import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ProgramEnd, Programs } from '../../programs.ts';

/** A container, as far as nodes need it. */
export interface FakeContainer {
  readonly name: string;
  readonly labels: readonly string[];
  readonly image: string;
  isRunning: boolean;
  /** Its current files: contents by path. */
  readonly files: Map<string, string>;
  /** The commands run in it, in order. */
  readonly commands: string[];
}

/** Enough for nine nodes. */
const INOTIFY_INSTANCES = 60 + 9 * 13;

const CONTROL_PLANE: Readonly<Record<string, string>> = {
  'cat /proc/sys/fs/inotify/max_user_instances': String(INOTIFY_INSTANCES),
  'cat /etc/kubernetes/pki/ca.crt': 'PEM',
  'cat /var/lib/kubelet/config.yaml': 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n',
  'ctr --namespace k8s.io images list --quiet': 'example.com/etcd:3.6\nexample.com/pause:3.10.1\n',
  'kubeadm token create --ttl 2h': 'abcdef.0123456789abcdef',
  'kubeadm token delete abcdef.0123456789abcdef': '',
};

/** An in-memory docker with the control plane of one cluster. */
export class FakeDocker implements Programs {
  readonly containers = new Map<string, FakeContainer>();
  /** All calls so far. */
  readonly calls: string[] = [];
  /** Called when a running container with a kubelet configuration starts its kubelet, by command or at boot. */
  onKubelet: (container: FakeContainer) => void = () => undefined;
  /** Errors of commands, by the beginning of the command. */
  readonly refusals = new Map<string, string>();
  architecture = 'amd64';
  /** Most containers that were being created at the same time. */
  maxConcurrent = 0;
  #making = 0;
  /** Delays `docker create`. */
  held: Promise<void> = Promise.resolve();

  async run(_program: string, args: readonly string[]): Promise<ProgramEnd> {
    const line = args.join(' ');
    this.calls.push(line);
    const refusal = [...this.refusals].find(([beginning]) => line.startsWith(beginning));
    if (refusal !== undefined) return end(1, refusal[1]);
    const [command = '', ...rest] = args;
    if (command === 'create') return this.#create(rest);
    return this.#do(command, rest);
  }

  async #create(args: readonly string[]): Promise<ProgramEnd> {
    this.#making += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#making);
    await this.held;
    this.#making -= 1;
    const name = args[args.indexOf('--name') + 1] ?? '';
    const labels = args.filter((_arg, index) => args[index - 1] === '--label');
    this.containers.set(name, { name, labels, image: args.at(-1) ?? '', isRunning: false, files: new Map(), commands: [] });
    return end(0);
  }

  #do(command: string, args: readonly string[]): ProgramEnd {
    const [first = '', ...rest] = args;
    if (command === 'inspect') return end(0, 'sha256:node\n');
    if (command === 'image') return end(0, `${this.architecture}\n`);
    if (command === 'ps') {
      const label = (args.find((arg) => arg.startsWith('label=')) ?? '').slice('label='.length);
      return end(0, [...this.containers.values()].flatMap(({ name, labels }) => (labels.includes(label) ? [name] : [])).join('\n'));
    }
    if (command === 'rm') return end(this.containers.delete(args.at(-1) ?? '') ? 0 : 1, 'No such container');
    if (command === 'exec' && first === 'one-control-plane') {
      const answer = CONTROL_PLANE[rest.join(' ')];
      return answer === undefined ? end(1, `unknown: ${rest.join(' ')}`) : end(0, answer);
    }
    const container = this.containers.get(command === 'cp' ? (rest[0] ?? '').replace(/:\/$/, '') : first);
    if (container === undefined) return end(1, 'No such container');
    if (command === 'cp') copy(first.replace(/\/\.$/, ''), container.files);
    if (command === 'start') container.isRunning = true;
    if (command === 'exec') container.commands.push(rest.join(' '));
    if (command === 'exec' && rest[0] === 'rm') container.files.delete(rest.at(-1) ?? '');
    const mayStart = command === 'start' || (command === 'exec' && /^systemctl (re)?start/.test(rest.join(' ')));
    if (mayStart && container.files.has('/var/lib/kubelet/config.yaml')) this.onKubelet(container);
    return end(0);
  }
}

function copy(folder: string, files: Map<string, string>): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(`/${relative(folder, path)}`, readFileSync(path, 'utf8'));
  }
}

function end(code: number, text = ''): ProgramEnd {
  return { code, isMissing: false, isLate: false, stdout: code === 0 ? text : '', stderr: code === 0 ? '' : text };
}
