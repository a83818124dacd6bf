/** Operations that delete, undelete and destroy versions. */
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { KV_SECRET_PATH, requiredByOperation, VERSIONS } from './fields.ts'
import { configOf, ensureConverted, type FoundKey, findKey } from './key.ts'
import { KEY } from './key-record.ts'
import { type KeyRecord, PAGE, pageId, pageOf, type SecretVersionInfo } from './records.ts'
import { sweepVersions } from './sweep.ts'
import { recentVersions, versionsOn } from './version-pages.ts'
import { deletionTime, isKept, lastPagedVersion, markDeleted, markDestroyed, markUndeleted } from './versions.ts'

/** Limits the pages that one request changes, because one commit writes all of them. */
const MAX_PAGES = 64

type VersionChange = (info: SecretVersionInfo, key: KeyRecord) => SecretVersionInfo

/** Changes the metadata of versions. Versions that are no longer kept are skipped. @returns The versions that changed. */
function changeVersions(
  tx: Tx,
  path: string,
  found: FoundKey,
  versions: readonly number[],
  change: VersionChange,
  type: 'secret.deleted' | 'secret.undeleted' | 'secret.destroyed',
): readonly number[] {
  const wanted = new Set(versions.filter((version) => isKept(found.key, version)))
  const pages = groupByPage([...wanted].filter((version) => version <= lastPagedVersion(found.key)))
  if (pages.size > MAX_PAGES)
    throw invalid(`versions: their metadata is on more than ${MAX_PAGES} pages, the maximum for one request; name fewer versions`)
  if (wanted.size === 0) return []
  const key = ensureConverted(tx, path, found)
  const changed: number[] = []
  const changedInfo = (version: number, before: SecretVersionInfo): SecretVersionInfo => {
    const info = change(before, key)
    if (info !== before) changed.push(version)
    return info
  }
  loadAll([...pages], ([page, numbers]) => {
    const infos = versionsOn(tx, key, page)
    const after: Record<string, SecretVersionInfo> = { ...infos }
    const before = changed.length
    for (const version of numbers) if (infos[version]) after[version] = changedInfo(version, infos[version])
    if (changed.length > before) tx.put(PAGE, pageId(key.id, page), after)
  })
  const inPages = changed.length
  const recent = recentVersions(key).map(([version, info]) => (wanted.has(version) ? changedInfo(version, info) : info))
  if (changed.length > inPages) tx.put(KEY, path, { ...key, recent })
  if (changed.length > 0) {
    tx.event(type, { path, versions: [...changed].sort((a, b) => a - b) })
    tx.secretChanged(path)
  }
  return changed
}

function groupByPage(versions: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const pages = new Map<number, number[]>()
  for (const version of versions) {
    const page = pages.get(pageOf(version))
    if (page) page.push(version)
    else pages.set(pageOf(version), [version])
  }
  return pages
}

const noVersions = (words: string) => invalid(`versions: ${words} version number provided`)

const FIELDS = { path: KV_SECRET_PATH, versions: requiredByOperation(VERSIONS) }

/** @throws KernelError 400 if the path is invalid. */
export const deleteLatest = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/data/+path',
  forwardable: true,
  summary: 'Marks the latest version of a secret as deleted.',
  fields: { path: KV_SECRET_PATH },
  returns: {},
  run: (tx, { path }) => {
    const found = findKey(tx, path)
    if (found) changeVersions(tx, path, found, [found.key.current], (info) => markDeleted(info, tx.now), 'secret.deleted')
    return undefined
  },
})

/** @throws KernelError 400 if `versions` is empty, or if the versions are spread over more metadata pages than one request may change. */
export const deleteVersions = operation({
  kind: 'write',
  verb: 'POST',
  path: '/delete/+path',
  forwardable: true,
  summary: 'Marks versions of a secret as deleted.',
  fields: FIELDS,
  returns: {},
  run: (tx, { path, versions }) => {
    if (!versions?.length) throw noVersions('No')
    const found = findKey(tx, path)
    if (found) changeVersions(tx, path, found, versions, (info) => markDeleted(info, tx.now), 'secret.deleted')
    return undefined
  },
})

/** @throws KernelError 400 if `versions` is empty, or if the versions are spread over more metadata pages than one request may change. */
export const undeleteVersions = operation({
  kind: 'write',
  verb: 'POST',
  path: '/undelete/+path',
  forwardable: true,
  summary:
    'Restores deleted versions of a secret. If versions are deleted automatically, a restored version gets a new deletion time, counted from now.',
  fields: FIELDS,
  returns: {},
  run: (tx, { path, versions }) => {
    if (!versions?.length) throw noVersions('No')
    const found = findKey(tx, path)
    if (found) {
      const config = configOf(tx)
      changeVersions(
        tx,
        path,
        found,
        versions,
        (info, key) => markUndeleted(info, deletionTime(key, config, tx.now)),
        'secret.undeleted',
      )
    }
    return undefined
  },
})

/** @throws KernelError 400 if `versions` is empty, or if the versions are spread over more metadata pages than one request may change. */
export const destroyVersions = operation({
  kind: 'write',
  verb: 'POST',
  path: '/destroy/+path',
  forwardable: true,
  summary: 'Deletes the data of versions permanently.',
  fields: FIELDS,
  returns: {},
  run: (tx, { path, versions }) => {
    if (!versions?.length) throw noVersions('no')
    const found = findKey(tx, path)
    if (!found) return undefined
    const changed = changeVersions(tx, path, found, versions, markDestroyed, 'secret.destroyed')
    const key = findKey(tx, path)?.key
    if (key && changed.length > 0) sweepVersions(tx, key.id, changed)
    return undefined
  },
})
