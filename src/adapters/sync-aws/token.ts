/** Computes the idempotency token of a write. */
import { createHash } from 'node:crypto'

/**
 * AWS ignores a write whose token belongs to an existing version, even if that version is no longer current. So the token also depends on
 * the previous version: writing an earlier value again creates a new version, and retrying a write does not.
 */
export function clientRequestToken(opId: string, previous: string | undefined): string {
  if (previous === undefined) return opId
  const hex = createHash('sha256').update(`${opId}\n${previous}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
