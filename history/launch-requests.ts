import type { RequestLife } from './lives.ts';

/** The EC2 requests that launch. */
export const EC2_LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];

/** The requests that launch, or let a group launch: an autoscaler may use any of them. */
export const LAUNCHES = [...EC2_LAUNCHES, 'autoscaling:SetDesiredCapacity'];

/** The part of a launch's input that says what is launched, as far as it is what a launch should have. */
interface LaunchInput {
  readonly ClientToken?: unknown;
  readonly DryRun?: unknown;
  readonly MaxCount?: unknown;
  readonly TargetCapacitySpecification?: { readonly TotalTargetCapacity?: unknown };
}

/** Whether a request launches instances. */
export function isLaunch({ start: { operation } }: RequestLife): boolean {
  return LAUNCHES.includes(operation);
}

/** A launch's input. */
export function launchInputOf({ input }: Pick<RequestLife['start'], 'input'>): LaunchInput {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

/** How many instances a launch asks for; NaN if it does not say so with a number. */
export function instancesAsked(start: Pick<RequestLife['start'], 'input'>): number {
  const { TargetCapacitySpecification: target, MaxCount = 1 } = launchInputOf(start);
  return Number(target?.TotalTargetCapacity ?? MaxCount);
}
