/** The maximum wait. A server's request for a longer wait is shortened, because such a wait would look like an outage. */
export const MAX_RETRY_AFTER_MS = 86_400_000

/** The wait in a `Retry-After` header. @returns Milliseconds from now; undefined if the header is absent or invalid. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), MAX_RETRY_AFTER_MS)
  const at = /^[A-Za-z]{3},/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - Date.now()), MAX_RETRY_AFTER_MS)
}
