import { createCipheriv, constants as cryptoConstants, publicEncrypt } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { ask, base64 } from '../../property/support.ts'
import { kwp, oaep, wrapped, wrappingKey } from '../import-blob.ts'
import { bytes, type Data, describeGolden, golden, goldenPresent, vaultKernelForImports } from './load.ts'

interface Import {
  readonly name: string
  readonly type: string
  readonly raw?: string
  readonly pkcs8?: string
  readonly hash_function: string
  readonly ephemeral_key: string
  readonly wrapped_key: string
  readonly request: Data
  readonly record: Data & { keys?: Data }
  readonly export: string
  readonly export_der?: string
  readonly signatures?: readonly { body: Data; signature: string; deterministic?: boolean }[]
  readonly hmacs?: readonly { body: Data; hmac: string }[]
  readonly ciphertexts?: readonly { plaintext: string; context?: string; ciphertext: string }[]
}
interface PublicOnly {
  readonly name: string
  readonly type: string
  readonly public_key: string
  readonly pkcs8: string
  readonly second_pkcs8: string
  readonly request: Data
  readonly steps: readonly {
    readonly what: string
    readonly status: number
    readonly here?: number
    readonly latest_version?: number
    readonly versions_with_private_half?: readonly number[]
  }[]
}
interface Refused {
  readonly what: string
  readonly type: string
  readonly material: string
  readonly hash_function?: string
  readonly wrapped_with?: string
  readonly extra?: Data
  readonly how?: string
  readonly status: string
}
interface Golden {
  readonly imports: readonly Import[]
  readonly public_only: readonly PublicOnly[]
  readonly refused: readonly Refused[]
}

const { imports, public_only, refused } = goldenPresent
  ? golden<Golden>('transit-import')
  : { imports: [], public_only: [], refused: [] }
const counts = `${imports.length} imports, ${public_only.length} public keys completed step by step, ${refused.length} refusals`
const KINDS = ['signing-key', 'encryption-key', 'hmac-key']

