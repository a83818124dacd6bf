/** POST sys/namespaces/:name, as in Vault. */

import { alreadyExists, conflict, invalid } from '../../core/base/errors.ts'
import { base62, uuid } from '../../core/base/identifiers.ts'
import { NAMESPACE, NAMESPACE_ID_CHARACTERS, type NamespaceRecord } from '../../core/contract/namespace.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { Builder } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { BUILT_IN_MOUNTS, mountRecord } from '../../core/kernel/first-records.ts'
import { guardedTables } from '../../core/mount/guarded-tables.ts'
import type { NamespaceTable } from '../../core/mount/namespace-table.ts'
import { putMount } from '../../core/mount/stored-mount.ts'
import { checkMetadata } from './custom-metadata.ts'
import { childPath, NAMESPACE_NAME, NAMESPACE_RESULT, showNamespace } from './namespace-view.ts'

/** The maximum length of a path in characters. Records of the namespace repeat the path. */
const MAX_PATH_CHARACTERS = 512

type Given = Readonly<Record<string, unknown>>

/**
 * @throws KernelError 400 if `name` is reserved or contains a slash, a space or a wildcard, if `custom_metadata` has more than 64 entries,
 *   if `custom_metadata` has a value that is not a string, if `custom_metadata` has a name or a value that is too long, if the namespace
 *   already exists with other metadata, or if a mount exists at or below the path of the namespace.
 * @example
 * await kernel.namespaces.createNamespace({ name: 'team-a' })
 * await kernel.namespace('team-a/').policies.writePolicy({ name: 'all', policy: `path "*" { capabilities = ["read"] }` })
 */
export const createNamespace = operation({
  kind: 'write',
  verb: 'POST',
  path: '/namespaces/+name',
  forwardable: true,
  summary: 'Creates a namespace below this one. A call by path for an existing namespace replaces its metadata.',
  fields: {
    name: NAMESPACE_NAME,
    custom_metadata: (
      f.object('Metadata of the namespace: an object with string values.') as Builder<Given, Readonly<Record<string, string>>>
    ).default({}),
  },
  returns: NAMESPACE_RESULT,
  run: (tx, { name, custom_metadata }) => {
    const path = childPath(tx, name)
    const metadata = checkMetadata(custom_metadata)
    const { namespaces, mounts, checkVisible } = guardedTables(tx)
    const known = namespaces.byPath(path)
    if (known) {
      if (!tx.call.byPath && !isSameMap(known.custom_metadata, metadata))
        throw alreadyExists('name: the namespace already exists with other custom_metadata; use patchNamespace to change it')
      return showNamespace(replaceMetadata(tx, known, metadata))
    }
    if (path.length > MAX_PATH_CHARACTERS)
      throw invalid(`name: the path of a namespace must have at most ${MAX_PATH_CHARACTERS} characters`)
    const conflict = mounts.of(tx.call.namespace).find(({ record }) => record.path.startsWith(`${name}/`))
    if (conflict) {
      checkVisible({ mount: conflict.record.uuid })
      throw alreadyExists(`name: new namespace conflicts with existing mount: ${conflict.record.path}`)
    }
    return showNamespace(storeNamespace(tx, path, metadata, namespaces))
  },
})

const isSameMap = (one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean => {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  )
}

/** Stores the namespace together with the mounts that every namespace has, in one commit. */
function storeNamespace(
  tx: Tx,
  path: string,
  custom_metadata: Readonly<Record<string, string>>,
  taken: NamespaceTable,
): NamespaceRecord {
  const { entropy } = tx.env
  let id: string
  do id = base62(entropy, NAMESPACE_ID_CHARACTERS)
  while (taken.byId(id))
  const made: NamespaceRecord = { uuid: uuid(entropy.bytes(16)), id, path, custom_metadata }
  tx.put(NAMESPACE, made.uuid, made)
  tx.event('namespace.created', { path })
  for (const initial of BUILT_IN_MOUNTS) putMount(tx, mountRecord(entropy, made, initial))
  return made
}

/** Replaces the metadata of a namespace. Writes nothing if the metadata is unchanged. */
export function replaceMetadata(
  tx: Tx,
  { uuid: id }: NamespaceRecord,
  custom_metadata: Readonly<Record<string, string>>,
): NamespaceRecord {
  const known = tx.get(NAMESPACE, id)
  if (!known) throw conflict('name: the namespace was removed by a concurrent request')
  const changed = { ...known, custom_metadata }
  if (JSON.stringify(changed) === JSON.stringify(known)) return changed
  tx.put(NAMESPACE, id, changed)
  tx.event('namespace.changed', { path: known.path })
  return changed
}
