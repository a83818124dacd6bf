import { invalid } from '../../../core/base/errors.ts'
import type { Parsed } from '../../../core/field/field.ts'
import type { ConfigTx } from '../../call.ts'
import { readGrants } from '../grants/grants.ts'
import { checkLinks, ROLE_LINKS, resolveLinks } from '../grants/links.ts'
import type { AclTokenRecord, Grants } from '../records.ts'
import { tokenIdOf } from '../valid-token.ts'
import { HIDDEN_SECRET, type TOKEN_BODY } from './fields.ts'
import type { FoundToken } from './find-token.ts'
import { readExpiration } from './lifetime.ts'

/** The request body of a token. */
export type TokenInput = Parsed<typeof TOKEN_BODY>

const NANOSECONDS_PER_MS = 1_000_000n

/** The grants of a token in their stored form. @throws KernelError 400 */
export function readTokenGrants(
  tx: ConfigTx,
  namespace: string,
  given: TokenInput,
  local: boolean,
): Grants & Pick<AclTokenRecord, 'Roles'> {
  if (given.Rules !== '') throw invalid('Rules: must be empty; link the token to policies instead')
  const Roles = resolveLinks(tx, ROLE_LINKS, namespace, given.Roles)
  const grants = readGrants(tx, namespace, given)
  checkLinks(tx, ROLE_LINKS, namespace, Roles)
  if (local && grants.ServiceIdentities.some(({ Datacenters = [] }) => Datacenters.length > 0))
    throw invalid('ServiceIdentities: a service identity of a local token cannot have datacenters')
  return { ...grants, Roles }
}

/** Validates that immutable members have their stored values. An update may repeat them. @throws KernelError 400 */
export function validateUnchanged(tx: ConfigTx, { id, record }: FoundToken, given: TokenInput): void {
  const { SecretID, Local, AuthMethod } = given
  if (SecretID !== '' && SecretID !== HIDDEN_SECRET && tokenIdOf(tx, SecretID) !== id)
    throw invalid('Invalid Token: the SecretID of a token cannot be changed')
  if (Local !== undefined && Local !== record.Local) throw invalid('Invalid Token: Local of a token cannot be changed')
  if (AuthMethod !== '' && AuthMethod !== record.AuthMethod?.Name)
    throw invalid('Invalid Token: the AuthMethod of a token cannot be changed')
  const { ttl, time } = readExpiration(given)
  const ends = ttl === undefined ? time : record.CreateTime + Number(ttl / NANOSECONDS_PER_MS)
  if (ends !== undefined && ends !== record.ExpirationTime)
    throw invalid('Invalid Token: the expiration of a token cannot be changed: ExpirationTTL, ExpirationTime')
}
