/** ingress-gateway: the services that a gateway makes reachable from outside of the mesh. */
import { invalid } from '../../../core/base/errors.ts'
import { GATEWAY_ACCESS } from '../common/access.ts'
import { presentMembers } from '../common/alternatives.ts'
import { checkDistinct, duplicateValue } from '../common/distinct.ts'
import { HEADER_MODIFIERS } from '../common/header-modifiers.ts'
import { isDnsPattern } from '../common/host-names.ts'
import { checkHasName } from '../common/http-match.ts'
import { servicesOf } from '../common/named-services.ts'
import { PASSIVE_HEALTH_CHECK } from '../common/passive-health-check.ts'
import { HTTP_LIKE, PROTOCOLS } from '../common/protocols.ts'
import { checkGatewaySds, checkListenerSds, checkServiceSds, SDS } from '../common/sds.ts'
import { checkTls, TLS_SETTINGS } from '../common/tls.ts'
import { defineKind, type NormalizedEntryOf } from '../kind.ts'
import { bool, int, keepZero, list, map, quotedValue, type RecordOf, record, text, uint32, word } from '../members/index.ts'
import { nameOfOther, WILDCARD } from '../names.ts'

const LIMITS = {
  MaxConnections: uint32(),
  MaxPendingRequests: uint32(),
  MaxConcurrentRequests: uint32(),
  PassiveHealthCheck: PASSIVE_HEALTH_CHECK,
}

/** A host may include a port, because clients send the port with the host unless it is the default port of the protocol. */
const PORT = /:\d{1,5}$/

const host = text({
  rule: (name, path) => {
    if (name !== WILDCARD && !isDnsPattern(name.replace(PORT, '')))
      throw invalid(`${path}: must be a DNS name, in which only the first label may be a wildcard, not ${quotedValue(name)}`)
  },
})

const SERVICE = {
  Name: nameOfOther(),
  Hosts: list(host),
  TLS: record({ SDS }),
  RequestHeaders: HEADER_MODIFIERS,
  ResponseHeaders: HEADER_MODIFIERS,
  ...LIMITS,
  Meta: map(text()),
  Namespace: text(),
  Partition: text(),
}

type Service = RecordOf<typeof SERVICE>

const service = record(SERVICE, {
  rule: (value, path) => {
    checkHasName(value, path)
    if (value.Name === WILDCARD && value.Hosts) throw invalid(`${path}.Hosts: are not allowed with the Name "*"`)
    if (value.TLS?.SDS?.CertResource !== undefined && !value.Hosts)
      throw invalid(`${path}.Hosts: must contain at least one host, because the service has a certificate`)
  },
})

/** TLS settings of a gateway or a listener. */
const gatewayTls = record(
  { Enabled: keepZero(bool()), SDS, ...TLS_SETTINGS },
  {
    normal: (value) => ({ ...value, Enabled: value.Enabled ?? false }),
    rule: ({ TLSMinVersion: min, TLSMaxVersion: max, CipherSuites: ciphers }, path) => checkTls({ min, max, ciphers }, path),
  },
)

const LISTENER = {
  Port: int({ least: 0, most: 65_535 }),
  Protocol: word(PROTOCOLS, { in: 'lower case' }),
  TLS: gatewayTls,
  Services: list(service),
}

type Listener = RecordOf<typeof LISTENER>

/** Settings that require a protocol with separate requests. */
const HTTP_ONLY = ['Hosts', 'RequestHeaders', 'ResponseHeaders']

function checkTcp(services: readonly Service[], path: string): void {
  if (services.length > 1) throw invalid(`${path}.Services: must contain only one service, because the protocol is tcp`)
  for (const value of services) {
    const [found] = presentMembers(value, HTTP_ONLY)
    if (value.Name === WILDCARD)
      throw invalid(`${path}.Services[0].Name: must not be the wildcard "*", because the protocol is tcp`)
    if (found !== undefined) throw invalid(`${path}.Services[0].${found}: is not allowed with the protocol tcp`)
  }
}

function checkListener({ Protocol = 'tcp', Services = [] }: Listener, path: string): void {
  if (Services.length === 0) throw invalid(`${path}.Services: must contain at least one service`)
  if (!(HTTP_LIKE as readonly string[]).includes(Protocol)) checkTcp(Services, path)
  const identity = ({ Name, Namespace, Partition }: Service) => ({ Name, Namespace, Partition })
  checkDistinct(Services, identity, `${path}.Services`, true)
  checkHosts(Services, path)
}

/** A host must not lead to two services. */
function checkHosts(services: readonly Service[], path: string): void {
  const seen = new Set<string>()
  for (const [index, { Hosts = [] }] of services.entries())
    for (const [at, name] of Hosts.entries()) {
      const key = name.toLowerCase()
      if (seen.has(key)) throw duplicateValue(`${path}.Services[${index}].Hosts[${at}]`, name)
      seen.add(key)
    }
}

const listener = record(LISTENER, {
  normal: (value) => ({ ...value, Protocol: value.Protocol || 'tcp' }),
  rule: checkListener,
})

const members = {
  TLS: keepZero(gatewayTls),
  Listeners: list(listener, (listeners, path) => checkDistinct(listeners, ({ Port = 0 }) => ({ Port }), path)),
  Defaults: record(LIMITS),
}

export type IngressGateway = NormalizedEntryOf<typeof members>

/** Validates that the settings of the gateway, its listeners and their services fit together. */
function checkLevels({ TLS = {}, Listeners = [] }: IngressGateway): void {
  checkGatewaySds(TLS.SDS)
  for (const [index, { TLS: own, Services = [] }] of Listeners.entries()) {
    const path = `Listeners[${index}]`
    checkListenerSds(TLS.SDS, own?.SDS, `${path}.TLS.SDS`)
    for (const [at, { Hosts = [], TLS: last }] of Services.entries()) {
      checkServiceSds([TLS.SDS, own?.SDS, last?.SDS], `${path}.Services[${at}].TLS.SDS`)
      if (TLS.Enabled && Hosts.includes(WILDCARD))
        throw invalid(`${path}.Services[${at}].Hosts: must not contain "*" with TLS, because no certificate matches it`)
    }
  }
}

export const ingressGateway = defineKind({
  name: 'ingress-gateway',
  members,
  normal: (entry) => ({ ...entry, TLS: entry.TLS ?? { Enabled: false } }),
  rule: checkLevels,
  ...GATEWAY_ACCESS,
  refersTo: ({ Listeners = [] }) => servicesOf(Listeners.flatMap(({ Services = [] }) => Services)),
})
