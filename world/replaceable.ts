/** Parts of an embedded world that other programs may replace, by the names that `world up --without` takes. */
export const REPLACEABLE_PARTS = ['scheduler', 'controllers', 'cloud-controller'] as const;
export type ReplaceablePart = (typeof REPLACEABLE_PARTS)[number];
