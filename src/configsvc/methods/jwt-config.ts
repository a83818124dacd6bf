/** The `Config` of auth methods of type jwt. */

import { invalid } from '../../core/base/errors.ts'
import { parseGoDuration } from '../../core/base/go-duration.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import { ALGORITHMS } from '../../core/jwt/algorithms.ts'
import { checkAuthorities } from '../../core/jwt/review-config.ts'
import { LEEWAYS, type Leeways } from '../../core/jwt/times.ts'
import { VerificationKeys } from '../../core/jwt/verification-keys.ts'
import type { ClaimMapping } from './claim-values.ts'
import {
  type Leeway,
  mappingReader,
  type ReadMember,
  readLeeway,
  readMembers,
  textListReader,
  textReader,
} from './config-members.ts'
import { isFetchable, type KeySource } from './published-keys.ts'

/**
 * The members with canonical names, as the request contains them; a single string becomes a list. Members that the request omits are
 * absent.
 */
export interface JwtConfig {
  /** PEM of public keys or certificates. Exactly one of this, `JWKSURL` and `OIDCDiscoveryURL` is set. */
  readonly JWTValidationPubKeys?: readonly string[]
  /** URL of the key set that the identity provider publishes. */
  readonly JWKSURL?: string
  readonly JWKSCACert?: string
  /** The issuer, whose discovery document contains the URL of its key set. */
  readonly OIDCDiscoveryURL?: string
  readonly OIDCDiscoveryCACert?: string
  readonly JWTSupportedAlgs?: readonly string[]
  readonly BoundIssuer?: string
  readonly BoundAudiences?: readonly string[]
  readonly ClaimMappings?: ClaimMapping
  readonly ListClaimMappings?: ClaimMapping
  readonly ExpirationLeeway?: Leeway
  readonly NotBeforeLeeway?: Leeway
  readonly ClockSkewLeeway?: Leeway
}

/** The maximum number of keys. In the worst case, a login tries all of them. */
const MAX_JWT_KEYS = 32
const MAX_KEY_CHARACTERS = 16_384
const MAX_AUDIENCES = 256
const MAX_CLAIM_MAPPINGS = 256
const MAX_NAME_CHARACTERS = 2048
/**
 * The maximum number of characters of a JSON pointer. In a pointer such as `/a/b`, every two characters are one level, and every login
 * follows all levels.
 */
const MAX_CLAIM_NAME_CHARACTERS = 512
const MAX_AUTHORITIES_CHARACTERS = 131_072

/** An empty string counts as absent. */
const unlessEmpty =
  (check: (value: string, name: string) => void, longest: number): ReadMember<string | undefined> =>
  (value, name) => {
    const given = textReader(longest)(value, name)
    if (given === '') return undefined
    check(given, name)
    return given
  }

const url = unlessEmpty((value, name) => {
  if (!isFetchable(value)) throw invalid(`${name}: must be an http or https URL without credentials and fragment`)
}, MAX_NAME_CHARACTERS)

const authorities = unlessEmpty(checkAuthorities, MAX_AUTHORITIES_CHARACTERS)

const READERS = {
  JWTValidationPubKeys: textListReader(MAX_JWT_KEYS, MAX_KEY_CHARACTERS),
  JWTSupportedAlgs: textListReader(MAX_AUDIENCES, MAX_NAME_CHARACTERS),
  BoundIssuer: textReader(MAX_NAME_CHARACTERS),
  BoundAudiences: textListReader(MAX_AUDIENCES, MAX_NAME_CHARACTERS),
  ClaimMappings: mappingReader(MAX_CLAIM_MAPPINGS, MAX_CLAIM_NAME_CHARACTERS),
  ListClaimMappings: mappingReader(MAX_CLAIM_MAPPINGS, MAX_CLAIM_NAME_CHARACTERS),
  ExpirationLeeway: readLeeway,
  NotBeforeLeeway: readLeeway,
  ClockSkewLeeway: readLeeway,
  JWKSURL: url,
  JWKSCACert: authorities,
  OIDCDiscoveryURL: url,
  OIDCDiscoveryCACert: authorities,
} satisfies Readonly<Record<string, ReadMember<unknown>>>

