/** The requests of EC2 that launch: which of them an autoscaler sends is its own business. */
export const LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];

/** The requests that describe what nodes are compared with, and the nodes' machines: which of them are read is the autoscaler's business. */
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
