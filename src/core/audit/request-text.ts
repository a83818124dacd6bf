/**
 * The members `auth` and `request` of an entry, as JSON text (source: behaviour of the originals). Room: core/audit. Imported by
 * record-request.ts.
 */
import type { TokenCaller } from '../auth/caller.ts'
import { rfc3339 } from '../clock.ts'
import { type Eventually, whenThere } from '../eventually.ts'
import { isAuth, type Mount } from '../mount/mount.ts'
import type { NamespaceRecord } from '../namespace/namespace.ts'
import { namesOf } from '../request/wide-object.ts'
import type { Device } from './device.ts'
import type { AuditAuth } from './entry.ts'
import type { Place, RecordedHeader, RequestRecord } from './record-request.ts'

/** Nobody, or nobody known. */
const UNKNOWN = '{"token_type":"default"}'
const APP = '{"display_name":"app","policy_results":{"allowed":true},"token_type":"default"}'

export function authText(device: Device, { caller, judgement }: RequestRecord): string {
  if (caller.kind === 'app') return APP
  if (caller.kind === 'anonymous') return UNKNOWN
  const [front, behind] = device.marksOf(caller).auth
  return front + JSON.stringify(resultsOf(caller, judgement)) + behind
}

/** The text of `auth` in front of the value of `policy_results`, and behind it. */
export function authParts(caller: TokenCaller, token: string, accessor: string): readonly [string, string] {
  const front = JSON.stringify({
    client_token: token,
    ...(accessor === '' ? {} : { accessor }),
    ...describe(caller),
  } satisfies AuditAuth)
  const behind = JSON.stringify({
    ...nonEmpty('metadata', caller.token.meta),
    ...positive('remaining_uses', caller.token.num_uses),
    ...issue(caller),
  } satisfies AuditAuth)
  return [`${front.slice(0, -1)},"policy_results":`, `,${behind.slice(1)}`]
}

/** What policies say of a caller is in the clear. */
export const describe = ({ token, identityPolicies }: TokenCaller): AuditAuth => ({
  ...(token.display_name === '' ? {} : { display_name: token.display_name }),
  policies: identityPolicies.length === 0 ? token.policies : [...new Set([...token.policies, ...identityPolicies])].sort(),
  token_policies: token.policies,
  ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
})

const issue = ({ token }: TokenCaller): AuditAuth => ({
  ...(token.entity === '' ? {} : { entity_id: token.entity }),
  token_type: token.type,
  ...positive('token_ttl', token.creation_ttl),
  // The seconds are enough for the originals.
  token_issue_time: rfc3339(token.created - (token.created % 1000)).replace('.000', ''),
})

function resultsOf({ namespace }: TokenCaller, judgement: RequestRecord['judgement']): NonNullable<AuditAuth['policy_results']> {
  if (!judgement?.allowed) return { allowed: false }
  const where = { namespace_id: idOf(namespace), ...(namespace.path === '' ? {} : { namespace_path: namespace.path }) }
  return { allowed: true, granting_policies: judgement.granting.map((name) => ({ name, ...where, type: 'acl' as const })) }
}

export function requestText(device: Device, { request, place, caller, operation }: RequestRecord): Eventually<string> {
  const { id, token, data, remoteAddress, wrapTtl, headers } = request
  const { namespace, path, mount } = place
  const marks = caller.kind === 'token' ? device.marksOf(caller) : undefined
  const sent = marks?.token ?? (token ? device.hasher.text(token) : undefined)
  const mounted = mountText(place)
  const head =
    `{"id":"${id}","operation":"${operation}"${mounted && `,${mounted}`}` +
    (sent === undefined ? '' : `,"client_token":${JSON.stringify(sent)}`) +
    (marks && marks.accessor !== '' ? `,"client_token_accessor":${JSON.stringify(marks.accessor)}` : '') +
    `,"namespace":${namespaceText(namespace)},"path":${JSON.stringify(path)}`
  const tail =
    (remoteAddress === undefined ? '' : `,"remote_address":${JSON.stringify(remoteAddress)}`) +
    (wrapTtl > 0 ? `,"wrap_ttl":${wrapTtl}` : '') +
    (headers.size === 0 ? '' : `,"headers":${JSON.stringify(headersOf(device, headers))}`) +
    '}'
  if (isEmpty(data)) return head + tail
  const clear = mount?.record.config.audit_non_hmac_request_keys ?? NONE
  return whenThere(device.data(data, clear), (text) => `${head},"data":${text}${tail}`)
}

export const NONE: readonly string[] = Object.freeze([])

export function isEmpty(data: object): boolean {
  for (const _ of namesOf(data)) return false
  return true
}

/** What both entries say of the mount, without braces. A mount lies in one namespace, and is another object when it changes. */
export function mountText({ mount, namespace }: Place): string {
  if (!mount) return ''
  const known = mountTexts.get(mount)
  if (known !== undefined) return known
  const { path, type, accessor } = mount.record
  const text = JSON.stringify({
    mount_point: namespace.path + path,
    mount_type: type,
    ...(accessor === '' ? {} : { mount_accessor: accessor }),
    mount_class: isAuth(mount.record) ? 'auth' : 'secret',
  }).slice(1, -1)
  mountTexts.set(mount, text)
  return text
}

const mountTexts = new WeakMap<Mount, string>()

const ROOT = '{"id":"root"}'
const namespaceText = ({ id, path }: NamespaceRecord): string => (id === '' ? ROOT : JSON.stringify({ id, path }))

const idOf = ({ id }: NamespaceRecord): string => (id === '' ? 'root' : id)

function headersOf(device: Device, headers: ReadonlyMap<string, RecordedHeader>) {
  const shown = [...headers].map(([name, { values, hmac }]) => [
    name,
    hmac ? values.map((value) => device.salted.text(value)) : values,
  ])
  return Object.fromEntries(shown) as Readonly<Record<string, readonly string[]>>
}

const positive = <N extends string>(name: N, value: number): { readonly [K in N]?: number } =>
  (value > 0 ? { [name]: value } : {}) as { readonly [K in N]?: number }

const nonEmpty = <N extends string, T extends object>(name: N, value: T | null): { readonly [K in N]?: T } =>
  (value && Object.keys(value).length > 0 ? { [name]: value } : {}) as { readonly [K in N]?: T }
