import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { LocalStackEndpoint, newAccount } from '../../../world/real/localstack/endpoint.ts';
import { createNetwork } from '../../../world/real/localstack/network.ts';
import { clearAccounts } from '../../../world/real/localstack/sweep-account.ts';
import { subnetsOf } from '../../../world/aws/network.ts';
import { writeTags } from '../../../world/aws/tags.ts';
import { runScript } from './run-script.ts';
import type { Answer } from './run-script.ts';
import { CLUSTER, SUBNET_TAGS } from './embedded.ts';
import { QUEUE_NAME } from './script.ts';
import type { Script } from './script.ts';

/** Scripts at once: LocalStack is one process. */
const AT_ONCE = 4;

/** Runs each script on a LocalStack, in its own account; all accounts are emptied afterwards. */
export async function runOnLocalStack(
  scripts: readonly Script[],
  { url, clock, random, signal }: { readonly url: string; readonly clock: Clock; readonly random: Random; readonly signal: AbortSignal },
): Promise<{ readonly version: string; readonly answers: readonly Answer[][] }> {
  const accounts: string[] = [];
  const endpoint = new LocalStackEndpoint({ url, region: CLUSTER.region, clock });
  try {
    const version = await endpoint.check();
    const answers: Answer[][] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < scripts.length && !signal.aborted; index = next++) {
        const script = scripts[index];
        if (script === undefined) return;
        const account = newAccount(random.fork(script.id), clock.nowMs());
        accounts.push(account);
        answers[index] = await runOne(script, endpoint, account);
      }
    };
    // If one fails, the others finish before accounts are cleared.
    const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
    return { version, answers };
  } finally {
    await clearAccounts(accounts, { endpoint: url, region: CLUSTER.region, clock, wire: endpoint.wire });
    endpoint.destroy();
  }
}

async function runOne(script: Script, endpoint: LocalStackEndpoint, account: string): Promise<Answer[]> {
  const [ec2, sqs] = [endpoint.ec2(account), endpoint.sqs(account)];
  const own = subnetsOf(CLUSTER);
  const { vpcId, subnets } = await createNetwork(ec2, own);
  await ec2.send(new CreateTagsCommand({ Resources: [...subnets.values()], Tags: writeTags(SUBNET_TAGS) }));
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: QUEUE_NAME }));
  const given = new Map([
    ['vpc', vpcId],
    ['queue', QueueUrl],
    ...own.map(({ id, zone }) => [`subnet ${zone}`, subnets.get(id) ?? ''] as const),
  ]);
  // Its instances change state at once.
  return runScript(script, { ec2, sqs, given, settle: () => Promise.resolve() });
}
