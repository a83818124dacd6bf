/** Writes the members `auth` and `request` of an entry as JSON text, in Vault's format. */
import type { MaybePromise } from '../base/maybe-promise.ts'
import { isAuth } from '../contract/mount-record.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import { memberNames } from '../json/wide-object.ts'
import type { Mount } from '../mount/mount.ts'
import type { AuditBasis, AuditedPath, RecordedHeader } from './audit-basis.ts'
import type { Device } from './device.ts'

/** The `auth` of a caller without a token. */
const UNKNOWN = '{"token_type":"default"}'

const APP = '{"display_name":"app","policy_results":{"allowed":true},"token_type":"default"}'

export function authText(device: Device, { caller, policyResults }: AuditBasis): string {
  if (caller.kind === 'app') return APP
  return caller.kind === 'anonymous' ? UNKNOWN : device.textOf(caller).auth(policyResults)
}

export function requestText(device: Device, { request, at: place, caller, operation }: AuditBasis): MaybePromise<string> {
  const { id, token, data, remoteAddress, wrapTtl, headers, secondary } = request
  const { namespace, path, mount } = place
  const sent =
    caller.kind === 'token'
      ? device.textOf(caller).request
      : token
        ? `,"client_token":${JSON.stringify(device.hasher.text(token))}`
        : ''
  const head =
    `{"id":${JSON.stringify(id)},"operation":"${operation}"${mountText(place)}${sent}` +
    `,"namespace":${namespaceText(namespace)},"path":${JSON.stringify(path)}`
  const tail =
    (remoteAddress === undefined ? '' : `,"remote_address":${JSON.stringify(remoteAddress)}`) +
    (wrapTtl > 0 ? `,"wrap_ttl":${wrapTtl}` : '') +
    (secondary === undefined ? '' : `,"replication_cluster":${JSON.stringify(secondary)}`) +
    (headers.size === 0 ? '' : `,"headers":${JSON.stringify(headersOf(device, headers))}`)
  if (hasNoMembers(data)) return `${head}${tail}}`
  const clear = mount?.record.config.audit_non_hmac_request_keys ?? NONE
  const text = device.data(data, clear)
  return text instanceof Promise ? text.then((late) => `${head},"data":${late}${tail}}`) : `${head},"data":${text}${tail}}`
}

export const NONE: readonly string[] = Object.freeze([])

export function hasNoMembers(data: object): boolean {
  for (const _ of memberNames(data)) return false
  return true
}

/**
 * The members of the request entry and the response entry that describe the mount, each member with a comma before it. The text is cached
 * per mount object, because a mount never changes its namespace, and every other change creates a new object.
 */
export function mountText({ mount, namespace }: AuditedPath): string {
  if (!mount) return ''
  const known = mountTexts.get(mount)
  if (known !== undefined) return known
  const { path, type, accessor } = mount.record
  const members = JSON.stringify({
    mount_point: namespace.path + path,
    mount_type: type,
    ...(accessor === '' ? {} : { mount_accessor: accessor }),
    mount_class: isAuth(mount.record) ? 'auth' : 'secret',
  })
  const text = `,${members.slice(1, -1)}`
  mountTexts.set(mount, text)
  return text
}

const mountTexts = new WeakMap<Mount, string>()

const ROOT = '{"id":"root"}'

const namespaceText = ({ id, path }: NamespaceRecord): string => (id === '' ? ROOT : JSON.stringify({ id, path }))

function headersOf(device: Device, headers: ReadonlyMap<string, RecordedHeader>) {
  const shown = [...headers].map(([name, { values, hmac }]) => [
    name,
    hmac ? values.map((value) => device.salted.text(value)) : values,
  ])
  return Object.fromEntries(shown) as Readonly<Record<string, readonly string[]>>
}
