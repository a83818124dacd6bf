import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { ask, base64, flipBit, joined, partsOf } from '../../property/support.ts'
import { bytes, describeGolden, golden, goldenPresent, type Texts, vaultKernel } from './load.ts'

interface Sealed {
  readonly version: number
  readonly plaintext: string
  readonly context?: string
  readonly associated_data?: string
  readonly ciphertext: string
}
interface Key {
  readonly name: string
  readonly type: string
  readonly versions: number
  readonly convergent_encryption?: boolean
  readonly backup: string
  readonly export: Readonly<Record<string, Texts>>
  readonly ciphertexts?: readonly Sealed[]
  readonly hmacs?: readonly { version: number; algorithm: string; input: string; hmac: string }[]
  readonly datakeys?: readonly Sealed[]
}
interface Golden {
  readonly plaintexts: Texts
  readonly keys: readonly Key[]
}

const { plaintexts, keys } = goldenPresent ? golden<Golden>('transit-symmetric') : { plaintexts: {}, keys: [] }
const all = <T>(pick: (key: Key) => readonly T[] | undefined) => keys.reduce((sum, key) => sum + (pick(key)?.length ?? 0), 0)
const counts = `${keys.length} keys, ${all((key) => key.ciphertexts)} ciphertexts, ${all((key) => key.hmacs)} HMACs, ${all((key) => key.datakeys)} data keys`

describeGolden('transit-symmetric', `the transit engine with symmetric keys from OpenBao backups (${counts})`, () => {
  let kernel: Kernel
  const post = (path: string, body: object) => ask(kernel, 'POST', path, body)

  beforeAll(async () => {
    kernel = await vaultKernel()
    for (const { backup } of keys) expect(await post('restore', { backup })).toMatchObject({ status: 204 })
  })
  afterAll(() => kernel.close())

  it.each(keys.map((key) => [key.name, key] as const))(
    'decrypts the recorded ciphertexts of %s, and refuses them if they are altered',
    async (name, key) => {
      for (const { plaintext, ciphertext, context, associated_data } of key.ciphertexts ?? []) {
        const bound = { ...(context ? { context } : {}), ...(associated_data ? { associated_data } : {}) }
        const opened = await post(`decrypt/${name}`, { ciphertext, ...bound })
        expect(opened).toMatchObject({ status: 200, data: { plaintext: plaintexts[plaintext] } })
        const { prefix, version, body } = partsOf(ciphertext)
        const changed = joined(prefix, version, flipBit(body, 8 * (body.length - 1)))
        expect((await post(`decrypt/${name}`, { ciphertext: changed, ...bound })).status).toBe(400)
        const other = base64(Buffer.from('another'))
        expect((await post(`decrypt/${name}`, { ciphertext, ...bound, associated_data: other })).status).toBe(400)
        if (context) expect((await post(`decrypt/${name}`, { ciphertext, ...bound, context: other })).status).toBe(400)
      }
      for (const { plaintext, ciphertext, context, associated_data } of key.datakeys ?? []) {
        const bound = { ...(context ? { context } : {}), ...(associated_data ? { associated_data } : {}) }
        expect(await post(`decrypt/${name}`, { ciphertext, ...bound })).toMatchObject({ data: { plaintext } })
      }
    },
  )

  const convergent = keys.filter((key) => key.convergent_encryption)
  it.each(convergent.map((key) => [key.name, key] as const))(
    'encrypts convergently with %s to the recorded ciphertexts',
    async (name, key) => {
      for (const { version, plaintext, ciphertext, context } of unbound(key)) {
        const body = { plaintext: plaintexts[plaintext], context, key_version: version }
        expect(await post(`encrypt/${name}`, body)).toMatchObject({ status: 200, data: { ciphertext } })
      }
    },
  )

  // OpenBao encrypts with the same nonce as without associated data, which reveals the authentication key.
  it.each(convergent.map((key) => [key.name, key] as const))(
    'decrypts recorded ciphertexts of %s with associated data, and encrypts their plaintexts with another nonce',
    async (name, key) => {
      for (const { version, plaintext, ciphertext, context, associated_data } of bound(key)) {
        const item = { context, associated_data, key_version: version }
        const opened = await post(`decrypt/${name}`, { ciphertext, ...item })
        expect(opened).toMatchObject({ status: 200, data: { plaintext: plaintexts[plaintext] } })
        const rewrapped = await post(`rewrap/${name}`, { ciphertext, ...item })
        const made = await post(`encrypt/${name}`, { plaintext: plaintexts[plaintext], ...item })
        expect(rewrapped.data['ciphertext']).toBe(made.data['ciphertext'])
        expect(nonceOf(made.data['ciphertext'])).not.toBe(nonceOf(ciphertext))
      }
    },
  )

  it('is tested with 48 convergent ciphertexts that have associated data', () => {
    expect(convergent.flatMap(bound)).toHaveLength(48)
    expect(convergent.flatMap(unbound).length).toBeGreaterThan(48)
  })

  it.each(keys.map((key) => [key.name, key] as const))('computes and verifies the recorded HMACs of %s', async (name, key) => {
    for (const { version, algorithm, input: which, hmac } of key.hmacs ?? []) {
      const input = plaintexts[which]
      expect(await post(`hmac/${name}`, { input, algorithm, key_version: version })).toMatchObject({ data: { hmac } })
      expect(await post(`verify/${name}`, { input, algorithm, hmac })).toMatchObject({ data: { valid: true } })
    }
  })

  it.each(keys.map((key) => [key.name, key] as const))('exports the key bytes of %s as recorded', async (name, key) => {
    for (const [kind, values] of Object.entries(key.export))
      expect(await ask(kernel, 'GET', `export/${kind}/${name}`)).toMatchObject({ status: 200, data: { keys: values } })
  })

  it.each(keys.map((key) => [key.name, key] as const))(
    'backs up %s with the same members, values and number formats as recorded',
    async (name, key) => {
      const backup = await ask(kernel, 'GET', `backup/${name}`)
      const [ownBackup, goldenBackup] = [String(backup.data['backup']), key.backup].map((text) =>
        Buffer.from(bytes(text)).toString(),
      )
      expect(withoutTimes(ownBackup as string)).toEqual(withoutTimes(goldenBackup as string))
    },
  )
})

const bound = ({ ciphertexts = [] }: Key) => ciphertexts.filter(({ associated_data }) => associated_data !== undefined)
const unbound = ({ ciphertexts = [] }: Key) => ciphertexts.filter(({ associated_data }) => associated_data === undefined)
/** The first 12 bytes, which is the nonce of all types but XChaCha20-Poly1305, whose nonce is longer. */
const nonceOf = (ciphertext: unknown) => base64(partsOf(String(ciphertext)).body.subarray(0, 12))

/** Times are stored in milliseconds, and the restore has added its own record. */
function withoutTimes(text: string): string {
  return text.replaceAll(/"time":"[^"]*"/g, '"time":""').replace(/"restore_info":(null|\{[^}]*\})/, '"restore_info":null')
}
