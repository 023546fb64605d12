import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import { drawId } from './ids.ts';
import type { InstanceRecord, Launch } from './instances.ts';
import type { Account } from './operation.ts';

/** The result of launching a reservation. */
export interface Launched {
  readonly reservationId: string;
  readonly records: readonly InstanceRecord[];
  /** Of launches that failed although there was room. */
  readonly refusals: readonly Ec2Refusal[];
}

/** Launches instances one after the other as one reservation. */
export async function launchReservation(
  { random, instances }: Account,
  launches: readonly Omit<Launch, 'reservationId' | 'launchIndex'>[],
): Promise<Launched> {
  const reservationId = drawId(random, 'r');
  const records: InstanceRecord[] = [];
  const refusals: Ec2Refusal[] = [];
  for (const launch of launches) {
    try {
      records.push(await instances.launch({ ...launch, reservationId, launchIndex: records.length }));
    } catch (error) {
      launch.lease.undo();
      if (!(error instanceof Ec2Refusal)) throw error;
      refusals.push(error);
    }
  }
  return { reservationId, records, refusals };
}
