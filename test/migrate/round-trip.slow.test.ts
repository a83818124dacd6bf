/**
 * 10,000 secrets with versions and 100 keys are migrated from a served kernel to another store, interrupted twice, and back to a third
 * store.
 */
import { afterAll, expect, it } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { type MigrateOptions, type MigrationReport, type MigrationState, migrate } from '../../src/migrate/index.ts'
import { ask, contentOf, keysOf, newKernel, served } from './sides.ts'

const SECRETS = 10_000
const KEYS = 100
const MOUNTS = { secret: 2 } as const
const TYPES = ['aes256-gcm96', 'chacha20-poly1305', 'ed25519', 'ecdsa-p256', 'hmac']

const kernels: { readonly close: () => Promise<void> }[] = []
afterAll(() => Promise.all(kernels.map(({ close }) => close())))

async function fill(kernel: Kernel): Promise<void> {
  await ask(kernel, 'POST', 'sys/mounts/secret/tune', { options: { version: '2' } })
  for (let n = 0; n < SECRETS; n++) {
    const path = `team-${n % 17}/app-${n % 101}/s${n}`
    for (let version = 1; version <= 1 + (n % 3); version++)
      await ask(kernel, 'POST', `secret/data/${path}`, { data: { n, version, text: `secret ${n} ä`.repeat(1 + (n % 5)) } })
    if (n % 50 === 1) await ask(kernel, 'POST', `secret/delete/${path}`, { versions: [1] })
    if (n % 50 === 2) await ask(kernel, 'POST', `secret/destroy/${path}`, { versions: [2] })
    if (n % 50 === 3) await ask(kernel, 'POST', `secret/metadata/${path}`, { max_versions: 7, custom_metadata: { n: `${n}` } })
  }
  for (let n = 0; n < KEYS; n++) {
    const type = TYPES[n % TYPES.length] as string
    const settings = { type, exportable: true, allow_plaintext_backup: n % 4 !== 0, ...(type === 'hmac' && { key_size: 32 }) }
    await ask(kernel, 'POST', `transit/keys/key-${n}`, settings)
    for (let rotation = 0; rotation < n % 3; rotation++) await ask(kernel, 'POST', `transit/keys/key-${n}/rotate`)
  }
}

/** Migrates with two interruptions. Each call has only the text of the state that the previous call saved. */
async function migrateInterrupted(options: Pick<MigrateOptions, 'from' | 'to'>): Promise<MigrationReport> {
  let text = ''
  const call = (more: Partial<MigrateOptions>) =>
    migrate({
      ...options,
      state: {
        load: () => (text === '' ? undefined : (JSON.parse(text) as MigrationState)),
        save: (state) => {
          text = JSON.stringify(state)
        },
      },
      ...more,
    })
  for (const end of [3000, 8000]) {
    const stop = new AbortController()
    const onProgress = ({ done }: { readonly done: number }) => {
      if (done >= end) stop.abort(new Error('interrupted'))
    }
    await expect(call({ signal: stop.signal, onProgress })).rejects.toThrow('interrupted')
    expect(text).not.toMatch(/secret \d+ ä/)
  }
  return call({})
}

it('migrate copies 10,000 secrets and 100 keys to another store and back, with interruptions, and everything is equal', async () => {
  const sides = await Promise.all([newKernel(), newKernel(), newKernel()])
  const [first, second, third] = await Promise.all(sides.map(served))
  kernels.push(first!, second!, third!)
  await fill(sides[0])
  const [content, keys] = [await contentOf(sides[0], MOUNTS), await keysOf(sides[0])]
  const there = await migrateInterrupted({ from: first!.party, to: second!.party })
  const expected = { ok: true, refused: [], differences: [], verified: { secret: SECRETS, key: KEYS } }
  expect(there).toMatchObject(expected)
  expect(await contentOf(sides[1], MOUNTS)).toEqual(content)
  expect(await keysOf(sides[1])).toEqual(keys)
  const { data } = await ask(sides[0], 'POST', 'transit/encrypt/key-0', { plaintext: 'aGVsbG8=' })
  expect(await migrateInterrupted({ from: second!.party, to: third!.party })).toMatchObject(expected)
  expect(await contentOf(sides[2], MOUNTS)).toEqual(content)
  expect(await keysOf(sides[2])).toEqual(keys)
  expect((await ask(sides[2], 'POST', 'transit/decrypt/key-0', { ciphertext: data?.['ciphertext'] })).data).toMatchObject({
    plaintext: 'aGVsbG8=',
  })
})
