/**
 * The id under which AWS remembers a version.
 */
import { createHash } from 'node:crypto'

/**
 * AWS ignores a write under the id of a version that is there, also one that is not current any more. So the id differs with what was there
 * before: to write an earlier value again is a new version, and to try the same write again is not.
 */
export function clientRequestToken(opId: string, previous: string | undefined): string {
  if (previous === undefined) return opId
  const hex = createHash('sha256').update(`${opId}\n${previous}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
