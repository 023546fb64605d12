import type { GetConsoleOutputRequest, GetConsoleOutputResult } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { readInstances } from '../instance-view.ts';
import type { Account } from '../operation.ts';
import { wholeSecond } from '../times.ts';

/** EC2 stores the output "shortly after" a transition of an instance; this world takes it from when it is running. */
export function getConsoleOutput(account: Account, { InstanceId: id }: GetConsoleOutputRequest, { span }: Caller): GetConsoleOutputResult {
  if (id === undefined) throw missingParameter('InstanceId');
  const [record] = readInstances(account, [id], span);
  const runningAtMs = record?.runningAtMs;
  return {
    InstanceId: id,
    ...defined({
      Timestamp: runningAtMs === undefined ? undefined : wholeSecond(runningAtMs),
      Output: record === undefined || runningAtMs === undefined ? undefined : Buffer.from(bootLog(record)).toString('base64'),
    }),
  };
}

/** Nothing boots here, so there is only the prompt of a machine that has. */
function bootLog({ privateDnsName, architecture }: { readonly privateDnsName: string; readonly architecture: string }): string {
  const [host = ''] = privateDnsName.split('.');
  const machine = architecture === 'arm64' ? 'aarch64' : architecture;
  return ['Amazon Linux 2023', `Kernel on an ${machine} (-)`, '', `${host} login: `].join('\r\n');
}
