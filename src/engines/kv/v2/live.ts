/**
 * What is live of a secret: its highest version that was neither deleted nor destroyed.
 */
import type { LiveSecret, LiveSecrets } from '../../../core/contract/live-secrets.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { dataOf, findKey } from './key.ts'
import { keptOn, type Marked, pagesOf, recentMarks } from './marks.ts'
import type { KeyRecord } from './records.ts'
import { isGone } from './versions.ts'

export const secrets: LiveSecrets = { readPath: (path) => `data/${path}`, live }

function live(tx: Tx, path: string): LiveSecret | undefined {
  const found = findKey(tx, path)
  if (!found || found.key.current === 0) return undefined
  const { key, old } = found
  if (old !== undefined) return { text: old, version: 1, until: undefined }
  const newest = newestLive(tx, recentMarks(key)) ?? newestPaged(tx, key)
  if (!newest) return undefined
  const [version, mark] = newest
  const text = dataOf(tx, found, version)
  // Cleared away between the reads: the consistency check of the reads will fail.
  return text === undefined ? undefined : { text, version, until: mark.deletion ?? undefined }
}

const newestLive = (tx: Tx, marks: readonly Marked[]): Marked | undefined => marks.findLast(([, mark]) => !isGone(mark, tx.now))

function newestPaged(tx: Tx, key: KeyRecord): Marked | undefined {
  for (const page of [...pagesOf(key)].reverse()) {
    const newest = newestLive(tx, keptOn(tx, key, page))
    if (newest) return newest
  }
  return undefined
}
