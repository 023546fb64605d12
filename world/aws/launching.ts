import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import { drawId } from './ids.ts';
import type { InstanceRecord, Launch } from './instances.ts';
import type { Account } from './operation.ts';

/** What came of launching a reservation. */
export interface Launched {
  readonly reservationId: string;
  readonly records: readonly InstanceRecord[];
  /** Of those that could not be launched though there had been room. */
  readonly refusals: readonly Ec2Refusal[];
}

/** Launches instances as one reservation, one after the other. */
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
