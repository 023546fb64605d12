/** A JSON object of unknown shape. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own property of any name: an assignment to `__proto__` would change the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The value of an own property, or undefined. */
export function getOwn(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The type of a JSON value as Go's decoder names it. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A JSON value as Go prints it with %v: `map[a:1 b:[x y]]`. */
export function formatGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatGo).join(' ')}]`;
  if (!isJsonObject(value)) return value === null ? '<nil>' : typeof value === 'string' ? value : JSON.stringify(value);
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${pairs.map(([key, part]) => `${key}:${formatGo(part)}`).join(' ')}]`;
}
