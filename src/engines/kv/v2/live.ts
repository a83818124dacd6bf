/**
 * What is live of a secret: its highest version that was neither deleted nor destroyed.
 */
import type { LiveSecret, LiveSecrets } from '../../../core/contract/live-secrets.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { dataOf, findKey, NO_MARKS } from './key.ts'
import { PAGE, pageId, pageOf } from './records.ts'
import { floorOf, isGone, isKept } from './versions.ts'

export const secrets: LiveSecrets = { readPath: (path) => `data/${path}`, live }

function live(tx: Tx, path: string): LiveSecret | undefined {
  const found = findKey(tx, path)
  if (!found || found.key.current === 0) return undefined
  const { key, old } = found
  if (old !== undefined) return { text: old, version: 1, until: undefined }
  for (let page = pageOf(key.current); page >= pageOf(floorOf(key)); page--) {
    const marks = tx.get(PAGE, pageId(key.id, page)) ?? NO_MARKS
    const version = Math.max(
      ...Object.keys(marks)
        .map(Number)
        .filter((each) => isKept(key, each) && !isGone(marks[each] as (typeof marks)[string], tx.now)),
    )
    if (version === Number.NEGATIVE_INFINITY) continue
    const text = dataOf(tx, found, version)
    // Cleared away between the reads: the consistency check of the reads will fail.
    return text === undefined ? undefined : { text, version, until: marks[version]?.deletion ?? undefined }
  }
  return undefined
}
