import { expect } from '@playwright/test';

/** Resolves when a number no longer changes from one look to the next: what makes it is held up. */
export async function untilStill(count: () => number): Promise<void> {
  let before = -1;
  await expect
    .poll(() => {
      const now = count();
      const isStill = now === before;
      before = now;
      return isStill;
    })
    .toBe(true);
}
