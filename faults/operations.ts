export { LAUNCHES } from '../history/launch-requests.ts';

/** The requests that describe instances and what nodes are compared with: an autoscaler may use any of them. */
export const DESCRIPTIONS = [
  ...[
    'DescribeImages',
    'DescribeSubnets',
    'DescribeSecurityGroups',
    'DescribeLaunchTemplates',
    'DescribeLaunchTemplateVersions',
    'DescribeInstances',
    'DescribeInstanceStatus',
    'DescribeInstanceTypes',
    'DescribeInstanceTypeOfferings',
    'DescribeCapacityReservations',
    'DescribePlacementGroups',
    'DescribeTags',
  ].map((name) => `ec2:${name}`),
  ...['GetParameter', 'GetParameters', 'GetParametersByPath'].map((name) => `ssm:${name}`),
];
