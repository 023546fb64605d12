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
import { cancelRefresh, describeRefreshes, startRefresh } from './refresh-operations.ts';
import type { AutoScalingOperation } from './service.ts';
import { enterStandby, exitStandby } from './standby-operations.ts';
import { createOrUpdateTags, deleteTags, describeTags } from './tag-operations.ts';

/** The operations of Auto Scaling that this world has. */
export const AUTOSCALING_OPERATIONS: Readonly<Record<string, AutoScalingOperation>> = {
  AttachInstances: attachInstances,
  CancelInstanceRefresh: cancelRefresh,
  CompleteLifecycleAction: completeAction,
  CreateAutoScalingGroup: createGroup,
  CreateOrUpdateTags: createOrUpdateTags,
  DeleteAutoScalingGroup: deleteGroup,
  DeleteLifecycleHook: deleteHook,
  DeleteTags: deleteTags,
  DescribeAccountLimits: describeAccountLimits,
  DescribeAutoScalingGroups: describeGroups,
  DescribeAutoScalingInstances: describeInstances,
  DescribeInstanceRefreshes: describeRefreshes,
  DescribeLaunchConfigurations: describeLaunchConfigurations,
  DescribeLifecycleHooks: describeHooks,
  DescribeScalingActivities: describeActivities,
  DescribeTags: describeTags,
  DetachInstances: detachInstances,
  EnterStandby: enterStandby,
  ExitStandby: exitStandby,
  PutLifecycleHook: putHook,
  RecordLifecycleActionHeartbeat: recordHeartbeat,
  ResumeProcesses: resumeProcesses,
  SetDesiredCapacity: setDesiredCapacity,
  SetInstanceHealth: setInstanceHealth,
  SetInstanceProtection: setInstanceProtection,
  StartInstanceRefresh: startRefresh,
  SuspendProcesses: suspendProcesses,
  TerminateInstanceInAutoScalingGroup: terminateInstance,
  UpdateAutoScalingGroup: updateGroup,
};
