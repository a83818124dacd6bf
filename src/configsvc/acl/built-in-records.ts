/** The policies and the token that exist in every service from the start. */
import type { RecordKind } from '../../core/contract/record-kind.ts'
import { COUNTER, COUNTER_ID } from '../index/counter.ts'
import { BUILT_IN_POLICIES } from '../rules/index.ts'
import { aclContentHash, tokenTexts } from './hash.ts'
import {
  ACL_ACCESSOR,
  ACL_POLICY,
  ACL_POLICY_NAME,
  ACL_TOKEN,
  type AclRecordMeta,
  type AclTokenRecord,
  ANONYMOUS_ACCESSOR,
  byId,
  byName,
  DEFAULT_NAMESPACE,
} from './records.ts'

/** The CreateIndex and ModifyIndex of the built-in records. */
const FIRST_INDEX = 1

/** The id of the anonymous token, which has no secret. */
export const ANONYMOUS_ID = 'anonymous'

interface FirstRecord {
  // biome-ignore lint/suspicious/noExplicitAny: the list holds values of several types, each with its own record kind.
  readonly kind: RecordKind<any>
  readonly id: string
  readonly value: unknown
}

const RECORD_META: AclRecordMeta = { Namespace: DEFAULT_NAMESPACE, CreateIndex: FIRST_INDEX, ModifyIndex: FIRST_INDEX }

const anonymousToken = (CreateTime: number): AclTokenRecord => {
  const content = {
    Description: 'Anonymous Token',
    Policies: [],
    Roles: [],
    TemplatedPolicies: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Local: false,
  }
  return { ...RECORD_META, AccessorID: ANONYMOUS_ACCESSOR, ...content, CreateTime, Hash: aclContentHash(tokenTexts(content)) }
}

/** @param now Milliseconds. */
export function builtInRecords(now: number): readonly FirstRecord[] {
  const policies = BUILT_IN_POLICIES.flatMap((policy): FirstRecord[] => {
    const { ID, Name, Description, Rules } = policy
    const value = { ...RECORD_META, ...policy, Datacenters: [], Hash: aclContentHash([Name, Description, Rules]) }
    return [
      { kind: ACL_POLICY, id: byId(DEFAULT_NAMESPACE, ID), value },
      { kind: ACL_POLICY_NAME, id: byName(DEFAULT_NAMESPACE, Name), value: ID },
    ]
  })
  return [
    ...policies,
    { kind: ACL_TOKEN, id: ANONYMOUS_ID, value: anonymousToken(now) },
    { kind: ACL_ACCESSOR, id: ANONYMOUS_ACCESSOR, value: ANONYMOUS_ID },
    { kind: COUNTER, id: COUNTER_ID, value: { index: FIRST_INDEX, tables: { policies: FIRST_INDEX, tokens: FIRST_INDEX } } },
  ]
}
