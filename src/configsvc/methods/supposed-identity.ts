/** Reads the identity that somebody asks about: what a caller with it would get. */
import { invalid } from '../../core/base/errors.ts'
import { WideObject } from '../../core/json/wide-object.ts'
import type { Identity } from './identity.ts'
import type { JwtConfig } from './jwt-config.ts'
import { claimsIdentity } from './jwt-identity.ts'
import { ACCOUNT_MEMBERS, accountIdentity } from './kubernetes-identity.ts'

/** The longest text of an identity: no token is longer. */
const LONGEST = 16_384
const MOST_ITEMS = 8192

type Members = Readonly<Record<string, unknown>>

/** `{ serviceaccount: { namespace, name, uid } }`; an absent member is empty. @throws KernelError 400 */
export function supposedAccount(identity: unknown): Identity {
  const { serviceaccount } = membersOf(identity, 'identity', ['serviceaccount'])
  const given = membersOf(serviceaccount, 'identity.serviceaccount', ACCOUNT_MEMBERS)
  const [namespace, name, uid] = ACCOUNT_MEMBERS.map((member) => textOf(given[member] ?? '', `identity.serviceaccount.${member}`))
  return accountIdentity({ namespace: namespace as string, name: name as string, uid: uid as string })
}

/**
 * `{ value: { <name>: text }, list: { <name>: [text] } }` of mapped names; what is absent, the token lacks.
 * @throws KernelError 400
 */
export function supposedClaims(config: JwtConfig, identity: unknown): Identity {
  const { value, list } = membersOf(identity, 'identity', ['value', 'list'])
  return claimsIdentity(config, {
    value: mappedOf(value, 'identity.value', config.ClaimMappings, textOf),
    list: mappedOf(list, 'identity.list', config.ListClaimMappings, listOf),
  })
}

function mappedOf<T>(given: unknown, name: string, mapping: Members = {}, read: (value: unknown, name: string) => T) {
  const entries = Object.entries(membersOf(given, name, Object.values(mapping) as string[]))
  return Object.fromEntries(entries.map(([member, value]) => [member, read(value, `${name}.${member}`)] as const))
}

function membersOf(given: unknown, name: string, known: readonly string[]): Members {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'object' || Array.isArray(given) || given instanceof WideObject)
    throw invalid(`${name}: must be an object`)
  const names = new Set(known)
  if (Object.keys(given).some((member) => !names.has(member)))
    throw invalid(`${name}: has a member that this method does not give`)
  return given as Members
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length > LONGEST)
    throw invalid(`${name}: must be a text of at most ${LONGEST} characters`)
  return value
}

function listOf(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value) || value.length > MOST_ITEMS) throw invalid(`${name}: must be a list of at most ${MOST_ITEMS} texts`)
  return value.map((one) => textOf(one, name))
}
