/**
 * What is live of a secret: its highest version that was neither deleted nor destroyed.
 */
import type { LiveSecret, LiveSecrets } from '../../../core/contract/live-secrets.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { dataOf, findKey } from './key.ts'
import type { KeyRecord } from './records.ts'
import { keptVersionsOn, type NumberedVersion, pagesOf, recentVersions } from './version-pages.ts'
import { isGone } from './versions.ts'

export const secrets: LiveSecrets = { readPath: (path) => `data/${path}`, live: liveVersion }

function liveVersion(tx: Tx, path: string): LiveSecret | undefined {
  const found = findKey(tx, path)
  if (!found || found.key.current === 0) return undefined
  const { key, old } = found
  if (old !== undefined) return { text: old, version: 1, until: undefined }
  const newest = newestLive(tx, recentVersions(key)) ?? newestLivePaged(tx, key)
  if (!newest) return undefined
  const [version, mark] = newest
  const text = dataOf(tx, found, version)
  // Cleared away between the reads: the consistency check of the reads will fail.
  return text === undefined ? undefined : { text, version, until: mark.deletion ?? undefined }
}

const newestLive = (tx: Tx, marks: readonly NumberedVersion[]): NumberedVersion | undefined =>
  marks.findLast(([, mark]) => !isGone(mark, tx.now))

function newestLivePaged(tx: Tx, key: KeyRecord): NumberedVersion | undefined {
  for (const page of [...pagesOf(key)].reverse()) {
    const newest = newestLive(tx, keptVersionsOn(tx, key, page))
    if (newest) return newest
  }
  return undefined
}