describeGolden('transit-import', `transit imports compared with OpenBao (${counts})`, () => {
  let kernel: Kernel
  let recipient: string
  const post = (path: string, body: object) => ask(kernel, 'POST', path, body)
  const get = (path: string) => ask(kernel, 'GET', path)

  beforeAll(async () => {
    kernel = await vaultKernelForImports()
    recipient = await wrappingKey(kernel)
  })
  afterAll(() => kernel.close())

  it.each(imports.map((testCase) => [testCase.name, testCase.type, testCase] as const))(
    'give %s of type %s the recorded settings, exports, signatures and ciphertexts',
    async (name, type, testCase) => {
      const { hash_function, request, record } = testCase
      const material = bytes(testCase.raw ?? testCase.pkcs8 ?? '')
      const ephemeral = bytes(testCase.ephemeral_key)
      expect(base64(kwp(ephemeral, material))).toBe(testCase.wrapped_key)
      const ciphertext = base64(wrapped(recipient, material, hash_function, ephemeral))
      expect(await post(`keys/${name}/import`, { type, hash_function, ciphertext, ...request })).toMatchObject({ status: 204 })

      const { keys: versions, ...settings } = record
      const read = await get(`keys/${name}`)
      expect(read).toMatchObject({ status: 200, data: { ...settings, imported: true } })
      for (const [version, shown] of Object.entries(versions ?? {})) {
        if (typeof shown === 'number') continue
        const { creation_time: _, ...rest } = shown as Data
        expect((read.data['keys'] as Record<string, Data>)[version]).toMatchObject(rest)
      }
      const exported = await Promise.all(KINDS.map((kind) => get(`export/${kind}/${name}`)))
      const own = exported.filter(({ status }) => status === 200).map(({ data }) => (data['keys'] as Record<string, string>)['1'])
      expect(own).toContain(testCase.export)
      if (testCase.pkcs8) {
        const der = await get(`export/signing-key/${name}?format=der`)
        expect(der).toMatchObject({ data: { keys: { 1: testCase.export_der ?? testCase.pkcs8 } } })
      }
      for (const { body, signature, deterministic } of testCase.signatures ?? []) {
        expect(await post(`verify/${name}`, { ...body, signature })).toMatchObject({ data: { valid: true } })
        const again = await post(`sign/${name}`, body)
        if (deterministic) expect(again).toMatchObject({ data: { signature } })
        else
          expect(await post(`verify/${name}`, { ...body, signature: again.data['signature'] })).toMatchObject({
            data: { valid: true },
          })
      }
      for (const { body, hmac } of testCase.hmacs ?? [])
        expect(await post(`hmac/${name}`, body)).toMatchObject({ data: { hmac } })
      for (const { plaintext, context, ciphertext: sealed } of testCase.ciphertexts ?? []) {
        const opened = await post(`decrypt/${name}`, { ciphertext: sealed, ...(context ? { context } : {}) })
        expect(opened).toMatchObject({ status: 200, data: { plaintext } })
      }
    },
  )

  it.each(public_only.map((one) => [one.name, one] as const))(
    'accept and refuse private keys for the imported public key %s as recorded',
    async (name, one) => {
      const { type, public_key, request } = one
      expect(await post(`keys/${name}/import`, { type, public_key, ...request })).toMatchObject({ status: 204 })
      const privately = (pkcs8: string, more: object = {}) =>
        post(`keys/${name}/import_version`, { ciphertext: base64(wrapped(recipient, bytes(pkcs8))), ...more })
      const publicly = (more: object = {}) => post(`keys/${name}/import_version`, { public_key, ...more })
      let last: (() => ReturnType<typeof publicly>) | undefined
      const acts: readonly (readonly [RegExp, () => ReturnType<typeof publicly>])[] = [
        [/^sign$/, () => post(`sign/${name}`, { input: '' })],
        [/^export signing-key/, () => get(`export/signing-key/${name}`)],
        [/^import_version version=1 with the second private/, () => privately(one.second_pkcs8, { version: 1 })],
        [/^import_version version=2/, () => privately(one.second_pkcs8, { version: 2 })],
        [/^import_version version=1 with a public key/, () => publicly({ version: 1 })],
        [/^import_version with the second private key/, () => privately(one.second_pkcs8)],
        [/^read$/, () => get(`keys/${name}`)],
        [/^import_version version=1 with the first private/, () => privately(one.pkcs8, { version: 1 })],
        [/^the same once more/, () => last!()],
        [/^import_version with the first public key/, () => publicly()],
        [/^import_version with the first private key/, () => privately(one.pkcs8)],
        [/^rotate/, () => post(`keys/${name}/rotate`, {})],
      ]
      for (const step of one.steps) {
        const act = acts.find(([words]) => words.test(step.what))
        if (!act) throw new Error(`a step this test does not know: ${step.what}`)
        const answer = await act[1]()
        expect([step.what, answer.status]).toEqual([step.what, step.here ?? step.status])
        if (step.what.startsWith('import_version version=1 with the first')) last = act[1]
        if (step.latest_version !== undefined) expect(answer.data['latest_version']).toBe(step.latest_version)
        if (step.versions_with_private_half) {
          const shown = Object.entries(answer.data['keys'] as Record<string, string>).filter(([, text]) => text !== '')
          expect(shown.map(([version]) => Number(version))).toEqual(step.versions_with_private_half)
        }
      }
    },
  )

  it.each(refused.map((refusal) => [refusal.what, refusal] as const))('refuse %s', async (what, refusal) => {
    const name = `refused-${refused.indexOf(refusal)}`
    const material = bytes(refusal.material)
    const ciphertext = base64(altered(what, material, refusal.wrapped_with ?? refusal.hash_function ?? 'SHA256'))
    const { type, hash_function, extra } = refusal
    const body = { type, ciphertext, ...(hash_function ? { hash_function } : {}), ...extra }
    expect((await post(`keys/${name}/import`, body)).status).toBe(Number(refusal.status))
    expect((await get(`keys/${name}`)).status).toBe(404)
  })

  /** Builds the invalid blob that the recorded refusal describes. */
  function altered(what: string, material: Uint8Array, hash: string): Uint8Array {
    const ephemeral = bytes(imports[0]?.ephemeral_key ?? '')
    const whole = wrapped(recipient, material, hash, ephemeral)
    const at = (index: number) => whole.map((byte, place) => (place === index ? byte ^ 1 : byte))
    if (what.startsWith('a 128-bit'))
      return Buffer.concat([oaep(recipient, ephemeral.subarray(0, 16), hash), kwp(ephemeral.subarray(0, 16), material)])
    if (what.startsWith('AES key wrap without')) return Buffer.concat([oaep(recipient, ephemeral, hash), kw(ephemeral, material)])
    if (what === 'a flipped bit in K') return at(520)
    if (what === 'a flipped bit in W') return at(100)
    if (what === 'cut after W') return whole.subarray(0, 512)
    if (what === 'K cut by 8 bytes') return whole.subarray(0, -8)
    if (what === '8 bytes behind K') return Buffer.concat([whole, new Uint8Array(8)])
    if (what.startsWith('PKCS#1 v1.5')) {
      const first = publicEncrypt({ key: recipient, padding: cryptoConstants.RSA_PKCS1_PADDING }, ephemeral)
      return Buffer.concat([first, kwp(ephemeral, material)])
    }
    return whole
  }
})

/** AES key wrap without padding (RFC 3394), computed by OpenSSL. */
function kw(kek: Uint8Array, material: Uint8Array): Uint8Array {
  const cipher = createCipheriv('id-aes256-wrap', kek, Buffer.alloc(8, 0xa6))
  return Buffer.concat([cipher.update(material), cipher.final()])
}
