/** Reads from claims the service account, the issuer and the audiences of a token (source: behaviour of the originals). */
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import type { Claims } from './jwt.ts'

/** The prefix that real clusters write. */
const PREFIX = 'kubernetes.io'

/** The expected issuer where the configuration names none. */
export const DEFAULT_ISSUER = 'kubernetes/serviceaccount'

/** The service account of a token; texts are empty where the token does not say. */
export interface ServiceAccount {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** The name of the secret that keeps the token. */
  readonly secretName: string
}

/**
 * Tokens kept as secrets have one claim for each member; those made for a pod have one object with all. Where a token has both,
 * the object decides every member it covers, even with an empty value. Other members are ignored.
 * @throws KernelError 403 (`claims-malformed`) for values that are no texts, too long for a name, or with `/` or `:` in them
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

/** To be called after name and namespace have been checked. @throws KernelError 403 (`uid-missing`) */
export function checkUid({ uid }: ServiceAccount): void {
  if (uid === '') throw refuseLogin('uid-missing')
}

/**
 * A single text counts as a list of one (RFC 7519 section 4.1.3). @throws KernelError 403 (`claims-malformed`) for anything else
 * but a list of texts
 */
export function audiencesOf(claims: Claims): readonly string[] {
  const audience = memberOf(claims, 'aud')
  if (audience === undefined) return []
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience]
  if (!list.every((one) => typeof one === 'string')) throw refuseLogin('claims-malformed')
  return list
}

/** @param wanted Empty accepts any; the claim must still be well-formed. @throws KernelError 403 */
export function checkAudience(claims: Claims, wanted: string): void {
  const audiences = audiencesOf(claims)
  if (wanted !== '' && !audiences.includes(wanted)) throw refuseLogin('audience-mismatch')
}

/** @param wanted Empty means {@link DEFAULT_ISSUER}. @throws KernelError 403 */
export function checkIssuer(claims: Claims, wanted: string): void {
  if (memberOf(claims, 'iss') !== (wanted || DEFAULT_ISSUER)) throw refuseLogin('issuer-mismatch')
}

/** The longest name of a service account (RFC 1123 subdomain); names of namespaces and uids are shorter. */
const MAX_NAME_CHARACTERS = 253

/**
 * No orchestrator name contains these. An account is identified here by `namespace/name` or its uid, and in the server by
 * `system:serviceaccount:namespace:name`: with a delimiter in a part, two accounts could share one name.
 */
const DELIMITERS = /[/:]/

/** Empty where the member is absent or null. */
function textOf(from: object, name: string): string {
  const value = memberOf(from, name) ?? ''
  if (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS || DELIMITERS.test(value))
    throw refuseLogin('claims-malformed')
  return value
}

/** Undefined where the member is absent or null. */
function objectOf(from: object, name: string): object | undefined {
  const value = memberOf(from, name) ?? undefined
  if (value !== undefined && (typeof value !== 'object' || Array.isArray(value))) throw refuseLogin('claims-malformed')
  return value
}
