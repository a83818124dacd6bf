/** The source of the public keys for a jwt-provider. */
import { decodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import { bool, int, keepZero, nanoseconds, record, text, word } from '../members/index.ts'
import { checkExactlyOne } from './alternatives.ts'

/** A scheme that is followed by at least one character. */
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/

const DISCOVERY_TYPES = ['STRICT_DNS', 'STATIC', 'LOGICAL_DNS', 'EDS', 'ORIGINAL_DST'] as const

/** Enough for some hundred keys. Decoding more at once would block the event loop. */
const MAX_JWKS_CHARACTERS = 1_048_576

function checkKeys(text: string, path: string): void {
  if (text.length > MAX_JWKS_CHARACTERS) throw invalid(`${path}: must have at most ${MAX_JWKS_CHARACTERS} characters`)
  decodeBase64(text, path)
}

const LOCAL = { JWKS: text({ rule: checkKeys }), Filename: text() }

const local = record(LOCAL, { rule: (value, path) => checkExactlyOne(value, Object.keys(LOCAL), path) })

const backOff = record(
  { BaseInterval: nanoseconds(), MaxInterval: nanoseconds() },
  {
    rule: ({ BaseInterval = 0, MaxInterval }, path) => {
      if (MaxInterval !== undefined && MaxInterval < BaseInterval)
        throw invalid(`${path}.MaxInterval: must not be less than BaseInterval`)
    },
  },
)

const TRUSTED = { Filename: text(), EnvironmentVariable: text(), InlineString: text(), InlineBytes: text() }

const AUTHORITIES = {
  CaCertificateProviderInstance: keepZero(record({ InstanceName: text(), CertificateName: text() })),
  TrustedCA: keepZero(record(TRUSTED, { rule: (value, path) => checkExactlyOne(value, Object.keys(TRUSTED), path) })),
}

const cluster = record({
  DiscoveryType: word(DISCOVERY_TYPES),
  TLSCertificates: keepZero(
    record(AUTHORITIES, { rule: (value, path) => checkExactlyOne(value, Object.keys(AUTHORITIES), path) }),
  ),
  ConnectTimeout: nanoseconds(),
})

const remote = record({
  URI: text(),
  RequestTimeoutMs: int(),
  CacheDuration: nanoseconds(),
  FetchAsynchronously: bool(),
  UseSNI: bool(),
  RetryPolicy: record({ NumRetries: int(), RetryPolicyBackOff: backOff }),
  JWKSCluster: cluster,
})

const SOURCES = { Local: keepZero(local), Remote: keepZero(remote) }

export const KEY_SET = keepZero(
  record(SOURCES, {
    rule: (value, path) => {
      checkExactlyOne(value, Object.keys(SOURCES), path)
      if (value.Remote && !ABSOLUTE_URI.test(value.Remote.URI ?? ''))
        throw invalid(`${path}.Remote.URI: must be an absolute URI with a scheme`)
    },
  }),
)
