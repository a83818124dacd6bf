/** sys/config/auditing/request-headers, as in Vault. */
import { HEADER } from '../../core/audit/records.ts'
import { invalid, notFound } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { loadAllInGroups } from '../../core/transaction/load-all.ts'
import { objectInSteps } from '../object-in-steps.ts'

export interface RequestHeaderSetting {
  /** Whether the values of the header are hashed. */
  readonly hmac: boolean
}

const NAME = f.freeName('The name of the header, in upper or lower case.').ignoring('case')
const HMAC = f.bool('Whether to hash the values of the header.')

/** A field name in HTTP. Source: RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

/** @throws KernelError 400 */
function headerName(name: string): string {
  if (!TOKEN.test(name)) throw invalid('header: must be the name of a header')
  return foldName(name)
}

/** @throws KernelError 400 if the header name is invalid. */
export const writeRequestHeader = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/auditing/request-headers/:header',
  sudo: true,
  rootOnly: true,
  summary: 'Starts recording a request header in the audit log.',
  fields: { header: NAME, hmac: HMAC.default(false) },
  returns: {},
  run: (tx, { header, hmac }) => {
    tx.put(HEADER, headerName(header), { hmac })
    return undefined
  },
})

/** @throws KernelError 400 if the header name is invalid, or if the header is not configured. */
export const readRequestHeader = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/auditing/request-headers/:header',
  sudo: true,
  rootOnly: true,
  summary: 'Shows how a request header is written to the audit log.',
  fields: { header: NAME },
  returns: { header: f.text('The name of the header, as in the request.'), hmac: HMAC },
  wire: ({ header, hmac }) => ({ data: { [header]: { hmac } }, repeated: true }),
  run: (tx, { header }) => {
    const record = tx.get(HEADER, headerName(header))
    if (!record) throw notFound('header: Could not find header in config', 400)
    return { header, hmac: record.hmac }
  },
})

/** @throws KernelError 400 if the header name is invalid. */
export const deleteRequestHeader = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/config/auditing/request-headers/:header',
  sudo: true,
  rootOnly: true,
  summary: 'Stops recording a request header in the audit log. Succeeds even if the header was not configured.',
  fields: { header: NAME },
  returns: {},
  run: (tx, { header }) => {
    tx.delete(HEADER, headerName(header))
    return undefined
  },
})

/** @throws no errors of its own. */
export const listRequestHeaders = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/auditing/request-headers',
  sudo: true,
  rootOnly: true,
  summary: 'Lists the request headers that are written to the audit log.',
  fields: {},
  returns: { headers: f.json<Readonly<Record<string, RequestHeaderSetting>>>('The settings by header name, in lower case.') },
  wire: (data) => ({ data, repeated: true }),
  run: (tx) => {
    const names = tx.list(HEADER)
    const records = loadAllInGroups(tx, 'headers', names, (name) => tx.get(HEADER, name))
    const headers = names.map((name, index) => [name, { hmac: records[index]?.hmac === true }] as const)
    return { headers: tx.steps('headers by name', () => objectInSteps(headers), 'attempt') }
  },
})
