/** Reads a hypothetical identity. A caller sends it to find out what a login with this identity would be granted. */
import { invalid } from '../../core/base/errors.ts'
import { WideObject } from '../../core/json/wide-object.ts'
import type { LoginIdentity } from './identity.ts'
import type { JwtConfig } from './jwt-config.ts'
import { claimsIdentity } from './jwt-identity.ts'
import { accountIdentity, SERVICE_ACCOUNT_MEMBERS } from './kubernetes-identity.ts'

/** The maximum number of characters of one value. A value from a real login is no longer, because a token has the same limit. */
const MAX_TEXT_CHARACTERS = 16_384
const MAX_LIST_ITEMS = 8192

type Members = Readonly<Record<string, unknown>>

/** Reads `{ serviceaccount: { namespace, name, uid } }`. An absent member counts as an empty string. @throws KernelError 400 */
export function hypotheticalAccount(identity: unknown): LoginIdentity {
  const { serviceaccount } = readMembersOf(identity, 'identity', ['serviceaccount'])
  const given = readMembersOf(serviceaccount, 'identity.serviceaccount', SERVICE_ACCOUNT_MEMBERS)
  const [namespace, name, uid] = SERVICE_ACCOUNT_MEMBERS.map((member) =>
    textOf(given[member] ?? '', `identity.serviceaccount.${member}`),
  )
  return accountIdentity({ namespace: namespace as string, name: name as string, uid: uid as string })
}

/**
 * Reads `{ value: { <name>: text }, list: { <name>: [text] } }`, with the names to which the auth method maps claims. If a name is absent,
 * the token does not contain the claim.
 * @throws KernelError 400
 */
export function hypotheticalClaims(config: JwtConfig, identity: unknown): LoginIdentity {
  const { value, list } = readMembersOf(identity, 'identity', ['value', 'list'])
  return claimsIdentity(config, {
    value: readMapped(value, 'identity.value', config.ClaimMappings, textOf),
    list: readMapped(list, 'identity.list', config.ListClaimMappings, listOf),
  })
}

function readMapped<T>(given: unknown, name: string, mapping: Members = {}, read: (value: unknown, name: string) => T) {
  const entries = Object.entries(readMembersOf(given, name, Object.values(mapping) as string[]))
  return Object.fromEntries(entries.map(([member, value]) => [member, read(value, `${name}.${member}`)] as const))
}

function readMembersOf(given: unknown, name: string, known: readonly string[]): Members {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'object' || Array.isArray(given) || given instanceof WideObject)
    throw invalid(`${name}: must be an object`)
  const names = new Set(known)
  if (Object.keys(given).some((member) => !names.has(member)))
    throw invalid(`${name}: must only have members that the auth method provides`)
  return given as Members
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARACTERS)
    throw invalid(`${name}: must be a string of at most ${MAX_TEXT_CHARACTERS} characters`)
  return value
}

function listOf(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_LIST_ITEMS)
    throw invalid(`${name}: must be a list of at most ${MAX_LIST_ITEMS} strings`)
  return value.map((one) => textOf(one, name))
}
