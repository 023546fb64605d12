export { LAUNCHES } from '../history/launch-requests.ts';

/** The requests that terminate instances: an autoscaler may use any of them. */
export const TERMINATIONS = ['ec2:TerminateInstances', 'autoscaling:TerminateInstanceInAutoScalingGroup'];

/** The requests that list instances: an autoscaler may use any of them. */
export const INSTANCE_LISTS = ['ec2:DescribeInstances', 'autoscaling:DescribeAutoScalingGroups'];

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
  ...['DescribeAutoScalingGroups', 'DescribeScalingActivities', 'DescribeTags'].map((name) => `autoscaling:${name}`),
  ...['GetParameter', 'GetParameters', 'GetParametersByPath'].map((name) => `ssm:${name}`),
];
