/**
 * What claims say of whose token it is, from whom and for whom (source: behaviour of the originals).
 */
import { refuseLogin } from '../../../core/contract/login-refusal.ts'
import { memberOf } from '../../../core/json/wide-object.ts'
import type { Claims } from './parse.ts'

/** What real clusters write. */
const PREFIX = 'kubernetes.io'

/** The issuer of tokens where the configuration names none. */
export const DEFAULT_ISSUER = 'kubernetes/serviceaccount'

/** Empty where the token does not say. */
export interface ServiceAccount {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** Of tokens that are kept as secrets. */
  readonly secretName: string
}

/**
 * Tokens that are kept as secrets have one claim for each, those made for a pod one object with all. Of a token with both, what the
 * object is about counts as the object says, even where it says nothing. Members it has beyond that are not looked at.
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

/** To be asked when name and namespace have been judged. @throws KernelError 403 (`uid-missing`) */
export function checkUid({ uid }: ServiceAccount): void {
  if (uid === '') throw refuseLogin('uid-missing')
}

/** One text is a list of one (RFC 7519 section 4.1.3). @throws KernelError 403 (`claims-malformed`) for anything else but a list of texts */
export function audiencesOf(claims: Claims): readonly string[] {
  const audience = memberOf(claims, 'aud')
  if (audience === undefined) return []
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience]
  if (!list.every((one) => typeof one === 'string')) throw refuseLogin('claims-malformed')
  return list
}

/** @param wanted Empty for any; the claim must be well-formed all the same. @throws KernelError 403 */
export function checkAudience(claims: Claims, wanted: string): void {
  const audiences = audiencesOf(claims)
  if (wanted !== '' && !audiences.includes(wanted)) throw refuseLogin('audience-mismatch')
}

/** @param wanted Empty for {@link DEFAULT_ISSUER}. @throws KernelError 403 */
export function checkIssuer(claims: Claims, wanted: string): void {
  if (memberOf(claims, 'iss') !== (wanted || DEFAULT_ISSUER)) throw refuseLogin('issuer-mismatch')
}

/** As long as names of service accounts can be (RFC 1123 subdomains); those of namespaces and uids are shorter. */
const LONGEST = 253

/**
 * Nothing in an orchestrator is called so. An account is known here by `namespace/name` or its uid, and to the server by
 * `system:serviceaccount:namespace:name`: with these in a part, two accounts would have one name.
 */
const DELIMITERS = /[/:]/

/** Empty where it is absent or null. */
function textOf(from: object, name: string): string {
  const value = memberOf(from, name) ?? ''
  if (typeof value !== 'string' || value.length > LONGEST || DELIMITERS.test(value)) throw refuseLogin('claims-malformed')
  return value
}

/** Undefined where it is absent or null. */
function objectOf(from: object, name: string): object | undefined {
  const value = memberOf(from, name) ?? undefined
  if (value !== undefined && (typeof value !== 'object' || Array.isArray(value))) throw refuseLogin('claims-malformed')
  return value
}