/** Members that only the type oidc has, in lower case. */
const OIDC_ONLY_MEMBERS = new Set([
  'oidcclientid',
  'oidcclientsecret',
  'oidcscopes',
  'oidcacrvalues',
  'allowedredirecturis',
  'verboseoidclogging',
])

const whyNot = (name: string): string =>
  OIDC_ONLY_MEMBERS.has(name)
    ? 'belongs to the type oidc, not to jwt'
    : `unknown; a jwt method has ${Object.keys(READERS).join(', ')}`

/** @throws KernelError 400 */
export function readJwtConfig(config: unknown, crypto: CryptoBackend): JwtConfig {
  const members = readMembers(config, READERS, whyNot)
  const { JWTValidationPubKeys: keys = [], ...rest } = members
  const read = (keys.length > 0 ? { JWTValidationPubKeys: keys, ...rest } : rest) as JwtConfig
  checkSources(read)
  const unknown = rest.JWTSupportedAlgs?.find((name) => !ALGORITHMS.has(name))
  if (unknown !== undefined) throw invalid(`Config.JWTSupportedAlgs: must be one of ${[...ALGORITHMS.keys()].join(', ')}`)
  if (read.JWTValidationPubKeys) configuredKeysOf(read, crypto)
  return read
}

const SOURCES = ['JWTValidationPubKeys', 'JWKSURL', 'OIDCDiscoveryURL'] as const

/** @throws KernelError 400 unless exactly one source of keys is configured */
function checkSources(config: JwtConfig): void {
  const given = SOURCES.filter((name) => config[name] !== undefined)
  if (given.length !== 1)
    throw invalid(`Config: exactly one of ${SOURCES.join(', ')} is required, not ${given.join(' and ') || 'none'}`)
  if (config.JWKSCACert !== undefined && config.JWKSURL === undefined) throw invalid('Config.JWKSCACert: requires JWKSURL')
  if (config.OIDCDiscoveryCACert !== undefined && config.OIDCDiscoveryURL === undefined)
    throw invalid('Config.OIDCDiscoveryCACert: requires OIDCDiscoveryURL')
}

/** The source from which to fetch the keys of the method; undefined if the configuration itself contains the keys. */
export function keySourceOf({ JWKSURL, JWKSCACert, OIDCDiscoveryURL, OIDCDiscoveryCACert }: JwtConfig): KeySource | undefined {
  if (JWKSURL !== undefined) return { url: JWKSURL, isIssuer: false, caCert: JWKSCACert ?? null }
  if (OIDCDiscoveryURL !== undefined) return { url: OIDCDiscoveryURL, isIssuer: true, caCert: OIDCDiscoveryCACert ?? null }
  return undefined
}

const parsed = new WeakMap<JwtConfig, VerificationKeys>()

/** Returns the keys in the configuration. Parses them only once for each configuration object. @throws KernelError 400 for an invalid key */
export function configuredKeysOf(config: JwtConfig, crypto: CryptoBackend): VerificationKeys {
  const keys = parsed.get(config) ?? VerificationKeys.of(config.JWTValidationPubKeys ?? [], 'Config.JWTValidationPubKeys', crypto)
  parsed.set(config, keys)
  return keys
}

/** Consul's default. */
const DEFAULT_ALGORITHMS: readonly string[] = ['RS256']

export const algorithmsOf = ({ JWTSupportedAlgs: named = [] }: JwtConfig): readonly string[] =>
  named.length > 0 ? named : DEFAULT_ALGORITHMS

/** As in Consul, the default applies if a leeway is 0 or absent, and a negative value means no leeway. */
export function leewaysOf({ ExpirationLeeway, NotBeforeLeeway, ClockSkewLeeway }: JwtConfig): Leeways {
  return {
    afterBeginning: secondsOf(ExpirationLeeway, LEEWAYS.afterBeginning),
    beforeEnd: secondsOf(NotBeforeLeeway, LEEWAYS.beforeEnd),
    skew: secondsOf(ClockSkewLeeway, LEEWAYS.skew),
  }
}

function secondsOf(value: Leeway = 0, preset: number): number {
  const seconds = Number(parseGoDuration(value, 'leeway')) / 1e9
  return seconds === 0 ? preset : Math.max(seconds, 0)
}
