import { z } from 'zod';
import { EC2_KINDS } from '../../../cli/choose-ec2.ts';
import { parseClusters } from '../../../cli/options.ts';
import type { WorldUp } from '../../../cli/world-host.ts';

/** Environment variables with the meaning of the command's flags of the same names. */
const CLUSTERS_VARIABLE = 'SCALEPROOF_CLUSTERS';
const EC2_VARIABLE = 'SCALEPROOF_EC2';
/** Passes the running world to workers, which are separate processes. */
const UP_VARIABLE = 'SCALEPROOF_WORLD_UP';

/** How many clusters to create. @throws UsageError when the variable is not a valid number */
export function clustersWanted(environment: NodeJS.ProcessEnv = process.env): number {
  return parseClusters(environment[CLUSTERS_VARIABLE] ?? '1');
}

/** Where machines are; by default in LocalStack. @throws when the variable has another value than these */
export function ec2Wanted(environment: NodeJS.ProcessEnv = process.env): (typeof EC2_KINDS)[number] | undefined {
  return z.enum(EC2_KINDS).optional().parse(environment[EC2_VARIABLE]);
}

const upSchema = z.object({
  worlds: z.array(
    z.object({ kind: z.literal('kind'), kubeconfig: z.string(), awsEndpoint: z.string().optional(), accountsFile: z.string().optional() }),
  ),
  environment: z.record(z.string(), z.string()),
});

/** Tells workers about the running world. */
export function announce({ worlds, environment = {} }: WorldUp): void {
  process.env[UP_VARIABLE] = JSON.stringify({ worlds, environment });
}

/** The running world. @throws Error when there is none: the tests were started without their configuration */
export function announced(): z.infer<typeof upSchema> {
  const text = process.env[UP_VARIABLE];
  if (text === undefined) throw new Error('no cluster is up: start these tests with `npm run test:kind`');
  return upSchema.parse(JSON.parse(text));
}
