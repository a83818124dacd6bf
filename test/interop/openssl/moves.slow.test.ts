/**
 * Keys move between transit and the openssl command. The other side verifies and decrypts what one side signs and encrypts.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyTypeName } from '../../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { wrapped, wrappingKey } from '../../engines/import-blob.ts'
import { bytesOf, partsOf } from '../../property/support.ts'
import { OPENSSL, openSslTitle } from './command.ts'

const MAKE: Readonly<Record<string, readonly string[]>> = {
  ed25519: ['-algorithm', 'ed25519'],
  'ecdsa-p256': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'ecdsa-p384': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'ecdsa-p521': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  'rsa-2048': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'rsa-3072': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:3072'],
}
const TYPES = Object.keys(MAKE)
const RSA = TYPES.filter((type) => type.startsWith('rsa-'))

/** Ed25519 signs the message. The other types hash it with SHA-256, which is also our default, and RSA uses PSS with the longest salt. */
const SIGN_OPTIONS = (type: string): readonly string[] => {
  if (type === 'ed25519') return ['-rawin']
  const pss = ['-pkeyopt', 'rsa_padding_mode:pss', '-pkeyopt', 'rsa_pss_saltlen:max']
  return ['-rawin', '-digest', 'sha256', ...(type.startsWith('rsa-') ? pss : [])]
}
const OAEP = ['-pkeyopt', 'rsa_padding_mode:oaep', '-pkeyopt', 'rsa_oaep_md:sha256', '-pkeyopt', 'rsa_mgf1_md:sha256']

