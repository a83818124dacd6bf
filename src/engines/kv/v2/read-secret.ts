/**
 * GET data/:path and subkeys/:path (source: behaviour of the originals).
 */
import { finish } from '../../../core/base/steps.ts'
import { parseJsonDocument } from '../../../core/contract/document.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { isSmall } from '../../../core/json/json-size.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { count, PATH } from './fields.ts'
import { dataOf, findKey, versionInfoOf } from './key.ts'
import type { VersionInfo } from './records.ts'
import { type SecretVersion, showVersion, VERSION_METADATA, versionGone } from './show.ts'
import { subkeysOf } from './subkeys.ts'
import { isGone } from './versions.ts'

const VERSION = count('Which version; 0 is the newest.').default(0)

interface SecretRead {
  readonly metadata: SecretVersion
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * @param member The name of the data's member in the reply.
 * @throws KernelError 404 for a version that was deleted or destroyed; a version that does not exist returns undefined.
 */
function readVersion(tx: Tx, path: string, asked: number, member: string): SecretRead | undefined {
  const found = findKey(tx, path)
  if (!found) return undefined
  const version = asked || found.key.current
  const parts = gather([versionInfoOf, dataOf] as const, (part) => part(tx, found, version))
  const mark = parts[0] as VersionInfo | undefined
  if (!mark) return undefined
  const metadata = showVersion(found.key, version, mark)
  if (isGone(mark, tx.now)) throw versionGone(metadata, { [member]: null, metadata })
  const text = parts[1] as string | undefined
  // The data was cleared away between the reads; the consistency check of the reads will fail.
  if (text === undefined) return undefined
  return { metadata, data: parseJsonDocument(tx, text, 'secret') }
}

export const readSecret = operation({
  kind: 'read',
  verb: 'GET',
  path: '/data/+path',
  summary: 'Reads a version of a secret, the newest by default.',
  fields: { path: PATH, version: VERSION },
  returns: {
    data: f.json<SecretRead['data']>('The secret. Integers beyond 2^53 are bigints.'),
    metadata: VERSION_METADATA,
  },
  run: (tx, { path, version }) => readVersion(tx, path, version, 'data'),
})

export const readSubkeys = operation({
  kind: 'read',
  verb: 'GET',
  path: '/subkeys/+path',
  summary: 'Reads the names inside a secret, with null in the place of every value.',
  fields: { path: PATH, version: VERSION, depth: count('How many levels of names; 0 is all of them.').default(0) },
  returns: {
    metadata: VERSION_METADATA,
    subkeys: f.json<Readonly<Record<string, unknown>>>('The names: objects of objects and nulls.'),
  },
  run: (tx, { path, version, depth }) => {
    const found = readVersion(tx, path, version, 'subkeys')
    if (!found) return undefined
    const { metadata, data } = found
    const subkeys = isSmall(data) ? finish(subkeysOf(data, depth)) : tx.steps('subkeys', () => subkeysOf(data, depth), 'attempt')
    return { metadata, subkeys: subkeys as Readonly<Record<string, unknown>> }
  },
})
