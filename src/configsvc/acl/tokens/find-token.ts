import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import type { ConfigTx } from '../../call.ts'
import { RESERVED_ID_PREFIX } from '../../rules/index.ts'
import { ACL_ACCESSOR, ACL_TOKEN, type AclTokenRecord } from '../records.ts'
import { isUuid } from '../uuid.ts'
import { isValid, tokenIdOf } from '../valid-token.ts'

export interface FoundToken {
  /** The id of the token's record. */
  readonly id: string
  readonly record: AclTokenRecord
}

/** Returns undefined for an expired token, even if its record still exists. */
export function findByAccessor(tx: ConfigTx, namespace: string, accessor: string): FoundToken | undefined {
  const id = isUuid(accessor) ? tx.get(ACL_ACCESSOR, accessor) : undefined
  const record = id === undefined ? undefined : tx.get(ACL_TOKEN, id)
  if (id === undefined || record?.Namespace !== namespace || !isValid(tx, record)) return undefined
  return { id, record }
}

/**
 * Returns the ID that the request chooses for a new token, or undefined if it chooses none. The IDs of an expired token can be chosen again
 * once its record is deleted.
 * @throws KernelError 400 if the ID is not a UUID, is reserved, or is in use as an AccessorID or SecretID.
 */
export function chosenId(tx: ConfigTx, name: string, id: string): string | undefined {
  if (id === '') return undefined
  if (!isUuid(id)) throw invalid(`Invalid Token: ${name} must be a UUID in lower case`)
  if (id.startsWith(RESERVED_ID_PREFIX)) throw invalid(`Invalid Token: ${name}: UUIDs that begin with zeros are reserved`)
  if (tx.get(ACL_ACCESSOR, id) !== undefined || tx.get(ACL_TOKEN, tokenIdOf(tx, id)) !== undefined)
    throw alreadyExists(`Invalid Token: ${name} is already in use`)
  return id
}
