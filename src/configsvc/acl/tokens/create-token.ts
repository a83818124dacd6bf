/** Creates and deletes the records of tokens. No other code does. */
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { aclContentHashIn, tokenTexts } from '../hash.ts'
import { ACL_ACCESSOR, ACL_TOKEN, type AclTokenRecord, type Grants, TOKEN_OF_METHOD } from '../records.ts'
import { newAclId } from '../uuid.ts'
import { tokenIdOf } from '../valid-token.ts'

/** The validated content of a new token. */
export interface NewAclToken extends Grants, Pick<AclTokenRecord, 'Namespace' | 'Description' | 'Roles' | 'Local'> {
  readonly Partition?: string | undefined
  readonly AuthMethod?: AclTokenRecord['AuthMethod'] | undefined
  /** In milliseconds since the Unix epoch; absent if the token does not expire. */
  readonly ExpirationTime?: number | undefined
  /** UUIDs that are not in use as an AccessorID or SecretID of another token. Default: random. */
  readonly AccessorID?: string | undefined
  readonly SecretID?: string | undefined
}

export interface CreatedToken {
  readonly record: AclTokenRecord
  /** Show the SecretID only in the response to the caller that requested the token. */
  readonly SecretID: string
}

const methodEntry = (uuid: string, id: string): string => `${uuid}/${id}`

/** Calls `nextIndex`, which may be called only once in a transaction. */
export function createAclToken(tx: ConfigTx, token: NewAclToken): CreatedToken {
  const { AccessorID = newAclId(tx), SecretID = newAclId(tx), AuthMethod, ExpirationTime, Partition } = token
  const index = nextIndex(tx, 'tokens')
  const record: AclTokenRecord = {
    AccessorID,
    Description: token.Description,
    Policies: token.Policies,
    Roles: token.Roles,
    TemplatedPolicies: token.TemplatedPolicies,
    ServiceIdentities: token.ServiceIdentities,
    NodeIdentities: token.NodeIdentities,
    Local: token.Local,
    ...(AuthMethod && { AuthMethod }),
    CreateTime: tx.now,
    ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
    Hash: aclContentHashIn(tx, tokenTexts(token)),
    Namespace: token.Namespace,
    ...(Partition === undefined ? {} : { Partition }),
    CreateIndex: index,
    ModifyIndex: index,
  }
  const id = tokenIdOf(tx, SecretID)
  tx.put(ACL_TOKEN, id, record)
  tx.put(ACL_ACCESSOR, AccessorID, id)
  if (AuthMethod) tx.put(TOKEN_OF_METHOD, methodEntry(AuthMethod.uuid, id), true)
  tx.due('revocation', id, { to: ExpirationTime })
  return { record, SecretID }
}

/** Deletes all records of a token. The caller must call `nextIndex`. @param id The id of the token's record. */
export function deleteAclToken(tx: ConfigTx, id: string, { AccessorID, AuthMethod, ExpirationTime }: AclTokenRecord): void {
  tx.delete(ACL_TOKEN, id)
  tx.delete(ACL_ACCESSOR, AccessorID)
  if (AuthMethod) tx.delete(TOKEN_OF_METHOD, methodEntry(AuthMethod.uuid, id))
  tx.due('revocation', id, { from: ExpirationTime })
}
