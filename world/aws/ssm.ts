import { z } from 'zod';
import type { ClusterConfig } from '../../model/cluster.ts';
import { JsonRefusal } from '../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { IMAGE_DATES, nodeImages } from './images.ts';
import { JsonService, readInput } from './json-service.ts';

/** As in requests. */
export const SSM_TARGET = 'AmazonSSM';
/** When the parameters were last modified: the date of the images. */
const MODIFIED_AT_SECONDS = Date.parse(IMAGE_DATES.created) / 1_000;

const ONE = z.object({ Name: z.string().min(1).max(2_048) });
const MANY = z.object({ Names: z.array(z.string().min(1).max(2_048)).min(1).max(10) });

type Cluster = Pick<ClusterConfig, 'imageIds' | 'region'>;

/** Serves the public SSM parameters for images. Read-only. */
export function createSsm({
  cluster,
  clock,
  random,
}: {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
}): JsonService {
  return new JsonService({
    service: 'ssm',
    target: SSM_TARGET,
    actions: {
      GetParameter: (input) => {
        const found = parameter(readInput(ONE, input).Name, cluster);
        // SSM sends no message with this error.
        if (found === undefined) throw new JsonRefusal('ParameterNotFound', 'ParameterNotFound', '');
        return { Parameter: found };
      },
      GetParameters: (input) => {
        const { Names: names } = readInput(MANY, input);
        return {
          Parameters: names.flatMap((name) => parameter(name, cluster) ?? []),
          InvalidParameters: names.filter((name) => parameter(name, cluster) === undefined),
        };
      },
    },
    clock,
    random,
  });
}

function parameter(name: string, cluster: Cluster): object | undefined {
  const value = nodeImages(cluster).find(({ parameters }) => parameters.includes(name))?.id;
  if (value === undefined) return undefined;
  return {
    Name: name,
    Type: 'String',
    Value: value,
    Version: 1,
    LastModifiedDate: MODIFIED_AT_SECONDS,
    // Public parameters belong to no account.
    ARN: `arn:aws:ssm:${cluster.region}::parameter${name}`,
    DataType: 'text',
  };
}
