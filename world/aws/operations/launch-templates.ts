import type {
  CreateLaunchTemplateRequest,
  DeleteLaunchTemplateRequest,
  DescribeLaunchTemplateVersionsRequest,
  DescribeLaunchTemplateVersionsResult,
  DescribeLaunchTemplatesRequest,
  DescribeLaunchTemplatesResult,
} from '@aws-sdk/client-ec2';
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

const PAGE = { min: 1, max: 200, byDefault: 200 };

const tagsOf = (template: LaunchTemplate): LaunchTemplate['tags'] => template.tags;

const ATTRIBUTES: Attributes<LaunchTemplate> = {
  ...tagAttributes(tagsOf),
  'create-time': ({ createdAtMs }) => [new Date(createdAtMs).toISOString()],
  'launch-template-name': ({ name }) => [name],
};

export function createLaunchTemplate({ templates, clock }: Account, request: CreateLaunchTemplateRequest): Outcome {
  const { LaunchTemplateName: name, LaunchTemplateData: data, VersionDescription: description, TagSpecifications } = request;
  if (name === undefined) throw missingParameter('LaunchTemplateName');
  if (data === undefined || Object.keys(data).length === 0) throw missingParameter('LaunchTemplateData');
  const tags = launchTags(TagSpecifications, 'launch-template');
  const created = templates.create({ name, data, description, tags, nowMs: clock.nowMs() });
  return outcome({ LaunchTemplate: writeTemplate(created) }, [created.id]);
}

export function deleteLaunchTemplate({ templates }: Account, request: DeleteLaunchTemplateRequest): Outcome {
  const template = templates.find(request);
  templates.delete(template.id);
  return outcome({ LaunchTemplate: writeTemplate(template) }, [template.id]);
}

/** Lists launch templates in the order of their ids. */
export function describeLaunchTemplates({ templates }: Account, request: DescribeLaunchTemplatesRequest): DescribeLaunchTemplatesResult {
  const { LaunchTemplateIds: ids = [], LaunchTemplateNames: names = [], Filters, MaxResults, NextToken } = request;
  const named = [
    ...ids.map((LaunchTemplateId) => templates.find({ LaunchTemplateId })),
    ...names.map((LaunchTemplateName) => templates.find({ LaunchTemplateName })),
  ];
  const asked = new Set(named.map(({ id }) => id));
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const found = templates.list().filter((template) => (asked.size === 0 || asked.has(template.id)) && matches(template));
  const { items, nextToken } = cutPage(found, ({ id }) => id, { MaxResults, NextToken }, PAGE);
  return { LaunchTemplates: items.map(writeTemplate), ...(nextToken === undefined ? {} : { NextToken: nextToken }) };
}

/** Lists versions: of one template those that are named or all, of all templates the latest or default ones. */
export function describeLaunchTemplateVersions(
  { templates }: Account,
  request: DescribeLaunchTemplateVersionsRequest,
): DescribeLaunchTemplateVersionsResult {
  const { LaunchTemplateId, LaunchTemplateName, Versions: asked = [], MaxResults, NextToken } = request;
  const ofAll = LaunchTemplateId === undefined && LaunchTemplateName === undefined;
  if (ofAll && asked.length === 0) throw missingParameter('Versions');
  if (ofAll && asked.some((version) => !version.startsWith('$'))) {
    throw invalidValue('Versions of all launch templates can only be $Latest and $Default');
  }
  const versions = (ofAll ? templates.list() : [templates.find(request)]).flatMap((template) => {
    const named = asked.length === 0 ? template.versions : asked.map((version) => versionOf(template, version));
    return [...new Set(named)].sort((a, b) => a.number - b.number).map((version) => writeVersion(template, version));
  });
  const keyOf = (one: (typeof versions)[number]): string => `${one.LaunchTemplateId} ${String(one.VersionNumber).padStart(9, '0')}`;
  const { items, nextToken } = cutPage(versions, keyOf, { MaxResults, NextToken }, PAGE);
  return { LaunchTemplateVersions: [...items], ...(nextToken === undefined ? {} : { NextToken: nextToken }) };
}
