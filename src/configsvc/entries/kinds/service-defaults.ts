/** service-defaults: settings for a service and its proxies. */
import { invalid } from '../../../core/base/errors.ts'
import { duplicateValue } from '../common/distinct.ts'
import { ENVOY_EXTENSIONS } from '../common/envoy-extensions.ts'
import { isAddressOrDnsName } from '../common/host-names.ts'
import { MESH_GATEWAY, PROXY_MODES } from '../common/modes.ts'
import { PASSIVE_HEALTH_CHECK, UPSTREAM_LIMITS } from '../common/passive-health-check.ts'
import { PROTOCOLS } from '../common/protocols.ts'
import { defineKind, type EntryType } from '../kind.ts'
import {
  int,
  keepZero,
  list,
  type MemberRule,
  quotedValue,
  type RecordOf,
  record,
  text,
  uint32,
  unsupported,
  withAlias,
  word,
} from '../members/index.ts'
import { nameOfOther, WILDCARD } from '../names.ts'

const BALANCE = ['exact_balance'] as const

const UPSTREAM = {
  Name: nameOfOther(),
  Partition: text(),
  Namespace: text(),
  Peer: text(),
  EnvoyListenerJSON: text(),
  EnvoyClusterJSON: text(),
  Protocol: text({ in: 'lower case' }),
  ConnectTimeoutMs: int(),
  Limits: UPSTREAM_LIMITS,
  PassiveHealthCheck: PASSIVE_HEALTH_CHECK,
  MeshGateway: MESH_GATEWAY,
  BalanceOutboundConnections: word(BALANCE),
}

type Upstream = RecordOf<typeof UPSTREAM>

/** A negative timeout counts as absent. */
const normalUpstream = (upstream: Upstream): Upstream => ({
  ...upstream,
  ConnectTimeoutMs: Math.max(0, upstream.ConnectTimeoutMs ?? 0),
})

const override = record(UPSTREAM, {
  normal: normalUpstream,
  rule: ({ Name }, path) => {
    if (Name === undefined || Name === WILDCARD) throw invalid(`${path}.Name: must be the name of one service`)
  },
})

const defaults = record(UPSTREAM, {
  normal: normalUpstream,
  rule: ({ Name, Namespace, Partition }, path) => {
    const named = Object.entries({ Name, Namespace, Partition }).find(([, value]) => value !== undefined)
    if (named) throw invalid(`${path}.${named[0]}: must be absent, because defaults apply to all upstreams`)
  },
})

const checkAddresses: MemberRule<readonly string[]> = (addresses, path) => {
  const seen = new Set<string>()
  for (const [index, address] of addresses.entries()) {
    if (!isAddressOrDnsName(address))
      throw invalid(`${path}[${index}]: must be an IP address or a DNS name without a wildcard, not ${quotedValue(address)}`)
    if (seen.has(address)) throw duplicateValue(`${path}[${index}]`, address)
    seen.add(address)
  }
}

const destination = record(
  { Addresses: list(text(), checkAddresses), Port: int() },
  {
    rule: ({ Addresses, Port = 0 }, path) => {
      if (!Addresses) throw invalid(`${path}.Addresses: must contain at least one address`)
      if (Port < 1 || Port > 65_535) throw invalid(`${path}.Port: must be from 1 to 65535`)
    },
  },
)

export const serviceDefaults = defineKind({
  name: 'service-defaults',
  members: {
    Protocol: word(PROTOCOLS, { in: 'lower case' }),
    ...PROXY_MODES,
    ExternalSNI: text(),
    UpstreamConfig: record({ Overrides: list(override), Defaults: defaults }),
    Destination: keepZero(destination),
    MaxInboundConnections: int(),
    LocalConnectTimeoutMs: int(),
    LocalRequestTimeoutMs: int(),
    MaxRequestHeadersKB: withAlias(keepZero(uint32()), null),
    BalanceInboundConnections: word(BALANCE),
    RateLimits: unsupported(),
    EnvoyExtensions: ENVOY_EXTENSIONS,
  },
  rule: ({ UpstreamConfig, Destination }) => {
    if (UpstreamConfig && Destination)
      throw invalid(
        'Destination: must not be given together with UpstreamConfig, because a service outside of the mesh has no upstreams',
      )
  },
  readers: (name) => [{ permission: 'service:read', segment: name }],
  writers: ({ Name }) => [{ permission: 'service:write', segment: Name }],
})

export type ServiceDefaults = EntryType<typeof serviceDefaults>
