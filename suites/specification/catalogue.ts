import { apiPressure } from './api-pressure.ts';
import { budgets } from './budgets.ts';
import { capacity } from './capacity.ts';
import { cost } from './cost.ts';
import { crashes } from './crashes.ts';
import { disruption } from './disruption.ts';
import { explanations } from './explanations.ts';
import { interruption } from './interruption.ts';
import { leaks } from './leaks.ts';
import { limits } from './limits.ts';
import { messages } from './messages.ts';
import { provisioning } from './provisioning.ts';
import { registration } from './registration.ts';
import type { Area } from './requirement.ts';
import { scheduling } from './scheduling.ts';
import { staleness } from './staleness.ts';
import { termination } from './termination.ts';

/** The specification of a conforming node autoscaler, in the order of its page. */
export const specification: readonly Area[] = [
  provisioning,
  scheduling,
  capacity,
  limits,
  registration,
  interruption,
  termination,
  leaks,
  disruption,
  budgets,
  apiPressure,
  crashes,
  staleness,
  messages,
  cost,
  explanations,
];
