/** The second half of a login: creates the token. */
import { refuseLogin } from '../../../core/contract/login-refusal.ts'
import type { ConfigTx } from '../../call.ts'
import { ConcurrentChangeError } from '../../view/config-runner.ts'
import { findMethod } from '../auth-methods/find-method.ts'
import { collectGrants, grantsNothing } from '../binding-rules/collect.ts'
import type { AuthMethodRecord } from '../records.ts'
import { type CreatedToken, createAclToken } from '../tokens/create-token.ts'
import type { VerifiedLogin } from './verify-login.ts'

const NANOSECONDS_PER_MS = 1_000_000n

/**
 * @throws KernelError 403 if no granted role, policy or identity exists
 * @throws ConcurrentChangeError if the method or its rules have changed since the caller was verified
 */
export function createLoginToken(
  tx: ConfigTx,
  { method, bindings }: VerifiedLogin,
  meta: ReadonlyMap<string, string>,
): CreatedToken {
  const { Namespace, Name, uuid, Partition, TokenLocality } = method
  if (!isUnchanged(method, findMethod(tx, Namespace, Name))) throw new ConcurrentChangeError()
  const collected = collectGrants(tx, Namespace, bindings)
  if (grantsNothing(collected)) throw refuseLogin('nothing-bound')
  return createAclToken(tx, {
    ...collected,
    Namespace,
    Partition,
    Description: describeToken(meta),
    Local: TokenLocality !== 'global',
    AuthMethod: { Name, uuid },
    ExpirationTime: expirationOf(method, tx.now),
  })
}

const isUnchanged = (verified: AuthMethodRecord, present: AuthMethodRecord | undefined): boolean =>
  present?.uuid === verified.uuid && present.ModifyIndex === verified.ModifyIndex && present.RulesIndex === verified.RulesIndex

const expirationOf = ({ MaxTokenTTL }: AuthMethodRecord, now: number): number | undefined =>
  MaxTokenTTL === '0' ? undefined : now + Number(BigInt(MaxTokenTTL) / NANOSECONDS_PER_MS)

function describeToken(meta: ReadonlyMap<string, string>): string {
  const members = [...meta.keys()].sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(meta.get(name))}`)
  return `token created via login${members.length === 0 ? '' : `: {${members.join(',')}}`}`
}
