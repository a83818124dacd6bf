/**
 * api-gateway: where routes take requests from outside the mesh in (configsvc.md 6.10).
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Pace, Steps } from '../../../core/base/steps.ts'
import { GATEWAY_ACCESS } from '../common/access.ts'
import { checkDistinct, usedTwice } from '../common/distinct.ts'
import { isDnsPattern } from '../common/host-names.ts'
import { references } from '../common/resource-reference.ts'
import { checkTls, cipherSuites, tlsVersion } from '../common/tls.ts'
import { type EntryOf, type KindName, kind, type Reference } from '../kind.ts'
import { aliased, int, kept, list, type RecordOf, record, refused, shown, text, uint32, word } from '../members/index.ts'

const MOST_PORT = 65_535

const LONGEST_NAME = 253

/** A DNS subdomain (RFC 1123) in lower case. One that fails does so at once: no label has two ways to match. */
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

const tls = record(
  {
    Certificates: references({ to: ['inline-certificate', 'file-system-certificate'], byDefault: 'inline-certificate' }),
    MinVersion: aliased(tlsVersion(), 'tls_min_version'),
    MaxVersion: aliased(tlsVersion(), 'tls_max_version'),
    CipherSuites: cipherSuites(),
  },
  { rule: ({ MinVersion: min, MaxVersion: max, CipherSuites: ciphers }, path) => checkTls({ min, max, ciphers }, path) },
)

const LISTENER = {
  Name: text(),
  Hostname: text(),
  Port: int(),
  Protocol: word(['http', 'tcp'], { in: 'lower case' }),
  MaxRequestHeadersKB: aliased(kept(uint32()), null),
  TLS: tls,
  Default: refused(),
  Override: refused(),
}

type Listener = RecordOf<typeof LISTENER>

function checkListener({ Name = '', Hostname, Port = 0, Protocol }: Listener, path: string): void {
  if (Name.length > LONGEST_NAME || !NAME.test(Name))
    throw invalid(`${path}.Name: must be lower-case letters, digits, "-" and ".", as DNS names are, not ${shown(Name)}`)
  if (Port < 1 || Port > MOST_PORT) throw invalid(`${path}.Port: must be from 1 to ${MOST_PORT}`)
  if (Protocol === undefined) throw invalid(`${path}.Protocol: must be http or tcp`)
  if (Hostname === undefined) return
  if (Protocol === 'tcp') throw invalid(`${path}.Hostname: needs the protocol http, since tcp has no host names`)
  if (!isDnsPattern(Hostname))
    throw invalid(`${path}.Hostname: must be a DNS name, with a wildcard as its leftmost label at most, not ${shown(Hostname)}`)
}

const members = { Listeners: list(record(LISTENER, { rule: checkListener })) }

export type ApiGateway = EntryOf<typeof members>

function* checkListeners({ Listeners = [] }: ApiGateway, _path: string, pace: Pace): Steps<void> {
  if (Listeners.length === 0) throw invalid('Listeners: must hold at least one listener')
  yield* checkDistinct(Listeners, ({ Name }) => ({ Name }), 'Listeners', pace)
  const ports = new Map<number | undefined, Listener>()
  for (const [index, listener] of Listeners.entries()) {
    const { Port, Hostname, Protocol } = listener
    const other = ports.get(Port)
    ports.set(Port, listener)
    if (other && (other.Hostname !== Hostname || other.Protocol !== Protocol))
      throw usedTwice(`Listeners[${index}].Port`, Port, ', so both listeners must have the same Hostname and Protocol')
  }
}

/** A certificate that several listeners have comes several times. */
function* certificates({ Listeners = [] }: ApiGateway): Iterable<Reference> {
  for (const { TLS } of Listeners)
    for (const { Kind, Name = '' } of TLS?.Certificates ?? []) yield { to: Kind as KindName, name: Name }
}

export const apiGateway = kind({
  name: 'api-gateway',
  members,
  rule: checkListeners,
  hasStatus: true,
  ...GATEWAY_ACCESS,
  refersTo: certificates,
})
