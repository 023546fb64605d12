import type { Clock } from '../../runtime/clock.ts';
import type { Heal, TemplateFaultPort } from '../ports.ts';
import type { LaunchTemplate, LaunchTemplates } from './launch-templates.ts';

/** Deletes launch templates out of band. */
export class TemplateFaults implements TemplateFaultPort {
  readonly #clock: Clock;
  readonly #templates: LaunchTemplates;

  constructor(clock: Clock, templates: LaunchTemplates) {
    this.#clock = clock;
    this.#templates = templates;
  }

  deleteTemplates({ count = Infinity, afterMs, fired }: Parameters<TemplateFaultPort['deleteTemplates']>[0]): Heal {
    const healed = new AbortController();
    let left = count;
    const strike = async (id: string): Promise<void> => {
      try {
        await this.#clock.sleep(afterMs, healed.signal);
      } catch {
        return;
      }
      const template = this.#templates.list().find((one) => one.id === id);
      if (template === undefined) return;
      fired(template.name);
      this.#templates.delete(template, undefined);
    };
    const choose = ({ id, createdBy }: LaunchTemplate): void => {
      if (createdBy !== 'target' || left <= 0) return;
      left -= 1;
      void strike(id);
    };
    const stopListening = this.#templates.onCreate(choose);
    for (const template of this.#templates.list()) choose(template);
    return () => {
      stopListening();
      healed.abort(new Error('healed'));
    };
  }
}
