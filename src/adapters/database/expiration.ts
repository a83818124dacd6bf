/**
 * When a user ends, as `{{expiration}}` is written.
 */

/** @param ms Since the epoch. Whole seconds in UTC, such as `2026-11-21 10:09:49+0000`. */
export function expirationText(ms: number): string {
  const [date = '', time = ''] = new Date(ms).toISOString().split('T')
  return `${date} ${time.slice(0, 8)}+0000`
}
