/**
 * The openssl command accepts our certificate requests. Transit accepts its requests as templates and its certificates as chains.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { OPENSSL, openSslTitle } from './command.ts'

const TYPES = ['ed25519', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521', 'rsa-2048'] as const

const CONFIG = `
[req]
distinguished_name = dn
req_extensions = ext
attributes = attrs
prompt = no
utf8 = yes
[dn]
C = DE
O = Größe & Co
CN = service.example
[attrs]
challengePassword = not for others
[ext]
subjectAltName = critical, DNS:service.example, DNS:*.service.example, IP:192.0.2.7, email:ops@service.example, URI:spiffe://example/ns
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
basicConstraints = critical, CA:false
1.3.6.1.4.1.99999.1 = ASN1:UTF8String:anything
`

describe.skipIf(!OPENSSL)(openSslTitle('certificate requests'), () => {
  let folder: string
  let kernel: Kernel
  const file = (name: string, content?: string): string => {
    const path = join(folder, name)
    if (content !== undefined) writeFileSync(path, content)
    return path
  }
  const openssl = (...args: string[]): string =>
    execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const text = (path: string): string => openssl('req', '-in', path, '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus')
  /** The parts of a request that the template determines. */
  const decided = (path: string): string => {
    const shown = text(path)
    const subject = /Subject:.*/.exec(shown)?.[0]
    const extensions = /Requested Extensions:\n([\s\S]*?)\n {4}Signature/.exec(shown)?.[1]
    return `${subject}\n${extensions}`
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'strongroom-openssl-'))
    kernel = await createDevKernel()
    for (const type of TYPES) await kernel.transit.createKey({ name: type, type })
    const ca = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-x509', '-days', '9']
    openssl('req', ...ca, '-subj', '/CN=ca', '-keyout', file('ca.key'), '-out', file('ca.pem'))
    openssl('genpkey', '-algorithm', 'ed25519', '-out', file('template.key'))
    openssl('req', '-new', '-config', file('template.cnf', CONFIG), '-key', file('template.key'), '-out', file('template.csr'))
  })
  afterAll(async () => {
    await kernel.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(TYPES)('are valid for openssl with a key of type %s, with and without a template', async (name) => {
    const own = publicPem(await shownKey(kernel, name))
    const template = readFileSync(file('template.csr'), 'utf8')
    for (const csr of ['', template]) {
      const made = await kernel.transit.signCsr({ name, csr })
      const path = file(`${name}.csr`, made.csr)
      openssl('req', '-in', path, '-noout', '-verify')
      expect(openssl('req', '-in', path, '-noout', '-pubkey')).toBe(own)
      if (csr === '') expect(text(path)).toMatch(/Subject:\s*\n[\s\S]*Attributes:\s*\n\s*\(none\)/)
      else expect(decided(path)).toBe(decided(file('template.csr')))
    }
  })

  it('omit attributes of the template that only the owner of the template can claim, and return a warning', async () => {
    const made = await kernel.transit.signCsr({ name: 'ed25519', csr: readFileSync(file('template.csr'), 'utf8') })
    expect(text(file('template.csr'))).toContain('challengePassword')
    expect(text(file('made.csr', made.csr))).not.toContain('challengePassword')
    expect(made.warnings).toEqual([expect.stringContaining('csr')])
  })

  it.each(TYPES)('can be signed by openssl to a certificate chain that the key of type %s accepts', async (name) => {
    const { csr } = await kernel.transit.signCsr({ name, csr: readFileSync(file('template.csr'), 'utf8') })
    const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-days', '9', '-copy_extensions', 'copyall']
    openssl('x509', '-req', '-in', file('leaf.csr', csr), ...signing, '-out', file('leaf.pem'))
    const chain = readFileSync(file('leaf.pem'), 'utf8') + readFileSync(file('ca.pem'), 'utf8')
    expect((await kernel.transit.setCertificate({ name, certificate_chain: chain })).certificate_chain).toBe(chain)
    const shown = (await kernel.transit.readKey({ name })).keys['1'] as { certificate_chain: string }
    expect(`${shown.certificate_chain}\n`).toBe(chain)
    openssl('verify', '-CAfile', file('ca.pem'), file('shown.pem', shown.certificate_chain))
  })
})

async function shownKey(kernel: Kernel, name: string): Promise<string> {
  return ((await kernel.transit.readKey({ name })).keys['1'] as { public_key: string }).public_key
}

/** The public key of a readKey result as SPKI PEM. */
function publicPem(shown: string): string {
  if (shown.startsWith('-----')) return shown
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(shown, 'base64')])
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
}
