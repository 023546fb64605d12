import type { Clock } from '../../../runtime/clock.ts';
import { wholeSecond } from '../times.ts';

/** The current time, as causes of activities have it. */
export function at(clock: Clock): string {
  return wholeSecond(clock.nowMs()).toISOString().replace('.000Z', 'Z');
}

/** Sentences of a cause, as Auto Scaling joins them. */
export function join(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined).join('  ');
}

/**
 * Why a group launches for its size. Source, also of the next two: activities in "Troubleshooting Amazon EC2 Auto Scaling" and in
 * spacelift-io/terraform-aws-spacelift-workerpool-on-ec2#97.
 */
export function growing(clock: Clock, before: number, after: number): string {
  return `At ${at(clock)} an instance was started in response to a difference between desired and actual capacity, increasing the capacity from ${before} to ${after}.`;
}

/** Why a group terminates for its size. */
export function shrinking(clock: Clock, before: number, after: number): string {
  return `At ${at(clock)} an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from ${before} to ${after}.`;
}

/** Which member goes. */
export function selected(clock: Clock, instance: string): string {
  return `At ${at(clock)} instance ${instance} was selected for termination.`;
}

/**
 * Why a group has more than it should for a while. Source: spacelift-io/terraform-aws-spacelift-workerpool-on-ec2#97 and
 * awslabs/benchmark-ai#71.
 */
export function balanced(since: string, zones: readonly string[]): string {
  return `At ${since} instances were launched to balance instances in zones ${zones.join(' ')} with other zones resulting in more than desired number of instances in the group.`;
}

/**
 * Why a group launches for its zones. Quoted activities have "zones had 4 1 instances respectively", where whoever quotes them may
 * have left out the names.
 */
export function balancing(clock: Clock, counts: ReadonlyMap<string, number>): string {
  return `At ${at(clock)} availability zones ${[...counts.keys()].join(' ')} had ${[...counts.values()].join(' ')} instances respectively.  An instance was launched to aid in balancing the group's zones.`;
}
