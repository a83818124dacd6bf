/**
 * The value of `{{expiration}}`: whole seconds in UTC, such as `2026-11-21 10:09:49+0000`.
 * @param ms Milliseconds since the Unix epoch.
 */
export function expirationText(ms: number): string {
  const [date = '', time = ''] = new Date(ms).toISOString().split('T')
  return `${date} ${time.slice(0, 8)}+0000`
}
