/**
 * The one place where tokens come into being, and the one where they end.
 */
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { aclContentHashIn, tokenTexts } from '../hash.ts'
import { ACL_ACCESSOR, ACL_TOKEN, type AclTokenRecord, type Grants, TOKEN_OF_METHOD } from '../records.ts'
import { newAclId } from '../uuid.ts'
import { tokenIdOf } from '../valid-token.ts'

/** What a token is to be. All of it is judged already. */
export interface NewAclToken extends Grants, Pick<AclTokenRecord, 'Namespace' | 'Description' | 'Roles' | 'Local'> {
  readonly Partition?: string | undefined
  readonly AuthMethod?: AclTokenRecord['AuthMethod'] | undefined
  /** Milliseconds; absent: it does not end. */
  readonly ExpirationTime?: number | undefined
  /** A UUID that is in use neither as AccessorID nor as SecretID. Default: a random one, as for the SecretID. */
  readonly AccessorID?: string | undefined
  readonly SecretID?: string | undefined
}

export interface CreatedToken {
  readonly record: AclTokenRecord
  /** For the answer to whoever asked for the token, and for nothing else. */
  readonly SecretID: string
}

const methodEntry = (uuid: string, id: string): string => `${uuid}/${id}`

/** Makes a token. It takes the index of the commit: call `nextIndex` nowhere else in the run. */
export function createAclToken(tx: ConfigTx, wish: NewAclToken): CreatedToken {
  const { AccessorID = newAclId(tx), SecretID = newAclId(tx), AuthMethod, ExpirationTime, Partition } = wish
  const index = nextIndex(tx, 'tokens')
  const record: AclTokenRecord = {
    AccessorID,
    Description: wish.Description,
    Policies: wish.Policies,
    Roles: wish.Roles,
    TemplatedPolicies: wish.TemplatedPolicies,
    ServiceIdentities: wish.ServiceIdentities,
    NodeIdentities: wish.NodeIdentities,
    Local: wish.Local,
    ...(AuthMethod && { AuthMethod }),
    CreateTime: tx.now,
    ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
    Hash: aclContentHashIn(tx, tokenTexts(wish)),
    Namespace: wish.Namespace,
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

/** Takes away all records of a token. Its index is the caller's to count. @param id What the token is stored under. */
export function deleteToken(tx: ConfigTx, id: string, { AccessorID, AuthMethod, ExpirationTime }: AclTokenRecord): void {
  tx.delete(ACL_TOKEN, id)
  tx.delete(ACL_ACCESSOR, AccessorID)
  if (AuthMethod) tx.delete(TOKEN_OF_METHOD, methodEntry(AuthMethod.uuid, id))
  tx.due('revocation', id, { from: ExpirationTime })
}
