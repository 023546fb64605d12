/** A time in the format of `metav1.Time`: RFC 3339, whole seconds, UTC. @param ms milliseconds since the Unix epoch */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the Unix epoch of a Kubernetes time; NaN if it is invalid. */
export function parseTime(text: string): number {
  return Date.parse(text);
}
