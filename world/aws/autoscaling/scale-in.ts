import { chooseVictim } from './choice.ts';
import type { Control } from './control.ts';
import type { Exits } from './exits.ts';
import { runs, targetOf, unitsOf } from './group.ts';
import type { Group } from './group.ts';
import type { Memory } from './memories.ts';
import { templateIdOf } from './places.ts';
import { at, balanced, join, selected, shrinking } from './words.ts';

/** Terminates what a group has too much of. */
export function shrink(control: Control, exits: Exits, group: Group): void {
  const { groups, account, clock, memories } = control;
  if (!runs(group, 'Terminate')) return;
  const { name, desired } = group;
  const before = unitsOf(groups.members(name));
  const memory = memories.of(name);
  for (;;) {
    const members = groups.members(name);
    const units = unitsOf(members);
    if (units <= targetOf(group, members)) return;
    const random = control.random.fork(`victim of ${name} at ${clock.nowMs()} among ${units}`);
    const victim = chooseVictim(group, templateIdOf(account, group), members, { nowMs: clock.nowMs(), random });
    if (victim === undefined) {
      if (!memory.isStuck) failToShrink(control, group, memory);
      return;
    }
    // A heavy one would leave less than is desired.
    if (units - victim.weight < desired) return;
    const { cause, span } = reasonOf(memory);
    const sentences = join(cause, shrinking(clock, before, desired), selected(clock, victim.instance));
    exits.terminate(victim, { cause: sentences, span });
  }
}

/** What is too much because zones were balanced is nobody's wish. */
function reasonOf({ change, balance }: Memory): { readonly cause?: string | undefined; readonly span?: number | undefined } {
  return balance === undefined ? { cause: change?.cause, span: change?.span } : { cause: balanced(balance.since, balance.zones) };
}

/** Source: aws-samples/aws-fault-injection-simulator-workshop#114. */
function failToShrink({ groups, clock, memories }: Control, { name }: Group, memory: Memory): void {
  memories.stuck(name);
  const cause = join(reasonOf(memory).cause, `At ${at(clock)} group reached equilibrium.`);
  const message = 'Could not scale to desired capacity because all remaining instances are protected from scale-in.';
  groups.fail({ group: name, what: 'terminate', description: message, cause }, { status: 'Cancelled' });
}
