import type { GetInstanceTypesFromInstanceRequirementsRequest, GetInstanceTypesFromInstanceRequirementsResult } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { missingParameter } from '../../../protocols/ec2/refusal.ts';
import { constantAnswers } from '../constant-answers.ts';
import { requirementsMatcher } from '../instance-requirements.ts';
import { writeInstanceType } from '../instance-type-view.ts';
import { cutPage } from '../pages.ts';

const PAGE = { min: 1, max: 1_000, byDefault: 1_000 };

/** Lists the types that have attributes, whether or not there is capacity. Source: GetInstanceTypesFromInstanceRequirements. */
export const getInstanceTypesFromInstanceRequirements = constantAnswers(
  (catalogue, request: GetInstanceTypesFromInstanceRequirementsRequest): GetInstanceTypesFromInstanceRequirementsResult => {
    const { ArchitectureTypes: architectures, VirtualizationTypes: virtualizations, InstanceRequirements: asked } = request;
    if (architectures === undefined) throw missingParameter('ArchitectureType');
    if (virtualizations === undefined) throw missingParameter('VirtualizationType');
    if (asked === undefined) throw missingParameter('InstanceRequirements');
    const matches = requirementsMatcher(asked);
    const found = [...catalogue.types.values()]
      .map(writeInstanceType)
      .filter(
        (type) =>
          architectures.some((one) => type.ProcessorInfo?.SupportedArchitectures?.includes(one)) &&
          virtualizations.some((one) => type.SupportedVirtualizationTypes?.includes(one)) &&
          matches(type),
      );
    const { items, nextToken } = cutPage(found, ({ InstanceType: type = '' }) => type, request, PAGE);
    return { InstanceTypes: items.map(({ InstanceType }) => ({ InstanceType })), ...defined({ NextToken: nextToken }) };
  },
);
