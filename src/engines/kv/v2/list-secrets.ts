import { folderPrefix } from '../../../core/base/folder.ts'
import { pageOptions } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { compareKeys } from '../../../core/storage/order.ts'
import { loadAll, loadAllInGroups } from '../../../core/transaction/load-all.ts'
import { SECRET } from '../v1/secret.ts'
import type { ReadMetadataResult } from './generated/api.ts'
import { findKey } from './key.ts'
import { KEY } from './key-record.ts'
import { showSecretKey } from './show.ts'

/** The estimated cost of showing the metadata of one key with its versions. */
const SHOW_MICROSECONDS = 40

const FIELDS = {
  path: f.path('The folder; empty for the root of the mount.').default(''),
  after: f.text('Only names after this one, which need not exist.').default(''),
  limit: f.int('The maximum number of names; 0 or less means no limit.').default(0),
}
const KEYS = f.json<readonly string[]>('Names in byte order. Folders end with a slash.', { type: 'array' })

interface ListRequest {
  readonly path: string
  readonly after: string
  readonly limit: number
}

/**
 * In an upgraded mount, some secrets may still be stored in the layout of version 1. Their names are merged with the names of the other
 * secrets.
 */
function namesIn(tx: Tx, { path, after, limit }: ListRequest): readonly string[] {
  const options = { prefix: folderPrefix(path), delimiter: '/', ...pageOptions({ after, limit }) }
  if (tx.call.mount.upgraded === undefined) return tx.list(KEY, options)
  const [keys = [], old = []] = loadAll([KEY, SECRET], (kind) => tx.list<unknown>(kind as typeof KEY, options))
  if (old.length === 0) return keys
  const names = [...new Set([...keys, ...old])].sort(compareKeys)
  return limit > 0 ? names.slice(0, limit) : names
}

/** @throws no errors of its own. */
export const listSecrets = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/metadata/*path',
  summary: 'Lists the names at a path, including secrets whose versions are all deleted.',
  fields: FIELDS,
  returns: { keys: KEYS },
  run: (tx, request) => ({ keys: namesIn(tx, request) }),
})

/** @throws no errors of its own. */
export const listDetails = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/detailed-metadata/*path',
  summary: 'Lists the names at a path together with their metadata.',
  fields: FIELDS,
  returns: {
    keys: KEYS,
    key_info: f.json<Readonly<Record<string, ReadMetadataResult | Record<never, never>>>>(
      'The metadata of the secrets, by name. For a folder such as `app/`: the metadata of the secret `app`, or an empty object if there is no such secret.',
    ),
  },
  run: (tx, request) => {
    const folder = folderPrefix(request.path)
    const show = (name: string): readonly [string, ReadMetadataResult | Record<never, never>] | undefined => {
      const found = findKey(tx, folder + (name.endsWith('/') ? name.slice(0, -1) : name))
      if (found) return [name, showSecretKey(tx, found)]
      return name.endsWith('/') ? [name, {}] : undefined
    }
    const shown = loadAllInGroups(tx, 'keys', namesIn(tx, request), show, SHOW_MICROSECONDS).filter(
      (entry) => entry !== undefined,
    )
    return { keys: shown.map(([name]) => name), key_info: Object.fromEntries(shown) }
  },
})
