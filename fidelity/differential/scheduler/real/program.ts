import type { Clock } from '../../../../runtime/clock.ts';
import type { Random } from '../../../../runtime/random.ts';
import type { Artefact } from '../../../../targets/go/artefacts/cache.ts';
import { GoProgram } from '../../../../targets/go/host/instance.ts';
import { HOST, programFiles, programVariables } from '../../../../targets/go/network.ts';
import { compiledProgram, imageOf } from '../../../../targets/go/programs.ts';
import type { Wire } from '../../../../wire/wire.ts';
import { CLUSTER } from '../../../../world/embedded.ts';

const CONFIG = '/etc/kubernetes/scheduler.json';
/** Most lines of its log that an error shows. */
const LAST_LINES = 20;

/** What kube-scheduler runs with. */
export interface SchedulerSite {
  readonly artefact: Artefact;
  readonly clock: Clock;
  readonly random: Random;
  readonly wire: Wire;
}

/**
 * Starts kube-scheduler with its default settings, but for one replica and without a server.
 * @returns the program, and a promise that rejects with its last output when it exits
 */
export function startScheduler({ artefact, clock, random, wire }: SchedulerSite): { program: GoProgram; failed: Promise<never> } {
  const decoder = new TextDecoder();
  let output = '';
  const { KUBECONFIG: kubeconfig } = programVariables({ cluster: CLUSTER });
  const config = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig },
    leaderElection: { leaderElect: false },
  };
  const compiled = compiledProgram(artefact);
  const source = {
    module: compiled.module,
    command: ['kube-scheduler', `--config=${CONFIG}`, '--secure-port=0'],
    environment: { KUBECONFIG: kubeconfig, GOGC: '400' },
    files: new Map([...programFiles(), [CONFIG, new TextEncoder().encode(JSON.stringify(config))]]),
  };
  const program = new GoProgram({
    ...source,
    image: imageOf(artefact, source),
    clock,
    random,
    wireTo: (host) => (host === HOST.kube ? wire : undefined),
    onOutput: (_descriptor, bytes) => {
      output = `${output}${decoder.decode(bytes, { stream: true })}`.split('\n').slice(-LAST_LINES).join('\n');
    },
    onEnd: (entry) => compiled.runOver(entry),
  });
  const failed = program.exited.then(
    (code): never => {
      throw new Error(`kube-scheduler exited with code ${code}; its last output:\n${output}`);
    },
    (error: unknown): never => {
      throw new Error(`kube-scheduler crashed; its last output:\n${output}`, { cause: error });
    },
  );
  failed.catch(() => undefined);
  program.start();
  return { program, failed };
}
