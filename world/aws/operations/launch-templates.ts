import type {
  CreateLaunchTemplateRequest,
  CreateLaunchTemplateVersionRequest,
  DeleteLaunchTemplateRequest,
  DescribeLaunchTemplateVersionsRequest,
  DescribeLaunchTemplateVersionsResult,
  DescribeLaunchTemplatesRequest,
  DescribeLaunchTemplatesResult,
  LaunchTemplateVersion,
  ModifyLaunchTemplateRequest,
} from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import type { Caller } from '../../../wire/backend.ts';
import { invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { versionOf } from '../launch-templates.ts';
import type { LaunchTemplate } from '../launch-templates.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { launchTags } from '../tags.ts';
import { writeTemplate, writeVersion } from '../template-view.ts';
import { wholeSecond } from '../times.ts';

const PAGE = { min: 1, max: 200, byDefault: 200 };

const tagsOf = (template: LaunchTemplate): LaunchTemplate['tags'] => template.tags;

const ATTRIBUTES: Attributes<LaunchTemplate> = {
  ...tagAttributes(tagsOf),
  'create-time': ({ createdAtMs }) => [wholeSecond(createdAtMs).toISOString()],
  'launch-template-name': ({ name }) => [name],
};

const VERSION_ATTRIBUTES: Attributes<LaunchTemplateVersion> = {
  'create-time': ({ CreateTime }) => (CreateTime === undefined ? [] : [CreateTime.toISOString()]),
  'iam-instance-profile': ({ LaunchTemplateData: data }) => present(data?.IamInstanceProfile?.Arn ?? data?.IamInstanceProfile?.Name),
  'image-id': ({ LaunchTemplateData: data }) => present(data?.ImageId),
  'instance-type': ({ LaunchTemplateData: data }) => present(data?.InstanceType),
  'is-default-version': ({ DefaultVersion }) => [String(DefaultVersion)],
};

function present(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

function numberOf(version: string | undefined, otherwise: number): number {
  if (version === undefined) return otherwise;
  if (!/^\d+$/.test(version)) throw invalidValue(`Invalid value '${version}' for a version number`);
  return Number(version);
}

export function createLaunchTemplate({ templates, clock }: Account, request: CreateLaunchTemplateRequest, caller: Caller): Outcome {
  const { LaunchTemplateName: name, LaunchTemplateData: data, VersionDescription: description, TagSpecifications } = request;
  if (name === undefined) throw missingParameter('LaunchTemplateName');
  if (data === undefined || Object.keys(data).length === 0) throw missingParameter('LaunchTemplateData');
  const tags = launchTags(TagSpecifications, 'launch-template');
  const created = templates.create({ name, data, description, tags, nowMs: clock.nowMs() }, caller);
  return outcome({ LaunchTemplate: writeTemplate(created) }, [created.id]);
}

/** Adds a version: the data of its source version, if one is named, overridden by the request's data. */
export function createLaunchTemplateVersion(
  { templates, clock }: Account,
  request: CreateLaunchTemplateVersionRequest,
  { span }: Caller,
): Outcome {
  const { LaunchTemplateData, VersionDescription: description, SourceVersion: source } = request;
  if (LaunchTemplateData === undefined) throw missingParameter('LaunchTemplateData');
  const found = templates.find(request, span);
  const data = source === undefined ? LaunchTemplateData : { ...versionOf(found, source).data, ...LaunchTemplateData };
  if (Object.keys(data).length === 0) throw missingParameter('LaunchTemplateData');
  const { template, version } = templates.addVersion(found, { data, description, nowMs: clock.nowMs() });
  return outcome({ LaunchTemplateVersion: writeVersion(template, version) }, [template.id]);
}

/** Changes the default version. */
export function modifyLaunchTemplate({ templates }: Account, request: ModifyLaunchTemplateRequest, { span }: Caller): Outcome {
  const template = templates.find(request, span);
  const { DefaultVersion: version } = request;
  if (version === undefined) throw missingParameter('DefaultVersion');
  const changed = templates.setDefaultVersion(template, versionOf(template, version));
  return outcome({ LaunchTemplate: writeTemplate(changed) }, [changed.id]);
}

export function deleteLaunchTemplate({ templates }: Account, request: DeleteLaunchTemplateRequest, { span }: Caller): Outcome {
  const template = templates.find(request, span);
  templates.delete(template, span);
  return outcome({ LaunchTemplate: writeTemplate(template) }, [template.id]);
}

/** Lists launch templates in the order of their ids. */
export function describeLaunchTemplates(
  { templates }: Account,
  request: DescribeLaunchTemplatesRequest,
  { span }: Caller,
): DescribeLaunchTemplatesResult {
  const { LaunchTemplateIds: ids = [], LaunchTemplateNames: names = [], Filters, MaxResults, NextToken } = request;
  const named = [
    ...ids.map((LaunchTemplateId) => templates.readOne({ LaunchTemplateId }, span)),
    ...names.map((LaunchTemplateName) => templates.readOne({ LaunchTemplateName }, span)),
  ];
  const asked = new Set(named.map(({ id }) => id));
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const found = templates.readAll(span).filter((template) => (asked.size === 0 || asked.has(template.id)) && matches(template));
  const { items, nextToken } = cutPage(found, ({ id }) => id, { MaxResults, NextToken }, PAGE);
  return { LaunchTemplates: items.map(writeTemplate), ...defined({ NextToken: nextToken }) };
}

/** Lists versions: the named ones or all of one template, the latest or default ones of all templates. */
export function describeLaunchTemplateVersions(
  { templates }: Account,
  request: DescribeLaunchTemplateVersionsRequest,
  { span }: Caller,
): DescribeLaunchTemplateVersionsResult {
  const { LaunchTemplateId, LaunchTemplateName, Versions: asked = [], MinVersion, MaxVersion, Filters, MaxResults, NextToken } = request;
  if (asked.length > 0 && (MinVersion !== undefined || MaxVersion !== undefined)) {
    throw invalidValue('Versions cannot be used together with MinVersion and MaxVersion');
  }
  const from = numberOf(MinVersion, 0);
  const to = numberOf(MaxVersion, Infinity);
  const ofAll = LaunchTemplateId === undefined && LaunchTemplateName === undefined;
  if (ofAll && asked.length === 0) throw missingParameter('Versions');
  if (ofAll && asked.some((version) => !version.startsWith('$'))) {
    throw invalidValue('Versions of all launch templates can only be $Latest and $Default');
  }
  const versions = (ofAll ? templates.readAll(span) : [templates.readOne(request, span)]).flatMap((template) => {
    const inRange = template.versions.filter(({ number }) => number >= from && number <= to);
    const named = asked.length === 0 ? inRange : asked.map((version) => versionOf(template, version));
    return [...new Set(named)].sort((a, b) => a.number - b.number).map((version) => writeVersion(template, version));
  });
  const keyOf = (one: (typeof versions)[number]): string => `${one.LaunchTemplateId} ${String(one.VersionNumber).padStart(9, '0')}`;
  const matches = matchFilters(Filters, VERSION_ATTRIBUTES);
  const { items, nextToken } = cutPage(versions.filter(matches), keyOf, { MaxResults, NextToken }, PAGE);
  return { LaunchTemplateVersions: [...items], ...defined({ NextToken: nextToken }) };
}
