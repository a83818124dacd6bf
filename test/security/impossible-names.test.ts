/**
 * Names that cannot be record keys, in every text of every operation, in typed calls and calls by path, in the root and in nested
 * namespaces.
 * The answer must be a refusal or that of a missing record, never a failure, and the storage must not be called with such a key.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyField } from '../../src/core/field/field.ts'
import { isKey } from '../../src/core/storage/ops.ts'
import { createDevKernel, type Kernel, memoryStorage, type Storage } from '../../src/index.ts'
import {
  type Came,
  completed,
  EVERY_OPERATION,
  type Known,
  methodOf,
  mountAll,
  pathOutcome,
  requestOf,
  typedOutcome,
} from '../fixtures/every-operation.ts'
import { runs } from '../fixtures/runs.ts'
import { TIER } from '../tiers.ts'

/** A storage that records every key that the port does not allow. */
function strictStorage(): { readonly storage: Storage; readonly refused: string[] } {
  const storage = memoryStorage()
  const refused: string[] = []
  const validate = (text: string, emptyIsGood = false): void => {
    if (!isKey(text) && !(emptyIsGood && text === '')) refused.push(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  }
  return {
    refused,
    storage: {
      ...storage,
      getSync: (key) => {
        validate(key)
        return storage.getSync?.(key)
      },
      get: (key) => {
        validate(key)
        return storage.get(key)
      },
      getMany: (keys) => {
        for (const key of keys) validate(key)
        return storage.getMany(keys)
      },
      scan: (prefix, page) => {
        validate(prefix, true)
        validate(page?.after ?? '', true)
        return storage.scan(prefix, page)
      },
      list: (prefix, page) => {
        validate(prefix, true)
        validate(prefix + (page?.after ?? ''), true)
        return storage.list(prefix, page)
      },
      commit: (ops, id) => {
        for (const op of ops) validate('key' in op ? op.key : op.log)
        return storage.commit(ops, id)
      },
    },
  }
}

/** Steps between the tried lengths around the limit of keys. */
const STEP = runs({ quick: 67, soak: 1 })
const ANSWER_STEP = runs({ quick: 7, soak: 1 })

/** Texts without a UTF-8 form, with a NUL character, and texts that become too long for a key in every folder. */
const HOSTILE: readonly string[] = [
  '\ud800',
  'a\udc00b',
  'a\udc00\ud800/b',
  'a\0b',
  '\u{1f511}'.repeat(470),
  '€'.repeat(610),
  `${'ab/'.repeat(625)}c`,
  ...Array.from({ length: Math.floor(400 / STEP) + 1 }, (_, index) => 'x'.repeat(1700 + index * STEP)),
  'x'.repeat(100_000),
]

/** The ways to place a text in a field. */
function waysInto({ schema }: AnyField): readonly ((text: string) => unknown)[] {
  if (schema['enum'] !== undefined || schema['format'] === 'byte') return []
  if (schema['type'] === 'string') return [(text) => text]
  if (schema['type'] === 'array') return [(text) => [text]]
  return schema['type'] === 'object' ? [(text) => ({ [text]: 'a' }), (text) => ({ a: text })] : []
}

/** Operations that would end the kernel for the other tests. */
const ENDS_ALL = /^system (seal|stepDown)$/
/** Operations that consume the token of their caller. */
const SPENDS = /revoke|unwrap/i
const NAMESPACES = ['', 'ns1/deep/']
/** The namespaces alternate, except in the soak tier. */
const namespacesOf = (turn: number): readonly string[] =>
  TIER === 'soak' ? NAMESPACES : NAMESPACES.filter((_, at) => at === turn % 2)

const { storage, refused } = strictStorage()
let kernel: Kernel
let root = ''
beforeAll(async () => {
  kernel = await createDevKernel({ storage })
  root = kernel.rootToken as string
  await mountAll(kernel, true)
  await kernel.namespaces.createNamespace({ name: 'ns1' })
  await kernel.namespace('ns1/').namespaces.createNamespace({ name: 'deep' })
  await mountAll(kernel.namespace('ns1/deep/'), false)
})
afterAll(() => kernel.close())

async function ask(known: Known, members: Readonly<Record<string, unknown>>, namespace: string): Promise<readonly Came[]> {
  const token = SPENDS.test(known.title) ? (await kernel.tokens.createToken({ policies: ['root'] })).client_token : root
  const method = methodOf((namespace === '' ? kernel : kernel.namespace(namespace)).as(token), known)
  const headers = { 'X-Service-Token': token, ...(namespace === '' ? {} : { 'X-Service-Namespace': namespace }) }
  const byPath = pathOutcome(await kernel.handle(requestOf(known, members, headers)))
  return method ? [byPath, await typedOutcome(() => method(completed(known, members, 'typed')))] : [byPath]
}

describe('a name that cannot be a record key', () => {
  const operations = EVERY_OPERATION.filter(({ title }) => !ENDS_ALL.test(title))

  it.each(operations.map((known) => [known.title, known] as const))(
    'is refused or not found by %s, without a call of the storage',
    async (_, known) => {
      const wrong: string[] = []
      let way = 0
      for (const [name, field] of Object.entries(known.fields)) {
        for (const inside of waysInto(field)) {
          way++
          for (const [at, text] of HOSTILE.entries()) {
            for (const namespace of namespacesOf(way + at)) {
              refused.length = 0
              for (const { status, said } of await ask(known, { [name]: inside(text) }, namespace)) {
                if (status >= 500) wrong.push(`${name} of ${text.length} in "${namespace}": ${status} ${said}`)
              }
              if (refused.length > 0) wrong.push(`${name} of ${text.length} in "${namespace}": storage asked for ${refused[0]}`)
            }
          }
        }
      }
      expect(wrong).toEqual([])
    },
  )
})

describe('a name that is too long for a record key', () => {
  const answer = async (method: string, path: string, namespace: string, body?: object) => {
    const headers = { 'X-Service-Token': root, 'X-Service-Namespace': namespace }
    const { status, body: said } = await kernel.handle({ method, path: `/v1/${path}`, headers, body })
    return [status, (said as { errors?: readonly string[] } | undefined)?.errors?.join() ?? '']
  }
  const LENGTHS = Array.from({ length: 401 }, (_, index) => 1700 + index)
  const TRIED = LENGTHS.filter((_, index) => index % ANSWER_STEP === 0)

  it.each(NAMESPACES)(
    'can be the prefix of a lease revocation, which returns no error, in the namespace "%s"',
    async (namespace) => {
      for (const length of TRIED) {
        const name = 'x'.repeat(length)
        for (const act of ['revoke-prefix', 'revoke-force'])
          expect(await answer('PUT', `sys/leases/${act}/${name}`, namespace), `${length}`).toEqual([204, ''])
      }
      const typed = namespace === '' ? kernel : kernel.namespace(namespace)
      for (const length of [1850, 1851, 1900, 1901, 5000]) await typed.leases.revokePrefix({ prefix: 'x'.repeat(length) })
    },
  )

  it.each(NAMESPACES)(
    'is stored by a write that requests wrapping if and only if the write succeeds, in the namespace "%s"',
    async (namespace) => {
      const view = (namespace === '' ? kernel : kernel.namespace(namespace)).kv2.at('kv2/')
      const seen = new Set<number>()
      for (const length of TRIED) {
        const path = 'w'.repeat(length)
        const headers = { 'X-Service-Token': root, 'X-Service-Namespace': namespace, 'X-Service-Wrap-TTL': '60' }
        const request = { method: 'POST', path: `/v1/kv2/data/${path}`, headers, body: { data: { a: 1 } } }
        const { status } = await kernel.handle(request)
        seen.add(status)
        const stored = await view.readSecret({ path }).then(
          () => true,
          () => false,
        )
        expect([length, status, stored]).toEqual([length, status, status === 200])
      }
      expect([...seen]).toEqual([200, 400])
    },
  )

  it.each(NAMESPACES)(
    'is refused by a write in the namespace "%s", while the longest allowed name is accepted',
    async (namespace) => {
      const typed = namespace === '' ? kernel : kernel.namespace(namespace)
      // The key also contains the record class, the UUID of the mount and the folder.
      const most = 1900 - `r/${'u'.repeat(36)}/secret/`.length
      for (const length of LENGTHS.filter((some) => Math.abs(some - most) < 3 || some % 50 === 0)) {
        const name = 'x'.repeat(length)
        const expected = length > most ? [400, expect.stringMatching(/name is too long.* 1900 bytes/)] : [204, '']
        expect(await answer('POST', `secret/${name}`, namespace, { a: 1 })).toEqual(expected)
        expect(await answer('GET', `secret/${name}`, namespace)).toEqual([length > most ? 404 : 200, ''])
        const write = typed.kv.writeSecret({ path: `${name.slice(2)}é`, data: { a: 1 } })
        if (length > most) await expect(write).rejects.toMatchObject({ status: 400, code: 'ERR_INVALID_REQUEST' })
        else await write
      }
    },
  )
})
