import type { LaunchTemplate as SdkTemplate, LaunchTemplateVersion } from '@aws-sdk/client-ec2';
import { defined } from '../../model/defined.ts';
import type { LaunchTemplate, TemplateVersion } from './launch-templates.ts';
import { ACCOUNT_ID } from './operation.ts';
import { writeTags } from './tags.ts';
import { wholeSecond } from './times.ts';

const CREATED_BY = `arn:aws:iam::${ACCOUNT_ID}:root`;

export function writeTemplate({ id, name, versions, defaultVersion, createdAtMs, tags }: LaunchTemplate): SdkTemplate {
  return {
    LaunchTemplateId: id,
    LaunchTemplateName: name,
    CreateTime: wholeSecond(createdAtMs),
    CreatedBy: CREATED_BY,
    DefaultVersionNumber: defaultVersion,
    LatestVersionNumber: (versions.at(-1) ?? versions[0]).number,
    Tags: writeTags(tags),
  };
}

export function writeVersion({ id, name, defaultVersion }: LaunchTemplate, version: TemplateVersion): LaunchTemplateVersion {
  return {
    LaunchTemplateId: id,
    LaunchTemplateName: name,
    VersionNumber: version.number,
    ...defined({ VersionDescription: version.description }),
    CreateTime: wholeSecond(version.createdAtMs),
    CreatedBy: CREATED_BY,
    DefaultVersion: version.number === defaultVersion,
    // Answers have the same shape as requests.
    LaunchTemplateData: version.data,
  };
}
