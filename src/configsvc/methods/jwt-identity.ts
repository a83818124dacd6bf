/** Verifies tokens for jwt methods, and reads the identity of the caller from the claims. */
import type { Steps } from '../../core/base/steps.ts'
import { refuseLogin } from '../../core/contract/login-refusal.ts'
import { memberOf } from '../../core/json/wide-object.ts'
import { audiencesOf, checkIssuer } from '../../core/jwt/claims.ts'
import { type Claims, type Jwt, parseJwt } from '../../core/jwt/jwt.ts'
import { checkTimes, hasTimes } from '../../core/jwt/times.ts'
import type { VerificationKeys } from '../../core/jwt/verification-keys.ts'
import { verifySteps } from '../../core/jwt/verify.ts'
import { claimLists, claimValues } from './claim-values.ts'
import type { ClaimFields, LoginIdentity, LoginWork } from './identity.ts'
import { algorithmsOf, configuredKeysOf, type JwtConfig, keySourceOf, leewaysOf } from './jwt-config.ts'

/** @throws KernelError 403 if the token is refused, whatever the reason; 429 after too many wrong signatures */
export function jwtIdentity(config: JwtConfig, bearer: string, work: LoginWork): LoginIdentity {
  // Validate the claims before the signature, whose verification is expensive.
  const jwt = parseJwt(bearer)
  validateClaims(config, jwt, work.now)
  const keys = keysFor(config, jwt, work)
  work.steps('signature', () => checkSignature(keys, jwt, work))
  return claimsIdentity(config, {
    value: claimValues(jwt.claims, config.ClaimMappings ?? {}),
    list: claimLists(jwt.claims, config.ListClaimMappings ?? {}),
  })
}

function validateClaims(config: JwtConfig, { algorithm, claims }: Jwt, now: number): void {
  if (!algorithmsOf(config).includes(algorithm.name)) throw refuseLogin('algorithm-not-allowed')
  if (!hasTimes(claims)) throw refuseLogin('times-missing')
  checkTimes(claims, now, leewaysOf(config))
  if (config.BoundIssuer) checkIssuer(claims, config.BoundIssuer)
  checkAudiences(claims, config.BoundAudiences ?? [])
}

/** As in Consul, a method without bound audiences refuses a token that has an audience. */
function checkAudiences(claims: Claims, bound: readonly string[]): void {
  const audiences = new Set(memberOf(claims, 'aud') === null ? [] : audiencesOf(claims))
  const fits = bound.length === 0 ? audiences.size === 0 : bound.some((audience) => audiences.has(audience))
  if (!fits) throw refuseLogin('audience-mismatch')
}

/** @throws KernelError 403 if the keys cannot be fetched, or if the issuer of the token is not that of the keys */
function keysFor(config: JwtConfig, { keyId, claims }: Jwt, { crypto, keySets, signal, once }: LoginWork): VerificationKeys {
  const source = keySourceOf(config)
  if (!source) return configuredKeysOf(config, crypto)
  const outcome = once('keys', () => keySets.keysOf(source, keyId, signal))
  if ('failure' in outcome) throw refuseLogin(outcome.failure)
  if (outcome.issuer !== undefined) checkIssuer(claims, outcome.issuer)
  return outcome.keys
}

function* checkSignature(keys: VerificationKeys, jwt: Jwt, { allowance }: LoginWork): Steps<void> {
  if (!(yield* verifySteps(jwt, keys, allowance))) throw refuseLogin('signature-invalid')
}

/** Claims that the token does not contain are absent in selectors, and empty in templates. */
export function claimsIdentity(config: JwtConfig, fields: ClaimFields): LoginIdentity {
  const variables = Object.values(config.ClaimMappings ?? {}).map((name) => {
    const value = Object.hasOwn(fields.value, name) ? fields.value[name] : undefined
    return [claimVariable(name), value ?? ''] as const
  })
  return { selectable: fields, variables: Object.fromEntries(variables) }
}

export const claimVariable = (name: string): string => `value.${name}`
