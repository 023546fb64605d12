import {
  describeAccountLimits,
  describeActivities,
  describeGroups,
  describeInstances,
  describeLaunchConfigurations,
} from './describe-operations.ts';
import { createGroup, deleteGroup, resumeProcesses, setDesiredCapacity, suspendProcesses, updateGroup } from './group-operations.ts';
import { completeAction, deleteHook, describeHooks, putHook, recordHeartbeat } from './hook-operations.ts';
import { attachInstances, detachInstances, setInstanceHealth, setInstanceProtection, terminateInstance } from './instance-operations.ts';
import type { AutoScalingOperation } from './service.ts';
import { createOrUpdateTags, deleteTags, describeTags } from './tag-operations.ts';

/** The operations of Auto Scaling that this world has. */
export const AUTOSCALING_OPERATIONS: Readonly<Record<string, AutoScalingOperation>> = {
  AttachInstances: attachInstances,
  CompleteLifecycleAction: completeAction,
  CreateAutoScalingGroup: createGroup,
  CreateOrUpdateTags: createOrUpdateTags,
  DeleteAutoScalingGroup: deleteGroup,
  DeleteLifecycleHook: deleteHook,
  DeleteTags: deleteTags,
  DescribeAccountLimits: describeAccountLimits,
  DescribeAutoScalingGroups: describeGroups,
  DescribeAutoScalingInstances: describeInstances,
  DescribeLaunchConfigurations: describeLaunchConfigurations,
  DescribeLifecycleHooks: describeHooks,
  DescribeScalingActivities: describeActivities,
  DescribeTags: describeTags,
  DetachInstances: detachInstances,
  PutLifecycleHook: putHook,
  RecordLifecycleActionHeartbeat: recordHeartbeat,
  ResumeProcesses: resumeProcesses,
  SetDesiredCapacity: setDesiredCapacity,
  SetInstanceHealth: setInstanceHealth,
  SetInstanceProtection: setInstanceProtection,
  SuspendProcesses: suspendProcesses,
  TerminateInstanceInAutoScalingGroup: terminateInstance,
  UpdateAutoScalingGroup: updateGroup,
};
