/** Reads the claims of a Kubernetes token by Vault's rules: the service account, the issuer and the audiences. */
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import type { Claims } from './jwt.ts'

/** The prefix of the claims that Kubernetes writes. */
const PREFIX = 'kubernetes.io'

/** The expected issuer if the configuration specifies no issuer. */
export const DEFAULT_ISSUER = 'kubernetes/serviceaccount'

/** The service account in the claims of a token. If a claim is missing, its member is an empty string. */
export interface ServiceAccount {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** The name of the Kubernetes secret that contains the token. */
  readonly secretName: string
}

/**
 * A token from a secret has one claim for each member of {@link ServiceAccount}. A token for a pod has a single claim: an object with the
 * members except `secretName`. If a token has both forms, the namespace is read from the object, and so are the name and the uid if the
 * object contains `serviceaccount`.
 * @throws KernelError 403 (`claims-malformed`) if a value is not a string, is too long for a name, or contains `/` or `:`
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

/**
 * @throws KernelError 403 (`uid-missing`) if the uid is missing. Call it after the name and the namespace were checked, so that their errors
 * take precedence.
 */
export function checkUid({ uid }: ServiceAccount): void {
  if (uid === '') throw refuseLogin('uid-missing')
}

/**
 * The audiences of a token. A single string means one audience (RFC 7519 section 4.1.3).
 * @throws KernelError 403 (`claims-malformed`) if the claim is not a string or a list of strings
 */
export function audiencesOf(claims: Claims): readonly string[] {
  const audience = memberOf(claims, 'aud')
  if (audience === undefined) return []
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience]
  if (!list.every((one) => typeof one === 'string')) throw refuseLogin('claims-malformed')
  return list
}

/**
 * @param wanted The accepted audience. If empty, every audience is accepted, but the claim must still be well-formed. @throws KernelError
 * 403
 */
export function checkAudience(claims: Claims, wanted: string): void {
  const audiences = audiencesOf(claims)
  if (wanted !== '' && !audiences.includes(wanted)) throw refuseLogin('audience-mismatch')
}

/** @param wanted The expected issuer. Empty means {@link DEFAULT_ISSUER}. @throws KernelError 403 */
export function checkIssuer(claims: Claims, wanted: string): void {
  if (memberOf(claims, 'iss') !== (wanted || DEFAULT_ISSUER)) throw refuseLogin('issuer-mismatch')
}

/** The maximum length of a service account name (RFC 1123 subdomain). Namespaces and uids are shorter. */
const MAX_NAME_CHARACTERS = 253

/**
 * Characters that a Kubernetes name cannot contain. An account is identified by `namespace/name` or by its uid here, and by
 * `system:serviceaccount:namespace:name` in the API server. If a part could contain a delimiter, two accounts could have the same
 * identifier.
 */
const DELIMITERS = /[/:]/

/** A claim that must be a string. Empty if the claim is absent or null. */
function textOf(from: object, name: string): string {
  const value = memberOf(from, name) ?? ''
  if (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS || DELIMITERS.test(value))
    throw refuseLogin('claims-malformed')
  return value
}

/** A claim that must be an object. Undefined if the claim is absent or null. */
function objectOf(from: object, name: string): object | undefined {
  const value = memberOf(from, name) ?? undefined
  if (value !== undefined && (typeof value !== 'object' || Array.isArray(value))) throw refuseLogin('claims-malformed')
  return value
}
