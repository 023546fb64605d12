import type { RequestLife } from './lives.ts';
import type { View } from './view.ts';

/** The EC2 requests that launch. */
export const EC2_LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];

/** The request that sets the desired capacity of a group. */
export const RESIZE = 'autoscaling:SetDesiredCapacity';

/** The requests that launch, or let a group launch: an autoscaler may use any of them. */
export const LAUNCHES = [...EC2_LAUNCHES, RESIZE];

/** The part of a launch's input that says what is launched, as far as it is what a launch should have. */
interface LaunchInput {
  readonly ClientToken?: unknown;
  readonly DryRun?: unknown;
  readonly MaxCount?: unknown;
  readonly TargetCapacitySpecification?: { readonly TotalTargetCapacity?: unknown };
  readonly AutoScalingGroupName?: unknown;
  readonly DesiredCapacity?: unknown;
}

/** Whether a request launches instances, or lets a group launch some: one that lowers its desired capacity does not. */
export function isLaunch(view: Pick<View, 'groups'>, request: RequestLife): boolean {
  return LAUNCHES.includes(request.start.operation) && instancesAsked(view, request) !== 0;
}

/** A launch's input. */
export function launchInputOf({ input }: Pick<RequestLife['start'], 'input'>): LaunchInput {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

/**
 * How many instances a launch asks for: of a group, as many as its desired capacity is raised by, and none if it is not raised.
 * NaN if it does not say so with a number.
 */
export function instancesAsked({ groups }: Pick<View, 'groups'>, { start }: Pick<RequestLife, 'start'>): number {
  const { TargetCapacitySpecification: target, MaxCount = 1, AutoScalingGroupName: name, DesiredCapacity: desired } = launchInputOf(start);
  if (start.operation !== RESIZE) return Number(target?.TotalTargetCapacity ?? MaxCount);
  const steps = groups.find((group) => group.name === name)?.steps ?? [];
  // A refused request changed nothing.
  const { i: changed } = steps.find(({ span }) => span === start.span) ?? start;
  return Math.max(0, Number(desired) - (steps.findLast(({ i }) => i < changed)?.desired ?? 0));
}
