import { runToEnd } from '../../../core/base/steps.ts'
import { parseJsonDocument } from '../../../core/contract/document.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { isSmall } from '../../../core/json/json-size.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { count, KV_SECRET_PATH } from './fields.ts'
import { dataOf, findKey, versionInfoOf } from './key.ts'
import type { SecretVersionInfo } from './records.ts'
import { type SecretVersion, showVersion, VERSION_METADATA, versionGone } from './show.ts'
import { subkeysOf } from './subkeys.ts'
import { isGone } from './versions.ts'

const VERSION = count('The version; 0 means the latest.').default(0)

interface SecretRead {
  readonly metadata: SecretVersion
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Returns undefined for a version that does not exist.
 * @param member The member of the answer that contains the data. In the error for a deleted or destroyed version, it is null.
 * @throws KernelError 404 for a version that was deleted or destroyed
 */
function readVersion(tx: Tx, path: string, requested: number, member: string): SecretRead | undefined {
  const found = findKey(tx, path)
  if (!found) return undefined
  const version = requested || found.key.current
  const parts = loadAll([versionInfoOf, dataOf] as const, (part) => part(tx, found, version))
  const info = parts[0] as SecretVersionInfo | undefined
  if (!info) return undefined
  const metadata = showVersion(found.key, version, info)
  if (isGone(info, tx.now)) throw versionGone(metadata, { [member]: null, metadata })
  const text = parts[1] as string | undefined
  // If the data is missing, another process deleted it between the two reads. The reads are then inconsistent, so the transaction is rerun.
  if (text === undefined) return undefined
  return { metadata, data: parseJsonDocument(tx, text, 'secret') }
}

/**
 * @throws KernelError 400 if the path is invalid.
 * @throws KernelError 404 if the secret or the version does not exist, or if the version was deleted or destroyed. For a deleted or
 *   destroyed version, `details` has `version`, `destroyed` and `deletion_time`.
 * @example
 * const { data, metadata } = await kernel.kv2.at('app/').readSecret({ path: 'db' })
 */
export const readSecret = operation({
  kind: 'read',
  verb: 'GET',
  path: '/data/+path',
  summary: 'Reads a version of a secret, by default the latest.',
  fields: { path: KV_SECRET_PATH, version: VERSION },
  returns: {
    data: f.json<SecretRead['data']>('The secret. Integers beyond 2^53 are bigints.'),
    metadata: VERSION_METADATA,
  },
  run: (tx, { path, version }) => readVersion(tx, path, version, 'data'),
})

/**
 * @throws KernelError 400 if the path is invalid.
 * @throws KernelError 404 if the secret or the version does not exist, or if the version was deleted or destroyed.
 */
export const readSubkeys = operation({
  kind: 'read',
  verb: 'GET',
  path: '/subkeys/+path',
  summary: 'Reads the member names of a secret, with null in place of all values.',
  fields: {
    path: KV_SECRET_PATH,
    version: VERSION,
    depth: count('The number of nesting levels to return; 0 means all.').default(0),
  },
  returns: {
    metadata: VERSION_METADATA,
    subkeys: f.json<Readonly<Record<string, unknown>>>('The member names, as nested objects in which every other value is null.'),
  },
  run: (tx, { path, version, depth }) => {
    const found = readVersion(tx, path, version, 'subkeys')
    if (!found) return undefined
    const { metadata, data } = found
    const subkeys = isSmall(data)
      ? runToEnd(subkeysOf(data, depth))
      : tx.steps('subkeys', () => subkeysOf(data, depth), 'attempt')
    return { metadata, subkeys: subkeys as Readonly<Record<string, unknown>> }
  },
})
