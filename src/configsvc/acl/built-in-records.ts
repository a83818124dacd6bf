/**
 * The policies and tokens that every service has from its beginning.
 */
import { uuid } from '../../core/base/identifiers.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { Environment } from '../../core/contract/tx.ts'
import { COUNTER, COUNTER_ID } from '../index/counter.ts'
import { BUILT_IN_POLICIES, GLOBAL_MANAGEMENT } from '../rules/index.ts'
import { contentHash } from './hash.ts'
import {
  ACCESSOR,
  ANONYMOUS_ACCESSOR,
  byId,
  byName,
  DEFAULT_NAMESPACE,
  type Kept,
  POLICY,
  POLICY_NAME,
  TOKEN,
  type TokenRecord,
} from './records.ts'

/** The index of what is there from the beginning. */
const FIRST_INDEX = 1

/** The id of the anonymous token, which has no secret. */
export const ANONYMOUS_ID = 'anonymous'

interface FirstRecord {
  // biome-ignore lint/suspicious/noExplicitAny: a value of it stands beside its own kind.
  readonly kind: RecordKind<any>
  readonly id: string
  readonly value: unknown
}

interface Beginning {
  readonly env: Environment
  /** Milliseconds. */
  readonly now: number
  readonly tokenId: (secret: string) => string
  readonly bootstrapToken: string | undefined
}

const KEPT: Kept = { Namespace: DEFAULT_NAMESPACE, CreateIndex: FIRST_INDEX, ModifyIndex: FIRST_INDEX }

/** A token that grants nothing but what it links to. */
const plainToken = (AccessorID: string, Description: string, CreateTime: number, policies: readonly string[]): TokenRecord => ({
  ...KEPT,
  AccessorID,
  Description,
  Policies: policies.map((ID) => ({ ID })),
  Roles: [],
  TemplatedPolicies: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  Local: false,
  CreateTime,
  Hash: contentHash([AccessorID, Description, ...policies]),
})

export function builtInRecords({ env, now, tokenId, bootstrapToken }: Beginning): readonly FirstRecord[] {
  const policies = BUILT_IN_POLICIES.flatMap((policy): FirstRecord[] => {
    const { ID, Name, Description, Rules } = policy
    const value = { ...KEPT, ...policy, Datacenters: [], Hash: contentHash([Name, Description, Rules]) }
    return [
      { kind: POLICY, id: byId(DEFAULT_NAMESPACE, ID), value },
      { kind: POLICY_NAME, id: byName(DEFAULT_NAMESPACE, Name), value: ID },
    ]
  })
  const token = (id: string, value: TokenRecord): FirstRecord[] => [
    { kind: TOKEN, id, value },
    { kind: ACCESSOR, id: value.AccessorID, value: id },
  ]
  const management = plainToken(uuid(env.entropy.bytes(16)), 'Initial Management Token', now, [GLOBAL_MANAGEMENT.ID])
  return [
    ...policies,
    ...token(ANONYMOUS_ID, plainToken(ANONYMOUS_ACCESSOR, 'Anonymous Token', now, [])),
    ...(bootstrapToken === undefined ? [] : token(tokenId(bootstrapToken), management)),
    { kind: COUNTER, id: COUNTER_ID, value: { index: FIRST_INDEX, tables: { policies: FIRST_INDEX, tokens: FIRST_INDEX } } },
  ]
}
