import { EC2Client } from '@aws-sdk/client-ec2';
import { UNSIGNED, sdkConfig, withoutLog } from './aws-sdk.ts';
import type { SdkOptions } from './aws-sdk.ts';
import { Ec2Protocol } from './ec2-reader.ts';

export type { AwsCredentials } from './aws-sdk.ts';

/** The SDK's own client over a wire. */
export function createSdkClient(options: SdkOptions): EC2Client {
  const { region, credentials, endpoint = `https://ec2.${region}.amazonaws.com` } = options;
  return withoutLog(
    new EC2Client({
      ...sdkConfig(options),
      endpoint,
      protocol: Ec2Protocol,
      ...(credentials === undefined ? UNSIGNED : { credentials }),
    }),
  );
}
