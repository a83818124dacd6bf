/** api-gateway: the listeners on which routes accept requests from outside of the mesh. */
import { invalid } from '../../../core/base/errors.ts'
import { GATEWAY_ACCESS } from '../common/access.ts'
import { checkDistinct, duplicateValue } from '../common/distinct.ts'
import { isDnsPattern } from '../common/host-names.ts'
import { references } from '../common/resource-reference.ts'
import { checkTls, cipherSuites, tlsVersion } from '../common/tls.ts'
import { defineKind, type EntryKindName, type EntryReference, type NormalizedEntryOf } from '../kind.ts'
import {
  int,
  keepZero,
  list,
  quotedValue,
  type RecordOf,
  record,
  text,
  uint32,
  unsupported,
  withAlias,
  word,
} from '../members/index.ts'

const MAX_PORT = 65_535

const MAX_LISTENER_NAME_CHARACTERS = 253

/** A DNS subdomain (RFC 1123) in lower case. The expression cannot backtrack, because no label matches in two ways. */
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

const tls = record(
  {
    Certificates: references({ to: ['inline-certificate', 'file-system-certificate'], byDefault: 'inline-certificate' }),
    MinVersion: withAlias(tlsVersion(), 'tls_min_version'),
    MaxVersion: withAlias(tlsVersion(), 'tls_max_version'),
    CipherSuites: cipherSuites(),
  },
  { rule: ({ MinVersion: min, MaxVersion: max, CipherSuites: ciphers }, path) => checkTls({ min, max, ciphers }, path) },
)

const LISTENER = {
  Name: text(),
  Hostname: text(),
  Port: int(),
  Protocol: word(['http', 'tcp'], { in: 'lower case' }),
  MaxRequestHeadersKB: withAlias(keepZero(uint32()), null),
  TLS: tls,
  Default: unsupported(),
  Override: unsupported(),
}

type Listener = RecordOf<typeof LISTENER>

function checkListener({ Name = '', Hostname, Port = 0, Protocol }: Listener, path: string): void {
  if (Name.length > MAX_LISTENER_NAME_CHARACTERS || !NAME.test(Name))
    throw invalid(`${path}.Name: must be a DNS name of lower-case letters, digits, "-" and ".", not ${quotedValue(Name)}`)
  if (Port < 1 || Port > MAX_PORT) throw invalid(`${path}.Port: must be from 1 to ${MAX_PORT}`)
  if (Protocol === undefined) throw invalid(`${path}.Protocol: must be http or tcp`)
  if (Hostname === undefined) return
  if (Protocol === 'tcp') throw invalid(`${path}.Hostname: requires the protocol http, because tcp has no host names`)
  if (!isDnsPattern(Hostname))
    throw invalid(
      `${path}.Hostname: must be a DNS name, in which only the first label may be a wildcard, not ${quotedValue(Hostname)}`,
    )
}

const members = { Listeners: list(record(LISTENER, { rule: checkListener })) }

export type ApiGateway = NormalizedEntryOf<typeof members>

function checkListeners({ Listeners = [] }: ApiGateway): void {
  if (Listeners.length === 0) throw invalid('Listeners: must contain at least one listener')
  checkDistinct(Listeners, ({ Name }) => ({ Name }), 'Listeners')
  const ports = new Map<number | undefined, Listener>()
  for (const [index, listener] of Listeners.entries()) {
    const { Port, Hostname, Protocol } = listener
    const other = ports.get(Port)
    ports.set(Port, listener)
    if (other && (other.Hostname !== Hostname || other.Protocol !== Protocol))
      throw duplicateValue(`Listeners[${index}].Port`, Port, ', so both listeners must have the same Hostname and Protocol')
  }
}

/** Yields a certificate once for each listener that uses it. */
function* certificates({ Listeners = [] }: ApiGateway): Iterable<EntryReference> {
  for (const { TLS } of Listeners)
    for (const { Kind, Name = '' } of TLS?.Certificates ?? []) yield { to: Kind as EntryKindName, name: Name }
}

export const apiGateway = defineKind({
  name: 'api-gateway',
  members,
  rule: checkListeners,
  hasStatus: true,
  ...GATEWAY_ACCESS,
  refersTo: certificates,
})
