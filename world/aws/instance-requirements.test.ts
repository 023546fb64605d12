import { EC2ServiceException, GetInstanceTypesFromInstanceRequirementsCommand } from '@aws-sdk/client-ec2';
import type { GetInstanceTypesFromInstanceRequirementsCommandInput, InstanceRequirementsRequest } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { withEc2 } from './testing/ec2.ts';

const CATALOGUE = loadCatalogue();
const ANY: InstanceRequirementsRequest = { VCpuCount: { Min: 0 }, MemoryMiB: { Min: 0 } };

/** The names of all types that have attributes. */
async function typesWith(
  more: Partial<InstanceRequirementsRequest>,
  architecture: 'x86_64' | 'arm64' = 'x86_64',
  page: Partial<GetInstanceTypesFromInstanceRequirementsCommandInput> = {},
): Promise<string[]> {
  const names: string[] = [];
  await withEc2(
    async ({ send }) => {
      let NextToken: string | undefined;
      do {
        const InstanceRequirements = { ...ANY, ...more };
        const kind = { ArchitectureTypes: [architecture], VirtualizationTypes: ['hvm' as const] };
        const input = { ...kind, InstanceRequirements, ...page, ...defined({ NextToken }) };
        const answer = await send(new GetInstanceTypesFromInstanceRequirementsCommand(input));
        names.push(...(answer.InstanceTypes ?? []).map(({ InstanceType = '' }) => InstanceType));
        NextToken = answer.NextToken;
      } while (NextToken !== undefined);
    },
    { catalogue: CATALOGUE },
  );
  return names;
}

test('types are found by processors, memory, architecture and generation', async () => {
  const medium = { VCpuCount: { Min: 2, Max: 4 }, MemoryMiB: { Min: 8_192, Max: 16_384 } };
  for (const architecture of ['x86_64', 'arm64'] as const) {
    const found = await typesWith({ ...medium, InstanceGenerations: ['current'] }, architecture, { MaxResults: 20 });
    const expected = [...CATALOGUE.types.values()].filter(
      (type) =>
        type.architecture === architecture &&
        type.currentGeneration &&
        !type.bareMetal &&
        type.details?.features.includes('burstable') !== true &&
        [2, 4].includes(type.vcpu) &&
        type.memoryMiB >= 8_192 &&
        type.memoryMiB <= 16_384,
    );
    expect(found).toEqual(expected.map(({ type }) => type));
    expect(found.length).toBeGreaterThan(10);
  }
});

test('bare metal and burstable types are found only if they are asked for', async () => {
  const all = await typesWith({});
  // This one is older than burstable types.
  expect(all.filter((name) => /metal|^t\d/.test(name))).toEqual(['t1.micro']);
  const metal = await typesWith({ BareMetal: 'required' });
  expect(metal.every((name) => name.includes('metal'))).toBe(true);
  expect(metal).toContain('m5.metal');
  const burstable = await typesWith({ BurstablePerformance: 'required' });
  expect(burstable.every((name) => /^t\d/.test(name))).toBe(true);
  expect(burstable).toContain('t3.micro');
  expect(await typesWith({ BareMetal: 'included', BurstablePerformance: 'included' })).toEqual([...all, ...metal, ...burstable].sort());
});

test('accelerators, disks, makers and names of types narrow what is found', async () => {
  const gpus = await typesWith({ AcceleratorManufacturers: ['nvidia'], AcceleratorCount: { Min: 1, Max: 1 }, AcceleratorNames: ['a10g'] });
  expect(gpus).toContain('g5.xlarge');
  expect(gpus.every((name) => name.startsWith('g5.'))).toBe(true);
  expect(await typesWith({ AcceleratorTypes: ['inference'], VCpuCount: { Min: 4, Max: 4 } })).toEqual(['inf1.xlarge', 'inf2.xlarge']);
  expect(await typesWith({ AcceleratorNames: ['u30'], AcceleratorCount: { Min: 8 } })).toEqual(['vt1.24xlarge']);
  const plain = await typesWith({ AcceleratorCount: { Max: 0 } });
  expect(plain).toContain('m5.large');
  expect(plain.filter((name) => /^(g\d|p\d|inf|vt|f\d)/.test(name))).toEqual([]);
  const own = await typesWith({ AllowedInstanceTypes: ['m5*.large', 'c6g.large'], LocalStorage: 'excluded', CpuManufacturers: ['amd'] });
  expect(own).toEqual(['m5a.large']);
  const disks = await typesWith({ LocalStorage: 'required', LocalStorageTypes: ['hdd'], VCpuCount: { Min: 4, Max: 4 } });
  expect(disks).toContain('d3.xlarge');
  expect(await typesWith({ ExcludedInstanceTypes: ['*'] })).toEqual([]);
  expect(await typesWith({ MemoryGiBPerVCpu: { Min: 4, Max: 4 }, AllowedInstanceTypes: ['*5.large'] })).toEqual(['m5.large']);
});

test('contradictory requests are refused', async () => {
  const refusal = async (more: Partial<InstanceRequirementsRequest>): Promise<string> => {
    try {
      await typesWith(more);
    } catch (error) {
      if (error instanceof EC2ServiceException) return error.name;
      throw error;
    }
    return 'none';
  };
  expect(await refusal({ AllowedInstanceTypes: ['m5.*'], ExcludedInstanceTypes: ['m6i.*'] })).toBe('InvalidParameterCombination');
  expect(await refusal({ VCpuCount: { Min: 4, Max: 2 } })).toBe('InvalidParameterValue');
  expect(await refusal({ VCpuCount: undefined })).toBe('MissingParameter');
});
