/** The operations that a primary runs for a secondary, tested with all existing operations. */
import { beforeAll, describe, expect, it } from 'vitest'
import { OPERATION_KINDS } from '../../../src/core/contract/operation.ts'
import { drOperations } from '../../../src/sys/replication/dr/operations.ts'
import { replicationPathOperations } from '../../../src/sys/replication/operations.ts'
import { EVERY_OPERATION, type Known } from '../../fixtures/every-operation.ts'
import {
  type Cluster,
  contentOf,
  exchangeMessage,
  HIDDEN,
  hiddenMountOf,
  hidingPair,
  messageFor,
  mountOf,
  refusalIn,
  type Sent,
} from './world.ts'

let primary: Cluster
/** It has a filter that hides mounts, and its application may write. */
let secondary: Cluster

beforeAll(async () => {
  ;({ primary, secondary } = await hidingPair())
}, 60_000)

/** A caller with all permissions, which the secondary claims. */
const rootCaller = (): Sent => ({
  policies: ['root'],
  namespace: primary.internals.topology.namespaces.byPath('')?.uuid,
  mount: mountOf(primary, 'auth/token/').record.uuid,
  entity: '',
  display_name: 'claimed',
})

/** Mounts of each type that the secondary must not reach. */
const outOfReach = ({ mount }: Known): readonly { readonly path: string; readonly namespace?: string }[] => {
  const type = mount === 'secret/' ? 'kv' : mount === 'kv2/' ? 'kv-v2' : mount.slice(0, -1)
  if (mount === 'auth/orchestrator/') return [{ path: `auth/${hiddenMountOf('orchestrator')}` }]
  if (mount === 'sys/' || mount === 'auth/token/' || mount === 'identity/' || mount === 'cubbyhole/')
    return [{ path: mount, namespace: `${HIDDEN}-space/` }]
  const hidden = [{ path: hiddenMountOf(type) }]
  return mount === 'secret/' ? [...hidden, { path: 'here/' }, { path: 'kv/', namespace: `${HIDDEN}-space/` }] : hidden
}

const CALLERS = [
  ['root', rootCaller],
  ['the application', () => null],
] as const

const REFUSED = EVERY_OPERATION.filter(({ operation }) => !operation.forwardable)
const ALLOWED = EVERY_OPERATION.filter(({ operation }) => operation.forwardable)

/** Expects one audit entry per message, with the id of the secondary and without plain values. */
function expectAudited(from: number, messages: number): void {
  const requests = primary.entries.slice(from).filter(({ type }) => type === 'request')
  expect(requests).toHaveLength(messages)
  for (const { request } of requests) expect(request?.replication_cluster).toBe('berlin')
}

describe('an operation that is not declared forwardable', () => {
  it.each(CALLERS)('is refused in every engine and written to the audit log: caller %s', async (_, caller) => {
    const [before, from] = [await contentOf(primary), primary.entries.length]
    for (const known of REFUSED) {
      const answer = await exchangeMessage(secondary, messageFor(primary, known, { path: known.mount }, caller()))
      expect(refusalIn(answer), known.title).toMatchObject({ code: 'ERR_READ_ONLY' })
    }
    expect(await contentOf(primary)).toBe(before)
    expectAudited(from, REFUSED.length)
  })
})

describe('an operation that is declared forwardable', () => {
  it('is a write that needs a token, and does not affect the kernel, replication or tokens', () => {
    const replication = new Set<unknown>([...Object.values(replicationPathOperations), ...Object.values(drOperations)])
    for (const { title, mount, operation } of ALLOWED) {
      expect(OPERATION_KINDS[operation.kind].access, title).not.toBe('read')
      expect(operation.batch ? undefined : operation.control, title).toBeUndefined()
      const { rootOnly, unauthenticated, inAnyState: always, runsInNamespaceOf: follows } = operation
      expect({ rootOnly, unauthenticated, always, follows }, title).toEqual({})
      expect(replication.has(operation), title).toBe(false)
      if (mount === 'auth/token/') expect(operation.path, title).toBe('/roles/:role_name')
      expect(mount, title).not.toBe('cubbyhole/')
    }
  })

  it.each(CALLERS)(
    'is refused for hidden mounts, local mounts and other namespaces, without their names in the error: caller %s',
    async (_, caller) => {
      const [before, from] = [await contentOf(primary), primary.entries.length]
      let messages = 0
      for (const known of ALLOWED) {
        for (const place of outOfReach(known)) {
          messages++
          const answer = await exchangeMessage(secondary, messageFor(primary, known, place, caller()))
          expect(refusalIn(answer), known.title).toMatchObject({ code: 'ERR_UNSUPPORTED_PATH' })
          expect(JSON.stringify(answer)).not.toContain(HIDDEN)
        }
      }
      expect(await contentOf(primary)).toBe(before)
      expectAudited(from, messages)
    },
  )

  it.each(CALLERS)('is executed for a mount that the secondary has: caller %s', async (_, caller) => {
    const from = primary.entries.length
    // Generating the transit wrapping key takes seconds.
    const quick = ALLOWED.filter(({ method }) => method !== 'readWrappingKey')
    for (const known of quick) {
      const answer = await exchangeMessage(secondary, messageFor(primary, known, { path: known.mount }, caller()))
      const refusal = refusalIn(answer)
      if (refusal) expect(refusal.code, `${known.title}: ${refusal.message}`).not.toMatch(/INTERNAL|UNAVAILABLE|READ_ONLY/)
      expect(JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(HIDDEN)
    }
    expectAudited(from, quick.length)
  })
})
