import {
  CreateFleet$,
  DescribeInstanceTypes$,
  DescribeInstances$,
  DescribeLaunchTemplateVersions$,
  DescribeSpotPriceHistory$,
  DescribeTags$,
} from '@aws-sdk/client-ec2';
import { XmlShapeDeserializer } from '@aws-sdk/core/protocols';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { FastDeserializer } from './ec2-reader.ts';

type Settings = ConstructorParameters<typeof XmlShapeDeserializer>[0];

const SETTINGS: Settings = { timestampFormat: { useTrait: true, default: 5 }, httpBindings: false, xmlNamespace: '', serviceNamespace: '' };
const XMLNS = 'xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"';

type Operation = typeof DescribeInstances$;

/** What a reader returns for an answer, or the error that it throws. */
function read(reader: XmlShapeDeserializer, operation: Operation, text: string): unknown {
  try {
    return reader.read(operation[5] as Parameters<XmlShapeDeserializer['read']>[0], new TextEncoder().encode(text)) as unknown;
  } catch (error) {
    return String(error);
  }
}

function expectSame(operation: Operation, text: string): unknown {
  const fast = read(new FastDeserializer(SETTINGS), operation, text);
  expect(fast).toEqual(read(new XmlShapeDeserializer(SETTINGS), operation, text));
  return fast;
}

const instance = (inner: string): string =>
  `<DescribeInstancesResponse ${XMLNS}><requestId>r</requestId><reservationSet><item><instancesSet><item>${inner}</item></instancesSet></item></reservationSet></DescribeInstancesResponse>`;

const CASES: readonly { readonly name: string; readonly operation: Operation; readonly text: string }[] = [
  { name: 'an instance', operation: DescribeInstances$, text: instance('<instanceId>i-1</instanceId><ebsOptimized>true</ebsOptimized>') },
  {
    name: 'a header',
    operation: DescribeInstances$,
    text: `<?xml version="1.0" encoding="UTF-8"?>\n${instance('<amiLaunchIndex>3</amiLaunchIndex>')}`,
  },
  { name: 'a time', operation: DescribeInstances$, text: instance('<launchTime>2026-01-02T03:04:05.678Z</launchTime>') },
  { name: 'layout', operation: DescribeInstances$, text: instance('\n  <instanceId>i-1</instanceId>\n  <tagSet>\n  </tagSet>\n') },
  { name: 'empty elements', operation: DescribeInstances$, text: instance('<tagSet/><placement/><privateDnsName/><reason></reason>') },
  { name: 'entities', operation: DescribeInstances$, text: instance('<reason>&lt;a&gt; &amp; &quot;&#x41;&#66;&apos;</reason>') },
  { name: 'an unknown entity', operation: DescribeInstances$, text: instance('<reason>&nbsp; & so on</reason>') },
  {
    name: 'unknown elements',
    operation: DescribeInstances$,
    text: instance('<newThing><a>1</a><b/>text</newThing><instanceId>i-1</instanceId>'),
  },
  { name: 'an element twice', operation: DescribeInstances$, text: instance('<instanceId>i-1</instanceId><instanceId>i-2</instanceId>') },
  { name: 'a comment', operation: DescribeInstances$, text: instance('<!-- x --><instanceId>i-1</instanceId>') },
  { name: 'raw text', operation: DescribeInstances$, text: instance('<reason><![CDATA[<a>]]></reason>') },
  { name: 'attributes', operation: DescribeInstances$, text: instance('<instanceId kind="x">i-1</instanceId>') },
  { name: 'blank text', operation: DescribeInstances$, text: instance('<reason>  </reason><privateDnsName>\n</privateDnsName>') },
  { name: 'a wrong end', operation: DescribeInstances$, text: instance('<instanceId>i-1</imageId>') },
  { name: 'an early end', operation: DescribeInstances$, text: instance('<instanceId>i-1').slice(0, -60) },
  { name: 'no XML', operation: DescribeInstances$, text: 'fine' },
  { name: 'an HTML page', operation: DescribeInstances$, text: '<html><body class="x">Bad <br> gateway' },
  {
    name: 'a fleet',
    operation: CreateFleet$,
    text: `<CreateFleetResponse ${XMLNS}><fleetId>f</fleetId><errorSet><item><errorCode>X</errorCode><launchTemplateAndOverrides><overrides><priority>1.5</priority></overrides></launchTemplateAndOverrides></item></errorSet><fleetInstanceSet><item><instanceIds><item>i-1</item><item>i-2</item></instanceIds></item></fleetInstanceSet></CreateFleetResponse>`,
  },
  {
    name: 'prices',
    operation: DescribeSpotPriceHistory$,
    text: `<DescribeSpotPriceHistoryResponse ${XMLNS}><spotPriceHistorySet><item><spotPrice>0.1</spotPrice><timestamp>2026-01-01T00:00:00Z</timestamp></item></spotPriceHistorySet><nextToken/></DescribeSpotPriceHistoryResponse>`,
  },
  {
    name: 'types',
    operation: DescribeInstanceTypes$,
    text: `<DescribeInstanceTypesResponse ${XMLNS}><instanceTypeSet><item><instanceType>m5.large</instanceType><memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo><supportedUsageClasses><item>spot</item></supportedUsageClasses></item></instanceTypeSet></DescribeInstanceTypesResponse>`,
  },
  {
    name: 'templates that contain themselves',
    operation: DescribeLaunchTemplateVersions$,
    text: `<DescribeLaunchTemplateVersionsResponse ${XMLNS}><launchTemplateVersionSet><item><versionNumber>12</versionNumber><launchTemplateData><userData>YQ==</userData></launchTemplateData></item></launchTemplateVersionSet></DescribeLaunchTemplateVersionsResponse>`,
  },
];

for (const { name, operation, text } of CASES) {
  test(`reads as the SDK does: ${name}`, () => {
    expectSame(operation, text);
  });
}

test('reads any text in tags as the SDK does', () => {
  const text = fc.stringMatching(/^[ \n\r\t<>&;#x"'a-zä0-9/!-]{0,12}$/);
  fc.assert(
    fc.property(text, text, (key, value) => {
      const item = `<item><key>${key.replaceAll('<', '&lt;')}</key><value>${value}</value></item>`;
      expectSame(DescribeTags$, `<DescribeTagsResponse ${XMLNS}><tagSet>${item}</tagSet></DescribeTagsResponse>`);
    }),
    { numRuns: 300, seed: 1 },
  );
});
