/**
 * A duration in the format of ages in `kubectl get`: `k8s.io/apimachinery/pkg/util/duration.HumanDuration`, two to three digits
 * of precision.
 */
export function formatDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return join(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return join(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return join(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? join(years, 'y', days % 365, 'd') : `${years}y`;
}

function join(big: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${unit}` : `${big}${unit}${small}${smallUnit}`;
}
