/**
 * Calls by path and typed calls use the same grammar of paths: a request can name every path that a typed call accepts, and both refuse
 * every other path.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../src/conventional.ts'
import { ROOT_NAMESPACE } from '../../src/core/contract/namespace.ts'
import type { Mount } from '../../src/core/mount/mount.ts'
import { transact } from '../../src/core/transaction/transact.ts'
import { SECRET } from '../../src/engines/kv/v1/secret.ts'
import { createDevKernel, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { composeKernel } from '../../src/kernel.ts'
import {
  type Came,
  completed,
  EVERY_OPERATION,
  freePathOf,
  type Known,
  methodOf,
  mountAll,
  pathOutcome,
  requestOf,
  typedOutcome,
} from '../fixtures/every-operation.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

/** Typed calls of these operations still accept invalid paths, so that old records can be listed and deleted. */
const FOR_WHAT_IS_STORED: readonly string[] = [
  'kv deleteSecret',
  'kv listSecrets',
  'cubbyhole deleteEntry',
  'cubbyhole listEntries',
  'kv-v2 deleteMetadata',
  'kv-v2 listSecrets',
  'kv-v2 listDetails',
]
/** Operations that revoke the token of their caller. */
const SPENDS = /revoke/i
/** Members in addition to the path, for operations whose calls by path and typed calls take them in different forms. */
const BESIDE: Readonly<Record<string, object>> = { 'kv-v2 patchMetadata': { patch: { max_versions: 1 } } }
const RUNS = runs({ quick: 20, soak: 2000 })

let kernel: Kernel
let root = ''
beforeAll(async () => {
  kernel = await createDevKernel()
  root = kernel.rootToken as string
  await mountAll(kernel, true)
})
afterAll(() => kernel.close())

async function bothViews(known: Known, path: string): Promise<{ readonly typed: Came; readonly byPath: Came } | undefined> {
  const token = SPENDS.test(known.title) ? (await kernel.tokens.createToken({ policies: ['root'] })).client_token : root
  const method = methodOf(kernel.as(token), known)
  if (!method) return undefined
  const members = { ...BESIDE[known.title], [freePathOf(known) as string]: path }
  const byPath = pathOutcome(await kernel.handle(requestOf(known, members, { 'X-Service-Token': token })))
  return { byPath, typed: await typedOutcome(() => method(completed(known, members, 'typed'))) }
}

/** Invalid paths. */
const NO_PATHS = [
  '/a',
  'a//b',
  'a//',
  '//',
  '..',
  '../x',
  'a/..',
  'a/../b',
  '.',
  './a',
  'a/./b',
  'a\0b',
  'a\nb',
  'a\u007f',
  'a/\u001f/b',
  '\ud800',
  'a/\udc00\ud800/b',
]

const segment = fc
  .oneof(
    fc.constantFrom(
      'a',
      '%',
      '%2F',
      '?',
      '#',
      '+',
      '*',
      ' ',
      '%00',
      '\\',
      '"',
      'é',
      '\u{1f511}',
      '...',
      '.a',
      'a..b',
      '~',
      ':x',
      '(y)',
      'data',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .map((text) => text.replaceAll(/[/\p{Cc}]/gu, '_'))
  .filter((text) => text !== '' && text !== '.' && text !== '..')
const goodPath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))

const WITH_PATH = EVERY_OPERATION.filter((known) => freePathOf(known) !== undefined)

describe('an invalid path', () => {
  const operations = WITH_PATH.filter(({ title }) => !FOR_WHAT_IS_STORED.includes(title))

  it.each(operations.map((known) => [known.title, known] as const))(
    'is refused with status 400 by %s, by path and typed call',
    async (_, known) => {
      for (const path of NO_PATHS) {
        const came = await bothViews(known, path)
        expect([path, came?.byPath.status ?? 400, came?.typed.status ?? 400]).toEqual([path, 400, 400])
        if (came) expect(came.typed.said).toMatch(/Unicode text|control characters|relative paths|empty segments/)
      }
    },
  )

  it('is refused by path even in operations whose typed calls accept it for records of older releases', async () => {
    for (const known of WITH_PATH.filter(({ title }) => FOR_WHAT_IS_STORED.includes(title)))
      for (const path of NO_PATHS)
        expect([known.title, path, (await bothViews(known, path))?.byPath.status]).toEqual([known.title, path, 400])
  })
})

