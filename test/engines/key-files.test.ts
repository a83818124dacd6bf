/**
 * Key files as OpenSSL, ssh-keygen, Go, Java, ring and key management services write them. An import accepts the file, or says what it contains
 * and to which format it must be converted. `test/fixtures/key-files.json` has one file for each tool, type and encoding.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import { type KeyTypeName, keyType } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'

interface KeyFile {
  readonly tool: string
  readonly half: 'private' | 'public'
  readonly type: KeyTypeName
  readonly encoding: string
  /** Base64, or the text itself if `isText`. */
  readonly file: string
  readonly isText?: true
  /** Text of the refusal; absent if the file is accepted. */
  readonly refusal?: string
  readonly warning?: string
}

const FILES = JSON.parse(readFileSync(new URL('../fixtures/key-files.json', import.meta.url), 'utf8')) as readonly KeyFile[]

const named = (half: KeyFile['half'], isAccepted: boolean) =>
  FILES.filter((file) => file.half === half && (file.refusal === undefined) === isAccepted).map(
    (file) => [`${file.tool}: ${file.type} as ${file.encoding}`, file] as const,
  )

const bytesOf = ({ file, isText }: KeyFile): Uint8Array => Uint8Array.from(Buffer.from(file, isText ? 'utf8' : 'base64'))

const pemOf = ({ file, isText }: KeyFile): string =>
  isText ? file : `-----BEGIN PUBLIC KEY-----\n${file}\n-----END PUBLIC KEY-----\n`

let kernel: Kernel
let made = 0
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const crypto = nodeCrypto()

describe('a private key file', () => {
  const read = (file: KeyFile) => keyType(file.type).codec.fromWrapped(crypto, bytesOf(file))

  it.each(named('private', true))('from %s is imported', (_, file) => {
    const { key, publicOnly, restriction } = read(file)
    expect(publicOnly).toBe(false)
    expect(restriction && `the file restricts the key to ${restriction}; that restriction was dropped`).toBe(file.warning)
    const { codec: transport } = keyType(file.type)
    const shown = createPrivateKey(transport.toText(crypto, key, 'pem'))
    const original = nodeKeyOf(file)
    if (original)
      expect(createPublicKey(shown).export({ format: 'jwk' })).toEqual(createPublicKey(original).export({ format: 'jwk' }))
  })

  it.each(named('private', false))('from %s is refused with a message that says what the file contains', (_, file) => {
    expect(() => read(file)).toThrow(file.refusal)
  })
})

/** The key as Node reads it, or undefined for formats that OpenSSL does not know or cannot export as a JWK. */
function nodeKeyOf(file: KeyFile) {
  try {
    const key = createPrivateKey({ key: Buffer.from(bytesOf(file)), format: 'der', type: 'pkcs8' })
    return key.asymmetricKeyType === 'rsa-pss' ? undefined : key
  } catch {
    return undefined
  }
}

describe('a public key file', () => {
  const send = (file: KeyFile) =>
    kernel.handle({
      method: 'POST',
      path: `/v1/transit/keys/file-${made++}/import`,
      headers: { 'X-Service-Token': kernel.rootToken },
      body: { type: file.type, public_key: pemOf(file) },
    })

  it.each(named('public', true))('from %s is imported', async (_, file) => {
    const { status, body } = await send(file)
    const warnings = file.warning && [`public_key: ${file.warning}`]
    expect([status, (body as { warnings?: unknown } | undefined)?.warnings]).toEqual([warnings ? 200 : 204, warnings])
  })

  it.each(named('public', false))('from %s is refused with a message that says what the file contains', async (_, file) => {
    const { status, body } = await send(file)
    expect([status, body]).toEqual([400, { errors: [expect.stringContaining(`public_key: ${file.refusal}`)] }])
  })
})
