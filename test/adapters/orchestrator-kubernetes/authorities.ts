/**
 * Certificate authorities for servers in tests.
 */
import type { KeyObject } from 'node:crypto'
import forge from 'node-forge'
import { nextRsaPair, RSA_PAIR } from '../../fixtures/rsa-keys.ts'

export interface Issued {
  readonly key: string
  readonly cert: string
}

export interface CertificateWishes {
  /** Subject alternative names. Default: `DNS:localhost` and `IP:127.0.0.1`. */
  readonly names?: readonly string[]
  readonly commonName?: string
  /** Validity in days from now. Default: yesterday to tomorrow. */
  readonly days?: readonly [from: number, to: number]
  /** Default: server. */
  readonly purpose?: 'server' | 'client' | 'any'
}

export interface Authority extends Issued {
  issue(wishes?: CertificateWishes): Issued
  /** An intermediate authority, issued by this one. */
  intermediate(commonName: string): Authority
}

const DAY_MS = 86_400_000
let serial = 0

export const authority = (commonName: string): Authority => authorityOf(commonName)

/** A self-signed server certificate. */
export function selfSigned(): Issued {
  const pair = keyPair()
  return { key: pair.pem, cert: certify({ commonName: 'localhost', pair, extensions: extensionsOf({}) }) }
}

interface Pair {
  readonly pem: string
  readonly privateKey: forge.pki.rsa.PrivateKey
  readonly publicKey: forge.pki.rsa.PublicKey
}

interface Issuer {
  readonly commonName: string
  readonly pair: Pair
}

function authorityOf(commonName: string, above?: Issuer): Authority {
  const pair = keyPair()
  const extensions = [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ]
  const self = { commonName, pair }
  // One key for all issued certificates, because creating keys takes most of the time.
  const held = HELD
  return {
    key: pair.pem,
    cert: certify({ commonName, pair, extensions, issuer: above }),
    issue: (wishes = {}) => {
      const { commonName: subject = 'server', days } = wishes
      return {
        key: held.pem,
        cert: certify({ commonName: subject, pair: held, extensions: extensionsOf(wishes), issuer: self, days }),
      }
    },
    intermediate: (name) => authorityOf(name, self),
  }
}

function extensionsOf({ names = ['DNS:localhost', 'IP:127.0.0.1'], purpose = 'server' }: CertificateWishes): object[] {
  const altNames = names.map((name) =>
    name.startsWith('IP:') ? { type: 7, ip: name.slice(3) } : { type: 2, value: name.slice(4) },
  )
  return [
    { name: 'basicConstraints', cA: false },
    ...(altNames.length > 0 ? [{ name: 'subjectAltName', altNames }] : []),
    ...(purpose === 'any' ? [] : [{ name: 'extKeyUsage', serverAuth: purpose === 'server', clientAuth: purpose === 'client' }]),
  ]
}

const keyPair = (): Pair => pairOf(nextRsaPair())

function pairOf({ privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }): Pair {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    pem,
    privateKey: forge.pki.privateKeyFromPem(pem),
    publicKey: forge.pki.publicKeyFromPem(
      publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ) as forge.pki.rsa.PublicKey,
  }
}

const HELD = pairOf(RSA_PAIR)

function certify(options: {
  readonly commonName: string
  readonly pair: Pair
  readonly extensions: object[]
  readonly issuer?: Issuer | undefined
  readonly days?: readonly [number, number] | undefined
}): string {
  const { commonName, pair, extensions, days: [from, to] = [-1, 1] } = options
  const issuer = options.issuer ?? { commonName, pair }
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = pair.publicKey
  certificate.serialNumber = (++serial).toString(16).padStart(2, '0')
  certificate.validity.notBefore = new Date(Date.now() + from * DAY_MS)
  certificate.validity.notAfter = new Date(Date.now() + to * DAY_MS)
  certificate.setSubject([{ name: 'commonName', value: commonName }])
  certificate.setIssuer([{ name: 'commonName', value: issuer.commonName }])
  certificate.setExtensions(extensions)
  certificate.sign(issuer.pair.privateKey, forge.md.sha256.create())
  return forge.pki.certificateToPem(certificate)
}
