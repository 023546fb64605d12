import type { InstanceMetadataOptionsResponse } from '@aws-sdk/client-ec2';
import type { InstanceRecord } from './instances.ts';

/** Of an image with `ImdsSupport: v2.0`, as those of EKS have. Source: "Configure the Instance Metadata Service options". */
const DEFAULTS = {
  HttpTokens: 'required',
  HttpPutResponseHopLimit: 2,
  HttpEndpoint: 'enabled',
  HttpProtocolIpv6: 'disabled',
  InstanceMetadataTags: 'disabled',
} as const satisfies InstanceMetadataOptionsResponse;

/** The options of an instance's metadata service: what its launch or a later change set, else the defaults. */
export function metadataOptionsOf({
  template: { MetadataOptions: set },
}: Pick<InstanceRecord, 'template'>): Omit<InstanceMetadataOptionsResponse, 'State'> {
  return {
    HttpTokens: set?.HttpTokens ?? DEFAULTS.HttpTokens,
    HttpPutResponseHopLimit: set?.HttpPutResponseHopLimit ?? DEFAULTS.HttpPutResponseHopLimit,
    HttpEndpoint: set?.HttpEndpoint ?? DEFAULTS.HttpEndpoint,
    HttpProtocolIpv6: set?.HttpProtocolIpv6 ?? DEFAULTS.HttpProtocolIpv6,
    InstanceMetadataTags: set?.InstanceMetadataTags ?? DEFAULTS.InstanceMetadataTags,
  };
}
