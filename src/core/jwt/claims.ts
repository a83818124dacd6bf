/** Reads the service account, the issuer and the audiences from the claims of a Kubernetes token, by Vault's rules. */
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import type { Claims } from './jwt.ts'

/** The prefix of the claims that Kubernetes writes. */
const PREFIX = 'kubernetes.io'

/** The expected issuer if the configuration has none. */
export const DEFAULT_ISSUER = 'kubernetes/serviceaccount'

/** The service account of a token. Members are empty if the token does not have them. */
export interface ServiceAccount {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** The name of the secret that contains the token. */
  readonly secretName: string
}

/**
 * Tokens from secrets have one claim per member, and tokens for pods have one object with all members. If a token has both, the object
 * decides every member that it can contain, even if the member is empty.
 * @throws KernelError 403 (`claims-malformed`) for values that are not strings, are too long for a name, or contain `/` or `:`
 */
export function serviceAccountOf(claims: Claims): ServiceAccount {
  const flat = (name: string): string => textOf(claims, `${PREFIX}/serviceaccount/${name}`)
  const kept = {
    name: flat('service-account.name'),
    namespace: flat('namespace'),
    uid: flat('service-account.uid'),
    secretName: flat('secret.name'),
  }
  const bound = objectOf(claims, PREFIX)
  if (!bound) return kept
  const namespace = textOf(bound, 'namespace')
  const account = objectOf(bound, 'serviceaccount')
  return account ? { ...kept, namespace, name: textOf(account, 'name'), uid: textOf(account, 'uid') } : { ...kept, namespace }
}

/** Call it after name and namespace have been checked. @throws KernelError 403 (`uid-missing`) */
export function checkUid({ uid }: ServiceAccount): void {
  if (uid === '') throw refuseLogin('uid-missing')
}

/**
 * A single string counts as a list of one (RFC 7519 section 4.1.3).
 * @throws KernelError 403 (`claims-malformed`) for anything but a string or a list of strings
 */
export function audiencesOf(claims: Claims): readonly string[] {
  const audience = memberOf(claims, 'aud')
  if (audience === undefined) return []
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience]
  if (!list.every((one) => typeof one === 'string')) throw refuseLogin('claims-malformed')
  return list
}

/** @param wanted Empty accepts every audience, but the claim must be well-formed. @throws KernelError 403 */
export function checkAudience(claims: Claims, wanted: string): void {
  const audiences = audiencesOf(claims)
  if (wanted !== '' && !audiences.includes(wanted)) throw refuseLogin('audience-mismatch')
}

/** @param wanted Empty means {@link DEFAULT_ISSUER}. @throws KernelError 403 */
export function checkIssuer(claims: Claims, wanted: string): void {
  if (memberOf(claims, 'iss') !== (wanted || DEFAULT_ISSUER)) throw refuseLogin('issuer-mismatch')
}

/** The length limit of a service account name (RFC 1123 subdomain). Namespaces and uids are shorter. */
const MAX_NAME_CHARACTERS = 253

/**
 * Kubernetes names do not contain these. Accounts are identified by `namespace/name` or uid here, and by
 * `system:serviceaccount:namespace:name` in the API server, so with a delimiter in one part two accounts could have the same identifier.
 */
const DELIMITERS = /[/:]/

/** Empty if the member is absent or null. */
function textOf(from: object, name: string): string {
  const value = memberOf(from, name) ?? ''
  if (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS || DELIMITERS.test(value))
    throw refuseLogin('claims-malformed')
  return value
}

/** Undefined if the member is absent or null. */
function objectOf(from: object, name: string): object | undefined {
  const value = memberOf(from, name) ?? undefined
  if (value !== undefined && (typeof value !== 'object' || Array.isArray(value))) throw refuseLogin('claims-malformed')
  return value
}
