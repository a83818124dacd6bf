/**
 * node-forge reads and creates certificate requests and certificates with RSA keys.
 */
import forge from 'node-forge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'

const NAMES = [
  { name: 'countryName', value: 'DE' },
  { name: 'organizationName', value: 'Example & Co' },
  { name: 'commonName', value: 'service.example' },
]

const EXTENSIONS = [
  { name: 'basicConstraints', cA: false, critical: true },
  { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
  {
    name: 'subjectAltName',
    altNames: [
      { type: 2, value: 'service.example' },
      { type: 7, ip: '192.0.2.7' },
    ],
  },
]

describe('node-forge', () => {
  let kernel: Kernel
  const pair = forge.pki.rsa.generateKeyPair(2048)

  beforeAll(async () => {
    kernel = await createDevKernel()
    await kernel.transit.createKey({ name: 'rsa', type: 'rsa-2048' })
  })
  afterAll(() => kernel.close())

  const pem = (key: forge.pki.PublicKey | null): string => (key ? forge.pki.publicKeyToPem(key) : '')
  const ownKey = async (): Promise<forge.pki.PublicKey> => {
    const shown = (await kernel.transit.readKey({ name: 'rsa' })).keys['1'] as { public_key: string }
    return forge.pki.publicKeyFromPem(shown.public_key)
  }
  const templateOf = (): string => {
    const request = forge.pki.createCertificationRequest()
    request.publicKey = pair.publicKey
    request.setSubject(NAMES)
    request.setAttributes([{ name: 'extensionRequest', extensions: EXTENSIONS }])
    request.sign(pair.privateKey, forge.md.sha256.create())
    return forge.pki.certificationRequestToPem(request)
  }

  it('verifies a certificate request that transit has signed with its key', async () => {
    const template = templateOf()
    const { csr } = await kernel.transit.signCsr({ name: 'rsa', csr: template })
    const [ownCsr, templateCsr] = [csr, template].map((pem) => forge.pki.certificationRequestFromPem(pem)) as [
      forge.pki.CertificateSigningRequest,
      forge.pki.CertificateSigningRequest,
    ]
    expect(ownCsr.verify()).toBe(true)
    expect(pem(ownCsr.publicKey)).toBe(pem(await ownKey()))
    expect(ownCsr.subject.attributes).toEqual(templateCsr.subject.attributes)
    expect(ownCsr.getAttribute({ name: 'extensionRequest' })).toEqual(templateCsr.getAttribute({ name: 'extensionRequest' }))
  })

  it('issues a certificate that transit accepts for the certified key, and refuses for another key', async () => {
    const certificateOf = (key: forge.pki.PublicKey): string => {
      const certificate = forge.pki.createCertificate()
      certificate.publicKey = key
      certificate.serialNumber = '01'
      certificate.validity.notAfter.setFullYear(certificate.validity.notBefore.getFullYear() + 1)
      certificate.setSubject(NAMES)
      certificate.setIssuer([{ name: 'commonName', value: 'ca' }])
      certificate.setExtensions(EXTENSIONS)
      certificate.sign(pair.privateKey, forge.md.sha256.create())
      return forge.pki.certificateToPem(certificate)
    }
    const chain = certificateOf(await ownKey())
    await kernel.transit.setCertificate({ name: 'rsa', certificate_chain: chain })
    const shown = (await kernel.transit.readKey({ name: 'rsa' })).keys['1'] as { certificate_chain: string }
    const read = forge.pki.certificateFromPem(shown.certificate_chain)
    expect(pem(read.publicKey)).toBe(pem(await ownKey()))
    expect(read.extensions).toEqual(forge.pki.certificateFromPem(chain).extensions)
    await expect(
      kernel.transit.setCertificate({ name: 'rsa', certificate_chain: certificateOf(pair.publicKey) }),
    ).rejects.toMatchObject({
      status: 400,
    })
  })
})
