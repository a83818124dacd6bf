/** TLS versions, cipher suites and curves. */
import { invalid } from '../../../core/base/errors.ts'
import { list, quotedValue, text, word } from '../members/index.ts'

/** Oldest first. */
const VERSIONS = ['TLSv1_0', 'TLSv1_1', 'TLSv1_2', 'TLSv1_3']

const ANY_VERSION = ['TLS_AUTO', 'TLSv1_0', 'TLSv1_1', 'TLSv1_2', 'TLSv1_3'] as const

/** Cipher suites cannot be configured for TLS 1.3 and later. */
const LAST_WITH_CIPHERS = VERSIONS.indexOf('TLSv1_2')

/** Curves cannot be configured for versions before TLS 1.2. */
const FIRST_WITH_CURVES = VERSIONS.indexOf('TLSv1_2')

const CIPHERS: ReadonlySet<string> = new Set([
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_128_CBC_SHA',
  'TLS_RSA_WITH_AES_256_CBC_SHA',
])

const CURVES = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521'] as const

export const tlsVersion = () => word(ANY_VERSION)

const cipher = text({
  rule: (name, path) => {
    if (!CIPHERS.has(name)) throw invalid(`${path}: ${quotedValue(name)} is not a cipher suite that proxies support`)
  },
})

export const cipherSuites = () => list(cipher)

export const curves = () => list(word(CURVES))

/** The TLS members under the names that most entries use. */
export const TLS_SETTINGS = {
  TLSMinVersion: tlsVersion(),
  TLSMaxVersion: tlsVersion(),
  CipherSuites: cipherSuites(),
}

export interface TlsSettings {
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly ciphers?: readonly string[] | undefined
  readonly curves?: readonly string[] | undefined
}

/** Validates that versions, cipher suites and curves fit together. @throws KernelError 400 */
export function checkTls({ min = '', max = '', ciphers, curves: chosen }: TlsSettings, path: string): void {
  const least = VERSIONS.indexOf(min)
  const most = VERSIONS.indexOf(max)
  if (least >= 0 && most >= 0 && most < least)
    throw invalid(`${path}: the maximum TLS version ${max} is below the minimum ${min}`)
  if (ciphers && least > LAST_WITH_CIPHERS)
    throw invalid(`${path}.CipherSuites: cannot be configured if the minimum TLS version is ${min}`)
  if (chosen && least >= 0 && least < FIRST_WITH_CURVES)
    throw invalid(`${path}.ECDHCurves: cannot be configured if the minimum TLS version is ${min}`)
}
