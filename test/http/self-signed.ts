/** A self-signed certificate for test servers. */
import forge from 'node-forge'
import { RSA_PAIR } from '../fixtures/rsa-keys.ts'

export function selfSigned(): { readonly key: string; readonly cert: string } {
  const key = RSA_PAIR.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const privateKey = forge.pki.privateKeyFromPem(key)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e)
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000)
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000)
  const subject = [{ name: 'commonName', value: 'localhost' }]
  certificate.setSubject(subject)
  certificate.setIssuer(subject)
  certificate.sign(privateKey, forge.md.sha256.create())
  return { key, cert: forge.pki.certificateToPem(certificate) }
}