describe.skipIf(!OPENSSL)(openSslTitle('imported and exported keys'), () => {
  let folder: string
  let kernel: Kernel
  const message = bytesOf(100, 1)
  const file = (name: string, content?: string | Uint8Array): string => {
    const path = join(folder, name)
    if (content !== undefined) writeFileSync(path, content)
    return path
  }
  const openssl = (...args: string[]): string =>
    execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'strongroom-moves-'))
    file('message', message)
    kernel = await createDevKernel()
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await kernel.close()
  })

  /** Both sides sign and verify. With RSA both also encrypt and decrypt. `secret` and `shared` are key files. */
  async function work(name: string, type: string, secret: string, shared: string): Promise<void> {
    const options = SIGN_OPTIONS(type)
    openssl('pkeyutl', '-sign', '-in', file('message'), '-inkey', secret, '-out', file('theirs'), ...options)
    const fromOpenssl = readFileSync(file('theirs')).toString('base64')
    expect((await kernel.transit.verify({ name, input: message, signature: `strongroom:v1:${fromOpenssl}` })).valid).toBe(true)
    const { signature } = await kernel.transit.sign({ name, input: message })
    const check = ['-in', file('message'), '-pubin', '-inkey', shared, '-sigfile', file('ours', partsOf(signature).body)]
    expect(openssl('pkeyutl', '-verify', ...check, ...options)).toContain('Signature Verified Successfully')
    if (!RSA.includes(type)) return
    openssl('pkeyutl', '-encrypt', '-in', file('message'), '-pubin', '-inkey', shared, '-out', file('sealed'), ...OAEP)
    const ciphertext = `strongroom:v1:${readFileSync(file('sealed')).toString('base64')}`
    expect((await kernel.transit.decrypt({ name, ciphertext })).plaintext).toEqual(message)
    const made = await kernel.transit.encrypt({ name, plaintext: message })
    openssl(
      'pkeyutl',
      '-decrypt',
      '-in',
      file('sealed', partsOf(made.ciphertext).body),
      '-inkey',
      secret,
      '-out',
      file('opened'),
      ...OAEP,
    )
    expect(Uint8Array.from(readFileSync(file('opened')))).toEqual(message)
  }

  it.each(TYPES)('of type %s can be used by openssl after an export in any format', async (type) => {
    const name = `ours-${type}`
    await kernel.transit.createKey({ name, type: type as KeyTypeName, exportable: true })
    const shown = async (key_type: 'signing-key' | 'public-key', format?: 'raw' | 'der' | 'pem') =>
      (await kernel.transit.exportKey({ key_type, name, ...(format ? { format } : {}) })).keys['1'] as string
    const der = (text: string) => Buffer.from(text, 'base64')
    const secrets = [
      file('pkcs8.pem', await shown('signing-key', 'pem')),
      file('pkcs8.der', der(await shown('signing-key', 'der'))),
    ]
    const shares = [file('spki.pem', await shown('public-key', 'pem')), file('spki.der', der(await shown('public-key', 'der')))]
    if (type !== 'ed25519') {
      // PKCS #1 and SEC 1, as Vault and OpenBao export them.
      secrets.push(file('own.pem', await shown('signing-key')))
      shares.push(file('own.pub', await shown('public-key')))
    }
    for (const secret of secrets) expect(openssl('pkey', '-in', secret, '-check', '-noout')).toContain('Key is valid')
    const pems = new Set(secrets.map((secret) => openssl('pkey', '-in', secret)))
    expect(pems.size).toBe(1)
    expect(new Set(shares.map((shared) => openssl('pkey', '-pubin', '-in', shared))).size).toBe(1)
    await work(name, type, secrets[0] as string, shares[0] as string)
  })

  it.each(TYPES)('of type %s from openssl can be used after an import as a private or as a public key', async (type) => {
    const [secret, shared] = [file('their.pem'), file('their.pub')]
    openssl('genpkey', ...(MAKE[type] as readonly string[]), '-out', secret)
    openssl('pkey', '-in', secret, '-pubout', '-out', shared)
    openssl('pkcs8', '-topk8', '-nocrypt', '-in', secret, '-outform', 'DER', '-out', file('their.der'))
    const material = Uint8Array.from(readFileSync(file('their.der')))
    const recipient = await wrappingKey(kernel)
    await kernel.transit.importKey({
      name: `theirs-${type}`,
      type: type as KeyTypeName,
      ciphertext: wrapped(recipient, material),
      exportable: true,
    })
    await work(`theirs-${type}`, type, secret, shared)
    const { keys } = await kernel.transit.exportKey({ key_type: 'signing-key', name: `theirs-${type}`, format: 'der' })
    expect(Buffer.from(keys['1'] as string, 'base64')).toEqual(Buffer.from(material))

    await kernel.transit.importKey({
      name: `public-${type}`,
      type: type as KeyTypeName,
      public_key: readFileSync(shared, 'utf8'),
    })
    const { signature } = await kernel.transit.sign({ name: `theirs-${type}`, input: message })
    expect((await kernel.transit.verify({ name: `public-${type}`, input: message, signature })).valid).toBe(true)
    await expect(kernel.transit.sign({ name: `public-${type}`, input: message })).rejects.toMatchObject({ status: 400 })
  })

  it('may have compressed points or be surrounded by text when they are imported', async () => {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file('plain.pem'))
    openssl('ec', '-in', file('plain.pem'), '-conv_form', 'compressed', '-out', file('short.pem'))
    openssl('pkcs8', '-topk8', '-nocrypt', '-in', file('short.pem'), '-outform', 'DER', '-out', file('short.der'))
    const material = Uint8Array.from(readFileSync(file('short.der')))
    await kernel.transit.importKey({
      name: 'short',
      type: 'ecdsa-p256',
      ciphertext: wrapped(await wrappingKey(kernel), material),
    })
    openssl('ec', '-in', file('plain.pem'), '-pubout', '-text', '-out', file('text.pub'))
    const public_key = readFileSync(file('text.pub'), 'utf8')
    expect(public_key.startsWith('-----')).toBe(false)
    await kernel.transit.importKey({ name: 'text', type: 'ecdsa-p256', public_key: public_key.replaceAll('\n', '\r\n') })
    const { signature } = await kernel.transit.sign({ name: 'short', input: message })
    expect((await kernel.transit.verify({ name: 'text', input: message, signature })).valid).toBe(true)
  })

  it('can be wrapped for a public key that openssl reads', async () => {
    const path = file('wrapping.pub', await wrappingKey(kernel))
    expect(openssl('pkey', '-pubin', '-in', path, '-text', '-noout')).toContain('4096 bit')
  })
})
