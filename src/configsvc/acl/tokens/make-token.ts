/**
 * The one place where tokens come into being, and the one where they end.
 */
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { contentHashIn, tokenTexts } from '../hash.ts'
import { ACCESSOR, type Grants, TOKEN, TOKEN_OF_METHOD, type TokenRecord } from '../records.ts'
import { newId } from '../uuid.ts'
import { tokenIdOf } from '../valid-token.ts'

/** What a token is to be. All of it is judged already. */
export interface TokenWish extends Grants, Pick<TokenRecord, 'Namespace' | 'Description' | 'Roles' | 'Local'> {
  readonly Partition?: string | undefined
  readonly AuthMethod?: TokenRecord['AuthMethod'] | undefined
  /** Milliseconds; absent: it does not end. */
  readonly ExpirationTime?: number | undefined
  /** A UUID that is in use neither as AccessorID nor as SecretID. Default: a random one, as for the SecretID. */
  readonly AccessorID?: string | undefined
  readonly SecretID?: string | undefined
}

export interface MadeToken {
  readonly record: TokenRecord
  /** For the answer to whoever asked for the token, and for nothing else. */
  readonly SecretID: string
}

const methodEntry = (uuid: string, id: string): string => `${uuid}/${id}`

/** Makes a token. It takes the index of the commit: call `nextIndex` nowhere else in the run. */
export function makeToken(tx: ConfigTx, wish: TokenWish): MadeToken {
  const { AccessorID = newId(tx), SecretID = newId(tx), AuthMethod, ExpirationTime, Partition } = wish
  const index = nextIndex(tx, 'tokens')
  const record: TokenRecord = {
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
    Hash: contentHashIn(tx, tokenTexts(wish)),
    Namespace: wish.Namespace,
    ...(Partition === undefined ? {} : { Partition }),
    CreateIndex: index,
    ModifyIndex: index,
  }
  const id = tokenIdOf(tx, SecretID)
  tx.put(TOKEN, id, record)
  tx.put(ACCESSOR, AccessorID, id)
  if (AuthMethod) tx.put(TOKEN_OF_METHOD, methodEntry(AuthMethod.uuid, id), true)
  tx.due('revocation', id, { to: ExpirationTime })
  return { record, SecretID }
}

/** Takes away all records of a token. Its index is the caller's to count. @param id What the token is stored under. */
export function endToken(tx: ConfigTx, id: string, { AccessorID, AuthMethod, ExpirationTime }: TokenRecord): void {
  tx.delete(TOKEN, id)
  tx.delete(ACCESSOR, AccessorID)
  if (AuthMethod) tx.delete(TOKEN_OF_METHOD, methodEntry(AuthMethod.uuid, id))
  tx.due('revocation', id, { from: ExpirationTime })
}
