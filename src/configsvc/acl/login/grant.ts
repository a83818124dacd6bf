/**
 * The second half of a login: the token.
 */
import { refuseLogin } from '../../../core/contract/login-refusal.ts'
import type { ConfigTx } from '../../call.ts'
import { Outdated } from '../../view/ask.ts'
import { findMethod } from '../auth-methods/find-method.ts'
import { collect, isEmpty } from '../binding-rules/collect.ts'
import type { MethodRecord } from '../records.ts'
import { type MadeToken, makeToken } from '../tokens/make-token.ts'
import type { Verified } from './verify.ts'

const NANOSECONDS_PER_MS = 1_000_000n

/**
 * @throws KernelError 403 where nothing that exists is given
 * @throws Outdated where the method or its rules are not what the caller was judged by
 */
export function grant(tx: ConfigTx, { method, bindings }: Verified, meta: ReadonlyMap<string, string>): MadeToken {
  const { Namespace, Name, uuid, Partition, TokenLocality } = method
  if (!isSame(method, findMethod(tx, Namespace, Name))) throw new Outdated()
  const collected = collect(tx, Namespace, bindings)
  if (isEmpty(collected)) throw refuseLogin('nothing-bound')
  return makeToken(tx, {
    ...collected,
    Namespace,
    Partition,
    Description: describe(meta),
    Local: TokenLocality !== 'global',
    AuthMethod: { Name, uuid },
    ExpirationTime: endOf(method, tx.now),
  })
}

const isSame = (judged: MethodRecord, present: MethodRecord | undefined): boolean =>
  present?.uuid === judged.uuid && present.ModifyIndex === judged.ModifyIndex && present.RulesIndex === judged.RulesIndex

const endOf = ({ MaxTokenTTL }: MethodRecord, now: number): number | undefined =>
  MaxTokenTTL === '0' ? undefined : now + Number(BigInt(MaxTokenTTL) / NANOSECONDS_PER_MS)

function describe(meta: ReadonlyMap<string, string>): string {
  const members = [...meta.keys()].sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(meta.get(name))}`)
  return `token created via login${members.length === 0 ? '' : `: {${members.join(',')}}`}`
}
