/** Finds the live version of a secret for secret sync: the latest version that is neither deleted nor destroyed. */
import type { LiveSecret, LiveSecrets } from '../../../core/contract/live-secrets.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { dataOf, findKey } from './key.ts'
import type { KeyRecord } from './records.ts'
import { keptVersionsOn, type NumberedVersion, recentVersions, versionPagesOf } from './version-pages.ts'
import { isGone } from './versions.ts'

export const secrets: LiveSecrets = { readPath: (path) => `data/${path}`, live: liveVersion }

function liveVersion(tx: Tx, path: string): LiveSecret | undefined {
  const found = findKey(tx, path)
  if (!found || found.key.current === 0) return undefined
  const { key, old } = found
  if (old !== undefined) return { text: old, version: 1, until: undefined }
  const newest = newestLive(tx, recentVersions(key)) ?? newestLivePaged(tx, key)
  if (!newest) return undefined
  const [version, info] = newest
  const text = dataOf(tx, found, version)
  // If the data is missing, another process deleted it between the two reads. The reads are then inconsistent, so the transaction is rerun.
  return text === undefined ? undefined : { text, version, until: info.deletion ?? undefined }
}

const newestLive = (tx: Tx, infos: readonly NumberedVersion[]): NumberedVersion | undefined =>
  infos.findLast(([, info]) => !isGone(info, tx.now))

function newestLivePaged(tx: Tx, key: KeyRecord): NumberedVersion | undefined {
  for (const page of [...versionPagesOf(key)].reverse()) {
    const newest = newestLive(tx, keptVersionsOn(tx, key, page))
    if (newest) return newest
  }
  return undefined
}
