import {
  describeAccountLimits,
  describeActivities,
  describeGroups,
  describeInstances,
  describeLaunchConfigurations,
} from './describe-operations.ts';
import { createGroup, deleteGroup, resumeProcesses, setDesiredCapacity, suspendProcesses, updateGroup } from './group-operations.ts';
import { attachInstances, detachInstances, setInstanceHealth, setInstanceProtection, terminateInstance } from './instance-operations.ts';
import type { AutoScalingOperation } from './service.ts';
import { createOrUpdateTags, deleteTags, describeTags } from './tag-operations.ts';

/** The operations of Auto Scaling that this world has. */
export const AUTOSCALING_OPERATIONS: Readonly<Record<string, AutoScalingOperation>> = {
  AttachInstances: attachInstances,
  CreateAutoScalingGroup: createGroup,
  CreateOrUpdateTags: createOrUpdateTags,
  DeleteAutoScalingGroup: deleteGroup,
  DeleteTags: deleteTags,
  DescribeAccountLimits: describeAccountLimits,
  DescribeAutoScalingGroups: describeGroups,
  DescribeAutoScalingInstances: describeInstances,
  DescribeLaunchConfigurations: describeLaunchConfigurations,
  DescribeScalingActivities: describeActivities,
  DescribeTags: describeTags,
  DetachInstances: detachInstances,
  ResumeProcesses: resumeProcesses,
  SetDesiredCapacity: setDesiredCapacity,
  SetInstanceHealth: setInstanceHealth,
  SetInstanceProtection: setInstanceProtection,
  SuspendProcesses: suspendProcesses,
  TerminateInstanceInAutoScalingGroup: terminateInstance,
  UpdateAutoScalingGroup: updateGroup,
};