describe('a path with arbitrary characters', () => {
  it.each(WITH_PATH.map((known) => [known.title, known] as const))(
    'that is valid is accepted by path if and only if it is accepted by typed call: %s',
    async (_, known) => {
      await fc.assert(
        fc.asyncProperty(goodPath, async (path) => {
          const came = await bothViews(known, path)
          if (came)
            expect([path, came.byPath.status === 400, came.byPath.said]).toEqual([
              path,
              came.typed.status === 400,
              expect.anything(),
            ])
        }),
        { numRuns: RUNS },
      )
    },
  )

  const rules = 'path "a" { capabilities = ["read"] }'
  const charset = 'length = 8\nrule "charset" { charset = "abc" }'
  const stores = (view: ReturnType<Kernel['as']>) => ({
    'secret/': (path: string) => view.kv.writeSecret({ path, data: { path } }),
    'kv2/data/': (path: string) => view.kv2.at('kv2/').writeSecret({ path, data: { path } }),
    'cubbyhole/': (path: string) => view.cubbyhole.writeEntry({ path, data: { path } }),
    'sys/policies/acl/': (name: string) => view.policies.writePolicy({ name, policy: rules }),
    'sys/policies/password/': (name: string) => view.policies.writePasswordPolicy({ name, policy: charset }),
    'sys/mounts/': (path: string) => view.mounts.createMount({ path, type: 'kv' }),
  })

  it.each(Object.keys(stores({} as never)))(
    'of a record that a typed call stored below %s can be read and deleted by path',
    async (folder) => {
      const store = stores(kernel.as(root))[folder as 'secret/']
      const ask = async (method: string, path: string) => {
        const encoded = path.split('/').map(encodeURIComponent).join('/')
        return (await kernel.handle({ method, path: `/v1/${folder}${encoded}`, headers: { 'X-Service-Token': root } })).status
      }
      await fc.assert(
        fc.asyncProperty(goodPath, async (path) => {
          const { status } = await typedOutcome(() => store(path))
          // Some names have stricter rules: mount paths have no wildcards, and no path ends in a period.
          if (status !== 200) return
          expect([path, await ask('GET', path)]).toEqual([path, 200])
          expect([path, await ask('DELETE', path)]).toEqual([path, 204])
          expect([path, await ask('GET', path)]).not.toEqual([path, 200])
        }),
        { numRuns: RUNS / 4 },
      )
    },
  )

  it('that only an older release accepted is still listed, and can be deleted by typed calls', async () => {
    const options = { storage: memoryStorage(), seal: keySeal(new Uint8Array(32).fill(7)), initialize: true }
    const { kernel: old, internals } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)
    const { keyspace: place } = internals.topology.mounts.route(ROOT_NAMESPACE, 'secret/a') as Mount
    const stored = ['a//b', '../x', '/a', 'a\0b']
    const { tx } = await transact(internals.host, place, internals.call, 'write', (run) => {
      for (const path of stored) run.put(SECRET, path, '{"a":1}')
    })
    tx.end()
    expect(await old.kv.listSecrets()).toEqual({ keys: ['../', '/', 'a\0b', 'a/'] })
    expect(await old.kv.listSecrets({ path: 'a//' })).toEqual({ keys: ['b'] })
    for (const path of stored) {
      await expect(old.kv.readSecret({ path })).rejects.toMatchObject({ status: 400 })
      await old.kv.deleteSecret({ path })
    }
    expect(await old.kv.listSecrets()).toEqual({ keys: [] })
    await old.close()
  })
})
