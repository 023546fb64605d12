/**
 * A JSON merge patch that makes a value like another one: what only the old one has goes. A plain merge would
 * leave a limit in force that the new pool does not have.
 */
export function exactPatch(old: unknown, wanted: unknown): unknown {
  if (!isMap(old) || !isMap(wanted)) return wanted;
  const gone = Object.keys(old).flatMap((key) => (key in wanted ? [] : [[key, null] as const]));
  return Object.fromEntries([...gone, ...Object.entries(wanted).map(([key, value]) => [key, exactPatch(old[key], value)] as const)]);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
