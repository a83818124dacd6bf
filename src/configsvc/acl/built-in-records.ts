/**
 * The policies and tokens that every service has from its beginning.
 */
import type { RecordKind } from '../../core/contract/record-kind.ts'
import { COUNTER, COUNTER_ID } from '../index/counter.ts'
import { BUILT_IN_POLICIES } from '../rules/index.ts'
import { contentHash, tokenTexts } from './hash.ts'
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

const KEPT: Kept = { Namespace: DEFAULT_NAMESPACE, CreateIndex: FIRST_INDEX, ModifyIndex: FIRST_INDEX }

const anonymousToken = (CreateTime: number): TokenRecord => {
  const content = {
    Description: 'Anonymous Token',
    Policies: [],
    Roles: [],
    TemplatedPolicies: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Local: false,
  }
  return { ...KEPT, AccessorID: ANONYMOUS_ACCESSOR, ...content, CreateTime, Hash: contentHash(tokenTexts(content)) }
}

/** @param now Milliseconds. */
export function builtInRecords(now: number): readonly FirstRecord[] {
  const policies = BUILT_IN_POLICIES.flatMap((policy): FirstRecord[] => {
    const { ID, Name, Description, Rules } = policy
    const value = { ...KEPT, ...policy, Datacenters: [], Hash: contentHash([Name, Description, Rules]) }
    return [
      { kind: POLICY, id: byId(DEFAULT_NAMESPACE, ID), value },
      { kind: POLICY_NAME, id: byName(DEFAULT_NAMESPACE, Name), value: ID },
    ]
  })
  return [
    ...policies,
    { kind: TOKEN, id: ANONYMOUS_ID, value: anonymousToken(now) },
    { kind: ACCESSOR, id: ANONYMOUS_ACCESSOR, value: ANONYMOUS_ID },
    { kind: COUNTER, id: COUNTER_ID, value: { index: FIRST_INDEX, tables: { policies: FIRST_INDEX, tokens: FIRST_INDEX } } },
  ]
}
