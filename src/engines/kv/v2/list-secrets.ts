/**
 * LIST metadata/:path and detailed-metadata/:path (source: behaviour of the originals).
 */

import { folderPrefix } from '../../../core/base/folder.ts'
import { pageOptions } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { compareKeys } from '../../../core/storage/order.ts'
import { gather, gatherMany } from '../../../core/transaction/gather.ts'
import { SECRET } from '../v1/secret.ts'
import type { ReadMetadataResult } from './api.ts'
import { findKey } from './key.ts'
import { KEY } from './key-record.ts'
import { showKey } from './show.ts'

/** Estimated cost of showing a key with its versions. */
const SHOW_MICROSECONDS = 40

const FIELDS = {
  path: f.text('The folder; empty for all of the mount.').default(''),
  after: f.text('Names behind this one only; it need not exist.').default(''),
  limit: f.int('The most names; 0 or less is no limit.').default(0),
}
const KEYS = f.json<readonly string[]>('Names in byte order; folders end with a slash.', { type: 'array' })

interface ListRequest {
  readonly path: string
  readonly after: string
  readonly limit: number
}

/** In an upgraded mount some keys may still be in the old form. */
function namesIn(tx: Tx, { path, after, limit }: ListRequest): readonly string[] {
  const options = { prefix: folderPrefix(path), delimiter: '/', ...pageOptions({ after, limit }) }
  if (tx.call.mount.upgraded === undefined) return tx.list(KEY, options)
  const [keys = [], old = []] = gather([KEY, SECRET], (kind) => tx.list<unknown>(kind as typeof KEY, options))
  if (old.length === 0) return keys
  const names = [...new Set([...keys, ...old])].sort(compareKeys)
  return limit > 0 ? names.slice(0, limit) : names
}

export const listSecrets = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/metadata/*path',
  summary: 'Lists the names at a path, also of secrets whose versions are all deleted.',
  fields: FIELDS,
  returns: { keys: KEYS },
  run: (tx, asked) => ({ keys: namesIn(tx, asked) }),
})

export const listDetails = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/detailed-metadata/*path',
  summary: 'Lists the names at a path with what is known of each.',
  fields: FIELDS,
  returns: {
    keys: KEYS,
    key_info: f.json<Readonly<Record<string, ReadMetadataResult | Record<never, never>>>>(
      'By name what a read of its metadata shows. A folder shows the secret of the same name, else an empty object.',
    ),
  },
  run: (tx, asked) => {
    const folder = folderPrefix(asked.path)
    const show = (name: string): readonly [string, ReadMetadataResult | Record<never, never>] | undefined => {
      const found = findKey(tx, folder + (name.endsWith('/') ? name.slice(0, -1) : name))
      if (found) return [name, showKey(tx, found)]
      return name.endsWith('/') ? [name, {}] : undefined
    }
    const shown = gatherMany(tx, 'keys', namesIn(tx, asked), show, SHOW_MICROSECONDS).filter((entry) => entry !== undefined)
    return { keys: shown.map(([name]) => name), key_info: Object.fromEntries(shown) }
  },
})
