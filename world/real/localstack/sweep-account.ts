import {
  DeleteLaunchTemplateCommand,
  DeleteSubnetCommand,
  DeleteVpcCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { DeleteQueueCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import type { Ec2Commands, SqsCommands } from '../../../clients/aws-commands.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Wire } from '../../../wire/wire.ts';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import { SqsError } from '../../../clients/sqs-client.ts';
import { LocalStackEndpoint, LocalStackError } from './endpoint.ts';

/** The endpoint with the accounts. */
interface AccountsSite {
  readonly endpoint: string;
  readonly region: string;
  readonly clock: Clock;
  /** By default over sockets to the endpoint. */
  readonly wire?: Wire;
}

/** What is left in an account that a run created for itself. */
export interface AccountLeftovers {
  readonly account: string;
  readonly instances: readonly string[];
  readonly templates: readonly string[];
  readonly subnets: readonly string[];
  readonly vpcs: readonly string[];
  readonly queues: readonly string[];
}

/**
 * The content of accounts, each of which belongs to a single trial, so no other run can have created it. If nothing listens at
 * the endpoint there is none: LocalStack keeps everything in memory.
 * @throws LocalStackError when it can't be determined
 */
export async function findAccountLeftovers(accounts: readonly string[], site: AccountsSite): Promise<AccountLeftovers[]> {
  return inAccounts(accounts, site, findInAccount);
}

/** Removes the accounts' content. @returns what was there @throws LocalStackError when some of it still exists */
export async function clearAccounts(accounts: readonly string[], site: AccountsSite): Promise<AccountLeftovers[]> {
  return inAccounts(accounts, site, async (account, clients) => {
    const found = await findInAccount(account, clients);
    await clear(found, clients);
    return found;
  });
}

interface Clients {
  readonly ec2: Ec2Commands;
  readonly sqs: SqsCommands;
}

async function inAccounts(
  accounts: readonly string[],
  { endpoint: url, region, clock, wire }: AccountsSite,
  work: (account: string, clients: Clients) => Promise<AccountLeftovers>,
): Promise<AccountLeftovers[]> {
  const endpoint = new LocalStackEndpoint({ url, region, clock, ...defined({ wire }) });
  try {
    await endpoint.check();
    const found: AccountLeftovers[] = [];
    for (const account of accounts) {
      const clients = { ec2: endpoint.ec2(account), sqs: endpoint.sqs(account) };
      try {
        const one = await work(account, clients);
        if (!isEmpty(one)) found.push(one);
      } finally {
        clients.ec2.destroy();
        clients.sqs.destroy();
      }
    }
    return found;
  } catch (error) {
    if (error instanceof LocalStackError && error.isGone) return [];
    if (error instanceof Ec2Error || error instanceof SqsError)
      throw new LocalStackError(`accounts of LocalStack at ${url} can't be cleared: ${error.message}`);
    throw error;
  } finally {
    endpoint.destroy();
  }
}

function isEmpty({ account: _account, ...lists }: AccountLeftovers): boolean {
  return Object.values(lists).every((list) => list.length === 0);
}

/** LocalStack answers these in one page: an account has only what one trial created. */
async function findInAccount(account: string, { ec2, sqs }: Clients): Promise<AccountLeftovers> {
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({}));
  const instances = Reservations.flatMap(({ Instances = [] }) => Instances).filter(({ State }) => State?.Name !== 'terminated');
  const { LaunchTemplates = [] } = await ec2.send(new DescribeLaunchTemplatesCommand({}));
  const { Vpcs = [] } = await ec2.send(new DescribeVpcsCommand({}));
  const vpcs = Vpcs.flatMap(({ VpcId, IsDefault }) => (VpcId === undefined || IsDefault === true ? [] : [VpcId]));
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  return {
    account,
    instances: instances.flatMap(({ InstanceId }) => InstanceId ?? []),
    templates: LaunchTemplates.flatMap(({ LaunchTemplateId }) => LaunchTemplateId ?? []),
    subnets: Subnets.flatMap(({ SubnetId, VpcId = '' }) => (SubnetId !== undefined && vpcs.includes(VpcId) ? [SubnetId] : [])),
    vpcs,
    queues: QueueUrls,
  };
}

async function clear({ instances, templates, subnets, vpcs, queues }: AccountLeftovers, { ec2, sqs }: Clients): Promise<void> {
  if (instances.length > 0) await ec2.send(new TerminateInstancesCommand({ InstanceIds: [...instances] }));
  for (const id of templates) await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: id }));
  for (const id of subnets) await ec2.send(new DeleteSubnetCommand({ SubnetId: id }));
  for (const id of vpcs) await ec2.send(new DeleteVpcCommand({ VpcId: id }));
  for (const url of queues) await sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
}
