import { Ec2Error } from '../../../clients/ec2-client.ts';
import { SqsError } from '../../../clients/sqs-client.ts';
import { Names } from './names.ts';
import { send } from './commands.ts';
import type { Cloud } from './commands.ts';
import type { Operation, Script, Step } from './script.ts';
import { view } from './views.ts';
import type { View } from './views.ts';

/** The compared parts of a cloud's answer to one step: the code of a refusal, or the view of a success. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Ids to use for resources that a refused step did not create. */
const NOT_MADE: Partial<Record<Operation, string>> = { RunInstances: 'i-0fedcba9876543210', CreateLaunchTemplate: 'lt-0fedcba9876543210' };

/** Runs one script. Returns an answer per step. @throws Error if a step gets no answer */
export async function runScript({ id, steps }: Script, cloud: Cloud): Promise<Answer[]> {
  const views: View[] = [];
  const names = new Names(cloud.given);
  const answers: Answer[] = [];
  for (const { operation, input } of steps) {
    const sent = filled(input, (name) => cloud.given.get(name) ?? madeBy(name, steps, views));
    try {
      const seen = view(operation, await send(operation, cloud, sent));
      views.push(seen);
      answers.push({ status: 200, body: names.canonical(seen.body) });
    } catch (error) {
      if (!(error instanceof Ec2Error || error instanceof SqsError)) throw error;
      if (error.status === 0) throw new Error(`${id}: no answer to ${operation}: ${error.message}`, { cause: error });
      views.push({ body: undefined });
      answers.push({ status: error.status, body: { code: error.code } });
    }
    await cloud.settle();
  }
  return answers;
}

function madeBy(name: string, steps: readonly Step[], views: readonly View[]): string {
  const [step = '', message] = name.split('.');
  const { made, receipts } = views[Number(step)] ?? {};
  return (
    (message === undefined ? made : receipts?.[Number(message)]) ??
    NOT_MADE[steps[Number(step)]?.operation ?? 'ReceiveMessage'] ??
    'not made'
  );
}

/** An input with each `<<name>>` in its strings replaced. */
function filled<T extends object>(input: T, named: (name: string) => string): T {
  const text = JSON.stringify(input).replaceAll(/<<([^>]+)>>/g, (_all, name: string) => JSON.stringify(named(name)).slice(1, -1));
  return JSON.parse(text) as T;
}
