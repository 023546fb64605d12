import type {
  CompleteLifecycleActionType,
  DeleteLifecycleHookType,
  DescribeLifecycleHooksType,
  PutLifecycleHookType,
  RecordLifecycleActionHeartbeatType,
} from '@aws-sdk/client-auto-scaling';
import { defined } from '../../../model/defined.ts';
import { QueryRefusal } from '../../../protocols/aws-query/codec.ts';
import { outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import { openGroup } from './group-operations.ts';
import type { Hook, HookResult, Transition } from './lifecycle-actions.ts';
import { constraintError, missing, validationError } from './refusals.ts';
import { groupId } from './service.ts';
import type { AutoScalingSite } from './service.ts';

/** Source: "Quotas for Auto Scaling resources and groups". */
const HOOKS_MAX = 50;
/** Source: "PutLifecycleHook". */
const TIMEOUT_S = { min: 30, byDefault: 3_600, max: 7_200 };
/** The longest wait, however often it is renewed: 100 times the timeout, but at most this. */
const GLOBAL_TIMEOUT_S = 172_800;
const TRANSITIONS: readonly Transition[] = ['autoscaling:EC2_INSTANCE_LAUNCHING', 'autoscaling:EC2_INSTANCE_TERMINATING'];

/** Creates or changes a hook: only what the request names changes. */
export function putHook(site: AutoScalingSite, input: PutLifecycleHookType): Outcome {
  const group = openGroup(site, input.AutoScalingGroupName);
  const { LifecycleHookName: name, NotificationTargetARN: target } = input;
  if (name === undefined) throw missing('lifecycleHookName');
  if (target !== undefined && target !== '')
    throw validationError('This world does not emulate NotificationTargetARN: EventBridge gets the events.');
  const hooks = site.actions.hooks(group.name);
  const before = hooks.find((hook) => hook.name === name);
  const transition = TRANSITIONS.find((one) => one === (input.LifecycleTransition ?? before?.transition));
  if (transition === undefined) throw validationError(`Invalid LifecycleTransition ${input.LifecycleTransition ?? ''}.`);
  const timeoutS = input.HeartbeatTimeout ?? before?.timeoutS ?? TIMEOUT_S.byDefault;
  if (timeoutS < TIMEOUT_S.min)
    throw constraintError('heartbeatTimeout', timeoutS, `Member must have value greater than or equal to ${TIMEOUT_S.min}`);
  if (timeoutS > TIMEOUT_S.max)
    throw constraintError('heartbeatTimeout', timeoutS, `Member must have value less than or equal to ${TIMEOUT_S.max}`);
  if (before === undefined && hooks.length >= HOOKS_MAX) {
    throw new QueryRefusal('LimitExceeded', `You have reached your limit of ${HOOKS_MAX} lifecycle hooks for this Auto Scaling group.`);
  }
  const defaultResult = readResult(input.DefaultResult ?? before?.defaultResult ?? 'ABANDON');
  const metadata = input.NotificationMetadata ?? before?.metadata;
  site.actions.put({ name, group: group.name, transition, timeoutS, defaultResult, ...defined({ metadata }) });
  return outcome({}, [groupId(group.name)]);
}

/** Deletes a hook; instances that wait for it go on. */
export function deleteHook(site: AutoScalingSite, input: DeleteLifecycleHookType): Outcome {
  const group = openGroup(site, input.AutoScalingGroupName);
  if (input.LifecycleHookName === undefined) throw missing('lifecycleHookName');
  if (!site.actions.delete(group.name, input.LifecycleHookName)) throw validationError('No Lifecycle Hook found.');
  return outcome({}, [groupId(group.name)]);
}

/** Lists a group's hooks. Names that are none are left out. */
export function describeHooks({ actions, groups }: AutoScalingSite, input: DescribeLifecycleHooksType): Outcome {
  if (input.AutoScalingGroupName === undefined) throw missing('autoScalingGroupName');
  const { name } = groups.get(input.AutoScalingGroupName);
  const { LifecycleHookNames: names = [] } = input;
  const found = actions.hooks(name).filter((hook) => names.length === 0 || names.includes(hook.name));
  return outcome({ LifecycleHooks: found.map(writeHook) }, []);
}

function writeHook({ name, group, transition, timeoutS, defaultResult, metadata }: Hook): object {
  return {
    LifecycleHookName: name,
    AutoScalingGroupName: group,
    LifecycleTransition: transition,
    ...defined({ NotificationMetadata: metadata }),
    HeartbeatTimeout: timeoutS,
    GlobalTimeout: Math.min(timeoutS * 100, GLOBAL_TIMEOUT_S),
    DefaultResult: defaultResult,
  };
}

/** Ends an instance's wait for a hook. */
export function completeAction(site: AutoScalingSite, input: CompleteLifecycleActionType): Outcome {
  if (input.LifecycleActionResult === undefined) throw missing('lifecycleActionResult');
  const result = readResult(input.LifecycleActionResult);
  const { instance, hook } = readAction(site, input);
  if (!site.actions.complete(instance, hook, result)) throw noAction(input);
  return outcome({}, [instance]);
}

/** An instance's wait for a hook begins again. */
export function recordHeartbeat(site: AutoScalingSite, input: RecordLifecycleActionHeartbeatType): Outcome {
  const { instance, hook } = readAction(site, input);
  if (!site.actions.heartbeat(instance, hook)) throw noAction(input);
  return outcome({}, [instance]);
}

function readAction(
  site: AutoScalingSite,
  input: CompleteLifecycleActionType | RecordLifecycleActionHeartbeatType,
): { readonly instance: string; readonly hook: string } {
  const { LifecycleHookName: hook, LifecycleActionToken: token, InstanceId: id } = input;
  if (input.AutoScalingGroupName === undefined) throw missing('autoScalingGroupName');
  // Also of a group that is being deleted: hooks outlive the request to delete it.
  const { name } = site.groups.get(input.AutoScalingGroupName);
  if (hook === undefined) throw missing('lifecycleHookName');
  const instance = token === undefined ? id : site.actions.instanceOf(token);
  if (instance === undefined || site.groups.member(instance)?.group !== name) throw noAction(input);
  return { instance, hook };
}

function readResult(result: string): HookResult {
  if (result === 'CONTINUE' || result === 'ABANDON') return result;
  throw validationError(`Invalid lifecycle action result: ${result}. Valid values are CONTINUE and ABANDON.`);
}

/** Sources: convox/rack#2432 and spacelift-io/terraform-aws-spacelift-workerpool-on-ec2#197. */
function noAction({
  InstanceId: id,
  LifecycleActionToken: token,
}: CompleteLifecycleActionType | RecordLifecycleActionHeartbeatType): QueryRefusal {
  return validationError(`No active Lifecycle Action found with ${token === undefined ? `instance ID ${id ?? ''}` : `token ${token}`}`);
}
