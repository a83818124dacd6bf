/**
 * `Retry-After`: how long a store asks to wait.
 */

/** @returns Milliseconds from now; undefined where there is no header, or one that cannot be read. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const at = /^[A-Za-z]{3},/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
