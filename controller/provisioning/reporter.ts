import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { Pod } from '../../model/kube.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { EventWriter } from '../core/events.ts';
import type { Notification } from '../core/events.ts';
import { podName } from '../scheduling/pod-class.ts';

/** Reports to users. Nothing here throws, and nothing waits. */
export interface Reporter {
  /** A Warning event on the pod and a log line; the same message is repeated only after a while. */
  cannotSchedule(pod: Pod, reason: string): void;
  /** An event on an object. */
  publish(notification: Notification): void;
}

export function createReporter(runtime: Runtime, kube: KubeClient): Reporter {
  const events = new EventWriter(runtime, kube);
  return {
    publish: (notification) => {
      events.write(notification);
    },
    cannotSchedule: (pod, reason) => {
      const message = `pod ${podName(pod)} cannot be scheduled: ${reason}`;
      const isNews = events.write({ type: RESOURCES.pods, object: pod, eventType: 'Warning', reason: 'FailedScheduling', message });
      if (isNews) runtime.log('warn', message, { pod: podName(pod), reason: 'FailedScheduling' });
    },
  };
}
