import type { Ec2Refusal } from '../../protocols/ec2/refusal.ts';

/** Why the account or a subnet does not allow one more instance. */
export interface QuotaShortage {
  readonly refusal: Ec2Refusal;
  readonly fired: readonly ((span?: number) => void)[];
}
