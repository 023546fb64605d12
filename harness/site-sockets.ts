import { defined } from '../model/defined.ts';
import type { ProgramEnvironment } from '../model/program-environment.ts';
import type { SocketOptions } from '../targets/target.ts';
import type { Wire } from '../wire/wire.ts';
import { serveWires } from '../world/sockets.ts';
import type { ServedWires, Sockets } from '../world/sockets.ts';

/** The sockets that one incarnation of a target, or its operator, opened. They are closed together, also those still opening. */
export class SiteSockets {
  readonly #wires: Omit<ServedWires, 'kubeconfigPath'>;
  readonly #opening: Promise<Sockets>[] = [];
  #closed = false;

  constructor(wires: Omit<ServedWires, 'kubeconfigPath'>) {
    this.#wires = wires;
  }

  /** @throws when they have been closed, or the kubeconfig can't be written */
  async open(kubeconfigPath: string, { listen, onRequest }: SocketOptions = {}): Promise<ProgramEnvironment> {
    if (this.#closed) throw new Error('the sockets of this site are closed, so no more can be opened');
    const { kube, aws } = this.#wires;
    const told =
      (wire: Wire): Wire =>
      (request) => {
        onRequest?.();
        return wire(request);
      };
    const wires = { ...this.#wires, kube: told(kube), aws: told(aws) };
    const opening = serveWires({ ...wires, kubeconfigPath, ...defined({ listen }) });
    this.#opening.push(opening);
    return (await opening).environment;
  }

  /** Closes every connection. Resolves when nothing is left of them on the machine. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#opening.splice(0).map((opening) =>
        opening.then(
          (sockets) => sockets.close(),
          () => undefined,
        ),
      ),
    );
  }
}
